/*
 * The first difference in time of two runs.
 *
 * The hard idea: nothing is kept of a run's way, but a run can be repeated, and looking at it
 * changes nothing. So both are run again with digests of their states at some hundred moments; then
 * once more, no farther than the first digests that differ, with as many moments in the last
 * interval in which they did not; until the moments are cycles.
 */
#include "look/compare/divergence.h"

#include "look/code.h"
#include "machine/statistics.h"
#include "monitor/taps.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SAME, PARTED, FAILED };

struct search {
    const struct look_diff *diff;
    const struct look_again *again;
    struct in_experiment x[2];
    struct look_trail *const *trail; /* [2] */
    struct look_code code[2];
    sim_tick low, high; /* [ticks] the states are equal at low, and not at high */
    bool at_end;        /* no moment differs: only the ends do, or what comes after the last one */
    FILE *out;
};

static int divergence_complain(const char *why)
{
    fprintf(stderr, "numachine: error: --first-divergence: %s\n", why);
    return FAILED;
}

/* ---- the search ------------------------------------------------------------------------------ */

static const char *divergence_walk(struct search *s, const struct look_schedule *schedule)
{
    return s->again->run((const struct in_experiment *const[]){&s->x[0], &s->x[1]}, schedule,
                         s->trail);
}

/* The first mark that is not the same, or only one run has. @return how many marks are equal */
static unsigned equal_marks(const struct search *s)
{
    const struct look_trail *a = s->trail[0], *b = s->trail[1];
    unsigned i = 0;
    while (i < a->marks && i < b->marks && a->mark[i].at == b->mark[i].at &&
           a->mark[i].digest == b->mark[i].digest)
        i++;
    return i;
}

/* Narrows the interval by what the trails say. @return false: they say nothing of a difference */
static bool divergence_narrow(struct search *s)
{
    const struct look_trail *a = s->trail[0], *b = s->trail[1];
    const unsigned equal = equal_marks(s);
    if (equal)
        s->low = a->mark[equal - 1].at;
    s->at_end = false;
    if (equal < a->marks || equal < b->marks) {
        const sim_tick at = equal < a->marks ? a->mark[equal].at : 0;
        s->high = sim_later(at, equal < b->marks ? b->mark[equal].at : 0);
        return true;
    }
    if (a->stopped && b->stopped)
        return false;
    s->at_end = true;
    s->high = sim_later(sim_later(a->ticks, b->ticks), s->low + 1);
    return a->ticks != b->ticks || a->result != b->result;
}

/* Ticks that a run took when it was first run. */
static sim_tick ticks_of(const struct doc_finished *r)
{
    const json_int_t ticks = json_integer_value(json_object_get(r->end, "ticks"));
    return ticks > 0 ? (sim_tick)ticks : 0;
}

/* The whole runs. */
static const char *look_at_all(struct search *s, bool *differ)
{
    const sim_tick most = sim_later(ticks_of(s->diff->of[0]), ticks_of(s->diff->of[1]));
    const sim_tick step = most / (LOOK_MARKS / 2) + 1;
    const struct look_schedule schedule = {
        .first = step, .step = step, .marks = LOOK_MARKS, .growing = true, .limit = SIM_NEVER};
    const char *complaint = divergence_walk(s, &schedule);
    *differ = !complaint && divergence_narrow(s);
    return complaint;
}

/* The interval, at as many moments as there may be. @param[out] found  it is smaller now */
static const char *look_closer(struct search *s, sim_tick *step, bool *found)
{
    const sim_tick span = s->high - s->low;
    *step = (span + LOOK_MARKS - 1) / LOOK_MARKS;
    const struct look_schedule schedule = {.first = s->low + *step,
                                           .step = *step,
                                           .marks = (unsigned)((span + *step - 1) / *step),
                                           .limit = s->high + *step};
    const char *complaint = divergence_walk(s, &schedule);
    *found = !complaint && divergence_narrow(s);
    return complaint;
}

/* ---- what is said ---------------------------------------------------------------------------- */

