/*
 * The estimate is the simulated time itself: between samples it passes as the samples before say
 * (programs/sample.c). How good that is the samples tell: each of them has waited so long for its
 * lines, and would have been said to wait another time. The difference, as a share of all its
 * processors' time, is one observation of the error of the stretches around it; their mean and
 * their standard error give the interval, in the manner of SMARTS [Wunderlich et al., ISCA 2003].
 */
#include "report/sampling.h"

#include "report/grid.h"

#include <inttypes.h>
#include <math.h>

#define FEW         10 /* samples, below which nothing is said of the error */
#define TEXT(x)     #x
#define REP_TEXT(x) TEXT(x)

static const double CONFIDENCE = 0.95, T95 = 1.96;
static const double MOST = 0.05;     /* half an interval, as a share, of an estimate to trust */
static const double CONTENDED = 0.1; /* share of time in requests that are refused, likewise */
static const double REFUSED_ERROR = 0.25; /* of that time, that warming may be wrong by, ... */
static const double MODEL_ERROR = 0.01;   /* ... and of all time that is not timed: measured
                                             (docs/sampling.md) */

bool rep_sampling_is(const struct rep_run *run)
{
    return run->experiment->approach.sampling.every != 0;
}

/* [processors x PCycles] */
static double time_of(const struct prog_sample *s)
{
    return (double)(s->to - s->from) * s->processors;
}

/* What the stretches around a sample may have been too short by, as a share of their time. */
static double shortfall(const struct prog_sample *s)
{
    return s->processors ? ((double)s->took - (double)s->expected) / time_of(s) : 0;
}

/* Mean and standard error of it, without the first sample, before which nothing was known. */
static void mean_of(const struct prog_outcome *out, double *mean, double *error)
{
    const double n = (double)out->samples - 1;
    double sum = 0, squares = 0;
    for (size_t i = 1; i < out->samples; i++) {
        const double x = shortfall(&out->sample[i]);
        sum += x;
        squares += x * x;
    }
    *mean = sum / n;
    *error = sqrt(fmax(0, squares / n - *mean * *mean) / (n - 1));
}

static void add_up(const struct prog_outcome *out, struct rep_estimate *e)
{
    double timed = 0, refused = 0, time = 0;
    for (size_t i = 0; i < out->samples; i++) {
        const struct prog_sample *s = &out->sample[i];
        timed += (double)(s->to - s->from + s->lead);
        refused += (double)s->refused;
        time += time_of(s);
        e->pcycles -= (double)s->rest;
    }
    e->timed = e->pcycles > 0 ? timed / e->pcycles : 0;
    e->refused = time > 0 ? refused / time : 0;
}

static const char *why_not(const struct rep_estimate *e)
{
    if (e->samples < FEW)
        return "there are fewer than " REP_TEXT(FEW) " samples";
    if (e->refused > CONTENDED)
        return "its processors contend for lines, which between samples is no more than a guess";
    return e->half_width > MOST * e->pcycles ? "samples differ too much from each other" : NULL;
}

struct rep_estimate rep_estimate(const struct rep_run *run)
{
    const struct prog_outcome *out = &run->outcome;
    struct rep_estimate e = {.samples = out->samples, .pcycles = (double)out->ticks};
    double mean, error;
    add_up(out, &e);
    if (e.samples >= FEW) {
        mean_of(out, &mean, &error);
        e.half_width = (1 - e.timed) * e.pcycles *
                       (fabs(mean) + T95 * error + REFUSED_ERROR * e.refused + MODEL_ERROR);
    }
    e.unsuited = why_not(&e);
    return e;
}

void rep_write_sampling(const struct rep_run *run, FILE *out)
{
    const struct prog_outcome *o = &run->outcome;
    fputs("from,to,lead,rest,processors,instructions,requests,refused,took,expected\r\n", out);
    for (size_t i = 0; i < o->samples; i++) {
        const struct prog_sample *s = &o->sample[i];
        fprintf(out,
                "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64
                ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n",
                s->from, s->to, s->lead, s->rest, s->processors, s->instructions, s->requests,
                s->refused, s->took, s->expected);
    }
}

json_t *rep_estimate_json(const struct rep_run *run)
{
    const struct rep_estimate e = rep_estimate(run);
    return json_pack("{s:f,s:o,s:f,s:I,s:f,s:f,s:o}", "pcycles", e.pcycles, "half_width",
                     e.half_width > 0 ? json_real(e.half_width) : json_null(), "confidence",
                     CONFIDENCE, "samples", (json_int_t)e.samples, "timed", e.timed, "refused",
                     e.refused, "unsuited", e.unsuited ? json_string(e.unsuited) : json_null());
}

void rep_print_estimate(const struct rep_run *run, FILE *out)
{
    const struct rep_estimate e = rep_estimate(run);
    char pcycles[32];
    fprintf(out, "  sampled: the estimate is %s PCycles",
            rep_grouped((uint64_t)(e.pcycles + 0.5), pcycles));
    if (e.half_width > 0)
        fprintf(out, " +- %.1f %% (with %g %% confidence)", 100 * e.half_width / e.pcycles,
                100 * CONFIDENCE);
    fprintf(out, ", from %zu samples; %.1f %% of the time was simulated in detail\n", e.samples,
            100 * e.timed);
    if (e.unsuited)
        fprintf(out, "  do not trust it: %s (docs/sampling.md)\n", e.unsuited);
}
