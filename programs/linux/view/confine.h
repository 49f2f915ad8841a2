/* The host's kernel confines the simulator, as a second wall behind the file view. */
#ifndef LX_CONFINE_H
#define LX_CONFINE_H

#include "programs/linux/view/view.h"

/**
 * For the rest of the process's life: files outside the view cannot be opened any more (Landlock),
 * and calls that neither the simulator nor its libraries make fail (seccomp). What the kernel, or
 * the build, does not have is left out; nothing else depends on it.
 * What is where SimGrid's library is can still be read, because that is opened late (sleepers.h).
 * @param program  can still be read
 * @param also     NULL-terminated directories that can still be written to, or NULL
 * @param copies   the process can still copy itself
 */
void lx_confine(const struct lx_view *v, const char *program, const char *const *also, bool copies);

#endif
