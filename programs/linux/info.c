/*
 * Where the program is: the system's name, its size, random numbers. All answers are fixed or come
 * from the seed, so that nothing of the host shows.
 */
#include "programs/linux/process/call.h"
#include "programs/linux/view/proc.h"

#include <string.h>

enum { STREAM_GETRANDOM = 0, GRND_NONBLOCK_ = 1, GRND_RANDOM_ = 2, GRND_INSECURE_ = 4 };

int64_t lx_sys_uname(struct lx_call *c)
{
    enum { FIELD = 65 };
    const char *const fields[6] = {
        "Linux", "numachine", LX_RELEASE, LX_VERSION, c->p->kind->machine, "(none)",
    };
    char buf[6][FIELD] = {{0}};

    for (int i = 0; i < 6; i++)
        memcpy(buf[i], fields[i], strlen(fields[i]));
    return lx_vm_write(&c->p->vm, c->a[0], buf, sizeof buf);
}

int64_t lx_sys_sysinfo(struct lx_call *c)
{
    const struct nm_params *par = c->p->par;
    uint64_t bytes = nm_value_memory_size(par) * nm_params_stations(par);
    uint64_t unit = c->p->n64 ? 1 : nm_value_page_size(par);
    struct lx_out o;

    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, lx_ns(c->p, lx_now(c->p)) / 1000000000);
    for (int i = 0; i < 3; i++) /* loads */
        lx_out_long(&o, 0);
    lx_out_long(&o, bytes / unit);
    lx_out_long(&o, lx_memory_free(c->p) / unit);
    for (int i = 0; i < 4; i++) /* shared, buffers, swap, free swap */
        lx_out_long(&o, 0);
    lx_out_int(&o, 2, c->p->alive);
    lx_out_skip(&o, c->p->n64 ? 88 : 44);
    lx_out_long(&o, 0);
    lx_out_long(&o, 0);
    lx_out_int(&o, 4, unit);
    lx_out_skip(&o, c->p->n64 ? 112 : 64);
    return lx_out_write(&o, &c->p->vm, c->a[0]);
}

int64_t lx_sys_getrandom(struct lx_call *c)
{
    uint8_t buf[256];
    uint64_t done = 0;

    if (c->a[2] & ~(uint64_t)(GRND_NONBLOCK_ | GRND_RANDOM_ | GRND_INSECURE_) ||
        (c->a[2] & GRND_RANDOM_ && c->a[2] & GRND_INSECURE_))
        return -EINVAL;
    while (done < c->a[1]) {
        size_t n = c->a[1] - done < sizeof buf ? (size_t)(c->a[1] - done) : sizeof buf;
        lx_random(c->p, STREAM_GETRANDOM, c->p->random_drawn, buf, n);
        if (lx_vm_write(&c->p->vm, c->a[0] + done, buf, n) < 0)
            return done > 0 ? (int64_t)done : -EFAULT;
        c->p->random_drawn += n;
        done += n;
    }
    return (int64_t)done;
}
