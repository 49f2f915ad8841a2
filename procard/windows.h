/*
 * A line's windows: stretches of its time, so that a line that is shared falsely first and truly
 * later is seen as both.
 *
 * A window ends where the kind of cost changes, or before a pause: a sixteenth of the time from the
 * first of the line's requests that sharing made to the last. Neighbours go together if there is no
 * pause between them, and if that mixes less than a sixteenth of the line's cost. There are
 * PC_WINDOWS_MOST at most: beyond these, the two go together that mix least; of equals, those with
 * the shortest time between them. What two windows mix is by how much the smaller of false and true
 * cost becomes more.
 */
#ifndef PC_WINDOWS_H
#define PC_WINDOWS_H

#include "base/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    PC_WINDOWS_MOST = 16, /**< of a line, once they are closed */
    PC_WINDOWS_SETS = 16, /**< of bytes that a row's misses, or a card's lives, have touched in a
                               window; beyond them, the last has all others' bytes */
    PC_WINDOWS_PART = 16, /**< one part in so many of a line's time is a pause; of its cost, too
                               much to be mixed */
};

/** A set of bytes of a line, the first in bit 0. */
typedef unsigned __int128 pc_bytes;

/** A request that sharing made: a miss, or an upgrade. */
struct pc_shared_request {
    sim_tick at;   /**< when it was made */
    sim_tick took; /**< [ticks] */
    bool falsely;  /**< false sharing */
    /** Columns in which it is counted, by enum pc_miss_column; behind the first one is its time's
     */
    uint8_t column[5];
    unsigned columns; /**< of these */
    uint32_t card;
    pc_bytes touched; /**< in what it began */
    /** Of a miss that brings nothing new: by enum pc_miss_column, the caller's. It is counted there
     *  by whether others have touched its bytes in the window, too, when that ends. Else NULL */
    int64_t *row;
};

struct pc_window {
    sim_tick begin, end; /**< its first request, and its last */
    const int64_t *v;    /**< by enum pc_miss_column; only what sharing made is counted */
};

struct pc_windows;

/** @param windows  NULL: there have been none; then it is the caller's (pc_windows_free) */
void pc_windows_add(struct pc_windows **windows, const struct pc_shared_request *request);
/** A card has touched bytes in what no request began that sharing made.
 *  @param at  when it began: the window is the last that has begun then, or the first */
void pc_windows_touch(struct pc_windows *windows, sim_tick at, uint32_t card, pc_bytes touched);
/** No requests come any more: misses are counted by whether others have touched their bytes in the
 *  window, too. */
void pc_windows_close(struct pc_windows *windows);
void pc_windows_free(struct pc_windows *windows);

/** @param windows  NULL: none @return how many */
size_t pc_windows_count(const struct pc_windows *windows);
/** @param i  in their order @return what it points to is the windows' */
struct pc_window pc_windows_at(const struct pc_windows *windows, size_t i);

#endif
