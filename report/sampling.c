/*
 * The estimate is the simulated time itself: between samples it passes as the samples before say
 * (programs/sample.c). How good that is the samples tell: each of them has waited so long for its
 * lines, and would have been said to wait another time. The difference, as a share of all its
 * processors' time, is one observation of the error of the stretches around it; their mean and
 * their standard error give the interval, in the manner of SMARTS [Wunderlich et al., ISCA 2003].
 *
 * What a request takes is not all that can be wrong: who gets a line, and when, is decided
 * otherwise between samples. So each stretch is held against the samples on both its sides. Phases
 * of the program make them differ now one way and now the other; a warmed machine that gets on at
 * another pace makes them differ one way.
 */
#include "report/sampling.h"

#include "report/grid.h"

#include <inttypes.h>
#include <math.h>

enum { FEW = 10 /* samples, below which nothing is said of the error */ };
static const double T95 = 1.96;
static const double MOST = 0.1;      /* half an interval, as a share, of an estimate to trust */
static const double SLEEPS = 1e-4;   /* [per PCycle] of all threads, likewise */
static const double PACE = 0.02;     /* difference of rates, as a share, likewise, if ... */
static const double SURE = 3;        /* ... it is so many standard errors */
static const double CONTENDED = 0.2; /* share of time in requests that are refused, likewise */
/* What warming may be wrong by, as a share of the time in requests that are refused, in others, and
 * of all time that is not timed: measured (docs/sampling.md). */
static const double REFUSED_ERROR = 0.25, WAITED_ERROR = 0.05, MODEL_ERROR = 0.01;

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

/* [per PCycle] of all processors */
static double rate(uint64_t instructions, sim_tick time)
{
    return time ? (double)instructions / (double)time : 0;
}

static double rate_in(const struct prog_sample *s)
{
    return rate(s->instructions, s->to - s->from);
}

/* By how much a stretch was faster than the samples on both sides of it. */
static double lead_of(const struct prog_sample *behind)
{
    return rate(behind->warmed_instructions, behind->warmed) -
           (rate_in(behind - 1) + rate_in(behind)) / 2;
}

/* Mean and standard error of what samples say, without the first one, which has nothing in front of
 * it. Precondition: there are three at least. */
static void mean_of(const struct prog_outcome *out, double (*says)(const struct prog_sample *s),
                    double *mean, double *error)
{
    const double n = (double)out->samples - 1;
    double sum = 0, squares = 0;
    for (size_t i = 1; i < out->samples; i++) {
        const double x = says(&out->sample[i]);
        sum += x;
        squares += x * x;
    }
    *mean = sum / n;
    *error = sqrt(fmax(0, squares / n - *mean * *mean) / (n - 1));
}

static void compare_rates(const struct prog_outcome *out, struct rep_estimate *e)
{
    double inside, error;
    mean_of(out, rate_in, &inside, &error);
    mean_of(out, lead_of, &e->faster, &e->faster_error);
    e->faster = inside > 0 ? e->faster / inside : 0;
    e->faster_error = inside > 0 ? e->faster_error / inside : 0;
}

static void add_up(const struct prog_outcome *out, struct rep_estimate *e)
{
    double timed = 0, refused = 0, waited = 0, time = 0;
    for (size_t i = 0; i < out->samples; i++) {
        const struct prog_sample *s = &out->sample[i];
        timed += (double)(s->to - s->from + s->lead);
        refused += (double)s->refused;
        time += time_of(s);
        waited += (double)s->took;
        e->pcycles -= s->to < out->sampled_to ? (double)s->rest : 0;
    }
    e->sleeps = e->pcycles > 0 ? (double)out->sleeps / e->pcycles : 0;
    e->timed = e->pcycles > 0 ? timed / e->pcycles : 0;
    e->refused = time > 0 ? refused / time : 0;
    e->waited = time > 0 ? waited / time : 0;
}

static const char *why_not(const struct rep_estimate *e)
{
    if (e->samples < FEW)
        return "there are too few samples";
    if (e->refused > CONTENDED)
        return "its processors contend for lines, which between samples is no more than a guess";
    if (e->sleeps > SLEEPS)
        return "its threads sleep often, and warming lets them wait too long";
    if (fabs(e->faster) > fmax(PACE, SURE * e->faster_error))
        return e->faster > 0 ? "between samples its processors get on faster than in them"
                             : "between samples its processors get on more slowly than in them";
    return e->half_width > MOST * e->pcycles ? "the interval is wide" : NULL;
}

struct rep_estimate rep_estimate(const struct rep_run *run)
{
    const struct prog_outcome *out = &run->outcome;
    struct rep_estimate e = {.samples = out->samples,
                             .pcycles = (double)(out->sampled_to - out->sampled_from)};
    double mean, error;
    add_up(out, &e);
    if (e.samples >= FEW) {
        mean_of(out, shortfall, &mean, &error);
        compare_rates(out, &e);
        e.half_width = (1 - e.timed) * e.pcycles *
                       (fabs(mean) + T95 * error + REFUSED_ERROR * e.refused +
                        WAITED_ERROR * e.waited + MODEL_ERROR);
    }
    e.unsuited = why_not(&e);
    return e;
}

