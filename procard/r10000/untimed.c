/*
 * Without time: one instruction after the other, a PCycle each, through the card's own slow paths.
 * No pipeline, no prediction, no caches of the core.
 */
#include "procard/mips/hardware.h"
#include "procard/r10000/pipeline.h"

void r10k_fetch_fault(struct r10k *c, uint64_t pc, enum nm_xlate why)
{
    struct pc_cpu *cpu = &c->base;
    const bool found = nm_xlate_found(why) && !(pc & 3);
    cpu->exc = found ? PC_EXC_IBE : PC_EXC_ADEL;
    cpu->badvaddr = pc;
    cpu->trap_code = 0;
    cpu->absent = !found && why == NM_XLATE_ABSENT;
    cpu->unmapped = !found && why == NM_XLATE_UNMAPPED;
    cpu->protected = !found && why == NM_XLATE_PROTECTED;
}

static const struct r10k_word *untimed_fetch(struct r10k *c)
{
    const uint64_t pc = c->r.pc;
    const uint8_t *p = pc & 3 ? NULL : c->code->fetch(c->code->ctx, pc);
    struct pc_look look = {.page = NM_XLATE_OK};
    if (p)
        return r10k_word_get(
            c->code, (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3],
            (c->r.fr ? MIPS_FR : 0) | (c->r.addr64 ? MIPS_W64 : 0));
    if (!(pc & 3))
        pc_find(&c->base, pc, NM_FETCH, &look);
    r10k_fetch_fault(c, pc, (enum nm_xlate)look.page);
    return NULL;
}

static bool store_conditional(struct r10k *c, const struct r10k_word *w, uint64_t va,
                              enum pc_stop *stop)
{
    struct pc_tries *tries = &c->base.tries;
    bool failed = false;
    uint8_t *p = pc_store_conditional(&c->base, va, w->size, c->base.now, stop, &failed);
    if (!p && !failed)
        return false;
    if (p) {
        r10k_store(&c->r, &w->op, va, p);
        tries->row = 0;
    } else {
        c->base.scs_failed++;
        r10k_profile_counts(c, c->r.pc, PC_PROFILE_SCS_FAILED);
        tries->row = tries->row && tries->pc == c->r.pc ? tries->row + 1 : 1;
        tries->failed++;
        tries->pc = c->r.pc;
        tries->va = va;
    }
    *(uint64_t *)((char *)&c->r + w->op.d) = !failed;
    return true;
}

static uint64_t untimed_address(const struct r10k *c, const struct r10k_word *w)
{
    const uint64_t va = r10k_address(&c->r, &w->op);
    return c->r.addr64 ? va : (uint64_t)(int64_t)(int32_t)va;
}

/* @return false: *stop says why not */
static bool untimed_memory(struct r10k *c, const struct r10k_word *w, uint64_t va,
                           enum pc_stop *stop)
{
    uint8_t *p;
    if (w->traits & R10K_CONDITIONAL)
        return store_conditional(c, w, va, stop);
    if (w->traits & R10K_LINKED)
        p = pc_load_linked(&c->base, va, w->size, c->base.now, stop);
    else if (w->traits & R10K_LOAD)
        p = pc_load(&c->base, va, w->size, c->base.now, stop);
    else
        p = pc_store(&c->base, va, w->size, c->base.now, stop);
    if (!p)
        return false;
    if (w->traits & R10K_LOAD)
        r10k_load(&c->r, &w->op, va, p);
    else
        r10k_store(&c->r, &w->op, va, p);
    return true;
}

static enum pc_exc hardware_register(struct r10k *c, const struct r10k_word *w)
{
    uint64_t *d = (uint64_t *)((char *)&c->r + w->op.d);
    return mips_hardware_read(&c->base, &c->r, w->op.imm, c->base.now, d) ? PC_EXC_NONE : PC_EXC_RI;
}

static void untimed_goes_on(struct r10k *c, const struct r10k_word *w,
                            const struct r10k_outcome *out)
{
    const uint64_t pc = c->r.pc, next = c->r.npc;
    uint64_t to = next + 4;
    if (w->traits & R10K_LIKELY && !out->taken) {
        c->r.pc = pc + 8;
        c->r.npc = pc + 12;
        return;
    }
    if (out->taken)
        to = w->traits & R10K_REGISTER ? out->target
             : w->traits & R10K_JUMP   ? (next & ~UINT64_C(0x0fffffff)) | (uint32_t)w->op.imm
                                       : pc + (uint64_t)(int64_t)w->op.imm;
    c->r.pc = next;
    c->r.npc = to;
}

