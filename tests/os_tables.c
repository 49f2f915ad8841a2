/* The table of system calls checks itself: no blank text, no number used twice, no unknown letter.
 */
#include "programs/linux/syscalls.h"

#include <criterion/criterion.h>
#include <string.h>

Test(os_tables, rows_are_complete)
{
    size_t count;
    const struct lx_sys_row *r = lx_sys_rows(&count);

    for (size_t i = 0; i < count; i++) {
        cr_expect(*r[i].name && *r[i].sentence, "row %zu is blank", i);
        cr_expect(r[i].fn != NULL, "%s has no handler", r[i].name);
        int highest = -1;
        for (unsigned k = 0; k < LX_KINDS; k++)
            highest = r[i].number[k] > highest ? r[i].number[k] : highest;
        cr_expect(highest >= 0, "%s is in no ABI", r[i].name);
        cr_expect(strlen(r[i].args) <= SYS_ARGS, "%s has too many arguments", r[i].name);
        cr_expect(strspn(r[i].args, "iulzpsfdLtTomh") == strlen(r[i].args), "%s: letters '%s'",
                  r[i].name, r[i].args);
    }
}

Test(os_tables, differences_are_of_calls)
{
    size_t rows, count, n;
    const struct lx_sys_row *r = lx_sys_rows(&rows);
    const struct lx_sys_difference *d = lx_sys_differences(&count);

    for (size_t i = 0; i < count; i++) {
        n = 0;
        for (size_t j = 0; j < rows; j++)
            n += strcmp(r[j].name, d[i].name) == 0 && lx_sys_differs(&r[j]) == d[i].sentence;
        cr_expect(n == 1, "%s names %zu calls, or comes twice", d[i].name, n);
        cr_expect(*d[i].sentence, "%s differs in nothing", d[i].name);
    }
}

Test(os_tables, numbers_are_unique)
{
    size_t count;
    const struct lx_sys_row *r = lx_sys_rows(&count);

    for (size_t i = 0; i < count; i++)
        for (size_t j = i + 1; j < count; j++) {
            for (unsigned k = 0; k < LX_KINDS; k++)
                cr_expect(r[i].number[k] < 0 || r[i].number[k] != r[j].number[k], "%s, %s of %s",
                          r[i].name, r[j].name, lx_kinds[k].name);
            cr_expect(strcmp(r[i].name, r[j].name) != 0, "%s twice", r[i].name);
        }
}

Test(os_tables, errno_goes_over)
{
    cr_expect_eq(lx_abi_errno(&lx_kinds[LX_O32], EAGAIN), 11);
    cr_expect_eq(lx_abi_errno(&lx_kinds[LX_O32], ENOSYS), 89);
    cr_expect_eq(lx_abi_errno(&lx_kinds[LX_O32], ETIMEDOUT), 145);
    cr_expect_eq(lx_abi_errno(&lx_kinds[LX_O32], ENOTEMPTY), 93);
    cr_expect_eq(lx_abi_errno(&lx_kinds[LX_O32], EDEADLK), 45);
    cr_expect_eq(lx_abi_errno(&lx_kinds[LX_ARMEL], ETIMEDOUT), 110);
}

static const char *const set_names[] = {"open",   "map",    "fcntl", "limit",
                                        "signal", "action", "code",  "how"};

