/*
 * The sweep: of an experiment file: what differs between its points.
 *
 * A point is a list of assignments as --set takes them, one for each key that is swept; so it is an
 * experiment that could be written by hand. Its id is a readable part and a hash of these
 * assignments: it does not depend on the order of keys and values, nor on what other points there
 * are. It is made of letters, digits, '.', '-' and '_', begins with a letter and is legal as a
 * directory's name.
 */
#ifndef SWP_SWEEP_H
#define SWP_SWEEP_H

#include "input/experiment.h"
#include "input/keys.h"

enum {
    SWP_ID_MAX = 64,            /**< [bytes] of an id, the NUL included */
    SWP_COMBINATIONS = 1 << 18, /**< before filters */
    SWP_POINTS_MAX = 10000,
};

/** One value of a key. */
struct swp_value {
    char *set;             /**< "bus.fifo=8" ... */
    const char *text;      /**< ... and the part behind the '=': canonical, of what has a unit */
    bool is_number;        /**< it can be compared as one: `number`, in stored units */
    uint64_t number;       /**< of a word its place in the list of words */
    unsigned line, column; /**< where it is in the file */
};

/** One key that is swept. */
struct swp_key {
    const struct in_key *key;
    unsigned line, column; /**< where it is in the file */
    struct swp_value *value;
    size_t values;
    size_t axis; /**< keys of one axis go along together */
};

struct swp_point {
    char id[SWP_ID_MAX];
    size_t *value; /**< [keys] which one of its key's */
};

/** Zero is a good start. */
struct swp_sweep {
    struct swp_key *key; /**< [keys] as the file has them */
    size_t keys;
    size_t axes;
    struct swp_point *point; /**< [points] the file's first key is the slowest */
    size_t points;
};

/**
 * Reads the sweep: of a file and expands it.
 * @param path  as in_experiment_load
 * @param sets  of the command line, or NULL: none of them may be of a key that is swept
 * @return false after complaints; in any case the caller ends with swp_free
 */
bool swp_load(struct swp_sweep *sweep, const char *path, char *const *sets, struct in_diag *diag);
void swp_free(struct swp_sweep *sweep);

/** Text of the value that a point gives to key `k`. */
const char *swp_text(const struct swp_sweep *sweep, const struct swp_point *point, size_t k);

/** The point of this id; NULL: there is none. */
const struct swp_point *swp_find(const struct swp_sweep *sweep, const char *id);

/** Reads the experiment that a point is. `path` and `sets` are as swp_load's; ownership and errors
 * as in_experiment_load's. */
bool swp_point_load(struct in_experiment *x, const struct swp_sweep *sweep,
                    const struct swp_point *point, const char *path, char *const *sets,
                    struct in_diag *diag);

/** What else a point has to be. @return false after complaints */
typedef bool swp_good_fn(void *ctx, const struct in_experiment *x);

/** Whether every point is an experiment, has the points that it expects something of, and is
 * `good`.
 *  @return false after the complaints about the first that is not */
bool swp_check(const struct swp_sweep *sweep, const char *path, char *const *sets,
               swp_good_fn *good, void *ctx, struct in_diag *diag);

#endif
