/*
 * Loads and stores: the address queue, the primary caches and the miss handling table.
 *
 * The address queue is in program order. An address is calculated once its registers are there; the
 * access then tries until it succeeds. Loads read when they can, whatever older loads do; a load
 * waits for an older store to bytes of its own, and for one whose address is not known. Stores find
 * their line early and write when they are the oldest.
 *
 * What makes this strongly ordered is `loses`: when another card takes a line, a load that has read
 * of it and is not the oldest begins again when it would graduate, with all that is younger. So
 * does one that has read what the operating system writes without a line. One that was the oldest
 * when it read stays: everything before it had been done.
 *
 * Progress: when a line comes, the oldest instruction does there and then what it wanted of it
 * (procard/core.h). All others may lose it again.
 */
#include "base/alloc.h"
#include "machine/protocol.h"
#include "machine/values.h"
#include "procard/r10000/registers.h"

#include <stdlib.h>
#include <string.h>

enum { FULL_AGAIN = 4 };
#define NOWHERE (~UINT64_C(0))

/* ---- primary caches -------------------------------------------------------------------------- */

static void cache_new(struct r10k_cache *cache, uint64_t size, uint64_t line)
{
    const unsigned sets = (unsigned)(size / line / R10K_WAYS);
    cache->shift = (unsigned)__builtin_ctzll(line);
    cache->mask = sets - 1;
    cache->oldest = sim_alloc(sets, 1);
    for (unsigned w = 0; w < R10K_WAYS; w++) {
        cache->way[w] = sim_alloc(sets, sizeof *cache->way[w]);
        for (unsigned s = 0; s < sets; s++)
            cache->way[w][s].line = NOWHERE;
    }
}

void r10k_caches_new(struct r10k *c)
{
    cache_new(&c->cache[PC_SIDE_I], c->p->l1i_size, c->p->l1i_line);
    cache_new(&c->cache[PC_SIDE_D], c->p->l1d_size, c->p->l1d_line);
    memset(c->tlb, 0xff, sizeof c->tlb);
}

void r10k_caches_free(struct r10k *c)
{
    for (unsigned side = 0; side < PC_SIDES; side++) {
        for (unsigned w = 0; w < R10K_WAYS; w++)
            free(c->cache[side].way[w]);
        free(c->cache[side].oldest);
    }
}

static uint64_t memory_line_of(const struct r10k *c, enum pc_side side, uint64_t pa)
{
    return pa >> c->cache[side].shift << c->cache[side].shift;
}

static struct r10k_line *memory_find(struct r10k *c, enum pc_side side, uint64_t va, uint64_t pa)
{
    struct r10k_cache *cache = &c->cache[side];
    const unsigned set = (unsigned)(va >> cache->shift) & cache->mask;
    const uint64_t line = memory_line_of(c, side, pa);
    for (unsigned w = 0; w < R10K_WAYS; w++)
        if (cache->way[w][set].line == line) {
            cache->oldest[set] = (uint8_t)!w;
            return &cache->way[w][set];
        }
    return NULL;
}

/* Quadwords that go down occupy the secondary cache. */
static void write_back(struct r10k *c, const struct r10k_line *l, sim_tick now)
{
    const unsigned quadwords = (1u << c->cache[PC_SIDE_D].shift) / R10K_QUADWORD;
    if (!l->dirty)
        return;
    c->l1_writebacks++;
    r10k_signal_outside(c, R10K_SIGNAL_L1D_WRITEBACKS, quadwords);
    c->l2_free =
        (c->l2_free > now ? c->l2_free : now) + (quadwords * c->p->r10000_l2_clock + 1) / 2;
}

static void memory_drop(struct r10k_line *l)
{
    *l = (struct r10k_line){.line = NOWHERE};
}

/* A line may be in the primary cache under another virtual index: hardware takes it from there. */
static void drop_aliases(struct r10k *c, enum pc_side side, unsigned set, uint64_t line,
                         sim_tick now)
{
    struct r10k_cache *cache = &c->cache[side];
    const unsigned colours = (unsigned)(c->p->page_size >> cache->shift);
    for (unsigned s = set % colours; s <= cache->mask; s += colours)
        for (unsigned w = 0; w < R10K_WAYS; w++)
            if (s != set && cache->way[w][s].line == line) {
                r10k_signal(c, R10K_SIGNAL_VIRTUAL_COHERENCY, 1);
                write_back(c, &cache->way[w][s], now);
                memory_drop(&cache->way[w][s]);
            }
}

static void memory_fill(struct r10k *c, const struct r10k_miss *m, sim_tick now)
{
    struct r10k_cache *cache = &c->cache[m->side];
    const unsigned set = (unsigned)(m->va >> cache->shift) & cache->mask;
    struct r10k_line *l = memory_find(c, m->side, m->va, m->line);
    if (!l) {
        const unsigned way = cache->way[0][set].line == NOWHERE   ? 0
                             : cache->way[1][set].line == NOWHERE ? 1
                                                                  : cache->oldest[set];
        drop_aliases(c, m->side, set, m->line, now);
        l = &cache->way[way][set];
        write_back(c, l, now);
        cache->oldest[set] = (uint8_t)!way;
        *l = (struct r10k_line){.line = m->line};
    }
    l->state = m->look.state;
    l->dirty |= m->written;
}

