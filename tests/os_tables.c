/* The table of system calls checks itself: no blank text, no number used twice, no unknown letter.
 */
#include "programs/linux/syscall.h"

#include <criterion/criterion.h>
#include <string.h>

Test(os_tables, rows_are_complete)
{
    size_t count;
    const struct lx_sys_row *r = lx_sys_rows(&count);

    for (size_t i = 0; i < count; i++) {
        cr_expect(*r[i].name && *r[i].sentence, "row %zu is blank", i);
        cr_expect(r[i].fn != NULL, "%s has no handler", r[i].name);
        cr_expect(r[i].o32 >= 0 || r[i].n64 >= 0, "%s is in no ABI", r[i].name);
        cr_expect(strlen(r[i].args) <= SYS_ARGS, "%s has too many arguments", r[i].name);
        cr_expect(strspn(r[i].args, "iulzpsfdLtT") == strlen(r[i].args), "%s: letters '%s'",
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
            cr_expect(r[i].o32 < 0 || r[i].o32 != r[j].o32, "%s, %s", r[i].name, r[j].name);
            cr_expect(r[i].n64 < 0 || r[i].n64 != r[j].n64, "%s, %s", r[i].name, r[j].name);
            cr_expect(strcmp(r[i].name, r[j].name) != 0, "%s twice", r[i].name);
        }
}

Test(os_tables, errno_goes_over)
{
    cr_expect_eq(lx_abi_errno(EAGAIN), 11);
    cr_expect_eq(lx_abi_errno(ENOSYS), 89);
    cr_expect_eq(lx_abi_errno(ETIMEDOUT), 145);
    cr_expect_eq(lx_abi_errno(ENOTEMPTY), 93);
    cr_expect_eq(lx_abi_errno(EDEADLK), 45);
}
