/*
 * The estimate is the simulated time itself: between samples it passes as the samples before say
 * (programs/sample.c). How far it is off, nobody knows; but three things can be seen of it, each
 * sample being one observation of the stretch ahead of it.
 *
 * - What requests took, and would have been said to take. Of those that are refused nothing is
 * said: between samples nobody waits for a line, so that all they take may be missing.
 * - What processors got done in a PCycle of the stretch, and in one of the samples on both sides of
 *   it. Phases of the program make these differ now one way and now the other; a warmed machine
 * that gets on at another pace makes them differ one way. That sees, too, what no request tells:
 * who gets a line, and when. Stores are what is counted, because who waits makes none.
 * - What they got done in the first half of a sample, and in the second. If that differs one way,
 *   samples begin before queues are as full as they will be.
 *
 * What is got done is counted in instructions, or in stores: who waits by looking again and again
 * makes none, but a program's stores may come in bursts. The surer of both counts.
 *
 * The first two are views of one error: that of a stretch against samples. The third is that of
 * samples against the machine. So the interval is the greater of the first two and the third, each
 * a mean and 1.96 standard errors, in the manner of SMARTS [Wunderlich et al., ISCA 2003].
 */
#include "documents/statistics/sampling.h"

#include "base/plural.h"
#include "documents/grid.h"

#include <inttypes.h>
#include <math.h>

enum { FEW = 10 /* samples, below which nothing is said of the error */ };
static const double T95 = 1.96;
static const double MOST = 0.1;      /* half an interval, as a share, of an estimate to trust */
static const double PACE = 0.02;     /* difference of paces, likewise, if ... */
static const double SURE = 3;        /* ... it is so many standard errors */
static const double CONTENDED = 0.2; /* share of time in requests that are refused, likewise */

bool doc_sampling_is(const struct doc_run *run)
{
    return run->experiment->approach.sampling.every != 0;
}

/* [processors x PCycles] */
static double sampling_time_of(const struct prog_sample *s)
{
    return (double)(s->to - s->from) * s->processors;
}

/* ---- what samples say of the error ------------------------------------------------------------
 */

/* What is got done can be counted in two ways. */
enum { INSTRUCTIONS, STORES, MEASURES };

struct measure {
    int by;
    double rate; /* [per PCycle] in samples */
};

/* Whatever a sample says of the error, it says of the stretch ahead of it: that is its weight. */
typedef double observed(const struct measure *m, const struct prog_sample *s);

static double sampling_count(const struct measure *m, const struct prog_done *done)
{
    return (double)(m->by == STORES ? done->stores : done->instructions);
}

/* [of the rate in samples] */
static double sampling_pace(const struct measure *m, double done, sim_tick time)
{
    return time && m->rate > 0 ? done / (double)time / m->rate : 0;
}

/* Requests took longer than they would have been said to take. */
static double requests_longer(const struct measure *m, const struct prog_sample *s)
{
    (void)m;
    return s->processors ? ((double)s->took - (double)s->expected) / sampling_time_of(s) : 0;
}

static double pace_in(const struct measure *m, const struct prog_sample *s)
{
    return sampling_pace(m, sampling_count(m, &s->done), s->to - s->from);
}

/* The stretch got on faster than the samples on both sides of it. */
static double faster_between(const struct measure *m, const struct prog_sample *s)
{
    return sampling_pace(m, sampling_count(m, &s->between), s->warmed) -
           (pace_in(m, s - 1) + pace_in(m, s)) / 2;
}

/* The second half of the sample got on more slowly than its first. */
static double slower_later(const struct measure *m, const struct prog_sample *s)
{
    return 2 * sampling_pace(m, 2 * sampling_count(m, &s->early) - sampling_count(m, &s->done),
                             s->to - s->from);
}

/* Mean and standard error, by weight. The first sample has nothing ahead of it.
 * Precondition: there are three at least. */
