/*
 * The flat memory behind isa_rig.h. A miss on an even line stalls in place; on an odd line the
 * access is told to wait and comes again, as when a card asks the station bus.
 */
#include "tests/isa_rig.h"
#include "machine/values.h"
#include "procard/r4400/code.h"

#include <stdlib.h>
#include <string.h>

enum { STALL = 7, WAIT = 23 };

static struct rig *rig_of(struct pc_cpu *cpu)
{
    return (struct rig *)cpu->card;
}

uint64_t rig_random(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static void note(struct rig *rig, uint64_t a, uint64_t b)
{
    uint64_t seed = rig->log ^ a * 3 ^ b * UINT64_C(0x100000001b3);

    rig->log = rig_random(&seed);
}

static bool mapped(const struct rig *rig, uint64_t va, unsigned size)
{
    return va >= rig->base && va - rig->base <= rig->size - size;
}

static uint8_t *fault(struct pc_cpu *cpu, uint64_t va, enum nm_access kind, enum pc_stop *stop)
{
    cpu->exc = kind == NM_STORE || kind == NM_CONDITIONAL ? PC_EXC_ADES : PC_EXC_ADEL;
    cpu->badvaddr = va;
    cpu->unmapped = true;
    cpu->protected = false;
    *stop = PC_STOP_TRAP;
    return NULL;
}

/** A line that is not there: false when the access must wait. */
static bool bring(struct pc_cpu *cpu, uint64_t line, enum nm_access kind, enum pc_stop *stop)
{
    struct rig *rig = rig_of(cpu);

    if (!rig->stalls)
        return true;
    if (line >> RIG_LINE_SHIFT & 1 && rig->ready_line != line) {
        rig->waiting_line = line;
        rig->waiting_kind = kind;
        *stop = PC_STOP_MISS;
        return false;
    }
    if (rig->ready_line != line)
        pc_charge(cpu, kind == NM_FETCH ? PC_ST_STALL_L1I : PC_ST_STALL_L1D, STALL);
    rig->ready_line = ~UINT64_C(0);
    return true;
}

static uint8_t *access_memory(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                              enum nm_access kind, enum pc_stop *stop)
{
    struct rig *rig = rig_of(cpu);
    const uint64_t line = va >> cpu->dshift << cpu->dshift;
    struct pc_line *l = &cpu->d[(va >> cpu->dshift) & cpu->dmask];

    if (at >= cpu->horizon) {
        *stop = PC_STOP_HORIZON;
        return NULL;
    }
    if (va & (size - 1) || !mapped(rig, va, size))
        return fault(cpu, va, kind, stop);
    if (!pc_line_reads(l, line, ~UINT64_C(0)) && !bring(cpu, line, kind, stop))
        return NULL;
    note(rig, va << 3 | kind, at);
    l->host = (uintptr_t)rig->bytes - rig->base;
    if (rig->cached) {
        l->tag = line | (kind == NM_STORE ? 0 : PC_LINE_READ_ONLY);
    }
    return rig->bytes + (va - rig->base);
}

uint8_t *pc_load(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *stop)
{
    return access_memory(cpu, va, size, at, NM_LOAD, stop);
}

uint8_t *pc_store(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *stop)
{
    return access_memory(cpu, va, size, at, NM_STORE, stop);
}

uint8_t *pc_load_linked(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                        enum pc_stop *stop)
{
    uint8_t *p = access_memory(cpu, va, size, at, NM_LINKED, stop);

    if (p) {
        cpu->link = true;
        cpu->link_pa = va;
    }
    return p;
}

bool pc_sync(struct pc_cpu *cpu, sim_tick at, enum pc_stop *stop)
{
    (void)cpu, (void)at, (void)stop;
    return true; /* nothing is uncached here */
}

uint8_t *pc_store_conditional(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                              enum pc_stop *stop, bool *failed)
{
    uint8_t *p = access_memory(cpu, va, size, at, NM_CONDITIONAL, stop);

    if (p && (!cpu->link || cpu->link_pa != va)) {
        *failed = true;
        p = NULL;
    }
    if (p || *failed)
        cpu->link = false;
    return p;
}

bool pc_fetch(struct pc_cpu *cpu, uint64_t va, sim_tick at, enum pc_stop *stop)
{
    struct rig *rig = rig_of(cpu);
    const uint64_t line = va >> cpu->ishift << cpu->ishift;

    if (at >= cpu->horizon) {
        *stop = PC_STOP_HORIZON;
        return false;
    }
    if (!mapped(rig, va, 4))
        return fault(cpu, va, NM_FETCH, stop);
    if (!bring(cpu, line, NM_FETCH, stop))
        return false;
    note(rig, va << 3 | NM_FETCH, at);
    if (rig->cached)
        cpu->i[(va >> cpu->ishift) & cpu->imask].tag = line;
    return true;
}

static const uint8_t *fetch_word(void *ctx, uint64_t va)
{
    struct rig *rig = ctx;

    return mapped(rig, va, 4) ? rig->bytes + (va - rig->base) : NULL;
}

static void reset_lines(struct pc_line *lines)
{
    for (unsigned n = 0; n < RIG_LINES; n++)
        lines[n] = (struct pc_line){.tag = pc_line_none(n)};
}

void rig_restart(struct rig *rig, bool n64)
{
    struct r4400 *cpu = &rig->cpu;

    r4400_detach(&cpu->base);
    *cpu = (struct r4400){.code = cpu->code};
    cpu->base = (struct pc_cpu){.d = rig->d,
                                .dshift = RIG_LINE_SHIFT,
                                .dmask = RIG_LINES - 1,
                                .i = rig->i,
                                .ishift = RIG_LINE_SHIFT,
                                .imask = RIG_LINES - 1,
                                .card = (struct pc_card *)rig};
    r4400_refetch(&cpu->base);
    cpu->r.pc = rig->base;
    cpu->r.npc = rig->base + 4;
    cpu->r.fr = n64;
    cpu->r.addr64 = n64;
    rig->log = 0;
    rig->waiting_line = rig->ready_line = ~UINT64_C(0);
    reset_lines(rig->d);
    reset_lines(rig->i);
}

void rig_init(struct rig *rig, uint64_t base, uint64_t size, bool n64, enum nm_isa isa)
{
    memset(rig, 0, sizeof *rig);
    rig->base = base;
    rig->size = size;
    rig->bytes = calloc(1, size);
    rig->cached = true;
    rig->cpu.code = r4400_code_new(fetch_word, rig, &(struct nm_params){.isa = isa});
    rig_restart(rig, n64);
}

void rig_free(struct rig *rig)
{
    r4400_code_free(rig->cpu.code);
    free(rig->bytes);
}

void rig_put(struct rig *rig, uint64_t va, uint32_t word)
{
    uint8_t *p = rig->bytes + (va - rig->base);

    for (unsigned n = 0; n < 4; n++)
        p[n] = (uint8_t)(word >> 8 * (3 - n));
}

static bool sums_up(const struct pc_cpu *cpu)
{
    uint64_t sum = 0;

    for (unsigned n = 0; n < PC_ST__COUNT; n++)
        sum += cpu->states[n];
    return sum == cpu->now;
}

static void forget(struct rig *rig, uint64_t what)
{
    if (what % 4 == 0)
        r4400_leave(&rig->cpu.base);
    else if (what % 4 == 1)
        r4400_code_flush(rig->cpu.code, rig->base, rig->size);
}

sim_tick pc_stopped(struct pc_cpu *cpu, enum pc_stop why)
{
    rig_of(cpu)->why = why;
    return why == PC_STOP_HORIZON ? cpu->now : 0;
}

enum pc_stop rig_go(struct rig *rig, sim_tick horizon)
{
    rig->why = PC_STOP_HORIZON;
    r4400_run(&rig->cpu.base, horizon);
    return rig->why;
}

bool rig_run(struct rig *rig, sim_tick limit, unsigned slice, uint64_t seed)
{
    struct pc_cpu *cpu = &rig->cpu.base;

    while (cpu->now < limit) {
        const sim_tick horizon = slice ? cpu->now + rig_random(&seed) % (slice + 1) : limit;
        const enum pc_stop stop = rig_go(rig, horizon);

        r4400_settle(cpu);
        if (rig->forgets)
            forget(rig, rig_random(&seed));
        if (!sums_up(cpu) || (stop == PC_STOP_HORIZON && cpu->now < horizon))
            return false;
        if (stop == PC_STOP_TRAP)
            return true;
        if (stop == PC_STOP_MISS) {
            pc_charge(cpu, PC_ST_STALL_L2, WAIT);
            rig->ready_line = rig->waiting_line;
        }
    }
    return false;
}
