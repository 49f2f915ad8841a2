/*
 * Expectations and what became of them. A statistic is looked for by its name among all there are,
 * those that the files leave out included: a card that did nothing has counts of 0.
 */
#include "run/expect.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "documents/statistics/stats.h"
#include "run/regions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- one statistic --------------------------------------------------------------------------- */

/* A look for a statistic. */
struct look {
    const char *path;
    bool found;
    char value[64];     /* as stats.json has it; "": it has none */
    const char *reason; /* why. Static */
    char **name;        /* [names] of all there are, if they are wanted */
    size_t names, room;
    bool wanted;
};

static bool is_named(const struct doc_stat *stat, const char *path)
{
    const size_t n = strlen(stat->component);
    return !strncmp(path, stat->component, n) && path[n] == '.' &&
           !strcmp(path + n + 1, stat->name);
}

static void note_name(struct look *look, const struct doc_stat *stat)
{
    if (look->names == look->room) {
        look->room = look->room ? 2 * look->room : 256;
        look->name = sim_grow(look->name, look->room, sizeof *look->name);
    }
    look->name[look->names++] = sim_format("%s.%s", stat->component, stat->name);
}

static void on_stat(void *ctx, const struct doc_stat *stat)
{
    struct look *look = ctx;
    if (look->wanted)
        note_name(look, stat);
    if (look->found || !is_named(stat, look->path))
        return;
    look->found = true;
    look->reason = stat->reason;
    if (stat->real)
        snprintf(look->value, sizeof look->value, "%.12g", stat->value);
    else
        snprintf(look->value, sizeof look->value, "%" PRIu64, stat->count);
}

static const char *expect_next_name(void *ctx, size_t i)
{
    const struct look *look = ctx;
    return i < look->names ? look->name[i] : NULL;
}

/* "no statistic ...; did you mean ...?" Allocated. */
static char *unknown_stat(const struct doc_run *run, const struct doc_region *region,
                          const char *path)
{
    struct look look = {.path = path, .wanted = true};
    doc_stats_walk_all(run, region, on_stat, &look);
    const char *near = sim_nearest(path, expect_next_name, &look);
    char *why = near ? sim_format("the run has no statistic %s; did you mean %s?", path, near)
                     : sim_format("the run has no statistic %s", path);
    for (size_t i = 0; i < look.names; i++)
        free(look.name[i]);
    free(look.name);
    return why;
}

/* ---- regions --------------------------------------------------------------------------------- */

static const struct doc_region *expect_find_region(const struct doc_run *run, const char *name)
{
    for (size_t i = 0; i < run->regions; i++)
        if (!strcmp(run->region[i].name, name))
            return &run->region[i];
    return NULL;
}

static const char *next_region(void *ctx, size_t i)
{
    const struct doc_run *run = ctx;
    return i < run->regions ? run->region[i].name : NULL;
}

