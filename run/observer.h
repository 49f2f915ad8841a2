/*
 * Who listens while a run lasts: what a book of a run must be.
 *
 * An observer is a struct of operations, any of which may be NULL. It is a file, and a row of
 * cli/observers.def; docs/extending.md has a walk through the smallest one,
 * tests/extending/listener/turns.c.
 *
 * All operations get `self`: `size` bytes, zeroed, the run's; of an observer with no size the run
 * itself (struct run_live). They are called one at a time, and while the machine stands. Listening
 * changes nothing that is simulated: an observer reads the machine, and writes registers of cards
 * where prog_hooks lets it.
 *
 * Order of calls: wants, prepare, begin; then what the run tells; finish, adds_up, concluded;
 * files, say, show; release. Of each of them in the order of the rows; released is from the last
 * row to the first. A run may end after any of them, but `release` follows where `wants` was true.
 */
#ifndef RUN_OBSERVER_H
#define RUN_OBSERVER_H

#include "documents/run.h"
#include "programs/workload.h"

struct doc_profile;
struct doc_objects;
struct doc_locks;
struct doc_truth;
struct pc_profile;
struct run_heap;

/** A run under way, for those who listen to it. */
struct run_live {
    const struct in_experiment *experiment;
    bool kept;             /**< a directory keeps what the run leaves, */
    const char *directory; /**< its name; NULL: none, or not made yet */
    const char
        *path; /**< of the program's executable when the run is prepared; NULL: it has none */
    const struct run_observer *const *row; /**< [rows] who may listen, */
    size_t rows;
    const struct run_observer *own; /**< behind the last row the caller's; NULL: it has none */
    void *own_self;                 /**< its `self`, which is not zeroed */

    struct nm_machine *machine; /**< from `begin` on */
    const struct prog_workload *workload;
    struct mon_choice choice; /**< of events */
    unsigned cards;
    struct doc_run run; /**< its numbers (run_regions, the first row) */

    /** What books have for the rows behind them. NULL: nobody keeps it. */
    struct pc_profile *profiled; /**< from `begin` to `release` */
    struct run_heap *heap;
    struct doc_profile *profile; /**< from `finish` to `release` */
    struct doc_objects *objects;
    struct doc_locks *locks;
    struct doc_truth *truth;

    /* its own */
    struct run_listening *listening; /**< [listenings] of those rows that want to */
    size_t listenings;
    struct doc_sample now;     /**< run_totals */
    bool named;                /**< the names have been read, */
    struct prog_names *names;  /**< run_names */
    struct run_asking *asking; /**< run_simulate */
};

/** Totals of the machine as it stands. They stay until the next call. */
const struct doc_sample *run_totals(struct run_live *live);

/** The names of the program's addresses, read at the first call, which is in `begin`. They stay
 *  until the last `release`. NULL: there are none. */
struct prog_names *run_names(struct run_live *live);

/** Whether people have asked that the run stops. */
bool run_stop_asked(const struct run_live *live);

/** A file that an observer leaves in the run's directory, written when all have finished. Errors
 *  stay with the stream (ferror). */
struct run_file {
    const char *name; /**< in the directory, or in monitor/ there; NULL: behind the last */
    void (*write)(void *self, FILE *out);
    bool (*is_there)(const void *self); /**< NULL: always */

    /* or, of a file that has the run's numbers */
    void (*write_run)(const struct doc_run *run, FILE *out);
    bool (*run_has)(const struct doc_run *run); /**< NULL: always */
};

/** What becomes of a run that an observer is to hear. */
enum run_begun {
    RUN_BEGUN,
    RUN_REFUSED, /**< the user asks for what cannot be */
    RUN_FAILED,  /**< the host said no */
};

struct run_observer {
    size_t size; /**< [bytes] of `self` */

    /** Whether the experiment asks for it, or the caller. NULL: always. */
    bool (*wants)(const struct run_live *live);

    /** There is a program, and no machine yet. @return false, after a complaint on stderr */
    bool (*prepare)(void *self, const struct run_live *live);

    /** What threads are to be interrupted by (prog_spec); of several observers the last one that
     *  asks has it. NULL: by nothing. */
    struct prog_counted (*counted)(const void *self);

    /** There is a machine that has not run, and all that `live` says of it.
     *  @return other than RUN_BEGUN: with one sentence in `why` */
    enum run_begun (*begin)(void *self, struct run_live *live, char *why, size_t size);

    /* What the run tells, as the members of struct prog_hooks of the same names. */
    void (*thread)(void *self, const struct prog_thread *thread);
    void (*mark)(void *self, const char *name, bool begin, sim_tick at);
    void (*measure)(void *self, bool on, sim_tick at);
    void (*figures)(void *self, const char *region, const struct prog_quotient *figure);
    void (*wrote)(void *self, int stream, const void *bytes, size_t count);
    void (*paged)(void *self, uint64_t va, uint64_t pa);
    void (*interrupted)(void *self, unsigned card, const struct prog_access *access,
                        unsigned count);
    void (*overflowed)(void *self, const struct prog_overflow *overflow);
    void (*turn)(void *self, const struct prog_turn *turn);
    void (*begun)(void *self, struct prog_run *run);
    bool (*signalled)(void *self, uint32_t thread, int called);
    void (*called)(void *self, uint32_t thread, uint64_t number, bool over);
    void (*ended)(void *self);

    /** Asked behind `begin`. @return [ticks] when `moment` is to be called first; SIM_NEVER: never
     */
    sim_tick (*first)(void *self);

    /** Soon after each moment that it, or `first`, returned; the machine stands at `at`.
     *  @return likewise */
    sim_tick (*moment)(void *self, sim_tick at);

    /** The run has ended at `at`, where the machine stands. What people should know of it is a
     *  remark (doc_remark). */
    void (*finish)(void *self, sim_tick at);

    /** Whether what was heard is what the cards show. @return false, with one sentence in `why` */
    bool (*adds_up)(void *self, char *why, size_t size);

    /** The run is counted up: its registers and hashes are known. */
    void (*concluded)(void *self);

    const struct run_file *file; /**< NULL: it leaves none */

    /** What people should hear first of all, in front of the tables. */
    void (*say)(void *self, FILE *out);

    /** Of a run that no directory keeps: shows people what it would have left. */
    void (*show)(void *self, FILE *out);

    /** Gives back what `self` holds; the machine is still there, and runs no more. */
    void (*release)(void *self);
};

#endif