static struct doc_observed mean_of(const struct prog_outcome *out, const struct measure *m,
                                   observed *says)
{
    double sum = 0, weight = 0, squares = 0;
    for (size_t i = 1; i < out->samples; i++) {
        sum += (double)out->sample[i].warmed * says(m, &out->sample[i]);
        weight += (double)out->sample[i].warmed;
    }
    const double mean = weight > 0 ? sum / weight : 0, n = (double)out->samples - 1;
    for (size_t i = 1; i < out->samples; i++) {
        const double x = (double)out->sample[i].warmed * (says(m, &out->sample[i]) - mean);
        squares += x * x;
    }
    return (struct doc_observed){mean, weight > 0 ? sqrt(squares * n / (n - 1)) / weight : 0};
}

static struct measure measure_by(const struct prog_outcome *out, int by)
{
    struct measure m = {.by = by};
    double done = 0, time = 0;
    for (size_t i = 0; i < out->samples; i++) {
        done += sampling_count(&m, &out->sample[i].done);
        time += (double)(out->sample[i].to - out->sample[i].from);
    }
    m.rate = time > 0 ? done / time : 0;
    return m;
}

/* By the measure that is the surer one: that with the smaller standard error. A program that stores
 * nothing in samples has one. */
static struct doc_observed sampling_surer(const struct prog_outcome *out, observed *says)
{
    struct doc_observed best = {0};
    for (int by = 0; by < MEASURES; by++) {
        const struct measure m = measure_by(out, by);
        const struct doc_observed o = mean_of(out, &m, says);
        if (!by || (m.rate > 0 && o.error < best.error))
            best = o;
    }
    return best;
}

/* A share of the time, that it is not beyond as far as samples tell. */
static double sampling_bound(const struct doc_observed *o)
{
    return fabs(o->mean) + T95 * o->error;
}

static void sampling_observe(const struct prog_outcome *out, struct doc_estimate *e)
{
    const struct measure none = {0};
    e->longer = mean_of(out, &none, requests_longer);
    e->faster = sampling_surer(out, faster_between);
    e->slower = sampling_surer(out, slower_later);
}

static void add_up(const struct prog_outcome *out, struct doc_estimate *e)
{
    double timed = 0, refused = 0, time = 0;
    for (size_t i = 0; i < out->samples; i++) {
        const struct prog_sample *s = &out->sample[i];
        timed += (double)(s->to - s->from + s->lead + s->paged);
        refused += (double)s->refused;
        time += sampling_time_of(s);
    }
    e->sleeps = e->pcycles > 0 ? (double)out->sleeps / e->pcycles : 0;
    e->timed = e->pcycles > 0 ? timed / e->pcycles : 0;
    e->refused = time > 0 ? refused / time : 0;
}

static const char *other_pace(const struct doc_estimate *e)
{
    return e->faster.mean > 0 ? "between samples its processors get on faster than in them"
                              : "between samples its processors get on more slowly than in them";
}

/* What makes an interval wide. */
static const char *why_wide(const struct doc_estimate *e)
{
    const double longer = sampling_bound(&e->longer), faster = sampling_bound(&e->faster),
                 slower = sampling_bound(&e->slower);
    if (slower > fmax(longer + e->refused, faster))
        return "its samples have not settled: let run.sample.lead be longer";
    if (e->refused > fmax(longer, faster))
        return "its requests are refused often, and what they wait for is not simulated between "
               "samples";
    if (longer > faster)
        return "its requests take now more and now less time: take more samples";
    if (fabs(e->faster.mean) < T95 * e->faster.error)
        return "its samples are too unlike: take more of them";
    return other_pace(e);
}

static const char *why_unsuited(const struct doc_estimate *e)
{
    if (e->samples < FEW)
        return "there are too few samples";
    if (e->refused > CONTENDED)
        return "its processors contend for lines, which between samples is no more than a guess";
    if (e->sleeps * DOC_OFTEN > 1)
        return "its threads sleep often, and warming lets them wait too long";
    if (fabs(e->faster.mean) > fmax(PACE, SURE * e->faster.error))
        return other_pace(e);
    return e->half_width > MOST * e->pcycles ? why_wide(e) : NULL;
}

