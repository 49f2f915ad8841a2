/*
 * prctl: small settings of a thread or the process, most of which only have to be remembered. Those
 * are rows of a table: their number, where the value is kept, and which values are good.
 */
#include "programs/linux/process/call.h"

#include <stddef.h>
#include <string.h>

enum {
    SET_PDEATHSIG = 1,
    GET_PDEATHSIG = 2,
    GET_DUMPABLE = 3,
    SET_DUMPABLE = 4,
    GET_KEEPCAPS = 7,
    SET_KEEPCAPS = 8,
    GET_TIMING = 13,
    SET_TIMING = 14,
    SET_NAME = 15,
    GET_NAME = 16,
    GET_SECCOMP = 21,
    CAPBSET_READ = 23,
    SET_TIMERSLACK = 29,
    GET_TIMERSLACK = 30,
    SET_CHILD_SUBREAPER = 36,
    GET_CHILD_SUBREAPER = 37,
    SET_NO_NEW_PRIVS = 38,
    GET_NO_NEW_PRIVS = 39,
    SET_THP_DISABLE = 41,
    GET_THP_DISABLE = 42,
    SET_FP_MODE = 45,
    GET_FP_MODE = 46,
};

enum { CAPABILITIES = 41, SLACK_NS = 50000 };

/** A number the process keeps. */
static const struct setting {
    unsigned set, get;
    size_t at;     /**< in struct lx_prctl */
    uint64_t most; /**< highest good value; the lowest is `least` */
    uint64_t least;
    bool through; /**< given back through a pointer, not as the result */
    bool strict;  /**< the further arguments must be 0 */
} settings[] = {
    {SET_PDEATHSIG, GET_PDEATHSIG, offsetof(struct lx_prctl, death_signal), UINT32_MAX, 0, true,
     false},
    {SET_DUMPABLE, GET_DUMPABLE, offsetof(struct lx_prctl, dumpable), 1, 0, false, false},
    {SET_KEEPCAPS, GET_KEEPCAPS, offsetof(struct lx_prctl, keep_caps), 1, 0, false, false},
    {SET_TIMING, GET_TIMING, offsetof(struct lx_prctl, timing), 0, 0, false, false},
    {SET_CHILD_SUBREAPER, GET_CHILD_SUBREAPER, offsetof(struct lx_prctl, subreaper), UINT64_MAX, 0,
     true, false},
    {SET_NO_NEW_PRIVS, GET_NO_NEW_PRIVS, offsetof(struct lx_prctl, no_new_privs), 1, 1, false,
     true},
    {SET_THP_DISABLE, GET_THP_DISABLE, offsetof(struct lx_prctl, thp_disable), UINT64_MAX, 0, false,
     true},
};

static uint32_t *prctl_kept(struct lx_prog *p, const struct setting *s)
{
    return (uint32_t *)(void *)((char *)&p->prctl + s->at);
}

/** Arguments from `from` on are 0. */
static bool rest_is_zero(const struct lx_call *c, unsigned from)
{
    for (; from < 5; from++)
        if (c->a[from])
            return false;
    return true;
}

static int64_t prctl_get(struct lx_call *c, const struct setting *s)
{
    if (s->strict && !rest_is_zero(c, 1))
        return -EINVAL;
    if (s->through)
        return lx_vm_write32(&c->p->vm, c->a[1], *prctl_kept(c->p, s));
    return *prctl_kept(c->p, s);
}

static int64_t prctl_set(struct lx_call *c, const struct setting *s)
{
    const uint64_t v = c->a[1];

    if (s->set == SET_PDEATHSIG && v > c->p->kind->signals)
        return -EINVAL;
    if (v > s->most || v < s->least || (s->strict && !rest_is_zero(c, 2)))
        return -EINVAL;
    *prctl_kept(c->p, s) = s->most == UINT64_MAX ? v != 0 : (uint32_t)v;
    return 0;
}

static int64_t set_name(struct lx_call *c)
{
    char name[sizeof c->t->name] = "";

    for (size_t i = 0; i + 1 < sizeof name; i++) {
        if (lx_vm_read(&c->p->vm, c->a[1] + i, &name[i], 1) < 0)
            return -EFAULT;
        if (!name[i])
            break;
    }
    memcpy(c->t->name, name, sizeof name);
    return 0;
}

/** The options that are no settings. */
static int64_t odd(struct lx_call *c)
{
    switch (c->a[0]) {
    case SET_NAME:
        return set_name(c);
    case GET_NAME:
        return lx_vm_write(&c->p->vm, c->a[1], c->t->name, sizeof c->t->name);
    case SET_TIMERSLACK:
        c->t->slack = c->a[1] && (int64_t)c->a[1] > 0 ? c->a[1] : c->t->slack_born;
        return 0;
    case GET_TIMERSLACK:
        return (int64_t)(c->t->slack ? c->t->slack : SLACK_NS);
    case CAPBSET_READ:
        return c->a[1] < CAPABILITIES ? 0 : -EINVAL;
    case GET_SECCOMP:
        return 0;
    case GET_FP_MODE:
        return c->p->kind->generic ? -EINVAL : c->p->image.fr;
    case SET_FP_MODE:
        if (c->p->kind->generic)
            return -EINVAL;
        return c->a[1] == c->p->image.fr ? 0 : -EOPNOTSUPP;
    default:
        return -EINVAL;
    }
}

int64_t lx_sys_prctl(struct lx_call *c)
{
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        if (settings[i].set == c->a[0])
            return prctl_set(c, &settings[i]);
        if (settings[i].get == c->a[0])
            return prctl_get(c, &settings[i]);
    }
    return odd(c);
}
