/*
 * The driver core. A reference is asked for once and made until the card lets it through; an
 * exception leaves it as it is, to be made again when the card goes on.
 */
#include "procard/driver/driver.h"
#include "monitor/board/board.h"

#include <assert.h>
#include <endian.h>
#include <string.h>

struct driver {
    struct pc_cpu base;
    const struct pc_driver_source *source;
    void *self;
    struct pc_reference reference; /**< under way, if it has been asked for */
    bool asked;
    sim_tick began;       /**< it was first tried; SIM_NEVER: not yet */
    uint64_t left;        /**< [PCycles] to compute before the next one ... */
    enum pc_status state; /**< ... in this state */
};

/* ---- bytes ----------------------------------------------------------------------------------- */

static uint64_t get(const uint8_t *bytes, unsigned size)
{
    uint64_t value = 0;
    memcpy((uint8_t *)&value + sizeof value - size, bytes, size);
    return be64toh(value);
}

static void put(uint8_t *bytes, unsigned size, uint64_t value)
{
    value = htobe64(value);
    memcpy(bytes, (const uint8_t *)&value + sizeof value - size, size);
}

/* ---- one reference --------------------------------------------------------------------------- */

static bool load(struct driver *d, bool linked, struct pc_result *result, enum pc_stop *stop)
{
    const struct pc_reference *r = &d->reference;
    const uint8_t *bytes = linked ? pc_load_linked(&d->base, r->address, r->size, d->base.now, stop)
                                  : pc_load(&d->base, r->address, r->size, d->base.now, stop);
    if (bytes)
        result->value = get(bytes, r->size);
    return bytes;
}

static bool store(struct driver *d, bool conditional, struct pc_result *result, enum pc_stop *stop)
{
    const struct pc_reference *r = &d->reference;
    uint8_t *bytes = conditional ? pc_store_conditional(&d->base, r->address, r->size, d->base.now,
                                                        stop, &result->failed)
                                 : pc_store(&d->base, r->address, r->size, d->base.now, stop);
    result->value = r->value;
    if (bytes)
        put(bytes, r->size, r->value);
    return bytes || result->failed;
}

/* @return false: *stop says why */
static bool make(struct driver *d, struct pc_result *result, enum pc_stop *stop)
{
    const struct pc_reference *r = &d->reference;
    switch (r->kind) {
    case PC_REFERENCE_LOAD:
    case PC_REFERENCE_LOAD_LINKED:
        return load(d, r->kind == PC_REFERENCE_LOAD_LINKED, result, stop);
    case PC_REFERENCE_STORE:
    case PC_REFERENCE_STORE_CONDITIONAL:
        return store(d, r->kind == PC_REFERENCE_STORE_CONDITIONAL, result, stop);
    case PC_REFERENCE_FETCH:
        return pc_fetch(&d->base, r->address, d->base.now, stop);
    default:
        return pc_sync(&d->base, d->base.now, stop);
    }
}

static enum pc_status completes_in(enum pc_reference_kind kind)
{
    static const enum pc_status states[] = {
        [PC_REFERENCE_LOAD] = PC_ST_LOAD,        [PC_REFERENCE_STORE] = PC_ST_STORE,
        [PC_REFERENCE_LOAD_LINKED] = PC_ST_LOAD, [PC_REFERENCE_STORE_CONDITIONAL] = PC_ST_STORE,
        [PC_REFERENCE_FETCH] = PC_ST_INT,        [PC_REFERENCE_SYNC] = PC_ST_INT};
    return states[kind];
}

static void count_try(struct pc_cpu *cpu, const struct pc_reference *r, bool failed)
{
    cpu->scs_failed += failed;
    cpu->tries.failed += failed;
    cpu->tries.row = failed ? cpu->tries.row + 1 : 0;
    if (failed)
        cpu->tries.va = r->address;
}

