/*
 * Loads and stores that are no hits in shown lines: the load/store unit.
 *
 * A load that finds its line writes its registers at once, ready later. One that must ask for it
 * leaves an entry behind (misses.c), and the pipeline goes on until somebody wants the register.
 * All stores that cannot be written at once wait in the write buffer, a line each, and go out in
 * order; reads of a line that waits there wait, too ([M] 7-16).
 *
 * Each function looks whether all it wants is there before it changes anything: one that must wait
 * begins again.
 */
#include "procard/arm11/misses.h"

#include <string.h>

/* ---- bytes of a line ------------------------------------------------------------------------- */

/* What one access wants of one line. */
struct group {
    uint32_t va;       /* of its first byte */
    unsigned first, n; /* words or bytes of the access */
    struct pc_look look;
    struct arm11_line *line;
    bool tcm; /* tightly coupled memory has it, no cache */
};

static bool lsu_here(const struct group *g)
{
    return g->line || g->tcm;
}

/* An access cut at lines; `size` bytes each, of which none crosses a line. */
static unsigned lsu_cut(uint32_t va, unsigned n, unsigned size, struct group *groups)
{
    unsigned count = 0;
    groups[0] = (struct group){.va = va};
    for (unsigned i = 0; i < n; i++) {
        const uint32_t at = va + i * size;
        if (!count || (groups[count - 1].va ^ at) & ~UINT32_C(31))
            groups[count++] = (struct group){.va = at, .first = i};
        groups[count - 1].n++;
    }
    return count;
}

enum { GROUPS = 3 };

static bool lsu_misaligned(struct arm11 *c, uint32_t va, enum nm_access access)
{
    arm11_fault(c, va, access, NM_XLATE_OK);
    return false;
}

/* A line that is not here is gone out for, but by the first only that wants it ([S] 0xB, 0x10). */
static void goes_out(struct arm11 *c, const struct group *g)
{
    if (lsu_here(g) || arm11_missed(c, g->look.pa))
        return;
    arm11_signal(c, ARM11_SIGNAL_D_MISS, 1);
    arm11_signal(c, ARM11_SIGNAL_EXTERNAL, 1);
}

static void lsu_touched(struct arm11 *c, const struct group *g)
{
    arm11_signal(c, ARM11_SIGNAL_D_ACCESS, 1);
    arm11_signal(c, ARM11_SIGNAL_D_CACHEABLE, 1);
    goes_out(c, g);
}

/* ---- pages that are in no cache -------------------------------------------------------------- */

/* It is looked for in the cache as all are, misses, and goes out ([S] 7, 8, 0x10). */
static void went_outside(struct arm11 *c)
{
    arm11_signal(c, ARM11_SIGNAL_D_ACCESS, 1);
    arm11_signal(c, ARM11_SIGNAL_D_MISS, 1);
    arm11_signal(c, ARM11_SIGNAL_EXTERNAL, 1);
}

/* Nothing else is under way, and the card makes the access. Stores that waited have been drained
 * for it ([S] 0x12). */
static bool uncached_load(struct arm11 *c, uint32_t va, unsigned size, uint8_t *bytes)
{
    c->drains |= arm11_writing(c);
    if (!arm11_quiet(c))
        return arm11_waits(c, PC_ST_STALL_OTHER, ARM11_SIGNALS);
    const uint8_t *p = pc_load(&c->base, va, size, c->base.now, &c->why);
    if (!p)
        return false;
    memcpy(bytes, p, size);
    arm11_told(c, PC_RECORDED_LOAD, va, size);
    went_outside(c);
    arm11_signal(c, ARM11_SIGNAL_DRAINED, c->drains);
    c->drains = false;
    return true;
}

static bool uncached_store(struct arm11 *c, uint32_t va, unsigned size, const uint8_t *bytes)
{
    if (!arm11_quiet(c))
        return arm11_waits(c, PC_ST_STALL_OTHER, ARM11_SIGNALS);
    uint8_t *p = pc_store(&c->base, va, size, c->base.now, &c->why);
    if (!p)
        return false;
    memcpy(p, bytes, size);
    arm11_told(c, PC_RECORDED_STORE, va, size);
    went_outside(c);
    arm11_signal(c, ARM11_SIGNAL_DRAINED, 1);
    return true;
}

