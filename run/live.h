/*
 * A run and all who listen to it (observer.h), from the first that is asked whether it wants to
 * listen to the last that gives back what it holds.
 */
#ifndef RUN_LIVE_H
#define RUN_LIVE_H

#include "documents/whole.h"
#include "run/observer.h"

/** Asks who wants to listen. @pre what struct run_live has ahead of the machine is said
 *  @return false, after a complaint: somebody misses something in the program. run_live_free is due
 *  in any case */
bool run_live_prepare(struct run_live *live);
void run_live_free(struct run_live *live);

/** They listen from now on. @return other than RUN_BEGUN: with one sentence in `why` */
enum run_begun run_live_begin(struct run_live *live, char *why, size_t size);

/** [ticks] the next moment at which somebody wants to look; SIM_NEVER: none. */
sim_tick run_live_next(const struct run_live *live);

/** What threads are to be interrupted by. */
struct prog_counted run_live_counted(const struct run_live *live);

/** What a run tells them; `ctx` is `live`. What nobody hears is NULL, and costs the run nothing. */
struct prog_hooks run_live_hooks(struct run_live *live);

/** The run has ended at `at`. */
void run_live_finish(struct run_live *live, sim_tick at);

/** @return false, with the sentence of the first who heard something else than the cards show */
bool run_live_adds_up(struct run_live *live, char *why, size_t size);

/** Registers and hashes are known. */
void run_live_conclude(struct run_live *live);

/** Writes a file of the run's directory; `fn` gets `file`. */
typedef void run_write_fn(void *ctx, const char *name, doc_write_fn *fn, void *file);

/** Has each file written that is there. */
void run_live_write(struct run_live *live, run_write_fn *write, void *ctx);

void run_live_say(struct run_live *live, FILE *out);
void run_live_show(struct run_live *live, FILE *out);

/** Name of the i-th file that observers may leave; NULL: behind the last. */
const char *run_file_name(const struct run_observer *const *row, size_t rows, unsigned i);

#endif
