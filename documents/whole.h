/*
 * A file that is there whole or not at all. Every file this program leaves behind is written here.
 */
#ifndef DOC_WHOLE_H
#define DOC_WHOLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/** Writes a file's contents to `out`; its errors show there (ferror). */
typedef void doc_write_fn(void *ctx, FILE *out);

/** The same, of a file that may turn out not to be. @return false: there shall be none */
typedef bool doc_try_fn(void *ctx, FILE *out);

/** What a file is: its length [bytes], and the hash of its bytes. */
struct doc_content {
    uint64_t bytes, xxh64;
};

/** Reads a regular file that is open for reading, from its begin. @return false: see errno */
bool doc_content_of(int fd, struct doc_content *content);

/** What is appended to a name while the file is being written. */
#define DOC_UNFINISHED ".new"

/**
 * Writes `path` by what `write` writes: under another name in the same directory, to the disk, then
 * renamed. Whatever fails, `path` is what it was before. A device, a FIFO or a socket of that name
 * stays.
 * @param fresh  an existing file is not replaced, which is a failure
 * @param[out] content  what it is; NULL: not wanted
 * @param[out] why  on failure one sentence
 */
bool doc_whole_write(const char *path, bool fresh, doc_write_fn *write, void *ctx,
                     struct doc_content *content, char *why, size_t size);

/** The same; `write` may find, while it writes, that there is nothing to be written.
 *  @param[out] why  on failure one sentence; "" if `write` said so, which then has its own */
bool doc_whole_try(const char *path, doc_try_fn *write, void *ctx, char *why, size_t size);

/** Brings names made or replaced in a directory to the disk, as far as its file system can. */
void doc_whole_sync(const char *directory);

#endif
