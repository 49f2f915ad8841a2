/* Limits of resources: kept and given back. Only a few mean anything to this machine. */
#include "programs/syscall.h"

enum { SIGNALS_WAITING = 8192, QUEUE_BYTES = 819200 };

void limits_init(struct prog *p)
{
    for (int i = 0; i < LIMITS; i++)
        p->limits[i] = (struct limit){UINT64_MAX, UINT64_MAX};
    p->limits[LIMIT_STACK].soft = STACK_BYTES;
    p->limits[LIMIT_NOFILE] = (struct limit){FD_MAX, FD_MAX};
    p->limits[LIMIT_SIGPENDING] = (struct limit){SIGNALS_WAITING, SIGNALS_WAITING};
    p->limits[LIMIT_MSGQUEUE] = (struct limit){QUEUE_BYTES, QUEUE_BYTES};
    p->limits[LIMIT_NICE] = p->limits[LIMIT_RTPRIO] = (struct limit){0, 0};
}

static int set_limit(struct prog *p, uint64_t resource, struct limit new)
{
    if (new.soft > new.hard)
        return -EINVAL;
    if (new.hard > p->limits[resource].hard)
        return -EPERM;
    p->limits[resource] = new;
    return 0;
}

/** o32's "none" is the largest signed number. */
static uint64_t narrow(const struct prog *p, uint64_t v)
{
    return !p->n64 && v > INT32_MAX ? INT32_MAX : v;
}

static uint64_t widen(const struct prog *p, uint64_t v)
{
    return !p->n64 && v >= INT32_MAX ? UINT64_MAX : v;
}

int64_t sys_getrlimit(struct call *c)
{
    struct out o;

    if (c->a[0] >= LIMITS)
        return -EINVAL;
    out_start(&o, c->p->n64);
    out_long(&o, narrow(c->p, c->p->limits[c->a[0]].soft));
    out_long(&o, narrow(c->p, c->p->limits[c->a[0]].hard));
    return out_write(&o, &c->p->vm, c->a[1]);
}

int64_t sys_setrlimit(struct call *c)
{
    struct limit new;
    struct in i;

    if (in_read(&i, &c->p->vm, c->a[1], c->p->n64 ? 16 : 8) < 0)
        return -EFAULT;
    if (c->a[0] >= LIMITS)
        return -EINVAL;
    new.soft = widen(c->p, in_long(&i));
    new.hard = widen(c->p, in_long(&i));
    return set_limit(c->p, c->a[0], new);
}

int64_t sys_prlimit64(struct call *c)
{
    struct limit new, old;
    struct in i;
    struct out o;
    int err = 0;

    if (c->a[2] && in_read(&i, &c->p->vm, c->a[2], 16) < 0)
        return -EFAULT;
    if (c->a[0] == PARENT)
        return -EPERM;
    if (c->a[0] && !thread_find(c->p, (uint32_t)c->a[0]))
        return -ESRCH;
    if (c->a[1] >= LIMITS)
        return -EINVAL;
    old = c->p->limits[c->a[1]];
    if (c->a[2]) {
        new.soft = in_int(&i, 8);
        new.hard = in_int(&i, 8);
        err = set_limit(c->p, c->a[1], new);
    }
    if (err < 0 || !c->a[3])
        return err;
    out_start(&o, c->p->n64);
    out_int(&o, 8, old.soft);
    out_int(&o, 8, old.hard);
    return out_write(&o, &c->p->vm, c->a[3]);
}