/* ---- the TLB: 64 pairs of pages, replaced in turn (assumed; the manual's is software's choice) -
 */

static uint64_t pair_of(const struct r10k *c, uint64_t va)
{
    return va / c->p->page_size / 2;
}

bool r10k_tlb_has(struct r10k *c, uint64_t va)
{
    const uint64_t pair = pair_of(c, va);
    uint8_t *found = &c->tlb_found[pair % R10K_TLB];
    if (!c->p->tlb_refill || c->tlb[*found] == pair)
        return true;
    for (unsigned i = 0; i < R10K_TLB; i++)
        if (c->tlb[i] == pair) {
            *found = (uint8_t)i;
            return true;
        }
    return false;
}

bool r10k_tlb_refill(struct r10k *c, uint64_t va, sim_tick now)
{
    if (c->count || c->buffered)
        return false;
    c->tlb[c->tlb_next] = pair_of(c, va);
    c->tlb_next = (c->tlb_next + 1) % R10K_TLB;
    r10k_signal(c, R10K_SIGNAL_TLB_REFILLS, 1);
    c->tlb_refills++;
    r10k_profile_counts(c, c->r.pc, PC_PROFILE_TLB_MISSES);
    c->exception_until = now + c->p->tlb_refill;
    c->fetch_at = c->exception_until;
    c->idle = PC_ST_STALL_OTHER;
    c->worked = true;
    return true;
}

/* ---- the miss handling table ----------------------------------------------------------------- */

static struct r10k_miss *miss_of(struct r10k *c, enum pc_side side, uint64_t line)
{
    for (unsigned left = c->taken; left; left &= left - 1) {
        struct r10k_miss *m = &c->miss[__builtin_ctz(left)];
        if (m->line == line && m->side == side)
            return m;
    }
    return NULL;
}

static struct r10k_miss *free_miss(struct r10k *c)
{
    const unsigned first = (unsigned)__builtin_ctz(~c->taken);
    return first < c->p->r10000_misses ? &c->miss[first] : NULL;
}

enum wish { WISH_READ, WISH_OWN, WISH_LINK, WISH_CONDITION };

static void count_miss(struct r10k *c, const struct r10k_miss *m, bool refill)
{
    c->l1_misses[m->side] += refill;
    if (refill)
        r10k_profile_counts(c, m->pc,
                            m->side == PC_SIDE_I ? PC_PROFILE_L1I_MISSES : PC_PROFILE_L1D_MISSES);
    if (m->side == PC_SIDE_I) {
        r10k_signal(c, R10K_SIGNAL_L1I_MISSES, 1);
        return;
    }
    r10k_signal(c, R10K_SIGNAL_L1D_MISSES, 1);
    if (refill)
        r10k_signal(c, R10K_SIGNAL_L1D_REFILLS, 1);
    if (m->prefetch)
        r10k_signal(c, R10K_SIGNAL_PREFETCH_MISSES, 1);
}

/* What an entry of the address queue wants. */
static struct r10k_miss wanted_by(const struct r10k *c, const struct r10k_entry *e, enum wish wish)
{
    return (struct r10k_miss){.phase = R10K_MISS_LOOK,
                              .side = PC_SIDE_D,
                              .owns = wish == WISH_OWN || wish == WISH_CONDITION,
                              .linked = wish == WISH_LINK,
                              .condition = wish == WISH_CONDITION,
                              .prefetch = e->w->traits & R10K_PREFETCH,
                              .line = memory_line_of(c, PC_SIDE_D, e->look.pa),
                              .va = e->va,
                              .pc = e->pc,
                              .look = e->look};
}

/* Younger misses have taken so many places since the oldest found the table full that the next is
 * its own: else those that put out each other's lines could hand all places to each other for ever.
 */
static bool is_kept(const struct r10k *c, const struct r10k_entry *e)
{
    const struct r10k_entry *oldest = &c->entry[c->head];
    return c->count && oldest != e && oldest->passed_over > R10K_MISSES;
}

/* The oldest has been turned away, and another has its turn. */
static void passes_over(struct r10k *c, const struct r10k_entry *e)
{
    struct r10k_entry *oldest = &c->entry[c->head];
    if (c->count && oldest != e && oldest->passed_over)
        oldest->passed_over++;
}

/* A line is wanted. @param e  by this entry; NULL: by fetch @return whether a miss has a place */
static bool memory_want(struct r10k *c, const struct r10k_miss *wanted, const struct r10k_entry *e,
                        sim_tick now)
{
    if (miss_of(c, wanted->side, wanted->line))
        return true;
    struct r10k_miss *m = is_kept(c, e) ? NULL : free_miss(c);
    if (!m)
        return false;
    passes_over(c, e);
    *m = *wanted;
    c->taken |= 1u << (m - c->miss);
    c->misses_at = 0;
    m->at = now + 1;
    c->entered |= m->side == PC_SIDE_D;
    count_miss(c, m, !memory_find(c, m->side, m->va, m->look.pa));
    c->worked = true;
    return true;
}

