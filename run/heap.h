/*
 * The objects of a run while it goes on: who gets which memory, and gives it back, as the calls of
 * the program's own functions say (pc_profile_watch, allocators.def).
 */
#ifndef RUN_HEAP_H
#define RUN_HEAP_H

#include "documents/rows/objects.h"
#include "procard/misses.h"
#include "programs/workload.h"
#include "run/tenants.h"

struct run_heap;

/** Begins to watch, before the machine's first run.
 *  @param names  the program's; NULL: nothing is known of its functions
 *  @return the caller's, released after the profile's last use */
struct run_heap *run_heap_new(struct pc_profile *profile, struct prog_names *names);
void run_heap_free(struct run_heap *heap);

/** prog_hooks.thread: a thread's stack and variables. */
void run_heap_thread(struct run_heap *heap, const struct prog_thread *thread);

/** Says what is where whenever something is asked for, from now on; before the machine's first
 *  run. @param misses  asks until its end */
void run_heap_watch_misses(struct run_heap *heap, struct pc_misses *misses);

/** All that were asked for, by number; of a heap that watches misses. @return the caller's */
struct doc_tenant *run_heap_tenants(const struct run_heap *heap, size_t *count);

/** What there is by now. The caller's (doc_objects_free). */
struct doc_objects run_heap_take(const struct run_heap *heap);

#endif