static void put_place(struct search *s, int of, uint64_t pc)
{
    const struct prog_place *place = look_code_at(&s->code[of], pc);
    fprintf(s->out, "0x%" PRIx64, pc);
    if (place->function)
        fprintf(s->out, " %s", place->function);
    if (place->file && place->line) {
        const char *slash = strrchr(place->file, '/');
        fprintf(s->out, " %s:%u", slash ? slash + 1 : place->file, place->line);
    }
    look_chain_behind(&s->code[of], look_code_chain(&s->code[of], pc), s->out);
}

/* What a run has counted at a place of a card's totals from the first mark to the second. */
static uint64_t divergence_counted(const struct search *s, int of, unsigned card, size_t offset)
{
    const struct look_trail *trail = s->trail[of];
    const char *before = (const char *)&trail->card[0][card].totals,
               *after = (const char *)&trail->card[1][card].totals;
    return *(const uint64_t *)(after + offset) - *(const uint64_t *)(before + offset);
}

/* Names a total of which this run has counted more than the other one. */
static void put_more(struct search *s, int of, unsigned card, size_t offset, const char *name,
                     const char **between)
{
    if (divergence_counted(s, of, card, offset) <= divergence_counted(s, !of, card, offset))
        return;
    fprintf(s->out, "%s%s", *between, name);
    *between = ", ";
}

