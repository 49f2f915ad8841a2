/*
 * Where everything lies: regions of phases, one behind the other in virtual addresses, each from
 * the beginning of a page, so that each page can have a home of its own.
 *
 * Pages get their memory before the first cycle: what is measured are references, not an operating
 * system that hands out pages.
 */
#include "programs/patterns/parts.h"

#include "base/alloc.h"

#include <inttypes.h>

enum {
    VA = 0x10000000, /**< of the first byte */
    ALL = -1,        /**< a station: as the machine's rule says */
};

static uint64_t round_up(uint64_t x, uint64_t to)
{
    return (x + to - 1) / to * to;
}

static uint64_t layout_value_of(const struct patterns_plan *plan, enum patterns_key key)
{
    return plan->phase->value[key];
}

static bool is_remote(const struct patterns_plan *plan)
{
    return plan->places;
}

/* ---- who is where ---------------------------------------------------------------------------- */

/** The first thread of a region. */
static unsigned layout_first_of(const struct patterns_plan *plan, unsigned region)
{
    const unsigned distance = (unsigned)layout_value_of(plan, PATTERNS_distance);

    return distance ? region / distance * 2 * distance + region % distance : region * plan->group;
}

bool patterns_seat(const struct patterns_run *p, const struct patterns_plan *plan,
                   struct patterns_member *m)
{
    const unsigned distance = (unsigned)layout_value_of(plan, PATTERNS_distance), t = m->thread;

    if (distance) {
        m->region = t / (2 * distance) * distance + t % distance;
        m->rank = t / distance % 2;
        m->of = 2;
        return layout_first_of(plan, m->region) + distance < p->team.threads;
    }
    m->region = t / plan->group;
    m->rank = t % plan->group;
    m->of = p->team.threads - m->region * plan->group;
    m->of = m->of < plan->group ? m->of : plan->group;
    return true;
}

static unsigned layout_regions_of(const struct patterns_run *p, const struct patterns_plan *plan)
{
    const unsigned distance = (unsigned)layout_value_of(plan, PATTERNS_distance),
                   n = p->team.threads;

    return distance ? (n + 2 * distance - 1) / (2 * distance) * distance
                    : (n + plan->group - 1) / plan->group;
}

/* ---- homes ----------------------------------------------------------------------------------- */

static unsigned layout_reversed(unsigned x, unsigned stations)
{
    unsigned y = 0;

    for (unsigned bit = 1; bit < stations; bit <<= 1, x >>= 1)
        y = y << 1 | (x & 1);
    return y;
}

/** The i-th station that references from a station go to. */
static unsigned layout_destination(const struct patterns_run *p, const struct patterns_plan *plan,
                                   unsigned from, unsigned i)
{
    const unsigned stations = (unsigned)nm_params_stations(p->team.run->par),
                   on_ring = (unsigned)nm_value_ring_stations(p->team.run->par);

    switch (plan->phase->kind) {
    case PATTERNS_KIND_bit_reverse:
        return layout_reversed(from, stations);
    case PATTERNS_KIND_transpose:
        return from % on_ring * on_ring + from / on_ring;
    case PATTERNS_KIND_neighbour:
        return (from + (i ? stations - 1 : 1)) % stations;
    default:
        return (from + 1 + i) % stations;
    }
}

static unsigned places_of(const struct patterns_run *p, enum patterns_kind kind)
{
    const unsigned stations = (unsigned)nm_params_stations(p->team.run->par);

    switch (kind) {
    case PATTERNS_KIND_bit_reverse:
    case PATTERNS_KIND_transpose:
        return 1;
    case PATTERNS_KIND_neighbour:
        return stations > 2 ? 2 : 1;
    case PATTERNS_KIND_all_to_all:
        return stations - 1;
    default:
        return 0;
    }
}

/** Home of a page of a region. @param page  its number in the region */
static int layout_home_of(const struct patterns_run *p, const struct patterns_plan *plan,
                          unsigned region, uint64_t page)
{
    const struct nm_params *par = p->team.run->par;
    const uint64_t stations = nm_params_stations(par);
    const unsigned own = layout_first_of(plan, region) / (unsigned)nm_value_processors(par);

    if (is_remote(plan))
        return (int)layout_destination(p, plan, own,
                                       (unsigned)(page * nm_value_page_size(par) / plan->part));
    switch (layout_value_of(plan, PATTERNS_placement)) {
    case PATTERNS_LOCAL:
        return (int)own;
    case PATTERNS_PARTNER:
        return (int)((own + stations / 2) % stations);
    case PATTERNS_INTERLEAVE:
        return (int)((region * (plan->pitch / nm_value_page_size(par)) + page) % stations);
    case PATTERNS_STATION:
        return (int)layout_value_of(plan, PATTERNS_station);
    default:
        return ALL;
    }
}

/* ---- regions --------------------------------------------------------------------------------- */

/** [bytes] of a region without the words in front; sets how many things there are to choose from.
 */
