/*
 * From the cards' profile to the results': phases get their regions, and what was put down to
 * instructions is held against what the cards have counted.
 */
#include "run/profiling.h"

#include "base/alloc.h"
#include "documents/totals.h"
#include "procard/core.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The regions that are open, with their count in front; the caller's. */
static uint32_t *open_regions(const struct doc_run *run)
{
    uint32_t *open = sim_alloc(run->regions + 2, sizeof *open);
    for (uint32_t i = 0; i < run->regions; i++)
        if (run->region[i].open)
            open[++open[0]] = i;
    return open;
}

static uint32_t phase_of(struct run_profiling *p, uint32_t *open)
{
    const size_t size = (1 + (size_t)open[0]) * sizeof *open;
    for (size_t i = 0; i < p->phases; i++)
        if (p->phase[i][0] == open[0] && !memcmp(p->phase[i], open, size)) {
            free(open);
            return (uint32_t)i;
        }
    p->phase = sim_grow(p->phase, p->phases + 1, sizeof(uint32_t *));
    p->phase[p->phases] = open;
    return (uint32_t)p->phases++;
}

bool run_profiling_begin(struct run_profiling *p, struct nm_machine *m, pc_function_fn *function,
                         void *ctx)
{
    uint32_t *whole = sim_alloc(2, sizeof *whole);
    whole[0] = 1;
    *p = (struct run_profiling){.profile = pc_profile_new(m, function, ctx)};
    phase_of(p, whole);
    return p->profile;
}

bool run_profiling_ask(struct run_profiling *p, struct run_heap *heap)
{
    p->misses = pc_misses_new(p->profile);
    if (p->misses)
        run_heap_watch_misses(heap, p->misses);
    return p->misses;
}

void run_profiling_free(struct run_profiling *p)
{
    pc_misses_free(p->misses);
    pc_profile_free(p->profile);
    for (size_t i = 0; i < p->phases; i++)
        free(p->phase[i]);
    free(p->phase);
    *p = (struct run_profiling){0};
}

void run_profiling_mark(struct run_profiling *p, const struct doc_run *run, sim_tick at)
{
    if (!p->profile)
        return;
    const uint32_t phase = phase_of(p, open_regions(run));
    if (phase != p->now)
        pc_profile_phase(p->profile, phase, at);
    p->now = phase;
}

static void *copy(const void *from, size_t count, size_t size)
{
    void *to = sim_grow(NULL, count + 1, size);
    if (count)
        memcpy(to, from, count * size);
    return to;
}

struct doc_profile run_profiling_take(const struct run_profiling *p, const struct doc_run *run,
                                      sim_tick at)
{
    const struct pc_profile_path *path;
    const struct pc_profile_row *row;
    struct doc_profile out = {.regions = run->regions, .phases = p->phases};
    out.rows = pc_profile_rows(p->profile, at, &row);
    out.paths = pc_profile_paths(p->profile, &path);
    out.row = copy(row, out.rows, sizeof *row);
    out.path = copy(path, out.paths, sizeof *path);
    out.region = sim_alloc(out.regions, sizeof *out.region);
    for (size_t i = 0; i < out.regions; i++)
        out.region[i] = sim_strdup(run->region[i].name);
    out.phase = sim_alloc(out.phases, sizeof *out.phase);
    for (size_t i = 0; i < out.phases; i++)
        out.phase[i] = copy(p->phase[i], 1 + (size_t)p->phase[i][0], sizeof **p->phase);
    return out;
}

struct doc_truth run_profiling_truth(struct run_profiling *p, const struct run_heap *heap,
                                     const struct nm_params *params)
{
    const struct pc_missed_copy *seen;
    const struct pc_missed_row *row;
    struct doc_truth out = {.line = nm_value_l2_line(params),
                            .memory = nm_value_memory_size(params),
                            .processors = nm_value_processors(params)};
    pc_misses_end(p->misses);
    out.copies = pc_misses_copies(p->misses, &seen);
    out.rows = pc_misses_rows(p->misses, &row);
    out.copy = copy(seen, out.copies, sizeof *seen);
    out.row = copy(row, out.rows, sizeof *row);
    out.values = sim_alloc(out.rows * doc_truth_columns.count + 1, sizeof *out.values);
    for (size_t i = 0; i < out.rows; i++) {
        int64_t *v = &out.values[i * doc_truth_columns.count];
        memcpy(v, row[i].v, doc_truth_columns.count * sizeof *v);
        out.row[i].v = v;
    }
    out.tenant = run_heap_tenants(heap, &out.tenants);
    return out;
}

