/*
 * The litmus tests, and what sequential consistency allows of them.
 *
 * A test is written as its threads' accesses in program order: `x=1` stores, `x` loads, `|` goes on
 * to the next thread; variables start as 0. Its outcome is what the loads returned, thread by
 * thread, then the variables' last values. What sequential consistency allows is not written down
 * but found by executing every interleaving of the accesses. The names are those of Alglave,
 * Maranget and Tautschnig, "Herding cats" (2014).
 *
 * Included by a guest program and by a test of the protocol, so it needs nothing but C.
 */
#ifndef LITMUS_SHAPES_H
#define LITMUS_SHAPES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { LITMUS_THREADS = 4, LITMUS_OPS = 4, LITMUS_VARS = 3, LITMUS_LOADS = 4 };
enum { LITMUS_DIGITS = LITMUS_LOADS + LITMUS_VARS, LITMUS_OUTCOMES = 1 << 2 * LITMUS_DIGITS };

static const struct litmus_row {
    const char *name, *threads;
} litmus_rows[] = {
    {"SB", "x=1 y | y=1 x"},           {"MP", "x=1 y=1 | y x"},
    {"LB", "x y=1 | y x=1"},           {"S", "x=2 y=1 | y x=1"},
    {"R", "x=1 y=1 | y=2 x"},          {"2+2W", "x=1 y=2 | y=1 x=2"},
    {"IRIW", "x=1 | y=1 | x y | y x"}, {"WRC", "x=1 | x y=1 | y x"},
    {"RWC", "x=1 | x y | y=1 x"},      {"ISA2", "x=1 y=1 | y z=1 | z x"},
    {"WWC", "x=2 | x y=1 | y x=1"},    {"CoRR", "x=1 | x x"},
    {"CoWW", "x=1 x=2 | x x"},         {"CoRW", "x x=1 | x=2 x"},
    {"CoWR", "x=1 x | x=2 x"},         {"CoRR2", "x=1 | x=2 | x x | x x"},
};

enum { LITMUS_ROWS = sizeof litmus_rows / sizeof *litmus_rows };

/** One access. */
struct litmus_op {
    bool store;
    unsigned var, value; /**< value: what is stored, or which of the test's loads this is */
};

/** A test, parsed. */
struct litmus {
    const char *name;
    unsigned threads, vars, loads;
    unsigned ops[LITMUS_THREADS]; /**< of each thread */
    struct litmus_op op[LITMUS_THREADS][LITMUS_OPS];
    bool allowed[LITMUS_OUTCOMES]; /**< by sequential consistency */
};

/** What happened: loaded values, then the variables' last values; two bits each. */
struct litmus_outcome {
    unsigned loaded[LITMUS_LOADS], last[LITMUS_VARS];
};

/** The outcome as an index of `allowed`. */
static inline unsigned litmus_code(const struct litmus_outcome *o)
{
    unsigned code = 0;
    for (unsigned i = 0; i < LITMUS_LOADS; i++)
        code = code << 2 | (o->loaded[i] & 3);
    for (unsigned i = 0; i < LITMUS_VARS; i++)
        code = code << 2 | (o->last[i] & 3);
    return code;
}

/** The outcome for people: "1 0, last 1 1". @param text at least 32 bytes */
static inline void litmus_text(const struct litmus *t, unsigned code, char *text)
{
    for (unsigned i = 0; i < t->loads + t->vars; i++) {
        unsigned digit = i < t->loads ? i : LITMUS_LOADS + i - t->loads;
        if (i == t->loads)
            text = strcpy(text, i ? ", last " : "last ") + (i ? 7 : 5);
        else if (i)
            *text++ = ' ';
        *text++ = (char)('0' + (code >> 2 * (LITMUS_DIGITS - 1 - digit) & 3));
    }
    *text = 0;
}

/* Executes every interleaving from here on. */
static inline void litmus_explore(struct litmus *t, unsigned *at, struct litmus_outcome *o)
{
    bool ended = true;
    for (unsigned i = 0; i < t->threads; i++) {
        if (at[i] == t->ops[i])
            continue;
        ended = false;
        struct litmus_outcome then = *o;
        const struct litmus_op *op = &t->op[i][at[i]++];
        if (op->store)
            then.last[op->var] = op->value;
        else
            then.loaded[op->value] = then.last[op->var];
        litmus_explore(t, at, &then);
        at[i]--;
    }
    if (ended)
        t->allowed[litmus_code(o)] = true;
}

/** Parses a row and finds what it may do. */
static inline void litmus_read(struct litmus *t, const struct litmus_row *row)
{
    unsigned at[LITMUS_THREADS] = {0};
    struct litmus_outcome start = {{0}, {0}};
    memset(t, 0, sizeof *t);
    t->name = row->name;
    t->threads = 1;
    for (const char *c = row->threads; *c; c++) {
        if (*c == '|')
            t->threads++;
        if (*c < 'x' || *c > 'z')
            continue;
        unsigned thread = t->threads - 1;
        struct litmus_op *op = &t->op[thread][t->ops[thread]++];
        op->var = (unsigned)(*c - 'x');
        op->store = c[1] == '=';
        op->value = op->store ? (unsigned)(c[2] - '0') : t->loads++;
        if (op->var >= t->vars)
            t->vars = op->var + 1;
    }
    litmus_explore(t, at, &start);
}

#endif
