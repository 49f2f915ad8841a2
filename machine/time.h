/*
 * Simulated time and the event kernel of one station (an "island").
 *
 * Time is an integer. One tick is one period of the processor's pipeline clock (PClock, 150 MHz by
 * default); slower clocks tick every n-th tick (the 50 MHz bus every 3rd). Seconds are computed
 * only when something is printed.
 *
 * Every event has a place in a total order (tick, rank, component, sequence), so that a run gives
 * the same bytes whatever the host, the build or the monitor's settings. Nothing is allocated while
 * time passes: event records come from a pool that grows only when it is empty.
 */
#ifndef NM_TIME_H
#define NM_TIME_H

#include <stdbool.h>
#include <stdint.h>

/** Simulated time in ticks (PClock periods). Simulated, NOT wall-clock time. */
typedef uint64_t nm_tick;

/** No such moment: later than any event. */
#define NM_NEVER UINT64_MAX

/** Order of events that fall on one tick; lower ranks first. */
enum nm_rank {
    NM_RANK_LOOK,      /**< a monitoring card looks at what has been before this tick */
    NM_RANK_DELIVER,   /**< a packet arrives, a fill completes */
    NM_RANK_MODULE,    /**< a module works on what has arrived */
    NM_RANK_ARBITRATE, /**< the bus decides, having seen every request of the tick */
    NM_RANK_OS,        /**< the world outside the hardware: traps, marks, limits */
};

struct nm_event;

/** What an event does when it is due. `self` is the component, `arg` the word given at posting. */
typedef void nm_fire_fn(void *self, nm_tick now, uint64_t arg);

/** Opaque event queue; one per island. */
struct nm_kernel;

/** Makes an empty queue at tick 0. Ownership: caller; release with nm_kernel_free. */
struct nm_kernel *nm_kernel_new(void);
void nm_kernel_free(struct nm_kernel *k);

/**
 * Posts an event.
 * @param at         [ticks] not before nm_kernel_now()
 * @param rank       order within the tick
 * @param component  id of the receiving component, the next key of the order; below 2^24
 * @param fire,self,arg  what runs
 */
void nm_post(struct nm_kernel *k, nm_tick at, enum nm_rank rank, uint32_t component,
             nm_fire_fn *fire, void *self, uint64_t arg);

/** Events posted and not yet fired. */
uint32_t nm_kernel_count(const struct nm_kernel *k);

/** Tick of the next event, or NM_NEVER. */
nm_tick nm_kernel_next(struct nm_kernel *k);

/** Current tick: that of the last event fired, or set by nm_kernel_advance. */
nm_tick nm_kernel_now(const struct nm_kernel *k);

/** Fires the first event in order. Precondition: there is one. */
void nm_kernel_step(struct nm_kernel *k);

/** Moves the clock to `to` without firing; precondition: no event before `to`. */
void nm_kernel_advance(struct nm_kernel *k, nm_tick to);

#endif