/* ---- what the cards have counted --------------------------------------------------------------
 */

typedef int64_t columns[PC_PROFILE__COUNT];

/* By phase; the caller's. */
static columns *sum_phases(const struct doc_profile *profile)
{
    columns *sum = sim_alloc(profile->phases, sizeof *sum);
    for (size_t i = 0; i < profile->rows; i++)
        for (int c = 0; c < PC_PROFILE__COUNT; c++)
            sum[profile->row[i].phase][c] += profile->row[i].v[c];
    return sum;
}

/* Of the phases in which the region is open. */
static void sum_region(const struct doc_profile *profile, const columns *phases, size_t region,
                       columns sum)
{
    memset(sum, 0, sizeof(columns));
    for (size_t i = 0; i < profile->phases; i++)
        for (int c = 0; doc_phase_has(profile, i, region) && c < PC_PROFILE__COUNT; c++)
            sum[c] += phases[i][c];
}

static void sum_cards(const struct doc_run *run, size_t region, int64_t sum[PC_PROFILE__COUNT])
{
    memset(sum, 0, sizeof(columns));
    for (unsigned i = 0; i < run->cards; i++) {
        const struct doc_totals *card = &run->region[region].card[i].sum;
        for (int s = 0; s < PC_ST__COUNT; s++)
            sum[s] += (int64_t)card->taps.v[s];
        sum[PC_PROFILE_INSTRUCTIONS] += (int64_t)card->truth.instructions;
        sum[PC_PROFILE_SCS_FAILED] += (int64_t)card->truth.scs_failed;
#define PROFILE_STATE(name, unit, sentence)
#define PROFILE_CORE(name, unit, sentence)
#define PROFILE_USE(name, field, unit, sentence) \
    sum[PC_PROFILE_##name] += (int64_t)card->truth.field;
#define PROFILE_TOTAL(name, from, unit, sentence) sum[PC_PROFILE_##name] += (int64_t)card->from;
#include "procard/profile.def"
    }
}

bool run_profile_adds_up(const struct doc_profile *profile, const struct doc_run *run, char *why,
                         size_t size)
{
    static const char *const name[] = {
#define COLUMN(name, unit, sentence) #name,
#include "procard/profile.def"
#undef COLUMN
    };
    columns *phases = sum_phases(profile), rows, cards;
    bool good = true;
    for (size_t r = 0; good && r < run->regions; r++) {
        sum_region(profile, phases, r, rows);
        sum_cards(run, r, cards);
        for (int c = 0; good && c < PC_PROFILE__COUNT; c++) {
            good = rows[c] == cards[c];
            if (!good)
                snprintf(why, size,
                         "the profile of region '%s' has %" PRId64 " of %s, the cards %" PRId64,
                         run->region[r].name, rows[c], name[c], cards[c]);
        }
    }
    free(phases);
    return good;
}

bool run_truth_adds_up(const struct doc_truth *truth, const struct doc_profile *profile,
                       const struct doc_run *run, char *why, size_t size)
{
    for (size_t r = 0; r < run->regions; r++) {
        int64_t rows[2], misses = 0, upgrades = 0;
        doc_truth_sum(truth, profile, r, &rows[0], &rows[1]);
        for (unsigned i = 0; i < run->cards; i++) {
            misses += (int64_t)run->region[r].card[i].sum.truth.l2_misses;
            upgrades += (int64_t)run->region[r].card[i].sum.truth.upgrades;
        }
        if (rows[0] == misses && rows[1] == upgrades)
            continue;
        snprintf(why, size,
                 "the truth of region '%s' has %" PRId64 " misses and %" PRId64
                 " upgrades, the cards %" PRId64 " and %" PRId64,
                 run->region[r].name, rows[0], rows[1], misses, upgrades);
        return false;
    }
    return true;
}
