/*
 * What would mend a falsely shared line, by who touches what in it.
 */
#include "report/sharing.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
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

/* Whether any card touches the byte. */
static bool is_used(const struct advice *a, unsigned byte)
{
    for (size_t i = a->line->copy; i < a->line->copy + a->line->copies; i++) {
        const struct pc_missed_copy *copy = &a->s->truth->copy[i];
        if ((copy->read[byte / 64] | copy->written[byte / 64]) >> byte % 64 & 1)
            return true;
    }
    return false;
}

/* The objects of the line that are touched: the first, and another one if there is one. */
static unsigned objects_in(const struct advice *a, struct rep_object two[2])
{
    unsigned count = 0;
    for (unsigned byte = 0; byte < a->s->truth->line; byte++) {
        struct rep_object at;
        if (!is_used(a, byte))
            continue;
        rep_sharing_object(a->s, a->line, a->s->truth->copy[a->line->copy].va + byte, &at);
        if (count && !strcmp(at.key, two[count - 1].key))
            continue;
        if (count == 2)
            return 2;
        two[count++] = at;
    }
    return count;
}

static const char *about_static(const struct advice *a, const struct rep_object *at)
{
    const uint64_t line = a->s->truth->line;
    struct prog_names *names = a->s->code->names;
    struct prog_member part;
    names->member(names, &at->variable, 0, 1, &part);
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

const char *rep_sharing_advice(const struct rep_sharing *s, const struct rep_shared_line *line,
                               char *buf, size_t size)
{
    const struct advice a = {s, line, buf, size};
    const enum rep_verdict verdict = rep_verdict_of(s, &line->lost);
    struct rep_object two[2];
    if (verdict == REP_VERDICT_none)
        return say(&a, "%s", "");
    if (verdict == REP_VERDICT_true)
        return say(&a, "the words themselves are shared: only less of it helps (a copy for each "
                       "thread, put together at the end), or the home station nearer to its "
                       "users (placement)");
    const unsigned objects = objects_in(&a, two);
    if (objects == 2 && two[0].kind == REP_OBJECT_HEAP)
        return say(&a,
                   "mend: allocate blocks that different threads use at borders of lines, with "
                   "aligned_alloc(%" PRIu64 ", ...); measure it: --what-if '%.300s'",
                   s->truth->line, two[0].key);
    if (objects == 2)
        return say(&a,
                   "mend: %.300s and %.300s lie in one line: start each at a border, with "
                   "__attribute__((aligned(%" PRIu64 "))); measure it: --what-if '%.300s'",
                   two[0].key, two[1].key, s->truth->line, two[0].key);
    if (objects == 1 && two[0].kind == REP_OBJECT_STATIC && s->code->names)
        return about_static(&a, &two[0]);
    return say(&a,
               "mend: keep what different threads use of it on lines of its own (%" PRIu64
               " bytes)%s%.300s%s",
               s->truth->line, objects ? "; measure it: --what-if '" : "",
               objects ? two[0].key : "", objects ? "'" : "");
}
