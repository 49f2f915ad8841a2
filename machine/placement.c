/*
 * The operating system's choice of a home for each page: a page's physical address names the
 * station whose memory card holds it, so placing a page decides which of its lines' references are
 * local (TR, page placement).
 *
 * The one idea: a full station is no error. The page goes to the next station that has room, so
 * that a range or rule may ask for more than one memory holds.
 */
#include "machine/placement.h"

#include "base/alloc.h"
#include "machine/values.h"

#include <stdlib.h>
#include <string.h>

struct free_page {
    uint64_t pa;
    struct free_page *next;
};

struct nm_placement {
    struct nm_params p;
    unsigned stations;
    uint64_t pages;          /* of each station, for programs */
    uint64_t *next;          /* [stations] never used from here on */
    struct free_page **back; /* [stations] given back */
    unsigned last;           /* round robin: where the last page went */
    unsigned toucher;        /* for whom the last page was taken */
    uint64_t turns;          /* nm_placement_turns */
    struct nm_range *ranges;
    unsigned range_count;
};

struct nm_placement *nm_placement_new(const struct nm_params *p)
{
    struct nm_placement *pl = sim_alloc(1, sizeof *pl);
    pl->p = *p;
    pl->stations = (unsigned)nm_params_stations(p);
    pl->pages = p->memory_size / p->page_size;
    pl->next = sim_alloc(pl->stations, sizeof *pl->next);
    pl->back = sim_alloc(pl->stations, sizeof(struct free_page *));
    pl->last = pl->stations - 1;
    return pl;
}

void nm_placement_free(struct nm_placement *pl)
{
    if (!pl)
        return;
    for (unsigned i = 0; i < pl->stations; i++)
        for (struct free_page *f = pl->back[i], *next; f; f = next) {
            next = f->next;
            free(f);
        }
    free(pl->back);
    free(pl->next);
    free(pl->ranges);
    free(pl);
}

void nm_placement_set(struct nm_placement *pl, const struct nm_range *ranges, unsigned count)
{
    free(pl->ranges);
    pl->ranges = sim_alloc(count + 1, sizeof *pl->ranges);
    pl->range_count = count;
    if (count)
        memcpy(pl->ranges, ranges, count * sizeof *ranges);
}

static const struct nm_range *range_of(const struct nm_placement *pl, uint64_t va)
{
    const uint64_t page = va & ~(pl->p.page_size - 1);
    for (unsigned i = 0; i < pl->range_count; i++)
        if (page < pl->ranges[i].to && pl->ranges[i].from < page + pl->p.page_size)
            return &pl->ranges[i];
    return NULL;
}

/* The station a page belongs to. */
static unsigned choose(struct nm_placement *pl, unsigned toucher, uint64_t va)
{
    const struct nm_range *range = range_of(pl, va);
    if (range)
        return range->station;
    switch (pl->p.placement) {
    case NM_PLACE_FIRST_TOUCH:
        return toucher / (unsigned)pl->p.processors;
    case NM_PLACE_LOCAL:
        return (unsigned)pl->p.local_station;
    default:
        return pl->last = (pl->last + 1) % pl->stations;
    }
}

/* Where in its memory a station starts. Were it the same place everywhere, pages taken in turn
 * would all compete for the same places of the network caches and secondary caches, whose size
 * divides the memories'. So the stations start apart: spread over a network cache, and within that
 * over the data half of a secondary cache (what an operating system calls page colouring). */
static uint64_t first_page(const struct nm_params *p, unsigned station)
{
    const uint64_t stations = nm_params_stations(p);
    const uint64_t half = p->l2_size / p->page_size / (p->l2_split ? 2 : 1),
                   secondary = half > stations ? half / stations : 1;
    uint64_t apart = p->netcache_size / p->page_size / stations;
    if (half && apart > half)
        apart -= apart % half; /* the same place of a secondary cache */
    return station * (apart > secondary ? apart - secondary : apart + secondary) %
           (p->memory_size / p->page_size);
}

/* The address of a station's page that is taken so many pages after its first. */
static uint64_t page_at(const struct nm_params *p, unsigned station, uint64_t nth)
{
    const uint64_t page = (first_page(p, station) + nth) % (p->memory_size / p->page_size);
    return station * p->memory_size + page * p->page_size;
}

void nm_placement_keep(struct nm_placement *pl, uint64_t pages)
{
    const uint64_t all = pl->p.memory_size / pl->p.page_size;
    pl->pages = pages < all ? all - pages : 0;
}

uint64_t nm_placement_kept(const struct nm_params *p, unsigned station, uint64_t offset)
{
    const uint64_t last = p->memory_size / p->page_size - 1;
    return page_at(p, station, last - offset / p->page_size) + offset % p->page_size;
}

static bool take_from(struct nm_placement *pl, unsigned station, uint64_t *pa, bool *used)
{
    struct free_page *f = pl->back[station];
    *used = f;
    if (f) {
        *pa = f->pa;
        pl->back[station] = f->next;
        free(f);
        return true;
    }
    if (pl->next[station] == pl->pages)
        return false;
    *pa = page_at(&pl->p, station, pl->next[station]++);
    return true;
}

/* From a station, or the next that has room. */
static bool take_near(struct nm_placement *pl, unsigned first, uint64_t *pa, bool *used)
{
    for (unsigned i = 0; i < pl->stations; i++)
        if (take_from(pl, (first + i) % pl->stations, pa, used))
            return true;
    return false;
}

bool nm_placement_take(struct nm_placement *pl, unsigned toucher, uint64_t va, uint64_t *pa,
                       bool *used)
{
    pl->turns += toucher != pl->toucher;
    pl->toucher = toucher;
    return take_near(pl, choose(pl, toucher, va), pa, used);
}

uint64_t nm_placement_turns(const struct nm_placement *pl)
{
    return pl->turns;
}

bool nm_placement_take_at(struct nm_placement *pl, unsigned station, uint64_t va, uint64_t *pa,
                          bool *used)
{
    const struct nm_range *range = range_of(pl, va);

    return take_near(pl, range ? range->station : station, pa, used);
}

void nm_placement_give(struct nm_placement *pl, uint64_t pa)
{
    struct free_page *f = sim_alloc(1, sizeof *f), **list = &pl->back[pa / pl->p.memory_size];
    *f = (struct free_page){.pa = pa, .next = *list};
    *list = f;
}
