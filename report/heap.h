/*
 * The objects of a run while it goes on: who gets which memory, and gives it back, as the calls of
 * the program's own functions say (pc_profile_watch, allocators.def).
 */
#ifndef REP_HEAP_H
#define REP_HEAP_H

#include "procard/misses.h"
#include "programs/workload.h"
#include "report/objects.h"
#include "report/tenants.h"

struct rep_heap;

/** Begins to watch, before the machine's first run.
 *  @param names  the program's; NULL: nothing is known of its functions
 *  @return the caller's, released after the profile's last use */
struct rep_heap *rep_heap_new(struct pc_profile *profile, struct prog_names *names);
void rep_heap_free(struct rep_heap *heap);

/** prog_hooks.thread: a thread's stack and variables. */
void rep_heap_thread(struct rep_heap *heap, const struct prog_thread *thread);

/** Says what is where whenever something is asked for, from now on; before the machine's first
 *  run. @param misses  asks until its end */
void rep_heap_watch_misses(struct rep_heap *heap, struct pc_misses *misses);

/** All that were asked for, by number; of a heap that watches misses. @return the caller's */
struct rep_tenant *rep_heap_tenants(const struct rep_heap *heap, size_t *count);

/** What there is by now. The caller's (rep_objects_free). */
struct rep_objects rep_heap_take(const struct rep_heap *heap);

#endif
