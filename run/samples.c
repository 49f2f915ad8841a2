/*
 * Samples of the counters.
 *
 * The one hard idea: totals are kept, not differences. Dropping a sample then loses nothing but
 * resolution, so memory stays bounded however long the run becomes.
 */
#include "run/samples.h"

#include "base/alloc.h"
#include "run/observer.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES_MAX = 4096,      /**< kept at most ... */
    SAMPLES_MIN = 64,        /**< ... and at least, however large the machine */
    SAMPLES_WORDS = 4 << 20, /**< [words] for all of them */
};

static void read_totals(const struct doc_run *run, const struct doc_sample *now, uint64_t *total)
{
    for (unsigned i = 0; i < run->choice.count; i++)
        for (unsigned c = 0; c < run->cards; c++)
            *total++ = doc_event_at(run, now, c, run->choice.event[i]);
}

void run_samples_init(struct doc_samples *samples, const struct doc_run *run, sim_tick interval,
                      const struct doc_sample *now)
{
    *samples = (struct doc_samples){.words = (size_t)run->choice.count * run->cards};
    if (interval == SIM_NEVER || !samples->words)
        return;
    size_t room = SAMPLES_WORDS / samples->words;
    room = room > SAMPLES_MAX ? SAMPLES_MAX : room < SAMPLES_MIN ? SAMPLES_MIN : room & ~(size_t)1;
    samples->interval = samples->next = interval;
    samples->room = room;
    samples->at = sim_alloc(room + 1, sizeof *samples->at);
    samples->total = sim_alloc((room + 1) * samples->words, sizeof *samples->total);
    samples->first = sim_alloc(samples->words, sizeof *samples->first);
    read_totals(run, now, samples->first);
}

void run_samples_free(struct doc_samples *samples)
{
    free(samples->at);
    free(samples->total);
    free(samples->first);
    *samples = (struct doc_samples){0};
}

static void samples_append(struct doc_samples *s, const struct doc_run *run, sim_tick at,
                           const struct doc_sample *now)
{
    s->at[s->count] = at;
    read_totals(run, now, &s->total[s->count * s->words]);
    s->count++;
}

/* Keeps the second, fourth, ... sample. */
static void samples_halve(struct doc_samples *s)
{
    s->count /= 2;
    for (size_t i = 0; i < s->count; i++) {
        s->at[i] = s->at[2 * i + 1];
        memcpy(&s->total[i * s->words], &s->total[(2 * i + 1) * s->words],
               s->words * sizeof *s->total);
    }
    s->interval *= 2;
    s->doubled++;
}

/* The first multiple of the interval after the last sample. */
static void set_next(struct doc_samples *s)
{
    const sim_tick last = s->count ? s->at[s->count - 1] : 0;
    s->next = last - last % s->interval + s->interval;
}

void run_samples_take(struct doc_samples *samples, const struct doc_run *run, sim_tick at,
                      const struct doc_sample *now)
{
    if (!samples->interval || at < samples->next)
        return;
    if (samples->count == samples->room) {
        samples_halve(samples);
        set_next(samples);
    }
    if (at < samples->next)
        return;
    samples_append(samples, run, at, now);
    set_next(samples);
}

void run_samples_finish(struct doc_samples *samples, struct doc_run *run, sim_tick at,
                        const struct doc_sample *now)
{
    if (!samples->interval)
        return;
    if (!samples->count)
        doc_remark(run, "the run ended within monitor.interval: its one sample is the whole run");
    if (!samples->count || samples->at[samples->count - 1] < at)
        samples_append(samples, run, at, now);
    if (samples->doubled)
        doc_remark(run, "at most %zu samples are kept, so the interval became %llu PCycles",
                   samples->room, (unsigned long long)samples->interval);
}

/* ---- a run's own ----------------------------------------------------------------------------- */

struct sampler {
    struct doc_samples samples;
    struct run_live *live;
};

static bool sampler_wants(const struct run_live *live)
{
    return live->experiment->interval != SIM_NEVER;
}

static enum run_begun sampler_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct sampler *s = self;
    (void)why, (void)size;
    s->live = live;
    run_samples_init(&s->samples, &live->run, live->experiment->interval, run_totals(live));
    return RUN_BEGUN;
}

static sim_tick sampler_first(void *self)
{
    const struct sampler *s = self;
    return s->samples.interval ? s->samples.next : SIM_NEVER;
}

static sim_tick sampler_moment(void *self, sim_tick at)
{
    struct sampler *s = self;
    run_samples_take(&s->samples, &s->live->run, at, run_totals(s->live));
    return s->samples.next;
}

static void sampler_finish(void *self, sim_tick at)
{
    struct sampler *s = self;
    run_samples_finish(&s->samples, &s->live->run, at, run_totals(s->live));
}

static bool sampler_has_any(const void *self)
{
    return ((const struct sampler *)self)->samples.interval;
}

static void sampler_write(void *self, FILE *out)
{
    struct sampler *s = self;
    doc_write_samples(&s->samples, &s->live->run, out);
}

static void sampler_release(void *self)
{
    run_samples_free(&((struct sampler *)self)->samples);
}

static const struct run_file sampler_files[] = {
    {.name = DOC_SAMPLES, .write = sampler_write, .is_there = sampler_has_any}, {0}};

const struct run_observer run_samples = {
    .size = sizeof(struct sampler),
    .wants = sampler_wants,
    .begin = sampler_begin,
    .first = sampler_first,
    .moment = sampler_moment,
    .finish = sampler_finish,
    .file = sampler_files,
    .release = sampler_release,
};
