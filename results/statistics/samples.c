/*
 * Samples of the counters.
 *
 * The one hard idea: totals are kept, not differences. Dropping a sample then loses nothing but
 * resolution, so memory stays bounded however long the run becomes.
 */
#include "results/statistics/samples.h"

#include "base/alloc.h"
#include "results/statistics/stats.h"

#include <stdlib.h>
#include <string.h>

enum {
    SAMPLES_MAX = 4096,      /**< kept at most ... */
    SAMPLES_MIN = 64,        /**< ... and at least, however large the machine */
    SAMPLES_WORDS = 4 << 20, /**< [words] for all of them */
};

static void read_totals(const struct res_run *run, const struct res_sample *now, uint64_t *total)
{
    for (unsigned i = 0; i < run->choice.count; i++)
        for (unsigned c = 0; c < run->cards; c++)
            *total++ = res_event_at(run, now, c, run->choice.event[i]);
}

void run_samples_init(struct res_samples *samples, const struct res_run *run, sim_tick interval,
                      const struct res_sample *now)
{
    *samples = (struct res_samples){.words = (size_t)run->choice.count * run->cards};
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

void run_samples_free(struct res_samples *samples)
{
    free(samples->at);
    free(samples->total);
    free(samples->first);
    *samples = (struct res_samples){0};
}

static void append(struct res_samples *s, const struct res_run *run, sim_tick at,
                   const struct res_sample *now)
{
    s->at[s->count] = at;
    read_totals(run, now, &s->total[s->count * s->words]);
    s->count++;
}

/* Keeps the second, fourth, ... sample. */
static void halve(struct res_samples *s)
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
static void set_next(struct res_samples *s)
{
    const sim_tick last = s->count ? s->at[s->count - 1] : 0;
    s->next = last - last % s->interval + s->interval;
}

void run_samples_take(struct res_samples *samples, const struct res_run *run, sim_tick at,
                      const struct res_sample *now)
{
    if (!samples->interval || at < samples->next)
        return;
    if (samples->count == samples->room) {
        halve(samples);
        set_next(samples);
    }
    if (at < samples->next)
        return;
    append(samples, run, at, now);
    set_next(samples);
}

void run_samples_finish(struct res_samples *samples, struct res_run *run, sim_tick at,
                        const struct res_sample *now)
{
    if (!samples->interval)
        return;
    if (!samples->count)
        res_remark(run, "the run ended within monitor.interval: its one sample is the whole run");
    if (!samples->count || samples->at[samples->count - 1] < at)
        append(samples, run, at, now);
    if (samples->doubled)
        res_remark(run, "at most %zu samples are kept, so the interval became %llu PCycles",
                   samples->room, (unsigned long long)samples->interval);
}

/* ---- the file -------------------------------------------------------------------------------- */

/* Name of who sees an event's count at card `c`, or NULL if an earlier card has said it. */
static const char *component_of(const struct res_run *run, enum mon_scope scope, unsigned c,
                                char buf[64])
{
    const unsigned station = c / run->per_station, ring = c / res_per_ring(run);
    const unsigned heads[] = {[MON_SCOPE_CARD] = 1,
                              [MON_SCOPE_STATION] = run->per_station,
                              [MON_SCOPE_RING] = res_per_ring(run),
                              [MON_SCOPE_MACHINE] = run->cards};
    if (c % heads[scope])
        return NULL;
    if (scope == MON_SCOPE_CARD)
        snprintf(buf, 64, "machine.station[%u].card[%u]", station, c % run->per_station);
    else if (scope == MON_SCOPE_STATION)
        snprintf(buf, 64, "machine.station[%u]", station);
    else if (scope == MON_SCOPE_RING)
        snprintf(buf, 64, "machine.ring[0][%u]", ring);
    else
        snprintf(buf, 64, "machine");
    return buf;
}

static void write_sample(const struct res_samples *s, const struct res_run *run, size_t i,
                         FILE *out)
{
    const uint64_t *now = &s->total[i * s->words];
    const uint64_t *before = i ? now - s->words : s->first;
    const unsigned long long begin = i ? s->at[i - 1] : 0, end = s->at[i];
    char component[64];
    for (size_t w = 0; w < s->words; w++) {
        const struct mon_event *e = &run->unit->events[run->choice.event[w / run->cards]];
        const uint64_t count = now[w] - before[w];
        if (count && component_of(run, e->scope, (unsigned)(w % run->cards), component))
            fprintf(out, "%llu,%llu,%s,monitor.%s,%llu,%s\r\n", begin, end, component, e->name,
                    (unsigned long long)count, e->unit);
    }
}

void res_write_samples(const struct res_samples *samples, const struct res_run *run, FILE *out)
{
    fputs("begin_tick,end_tick,component,stat,value,unit\r\n", out);
    for (size_t i = 0; i < samples->count; i++)
        write_sample(samples, run, i, out);
}
