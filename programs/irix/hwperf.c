/*
 * IRIX's virtual event counters.
 *
 * The hard idea: a virtual counter is a number of 64 bits beside what the hardware has counted
 * since it was last looked at (struct irix_cpu.seen). Whatever happens - a switch of processes, a
 * tick, an overflow, a read - first looks, which adds the difference and remembers the new value;
 * so nothing is counted twice and nothing is lost. A threshold of n is the value 2^31 - n that the
 * hardware begins with. Each event keeps its own hardware value while others have the counter.
 */
#include "programs/irix/hwperf.h"

#include "base/alloc.h"

#include <errno.h>
#include <string.h>

#define OVERFLOW UINT32_C(0x80000000)

enum { NOBODY = IRIX_EVENTS };

void irix_init(struct irix *h, const struct irix_hardware *hardware, void *ctx, unsigned cpus)
{
    *h = (struct irix){.hardware = hardware, .ctx = ctx, .count = cpus, .generation = 1};
    h->cpus = sim_alloc(cpus, sizeof *h->cpus);
}

void irix_end(struct irix *h)
{
    free(h->cpus);
}

/* ---- the counters of one processor ----------------------------------------------------------- */

/** Whose events the processor counts; NULL: nobody's. */
static struct irix_block *block_of(const struct irix *h, unsigned cpu)
{
    struct irix_cpu *c = &h->cpus[cpu];

    if (h->system)
        return &c->block;
    return c->user ? &c->user->block : NULL;
}

static bool has_counters(const struct irix *h, unsigned cpu)
{
    return h->hardware->counters(h->ctx, cpu) >= IRIX_COUNTERS;
}

/** [events] 0: none is in force. */
static uint32_t hwperf_threshold(const struct irix_setup *s, unsigned e)
{
    return s->event[e] & IRIX_INTERRUPT ? (uint32_t)s->threshold[e] : 0;
}

/** What the hardware begins with. */
static uint32_t hwperf_preload(const struct irix_setup *s, unsigned e)
{
    const uint32_t n = hwperf_threshold(s, e);

    return n ? OVERFLOW - n : 0;
}

/** What follows a value with bit 31 set: the events beyond the threshold count for the next. */
static uint32_t hwperf_reload(const struct irix_setup *s, unsigned e, uint32_t value)
{
    const uint32_t n = hwperf_threshold(s, e), beyond = value - OVERFLOW;

    return n ? OVERFLOW - n + beyond % n : beyond;
}

/** Adds what counter k has counted. */
static void hwperf_look(struct irix *h, unsigned cpu, unsigned k)
{
    struct irix_cpu *c = &h->cpus[cpu];
    struct irix_block *b = block_of(h, cpu);
    const unsigned e = b->on[k];
    uint32_t value;

    if (e == NOBODY)
        return;
    value = h->hardware->value(h->ctx, cpu, k);
    b->count[e] += (uint32_t)(value - c->seen[k]);
    if (value & OVERFLOW) {
        value = hwperf_reload(&b->setup, e, value);
        h->hardware->set_value(h->ctx, cpu, k, value);
        c->seen[k] = value;
        if (hwperf_threshold(&b->setup, e))
            h->hardware->reached(h->ctx, h->system ? h->taker : c->user, cpu, b->setup.signal);
    }
    c->seen[k] = value;
}

/** The event whose turn it is goes on the hardware. It always interrupts there, whatever is asked
 *  for: else the upper 32 bits would be lost. */
static void hwperf_put(struct irix *h, unsigned cpu, unsigned k)
{
    const struct irix_block *b = block_of(h, cpu);
    const unsigned e = b->on[k];

    if (e == NOBODY)
        return;
    h->cpus[cpu].seen[k] = b->image[e];
    h->hardware->set_value(h->ctx, cpu, k, b->image[e]);
    h->hardware->set_control(h->ctx, cpu, k,
                             h->hardware->number(h->ctx, cpu, e) << IRIX_EVENT_SHIFT |
                                 IRIX_INTERRUPT | (b->setup.event[e] & IRIX_MODES));
}

