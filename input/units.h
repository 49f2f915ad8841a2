/*
 * Values as people write them: "12cy", "64B", "150MHz", "100ms", true, a word of a list. Read and
 * written exactly, in integers.
 */
#ifndef IN_UNITS_H
#define IN_UNITS_H

#include "base/time.h"
#include "machine/params.h"

#include <stdbool.h>

/** Types of values in our files: those of the machine's parameters and a few more. */
enum in_type {
    IN_INT = NM_PARAM_INT,
    IN_BOOL = NM_PARAM_BOOL,
    IN_CYCLES = NM_PARAM_CYCLES,
    IN_BYTES = NM_PARAM_BYTES,
    IN_FREQ = NM_PARAM_FREQ,
    IN_ENUM = NM_PARAM_ENUM,
    IN_TIME,    /**< "100ms", "3000000cy" or "none" */
    IN_SHARE,   /**< "30%", in millionths */
    IN_DECIMAL, /**< "0.9", in millionths */
    IN_TEXT,    /**< any one value, as written */
    IN_PATTERN, /**< a pattern of addresses, {symbol: NAME} or {from: ADDRESS, to: ADDRESS}, as text
                 */
    IN_WORD,    /**< one of the words in `unit`, kept as text */
    IN_FILE,    /**< an existing file of at most `max` bytes, relative to the file that names it;
                     max 0: of any size, and devices too */
    IN_LIST,    /**< [any, values] */
    IN_EVENTS,  /**< [names of monitor events] */
    IN_GRANTS,  /**< [PATH, PATH:ro, PATH:rw] */
    IN_ROWS,    /**< [mappings, each read by a table of its own] */
    IN_MAP,     /**< {NAME: value} */
    IN_SWEEP,   /**< {KEY: [values]}, read by the room sweep */
    IN_MACHINE, /**< a machine's name or file, or a mapping of its parameters */
};

enum {
    IN_EXPECTED_MAX = 500,              /**< [bytes] of what in_form_describe writes */
    IN_WHY_MAX = IN_EXPECTED_MAX + 200, /**< [bytes] of what in_value_parse does */
};

/** What a value must be. Strings are static. */
struct in_form {
    enum in_type type;
    const char *unit;  /**< what the number counts; the words of IN_ENUM and IN_WORD */
    uint64_t min, max; /**< inclusive, in stored units */
};

/**
 * Reads a number, flag or word (IN_INT .. IN_ENUM, IN_SHARE, IN_DECIMAL, IN_WORD) exactly;
 * fractions are welcome where the result is whole ("1.5KB").
 * @param[out] value  in stored units; the index of the word; untouched on failure
 * @param[out] why    on failure: what is wrong and what was expected, as the end of a sentence
 */
bool in_value_parse(const struct in_form *form, const char *text, uint64_t *value, char *why,
                    size_t size);

/** Reads a limit (IN_TIME): cycles, "none" or a time that is a whole number of ticks of a clock of
 *  `hz`, at most 2^63 - 1. @param hz 0: only the form is checked.
 *  @param least  [ticks] 1: not no time at all @param[out] ticks SIM_NEVER for
 *  "none" */
bool in_time_parse(const char *text, uint64_t hz, sim_tick least, sim_tick *ticks, char *why,
                   size_t size);

/**
 * Reads a whole number without a unit: decimal, or hexadecimal after 0x. A decimal one with a zero
 * in front, which C reads as octal, is refused.
 * @return where it ends; NULL, and *value untouched, if there is none or it does not fit
 */
const char *in_whole_parse(const char *text, uint64_t *value);

/** Writes a value in canonical form: the largest unit that divides it. in_value_parse reads it back
 *  to the same number. */
void in_value_format(const struct in_form *form, uint64_t value, char *out, size_t size);

/** Writes what is expected: "a whole number of packets from 1 to 1024", "any, out or in". */
void in_form_describe(const struct in_form *form, char *out, size_t size);

/** Regular expression (JSON Schema's dialect) of the values of a type with units; NULL: has none.
 */
const char *in_form_pattern(enum in_type type);

/** Whether it is a decimal digit, whatever the locale. */
bool in_is_digit(char c);

/** Copies word `index` of a space-separated list. @return false past the end */
bool in_word_at(const char *words, size_t index, char *out, size_t size);

/** Form of a machine parameter. */
static inline struct in_form in_param_form(const struct nm_param_row *row)
{
    return (struct in_form){(enum in_type)row->type, row->unit, row->min, row->max};
}

#endif
