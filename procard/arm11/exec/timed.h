/*
 * Private to the interpreter with time: when an instruction issues, and when its results are ready.
 * `now` is the clock, and `at` the first tick at which all is there that the instruction reads.
 */
#ifndef ARM11_EXEC_TIMED_H
#define ARM11_EXEC_TIMED_H

#include "procard/arm11/exec/books.h"

#include <string.h>

/* Rows of timing.def as constants of the handlers. */
#define TIME(name, cycles, latency, second, early, late, source)                             \
    enum { CYCLES_##name = (cycles), LATENCY_##name = (latency), SECOND_##name = (second) }; \
    static inline int adjust_##name(char letter)                                             \
    {                                                                                        \
        return strchr(early, letter) ? 1 : strchr(late, letter) ? -1 : 0;                    \
    }
#include "procard/arm11/timing.def"
#undef TIME

#define LATER(i)                                                                           \
    do {                                                                                   \
        const sim_tick other = c->ready[op->source[i]] + (sim_tick)(int64_t)op->adjust[i]; \
        at = (int64_t)other > (int64_t)at ? other : at;                                    \
    } while (0)
/** The same of a register, if it is known how much later it may be read. */
#define AFTER(reg, adjust)                                                  \
    do {                                                                    \
        const sim_tick other = c->ready[reg] + (sim_tick)(int64_t)(adjust); \
        at = (int64_t)other > (int64_t)at ? other : at;                     \
    } while (0)
/** The same of an operand, if the row has it. */
#define WANTS(operands, time, letter, reg)     \
    do {                                       \
        if (strchr(operands, letter))          \
            AFTER(reg, adjust_##time(letter)); \
    } while (0)
#define WRITABLE(reg)                                      \
    do {                                                   \
        if (unlikely(c->locked > at) && c->lock[reg] > at) \
            at = c->lock[reg];                             \
    } while (0)
/** The run ends: the instruction waits until a tick. */
#define WAITS(where, tick) \
    do {                   \
        wants = (tick);    \
        goto where;        \
    } while (0)
/** The instruction issues now, or the run ends. */
#define ISSUED()                     \
    do {                             \
        if (unlikely(at >= horizon)) \
            WAITS(waits, at);        \
        SLIPS(at - now);             \
        now = at;                    \
    } while (0)
#define ISSUE1()       \
    sim_tick at = now; \
    LATER(0);          \
    WRITABLE(op->a.d); \
    ISSUED()
#define ISSUE2()       \
    sim_tick at = now; \
    LATER(0);          \
    LATER(1);          \
    WRITABLE(op->a.d); \
    ISSUED()
/* Of loads and stores the pipe is the first source. A wait for it is none for a register; meanwhile
 * all places for misses may be taken, too. */
#define PIPED() sim_tick at = c->ready[ARM11_LSU] > now ? c->ready[ARM11_LSU] : now, free = at
#define ENTERS()                                    \
    do {                                            \
        if (unlikely(at >= horizon))                \
            WAITS(waits, at);                       \
        if (unlikely(free > now))                   \
            arm11_not_for_registers(c, free - now); \
        if (unlikely(c->full > now))                \
            arm11_also_full(c, now, at);            \
        SLIPS(at - now);                            \
        now = at;                                   \
    } while (0)
#define ENTER2()                   \
    PIPED();                       \
    AFTER(op->a.n, op->adjust[1]); \
    WRITABLE(op->a.d);             \
    ENTERS()
#define ENTER3()       \
    PIPED();           \
    LATER(1);          \
    LATER(2);          \
    WRITABLE(op->a.d); \
    ENTERS()
#define ENTER5()       \
    PIPED();           \
    LATER(1);          \
    LATER(2);          \
    LATER(3);          \
    LATER(4);          \
    WRITABLE(op->a.d); \
    WRITABLE(op->a.e); \
    ENTERS()
/** An instruction that is none of memory, and whose row and time are constants. */
#define ISSUE_ROW(operands, time) ISSUE_ROW_(operands, time)
#define ISSUE_ROW_(operands, time)       \
    sim_tick at = now;                   \
    WANTS(operands, time, 'a', op->a.a); \
    WANTS(operands, time, 'n', op->a.n); \
    WANTS(operands, time, 'm', op->a.m); \
    WANTS(operands, time, 's', op->a.s); \
    WANTS(operands, time, 'l', op->a.d); \
    WANTS(operands, time, 'h', op->a.e); \
    WRITABLE(op->a.d);                   \
    if (SECOND_##time)                   \
        WRITABLE(op->a.e);               \
    ISSUED()
#define DONE_ROW(time) DONE_ROW_(time)
#define DONE_ROW_(time)                              \
    do {                                             \
        c->ready[op->a.d] = now + LATENCY_##time;    \
        if (SECOND_##time)                           \
            c->ready[op->a.e] = now + SECOND_##time; \
        now += CYCLES_##time;                        \
    } while (0)
#define RESULT()       (c->ready[op->a.d] = now + op->latency)
#define TAKES()        (now += op->cycles)
#define OCCUPIES(more) (c->ready[ARM11_LSU] = now + op->memory + (more))
#define LATENCY        , op->latency
#define CALL(f)        arm11_##f
#define VIEW(va)       (&c->view[(va) >> ARM11_LINE_SHIFT & c->view_mask])
#define OF_LINE(size)  (~UINT64_C(31) | ((size)-1))
#define WROTE(va)      (c->wrote[(va) >> ARM11_LINE_SHIFT & c->view_mask] |= 1u << ((va) >> 4 & 1))
#define WRITTEN_BACK() (c->ready[op->a.n] = now + 1)
#define BARRIER()      arm11_barrier(c, false)

/** What the predictors say that an instruction takes that issues now, in `cycles`, `more` than that
 *  in all; fetch may have asked for lines. */
#define PREDICTED(cycles, more, call)                                         \
    do {                                                                      \
        base->now = now;                                                      \
        c->kills = 0;                                                         \
        (cycles) = (call);                                                    \
        arm11_spent(c, PC_ST_KILL_BRANCH, c->kills, now + (cycles) + (more)); \
        horizon = base->horizon;                                              \
    } while (0)
/** The return stack takes the address behind a call. */
#define CALLED(back) arm11_calls(c, (back))
/** The address in a register of the core's is known, or the run ends. */
#define KNOWN_FROM(tick)                                                          \
    do {                                                                          \
        const sim_tick known = (tick);                                            \
        const sim_tick at = (int64_t)known > (int64_t)now ? known : now;          \
        if (unlikely(at >= horizon)) /* what is fetched behind it is asked for */ \
            WAITS(waits_for_pc, at);                                              \
        SLIPS(at - now);                                                          \
        now = at;                                                                 \
        c->ready[ARM_PC] = 0;                                                     \
    } while (0)
#define TAKEN_BY(operation) (operation)->cycles
/** Time passes up to the horizon, if that is not here. */
#define PASSES()                                              \
    do {                                                      \
        const sim_tick n = horizon > now ? horizon - now : 0; \
        did.slips += arm11_waited(c, n, wants, OBSERVED);     \
        now += n;                                             \
    } while (0)
/** Whether the line of instructions at `pc` is shown. */
#define FETCHED(pc)                                                 \
    (c->iviews[(pc) >> ARM11_LINE_SHIFT & (ARM11_VIEWS - 1)].tag == \
     ((pc) & ~(uint32_t)(ARM11_LINE - 1)))
/** The data cache is shown, unless data are big-endian. */
#define SHOW()                                       \
    do {                                             \
        c->view = c->r.e ? c->blind : c->views;      \
        c->view_mask = c->r.e ? 0 : ARM11_VIEWS - 1; \
    } while (0)

#endif
