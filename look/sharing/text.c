/*
 * Shared lines for people, in the manner of `perf c2c report`: what all misses were, the objects
 * that lost most, then line by line who touched which bytes, who asked, and what would mend it.
 */
#include "base/plural.h"
#include "look/cost.h"
#include "look/sharing/sharing.h"
#include "procard/miss_columns.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    OBJECTS = 10, /* in the table */
    ASKERS = 6,   /* of a line */
    HELD = 6,     /* objects in it */
    CARDS = 16,   /* of a line's map */
};

static double text_share(const struct look_sharing *s, int64_t cycles)
{
    return look_percent(cycles, s->time);
}

/* The end of a line. */
static void put_lost(const struct look_sharing *s, struct look_lost lost, FILE *out)
{
    fprintf(out, "%" PRId64 " PCycles falsely (%.2f %% of time), %" PRId64 " truly (%.2f %%)\n",
            lost.falsely, text_share(s, lost.falsely), lost.truly, text_share(s, lost.truly));
}

/* ---- all misses ------------------------------------------------------------------------------ */

static void sharing_put_request(const struct look_sharing *s, const char *heading, int64_t count,
                                int64_t time, FILE *out)
{
    fprintf(out, "#   %-22s %12" PRId64 " %14" PRId64 " %7.2f %%\n", heading, count, time,
            text_share(s, time));
}

/* The classes, what of the time none has, and the sum. */
static void sharing_put_requests(const struct look_sharing *s, FILE *out)
{
    int64_t all = 0;
    fprintf(out, "# %-24s %12s %14s %9s\n", "what the requests were", "requests", "PCycles",
            "of time");
    for (unsigned r = 0; r < look_request_classes; r++) {
        const struct look_request_class *class = &look_request_class[r];
        if (s->v[class->count])
            sharing_put_request(s, class->heading, s->v[class->count], s->v[class->count + 1], out);
        all = doc_plus(all, s->v[class->count]);
    }
    fprintf(out, "#   %-22s %12s %14" PRId64 " %7.2f %%\n", "rest", "", s->rest,
            text_share(s, s->rest));
    sharing_put_request(s, "all", all, s->time, out);
}

static void sharing_text_put_head(const struct look_sharing *s, FILE *out)
{
    look_code_put(s->code, out);
    fprintf(out, "# PCycles of threads, without those that slept: %" PRId64 "\n", s->time);
    if (s->part < 1)
        fprintf(out,
                "# requests went side by side: of each, %.1f %% of its PCycles count, together "
                "the stalls for them\n",
                100 * s->part);
    sharing_put_requests(s, out);
    fprintf(out, "# lines that more than one processor touched: %zu\n", s->lines);
}

/* ---- objects --------------------------------------------------------------------------------- */

/* @param verdict  or what else the row is */
static void put_object(const struct look_sharing *s, const char *verdict,
                       const struct look_shared_object *o, const char *lines, FILE *out)
{
    char memory[LOOK_OBJECT_NAME];
    fprintf(out, "  %-7s %16" PRId64 " %7.2f %% %13" PRId64 " %7.2f %% %6s %9" PRId64 "  %s\n",
            verdict, o->lost.falsely, text_share(s, o->lost.falsely), o->lost.truly,
            text_share(s, o->lost.truly), lines, o->v[PC_MISS_NACKS], o->name);
    if (*look_sharing_memory(s, o, memory, sizeof memory))
        fprintf(out, "# %73s  is %s\n", "", memory);
}

/* Takes an object off the sums. */
static void take_object(struct look_shared_object *sum, const struct look_shared_object *o)
{
    sum->lost = look_lost_less(sum->lost, o->lost);
    sum->v[PC_MISS_NACKS] = doc_plus(sum->v[PC_MISS_NACKS], -o->v[PC_MISS_NACKS]);
}

static struct look_shared_object all_objects(const struct look_sharing *s, char *name)
{
    struct look_shared_object all = {.name = name, .lost = s->lost};
    for (size_t i = 0; i < s->objects; i++)
        all.v[PC_MISS_NACKS] = doc_plus(all.v[PC_MISS_NACKS], s->object[i].v[PC_MISS_NACKS]);
    return all;
}

/* What the table has not, and the sum; a line can have several objects, so lines have no sum. */
static void put_rest_of_objects(const struct look_sharing *s, size_t shown, FILE *out)
{
    char name[64];
    const struct look_shared_object all = all_objects(s, name);
    struct look_shared_object rest = all;
    for (size_t i = 0; i < shown; i++)
        take_object(&rest, &s->object[i]);
    snprintf(name, sizeof name, "%zu more", s->objects - shown);
    if (shown < s->objects)
        put_object(s, "rest", &rest, "", out);
    snprintf(name, sizeof name, "%zu object%s", s->objects, sim_plural(s->objects));
    put_object(s, "all", &all, "", out);
}

