/*
 * Whether the directory of a run is still as the run has left it: the manifest has the length of
 * each of its files.
 */
#ifndef REP_INTACT_H
#define REP_INTACT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** A document of a directory. What is no ordinary file is not opened: a FIFO would wait for ever.
 *  @return the caller's; NULL: there is none that can be read */
json_t *rep_document(const char *directory, const char *name);

/** Whether each file that a manifest lists is there, and as long as it was.
 *  @return false with "FILE: what is wrong with it" in `why` */
bool rep_is_intact(const char *directory, const json_t *manifest, char *why, size_t size);

/** Whether a run came to its end and is intact.
 *  @param manifest  of the directory; NULL: it has none
 *  @return false with the end of a sentence in `why`: "it ..." */
bool rep_is_whole(const char *directory, const json_t *manifest, char *why, size_t size);

#endif
