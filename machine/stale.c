/*
 * Stale copies: see stale.h. It models no part of its own, but what the secondary caches hold
 * between the moment a line's next owner may write and the moment their invalidation arrives.
 *
 * The hard idea: which value a card reads depends only on which invalidations are still ahead of
 * it, so it is enough to follow those. Each station has a list of them, oldest first: one that is
 * coming over the rings is ahead of all its cards; one on the bus, or in a card's queue, of the
 * cards it is meant for. The copy is as old as the oldest, and the bytes were taken when it left:
 * invalidations and data keep their order on the way, so no data from before can arrive behind it.
 */
#include "machine/stale.h"

#include "base/alloc.h"
#include "machine/values.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct nm_stale_invalidation {
    struct nm_stale_invalidation *next;
    uint64_t line;
    bool coming;   /* over the rings */
    uint8_t cards; /* of the station, on whose way it is */
    uint8_t bytes[NM_LINE_MAX];
};

/* One that has left a station over the rings, and of which nobody else has been told. */
struct leaving {
    uint64_t line;
    ring_mask route;
};

/* What only its own station's events touch. */
struct at_station {
    struct nm_stale_invalidation *list; /* oldest first */
    struct nm_stale_invalidation *free;
    struct leaving *leaving; /* [leave] */
    unsigned leave, size;
};

struct nm_stale {
    const uint8_t *image;
    const struct nm_params *p;
    const struct ring_shape *rings;
    nm_stale_hide *hide;
    void *ctx;
    unsigned stations;
    bool left;              /* a station has some that leave: set by any, at a time */
    struct at_station at[]; /* [stations] */
};

struct nm_stale *nm_stale_new(const struct nm_params *p, const struct ring_shape *rings,
                              const uint8_t *image, nm_stale_hide *hide, void *ctx)
{
    const unsigned stations = (unsigned)nm_params_stations(p);
    struct nm_stale *s = sim_alloc(1, sizeof *s + stations * sizeof *s->at);
    s->image = image;
    s->rings = rings;
    s->p = p;
    s->hide = hide;
    s->ctx = ctx;
    s->stations = stations;
    return s;
}

static void list_free(struct nm_stale_invalidation *list)
{
    struct nm_stale_invalidation *i, *next;
    LL_FOREACH_SAFE(list, i, next) {
        free(i);
    }
}

void nm_stale_free(struct nm_stale *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < s->stations; i++) {
        list_free(s->at[i].list);
        list_free(s->at[i].free);
        free(s->at[i].leaving);
    }
    free(s);
}

static struct nm_stale_invalidation *add(struct nm_stale *s, unsigned station, uint64_t line)
{
    struct at_station *at = &s->at[station];
    struct nm_stale_invalidation *i = at->free;
    if (i)
        LL_DELETE(at->free, i);
    else
        i = sim_grow(NULL, 1, sizeof *i);
    *i = (struct nm_stale_invalidation){.line = line};
    memcpy(i->bytes, s->image + line, s->p->l2_line);
    LL_APPEND(at->list, i);
    return i;
}

/* It may have reached everybody. */
static void tidy(struct nm_stale *s, unsigned station, struct nm_stale_invalidation *i)
{
    if (i->coming || i->cards)
        return;
    LL_DELETE(s->at[station].list, i);
    LL_PREPEND(s->at[station].free, i);
}

static void hide(const struct nm_stale *s, unsigned station, unsigned cards, uint64_t line)
{
    for (; cards; cards &= cards - 1)
        s->hide(s->ctx, (unsigned)(station * s->p->processors) + (unsigned)__builtin_ctz(cards),
                line);
}

static struct nm_stale_invalidation *coming(const struct nm_stale *s, unsigned station,
                                            uint64_t line)
{
    struct nm_stale_invalidation *i = s->at[station].list;
    while (i && !(i->coming && i->line == line))
        i = i->next;
    return i;
}

/* Other stations are told when none of them runs. Until then, and longer, nobody writes the line.
 */
static void sent_over_rings(struct nm_stale *s, unsigned station, const struct nm_packet *p)
{
    struct at_station *at = &s->at[station];
    if (at->leave == at->size) {
        at->size = at->size ? 2 * at->size : 8;
        at->leaving = sim_grow(at->leaving, at->size, sizeof *at->leaving);
    }
    at->leaving[at->leave++] = (struct leaving){p->line, p->route};
    __atomic_store_n(&s->left, true, __ATOMIC_RELAXED);
}

