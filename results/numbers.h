/*
 * Lists of numbers in JSON, written as they are walked: a result may have a million rows, and
 * printf would take half of the time of a short run.
 */
#ifndef RES_NUMBERS_H
#define RES_NUMBERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { RES_NUMBERS = 512 }; /**< a list may have */

/** A list being made. */
struct res_numbers {
    size_t length; /**< [bytes] */
    char text[RES_NUMBERS * 21 + 1];
};

/** Empties it, which is all that it needs: to clear it all would cost more than to write it. */
static inline void res_numbers_begin(struct res_numbers *list)
{
    list->length = 0;
}

void res_numbers_add(struct res_numbers *list, int64_t n);
/** A number, as a signed one; null for `none`. */
void res_numbers_or_null(struct res_numbers *list, uint64_t n, uint64_t none);
/** An address as a signed number; null for PC_PROFILE_NOWHERE. */
void res_numbers_address(struct res_numbers *list, uint64_t va);
/** Of `count` values those that are not 0, each behind its index. */
void res_numbers_values(struct res_numbers *list, const int64_t *values, unsigned count);
/** Writes it, with its brackets. */
void res_numbers_put(const struct res_numbers *list, FILE *out);

/** What is between two members of a list. @param i  number of the second */
const char *res_gap(size_t i);

/** Writes a string of JSON. */
void res_put_text(FILE *out, const char *text);

#endif