static char *unknown_region(const struct doc_run *run, const char *name)
{
    const char *near = sim_nearest(name, next_region, (void *)run);
    return near ? sim_format("the program entered no region %s; did you mean %s?", name, near)
                : sim_format("the program entered no region %s", name);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* The value of a statistic. @param[out] value, text  text is allocated in any case: the value, or
 * why there is none */
static bool expect_measure(const struct doc_run *run, const struct in_measured *stat,
                           long double *value, char **text)
{
    const char *name = stat->region ? stat->region : DOC_WHOLE;
    const struct doc_region *region = expect_find_region(run, name);
    struct look look = {.path = stat->stat};
    *text = NULL;
    if (!region) {
        *text = unknown_region(run, name);
        return false;
    }
    doc_stats_walk_all(run, region, on_stat, &look);
    if (!look.found)
        *text = unknown_stat(run, region, stat->stat);
    else if (look.reason)
        *text = sim_format("%s has no value: %s", stat->stat, look.reason);
    else
        *text = sim_strdup(look.value);
    *value = strtold(look.value, NULL);
    return look.found && !look.reason;
}

static bool expect_divide(const struct doc_run *run, const struct in_expect *e, long double *value,
                          char **text)
{
    long double below;
    if (!expect_measure(run, &e->stat[0], value, text))
        return false;
    free(*text);
    if (!expect_measure(run, &e->stat[1], &below, text))
        return false;
    free(*text);
    if (below == 0) {
        *text = sim_format("%s is 0", e->stat[1].stat);
        return false;
    }
    *text = sim_format("%.12Lg", *value / below);
    *value = strtold(*text, NULL);
    return true;
}

void run_expect_judge(struct doc_run *run)
{
    const struct in_experiment *x = run->experiment;
    run->judged = sim_alloc(x->expects, sizeof *run->judged);
    for (size_t i = 0; i < x->expects; i++) {
        const struct in_expect *e = &x->expect[i];
        struct doc_judged *judged = &run->judged[i];
        long double value = 0;
        judged->left = e->point[0];
        if (judged->left) {
            judged->text = sim_strdup("it is about points of a sweep");
            continue;
        }
        judged->known = e->ratio ? expect_divide(run, e, &value, &judged->text)
                                 : expect_measure(run, &e->stat[0], &value, &judged->text);
        judged->kept = judged->known && in_expect_holds(e, value);
    }
}

/* Statistics that a run gets only when it ends, or when its SRAMs are used. */
static bool comes_later(const char *path)
{
    return strstr(path, ".histogram.") || strstr(path, ".counter[") || strstr(path, ".busiest_");
}

static bool is_possible(const struct doc_run *run, const struct doc_region *region,
                        const struct in_measured *stat, const char *where, FILE *out)
{
    struct look look = {.path = stat->stat};
    if (comes_later(stat->stat))
        return true;
    doc_stats_walk_all(run, region, on_stat, &look);
    if (look.found)
        return true;
    char *why = unknown_stat(run, region, stat->stat);
    fprintf(out, "%s: error: %s\n", where, why);
    free(why);
    return false;
}

static bool can_have(const struct doc_run *run, const struct doc_region *region,
                     const struct in_expect *e, FILE *out)
{
    const bool two = e->ratio && strcmp(e->stat[0].stat, e->stat[1].stat) != 0;
    const bool first = is_possible(run, region, &e->stat[0], e->where, out);
    return (!two || is_possible(run, region, &e->stat[1], e->where, out)) && first;
}

bool run_expect_possible(const struct doc_run *run, const struct doc_sample *now, FILE *out)
{
    const struct in_experiment *x = run->experiment;
    struct doc_region whole = run_regions_peek(run, 0, now);
    bool possible = true;
    for (size_t i = 0; i < x->expects; i++)
        possible = can_have(run, &whole, &x->expect[i], out) && possible;
    for (size_t i = 0; i < x->shown_count; i++)
        possible = is_possible(run, &whole, &x->shown[i], "show", out) && possible;
    run_region_free(&whole);
    return possible;
}

void run_expect_free(struct doc_run *run)
{
    for (size_t i = 0; run->judged && i < run->experiment->expects; i++)
        free(run->judged[i].text);
    free(run->judged);
    run->judged = NULL;
}

size_t run_expect_broken(const struct doc_run *run)
{
    size_t broken = 0;
    for (size_t i = 0; run->judged && i < run->experiment->expects; i++)
        broken += !run->judged[i].kept && !run->judged[i].left;
    return broken;
}

static void expect_say(const struct in_expect *e, const struct doc_judged *judged, FILE *out)
{
    fprintf(out, "%s: error: expected ", e->where);
    in_expect_subject(e, out);
    fputs(" to be ", out);
    in_expect_bounds(e, out);
    fprintf(out, "; %s%s\n", judged->known ? "it is " : "", judged->text);
}

void run_expect_say(const struct doc_run *run, FILE *out)
{
    const struct in_experiment *x = run->experiment;
    for (size_t i = 0; run->judged && i < x->expects; i++)
        if (run->judged[i].left)
            fprintf(out, "%s: note: about points of a sweep, and judged when that ends\n",
                    x->expect[i].where);
        else if (!run->judged[i].kept)
            expect_say(&x->expect[i], &run->judged[i], out);
}
