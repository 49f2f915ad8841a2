/*
 * What the cards of a machine tell of lines and bytes, and the rows that become of it.
 *
 * The hard idea is when bytes are told. The interpreter only sets bits beside the lines of the
 * primary data cache; they are collected when such a line goes, and before anything happens to the
 * line of the secondary cache. So a processor that is ahead of the machine has set no bit of a life
 * that is over.
 */
#include "procard/misses.h"

#include "base/alloc.h"
#include "procard/copies.h"
#include "procard/cursor.h"
#include "procard/sizes.h"

#include <stdlib.h>
#include <string.h>

struct pc_misses {
    struct pc_profile *profile;
    struct pc_copies *copies;
    struct pc_sizes *sizes; /* NULL: nobody asks */
    struct pc_missed_copy *copy;
    struct pc_missed_row *row;
    struct pc_missed_window *window;
    struct pc_missed_size *size;
    size_t copy_count, row_count, window_count, size_count;
};

/* ---- from the cards -------------------------------------------------------------------------- */

static bool is_joint(const struct pc_card *card)
{
    return card->l2[PC_SIDE_I].tag == card->l2[PC_SIDE_D].tag;
}

/* A joint cache has one half, the one for data. */
static struct pc_copy_of misses_copy_of(const struct pc_card *card, enum pc_side side,
                                        uint64_t line)
{
    return (struct pc_copy_of){
        .line = line, .card = card->cpu.number, .half = !is_joint(card) && side == PC_SIDE_I};
}

static uint64_t misses_line_of(const struct pc_card *card, uint64_t pa)
{
    return pa & ~(uint64_t)(nm_value_l2_line(card->p) - 1);
}

static uint32_t tenant_of(const struct pc_cursor *cursor, uint64_t va)
{
    const struct pc_profile *p = cursor->profile;
    return p->tenant ? p->tenant(p->tenant_ctx, cursor->at->key.thread, va) : 0;
}

void pc_misses_ask(struct pc_card *card, uint64_t va, uint64_t pa, unsigned size, sim_tick at)
{
    /* such a core waits for its only one */
    if (card->sizes)
        pc_sizes_waits(card->sizes, card->cpu.number, at);
    pc_misses_ask_for(card, card->request, va, pa, size, at);
}

void pc_misses_ask_for(struct pc_card *card, const struct pc_request *r, uint64_t va, uint64_t pa,
                       unsigned size, sim_tick at)
{
    struct pc_cursor *cursor = card->cpu.cursor;
    pc_cursor_asks(cursor, va);
    pc_copies_ask(card->copies,
                  &(struct pc_request_asked){
                      .of = misses_copy_of(card, pc_side_of(r), misses_line_of(card, pa)),
                      .pa = pa,
                      .va = va,
                      .size = size,
                      .upgrade = card->stall == PC_ST_STALL_MP,
                      .noncoherent = pc_is_noncoherent(r),
                      .node = cursor->at,
                      .pc = cursor->pc,
                      .tenant = tenant_of(cursor, va),
                      .at = at,
                  });
}

void pc_misses_have(struct pc_card *card, const struct pc_request *r, const struct nm_packet *in,
                    sim_tick now)
{
    if (card->sizes)
        pc_sizes_goes_on(card->sizes, card->cpu.number, now);
    const bool data = nm_message_row(in->message)->has_data;
    pc_copies_have(card->copies, misses_copy_of(card, pc_side_of(r), r->line), now, r->nacks,
                   data && !pc_is_noncoherent(r) && !(in->info & NM_INFO_VALID));
    if (card->core->requests) /* it does not look once more */
        pc_misses_use(card, pc_side_of(r), r->line);
}

void pc_misses_give_up(struct pc_card *card, const struct pc_request *r, sim_tick now)
{
    if (card->sizes)
        pc_sizes_goes_on(card->sizes, card->cpu.number, now);
    pc_copies_give_up(card->copies, misses_copy_of(card, pc_side_of(r), r->line), now, r->nacks);
}

void pc_misses_create(struct pc_card *card, uint64_t line)
{
    pc_copies_create(card->copies, misses_copy_of(card, PC_SIDE_D, line));
}

/* A line of instructions is taken to be read whole. */
void pc_misses_use(struct pc_card *card, enum pc_side side, uint64_t line)
{
    const struct pc_copy_of of = misses_copy_of(card, side, line);
    const pc_bytes all = ~(pc_bytes)0 >> (128 - nm_value_l2_line(card->p));
    pc_copies_use(card->copies, of);
    if (side == PC_SIDE_I)
        pc_copies_touch(card->copies, of, all, 0);
}

