/*
 * Work that is done side by side, in processes of its own: what cannot be done twice in one
 * process, or should not be trusted with ours.
 */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <stdbool.h>
#include <stddef.h>

/** Memory that processes share which are begun later, zeroed; never NULL. */
void *sim_beside_memory(size_t size);
void sim_beside_release(void *memory, size_t size);

/** How many processors of the host this process may use: so many can be at work at a time. */
unsigned sim_beside_processors(void);

/** Calls work(ctx, i) for each i below `count`, in a process each, `jobs` of them at a time. They
 *  leave what they find in shared memory, and end when we do.
 *  @return false: a process could not be begun, or one has ended with another status than 0 */
bool sim_beside(unsigned jobs, size_t count, int (*work)(void *ctx, size_t i), void *ctx);

#endif
