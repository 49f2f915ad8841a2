/*
 * What would mend a falsely shared line, by who touches what in it.
 */
#include "report/sharing.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct advice {
    const struct rep_sharing *s;
    const struct rep_shared_line *line;
    char *text;
    size_t size;
};

static const char *say(const struct advice *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static const char *say(const struct advice *a, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(a->text, a->size, format, ap);
    va_end(ap);
    return a->text;
}

/* An object of the line, and what its false sharing cost there. */
struct part {
    struct rep_object at;
    int64_t cost;
};

static struct part *part_of(struct part *part, size_t *count, const struct rep_object *at)
{
    size_t i = 0;
    while (i < *count && strcmp(part[i].at.key, at->key) != 0)
        i++;
    if (i == *count)
        part[(*count)++] = (struct part){.at = *at};
    return &part[i];
}

static int by_cost(const void *x, const void *y)
{
    const struct part *a = x, *b = y;
    const int cost = (b->cost > a->cost) - (b->cost < a->cost);
    return cost ? cost : strcmp(a->at.key, b->at.key);
}

/* An object that had the same bytes at another time is not beside the first one. */
static size_t leave_beside(struct part *part, size_t count)
{
    const struct rep_object *first = &part[0].at;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct rep_object *at = &part[i].at;
        if (!i || at->from >= first->from + first->size || first->from >= at->from + at->size)
            part[kept++] = part[i];
    }
    return kept;
}

/* The objects of the line that matter: one, if nine tenths of the cost are its own. The caller's.
 */
static struct part *parts_of(const struct advice *a, size_t *count)
{
    const struct rep_truth *truth = a->s->truth;
    struct part *part = sim_alloc(a->line->rows + 1, sizeof *part);
    int64_t all = 0;
    *count = 0;
    for (size_t i = a->line->row; i < a->line->row + a->line->rows; i++) {
        const struct rep_lost lost = rep_lost_of(truth->row[i].v);
        struct rep_object at;
        if (lost.falsely <= 0)
            continue;
        rep_object_asked(a->s->finder, truth, &truth->row[i], &at);
        part_of(part, count, &at)->cost += lost.falsely;
        all += lost.falsely;
    }
    if (*count)
        qsort(part, *count, sizeof *part, by_cost);
    *count = leave_beside(part, *count);
    if (*count > 1 && part[0].cost >= all - all / 10)
        *count = 1;
    return part;
}

static const char *about_static(const struct advice *a, const struct rep_object *at)
{
    const uint64_t line = a->s->truth->line;
    struct prog_names *names = a->s->code->names;
    struct prog_member part;
    names->member(names, &at->variable, 0, 1, &part);
    if (*part.name == '[' && part.size >= line)
        return say(a,
                   "mend: different threads use parts of the same lines of %s: lay it out so that "
                   "what a thread uses lies together; measure it: --what-if '%s'",
                   at->key, at->key);
    if (*part.name == '[')
        return say(a,
                   "mend: give each element of %s (%" PRIu64 " bytes) lines of its own, as with "
                   "__attribute__((aligned(%" PRIu64 "))) on its type; measure it: --what-if '%s'",
                   at->key, part.size, line, at->key);
    if (*part.name == '.')
        return say(a,
                   "mend: keep members of %s that different threads use on different lines, as "
                   "with __attribute__((aligned(%" PRIu64 "))) on them; measure it: --what-if '%s'",
                   at->key, line, at->key);
    return say(a,
               "mend: keep what different threads use of %s on lines of its own; measure it: "
               "--what-if '%s'",
               at->key, at->key);
}

static const char *about(const struct advice *a, const struct part *part, size_t count)
{
    const struct rep_object *first = &part[0].at;
    const uint64_t line = a->s->truth->line;
    if (first->kind == REP_OBJECT_HEAP && count > 1)
        return say(a,
                   "mend: allocate blocks that different threads use at borders of lines, with "
                   "aligned_alloc(%" PRIu64 ", ...)",
                   line);
    if (count > 1)
        return say(a,
                   "mend: %.300s and %.300s lie in one line: start each at a border, with "
                   "__attribute__((aligned(%" PRIu64 "))); measure it: --what-if '%.300s'",
                   first->key, part[1].at.key, line, first->key);
    if (first->kind == REP_OBJECT_STATIC && a->s->code->names)
        return about_static(a, first);
    return say(a,
               "mend: keep what different threads use of it %" PRIu64
               " bytes apart; measure it: --what-if '%.300s'",
               line, first->key);
}

const char *rep_sharing_advice(const struct rep_sharing *s, const struct rep_shared_line *line,
                               char *buf, size_t size)
{
    const struct advice a = {s, line, buf, size};
    const enum rep_verdict verdict = rep_verdict_of(s, &line->lost);
    size_t count;
    if (verdict == REP_VERDICT_none)
        return say(&a, "%s", "");
    if (verdict == REP_VERDICT_true)
        return say(&a, "the bytes themselves are shared: only less of it helps (a copy for each "
                       "thread, put together at the end), or a home station nearer to those who "
                       "use them (numachine placement)");
    struct part *part = parts_of(&a, &count);
    const char *text = count ? about(&a, part, count) : say(&a, "%s", "");
    free(part);
    return text;
}
