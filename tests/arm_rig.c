/*
 * The flat memory behind arm_rig.h.
 */
#include "tests/arm_rig.h"

#include "machine/protocol.h"
#include "machine/values.h"
#include "procard/l2c.h"
#include "procard/record.h"

#include <stdlib.h>
#include <string.h>

static struct arm_rig *rig_of(struct pc_cpu *cpu)
{
    return (struct arm_rig *)cpu->card;
}

uint64_t arm_rig_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool mapped(const struct arm_rig *rig, uint64_t va, unsigned size)
{
    return va >= rig->base && va - rig->base <= rig->size - size;
}

static uint8_t *byte_of(struct arm_rig *rig, uint64_t va)
{
    return rig->bytes + (va - rig->base);
}

static uint8_t *here(struct arm_rig *rig, uint64_t pa)
{
    return &rig->here[(pa - rig->base) / RIG_LINE_ASKED];
}

/* ---- what a core calls ----------------------------------------------------------------------- */

void pc_find(struct pc_cpu *cpu, uint64_t va, enum nm_access access, struct pc_look *look)
{
    (void)access;
    look->pa = va;
    const struct arm_rig *rig = rig_of(cpu);
    const bool uncached = rig->uncached && va - rig->uncached < 4096;
    look->page = !mapped(rig, va, 1) ? NM_XLATE_UNMAPPED
                 : uncached          ? NM_XLATE_UNCACHED
                                     : NM_XLATE_OK;
}

void pc_look_up(struct pc_cpu *cpu, enum pc_side side, struct pc_look *look)
{
    (void)side;
    look->state = *here(rig_of(cpu), look->pa);
    look->predicted = true;
}

enum pc_asking pc_ask(struct pc_cpu *cpu, const struct pc_look *look, enum nm_access access,
                      sim_tick at)
{
    struct arm_rig *rig = rig_of(cpu);
    const uint64_t line = look->pa & ~(uint64_t)(RIG_LINE_ASKED - 1);
    for (unsigned i = 0; i < rig->count; i++)
        if (rig->asked[i].line == line)
            return PC_ASKED_LINE;
    if (rig->count >= PC_REQUESTS)
        return PC_ASKED_FULL;
    rig->asked[rig->count].line = line;
    rig->asked[rig->count].due = at + rig->wait;
    rig->asked[rig->count].fetch = access == NM_FETCH;
    rig->asked[rig->count++].store =
        access == NM_STORE || access == NM_CONDITIONAL || access == NM_LINKED;
    if (at + rig->wait < cpu->horizon)
        cpu->horizon = at + rig->wait;
    return PC_ASKED;
}

void pc_asked_for(struct pc_cpu *cpu, const struct pc_look *look, uint64_t va, unsigned size,
                  sim_tick at)
{
    (void)cpu, (void)look, (void)va, (void)size, (void)at;
}

/* Who is observed asks for these: no core of a rig is. */
void pc_touched(struct pc_cpu *cpu, uint64_t pa, uint8_t bytes, bool load, bool store)
{
    (void)cpu, (void)pa, (void)bytes, (void)load, (void)store;
}

void pc_record_tell(struct pc_record *record)
{
    (void)record;
}

void pc_own(struct pc_cpu *cpu, const struct pc_look *look)
{
    *here(rig_of(cpu), look->pa) = NM_LINE_D;
}

const uint8_t *pc_read(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at)
{
    (void)size, (void)at;
    return byte_of(rig_of(cpu), look->pa);
}

uint8_t *pc_write(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at)
{
    (void)size, (void)at;
    return byte_of(rig_of(cpu), look->pa);
}

uint8_t *pc_show(struct pc_cpu *cpu, const struct pc_look *look)
{
    return byte_of(rig_of(cpu), look->pa);
}

const uint8_t *pc_settle_access(struct pc_cpu *cpu, const struct pc_look *look, unsigned size,
                                const uint8_t *bytes)
{
    if (bytes)
        memcpy(byte_of(rig_of(cpu), look->pa), bytes, size);
    return byte_of(rig_of(cpu), look->pa);
}