/* The same, by an entry; that the oldest has had no place is noted. */
static bool entry_wants(struct r10k *c, struct r10k_entry *e, enum wish wish, sim_tick now)
{
    const struct r10k_miss wanted = wanted_by(c, e, wish);
    const bool has = memory_want(c, &wanted, e, now);
    if (has)
        e->passed_over = 0;
    else if (!e->passed_over && r10k_is_oldest(c, e))
        e->passed_over = 1;
    return has;
}

static enum nm_access memory_access_of(const struct r10k_miss *m)
{
    return m->side == PC_SIDE_I ? NM_FETCH
           : m->condition       ? NM_CONDITIONAL
           : m->owns            ? NM_STORE
           : m->linked          ? NM_LINKED
                                : NM_LOAD;
}

/* A shared copy is not enough: it stores, or links exclusively. */
static bool wants_more(const struct r10k_miss *m)
{
    return m->owns || m->linked;
}

static bool memory_exclusive(uint8_t state)
{
    return state == NM_LINE_E || state == NM_LINE_D;
}

/* [PCycles] a line's quadwords take on the way up. */
static sim_tick memory_passes(const struct r10k *c, enum pc_side side)
{
    const unsigned quadwords = (1u << c->cache[side].shift) / R10K_QUADWORD;
    return (quadwords * c->p->r10000_l2_clock + 1) / 2;
}

/* It is in the secondary cache as it is wanted. */
static void comes_up(struct r10k *c, struct r10k_miss *m, sim_tick now)
{
    const sim_tick again = m->look.predicted ? 0 : c->p->r10000_l2_way_penalty;
    if (!m->look.predicted)
        r10k_signal(c, m->side == PC_SIDE_I ? R10K_SIGNAL_WAY_MISSES_I : R10K_SIGNAL_WAY_MISSES_D,
                    1);
    if (m->owns && m->look.state != NM_LINE_D) {
        r10k_signal(c, R10K_SIGNAL_STORES_TO_CLEAN, 1);
        r10k_signal(c, R10K_SIGNAL_STORES_TO_EITHER, 1);
        pc_own(&c->base, &m->look);
        m->look.state = NM_LINE_D;
    }
    m->phase = R10K_MISS_FILL;
    c->worked = true;
    m->at = now + again + c->p->r10000_l2_latency;
    c->l2_free = now + again + memory_passes(c, m->side);
}

/* The oldest was refused, so all others are: else two younger misses could hand the place that all
 * of them want to each other for ever. */
static bool oldest_was_refused(struct r10k *c, const struct r10k_miss *m)
{
    const struct r10k_entry *e = &c->entry[c->head];
    if (!c->count || e->access != R10K_ACCESS_MISSED)
        return false;
    const struct r10k_miss *oldest =
        miss_of(c, PC_SIDE_D, memory_line_of(c, PC_SIDE_D, e->look.pa));
    return oldest && oldest != m && oldest->refused;
}

static void memory_ask(struct r10k *c, struct r10k_miss *m, sim_tick now)
{
    enum { WORD = 4 };
    const bool shared = wants_more(m) && m->look.state == NM_LINE_S;
    r10k_profile_at(c, m->pc);
    m->refused = oldest_was_refused(c, m) ||
                 pc_ask(&c->base, &m->look, memory_access_of(m), now) != PC_ASKED;
    if (m->refused) {
        m->at = now + FULL_AGAIN;
        c->refused = true;
        return;
    }
    c->worked = true;
    pc_asked_for(&c->base, &m->look, m->va, shared ? 0 : WORD, now);
    c->asked = true;
    m->phase = R10K_MISS_MEMORY;
    m->fetched = !shared;
    c->l2_free = now + memory_passes(c, m->side);
    if (shared) {
        r10k_signal(c, R10K_SIGNAL_STORES_TO_SHARED, 1);
        r10k_signal(c, R10K_SIGNAL_STORES_TO_EITHER, 2);
    } else if (!m->requested) { /* one that has been refused is the same miss */
        r10k_signal(c, m->side == PC_SIDE_I ? R10K_SIGNAL_L2I_REQUESTS : R10K_SIGNAL_L2D_REQUESTS,
                    1);
        m->requested = true;
    }
}

static void look_up(struct r10k *c, struct r10k_miss *m, sim_tick now)
{
    if (c->l2_free > now) {
        m->at = c->l2_free;
        return;
    }
    pc_look_up(&c->base, m->side, &m->look);
    const uint8_t state = m->look.state;
    if (state != NM_LINE_I && (!wants_more(m) || memory_exclusive(state)))
        comes_up(c, m, now);
    else
        memory_ask(c, m, now);
}

/* Whoever waits for the line tries again. */
static void memory_wake(struct r10k *c, const struct r10k_miss *m, sim_tick now)
{
    if (m->side == PC_SIDE_I)
        return;
    for (uint64_t left = c->queued; left; left &= left - 1) {
        struct r10k_entry *e = &c->entry[__builtin_ctzll(left)];
        if (e->access == R10K_ACCESS_MISSED &&
            memory_line_of(c, PC_SIDE_D, e->look.pa) == m->line) {
            e->access = R10K_ACCESS_READY;
            e->again = now;
            c->trying |= r10k_bit(c, e);
        }
    }
}

static void miss_ends(struct r10k *c, struct r10k_miss *m)
{
    m->phase = R10K_MISS_NONE;
    c->taken &= ~(1u << (m - c->miss));
}

