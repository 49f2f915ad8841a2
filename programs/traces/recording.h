/*
 * A run while its trace is written: references of its threads, their sleep, the threads that wake
 * them, and the order in which they store into the words that they synchronise with
 * (docs/traces.md).
 */
#ifndef TR_RECORDING_H
#define TR_RECORDING_H

#include "programs/program.h"
#include "programs/traces/trace.h"

#include <stdbool.h>
#include <stdio.h>

struct tr_recording;

/** What the places of pages depend on: tr_about.where. */
uint64_t tr_where(const struct nm_params *params);

/** All of a machine that a user may set, as a number: replays on others are not the run again. */
uint64_t tr_machine(const struct nm_params *params);

/** What a run on a machine has come to by now, which stands. */
struct tr_came tr_has_come(struct nm_machine *m);

/** Records all of a machine's threads, from its first run on.
 *  @param made  one line: what is recorded
 *  @param[out] why  on failure one sentence; errno is ENOTSUP then, or what the host said
 *  @return the caller's, to be released behind the machine's last run and before its end */
struct tr_recording *tr_recording_begin(struct nm_machine *m, const char *made, char *why,
                                        size_t size);
void tr_recording_free(struct tr_recording *recording);

/* What the run tells (prog_hooks). */
void tr_recording_turn(struct tr_recording *recording, const struct prog_turn *turn);
void tr_recording_paged(struct tr_recording *recording, uint64_t va, uint64_t pa);
void tr_recording_mark(struct tr_recording *recording, const char *name, bool begin);

/** Nothing comes behind this: the machine stands for good. */
void tr_recording_end(struct tr_recording *recording);

/** The trace. Errors, also of text written meanwhile, show on `out`. @pre it has ended */
void tr_recording_write(struct tr_recording *recording, FILE *out);

#endif
