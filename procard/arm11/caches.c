/*
 * The primary caches, TLBs, and what the interpreter is shown of them.
 *
 * Why the core keeps its caches itself, and the card's own stay unused: those are direct mapped and
 * stop the processor at a miss; these have four ways, one counter that says which is next, and
 * loads that go on under a miss. The card's secondary cache is what lies behind them.
 *
 * The hard idea: a line that is in a cache, whose page is in the MicroTLB, is a hit that changes
 * nothing. So it is shown to the interpreter (struct pc_line), until one of the two goes.
 */
#include "procard/arm11/caches.h"

#include "base/alloc.h"
#include <stdlib.h>

enum { PAGE_SHIFT = 12, LINES_OF_PAGE = 1 << (PAGE_SHIFT - ARM11_LINE_SHIFT) };

/* ---- views ----------------------------------------------------------------------------------- */

static struct pc_line *views_of(struct arm11 *c, enum pc_side side)
{
    return side == PC_SIDE_D ? c->views : c->iviews;
}

static struct pc_line *views_new(unsigned n)
{
    struct pc_line *views = sim_alloc(n, sizeof *views);
    for (unsigned i = 0; i < n; i++)
        views[i].tag = pc_line_none(i);
    return views;
}

/* A view ends: what the interpreter has written through it, its line knows. */
static void caches_vacate(struct arm11 *c, enum pc_side side, unsigned place)
{
    struct pc_line *view = &views_of(c, side)[place];
    view->tag = pc_line_none(place);
    if (side == PC_SIDE_D && c->wrote[place]) {
        c->shown[place]->dirty |= c->wrote[place];
        c->wrote[place] = 0;
    }
}

static unsigned view_of(uint32_t va)
{
    return va >> ARM11_LINE_SHIFT & (ARM11_VIEWS - 1);
}

void arm11_hide_all(struct arm11 *c)
{
    for (unsigned side = 0; side < PC_SIDES; side++)
        for (unsigned i = 0; i < ARM11_VIEWS; i++)
            caches_vacate(c, (enum pc_side)side, i);
}

static void hide_va(struct arm11 *c, enum pc_side side, uint32_t va)
{
    const unsigned place = view_of(va);
    if ((views_of(c, side)[place].tag & ~PC_LINE_READ_ONLY) == (va & ~UINT32_C(31)))
        caches_vacate(c, side, place);
}

static void hide_page(struct arm11 *c, enum pc_side side, uint32_t page)
{
    for (unsigned i = 0; i < LINES_OF_PAGE; i++)
        hide_va(c, side, page << PAGE_SHIFT | i << ARM11_LINE_SHIFT);
}

void arm11_hide(struct arm11 *c, enum pc_side side, const struct arm11_line *l)
{
    hide_va(c, side, l->va);
}

/* A line that comes late may be of a page that the MicroTLB no longer has: that is not shown. */
void arm11_show(struct arm11 *c, enum pc_side side, uint32_t va, struct arm11_line *l,
                const struct pc_look *look)
{
    const unsigned place = view_of(va);
    struct pc_line *view = &views_of(c, side)[place];
    const uint32_t line = va & ~UINT32_C(31);
    caches_vacate(c, side, place);
    if (l->va != line)
        hide_va(c, side, l->va);
    l->va = line;
    if (!arm11_micro_has(c, side, va))
        return;
    if (side == PC_SIDE_D) {
        const struct pc_look at = {.pa = l->line, .page = look->page};
        const uint8_t *host = pc_show(&c->base, &at);
        if (!host)
            return;
        view->host = (uintptr_t)host - line;
        c->shown[place] = l;
    }
    const bool writable = side == PC_SIDE_I || (l->state == NM_LINE_D && l->dirty);
    view->tag = line | (writable ? 0 : PC_LINE_READ_ONLY);
}

void arm11_show_tcm(struct arm11 *c, uint32_t va)
{
    caches_vacate(c, PC_SIDE_I, view_of(va));
    c->iviews[view_of(va)].tag = va & ~UINT32_C(31);
}

