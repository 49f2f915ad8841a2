/*
 * Where the parts of a layout lie among the lines that are kept for them.
 *
 * The hard idea is what padding by hand gets for nothing: the caches are direct-mapped, and a
 * program's own data lie beside each other, so they do not compete with each other. Lines that the
 * machine gives to parts could share a place with a stack that is used all the time. So each part
 * takes the place ahead of it that is lightest for the cards that use it. A line that a card has
 * touched weighs more the fewer lines it has touched in all: what a thread does over and over takes
 * few lines, what it does once takes many. Colours of pages differ from station to station: in the
 * primary cache it is the place within a page that is weighed.
 */
#include "look/sharing/what_if.h"

#include "base/alloc.h"
#include "machine/placement.h"
#include "machine/values.h"

#include <stdlib.h>

enum {
    PARTS_MAX = 4096, /* more of them fill every place anyway */
    PAGES_MAX = 64,   /* that are weighed by their places in the secondary caches */
    HEAVY = 1 << 20,  /* all that a card has touched */
};

struct spread_range {
    struct nm_apart_range range;
    uint64_t users[LOOK_CARDS_MAX / 64]; /* the cards that have touched it */
};

struct spread {
    const struct look_layout *layout; /* by address */
    struct spread_range *part;        /* [layout->ranges] likewise, then as they are laid out */
    const struct doc_truth *truth;
    const struct nm_params *p;
    uint64_t line, page; /* [bytes] */
    uint64_t places;     /* [lines] of a page */
    uint64_t *weight;    /* [LOOK_CARDS_MAX][places] */
};

static int spread_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* As they are laid out (machine/apart.h). */
static int spread_by_group(const void *x, const void *y)
{
    const struct spread_range *a = x, *b = y;
    const int group = spread_order(a->range.group, b->range.group);
    return group ? group : spread_order(a->range.from, b->range.from);
}

static int spread_by_address(const void *x, const void *y)
{
    const struct spread_range *a = x, *b = y;
    return spread_order(a->range.from, b->range.from);
}

static bool is_data(const struct pc_missed_copy *copy)
{
    return !copy->code && copy->card < LOOK_CARDS_MAX &&
           (copy->read[0] || copy->read[1] || copy->written[0] || copy->written[1]);
}

/* ---- who uses what --------------------------------------------------------------------------- */

/* Whether any byte of a line is moved. */
static bool spread_moves(const struct spread *s, uint64_t va)
{
    const uint64_t from = va & ~(s->line - 1);
    const size_t first = look_layout_behind(s->layout, from);
    return first < s->layout->ranges && s->layout->range[first].from < from + s->line;
}

/* The ranges in a card's line of which it has touched a byte. */
static void spread_use(struct spread *s, const struct pc_missed_copy *copy)
{
    const uint64_t from = copy->va & ~(s->line - 1);
    const pc_bytes touched = look_copy_read(copy) | look_copy_written(copy);
    for (size_t i = look_layout_behind(s->layout, from);
         i < s->layout->ranges && s->layout->range[i].from < from + s->line; i++) {
        const struct nm_apart_range *range = &s->layout->range[i];
        for (uint64_t byte = 0; byte < s->line; byte++)
            if (touched >> byte & 1 && from + byte >= range->from && from + byte < range->to)
                s->part[i].users[copy->card / 64] |= UINT64_C(1) << copy->card % 64;
    }
}

/* ---- primary caches -------------------------------------------------------------------------- */

static void spread_weigh(struct spread *s)
{
    uint64_t *lines = sim_alloc(LOOK_CARDS_MAX, sizeof *lines);
    for (size_t i = 0; i < s->truth->copies; i++)
        if (is_data(&s->truth->copy[i]))
            lines[s->truth->copy[i].card]++;
    for (size_t i = 0; i < s->truth->copies; i++) {
        const struct pc_missed_copy *copy = &s->truth->copy[i];
        if (is_data(copy) && spread_moves(s, copy->va))
            spread_use(s, copy);
        else if (is_data(copy))
            s->weight[copy->card * s->places + copy->va % s->page / s->line] +=
                HEAVY / lines[copy->card];
    }
    free(lines);
}

/* Whether a card uses one of the ranges that lie together. */
static bool spread_uses(const struct spread_range *part, size_t count, unsigned card)
{
    for (size_t i = 0; i < count; i++)
        if (part[i].users[card / 64] >> card % 64 & 1)
            return true;
    return false;
}

/* [places] what a part would lie beside, of the cards that use it. */
static void spread_sum(const struct spread *s, const struct spread_range *part, size_t count,
                       uint64_t *sum)
{
    memset(sum, 0, s->places * sizeof *sum);
    for (unsigned card = 0; card < LOOK_CARDS_MAX; card++) {
        const uint64_t places = spread_uses(part, count, card) ? s->places : 0;
        for (uint64_t i = 0; i < places; i++)
            sum[i] += s->weight[card * s->places + i];
    }
}

/* The part is from now on what others would lie beside. */
static void spread_take(struct spread *s, const struct spread_range *part, size_t count,
                        uint64_t at, uint64_t lines)
{
    for (unsigned card = 0; card < LOOK_CARDS_MAX; card++) {
        const uint64_t taken = spread_uses(part, count, card) ? lines : 0;
        for (uint64_t i = 0; i < taken && i < s->places; i++)
            s->weight[card * s->places + (at + i) % s->places] += HEAVY / s->places;
    }
}

