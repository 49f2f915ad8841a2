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
    WORD = 4,     /* [bytes] of a place in the map */
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static void put_place(const struct look_sharing *s, uint64_t pc, FILE *out)
{
    const struct prog_place *place = look_code_at(s->code, pc);
    if (pc == PC_PROFILE_NOWHERE)
        fputs("(no instruction)", out);
    else if (place->function && place->file)
        fprintf(out, "%s %s:%u", place->function, base_name(place->file), place->line);
    else if (place->function)
        fprintf(out, "%s+0x%" PRIx64, place->function, pc - place->from);
    else
        fprintf(out, "0x%" PRIx64, pc);
}

static double text_share(const struct look_sharing *s, int64_t cycles)
{
    return look_percent(cycles, s->time);
}

/* ---- all misses ------------------------------------------------------------------------------ */

static const struct class
{
    const char *heading;
    enum pc_miss_column column;
} classes[] = {
    {"cold misses", PC_MISS_COLD},
    {"capacity misses", PC_MISS_CAPACITY},
    {"conflict misses", PC_MISS_CONFLICT},
    {"true sharing misses", PC_MISS_TRUE_SHARING},
    {"false sharing misses", PC_MISS_FALSE_SHARING},
    {"other misses", PC_MISS_OTHER},
    {"true sharing upgrades", PC_MISS_UPGRADE_TRUE},
    {"false sharing upgrades", PC_MISS_UPGRADE_FALSE},
    {"upgrades without copies", PC_MISS_UPGRADE_ALONE},
};

static void sharing_text_put_head(const struct look_sharing *s, FILE *out)
{
    if (s->code->command)
        fprintf(out, "# program: %s\n", s->code->command);
    fprintf(out, "# PCycles of threads, without those that slept: %" PRId64 "\n", s->time);
    fprintf(out, "# %-24s %12s %14s %9s\n", "what the requests were", "requests", "PCycles",
            "of time");
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const int64_t count = s->v[classes[i].column], time = s->v[classes[i].column + 1];
        if (count)
            fprintf(out, "#   %-22s %12" PRId64 " %14" PRId64 " %7.2f %%\n", classes[i].heading,
                    count, time, text_share(s, time));
    }
    fprintf(out, "# lines that more than one processor touched: %zu\n", s->lines);
}

/* ---- objects --------------------------------------------------------------------------------- */

static void put_object(const struct look_sharing *s, const struct look_shared_object *o, FILE *out)
{
    fprintf(out, "  %-7s %16" PRId64 " %7.2f %% %13" PRId64 " %7.2f %% %6zu %9" PRId64 "  %s\n",
            look_verdict_name[look_verdict_of(s, &o->lost)], o->lost.falsely,
            text_share(s, o->lost.falsely), o->lost.truly, text_share(s, o->lost.truly), o->lines,
            o->v[PC_MISS_NACKS], o->name);
}

static void put_objects(const struct look_sharing *s, FILE *out)
{
    size_t shown = 0;
    fprintf(out,
            "\n# objects, by the PCycles that sharing cost\n# %-7s %16s %9s %13s %9s %6s %9s"
            "  object\n",
            "sharing", "PCycles: falsely", "of time", "truly", "of time", "lines", "NACKs");
    for (; shown < s->objects && shown < OBJECTS; shown++)
        put_object(s, &s->object[shown], out);
    if (!shown)
        fputs("  (nothing was shared)\n", out);
    if (shown < s->objects)
        fprintf(out, "# %zu more\n", s->objects - shown);
}

/* ---- a line ---------------------------------------------------------------------------------- */

static unsigned text_bits(const uint64_t set[2], unsigned first, unsigned count)
{
    return (unsigned)(set[first / 64] >> first % 64) & ((1u << count) - 1);
}

static char touch_of(const struct pc_missed_copy *copy, unsigned byte)
{
    const bool reads = text_bits(copy->read, byte, WORD),
               writes = text_bits(copy->written, byte, WORD);
    return reads && writes ? 'b' : writes ? 'w' : reads ? 'r' : '.';
}