/* ---- tightly coupled memory ------------------------------------------------------------------ */

/* It is the one processor's own, and nobody else's time depends on it: its bytes are those of the
 * program's memory there. */
static const uint8_t *tcm_bytes(struct arm11 *c, const struct pc_look *at, unsigned size)
{
    return pc_settle_access(&c->base, at, size, NULL);
}

/* [S] Behind a write to the second level that is still on its way, a read is looked up once more.
 */
static void tcm_read(struct arm11 *c, const struct group *g)
{
    lsu_touched(c, g);
    if (arm11_writing(c)) {
        arm11_signal(c, ARM11_SIGNAL_D_ACCESS, 1);
        arm11_signal(c, ARM11_SIGNAL_D_CACHEABLE, 1);
    }
}

static void tcm_deliver(struct arm11 *c, const struct group *g, const struct arm11_part *parts,
                        unsigned n, unsigned latency)
{
    tcm_read(c, g);
    for (unsigned i = 0; i < n; i++) {
        const enum arm11_kind kind = (enum arm11_kind)parts[i].kind;
        struct pc_look at = g->look;
        at.pa = arm11_line_of(at.pa) + parts[i].offset;
        c->r.r[parts[i].reg] = arm11_value(tcm_bytes(c, &at, arm11_size(kind)), kind, c->r.e);
        c->ready[parts[i].reg] = c->base.now + latency + parts[i].extra;
    }
}

/* ---- loads ----------------------------------------------------------------------------------- */

/* Pages of all groups, and what the caches have of them. */
static bool lsu_look_at(struct arm11 *c, struct group *groups, unsigned count,
                        enum nm_access access)
{
    for (unsigned i = 0; i < count; i++) {
        struct group *g = &groups[i];
        if (!arm11_translate(c, PC_SIDE_D, g->va, access, &g->look))
            return false;
        g->tcm = arm11_in_tcm(c, PC_SIDE_D, g->va) || arm11_in_tcm(c, PC_SIDE_I, g->va);
        if (g->tcm)
            g->look.page = NM_XLATE_OK;
        if (g->tcm || g->look.page == NM_XLATE_UNCACHED)
            continue;
        g->line = arm11_find(c, PC_SIDE_D, g->va, g->look.pa);
        if (g->line)
            g->look.state = g->line->state;
    }
    return true;
}

/* The line comes, and nothing else happens. @return false: begin again */
static bool comes_first(struct arm11 *c, const struct group *g)
{
    if (arm11_missed(c, g->look.pa)) /* on its way, since this or another has begun */
        return arm11_waits(c, PC_ST_STALL_L2, ARM11_SIGNAL_DEPENDENCY);
    if (!arm11_places(c, 1))
        return false;
    goes_out(c, g);
    struct arm11_miss *m = arm11_miss_new(c, ARM11_LOAD, g->va, &g->look);
    arm11_miss_begins(c, m);
    return arm11_waits_for(c, m);
}

/* Those that are not here each want a place for a miss. @return false: begin again */
static bool lsu_places(struct arm11 *c, const struct group *groups, unsigned count)
{
    unsigned missing = 0;
    for (unsigned i = 0; i < count; i++) {
        if (arm11_buffered(c, groups[i].look.pa))
            return arm11_waits(c, PC_ST_STALL_L1D, ARM11_SIGNALS);
        missing += !lsu_here(&groups[i]);
    }
    if (missing <= c->p->arm11_misses)
        return arm11_places(c, missing);
    for (unsigned i = 0; i < count; i++) /* more than there are: one after the other */
        if (!lsu_here(&groups[i]))
            return comes_first(c, &groups[i]);
    return true;
}

