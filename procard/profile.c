/*
 * The profile of a machine: its paths, its nodes, and the rows that become of them.
 *
 * The hard idea is the moment. Rows are asked for while processors are in the middle of a block, of
 * a stall, or ahead of the machine by a part of an instruction. What is under way is put down for
 * that moment, and taken back afterwards, when it goes on (straddle).
 */
#include "procard/profile.h"

#include "base/alloc.h"
#include "procard/cursor.h"

#include <stdlib.h>
#include <string.h>

static struct pc_card *profile_card_at(const struct pc_profile *p, unsigned card)
{
    return pc_card_of(nm_machine_card(p->m, card));
}

/* ---- the moment ------------------------------------------------------------------------------ */

/* What has not been put down of the card's uses: the other columns stay as they are. */
static void profile_uses(const struct pc_cursor *c, sim_tick at, int64_t v[PC_PROFILE__COUNT])
{
    const struct pc_card *card = c->card;
    struct nm_truth used;
    nm_card_used(card->machine, card->cpu.number, at, &used);
#define PROFILE_STATE(name, unit, sentence)
#define PROFILE_CORE(name, unit, sentence)
#define PROFILE_USE(name, field, unit, sentence) \
    v[PC_PROFILE_##name] = (int64_t)used.field - c->seen[PC_PROFILE_##name];
#define PROFILE_TOTAL(name, from, unit, sentence)
#include "procard/profile.def"
}

void pc_cursor_used(struct pc_cursor *c, sim_tick at)
{
    int64_t grown[PC_PROFILE__COUNT] = {0};
    profile_uses(c, at, grown);
    for (int i = 0; i < PC_PROFILE__COUNT; i++)
        if (grown[i]) {
            pc_cursor_add(c, (enum pc_profile_column)i, grown[i]);
            c->seen[i] += grown[i];
        }
}

/* What is under way on a card at `now` is put down (sign 1), or taken back (-1). */
static void profile_straddle(struct pc_cursor *c, sim_tick now, int sign)
{
    struct pc_card *card = c->card;
    struct mon_taps shown;
    uint64_t charged[PC_ST__COUNT];
    int64_t more[PC_PROFILE__COUNT] = {0}; /* than has been put down */
    struct pc_tail tail;
    pc_cursor_put_down(c);
    if (card->core->under_way)
        card->core->under_way(&card->cpu, sign);
    pc_card_taps(card, now, &shown);
    pc_core_totals(card, charged, &tail);
    for (int s = 0; s < PC_ST__COUNT; s++)
        more[s] = (int64_t)(shown.v[s] - charged[s]);
    profile_uses(c, now, more);
    /* What lies beyond `now` has been put down already, to instructions that it cuts through. */
    const bool ahead = card->cpu.now > now;
    struct pc_tally *to = ahead ? pc_node_tally(c->node, PC_PROFILE_NOWHERE) : NULL;
    for (int i = 0; i < PC_PROFILE__COUNT; i++)
        if (more[i] && ahead)
            to->v[i] += sign * more[i];
        else if (more[i])
            pc_cursor_add(c, (enum pc_profile_column)i, sign * more[i]);
}

static void straddle_all(struct pc_profile *p, sim_tick now, int sign)
{
    for (unsigned i = 0; i < p->cards; i++)
        profile_straddle(&p->cursor[i], now, sign);
}

static void cursor_renew(struct pc_profile *p, struct pc_cursor *c)
{
    if (c->thread)
        pc_profile_renew(p, c->thread);
    c->node = c->thread ? c->thread->node : pc_profile_renewed(p, c->node);
    c->at = pc_profile_renewed(p, c->at);
    c->tally = NULL;
}

void pc_profile_phase(struct pc_profile *p, uint32_t phase, sim_tick now)
{
    straddle_all(p, now, 1);
    p->phase = phase;
    for (unsigned i = 0; i < p->cards; i++)
        cursor_renew(p, &p->cursor[i]);
    straddle_all(p, now, -1);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static bool profile_is_nothing(const struct pc_tally *tally)
{
    for (int i = 0; i < PC_PROFILE__COUNT; i++)
        if (tally->v[i])
            return false;
    return true;
}

static void profile_add_row(struct pc_profile *p, const struct pc_node *node,
                            const struct pc_tally *tally)
{
    if (!(p->rows & (p->rows + 1)))
        p->row = sim_grow(p->row, 2 * p->rows + 1, sizeof *p->row);
    struct pc_profile_row *row = &p->row[p->rows++];
    *row = (struct pc_profile_row){.phase = node->key.phase,
                                   .thread = node->key.thread,
                                   .path = node->key.path,
                                   .pc = tally->pc};
    memcpy(row->v, tally->v, sizeof row->v);
}

static int profile_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int profile_by_place(const void *x, const void *y)
{
    const struct pc_profile_row *a = x, *b = y;
    const int phase = profile_order(a->phase, b->phase),
              thread = profile_order(a->thread, b->thread);
    const int path = profile_order(a->path, b->path);
    return phase ? phase : thread ? thread : path ? path : profile_order(a->pc, b->pc);
}

static void profile_harvest(struct pc_card *card)
{
    if (card->core->harvest)
        card->core->harvest(&card->cpu);
}

size_t pc_profile_rows(struct pc_profile *p, sim_tick now, const struct pc_profile_row **rows)
{
    straddle_all(p, now, 1);
    for (unsigned i = 0; i < p->cards; i++)
        profile_harvest(profile_card_at(p, i));
    p->rows = 0;
    for (const struct pc_node *node = p->nodes; node; node = node->hh.next)
        for (size_t i = 0; node->tally && i >> node->tally_bits == 0; i++)
            if (node->tally[i] && !profile_is_nothing(node->tally[i]))
                profile_add_row(p, node, node->tally[i]);
    straddle_all(p, now, -1);
    if (p->rows)
        qsort(p->row, p->rows, sizeof *p->row, profile_by_place);
    *rows = p->row;
    return p->rows;
}

size_t pc_profile_paths(const struct pc_profile *p, const struct pc_profile_path **paths)
{
    *paths = p->path;
    return p->paths;
}

bool pc_profile_stands(const struct pc_profile *p, unsigned card, uint32_t thread, uint32_t *path,
                       uint64_t *pc)
{
    const struct pc_cursor *c = &p->cursor[card];
    if (card >= p->cards || !c->thread || c->thread->number != thread)
        return false;
    *path = c->node->key.path;
    *pc = c->pc;
    return true;
}

/* ---- who listens ----------------------------------------------------------------------------- */

void pc_profile_watch(struct pc_profile *p, uint64_t function, unsigned watch, pc_watch_fn *told,
                      void *ctx)
{
    struct pc_watched *watched;
    uint64_t from = function, to;
    if (p->function)
        p->function(p->ctx, function, &from, &to);
    HASH_FIND(hh, p->watched, &from, sizeof from, watched);
    if (!watched) {
        watched = sim_alloc(1, sizeof *watched);
        watched->function = from;
        HASH_ADD(hh, p->watched, function, sizeof watched->function, watched);
    }
    watched->listener =
        sim_grow(watched->listener, watched->listeners + 1, sizeof *watched->listener);
    watched->listener[watched->listeners++] = (struct pc_listener){watch, told, ctx};
}

void pc_profile_spins(struct pc_profile *p, pc_spin_fn *told, void *ctx)
{
    p->spins = told;
    p->spins_ctx = ctx;
}

void pc_profile_spins_end(struct pc_profile *p, sim_tick now)
{
    for (unsigned i = 0; i < p->cards; i++)
        pc_cursor_out(&p->cursor[i], now);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

struct pc_profile *pc_profile_new(struct nm_machine *m, pc_function_fn *function, void *ctx)
{
    const unsigned cards = nm_machine_cards(m);
    for (unsigned i = 0; i < cards; i++)
        if (!pc_card_of(nm_machine_card(m, i))->core->profiled)
            return NULL;
    struct pc_profile *p = sim_alloc(1, sizeof *p);
    *p = (struct pc_profile){.m = m, .cards = cards, .function = function, .ctx = ctx};
    p->cursor = sim_alloc(cards, sizeof *p->cursor);
    nm_machine_in_turn(m);
    struct pc_node *nowhere = pc_profile_root(p, 0, PC_PROFILE_NOWHERE);
    for (unsigned i = 0; i < cards; i++) {
        struct pc_card *card = profile_card_at(p, i);
        p->cursor[i] = (struct pc_cursor){
            .node = nowhere, .at = nowhere, .pc = PC_PROFILE_NOWHERE, .profile = p, .card = card};
        pc_core_becomes(card, card->core->profiled);
        card->cpu.cursor = &p->cursor[i];
        pc_card_heard(card);
        card->cpu.touched = &p->cursor[i].untouched;
    }
    return p;
}

void pc_profile_free(struct pc_profile *p)
{
    struct pc_profiled_thread *thread, *next_thread;
    struct pc_stack *stack, *next_stack;
    struct pc_node *node, *next_node;
    struct pc_path *path, *next_path;
    struct pc_watched *watched, *next_watched;
    if (!p)
        return;
    for (unsigned i = 0; i < p->cards; i++)
        profile_card_at(p, i)->cpu.cursor = NULL;
    HASH_ITER(hh, p->threads, thread, next_thread) {
        HASH_DEL(p->threads, thread);
        free(thread->frame);
        free(thread->visit);
        free(thread);
    }
    HASH_ITER(hh, p->stacks, stack, next_stack) {
        HASH_DEL(p->stacks, stack);
        free(stack);
    }
    HASH_ITER(hh, p->nodes, node, next_node) {
        HASH_DEL(p->nodes, node);
        pc_node_free(node);
    }
    HASH_ITER(hh, p->path_by_key, path, next_path) {
        HASH_DEL(p->path_by_key, path);
        free(path);
    }
    HASH_ITER(hh, p->watched, watched, next_watched) {
        HASH_DEL(p->watched, watched);
        free(watched->listener);
        free(watched);
    }
    free(p->cursor);
    free(p->path);
    free(p->row);
    free(p);
}
