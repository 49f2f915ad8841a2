/*
 * A part of a trace: of some threads, and of each of them from one number of references or of
 * instructions to another, or what it does while a region is open.
 */
#ifndef TR_CUT_H
#define TR_CUT_H

#include "programs/traces/trace.h"

/** By what the part is chosen. */
enum tr_by { TR_BY_REFERENCES, TR_BY_INSTRUCTIONS, TR_BY__COUNT };

/** What is wanted. */
struct tr_cut {
    const uint8_t *threads; /**< [TR_THREADS_MAX] 1: this one; NULL: all */
    enum tr_by by;
    uint64_t from, to; /**< numbers from 0 on: from this one on, before that one; UINT64_MAX: all */
    const char *region; /**< NULL: in any, or none */
};

/** A cut under way. */
struct tr_cutting;

/** Has the source leave out what is not wanted, where it can. `cut` and `source` outlive it.
 *  @return the caller's */
struct tr_cutting *tr_cut_begin(const struct tr_cut *cut, struct tr_source *source);
void tr_cut_end(struct tr_cutting *cutting);

/** What is wanted of a batch. @param[out] out  records that are the cutting's until the next call;
 *  perhaps none. Its card is the one on which the first of them is; its other numbers are the
 * batch's */
void tr_cut_batch(struct tr_cutting *cutting, const struct tr_batch *batch, struct tr_batch *out);

/** Whether the region began anywhere; true, if none was asked for. */
bool tr_cut_found(const struct tr_cutting *cutting);

#endif