static enum pc_status untimed_state_of(const struct r10k_word *w, bool taken)
{
    static const enum pc_status states[] = {
        [MIPS_CLASS_LOAD] = PC_ST_LOAD,         [MIPS_CLASS_STORE] = PC_ST_STORE,
        [MIPS_CLASS_BRANCH] = PC_ST_BR_UNTAKEN, [MIPS_CLASS_LIKELY] = PC_ST_BR_UNTAKEN,
        [MIPS_CLASS_JUMP] = PC_ST_INT,          [MIPS_CLASS_JUMPR] = PC_ST_INT,
        [MIPS_CLASS_INT] = PC_ST_INT,           [MIPS_CLASS_FP] = PC_ST_FP};
    return states[w->klass] == PC_ST_BR_UNTAKEN && taken ? PC_ST_BR_TAKEN : states[w->klass];
}

/* @return what the instruction raises */
static enum pc_exc untimed_execute(struct r10k *c, const struct r10k_word *w,
                                   struct r10k_outcome *out)
{
    const bool in_slot = c->r.npc != c->r.pc + 4;
    if (in_slot && w->traits & R10K_TRANSFER)
        return PC_EXC_RI;
    if (w->op.code == MIPS_OP_RDHWR)
        return hardware_register(c, w);
    if (r10k_event_counter(c, w, &c->r))
        return PC_EXC_NONE;
    if (w->op.code != MIPS_OP_NOP)
        r10k_compute(&c->r, &w->op, out);
    return out->exc;
}

/* The instruction at `pc` is done: what graduates from a pipeline, and its PCycle. */
static void untimed_completes(struct r10k *c, const struct r10k_word *w, uint64_t pc, bool in_slot,
                              const struct r10k_outcome *out)
{
    const enum pc_status state = untimed_state_of(w, out->taken);
    const struct r10k_entry e = {
        .pc = pc, .w = w, .slot = in_slot, .taken = out->taken, .next = c->r.npc};
    c->base.instructions++;
    c->loads += (w->traits & R10K_LOAD) != 0;
    c->stores += (w->traits & R10K_STORE) != 0;
    r10k_profile_graduates(c, &e);
    pc_complete(&c->base, state, 1);
    r10k_profile_spends(c, pc, state, 1);
}

static sim_tick untimed_traps(struct r10k *c)
{
    if (c->base.exc == PC_EXC_SYS) {
        c->base.instructions++;
        r10k_profile_counts(c, c->r.pc, PC_PROFILE_INSTRUCTIONS);
        pc_charge(&c->base, PC_ST_INT, 1);
        r10k_profile_spends(c, c->r.pc, PC_ST_INT, 1);
        c->call_pc = c->r.pc;
        c->call_npc = c->r.npc;
        c->r.pc = c->r.npc;
        c->r.npc = c->r.pc + 4;
    }
    if (c->base.exc != PC_EXC_POINT)
        c->r.passed = 0;
    return pc_stopped(&c->base, PC_STOP_TRAP);
}

static bool untimed_awaited(struct r10k *c)
{
    if (!c->code->awaited || c->r.pc != c->code->awaited || c->r.passed == c->r.pc)
        return false;
    c->r.passed = c->r.pc;
    return ++c->code->came == c->code->due;
}

sim_tick r10k_run_untimed(struct r10k *c, sim_tick horizon)
{
    struct pc_cpu *cpu = &c->base;
    while (cpu->now < horizon) {
        struct r10k_outcome out = {.pc = c->r.pc, .level = c->code->level};
        enum pc_stop stop = PC_STOP_TRAP;
        const struct r10k_word *w = untimed_fetch(c);
        if (!w)
            return untimed_traps(c);
        if (untimed_awaited(c)) {
            cpu->exc = PC_EXC_POINT;
            return untimed_traps(c);
        }
        const bool in_slot = c->r.npc != c->r.pc + 4;
        const bool refers = w->traits & (R10K_LOAD | R10K_STORE);
        const uint64_t va = refers ? untimed_address(c, w) : 0;
        if (refers) {
            if (!untimed_memory(c, w, va, &stop))
                return stop == PC_STOP_TRAP ? untimed_traps(c) : pc_stopped(cpu, stop);
        } else {
            const enum pc_exc exc = untimed_execute(c, w, &out);
            if (exc != PC_EXC_NONE) {
                cpu->exc = exc;
                cpu->trap_code = out.trap_code;
                return untimed_traps(c);
            }
        }
        if (cpu->record)
            r10k_record_graduates(c, w, c->r.pc, va);
        c->r.passed = 0;
        untimed_goes_on(c, w, &out);
        untimed_completes(c, w, out.pc, in_slot, &out);
        if (cpu->record)
            r10k_record_passes(c, PC_ST_INT, 1);
    }
    return cpu->now;
}
