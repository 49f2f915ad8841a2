/*
 * Whether the directory of a run is still as the run has left it: the manifest has the length and
 * the hash of each of its files. All that is read of a run is looked at here first.
 */
#ifndef DOC_INTACT_H
#define DOC_INTACT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/** What is wrong with a file that is to be read: it has to be an ordinary one. A FIFO would be
 * waited for, and a device may have no end. Links are followed.
 *  @param[out] bytes  its length; NULL: not wanted
 *  @return NULL: nothing; else static */
const char *doc_not_ordinary(const char *path, uint64_t *bytes);

/** Opens one for reading. @param[out] wrong  as above @return the caller's; NULL: see `wrong` */
FILE *doc_ordinary_open(const char *path, const char **wrong);

/** A document of a directory. What is no ordinary file is not opened: a FIFO would wait for ever.
 *  @return the caller's; NULL: there is none that can be read */
json_t *doc_document(const char *directory, const char *name);

/** A hash as documents have it: "xxh64:" and 16 digits. */
json_t *doc_hash_json(uint64_t xxh64);

/** Writes a manifest or an index, an object: its last member, "hash", is of all the others. */
void doc_manifest_put(json_t *manifest, FILE *out);

/** Whether a manifest itself, and each file that it lists, is there, and has the bytes that it had.
 *  A manifest without any hash (an earlier version's) knows lengths only.
 *  @param name  of the manifest, for people
 *  @return false with "FILE: what is wrong with it" in `why` */
bool doc_is_intact(const char *directory, const char *name, const json_t *manifest, char *why,
                   size_t size);

/** The same of a manifest alone. */
bool doc_manifest_is_intact(const char *name, const json_t *manifest, char *why, size_t size);

/** The same of a run's directory by its manifest; where there is none, nothing is known to be
 * wrong.
 *  @return false with "directory/FILE: what is wrong with it" in `why` */
bool doc_run_is_intact(const char *directory, char *why, size_t size);

/** Whether a run came to its end and is intact.
 *  @param manifest  of the directory; NULL: it has none
 *  @return false with the end of a sentence in `why`: "it ..." */
bool doc_is_whole(const char *directory, const json_t *manifest, char *why, size_t size);

#endif
