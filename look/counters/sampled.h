/*
 * What sampling by a processor's event counters says of a program (`numachine ssrun`), beside what
 * its exact profile knows.
 */
#ifndef LOOK_COUNTERS_SAMPLED_H
#define LOOK_COUNTERS_SAMPLED_H

#include "documents/rows/profile.h"
#include "look/code.h"

/** By what it is summed up: LOOK_SAMPLED_BY_function ... */
enum look_sampled_level {
#define LEVEL(name, many) LOOK_SAMPLED_BY_##name,
#include "look/counters/sampled.def"
    LOOK_SAMPLED_LEVELS
};

/** A row of sampled.def. Strings are static. */
struct look_sampled_by {
    const char *name, *many;
};
extern const struct look_sampled_by look_sampled_by[LOOK_SAMPLED_LEVELS];

/** One instruction. */
struct look_sampled_pc {
    uint64_t pc; /**< virtual */
    uint64_t samples;
    int64_t exact; /**< [events] */
};

/** Zero but for the first part is a good start; look_sampled_free is due. */
struct look_sampled {
    const char *event; /**< its name, of which the profile has a column (look_sampled_has) */
    uint32_t every;    /**< [events] from sample to sample */
    struct look_code *code;

    struct look_sampled_pc *at; /**< [count] in no order; an address may stand there twice */
    size_t count, room;
    uint64_t samples;
    int64_t exact;     /**< [events] of the profile, */
    int64_t completed; /**< [instructions] that the profile has, */
    int64_t twice;     /**< ... and of these, multiplies and divides */
};

/** What it comes to at a level. */
struct look_sampled_error {
    size_t keys;      /**< functions, lines or instructions that were executed or sampled */
    double misplaced; /**< [%] of samples that are with another one than the events; NAN: none */
    double chance;    /**< [%] that would be, on average, if they were drawn by lot */
};

/** Whether a profile has what an event counts. */
bool look_sampled_has(const char *event);

/** A sample found a thread there. */
void look_sampled_add(struct look_sampled *s, uint64_t pc);

/** The exact counts of the whole run. */
void look_sampled_take(struct look_sampled *s, const struct doc_profile *profile);

void look_sampled_free(struct look_sampled *s);

struct look_sampled_error look_sampled_judge(const struct look_sampled *s,
                                             enum look_sampled_level level);

/** A line for each function, line or instruction, those with most events first, and what it comes
 *  to at all levels. @param most  lines; 0: all */
void look_sampled_text(const struct look_sampled *s, enum look_sampled_level level, size_t most,
                       FILE *out);

/** The same as rows (sampled.def) of CSV. */
void look_sampled_csv(const struct look_sampled *s, enum look_sampled_level level, FILE *out);

/** The same as a list of rows. */
json_t *look_sampled_rows(const struct look_sampled *s, enum look_sampled_level level);

/** What it comes to at all levels, as an object of objects. */
json_t *look_sampled_levels(const struct look_sampled *s);

#endif
