/* What a run depends on, as numbers: to tell whether results are still those of an experiment. */
#ifndef RES_DIRECTORY_DIGEST_H
#define RES_DIRECTORY_DIGEST_H

#include "input/experiment.h"

#include <jansson.h>

enum res_digest_part {
#define PART(name, words) RES_DIGEST_##name,
#include "results/directory/digest_parts.def"
#undef PART
    RES_DIGEST_PARTS
};

/** A hash of each part. Where values come from, what files are called, and sentences for people do
 *  not matter. Headers that a source includes, and files that the program may use, are not looked
 *  at. */
struct res_digest {
    uint64_t part[RES_DIGEST_PARTS];
};

/** @param git  the source of the program that simulates (res_manifest) */
struct res_digest res_digest(const struct in_experiment *x, const char *git);

/** All of them as one: "xxh64:0123456789abcdef". Allocated. */
char *res_digest_text(const struct res_digest *digest);

/** The hashes by their names. @return the caller's */
json_t *res_digest_json(const struct res_digest *digest);

/** The first part that is different from what res_digest_json once wrote.
 *  @return a sentence, static; NULL: nothing is */
const char *res_digest_difference(const struct res_digest *digest, const json_t *parts);

#endif
