/* Kernels that are shared objects of the host: whether a file is one, and its functions. */
#ifndef KERNELS_PLUGIN_H
#define KERNELS_PLUGIN_H

#include "experiments/include/numachine_kernel.h"

#include <stdbool.h>

/** Whether the file at `path` is a kernel for this host, by what it says of itself: none of its
 * code runs. @return false with one line in `why`; "" if it is no shared object at all */
bool kernels_check(const char *path, char *why, size_t size);

/** Loads one, which may run constructors of its own. The caller gives `*object` back by
 *  kernels_unload.
 *  @param name  of the user's file, for messages
 *  @return NULL with one line in `why` */
const struct kn_kernel *kernels_load(const char *path, const char *name, void **object, char *why,
                                     size_t size);
void kernels_unload(void *object);

#endif
