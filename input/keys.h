/*
 * Mappings read by a table of keys; private to input/. A table's rows say what may stand where, and
 * every complaint about a key or a value is made here.
 */
#ifndef IN_KEYS_H
#define IN_KEYS_H

#include "input/units.h"
#include "input/yaml.h"

enum { IN_PATH_MAX = 128 /**< [bytes] of a dotted key */ };

/** One key of a file. Strings are static. */
struct in_key {
    const char *path; /**< dotted: "bus.clock" */
    struct in_form form;
    const char *def;      /**< default as YAML text; "": none; NULL: from elsewhere */
    const char *sentence; /**< what it is */
};

struct in_table {
    const struct in_key *keys;
    size_t count;
    const struct in_table *other; /**< where a key that is not here may belong */
    const char *hint;             /**< said of a key that is in `other` */
};

/** What was given for a key; at.doc NULL: nothing. */
struct in_value {
    struct in_place at;
    yaml_node_t *node;
    uint64_t number; /**< IN_INT .. IN_ENUM, IN_WORD */
    char *text;      /**< IN_TEXT, IN_TIME, IN_PATTERN, IN_WORD; IN_FILE: path to open */
    char **list;     /**< IN_LIST, IN_EVENTS, IN_GRANTS; IN_MAP: "NAME=value"; NULL when empty */
};

/** Reads one value; complains when it is not what the key needs. @return whether *v was set */
bool in_read_value(struct in_reading *r, struct in_doc *doc, yaml_node_t *node,
                   const struct in_key *key, struct in_value *v);

/**
 * Reads a mapping into values[table->count]; complains about every unknown, repeated or wrong key
 * and goes on with the next.
 */
void in_read_mapping(struct in_reading *r, struct in_doc *doc, yaml_node_t *map,
                     const struct in_table *table, struct in_value *values);

/** Row of a dotted key, or NULL. */
const struct in_key *in_find_key(const struct in_table *table, const char *path);

/** Complains when an earlier key of the mapping has the same text. @param pair  its key is a scalar
 *  @return whether one has */
bool in_is_repeated(struct in_reading *r, struct in_doc *doc, const yaml_node_t *map,
                    const yaml_node_pair_t *pair);

/** Writes the key or keys the user probably meant, first those of the same name elsewhere:
 * "'bus.clock' or 'processor.clock'".
 *  @return false when there is none */
bool in_suggest_keys(const struct in_table *table, const char *path, char *out, size_t size);

/** The same, but only for a key whose whole path is near. */
bool in_suggest_path(const struct in_table *table, const char *path, char *out, size_t size);

/** Its text, which is the caller's from now on. */
char *in_take_text(struct in_value *v);

void in_values_free(struct in_value *values, size_t count);

/** Whether a "PATH[:ro|:rw]" names a directory or regular file; else one line in `why`. */
bool in_grant_check(const char *grant, char *why, size_t size);

#endif
