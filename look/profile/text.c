/*
 * A profile for people, in the manner of `perf report --stdio`: a head with what was looked at,
 * then a line for each sum, the greatest first.
 */
#include "look/profile/write.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct look_format look_formats[] = {{"text", look_profile_text, true},
                                           {"json", look_profile_json, true},
                                           {"csv", look_profile_csv, true},
                                           {"folded", look_profile_folded, false},
                                           {"callgrind", look_profile_callgrind, false},
                                           {"pprof", look_profile_pprof, false}};

enum { WIDTH = 10, NARROW = 6, COUNT = 9 };

void look_profile_head(const struct look_view *view, FILE *out)
{
    const struct look_measure total = look_measure_total();
    const int64_t all = look_measured(&total, &view->whole);
    look_code_put(view->code, out);
    if (view->code->command && view->region == 0)
        fprintf(out, "# elapsed: %" PRIu64 " PCycles\n", view->code->ticks);
    fprintf(out, "# region: %s\n# threads: %zu", view->profile->region[view->region],
            view->threads);
    if (view->thread >= 0)
        fprintf(out, " (thread %" PRId64 ")", view->thread);
    fprintf(out, "\n# PCycles of threads: %" PRId64 "\n", all);
    for (unsigned i = 0; i < LOOK_PROFILE_STATES; i++) {
        const int64_t some = look_measured(&look_profile_parts[i], &view->whole);
        fprintf(out, "#   %-10s %*" PRId64 " %7.2f %%\n", look_profile_parts[i].name, WIDTH + 6,
                some, look_percent(some, all));
    }
    fprintf(out, "# PCycles of cards without a thread, in no percentage: %" PRId64 "\n",
            view->whole.v[PC_PROFILE_IDLE]);
}

static bool is_total(const struct look_measure *measure)
{
    return !strcmp(measure->name, "total");
}

/* [characters] of a column, with a blank in front. */
static int width_of(unsigned part)
{
    const int least = part < LOOK_PROFILE_STATES ? NARROW : COUNT,
              name = (int)strlen(look_profile_parts[part].name);
    return 1 + (name > least ? name : least);
}

static void put_heading(const struct look_view *view, const struct look_show *show, FILE *out)
{
    fprintf(out,
            "# %s of each %s%s, and in %% of %" PRId64
            " %s\n# run to other: in %% of the line's PCycles\n#\n#",
            view->measure.name, look_by_rows[show->by].name,
            show->children ? " with what was called from there (all), and without (self)" : "",
            look_measured(&view->measure, &view->whole), view->measure.unit);
    if (show->children)
        fprintf(out, " %8s", "all %");
    fprintf(out, " %8s %*s", "self %", WIDTH, is_total(&view->measure) ? "PCycles" : "count");
    if (!is_total(&view->measure))
        fprintf(out, " %*s", WIDTH, "PCycles");
    for (unsigned i = 0; i < LOOK_PROFILE_PARTS; i++)
        fprintf(out, "%*s", width_of(i), look_profile_parts[i].name);
    fprintf(out, "  %s\n", look_by_rows[show->by].name);
}

static void entry_put_numbers(const struct look_view *view, const struct look_show *show,
                              const struct look_entry *entry, FILE *out)
{
    const struct look_measure total = look_measure_total();
    const struct look_cost *cost = show->children ? &entry->all : &entry->self;
    const int64_t whole = look_measured(&view->measure, &view->whole);
    putc(' ', out);
    if (show->children)
        fprintf(out, " %7.2f%%", look_percent(look_measured(&view->measure, &entry->all), whole));
    fprintf(out, " %7.2f%%", look_percent(look_measured(&view->measure, &entry->self), whole));
    fprintf(out, " %*" PRId64, WIDTH, look_measured(&view->measure, cost));
    if (!is_total(&view->measure))
        fprintf(out, " %*" PRId64, WIDTH, look_measured(&total, cost));
    for (unsigned i = 0; i < LOOK_PROFILE_STATES; i++)
        fprintf(
            out, "%*.1f", width_of(i),
            look_percent(look_measured(&look_profile_parts[i], cost), look_measured(&total, cost)));
    for (unsigned i = LOOK_PROFILE_STATES; i < LOOK_PROFILE_PARTS; i++)
        fprintf(out, "%*" PRId64, width_of(i), look_measured(&look_profile_parts[i], cost));
    fputs("  ", out);
}

/* Cards without a thread, say. */
static bool shows_nothing(const struct look_view *view, const struct look_cost *cost)
{
    const struct look_measure total = look_measure_total();
    bool nothing = !look_measured(&view->measure, cost) && !look_measured(&total, cost);
    for (unsigned i = 0; nothing && i < LOOK_PROFILE_PARTS; i++)
        nothing = !look_measured(&look_profile_parts[i], cost);
    return nothing;
}

/* How many lines were left out, and what they come to themselves. */
static void put_rest(const struct look_view *view, const struct look_show *show, size_t lines,
                     int64_t cost, FILE *out)
{
    if (lines)
        fprintf(out, "# %zu more, each a %s: %.2f %% (profile --lines=0 shows all)\n", lines,
                look_by_rows[show->by].name,
                look_percent(cost, look_measured(&view->measure, &view->whole)));
}

static void text_put_line(struct look_view *view, const struct look_show *show,
                          const struct look_entry *entry, FILE *out)
{
    const char *source = show->by == LOOK_BY_line ? look_view_source(view, entry->key) : NULL;
    const char *inlined = show->by == LOOK_BY_line ? look_view_inlined(view, entry->key) : NULL;
    char *label = look_view_label(view, show->by, entry->key);
    entry_put_numbers(view, show, entry, out);
    fputs(label, out);
    if (inlined)
        fprintf(out, " (%s)", inlined);
    free(label);
    if (source)
        fprintf(out, "  %s", source + strspn(source, " \t"));
    putc('\n', out);
}

void look_profile_text(struct look_view *view, const struct look_show *show, FILE *out)
{
    struct look_sums sums = look_view_sum(view, show->by);
    size_t lines = 0;
    int64_t rest = 0;
    look_sums_sort(&sums, &view->measure, show->children);
    look_profile_head(view, out);
    put_heading(view, show, out);
    for (size_t i = 0; i < sums.entries; i++) {
        const struct look_entry *entry = sums.entry[i];
        if (shows_nothing(view, show->children ? &entry->all : &entry->self))
            continue;
        lines++;
        if (!show->most || lines <= show->most)
            text_put_line(view, show, entry, out);
        else
            rest = doc_plus(rest, look_measured(&view->measure, &entry->self));
    }
    put_rest(view, show, show->most && lines > show->most ? lines - show->most : 0, rest, out);
    look_sums_free(&sums);
}
