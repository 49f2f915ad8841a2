/*
 * What the program wrote to its standard streams, kept with the results: the first REP_OUTPUT_MAX
 * bytes of each.
 */
#ifndef REP_OUTPUT_H
#define REP_OUTPUT_H

#include "report/run.h"

enum { REP_OUTPUT_MAX = 1 << 20 /**< [bytes] of a stream */ };

/** What they are called in the run directory. */
#define REP_STDOUT "guest.stdout"
#define REP_STDERR "guest.stderr"

/** One stream. Zero is a good start; release with rep_output_free. */
struct rep_output {
    char *bytes;    /**< [room] */
    size_t room;    /**< [bytes] */
    uint64_t total; /**< [bytes] ever written; what is above REP_OUTPUT_MAX is not kept */
};

void rep_output_add(struct rep_output *output, const void *bytes, size_t count);
void rep_output_free(struct rep_output *output);

/** If bytes were left out, a remark that says so. @param name  the file with those kept */
void rep_output_remark(const struct rep_output *output, const char *name, struct rep_run *run);

/** A rep_write_fn; `ctx` is a struct rep_output. */
void rep_output_write(void *ctx, FILE *out);

#endif
