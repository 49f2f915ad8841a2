/*
 * Who and where the program is: identities, limits, the system's name, random numbers. All answers
 * are fixed or come from the seed, so that nothing of the host shows.
 */
#include "programs/syscall.h"

#include <string.h>

enum { PID = FIRST_TID, PARENT = 1, USER = 1000, STREAM_GETRANDOM = 0 };

int64_t sys_getpid(struct call *c)
{
    (void)c;
    return PID;
}

int64_t sys_gettid(struct call *c)
{
    return c->t->tid;
}

int64_t sys_getppid(struct call *c)
{
    (void)c;
    return PARENT;
}

int64_t sys_getid(struct call *c)
{
    (void)c;
    return USER;
}

int64_t sys_getgroups(struct call *c)
{
    if (c->a[0] == 0)
        return 1;
    return vm_write32(&c->p->vm, c->a[1], USER) < 0 ? -EFAULT : 1;
}

int64_t sys_getpriority(struct call *c)
{
    (void)c;
    return 20; /* nice 0 as the kernel returns it */
}

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

/* ---- limits ---------------------------------------------------------------------------------- */

/** Soft limit of a resource by MIPS number; UINT64_MAX: none. */
static uint64_t limit_of(uint64_t resource)
{
    enum { STACK = 3, NOFILE = 5 };

    return resource == STACK ? STACK_BYTES : resource == NOFILE ? FD_MAX : UINT64_MAX;
}

enum { RESOURCES = 16 };

/** getrlimit: longs; in o32 "none" is the largest signed one. */
int64_t sys_getrlimit(struct call *c)
{
    uint64_t v = limit_of(c->a[0]);
    struct out o;

    if (c->a[0] >= RESOURCES)
        return -EINVAL;
    if (!c->p->n64 && v > INT32_MAX)
        v = INT32_MAX;
    out_start(&o, c->p->n64);
    out_long(&o, v);
    out_long(&o, v);
    return out_write(&o, &c->p->vm, c->a[1]);
}

int64_t sys_prlimit64(struct call *c)
{
    struct out o;

    if (c->a[1] >= RESOURCES)
        return -EINVAL;
    if (c->a[0] && c->a[0] != PID)
        return -ESRCH;
    if (!c->a[3])
        return 0; /* limits can be set, and have no effect */
    out_start(&o, c->p->n64);
    out_int(&o, 8, limit_of(c->a[1]));
    out_int(&o, 8, limit_of(c->a[1]));
    return out_write(&o, &c->p->vm, c->a[3]);
}