static bool memory_arrives(struct r10k *c, struct r10k_miss *m, sim_tick now)
{
    c->worked = true;
    if (m->fetched)
        r10k_signal(c, m->side == PC_SIDE_I ? R10K_SIGNAL_L2I_MISSES : R10K_SIGNAL_L2D_MISSES, 1);
    if (!m->lost)
        memory_fill(c, m, now);
    else if (m->side == PC_SIDE_I) /* the oldest fetch goes on with what has come */
        c->line_once = m->line;
    memory_wake(c, m, now);
    miss_ends(c, m);
    return true;
}

void r10k_misses(struct r10k *c, sim_tick now)
{
    unsigned used = 0, memory = 0;
    bool came = false;
    c->misses_at = SIM_NEVER;
    for (unsigned i = 0; c->taken >> i; i++) {
        struct r10k_miss *m = &c->miss[i];
        if (!m->phase)
            continue;
        used++;
        if (m->phase == R10K_MISS_LOOK && m->at <= now)
            look_up(c, m, now);
        else if (m->phase == R10K_MISS_FILL && m->at <= now && came)
            m->at =
                now + 1; /* one line at a time, of those that came while the thread was away, too */
        else if (m->phase == R10K_MISS_FILL && m->at <= now)
            came = memory_arrives(c, m, now);
        if (m->phase == R10K_MISS_MEMORY)
            memory++;
        else if (m->phase)
            c->misses_at = sim_earlier(c->misses_at, m->at);
        else
            c->misses_at = now + 1; /* to count those that are left */
    }
    r10k_wait_for(c, c->misses_at);
    c->used = used;
    c->in_memory = memory;
}

bool r10k_fetch_line(struct r10k *c, uint64_t va, const struct pc_look *look, sim_tick now)
{
    if (memory_find(c, PC_SIDE_I, va, look->pa))
        return true;
    if (c->line_once == memory_line_of(c, PC_SIDE_I, look->pa)) {
        c->line_once = NOWHERE;
        return true;
    }
    c->line_once = NOWHERE;
    for (unsigned i = 0; i < R10K_MISSES; i++)
        if (c->miss[i].phase && c->miss[i].side == PC_SIDE_I) {
            c->idle = c->miss[i].phase == R10K_MISS_MEMORY ? PC_ST_STALL_L2 : PC_ST_STALL_L1I;
            return false; /* one at a time */
        }
    c->idle = PC_ST_STALL_L1I;
    memory_want(c,
                &(struct r10k_miss){.phase = R10K_MISS_LOOK,
                                    .side = PC_SIDE_I,
                                    .line = memory_line_of(c, PC_SIDE_I, look->pa),
                                    .va = va,
                                    .pc = va,
                                    .look = *look},
                NULL, now);
    return false;
}

/* ---- what the card tells --------------------------------------------------------------------- */

static bool same_l2_line(const struct r10k *c, uint64_t a, uint64_t b)
{
    return (a ^ b) < c->p->l2_line && (a & ~(c->p->l2_line - 1)) == (b & ~(c->p->l2_line - 1));
}

static bool is_uncached(const struct r10k_entry *e)
{
    return e->look.page == NM_XLATE_UNCACHED;
}

/* It waits for a line; or it would, and younger misses have the whole table. */
static bool memory_awaits(struct r10k *c, const struct r10k_entry *e, uint64_t line)
{
    return e->w->traits & (R10K_LOAD | R10K_STORE) && same_l2_line(c, e->look.pa, line) &&
           (e->access == R10K_ACCESS_MISSED ||
            (e->access == R10K_ACCESS_READY && !is_uncached(e) && !free_miss(c)));
}

void r10k_answered(struct pc_cpu *base, enum pc_side side, uint64_t line, bool granted,
                   sim_tick now)
{
    struct r10k *c = r10k_of(base);
    r10k_disturb(c);
    c->misses_at = 0;
    for (unsigned i = 0; i < R10K_MISSES; i++) {
        struct r10k_miss *m = &c->miss[i];
        if (m->phase != R10K_MISS_MEMORY || m->side != side || !same_l2_line(c, m->line, line))
            continue;
        m->phase = R10K_MISS_LOOK;
        m->at = now + 1;
        if (!granted) {
            m->fetched = false;
            if (m->condition) { /* its link has gone */
                memory_wake(c, m, now);
                miss_ends(c, m);
            }
            continue;
        }
        pc_look_up(base, side, &m->look);
        if (m->owns && m->look.state == NM_LINE_E) {
            pc_own(base, &m->look);
            m->look.state = NM_LINE_D;
        }
        m->phase = R10K_MISS_FILL;
        m->at = now + c->p->r10000_fill;
    }
    if (!granted || side != PC_SIDE_D || !c->count || c->base.untimed)
        return;
    struct r10k_entry *e = &c->entry[c->head];
    if (memory_awaits(c, e, line))
        r10k_oldest_access(c, e, now, true);
}

/* What a primary line has that is newer goes down first. The index bits of the page are known, as
 * far as the cache has so many. */
