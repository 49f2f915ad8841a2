/*
 * Sharing at other line sizes and offsets (sizes.h).
 *
 * The hard idea is what to leave out: a page that one card alone touches has no layouts, but only
 * the bytes that were touched. They become copies when another card comes.
 */
#include "procard/sizes.h"

#include "base/alloc.h"

#include <uthash.h>

enum {
    PAGE_BITS = 12,
    PAGE = 1 << PAGE_BITS,
    MASKS = PAGE / 32,
    LAYOUTS = 4 + 8 + 16 + 16 + 16, /* 16 to 256 bytes, each at offsets below it and 64 */
    NOBODY = -1,
};

typedef unsigned __int128 line_bytes;

struct layout {
    uint32_t bytes, offset;
    unsigned fine;  /* 1 << fine bytes are one bit */
    unsigned first; /* of its lines among a page's */
};

/* A card's copy of a line. */
struct part {
    unsigned card;
    bool cold;   /* its first life */
    bool taken;  /* another has written since */
    bool missed; /* a miss that sharing made began this life */
    bool raised; /* the card has been the owner in it */
    unsigned at; /* ... of this line of the run */
    sim_tick since;
    line_bytes touched,
        news;        /* in this life; written by others since the last essential one began */
    line_bytes late; /* written since this life began */
};

struct sized {
    struct part *part;
    unsigned parts;
    int owner;
    line_bytes fresh; /* written by the owner, not told to the others */
};

struct page {
    uint64_t number;
    int only; /* the card that has touched it; NOBODY: several */
    uint32_t read[MASKS], written[MASKS];
    struct sized *line; /* of all layouts; NULL: one card only */
    uint32_t *count;    /* [lines of the run][LAYOUTS][PC_SIZED__COUNT] */
    UT_hash_handle hh;
};

struct clock {
    sim_tick waited, since;
    bool waits;
};

struct pc_sizes {
    struct layout layout[LAYOUTS];
    struct clock *clock; /* [cards] */
    unsigned lines;      /* of a page, of all layouts */
    unsigned own;        /* [log2 bytes] of a line of the run */
    struct page *pages, *last;
};

struct pc_sizes *pc_sizes_new(unsigned cards, uint64_t line)
{
    struct pc_sizes *s = sim_alloc(1, sizeof *s);
    s->clock = sim_alloc(cards, sizeof *s->clock);
    struct layout *l = s->layout;
    while (UINT64_C(1) << s->own < line)
        s->own++;
    for (uint32_t bytes = PC_SIZES_LEAST; bytes <= PC_SIZES_LARGEST; bytes *= 2)
        for (uint32_t offset = 0; offset < bytes && offset < PC_SIZES_OFFSETS;
             offset += PC_SIZES_STEP) {
            *l++ = (struct layout){bytes, offset, bytes > 128, s->lines};
            s->lines += (PAGE + offset + bytes - 1) / bytes;
        }
    return s;
}

void pc_sizes_free(struct pc_sizes *s)
{
    struct page *page, *next;
    if (!s)
        return;
    HASH_ITER(hh, s->pages, page, next) {
        HASH_DEL(s->pages, page);
        for (unsigned i = 0; page->line && i < s->lines; i++)
            free(page->line[i].part);
        free(page->line);
        free(page->count);
        free(page);
    }
    free(s->clock);
    free(s);
}

/* ---- a line ---------------------------------------------------------------------------------- */

static struct part *part_of(struct sized *line, unsigned card)
{
    for (unsigned i = 0; i < line->parts; i++)
        if (line->part[i].card == card)
            return &line->part[i];
    return NULL;
}

static struct part *part_new(struct sized *line, unsigned card)
{
    if (!(line->parts & (line->parts + 1)))
        line->part = sim_grow(line->part, 2 * line->parts + 1, sizeof *line->part);
    line->part[line->parts] = (struct part){.card = card};
    return &line->part[line->parts++];
}

/* The owner is none any more: what it wrote comes to be known. */
static void line_publish(struct sized *line)
{
    for (unsigned i = 0; line->fresh && i < line->parts; i++)
        if ((int)line->part[i].card != line->owner)
            line->part[i].late |= line->fresh;
    line->fresh = 0;
    line->owner = NOBODY;
}

