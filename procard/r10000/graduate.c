/*
 * Graduation: up to four instructions a cycle, the oldest first, become part of the program's
 * state. Stores write here, exceptions are taken here, and what must not be done on a wrong path is
 * done when its instruction is the oldest.
 */
#include "procard/r10000/registers.h"

#include "procard/mips/hardware.h"

#include "machine/values.h"

#include <string.h>

enum { CAUSE_SHIFT = 12, FLAGS_SHIFT = 2, CAUSE_MASK = 0x3f << CAUSE_SHIFT };

void r10k_restart(struct r10k *c, sim_tick at)
{
    r10k_squash(c, 0);
    r10k_rename_reset(c);
    c->buffered = 0;
    c->branches = 0;
    c->slot_next = c->r.npc != c->r.pc + 4;
    if (c->slot_next)
        r10k_fetch_slot(c, c->r.pc, c->r.npc, at);
    else
        r10k_fetch_from(c, c->r.pc, at);
    c->worked = true;
}

/* [PCycles] renaming is undone four places at a time. */
static sim_tick graduate_undoing(const struct r10k *c)
{
    return (c->count + c->twos + R10K_GROUP - 1) / R10K_GROUP;
}

/* ---- the oldest leaves ----------------------------------------------------------------------- */

static void graduate_advance(struct r10k *c, const struct r10k_entry *e)
{
    const bool transfer = e->w->traits & R10K_TRANSFER;
    const uint64_t next = c->r.npc;
    if (transfer && e->w->traits & R10K_LIKELY && !e->taken) {
        c->r.pc = e->pc + 8;
        c->r.npc = e->pc + 12;
        return;
    }
    c->r.pc = next;
    c->r.npc = transfer && e->taken ? e->next : next + 4;
}

/* What causes an operation of the floating-point unit has had, and the flags that keep them. */
static void note_causes(struct r10k *c, const struct r10k_entry *e)
{
    if (!(e->w->traits & R10K_FLAGS))
        return;
    c->r.fcsr = (c->r.fcsr & ~(uint32_t)CAUSE_MASK) | (uint32_t)e->raised << CAUSE_SHIFT;
    if (e->exc == PC_EXC_NONE)
        c->r.fcsr |= (uint32_t)(e->raised & 0x1f) << FLAGS_SHIFT;
}

/* A load linked no longer protects what other memory instructions stand behind it (manual 1.8). */
static void breaks_link(struct r10k *c, const struct r10k_entry *e)
{
    if (c->p->r10000_link && e->w->traits & R10K_MEMORY &&
        !(e->w->traits & (R10K_LINKED | R10K_CONDITIONAL)))
        c->base.link = false;
}

static inline void graduate_graduates(struct r10k *c, struct r10k_entry *e)
{
    const struct r10k_word *w = e->w;
    r10k_step(c, e, PC_STEP_GRADUATED, c->base.now);
    note_causes(c, e);
    r10k_commit(c, e);
    graduate_advance(c, e);
    c->base.instructions++;
    if (c->base.cursor)
        r10k_profile_graduates(c, e);
    if (c->base.record)
        r10k_record_graduates(c, w, e->pc, e->va);
    breaks_link(c, e);
    if (w->queue == R10K_QUEUE_ADDRESS)
        r10k_no_access(c, e);
    c->twos -= (w->traits & R10K_TWO) != 0;
    c->head = (c->head + 1) % R10K_ENTRIES;
    c->count--;
    c->r.passed = 0;
    c->worked = true;
}

