#include "look/compare/bench.h"
#include "documents/claims.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What a run must have in common with another that has simulated the same. */
static const char *const counts[] = {"instructions", "references", "misses", "ring_slots"};

enum { COUNTS = sizeof counts / sizeof *counts };

static double compare_bench_seconds(const json_t *row)
{
    return json_number_value(json_object_get(row, "host_seconds"));
}

static json_int_t compare_bench_count(const json_t *row, const char *name)
{
    return json_integer_value(json_object_get(json_object_get(row, name), "count"));
}

/* A result from before there were several runs has the time alone. */
static bool are_seconds(const json_t *runs)
{
    size_t i;
    const json_t *run;
    json_array_foreach(runs, i, run)
        if (!json_is_number(run) || !(json_number_value(run) > 0))
            return false;
    return !runs || json_array_size(runs);
}

static bool is_work(const struct doc_claims *claims, const json_t *row, size_t i)
{
    if (!json_is_string(json_object_get(row, "work")))
        return doc_refuse(claims, "[%zu]: not a work of 'numachine bench --format=json'", i);
    if (!(compare_bench_seconds(row) > 0) || !are_seconds(json_object_get(row, "runs")))
        return doc_refuse(claims, "[%zu]: host_seconds or runs: not a time", i);
    if (!json_is_integer(json_object_get(row, "ticks")))
        return doc_refuse(claims, "[%zu].ticks: not a number", i);
    if (!json_is_integer(json_object_get(row, "host_threads")) &&
        json_object_get(row, "host_threads"))
        return doc_refuse(claims, "[%zu].host_threads: not a number", i);
    for (size_t c = 0; c < COUNTS; c++)
        if (!json_is_integer(json_object_get(json_object_get(row, counts[c]), "count")))
            return doc_refuse(claims, "[%zu].%s.count: not a number", i, counts[c]);
    return true;
}

static bool are_works(const struct doc_claims *claims, const json_t *list)
{
    if (!json_is_array(list))
        return doc_refuse(claims, "not a list, as 'numachine bench --format=json' prints it");
    size_t i;
    const json_t *row;
    json_array_foreach(list, i, row)
        if (!is_work(claims, row, i))
            return false;
    return true;
}

json_t *look_bench_read(const char *file, char *why, size_t size)
{
    const struct doc_claims claims = {.file = file, .why = why, .size = size};
    json_t *list = doc_claim_file(&claims);
    if (list && are_works(&claims, list))
        return list;
    json_decref(list);
    return NULL;
}

const json_t *look_bench_work(const json_t *list, const char *name)
{
    size_t i;
    const json_t *row;
    json_array_foreach(list, i, row)
        if (!strcmp(json_string_value(json_object_get(row, "work")), name))
            return row;
    return NULL;
}

/* [s] the quickest run, and the slowest. */
struct spread {
    double least, greatest;
};

static struct spread spread_of(const json_t *row)
{
    struct spread all = {compare_bench_seconds(row), compare_bench_seconds(row)};
    size_t i;
    const json_t *run;
    json_array_foreach(json_object_get(row, "runs"), i, run) {
        const double s = json_number_value(run);
        all.least = s < all.least ? s : all.least;
        all.greatest = s > all.greatest ? s : all.greatest;
    }
    return all;
}

/* A result from before it was kept had one. */
static json_int_t host_threads(const json_t *row)
{
    const json_t *threads = json_object_get(row, "host_threads");
    return threads ? json_integer_value(threads) : 1;
}

static bool bench_same(const json_t *now, const json_t *then)
{
    for (size_t c = 0; c < COUNTS; c++)
        if (compare_bench_count(now, counts[c]) != compare_bench_count(then, counts[c]))
            return false;
    return json_integer_value(json_object_get(now, "ticks")) ==
           json_integer_value(json_object_get(then, "ticks"));
}

void look_bench_compare(json_t *now, const json_t *then)
{
    const struct spread n = spread_of(now), t = spread_of(then);
    json_object_set_new(now, "then", json_deep_copy(then));
    json_object_set_new(now, "ratio",
                        json_pack("{s:f, s:f, s:f}", "median",
                                  compare_bench_seconds(now) / compare_bench_seconds(then), "least",
                                  n.least / t.greatest, "greatest", n.greatest / t.least));
    json_object_set_new(now, "same", json_boolean(bench_same(now, then)));
}

void look_bench_headings(void)
{
    printf("%-13s %8s %8s %7s %16s  %s\n", "work", "then s", "now s", "ratio", "of any two runs",
           "simulated");
}

void look_bench_row(const json_t *now, const json_t *then)
{
    const char *name = json_string_value(json_object_get(now, "work"));
    if (!then) {
        printf("%-13s %8s %8.2f %7s %16s  %s\n", name, "-", compare_bench_seconds(now), "-", "-",
               "not in that file");
        return;
    }
    const struct spread n = spread_of(now), t = spread_of(then);
    char any[32];
    snprintf(any, sizeof any, "%.2f to %.2f", n.least / t.greatest, n.greatest / t.least);
    printf("%-13s %8.2f %8.2f %7.2f %16s  %s", name, compare_bench_seconds(then),
           compare_bench_seconds(now), compare_bench_seconds(now) / compare_bench_seconds(then),
           any, bench_same(now, then) ? "the same" : "something else");
    if (host_threads(now) != host_threads(then))
        printf(", host threads %lld then, %lld now", (long long)host_threads(then),
               (long long)host_threads(now));
    putchar('\n');
    fflush(stdout);
}