void pc_link(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at)
{
    (void)size, (void)at;
    cpu->link = true;
    cpu->link_pa = look->pa & ~(uint64_t)(RIG_LINE_ASKED - 1);
}

bool pc_links_exclusively(const struct pc_cpu *cpu)
{
    (void)cpu;
    return false;
}

bool pc_conditional(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at)
{
    const bool stores = cpu->link && cpu->link_pa == (look->pa & ~(uint64_t)(RIG_LINE_ASKED - 1));
    (void)size, (void)at;
    cpu->link = false;
    return stores;
}

static uint8_t *reach(struct pc_cpu *cpu, uint64_t va, unsigned size, bool store,
                      enum pc_stop *stop)
{
    struct arm_rig *rig = rig_of(cpu);
    if (!(va & (size - 1)) && mapped(rig, va, size))
        return byte_of(rig, va);
    cpu->exc = store ? PC_EXC_ADES : PC_EXC_ADEL;
    cpu->badvaddr = va;
    *stop = PC_STOP_TRAP;
    return NULL;
}

uint8_t *pc_load(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *stop)
{
    (void)at;
    return reach(cpu, va, size, false, stop);
}

uint8_t *pc_store(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *stop)
{
    (void)at;
    return reach(cpu, va, size, true, stop);
}

uint8_t *pc_load_linked(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                        enum pc_stop *stop)
{
    uint8_t *p = pc_load(cpu, va, size, at, stop);
    cpu->link |= p != NULL;
    cpu->link_pa = p ? va & ~(uint64_t)(RIG_LINE_ASKED - 1) : cpu->link_pa;
    return p;
}

uint8_t *pc_store_conditional(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                              enum pc_stop *stop, bool *failed)
{
    uint8_t *p = pc_store(cpu, va, size, at, stop); /* faults first, as the core with time does */
    const bool linked = cpu->link && cpu->link_pa == (va & ~(uint64_t)(RIG_LINE_ASKED - 1));
    *failed = p && !linked;
    cpu->link = cpu->link && !p;
    return *failed ? NULL : p;
}

sim_tick pc_l2c_reads(struct pc_cpu *cpu, enum pc_side side, const struct pc_look *look,
                      sim_tick without)
{
    (void)look;
    rig_of(cpu)->reads[side]++;
    return without;
}

bool pc_sync(struct pc_cpu *cpu, sim_tick at, enum pc_stop *stop)
{
    (void)cpu;
    (void)at;
    (void)stop;
    return true; /* no uncached store is ever under way here */
}

sim_tick pc_l2c_writes(struct pc_cpu *cpu, const struct pc_look *look, sim_tick without)
{
    (void)cpu, (void)look;
    return without;
}

void pc_counters_look(struct pc_cpu *cpu, sim_tick at, bool alone)
{
    struct arm_rig *rig = rig_of(cpu);
    (void)alone;
    rig->look = at < rig->look ? at : rig->look;
    cpu->horizon = at < cpu->horizon ? at : cpu->horizon;
}

void pc_counters_interrupt(struct pc_cpu *cpu, sim_tick at)
{
    (void)at;
    rig_of(cpu)->interrupts++;
}

sim_tick pc_stopped(struct pc_cpu *cpu, enum pc_stop why)
{
    rig_of(cpu)->why = why;
    return why == PC_STOP_HORIZON ? cpu->now : 0;
}

/* ---- the rig --------------------------------------------------------------------------------- */

static const uint8_t *fetch_word(void *ctx, uint64_t va)
{
    struct arm_rig *rig = ctx;
    return mapped(rig, va, 4) ? byte_of(rig, va) : NULL;
}

static struct pc_line nothing[1];

static void defaults(struct nm_params *p)
{
#define PARAM(id, key, kind, unit, low, high, value, ...) p->id = (value);
#include "machine/params.def"
#undef PARAM
}

