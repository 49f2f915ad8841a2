/* Private to the memory side of the core: primary caches, what the interpreter is shown of them,
 * and TLBs (caches.c), for loads, stores and fetches (lsu.c, misses.c, fetch.c). */
#ifndef ARM11_CACHES_H
#define ARM11_CACHES_H

#include "machine/protocol.h"
#include "machine/values.h"
#include "procard/arm11/profile.h"

#define ARM11_NOWHERE (~UINT64_C(0))

/** The line of `pa` in the set that `va` names; NULL: none. */
struct arm11_line *arm11_find(struct arm11 *c, enum pc_side side, uint32_t va, uint64_t pa);

/** A line comes: another makes room. */
struct arm11_line *arm11_fill(struct arm11 *c, enum pc_side side, uint32_t va,
                              const struct pc_look *look);

/** The interpreter may use the line that has been found at `va` without a call. */
void arm11_show(struct arm11 *c, enum pc_side side, uint32_t va, struct arm11_line *l,
                const struct pc_look *look);
/** It may no longer. */
void arm11_hide(struct arm11 *c, enum pc_side side, const struct arm11_line *l);

/** Bytes of a line have been written. */
void arm11_dirty(struct arm11_line *l, uint64_t pa, unsigned size);

/** A page, through the TLBs. @return false: there is none (a trap), or time has passed up to the
 *  horizon: the instruction begins again */
bool arm11_translate(struct arm11 *c, enum pc_side side, uint32_t va, enum nm_access access,
                     struct pc_look *look);

/** Whether tightly coupled memory has `va`: the sides' own. */
static inline bool arm11_in_tcm(const struct arm11 *c, enum pc_side side, uint32_t va)
{
    const struct nm_params *p = c->p;
    return side == PC_SIDE_D ? va - p->arm11_dtcm_at < p->arm11_dtcm
                             : va - p->arm11_itcm_at < p->arm11_itcm;
}

/** The interpreter may fetch from its line at `va`. */
void arm11_show_tcm(struct arm11 *c, uint32_t va);

/** Whether a MicroTLB has the page of `va`. */
bool arm11_micro_has(const struct arm11 *c, enum pc_side side, uint32_t va);

/** Nothing goes on before the card has answered, or the horizon has come. @return false */
bool arm11_waits(struct arm11 *c, enum pc_status state, enum arm11_signal counted);
/** `n` PCycles pass; at most up to the horizon. @return false: that has come */
bool arm11_stalls(struct arm11 *c, enum pc_status state, sim_tick n);

static inline uint64_t arm11_line_of(uint64_t pa)
{
    return pa & ~(uint64_t)(ARM11_LINE - 1);
}

static inline bool arm11_writable(uint8_t state)
{
    return state == NM_LINE_E || state == NM_LINE_D;
}

static inline bool arm11_same_l2_line(const struct arm11 *c, uint64_t a, uint64_t b)
{
    return ((a ^ b) & ~(uint64_t)(c->p->l2_line - 1)) == 0;
}

#endif