/* @param counts  the sum of those that have graduated in a cycle */
static void graduate_counts(struct r10k *c, uint64_t counts)
{
    const unsigned places = r10k_counted(counts, R10K_COUNT_PLACES);
    const unsigned loads = r10k_counted(counts, R10K_COUNT_LOADS);
    const unsigned stores = r10k_counted(counts, R10K_COUNT_STORES);
    const unsigned twos = r10k_counted(counts, R10K_COUNT_TWOS);
    c->loads += r10k_counted(counts, R10K_COUNT_READS);
    c->stores += stores;
    c->timed += places - twos;
    c->twos_done += twos;
    c->without_unit += r10k_counted(counts, R10K_COUNT_WITHOUT_UNIT);
    r10k_signal(c, R10K_SIGNAL_GRADUATED, places);
    r10k_signal(c, R10K_SIGNAL_GRADUATED_LOADS, loads);
    r10k_signal(c, R10K_SIGNAL_GRADUATED_LOADS_2, stores ? 0 : loads);
    r10k_signal(c, R10K_SIGNAL_GRADUATED_STORES, stores);
    r10k_signal(c, R10K_SIGNAL_GRADUATED_SCS, r10k_counted(counts, R10K_COUNT_CONDITIONALS));
    r10k_signal(c, R10K_SIGNAL_GRADUATED_FP, r10k_counted(counts, R10K_COUNT_FP));
}

void r10k_flush(struct r10k *c, sim_tick at)
{
    struct r10k_entry *e = &c->entry[c->head];
    if (c->count && e->w->queue == R10K_QUEUE_ADDRESS && e->access == R10K_ACCESS_WRITTEN &&
        !e->exc) { /* has been done, and cannot be twice */
        graduate_graduates(c, e);
        graduate_counts(c, e->w->counts);
    }
    r10k_restart(c, at);
}

/* ---- exceptions ------------------------------------------------------------------------------ */

static void graduate_fault(struct r10k *c, const struct r10k_entry *e, uint64_t va)
{
    struct pc_cpu *cpu = &c->base;
    cpu->badvaddr = va;
    cpu->absent = e->look.page == NM_XLATE_ABSENT;
    cpu->unmapped = e->look.page == NM_XLATE_UNMAPPED;
    cpu->protected = e->look.page == NM_XLATE_PROTECTED;
}

/* The oldest raises its exception. */
static void graduate_raise(struct r10k *c, struct r10k_entry *e)
{
    struct pc_cpu *cpu = &c->base;
    const sim_tick undone = graduate_undoing(c);
    if (e->absent) {
        r10k_fetch_fault(c, e->pc, (enum nm_xlate)e->look.page);
    } else {
        cpu->exc = (enum pc_exc)e->exc;
        cpu->trap_code = e->trap_code;
        if (e->exc == PC_EXC_ADEL || e->exc == PC_EXC_ADES || e->exc == PC_EXC_DBE)
            graduate_fault(c, e, e->va);
        note_causes(c, e);
    }
    if (cpu->exc == PC_EXC_SYS) {
        r10k_step(c, e, PC_STEP_GRADUATED, cpu->now);
        cpu->instructions++;
        c->timed++;
        c->without_unit++;
        r10k_profile_counts(c, e->pc, PC_PROFILE_INSTRUCTIONS);
        r10k_record_comes(c, e->pc);
        r10k_signal(c, R10K_SIGNAL_GRADUATED, 1);
        c->call_pc = c->r.pc;
        c->call_npc = c->r.npc;
        c->r.pc = c->r.npc;
        c->r.npc = c->r.pc + 4;
    }
    c->r.passed = 0;
    r10k_restart(c, cpu->now);
    pc_charge(cpu, PC_ST_KILL_EXC, undone);
    cpu->tail = (struct pc_tail){.held = (uint16_t)undone, .holds = PC_ST_KILL_EXC};
    r10k_profile_spends(c, c->r.pc, PC_ST_KILL_EXC, undone);
    c->must_stop = true;
    c->stop = PC_STOP_TRAP;
}

/* The thread stops before the instruction that somebody waits for. */
static bool graduate_awaited(struct r10k *c, const struct r10k_entry *e)
{
    if (e->pc != c->code->awaited || !e->pc || c->r.passed == e->pc)
        return false;
    c->r.passed = e->pc;
    if (++c->code->came != c->code->due)
        return false;
    c->base.exc = PC_EXC_POINT;
    r10k_restart(c, c->base.now);
    c->must_stop = true;
    c->stop = PC_STOP_TRAP;
    return true;
}