void arm_rig_begin(struct arm_rig *rig)
{
    struct arm11 *c = &rig->cpu;
    if (c->p)
        arm11_free(c);
    *c = (struct arm11){.code = c->code};
    c->base = (struct pc_cpu){.d = nothing, .i = nothing, .card = (struct pc_card *)rig};
    nothing[0].tag = pc_line_none(0);
    c->base.dshift = c->base.ishift = 5;
    arm11_new(c, &rig->p);
    if (!c->code)
        c->code = arm11_code_new(fetch_word, rig, &rig->p);
    c->r.r[ARM_PC] = rig->base;
    c->r.z = 1;
    rig->count = 0;
    rig->look = SIM_NEVER;
    rig->interrupts = 0;
    memset(rig->here, rig->remote ? NM_LINE_I : NM_LINE_D, rig->size / RIG_LINE_ASKED + 1);
}

void arm_rig_init(struct arm_rig *rig, uint32_t base, uint32_t size, enum nm_core core)
{
    memset(rig, 0, sizeof *rig);
    rig->base = base;
    rig->size = size;
    rig->wait = 40;
    rig->bytes = calloc(1, size);
    rig->here = calloc(1, size / RIG_LINE_ASKED + 1);
    defaults(&rig->p);
    rig->p.core = core;
    arm_rig_begin(rig);
}

void arm_rig_free(struct arm_rig *rig)
{
    arm11_free(&rig->cpu);
    arm11_code_free(rig->cpu.code);
    free(rig->bytes);
    free(rig->here);
}

void arm_rig_put_half(struct arm_rig *rig, uint32_t va, uint16_t half)
{
    uint8_t *p = byte_of(rig, va);
    p[0] = (uint8_t)half;
    p[1] = (uint8_t)(half >> 8);
}

void arm_rig_put(struct arm_rig *rig, uint32_t va, uint32_t word)
{
    arm_rig_put_half(rig, va, (uint16_t)word);
    arm_rig_put_half(rig, va + 2, (uint16_t)(word >> 16));
}

/* The requests whose time has come. */

static void answer(struct arm_rig *rig)
{
    struct pc_cpu *cpu = &rig->cpu.base;
    for (unsigned i = 0; i < rig->count; i++) {
        if (rig->asked[i].due > cpu->now)
            continue;
        const uint64_t line = rig->asked[i].line;
        const bool store = rig->asked[i].store, fetch = rig->asked[i].fetch;
        *here(rig, line) = store ? NM_LINE_D : NM_LINE_S;
        rig->asked[i--] = rig->asked[--rig->count];
        arm11_answered(cpu, fetch ? PC_SIDE_I : PC_SIDE_D, line, true, cpu->now);
    }
}

static sim_tick next_answer(const struct arm_rig *rig)
{
    sim_tick next = SIM_NEVER;
    for (unsigned i = 0; i < rig->count; i++)
        next = rig->asked[i].due < next ? rig->asked[i].due : next;
    return next;
}

/* The counters are looked at when they have asked for it. */
static void look(struct arm_rig *rig)
{
    const sim_tick when = rig->look;
    if (rig->cpu.base.now < when)
        return;
    rig->look = SIM_NEVER;
    arm11_look(&rig->cpu.base, when);
}

static bool sums_up(const struct pc_cpu *cpu)
{
    uint64_t sum = 0;
    for (unsigned n = 0; n < PC_ST__COUNT; n++)
        sum += cpu->states[n];
    return sum == cpu->now;
}

bool arm_rig_run(struct arm_rig *rig, sim_tick limit, unsigned slice, uint64_t seed)
{
    struct pc_cpu *cpu = &rig->cpu.base;
    while (cpu->now < limit) {
        sim_tick horizon = slice ? cpu->now + arm_rig_random(&seed) % (slice + 1) : limit;
        const sim_tick due = next_answer(rig);
        horizon = due < horizon ? due : horizon;
        horizon = rig->look < horizon ? rig->look : horizon;
        rig->why = PC_STOP_HORIZON;
        if (cpu->untimed)
            arm11_run_untimed(cpu, horizon);
        else if (cpu->steps)
            arm11_run_observed(cpu, horizon);
        else
            arm11_run(cpu, horizon);
        if (!sums_up(cpu))
            return false;
        if (rig->why == PC_STOP_TRAP)
            return true;
        answer(rig);
        look(rig);
    }
    return false;
}
