/*
 * The recorder of a run: it listens to the machine and to the threads, and what it heard is written
 * for programs that others have made (docs/tools.md). Nothing simulated changes.
 *
 * Signals, processors and requests are recorded within a window; threads are, too, but without
 * record.to up to the end of the run.
 */
#ifndef TRC_RECORDER_H
#define TRC_RECORDER_H

#include "documents/rows/locks.h"
#include "documents/run.h"
#include "procard/procard.h"
#include "programs/workload.h"
#include "trace/book.h"

/** As many changes and requests are kept, or a few more; then the window ends. */
enum { TRC_KEPT_MAX = 1 << 19 };

/** What a thread does. */
enum trc_thread_state {
    TRC_NONE,    /**< it is not there */
    TRC_READY,   /**< it could go on, but has no card yet */
    TRC_RUNS,    /**< it has a card, or takes turns with others on it */
    TRC_BLOCKED, /**< it sleeps until it is called, or for a time */
    TRC_STATES
};

/** Its name. Static. */
const char *trc_thread_word(uint64_t value);

/** What has been recorded. */
struct trc_recorder {
    const struct in_experiment *experiment;
    struct trc_book wires; /**< signals and processors */
    struct trc_book threads;
    struct pc_served *request; /**< [requests] once ended: by their ends, then by card */
    size_t requests;
    struct run_live *of;
    sim_tick next;              /**< when it is to look; SIM_NEVER: not again */
    struct trc_listening *live; /**< while there is a machine to listen to; NULL: not */

    /* its own */
    size_t requests_room;
    bool full;                /**< the window ended because too much was kept */
    bool open;                /**< what happens is heard */
    bool too_many_turns;      /**< ... and that of threads for the same reason */
    struct trc_known *page;   /**< physical pages by address (uthash) */
    struct trc_known *thread; /**< signals of threads by number (uthash) */
};

/** Where a physical address lay in the program. @return false: nowhere that is known */
bool trc_virtual(const struct trc_recorder *recorder, uint64_t pa, uint64_t *va);

/* ---- files ----------------------------------------------------------------------------------- */

/** A row for each change of the pins: card, first PCycle, for how many MasterClocks, the pins by
 *  the machine's codes, and the two states. */
void trc_write_status(const struct trc_recorder *recorder, FILE *out);

/** Signals as a value change dump (IEEE 1364), times in ps. */
void trc_write_waves(const struct trc_recorder *recorder, FILE *out);

/** Threads, processors and requests as Trace Event JSON, gzip-compressed.
 *  @param names  of the program; NULL: none
 *  @param locks  what threads waited for; NULL: not known */
void trc_write_trace(const struct trc_recorder *recorder, struct prog_names *names,
                     const struct doc_locks *locks, FILE *out);

/** Threads as a Paje file, times in seconds. */
void trc_write_paje(const struct trc_recorder *recorder, FILE *out);

#endif
