/*
 * The R4400's translation look-aside buffer: 48 fully associative entries, each for a pair of
 * pages, and in front of it two entries for instructions (R44-19). With tlb.refill 0 it is not
 * modelled: then card->tlb_model is NULL, and one entry translates all pages.
 *
 * The hard idea: the interpreter's fast path never looks here. So a line may be in its view
 * (struct pc_line) only while its page is translated: when an entry goes, what it let the fast path
 * see goes too, and the next access to that page comes by. A hit leaves no trace, so that it does
 * not matter which accesses come by.
 *
 * Replacement is the R4400's Random register, which counts down from 47 to Wired (0 here). It
 * counts instructions; here PCycles, which are known exactly wherever a run is cut.
 */
#include "procard/tlb.h"

#include "base/room.h"
#include "machine/values.h"

#include <string.h>

static const uint64_t NOWHERE = ~0ull;

static struct pc_tlb_model *tlb_new(struct sim_room *room)
{
    struct pc_tlb_model *t = sim_room_take(room, sizeof *t);
    memset(t->first, PC_TLB_NONE, sizeof t->first);
    for (unsigned i = 0; i < PC_TLB_ENTRIES; i++)
        t->entry[i].pair = NOWHERE;
    for (unsigned i = 0; i < PC_TLB_PAGES; i++)
        t->page[i].pair = NOWHERE;
    return t;
}

/* An entry that nobody asks what has been shown of its pages. */
static struct pc_tlb_entry *tlb_entry_of_all(struct sim_room *room)
{
    struct pc_tlb_entry *e = sim_room_take(room, sizeof *e);
    e->count = PC_TLB_SHOWN + 1;
    return e;
}

void pc_tlb_init(struct pc_card *card, bool modelled)
{
    card->tlb_model = modelled ? tlb_new(card->room) : NULL;
    card->tlb_entry = modelled ? card->tlb_model->entry : tlb_entry_of_all(card->room);
}

/* One of 64 bits for 8 MB of pairs of pages, so that a stack that is mapped or given back is looked
 * for in few of a thousand cards. */
static uint64_t tlb_reach(uint64_t pair)
{
    return 1ull << ((pair >> 10) * 0x9e3779b97f4a7c15ull >> 58);
}

static uint8_t *chain_of(struct pc_tlb_model *t, uint64_t pair)
{
    return &t->first[pair % PC_TLB_CHAINS];
}

static void tlb_chain(struct pc_tlb_model *t, struct pc_tlb_entry *e)
{
    uint8_t *first = chain_of(t, e->pair);
    e->next = *first;
    *first = (uint8_t)(e - t->entry);
}

static void tlb_unchain(struct pc_tlb_model *t, const struct pc_tlb_entry *e)
{
    uint8_t *link = chain_of(t, e->pair);
    while (&t->entry[*link] != e)
        link = &t->entry[*link].next;
    *link = e->next;
}

/* Empties instruction entry i. */
static void drop_page(struct pc_card *card, unsigned i)
{
    struct pc_tlb_entry *e = &card->tlb_model->page[i];
    if (e->pair != NOWHERE)
        pc_card_hide(card, PC_SIDE_I, e->pair << card->page_shift, 1ull << card->page_shift);
    e->pair = NOWHERE;
}

/* What an entry let the fast path see. Where references are at random that is few lines. */
static void hide_pair(struct pc_card *card, const struct pc_tlb_entry *e)
{
    const uint64_t va = e->pair << 1 << card->page_shift, len = 2ull << card->page_shift;
    if (e->count > PC_TLB_SHOWN || card->tlb_model->others) {
        pc_card_hide(card, PC_SIDE_D, va, len);
        return;
    }
    pc_card_unforeseen(card);
    for (unsigned i = 0; i < e->count; i++)
        pc_card_hide_place(card, PC_SIDE_D, e->shown[i], va, len);
}

void pc_tlb_shown(struct pc_card *card, uint64_t va, unsigned place)
{
    struct pc_tlb_model *t = card->tlb_model;
    const uint64_t pair = va >> card->page_shift >> 1;
    if (!t)
        return;
    struct pc_tlb_entry *e = pc_tlb_find(t, pair, card->space.ctx);
    if (e)
        pc_tlb_shows(e, place);
    else
        t->others = true;
}

bool pc_tlb_translates(const struct pc_card *card, uint64_t va)
{
    return !card->tlb_model ||
           pc_tlb_find(card->tlb_model, va >> card->page_shift >> 1, card->space.ctx);
}

