/* Times among the arguments of system calls: as the row says, of the ABI's width or 64 bits. */
#include "programs/linux/process/call.h"

unsigned lx_call_time_width(const struct lx_call *c, unsigned i)
{
    return c->row->args[i] == 'T' ? 8 : c->p->kind->word;
}

int lx_call_time_at(const struct lx_call *c, uint64_t va, unsigned width, uint64_t *ns)
{
    uint64_t first, second;
    int64_t sec, nsec;

    if (lx_vm_read_word(&c->p->vm, va, width, &first) < 0 ||
        lx_vm_read_word(&c->p->vm, va + width, width, &second) < 0)
        return -EFAULT;
    sec = lx_abi_signed(first, width);
    nsec = lx_abi_signed(second, c->p->kind->word); /* o32's upper half is padding */
    if (sec < 0 || nsec < 0 || nsec >= 1000000000)
        return -EINVAL;
    *ns = (uint64_t)(sec > TIME_MAX_S ? TIME_MAX_S * 1000000000 : sec * 1000000000 + nsec);
    return 0;
}

int lx_call_time(const struct lx_call *c, unsigned i, uint64_t *ns)
{
    return lx_call_time_at(c, c->a[i], lx_call_time_width(c, i), ns);
}

int lx_call_put_time(const struct lx_call *c, unsigned i, uint64_t ns)
{
    struct lx_out o;
    unsigned width = lx_call_time_width(c, i);

    lx_out_start(&o, c->p->kind);
    lx_out_int(&o, width, ns / 1000000000);
    lx_out_int(&o, width, ns % 1000000000);
    return lx_out_write(&o, &c->p->vm, c->a[i]);
}

sim_tick lx_call_deadline(struct lx_call *c, bool absolute, bool realtime, uint64_t ns)
{
    uint64_t epoch = (uint64_t)LX_EPOCH * 1000000000;

    if (!absolute && !c->until)
        c->until = lx_now(c->p) + lx_ticks(c->p, ns);
    if (!absolute)
        return c->until;
    if (realtime)
        ns = ns > epoch ? ns - epoch : 0;
    return lx_ticks(c->p, ns);
}