static void spread(struct nm_stale *s, const struct leaving *l)
{
    uint16_t to[RING_STATIONS_MAX];
    const unsigned count = ring_mask_stations(s->rings, l->route, to);
    for (unsigned i = 0; i < count; i++) {
        add(s, to[i], l->line)->coming = true;
        hide(s, to[i], (1u << s->p->processors) - 1, l->line);
    }
}

static __attribute__((noinline)) void spread_all(struct nm_stale *s)
{
    for (unsigned station = 0; station < s->stations; station++) {
        struct at_station *at = &s->at[station];
        for (unsigned i = 0; i < at->leave; i++)
            spread(s, &at->leaving[i]);
        at->leave = 0;
    }
    s->left = false;
}

void nm_stale_spread(struct nm_stale *s)
{
    if (s->left)
        spread_all(s);
}

/* The requester takes its own as the acknowledgement. */
static unsigned cards_of(const struct nm_stale *s, const struct nm_packet *p)
{
    const unsigned requester = p->requester == NM_NO_CARD ? 0 : 1u << p->requester;
    return p->targets & ((1u << s->p->processors) - 1) & ~requester;
}

void nm_stale_sent(struct nm_stale *s, const struct nm_place *place, const struct nm_packet *p)
{
    const unsigned cards = cards_of(s, p);
    if (p->route)
        sent_over_rings(s, place->station, p);
    else if (cards) { /* one from the rings that is being passed on, or it begins here */
        struct nm_stale_invalidation *i = coming(s, place->station, p->line);
        if (!i)
            i = add(s, place->station, p->line);
        i->cards |= (uint8_t)cards;
        hide(s, place->station, cards, p->line);
    }
}

void nm_stale_handled(struct nm_stale *s, unsigned station, uint64_t line)
{
    struct nm_stale_invalidation *i = coming(s, station, line);
    if (!i)
        return;
    i->coming = false;
    tidy(s, station, i);
}

/* The oldest invalidation that is to reach a card. */
static struct nm_stale_invalidation *oldest(const struct nm_stale *s, unsigned card, uint64_t line,
                                            bool on_bus)
{
    const unsigned processors = (unsigned)s->p->processors;
    struct nm_stale_invalidation *i = s->at[card / processors].list;
    while (i && !(i->line == line && (i->cards >> card % processors & 1 || (i->coming && !on_bus))))
        i = i->next;
    return i;
}

void nm_stale_applied(struct nm_stale *s, unsigned card, uint64_t line)
{
    struct nm_stale_invalidation *i = oldest(s, card, line, true);
    if (!i)
        return;
    i->cards &= (uint8_t) ~(1u << card % s->p->processors);
    tidy(s, card / (unsigned)s->p->processors, i);
}

const uint8_t *nm_stale_bytes(const struct nm_stale *s, unsigned card, uint64_t line)
{
    const struct nm_stale_invalidation *i = oldest(s, card, line, false);
    return i ? i->bytes : NULL;
}

const struct nm_stale_invalidation *const *nm_stale_list(const struct nm_stale *s, unsigned station)
{
    return (const struct nm_stale_invalidation *const *)&s->at[station].list;
}

void nm_copy_follow(uint8_t *copy, uint64_t line, uint64_t line_bytes, const uint8_t *image,
                    uint64_t pa, uint64_t len)
{
    const uint64_t from = pa > line ? pa : line;
    const uint64_t to = pa + len < line + line_bytes ? pa + len : line + line_bytes;
    if (from < to)
        memcpy(copy + (from - line), image + from, to - from);
}

void nm_stale_os_wrote(struct nm_stale *s, uint64_t pa, uint64_t len)
{
    for (unsigned station = 0; station < s->stations; station++) {
        struct nm_stale_invalidation *i;
        LL_FOREACH(s->at[station].list, i) {
            nm_copy_follow(i->bytes, i->line, s->p->l2_line, s->image, pa, len);
        }
    }
}

const uint64_t *nm_stale_line(const struct nm_stale *s)
{
    for (unsigned station = 0; station < s->stations; station++)
        if (s->at[station].list)
            return &s->at[station].list->line;
    return NULL;
}
