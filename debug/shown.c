/*
 * A thread as it is shown: registers, and memory as it would read it.
 *
 * The hard idea: a thread may be shown ahead of the machine, at an instruction within a cycle, or
 * behind a step that it made while others stand. A copy of the process goes there and looks.
 */
#include "debug/shown.h"

#include "base/alloc.h"
#include "debug/scout.h"
#include "procard/arm/arm.h"

#include <stdlib.h>
#include <string.h>

/* Registers as they were asked for. */
struct dbg_kept {
    uint32_t thread;
    bool good;
    prog_registers regs;
};

void dbg_forget(struct dbg *d)
{
    free(d->kept);
    d->kept = NULL;
    d->kept_count = 0;
}

/* ---- registers ------------------------------------------------------------------------------- */

const struct dbg_hit *dbg_ahead(const struct dbg *d, uint32_t thread)
{
    const struct dbg_session *x = d->session;
    for (unsigned i = 0; i < x->aheads; i++)
        if (x->ahead[i].thread == thread)
            return &x->ahead[i];
    return NULL;
}

/* In a copy that only looks: on to where the thread is shown. */
static void goes_ahead(struct dbg *d, uint32_t thread)
{
    const struct dbg_hit *ahead = dbg_ahead(d, thread);
    struct nm_trap trap;
    if (ahead)
        nm_machine_run(d->live->machine, ahead->point.at, &trap);
}

static void look_at_registers(struct dbg *d, void *shared)
{
    struct dbg_kept *kept = shared;
    goes_ahead(d, kept->thread);
    kept->good = d->inspect->registers(d->run->self, kept->thread, kept->regs);
}

/* A branch in front of it may have taken no time: the pc is that of the hit. */
static void put_pc(const struct dbg *d, struct dbg_kept *kept)
{
    const struct dbg_session *x = d->session;
    const struct dbg_hit *ahead = dbg_ahead(d, kept->thread), *hit = ahead ? ahead : &x->hit;
    const bool there = ahead || (x->why == DBG_STOP_HIT && hit->point.at == d->now);
    if (there && hit->thread == kept->thread && hit->what != DBG_AT_LINE && !hit->behind &&
        d->binary.isa == PROG_ISA_ARM)
        ((struct arm_regs *)kept->regs)->r[ARM_PC] = (uint32_t)hit->pc;
}

static void registers_fetch(struct dbg *d, struct dbg_kept *kept)
{
    if (!dbg_ahead(d, kept->thread) && !d->inspect->settles(d->run->self, kept->thread)) {
        kept->good = d->inspect->registers(d->run->self, kept->thread, kept->regs);
        return;
    }
    struct dbg_kept *shared = dbg_share(sizeof *shared);
    shared->thread = kept->thread;
    if (dbg_apart(d, look_at_registers, shared))
        *kept = *shared;
    dbg_unshare(shared, sizeof *shared);
    put_pc(d, kept);
}

static struct dbg_kept *registers_of(struct dbg *d, uint32_t thread)
{
    for (size_t i = 0; i < d->kept_count; i++)
        if (d->kept[i].thread == thread)
            return &d->kept[i];
    d->kept = sim_grow(d->kept, d->kept_count + 1, sizeof *d->kept);
    struct dbg_kept *kept = &d->kept[d->kept_count++];
    *kept = (struct dbg_kept){.thread = thread};
    registers_fetch(d, kept);
    return kept;
}

bool dbg_registers(struct dbg *d, uint32_t thread, prog_registers regs)
{
    const struct dbg_hit *ahead = dbg_ahead(d, thread);
    if (ahead && ahead->has_registers) {
        memcpy(regs, ahead->registers, sizeof(prog_registers));
        return true;
    }
    const struct dbg_kept *kept = registers_of(d, thread);
    memcpy(regs, kept->regs, sizeof(prog_registers));
    return kept->good;
}