static void drop_lines(struct r10k *c, enum pc_side side, uint64_t line, enum pc_loss loss,
                       sim_tick now)
{
    struct r10k_cache *cache = &c->cache[side];
    const uint64_t step = UINT64_C(1) << cache->shift;
    const unsigned colours = (unsigned)(c->p->page_size >> cache->shift);
    for (uint64_t part = line; part < line + c->p->l2_line; part += step)
        for (unsigned s = (unsigned)(part >> cache->shift) % colours & cache->mask;
             s <= cache->mask; s += colours)
            for (unsigned w = 0; w < R10K_WAYS; w++) {
                struct r10k_line *l = &cache->way[w][s];
                if (l->line != part)
                    continue;
                write_back(c, l, now);
                if (loss != PC_LOSS_SHARED)
                    memory_drop(l);
                else if (side == PC_SIDE_D)
                    *l = (struct r10k_line){.line = part, .state = NM_LINE_S};
            }
}

/* It has read, and something older had not been done then. */
static bool read_early(const struct r10k_entry *e)
{
    return e->w->traits & R10K_LOAD && e->access == R10K_ACCESS_DONE && !e->oldest;
}

/* Whether an upgrade is under way that becomes a read when its line is taken away: a store
 * conditional's does not, whose link goes with it. */
static bool memory_upgrades(const struct r10k_miss *m)
{
    return m->phase == R10K_MISS_MEMORY && !m->fetched && !m->condition;
}

void r10k_loses(struct pc_cpu *base, uint64_t line, enum pc_loss loss, sim_tick now)
{
    struct r10k *c = r10k_of(base);
    r10k_disturb(c);
    for (unsigned side = 0; side < PC_SIDES; side++)
        drop_lines(c, (enum pc_side)side, line, loss, now);
    for (unsigned i = 0; i < R10K_MISSES; i++) {
        struct r10k_miss *m = &c->miss[i];
        if (!m->phase || !same_l2_line(c, m->line, line))
            continue;
        if (memory_upgrades(m) && loss != PC_LOSS_SHARED) {
            m->fetched = true;
            r10k_signal_outside(c, R10K_SIGNAL_L2D_REQUESTS, !m->requested);
            m->requested = true;
        }
        if (m->phase != R10K_MISS_FILL)
            continue;
        m->lost |= loss != PC_LOSS_SHARED;
        m->written = false;
        m->look.state = NM_LINE_S;
    }
    if (loss == PC_LOSS_SHARED)
        return;
    if (same_l2_line(c, c->line_pa, line))
        c->line_va = NOWHERE;
    for (uint64_t left = c->queued; left; left &= left - 1) {
        struct r10k_entry *e = &c->entry[__builtin_ctzll(left)];
        if (read_early(e) && same_l2_line(c, e->look.pa, line))
            e->unsure = true;
    }
}

/* The operating system takes no lines: nobody loses any. */
void r10k_os_wrote(struct pc_cpu *base, uint64_t pa, uint64_t len)
{
    struct r10k *c = r10k_of(base);
    for (uint64_t left = c->queued; left; left &= left - 1) {
        struct r10k_entry *e = &c->entry[__builtin_ctzll(left)];
        const uint64_t first = e->look.pa & ~UINT64_C(7);
        if (read_early(e) && first < pa + len && pa < first + 8) {
            e->unsure = true;
            r10k_disturb(c);
        }
    }
}

void r10k_asked(struct pc_cpu *base, bool invalidate, uint8_t state, sim_tick now)
{
    struct r10k *c = r10k_of(base);
    const unsigned value = state == NM_LINE_S   ? 1
                           : state == NM_LINE_E ? 2
                           : state == NM_LINE_D ? 3
                                                : 0;
    c->external_until = now + c->p->agent_external;
    r10k_signal_outside(c, invalidate ? R10K_SIGNAL_INVALIDATES : R10K_SIGNAL_INTERVENTIONS, 1);
    if (!value)
        return;
    r10k_signal_outside(c, invalidate ? R10K_SIGNAL_INVALIDATE_HITS : R10K_SIGNAL_INTERVENTION_HITS,
                        1);
    r10k_signal_outside(
        c, invalidate ? R10K_SIGNAL_INVALIDATE_STATE : R10K_SIGNAL_INTERVENTION_STATE, value);
}

void r10k_leaves(struct pc_cpu *base, unsigned bytes, sim_tick now)
{
    (void)now;
    r10k_signal_outside(r10k_of(base), R10K_SIGNAL_L2_WRITEBACKS, bytes / R10K_QUADWORD);
}

/* ---- addresses ------------------------------------------------------------------------------- */

static void memory_refuse(struct r10k_entry *e, sim_tick now)
{
    e->exc = e->w->traits & R10K_STORE ? PC_EXC_ADES : PC_EXC_ADEL;
    e->done = now + 1;
}

/* A prefetch that would trap, or whose page no cache has: nothing comes of it. */
static void drop_prefetch(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    e->access = R10K_ACCESS_DONE;
    e->done = now + 1;
    c->trying &= ~r10k_bit(c, e);
}