/** Counter k stops; its event's turn will go on from here. */
static void hwperf_lift(struct irix *h, unsigned cpu, unsigned k)
{
    struct irix_block *b = block_of(h, cpu);

    if (b->on[k] == NOBODY)
        return;
    hwperf_look(h, cpu, k);
    h->hardware->set_control(h->ctx, cpu, k, 0);
    b->image[b->on[k]] = h->cpus[cpu].seen[k];
}

static void hwperf_put_all(struct irix *h, unsigned cpu)
{
    for (unsigned k = 0; k < IRIX_COUNTERS && has_counters(h, cpu); k++)
        hwperf_put(h, cpu, k);
}

static void lift_all(struct irix *h, unsigned cpu)
{
    for (unsigned k = 0; k < IRIX_COUNTERS && has_counters(h, cpu); k++)
        hwperf_lift(h, cpu, k);
}

/** The event of counter k that has the turn after `e`: itself, if it is alone. */
static unsigned next_turn(const struct irix_setup *s, unsigned k, unsigned e)
{
    for (unsigned i = 1; i <= IRIX_PER_COUNTER; i++) {
        const unsigned next = k * IRIX_PER_COUNTER + (e + i) % IRIX_PER_COUNTER;
        if (s->event[next])
            return next;
    }
    return NOBODY;
}

/** Another set-up; what has been counted stays. */
static void hwperf_set_up(struct irix_block *b, const struct irix_setup *setup)
{
    b->setup = *setup;
    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        b->image[e] = hwperf_preload(setup, e);
    for (unsigned k = 0; k < IRIX_COUNTERS; k++)
        b->on[k] = (uint8_t)next_turn(setup, k, (k + 1) * IRIX_PER_COUNTER - 1);
}

static void hwperf_clear(struct irix_block *b)
{
    memset(b->count, 0, sizeof b->count);
}

/* ---- the operating system tells -------------------------------------------------------------- */

void irix_process_init(struct irix_process *p)
{
    *p = (struct irix_process){.generation = 1, .cpu = -1};
    hwperf_set_up(&p->block, &p->block.setup);
}

void irix_born(struct irix_process *child, const struct irix_process *parent)
{
    *child = *parent;
    child->cpu = -1;
    child->saves = false;
    hwperf_set_up(&child->block, &parent->block.setup);
    hwperf_clear(&child->block);
}

/** The counters of the processor it has count for it no more. */
static void hwperf_unload(struct irix *h, struct irix_process *p)
{
    if (p->cpu < 0 || h->cpus[p->cpu].user != p)
        return;
    lift_all(h, (unsigned)p->cpu);
    h->cpus[p->cpu].user = NULL;
    h->users--;
}

/** They do from now on, if it has a processor. */
static void hwperf_load(struct irix *h, struct irix_process *p)
{
    if (p->cpu < 0 || !has_counters(h, (unsigned)p->cpu))
        return;
    h->cpus[p->cpu].user = p;
    h->users++;
    hwperf_put_all(h, (unsigned)p->cpu);
}

/** The process has lost its counters, and will not have them again. */
static void hwperf_lose(struct irix_process *p)
{
    p->active = false;
    p->profiles = false;
    p->generation++;
}

void irix_runs(struct irix *h, struct irix_process *p, unsigned cpu)
{
    if (p->cpu == (int)cpu)
        return;
    p->cpu = (int)cpu;
    if (p->active && h->system)
        hwperf_lose(p);
    else if (p->active)
        hwperf_load(h, p);
}

void irix_stops(struct irix *h, struct irix_process *p)
{
    hwperf_unload(h, p);
    p->cpu = -1;
}

