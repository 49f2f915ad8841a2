/* What a run depends on, as numbers: to tell whether results are still those of an experiment. */
#ifndef REP_DIGEST_H
#define REP_DIGEST_H

#include "input/experiment.h"

#include <jansson.h>

enum rep_digest_part {
#define PART(name, words) REP_DIGEST_##name,
#include "report/digest_parts.def"
#undef PART
    REP_DIGEST_PARTS
};

/** A hash of each part. Where values come from, what files are called, and sentences for people do
 *  not matter. Headers that a source includes, and files that the program may use, are not looked
 *  at. */
struct rep_digest {
    uint64_t part[REP_DIGEST_PARTS];
};

/** @param git  the source of the program that simulates (rep_manifest) */
struct rep_digest rep_digest(const struct in_experiment *x, const char *git);

/** All of them as one: "xxh64:0123456789abcdef". Allocated. */
char *rep_digest_text(const struct rep_digest *digest);

/** The hashes by their names. @return the caller's */
json_t *rep_digest_json(const struct rep_digest *digest);

/** The first part that is different from what rep_digest_json once wrote.
 *  @return a sentence, static; NULL: nothing is */
const char *rep_digest_difference(const struct rep_digest *digest, const json_t *parts);

#endif
