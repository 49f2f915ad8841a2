/*
 * The objects of a run while it goes on: who gets which memory, and gives it back, as the calls of
 * the program's own functions say (pc_profile_watch, allocators.def).
 */
#ifndef RUN_HEAP_H
#define RUN_HEAP_H

#include "procard/misses.h"
#include "run/tenants.h"

struct run_heap;

/** Says what is where whenever something is asked for, from now on; before the machine's first
 *  run. @param misses  asks until its end */
void run_heap_watch_misses(struct run_heap *heap, struct pc_misses *misses);

/** All that were asked for, by number; of a heap that watches misses. @return the caller's */
struct doc_tenant *run_heap_tenants(const struct run_heap *heap, size_t *count);

#endif