void pc_misses_touch(struct pc_card *card, unsigned place)
{
    const uint64_t part = pc_l1_part(card, PC_SIDE_D, place);
    uint64_t *touched = &card->cpu.touches[place];
    if (part == PC_NOWHERE || !*touched)
        return;
    const uint64_t line = misses_line_of(card, part);
    const pc_bytes read = (uint32_t)*touched >> (part & 31),
                   written = *touched >> 32 >> (part & 31);
    pc_copies_touch(card->copies, misses_copy_of(card, PC_SIDE_D, line), read << (part - line),
                    written << (part - line));
    *touched = 0;
}

void pc_misses_touch_bytes(struct pc_card *card, uint64_t pa, unsigned bytes, bool load, bool store)
{
    const uint64_t line = misses_line_of(card, pa);
    const pc_bytes touched = (pc_bytes)bytes << (pa - line);
    pc_copies_touch(card->copies, misses_copy_of(card, PC_SIDE_D, line), load ? touched : 0,
                    store ? touched : 0);
    if (!card->sizes)
        return;
    const uint32_t in_part = (uint32_t)((uint64_t)bytes << (pa & 31));
    if (load)
        pc_sizes_see(card->sizes, card->cpu.number, pa & ~UINT64_C(31), in_part, false,
                     card->cpu.now);
    if (store)
        pc_sizes_see(card->sizes, card->cpu.number, pa & ~UINT64_C(31), in_part, true,
                     card->cpu.now);
}

void pc_misses_see(struct pc_cpu *cpu, const uint64_t *where, uint64_t touched, sim_tick at)
{
    const struct pc_card *card = cpu->card;
    const uintptr_t place = ((uintptr_t)where - (uintptr_t)cpu->touches) / sizeof *where;
    if (place > card->l1_mask[PC_SIDE_D])
        return; /* past the caches */
    const uint64_t part = pc_l1_part(card, PC_SIDE_D, (unsigned)place);
    if (part == PC_NOWHERE)
        return;
    const bool store = touched >> 32;
    pc_sizes_see(card->sizes, cpu->number, part & ~UINT64_C(31),
                 (uint32_t)(store ? touched >> 32 : touched), store, at);
}

void pc_misses_share(struct pc_card *card, uint64_t line)
{
    pc_copies_share(card->copies, misses_copy_of(card, PC_SIDE_D, line));
}