bool irix_multiplexed(const struct irix *h, unsigned cpu)
{
    const struct irix_block *b = block_of(h, cpu);

    if (!b || !has_counters(h, cpu))
        return false;
    for (unsigned k = 0; k < IRIX_COUNTERS; k++)
        if (b->on[k] != NOBODY && next_turn(&b->setup, k, b->on[k]) != b->on[k])
            return true;
    return false;
}

void irix_tick(struct irix *h, unsigned cpu)
{
    struct irix_block *b = block_of(h, cpu);

    if (!irix_multiplexed(h, cpu))
        return;
    for (unsigned k = 0; k < IRIX_COUNTERS; k++) {
        const unsigned next = b->on[k] == NOBODY ? NOBODY : next_turn(&b->setup, k, b->on[k]);
        if (next == b->on[k])
            continue;
        hwperf_lift(h, cpu, k);
        b->on[k] = (uint8_t)next;
        hwperf_put(h, cpu, k);
    }
}

void irix_settle(struct irix *h, unsigned cpu)
{
    if (!block_of(h, cpu) || !has_counters(h, cpu))
        return;
    for (unsigned k = 0; k < IRIX_COUNTERS; k++)
        hwperf_look(h, cpu, k);
}

/* ---- what is asked for ----------------------------------------------------------------------- */

/** Whether any processor has counters. */
static bool hwperf_present(const struct irix *h)
{
    for (unsigned cpu = 0; cpu < h->count; cpu++)
        if (has_counters(h, cpu))
            return true;
    return false;
}

/** All modes of a set-up together. */
static unsigned hwperf_modes(const struct irix_setup *s)
{
    unsigned all = 0;

    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        all |= s->event[e] & IRIX_MODES;
    return all;
}

/** Whether it makes sense, whoever asks. */
static bool hwperf_sensible(const struct irix_setup *s)
{
    bool any = false;

    if (s->signal < 0 || s->signal > IRIX_SIGNAL_MAX)
        return false;
    for (unsigned e = 0; e < IRIX_EVENTS; e++) {
        if (s->threshold[e] < 0)
            return false;
        if (!s->event[e])
            continue;
        if (s->event[e] >> IRIX_EVENT_SHIFT != e % IRIX_PER_COUNTER || !(s->event[e] & IRIX_MODES))
            return false;
        any = true;
    }
    return any;
}

/** Whether the caller may have it at all. @return 0, -ENODEV, -EINVAL, -EPERM */
static int64_t hwperf_check(const struct irix *h, const struct irix_setup *s, bool root)
{
    if (!hwperf_present(h))
        return -ENODEV;
    if (!hwperf_sensible(s))
        return -EINVAL;
    if (!root && hwperf_modes(s) & (IRIX_MODE_KERNEL | IRIX_MODE_SUPERVISOR))
        return -EPERM;
    return hwperf_modes(s) & IRIX_MODE_SUPERVISOR ? -EINVAL : 0;
}

/* ---- system mode ----------------------------------------------------------------------------- */

/** All processors count the same, from zero on. No process has one. */
static void take_system(struct irix *h, struct irix_process *p, bool bound,
                        const struct irix_setup *setup)
{
    h->system = true;
    h->taker = p;
    h->bound = bound;
    h->generation++;
    for (unsigned cpu = 0; cpu < h->count; cpu++) {
        hwperf_clear(&h->cpus[cpu].block);
        hwperf_set_up(&h->cpus[cpu].block, setup);
        hwperf_put_all(h, cpu);
    }
}

static void hwperf_add(uint64_t to[IRIX_EVENTS], const uint64_t count[IRIX_EVENTS])
{
    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        to[e] += count[e];
}

/** The system's counts, now: those of all processors together. */
static void hwperf_coalesce(struct irix *h, uint64_t count[IRIX_EVENTS])
{
    memset(count, 0, IRIX_EVENTS * sizeof *count);
    for (unsigned cpu = 0; cpu < h->count; cpu++) {
        irix_settle(h, cpu);
        hwperf_add(count, h->cpus[cpu].block.count);
    }
}

