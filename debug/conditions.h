/*
 * Why a run that is debugged stops: breakpoints, watched bytes, lines, a step. Plain data without
 * pointers, so that another process can go on with it.
 *
 * Points have an order: by tick, then by card, then by how many instructions the card completes at
 * that tick before. A machine that stands at a tick has begun all instructions of earlier ticks,
 * and none of that one.
 */
#ifndef DBG_CONDITIONS_H
#define DBG_CONDITIONS_H

#include "programs/inspect.h"

enum {
    DBG_BREAKS = 1024,
    DBG_WATCHES = 256,
    DBG_LINES = 64,
    DBG_STORES = 32,    /**< ranges that a thread alone may have stored to */
    DBG_CODE = 1 << 16, /**< [bytes] of all conditions of breakpoints */
    DBG_ANY_CARD = 0xffff,
};

/** Where an instruction begins. */
struct dbg_point {
    sim_tick at;
    unsigned card, order;
};

/** @return less than, equal to or greater than 0 */
static inline int dbg_point_compare(const struct dbg_point *a, const struct dbg_point *b)
{
    if (a->at != b->at)
        return a->at < b->at ? -1 : 1;
    if (a->card != b->card)
        return a->card < b->card ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/** The instruction at an address. */
struct dbg_break {
    uint64_t va;
    uint32_t code, code_to; /**< [bytes] of dbg_conditions.code: gdb's agent expressions, each with
                                 two bytes of its length in front; it stops if one is not 0. Equal:
                                 it always does */
    uint32_t but;           /**< not for this thread, which is about to step off it; 0: for all */
};

/** Bytes of the program. */
struct dbg_watch {
    uint64_t from, to; /**< virtual */
    bool reads, writes;
};

/** What may become of a line. */
enum dbg_of_line {
    DBG_LINE_MISS,       /**< a card asks for it */
    DBG_LINE_NACK,       /**< a request for it is refused */
    DBG_LINE_INVALIDATE, /**< a card's copy is taken by another */
    DBG_LINE_LOSS,       /**< a card has it no more, for any reason */
};

struct dbg_line {
    enum dbg_of_line what;
    unsigned card; /**< DBG_ANY_CARD: any */
    uint64_t va;   /**< some byte of it */
};

/** One thread goes on to its next instruction outside [from, to). */
struct dbg_step {
    uint32_t thread; /**< 0: none */
    uint64_t from, to;
    uint64_t done; /**< [instructions] its card had completed when it began; UINT64_MAX: it had no
                        card */
};

struct dbg_conditions {
    struct dbg_break brk[DBG_BREAKS];
    unsigned breaks;
    struct dbg_watch watch[DBG_WATCHES];
    unsigned watches;
    struct dbg_line line[DBG_LINES];
    unsigned lines;
    struct dbg_step step;
    uint32_t alone; /**< only hits of this thread count; 0: of all */
    uint8_t code[DBG_CODE];
    uint32_t code_used;
};

/** Whether nothing would stop the run but its own end. */
bool dbg_conditions_none(const struct dbg_conditions *c);

/** @return NULL: there is none */
struct dbg_break *dbg_break_find(struct dbg_conditions *c, uint64_t va);
/** Adds one, or gives it another condition. @param code  [count] of agent expressions, each with
 * two bytes of its length in front @return false: there are too many */
bool dbg_break_add(struct dbg_conditions *c, uint64_t va, const uint8_t *code, size_t count);
bool dbg_break_drop(struct dbg_conditions *c, uint64_t va);
bool dbg_watch_add(struct dbg_conditions *c, const struct dbg_watch *watch);
bool dbg_watch_drop(struct dbg_conditions *c, const struct dbg_watch *watch);
bool dbg_line_add(struct dbg_conditions *c, const struct dbg_line *line);

/** The watched range that an access touches; NULL: none. */
const struct dbg_watch *dbg_watch_hit(const struct dbg_conditions *c, uint64_t va, unsigned size,
                                      bool store);

/** What has happened. */
enum dbg_what { DBG_NOTHING, DBG_AT_BREAK, DBG_AT_STEP, DBG_AT_WATCH, DBG_AT_LINE };

/** Bytes that a thread has written. */
struct dbg_store {
    uint64_t va;
    unsigned size;
    uint8_t bytes[8];
};

struct dbg_hit {
    enum dbg_what what;
    struct dbg_point point;
    uint32_t thread;
    uint64_t pc;
    uint64_t va;            /**< of the access */
    struct dbg_watch watch; /**< DBG_AT_WATCH: these bytes were asked for */
    enum dbg_of_line line;  /**< DBG_AT_LINE */
    bool store;
    bool behind;            /**< the run has come back to it, and stands behind the access, ... */
    struct dbg_point maker; /**< ... which this instruction makes */
    bool has_registers;     /**< the thread's in front of the instruction are these, */
    prog_registers registers;
    struct dbg_store store_of[DBG_STORES]; /**< the thread's that the machine has not made yet */
    unsigned stores;
};

/** The first of the watched bytes that the access of a hit touches. */
static inline uint64_t dbg_hit_watched(const struct dbg_hit *hit)
{
    return hit->va < hit->watch.from ? hit->watch.from : hit->va;
}

#endif