/* @return whether a copy goes that was touched; what of it, into *touched */
static bool line_take(struct sized *line, unsigned card, line_bytes *touched)
{
    *touched = 0;
    for (unsigned i = 0; i < line->parts; i++)
        if (line->part[i].card != card && !line->part[i].taken) {
            line->part[i].taken = true;
            *touched |= line->part[i].touched;
        }
    line->owner = (int)card;
    return *touched;
}

/* ---- a layout -------------------------------------------------------------------------------- */

static void sizes_count(struct page *page, unsigned layout, unsigned at, enum pc_sized what)
{
    page->count[(at * LAYOUTS + layout) * PC_SIZED__COUNT + what]++;
}

static void part_end(struct page *page, unsigned layout, struct part *part)
{
    const bool truly = part->news & part->touched;
    if (part->missed)
        sizes_count(page, layout, part->at, truly ? PC_SIZED_TRUE : PC_SIZED_FALSE);
    part->news = (truly || part->cold ? 0 : part->news) | part->late;
    part->late = part->touched = 0;
    part->cold = part->taken = part->missed = part->raised = false;
}

/* The card gets the line, for a load or a store that missed. */
static void line_miss(struct page *page, unsigned layout, struct sized *line, unsigned card,
                      bool store, unsigned at, sim_tick now)
{
    struct part *part = part_of(line, card);
    line_bytes touched;
    const bool cold = !part;
    line_publish(line);
    if (part)
        part_end(page, layout, part);
    else
        part = part_new(line, card);
    part->cold = cold;
    part->missed = !cold;
    part->raised = store;
    part->at = at;
    part->since = now;
    if (store)
        line_take(line, card, &touched);
}

/* The card gets the right to write. If another was faster, the line comes once more. */
static void line_upgrade(struct page *page, unsigned layout, struct sized *line, struct part *part,
                         line_bytes bytes, unsigned at)
{
    line_bytes touched;
    if (part->taken) {
        line_publish(line);
        part_end(page, layout, part);
    }
    part->raised = true;
    if (line_take(line, part->card, &touched))
        sizes_count(page, layout, at,
                    touched & bytes ? PC_SIZED_UPGRADE_TRUE : PC_SIZED_UPGRADE_FALSE);
}

/* What the owner writes comes to be known when it stops being that; what a card writes that would
 * have lost the line later, at once. */
static void line_write(struct sized *line, unsigned card, line_bytes bytes)
{
    if (line->owner == (int)card)
        line->fresh |= bytes;
    else
        for (unsigned i = 0; i < line->parts; i++)
            if (line->part[i].card != card)
                line->part[i].late |= bytes;
}

/* An access within one line. @param at  the line of the run in which it is */
static void sizes_access(struct page *page, unsigned layout, struct sized *line, unsigned card,
                         line_bytes bytes, bool store, unsigned at, sim_tick now)
{
    struct part *part = part_of(line, card);
    if (!part || (part->taken && now >= part->since + PC_SIZES_HOLD))
        line_miss(page, layout, line, card, store, at, now);
    else if (store && line->owner != (int)card && !(part->taken && part->raised))
        line_upgrade(page, layout, line, part, bytes, at);
    part_of(line, card)->touched |= bytes;
    if (store)
        line_write(line, card, bytes);
}

static line_bytes bytes_from(unsigned first, unsigned count, unsigned fine)
{
    const unsigned from = first >> fine, to = (first + count - 1) >> fine;
    return (((line_bytes)1 << (to - from + 1)) - 1) << from;
}