/** System mode ends; who took it by way of /proc keeps the counts. */
static void drop_system(struct irix *h)
{
    uint64_t count[IRIX_EVENTS];

    for (unsigned cpu = 0; cpu < h->count; cpu++)
        lift_all(h, cpu);
    hwperf_coalesce(h, count);
    if (h->bound)
        memcpy(h->taker->block.count, count, sizeof count);
    h->system = h->bound = false;
    h->taker = NULL;
}

static bool has_system(const struct irix *h, const struct irix_process *p)
{
    return h->system && h->bound && h->taker == p;
}

/** Another set-up for all processors. */
static void change_system(struct irix *h, const struct irix_setup *setup)
{
    for (unsigned cpu = 0; cpu < h->count; cpu++) {
        lift_all(h, cpu);
        hwperf_set_up(&h->cpus[cpu].block, setup);
        hwperf_put_all(h, cpu);
    }
    h->generation++;
    if (h->bound)
        h->taker->generation++;
}

int64_t irix_system_enable(struct irix *h, struct irix_process *p, bool root,
                           const struct irix_setup *setup)
{
    int64_t err = !root ? -EPERM : hwperf_check(h, setup, root);

    if (!err && !(hwperf_modes(setup) & IRIX_MODE_KERNEL))
        err = -EINVAL;
    if (!err && h->system)
        err = -EBUSY;
    if (err)
        return err;
    for (unsigned cpu = 0; cpu < h->count; cpu++) {
        struct irix_process *user = h->cpus[cpu].user;
        if (!user)
            continue;
        hwperf_unload(h, user);
        hwperf_lose(user);
    }
    take_system(h, p, false, setup);
    return h->generation;
}

int64_t irix_system_modify(struct irix *h, bool root, const struct irix_setup *setup)
{
    int64_t err = !root ? -EPERM : hwperf_check(h, setup, root);

    if (!err && (!h->system || !(hwperf_modes(setup) & IRIX_MODE_KERNEL)))
        err = -EINVAL;
    if (err)
        return err;
    change_system(h, setup);
    return h->generation;
}

/** The events of a set-up, as they were asked for. */
static int64_t tell_control(const struct irix_setup *s, uint16_t event[IRIX_EVENTS],
                            uint32_t generation)
{
    memcpy(event, s->event, sizeof s->event);
    return generation;
}

/** Whether there are system counters to be had. @return 0, -ENODEV, -EINVAL */
static int64_t in_system(const struct irix *h)
{
    return !hwperf_present(h) ? -ENODEV : h->system ? 0 : -EINVAL;
}

int64_t irix_system_control(const struct irix *h, uint16_t event[IRIX_EVENTS])
{
    const int64_t err = in_system(h);

    return err ? err : tell_control(&h->cpus[0].block.setup, event, h->generation);
}

int64_t irix_system_read(struct irix *h, uint64_t count[IRIX_EVENTS])
{
    const int64_t err = in_system(h);

    if (err)
        return err;
    hwperf_coalesce(h, count);
    return h->generation;
}

int64_t irix_cpu_read(struct irix *h, uint64_t cpu, uint64_t count[IRIX_EVENTS])
{
    const int64_t err = in_system(h);

    if (err)
        return err;
    if (cpu >= h->count || !has_counters(h, (unsigned)cpu))
        return 0;
    irix_settle(h, (unsigned)cpu);
    memcpy(count, h->cpus[cpu].block.count, sizeof h->cpus[cpu].block.count);
    return h->generation;
}

int64_t irix_system_release(struct irix *h, bool root)
{
    const int64_t err = !root ? -EPERM : in_system(h);

    if (err)
        return err;
    if (h->bound)
        h->taker->generation++; /* it finds its counters gone */
    drop_system(h);
    return 0;
}