/* @return false: *stop says why */
static bool refer(struct driver *d, enum pc_stop *stop)
{
    struct pc_cpu *cpu = &d->base;
    const struct pc_reference r = d->reference;
    struct pc_result result = {.failed = false};
    if (d->began == SIM_NEVER)
        d->began = cpu->now;
    if (!make(d, &result, stop))
        return false;
    result.began = d->began;
    result.done = cpu->now;
    if (r.kind == PC_REFERENCE_STORE_CONDITIONAL)
        count_try(cpu, &r, result.failed);
    d->asked = false;
    d->left = r.ticks ? r.ticks - 1 : 0;
    pc_complete(cpu, completes_in(r.kind), 1);
    cpu->instructions++;
    if (d->source->done)
        d->source->done(d->self, cpu->number, &r, &result);
    return true;
}

/* ---- the core -------------------------------------------------------------------------------- */

/* Up to the horizon: whatever comes from outside finds the processor at its PCycle. */
static uint64_t pass(struct pc_cpu *cpu, enum pc_status state, uint64_t left)
{
    uint64_t n = cpu->horizon - cpu->now < left ? cpu->horizon - cpu->now : left;
    n = n < UINT16_MAX ? n : UINT16_MAX;
    pc_complete(cpu, state, (uint16_t)n);
    return n;
}

static uint64_t compute(struct driver *d)
{
    const uint64_t n = pass(&d->base, d->state, d->left);
    d->base.instructions += pc_status_completes(d->state) ? n : 0;
    return n;
}

static void ask(struct driver *d)
{
    d->reference = (struct pc_reference){.kind = PC_REFERENCE_END};
    d->source->next(d->self, d->base.number, d->base.now, &d->reference);
    d->asked = true;
    d->began = SIM_NEVER;
    d->state = PC_ST_INT;
}

/* The reference's turn has come. @return false: *stop says why */
static bool begin(struct driver *d, enum pc_stop *stop)
{
    const struct pc_reference *r = &d->reference;
    if (r->kind != PC_REFERENCE_END && r->kind != PC_REFERENCE_COMPUTE)
        return refer(d, stop);
    d->asked = false;
    if (r->kind == PC_REFERENCE_COMPUTE) {
        d->left = r->ticks ? r->ticks : 1;
        d->state = r->state;
        return true;
    }
    d->base.exc = PC_EXC_SYS;
    *stop = PC_STOP_TRAP;
    return false;
}

static sim_tick run(struct pc_cpu *cpu, sim_tick horizon)
{
    struct driver *d = (struct driver *)cpu;
    enum pc_stop stop = PC_STOP_HORIZON;
    if (cpu->now >= horizon)
        return cpu->now;
    cpu->horizon = horizon;
    while (cpu->now < horizon)
        if (d->left)
            d->left -= compute(d);
        else if (!d->asked)
            ask(d);
        else if (cpu->now < d->reference.at)
            pass(cpu, PC_ST_INT, d->reference.at - cpu->now);
        else if (!begin(d, &stop))
            return pc_stopped(cpu, stop);
    return cpu->now;
}

static const struct pc_core_ops core = {
    .name = "driver", .size = sizeof(struct driver), .run = run};

const struct nm_card_kind pc_driver = {&pc_card_ops, &core, &mon_numachine};

void pc_drive(struct nm_machine *m, unsigned card, const struct pc_driver_source *source,
              void *self, sim_tick at)
{
    assert(source && source->next);
    struct driver *d = (struct driver *)pc_cpu_at(m, card);
    d->source = source;
    d->self = self;
    d->asked = false;
    d->left = 0;
    nm_card_resume(m, card, at);
}

/* ---- the flat space -------------------------------------------------------------------------- */

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va & (PC_FLAT_UNCACHED - 1);
    return va & PC_FLAT_NONCOHERENT                       ? NM_XLATE_NONCOHERENT
           : va & PC_FLAT_UNCACHED || *pa >= NM_REGISTERS ? NM_XLATE_UNCACHED
                                                          : NM_XLATE_OK;
}

const struct nm_space pc_flat_space = {.translate = translate};