struct doc_estimate doc_estimate(const struct doc_run *run)
{
    const struct prog_outcome *out = &run->outcome;
    struct doc_estimate e = {.samples = out->samples,
                             .pcycles = (double)(out->sampled_to - out->sampled_from - out->stood)};
    add_up(out, &e);
    if (e.samples >= FEW) {
        sampling_observe(out, &e);
        e.half_width = (1 - e.timed) * e.pcycles *
                       (fmax(sampling_bound(&e.longer) + e.refused, sampling_bound(&e.faster)) +
                        sampling_bound(&e.slower));
    }
    e.unsuited = why_unsuited(&e);
    return e;
}

void doc_write_sampling(const struct doc_run *run, FILE *out)
{
    const struct prog_outcome *o = &run->outcome;
    fputs("from,to,paged,lead,rest,warmed,processors,instructions,stores,early_instructions,"
          "early_stores,warmed_instructions,warmed_stores,requests,refused,took,expected\r\n",
          out);
    for (size_t i = 0; i < o->samples; i++) {
        const struct prog_sample *s = &o->sample[i];
        const uint64_t field[] = {s->from,           s->to,
                                  s->paged,          s->lead,
                                  s->rest,           s->warmed,
                                  s->processors,     s->done.instructions,
                                  s->done.stores,    s->early.instructions,
                                  s->early.stores,   s->between.instructions,
                                  s->between.stores, s->requests,
                                  s->refused,        s->took,
                                  s->expected};
        for (size_t f = 0; f < sizeof field / sizeof *field; f++)
            fprintf(out, "%s%" PRIu64, f ? "," : "", field[f]);
        fputs("\r\n", out);
    }
}

json_t *doc_estimate_json(const struct doc_run *run)
{
    const struct doc_estimate e = doc_estimate(run);
    return json_pack("{s:f,s:o,s:I,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:f,s:o}", "pcycles", e.pcycles,
                     "half_width", e.half_width > 0 ? json_real(e.half_width) : json_null(),
                     "samples", (json_int_t)e.samples, "timed", e.timed, "refused", e.refused,
                     "sleeps", e.sleeps, "longer", e.longer.mean, "longer_error", e.longer.error,
                     "faster", e.faster.mean, "faster_error", e.faster.error, "slower",
                     e.slower.mean, "slower_error", e.slower.error, "unsuited",
                     e.unsuited ? json_string(e.unsuited) : json_null());
}

/* ---- as statistics --------------------------------------------------------------------------- */

