/*
 * A point's run as its directory has it.
 */
#ifndef SWP_RUN_H
#define SWP_RUN_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** A document of a directory. What is no ordinary file is not opened: a FIFO would wait for ever.
 *  @return the caller's; NULL: there is none that can be read */
json_t *swp_document(const char *directory, const char *name);

/** Whether a run came to its end and each file that it left is as it left it, by its length.
 *  @param manifest  of the directory; NULL: it has none
 *  @return false with the end of a sentence in `why`: "it ..." */
bool swp_is_whole(const char *directory, const json_t *manifest, char *why, size_t size);

#endif
