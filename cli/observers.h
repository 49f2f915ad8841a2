/* Who listens while a run lasts: the rows of observers.def. */
#ifndef CLI_OBSERVERS_H
#define CLI_OBSERVERS_H

#include "run/observer.h"

/** How many they are. */
extern const size_t cli_observers;
extern const struct run_observer *const cli_observer[];

/** A doc_file_name_fn: of the files that they leave. */
const char *cli_file_name(unsigned i);

#endif