void pc_misses_lose(struct pc_card *card, enum pc_side side, uint64_t line, bool taken, bool owner)
{
    pc_copies_lose(card->copies, misses_copy_of(card, side, line), taken, owner);
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static struct pc_card *misses_card_at(const struct pc_misses *misses, unsigned card)
{
    return pc_card_of(nm_machine_card(misses->profile->m, card));
}

static bool all_can(const struct pc_misses *misses)
{
    bool can = true;
    for (unsigned i = 0; i < misses->profile->cards; i++)
        can = can && !misses_card_at(misses, i)->functional &&
              misses_card_at(misses, i)->core->touching;
    return can;
}

struct pc_misses *pc_misses_new(struct pc_profile *profile)
{
    struct pc_misses *misses = sim_alloc(1, sizeof *misses);
    *misses = (struct pc_misses){.profile = profile};
    if (!all_can(misses)) {
        free(misses);
        return NULL;
    }
    misses->copies = pc_copies_new(profile->cards, PC_SIDES, 0);
    for (unsigned i = 0; i < profile->cards; i++) {
        struct pc_card *card = misses_card_at(misses, i);
        card->copies = misses->copies;
        pc_card_heard(card);
        pc_copies_places(misses->copies, i, card->l2[PC_SIDE_D].sets * card->l2[PC_SIDE_D].ways);
        card->cpu.touches = sim_alloc(card->l1_mask[PC_SIDE_D] + 1, sizeof *card->cpu.touches);
        pc_core_becomes(card, card->core->touching);
    }
    return misses;
}

void pc_misses_sizes(struct pc_misses *misses)
{
    misses->sizes =
        pc_sizes_new(misses->profile->cards, nm_value_l2_line(misses_card_at(misses, 0)->p));
    for (unsigned i = 0; i < misses->profile->cards; i++) {
        struct pc_card *card = misses_card_at(misses, i);
        card->sizes = misses->sizes;
        card->cpu.seen = true;
    }
}

void pc_misses_tenants(struct pc_misses *misses, pc_tenant_fn *tenant, void *ctx)
{
    misses->profile->tenant = tenant;
    misses->profile->tenant_ctx = ctx;
}

void pc_misses_free(struct pc_misses *misses)
{
    if (!misses)
        return;
    for (unsigned i = 0; i < misses->profile->cards; i++) {
        struct pc_card *card = misses_card_at(misses, i);
        free(card->cpu.touches);
        card->cpu.touches = NULL;
        card->copies = NULL;
        card->sizes = NULL;
    }
    pc_copies_free(misses->copies);
    free(misses->copy);
    free(misses->row);
    free(misses->window);
    free(misses->size);
    pc_sizes_free(misses->sizes);
    free(misses);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static int misses_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int misses_by_line(const void *x, const void *y)
{
    const struct pc_copy_seen *const *a = x, *const *b = y;
    const struct pc_copy_of *p = &(*a)->of, *q = &(*b)->of;
    const int line = misses_order(p->line, q->line), card = misses_order(p->card, q->card);
    return line ? line : card ? card : misses_order(p->half, q->half);
}

static int misses_by_begin(const void *x, const void *y)
{
    const struct pc_missed_window *a = x, *b = y;
    const int copy = misses_order(a->copy, b->copy);
    return copy ? copy : misses_order(a->begin, b->begin);
}

static int misses_by_size(const void *x, const void *y)
{
    const struct pc_missed_size *a = x, *b = y;
    const int copy = misses_order(a->copy, b->copy), bytes = misses_order(a->bytes, b->bytes);
    return copy ? copy : bytes ? bytes : misses_order(a->offset, b->offset);
}

static int misses_by_place(const void *x, const void *y)
{
    const struct pc_missed_row *a = x, *b = y;
    const int copy = misses_order(a->copy, b->copy), phase = misses_order(a->phase, b->phase);
    const int thread = misses_order(a->thread, b->thread), path = misses_order(a->path, b->path);
    const int pc = misses_order(a->pc, b->pc);
    return copy     ? copy
           : phase  ? phase
           : thread ? thread
           : path   ? path
           : pc     ? pc
                    : misses_order(a->tenant, b->tenant);
}

struct list {
    const struct pc_copy_seen **seen;
    size_t count, rows;
};

static void misses_collect(void *ctx, const struct pc_copy_seen *seen)
{
    struct list *list = ctx;
    if (!(list->count & (list->count + 1)))
        list->seen = sim_grow(list->seen, 2 * list->count + 1, sizeof(struct pc_copy_seen *));
    list->seen[list->count++] = seen;
    for (const struct pc_asked *asked = seen->asked; asked; asked = asked->next)
        list->rows++;
}

/* The first card's part in a line that has one. */
static uint32_t misses_first_copy(const struct pc_misses *misses, uint64_t line)
{
    size_t from = 0, to = misses->copy_count;
    while (from < to) {
        const size_t middle = from + (to - from) / 2;
        if (misses->copy[middle].line < line)
            from = middle + 1;
        else
            to = middle;
    }
    return (uint32_t)from;
}

/* What no card has asked for as a line of its own (it is in a line that only came unasked) has no
 * row. */
static void misses_add_size(void *ctx, const struct pc_sized_line *sized)
{
    struct pc_misses *misses = ctx;
    const uint32_t copy = misses_first_copy(misses, sized->line);
    if (copy == misses->copy_count || misses->copy[copy].line != sized->line)
        return;
    const size_t count = misses->size_count++;
    if (!(count & (count + 1)))
        misses->size = sim_grow(misses->size, 2 * count + 1, sizeof *misses->size);
    misses->size[count] =
        (struct pc_missed_size){.copy = copy,
                                .bytes = sized->bytes,
                                .offset = sized->offset,
                                .falsely = sized->v[PC_SIZED_FALSE],
                                .truly = sized->v[PC_SIZED_TRUE],
                                .upgrades_falsely = sized->v[PC_SIZED_UPGRADE_FALSE],
                                .upgrades_truly = sized->v[PC_SIZED_UPGRADE_TRUE]};
}

static void misses_add_window(void *ctx, uint64_t line, const struct pc_window *window)
{
    struct pc_misses *misses = ctx;
    const size_t count = misses->window_count++;
    if (!(count & (count + 1)))
        misses->window = sim_grow(misses->window, 2 * count + 1, sizeof *misses->window);
    misses->window[count] = (struct pc_missed_window){.copy = misses_first_copy(misses, line),
                                                      .begin = window->begin,
                                                      .end = window->end,
                                                      .v = window->v};
}

static void misses_add_row(struct pc_misses *misses, const struct pc_asked *asked)
{
    const struct pc_node *node = asked->node;
    struct pc_missed_row *row = &misses->row[misses->row_count++];
    *row = (struct pc_missed_row){.copy = (uint32_t)misses->copy_count,
                                  .phase = node->key.phase,
                                  .thread = node->key.thread,
                                  .path = node->key.path,
                                  .pc = asked->pc,
                                  .va = asked->va,
                                  .tenant = asked->tenant,
                                  .first = asked->first,
                                  .last = asked->last,
                                  .v = asked->v};
}

/* The request that came first has the row that was made first: the last one of the list. */
static uint64_t first_va(const struct pc_copy_seen *seen)
{
    const struct pc_asked *asked = seen->asked;
    while (asked && asked->next)
        asked = asked->next;
    return asked ? asked->va : 0;
}

static void add_copy(struct pc_misses *misses, const struct pc_copy_seen *seen, uint64_t line)
{
    for (const struct pc_asked *asked = seen->asked; asked; asked = asked->next)
        misses_add_row(misses, asked);
    misses->copy[misses->copy_count++] = (struct pc_missed_copy){
        .line = seen->of.line,
        .va = first_va(seen) & ~(line - 1),
        .card = seen->of.card,
        .code = seen->of.half,
        .read = {(uint64_t)seen->read, (uint64_t)(seen->read >> 64)},
        .written = {(uint64_t)seen->written, (uint64_t)(seen->written >> 64)},
        .taken = seen->taken,
        .evicted = seen->evicted,
        .first = seen->first,
        .last = seen->last,
    };
}

/** What the card's requests have met so far that are still out. */
static void misses_leave(struct pc_misses *misses, struct pc_card *card)
{
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &card->request[__builtin_ctz(left)];
        pc_copies_leave(misses->copies, misses_copy_of(card, pc_side_of(r), r->line), r->nacks);
    }
}

void pc_misses_end(struct pc_misses *misses)
{
    struct list list = {NULL, 0, 0};
    const uint64_t line = nm_value_l2_line(misses_card_at(misses, 0)->p);
    for (unsigned i = 0; i < misses->profile->cards; i++)
        for (unsigned place = 0; place <= misses_card_at(misses, i)->l1_mask[PC_SIDE_D]; place++)
            pc_misses_touch(misses_card_at(misses, i), place);
    for (unsigned i = 0; i < misses->profile->cards; i++)
        misses_leave(misses, misses_card_at(misses, i));
    pc_copies_end(misses->copies);
    pc_copies_each(misses->copies, misses_collect, &list);
    if (list.count)
        qsort(list.seen, list.count, sizeof *list.seen, misses_by_line);
    misses->copy = sim_alloc(list.count + 1, sizeof *misses->copy);
    misses->row = sim_alloc(list.rows + 1, sizeof *misses->row);
    for (size_t i = 0; i < list.count; i++)
        add_copy(misses, list.seen[i], line);
    if (misses->row_count)
        qsort(misses->row, misses->row_count, sizeof *misses->row, misses_by_place);
    pc_copies_windows(misses->copies, misses_add_window, misses);
    if (misses->window_count)
        qsort(misses->window, misses->window_count, sizeof *misses->window, misses_by_begin);
    if (misses->sizes) {
        pc_sizes_end(misses->sizes);
        pc_sizes_each(misses->sizes, misses_add_size, misses);
    }
    if (misses->size_count)
        qsort(misses->size, misses->size_count, sizeof *misses->size, misses_by_size);
    free(list.seen);
}

size_t pc_misses_copies(const struct pc_misses *misses, const struct pc_missed_copy **copies)
{
    *copies = misses->copy;
    return misses->copy_count;
}

size_t pc_misses_rows(const struct pc_misses *misses, const struct pc_missed_row **rows)
{
    *rows = misses->row;
    return misses->row_count;
}

size_t pc_misses_windows(const struct pc_misses *misses, const struct pc_missed_window **windows)
{
    *windows = misses->window;
    return misses->window_count;
}

size_t pc_misses_of_sizes(const struct pc_misses *misses, const struct pc_missed_size **sizes)
{
    *sizes = misses->size;
    return misses->size_count;
}
