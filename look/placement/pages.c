/*
 * Pages and their stations, summed up from the rows of the truth (pages.h).
 *
 * The one hard idea: a page that is in a range takes no turn of round_robin, so ranges move pages
 * that are in none. Where that is the rule, pages that are well where they are get ranges, too.
 *
 * And a second one: requests are summed over cards, but a run takes as long as the card that takes
 * longest. Data that one thread fills and many use gain many cards a little each, at the same time,
 * and cost one card all of it.
 */
#include "look/placement/pages.h"

#include "base/alloc.h"
#include "look/cost.h"
#include "machine/params.h"
#include "machine/values.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

enum {
    SMALL = 100, /* one part in so many of all requests is not worth a range, */
    PART = 4,    /* nor is less than one part in so many of a page's, if it is to move, */
    KEPT = 16    /* or if it is to stay: what only stays cannot come out worse */
};

const char *const look_page_fate_name[] = {"left", "stays", "moves"};

/* A row of the truth, as it matters here. */
struct asked {
    uint64_t page;
    uint32_t home, station, card;
    size_t object;
    int64_t requests, time;
};

static int pages_order(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int order_signed(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* As doc_plus. */
static int64_t pages_less(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

static void pages_sort(void *list, size_t count, size_t size, int (*by)(const void *, const void *))
{
    if (count)
        qsort(list, count, size, by);
}

/* ---- requests -------------------------------------------------------------------------------- */

static uint64_t pages_home_of(const struct doc_truth *truth, const struct pc_missed_row *row)
{
    return truth->copy[row->copy].line / truth->memory;
}

static uint64_t pages_station_of(const struct doc_truth *truth, const struct pc_missed_row *row)
{
    return truth->copy[row->copy].card / truth->processors;
}

struct look_asked look_pages_asked(const struct doc_truth *truth)
{
    struct look_asked sum = {0};
    for (size_t i = 0; i < truth->rows; i++) {
        const struct pc_missed_row *row = &truth->row[i];
        const int64_t requests = doc_truth_requests(row);
        sum.requests = doc_plus(sum.requests, requests);
        sum.time = doc_plus(sum.time, doc_truth_time(row));
        if (pages_home_of(truth, row) == pages_station_of(truth, row))
            sum.local = doc_plus(sum.local, requests);
    }
    return sum;
}

static bool is_of_machine(const struct doc_truth *truth, const struct nm_params *p)
{
    bool good = truth->memory == p->memory_size && truth->processors == p->processors;
    for (size_t i = 0; good && i < truth->copies; i++)
        good = truth->copy[i].card < nm_params_cards(p) &&
               truth->copy[i].line / truth->memory < nm_params_stations(p);
    return good;
}

/* ---- objects --------------------------------------------------------------------------------- */

struct known {
    char *name;
    size_t number;
    UT_hash_handle hh;
};

static size_t pages_object_of(struct look_pages *p, struct known **names,
                              struct look_finder *finder, const struct doc_truth *truth,
                              const struct pc_missed_row *row)
{
    struct look_object at;
    struct known *known;
    look_object_asked(finder, truth, row, &at);
    look_object_group(&at);
    if (at.kind == LOOK_OBJECT_CODE) /* functions are many, and of one page */
        snprintf(at.key, sizeof at.key, "code");
    HASH_FIND_STR(*names, at.key, known);
    if (known)
        return known->number;
    known = sim_alloc(1, sizeof *known);
    known->name = sim_strdup(at.key);
    known->number = p->objects;
    HASH_ADD_KEYPTR(hh, *names, known->name, strlen(known->name), known);
    if (!(p->objects & (p->objects + 1)))
        p->object = sim_grow(p->object, 2 * p->objects + 1, sizeof *p->object);
    p->object[p->objects++] = (struct look_paged_object){.name = sim_strdup(at.key)};
    return known->number;
}

/* @return [truth->rows] the caller's */
static struct asked *pages_find_asked(struct look_pages *p, const struct doc_truth *truth,
                                      struct look_finder *finder)
{
    struct known *names = NULL, *known, *next;
    struct asked *list = sim_alloc(truth->rows + 1, sizeof *list);
    for (size_t i = 0; i < truth->rows; i++) {
        const struct pc_missed_row *row = &truth->row[i];
        list[i] = (struct asked){
            .page = row->va & ~(p->page_size - 1),
            .home = (uint32_t)pages_home_of(truth, row),
            .station = (uint32_t)pages_station_of(truth, row),
            .card = truth->copy[row->copy].card,
            .object = pages_object_of(p, &names, finder, truth, row),
            .requests = doc_truth_requests(row),
            .time = doc_truth_time(row),
        };
    }
    HASH_ITER(hh, names, known, next) {
        HASH_DEL(names, known);
        free(known->name);
        free(known);
    }
    return list;
}

static int by_remote(const void *x, const void *y)
{
    const struct look_paged_object *a = x, *b = y;
    const int remote =
        order_signed(pages_less(b->requests, b->local), pages_less(a->requests, a->local));
    const int all = order_signed(b->requests, a->requests);
    return remote ? remote : all ? all : strcmp(a->name, b->name);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static int by_part(const void *x, const void *y)
{
    const struct asked *a = x, *b = y;
    const int page = pages_order(a->page, b->page), home = pages_order(a->home, b->home);
    return page ? page : home ? home : pages_order(a->station, b->station);
}

static int by_object(const void *x, const void *y)
{
    const struct asked *a = x, *b = y;
    const int page = pages_order(a->page, b->page);
    return page ? page : pages_order(a->object, b->object);
}

/* @param list  by by_part */
static void find_parts(struct look_pages *p, const struct asked *list, size_t count)
{
    p->part = sim_alloc(count + 1, sizeof *p->part);
    for (size_t i = 0; i < count; i++) {
        if (!i || by_part(&list[i - 1], &list[i]))
            p->part[p->parts++] = (struct look_page_part){
                .page = list[i].page, .home = list[i].home, .station = list[i].station};
        struct look_page_part *part = &p->part[p->parts - 1];
        part->requests = doc_plus(part->requests, list[i].requests);
        part->time = doc_plus(part->time, list[i].time);
    }
}

/* Its home, and which station asked most often: of equals the home, then the lowest. */
static void pages_weigh(struct look_page *page, const struct look_page_part *part,
                        uint32_t stations)
{
    int64_t *at = sim_alloc(stations, sizeof *at), *by = sim_alloc(stations, sizeof *by);
    for (size_t i = page->part; i < page->part + page->parts; i++) {
        at[part[i].home] = doc_plus(at[part[i].home], part[i].requests);
        by[part[i].station] = doc_plus(by[part[i].station], part[i].requests);
    }
    for (uint32_t i = 1; i < stations; i++)
        if (at[i] > at[page->home])
            page->home = i;
    page->best = page->home;
    for (uint32_t i = 0; i < stations; i++)
        if (by[i] > by[page->best])
            page->best = i;
    page->of_best = by[page->best];
    page->of_home = by[page->home];
    free(at);
    free(by);
}

static void find_pages(struct look_pages *p)
{
    p->page = sim_alloc(p->parts + 1, sizeof *p->page);
    for (size_t i = 0; i < p->parts; i++) {
        const struct look_page_part *part = &p->part[i];
        if (!i || part[-1].page != part->page)
            p->page[p->pages++] = (struct look_page){.va = part->page, .part = i};
        struct look_page *page = &p->page[p->pages - 1];
        page->parts++;
        page->requests = doc_plus(page->requests, part->requests);
        page->time = doc_plus(page->time, part->time);
        if (part->home == part->station)
            page->local = doc_plus(page->local, part->requests);
    }
    for (size_t i = 0; i < p->pages; i++) {
        pages_weigh(&p->page[i], p->part, p->stations);
        p->requests = doc_plus(p->requests, p->page[i].requests);
        p->local = doc_plus(p->local, p->page[i].local);
        p->time = doc_plus(p->time, p->page[i].time);
    }
}

/* ---- which of them get ranges ---------------------------------------------------------------- */

/* The lowest page is no program's, and an end must be an address. */
static bool can_be_named(const struct look_pages *p, const struct look_page *page)
{
    return page->va && page->va + p->page_size > page->va;
}

/* Of a page that all stations use none is much better than another, and which is best is chance. */
static bool should_move(const struct look_page *page)
{
    const int64_t gain = pages_less(page->of_best, page->local);
    return gain > 0 && gain >= page->requests / PART;
}

/* [requests] that a page keeps by a range. Without one it takes a turn, and has by chance what its
 * stations ask for on average. */
static int64_t pages_kept(const struct look_pages *p, const struct look_page *page)
{
    const int64_t kept = pages_less(page->of_home, page->requests / p->stations);
    return p->pins && kept >= page->requests / KEPT ? kept : 0;
}

/* [requests] that a range makes local, or keeps so. */
static int64_t pages_worth(const struct look_pages *p, const struct look_page *page)
{
    if (!can_be_named(p, page))
        return 0;
    return should_move(page) ? pages_less(page->of_best, page->local) : pages_kept(p, page);
}

struct weighed {
    int64_t worth;
    struct look_page *page;
};

static int by_worth(const void *x, const void *y)
{
    const struct weighed *a = x, *b = y;
    const int worth = order_signed(a->worth, b->worth);
    return worth ? worth : pages_order(a->page->va, b->page->va);
}

/* All that are worth something, but for those that are worth least: a hundredth in all. */
static void pages_choose(struct look_pages *p)
{
    struct weighed *list = sim_alloc(p->pages + 1, sizeof *list);
    const int64_t small = p->requests / SMALL;
    int64_t gain = 0, left = 0;
    for (size_t i = 0; i < p->pages; i++) {
        list[i] = (struct weighed){pages_worth(p, &p->page[i]), &p->page[i]};
        if (should_move(&p->page[i]))
            gain = doc_plus(gain, list[i].worth);
    }
    pages_sort(list, p->pages, sizeof *list, by_worth);
    for (size_t i = 0; gain > small && i < p->pages; i++) {
        if (list[i].worth <= 0 || (left = doc_plus(left, list[i].worth)) <= small)
            continue;
        list[i].page->fate = should_move(list[i].page) ? LOOK_PAGE_moves : LOOK_PAGE_stays;
    }
    free(list);
}

/* Where a page that is in a range has its home. */
static uint32_t pages_station(const struct look_page *page)
{
    return page->fate == LOOK_PAGE_moves ? page->best : page->home;
}

/* How much more is local of each card's requests. @param list  by by_object
 * @return [cards] the caller's */
static int64_t *find_changes(const struct look_pages *p, const struct asked *list, size_t count,
                             uint32_t cards)
{
    int64_t *change = sim_alloc(cards, sizeof *change);
    const struct look_page *page = p->page;
    for (size_t i = 0; i < count; i++) {
        page += i && list[i].page != list[i - 1].page;
        if (page->fate == LOOK_PAGE_left)
            continue;
        if (pages_station(page) == list[i].station)
            change[list[i].card] = doc_plus(change[list[i].card], list[i].requests);
        if (list[i].home == list[i].station)
            change[list[i].card] = pages_less(change[list[i].card], list[i].requests);
    }
    return change;
}

/* No ranges at all if a card would lose more than any gains. */
static void weigh_cards(struct look_pages *p, const struct asked *list, size_t count,
                        uint32_t cards)
{
    int64_t *change = find_changes(p, list, count, cards);
    for (uint32_t i = 0; i < cards; i++) {
        if (change[i] > p->gains.requests)
            p->gains = (struct look_page_change){i, change[i]};
        if (change[i] < p->loses.requests)
            p->loses = (struct look_page_change){i, change[i]};
    }
    p->hurts = doc_plus(p->gains.requests, p->loses.requests) < 0;
    for (size_t i = 0; p->hurts && i < p->pages; i++)
        p->page[i].fate = LOOK_PAGE_left;
    free(change);
}

static void find_ranges(struct look_pages *p)
{
    p->range = sim_alloc(p->pages + 1, sizeof *p->range);
    for (size_t i = 0; i < p->pages; i++) {
        const struct look_page *page = &p->page[i];
        struct nm_range *last = p->ranges ? &p->range[p->ranges - 1] : NULL;
        if (page->fate == LOOK_PAGE_left)
            continue;
        if (last && last->to == page->va && last->station == pages_station(page))
            last->to += p->page_size;
        else
            p->range[p->ranges++] =
                (struct nm_range){page->va, page->va + p->page_size, pages_station(page)};
    }
}

/* ---- objects, when pages are known ----------------------------------------------------------- */

static void pages_add_asked(struct look_pages *p, const struct look_page *page,
                            const struct asked *asked)
{
    struct look_paged_object *o = &p->object[asked->object];
    const uint32_t station = page->fate == LOOK_PAGE_left ? asked->home : pages_station(page);
    o->requests = doc_plus(o->requests, asked->requests);
    o->time = doc_plus(o->time, asked->time);
    if (asked->home == asked->station)
        o->local = doc_plus(o->local, asked->requests);
    if (station != asked->station)
        return;
    o->placed = doc_plus(o->placed, asked->requests);
    p->placed = doc_plus(p->placed, asked->requests);
}

/* Each page's main object. @param list  by by_object; objects are not sorted yet */
static void sum_objects(struct look_pages *p, const struct asked *list, size_t count)
{
    struct look_page *page = p->page;
    int64_t most = INT64_MIN, of_object = 0;
    for (size_t i = 0; i < count; i++) {
        const bool anew = i && list[i].page != list[i - 1].page;
        page += anew;
        most = anew ? INT64_MIN : most;
        if (!i || by_object(&list[i - 1], &list[i])) {
            p->object[list[i].object].pages++;
            of_object = 0;
        }
        of_object = doc_plus(of_object, list[i].requests);
        if (of_object > most) {
            most = of_object;
            page->object = list[i].object;
        }
        pages_add_asked(p, page, &list[i]);
    }
}

static void sort_objects(struct look_pages *p)
{
    size_t *now = sim_alloc(p->objects, sizeof *now);
    for (size_t i = 0; i < p->objects; i++)
        p->object[i].found = i;
    pages_sort(p->object, p->objects, sizeof *p->object, by_remote);
    for (size_t i = 0; i < p->objects; i++)
        now[p->object[i].found] = i;
    for (size_t i = 0; i < p->pages; i++)
        p->page[i].object = now[p->page[i].object];
    free(now);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const char *rule_of(const struct nm_params *params)
{
    static const char *const rules[] = {[NM_PLACE_ROUND_ROBIN] = "round_robin",
                                        [NM_PLACE_FIRST_TOUCH] = "first_touch",
                                        [NM_PLACE_LOCAL] = "local"};
    return rules[params->placement];
}

struct look_pages *look_pages_new(const struct doc_truth *truth, const struct in_experiment *x,
                                  struct look_finder *finder, const struct look_code *code,
                                  char *why, size_t size)
{
    const struct nm_params *params = x->machine.params;
    if (!is_of_machine(truth, params)) {
        snprintf(why, size, "the truth of misses is not of the machine in config.resolved.yaml");
        return NULL;
    }
    struct look_pages *p = sim_alloc(1, sizeof *p);
    *p = (struct look_pages){.code = code,
                             .page_size = params->page_size,
                             .stations = (uint32_t)nm_params_stations(params),
                             .rule = rule_of(params),
                             .pins = params->placement == NM_PLACE_ROUND_ROBIN || x->range_count};
    struct asked *asked = pages_find_asked(p, truth, finder);
    pages_sort(asked, truth->rows, sizeof *asked, by_part);
    find_parts(p, asked, truth->rows);
    find_pages(p);
    pages_choose(p);
    pages_sort(asked, truth->rows, sizeof *asked, by_object);
    weigh_cards(p, asked, truth->rows, (uint32_t)nm_params_cards(params));
    find_ranges(p);
    sum_objects(p, asked, truth->rows);
    sort_objects(p);
    free(asked);
    return p;
}

void look_pages_free(struct look_pages *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->objects; i++)
        free(p->object[i].name);
    free(p->object);
    free(p->part);
    free(p->page);
    free(p->range);
    free(p);
}

/* ---- what should move ------------------------------------------------------------------------ */

static int by_gain(const void *x, const void *y)
{
    const struct look_page *a = *(const struct look_page *const *)x,
                           *b = *(const struct look_page *const *)y;
    const int64_t gain = doc_plus(a->of_best, b->local), other = doc_plus(b->of_best, a->local);
    return gain != other ? (gain < other) - (gain > other) : (a->va > b->va) - (a->va < b->va);
}

const struct look_page **look_pages_moving(const struct look_pages *p, size_t *count)
{
    const struct look_page **list = sim_alloc(p->pages + 1, sizeof *list);
    *count = 0;
    for (size_t i = 0; i < p->pages; i++)
        if (p->page[i].fate == LOOK_PAGE_moves)
            list[(*count)++] = &p->page[i];
    if (*count)
        qsort(list, *count, sizeof *list, by_gain);
    return list;
}
