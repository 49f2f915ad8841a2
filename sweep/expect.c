/*
 * An expectation names two points by some of what they set. All pairs are meant that are such
 * points and do not differ in anything else.
 */
#include "sweep/expect.h"

#include "base/alloc.h"
#include "documents/directory/manifest.h"
#include "documents/run.h"
#include "documents/statistics/finished.h"
#include "run/expect.h"

#include <stdlib.h>
#include <string.h>

/* Points by what they set, of a sweep or of its results. */
struct grid {
    size_t keys, points;
    const char **key;  /* [keys] */
    const char **text; /* [points * keys] */
};

static struct grid grid_new(size_t keys, size_t points)
{
    return (struct grid){keys, points, sim_alloc(keys, sizeof(char *)),
                         sim_alloc(points * keys, sizeof(char *))};
}

static void grid_free(struct grid *grid)
{
    free(grid->key);
    free(grid->text);
}

static struct grid grid_of_sweep(const struct swp_sweep *sweep)
{
    struct grid grid = grid_new(sweep->keys, sweep->points);
    for (size_t k = 0; k < grid.keys; k++)
        grid.key[k] = sweep->key[k].key->path;
    for (size_t i = 0; i < grid.points; i++)
        for (size_t k = 0; k < grid.keys; k++)
            grid.text[i * grid.keys + k] = swp_text(sweep, &sweep->point[i], k);
    return grid;
}

static struct grid grid_of_result(const struct swp_result *result)
{
    struct grid grid = grid_new(result->keys, result->rows);
    for (size_t k = 0; k < grid.keys; k++)
        grid.key[k] = result->key[k];
    for (size_t i = 0; i < grid.points; i++)
        for (size_t k = 0; k < grid.keys; k++)
            grid.text[i * grid.keys + k] = result->row[i].text[k];
    return grid;
}

/* ---- which points are meant ------------------------------------------------------------------ */

/* Both points of an expectation. */
struct choice {
    char *words[2];      /* their texts, taken apart */
    const char **set[2]; /* [keys] a value; NULL: any */
};

static size_t expect_find_key(const struct grid *grid, const char *name)
{
    size_t k = 0;
    while (k < grid->keys && strcmp(grid->key[k], name) != 0)
        k++;
    return k;
}

/* "KEY=VALUE; KEY=VALUE" @return NULL, or the word that is none of it */
static const char *take_apart(const struct grid *grid, char *words, const char **set)
{
    for (char *word; (word = strsep(&words, ";"));) {
        word += strspn(word, " ");
        char *equals = strchr(word, '=');
        if (equals)
            *equals = '\0';
        const size_t k = expect_find_key(grid, word);
        if (!equals || k == grid->keys)
            return word;
        set[k] = equals + 1;
    }
    return NULL;
}

/* @return NULL, or the word that is no key of the sweep; choice_free is due in any case */
static const char *choice_read(const struct grid *grid, const struct in_expect *e, struct choice *c)
{
    const char *wrong = NULL;
    for (int i = 0; i < 2; i++) {
        c->words[i] = sim_strdup(e->point[i]);
        c->set[i] = sim_alloc(grid->keys, sizeof(char *));
    }
    for (int i = 0; i < 2 && !wrong; i++)
        wrong = take_apart(grid, c->words[i], c->set[i]);
    return wrong;
}

static void choice_free(struct choice *c)
{
    for (int i = 0; i < 2; i++) {
        free(c->words[i]);
        free(c->set[i]);
    }
}

static bool is_meant(const struct grid *grid, const char *const *set, size_t point)
{
    for (size_t k = 0; k < grid->keys; k++)
        if (set[k] && strcmp(set[k], grid->text[point * grid->keys + k]) != 0)
            return false;
    return true;
}

/* Whether two points are the same in what neither of them is chosen by. */
static bool are_alike(const struct grid *grid, const struct choice *c, size_t a, size_t b)
{
    for (size_t k = 0; k < grid->keys; k++)
        if (!c->set[0][k] && !c->set[1][k] &&
            strcmp(grid->text[a * grid->keys + k], grid->text[b * grid->keys + k]) != 0)
            return false;
    return true;
}

typedef void pair_fn(void *ctx, size_t a, size_t b);

/* @return how many pairs there are */
static size_t each_pair(const struct grid *grid, const struct choice *c, pair_fn *fn, void *ctx)
{
    size_t pairs = 0;
    for (size_t a = 0; a < grid->points; a++)
        for (size_t b = 0; is_meant(grid, c->set[0], a) && b < grid->points; b++)
            if (is_meant(grid, c->set[1], b) && are_alike(grid, c, a, b)) {
                pairs++;
                fn(ctx, a, b);
            }
    return pairs;
}

static void no_pair(void *ctx, size_t a, size_t b)
{
    (void)ctx;
    (void)a;
    (void)b;
}