static void put_objects(const struct look_sharing *s, FILE *out)
{
    size_t shown = 0;
    fprintf(out,
            "\n# objects, by the PCycles that sharing cost, with what is only read beside them\n# "
            "%-7s %16s %9s %13s %9s %6s %9s"
            "  object\n",
            "sharing", "PCycles: falsely", "of time", "truly", "of time", "lines", "NACKs");
    for (; shown < s->objects && shown < OBJECTS; shown++) {
        char lines[24];
        const struct look_shared_object *o = &s->object[shown];
        snprintf(lines, sizeof lines, "%zu", o->lines);
        put_object(s, look_verdict_name[look_verdict_of(s, &o->lost)], o, lines, out);
    }
    if (shown)
        put_rest_of_objects(s, shown, out);
    else
        fputs("  (nothing was shared)\n", out);
}

/* ---- a line ---------------------------------------------------------------------------------- */

static unsigned text_bits(const uint64_t set[2], unsigned first, unsigned count)
{
    return (unsigned)(set[first / 64] >> first % 64) & ((1u << count) - 1);
}

static char touch_of(const struct pc_missed_copy *copy, unsigned byte)
{
    const bool reads = text_bits(copy->read, byte, LOOK_WORD),
               writes = text_bits(copy->written, byte, LOOK_WORD);
    return reads && writes ? 'b' : writes ? 'w' : reads ? 'r' : '.';
}

static void put_map(const struct look_sharing *s, const struct look_shared_line *line, FILE *out)
{
    unsigned shown = 0, left = 0;
    fprintf(out, "    words of the line by processor (r read, w written, b both)\n");
    for (size_t i = line->copy; i < line->copy + line->copies; i++) {
        const struct pc_missed_copy *copy = &s->truth->copy[i];
        if (!copy->read[0] && !copy->read[1] && !copy->written[0] && !copy->written[1])
            continue;
        if (shown++ >= CARDS) {
            left++;
            continue;
        }
        fprintf(out, "      processor %4" PRIu32 "  ", copy->card);
        for (unsigned byte = 0; byte < s->truth->line; byte += LOOK_WORD)
            putc(touch_of(copy, byte), out);
        fprintf(out, "  lost it %" PRIu64 " time%s\n", copy->taken, sim_plural(copy->taken));
    }
    if (left)
        fprintf(out, "      and %u more processor%s\n", left, sim_plural(left));
}

/* The line's bytes that are an object's: "0-3", or "0-63" if there are others between them. */
static void put_bytes(pc_bytes bytes, FILE *out)
{
    char range[16];
    unsigned first = 0, last = 127;
    while (!(bytes >> first & 1) && first < last)
        first++;
    while (!(bytes >> last & 1) && last > first)
        last--;
    snprintf(range, sizeof range, "%u-%u", first, last);
    fprintf(out, "      %7s", range);
}

static void put_contents(const struct look_sharing *s, const struct look_shared_line *line,
                         FILE *out)
{
    size_t count, shown = 0;
    struct look_lost rest = line->lost;
    struct look_held *part = look_sharing_parts(s, line, &count);
    fprintf(out, "    %9s %16s %13s  holds; of several words, the dearest\n", "bytes",
            "PCycles: falsely", "truly");
    for (; shown < count && shown < HELD; shown++) {
        rest = look_lost_less(rest, part[shown].lost);
        put_bytes(part[shown].bytes, out);
        fprintf(out, " %16" PRId64 " %13" PRId64 "  %s\n", part[shown].lost.falsely,
                part[shown].lost.truly, part[shown].at.name);
    }
    if (shown < count)
        fprintf(out, "    %9s %16" PRId64 " %13" PRId64 "  %zu more\n", "rest", rest.falsely,
                rest.truly, count - shown);
    free(part);
}

static void put_asked(const struct look_asker *a, FILE *out)
{
    fprintf(out, "    %16" PRId64 " %13" PRId64 " %9" PRId64 " %9" PRId64 "  ", a->lost.falsely,
            a->lost.truly, a->v[PC_MISS_FALSE_SHARING] + a->v[PC_MISS_TRUE_SHARING],
            a->v[PC_MISS_UPGRADE_FALSE] + a->v[PC_MISS_UPGRADE_TRUE]);
}

