/* What can be asked of an executable without running it. */
#ifndef LX_IMAGE_H
#define LX_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** prog_workload.check */
bool lx_check(const char *path, char *why, size_t size);

/** prog_workload.symbol */
bool lx_symbol(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
               size_t size);

/** prog_workload.entry */
bool lx_entry(const char *path, const char *name, uint64_t *at, char *why, size_t size);

#endif