static bool expect_check(const struct grid *grid, const struct in_expect *e, FILE *out)
{
    struct choice choice;
    const char *wrong = choice_read(grid, e, &choice);
    const bool good = !wrong && each_pair(grid, &choice, no_pair, NULL);
    if (wrong)
        fprintf(out, "%s: error: points: '%.60s' is not swept here\n", e->where, wrong);
    else if (!good)
        fprintf(out,
                "%s: error: points: the sweep has no pair of points %s and %s that are otherwise "
                "the same (numachine points prints the values)\n",
                e->where, e->point[0], e->point[1]);
    choice_free(&choice);
    return good;
}

bool swp_expect_check(const struct swp_sweep *sweep, const struct in_experiment *x, FILE *out)
{
    struct grid grid = grid_of_sweep(sweep);
    bool good = true;
    for (size_t i = 0; i < x->expects; i++)
        good = (!x->expect[i].point[0] || expect_check(&grid, &x->expect[i], out)) && good;
    grid_free(&grid);
    return good;
}

/* ---- what they came to ----------------------------------------------------------------------- */

struct judging {
    const struct swp_result *result;
    const struct in_expect *expect;
    struct swp_judged *judged;
    FILE *out;
};

static bool sweep_expect_measure(const struct swp_row *row, const struct in_measured *stat,
                                 long double *value, char *why, size_t size)
{
    char text[64];
    struct doc_finished results;
    bool good = doc_finished_read(&results, row->directory, why, size);
    if (good) {
        const char *region = stat->region ? stat->region : DOC_WHOLE;
        const struct doc_value found = doc_finished_at(&results, region, stat->stat, NULL);
        if (!doc_finished_stats(&results, region))
            snprintf(why, size, "point %s entered no region %s", row->id, region);
        else if (!found.is)
            snprintf(why, size, "point %s has no value of %s", row->id, stat->stat);
        good = found.is;
        *value = strtold(doc_value_text(&found, DOC_DIGITS_ALL, text, sizeof text), NULL);
    }
    doc_finished_free(&results);
    return good;
}

/* The ratio, as twelve digits say it. @return false: see `text` */
static bool sweep_expect_divide(const struct swp_row *a, const struct swp_row *b,
                                const struct in_expect *e, long double *ratio, char *text,
                                size_t size)
{
    long double above, below;
    if (!sweep_expect_measure(a, &e->stat[0], &above, text, size) ||
        !sweep_expect_measure(b, &e->stat[1], &below, text, size))
        return false;
    if (below == 0)
        snprintf(text, size, "%s of point %s is 0", e->stat[1].stat, b->id);
    else
        snprintf(text, size, "%.*Lg", DOC_DIGITS_ALL, above / below);
    *ratio = strtold(text, NULL);
    return below != 0;
}

static void expect_put(const struct judging *j, const struct swp_row *one,
                       const struct swp_row *other, const struct doc_judged *its)
{
    json_t *expectation = doc_manifest_expectation(j->expect, its);
    json_object_set_new(expectation, "points", json_pack("[s,s]", one->id, other->id));
    json_array_append_new(j->judged->list, expectation);
}

static void expect_judge(void *ctx, size_t a, size_t b)
{
    const struct judging *j = ctx;
    const struct swp_row *one = &j->result->row[a], *other = &j->result->row[b];
    char text[4200];
    long double ratio = 0;
    if (!one->directory || !other->directory) {
        expect_put(j, one, other, &(struct doc_judged){.left = true});
        j->judged->left++;
        return;
    }
    const bool known = sweep_expect_divide(one, other, j->expect, &ratio, text, sizeof text),
               kept = known && in_expect_holds(j->expect, ratio);
    expect_put(j, one, other, &(struct doc_judged){.kept = kept, .known = known, .text = text});
    if (kept) {
        j->judged->kept++;
        return;
    }
    j->judged->broken++;
    fprintf(j->out, "%s: error: expected ", j->expect->where);
    in_expect_subject(j->expect, j->out);
    fputs(" to be ", j->out);
    in_expect_bounds(j->expect, j->out);
    fprintf(j->out, "; %s%s (points %s and %s)\n", known ? "it is " : "", text, one->id, other->id);
}

struct swp_judged swp_expect_judge(const struct swp_result *result, const struct in_experiment *x,
                                   FILE *out)
{
    struct grid grid = grid_of_result(result);
    struct swp_judged judged = {.list = json_array()};
    for (size_t i = 0; i < x->expects; i++) {
        struct judging judging = {result, &x->expect[i], &judged, out};
        struct choice choice;
        if (!x->expect[i].point[0])
            continue;
        if (!choice_read(&grid, &x->expect[i], &choice))
            each_pair(&grid, &choice, expect_judge, &judging);
        choice_free(&choice);
    }
    grid_free(&grid);
    return judged;
}