/* [lines] to leave free in front of a part of so many lines. */
static uint64_t spread_skip(const struct spread *s, const uint64_t *sum, uint64_t at,
                            uint64_t lines)
{
    uint64_t best = 0, least = UINT64_MAX;
    for (uint64_t skip = 0; skip < s->places && least && lines < s->places; skip++) {
        uint64_t weight = 0;
        for (uint64_t i = 0; i < lines; i++)
            weight += sum[(at + skip + i) % s->places];
        if (weight < least) {
            least = weight;
            best = skip;
        }
    }
    return best;
}

/* ---- secondary caches ------------------------------------------------------------------------ */

static uint64_t colour_of(const struct spread *s, uint64_t pa)
{
    return pa % (s->p->l2_size / (s->p->l2_split ? 2 : 1)) / s->page;
}

static uint64_t colours_of(const struct spread *s)
{
    return s->p->l2_size / (s->p->l2_split ? 2 : 1) / s->page;
}

/* [stations] whether a line that moves is at home there. */
static bool *spread_homes(const struct spread *s, uint64_t stations)
{
    bool *home = sim_alloc(stations, sizeof *home);
    for (size_t i = 0; i < s->truth->copies; i++) {
        const struct pc_missed_copy *copy = &s->truth->copy[i];
        if (copy->line / s->truth->memory < stations && spread_moves(s, copy->va))
            home[copy->line / s->truth->memory] = true;
    }
    return home;
}

/* The page of those that are kept from which on the fewest lines would be met. */
static uint64_t spread_first_page(const struct spread *s, uint64_t pages)
{
    const uint64_t colours = colours_of(s), stations = nm_params_stations(s->p);
    uint64_t *weight = sim_alloc(colours, sizeof *weight), best = 0, least = UINT64_MAX;
    bool *home = spread_homes(s, stations);
    for (size_t i = 0; i < s->truth->copies && colours; i++)
        if (is_data(&s->truth->copy[i]))
            weight[colour_of(s, s->truth->copy[i].line)]++;
    for (uint64_t first = 0; first < colours && least; first++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < stations * pages; i++)
            if (home[i / pages])
                sum += weight[colour_of(s, nm_placement_kept(s->p, (unsigned)(i / pages),
                                                             (first + i % pages) * s->page))];
        if (sum < least) {
            least = sum;
            best = first;
        }
    }
    free(weight);
    free(home);
    return best;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* [lines] of ranges from a border of a line on. */
static uint64_t spread_lines(const struct spread *s, const struct spread_range *part, size_t count)
{
    struct nm_apart_range *range = sim_alloc(count, sizeof *range);
    for (size_t i = 0; i < count; i++)
        range[i] = part[i].range;
    const uint64_t lines = (nm_apart_bytes(s->line, range, count) + s->line - 1) / s->line;
    free(range);
    return lines;
}

/* How many ranges from the i-th on lie together. */
static size_t spread_together(const struct spread *s, size_t i)
{
    size_t end = i + 1;
    while (s->part[i].range.group && end < s->layout->ranges &&
           s->part[end].range.group == s->part[i].range.group)
        end++;
    return end - i;
}

/* @return [lines] that all of them take */
static uint64_t spread_parts(struct spread *s)
{
    uint64_t *sum = sim_alloc(s->places, sizeof *sum), at = 0;
    for (size_t i = 0, count; i < s->layout->ranges; i += count) {
        count = spread_together(s, i);
        const uint64_t lines = spread_lines(s, &s->part[i], count);
        spread_sum(s, &s->part[i], count, sum);
        const uint64_t skip = spread_skip(s, sum, at, lines);
        s->part[i].range.skip = (uint32_t)skip;
        spread_take(s, &s->part[i], count, at + skip, lines);
        at += skip + lines;
    }
    free(sum);
    return at;
}

static void spread_find(struct spread *s)
{
    const size_t count = s->layout->ranges;
    spread_weigh(s);
    qsort(s->part, count, sizeof *s->part, spread_by_group);
    const uint64_t pages = (spread_parts(s) + s->places - 1) / s->places;
    if (pages <= PAGES_MAX)
        s->part[0].range.skip += (uint32_t)(spread_first_page(s, pages) * s->places);
    qsort(s->part, count, sizeof *s->part, spread_by_address);
}

void look_layout_spread(struct look_layout *l, const struct doc_truth *truth,
                        const struct nm_params *p)
{
    struct spread s = {.layout = l,
                       .truth = truth,
                       .p = p,
                       .line = truth->line,
                       .page = p->page_size,
                       .places = p->page_size / truth->line};
    if (!l->ranges || l->ranges > PARTS_MAX || p->l2_line != truth->line)
        return;
    s.part = sim_alloc(l->ranges, sizeof *s.part);
    s.weight = sim_alloc(LOOK_CARDS_MAX * s.places, sizeof *s.weight);
    for (size_t i = 0; i < l->ranges; i++)
        s.part[i].range = l->range[i];
    spread_find(&s);
    for (size_t i = 0; i < l->ranges; i++)
        l->range[i].skip = s.part[i].range.skip;
    for (size_t i = 0; i < l->ranges && !look_layout_fits(l, truth); i++)
        l->range[i].skip = 0;
    free(s.part);
    free(s.weight);
}
