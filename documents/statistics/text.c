/*
 * stats.txt: the shape users of gem5 know and have regular expressions for:
 *
 *     ---------- Begin Simulation Statistics (whole) ----------
 *     machine.elapsed                                   1200 # simulated time (PCycles)
 *     ---------- End Simulation Statistics   (whole) ----------
 *
 * Each block carries its region's name, so that nobody reads the wrong one. What a statistic means
 * is said where it comes first; the same of other parts has its unit only.
 */
#include "documents/statistics/stats.h"

#include <jansson.h>
#include <string.h>

struct text {
    FILE *out;
    json_t *said; /**< [kind] */
};

/* To the left or to the right end of a column, at most 56 wide. */
static void put_column(FILE *out, const char *text, int width, bool right)
{
    static const char BLANKS[] = "                                                        ";
    const int blanks = width - (int)strlen(text);
    if (!right)
        fputs(text, out);
    if (blanks > 0)
        fwrite(BLANKS, 1, (size_t)blanks, out);
    if (right)
        fputs(text, out);
}

static void text_put_all(FILE *out, const char *const *text)
{
    for (; *text; text++)
        if (**text)
            fputs(*text, out);
}

static void line(void *ctx, const struct doc_stat *stat)
{
    struct text *text = ctx;
    char path[192], kind[192], value[DOC_STAT_VALUE] = "-";
    doc_stat_path(stat, path, sizeof path);
    doc_stat_kind(stat, kind, sizeof kind);
    const bool first = !json_object_get(text->said, kind);
    if (first)
        json_object_set_new(text->said, kind, json_true());
    if (!stat->reason)
        doc_stat_value(stat, value);
    put_column(text->out, path, 56, false);
    putc(' ', text->out);
    put_column(text->out, value, 14, true);
    text_put_all(text->out, (const char *[]){" # ", first ? stat->desc : "", first ? " (" : "(",
                                             stat->unit, stat->reason ? "): " : ")",
                                             stat->reason ? stat->reason : "", "\n", NULL});
}

void doc_write_text(const struct doc_run *run, FILE *out)
{
    struct text text = {out, json_object()};
    for (size_t i = 0; i < run->regions; i++) {
        const char *name = run->region[i].name;
        fprintf(out, "\n---------- Begin Simulation Statistics (%s) ----------\n", name);
        doc_stats_walk(run, &run->region[i], line, &text);
        fprintf(out, "\n---------- End Simulation Statistics   (%s) ----------\n", name);
    }
    json_decref(text.said);
}
