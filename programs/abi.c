/* Guest numbers and structures: MIPS Linux numbers errno in its own (IRIX's) way from 35 on. */
#include "programs/abi.h"

#include <errno.h>
#include <string.h>

static const struct {
    int host, guest;
} numbers[] = {
    {EDEADLK, 45},          {ENAMETOOLONG, 78}, {ENOLCK, 46},      {ENOSYS, 89},
    {ENOTEMPTY, 93},        {ELOOP, 90},        {ENOMSG, 35},      {EIDRM, 36},
    {ENODATA, 61},          {ETIME, 62},        {EOVERFLOW, 79},   {EILSEQ, 88},
    {EUSERS, 94},           {ENOTSOCK, 95},     {EOPNOTSUPP, 122}, {EBADMSG, 77},
    {EPROTO, 71},           {ETIMEDOUT, 145},   {EALREADY, 149},   {EINPROGRESS, 150},
    {ESTALE, 151},          {EDQUOT, 1133},     {ECANCELED, 158},  {EOWNERDEAD, 165},
    {ENOTRECOVERABLE, 166}, {ENOBUFS, 132},     {ECONNRESET, 131}, {ENOTCONN, 134},
};

int abi_errno(int host)
{
    if (host < EDEADLK)
        return host;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (numbers[i].host == host)
            return numbers[i].guest;
    return EINVAL;
}

void out_int(struct out *o, unsigned width, uint64_t v)
{
    for (unsigned i = width; i-- > 0; v >>= 8)
        o->buf[o->len + i] = (uint8_t)v;
    o->len += width;
}

void out_long(struct out *o, uint64_t v)
{
    out_int(o, o->word, v);
}

void out_skip(struct out *o, size_t to)
{
    memset(o->buf + o->len, 0, to - o->len);
    o->len = to;
}

int out_write(const struct out *o, struct vm *vm, uint64_t va)
{
    return vm_write(vm, va, o->buf, o->len);
}

int in_read(struct in *i, struct vm *vm, uint64_t va, size_t len)
{
    i->word = vm->n64 ? 8 : 4;
    i->pos = 0;
    return vm_read(vm, va, i->buf, len);
}

uint64_t in_int(struct in *i, unsigned width)
{
    uint64_t v = 0;

    for (unsigned n = 0; n < width; n++)
        v = v << 8 | i->buf[i->pos++];
    return v;
}

uint64_t in_long(struct in *i)
{
    return in_int(i, i->word);
}

void in_skip(struct in *i, size_t to)
{
    i->pos = to;
}