/* What the oldest has read has been taken: it begins again, with all behind it. */
static void begins_again(struct r10k *c, sim_tick now)
{
    const sim_tick undone = graduate_undoing(c);
    r10k_restart(c, now + undone);
    c->idle = PC_ST_KILL_EXC;
}

static void refills_tlb(struct r10k *c, const struct r10k_entry *e, sim_tick now)
{
    const uint64_t va = e->va;
    const sim_tick undone = graduate_undoing(c);
    r10k_restart(c, now);
    r10k_tlb_refill(c, va, now + undone);
}

/* ---- what only the oldest does --------------------------------------------------------------- */

static void hardware_register(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    uint64_t value;
    if (!mips_hardware_read(&c->base, &c->r, e->w->op.imm, now, &value))
        e->exc = PC_EXC_RI;
    else if (e->w->results)
        c->scratch.gpr[e->w->result[0]] = value;
}

bool r10k_event_counter(struct r10k *c, const struct r10k_word *w, struct mips_regs *r)
{
    const unsigned op = w->op.code;
    const bool counter = op == MIPS_OP_MFPC || op == MIPS_OP_MTPC;
    const bool reads = op == MIPS_OP_MFPC || op == MIPS_OP_MFPS;
    const bool writes = op == MIPS_OP_MTPC || op == MIPS_OP_MTPS;
    const unsigned reg = 2 * (unsigned)w->op.imm + counter;
    if (!c->p->r10000_cu0 || !(reads || writes))
        return false;
    if (writes) {
        pc_pmc_write(&c->base, reg, w->sources ? (uint32_t)r->gpr[w->source[0]] : 0);
        c->asked = true;
        return true;
    }
    c->base.polls += !c->base.untimed; /* else a loop that waits for it sees the same for ever */
    const uint32_t value = pc_pmc_read(&c->base, reg);
    if (w->results)
        r->gpr[w->result[0]] = (uint64_t)(int64_t)(int32_t)value;
    return true;
}

/* One of coprocessor 0 begins when what is older has been counted, too: in the cycle after that. */
static bool graduate_begins(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    if (!(e->w->traits & R10K_SERIAL))
        return true;
    if (e->again == SIM_NEVER)
        e->again = now + 1;
    r10k_wait_for(c, e->again);
    return e->again <= now;
}

/* Registers of control, and SYNC. */
static void execute_alone(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    struct r10k_outcome out = {.pc = e->pc, .level = c->code->level};
    enum pc_stop stop;
    if (e->done != SIM_NEVER || !r10k_operands(c, e, now) || !graduate_begins(c, e, now))
        return;
    if (e->w->queue == R10K_QUEUE_ADDRESS && e->access == R10K_ACCESS_QUEUED)
        return;
    if (e->w->traits & R10K_SYNC && c->base.posted && !pc_sync(&c->base, now, &stop)) {
        c->must_stop = true;
        c->stop = stop;
        return;
    }
    c->scratch.fcsr = c->r.fcsr;
    r10k_gather(c, e);
    if (e->w->op.code == MIPS_OP_RDHWR)
        hardware_register(c, e, now);
    else if (!r10k_event_counter(c, e->w, &c->scratch))
        r10k_compute(&c->scratch, &e->w->op, &out);
    if (e->w->op.code == MIPS_OP_CTC1)
        c->r.fcsr = c->scratch.fcsr;
    if (out.exc != PC_EXC_NONE)
        e->exc = (uint8_t)out.exc;
    e->access = R10K_ACCESS_DONE;
    r10k_deliver(c, e, now + e->w->latency, now + e->w->latency);
    e->done = now + e->w->latency;
    c->worked = true;
}