/* Bytes of a page, in all layouts; an access may reach over the border of two lines. */
static void sizes_access_all(struct pc_sizes *s, struct page *page, unsigned card, unsigned first,
                             unsigned count, bool store, sim_tick now)
{
    for (unsigned k = 0; k < LAYOUTS; k++) {
        const struct layout *l = &s->layout[k];
        for (unsigned from = first, some; from < first + count; from += some) {
            const unsigned place = from + l->offset, in = place & (l->bytes - 1);
            some = first + count - from;
            if (some > l->bytes - in)
                some = l->bytes - in;
            sizes_access(page, k, &page->line[l->first + place / l->bytes], card,
                         bytes_from(in, some, l->fine), store, from >> s->own, now);
        }
    }
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* What the only card has touched and written becomes its copies, from before all that comes. */
static void page_share(struct pc_sizes *s, struct page *page)
{
    const unsigned card = (unsigned)page->only;
    page->line = sim_alloc(s->lines, sizeof *page->line);
    page->count =
        sim_alloc((size_t)(PAGE >> s->own) * LAYOUTS * PC_SIZED__COUNT, sizeof *page->count);
    for (unsigned i = 0; i < s->lines; i++)
        page->line[i].owner = NOBODY;
    for (unsigned byte = 0; byte < PAGE; byte++) {
        const unsigned bit = byte % 32;
        if (page->read[byte / 32] >> bit & 1)
            sizes_access_all(s, page, card, byte, 1, false, 0);
        if (page->written[byte / 32] >> bit & 1)
            sizes_access_all(s, page, card, byte, 1, true, 0);
    }
    page->only = NOBODY;
}

static struct page *page_of(struct pc_sizes *s, uint64_t number, unsigned card)
{
    struct page *page = s->last;
    if (page && page->number == number)
        return page;
    HASH_FIND(hh, s->pages, &number, sizeof number, page);
    if (!page) {
        page = sim_alloc(1, sizeof *page);
        page->number = number;
        page->only = (int)card;
        HASH_ADD(hh, s->pages, number, sizeof page->number, page);
    }
    return s->last = page;
}

void pc_sizes_waits(struct pc_sizes *s, unsigned card, sim_tick at)
{
    s->clock[card].since = at;
    s->clock[card].waits = true;
}

void pc_sizes_goes_on(struct pc_sizes *s, unsigned card, sim_tick at)
{
    struct clock *clock = &s->clock[card];
    if (clock->waits)
        clock->waited += at - clock->since;
    clock->waits = false;
}

void pc_sizes_see(struct pc_sizes *s, unsigned card, uint64_t pa, uint32_t touched, bool store,
                  sim_tick at)
{
    if (!touched)
        return;
    struct page *page = page_of(s, pa >> PAGE_BITS, card);
    const unsigned place = pa % PAGE, first = (unsigned)__builtin_ctz(touched);
    if (page->only == (int)card) {
        (store ? page->written : page->read)[place / 32] |= touched;
        return;
    }
    if (!page->line)
        page_share(s, page);
    sizes_access_all(s, page, card, place + first, (unsigned)__builtin_popcount(touched), store,
                     at - s->clock[card].waited);
}

/* ---- the end --------------------------------------------------------------------------------- */

void pc_sizes_end(struct pc_sizes *s)
{
    for (struct page *page = s->pages; page; page = page->hh.next)
        for (unsigned k = 0, i = 0; page->line && i < s->lines; i++) {
            k += k + 1 < LAYOUTS && i == s->layout[k + 1].first;
            for (unsigned p = 0; p < page->line[i].parts; p++)
                part_end(page, k, &page->line[i].part[p]);
        }
}

static bool sizes_any(const uint32_t *v)
{
    return v[PC_SIZED_FALSE] || v[PC_SIZED_TRUE] || v[PC_SIZED_UPGRADE_FALSE] ||
           v[PC_SIZED_UPGRADE_TRUE];
}

void pc_sizes_each(const struct pc_sizes *s,
                   void (*fn)(void *ctx, const struct pc_sized_line *sized), void *ctx)
{
    for (const struct page *page = s->pages; page; page = page->hh.next)
        for (unsigned i = 0; page->count && i < (unsigned)(PAGE >> s->own) * LAYOUTS; i++) {
            const uint32_t *v = &page->count[i * PC_SIZED__COUNT];
            const struct layout *l = &s->layout[i % LAYOUTS];
            if (sizes_any(v))
                fn(ctx, &(struct pc_sized_line){(page->number << PAGE_BITS) +
                                                    ((uint64_t)(i / LAYOUTS) << s->own),
                                                l->bytes, l->offset, v});
        }
}