/* Translated, at the end of address calculation. */
static void memory_translate(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const bool store = e->w->traits & R10K_STORE;
    if (e->w->size && e->va & (e->w->size - 1)) {
        e->look.page = NM_XLATE_OK;
        memory_refuse(e, now);
        return;
    }
    pc_find(&c->base, e->va, store ? NM_STORE : NM_LOAD, &e->look);
    const bool found = nm_xlate_found(e->look.page);
    if (e->look.page == NM_XLATE_NONCOHERENT && e->w->traits & (R10K_LINKED | R10K_CONDITIONAL))
        e->look.page = NM_XLATE_UNCACHED; /* a link to it is as little use: r10k_oldest_uncached */
    if (e->w->traits & R10K_PREFETCH) {
        if (!found || is_uncached(e) || !r10k_tlb_has(c, e->va))
            drop_prefetch(c, e, now);
    } else if (!found) {
        memory_refuse(e, now);
    } else if (!r10k_tlb_has(c, e->va)) {
        e->tlb = true;
        e->done = now + 1;
    }
}

static void count_issue(struct r10k *c, const struct r10k_entry *e)
{
    const uint32_t traits = e->w->traits;
    r10k_signal(c, R10K_SIGNAL_ISSUED, 1);
    if (!(traits & R10K_PREFETCH))
        r10k_signal(c, R10K_SIGNAL_ISSUED_AGAIN, 1);
    if (traits & R10K_STORE) {
        r10k_signal(c, R10K_SIGNAL_ISSUED_STORES, 1);
        if (traits & R10K_CONDITIONAL)
            r10k_signal(c, R10K_SIGNAL_ISSUED_SCS, 1);
        return;
    }
    r10k_signal(c, R10K_SIGNAL_ISSUED_LOADS, 1);
    if (!(traits & R10K_PREFETCH))
        r10k_signal(c, R10K_SIGNAL_ISSUED_LOADS_2, 1);
}

