/*
 * The estimate is the simulated time itself: between samples it passes as the samples before say
 * (programs/sample.c). How good that is the samples tell: each of them has waited so long for its
 * lines, and would have been said to wait another time. The difference, as a share of all its
 * processors' time, is one observation of the error of the stretches around it; their mean and
 * their standard error give the interval, in the manner of SMARTS [Wunderlich et al., ISCA 2003].
 */
#include "report/sampling.h"

#include <inttypes.h>
#include <math.h>

enum { FEW = 10 /* samples, below which nothing is said of the error */ };
static const double T95 = 1.96, MOST = 0.03; /* of what the interval may be, to be trusted */

bool rep_sampling_is(const struct rep_run *run)
{
    return run->experiment->approach.sampling.every != 0;
}

/* What the stretches around a sample may have been too short by, as a share of their time. */
static double shortfall(const struct prog_sample *s)
{
    const double time = (double)(s->to - s->from) * s->processors;
    return time > 0 ? ((double)s->took - (double)s->expected) / time : 0;
}

/* Without the first, before which nothing was known. */
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

struct rep_estimate rep_estimate(const struct rep_run *run)
{
    const struct prog_outcome *out = &run->outcome;
    struct rep_estimate e = {.samples = out->samples, .pcycles = (double)out->ticks};
    double timed = 0, mean, error;
    for (size_t i = 0; i < out->samples; i++) {
        const struct prog_sample *s = &out->sample[i];
        timed += (double)(s->to - s->from + s->lead);
        e.pcycles -= (double)s->rest;
    }
    e.timed = e.pcycles > 0 ? timed / e.pcycles : 0;
    if (out->samples < FEW) {
        e.unsuited = "there are too few samples";
        return e;
    }
    mean_of(out, &mean, &error);
    e.bias = -mean;
    e.half_width = (1 - e.timed) * e.pcycles * (fabs(mean) + T95 * error);
    if (e.half_width > MOST * e.pcycles)
        e.unsuited = "samples differ too much from each other";
    return e;
}

void rep_write_sampling(const struct rep_run *run, FILE *out)
{
    const struct prog_outcome *o = &run->outcome;
    fputs("from,to,lead,rest,processors,instructions,requests,took,expected\r\n", out);
    for (size_t i = 0; i < o->samples; i++) {
        const struct prog_sample *s = &o->sample[i];
        fprintf(out,
                "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64
                ",%" PRIu64 ",%" PRIu64 "\r\n",
                s->from, s->to, s->lead, s->rest, s->processors, s->instructions, s->requests,
                s->took, s->expected);
    }
}

void rep_print_estimate(const struct rep_run *run, FILE *out)
{
    const struct rep_estimate e = rep_estimate(run);
    fprintf(out, "  estimate: %.0f PCycles", e.pcycles);
    if (e.half_width > 0)
        fprintf(out, " +- %.1f %% (95 %%)", 100 * e.half_width / e.pcycles);
    fprintf(out, ", from %zu samples; %.1f %% was timed\n", e.samples, 100 * e.timed);
    if (e.unsuited)
        fprintf(out, "  the program does not suit, or is too short: %s\n", e.unsuited);
}
