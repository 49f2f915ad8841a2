/*
 * Groups: files that name a question, the events that answer it, and how to compute the answer.
 * monitor/groups/ holds the shipped ones; anyone may write more (`numachine list groups`).
 */
#ifndef IN_GROUP_H
#define IN_GROUP_H

#include "input/diag.h"
#include "monitor/formula.h"
#include "monitor/unit.h"

/** What a name of a formula stands for: the kind in the upper, its index in the lower half. */
enum in_operand {
    IN_OPERAND_EVENT, /**< row of the unit's events */
    IN_OPERAND_WORD,  /**< enum in_word */
    IN_OPERAND_PARAM, /**< row of nm_param_rows */
    IN_OPERAND_TRUTH, /**< enum in_truth */
};

enum { IN_OPERAND_SHIFT = 16 };
_Static_assert(MON_EVENTS_MAX < 1 << IN_OPERAND_SHIFT, "a row's number fits below the kind");

/** Rows of the ground truth (machine/truth.def). */
enum in_truth {
#define TRUTH(field, unit, sentence)          IN_TRUTH_##field,
#define TRUTH_TAP(field, tap, unit, sentence) IN_TRUTH_##field,
#include "machine/truth.def"
#undef TRUTH
    IN_TRUTH__COUNT
};

enum in_word {
#define WORD(name, unit, sentence) IN_WORD_##name,
#include "monitor/words.def"
#undef WORD
    IN_WORD__COUNT
};

struct in_metric {
    char *name, *unit; /**< the name is [a-z0-9_] */
    char *formula;     /**< as written */
    struct mon_formula program;
};

struct in_group {
    char *name;                      /**< the file's, without directory and suffix */
    char *path;                      /**< file it was read from */
    char *about;                     /**< one line */
    char *text;                      /**< the long explanation; NULL: there is none */
    const struct mon_unit_ops *unit; /**< whose events these are */
    struct mon_choice choice;
    struct in_metric *metric; /**< [metrics] */
    unsigned metrics;
};

/** Reads a group of a unit's events: a shipped one's name ("NACK", in either case) or a file. Owned
 * by the caller (in_group_free). @return false after complaints; *group then holds nothing */
bool in_group_load(struct in_group *group, const struct mon_unit_ops *unit, const char *name,
                   struct in_diag *diag);

/** The same, of whichever of `unit` and those beside it can count the group's events (group->unit);
 *  complaints are of `unit`. */
bool in_group_load_any(struct in_group *group, const struct mon_unit_ops *unit, const char *name,
                       struct in_diag *diag);
void in_group_free(struct in_group *group);

/** The words of words.def. Strings are static. */
struct in_word_row {
    const char *name, *unit, *sentence;
};
extern const struct in_word_row in_word_rows[IN_WORD__COUNT];

#endif