/** What MIPS Linux understands goes out and in again; no two numbers become one. */
/* Linux' numbers for MIPS, typed again: every one above those that all have in common. */
Test(os_tables, each_errno_is_the_kernels)
{
    static const struct {
        int host, guest;
    } rows[] = {
        {ENOMSG, 35},
        {EIDRM, 36},
        {ECHRNG, 37},
        {EL2NSYNC, 38},
        {EL3HLT, 39},
        {EL3RST, 40},
        {ELNRNG, 41},
        {EUNATCH, 42},
        {ENOCSI, 43},
        {EL2HLT, 44},
        {EDEADLK, 45},
        {ENOLCK, 46},
        {EBADE, 50},
        {EBADR, 51},
        {EXFULL, 52},
        {ENOANO, 53},
        {EBADRQC, 54},
        {EBADSLT, 55},
        {EBFONT, 59},
        {ENOSTR, 60},
        {ENODATA, 61},
        {ETIME, 62},
        {ENOSR, 63},
        {ENONET, 64},
        {ENOPKG, 65},
        {EREMOTE, 66},
        {ENOLINK, 67},
        {EADV, 68},
        {ESRMNT, 69},
        {ECOMM, 70},
        {EPROTO, 71},
        {EDOTDOT, 73},
        {EMULTIHOP, 74},
        {EBADMSG, 77},
        {ENAMETOOLONG, 78},
        {EOVERFLOW, 79},
        {ENOTUNIQ, 80},
        {EBADFD, 81},
        {EREMCHG, 82},
        {ELIBACC, 83},
        {ELIBBAD, 84},
        {ELIBSCN, 85},
        {ELIBMAX, 86},
        {ELIBEXEC, 87},
        {EILSEQ, 88},
        {ENOSYS, 89},
        {ELOOP, 90},
        {ERESTART, 91},
        {ESTRPIPE, 92},
        {ENOTEMPTY, 93},
        {EUSERS, 94},
        {ENOTSOCK, 95},
        {EDESTADDRREQ, 96},
        {EMSGSIZE, 97},
        {EPROTOTYPE, 98},
        {ENOPROTOOPT, 99},
        {EPROTONOSUPPORT, 120},
        {ESOCKTNOSUPPORT, 121},
        {EOPNOTSUPP, 122},
        {EPFNOSUPPORT, 123},
        {EAFNOSUPPORT, 124},
        {EADDRINUSE, 125},
        {EADDRNOTAVAIL, 126},
        {ENETDOWN, 127},
        {ENETUNREACH, 128},
        {ENETRESET, 129},
        {ECONNABORTED, 130},
        {ECONNRESET, 131},
        {ENOBUFS, 132},
        {EISCONN, 133},
        {ENOTCONN, 134},
        {EUCLEAN, 135},
        {ENOTNAM, 137},
        {ENAVAIL, 138},
        {EISNAM, 139},
        {EREMOTEIO, 140},
        {ESHUTDOWN, 143},
        {ETOOMANYREFS, 144},
        {ETIMEDOUT, 145},
        {ECONNREFUSED, 146},
        {EHOSTDOWN, 147},
        {EHOSTUNREACH, 148},
        {EALREADY, 149},
        {EINPROGRESS, 150},
        {ESTALE, 151},
        {ECANCELED, 158},
        {ENOMEDIUM, 159},
        {EMEDIUMTYPE, 160},
        {ENOKEY, 161},
        {EKEYEXPIRED, 162},
        {EKEYREVOKED, 163},
        {EKEYREJECTED, 164},
        {EOWNERDEAD, 165},
        {ENOTRECOVERABLE, 166},
        {ERFKILL, 167},
        {EHWPOISON, 168},
        {EDQUOT, 1133},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_expect_eq(lx_abi_errno(&lx_kinds[LX_O32], rows[i].host), rows[i].guest, "%s: %d",
                     strerrorname_np(rows[i].host), lx_abi_errno(&lx_kinds[LX_O32], rows[i].host));
        cr_expect_eq(lx_abi_errno(&lx_kinds[LX_N64], rows[i].host), rows[i].guest);
        cr_expect_eq(lx_abi_errno(&lx_kinds[LX_ARMEL], rows[i].host), rows[i].host);
    }
    for (int e = 0; e < EDEADLK; e++)
        cr_expect_eq(lx_abi_errno(&lx_kinds[LX_O32], e), e);
}

Test(os_tables, numbers_go_over_and_back)
{
    const struct lx_kind *arm = &lx_kinds[LX_ARMEL], *mips = &lx_kinds[LX_N64];

    for (unsigned set = LX_FCNTL; set <= LX_HOW; set++)
        for (uint64_t v = 0; v < 64; v++) {
            const enum lx_number_set of = (enum lx_number_set)set;
            const uint64_t ours = lx_number_in(arm, of, v);
            if (set == LX_ACTION) /* flags */
                continue;
            cr_expect_eq(lx_number_in(mips, of, v), v);
            cr_expect(ours == UINT32_MAX || lx_number_out(arm, of, ours) == v, "%s %u",
                      set_names[set], (unsigned)v);
            for (uint64_t other = 0; other < v && ours != UINT32_MAX; other++)
                cr_expect_neq(lx_number_in(arm, of, other), ours, "%s %u", set_names[set],
                              (unsigned)v);
        }
}

Test(os_tables, flags_go_over_and_back)
{
    static const enum lx_number_set sets[] = {LX_OPEN, LX_MAP, LX_ACTION};
    const struct lx_kind *arm = &lx_kinds[LX_ARMEL];

    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++)
        for (unsigned bit = 0; bit < 31; bit++) {
            const uint64_t v = UINT64_C(1) << bit, ours = lx_flags_in(arm, sets[s], v);
            cr_expect(__builtin_popcountll(ours) == 1, "%s bit %u", set_names[sets[s]], bit);
            cr_expect(ours >> 31 || lx_flags_out(arm, sets[s], ours) == v, "%s bit %u",
                      set_names[sets[s]], bit);
        }
}

Test(os_tables, bytes_have_an_order)
{
    const struct lx_kind *arm = &lx_kinds[LX_ARMEL], *mips = &lx_kinds[LX_O32];
    const uint8_t ascending[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t bytes[8];

    cr_expect_eq(lx_kind_get(arm, ascending, 4), 0x04030201);
    cr_expect_eq(lx_kind_get(mips, ascending, 4), 0x01020304);
    lx_kind_put(arm, bytes, 8, UINT64_C(0x0807060504030201));
    cr_expect_arr_eq(bytes, ascending, 8);
    lx_kind_put(mips, bytes, 8, UINT64_C(0x0102030405060708));
    cr_expect_arr_eq(bytes, ascending, 8);
}
