#include "machine/apart.h"

#include "base/alloc.h"
#include "machine/placement.h"

#include <assert.h>
#include <stdlib.h>

/* A range and where its first byte is among all bytes that are kept apart. */
struct place {
    struct nm_apart_range range;
    uint64_t first; /* [bytes] */
};

struct nm_apart {
    const struct nm_params *p;
    struct place *place; /* [count] ascending */
    size_t count;
};

static int order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int by_group(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    const int group = order(a->range.group, b->range.group);
    return group ? group : order(a->range.from, b->range.from);
}

static int by_address(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    return order(a->range.from, b->range.from);
}

/* Ranges may be as long as all there is: more than that stays the most. */
static uint64_t plus(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* The caller's, in the order of addresses. @param line  [bytes]
 * @param[out] bytes  all their lines */
static struct place *lay_out(uint64_t line, const struct nm_apart_range *ranges, size_t count,
                             uint64_t *bytes)
{
    enum { ALIGNED = 8 /* within a group: the longest access */ };
    struct place *place = sim_alloc(count + 1, sizeof *place);
    uint64_t next = 0;
    for (size_t i = 0; i < count; i++)
        place[i].range = ranges[i];
    qsort(place, count, sizeof *place, by_group);
    for (size_t i = 0; i < count; i++) {
        const struct nm_apart_range *range = &place[i].range;
        const bool joins = i && range->group && range->group == place[i - 1].range.group;
        const uint64_t unit = joins ? ALIGNED : line;
        next = plus(next, unit - 1) / unit * unit;
        next = plus(next, joins ? 0 : range->skip * line);
        place[i].first = plus(next, joins || range->group ? range->from % ALIGNED : 0);
        next = plus(place[i].first, range->to - range->from);
    }
    qsort(place, count, sizeof *place, by_address);
    *bytes = next;
    return place;
}

uint64_t nm_apart_bytes(uint64_t line, const struct nm_apart_range *ranges, size_t count)
{
    uint64_t bytes;
    free(lay_out(line, ranges, count, &bytes));
    return bytes;
}

uint64_t nm_apart_pages(const struct nm_params *p, const struct nm_apart_range *ranges,
                        size_t count)
{
    const uint64_t bytes = nm_apart_bytes(nm_value_l2_line(p), ranges, count);
    return bytes / nm_value_page_size(p) + (bytes % nm_value_page_size(p) != 0);
}

struct nm_apart *nm_apart_new(const struct nm_params *p, const struct nm_apart_range *ranges,
                              size_t count)
{
    struct nm_apart *apart = sim_alloc(1, sizeof *apart);
    uint64_t bytes;
    *apart = (struct nm_apart){
        .p = p, .count = count, .place = lay_out(nm_value_l2_line(p), ranges, count, &bytes)};
    for (size_t i = 0; i < count; i++)
        assert(ranges[i].from < ranges[i].to);
    for (size_t i = 1; i < count; i++)
        assert(apart->place[i - 1].range.to <= apart->place[i].range.from);
    return apart;
}

void nm_apart_free(struct nm_apart *apart)
{
    if (apart)
        free(apart->place);
    free(apart);
}

/* The first range that ends behind `va`; NULL: none does. */
static const struct place *behind(const struct nm_apart *apart, uint64_t va)
{
    size_t low = 0, high = apart->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (apart->place[middle].range.to <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low < apart->count ? &apart->place[low] : NULL;
}

bool nm_apart_at(const struct nm_apart *apart, uint64_t va, uint64_t *pa)
{
    const struct place *place = behind(apart, va);
    if (!place || place->range.from > va)
        return false;
    const unsigned station = (unsigned)(*pa / nm_value_memory_size(apart->p));
    *pa = nm_placement_kept(apart->p, station, place->first + (va - place->range.from));
    return true;
}

bool nm_apart_meets(const struct nm_apart *apart, uint64_t from, uint64_t to)
{
    const struct place *place = behind(apart, from);
    return place && place->range.from < to;
}