static void put_map(const struct look_sharing *s, const struct look_shared_line *line, FILE *out)
{
    unsigned shown = 0, left = 0;
    fprintf(out, "    words of the line by card (r read, w written, b both)\n");
    for (size_t i = line->copy; i < line->copy + line->copies; i++) {
        const struct pc_missed_copy *copy = &s->truth->copy[i];
        if (!copy->read[0] && !copy->read[1] && !copy->written[0] && !copy->written[1])
            continue;
        if (shown++ >= CARDS) {
            left++;
            continue;
        }
        fprintf(out, "      card %4" PRIu32 "  ", copy->card);
        for (unsigned byte = 0; byte < s->truth->line; byte += WORD)
            putc(touch_of(copy, byte), out);
        fprintf(out, "  lost it %" PRIu64 " time%s\n", copy->taken, sim_plural(copy->taken));
    }
    if (left)
        fprintf(out, "      and %u more card%s\n", left, sim_plural(left));
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
    struct look_held *part = look_sharing_parts(s, line, &count);
    fprintf(out, "    %9s %16s %13s  holds\n", "bytes", "PCycles: falsely", "truly");
    for (; shown < count && shown < HELD; shown++) {
        put_bytes(part[shown].bytes, out);
        fprintf(out, " %16" PRId64 " %13" PRId64 "  %s\n", part[shown].lost.falsely,
                part[shown].lost.truly, part[shown].at.name);
    }
    if (shown < count)
        fprintf(out, "      and %zu more\n", count - shown);
    free(part);
}

static void put_askers(const struct look_sharing *s, const struct look_shared_line *line, FILE *out)
{
    size_t shown = 0;
    fprintf(out, "    %16s %13s %9s %9s  asked by\n", "PCycles: falsely", "truly", "misses",
            "upgrades");
    for (; shown < line->askers && shown < ASKERS; shown++) {
        const struct look_asker *a = &line->asker[shown];
        fprintf(out, "    %16" PRId64 " %13" PRId64 " %9" PRId64 " %9" PRId64 "  ", a->lost.falsely,
                a->lost.truly, a->v[PC_MISS_FALSE_SHARING] + a->v[PC_MISS_TRUE_SHARING],
                a->v[PC_MISS_UPGRADE_FALSE] + a->v[PC_MISS_UPGRADE_TRUE]);
        put_place(s, a->pc, out);
        fprintf(out, " (0x%" PRIx64 ")", a->pc);
        if (a->call != PC_PROFILE_NOWHERE) {
            fputs(", called by ", out);
            put_place(s, a->call, out);
        }
        putc('\n', out);
    }
    if (shown < line->askers)
        fprintf(out, "      and %zu more instruction%s\n", line->askers - shown,
                sim_plural(line->askers - shown));
}

static void sharing_text_put_line(const struct look_sharing *s, const struct look_shared_line *line,
                                  FILE *out)
{
    char advice[LOOK_ADVICE];
    const struct pc_missed_copy *copy = &s->truth->copy[line->copy];
    const enum look_verdict verdict = look_verdict_of(s, &line->lost);
    fprintf(out,
            "\n  line at 0x%" PRIx64 ", home station %" PRIu64 ": %s sharing, %" PRId64
            " PCycles falsely (%.2f %% of time), %" PRId64 " truly (%.2f %%)\n",
            copy->va, copy->line / s->truth->memory, look_verdict_name[verdict], line->lost.falsely,
            text_share(s, line->lost.falsely), line->lost.truly, text_share(s, line->lost.truly));
    put_contents(s, line, out);
    put_map(s, line, out);
    put_askers(s, line, out);
    if (*look_sharing_advice(s, line, advice, sizeof advice))
        fprintf(out, "    %s\n", advice);
}

void look_sharing_text(const struct look_sharing *s, size_t most, FILE *out)
{
    size_t shown = 0, quiet = 0;
    sharing_text_put_head(s, out);
    put_objects(s, out);
    for (size_t i = 0; i < s->lines; i++) {
        if (look_verdict_of(s, &s->line[i].lost) == LOOK_VERDICT_none)
            quiet++;
        else if (!most || shown++ < most)
            sharing_text_put_line(s, &s->line[i], out);
    }
    if (most && shown > most)
        fprintf(out, "\n# %zu more line%s (--lines)\n", shown - most, sim_plural(shown - most));
    if (quiet)
        fprintf(out, "\n# %zu shared line%s cost less than a hundredth of the time%s\n", quiet,
                sim_plural(quiet), quiet == 1 ? "" : " each");
}