/* @param parts  registers of the group's line */
static void read_group(struct arm11 *c, struct group *g, const struct arm11_part *parts, unsigned n,
                       unsigned latency)
{
    if (g->tcm) {
        tcm_deliver(c, g, parts, n, latency);
        return;
    }
    lsu_touched(c, g);
    if (g->line) {
        arm11_deliver(c, &g->look, parts, n, c->r.e, c->base.now + latency, c->base.now);
        arm11_have_read(c, PC_RECORDED_LOAD, g->va, &g->look, parts, n);
        arm11_show(c, PC_SIDE_D, g->va, g->line, &g->look);
        return;
    }
    struct arm11_miss *m = arm11_miss_new(c, ARM11_LOAD, g->va, &g->look);
    memcpy(m->part, parts, n * sizeof *parts);
    m->parts = n;
    m->latency = latency;
    arm11_miss_begins(c, m);
}

/* Bytes on both sides of a line's end: both lines must be here. */
static bool load_across(struct arm11 *c, uint32_t va, enum arm11_kind kind, unsigned reg,
                        unsigned latency)
{
    const unsigned size = arm11_size(kind);
    struct group groups[GROUPS];
    uint8_t bytes[4];
    const unsigned count = lsu_cut(va, size, 1, groups);
    if (!lsu_look_at(c, groups, count, NM_LOAD))
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct group *g = &groups[i];
        if (g->look.page == NM_XLATE_UNCACHED)
            return lsu_misaligned(c, va, NM_LOAD);
        if (lsu_here(g))
            continue;
        if (arm11_buffered(c, g->look.pa))
            return arm11_waits(c, PC_ST_STALL_L1D, ARM11_SIGNALS);
        return comes_first(c, g);
    }
    if (!lsu_places(c, groups, count))
        return false;
    for (unsigned i = 0; i < count; i++) {
        const struct group *g = &groups[i];
        if (g->tcm)
            tcm_read(c, g);
        else
            lsu_touched(c, g);
        for (unsigned k = 0; k < g->n; k++) {
            struct pc_look at = g->look;
            at.pa += k;
            bytes[g->first + k] =
                *(g->tcm ? tcm_bytes(c, &at, 1) : pc_read(&c->base, &at, 1, c->base.now));
        }
        arm11_touches(c, groups[i].look.pa, groups[i].n, true, false);
        arm11_told(c, PC_RECORDED_LOAD, groups[i].va, groups[i].n);
    }
    c->r.r[reg] = arm11_value(bytes, kind, c->r.e);
    c->ready[reg] = c->base.now + latency + 1;
    return true;
}

bool arm11_load(struct arm11 *c, uint32_t va, enum arm11_kind kind, unsigned reg, unsigned latency)
{
    const unsigned size = arm11_size(kind);
    const bool odd = va & (size - 1);
    struct group g = {.va = va, .n = 1};
    uint8_t bytes[4];
    if ((va & (ARM11_LINE - 1)) + size > ARM11_LINE)
        return load_across(c, va, kind, reg, latency);
    if (!lsu_look_at(c, &g, 1, NM_LOAD))
        return false;
    if (g.look.page == NM_XLATE_UNCACHED) {
        if (!uncached_load(c, va, size, bytes))
            return false;
        c->r.r[reg] = arm11_value(bytes, kind, c->r.e);
        c->ready[reg] = c->base.now + latency;
        return true;
    }
    if (!lsu_places(c, &g, 1))
        return false;
    const struct arm11_part part = {(uint8_t)reg, (uint8_t)kind, va & (ARM11_LINE - 1), odd};
    read_group(c, &g, &part, 1, latency);
    return true;
}

/* Word by word: each stops the core, which begins again behind those that it has. Registers are
 * written when all are there. */
static bool load_words_uncached(struct arm11 *c, uint32_t va, const uint8_t *regs, unsigned n,
                                unsigned latency)
{
    struct arm11_words *w = &c->outside;
    for (; w->n < n; w->n++)
        if (!uncached_load(c, va + 4 * w->n, 4, w->bytes + 4 * w->n)) {
            w->n = c->why == PC_STOP_TRAP ? 0 : w->n;
            return false;
        }
    for (unsigned i = 0; i < n; i++) {
        c->r.r[regs[i]] = arm11_value(w->bytes + 4 * i, ARM11_WORD, c->r.e);
        c->ready[regs[i]] = c->base.now + latency;
    }
    w->n = 0;
    return true;
}

