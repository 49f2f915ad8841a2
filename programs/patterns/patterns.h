/*
 * Patterns of references as a workload, instead of a program: phases, one after the other, in
 * each of which every thread makes references of one kind (kinds.def). Threads are those of a team
 * (programs/driven/team.h), one a card.
 *
 * What a reference is follows from the seed, the phase, the thread and the reference's number
 * alone, so that neither the machine nor the order of events is part of it. What waits for others
 * (rounds, turns, locks, barriers) waits in simulated words.
 */
#ifndef PATTERNS_PATTERNS_H
#define PATTERNS_PATTERNS_H

#include "machine/params.h"
#include "programs/workload.h"

/** Rows of keys.def. */
enum patterns_key {
#define KEY(name, type, unit, min, max, def, sentence) PATTERNS_##name,
#include "programs/patterns/keys.def"
#undef KEY
    PATTERNS_KEYS
};

/** Rows of kinds.def. */
enum patterns_kind {
#define KIND(id, word, shape, footprint, keys, sentence) PATTERNS_KIND_##id,
#include "programs/patterns/kinds.def"
#undef KIND
    PATTERNS_KINDS
};

enum {
    PATTERNS_PHASES_MAX = 1000, /**< of a pattern */
    PATTERNS_NAME_MAX = 60,     /**< characters of a phase's name */
};

/** Words of the keys placement, spacing and lock, in their order. */
enum patterns_placement {
    PATTERNS_BY_MACHINE,
    PATTERNS_LOCAL,
    PATTERNS_PARTNER,
    PATTERNS_INTERLEAVE,
    PATTERNS_STATION
};
enum patterns_spacing { PATTERNS_FIXED, PATTERNS_DRAWN };
enum patterns_lock { PATTERNS_TAS, PATTERNS_TTAS, PATTERNS_TICKET };

/** The value of a number that is not given: rate, station. */
#define PATTERNS_ABSENT UINT64_MAX

/** 1 in the unit of stores, rate and skew. */
#define PATTERNS_ONE UINT64_C(1000000)

/** A phase. */
struct patterns_phase {
    enum patterns_kind kind;
    char *name;                    /**< of its region; the owner's */
    uint64_t value[PATTERNS_KEYS]; /**< in stored units; of keys that its kind does not take 0, or
                                        PATTERNS_ABSENT */
};

/** A row of kinds.def. Strings are static. */
struct patterns_row {
    const char *name, *footprint, *sentence;
    uint32_t keys; /**< bit k: it takes key k */
};

const struct patterns_row *patterns_row(enum patterns_kind kind);

/** Whether a kind takes a key. */
bool patterns_takes(enum patterns_kind kind, enum patterns_key key);

/** Whether a phase can be on a machine with so many threads. @return false with the end of a
 *  sentence in `why` */
bool patterns_fits(const struct patterns_phase *phase, const struct nm_params *p, unsigned threads,
                   char *why, size_t size);

/** What patterns_workload runs: prog_program.described. The caller's; outlives the run. */
struct patterns_work {
    const struct patterns_phase *phase;
    size_t phases; /**< 1 to PATTERNS_PHASES_MAX */
};

/** Runs a struct prog_program whose `described` is a struct patterns_work; of the rest of it only
 *  stdout_fd counts, where a table of the phases goes at the end. Pages get their memory before the
 *  first cycle. */
extern const struct prog_workload patterns_workload;

#endif
