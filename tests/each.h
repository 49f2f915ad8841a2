/*
 * Rows of microbenchmarks that are the same for several instructions: EACH of r4400_cycles.def and
 * r10000_cycles.def, whose code has %s where each of its names stands.
 */
#ifndef EACH_H
#define EACH_H

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EACH_CODE_MOST = 120 };

/** The row's code for the next of its names, which is taken off; the caller's. Without names: the
 * code, once. */
static inline const char *each_code(const char *code, const char **names)
{
    const size_t length = strcspn(*names, " ");
    const char *at = strstr(code, "%s"), *name = *names;
    *names += length + (name[length] == ' ');
    if (!length)
        return code;
    char *out = malloc(EACH_CODE_MOST);
    cr_assert_lt(snprintf(out, EACH_CODE_MOST, "%.*s%.*s%s", (int)(at - code), code, (int)length,
                          name, at + 2),
                 EACH_CODE_MOST);
    return out;
}

/** Whether a code has the instruction. */
static inline bool each_has(const char *code, const char *mnemonic)
{
    const size_t length = strlen(mnemonic);
    for (const char *at = code; (at = strstr(at, mnemonic)); at++)
        if ((at == code || strchr(" *", at[-1])) && strchr(" ;", at[length]))
            return true;
    return false;
}

/** The rows of a suite, one for each name, of those that are `written`: struct row has a `code`. */
#define EACH_ROWS(suite)                                                         \
    enum { ROWS_MOST = 600 };                                                    \
    static struct row rows[ROWS_MOST];                                           \
    static unsigned row_count;                                                   \
    static void expand(void)                                                     \
    {                                                                            \
        for (size_t i = 0; i < sizeof written / sizeof *written; i++) {          \
            const char *names = written[i].names;                                \
            do {                                                                 \
                cr_assert_lt(row_count, ROWS_MOST);                              \
                rows[row_count] = written[i].row;                                \
                rows[row_count++].code = each_code(written[i].row.code, &names); \
            } while (*names);                                                    \
        }                                                                        \
    }                                                                            \
    TestSuite(suite, .init = expand);

#endif
