/*
 * Numbers by numbers: what a recording and a replay know of words, lines and pages. Private to the
 * room.
 */
#ifndef TR_TABLE_H
#define TR_TABLE_H

#include <stdint.h>

struct tr_entry;

/** A table; zeroed, it is empty. */
struct tr_table {
    struct tr_entry *first;
};

/** The number that a key has. @return the table's, as long as that lives; NULL: it has none */
uint64_t *tr_table_find(const struct tr_table *table, uint64_t key);

/** The same; a key that has none gets 0. */
uint64_t *tr_table_at(struct tr_table *table, uint64_t key);

/** Empties it. */
void tr_table_free(struct tr_table *table);

#endif
