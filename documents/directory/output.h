/*
 * What the program wrote to its standard streams, kept with the results: the first DOC_OUTPUT_MAX
 * bytes of each.
 */
#ifndef DOC_DIRECTORY_OUTPUT_H
#define DOC_DIRECTORY_OUTPUT_H

#include "documents/run.h"

enum { DOC_OUTPUT_MAX = 1 << 20 /**< [bytes] of a stream */ };

/** What they are called in the run directory. */
#define DOC_STDOUT "guest.stdout"
#define DOC_STDERR "guest.stderr"

/** One stream. Zero is a good start; release with doc_output_free. */
struct doc_output {
    char *bytes;    /**< [room] */
    size_t room;    /**< [bytes] */
    uint64_t total; /**< [bytes] ever written; what is above DOC_OUTPUT_MAX is not kept */
};

void doc_output_add(struct doc_output *output, const void *bytes, size_t count);
void doc_output_free(struct doc_output *output);

/** If bytes were left out, a remark that says so. @param name  the file with those kept */
void doc_output_remark(const struct doc_output *output, const char *name, struct doc_run *run);

/** A doc_write_fn; `ctx` is a struct doc_output. */
void doc_output_write(void *ctx, FILE *out);

#endif
