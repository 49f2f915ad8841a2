/*
 * Calls that set limits of resources. Who uses a resource looks at its limit; those of memory and
 * of processor time are told to their keepers when they change.
 */
#include "programs/linux/process/call.h"
#include "programs/linux/threads/threads.h"
#include "programs/linux/time/timer.h"

/** Tells who keeps the resource. */
static void apply(struct lx_prog *p, uint64_t resource)
{
    const struct lx_limit *l = &p->limits[resource];

    switch (resource) {
    case LIMIT_CPU:
        lx_timers_limit(p, l->soft, l->hard);
        break;
    case LIMIT_AS:
        p->vm.most.all = l->soft;
        break;
    case LIMIT_DATA:
        p->vm.most.data = l->soft;
        break;
    case LIMIT_MEMLOCK:
        p->vm.most.locked = l->soft;
        break;
    case LIMIT_STACK:
        lx_vm_stack(&p->vm, l->soft);
        break;
    default:
        break;
    }
}

static int set_limit(struct lx_prog *p, uint64_t resource, struct lx_limit new)
{
    const struct lx_limit old = p->limits[resource];

    if (new.soft > new.hard)
        return -EINVAL;
    if (new.hard > old.hard && (p->uid || resource == LIMIT_NOFILE))
        return -EPERM;
    p->limits[resource] = new;
    if (new.soft != old.soft || new.hard != old.hard)
        apply(p, resource);
    return 0;
}

/** "None" of 32 bits: o32's is the largest signed number, that of others the largest. */
static uint64_t none(const struct lx_prog *p)
{
    return p->kind->generic ? UINT32_MAX : INT32_MAX;
}

static uint64_t narrow(const struct lx_prog *p, uint64_t v)
{
    return !p->n64 && v > none(p) ? none(p) : v;
}

static uint64_t widen(const struct lx_prog *p, uint64_t v)
{
    return !p->n64 && v >= none(p) ? UINT64_MAX : v;
}

int64_t lx_sys_getrlimit(struct lx_call *c)
{
    const uint64_t resource = lx_number_in(c->p->kind, LX_LIMIT, c->a[0]);
    struct lx_out o;

    if (resource >= LIMITS)
        return -EINVAL;
    lx_out_start(&o, c->p->kind);
    lx_out_long(&o, narrow(c->p, c->p->limits[resource].soft));
    lx_out_long(&o, narrow(c->p, c->p->limits[resource].hard));
    return lx_out_write(&o, &c->p->vm, c->a[1]);
}

int64_t lx_sys_setrlimit(struct lx_call *c)
{
    const uint64_t resource = lx_number_in(c->p->kind, LX_LIMIT, c->a[0]);
    struct lx_limit new;
    struct lx_in i;

    if (lx_in_read(&i, &c->p->vm, c->a[1], 2 * c->p->kind->word) < 0)
        return -EFAULT;
    if (resource >= LIMITS)
        return -EINVAL;
    new.soft = widen(c->p, lx_in_long(&i));
    new.hard = widen(c->p, lx_in_long(&i));
    return set_limit(c->p, resource, new);
}

int64_t lx_sys_prlimit64(struct lx_call *c)
{
    const uint64_t resource = lx_number_in(c->p->kind, LX_LIMIT, c->a[1]);
    struct lx_limit new, old;
    struct lx_in i;
    struct lx_out o;
    int err = 0;

    if (c->a[2] && lx_in_read(&i, &c->p->vm, c->a[2], 16) < 0)
        return -EFAULT;
    if (c->a[0] == PARENT)
        return -EPERM;
    if (c->a[0] && !lx_thread_named(c->p, (uint32_t)c->a[0]))
        return -ESRCH;
    if (resource >= LIMITS)
        return -EINVAL;
    old = c->p->limits[resource];
    if (c->a[2]) {
        new.soft = lx_in_int(&i, 8);
        new.hard = lx_in_int(&i, 8);
        err = set_limit(c->p, resource, new);
    }
    if (err < 0 || !c->a[3])
        return err;
    lx_out_start(&o, c->p->kind);
    lx_out_int(&o, 8, old.soft);
    lx_out_int(&o, 8, old.hard);
    return lx_out_write(&o, &c->p->vm, c->a[3]);
}
