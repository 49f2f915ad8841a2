/*
 * What phases come to, as a table on the program's standard output, worked out in integers, and as
 * figures of their regions (figures.def). Both are made of sums, so that they are the same
 * everywhere.
 */
#include "programs/patterns/parts.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 22 /**< [PCycles] longer waits are told apart no more, but in their sum */ };

void patterns_note(struct patterns_sums *sums, uint64_t latency)
{
    sums->wait += latency;
    latency = latency < MOST ? latency : MOST;
    if (latency >= sums->latencies) {
        const size_t grown = latency + latency / 2 + 64;
        sums->latency = sim_grow(sums->latency, grown, sizeof *sums->latency);
        memset(sums->latency + sums->latencies, 0,
               (grown - sums->latencies) * sizeof *sums->latency);
        sums->latencies = grown;
    }
    sums->latency[latency]++;
}

/** References that waited. */
static uint64_t who_waited(const struct patterns_sums *sums)
{
    uint64_t count = 0;

    for (size_t i = 1; i < sums->latencies; i++)
        count += sums->latency[i];
    return count;
}

/** The wait that so many per cent of those who waited do not exceed. */
static void put_percentile(FILE *out, const struct patterns_sums *sums, uint64_t count,
                           unsigned percent)
{
    uint64_t below = 0;
    size_t i = 1;

    while ((below += sums->latency[i]) * 100 < count * percent)
        i++;
    if (i < MOST)
        fprintf(out, " %7zu", i);
    else
        fprintf(out, " >%d", MOST - 1);
}

/** A quotient with `digits` digits behind its point, rounded down; of nothing a dash. */
static void put_quotient(FILE *out, int width, uint64_t numerator, uint64_t denominator, int digits)
{
    unsigned __int128 value = numerator;
    uint64_t one = 1;
    char text[48] = "-";

    for (int i = 0; i < digits; i++)
        one *= 10;
    value = denominator ? value * one / denominator : 0;
    if (denominator)
        snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64, (uint64_t)(value / one), digits,
                 (uint64_t)(value % one));
    fprintf(out, " %*s", width, text);
}

static void results_put_row(FILE *out, const struct patterns_plan *plan)
{
    const struct patterns_sums *sums = &plan->sums;
    const uint64_t count = who_waited(sums);
    const bool open = plan->open;

    fprintf(out, "%-20s %12" PRIu64, plan->phase->name, sums->references);
    put_quotient(out, 11, open ? plan->phase->value[PATTERNS_rate] : 0, open ? PATTERNS_ONE : 0, 3);
    put_quotient(out, 11, sums->references * 1000, sums->time, 3);
    put_quotient(out, 11, sums->late, open ? sums->references : 0, 1);
    if (!sums->latencies) {
        fprintf(out, " %12s %9s %7s %7s\n", "-", "-", "-", "-");
        return;
    }
    fprintf(out, " %12" PRIu64, count);
    put_quotient(out, 9, sums->wait, count, 1);
    if (count) {
        put_percentile(out, sums, count, 50);
        put_percentile(out, sums, count, 95);
        putc('\n', out);
    } else {
        fprintf(out, " %7s %7s\n", "-", "-");
    }
}

void patterns_print(struct patterns_run *p)
{
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);

    fprintf(out, "%-20s %12s %11s %11s %11s %12s %9s %7s %7s\n", "# phase", "references", "offered",
            "accepted", "late", "waited", "mean", "median", "95 %");
    for (size_t i = 0; i < p->work->phases; i++)
        results_put_row(out, &p->plan[i]);
    sim_text_close(out, &text);
    XXH64_update(p->hash, text, size);
    prog_put_out(p->team.run, p->program->stdout_fd, text, size);
    free(text);
}

/* ---- statistics ------------------------------------------------------------------------------ */

const struct prog_figure patterns_figures[PATTERNS_FIGURES] = {
#define COUNT(id, path, unit, value, sentence)        {path, unit, sentence, true},
#define RATIO(id, path, unit, above, below, sentence) {path, unit, sentence, false},
#include "programs/patterns/figures.def"
#undef COUNT
#undef RATIO
};

static void tell_phase(const struct prog_hooks *hooks, const struct patterns_plan *plan)
{
    const struct patterns_sums *sums = &plan->sums;
    const double rate = (double)plan->phase->value[PATTERNS_rate] / (double)PATTERNS_ONE;
    const double open = plan->open, timed = sums->latencies > 0;
    const double waited = (double)who_waited(sums);
    const struct prog_quotient figure[PATTERNS_FIGURES] = {
#define COUNT(id, path, unit, value, sentence)        {(double)(value), 1},
#define RATIO(id, path, unit, above, below, sentence) {above, below},
#include "programs/patterns/figures.def"
#undef COUNT
#undef RATIO
    };

    hooks->figures(hooks->ctx, plan->phase->name, figure);
}

void patterns_tell(struct patterns_run *p)
{
    const struct prog_hooks *hooks = p->team.run->hooks;

    for (size_t i = 0; hooks && hooks->figures && i < p->work->phases; i++)
        tell_phase(hooks, &p->plan[i]);
}