/* ---- caches ---------------------------------------------------------------------------------- */

static void cache_new(struct arm11_cache *cache, uint64_t size)
{
    const unsigned sets = (unsigned)(size / ARM11_LINE / ARM11_WAYS);
    cache->mask = sets - 1;
    cache->line = sim_alloc(sets * ARM11_WAYS, sizeof *cache->line);
    for (unsigned i = 0; i < sets * ARM11_WAYS; i++)
        cache->line[i].line = ARM11_NOWHERE;
}

static struct arm11_line *set_of(struct arm11_cache *cache, uint32_t va)
{
    return &cache->line[(va >> ARM11_LINE_SHIFT & cache->mask) * ARM11_WAYS];
}

struct arm11_line *arm11_find(struct arm11 *c, enum pc_side side, uint32_t va, uint64_t pa)
{
    struct arm11_line *set = set_of(&c->cache[side], va);
    for (unsigned w = 0; w < ARM11_WAYS; w++)
        if (set[w].line == arm11_line_of(pa))
            return &set[w];
    return NULL;
}

/* Whatever makes the line give up what has been written in it: its halves go down ([S] 0xC). */
static void write_back(struct arm11 *c, enum pc_side side, struct arm11_line *l)
{
    arm11_hide(c, side, l);
    if (!l->dirty)
        return;
    arm11_signal(c, ARM11_SIGNAL_WRITEBACK, (uint64_t)__builtin_popcount(l->dirty));
    c->l1_writebacks++;
    l->dirty = 0;
}

static void caches_drop(struct arm11 *c, enum pc_side side, struct arm11_line *l)
{
    write_back(c, side, l);
    *l = (struct arm11_line){.line = ARM11_NOWHERE};
}

/* [M] 7-4: an empty way, the lowest first; else the next in turn. */
static struct arm11_line *caches_victim(struct arm11_cache *cache, struct arm11_line *set)
{
    for (unsigned w = 0; w < ARM11_WAYS; w++)
        if (set[w].line == ARM11_NOWHERE)
            return &set[w];
    const unsigned way = cache->next;
    cache->next = (cache->next + 1) % ARM11_WAYS;
    return &set[way];
}

/* The line may be there under another colour of its page: hardware would keep both, and software
 * keeps pages of one colour; here the older goes. */
static void drop_aliases(struct arm11 *c, enum pc_side side, uint32_t va, uint64_t line)
{
    struct arm11_cache *cache = &c->cache[side];
    const unsigned here = va >> ARM11_LINE_SHIFT & cache->mask;
    for (unsigned s = here % LINES_OF_PAGE; s <= cache->mask; s += LINES_OF_PAGE)
        for (unsigned w = 0; w < ARM11_WAYS && s != here; w++)
            if (cache->line[s * ARM11_WAYS + w].line == line)
                caches_drop(c, side, &cache->line[s * ARM11_WAYS + w]);
}

struct arm11_line *arm11_fill(struct arm11 *c, enum pc_side side, uint32_t va,
                              const struct pc_look *look)
{
    struct arm11_line *l = arm11_find(c, side, va, look->pa);
    if (!l) {
        drop_aliases(c, side, va, arm11_line_of(look->pa));
        l = caches_victim(&c->cache[side], set_of(&c->cache[side], va));
        caches_drop(c, side, l);
        *l = (struct arm11_line){.line = arm11_line_of(look->pa), .va = va & ~UINT32_C(31)};
    }
    l->state = look->state;
    return l;
}

void arm11_dirty(struct arm11_line *l, uint64_t pa, unsigned size)
{
    enum { HALF_SHIFT = 4 };
    l->state = NM_LINE_D;
    l->dirty |= (uint8_t)(1u << (pa >> HALF_SHIFT & 1) | 1u << ((pa + size - 1) >> HALF_SHIFT & 1));
}

