/*
 * Timers: dates on a clock at which something is told. setitimer's three, POSIX timers and timer
 * descriptors are the same thing and differ in whom they tell.
 */
#ifndef PROG_TIMER_H
#define PROG_TIMER_H

#include "programs/syscall.h"

/** What a timer's time is. */
enum timer_clock {
    TIMER_WALL,    /**< simulated time */
    TIMER_PROCESS, /**< time all threads together have had cards */
    TIMER_THREAD,  /**< time one thread has had its card */
};

/** Whom it tells, and how. */
enum timer_use {
    TIMER_INTERVAL, /**< setitimer: the process, by the signal of the kind */
    TIMER_SIGNAL,   /**< POSIX: a thread or the process, by a signal */
    TIMER_SILENT,   /**< POSIX: nobody */
    TIMER_FILE,     /**< those who wait for its descriptor */
};

struct timer {
    struct timer *prev, *next;
    enum timer_use use;
    int id; /**< TIMER_INTERVAL: its kind, 0 .. 2; POSIX: its number; TIMER_FILE: -1 */
    enum timer_clock clock;
    uint32_t clock_tid; /**< TIMER_THREAD */
    bool realtime;      /**< absolute dates count from 1970 */
    nm_tick at, every;  /**< [ticks] on its clock; at NM_NEVER: off; every 0: once */
    bool fired;         /**< `at` has passed and is kept until somebody takes the notice */
    bool queued;        /**< its signal waits */
    uint32_t tid;       /**< TIMER_SIGNAL: the thread told; 0: the process */
    struct siginfo info;
    uint64_t missed; /**< dates passed beside the one last told (timer_getoverrun) */
};

/** [ticks] a thread has had a card (for the caller, up to its trap), and all of them together. */
nm_tick thread_ran(const struct thread *t);
nm_tick process_ran(const struct prog *p);

/** A new timer, off; part of p->timers until timer_free. */
struct timer *timer_new(struct prog *p, enum timer_use use, enum timer_clock clock);
void timer_free(struct prog *p, struct timer *t);
void timers_free(struct prog *p);

/** [ticks] reading of the timer's clock. */
nm_tick timer_clock_now(const struct prog *p, const struct timer *t);
/** [ticks] until it fires, 0: off. */
nm_tick timer_left(const struct prog *p, const struct timer *t);
/** Sets it to `at` (NM_NEVER: off) on its clock, and every `every` ticks after. */
void timer_set(struct timer *t, nm_tick at, nm_tick every);
/** Dates passed since the notice was last taken; takes it. For descriptors. */
uint64_t timer_passed(const struct prog *p, struct timer *t);

#endif
