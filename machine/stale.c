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

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

struct invalidation {
    struct invalidation *next;
    uint64_t line;
    bool coming;   /* over the rings */
    uint8_t cards; /* of the station, on whose way it is */
    uint8_t bytes[NM_LINE_MAX];
};

struct nm_stale {
    const uint8_t *image;
    const struct nm_params *p;
    nm_stale_hide *hide;
    void *ctx;
    unsigned stations, count;
    struct invalidation *free;
    struct invalidation *list[]; /* [stations] oldest first */
};

struct nm_stale *nm_stale_new(const struct nm_params *p, const uint8_t *image, nm_stale_hide *hide,
                              void *ctx)
{
    const unsigned stations = (unsigned)nm_params_stations(p);
    struct nm_stale *s = sim_alloc(1, sizeof *s + stations * sizeof *s->list);
    s->image = image;
    s->p = p;
    s->hide = hide;
    s->ctx = ctx;
    s->stations = stations;
    return s;
}

static void list_free(struct invalidation *list)
{
    struct invalidation *i, *next;
    LL_FOREACH_SAFE(list, i, next) {
        free(i);
    }
}

void nm_stale_free(struct nm_stale *s)
{
    if (!s)
        return;
    for (unsigned i = 0; i < s->stations; i++)
        list_free(s->list[i]);
    list_free(s->free);
    free(s);
}

static struct invalidation *add(struct nm_stale *s, unsigned station, uint64_t line)
{
    struct invalidation *i = s->free;
    if (i)
        LL_DELETE(s->free, i);
    else
        i = sim_grow(NULL, 1, sizeof *i);
    *i = (struct invalidation){.line = line};
    memcpy(i->bytes, s->image + line, s->p->l2_line);
    LL_APPEND(s->list[station], i);
    s->count++;
    return i;
}

/* It may have reached everybody. */
static void tidy(struct nm_stale *s, unsigned station, struct invalidation *i)
{
    if (i->coming || i->cards)
        return;
    LL_DELETE(s->list[station], i);
    LL_PREPEND(s->free, i);
    s->count--;
}

static void hide(const struct nm_stale *s, unsigned station, unsigned cards, uint64_t line)
{
    for (; cards; cards &= cards - 1)
        s->hide(s->ctx, (unsigned)(station * s->p->processors) + (unsigned)__builtin_ctz(cards),
                line);
}

static struct invalidation *coming(const struct nm_stale *s, unsigned station, uint64_t line)
{
    struct invalidation *i = s->list[station];
    while (i && !(i->coming && i->line == line))
        i = i->next;
    return i;
}

static void sent_over_rings(struct nm_stale *s, const struct nm_place *place,
                            const struct nm_packet *p)
{
    for (unsigned station = 0; station < s->stations; station++)
        if (ring_mask_covers(place->rings, p->route, station)) {
            add(s, station, p->line)->coming = true;
            hide(s, station, (1u << s->p->processors) - 1, p->line);
        }
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
        sent_over_rings(s, place, p);
    else if (cards) { /* one from the rings that is being passed on, or it begins here */
        struct invalidation *i = coming(s, place->station, p->line);
        if (!i)
            i = add(s, place->station, p->line);
        i->cards |= (uint8_t)cards;
        hide(s, place->station, cards, p->line);
    }
}

void nm_stale_handled(struct nm_stale *s, unsigned station, const struct nm_packet *in)
{
    struct invalidation *i = in->message == NM_MSG_INVALIDATE ? coming(s, station, in->line) : NULL;
    if (!i)
        return;
    i->coming = false;
    tidy(s, station, i);
}

/* The oldest invalidation that is to reach a card. */
static struct invalidation *oldest(const struct nm_stale *s, unsigned card, uint64_t line,
                                   bool on_bus)
{
    const unsigned processors = (unsigned)s->p->processors;
    struct invalidation *i = s->list[card / processors];
    while (i && !(i->line == line && (i->cards >> card % processors & 1 || (i->coming && !on_bus))))
        i = i->next;
    return i;
}

void nm_stale_applied(struct nm_stale *s, unsigned card, uint64_t line)
{
    struct invalidation *i = oldest(s, card, line, true);
    if (!i)
        return;
    i->cards &= (uint8_t) ~(1u << card % s->p->processors);
    tidy(s, card / (unsigned)s->p->processors, i);
}

const uint8_t *nm_stale_bytes(const struct nm_stale *s, unsigned card, uint64_t line)
{
    const struct invalidation *i = oldest(s, card, line, false);
    return i ? i->bytes : NULL;
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
    for (unsigned station = 0; s->count && station < s->stations; station++) {
        struct invalidation *i;
        LL_FOREACH(s->list[station], i) {
            nm_copy_follow(i->bytes, i->line, s->p->l2_line, s->image, pa, len);
        }
    }
}

unsigned nm_stale_count(const struct nm_stale *s)
{
    return s->count;
}

uint64_t nm_stale_line(const struct nm_stale *s)
{
    unsigned station = 0;
    while (!s->list[station])
        station++;
    return s->list[station]->line;
}