void r10k_calculate(struct r10k *c, sim_tick now)
{
    enum { CALCULATION = 2 };
    struct r10k_entry *e = r10k_entry(c, (unsigned)__builtin_ctzll(r10k_by_age(c, c->unknown)));
    if (!r10k_operands(c, e, now))
        return;
    c->unknown &= ~r10k_bit(c, e);
    c->worked = true;
    e->issued = true;
    r10k_step(c, e, PC_STEP_ISSUED, now);
    e->access = R10K_ACCESS_READY;
    c->trying |= r10k_bit(c, e);
    e->again = now + CALCULATION;
    r10k_wait_for(c, e->again);
    count_issue(c, e);
    if (e->w->traits & R10K_SYNC)
        return;
    r10k_gather(c, e);
    e->va = r10k_address(&c->scratch, &e->w->op);
    if (!c->r.addr64)
        e->va = (uint64_t)(int64_t)(int32_t)e->va;
    const uint64_t first = e->w->around ? e->va & ~(uint64_t)(e->w->around - 1) : e->va;
    e->bytes = (uint8_t)(((1u << e->w->around) - 1) << (first & 7));
    memory_translate(c, e, now);
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* An older store may write what the load reads. */
static bool must_wait(struct r10k *c, unsigned place, const struct r10k_entry *load)
{
    const uint64_t older = (UINT64_C(1) << place) - 1;
    for (uint64_t left = r10k_by_age(c, c->storing) & older; left; left &= left - 1) {
        const struct r10k_entry *e = r10k_entry(c, (unsigned)__builtin_ctzll(left));
        if (e->access == R10K_ACCESS_WRITTEN)
            continue;
        if (e->access == R10K_ACCESS_QUEUED ||
            ((e->look.pa ^ load->look.pa) < 8 &&
             (e->look.pa & ~UINT64_C(7)) == (load->look.pa & ~UINT64_C(7)) &&
             e->bytes & load->bytes))
            return true;
    }
    return false;
}

/* The load has its bytes. @param at  its result can be used by what issues then */
static void memory_reads(struct r10k *c, struct r10k_entry *e, const uint8_t *p, sim_tick at)
{
    r10k_gather(c, e);
    r10k_load(&c->scratch, &e->w->op, e->va, p);
    r10k_deliver(c, e, at, at);
    e->access = R10K_ACCESS_DONE;
    e->oldest = r10k_is_oldest(c, e);
    e->done = at + 1;
    c->worked = true;
}

static unsigned bank_of(const struct r10k *c, uint64_t va)
{
    return (unsigned)(va >> c->cache[PC_SIDE_D].shift) & 1;
}

/* Its tag could not be looked at, or nothing come of it: it is issued again. An R10000 of revision
 * 2 counts that. */
static void memory_again(struct r10k *c, struct r10k_entry *e, sim_tick at)
{
    e->again = at;
    r10k_wait_for(c, at);
    r10k_signal(c, R10K_SIGNAL_ISSUED_AGAIN, 1);
}

static void memory_misses(struct r10k *c, struct r10k_entry *e, enum wish wish, sim_tick now)
{
    if (c->entered) { /* the table takes one request in a cycle */
        memory_again(c, e, now + 1);
    } else if (entry_wants(c, e, wish, now)) {
        e->access = R10K_ACCESS_MISSED;
        c->worked = true;
    } else {
        memory_again(c, e, now + FULL_AGAIN);
    }
}

static void try_load(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const struct r10k_line *l = memory_find(c, PC_SIDE_D, e->va, e->look.pa);
    if (!l) {
        memory_misses(c, e, WISH_READ, now);
        return;
    }
    c->bank_busy[bank_of(c, e->va)] = now + 1;
    e->look.state = l->state;
    memory_reads(c, e, pc_read(&c->base, &e->look, e->w->size, now),
                 e->w->traits & R10K_FP_LOAD ? now + 1 : now);
}

/* It finds its line, or sends for it, long before it may write. */
static void try_store(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const struct r10k_line *l = memory_find(c, PC_SIDE_D, e->va, e->look.pa);
    if (l && l->state == NM_LINE_D) {
        e->access = R10K_ACCESS_DONE;
        c->worked = true;
    } else {
        memory_misses(c, e, WISH_OWN, now);
    }
}

static bool wants_to_write(const struct r10k_word *w)
{
    enum { STORE = 1, STORE_STREAMED = 5, STORE_RETAINED = 7 };
    const unsigned hint = w->op.code == MIPS_OP_PREF ? w->word >> 16 & 31 : w->word >> 11 & 31;
    return hint == STORE || hint == STORE_STREAMED || hint == STORE_RETAINED;
}

/* [tick] when a prefetch whose line is not here tries again to ask for it; 0: it is asked for */
static sim_tick asks_later(struct r10k *c, struct r10k_entry *e, bool owns, sim_tick now)
{
    if (c->entered)
        return now + 1;
    return entry_wants(c, e, owns ? WISH_OWN : WISH_READ, now) ? 0 : now + FULL_AGAIN;
}

/* It stays in its queue until the table has taken its request, as a load does; no revision counts
 * that it is issued again. */
static void memory_prefetch(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const struct r10k_line *l = memory_find(c, PC_SIDE_D, e->va, e->look.pa);
    const bool owns = wants_to_write(e->w);
    const bool here = l && (!owns || l->state == NM_LINE_D);
    const sim_tick later = here ? 0 : asks_later(c, e, owns, now);
    if (later) {
        e->again = later;
        r10k_wait_for(c, later);
        return;
    }
    e->access = R10K_ACCESS_DONE;
    e->done = now + 1;
    c->worked = true;
    r10k_signal(c, R10K_SIGNAL_PREFETCHES, 1);
}

void r10k_accesses(struct r10k *c, sim_tick now)
{
    bool loaded = false, tagged = false;
    for (uint64_t left = r10k_by_age(c, c->trying); left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        struct r10k_entry *e = r10k_entry(c, i);
        const uint32_t traits = e->w->traits;
        if (e->access != R10K_ACCESS_READY || e->exc || e->tlb || traits & R10K_ALONE ||
            is_uncached(e)) { /* a line that comes may have it try again: wake */
            c->trying &= ~r10k_bit(c, e);
            continue;
        }
        if (e->again > now) {
            r10k_wait_for(c, e->again);
            continue;
        }
        if (traits & R10K_STORE ? tagged : loaded) {
            r10k_wait_for(c, now + 1); /* one of each in a cycle */
        } else if (traits & R10K_PREFETCH) {
            loaded = true;
            memory_prefetch(c, e, now);
        } else if (traits & R10K_LOAD) {
            if (must_wait(c, i, e) || !r10k_operands(c, e, now))
                continue;
            loaded = true;
            if (c->bank_busy[bank_of(c, e->va)] > now)
                memory_again(c, e, now + 1);
            else
                try_load(c, e, now);
        } else {
            tagged = true;
            try_store(c, e, now);
        }
    }
}

/* ---- the oldest ------------------------------------------------------------------------------ */

static enum pc_stop memory_uncached(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    enum pc_stop stop = PC_STOP_HORIZON;
    const bool store = e->w->traits & R10K_STORE;
    uint8_t *p = store ? pc_store(&c->base, e->va, e->w->size, now, &stop)
                       : pc_load(&c->base, e->va, e->w->size, now, &stop);
    if (!p)
        return stop;
    if (store) {
        r10k_gather(c, e);
        r10k_store(&c->scratch, &e->w->op, e->va, p);
        e->done = c->base.now + 1;
    } else {
        memory_reads(c, e, p, c->base.now + 1);
    }
    e->access = R10K_ACCESS_WRITTEN;
    return PC_STOP_HORIZON;
}

/* A line that the oldest has: in the primary cache, or just granted. */
static bool has_line(struct r10k *c, struct r10k_entry *e, bool owns, bool granted, bool link)
{
    const struct r10k_line *l = memory_find(c, PC_SIDE_D, e->va, e->look.pa);
    if (l)
        e->look.state = l->state;
    else if (granted)
        pc_look_up(&c->base, PC_SIDE_D, &e->look);
    else
        return false;
    if (owns && e->look.state == NM_LINE_E && granted) {
        pc_own(&c->base, &e->look);
        e->look.state = NM_LINE_D;
    }
    if (owns)
        return e->look.state == NM_LINE_D;
    return e->look.state != NM_LINE_I && (!link || memory_exclusive(e->look.state));
}

/* The oldest's store is in the primary line, or in the one that has been granted and comes. */
static void memory_marks(struct r10k *c, const struct r10k_entry *e)
{
    struct r10k_line *l = memory_find(c, PC_SIDE_D, e->va, e->look.pa);
    const uint64_t line = memory_line_of(c, PC_SIDE_D, e->look.pa);
    if (l)
        l->dirty = true;
    for (unsigned i = 0; i < R10K_MISSES && !l; i++) {
        struct r10k_miss *m = &c->miss[i];
        m->written |= m->phase && m->side == PC_SIDE_D && m->line == line;
    }
}

static void memory_writes(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    uint8_t *p = pc_write(&c->base, &e->look, e->w->size, now);
    r10k_gather(c, e);
    r10k_store(&c->scratch, &e->w->op, e->va, p);
    memory_marks(c, e);
    c->bank_busy[bank_of(c, e->va)] = now + 1;
    c->stored = c->worked = true;
    e->access = R10K_ACCESS_WRITTEN;
    e->done = now;
}

static bool memory_store(struct r10k *c, struct r10k_entry *e, sim_tick now, bool granted)
{
    if (e->access != R10K_ACCESS_DONE && !granted) /* its tag is looked at first: try_store */
        return false;
    if (!r10k_operands(c, e, now))
        return false;
    if (!granted && (c->stored || c->bank_busy[bank_of(c, e->va)] > now)) {
        r10k_wait_for(c, now + 1);
        return false;
    }
    if (has_line(c, e, true, granted, false)) {
        memory_writes(c, e, now);
        return true;
    }
    memory_misses(c, e, WISH_OWN, now);
    return false;
}

static bool memory_linked(struct r10k *c, struct r10k_entry *e, sim_tick now, bool granted)
{
    const bool exclusively = pc_links_exclusively(&c->base);
    if (e->access == R10K_ACCESS_MISSED && !granted)
        return false;
    if (!has_line(c, e, false, granted, exclusively)) {
        memory_misses(c, e, exclusively ? WISH_LINK : WISH_READ, now);
        return false;
    }
    pc_link(&c->base, &e->look, e->w->size, now);
    memory_reads(c, e, pc_read(&c->base, &e->look, e->w->size, now), now + 1);
    return true;
}

static void failed_try(struct r10k *c, const struct r10k_entry *e)
{
    struct pc_tries *tries = &c->base.tries;
    c->base.scs_failed++;
    tries->row = tries->row && tries->pc == e->pc ? tries->row + 1 : 1;
    tries->failed++;
    tries->pc = e->pc;
    tries->va = e->va;
    r10k_signal(c, R10K_SIGNAL_FAILED_SCS, 1);
    r10k_profile_counts(c, e->pc, PC_PROFILE_SCS_FAILED);
}

/* Its result comes so late that a load linked, an add and a store conditional take 6 PCycles
 * ([R12K-S]). */
static bool memory_conditional(struct r10k *c, struct r10k_entry *e, sim_tick now, bool granted)
{
    enum { RESULT = 3 };
    if (e->access == R10K_ACCESS_MISSED && !granted)
        return false;
    if (!r10k_operands(c, e, now))
        return false;
    if (c->base.link && !has_line(c, e, true, granted, false)) {
        memory_misses(c, e, WISH_CONDITION, now);
        return false;
    }
    const bool stores = pc_conditional(&c->base, &e->look, e->w->size, now);
    if (stores) {
        memory_writes(c, e, now);
        c->base.tries.row = 0;
    } else {
        failed_try(c, e);
    }
    e->access = R10K_ACCESS_WRITTEN;
    if (e->w->results) {
        c->value[e->result[0]] = stores;
        r10k_ready(c, e->result[0], now + RESULT);
    }
    e->done = now + RESULT;
    c->worked = true;
    return true;
}

bool r10k_oldest_access(struct r10k *c, struct r10k_entry *e, sim_tick now, bool granted)
{
    const uint32_t traits = e->w->traits;
    if (e->access == R10K_ACCESS_QUEUED || e->exc || e->tlb || e->unsure)
        return false;
    if (e->again > now && !granted) {
        r10k_wait_for(c, e->again);
        return false;
    }
    if (traits & R10K_LINKED)
        return memory_linked(c, e, now, granted);
    if (traits & R10K_CONDITIONAL)
        return memory_conditional(c, e, now, granted);
    if (traits & R10K_STORE)
        return memory_store(c, e, now, granted);
    if (!has_line(c, e, false, granted, false) || !r10k_operands(c, e, now))
        return false;
    memory_reads(c, e, pc_read(&c->base, &e->look, e->w->size, now), now + c->p->r10000_fill);
    return true;
}

bool r10k_oldest_uncached(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    if (e->access == R10K_ACCESS_QUEUED || e->access == R10K_ACCESS_WRITTEN || !is_uncached(e) ||
        e->exc || e->tlb || !r10k_operands(c, e, now))
        return e->access == R10K_ACCESS_WRITTEN;
    if (e->w->traits & R10K_CONDITIONAL && !c->base.link) /* as in functional mode: no access */
        return memory_conditional(c, e, now, false);
    if (e->w->traits & (R10K_LINKED | R10K_CONDITIONAL)) {
        e->exc = PC_EXC_DBE;
        e->done = now;
        return true;
    }
    const enum pc_stop stop = memory_uncached(c, e, now);
    if (stop != PC_STOP_HORIZON) {
        c->must_stop = true;
        c->stop = stop;
    }
    return e->access == R10K_ACCESS_WRITTEN;
}
