/* The two tables of keys: a machine's and an experiment's; private to input/ and its listings. */
#ifndef IN_TABLES_H
#define IN_TABLES_H

#include "input/experiment.h"
#include "input/keys.h"
#include "procard/procard.h"

/** Rows of the machine's table: these few, then one for each parameter, in order of params.def. */
enum { IN_MACHINE_ABOUT, IN_MACHINE_BASE, IN_MACHINE_STATUS, IN_MACHINE_CARDS, IN_MACHINE_PARAMS };

/** Rows of the experiment's table. */
enum in_experiment_key {
#define KEY(field, key, type, unit, min, max, def, sentence) IN_KEY_##field,
#include "input/experiment.def"
#undef KEY
    IN_KEY__COUNT
};

/** Member of an experiment that holds a key's value, and the number in it (IN_INT, IN_TIME). */
const void *in_field_of(const struct in_experiment *x, size_t key);
uint64_t in_number_of(const struct in_experiment *x, size_t key);

/** Says in the resolved configuration that a key's value came from the command line. */
void in_set_origin(struct in_experiment *x, enum in_experiment_key key);

/** Replaces a key's list by one of the command line; NULL: by an empty one. */
void in_replace_list(struct in_experiment *x, enum in_experiment_key key, char *const *list);

extern const struct in_table in_machine_table, in_experiment_table;
extern const struct in_table in_group_table, in_metric_table;
extern const struct in_table in_detector_table, in_pass_table;
extern const struct in_table in_expect_table, in_pattern_table;

/** Keys of an entry of monitor.counters: its event, its start, and the unit's flags. */
enum { IN_COUNTER_EVENT, IN_COUNTER_FLAGS, IN_COUNTER_KEYS = 2 + MON_FLAGS_MAX };
struct in_table in_counter_table(const struct mon_unit_ops *unit,
                                 struct in_key keys[IN_COUNTER_KEYS]);

/** The kind of processor card a machine has unless it says otherwise. */
const struct nm_card_kind *in_cards(void);

/** A name that is meant as a file's: it has a / or a YAML suffix. */
bool in_is_file_name(const char *name);

/** Complains that no `what` ("machine") of this name is among the shipped ones.
 *  @param directory  of the shipped files that holds them */
void in_complain_unshipped(struct in_reading *r, const struct in_place *asked, const char *what,
                           const char *name, const char *directory);

/** Reads a group within a reading.
 *  @param unit   whose events it is about
 *  @param asked  where its name stands, or NULL */
bool in_group_read(struct in_reading *r, const struct mon_unit_ops *unit, struct in_group *group,
                   const char *name, const struct in_place *asked);

/** Reads what monitor: programs the card with, and checks it against what the card can do.
 *  @param values  of the experiment's keys */
void in_monitor_read(struct in_reading *r, struct in_experiment *x, const struct in_value *values);

/** Reads how the run comes to what is measured, and checks it against the rest. @param values  of
 * the experiment's keys */
void in_approach_read(struct in_reading *r, struct in_experiment *x, const struct in_value *values);

/** Reads expect.stats, every row of it. @param v  what was given */
void in_expect_read(struct in_reading *r, struct in_experiment *x, const struct in_value *v);

/** Takes x->show apart. @param v  what was given */
void in_show_read(struct in_reading *r, struct in_experiment *x, const struct in_value *v);

/** Adds a list of a unit's events; complains about each unknown one at its own place.
 *  @param path  key the list was given for */
void in_choose_events(struct in_reading *r, const struct mon_unit_ops *unit,
                      const struct in_value *v, const char *path, struct mon_choice *choice);

/**
 * Reads a machine within a reading.
 * @param name  a shipped name, a file or "-"; NULL with a node: it is called "inline"
 * @param node  a mapping of `doc` that is the machine, or NULL: read `name`
 * @param asked where `name` stands (paths are relative to its file), or NULL
 */
bool in_machine_read(struct in_reading *r, struct in_machine *mc, const char *name,
                     struct in_doc *doc, yaml_node_t *node, const struct in_place *asked,
                     char *const *sets);

/**
 * Opens the value of an assignment "a.b=c" that sets a key of one of the tables.
 * @param tables  NULL-terminated, tried in order
 * @param[out] table  the one that has the key
 * @return its row, and the document of the value; NULL after a complaint
 */
const struct in_key *in_open_set(struct in_reading *r, const char *set,
                                 const struct in_table *const *tables,
                                 const struct in_table **table, struct in_doc **doc);

/** Whether an assignment sets a key of this table; false also when it is none at all. */
bool in_set_is_of(const char *set, const struct in_table *table);

/** The file that a command names: one that is there, or a shipped one by its name alone; NULL after
 * a complaint. */
struct in_doc *in_open_experiment(struct in_reading *r, const char *name);

/** Text of an origin: "file.yaml:12", "--set", "default". Allocated. */
char *in_origin_text(const struct in_place *at);

#endif
