/*
 * The hard idea: nothing is told of the stretches between samples but how long requests take there,
 * and that is what the samples before them took (procard/warm.c). All else of such a stretch is
 * simulated: instructions, pipelines, caches, threads that wait for each other. So the clock at the
 * end of the run is the estimate, and a sample that differs from what was expected of it says how
 * good it is. What is timed as a whole is one sample, as long as it lasts, which expects nothing.
 */
#include "programs/sample.h"

#include "base/alloc.h"
#include "machine/placement.h"
#include "procard/procard.h"

#include <stdlib.h>

/* What the machine does at present. */
enum part {
    LEAD,   /* timed, and not counted */
    SAMPLE, /* timed */
    REST,   /* timed; processors stand: it comes to rest */
    WARM,
    PAGES, /* timed, and not counted, because of who takes them */
    OVER,
};

struct prog_sampler {
    struct prog_run *run;
    const struct prog_sampling *how;
    enum part part;
    sim_tick begin; /* of the part */
    sim_tick due;   /* the next sample's lead */
    struct prog_sample now;
    uint64_t *completed;     /* [cards] instructions before the sample */
    size_t size;             /* room for samples */
    uint64_t slept;          /* sleeps before the part */
    struct prog_done before; /* the sample, or the machine was warmed */
    bool halved;             /* half of the sample has passed */
    uint64_t turns;          /* of pages, at the last look (prog_page_turns) */
    sim_tick turned;         /* when that was last another number */
    bool ended;              /* what is sampled */
};

static struct nm_machine *sample_machine(const struct prog_sampler *s)
{
    return s->run->m;
}

uint64_t prog_page_turns(const struct prog_run *run)
{
    return nm_machine_page_turns(run->m) + run->out->threads;
}

/* So often threads have gone to sleep. */
static uint64_t sample_sleeps(const struct prog_sampler *s)
{
    uint64_t n = 0;
    for (unsigned c = 0; c < nm_machine_cards(sample_machine(s)); c++)
        n += nm_card_os_counts(sample_machine(s), c)->sleeps;
    return n;
}

static struct prog_done sample_done(const struct prog_sampler *s)
{
    struct prog_done done = {0};
    for (unsigned c = 0; c < nm_machine_cards(sample_machine(s)); c++) {
        struct nm_truth truth;
        nm_card_truth(sample_machine(s), c, &truth);
        done.instructions += truth.instructions;
        done.stores += truth.stores - truth.scs_failed;
    }
    return done;
}

/* What was done since `before` is added. */
static void add_done(const struct prog_sampler *s, struct prog_done *to)
{
    const struct prog_done now = sample_done(s);
    to->instructions += now.instructions - s->before.instructions;
    to->stores += now.stores - s->before.stores;
}

/* What is sampled ends here. */
static void end_part(struct prog_sampler *s)
{
    if (s->ended)
        return;
    s->ended = true;
    s->run->out->sampled_to = nm_machine_now(sample_machine(s));
    s->run->out->sleeps = sample_sleeps(s) - s->slept;
}

void prog_sampler_free(struct prog_sampler *s)
{
    if (s) {
        end_part(s);
        free(s->completed);
    }
    free(s);
}

/* Pages that are taken no further apart than this could come in another order: by a tenth of its
 * time a stretch is off in an estimate that is trusted (documents/statistics/sampling.c). */
static sim_tick sample_window(const struct prog_sampler *s)
{
    return sim_later(s->how->length, s->how->every / 10);
}

sim_tick prog_sampler_date(const struct prog_sampler *s)
{
    switch (s->part) {
    case LEAD:
        return s->begin + s->how->lead;
    case SAMPLE:
        return !s->how->every ? SIM_NEVER : s->begin + s->how->length / (s->halved ? 1 : 2);
    case REST:
        return nm_machine_now(sample_machine(s)) + PROG_REST_LOOKS;
    case WARM: /* the machine may have come to rest too late for it */
        return sim_later(s->due, nm_machine_now(sample_machine(s)));
    case PAGES:
        return sim_earlier(s->due, s->turned + sample_window(s));
    default:
        return SIM_NEVER;
    }
}

/* ---- what a sample says ---------------------------------------------------------------------- */

