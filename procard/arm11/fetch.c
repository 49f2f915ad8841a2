/*
 * Fetch: the instruction cache behind the interpreter's back. A line is looked up when the first
 * instruction in it is about to issue; sequential code that is in the cache is never waited for,
 * since two ARM instructions a cycle come ([R]).
 *
 * What is fetched and not executed is looked up when that is known: where the pc goes another way
 * than fetch did. Such a line is thrown away when it has come ([S] section 3), so it costs nothing
 * but its place on the way.
 */
#include "procard/arm11/misses.h"
#include "procard/l2c.h"

static bool comes_from_l2(struct arm11 *c, uint32_t pc, const struct pc_look *look)
{
    struct arm11_line *l = arm11_fill(c, PC_SIDE_I, pc, look);
    arm11_show(c, PC_SIDE_I, pc, l, look);
    arm11_signal(c, ARM11_SIGNAL_NO_INSN, c->fetch.latency);
    return arm11_stalls(c, PC_ST_STALL_L1I, c->fetch.latency);
}

/* One fill is enough. @return [PCycles] that are left of one that is on its way, 0: none is */
static sim_tick rest_of_ahead(const struct arm11 *c, uint64_t line)
{
    if (c->ahead.line != line || c->ahead.until <= c->base.now)
        return 0;
    return c->ahead.until == ARM11_PENDING ? c->p->arm11_l2_latency : c->ahead.until - c->base.now;
}

static bool misses(struct arm11 *c, uint32_t pc, struct pc_look *look)
{
    const uint64_t line = arm11_line_of(look->pa);
    if (!c->fetch.wanted || c->fetch.line != line) {
        arm11_signal(c, ARM11_SIGNAL_I_MISS, 1);
        c->l1_misses[PC_SIDE_I]++;
        arm11_counts(c, pc, PC_PROFILE_L1I_MISSES);
        c->fetch.wanted = true;
        c->fetch.asked = false;
        c->fetch.latency = rest_of_ahead(c, line);
        c->fetch.line = line;
        c->fetch.va = pc;
        c->fetch.look = *look;
    }
    if (!c->fetch.asked) {
        pc_look_up(&c->base, PC_SIDE_I, look);
        if (!c->fetch.latency)
            c->fetch.latency = pc_l2c_reads(&c->base, PC_SIDE_I, look, c->p->arm11_l2_latency);
        if (look->state != NM_LINE_I) {
            c->fetch.wanted = false;
            return comes_from_l2(c, pc, look);
        }
        c->fetch.asked = arm11_asks(c, pc, pc, look, NM_FETCH, true);
    }
    return arm11_waits(c, PC_ST_STALL_L2, ARM11_SIGNAL_NO_INSN);
}

void arm11_fetch_ahead(struct arm11 *c, uint32_t va, bool fills)
{
    struct pc_look look = {0};
    const sim_tick now = c->base.now;
    if (!arm11_micro_has(c, PC_SIDE_I, va) || arm11_in_tcm(c, PC_SIDE_I, va))
        return;
    pc_find(&c->base, va, NM_FETCH, &look);
    const uint64_t line = arm11_line_of(look.pa);
    if (look.page != NM_XLATE_OK || arm11_find(c, PC_SIDE_I, va, look.pa))
        return;
    arm11_signal(c, ARM11_SIGNAL_I_MISS, 1);
    if (!fills || rest_of_ahead(c, line))
        return;
    pc_look_up(&c->base, PC_SIDE_I, &look);
    c->ahead.line = line;
    c->ahead.until = now + pc_l2c_reads(&c->base, PC_SIDE_I, &look, c->p->arm11_l2_latency);
    if (look.state == NM_LINE_I)
        c->ahead.until = arm11_asks(c, va, va, &look, NM_FETCH, true) ? ARM11_PENDING : 0;
}

bool arm11_fetch(struct arm11 *c, uint32_t pc)
{
    struct pc_look look;
    if (!arm11_translate(c, PC_SIDE_I, pc, NM_FETCH, &look))
        return false;
    if (look.page == NM_XLATE_UNCACHED)
        return arm11_fault(c, pc, NM_FETCH, NM_XLATE_OK);
    if (arm11_in_tcm(c, PC_SIDE_I, pc)) {
        arm11_show_tcm(c, pc);
        return true;
    }
    const bool came = c->fetch.came && c->fetch.line == arm11_line_of(look.pa);
    struct arm11_line *l = arm11_find(c, PC_SIDE_I, pc, look.pa);
    c->fetch.came = false;
    if (l || came)
        c->fetch.wanted = false;
    if (l) {
        look.state = l->state;
        arm11_show(c, PC_SIDE_I, pc, l, &look);
        return true;
    }
    return came || misses(c, pc, &look);
}

void arm11_fetch_answered(struct arm11 *c, uint64_t line, bool granted)
{
    if (c->ahead.until == ARM11_PENDING && arm11_same_l2_line(c, c->ahead.line, line))
        c->ahead.until = 0;
    if (!c->fetch.asked || !arm11_same_l2_line(c, c->fetch.line, line))
        return;
    c->fetch.asked = false;
    if (!granted)
        return;
    pc_look_up(&c->base, PC_SIDE_I, &c->fetch.look);
    if (c->fetch.look.state == NM_LINE_I)
        return;
    arm11_fill(c, PC_SIDE_I, c->fetch.va, &c->fetch.look);
    c->fetch.came = true;
}