static uint64_t data_of(struct patterns_plan *plan, const struct nm_params *par)
{
    const uint64_t size = layout_value_of(plan, PATTERNS_size),
                   stride = layout_value_of(plan, PATTERNS_stride),
                   bytes = round_up(layout_value_of(plan, PATTERNS_footprint), plan->line);

    plan->count = bytes / (size ? size : 1);
    if (is_remote(plan)) {
        plan->part = round_up((bytes + plan->places - 1) / plan->places, nm_value_page_size(par));
        plan->count = (bytes / plan->line + plan->places - 1) / plan->places;
        return plan->part * plan->places;
    }
    switch (plan->phase->kind) {
    case PATTERNS_KIND_stride:
        plan->count = layout_value_of(plan, PATTERNS_wrap)
                          ? (bytes + stride - 1) / stride
                          : layout_value_of(plan, PATTERNS_references);
        return plan->count * stride;
    case PATTERNS_KIND_zipf:
    case PATTERNS_KIND_migratory:
        plan->count = bytes / plan->line;
        return bytes;
    case PATTERNS_KIND_false_shared:
        plan->apart = layout_value_of(plan, PATTERNS_padded) ? plan->line : size;
        plan->row = round_up(plan->group * plan->apart, plan->line);
        plan->count = bytes > plan->row ? bytes / plan->row : 1;
        return plan->count * plan->row;
    default:
        return bytes;
    }
}

static void plan_draws(const struct patterns_run *p, struct patterns_plan *plan)
{
    const uint64_t rate = layout_value_of(plan, PATTERNS_rate),
                   mean = plan->open ? PATTERNS_ONE * 1000 * PATTERNS_ONE / rate
                                     : layout_value_of(plan, PATTERNS_think) * PATTERNS_ONE;

    plan->stores = (layout_value_of(plan, PATTERNS_stores) << 32) / PATTERNS_ONE;
    if (layout_value_of(plan, PATTERNS_spacing) == PATTERNS_DRAWN)
        patterns_geometric_make(&plan->spaces, &p->logs, mean);
    if (plan->phase->kind == PATTERNS_KIND_zipf)
        plan->zipf =
            patterns_zipf_make((uint32_t)plan->count, layout_value_of(plan, PATTERNS_skew));
    plan->draws = plan->spaces.decay || plan->stores || plan->zipf ||
                  plan->phase->kind == PATTERNS_KIND_private ||
                  plan->phase->kind == PATTERNS_KIND_uniform ||
                  plan->phase->kind == PATTERNS_KIND_read_mostly;
}

/** Plans a phase whose regions begin at `base`. @return false: they are larger than all memory */
static bool plan_phase(struct patterns_run *p, struct patterns_plan *plan, uint64_t base)
{
    const struct nm_params *par = p->team.run->par;
    const enum patterns_kind kind = plan->phase->kind;
    const uint64_t sharing = layout_value_of(plan, PATTERNS_sharing), line = p->line,
                   memory = nm_params_stations(par) * nm_value_memory_size(par);

    plan->address = patterns_address(kind);
    plan->places = places_of(p, kind);
    plan->group = !patterns_takes(kind, PATTERNS_sharing) ? 1
                  : sharing && sharing < p->team.threads  ? (unsigned)sharing
                                                          : p->team.threads;
    plan->line = line;
    plan->base = base;
    plan->front = plan->address ? 0 : 2 * line;
    plan->open = layout_value_of(plan, PATTERNS_rate) != PATTERNS_ABSENT;
    while (UINT64_C(1) << plan->shift < layout_value_of(plan, PATTERNS_size))
        plan->shift++;
    plan->regions = layout_regions_of(p, plan);
    plan->pitch = round_up(plan->front + data_of(plan, par), nm_value_page_size(par));
    return plan->pitch <= memory && plan->regions * plan->pitch <= memory;
}

/** Gives the pages of a phase their memory. */
static bool give_pages(struct patterns_run *p, const struct patterns_plan *plan)
{
    const uint64_t page = nm_value_page_size(p->team.run->par);

    for (unsigned r = 0; r < plan->regions; r++)
        for (uint64_t at = 0; at < plan->pitch; at += page) {
            const unsigned thread = layout_first_of(plan, r);
            if (!driven_team_page(&p->team, thread < p->team.threads ? thread : 0,
                                  plan->base + r * plan->pitch + at,
                                  layout_home_of(p, plan, r, at / page)))
                return false;
        }
    return true;
}

static bool layout_check(struct patterns_run *p, const struct patterns_phase *phase)
{
    char why[200];

    if (patterns_fits(phase, p->team.run->par, p->team.threads, why, sizeof why))
        return true;
    prog_finish(p->team.run, PROG_UNLOADABLE, 0, "phase '%s' (%s): %s", phase->name,
                patterns_row(phase->kind)->name, why);
    return false;
}

bool patterns_lay_out(struct patterns_run *p)
{
    const struct nm_params *par = p->team.run->par;
    uint64_t next = VA;

    p->line = nm_value_l2_line(par);
    p->joins = next;
    next += round_up(2 * p->line * (p->work->phases + 1), nm_value_page_size(par));
    for (uint64_t at = p->joins; at < next; at += nm_value_page_size(par))
        if (!driven_team_page(&p->team, 0, at, ALL))
            return false;
    for (size_t i = 0; i < p->work->phases; i++) {
        struct patterns_plan *plan = &p->plan[i];
        plan->phase = &p->work->phase[i];
        if (!layout_check(p, plan->phase))
            return false;
        if (!plan_phase(p, plan, next)) {
            prog_finish(p->team.run, PROG_NOMEM, 0,
                        "phase '%s': its %u regions of %" PRIu64
                        " bytes each are more than the machine's memory",
                        plan->phase->name, plan->regions, plan->pitch);
            return false;
        }
        if (!give_pages(p, plan))
            return false;
        plan_draws(p, plan);
        next += plan->regions * plan->pitch;
    }
    return true;
}