bool arm11_load_words(struct arm11 *c, uint32_t va, const uint8_t *regs, unsigned n,
                      unsigned latency)
{
    const unsigned odd = va >> 2 & 1;
    struct group groups[GROUPS];
    struct arm11_part parts[ARM11_PARTS];
    if (va & 3)
        return lsu_misaligned(c, va, NM_LOAD);
    const unsigned count = lsu_cut(va, n, 4, groups);
    if (!lsu_look_at(c, groups, count, NM_LOAD))
        return false;
    for (unsigned i = 0; i < count; i++)
        if (groups[i].look.page == NM_XLATE_UNCACHED)
            return load_words_uncached(c, va, regs, n, latency);
    if (!lsu_places(c, groups, count))
        return false;
    for (unsigned i = 0; i < n; i++)
        parts[i] = (struct arm11_part){regs[i], ARM11_WORD, (va + 4 * i) & (ARM11_LINE - 1),
                                       (uint8_t)((i + odd) / 2)};
    for (unsigned i = 0; i < count; i++)
        read_group(c, &groups[i], parts + groups[i].first, groups[i].n, latency);
    return true;
}

void arm11_preload(struct arm11 *c, uint32_t va)
{
    struct group g = {.va = va, .n = 1};
    pc_find(&c->base, va, NM_LOAD, &g.look);
    if (arm11_in_tcm(c, PC_SIDE_D, va) || arm11_in_tcm(c, PC_SIDE_I, va) ||
        g.look.page != NM_XLATE_OK || arm11_find(c, PC_SIDE_D, va, g.look.pa) ||
        arm11_buffered(c, g.look.pa) || !arm11_place_free(c))
        return;
    arm11_signal(c, ARM11_SIGNAL_EXTERNAL, 1);
    arm11_miss_begins(c, arm11_miss_new(c, ARM11_LOAD, va, &g.look));
}

/* ---- stores ---------------------------------------------------------------------------------- */

/* A line that may be written, and no older store waits for. */
static bool lsu_direct(const struct arm11 *c, const struct group *g)
{
    return g->tcm || (g->line && arm11_writable(g->line->state) && !arm11_buffered(c, g->look.pa) &&
                      !arm11_missed(c, g->look.pa));
}

static void write_direct(struct arm11 *c, struct group *g, const uint8_t *bytes, unsigned n)
{
    if (g->tcm) {
        pc_settle_access(&c->base, &g->look, n, bytes);
        return;
    }
    if (g->line->state != NM_LINE_D) {
        g->look.state = g->line->state;
        pc_own(&c->base, &g->look);
        g->line->state = NM_LINE_D;
    }
    arm11_write_bytes(c, &g->look, bytes, n);
    arm11_touches(c, g->look.pa, n, false, true);
    arm11_dirty(g->line, g->look.pa, n);
    arm11_show(c, PC_SIDE_D, g->va, g->line, &g->look);
}

static void write_later(struct arm11 *c, const struct group *g, const uint8_t *bytes, unsigned n)
{
    struct arm11_write *w = &c->write[c->writes++];
    const unsigned offset = g->look.pa & (ARM11_LINE - 1);
    *w = (struct arm11_write){.line = arm11_line_of(g->look.pa),
                              .va = g->va,
                              .pc = c->r.r[ARM_PC],
                              .page = g->look.page,
                              .mask = (uint32_t)(((UINT64_C(1) << n) - 1) << offset)};
    memcpy(w->data + offset, bytes, n);
    if (g->line)
        arm11_hide(c, PC_SIDE_D, g->line);
}

bool arm11_store(struct arm11 *c, uint32_t va, const uint32_t *words, unsigned n, unsigned size)
{
    struct group groups[GROUPS];
    uint8_t bytes[4 * ARM11_PARTS];
    if (n > 1 && va & 3)
        return lsu_misaligned(c, va, NM_STORE);
    for (unsigned i = 0; i < n; i++)
        arm11_bytes(bytes + i * size, words[i], size, c->r.e);
    const unsigned count = lsu_cut(va, n * size, 1, groups);
    if (!lsu_look_at(c, groups, count, NM_STORE))
        return false;
    unsigned later = 0;
    for (unsigned i = 0; i < count; i++) {
        if (groups[i].look.page == NM_XLATE_UNCACHED)
            return n == 1 && !(va & (size - 1)) ? uncached_store(c, va, size, bytes)
                                                : lsu_misaligned(c, va, NM_STORE);
        later += !lsu_direct(c, &groups[i]);
    }
    if (!arm11_room(c, later))
        return false;
    for (unsigned i = 0; i < count; i++) {
        struct group *g = &groups[i];
        lsu_touched(c, g);
        arm11_told(c, PC_RECORDED_STORE, g->va, g->n);
        if (lsu_direct(c, g))
            write_direct(c, g, bytes + g->first, g->n);
        else
            write_later(c, g, bytes + g->first, g->n);
    }
    arm11_drain(c, true);
    return true;
}