/* ---- commands on a process ------------------------------------------------------------------- */

/** It counts what is asked for, from now on if it runs, else when it does. */
static void hwperf_count(struct irix *h, struct irix_process *p, const struct irix_setup *setup)
{
    hwperf_unload(h, p);
    hwperf_set_up(&p->block, setup);
    p->active = true;
    p->generation++;
    hwperf_load(h, p);
}

int64_t irix_enable(struct irix *h, struct irix_process *p, bool root,
                    const struct irix_setup *setup)
{
    int64_t err = hwperf_check(h, setup, root);
    const bool system = hwperf_modes(setup) & IRIX_MODE_KERNEL;

    if (!err && (h->system || (system && h->users)))
        err = -EBUSY;
    if (err)
        return err;
    hwperf_clear(&p->block);
    p->profiles = false;
    if (system) {
        p->active = false;
        p->generation++;
        take_system(h, p, true, setup);
    } else
        hwperf_count(h, p, setup);
    return p->generation;
}

int64_t irix_profile(struct irix *h, struct irix_process *p, bool root,
                     const struct irix_setup *setup)
{
    int64_t err = hwperf_check(h, setup, root);
    bool any = false;

    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        any |= hwperf_threshold(setup, e);
    if (!err && (!any || hwperf_modes(setup) & IRIX_MODE_KERNEL))
        err = -EINVAL;
    if (!err)
        err = irix_enable(h, p, root, setup);
    p->profiles = err > 0 || p->profiles;
    return err;
}

int64_t irix_modify(struct irix *h, struct irix_process *p, bool root,
                    const struct irix_setup *setup)
{
    int64_t err = hwperf_check(h, setup, root);
    const bool system = hwperf_modes(setup) & IRIX_MODE_KERNEL;

    if (!err && !p->active && !has_system(h, p))
        err = -EINVAL;
    if (!err && p->active && (h->system || system))
        err = -EBUSY;
    if (!err && !p->active && !system)
        err = -EINVAL;
    if (err)
        return err;
    if (p->active)
        hwperf_count(h, p, setup);
    else
        change_system(h, setup);
    return p->generation;
}

int64_t irix_control(const struct irix *h, const struct irix_process *p,
                     uint16_t event[IRIX_EVENTS])
{
    if (!hwperf_present(h))
        return -ENODEV;
    if (has_system(h, p))
        return tell_control(&h->cpus[0].block.setup, event, p->generation);
    return p->active ? tell_control(&p->block.setup, event, p->generation) : -EINVAL;
}

int64_t irix_read(struct irix *h, const struct irix_process *p, uint64_t count[IRIX_EVENTS])
{
    if (!hwperf_present(h))
        return -ENODEV;
    if (has_system(h, p)) {
        hwperf_coalesce(h, count);
        return p->generation;
    }
    if (p->cpu >= 0 && h->cpus[p->cpu].user == p)
        irix_settle(h, (unsigned)p->cpu);
    memcpy(count, p->block.count, sizeof p->block.count);
    return p->generation;
}

int64_t irix_release(struct irix *h, struct irix_process *p)
{
    if (!hwperf_present(h))
        return -ENODEV;
    if (has_system(h, p)) {
        drop_system(h);
        return 0;
    }
    if (!p->active)
        return -EINVAL;
    hwperf_unload(h, p);
    p->active = p->profiles = false;
    return 0;
}

int64_t irix_save(struct irix *h, struct irix_process *p)
{
    if (!hwperf_present(h))
        return -ENODEV;
    p->saves = true;
    return 0;
}

void irix_gone(struct irix *h, struct irix_process *p, struct irix_process *parent, bool waits)
{
    irix_stops(h, p);
    if (has_system(h, p))
        drop_system(h);
    else if (h->taker == p)
        h->taker = NULL;
    if (parent && (waits || p->saves))
        hwperf_add(parent->block.count, p->block.count);
}
