/*
 * IRIX's virtual event counters over the two counters of an R10000 or R12000: 32 counters of 64
 * bits for each process, or for the whole system (docs/irix.md).
 *
 * Known of the machine is only struct irix_hardware, of the operating system above only what it
 * tells: which process has which processor, the clock, overflows. All calls come while the machine
 * stands. Unless said otherwise a call returns the positive generation number of the counters it
 * is about, or a negative host errno, and after an error nothing has changed.
 */
#ifndef IRIX_HWPERF_H
#define IRIX_HWPERF_H

#include <stdbool.h>
#include <stdint.h>

enum {
    IRIX_EVENTS = 32,     /**< virtual counters; IRIX's number of an event is its place */
    IRIX_COUNTERS = 2,    /**< of a processor; */
    IRIX_PER_COUNTER = 16 /**< IRIX counts events 0 .. 15 on the first, the others on the second */
};

/** An event as it is asked for: the lower half of a control register of the hardware. */
enum {
    IRIX_MODE_EXL = 1,
    IRIX_MODE_KERNEL = 2,
    IRIX_MODE_SUPERVISOR = 4,
    IRIX_MODE_USER = 8,
    IRIX_MODES = 15,
    IRIX_INTERRUPT = 16, /**< the event's threshold counts */
    IRIX_EVENT_SHIFT = 5
};

enum { IRIX_SIGNAL_MAX = 32 };

struct irix_process;

/** The counters of the processors 0 .. `cpus`-1. All have `ctx`. */
struct irix_hardware {
    /** Counters that the processor has: IRIX_COUNTERS or more, or 0. */
    unsigned (*counters)(void *ctx, unsigned cpu);
    /** What an event of IRIX's is called in a control register of the counter that IRIX gives it.
     */
    unsigned (*number)(void *ctx, unsigned cpu, unsigned event);
    /** As coprocessor 0 has it. */
    void (*set_control)(void *ctx, unsigned cpu, unsigned k, uint32_t control);
    uint32_t (*value)(void *ctx, unsigned cpu, unsigned k);
    void (*set_value)(void *ctx, unsigned cpu, unsigned k, uint32_t value);
    /** An event has reached its threshold on a processor. @param p  its process; of the system's
     *  counters the taker; NULL: gone since @param signal  that was asked for; 0: none */
    void (*reached)(void *ctx, struct irix_process *p, unsigned cpu, int signal);
};

/** What is to be counted, and how. */
struct irix_setup {
    uint16_t event[IRIX_EVENTS];    /**< 0: not counted */
    int32_t threshold[IRIX_EVENTS]; /**< [events] 0: none */
    int32_t signal;                 /**< 0: none */
};

/** Counters of a process, or of one processor in system mode. */
struct irix_block {
    struct irix_setup setup;
    uint64_t count[IRIX_EVENTS];
    uint32_t image[IRIX_EVENTS]; /**< what the hardware begins with at the event's next turn */
    uint8_t on[IRIX_COUNTERS];   /**< whose turn it is; IRIX_EVENTS: nobody's */
};

/** What the operating system keeps of each process. Zero, then irix_process_init. */
struct irix_process {
    struct irix_block block;
    uint32_t generation;
    bool active;   /**< it counts whenever it runs */
    bool saves;    /**< its parent gets its counts, waiting or not */
    bool profiles; /**< thresholds fill buckets of its profile */
    int cpu;       /**< the processor it has; -1: none */
};

struct irix_cpu {
    struct irix_process *user;    /**< the process whose events it counts now; NULL: none */
    struct irix_block block;      /**< in system mode */
    uint32_t seen[IRIX_COUNTERS]; /**< its counters, when they were last looked at */
};

struct irix {
    const struct irix_hardware *hardware;
    void *ctx;
    struct irix_cpu *cpus; /**< [count] */
    unsigned count;
    unsigned users;             /**< cpus that have a user */
    bool system;                /**< the counters are in system mode: */
    struct irix_process *taker; /**< the process that took them; NULL: it has ended */
    bool bound;                 /**< by way of /proc: they are the taker's */
    uint32_t generation;        /**< of the system's counters */
};

void irix_init(struct irix *h, const struct irix_hardware *hardware, void *ctx, unsigned cpus);
void irix_end(struct irix *h);

/* ---- the operating system tells -------------------------------------------------------------- */

void irix_process_init(struct irix_process *p);
/** `child` is made by `parent`: it counts the same from zero on. */
void irix_born(struct irix_process *child, const struct irix_process *parent);
/** The process has ended. @param parent  NULL: none @param waits  it waits for this child */
void irix_gone(struct irix *h, struct irix_process *p, struct irix_process *parent, bool waits);
/** It has the processor from now on; no effect if it has it already. */
void irix_runs(struct irix *h, struct irix_process *p, unsigned cpu);
/** It has none any more. */
void irix_stops(struct irix *h, struct irix_process *p);
/** Whether any processor counts. */
static inline bool irix_counts(const struct irix *h)
{
    return h->system || h->users;
}
/** A clock tick of the processor: the turn goes to the next event where several share a counter. */
void irix_tick(struct irix *h, unsigned cpu);
/** Whether that does anything. */
bool irix_multiplexed(const struct irix *h, unsigned cpu);
/** Looks at the processor's counters, as the handler of their interrupt does: thresholds that have
 *  been reached are told, and bit 31 is clear afterwards. */
void irix_settle(struct irix *h, unsigned cpu);

/* ---- commands of /proc, on a process; root: the caller is -------------------------------------
 */

int64_t irix_enable(struct irix *h, struct irix_process *p, bool root,
                    const struct irix_setup *setup);
int64_t irix_modify(struct irix *h, struct irix_process *p, bool root,
                    const struct irix_setup *setup);
int64_t irix_control(const struct irix *h, const struct irix_process *p,
                     uint16_t event[IRIX_EVENTS]);
int64_t irix_read(struct irix *h, const struct irix_process *p, uint64_t count[IRIX_EVENTS]);
/** @return 0 or -errno */
int64_t irix_release(struct irix *h, struct irix_process *p);
/** @return 0 or -errno */
int64_t irix_save(struct irix *h, struct irix_process *p);

/* ---- commands of syssgi, by the process p -------------------------------------------------------
 */

/** As irix_enable, for profiles of program counters. */
int64_t irix_profile(struct irix *h, struct irix_process *p, bool root,
                     const struct irix_setup *setup);
int64_t irix_system_enable(struct irix *h, struct irix_process *p, bool root,
                           const struct irix_setup *setup);
int64_t irix_system_modify(struct irix *h, bool root, const struct irix_setup *setup);
int64_t irix_system_control(const struct irix *h, uint16_t event[IRIX_EVENTS]);
int64_t irix_system_read(struct irix *h, uint64_t count[IRIX_EVENTS]);
/** @return also 0: there is no such processor, or it has no counters */
int64_t irix_cpu_read(struct irix *h, uint64_t cpu, uint64_t count[IRIX_EVENTS]);
/** @return 0 or -errno */
int64_t irix_system_release(struct irix *h, bool root);

#endif
