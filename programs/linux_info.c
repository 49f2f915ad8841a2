/*
 * Where the program is: the system's name, its size, random numbers. All answers are fixed or come
 * from the seed, so that nothing of the host shows.
 */
#include "programs/syscall.h"

#include <string.h>

enum { STREAM_GETRANDOM = 0, GRND_NONBLOCK_ = 1, GRND_RANDOM_ = 2, GRND_INSECURE_ = 4 };

int64_t sys_uname(struct call *c)
{
    enum { FIELD = 65 };
    const char *const fields[6] = {
        "Linux", "numachine", "6.1.0", "#1 SMP", c->p->n64 ? "mips64" : "mips", "(none)",
    };
    char buf[6][FIELD] = {{0}};

    for (int i = 0; i < 6; i++)
        memcpy(buf[i], fields[i], strlen(fields[i]));
    return vm_write(&c->p->vm, c->a[0], buf, sizeof buf);
}

int64_t sys_sysinfo(struct call *c)
{
    const struct nm_params *par = c->p->par;
    uint64_t bytes = par->memory_size * nm_params_stations(par);
    uint64_t unit = c->p->n64 ? 1 : par->page_size;
    struct out o;

    out_start(&o, c->p->n64);
    out_long(&o, prog_ns(c->p, prog_now(c->p)) / 1000000000);
    for (int i = 0; i < 3; i++) /* loads */
        out_long(&o, 0);
    out_long(&o, bytes / unit);
    out_long(&o, bytes / unit); /* free */
    for (int i = 0; i < 4; i++) /* shared, buffers, swap, free swap */
        out_long(&o, 0);
    out_int(&o, 2, c->p->alive);
    out_skip(&o, c->p->n64 ? 88 : 44);
    out_long(&o, 0);
    out_long(&o, 0);
    out_int(&o, 4, unit);
    out_skip(&o, c->p->n64 ? 112 : 64);
    return out_write(&o, &c->p->vm, c->a[0]);
}

int64_t sys_getrandom(struct call *c)
{
    uint8_t buf[256];
    uint64_t done = 0;

    if (c->a[2] & ~(uint64_t)(GRND_NONBLOCK_ | GRND_RANDOM_ | GRND_INSECURE_) ||
        (c->a[2] & GRND_RANDOM_ && c->a[2] & GRND_INSECURE_))
        return -EINVAL;
    while (done < c->a[1]) {
        size_t n = c->a[1] - done < sizeof buf ? (size_t)(c->a[1] - done) : sizeof buf;
        prog_random(c->p, STREAM_GETRANDOM, c->p->random_drawn, buf, n);
        if (vm_write(&c->p->vm, c->a[0] + done, buf, n) < 0)
            return done > 0 ? (int64_t)done : -EFAULT;
        c->p->random_drawn += n;
        done += n;
    }
    return (int64_t)done;
}
