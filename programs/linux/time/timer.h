/*
 * Timers: dates on a clock at which a program is notified. setitimer's three, POSIX timers and
 * timer descriptors are the same thing; they differ in how they notify.
 */
#ifndef LX_TIMER_H
#define LX_TIMER_H

#include "programs/linux/process/call.h"

/** What a timer's time is. */
enum lx_timer_clock {
    TIMER_WALL,    /**< simulated time */
    TIMER_PROCESS, /**< time all threads together have had cards */
    TIMER_THREAD,  /**< time one thread has had its card */
};

/** The receiver of its notice, and the way. */
enum lx_timer_use {
    TIMER_INTERVAL, /**< setitimer: the process, by the signal of the kind */
    TIMER_SIGNAL,   /**< POSIX: a thread or the process, by a signal */
    TIMER_SILENT,   /**< POSIX: nobody */
    TIMER_FILE,     /**< the threads that wait for its descriptor */
};

struct lx_timer {
    struct lx_timer *prev, *next;
    enum lx_timer_use use;
    int id; /**< TIMER_INTERVAL: its kind; POSIX: its number; TIMER_FILE: -1 */
    enum lx_timer_clock clock;
    uint32_t clock_tid; /**< TIMER_THREAD */
    bool realtime;      /**< absolute dates count from 1970 */
    sim_tick at, every; /**< [ticks] on its clock; at SIM_NEVER: off; every 0: once */
    bool fired;         /**< `at` has passed and is kept until the notice is taken */
    bool queued;        /**< its signal waits */
    uint32_t tid;       /**< TIMER_SIGNAL: the thread told; 0: the process */
    uint32_t spender;   /**< the thread whose turn it was to be told (alarm.c) */
    struct lx_siginfo info;
    uint64_t missed; /**< dates passed beside the one last told (timer_getoverrun) */
};

/** [ticks] a thread has had a card (for the caller, up to its trap), and all of them together. */
sim_tick lx_thread_ran(const struct lx_thread *t);
sim_tick lx_process_ran(const struct lx_prog *p);

/** A new timer, off; part of p->timers until lx_timer_free. */
struct lx_timer *lx_timer_new(struct lx_prog *p, enum lx_timer_use use, enum lx_timer_clock clock);
void lx_timer_free(struct lx_prog *p, struct lx_timer *t);

/** [ticks] reading of the timer's clock. */
sim_tick lx_timer_clock_now(const struct lx_prog *p, const struct lx_timer *t);
/** [ticks] until it fires, 0: off. */
sim_tick lx_timer_left(const struct lx_prog *p, const struct lx_timer *t);
/** Sets it to `at` (SIM_NEVER: off) on its clock, and every `every` ticks after. */
void lx_timer_set(struct lx_timer *t, sim_tick at, sim_tick every);
/** Dates passed since the notice was last taken; takes it. For descriptors. */
uint64_t lx_timer_passed(const struct lx_prog *p, struct lx_timer *t);

/** RLIMIT_CPU [s]: SIGXCPU at `soft` and each second after it, SIGKILL at `hard`; UINT64_MAX:
 * never. */
void lx_timers_limit(struct lx_prog *p, uint64_t soft, uint64_t hard);

/** The next tick at which a timer may come due; SIM_NEVER: none in sight. */
sim_tick lx_timers_date(const struct lx_prog *p);
/** A signal has been taken off its queue: a timer that sent it goes on; fills in the overrun. */
void lx_timer_taken(struct lx_prog *p, struct lx_siginfo *info);
/** Signals of that number were thrown away. */
void lx_timers_dropped(struct lx_prog *p, int signo);
void lx_timers_free(struct lx_prog *p);

/* ---- for signals/alarm.c, which lets them fire ----------------------------------------------- */

/** Winds it up again after its date. @return dates passed, at least 1 */
uint64_t lx_timer_wind_up(const struct lx_prog *p, struct lx_timer *t);
/** The notice will not be taken: on to a date that is not too near. */
void lx_timer_go_on(struct lx_prog *p, struct lx_timer *t);

/* ---- timers as calls have them (sys_timer.c) ------------------------------------------------- */

/** Gives the guest the itimerspec at argument `i`, 't' or 'T' as for a timespec. @return 0, -EFAULT
 */
int lx_timer_put(struct lx_call *c, unsigned i, const struct lx_timer *t);
/** Sets it from arguments 1 (flags), 2 (new) and 3 (old, may be 0). @param t  NULL: there is none
 */
int64_t lx_timer_settime(struct lx_call *c, struct lx_timer *t);

#endif
