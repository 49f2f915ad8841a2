/* Listening to a machine: buses, rings, pins, counted events. For the recorder only. */
#ifndef TRC_LISTEN_H
#define TRC_LISTEN_H

#include "trace/recorder.h"

/** Makes the signals of what is to be recorded. @return the caller's, trc_listening_free */
struct trc_listening *trc_listening_new(struct trc_recorder *recorder, const struct doc_run *run,
                                        struct nm_machine *m);
void trc_listening_free(struct trc_listening *live);

/** [ticks] listening has to begin so long before the window. A card's own time may be ahead of the
 *  machine's, with room to spare: system calls and the like are charged at once. And a bus is not
 *  known to be busy until it is given to a module. */
enum { TRC_LEAD = 100000 };

/** Begins to listen, as soon as the machine stands somewhere. */
void trc_listening_open(struct trc_listening *live);

/** [ticks] Looking has to begin here, for what goes on at `from` to be known. */
sim_tick trc_listening_begin(const struct trc_listening *live, sim_tick from);

/** Looks at what is only counted; the machine stands at `at`. */
void trc_listening_look(struct trc_listening *live, sim_tick at);

/** When that should be done next, after `at`. */
sim_tick trc_listening_next(const struct trc_listening *live, sim_tick at);

/** Whether all before `to`, which is not 0, is known: the machine stands at `at`, and has been
 * looked at. */
bool trc_listening_knows(const struct trc_listening *live, sim_tick at, sim_tick to);

/** The machine stands at `at`: all up to here is told, and nothing after it. */
void trc_listening_close(struct trc_listening *live, sim_tick at);

#endif
