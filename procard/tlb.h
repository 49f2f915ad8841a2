/*
 * What a card's TLB holds: tlb.c's, and for the short way of cache.c, which looks a page up once.
 */
#ifndef PC_TLB_H
#define PC_TLB_H

#include "procard/card.h"

enum {
    PC_TLB_ENTRIES = 48,
    PC_TLB_PAGES = 2, /**< entries for instructions */
    PC_TLB_CHAINS = 64,
    PC_TLB_SHOWN = 4,
    PC_TLB_NONE = 0xff
};

struct pc_tlb_entry {
    uint64_t pair; /**< number of the pair of pages, ~0: invalid */
    const void *space;
    uint16_t shown[PC_TLB_SHOWN]; /**< places of the data cache where lines of its pages have been
                                       shown */
    uint8_t count;                /**< of these; PC_TLB_SHOWN + 1: more than are known */
    uint8_t next;                 /**< of `entry`, in its chain; PC_TLB_NONE: it is the last */
};

struct pc_tlb_model {
    struct pc_tlb_entry entry[PC_TLB_ENTRIES];
    uint8_t first[PC_TLB_CHAINS]; /**< of `entry`, by the pair's low bits; PC_TLB_NONE: there is
                                       none. That most accesses find theirs, or that there is none,
                                       at once */
    bool others;                  /**< lines have been shown of pages that no entry translated */
    struct pc_tlb_entry page[PC_TLB_PAGES]; /**< `pair` is the number of a page; first in, first
                                                 out */
    unsigned next;                          /**< of these, to be replaced */
    uint64_t reached;                       /**< at least tlb_reach() of what `entry` holds */
};

static inline bool pc_tlb_is(const struct pc_tlb_entry *e, uint64_t number, const void *space)
{
    return e->pair == number && e->space == space;
}

/** The entry for a pair of pages; NULL: it is not there. */
static inline struct pc_tlb_entry *pc_tlb_find(struct pc_tlb_model *t, uint64_t pair,
                                               const void *space)
{
    for (unsigned i = t->first[pair % PC_TLB_CHAINS]; i != PC_TLB_NONE; i = t->entry[i].next)
        if (pc_tlb_is(&t->entry[i], pair, space))
            return &t->entry[i];
    return NULL;
}

/** Whether an entry for instructions has the page. */
static inline bool pc_tlb_holds(const struct pc_tlb_model *t, uint64_t page, const void *space)
{
    for (unsigned i = 0; i < PC_TLB_PAGES; i++)
        if (pc_tlb_is(&t->page[i], page, space))
            return true;
    return false;
}

/** A line of an entry's pages has been shown. */
static inline void pc_tlb_shows(struct pc_tlb_entry *e, unsigned place)
{
    if (e->count > PC_TLB_SHOWN || (e->count && e->shown[e->count - 1] == place))
        return;
    if (e->count < PC_TLB_SHOWN)
        e->shown[e->count] = (uint16_t)place;
    e->count++;
}

#endif
