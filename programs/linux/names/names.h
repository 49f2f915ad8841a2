/* The names of an executable's addresses: functions, source files and lines. */
#ifndef LX_NAMES_H
#define LX_NAMES_H

#include "programs/workload.h"

/** prog_workload.names */
struct prog_names *lx_names(const char *path, const struct prog_search *search, char *why,
                            size_t size);

#endif