/* The totals now, with `sign`. */
static void add_waits(const struct prog_sampler *s, struct prog_sample *sample, int sign)
{
    for (unsigned c = 0; c < nm_machine_cards(sample_machine(s)); c++) {
        const struct pc_waited waited = pc_waited_at(sample_machine(s), c);
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
    s->before = sample_done(s);
    s->halved = false;
    for (unsigned c = 0; c < nm_machine_cards(sample_machine(s)); c++)
        s->completed[c] = pc_cpu_at(sample_machine(s), c)->instructions;
    add_waits(s, &s->now, -1);
    pc_watch_waits(sample_machine(s), s->how->every);
    prog_measure(s->run, true);
}

static void halve_sample(struct prog_sampler *s)
{
    add_done(s, &s->now.early);
    s->halved = true;
}

static void end_sample(struct prog_sampler *s, sim_tick now)
{
    prog_measure(s->run, false);
    pc_watch_waits(sample_machine(s), false);
    add_waits(s, &s->now, 1);
    add_done(s, &s->now.done);
    for (unsigned c = 0; c < nm_machine_cards(sample_machine(s)); c++)
        s->now.processors += pc_cpu_at(sample_machine(s), c)->instructions > s->completed[c];
    s->now.to = now;
}

static void keep_sample(struct prog_sampler *s, sim_tick now)
{
    struct prog_outcome *out = s->run->out;
    s->now.rest = now - s->now.to;
    if (!s->how->every)
        return;
    SIM_ROOM(out->sample, out->samples, s->size, 64);
    out->sample[out->samples++] = s->now;
    s->now = (struct prog_sample){0};
}

/* ---- one part after another ------------------------------------------------------------------ */

static void sample_enter(struct prog_sampler *s, enum part part)
{
    s->part = part;
    s->begin = nm_machine_now(sample_machine(s));
}

struct prog_sampler *prog_sampler_new(struct prog_run *run)
{
    struct prog_sampler *s = sim_alloc(1, sizeof *s);
    const sim_tick now = nm_machine_now(run->m);
    s->run = run;
    s->completed = sim_alloc(nm_machine_cards(run->m), sizeof *s->completed);
    s->how = &run->spec->approach.sampling;
    run->out->sampled_from = run->out->sampled_to = now;
    s->slept = sample_sleeps(s);
    s->turns = prog_page_turns(run);
    sample_enter(s, s->how->every ? LEAD : SAMPLE);
    if (s->part == SAMPLE)
        begin_sample(s, now);
    return s;
}

static void sample_freeze(struct prog_sampler *s)
{
    nm_machine_freeze(sample_machine(s));
    sample_enter(s, REST);
}

static void begin_warming(struct prog_sampler *s)
{
    nm_machine_set_mode(sample_machine(s), NM_MODE_WARM);
    s->before = sample_done(s);
    sample_enter(s, WARM);
}

static void count_warming(struct prog_sampler *s, sim_tick now)
{
    s->now.warmed += now - s->begin;
    add_done(s, &s->now.between);
}

static void end_warming(struct prog_sampler *s, sim_tick now)
{
    count_warming(s, now);
    nm_machine_set_mode(sample_machine(s), NM_MODE_TIMED);
}

static void sample_rested(struct prog_sampler *s, sim_tick now, bool last)
{
    if (!last)
        s->run->out->stood += now - s->begin;
    if (s->now.to)
        keep_sample(s, now);
    if (last)
        sample_enter(s, OVER);
    else
        begin_warming(s);
}

/* Pages that several processors touch first lie where the order of these says. That is the timed
 * machine's to decide, because all that follows depends on it: a program that is warmed meanwhile
 * is not the one that was to be sampled. @return whether one has come since the last look */
static bool look_at_pages(struct prog_sampler *s, sim_tick now)
{
    const uint64_t turns = prog_page_turns(s->run);
    const bool taken = turns != s->turns;
    s->turns = turns;
    if (taken)
        s->turned = now;
    return taken && s->how->every;
}

/* Processors are at taking pages from each other. */
static bool takes_pages(const struct prog_sampler *s, sim_tick now)
{
    return s->turned && now < s->turned + sample_window(s);
}

static void sample_over(struct prog_sampler *s, sim_tick now, bool last)
{
    end_sample(s, now);
    s->due = now + s->how->every - s->how->lead - s->how->length;
    if (last || !takes_pages(s, now)) {
        sample_freeze(s);
    } else {
        keep_sample(s, now);
        sample_enter(s, PAGES);
    }
}

static void pages_over(struct prog_sampler *s, sim_tick now, bool last)
{
    s->now.paged += now - s->begin;
    if (last || now < s->due)
        sample_freeze(s);
    else
        sample_enter(s, LEAD);
}

/* What ends when its date has come, or with all that is measured. */
static void sample_end(struct prog_sampler *s, sim_tick now, bool last)
{
    switch (s->part) {
    case WARM:
        if (last) /* whoever waits goes on functionally: a timed machine would have to rest first */
            count_warming(s, now);
        else
            end_warming(s, now);
        sample_enter(s, last ? OVER : LEAD);
        break;
    case PAGES:
        pages_over(s, now, last);
        break;
    case LEAD:
        if (last) {
            sample_freeze(s);
        } else {
            begin_sample(s, now);
            sample_enter(s, SAMPLE);
        }
        break;
    case SAMPLE:
        if (last || s->halved)
            sample_over(s, now, last);
        else
            halve_sample(s);
        break;
    default:
        break;
    }
}

bool prog_sampler_step(struct prog_sampler *s, bool last)
{
    const sim_tick now = nm_machine_now(sample_machine(s));
    const bool taken = look_at_pages(s, now);
    if (last)
        end_part(s);
    if (last || now >= prog_sampler_date(s)) {
        sample_end(s, now, last);
    } else if (s->part == WARM && taken) {
        end_warming(s, now);
        sample_enter(s, PAGES);
    }
    if (s->part == REST && nm_machine_rests(sample_machine(s)))
        sample_rested(s, now, last);
    return s->part != OVER;
}