void rep_write_sampling(const struct rep_run *run, FILE *out)
{
    const struct prog_outcome *o = &run->outcome;
    fputs("from,to,lead,rest,processors,instructions,requests,refused,took,expected,warmed,"
          "warmed_instructions\r\n",
          out);
    for (size_t i = 0; i < o->samples; i++) {
        const struct prog_sample *s = &o->sample[i];
        fprintf(out,
                "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%" PRIu64 ",%" PRIu64
                ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\r\n",
                s->from, s->to, s->lead, s->rest, s->processors, s->instructions, s->requests,
                s->refused, s->took, s->expected, s->warmed, s->warmed_instructions);
    }
}

json_t *rep_estimate_json(const struct rep_run *run)
{
    const struct rep_estimate e = rep_estimate(run);
    return json_pack("{s:f,s:o,s:I,s:f,s:f,s:f,s:f,s:f,s:o}", "pcycles", e.pcycles, "half_width",
                     e.half_width > 0 ? json_real(e.half_width) : json_null(), "samples",
                     (json_int_t)e.samples, "timed", e.timed, "refused", e.refused, "sleeps",
                     e.sleeps, "faster", e.faster, "faster_error", e.faster_error, "unsuited",
                     e.unsuited ? json_string(e.unsuited) : json_null());
}

/* ---- as statistics --------------------------------------------------------------------------- */

void rep_sampling_walk(const struct rep_run *run, rep_stat_fn *fn, void *ctx)
{
    const struct rep_estimate e = rep_estimate(run);
    const struct {
        const char *name, *unit, *desc;
        double value;
    } rows[] = {
        {"sampling.estimate", "PCycles", "what the part would have taken, had it been timed",
         e.pcycles},
        {"sampling.half_width", "PCycles", "of the interval around it (docs/sampling.md)",
         e.half_width > 0 ? e.half_width : NAN},
        {"sampling.samples", "samples", "parts that were timed", (double)e.samples},
        {"sampling.timed", "%", "share of the estimate that was simulated in detail",
         100 * e.timed},
        {"sampling.refused", "%", "share of time in samples that went to refused requests",
         100 * e.refused},
        {"sampling.sleeps", "/PCycle", "times a thread went to sleep", e.sleeps},
        {"sampling.faster", "%", "more instructions of a PCycle between samples than in them",
         100 * e.faster},
        {"sampling.faster_error", "%", "standard error of that", 100 * e.faster_error},
        {"sampling.unsuited", "flag", "1: the estimate is not to be trusted", e.unsuited ? 1 : 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fn(ctx,
           &(struct rep_stat){.component = "machine",
                              .name = rows[i].name,
                              .unit = rows[i].unit,
                              .desc = rows[i].desc,
                              .real = true,
                              .derived = true,
                              .value = rows[i].value,
                              .reason = isnan(rows[i].value) ? "there are too few samples" : NULL});
}

/* ---- for people ------------------------------------------------------------------------------ */

const char *rep_tilde(const struct rep_run *run)
{
    return rep_sampling_is(run) ? "~" : "";
}

/* Whether there is more to the run than what was sampled. */
static bool is_part(const struct rep_run *run)
{
    const struct prog_approach *a = &run->experiment->approach;
    return a->from.kind != PROG_AT_NONE || a->to.kind != PROG_AT_NONE;
}

static void print_samples(const struct rep_run *run, FILE *out)
{
    const struct rep_estimate e = rep_estimate(run);
    char pcycles[32];
    fprintf(out, "  sampled: the estimate%s is %s PCycles", is_part(run) ? " of the part" : "",
            rep_grouped((uint64_t)(e.pcycles + 0.5), pcycles));
    if (e.half_width > 0)
        fprintf(out, " +- %.1f %% as far as samples tell", 100 * e.half_width / e.pcycles);
    fprintf(out, ", from %zu sample%s; %.1f %% of the time was simulated in detail\n", e.samples,
            e.samples == 1 ? "" : "s", 100 * e.timed);
    if (e.unsuited)
        fprintf(out, "  do not trust it: %s (docs/sampling.md)\n", e.unsuited);
    fputs("  ~ marks estimates; other counts, but of instructions, are those while it was timed\n",
          out);
}

void rep_print_estimate(const struct rep_run *run, FILE *out)
{
    const struct rep_region *whole = &run->region[0];
    char some[32], all[32];
    if (rep_sampling_is(run))
        print_samples(run, out);
    if (run->parted)
        fprintf(out, "  rates and ratios are of what was timed: %s of %s PCycles\n",
                rep_grouped(rep_region_measured(whole)->elapsed, some),
                rep_grouped(whole->elapsed, all));
}

void rep_warn_estimate(const struct rep_run *run, FILE *out)
{
    const char *unsuited = rep_sampling_is(run) ? rep_estimate(run).unsuited : NULL;
    if (unsuited)
        fprintf(out, "numachine: warning: do not trust the estimate of this sampled run: %s\n",
                unsuited);
}