void pc_tlb_all_hidden(struct pc_card *card)
{
    struct pc_tlb_model *t = card->tlb_model;
    if (!t)
        return;
    t->others = false;
    for (unsigned i = 0; i < PC_TLB_ENTRIES; i++)
        t->entry[i].count = 0;
}

/* Translations that are remembered no longer have it. */
static void tlb_unlink(struct pc_card *card, const struct pc_tlb_entry *e)
{
    struct pc_xlate *x = &card->tlb[2 * e->pair % PC_TLB];
    for (unsigned i = 0; i < 2; i++)
        if (x[i].in_tlb == e - card->tlb_entry)
            x[i].in_tlb = PC_TLB_NONE;
}

static void drop_pair(struct pc_card *card, struct pc_tlb_entry *e)
{
    if (e->pair == NOWHERE)
        return;
    tlb_unlink(card, e);
    for (unsigned i = 0; i < PC_TLB_PAGES; i++)
        if (card->tlb_model->page[i].pair >> 1 == e->pair)
            drop_page(card, i);
    hide_pair(card, e);
    tlb_unchain(card->tlb_model, e);
    e->pair = NOWHERE;
}

static bool may_hold(const struct pc_tlb_model *t, uint64_t first, uint64_t last)
{
    enum { STRETCHES = 8 };
    uint64_t reached = 0;
    if ((last >> 10) - (first >> 10) >= STRETCHES)
        return true;
    for (uint64_t stretch = first >> 10; stretch <= last >> 10; stretch++)
        reached |= tlb_reach(stretch << 10);
    return t->reached & reached;
}

void pc_tlb_unmap(struct pc_card *card, uint64_t va, uint64_t len)
{
    struct pc_tlb_model *t = card->tlb_model;
    if (!t || !len)
        return;
    uint64_t first = va >> card->page_shift >> 1, last = (va + (len - 1)) >> card->page_shift >> 1;
    if (!may_hold(t, first, last))
        return;
    t->reached = 0;
    for (unsigned i = 0; i < PC_TLB_ENTRIES; i++)
        if (t->entry[i].pair >= first && t->entry[i].pair <= last)
            drop_pair(card, &t->entry[i]);
        else
            t->reached |= tlb_reach(t->entry[i].pair);
}

/* The software's refill (manual p. 84): an exception, and an entry chosen by Random. */
static struct pc_tlb_entry *procard_tlb_refill(struct pc_card *card, uint64_t va, sim_tick at)
{
    struct pc_tlb_model *t = card->tlb_model;
    struct pc_tlb_entry *e = &t->entry[PC_TLB_ENTRIES - 1 - at % PC_TLB_ENTRIES];
    const uint64_t pair = va >> card->page_shift >> 1;
    drop_pair(card, e);
    *e = (struct pc_tlb_entry){.pair = pair, .space = card->space.ctx};
    tlb_chain(t, e);
    t->reached |= tlb_reach(pair);
    card->truth.tlb_misses++;
    return e;
}

/* An instruction's page comes from the big TLB, while the pipeline waits (other stall). */
static uint64_t page_miss(struct pc_card *card, uint64_t va, sim_tick at)
{
    struct pc_tlb_model *t = card->tlb_model;
    drop_page(card, t->next);
    t->page[t->next] =
        (struct pc_tlb_entry){.pair = va >> card->page_shift, .space = card->space.ctx};
    t->next = (t->next + 1) % PC_TLB_PAGES;
    pc_card_stall(card, PC_ST_STALL_OTHER, card->p->tlb_instruction, at);
    return card->p->tlb_instruction;
}

uint64_t pc_tlb_access(struct pc_card *card, enum pc_side side, uint64_t va, sim_tick at)
{
    struct pc_tlb_model *t = card->tlb_model;
    const uint64_t page = va >> card->page_shift;
    struct pc_xlate *x = &card->tlb[page % PC_TLB];
    struct pc_tlb_entry *e = t ? pc_tlb_find(t, page >> 1, card->space.ctx) : card->tlb_entry;
    uint64_t spent = 0;
    if (!e) {
        e = procard_tlb_refill(card, va, at);
        spent = pc_card_exception(card, card->p->tlb_refill, at);
    }
    if (t && side == PC_SIDE_I && !pc_tlb_holds(t, page, card->space.ctx))
        spent += page_miss(card, va, at + spent);
    x->in_tlb = x->result == NM_XLATE_OK ? (uint8_t)(e - card->tlb_entry) : PC_TLB_NONE;
    return spent;
}
