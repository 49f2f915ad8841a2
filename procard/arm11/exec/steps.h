/*
 * Private to the interpreter: from one operation to the next, and calls of other functions, which
 * see the clock and the place in the core. `did` is the tally.
 */
#ifndef ARM11_EXEC_STEPS_H
#define ARM11_EXEC_STEPS_H

#include "procard/arm11/exec/books.h"

#if OBSERVED
/** What has been done is put down to the instruction that did it; the next one stands there now. */
#define BOOKS()                                   \
    do {                                          \
        base->now = now;                          \
        arm11_put_down(c, did, OBSERVED);         \
        did = (struct arm11_tally){.began = now}; \
    } while (0)
#define STANDS() arm11_stands(c, b, op)
/** The block is left for `to`. */
#define LEAVES(how, to)                     \
    do {                                    \
        BOOKS();                            \
        arm11_moves(c, b, op, (how), (to)); \
    } while (0)
/** An instruction jumps. */
#define JUMPS(by, pc, to)                  \
    do {                                   \
        BOOKS();                           \
        arm11_jumped(c, (by), (pc), (to)); \
    } while (0)
#define REFERS(kind, va, size)                    \
    do {                                          \
        base->now = now;                          \
        arm11_refers_to(c, (kind), (va), (size)); \
    } while (0)
#define SLIPS(n)             \
    do {                     \
        did.slips += (n);    \
        arm11_slips(c, (n)); \
    } while (0)
/* All dispatch in one place: what stands there is much, and takes the host longer than a jump. */
#define DISPATCH() goto dispatches
#define NEXT()     goto next
#else
#define SLIPS(n)               (did.slips += (n))
#define BOOKS()                ((void)0)
#define STANDS()               ((void)0)
#define LEAVES(how, to)        ((void)0)
#define JUMPS(by, pc, to)      ((void)0)
#define REFERS(kind, va, size) ((void)0)
#define DISPATCH()             goto *label[op->a.code]
#define NEXT()       \
    do {             \
        did.insns++; \
        op++;        \
        DISPATCH();  \
    } while (0)
#endif

#define NEXT_FREE() \
    do {            \
        op++;       \
        DISPATCH(); \
    } while (0)

/** An instruction that reads nothing issues now, or the run ends. */
#define ISSUE()                       \
    do {                              \
        if (unlikely(now >= horizon)) \
            goto waits;               \
    } while (0)

/* Other functions see the clock and the place, and may move the clock. */
#define OUT()                  \
    do {                       \
        c->base.now = now;     \
        REG(ARM_PC) = PC_HERE; \
    } while (0)
#define IN()                       \
    do {                           \
        now = c->base.now;         \
        horizon = c->base.horizon; \
    } while (0)
/** What has been done so far is in the books: the instruction reads them, or what listens to them.
 */
#define PUT_DOWN()                                \
    do {                                          \
        OUT();                                    \
        arm11_put_down(c, did, OBSERVED);         \
        did = (struct arm11_tally){.began = now}; \
    } while (0)
/** A call that may say that the instruction cannot be done yet. */
#define SLOWLY(call)              \
    do {                          \
        OUT();                    \
        const bool done = (call); \
        IN();                     \
        if (!done)                \
            goto stopped;         \
    } while (0)

#endif