/* All of them. */
static void put_counted(struct search *s, int of, unsigned card)
{
    const char *between = "; counts ";
    for (int t = 0; t < MON_TAP__COUNT; t++) {
        char name[DOC_COLUMN_NAME];
        doc_lower(mon_tap_rows()[t].name, name);
        const size_t offset = offsetof(struct doc_totals, taps.v) + (size_t)t * sizeof(uint64_t);
        const bool state = t < IN_STATUS_STATES;
        put_more(s, of, card, offset, state ? mon_state_name((unsigned)t) : name, &between);
    }
#define TRUTH(field, unit, sentence) \
    put_more(s, of, card, offsetof(struct doc_totals, truth.field), #field, &between);
#include "machine/truth.def"
#undef TRUTH
    putc('\n', s->out);
}

static bool card_differs(const struct search *s, unsigned card)
{
    const struct look_stand *a = &s->trail[0]->card[1][card], *b = &s->trail[1]->card[1][card];
    return a->pc != b->pc || memcmp(&a->totals, &b->totals, sizeof a->totals) != 0;
}

static void divergence_put_card(struct search *s, unsigned card)
{
    const struct look_stand *before = &s->trail[0]->card[0][card];
    fprintf(s->out, "card %u, thread %" PRIu32 ", at ", card, before->thread);
    put_place(s, 0, before->pc);
    putc('\n', s->out);
    for (int of = 0; of < 2; of++) {
        fprintf(s->out, "  %c: goes on at ", 'A' + of);
        put_place(s, of, s->trail[of]->card[1][card].pc);
        put_counted(s, of, card);
    }
}

/* Buses, memories, network caches and rings may differ before any card does. */
static void put_arounds(const struct search *s)
{
    const struct nm_params *p = s->x[0].machine.params;
    const unsigned stations = (unsigned)nm_params_stations(p);
    for (unsigned i = 0; i < s->trail[0]->arounds && i < 2 * LOOK_TRAIL_CARDS; i++) {
        if (s->trail[0]->around[1][i] == s->trail[1]->around[1][i])
            continue;
        if (i < stations) {
            fprintf(s->out, "station %u: its bus, memory, network cache or FIFOs\n", i);
        } else {
            const struct nm_ring_place at = nm_ring_place(p, i - stations);
            fprintf(s->out, "ring %u of level %u\n", at.index, at.level);
        }
    }
}

/* Every part that has done something else; cards first. */
static void put_parts(struct search *s)
{
    const unsigned cards = s->trail[0]->cards;
    if (cards != s->trail[1]->cards || s->trail[0]->arounds != s->trail[1]->arounds) {
        fputs("the machines have other parts\n", s->out);
        return;
    }
    for (unsigned c = 0; c < cards && c < LOOK_TRAIL_CARDS; c++)
        if (card_differs(s, c))
            divergence_put_card(s, c);
    put_arounds(s);
}

/* The cycle before `high` is the one in which they part. */
static const char *put_parting(struct search *s)
{
    const struct look_schedule schedule = {.first = s->low,
                                           .step = s->high - s->low,
                                           .marks = 2,
                                           .detailed = true,
                                           .limit = s->high + 1};
    const char *complaint = divergence_walk(s, &schedule);
    if (complaint)
        return complaint;
    fprintf(s->out, "first difference: PCycle %" PRIu64 "\n", s->high - 1);
    for (int of = 0; of < 2; of++)
        if (s->trail[of]->marks < 2)
            fprintf(s->out, "%c ends at %" PRIu64 "\n", 'A' + of, s->trail[of]->ticks);
    if (s->trail[0]->marks == 2 && s->trail[1]->marks == 2)
        put_parts(s);
    return NULL;
}

/* Whether a run comes to another result now. One that was interrupted has none to come to. */
static bool is_other(const struct doc_finished *r, const char *hash)
{
    return strcmp(r->status, "complete") == 0 && strcmp(r->result_hash, hash) != 0;
}

static void put_again(const struct search *s)
{
    static const char other[] =
        "; its directory has another: it was another version, or read other input";
    for (int of = 0; of < 2; of++) {
        char hash[32];
        const struct look_trail *trail = s->trail[of];
        snprintf(hash, sizeof hash, "xxh64:%016" PRIx64, trail->result);
        fprintf(s->out, "# %c, simulated again: %" PRIu64 " PCycles, %s%s\n", 'A' + of,
                trail->ticks, hash, is_other(s->diff->of[of], hash) ? other : "");
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int say_same(const struct search *s)
{
    const struct look_trail *a = s->trail[0], *b = s->trail[1];
    const char *but = a->output != b->output   ? "; but the programs wrote other bytes"
                      : a->result != b->result ? "; but they end otherwise"
                                               : "";
    fprintf(s->out, "no difference in time%s\n", but);
    return SAME;
}

static int narrow_down(struct search *s)
{
    sim_tick step = 0;
    bool found = true;
    while (found && s->high - s->low > 1) {
        const sim_tick high = s->high;
        const char *complaint = look_closer(s, &step, &found);
        if (complaint)
            return divergence_complain(complaint);
        if (!found)
            s->high = high;
    }
    if (s->at_end && s->trail[0]->ticks == s->trail[1]->ticks)
        return say_same(s);
    const char *complaint = found ? put_parting(s) : NULL;
    if (complaint)
        return divergence_complain(complaint);
    if (!found)
        fprintf(s->out, "they part between PCycles %" PRIu64 " and %" PRIu64 "\n", s->low, s->high);
    return PARTED;
}

static int divergence_search(struct search *s)
{
    bool differ;
    const char *complaint = look_at_all(s, &differ);
    if (complaint)
        return divergence_complain(complaint);
    put_again(s);
    return differ ? narrow_down(s) : say_same(s);
}

/* Their programs, and what they were asked for. @return how many experiments have been loaded */
static int divergence_load(struct search *s)
{
    char why[4096];
    int loaded = 0;
    for (; loaded < 2; loaded++) {
        const struct doc_finished *r = s->diff->of[loaded];
        if (!look_code_open(&s->code[loaded], r->directory, s->again->files, why, sizeof why)) {
            divergence_complain(why);
            break;
        }
        if (!s->again->load(&s->x[loaded], r->directory))
            break;
        if (strcmp(r->status, "partial") == 0) /* where it was interrupted */
            s->x[loaded].limit = sim_earlier(s->x[loaded].limit, ticks_of(r));
    }
    return loaded;
}

int look_first_divergence(const struct look_diff *diff, const struct look_again *again,
                          struct look_trail *const trail[2], FILE *out)
{
    struct search s = {.diff = diff, .again = again, .trail = trail, .out = out};
    const int loaded = divergence_load(&s);
    int status = FAILED;
    if (loaded == 2) {
        look_diff_head(diff, out);
        status = divergence_search(&s);
    }
    for (int i = 0; i < 2; i++) {
        look_code_close(&s.code[i]);
        if (i < loaded)
            in_experiment_free(&s.x[i]);
    }
    return status;
}
