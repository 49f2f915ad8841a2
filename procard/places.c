/*
 * The places of a card's caches: made, and changed for pages where there are no caches (functional
 * mode). What is in them is cache.c's.
 */
#include "base/alloc.h"
#include "machine/values.h"
#include "procard/card.h"

#include <assert.h>
#include <stdlib.h>

static void l1_new(struct pc_card *card, enum pc_side side, uint64_t size, uint64_t line)
{
    unsigned places = (unsigned)(size / line);
    assert(side == PC_SIDE_I || places > 1); /* pc_line_none: an address of another place */
    card->l1_shift[side] = (unsigned)__builtin_ctzll(line);
    card->l1_part[side] = ~(line - 1);
    card->l1_mask[side] = places - 1;
    card->l1_line[side] = sim_room_take(card->room, places * sizeof *card->l1_line[side]);
    card->l1[side] = sim_room_take(card->room, places * sizeof *card->l1[side]);
    card->l1[side]->tag = pc_line_none(0);
    card->l1_shown[side] =
        sim_room_take(card->room, (places / 64 + 1) * sizeof *card->l1_shown[side]);
    if (size > card->p->page_size && size / card->p->page_size - 1 > card->colours)
        card->colours = (uint8_t)(size / card->p->page_size - 1);
}

/* What places need in all arrays. */
static size_t l2_bytes(uint64_t places)
{
    return places * (sizeof(uint64_t) + 1);
}

static void l2_new(struct pc_card *card, struct sim_room *room)
{
    const struct nm_params *p = card->p;
    unsigned halves = p->l2_split ? 2 : 1;
    uint64_t places = p->l2_size / p->l2_line / halves;
    assert(p->l2_line > PC_STATE); /* a tag has room for the state */
    for (unsigned side = 0; side < halves; side++) {
        uint8_t *arrays = sim_room_take(room, l2_bytes(places));
        card->l2[side] =
            (struct pc_l2){.tag = (uint64_t *)arrays,
                           .colour = arrays + places * sizeof(uint64_t),
                           .sets = places / p->l2_ways,
                           .ways = (unsigned)p->l2_ways,
                           .first = p->l2_ways == 2 ? sim_alloc(p->l2_way_bits, 1) : NULL,
                           .bits = p->l2_way_bits};
    }
    if (!p->l2_split)
        card->l2[PC_SIDE_D] = card->l2[PC_SIDE_I];
    card->l2_shift = (unsigned)__builtin_ctzll(p->l2_line);
    card->l2_part = ~(p->l2_line - 1);
}

/* With sub-block order the words asked for come first. */
static struct pc_ways way_of(const struct nm_params *p, uint64_t line)
{
    const uint64_t words = line / PC_L2_WORD, up = p->l2_refill * words;
    return (struct pc_ways){
        .down = p->l1_writeback * words, .up = up, .words = p->l2_order ? p->l2_refill : up};
}

/* The core sees what places there are, and how they are counted. */
static void show_places(struct pc_card *card)
{
    struct pc_cpu *cpu = &card->cpu;
    cpu->d = card->l1[PC_SIDE_D];
    cpu->dshift = card->l1_shift[PC_SIDE_D];
    cpu->dmask = card->l1_mask[PC_SIDE_D];
    cpu->i = card->l1[PC_SIDE_I];
    cpu->ishift = card->l1_shift[PC_SIDE_I];
    cpu->imask = card->l1_mask[PC_SIDE_I];
    cpu->untimed = card->functional;
}

static void pages_new(struct pc_card *card)
{
    for (unsigned side = 0; side < PC_SIDES; side++)
        l1_new(card, side, PC_PAGES * card->p->page_size, card->p->page_size);
}

void pc_places_new(struct pc_card *card, struct sim_room *l2_room)
{
    const struct nm_params *p = card->p;
    card->functional = p->mode == NM_MODE_FUNCTIONAL;
    if (card->functional) {
        pages_new(card);
    } else {
        l1_new(card, PC_SIDE_I, p->l1i_size, p->l1i_line);
        l1_new(card, PC_SIDE_D, p->l1d_size, p->l1d_line);
        l2_new(card, l2_room);
        card->way[PC_SIDE_I] = way_of(p, p->l1i_line);
        card->way[PC_SIDE_D] = way_of(p, p->l1d_line);
    }
    card->filled = PC_NOWHERE;
    show_places(card);
}

void pc_places_free(struct pc_card *card)
{
    free(card->aside);
    free(card->l2[PC_SIDE_I].first);
    if (card->p->l2_split)
        free(card->l2[PC_SIDE_D].first);
}

static void swap_places(struct pc_card *card)
{
    for (unsigned side = 0; side < PC_SIDES; side++) {
        const struct pc_places here = {card->l1_line[side], card->l1[side], card->l1_shown[side],
                                       card->l1_shift[side], card->l1_mask[side]};
        const struct pc_places there = card->aside[side];
        card->l1_line[side] = there.line;
        card->l1[side] = there.view;
        card->l1_shown[side] = there.shown;
        card->l1_shift[side] = there.shift;
        card->l1_part[side] = ~UINT64_C(0) << there.shift;
        card->l1_mask[side] = there.mask;
        card->aside[side] = here;
    }
}

/* The pages, aside of the caches' places. */
static void make_aside(struct pc_card *card)
{
    const uint8_t colours = card->colours;
    card->aside = sim_alloc(PC_SIDES, sizeof *card->aside);
    swap_places(card);
    pages_new(card);
    swap_places(card);
    card->colours = colours;
}

void pc_places_change(struct pc_card *card)
{
    struct pc_cpu *cpu = &card->cpu;
    assert(!cpu->touches); /* it is of the caches' places */
    if (!card->aside)
        make_aside(card);
    pc_card_forget(card);
    if (card->core->moved)
        card->core->moved(cpu);
    swap_places(card);
    card->functional = !card->functional;
    card->filled = PC_NOWHERE;
    cpu->link = false;
    show_places(card);
    pc_card_forget(card);
}
