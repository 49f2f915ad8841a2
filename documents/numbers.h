/*
 * Lists of numbers in JSON, written as they are walked: a result may have a million rows, and
 * printf would take half of the time of a short run.
 */
#ifndef DOC_NUMBERS_H
#define DOC_NUMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { DOC_NUMBERS = 512 }; /**< a list may have */

/** A list being made. */
struct doc_numbers {
    size_t length; /**< [bytes] */
    char text[DOC_NUMBERS * 21 + 1];
};

/** Empties it, which is all that it needs: to clear it all would cost more than to write it. */
static inline void doc_numbers_begin(struct doc_numbers *list)
{
    list->length = 0;
}

void doc_numbers_add(struct doc_numbers *list, int64_t n);
/** A number, as a signed one; null for `none`. */
void doc_numbers_or_null(struct doc_numbers *list, uint64_t n, uint64_t none);
/** An address as a signed number; null for PC_PROFILE_NOWHERE. */
void doc_numbers_address(struct doc_numbers *list, uint64_t va);
/** Of `count` values those that are not 0, each behind its index. */
void doc_numbers_values(struct doc_numbers *list, const int64_t *values, unsigned count);
/** Writes it, with its brackets. */
void doc_numbers_put(const struct doc_numbers *list, FILE *out);

/** What is between two members of a list. @param i  number of the second */
const char *doc_gap(size_t i);

/** Writes a string of JSON. */
void doc_put_text(FILE *out, const char *text);

#endif
