/*
 * What could mend a shared line, by who touches what in it. It is a guess until a run has tried it.
 *
 * The hard idea is who counts: a card that has set up a whole array once has touched all of it, and
 * lost nothing by it. So only those are looked at that lost about as much by false sharing as the
 * one that lost most.
 */
#include "look/sharing/sharing.h"

#include "base/alloc.h"
#include "base/plural.h"
#include "base/shell.h"
#include "look/cost.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LOSES = 16 /* who lost one part in so many of what the first one lost, counts */ };

struct advice {
    const struct look_sharing *s;
    const struct look_shared_line *line;
    struct look_held *part; /* [parts] those whose false sharing matters */
    size_t parts;
    const struct pc_missed_copy **loser; /* [losers] */
    size_t losers;
    char *directory; /* for commands */
    bool locking;
    char *text;
    size_t size;
};

static const char *advice_say(const struct advice *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Goes on with the sentence. */
static const char *advice_say(const struct advice *a, const char *format, ...)
{
    const size_t used = strlen(a->text);
    va_list ap;
    va_start(ap, format);
    vsnprintf(a->text + used, a->size - used, format, ap);
    va_end(ap);
    return a->text;
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* A function as programs call it: "__pthread_mutex_lock" is one of several names. */
static const char *advice_plain(const char *function)
{
    return function + strspn(function, "_");
}

static bool is_lock_function(const char *name)
{
    static const char *const all[] = {
#define FUNCTION(name, kind, role) name,
#include "documents/rows/lock_functions.def"
#undef FUNCTION
        "__kuser_cmpxchg", /* in place of LL and SC, where a program is for older processors, too */
        "__kuser_cmpxchg64",
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!strcmp(advice_plain(name), advice_plain(all[i])))
            return true;
    return false;
}

static bool is_in_lock_function(const struct look_sharing *s, uint64_t pc)
{
    const struct prog_place *place = look_code_at(s->code, pc);
    return place->function && is_lock_function(place->function);
}

/* A function that locks may do so by others that it calls: of libraries, or of the kernel's. */
static bool is_called_by_lock(const struct look_sharing *s, uint32_t path)
{
    const struct pc_profile_path *all = s->profile->path;
    for (; !is_in_lock_function(s, all[path].function); path = all[path].parent)
        if (all[path].parent == path)
            return false;
    return true;
}

static bool is_of_lock(const struct look_sharing *s, const struct pc_missed_row *row)
{
    return is_in_lock_function(s, row->pc) || look_insn_is_atomic(s->code, row->pc) ||
           is_called_by_lock(s, row->path);
}

/* The word of the line that a row asked for. */
static pc_bytes asked_word(const struct look_sharing *s, const struct pc_missed_row *row)
{
    return (pc_bytes)1 << (row->va & (s->truth->line - 1)) / 4;
}

/* Whether half of what the line cost was asked for by locks, or by what they are made of; and by
 * plain loads of the same words, as of those who spin. */
static bool is_locking(const struct look_sharing *s, const struct look_shared_line *line)
{
    const struct pc_missed_row *row = s->truth->row;
    pc_bytes words = 0;
    int64_t cost = 0;
    for (size_t i = line->row; i < line->row + line->rows; i++)
        if (is_of_lock(s, &row[i]))
            words |= asked_word(s, &row[i]);
    for (size_t i = line->row; i < line->row + line->rows; i++) {
        const struct look_lost lost = look_lost_of(row[i].v);
        if (words & asked_word(s, &row[i]))
            cost = doc_plus(cost, doc_plus(lost.falsely, lost.truly));
    }
    return cost >= doc_plus(line->lost.falsely, line->lost.truly) / 2;
}

/* ---- who uses what --------------------------------------------------------------------------- */

static int by_false(const void *x, const void *y)
{
    const struct look_held *a = x, *b = y;
    const int64_t p = a->lost.falsely, q = b->lost.falsely;
    return p != q ? (q > p) - (q < p) : strcmp(a->at.key, b->at.key);
}

/* Objects that had the same bytes one after the other do not lie beside each other: the first one
   stays. */
static void leave_beside(struct advice *a)
{
    const struct look_object *first = &a->part[0].at;
    size_t kept = 0;
    for (size_t i = 0; i < a->parts; i++) {
        const struct look_object *at = &a->part[i].at;
        if (!i || at->from >= first->from + first->size || first->from >= at->from + at->size)
            a->part[kept++] = a->part[i];
    }
    a->parts = kept;
}

/* The objects that matter: one, if nine tenths of the false sharing are its own. */
static void choose_parts(struct advice *a)
{
    int64_t all = 0;
    size_t kept = 0;
    if (a->parts)
        qsort(a->part, a->parts, sizeof *a->part, by_false);
    leave_beside(a);
    for (size_t i = 0; i < a->parts; i++)
        all = doc_plus(all, a->part[i].lost.falsely);
    while (kept < a->parts && a->part[kept].lost.falsely > 0 &&
           a->part[kept].lost.falsely >= a->part[0].lost.falsely / LOSES)
        kept++;
    a->parts = kept && a->part[0].lost.falsely >= all - all / 10 ? 1 : kept;
}

static void choose_losers(struct advice *a)
{
    const struct doc_truth *truth = a->s->truth;
    int64_t *cost = sim_alloc(a->line->copies, sizeof *cost), most = 0;
    for (size_t i = a->line->row; i < a->line->row + a->line->rows; i++) {
        int64_t *own = &cost[truth->row[i].copy - a->line->copy];
        *own = doc_plus(*own, look_lost_of(truth->row[i].v).falsely);
        most = *own > most ? *own : most;
    }
    a->loser = sim_alloc(a->line->copies, sizeof(struct pc_missed_copy *));
    for (size_t i = 0; i < a->line->copies; i++)
        if (cost[i] > 0 && cost[i] >= most / LOSES)
            a->loser[a->losers++] = &truth->copy[a->line->copy + i];
    free(cost);
}

/* Whether of these bytes one writes some that another does not touch, who touches others. */
static bool is_parted(const struct advice *a, pc_bytes bytes)
{
    for (size_t i = 0; i < a->losers; i++)
        for (size_t k = 0; k < a->losers; k++) {
            const pc_bytes touched =
                bytes & (look_copy_read(a->loser[k]) | look_copy_written(a->loser[k]));
            if (touched && look_copy_written(a->loser[i]) & bytes & ~touched)
                return true;
        }
    return false;
}

/* Cards that lost about as much as the one that lost most, and write a word, or touch it. */
struct advice_users {
    unsigned writers, any;
};

static struct advice_users users_of_word(const struct advice *a, pc_bytes word)
{
    struct advice_users users = {0};
    for (size_t i = 0; i < a->losers; i++) {
        const bool writes = look_copy_written(a->loser[i]) & word;
        users.writers += writes;
        users.any += writes || look_copy_read(a->loser[i]) & word;
    }
    return users;
}

/* Whether most of them write most of these words: then a word has no user of its own, though no two
 * of them may use just the same words. */
static bool is_common(const struct advice *a, pc_bytes bytes)
{
    unsigned used = 0, common = 0;
    for (unsigned byte = 0; byte < a->s->truth->line; byte += LOOK_WORD) {
        const struct advice_users users =
            users_of_word(a, bytes & (pc_bytes)((1 << LOOK_WORD) - 1) << byte);
        used += users.any > 0;
        common += users.writers > 1 && 2 * users.writers >= a->losers;
    }
    return common > 1 && 4 * common >= 3 * used;
}

/* Whether there are parts that can be kept apart, each of whose users has no use for the other. */
static bool has_parts(const struct advice *a, pc_bytes bytes)
{
    return is_parted(a, bytes) && !is_common(a, bytes);
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* As the table of objects has it: blocks of one site are one. A header goes where its block goes.
 */
static const char *advice_name_of(const struct look_held *part, char buf[LOOK_OBJECT_NAME])
{
    struct look_object at = part->at;
    if (at.kind == LOOK_OBJECT_HEADER)
        return look_object_place(&at, buf);
    look_object_group(&at);
    strcpy(buf, at.key);
    return buf;
}

/* The commands, with each of their names once; none of a run that cannot be compared with. */
static const char *advice_measure(const struct advice *a)
{
    if (!a->s->code->ended)
        return a->text;
    char name[LOOK_OBJECT_NAME];
    advice_say(a, "; measure it: numachine mend %s, or numachine c2c", a->directory);
    const char *names = a->text + strlen(a->text);
    for (size_t i = 0; i < a->parts; i++) {
        char *word = sim_shell_quoted(advice_name_of(&a->part[i], name));
        char *option = sim_format(" --what-if %s", word);
        if (!strstr(names, option))
            advice_say(a, "%s", option);
        free(option);
        free(word);
    }
    return advice_say(a, " %s", a->directory);
}

/* Whether the element is a struct whose type the program declares. */
static bool is_own_struct(const struct look_sharing *s, const struct look_object *object,
                          uint64_t offset, unsigned depth)
{
    struct prog_member element, member;
    look_object_member(s->finder, object, offset, depth, &element);
    look_object_member(s->finder, object, offset, depth + 1, &member);
    look_object_cut_library(member.name);
    const size_t known = strlen(element.name);
    return strlen(member.name) > known && member.name[known] != '[';
}

char *look_sharing_aligned(const struct look_sharing *s, const struct look_object *object,
                           uint64_t offset, unsigned depth)
{
    return sim_format(is_own_struct(s, object, offset, depth)
                          ? "__attribute__((aligned(%" PRIu64
                            "))) on the type of its elements (behind the } of a struct)"
                          : "struct { TYPE v; } __attribute__((aligned(%" PRIu64
                            "))) around each of its elements, which are of that TYPE",
                      s->truth->line);
}

static void say_elements(const struct advice *a, const struct look_object *at, uint64_t size)
{
    char *how = look_sharing_aligned(a->s, at, 0, 1);
    advice_say(
        a, "untested: give each element of %s (%" PRIu64 " byte%s) lines of its own, as with %s",
        at->key, size, sim_plural(size), how);
    free(how);
}

static const char *about_static(const struct advice *a, const struct look_object *at)
{
    const uint64_t line = a->s->truth->line;
    struct prog_member part;
    look_object_member(a->s->finder, at, 0, 1, &part);
    if (*part.name == '[' && part.size >= line)
        advice_say(
            a,
            "untested: different threads use parts of the same lines of %s: lay it out so that the "
            "parts of one thread lie together",
            at->key);
    else if (*part.name == '[')
        say_elements(a, at, part.size);
    else if (*part.name == '.')
        advice_say(
            a,
            "untested: keep members of %s that different threads use on different lines, as with "
            "__attribute__((aligned(%" PRIu64 "))) on them",
            at->key, line);
    else
        advice_say(
            a, "untested: keep the parts of %s that different threads use on lines of their own",
            at->key);
    return advice_measure(a);
}

/* Whether it is an array, of how many dimensions ever, whose elements are smaller than a line. */
static bool has_small_elements(const struct advice *a, const struct look_object *at)
{
    struct prog_member part = {.size = 0};
    if (at->variable.name && a->s->code->names)
        look_object_member(a->s->finder, at, 0, 1, &part);
    return part.size && part.size < a->s->truth->line && strchr("[(", *part.name) && *part.name;
}

/* Most of them write most of an array: no layout gives each of them a part. */
static const char *about_common(const struct advice *a)
{
    const struct look_lost *lost = &a->line->lost;
    advice_say(a,
               "untested: most of these processors write most of its elements, so none has a part "
               "of its own: each element on lines of its own helps what is shared falsely (%" PRId64
               " of %" PRId64 " PCycles), and what is shared truly stays",
               lost->falsely, doc_plus(lost->falsely, lost->truly));
    advice_say(a, a->locking ? "; a count for each thread, added up at the end, helps both"
                             : "; using them less, or a copy for each thread, helps both");
    return advice_measure(a);
}

/* All of them touch the same bytes. */
static const char *about_same(const struct advice *a)
{
    advice_say(
        a,
        "untested: these processors use the same bytes of it, but not at the same time: bytes that "
        "are not used together (a lock, and the data that it guards) belong on different lines, "
        "and using them less helps");
    if (a->locking)
        advice_say(a, "; numachine locks %s names the threads that wait", a->directory);
    return a->s->code->ended ? advice_say(a, "; measure it: numachine mend %s", a->directory)
                             : a->text;
}

/* Those within which they use different bytes, each name once. */
static void about_parted(const struct advice *a)
{
    char name[LOOK_OBJECT_NAME], one[LOOK_OBJECT_NAME + 16];
    const char *said = a->text + strlen(a->text);
    for (size_t i = 0; i < a->parts; i++) {
        snprintf(one, sizeof one, " of one '%.300s'", advice_name_of(&a->part[i], name));
        if (a->part[i].at.kind != LOOK_OBJECT_HEADER && has_parts(a, a->part[i].bytes) &&
            !strstr(said, one))
            advice_say(a, "%s%s", *said ? " and" : ", and keep the parts", one);
    }
    if (*said)
        advice_say(a, " that different threads use %" PRIu64 " bytes apart", a->s->truth->line);
}

static bool is_of_heap(const struct look_object *at)
{
    return at->kind == LOOK_OBJECT_HEAP || at->kind == LOOK_OBJECT_HEADER;
}

/* How blocks come to begin lines. What malloc has in front of a block that does lies in the line in
 * front, which is then another block's if that one does not fill it. */
static void say_blocks(const struct advice *a, const char *which)
{
    const uint64_t line = a->s->truth->line;
    bool headers = false;
    advice_say(a, "untested: start %s at borders of lines, with ", which);
    if (look_object_is_new(a->s->finder, &a->part[0].at))
        advice_say(a, "alignas(%" PRIu64 ") on their type or new (std::align_val_t(%" PRIu64 "))",
                   line, line);
    else
        advice_say(a, "aligned_alloc(%" PRIu64 ", ...)", line);
    for (size_t i = 0; i < a->parts; i++)
        headers |= a->part[i].at.kind == LOOK_OBJECT_HEADER;
    if (headers)
        advice_say(a,
                   " and sizes that are multiples of %" PRIu64
                   ", so that malloc's headers lie in no other block's line",
                   line);
}

/* Objects that share the line, and perhaps some of which different bytes are used. */
static const char *about_several(const struct advice *a)
{
    const uint64_t line = a->s->truth->line;
    if (is_of_heap(&a->part[0].at))
        say_blocks(a, "blocks that different threads use");
    else if (a->part[0].at.kind == LOOK_OBJECT_NONE) /* each of its words has a name of its own */
        advice_say(
            a, "untested: keep the parts of it that different threads use %" PRIu64 " bytes apart",
            line);
    else
        advice_say(a,
                   "untested: %.300s and %.300s lie in one line: start each at a border, with "
                   "__attribute__((aligned(%" PRIu64 ")))",
                   a->part[0].at.key, a->part[1].at.key, line);
    about_parted(a);
    return advice_measure(a);
}

static const char *about_one(const struct advice *a)
{
    const struct look_object *at = &a->part[0].at;
    const uint64_t line = a->s->truth->line;
    if (at->kind == LOOK_OBJECT_STATIC && a->s->code->names)
        return about_static(a, at);
    if (at->kind == LOOK_OBJECT_HEADER ||
        (at->kind == LOOK_OBJECT_HEAP && a->losers > 1 && !is_parted(a, a->part[0].bytes)))
        say_blocks(a, at->kind == LOOK_OBJECT_HEADER ? "the blocks behind these headers"
                                                     : "its blocks");
    else
        advice_say(
            a, "untested: keep the parts of it that different threads use %" PRIu64 " bytes apart",
            line);
    return advice_measure(a);
}

static const char *about_true(const struct advice *a)
{
    if (a->locking)
        return advice_say(a,
                          "the bytes themselves are shared, by locks or by LL and SC: more locks, "
                          "held for shorter, help, or a count for each thread, added up at the "
                          "end; numachine locks %s has the threads that wait",
                          a->directory);
    return advice_say(a,
                      "the bytes themselves are shared: less of it helps (a copy for each thread, "
                      "added up at the end), or a nearer home (numachine placement %s)",
                      a->directory);
}

/* Of a line that is shared falsely, also if it is so truly. */
static void about_false(struct advice *a)
{
    a->part = look_sharing_parts(a->s, a->line, &a->parts);
    choose_parts(a);
    choose_losers(a);
    const bool common = a->parts == 1 && is_common(a, a->part[0].bytes);
    const bool mixed = look_verdict_of(a->s, &a->line->lost) == LOOK_VERDICT_mixed;
    if (common && mixed && has_small_elements(a, &a->part[0].at))
        about_common(a);
    else if (a->losers > 1 && (common || !is_parted(a, ~(pc_bytes)0)))
        about_same(a);
    else if (a->parts > 1)
        about_several(a);
    else if (a->parts)
        about_one(a);
    free(a->part);
    free(a->loser);
}

const char *look_sharing_advice(const struct look_sharing *s, const struct look_shared_line *line,
                                char *buf, size_t size)
{
    struct advice a = {.s = s, .line = line, .text = buf, .size = size};
    const enum look_verdict verdict = look_verdict_of(s, &line->lost);
    *buf = '\0';
    if (verdict == LOOK_VERDICT_none)
        return buf;
    a.locking = is_locking(s, line);
    a.directory = look_code_directory(s->code);
    if (verdict == LOOK_VERDICT_true)
        about_true(&a);
    else
        about_false(&a);
    free(a.directory);
    return buf;
}
