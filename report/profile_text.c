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

#define BIT(column) (UINT64_C(1) << PC_PROFILE_##column)

/** What every line has: where the PCycles went, and what they waited for. */
static const struct part {
    const char *heading;
    struct rep_measure measure;
} parts[] = {
#define RUN  BIT(LOAD) | BIT(STORE) | BIT(BR_UNTAKEN) | BIT(BR_TAKEN) | BIT(INT) | BIT(FP)
#define KILL BIT(KILL_BRANCH) | BIT(KILL_EXC) | BIT(SLIP_INT) | BIT(SLIP_FP)
    {"run", {.columns = RUN}},
    {"kill+slip", {.columns = KILL}},
    {"primary", {.columns = BIT(STALL_L1I) | BIT(STALL_L1D)}},
    {"secondary", {.columns = BIT(STALL_L2)}},
    {"MP stall", {.columns = BIT(STALL_MP)}},
    {"system", {.columns = BIT(SYSTEM)}},
    {"waiting", {.columns = BIT(WAITING) | BIT(ASLEEP)}},
    {"other", {.columns = BIT(STALL_OTHER), .less = BIT(SYSTEM) | BIT(WAITING) | BIT(ASLEEP)}},
    {"L1 misses", {.columns = BIT(L1I_MISSES) | BIT(L1D_MISSES)}},
    {"L2 misses", {.columns = BIT(L2_MISSES)}},
    {"NACKs", {.columns = BIT(NACKS)}},
#undef RUN
#undef KILL
};

enum { PARTS = sizeof parts / sizeof *parts, STATE_PARTS = 8, WIDTH = 10 };

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
    for (unsigned i = 0; i < STATE_PARTS; i++) {
        const int64_t some = rep_measured(&parts[i].measure, &view->whole);
        fprintf(out, "#   %-10s %*" PRId64 " %7.2f %%\n", parts[i].heading, WIDTH + 6, some,
                rep_percent(some, all));
    }
    fprintf(out, "# PCycles of cards without a thread, in no percentage: %" PRId64 "\n",
            view->whole.v[PC_PROFILE_IDLE]);
}

static bool is_total(const struct rep_measure *measure)
{
    return !strcmp(measure->name, "total");
}

static void put_heading(const struct rep_view *view, const struct rep_show *show, FILE *out)
{
    fprintf(out, "# %s of each %s%s, and in %% of %" PRId64 " %s\n#\n#", view->measure.name,
            rep_by_rows[show->by].name,
            show->children ? " with what was called from there (all), and without (self)" : "",
            rep_measured(&view->measure, &view->whole), view->measure.unit);
    if (show->children)
        fprintf(out, " %8s", "all %");
    fprintf(out, " %8s %*s", "self %", WIDTH, is_total(&view->measure) ? "PCycles" : "count");
    if (!is_total(&view->measure))
        fprintf(out, " %*s", WIDTH, "PCycles");
    for (unsigned i = 0; i < PARTS; i++)
        fprintf(out, " %*s", WIDTH, parts[i].heading);
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
    for (unsigned i = 0; i < PARTS; i++)
        fprintf(out, " %*" PRId64, WIDTH, rep_measured(&parts[i].measure, cost));
    fputs("  ", out);
}

/* Cards without a thread, say. */
static bool shows_nothing(const struct rep_view *view, const struct rep_cost *cost)
{
    const struct rep_measure total = rep_measure_total();
    bool nothing = !rep_measured(&view->measure, cost) && !rep_measured(&total, cost);
    for (unsigned i = 0; nothing && i < PARTS; i++)
        nothing = !rep_measured(&parts[i].measure, cost);
    return nothing;
}

/* How many lines were left out, and what they come to. */
static void put_rest(const struct rep_view *view, const struct rep_sums *sums, size_t from,
                     const char *what, FILE *out)
{
    const int64_t whole = rep_measured(&view->measure, &view->whole);
    int64_t rest = 0;
    for (size_t i = from; i < sums->entries; i++)
        rest += rep_measured(&view->measure, &sums->entry[i]->self);
    if (from < sums->entries)
        fprintf(out, "# %zu more, each a %s: %.2f %%\n", sums->entries - from, what,
                rep_percent(rest, whole));
}

void rep_profile_text(struct rep_view *view, const struct rep_show *show, FILE *out)
{
    struct rep_sums sums = rep_view_sum(view, show->by);
    rep_sums_sort(&sums, &view->measure, show->children);
    rep_profile_head(view, out);
    put_heading(view, show, out);
    const size_t most = show->most && show->most < sums.entries ? show->most : sums.entries;
    for (size_t i = 0; i < most; i++) {
        const struct rep_entry *entry = sums.entry[i];
        if (shows_nothing(view, show->children ? &entry->all : &entry->self))
            continue;
        put_numbers(view, show, entry, out);
        rep_view_label(view, show->by, entry->key, out);
        putc('\n', out);
    }
    put_rest(view, &sums, most, rep_by_rows[show->by].name, out);
    rep_sums_free(&sums);
}
