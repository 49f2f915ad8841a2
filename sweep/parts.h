/* The reading of a sweep, taken apart; private to sweep/. */
#ifndef SWP_PARTS_H
#define SWP_PARTS_H

#include "sweep/sweep.h"

/** Appends a value. @param text  canonical
 *  @param read  the same as a value @param at  its place */
void swp_add_value(struct swp_key *key, const char *text, const struct in_value *read,
                   const struct in_place *at);

/** The values of a range, {from, to, step | times}; complains. */
void swp_read_range(struct in_reading *r, struct swp_key *key, struct in_doc *doc,
                    yaml_node_t *map);

/** Reads one value as the key's table would, and appends it; complains. */
void swp_read_value(struct in_reading *r, struct swp_key *key, struct in_doc *doc,
                    yaml_node_t *node);

/** The text that stands for all values of a key that mean what `text` does: numbers, sizes, times
 *  ("1ms" for "1000us"). Others stay as they are. @return the caller's */
char *swp_canonical(const struct swp_key *key, const char *text);

/** A filter of where: */
struct swp_filter;

/** Reads a list of filters. @return NULL-terminated, the caller's (swp_filters_free) */
struct swp_filter **swp_filters_read(struct in_reading *r, const struct swp_sweep *sweep,
                                     struct in_doc *doc, yaml_node_t *list);
void swp_filters_free(struct swp_filter **filters);

/** Whether a combination passes all of them; complains of a value that cannot be computed.
 *  @param value  [keys] */
bool swp_filters_pass(struct in_reading *r, const struct swp_sweep *sweep,
                      struct swp_filter *const *filters, const size_t *value);

/** Makes the points. Complains when there are none, too many, or two that are the same. */
void swp_expand(struct in_reading *r, struct swp_sweep *sweep, const struct in_place *at,
                struct swp_filter *const *filters);

/** Writes the id of a combination. @param value  [keys] */
void swp_id(const struct swp_sweep *sweep, const size_t *value, char id[SWP_ID_MAX]);

/** Value of a mapping's key; NULL: it has none. */
yaml_node_t *swp_member(struct in_doc *doc, const yaml_node_t *map, const char *name);

#endif
