/*
 * What the files share that send types and variables (types_sent.h), in the process that reads
 * debugging information.
 */
#ifndef LX_TYPES_SENDER_H
#define LX_TYPES_SENDER_H

#include "programs/linux/names/types_sent.h"

#include <stdbool.h>

struct sender;

/** @param name  "": none */
void lx_types_send_record(const struct sender *s, struct lx_sent *record, const char *name);

/** The type of a DIE without names and qualifiers. @return false: it has none */
bool lx_types_send_type_of(Dwarf_Die *die, Dwarf_Die *out);

/** Where the source declares a DIE, in front of the record that has its name. */
void lx_types_send_source(struct sender *s, Dwarf_Die *die);

/** What a type is known by. */
uint64_t lx_types_send_id(const void *die);

/** Sends a type, unless it has been sent, and all that it is made of and leads to. */
void lx_types_send_all_of(struct sender *s, Dwarf_Die *type);

/** The number of an operation, which may be in a table of addresses (DWARF 5). */
bool lx_types_send_operand(Dwarf_Attribute *location, const Dwarf_Op *op, uint64_t *out);

/** The name of the function that is inlined there, with what is around it; NULL: it has none. */
const char *lx_types_send_function(const struct sender *s, Dwarf_Die *inlined);

/** Sends the variables and arguments of a function, with those of functions that are inlined in it:
 *  where each is while which instructions execute. (locals_send.c)
 *  @param name  the function's, with what is around it */
void lx_locals_send(struct sender *s, Dwarf_Die *function, const char *name);

#endif
