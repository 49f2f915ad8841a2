/*
 * What phases come to, as a table on the program's standard output. Everything is worked out in
 * integers from sums, so that it is the same everywhere.
 */
#include "programs/patterns/parts.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void patterns_note(struct patterns_sums *sums, uint64_t latency)
{
    if (latency >= sums->latencies) {
        const size_t grown = latency + latency / 2 + 64;
        sums->latency = sim_grow(sums->latency, grown, sizeof *sums->latency);
        memset(sums->latency + sums->latencies, 0,
               (grown - sums->latencies) * sizeof *sums->latency);
        sums->latencies = grown;
    }
    sums->latency[latency]++;
}

/** References that waited, and for how long in all. */
static uint64_t waited(const struct patterns_sums *sums, uint64_t *time)
{
    uint64_t count = 0;

    *time = 0;
    for (size_t i = 1; i < sums->latencies; i++) {
        count += sums->latency[i];
        *time += i * sums->latency[i];
    }
    return count;
}

/** The wait that so many per cent of those who waited do not exceed. */
static uint64_t percentile(const struct patterns_sums *sums, uint64_t count, unsigned percent)
{
    uint64_t below = 0;
    size_t i = 1;

    while ((below += sums->latency[i]) * 100 < count * percent)
        i++;
    return i;
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

static void put_row(FILE *out, const struct patterns_plan *plan)
{
    const struct patterns_sums *sums = &plan->sums;
    uint64_t time, count = waited(sums, &time);
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
    put_quotient(out, 9, time, count, 1);
    if (count)
        fprintf(out, " %7" PRIu64 " %7" PRIu64 "\n", percentile(sums, count, 50),
                percentile(sums, count, 95));
    else
        fprintf(out, " %7s %7s\n", "-", "-");
}

void patterns_print(struct patterns_run *p)
{
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);

    fprintf(out, "%-20s %12s %11s %11s %11s %12s %9s %7s %7s\n", "# phase", "references", "offered",
            "accepted", "late", "waited", "mean", "median", "95 %");
    for (size_t i = 0; i < p->work->phases; i++)
        put_row(out, &p->plan[i]);
    sim_text_close(out, &text);
    XXH64_update(p->hash, text, size);
    prog_put_out(p->team.run, p->program->stdout_fd, text, size);
    free(text);
}
