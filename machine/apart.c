#include "machine/apart.h"

#include "base/alloc.h"
#include "machine/placement.h"

#include <assert.h>
#include <stdlib.h>

/* A range and where its lines begin among all lines of their kind. */
struct place {
    struct nm_apart_range range;
    uint64_t first; /* [bytes] */
};

struct nm_apart {
    const struct nm_params *p;
    struct place *place; /* [count] ascending */
    size_t count;
};

static uint64_t lines_of(const struct nm_params *p, const struct nm_apart_range *range)
{
    return (range->to - range->from + p->l2_line - 1) / p->l2_line;
}

uint64_t nm_apart_pages(const struct nm_params *p, const struct nm_apart_range *ranges,
                        size_t count)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < count; i++)
        lines += lines_of(p, &ranges[i]);
    return (lines * p->l2_line + p->page_size - 1) / p->page_size;
}

static int by_address(const void *x, const void *y)
{
    const struct place *a = x, *b = y;
    return (a->range.from > b->range.from) - (a->range.from < b->range.from);
}

struct nm_apart *nm_apart_new(const struct nm_params *p, const struct nm_apart_range *ranges,
                              size_t count)
{
    struct nm_apart *apart = sim_alloc(1, sizeof *apart);
    uint64_t first = 0;
    *apart = (struct nm_apart){.p = p, .count = count};
    apart->place = sim_alloc(count + 1, sizeof *apart->place);
    for (size_t i = 0; i < count; i++)
        apart->place[i].range = ranges[i];
    qsort(apart->place, count, sizeof *apart->place, by_address);
    for (size_t i = 0; i < count; i++) {
        struct place *place = &apart->place[i];
        assert(place->range.from < place->range.to);
        assert(!i || place[-1].range.to <= place->range.from);
        place->first = first;
        first += lines_of(p, &place->range) * p->l2_line;
    }
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
    const unsigned station = (unsigned)(*pa / apart->p->memory_size);
    *pa = nm_placement_kept(apart->p, station, place->first + (va - place->range.from));
    return true;
}

bool nm_apart_meets(const struct nm_apart *apart, uint64_t from, uint64_t to)
{
    const struct place *place = behind(apart, from);
    return place && place->range.from < to;
}
