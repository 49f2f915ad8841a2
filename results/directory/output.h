/*
 * What the program wrote to its standard streams, kept with the results: the first RES_OUTPUT_MAX
 * bytes of each.
 */
#ifndef RES_DIRECTORY_OUTPUT_H
#define RES_DIRECTORY_OUTPUT_H

#include "results/run.h"

enum { RES_OUTPUT_MAX = 1 << 20 /**< [bytes] of a stream */ };

/** What they are called in the run directory. */
#define RES_STDOUT "guest.stdout"
#define RES_STDERR "guest.stderr"

/** One stream. Zero is a good start; release with res_output_free. */
struct res_output {
    char *bytes;    /**< [room] */
    size_t room;    /**< [bytes] */
    uint64_t total; /**< [bytes] ever written; what is above RES_OUTPUT_MAX is not kept */
};

void res_output_add(struct res_output *output, const void *bytes, size_t count);
void res_output_free(struct res_output *output);

/** If bytes were left out, a remark that says so. @param name  the file with those kept */
void res_output_remark(const struct res_output *output, const char *name, struct res_run *run);

/** A res_write_fn; `ctx` is a struct res_output. */
void res_output_write(void *ctx, FILE *out);

#endif