static void caches_lose(struct arm11 *c, enum pc_side side, uint64_t part, bool shared)
{
    struct arm11_cache *cache = &c->cache[side];
    for (unsigned s = (unsigned)(part >> ARM11_LINE_SHIFT) % LINES_OF_PAGE & cache->mask;
         s <= cache->mask; s += LINES_OF_PAGE)
        for (unsigned w = 0; w < ARM11_WAYS; w++) {
            struct arm11_line *l = &cache->line[s * ARM11_WAYS + w];
            if (l->line != part)
                continue;
            if (!shared) {
                caches_drop(c, side, l);
            } else if (side == PC_SIDE_D) {
                write_back(c, side, l);
                l->state = NM_LINE_S;
            }
        }
}

void arm11_loses(struct pc_cpu *base, uint64_t line, enum pc_loss loss, sim_tick now)
{
    struct arm11 *c = arm11_of(base);
    (void)now;
    for (uint64_t part = line; part < line + c->p->l2_line; part += ARM11_LINE)
        for (unsigned side = 0; side < PC_SIDES; side++)
            caches_lose(c, (enum pc_side)side, part, loss == PC_LOSS_SHARED);
}

void arm11_hides(struct pc_cpu *base, uint64_t line)
{
    struct arm11 *c = arm11_of(base);
    struct arm11_cache *cache = &c->cache[PC_SIDE_D];
    for (unsigned i = 0; i < (cache->mask + 1) * ARM11_WAYS; i++)
        if (cache->line[i].line != ARM11_NOWHERE &&
            arm11_same_l2_line(c, cache->line[i].line, line))
            arm11_hide(c, PC_SIDE_D, &cache->line[i]);
}

/* ---- time ------------------------------------------------------------------------------------ */

bool arm11_stalls(struct arm11 *c, enum pc_status state, sim_tick n)
{
    arm11_spends(c, state, n);
    c->why = PC_STOP_HORIZON;
    return c->base.now < c->base.horizon;
}

bool arm11_waits(struct arm11 *c, enum pc_status state, enum arm11_signal counted)
{
    const sim_tick left = c->base.horizon > c->base.now ? c->base.horizon - c->base.now : 0;
    arm11_spends(c, state, left);
    if (counted < ARM11_SIGNALS)
        arm11_signal(c, counted, left);
    c->why = PC_STOP_HORIZON;
    return false;
}

/* ---- TLBs ------------------------------------------------------------------------------------ */

static bool micro_has(struct arm11_micro *micro, uint32_t page, unsigned entries)
{
    if (micro->page[micro->last] == page + 1)
        return true;
    for (unsigned i = 0; i < entries; i++)
        if (micro->page[i] == page + 1) {
            micro->last = i;
            return true;
        }
    return false;
}

bool arm11_micro_has(const struct arm11 *c, enum pc_side side, uint32_t va)
{
    struct arm11_micro micro = c->micro[side];
    const unsigned entries = (unsigned)c->p->arm11_tlb_entries;
    return !entries || micro_has(&micro, va >> PAGE_SHIFT, entries);
}

static void micro_fill(struct arm11 *c, enum pc_side side, uint32_t page)
{
    struct arm11_micro *micro = &c->micro[side];
    if (micro->page[micro->next])
        hide_page(c, side, micro->page[micro->next] - 1);
    micro->page[micro->next] = page + 1;
    micro->last = micro->next;
    micro->next = (micro->next + 1) % (unsigned)c->p->arm11_tlb_entries;
}

/* @return false: it is walked for */
static bool main_has(struct arm11 *c, uint32_t page)
{
    const uint32_t set = page & ((uint32_t)c->p->arm11_main_sets - 1);
    for (unsigned w = 0; w < 2; w++)
        if (c->main_tlb[w][set] == page + 1)
            return true;
    c->main_tlb[c->main_old[set]][set] = page + 1;
    c->main_old[set] ^= 1;
    return false;
}

