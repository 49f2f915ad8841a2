/*
 * Commands of our own: of gdb's `monitor`, and of files without gdb (verbs.def).
 */
#ifndef DBG_VERBS_H
#define DBG_VERBS_H

#include "debug/debug.h"

enum {
    DBG_VERB_MONITOR = 1, /**< of gdb's monitor: gdb has its own for the others */
    DBG_VERB_BATCH = 2,
    DBG_VERB_BOTH = 3,
};

/** A command with its words. */
struct dbg_command {
    struct dbg *d;
    unsigned where; /**< it comes from */
    char **word;    /**< [words] behind its name */
    unsigned words;
    FILE *out; /**< what is said */
};

/** Carries out a line; what is wrong with it is said. @param line  [count], and a 0 behind it
 *  @param where  where it comes from @return false: it could not be */
bool dbg_verb(struct dbg *d, const char *line, size_t count, unsigned where, FILE *out);

/** A whole number. @return false, with a complaint */
bool dbg_number(const struct dbg_command *c, const char *text, uint64_t *value);

/** A number, a register ("$pc") or a symbol with an offset ("counter+8") as an address.
 *  @return false, with a complaint */
bool dbg_address(struct dbg_command *c, const char *text, uint64_t *va);

/** @return whether it could be done */
typedef bool dbg_verb_fn(struct dbg_command *c);
#define VERB(name, handler, where, most, usage, sentence) dbg_verb_fn handler;
#include "debug/verbs.def"

/** A file of commands, which is not buffered: the processes of a run that is gone back over read on
 *  where others stopped. */
struct dbg_commands {
    FILE *in;
    const char *name; /**< for people */
};

/** Commands, one a line, instead of gdb. `front_self` of struct dbg is a struct dbg_commands. */
extern const struct dbg_front dbg_batch;

#endif
