/* Writers: what was understood, as YAML that reads back to the same, and as JSON. */
#ifndef IN_WRITE_H
#define IN_WRITE_H

#include "input/experiment.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

/** Writes every parameter with its value, its origin and the source of its number. The text is a
 *  machine file: it loads again to the same values. */
void in_machine_write_resolved(FILE *out, const struct in_machine *mc);

/** Writes a whole experiment, its machine included, as an experiment file that loads again to the
 *  same; paths of files are absolute.
 *  @param program  name of a copy of the executable beside the file, to run instead; or NULL */
void in_experiment_write_resolved(FILE *out, const struct in_experiment *x, const char *program);

/** JSON Schema (draft 7) of machine and experiment files. New reference. */
json_t *in_schema(void);

/** A key of a file for a listing: key, type, unit, range, default, sentence. New reference.
 *  @return an array of the parameters of a machine (or of an experiment's keys) */
json_t *in_list_params(void);
json_t *in_list_keys(void);

/** The kinds of patterns, with the keys they take. New reference. */
json_t *in_list_patterns(void);

/** Writes program.pattern's phases as a file would have them, every default included.
 *  @param between  them */
void in_pattern_write(FILE *out, const struct in_experiment *x, const char *between);

/** Writes a text as one scalar on one line that YAML reads back to the same: between double quotes
 *  with escapes, or as !!binary. */
void in_text_write(FILE *out, const char *text);

/** Whether YAML takes all of its characters as they are on a line, between quotes that know no
 *  escapes. */
bool in_text_is_printable(const char *text);

/** A JSON value as text ending in a newline; the same bytes for the same value. */
void in_write_json(FILE *out, const json_t *value);

#endif