bool dbg_set_registers(struct dbg *d, uint32_t thread, const prog_registers regs)
{
    if (dbg_ahead(d, thread) || !dbg_may_change(d) ||
        !d->inspect->set_registers(d->run->self, thread, regs))
        return false;
    dbg_forget(d);
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* What a thread would read that has stores under way: they end. */
struct read {
    uint32_t thread;
    uint64_t va;
    size_t count, done;
    uint8_t bytes[]; /* [count], and twice as many to look ahead */
};

static void look_at_memory(struct dbg *d, void *shared)
{
    struct read *r = shared;
    prog_registers regs;
    d->inspect->registers(d->run->self, r->thread, regs);
    r->done = d->inspect->read(d->run->self, r->va, r->bytes, r->count);
}

/* Where the thread is shown, without and with its stores that are under way there. */
static void look_at_memory_ahead(struct dbg *d, void *shared)
{
    struct read *r = shared;
    prog_registers regs;
    goes_ahead(d, r->thread);
    d->inspect->read(d->run->self, r->va, r->bytes + r->count, r->count);
    d->inspect->registers(d->run->self, r->thread, regs);
    d->inspect->read(d->run->self, r->va, r->bytes + 2 * r->count, r->count);
}

static size_t read_apart(struct dbg *d, const struct read *r, uint8_t *bytes)
{
    const size_t size = sizeof *r + 3 * r->count;
    struct read *shared = dbg_share(size);
    const uint8_t *without = shared->bytes + r->count, *with = without + r->count;
    *shared = *r;
    const size_t done = dbg_apart(d, look_at_memory, shared) ? shared->done : 0;
    memcpy(bytes, shared->bytes, done);
    if (dbg_ahead(d, r->thread) && dbg_apart(d, look_at_memory_ahead, shared))
        for (size_t i = 0; i < done; i++)
            if (without[i] != with[i])
                bytes[i] = with[i];
    dbg_unshare(shared, size);
    return done;
}

/* What it will have stored by then. */
static void read_stored(const struct dbg_hit *hit, uint64_t va, uint8_t *bytes, size_t count)
{
    for (unsigned k = 0; k < hit->stores; k++)
        for (unsigned i = 0; i < hit->store_of[k].size; i++)
            if (hit->store_of[k].va + i - va < count)
                bytes[hit->store_of[k].va + i - va] = hit->store_of[k].bytes[i];
}

size_t dbg_read(struct dbg *d, uint32_t thread, uint64_t va, void *bytes, size_t count)
{
    struct prog_inspected t = {0};
    const bool there = d->inspect->thread(d->run->self, thread, &t);
    const struct read r = {.thread = thread, .va = va, .count = count};
    const bool apart = there && d->inspect->settles(d->run->self, thread);
    const size_t done =
        apart ? read_apart(d, &r, bytes) : d->inspect->read(d->run->self, va, bytes, count);
    for (unsigned i = 0; i < d->session->aheads && !apart; i++) /* as all are shown */
        read_stored(&d->session->ahead[i], va, bytes, done);
    return done;
}

static bool is_mapped(struct dbg *d, uint64_t va, size_t count)
{
    uint8_t *bytes = sim_alloc(count, 1);
    const bool is = d->inspect->read(d->run->self, va, bytes, count) == count;
    free(bytes);
    return is;
}

/* Whether a thread is shown behind a store to that which the machine has still to make. */
static bool is_stored_ahead(const struct dbg *d, uint64_t va, size_t count)
{
    const struct dbg_session *x = d->session;
    for (unsigned i = 0; i < x->aheads; i++)
        for (unsigned k = 0; k < x->ahead[i].stores; k++) {
            const struct dbg_store *store = &x->ahead[i].store_of[k];
            if (store->va < va + count && va < store->va + store->size)
                return true;
        }
    return false;
}

/* What cannot be written changes nothing: the past would be forgotten for it. */
bool dbg_write(struct dbg *d, unsigned card, uint64_t va, const void *bytes, size_t count)
{
    if (!count)
        return true;
    if (!is_mapped(d, va, count) || is_stored_ahead(d, va, count) || !dbg_may_change(d))
        return false;
    const bool good = d->inspect->write(d->run->self, card, va, bytes, count) == count;
    dbg_forget(d);
    return good;
}