/* Takes an instruction off the sums. */
static void take_asker(struct look_asker *sum, const struct look_asker *a)
{
    sum->lost = look_lost_less(sum->lost, a->lost);
    for (unsigned c = 0; c < doc_truth_columns.count; c++)
        sum->v[c] = doc_plus(sum->v[c], -a->v[c]);
}

/* The instruction, and the call in the program that led to one of a library's. */
static void put_asker_place(const struct look_sharing *s, const struct look_asker *a, FILE *out)
{
    if (a->pc == PC_PROFILE_NOWHERE)
        fputs("(no instruction)", out);
    else
        look_place_put(s->code, a->pc, out);
    fprintf(out, " (0x%" PRIx64 ")", a->pc);
    if (a->call != PC_PROFILE_NOWHERE) {
        fputs(", called by ", out);
        look_place_put(s->code, a->call, out);
    }
}

static void put_askers(const struct look_sharing *s, const struct look_shared_line *line, FILE *out)
{
    size_t shown = 0;
    struct look_asker rest = {.lost = line->lost};
    memcpy(rest.v, line->v, sizeof rest.v);
    fprintf(out, "    %16s %13s %9s %9s  asked by\n", "PCycles: falsely", "truly", "misses",
            "upgrades");
    for (; shown < line->askers && shown < ASKERS; shown++) {
        const struct look_asker *a = &line->asker[shown];
        take_asker(&rest, a);
        put_asked(a, out);
        put_asker_place(s, a, out);
        putc('\n', out);
    }
    if (shown < line->askers) {
        put_asked(&rest, out);
        fprintf(out, "%zu more instruction%s\n", line->askers - shown,
                sim_plural(line->askers - shown));
    }
}

static void sharing_text_put_line(const struct look_sharing *s, const struct look_shared_line *line,
                                  FILE *out)
{
    char advice[LOOK_ADVICE];
    const struct pc_missed_copy *copy = &s->truth->copy[line->copy];
    const enum look_verdict verdict = look_verdict_of(s, &line->lost);
    fprintf(out, "\n  line at 0x%" PRIx64 ", home station %" PRIu64 ": %s sharing, ", copy->va,
            copy->line / s->truth->memory, look_verdict_name[verdict]);
    put_lost(s, line->lost, out);
    put_contents(s, line, out);
    put_map(s, line, out);
    put_askers(s, line, out);
    look_sharing_put_windows(s, line, out);
    if (*look_sharing_advice(s, line, advice, sizeof advice))
        fprintf(out, "    %s\n", advice);
}

/* Lines that are not shown in full. */
struct left_lines {
    size_t count;
    struct look_lost lost;
};

static void leave_line(struct left_lines *left, const struct look_shared_line *line)
{
    left->count++;
    left->lost = look_lost_plus(left->lost, line->lost);
}

static void put_left_lines(const struct look_sharing *s, const struct left_lines *left,
                           const char *sentence, FILE *out)
{
    if (!left->count)
        return;
    fprintf(out, "# %zu more line%s%s: ", left->count, sim_plural(left->count), sentence);
    put_lost(s, left->lost, out);
}

/* What sharing cost in lines that no other processor has touched since. */
static void put_alone(const struct look_sharing *s, FILE *out)
{
    struct look_lost alone = s->lost;
    for (size_t i = 0; i < s->lines; i++)
        alone = look_lost_less(alone, s->line[i].lost);
    if (!alone.falsely && !alone.truly)
        return;
    fputs("# lines whose bytes one processor touched: ", out);
    put_lost(s, alone, out);
}

void look_sharing_text(const struct look_sharing *s, size_t most, FILE *out)
{
    size_t shown = 0;
    struct left_lines left = {0}, quiet = {0};
    sharing_text_put_head(s, out);
    put_objects(s, out);
    look_sharing_put_sizes(s, out);
    for (size_t i = 0; i < s->lines; i++) {
        if (look_verdict_of(s, &s->line[i].lost) == LOOK_VERDICT_none)
            leave_line(&quiet, &s->line[i]);
        else if (most && shown == most)
            leave_line(&left, &s->line[i]);
        else {
            shown++;
            sharing_text_put_line(s, &s->line[i], out);
        }
    }
    if (s->lines)
        putc('\n', out);
    put_left_lines(s, &left, " (--lines)", out);
    put_left_lines(s, &quiet, " that cost less than a hundredth of the time each", out);
    put_alone(s, out);
    if (s->lines) {
        fputs("# all lines: ", out);
        put_lost(s, s->lost, out);
    }
}
