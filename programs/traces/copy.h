/* A trace written as another file: in another format, or a part of it. */
#ifndef TR_COPY_H
#define TR_COPY_H

#include "programs/traces/cut.h"

/** A trace while it is written; from `thread` on zero. */
struct tr_copy {
    const char *name; /**< of the file it comes from */
    struct tr_source *source;
    const struct tr_format *format;
    const struct tr_cut *cut;  /**< what is wanted of it; NULL: all */
    const char *(*stop)(void); /**< why no more is wanted; NULL: more is */
    char why[1100];            /**< "": all is well */

    int64_t thread; /**< of the last records; -1: none */
    struct tr_cutting *cutting;
    struct tr_sink *sink;
    uint32_t named;   /**< threads that the sink has been told of, */
    bool *begun;      /**< [TR_THREADS_MAX] of which it has records, */
    uint32_t regions; /**< and regions, */
    size_t pages;     /**< and pages */
};

/** Writes it, once. @param ctx  a struct tr_copy @return false: it says why */
bool tr_copy_write(void *ctx, FILE *out);

#endif
