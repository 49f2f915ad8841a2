/*
 * A YAML file as a flat list of dotted keys with their values: the contents of
 * config.resolved.yaml, for comparing one with another.
 */
#ifndef IN_FLAT_H
#define IN_FLAT_H

#include <stdbool.h>
#include <stddef.h>

struct in_flat_row {
    char *key;    /**< "machine.bus.clock" */
    char *value;  /**< a scalar's text; a list in brackets */
    char *origin; /**< what the comment behind it says first; "": nothing */
};

/** Zero is empty; in_flat_free releases it. */
struct in_flat {
    struct in_flat_row *row; /**< [rows] as they stand in the file */
    size_t rows;
};

/** Reads a mapping. @return false with one line in `why`: the file, and what is wrong with it */
bool in_flat_read(struct in_flat *flat, const char *path, char *why, size_t size);
void in_flat_free(struct in_flat *flat);

/** The row of a key; NULL: there is none. */
const struct in_flat_row *in_flat_find(const struct in_flat *flat, const char *key);

#endif
