/* What a run depends on, as numbers: to tell whether results are still those of an experiment. */
#ifndef DOC_DIRECTORY_DIGEST_H
#define DOC_DIRECTORY_DIGEST_H

#include "input/experiment.h"

#include <jansson.h>

enum doc_digest_part {
#define PART(name, words) DOC_DIGEST_##name,
#include "documents/directory/digest_parts.def"
#undef PART
    DOC_DIGEST_PARTS
};

/** A hash of each part. Where values come from, what files are called, and sentences for people do
 *  not matter. Headers that a source includes, and files that the program may use, are not looked
 *  at. */
struct doc_digest {
    uint64_t part[DOC_DIGEST_PARTS];
};

/** @param git  the source of the program that simulates (doc_manifest) */
struct doc_digest doc_digest(const struct in_experiment *x, const char *git);

/** All of them as one: "xxh64:0123456789abcdef". Allocated. */
char *doc_digest_text(const struct doc_digest *digest);

/** The hashes by their names. @return the caller's */
json_t *doc_digest_json(const struct doc_digest *digest);

/** Whether a part is different from what doc_digest_json once wrote. */
bool doc_digest_differs(const struct doc_digest *digest, const json_t *parts,
                        enum doc_digest_part part);

/** The first part that is different from what doc_digest_json once wrote.
 *  @return a sentence, static; NULL: nothing is */
const char *doc_digest_difference(const struct doc_digest *digest, const json_t *parts);

#endif
