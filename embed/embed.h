/*
 * A run in another program: it stands where it is asked to, and shows its counts there.
 *
 * The run has a host thread of its own, in which it is simulated while the caller waits for it; it
 * is the same run as the command's, to the cycle and to the hash. What a user can mistake comes
 * back as a sentence. A program's threads sleep in SimGrid, which starts once in a process: a
 * second program with threads that sleep ends as `unloadable`. Patterns, kernels and traces may
 * follow each other.
 *
 * Calls for one run come from one thread at a time. The program's output goes to descriptors 1 and
 * 2. It is kept to its view of files as always, but the host's kernel confines nothing, as it would
 * confine the caller, too.
 */
#ifndef EMB_EMBED_H
#define EMB_EMBED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

struct emb_run;

/** The library's version: "1.0.0". */
const char *emb_version(void);

/** What to run, and on what. All is the caller's, and read by emb_open alone. */
struct emb_ask {
    const char *experiment; /**< a file, or the name of a shipped one. Its program is ready to be
                                 run, or a pattern. NULL: every default, */
    const char *machine;    /**< on this machine, as the command's --machine; NULL: the default */
    char *const *sets;      /**< NULL-terminated "KEY=VALUE", as the command's --set; NULL: none */
    char *const *program;   /**< NULL-terminated: the program and its arguments, instead of the
                                 experiment's; NULL: as that, or program.pattern among `sets`, has
                                 it */
};

/**
 * Loads it, at tick 0.
 * @return the caller's (emb_close); NULL, with what is wrong in `why`: lines, the last without an
 *         end. Some complaints go to standard error, too
 */
struct emb_run *emb_open(const struct emb_ask *ask, char *why, size_t size);

/** Gives it back, ended or not: one that stands is interrupted, which takes a tenth of a second.
 * Not in a copy of the process (fork), which has not its threads. */
void emb_close(struct emb_run *run);

/** Runs on until the machine stands at `tick` or soon after it, where all of it has been simulated.
 *  @return false: it has ended before */
bool emb_run_to(struct emb_run *run, uint64_t tick);

/** Whether the caller has seen enough; the machine stands. */
typedef bool emb_enough_fn(void *ctx, struct emb_run *run);

/** Runs on, looks after every so many ticks, and stands where `enough` is true for the first time.
 *  @param every  1 or more @return false: it has ended before */
bool emb_run_until(struct emb_run *run, uint64_t every, emb_enough_fn *enough, void *ctx);

/** [ticks] where it stands, or has ended. A tick is a PCycle. */
uint64_t emb_now(const struct emb_run *run);

/** [ticks] of a simulated second. */
uint64_t emb_ticks_per_second(const struct emb_run *run);

/** Processor cards. */
unsigned emb_cards(const struct emb_run *run);

/** What is counted on each card: all events of its counters, by the names of `numachine list
 *  events`, and the truth beside them ("truth.loads"). Strings are static or the run's. */
struct emb_column {
    const char *name, *unit, *sentence;
    unsigned
        same; /**< so many cards, from a multiple of it on, count the same: those of a station */
};

unsigned emb_columns(const struct emb_run *run);
struct emb_column emb_column(const struct emb_run *run, unsigned i);

/** Totals since tick 0, exact and without the limits of a counter.
 *  @param[out] value  [cards][columns] */
void emb_read(struct emb_run *run, uint64_t *value);

/** How a run ended. Strings are the run's. */
struct emb_end {
    const char *word, *message; /**< "exited", "limit" ...; for people, or "" */
    int status;                 /**< the program's */
    uint64_t ticks, instructions;
    uint64_t result_hash, totals_hash; /**< as in a manifest: XXH64 */
};

/** @return false: it has not */
bool emb_ended(const struct emb_run *run, struct emb_end *out);

#pragma GCC visibility pop

#endif