void doc_sampling_walk(const struct doc_run *run, doc_stat_fn *fn, void *ctx)
{
    const struct doc_estimate e = doc_estimate(run);
    const struct {
        const char *name, *unit, *desc;
        double value;
    } rows[] = {
#define SAMPLING(name, unit, sentence, value) {"sampling." #name, unit, sentence, value},
#include "documents/statistics/sampling.def"
#undef SAMPLING
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fn(ctx,
           &(struct doc_stat){.component = "machine",
                              .name = rows[i].name,
                              .unit = rows[i].unit,
                              .desc = rows[i].desc,
                              .real = true,
                              .derived = true,
                              .value = rows[i].value,
                              .reason = isnan(rows[i].value) ? "there are too few samples" : NULL});
}

/* ---- for people ------------------------------------------------------------------------------ */

const char *doc_tilde(const struct doc_run *run)
{
    return doc_sampling_is(run) ? "~" : "";
}

/* Whether there is more to the run than what was sampled. */
static bool sampling_is_part(const struct doc_run *run)
{
    const struct prog_approach *a = &run->experiment->approach;
    return a->from.kind != PROG_AT_NONE || a->to.kind != PROG_AT_NONE;
}

static void print_samples(const struct doc_run *run, FILE *out)
{
    const struct doc_estimate e = doc_estimate(run);
    char pcycles[32];
    fprintf(out, "  sampled: the estimate%s is %s PCycles",
            sampling_is_part(run) ? " of the part" : "",
            doc_grouped((uint64_t)(e.pcycles + 0.5), pcycles));
    if (e.half_width > 0)
        fprintf(out, " +- %.1f %% as far as samples tell", 100 * e.half_width / e.pcycles);
    fprintf(out, ", from %zu sample%s; %.1f %% of the time was simulated in detail\n", e.samples,
            sim_plural(e.samples), 100 * e.timed);
    if (e.unsuited)
        fprintf(out, "  do not trust it: %s (docs/sampling.md)\n", e.unsuited);
    fputs("  ~ marks estimates; other counts, but of instructions, are those while it was timed\n",
          out);
}

/* A row of the truth of what was timed. */
static uint64_t timed_sum(const struct doc_run *run, enum in_truth row)
{
    return doc_truth_row(doc_region_measured(&run->region[0]),
                         (struct doc_level){.count = run->cards}, row);
}

/* Processors do little else than hand each other lines, and get in each other's way with it. */
static bool hands_over(const struct doc_run *run)
{
    enum { MOST_OF = 2, SOME_OF = 10 };
    const uint64_t refused = timed_sum(run, IN_TRUTH_nacks_locked) +
                             timed_sum(run, IN_TRUTH_nacks_no_room) +
                             timed_sum(run, IN_TRUTH_nacks_no_turn);
    return timed_sum(run, IN_TRUTH_upgrades) * MOST_OF > timed_sum(run, IN_TRUTH_stores) &&
           refused * SOME_OF > timed_sum(run, IN_TRUTH_requests);
}

/* Why a part that a fast-forward has led to may take another time next time; NULL: nothing is known
 * of that. */
static const char *part_hangs(const struct doc_run *run)
{
    if (run->experiment->approach.from.kind == PROG_AT_NONE || doc_sampling_is(run))
        return NULL;
    if (timed_sum(run, IN_TRUTH_sleeps) * DOC_OFTEN > doc_region_measured(&run->region[0])->elapsed)
        return "threads sleep often";
    return hands_over(run) ? "most stores are to lines that others have read since, and requests "
                             "are refused"
                           : NULL;
}

void doc_print_estimate(const struct doc_run *run, FILE *out)
{
    const struct doc_region *whole = &run->region[0];
    const char *why = part_hangs(run);
    char some[32], all[32];
    if (doc_sampling_is(run))
        print_samples(run, out);
    if (run->outcome.page_turns)
        fprintf(
            out,
            "  before the part processors took pages from each other %s times: which lies where "
            "hangs on single PCycles (docs/approach.md)\n",
            doc_grouped(run->outcome.page_turns, some));
    if (why)
        fprintf(out,
                "  in the part %s: who comes first hangs on single PCycles, and with it how long "
                "the part takes (docs/approach.md)\n",
                why);
    if (run->parted)
        fprintf(out, "  rates and ratios are of what was timed: %s of %s PCycles\n",
                doc_grouped(doc_region_measured(whole)->elapsed, some),
                doc_grouped(whole->elapsed, all));
}

void doc_note_estimate(const struct doc_run *run, FILE *out)
{
    if (!doc_sampling_is(run))
        return;
    const struct doc_estimate e = doc_estimate(run);
    char pcycles[32], width[32] = "";
    if (e.half_width > 0)
        snprintf(width, sizeof width, " +- %.1f %%", 100 * e.half_width / e.pcycles);
    fprintf(out, "numachine: note: the run was sampled: ~%s PCycles%s\n",
            doc_grouped((uint64_t)(e.pcycles + 0.5), pcycles), width);
    if (e.unsuited)
        fprintf(out, "numachine: warning: do not trust the estimate of this sampled run: %s\n",
                e.unsuited);
}
