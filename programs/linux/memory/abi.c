/* Guest numbers and structures: MIPS Linux numbers errno in its own (IRIX's) way from 35 on. */
#include "programs/linux/memory/abi.h"

#include <errno.h>
#include <string.h>

static const struct {
    int host, guest;
} numbers[] = {
    {EDEADLK, 45},
    {ENAMETOOLONG, 78},
    {ENOLCK, 46},
    {ENOSYS, 89},
    {ENOTEMPTY, 93},
    {ELOOP, 90},
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
    {EMULTIHOP, 74},
    {EDOTDOT, 73},
    {EBADMSG, 77},
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
    {ERESTART, 91},
    {ESTRPIPE, 92},
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
    {ESHUTDOWN, 143},
    {ETOOMANYREFS, 144},
    {ETIMEDOUT, 145},
    {ECONNREFUSED, 146},
    {EHOSTDOWN, 147},
    {EHOSTUNREACH, 148},
    {EALREADY, 149},
    {EINPROGRESS, 150},
    {ESTALE, 151},
    {EUCLEAN, 135},
    {ENOTNAM, 137},
    {ENAVAIL, 138},
    {EISNAM, 139},
    {EREMOTEIO, 140},
    {EDQUOT, 1133},
    {ENOMEDIUM, 159},
    {EMEDIUMTYPE, 160},
    {ECANCELED, 158},
    {ENOKEY, 161},
    {EKEYEXPIRED, 162},
    {EKEYREVOKED, 163},
    {EKEYREJECTED, 164},
    {EOWNERDEAD, 165},
    {ENOTRECOVERABLE, 166},
    {ERFKILL, 167},
    {EHWPOISON, 168},
};

int lx_abi_errno(const struct lx_kind *kind, int host)
{
    if (host < EDEADLK || kind->generic) /* the host is one of those */
        return host;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].host == host)
            return numbers[i].guest;
    return EINVAL;
}

void lx_out_int(struct lx_out *o, unsigned width, uint64_t v)
{
    lx_kind_put(o->kind, o->buf + o->len, width, v);
    o->len += width;
}

void lx_out_long(struct lx_out *o, uint64_t v)
{
    lx_out_int(o, o->word, v);
}

void lx_out_skip(struct lx_out *o, size_t to)
{
    memset(o->buf + o->len, 0, to - o->len);
    o->len = to;
}

int lx_out_write(const struct lx_out *o, struct lx_vm *vm, uint64_t va)
{
    return lx_vm_write(vm, va, o->buf, o->len);
}

int lx_in_read(struct lx_in *i, struct lx_vm *vm, uint64_t va, size_t len)
{
    i->kind = vm->kind;
    i->word = vm->kind->word;
    i->pos = 0;
    return lx_vm_read(vm, va, i->buf, len);
}

uint64_t lx_in_int(struct lx_in *i, unsigned width)
{
    i->pos += width;
    return lx_kind_get(i->kind, i->buf + i->pos - width, width);
}

uint64_t lx_in_long(struct lx_in *i)
{
    return lx_in_int(i, i->word);
}

void lx_in_skip(struct lx_in *i, size_t to)
{
    i->pos = to;
}
