/*
 * Formulas of derived metrics: "100 * nack_time / read_latency".
 *
 * Numbers, names, + - * /, a leading minus and parentheses, with the usual precedence. What a name
 * stands for is the reader's business: it is asked once when the formula is read, and for a value
 * each time the formula is computed. Plain data, nothing is allocated.
 */
#ifndef MON_FORMULA_H
#define MON_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

enum {
    MON_FORMULA_STEPS = 64, /**< numbers, names and operators of one formula */
    MON_FORMULA_DEPTH = 16, /**< parentheses and minuses inside each other */
    MON_NAME_MAX = 64,      /**< [bytes] of a name, the NUL included */
};

/** One step of a stack machine. */
struct mon_step {
    char op;       /**< '#' a number, 'n' a name, '~' negate, or + - * / */
    unsigned name; /**< of 'n': what mon_name_fn gave */
    double number; /**< of '#' */
};

struct mon_formula {
    unsigned steps;
    struct mon_step step[MON_FORMULA_STEPS];
};

/** Index of a name, or a negative number after writing why there is none as a sentence. */
typedef int mon_name_fn(void *ctx, const char *name, char *why, size_t size);

/** Value of the name with this index. */
typedef double mon_value_fn(void *ctx, unsigned name);

/**
 * Reads a formula.
 * @param[out] offset  on failure [bytes] into `text` where it is wrong
 * @param[out] why     on failure one sentence
 */
bool mon_formula_read(struct mon_formula *formula, const char *text, mon_name_fn *find, void *ctx,
                      size_t *offset, char *why, size_t size);

/** Computes a formula. @return false when it divides by zero, and *value is NAN then, or leaves the
 *  range of a double, and *value is infinite then */
bool mon_formula_value(const struct mon_formula *formula, mon_value_fn *get, void *ctx,
                       double *value);

#endif
