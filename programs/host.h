/*
 * The host, as a run sees it: files, standard streams, and all else that comes from outside or goes
 * there. Every call of a run to the host goes through here (host.def).
 *
 * A run whose past is kept (prog_past) writes its answers into a log, which processes share. A
 * copy of the simulator that goes through the past once more gets the same answers from there, and
 * does nothing to the host: what was read is not asked for again, and nothing is written twice.
 * Without a log a call costs a test.
 */
#ifndef PROG_HOST_H
#define PROG_HOST_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <time.h>

#define HOST(type, name, real, parameters, ...) type prog_host_##name parameters;
#include "programs/host.def"
#undef HOST

/** Of the past no descriptor is ours, so nothing happens. Below 0: neither. */
void prog_host_close(int fd);

/** What is in a directory, in no order. @param[out] list  as scandir's @return entries, or -1 with
 *  errno */
int prog_host_list(int dir, struct dirent ***list);

/* ---- its log --------------------------------------------------------------------------------- */

/** The log is at its end: what comes next has not happened yet. Must not return. */
typedef void prog_host_end_fn(void *ctx);

/** From here on answers are kept, in memory that processes share which are begun later; the process
 *  has one log. @param room  [bytes] of it; the oldest answers are forgotten when there are more */
void prog_host_log_begin(size_t room);
/** No more; nobody shares it. */
void prog_host_log_end(void);

/** From here on this process answers from the log: it is a copy, and was made at
 * prog_host_log_at().
 */
void prog_host_log_replay(prog_host_end_fn *end, void *ctx);

/** Whether it does: then nothing goes to the host, nor to people. */
bool prog_host_past(void);

/** [bytes] How far this process has come in the log; 0: there is none. */
uint64_t prog_host_log_at(void);

/** [bytes] What is forgotten: a copy made before that cannot be replayed. */
uint64_t prog_host_log_forgotten(void);

#endif