static void work_of_oldest(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const uint32_t traits = e->w->traits;
    if (traits & (R10K_LOAD | R10K_STORE)) {
        if (e->access == R10K_ACCESS_READY && e->look.page == NM_XLATE_UNCACHED)
            r10k_oldest_uncached(c, e, now);
        else if (e->done == SIM_NEVER && traits & (R10K_STORE | R10K_LINKED))
            r10k_oldest_access(c, e, now, false);
    } else if (traits & R10K_ALONE) {
        execute_alone(c, e, now);
    }
}

/* ---- a cycle --------------------------------------------------------------------------------- */

static enum pc_status graduate_state_of(const struct r10k_entry *e)
{
    switch (e->w->klass) {
    case MIPS_CLASS_LOAD:
        return PC_ST_LOAD;
    case MIPS_CLASS_STORE:
        return PC_ST_STORE;
    case MIPS_CLASS_BRANCH:
    case MIPS_CLASS_LIKELY:
        return e->taken ? PC_ST_BR_TAKEN : PC_ST_BR_UNTAKEN;
    case MIPS_CLASS_FP:
        return PC_ST_FP;
    default:
        return PC_ST_INT;
    }
}

/* Why the oldest does not graduate. */
static enum pc_status graduate_waits_for(const struct r10k *c, const struct r10k_entry *e)
{
    if (e->access == R10K_ACCESS_MISSED || (e->access == R10K_ACCESS_READY && c->used)) {
        for (unsigned i = 0; i < R10K_MISSES; i++)
            if (c->miss[i].phase == R10K_MISS_MEMORY && c->miss[i].side == PC_SIDE_D &&
                (c->miss[i].line ^ e->look.pa) < c->p->l2_line)
                return c->miss[i].fetched ? PC_ST_STALL_L2 : PC_ST_STALL_MP;
        return PC_ST_STALL_L1D;
    }
    return e->w->klass == MIPS_CLASS_FP ? PC_ST_SLIP_FP : PC_ST_SLIP_INT;
}

/* @return what is odd about the oldest has been dealt with */
static bool goes_wrong(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    if (e->unsure) {
        begins_again(c, now);
        return true;
    }
    if (e->done > now)
        return false;
    if (e->tlb)
        refills_tlb(c, e, now);
    else
        graduate_raise(c, e);
    return true;
}

/* The oldest graduates now. @param counts  of those that have in this cycle, before it */
static bool may_graduate(struct r10k *c, struct r10k_entry *e, uint64_t counts, sim_tick now)
{
    if (graduate_awaited(c, e))
        return false;
    if (e->done == SIM_NEVER)
        work_of_oldest(c, e, now);
    if (c->must_stop || (e->odd && goes_wrong(c, e, now)))
        return false;
    if (e->done > now && e->done != SIM_NEVER)
        r10k_wait_for(c, e->done);
    return e->done <= now &&
           !(r10k_counted(counts, R10K_COUNT_STORES) && e->w->traits & R10K_STORE);
}

enum pc_status r10k_graduate(struct r10k *c, sim_tick now)
{
    enum pc_status state = c->idle;
    uint64_t counts = 0;
    c->stored = c->entered = false;
    while (c->count) {
        struct r10k_entry *e = &c->entry[c->head];
        const uint64_t with = counts + e->w->counts;
        if (r10k_counted(with, R10K_COUNT_PLACES) > R10K_GROUP)
            break;
        if (!counts && (e->done > now || e->odd))
            state = graduate_waits_for(c, e);
        if (!may_graduate(c, e, counts, now))
            break;
        if (!counts)
            state = graduate_state_of(e);
        counts = with;
        graduate_graduates(c, e);
        c->idle = PC_ST_SLIP_INT;
        if (e->w->traits & R10K_FLUSHES) {
            r10k_restart(c, now + 1);
            break;
        }
    }
    if (counts)
        graduate_counts(c, counts);
    return state;
}
