/* Formulas: precedence, every way to be malformed with its place, bounds, division by zero. */
#include "monitor/formula.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int find(void *ctx, const char *name, char *why, size_t size)
{
    (void)ctx;
    if (strlen(name) == 1 && *name >= 'a' && *name <= 'd')
        return *name - 'a';
    if (!strcmp(name, "bus.width"))
        return 8;
    snprintf(why, size, "unknown name '%s'", name);
    return -1;
}

/* a = 0, b = 1, c = 2, d = 3, bus.width = 8 */
static double get(void *ctx, unsigned name)
{
    (void)ctx;
    return name;
}

Test(monitor_formula, values)
{
    static const struct {
        int line;
        const char *text;
        double value;
    } rows[] = {
        {__LINE__, "1", 1},
        {__LINE__, " 1 + 2 * 3 ", 7},
        {__LINE__, "(1 + 2) * 3", 9},
        {__LINE__, "8 - 2 - 1", 5},
        {__LINE__, "8 / 2 / 2", 2},
        {__LINE__, "8 / (2 / 2)", 8},
        {__LINE__, "2 * 3 - 4 / 2", 4},
        {__LINE__, "-d + 1", -2},
        {__LINE__, "--d", 3},
        {__LINE__, "2 * -c", -4},
        {__LINE__, "-c * -d", 6},
        {__LINE__, "100 * c / d", 200 / 3.0},
        {__LINE__, "bus.width * 0.5", 4},
        {__LINE__, "1.25e2 + 1E-2", 125.01},
        {__LINE__, "1e+3", 1000},
        {__LINE__, "0e999999999999", 0},
        {__LINE__, "a * 5", 0},
        {__LINE__, "a / 5", 0},
        {__LINE__, "1\n+\t1", 2},
        {__LINE__, "((((((((((((((((1))))))))))))))))", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mon_formula f;
        size_t offset;
        char why[200] = "";
        double value = NAN;
        cr_expect(mon_formula_read(&f, rows[i].text, find, NULL, &offset, why, sizeof why) &&
                      mon_formula_value(&f, get, NULL, &value) &&
                      fabs(value - rows[i].value) < 1e-9,
                  "row %d: %g %s", rows[i].line, value, why);
    }
}

Test(monitor_formula, malformed)
{
    static const struct {
        int line;
        const char *text;
        size_t offset;
        const char *why;
    } rows[] = {
        {__LINE__, "", 0, "ends where a number"},
        {__LINE__, "   ", 3, "ends where a number"},
        {__LINE__, "1 +", 3, "ends where a number"},
        {__LINE__, "1 + * 2", 4, "expected a number, a name or ("},
        {__LINE__, "(1 + 2", 0, "never closed"},
        {__LINE__, "1 * (2 + (3)", 4, "never closed"},
        {__LINE__, "1 + 2)", 5, "never opened"},
        {__LINE__, "()", 1, "expected a number"},
        {__LINE__, "1 2", 2, "expected one of + - * /"},
        {__LINE__, "c d", 2, "expected one of + - * /"},
        {__LINE__, "2c", 1, "expected an operator between"},
        {__LINE__, "1.", 2, "digits after the decimal point"},
        {__LINE__, ".5", 0, "expected a number"},
        {__LINE__, "1e", 2, "digits after the exponent"},
        {__LINE__, "1e-", 3, "digits after the exponent"},
        {__LINE__, "1e999", 5, "too large"},
        {__LINE__, "0x10", 1, "expected an operator between"},
        {__LINE__, "nan", 0, "unknown name 'nan'"},
        {__LINE__, "1 + zeta", 4, "unknown name 'zeta'"},
        {__LINE__, "c ^ 2", 2, "expected one of + - * /"},
        {__LINE__, "c % 2", 2, "expected one of + - * /"},
        {__LINE__, "f(1)", 0, "unknown name 'f'"},
        {__LINE__, "c(1)", 1, "expected one of + - * /"},
        {__LINE__, "(c 1)", 3, "expected an operator or )"},
        {__LINE__, "+1", 0, "expected a number"},
        {__LINE__, "1,5", 1, "expected one of + - * /"},
        {__LINE__, "\xc3\xa9", 0, "expected a number"},
        {__LINE__, "c\x01", 1, "expected one of + - * /"},
        {__LINE__, "(((((((((((((((((1)))))))))))))))))", 16, "too many parentheses"},
        {__LINE__, "-----------------1", 16, "too many parentheses"},
        {__LINE__, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0,
         "no name is this long"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct mon_formula f;
        size_t offset = SIZE_MAX;
        char why[200] = "";
        cr_expect(!mon_formula_read(&f, rows[i].text, find, NULL, &offset, why, sizeof why),
                  "row %d", rows[i].line);
        cr_expect_eq(offset, rows[i].offset, "row %d: %zu", rows[i].line, offset);
        cr_expect(strstr(why, rows[i].why), "row %d: %s", rows[i].line, why);
    }
}

Test(monitor_formula, without_a_value)
{
    static const char *const texts[] = {"1 / a",       "a / a",         "1 / (c - 2)",
                                        "(1 / a) * 0", "1e300 * 1e300", "5 / 0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct mon_formula f;
        size_t offset;
        char why[200];
        double value = 7;
        cr_assert(mon_formula_read(&f, texts[i], find, NULL, &offset, why, sizeof why));
        cr_expect(!mon_formula_value(&f, get, NULL, &value), "%s", texts[i]);
        cr_expect(!isfinite(value), "%s: %g", texts[i], value);
    }
}

/* 64 steps are 32 numbers and 31 operators, and one more. */
Test(monitor_formula, length_is_bounded)
{
    char text[400] = "1";
    struct mon_formula f;
    size_t offset;
    char why[200];
    double value;
    for (int i = 1; i < 32; i++)
        strcat(text, "+1");
    cr_assert(mon_formula_read(&f, text, find, NULL, &offset, why, sizeof why));
    cr_expect(mon_formula_value(&f, get, NULL, &value) && value == 32);
    strcat(text, "+1");
    cr_expect(!mon_formula_read(&f, text, find, NULL, &offset, why, sizeof why));
    cr_expect(strstr(why, "too long"), "%s", why);
}

/* Whatever the text, reading ends, stays within it, and what it accepts can be computed. */
Test(monitor_formula, random_texts)
{
    static const char alphabet[] = "01.9e+-*/()abc d_z";
    unsigned seed = 1, accepted = 0;
    for (int i = 0; i < 200000; i++) {
        char text[24], why[200] = "";
        struct mon_formula f;
        size_t offset, n = (size_t)(rand_r(&seed) % 16);
        double value;
        for (size_t k = 0; k < n; k++)
            text[k] = alphabet[(size_t)rand_r(&seed) % (sizeof alphabet - 1)];
        text[n] = '\0';
        if (mon_formula_read(&f, text, find, NULL, &offset, why, sizeof why)) {
            accepted++;
            cr_assert(f.steps > 0 && f.steps <= MON_FORMULA_STEPS);
            if (mon_formula_value(&f, get, NULL, &value))
                cr_assert(isfinite(value), "%s", text);
        } else {
            cr_assert(offset <= n && *why, "%s", text);
        }
    }
    cr_expect_gt(accepted, 1000);
}
