/*
 * Words of a command line, held against the options that a command has.
 *
 * The hard idea: which words are options, and which are values of options or a program's own, only
 * getopt knows. So it reads a copy of the line before argp does, and says nothing of it.
 */
#include "cli/words.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "cli/exit.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/** The options of a command, those of its children and those that argp adds. */
struct options {
    struct option *row; /* [rows + 1]; val is the short one, or 1: there is none */
    size_t rows;
};

static void add(struct options *o, const char *name, int key, int takes)
{
    o->row = sim_grow(o->row, o->rows + 2, sizeof *o->row);
    o->row[o->rows++] = (struct option){.name = name, .has_arg = takes, .val = key};
    o->row[o->rows] = (struct option){0};
}

static void add_own(struct options *o, const struct argp *argp)
{
    for (const struct argp_option *a = argp->options; a && (a->name || a->key); a++) {
        const int takes = !a->arg                          ? no_argument
                          : a->flags & OPTION_ARG_OPTIONAL ? optional_argument
                                                           : required_argument;
        if (a->name)
            add(o, a->name, a->key > ' ' && a->key < 0x7f ? a->key : 1, takes);
    }
}

/* Commands' parsers are two deep at most. */
// NOLINTNEXTLINE(misc-no-recursion)
static void add_all(struct options *o, const struct argp *argp)
{
    add_own(o, argp);
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        add_all(o, child->argp);
}

static struct options options_of(const struct argp *argp)
{
    struct options o = {0};
    add_all(&o, argp);
    add(&o, "help", 1, no_argument);
    add(&o, "usage", 1, no_argument);
    add(&o, "version", 'V', no_argument);
    return o;
}

static const char *next_option(void *ctx, size_t i)
{
    const struct options *o = ctx;
    return i < o->rows ? o->row[i].name : NULL;
}

/* ---- what is near to an option --------------------------------------------------------------- */

/* getopt's string of the short ones. The caller's. */
static char *shorts_of(const struct options *o, bool in_order)
{
    char *text = sim_alloc(3 * o->rows + 2, 1), *end = text;
    if (in_order)
        *end++ = '+';
    for (size_t i = 0; i < o->rows; i++) {
        if (o->row[i].val == 1)
            continue;
        *end++ = (char)o->row[i].val;
        for (int k = 0; k < o->row[i].has_arg; k++)
            *end++ = ':';
    }
    return text;
}

/* Whether getopt knows the option, or several that begin so. @param name  without what is behind
 * '=' */
static bool is_begun(const struct options *o, const char *name)
{
    for (size_t i = 0; i < o->rows; i++)
        if (!strncmp(o->row[i].name, name, strlen(name)))
            return true;
    return false;
}

/* Ends the program if it knows what was meant. @param word  "--name" or "--name=value" */
static void judge(const struct argp *argp, char *command, const struct options *o, const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *near = is_begun(o, name) ? NULL : sim_nearest(name, next_option, (void *)o);
    if (!near)
        return;
    fprintf(stderr, "%s: no option '--%s'; did you mean '--%s'?\n", command, name, near);
    argp_help(argp, stderr, ARGP_HELP_SEE, command);
    exit(CLI_EXIT_USAGE);
}

void cli_options_mistyped(const struct argp *argp, int argc, char *const *argv, unsigned flags)
{
    struct options o = options_of(argp);
    char *shorts = shorts_of(&o, flags & ARGP_IN_ORDER);
    char **copy = sim_alloc((size_t)argc + 1, sizeof *copy); /* getopt sorts it */
    memcpy(copy, argv, (size_t)argc * sizeof *copy);
    optind = 0; /* anew */
    opterr = 0;
    for (int found = 0; found >= 0;) {
        optopt = '?';
        found = getopt_long(argc, copy, shorts, o.row, NULL);
        if (found == '?' && optopt == 0)
            judge(argp, argv[0], &o, copy[optind - 1]);
    }
    opterr = 1;
    free(copy);
    free(shorts);
    free(o.row);
}

/* ---- behind the program ---------------------------------------------------------------------- */

static bool looks_like(const struct options *o, const char *word)
{
    bool like = false;
    for (size_t i = 0; i < o->rows && word[0] == '-'; i++) {
        const char *name = o->row[i].name;
        const size_t length = strlen(name);
        like |= word[1] == o->row[i].val && !word[2];
        like |= word[1] == '-' && !strncmp(word + 2, name, length) &&
                (!word[2 + length] || word[2 + length] == '=');
    }
    return like;
}

void cli_options_late(const struct argp *argp, char *const *words)
{
    struct options o = {0};
    add_all(&o, argp);
    for (char *const *word = words + 1; *words && *word; word++)
        if (looks_like(&o, *word)) {
            fprintf(stderr,
                    "numachine: note: '%.60s' stands behind the program, so it is the program's; "
                    "options of numachine stand in front of it (with -- before the program there "
                    "is no such note)\n",
                    *word);
            break;
        }
    free(o.row);
}
