/*
 * Formulas: read once by recursive descent into the steps of a stack machine, computed often.
 *
 * The one hard idea: both halves are bounded, not by what formulas look like but by construction.
 * Reading descends only with a depth counted in one place, and every step leaves at most one more
 * value on the stack, so MON_FORMULA_STEPS bounds the stack too.
 *
 * A library would have to tell where a formula is wrong and that it divided by zero;
 * libmatheval, the one for C in Debian, does neither.
 */
#include "monitor/formula.h"

#include <assert.h>
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    struct mon_formula *formula;
    const char *text, *at;
    unsigned depth;
    mon_name_fn *find;
    void *ctx;
    char *why; /* "": good so far */
    size_t size;
    locale_t c_locale; /* whose decimal point is a point */
};

static bool formula_fail(struct reader *r, const char *sentence)
{
    snprintf(r->why, r->size, "%s", sentence);
    return false;
}

static bool formula_emit(struct reader *r, struct mon_step step)
{
    struct mon_formula *f = r->formula;
    if (f->steps == MON_FORMULA_STEPS)
        return formula_fail(r, "the formula is too long; split it into two metrics");
    f->step[f->steps++] = step;
    return true;
}

static void skip_space(struct reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

/* ---- operands -------------------------------------------------------------------------------- */

static const char digits[] = "0123456789";

/* Digits, at least one. */
static bool skip_digits(struct reader *r, const char *complaint)
{
    if (!isdigit((unsigned char)*r->at))
        return formula_fail(r, complaint);
    r->at += strspn(r->at, digits);
    return true;
}

/* Decimal, with an optional fraction and exponent, rounded to the nearest double. What strtod would
 * read beyond that ("nan", "0x1", the locale's decimal point) has been refused when it is asked. */
static bool formula_read_number(struct reader *r)
{
    const char *const text = r->at;
    r->at += strspn(r->at, digits);
    if (*r->at == '.') {
        r->at++;
        if (!skip_digits(r, "expected digits after the decimal point"))
            return false;
    }
    if (*r->at == 'e' || *r->at == 'E') {
        r->at++;
        r->at += *r->at == '+' || *r->at == '-';
        if (!skip_digits(r, "expected digits after the exponent's e"))
            return false;
    }
    if (isalpha((unsigned char)*r->at) || *r->at == '_')
        return formula_fail(r, "expected an operator between number and name");
    const double value = strtod_l(text, NULL, r->c_locale);
    if (!isfinite(value))
        return formula_fail(r, "the number is too large");
    return formula_emit(r, (struct mon_step){.op = '#', .number = value});
}

static bool is_name_byte(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

static bool read_name(struct reader *r)
{
    char name[MON_NAME_MAX];
    size_t n = 0;
    while (is_name_byte(r->at[n]))
        n++;
    if (n >= sizeof name)
        return formula_fail(r, "no name is this long");
    memcpy(name, r->at, n);
    name[n] = '\0';
    const int index = r->find(r->ctx, name, r->why, r->size);
    if (index < 0)
        return false;
    r->at += n;
    return formula_emit(r, (struct mon_step){.op = 'n', .name = (unsigned)index});
}

/* ---- precedence ------------------------------------------------------------------------------ */

static bool read_sum(struct reader *r);

static bool read_parentheses(struct reader *r)
{
    const char *open = r->at++;
    if (!read_sum(r))
        return false;
    skip_space(r);
    if (*r->at == ')') {
        r->at++;
        return true;
    }
    if (*r->at)
        return formula_fail(r, "expected an operator or )");
    r->at = open;
    return formula_fail(r, "this ( is never closed");
}

static bool read_operand(struct reader *r)
{
    skip_space(r);
    const char c = *r->at;
    if (c && strchr(digits, c))
        return formula_read_number(r);
    if (isalpha((unsigned char)c) || c == '_')
        return read_name(r);
    if (c != '(' && c != '-')
        return formula_fail(r, c ? "expected a number, a name or ("
                                 : "the formula ends where a number, a "
                                   "name or ( should follow");
    if (r->depth == MON_FORMULA_DEPTH)
        return formula_fail(r, "too many parentheses inside each other");
    r->depth++;
    bool good;
    if (c == '(') {
        good = read_parentheses(r);
    } else {
        r->at++;
        good = read_operand(r) && formula_emit(r, (struct mon_step){.op = '~'});
    }
    r->depth--;
    return good;
}

/* One level of precedence: operands joined by one of two operators, from the left. */
static bool read_level(struct reader *r, const char operators[2], bool (*operand)(struct reader *))
{
    if (!operand(r))
        return false;
    for (;;) {
        skip_space(r);
        const char op = *r->at;
        if (op != operators[0] && op != operators[1])
            return true;
        r->at++;
        if (!operand(r) || !formula_emit(r, (struct mon_step){.op = op}))
            return false;
    }
}

static bool read_product(struct reader *r)
{
    return read_level(r, "*/", read_operand);
}

static bool read_sum(struct reader *r)
{
    return read_level(r, "+-", read_product);
}

bool mon_formula_read(struct mon_formula *formula, const char *text, mon_name_fn *find, void *ctx,
                      size_t *offset, char *why, size_t size)
{
    struct reader r = {.formula = formula,
                       .text = text,
                       .at = text,
                       .find = find,
                       .ctx = ctx,
                       .why = why,
                       .size = size,
                       .c_locale = newlocale(LC_ALL_MASK, "C", NULL)};
    formula->steps = 0;
    bool good = read_sum(&r);
    if (good && *r.at) {
        good = false;
        formula_fail(&r, *r.at == ')' ? "this ) was never opened"
                                      : "expected one of + - * / between two operands");
    }
    *offset = (size_t)(r.at - text);
    freelocale(r.c_locale);
    return good;
}

/* ---- computing ------------------------------------------------------------------------------- */

static double formula_apply(char op, double a, double b)
{
    switch (op) {
    case '+':
        return a + b;
    case '-':
        return a - b;
    case '*':
        return a * b;
    default:
        return b == 0 ? NAN : a / b;
    }
}

bool mon_formula_value(const struct mon_formula *formula, mon_value_fn *get, void *ctx,
                       double *value)
{
    double stack[MON_FORMULA_STEPS];
    unsigned n = 0;
    *value = NAN;
    for (unsigned i = 0; i < formula->steps; i++) {
        const struct mon_step *s = &formula->step[i];
        if (s->op == '#') {
            stack[n++] = s->number;
        } else if (s->op == 'n') {
            stack[n++] = get(ctx, s->name);
        } else if (s->op == '~') {
            assert(n >= 1);
            stack[n - 1] = -stack[n - 1];
        } else {
            assert(n >= 2);
            n--;
            stack[n - 1] = formula_apply(s->op, stack[n - 1], stack[n]);
        }
        *value = stack[n - 1];
        if (!isfinite(*value))
            return false;
    }
    return true;
}