/* ---- exclusive ones: nothing else is under way -------------------------------------------------
 */

static bool lsu_exclusive(struct arm11 *c, const struct arm11_miss *wanted, uint32_t va,
                          unsigned size, enum nm_access access, unsigned latency)
{
    struct group g = {.va = va, .n = 1};
    if (va & (size - 1))
        return lsu_misaligned(c, va, access);
    if (!arm11_quiet(c))
        return arm11_waits(c, PC_ST_STALL_L2, ARM11_SIGNALS);
    if (!lsu_look_at(c, &g, 1, access) || !arm11_places(c, 1))
        return false;
    if (g.look.page != NM_XLATE_OK || g.tcm) {
        arm11_fault(c, va, access, NM_XLATE_OK);
        c->base.exc = PC_EXC_DBE;
        return false;
    }
    lsu_touched(c, &g);
    struct arm11_miss *m = arm11_miss_new(c, (enum arm11_access)wanted->access, va, &g.look);
    const uint64_t order = m->order;
    *m = *wanted;
    m->order = order;
    m->va = va;
    m->pc = c->r.r[ARM_PC];
    m->look = g.look;
    m->size = (uint8_t)size;
    m->big = c->r.e;
    m->latency = latency;
    arm11_miss_begins(c, m);
    return true;
}

bool arm11_linked(struct arm11 *c, uint32_t va, unsigned size, unsigned d, unsigned e,
                  unsigned latency)
{
    const enum arm11_kind kind = size == 1 ? ARM11_BYTE : size == 2 ? ARM11_HALF : ARM11_WORD;
    const uint8_t offset = va & (ARM11_LINE - 1);
    const struct arm11_miss wanted = {.access = ARM11_LINKED,
                                      .parts = size == 8 ? 2 : 1,
                                      .part = {{(uint8_t)d, (uint8_t)kind, offset, 0},
                                               {(uint8_t)e, ARM11_WORD, (uint8_t)(offset + 4), 0}}};
    return lsu_exclusive(c, &wanted, va, size, NM_LOAD, latency);
}

bool arm11_conditional(struct arm11 *c, uint32_t va, unsigned size, uint32_t low, uint32_t high,
                       unsigned d, unsigned latency)
{
    struct arm11_miss wanted = {
        .access = ARM11_CONDITIONAL, .parts = 1, .part = {{.reg = (uint8_t)d}}};
    arm11_bytes(wanted.data, low, size < 4 ? size : 4, c->r.e);
    if (size == 8)
        arm11_bytes(wanted.data + 4, high, 4, c->r.e);
    return lsu_exclusive(c, &wanted, va, size, NM_STORE, latency);
}

bool arm11_swap(struct arm11 *c, uint32_t va, unsigned size, uint32_t datum, unsigned d,
                unsigned latency)
{
    struct arm11_miss wanted = {
        .access = ARM11_SWAP,
        .parts = 1,
        .part = {{(uint8_t)d, size == 1 ? ARM11_BYTE : ARM11_WORD, va & (ARM11_LINE - 1), 0}}};
    arm11_bytes(wanted.data, datum, size, c->r.e);
    return lsu_exclusive(c, &wanted, va, size, NM_STORE, latency);
}

bool arm11_barrier(struct arm11 *c, bool counts)
{
    if (!arm11_quiet(c))
        return arm11_waits(c, PC_ST_STALL_L2, ARM11_SIGNALS);
    if (counts)
        arm11_signal(c, ARM11_SIGNAL_DRAINED, 1);
    return true;
}
