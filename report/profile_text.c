/*
 * A profile for people, in the manner of `perf report --stdio`: a head with what was looked at,
 * then a line for each sum, the greatest first.
 */
#include "report/profile_write.h"

#include <inttypes.h>
#include <string.h>

const struct rep_format rep_formats[REP_AS__COUNT] = {
#define FORMAT(name, write, sums, sentence) {#name, write, sums, sentence},
#include "report/profile_formats.def"
#undef FORMAT
};

enum { WIDTH = 10, NARROW = 6, COUNT = 9 };

void rep_profile_head(const struct rep_view *view, FILE *out)
{
    const struct rep_measure total = rep_measure_total();
    const int64_t all = rep_measured(&total, &view->whole);
    if (view->code->command)
        fprintf(out, "# program: %s\n", view->code->command);
    if (view->code->command && view->region == 0)
        fprintf(out, "# elapsed: %" PRIu64 " PCycles\n", view->code->ticks);
    fprintf(out, "# region: %s\n# threads: %zu", view->profile->region[view->region],
            view->threads);
    if (view->thread >= 0)
        fprintf(out, " (thread %" PRId64 ")", view->thread);
    fprintf(out, "\n# PCycles of threads: %" PRId64 "\n", all);
    for (unsigned i = 0; i < REP_PROFILE_STATES; i++) {
        const int64_t some = rep_measured(&rep_profile_parts[i], &view->whole);
        fprintf(out, "#   %-10s %*" PRId64 " %7.2f %%\n", rep_profile_parts[i].name, WIDTH + 6,
                some, rep_percent(some, all));
    }
    fprintf(out, "# PCycles of cards without a thread, in no percentage: %" PRId64 "\n",
            view->whole.v[PC_PROFILE_IDLE]);
}

static bool is_total(const struct rep_measure *measure)
{
    return !strcmp(measure->name, "total");
}

/* [characters] of a column, with a blank in front. */
static int width_of(unsigned part)
{
    const int least = part < REP_PROFILE_STATES ? NARROW : COUNT,
              name = (int)strlen(rep_profile_parts[part].name);
    return 1 + (name > least ? name : least);
}

static void put_heading(const struct rep_view *view, const struct rep_show *show, FILE *out)
{
    fprintf(out,
            "# %s of each %s%s, and in %% of %" PRId64
            " %s\n# run to other: in %% of the line's PCycles\n#\n#",
            view->measure.name, rep_by_rows[show->by].name,
            show->children ? " with what was called from there (all), and without (self)" : "",
            rep_measured(&view->measure, &view->whole), view->measure.unit);
    if (show->children)
        fprintf(out, " %8s", "all %");
    fprintf(out, " %8s %*s", "self %", WIDTH, is_total(&view->measure) ? "PCycles" : "count");
    if (!is_total(&view->measure))
        fprintf(out, " %*s", WIDTH, "PCycles");
    for (unsigned i = 0; i < REP_PROFILE_PARTS; i++)
        fprintf(out, "%*s", width_of(i), rep_profile_parts[i].name);
    fprintf(out, "  %s\n", rep_by_rows[show->by].name);
}

static void put_numbers(const struct rep_view *view, const struct rep_show *show,
                        const struct rep_entry *entry, FILE *out)
{
    const struct rep_measure total = rep_measure_total();
    const struct rep_cost *cost = show->children ? &entry->all : &entry->self;
    const int64_t whole = rep_measured(&view->measure, &view->whole);
    putc(' ', out);
    if (show->children)
        fprintf(out, " %7.2f%%", rep_percent(rep_measured(&view->measure, &entry->all), whole));
    fprintf(out, " %7.2f%%", rep_percent(rep_measured(&view->measure, &entry->self), whole));
    fprintf(out, " %*" PRId64, WIDTH, rep_measured(&view->measure, cost));
    if (!is_total(&view->measure))
        fprintf(out, " %*" PRId64, WIDTH, rep_measured(&total, cost));
    for (unsigned i = 0; i < REP_PROFILE_STATES; i++)
        fprintf(out, "%*.1f", width_of(i),
                rep_percent(rep_measured(&rep_profile_parts[i], cost), rep_measured(&total, cost)));
    for (unsigned i = REP_PROFILE_STATES; i < REP_PROFILE_PARTS; i++)
        fprintf(out, "%*" PRId64, width_of(i), rep_measured(&rep_profile_parts[i], cost));
    fputs("  ", out);
}

/* Cards without a thread, say. */
static bool shows_nothing(const struct rep_view *view, const struct rep_cost *cost)
{
    const struct rep_measure total = rep_measure_total();
    bool nothing = !rep_measured(&view->measure, cost) && !rep_measured(&total, cost);
    for (unsigned i = 0; nothing && i < REP_PROFILE_PARTS; i++)
        nothing = !rep_measured(&rep_profile_parts[i], cost);
    return nothing;
}

/* How many lines were left out, and what they come to themselves. */
static void put_rest(const struct rep_view *view, const struct rep_show *show, size_t lines,
                     int64_t cost, FILE *out)
{
    if (lines)
        fprintf(out, "# %zu more, each a %s: %.2f %% (profile --lines=0 shows all)\n", lines,
                rep_by_rows[show->by].name,
                rep_percent(cost, rep_measured(&view->measure, &view->whole)));
}

static void put_line(struct rep_view *view, const struct rep_show *show,
                     const struct rep_entry *entry, FILE *out)
{
    const char *source = show->by == REP_BY_line ? rep_view_source(view, entry->key) : NULL;
    put_numbers(view, show, entry, out);
    rep_view_label(view, show->by, entry->key, out);
    if (source)
        fprintf(out, "  %s", source + strspn(source, " \t"));
    putc('\n', out);
}

void rep_profile_text(struct rep_view *view, const struct rep_show *show, FILE *out)
{
    struct rep_sums sums = rep_view_sum(view, show->by);
    size_t lines = 0;
    int64_t rest = 0;
    rep_sums_sort(&sums, &view->measure, show->children);
    rep_profile_head(view, out);
    put_heading(view, show, out);
    for (size_t i = 0; i < sums.entries; i++) {
        const struct rep_entry *entry = sums.entry[i];
        if (shows_nothing(view, show->children ? &entry->all : &entry->self))
            continue;
        lines++;
        if (!show->most || lines <= show->most)
            put_line(view, show, entry, out);
        else
            rest = rep_plus(rest, rep_measured(&view->measure, &entry->self));
    }
    put_rest(view, show, show->most && lines > show->most ? lines - show->most : 0, rest, out);
    rep_sums_free(&sums);
}
