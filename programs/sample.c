/*
 * The hard idea: nothing is told of the stretches between samples but how long requests take there,
 * and that is what the samples before them took (procard/warm.c). All else of such a stretch is
 * simulated: instructions, pipelines, caches, threads that wait for each other. So the clock at the
 * end of the run is the estimate, and a sample that differs from what was expected of it says how
 * good it is. What is timed as a whole is one sample, as long as it lasts, which expects nothing.
 */
#include "programs/sample.h"

#include "base/alloc.h"
#include "procard/procard.h"

#include <stdlib.h>

enum { RESTS = 64 /* [PCycles] between two looks whether the machine rests */ };

/* What the machine does at present. */
enum part {
    LEAD,   /* timed, and not counted */
    SAMPLE, /* timed */
    REST,   /* timed; processors stand: it comes to rest */
    WARM,
    OVER,
};

struct prog_sampler {
    struct prog_run *run;
    const struct prog_sampling *how;
    enum part part;
    sim_tick begin; /* of the part */
    struct prog_sample now;
    uint64_t *completed; /* [cards] instructions before the sample */
    size_t size;         /* room for samples */
    uint64_t slept;      /* sleeps before the part */
    uint64_t rested;     /* instructions before the machine was warmed */
};

static struct nm_machine *machine(const struct prog_sampler *s)
{
    return s->run->m;
}

/* So often threads have gone to sleep. */
static uint64_t sleeps(const struct prog_sampler *s)
{
    uint64_t n = 0;
    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++)
        n += nm_card_os_counts(machine(s), c)->sleeps;
    return n;
}

/* Of all processors, from the begin of the run. */
static uint64_t instructions(const struct prog_sampler *s)
{
    uint64_t n = 0;
    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++)
        n += pc_cpu_at(machine(s), c)->instructions;
    return n;
}

/* What is sampled ends here. */
static void end_part(struct prog_sampler *s)
{
    s->run->out->sampled_to = nm_machine_now(machine(s));
    s->run->out->sleeps = sleeps(s) - s->slept;
}

void prog_sampler_free(struct prog_sampler *s)
{
    if (s && s->part != OVER)
        end_part(s);
    if (s)
        free(s->completed);
    free(s);
}

sim_tick prog_sampler_date(const struct prog_sampler *s)
{
    switch (s->part) {
    case LEAD:
        return s->begin + s->how->lead;
    case SAMPLE:
        return s->how->every ? s->begin + s->how->length : SIM_NEVER;
    case REST:
        return nm_machine_now(machine(s)) + RESTS;
    case WARM:
        return s->begin + s->how->every - s->how->lead - s->how->length;
    default:
        return SIM_NEVER;
    }
}

/* ---- what a sample says ---------------------------------------------------------------------- */

/* The totals now, with `sign`. */
static void add_waits(const struct prog_sampler *s, struct prog_sample *sample, int sign)
{
    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++) {
        const struct pc_waited waited = pc_waited_at(machine(s), c);
        sample->requests += (uint64_t)sign * waited.requests;
        sample->refused += (uint64_t)sign * waited.refused;
        sample->took += (uint64_t)sign * waited.took;
        sample->expected += (uint64_t)sign * waited.expected;
    }
}

static void begin_sample(struct prog_sampler *s, sim_tick now)
{
    s->now.from = now;
    s->now.lead = now - s->begin;
    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++)
        s->completed[c] = pc_cpu_at(machine(s), c)->instructions;
    add_waits(s, &s->now, -1);
    pc_watch_waits(machine(s), s->how->every);
    prog_measure(s->run, true);
}

static void end_sample(struct prog_sampler *s, sim_tick now)
{
    prog_measure(s->run, false);
    pc_watch_waits(machine(s), false);
    add_waits(s, &s->now, 1);
    for (unsigned c = 0; c < nm_machine_cards(machine(s)); c++) {
        const uint64_t done = pc_cpu_at(machine(s), c)->instructions - s->completed[c];
        s->now.instructions += done;
        s->now.processors += done > 0;
    }
    s->now.to = now;
}

static void keep_sample(struct prog_sampler *s, sim_tick now)
{
    struct prog_outcome *out = s->run->out;
    s->now.rest = now - s->now.to;
    if (!s->how->every)
        return;
    if (out->samples == s->size)
        out->sample =
            sim_grow(out->sample, s->size = s->size ? 2 * s->size : 64, sizeof *out->sample);
    out->sample[out->samples++] = s->now;
}

/* ---- one part after another ------------------------------------------------------------------ */

static void enter(struct prog_sampler *s, enum part part)
{
    s->part = part;
    s->begin = nm_machine_now(machine(s));
}

struct prog_sampler *prog_sampler_new(struct prog_run *run)
{
    struct prog_sampler *s = sim_alloc(1, sizeof *s);
    const sim_tick now = nm_machine_now(run->m);
    s->run = run;
    s->completed = sim_alloc(nm_machine_cards(run->m), sizeof *s->completed);
    s->how = &run->spec->approach.sampling;
    run->out->sampled_from = run->out->sampled_to = now;
    s->slept = sleeps(s);
    enter(s, s->how->every ? LEAD : SAMPLE);
    if (s->part == SAMPLE)
        begin_sample(s, now);
    return s;
}

static void freeze(struct prog_sampler *s)
{
    nm_machine_freeze(machine(s));
    enter(s, REST);
}

static void rested(struct prog_sampler *s, sim_tick now, bool last)
{
    if (s->now.to)
        keep_sample(s, now);
    if (!last)
        nm_machine_set_mode(machine(s), NM_MODE_WARM);
    s->rested = instructions(s);
    enter(s, last ? OVER : WARM);
}

bool prog_sampler_step(struct prog_sampler *s, bool last)
{
    const sim_tick now = nm_machine_now(machine(s));
    const bool due = now >= prog_sampler_date(s);
    if (last && s->part != REST)
        end_part(s);
    if (s->part == WARM && last)
        enter(s, OVER);
    else if (s->part == WARM && due) {
        s->now = (struct prog_sample){.warmed = now - s->begin,
                                      .warmed_instructions = instructions(s) - s->rested};
        nm_machine_set_mode(machine(s), NM_MODE_TIMED);
        enter(s, LEAD);
    } else if (s->part == LEAD && last) {
        freeze(s);
    } else if (s->part == LEAD && due) {
        begin_sample(s, now);
        enter(s, SAMPLE);
    } else if (s->part == SAMPLE && (due || last)) {
        end_sample(s, now);
        freeze(s);
    }
    if (s->part == REST && nm_machine_rests(machine(s)))
        rested(s, now, last);
    return s->part != OVER;
}
