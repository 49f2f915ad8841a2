/*
 * From the cards' profile to the results': phases get their regions, and what was put down to
 * instructions is held against what the cards have counted.
 *
 * The phases of a run are the sets of regions that are open at once.
 */
#include "base/copy.h"
#include "documents/rows/profile.h"
#include "documents/totals.h"
#include "procard/core.h"
#include "run/observer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct profiling {
    struct run_live *live;
    struct pc_profile *profile;
    uint32_t **phase; /* [phases] as in struct doc_profile */
    size_t phases;
    uint32_t now;            /* the present one */
    struct doc_profile left; /* by the run */
};

/* The regions that are open, with their count in front; the caller's. */
static uint32_t *open_regions(const struct doc_run *run)
{
    uint32_t *open = sim_alloc(run->regions + 2, sizeof *open);
    for (uint32_t i = 0; i < run->regions; i++)
        if (run->region[i].open)
            open[++open[0]] = i;
    return open;
}

static uint32_t phase_of(struct profiling *p, uint32_t *open)
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

static bool function_at(void *ctx, uint64_t va, uint64_t *from, uint64_t *to)
{
    struct prog_names *names = ctx;
    struct prog_place place;
    if (!names || !names->at(names, va, &place) || !place.function)
        return false;
    *from = place.from;
    *to = place.to;
    return true;
}

static enum run_begun profiling_begin(void *self, struct run_live *live, char *why, size_t size)
{
    const struct in_experiment *x = live->experiment;
    struct profiling *p = self;
    p->live = live;
    if (x->approach.sampling.every) {
        snprintf(why, size,
                 "sampling does not go with run.profile and run.truth, which want to see every "
                 "PCycle and every miss");
        return RUN_REFUSED;
    }
    if (x->truth && (x->from || x->to)) {
        snprintf(why, size,
                 "a fast-forward does not go with run.truth, which wants to see every miss");
        return RUN_REFUSED;
    }
    p->profile = live->profiled = pc_profile_new(live->machine, function_at, run_names(live));
    if (!p->profile) {
        snprintf(
            why, size,
            x->profile
                ? "run.profile: a processor of this machine keeps no profile: it makes references "
                  "that a "
                  "kernel, a pattern or a trace hands it"
                : "run.truth: a processor of this machine keeps no reasons of its misses: it makes "
                  "references that a kernel, a pattern or a trace hands it");
        return RUN_REFUSED;
    }
    phase_of(p, sim_copy((uint32_t[]){1, 0}, 2, sizeof(uint32_t))); /* in `whole` alone */
    return RUN_BEGUN;
}

/* A region may have been begun or ended. */
static void profiling_mark(void *self, const char *name, bool begin, sim_tick at)
{
    struct profiling *p = self;
    const uint32_t phase = phase_of(p, open_regions(&p->live->run));
    (void)name, (void)begin;
    if (phase != p->now)
        pc_profile_phase(p->profile, phase, at);
    p->now = phase;
}

static void profiling_finish(void *self, sim_tick at)
{
    struct profiling *p = self;
    const struct doc_run *run = &p->live->run;
    struct doc_profile *out = &p->left;
    const struct pc_profile_path *path;
    const struct pc_profile_row *row;
    *out = (struct doc_profile){.regions = run->regions, .phases = p->phases};
    out->rows = pc_profile_rows(p->profile, at, &row);
    out->paths = pc_profile_paths(p->profile, &path);
    out->row = sim_copy(row, out->rows, sizeof *row);
    out->path = sim_copy(path, out->paths, sizeof *path);
    out->region = sim_alloc(out->regions, sizeof *out->region);
    for (size_t i = 0; i < out->regions; i++)
        out->region[i] = sim_strdup(run->region[i].name);
    out->phase = sim_alloc(out->phases, sizeof *out->phase);
    for (size_t i = 0; i < out->phases; i++)
        out->phase[i] = sim_copy(p->phase[i], 1 + (size_t)p->phase[i][0], sizeof **p->phase);
    p->live->profile = out;
}

/* ---- what the cards have counted ------------------------------------------------------------- */

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

/* In each ended region, each column's sum must be what the cards show for all of them. */
static bool profiling_adds_up(void *self, char *why, size_t size)
{
    const struct profiling *p = self;
    const struct doc_profile *profile = &p->left;
    const struct doc_run *run = &p->live->run;
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

/* ---- the book -------------------------------------------------------------------------------- */

static bool profiling_wanted(const struct run_live *live)
{
    return live->experiment->profile || live->experiment->truth;
}

static void profiling_write(void *self, FILE *out)
{
    doc_profile_write(&((struct profiling *)self)->left, out);
}

static void profiling_release(void *self)
{
    struct profiling *p = self;
    doc_profile_free(&p->left);
    pc_profile_free(p->profile);
    for (size_t i = 0; i < p->phases; i++)
        free(p->phase[i]);
    free(p->phase);
}

static const struct run_file profiling_files[] = {{.name = DOC_PROFILE, .write = profiling_write},
                                                  {0}};

const struct run_observer run_profile = {
    .size = sizeof(struct profiling),
    .wants = profiling_wanted,
    .begin = profiling_begin,
    .mark = profiling_mark,
    .finish = profiling_finish,
    .adds_up = profiling_adds_up,
    .file = profiling_files,
    .release = profiling_release,
};
