/*
 * Times, and compressed text.
 */
#include "trace/text.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdbool.h>
#include <zlib.h>

uint64_t trc_picoseconds(sim_tick t, uint64_t hz)
{
    const uint64_t million = 1000000, rest = t % hz * million;
    return t / hz * million * million + rest / hz * million + rest % hz * million / hz;
}

void trc_put_fraction(uint64_t units, unsigned digits, FILE *out)
{
    uint64_t whole = 1;
    for (unsigned i = 0; i < digits; i++)
        whole *= 10;
    fprintf(out, "%" PRIu64 ".%0*" PRIu64, units / whole, (int)digits, units % whole);
}

/* ---- gzip ------------------------------------------------------------------------------------ */

struct packer {
    z_stream z;
    FILE *out;
};

/** Hands over what has come, or with Z_FINISH all that there is. @return false: not possible */
static bool pack(struct packer *p, int how)
{
    unsigned char bytes[1 << 14];
    int state;
    do {
        p->z.next_out = bytes;
        p->z.avail_out = sizeof bytes;
        state = deflate(&p->z, how);
        const size_t made = sizeof bytes - p->z.avail_out;
        if (fwrite(bytes, 1, made, p->out) != made)
            return false;
    } while (p->z.avail_out == 0 || (how == Z_FINISH && state == Z_OK));
    return true;
}

static ssize_t pack_write(void *cookie, const char *bytes, size_t count)
{
    struct packer *p = cookie;
    p->z.next_in = (unsigned char *)(uintptr_t)bytes;
    p->z.avail_in = (uInt)count;
    return pack(p, Z_NO_FLUSH) ? (ssize_t)count : 0;
}

static int pack_close(void *cookie)
{
    struct packer *p = cookie;
    p->z.avail_in = 0;
    const bool good = pack(p, Z_FINISH);
    deflateEnd(&p->z);
    free(p);
    return good ? 0 : EOF;
}

FILE *trc_gzip_open(FILE *out)
{
    enum { WINDOW = 15, GZIP = 16, MEMORY = 8 };
    struct packer *p = sim_alloc(1, sizeof *p);
    p->out = out;
    if (deflateInit2(&p->z, Z_BEST_SPEED, Z_DEFLATED, WINDOW + GZIP, MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        sim_no_memory();
    FILE *in =
        fopencookie(p, "w", (cookie_io_functions_t){.write = pack_write, .close = pack_close});
    if (!in)
        sim_no_memory();
    return in;
}