/* @return false: the horizon has come */
static bool look_into_tlb(struct arm11 *c, enum pc_side side, uint32_t va)
{
    const uint32_t page = va >> PAGE_SHIFT;
    const enum arm11_signal miss =
        side == PC_SIDE_I ? ARM11_SIGNAL_I_MICROTLB : ARM11_SIGNAL_D_MICROTLB;
    if (!c->p->arm11_tlb_entries ||
        micro_has(&c->micro[side], page, (unsigned)c->p->arm11_tlb_entries))
        return true;
    arm11_signal(c, miss, 1);
    micro_fill(c, side, page);
    if (side == PC_SIDE_I)
        arm11_signal(c, ARM11_SIGNAL_NO_INSN, c->p->arm11_micro_miss);
    bool goes_on = arm11_stalls(c, PC_ST_STALL_OTHER, c->p->arm11_micro_miss);
    if (!main_has(c, page)) { /* [S] neither 0x1 nor 0x2 counts meanwhile */
        arm11_signal(c, ARM11_SIGNAL_TLB_MISS, 1);
        arm11_counts(c, c->r.r[ARM_PC], PC_PROFILE_TLB_MISSES);
        goes_on = arm11_stalls(c, PC_ST_STALL_OTHER, c->p->arm11_walk);
    }
    return goes_on;
}

bool arm11_translate(struct arm11 *c, enum pc_side side, uint32_t va, enum nm_access access,
                     struct pc_look *look)
{
    *look = (struct pc_look){0};
    if (!look_into_tlb(c, side, va))
        return false;
    pc_find(&c->base, va, access, look);
    if (!nm_xlate_found((enum nm_xlate)look->page))
        return arm11_fault(c, va, access, (enum nm_xlate)look->page);
    return true;
}

bool arm11_fault(struct arm11 *c, uint32_t va, enum nm_access access, enum nm_xlate why)
{
    struct pc_cpu *cpu = &c->base;
    const bool found = nm_xlate_found(why), store = access == NM_STORE;
    cpu->exc = store ? PC_EXC_ADES : access == NM_FETCH && found ? PC_EXC_IBE : PC_EXC_ADEL;
    cpu->badvaddr = va;
    cpu->trap_code = 0;
    cpu->absent = why == NM_XLATE_ABSENT;
    cpu->unmapped = why == NM_XLATE_UNMAPPED;
    cpu->protected = why == NM_XLATE_PROTECTED;
    c->why = PC_STOP_TRAP;
    return false;
}

/* ---- life ------------------------------------------------------------------------------------ */

void arm11_new(struct arm11 *c, const struct nm_params *p)
{
    c->p = p;
    arm11_pmu_new(c);
    c->btac = sim_alloc(p->arm11_btac, sizeof *c->btac);
    cache_new(&c->cache[PC_SIDE_I], c->p->l1i_size);
    cache_new(&c->cache[PC_SIDE_D], c->p->l1d_size);
    c->views = views_new(ARM11_VIEWS);
    c->iviews = views_new(ARM11_VIEWS);
    c->blind = views_new(1);
    c->shown = sim_alloc(ARM11_VIEWS, sizeof *c->shown);
    c->wrote = sim_alloc(ARM11_VIEWS, sizeof *c->wrote);
    for (unsigned w = 0; w < 2; w++)
        c->main_tlb[w] = sim_alloc(c->p->arm11_main_sets, sizeof *c->main_tlb[w]);
    c->main_old = sim_alloc(c->p->arm11_main_sets, 1);
}

void arm11_free(struct arm11 *c)
{
    free(c->btac);
    free(c->cache[PC_SIDE_I].line);
    free(c->cache[PC_SIDE_D].line);
    free(c->views);
    free(c->iviews);
    free(c->blind);
    free(c->shown);
    free(c->wrote);
    free(c->main_tlb[0]);
    free(c->main_tlb[1]);
    free(c->main_old);
}
