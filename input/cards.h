/* cards: of a machine file (cards.c); private to input/ and its listings. */
#ifndef IN_CARDS_H
#define IN_CARDS_H

#include "input/tables.h"

#include <stdio.h>

/** Keys of an entry, at most. */
enum { IN_CARDS_KEYS = 256 };

/** The table of an entry's keys. @param[out] keys  which it shows */
struct in_table in_cards_table(struct in_key keys[IN_CARDS_KEYS]);

/** Reads the entries into mc->mix. Precondition: mc->params are good. @param v  of the key */
void in_cards_read(struct in_reading *r, struct in_machine *mc, const struct in_value *v);
void in_cards_free(struct in_machine *mc);

/** Writes them as they are read, or nothing. @param indent  of the key */
void in_cards_write(FILE *out, int indent, const struct in_machine *mc);

/* ---- of machine.c ---- */

/** Parameters of another machine, for a card that is like its cards.
 *  @param name        as in_machine_load
 *  @param asked       where it stands
 *  @param[out] like   untouched after a complaint */
void in_machine_like(struct in_reading *r, struct in_machine *mc, const char *name,
                     const struct in_place *asked, struct nm_params *like);

/** "l1i.line is 64B, processor.core is r4400": values that a rule ties together. */
void in_machine_values(const struct nm_params *p, const struct nm_param_rule *rule, char *out,
                       size_t size);

#endif
