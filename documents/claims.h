/*
 * A result read back: everything in the file is a claim. Each number is checked before it is used,
 * and what is wrong gets a sentence that says where.
 */
#ifndef DOC_CLAIMS_H
#define DOC_CLAIMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Why a good file may not be what is expected, and what to do. */
#define DOC_OTHER_VERSION ": another version of numachine made it; make the run again"

/** A file that is read. */
struct doc_claims {
    const char *file;
    char *why; /**< of `size` bytes: gets the sentence */
    size_t size;
};

/** Says "file: ..." in `why`. @return false */
bool doc_refuse(const struct doc_claims *claims, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** The file's document; the caller's. @return NULL: refused. */
json_t *doc_claim_file(const struct doc_claims *claims);

/** Whether the document is an object of this `schema`; else it is refused. */
bool doc_claim_schema(const struct doc_claims *claims, const json_t *root, int schema);

/** A member of the document that is a list of at most 2^32 - 2. @return NULL: refused */
const json_t *doc_claim_list(const struct doc_claims *claims, const json_t *root, const char *name);

#endif
