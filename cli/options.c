/*
 * One reader of command lines for all commands: the rows of options.def that a row of commands.def
 * names.
 *
 * The hard idea: which words are options, and which are values of options or a program's own, only
 * getopt knows. So it reads a copy of the line before argp does, to find options that are mistyped.
 */
#include "cli/options.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "cli/cli.h"
#include "input/units.h"
#include "input/yaml.h"

#include <argp.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum type {
    FLAG,
    TEXT,
    NAME,
    MAYBE,
    COUNT,
    CHOICE,
    MANY,
    PARTS,
    NUMBERS,
    SETS,
    WINDOW,
    HIDDEN,
    ALIAS,
    REFUSED
};

static const struct option_row {
    const char *id, *name;
    int key;
    enum type type;
    const char *value;
    uint64_t least, most;
    const char *sentence;
    size_t field;
} option_rows[CLI_OPTION__COUNT] = {
#define OPTION(id, name, key, type, value, least, most, sentence) \
    {#id, name, key, type, value, least, most, sentence, offsetof(struct cli_given, id)},
#include "cli/options.def"
};

static const struct option_rule {
    enum cli_option id;
    const char *others, *why;
    bool needs; /* one of the others; else it excludes them */
} option_rules[] = {
#define EXCLUDE(id, others, why) {CLI_OPT_##id, others, why, false},
#define NEEDS(id, others, why)   {CLI_OPT_##id, others, why, true},
#include "cli/options.def"
};

enum {
    RULES = sizeof option_rules / sizeof *option_rules,
    KEYS = 0x200, /* of options without a letter */
    CHOICES = 16  /* of an option, at most */
};

#define ARGUMENTS(id, usage, least, most, which, many) \
    static const struct cli_arguments arguments_##id = {usage, least, most, which, many};
#include "cli/commands.def"

const struct cli_command cli_commands[] = {
#define COMMAND(name, arguments, options, sentence, text, notes, examples) \
    {#name, cli_##name, &arguments_##arguments, options, sentence, text, notes, examples},
#include "cli/commands.def"
    {0}};

/* What argp is told of a command. */
struct reader {
    struct cli_given *given;
    struct argp_option option[CLI_OPTION__COUNT + 1];
    enum cli_option id[CLI_OPTION__COUNT]; /* of each of these, */
    const char *value[CLI_OPTION__COUNT];  /* and its choices, or what stands for its value */
    size_t options;
};

static const char *options_keep(struct cli_given *g, char *text)
{
    size_t n = 0;
    in_push(&g->kept, text);
    free(text);
    while (g->kept[n + 1])
        n++;
    return g->kept[n];
}

static void *field_of(struct cli_given *g, enum cli_option id)
{
    return (char *)g + option_rows[id].field;
}

/* ---- the options of a command ---------------------------------------------------------------- */

/* The next of the ids that stand in a list. @return false: there is none */
static bool next_id(const char **list, enum cli_option *id, char text[64])
{
    *list += strspn(*list, " ");
    const size_t word = strcspn(*list, " "), name = strcspn(*list, "= ");
    snprintf(text, 64, "%.*s", (int)(word - name), *list + name);
    for (size_t i = 0; word && i < CLI_OPTION__COUNT; i++)
        if (strlen(option_rows[i].id) == name && !strncmp(option_rows[i].id, *list, name)) {
            *list += word;
            *id = (enum cli_option)i;
            return true;
        }
    return false;
}

static void set_default(struct cli_given *g, enum cli_option id, const char *text)
{
    if (option_rows[id].type == COUNT)
        in_whole_parse(text, field_of(g, id));
    else
        *(const char **)field_of(g, id) = text;
}

static bool has_key(const struct reader *r, int key)
{
    for (size_t i = 0; i < r->options; i++)
        if (r->option[i].key == key)
            return true;
    return false;
}

static void add_option(struct reader *r, enum cli_option id, const char *text)
{
    const struct option_row *row = &option_rows[id];
    const bool choice = row->type == CHOICE, hidden = row->type == HIDDEN;
    const bool none = row->type == ALIAS || row->type == REFUSED;
    const char *value = choice && *text ? options_keep(r->given, sim_strdup(text + 1)) : row->value;
    const char *preset = *text && !choice ? options_keep(r->given, sim_strdup(text + 1)) : NULL;
    if (choice)
        preset = options_keep(r->given, sim_strndup(value, strcspn(value, "|")));
    r->id[r->options] = id;
    r->value[r->options] = value;
    r->option[r->options] = (struct argp_option){
        .name = row->name,
        .key = row->key && !has_key(r, row->key) ? row->key : KEYS + (int)id,
        .arg = none || row->type == SETS ? NULL
               : row->type == WINDOW     ? "FROM:TO"
                                         : value,
        .flags = (row->type == MAYBE || row->type == WINDOW ? OPTION_ARG_OPTIONAL : 0) |
                 (none || hidden ? OPTION_HIDDEN : 0),
        .doc = preset
                   ? options_keep(r->given, sim_format("%s (default: %s)", row->sentence, preset))
                   : row->sentence};
    r->options++;
    if (preset)
        set_default(r->given, id, preset);
}

static void add_options(struct reader *r, const char *list)
{
    enum cli_option id;
    char text[64];
    while (next_id(&list, &id, text))
        add_option(r, id, text);
}

/* ---- values ---------------------------------------------------------------------------------- */

/* An option that says one thing is given once, and of several spellings one. */
static void check_once(struct argp_state *state, const char *before, const char *by, bool again)
{
    if (before && strcmp(before, by))
        argp_error(state, "%s and %s exclude each other", before, by);
    if (before && !again)
        argp_error(state, "%s: given twice, but it says one thing only", by);
}

/* What looks like the next option is that, and its own argument was forgotten. */
static void check_text(struct argp_state *state, const char *by, const char *arg)
{
    if (arg[0] == '-' && arg[1])
        argp_error(state, "%s: its argument is missing: '%.60s' is an option", by, arg);
}

static void check_choice(const struct cli_given *g, const char *by, const char *arg,
                         const char *choices)
{
    const char *name[CHOICES];
    size_t count = 0;
    char *copy = sim_strdup(choices), *rest = copy, *what = sim_format("%s: no", by);
    while (rest && count < CHOICES)
        name[count++] = strsep(&rest, "|");
    cli_named(g, what, arg, name, sizeof *name, count);
    free(copy);
    free(what);
}

static uint64_t read_count(struct argp_state *state, const char *by, const char *arg,
                           const struct option_row *row)
{
    uint64_t value = 0;
    const char *end = in_whole_parse(arg, &value);
    if (!end || *end || value < row->least || value > row->most)
        argp_error(state, "%s: '%.60s' is no whole number from %llu to %llu", by, arg,
                   (unsigned long long)row->least, (unsigned long long)row->most);
    return value;
}

/* Adds the comma-separated parts of an argument to a list. */
static void add_parts(struct argp_state *state, const char *by, char ***list, const char *arg)
{
    char *copy = in_strdup(arg), *rest = copy;
    for (char *word; (word = strsep(&rest, ","));) {
        if (!*word)
            argp_error(state, "%s: a name is missing in '%.60s'", by, arg);
        in_push(list, word);
    }
    free(copy);
}

/* "--waves[=FROM:TO]": a file that is recorded, and when. Either time may be left out; there is one
 * window for all files. */
static void add_recording(struct argp_state *state, struct cli_given *g, const char *by,
                          const char *file, const char *window)
{
    const char *const colon = window ? strchr(window, ':') : NULL;
    char *sets[] = {sim_format("%s=true", file), NULL, NULL};
    if (window && (!colon || !strcmp(window, ":")))
        argp_error(state, "%s: '%.60s' is not FROM:TO, such as 10us:20us, 3000cy: or :1ms", by,
                   window);
    if (window && g->window && strcmp(g->window, window))
        argp_error(state, "%s=%.60s: the window is %.60s already; there is one for all files", by,
                   window, g->window);
    if (window)
        g->window = window;
    if (colon && colon > window)
        sets[1] = sim_format("record.from=%.*s", (int)(colon - window), window);
    if (colon && colon[1])
        sets[2] = sim_format("record.to=%s", colon + 1);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (sets[i])
            in_push(&g->sets, sets[i]);
        free(sets[i]);
    }
}

/* The window's ends are not given by --set in other words, either. The option is one of the sets.
 */
static void check_window(struct argp_state *state, const struct cli_given *g)
{
    static const char *const ends[] = {"record.from=", "record.to="};
    for (size_t i = 0; g->window && i < sizeof ends / sizeof *ends; i++) {
        const char *first = NULL;
        for (char **set = g->sets; *set; set++) {
            if (strncmp(*set, ends[i], strlen(ends[i])))
                continue;
            if (first && strcmp(first, *set))
                argp_error(state, "%.60s and %.60s: the window is %.60s already", first, *set,
                           g->window);
            first = *set;
        }
    }
}

static void check_value(struct argp_state *state, const struct option_row *row, const char *by,
                        const char *arg, const char *value)
{
    if (!arg)
        return;
    if (!*arg)
        argp_error(state, "%s: its argument is empty", by);
    if (row->type == TEXT || row->type == MANY)
        check_text(state, by, arg);
    if (row->type == CHOICE || (row->type == MAYBE && strchr(value, '|')))
        check_choice(((const struct reader *)state->input)->given, by, arg, value);
}

static void take_value(struct argp_state *state, struct cli_given *g, enum cli_option id,
                       const char *by, char *arg)
{
    const struct option_row *row = &option_rows[id];
    void *field = field_of(g, id);
    switch (row->type) {
    case FLAG:
    case ALIAS:
        *(bool *)field = true;
        break;
    case TEXT:
    case NAME:
    case MAYBE:
    case CHOICE:
    case HIDDEN:
        *(const char **)field = arg;
        break;
    case COUNT:
        *(uint64_t *)field = read_count(state, by, arg, row);
        break;
    case NUMBERS:
        read_count(state, by, arg, row);
        in_push(field, arg);
        break;
    case MANY:
        in_push(field, arg);
        break;
    case PARTS:
        add_parts(state, by, field, arg);
        break;
    case SETS:
        in_push(&g->sets, row->value);
        break;
    case WINDOW:
        add_recording(state, g, by, row->value, arg);
        break;
    case REFUSED:
        argp_error(state, "%s: %s", by, row->sentence);
    }
}

static void take_option(struct argp_state *state, struct reader *r, size_t i, char *arg)
{
    static const bool once[] = {[TEXT] = true,   [NAME] = true,  [MAYBE] = true,   [COUNT] = true,
                                [CHOICE] = true, [ALIAS] = true, [REFUSED] = false};
    struct cli_given *g = r->given;
    const enum cli_option id = r->id[i];
    const struct option_row *row = &option_rows[id];
    const bool alias = row->type == ALIAS;
    const char *by =
        options_keep(g, row->name ? sim_format("--%s", row->name) : sim_format("-%c", row->key));
    const char *target = row->value;
    enum cli_option of = id;
    char none[64];
    if (alias)
        next_id(&target, &of, none);
    if (once[row->type])
        check_once(state, g->by[of], by, alias);
    check_value(state, row, by, arg, r->value[i]);
    take_value(state, g, id, by, arg);
    if (alias)
        *(const char **)field_of(g, of) = row->sentence;
    g->by[of] = by;
}

/* ---- the line -------------------------------------------------------------------------------- */

const char *cli_first_given(const struct cli_given *given, const char *ids)
{
    enum cli_option id;
    char text[64];
    while (next_id(&ids, &id, text))
        if (given->by[id])
            return given->by[id];
    return NULL;
}

/* "--slurm, --sshlogin or --sshloginfile". Allocated. */
static char *options_names_of(const char *ids)
{
    char *names = sim_strdup(""), text[64];
    enum cli_option id;
    for (bool more = next_id(&ids, &id, text); more;) {
        const char *name = option_rows[id].name;
        more = next_id(&ids, &id, text);
        char *all = sim_format("%s%s--%s", names, !*names ? "" : more ? ", " : " or ", name);
        free(names);
        names = all;
    }
    return names;
}

static void check_rules(struct argp_state *state, const struct cli_given *g)
{
    for (const struct option_rule *rule = option_rules; rule < option_rules + RULES; rule++) {
        const char *by = g->by[rule->id], *other = cli_first_given(g, rule->others);
        if (by && other && !rule->needs && *rule->why)
            argp_error(state, "%s %s: not with %s", by, rule->why, other);
        if (by && other && !rule->needs)
            argp_error(state, "%s and %s exclude each other", by, other);
        if (by && !other && rule->needs) {
            char *names = options_names_of(rule->others);
            argp_error(state, "%s: %s (%s)", by, rule->why, names);
            free(names);
        }
    }
}

static void take_word(struct argp_state *state, struct cli_given *g, char *arg)
{
    const struct cli_arguments *a = g->command->arguments;
    if (a->most == CLI_REST) {
        g->count = (size_t)state->argc - (size_t)state->next + 1;
        memcpy(g->words, state->argv + state->next - 1, g->count * sizeof *g->words);
        g->quoted = state->quoted != 0;
        state->next = state->argc;
        return;
    }
    if (g->count == a->most)
        argp_error(state, "'%.60s' is too much: %s", arg, a->many);
    if (!*arg)
        argp_error(state, "%s: its argument is empty", a->usage);
    g->words[g->count++] = arg;
}

static error_t options_parse(int key, char *arg, struct argp_state *state)
{
    struct reader *r = state->input;
    const struct cli_arguments *a = r->given->command->arguments;
    switch (key) {
    case ARGP_KEY_ARG:
        take_word(state, r->given, arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        if (!a->which && !r->given->by[CLI_OPT_cite]) /* numachine alone */
            argp_state_help(state, stderr, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK);
        return 0;
    case ARGP_KEY_END:
        if (r->given->count < a->least)
            argp_error(state, "%s", a->which);
        check_rules(state, r->given);
        check_window(state, r->given);
        return 0;
    default:
        for (size_t i = 0; i < r->options; i++)
            if (r->option[i].key == key) {
                take_option(state, r, i, arg);
                return 0;
            }
        return ARGP_ERR_UNKNOWN;
    }
}

void cli_refuse(const struct cli_given *given, const char *format, ...)
{
    static const struct argp none = {0};
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", given->argv[0]);
    vfprintf(stderr, format, args);
    putc('\n', stderr);
    va_end(args);
    argp_help(&none, stderr, ARGP_HELP_SEE, given->argv[0]);
    exit(CLI_EXIT_USAGE);
}

/* ---- what is near to an option --------------------------------------------------------------- */

/* What getopt is told: the options of a command, and those that argp adds. */
struct getopts {
    struct option row[CLI_OPTION__COUNT + 4];
    char shorts[3 * CLI_OPTION__COUNT + 2];
    bool hidden[CLI_OPTION__COUNT + 4];
    size_t count;
};

static void add_getopt(struct getopts *o, const struct argp_option *a)
{
    const int takes = !a->arg                          ? no_argument
                      : a->flags & OPTION_ARG_OPTIONAL ? optional_argument
                                                       : required_argument;
    static const char *const colons[] = {"", ":", "::"};
    const size_t n = strlen(o->shorts);
    if (a->key < KEYS)
        snprintf(o->shorts + n, sizeof o->shorts - n, "%c%s", a->key, colons[takes]);
    if (!a->name)
        return;
    o->hidden[o->count] = a->flags & OPTION_HIDDEN;
    o->row[o->count++] = (struct option){.name = a->name, .has_arg = takes, .val = 1};
}

static const char *next_option(void *ctx, size_t i)
{
    const struct getopts *o = ctx;
    while (i < o->count && o->hidden[i])
        i++;
    return i < o->count ? o->row[i].name : NULL;
}

/* Whether getopt knows the option, or several that begin so. */
static bool is_begun(const struct getopts *o, const char *name)
{
    for (size_t i = 0; i < o->count; i++)
        if (!strncmp(o->row[i].name, name, strlen(name)))
            return true;
    return false;
}

/* Ends the program if it knows what was meant. @param word  "--name" or "--name=value" */
static void options_judge(const struct cli_given *g, const struct getopts *o, const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *near = is_begun(o, name) ? NULL : sim_nearest(name, next_option, (void *)o);
    if (near)
        cli_refuse(g, "no option '--%s'; did you mean '--%s'?", name, near);
}

static void check_mistyped(const struct reader *r, unsigned flags)
{
    static const struct argp_option argps[] = {{"help", '?', NULL, 0, NULL, 0},
                                               {"usage", KEYS, NULL, 0, NULL, 0},
                                               {"version", 'V', NULL, 0, NULL, 0}};
    const struct cli_given *g = r->given;
    struct getopts o = {.shorts = ""};
    if (flags & ARGP_IN_ORDER)
        o.shorts[0] = '+';
    for (size_t i = 0; i < r->options; i++)
        add_getopt(&o, &r->option[i]);
    for (size_t i = 0; i < sizeof argps / sizeof *argps; i++)
        add_getopt(&o, &argps[i]);
    char **copy = sim_alloc((size_t)g->argc + 1, sizeof *copy); /* getopt sorts it */
    memcpy(copy, g->argv, (size_t)g->argc * sizeof *copy);
    optind = 0; /* anew */
    opterr = 0;
    for (int found = 0; found >= 0;) {
        optopt = '?';
        found = getopt_long(g->argc, copy, o.shorts, o.row, NULL);
        if (found == '?' && optopt == 0)
            options_judge(g, &o, copy[optind - 1]);
    }
    opterr = 1;
    free(copy);
}

static bool looks_like(const struct option_row *row, const char *word)
{
    if (word[0] != '-' || !row->name)
        return false;
    const size_t length = strlen(row->name);
    return (row->key && word[1] == row->key && !word[2]) ||
           (word[1] == '-' && !strncmp(word + 2, row->name, length) &&
            (!word[2 + length] || word[2 + length] == '='));
}

void cli_options_late(const struct cli_given *given, char *const *program)
{
    for (char *const *word = program + 1; *program && *word; word++) {
        const char *list = given->command->options;
        enum cli_option id;
        char text[64];
        while (next_id(&list, &id, text))
            if (looks_like(&option_rows[id], *word)) {
                fprintf(stderr,
                        "numachine: note: '%.60s' stands behind the program, so it is the "
                        "program's; options of numachine stand in front of it (with -- before the "
                        "program there is no such note)\n",
                        *word);
                return;
            }
    }
}

/* ---- for all commands ------------------------------------------------------------------------ */

void cli_parse(const struct cli_command *command, int argc, char **argv, struct cli_given *given)
{
    struct reader r = {.given = given};
    const char *notes = command->notes, *examples = command->examples;
    char *doc = sim_format("%s\v%s%s%s%s", command->text, notes, *notes && examples ? "\n\n" : "",
                           examples ? "Examples:\n" : "", examples ? examples : "");
    const struct argp argp = {.options = r.option,
                              .parser = options_parse,
                              .args_doc = command->arguments->usage,
                              .doc = doc};
    const unsigned flags = command->arguments->most == CLI_REST ? ARGP_IN_ORDER : 0;
    *given = (struct cli_given){.command = command, .argc = argc, .argv = argv};
    given->words = sim_alloc((size_t)argc + 3, sizeof *given->words);
    add_options(&r, command->options);
    check_mistyped(&r, flags);
    if (argp_parse(&argp, argc, argv, flags, NULL, &r))
        sim_no_memory();
    free(doc);
}

void cli_given_free(struct cli_given *given)
{
    for (size_t i = 0; i < CLI_OPTION__COUNT; i++)
        if (option_rows[i].type == MANY || option_rows[i].type == PARTS ||
            option_rows[i].type == NUMBERS)
            in_free_list(*(char ***)field_of(given, (enum cli_option)i));
    in_free_list(given->kept);
    free(given->words);
}

/* A table of rows that begin with their names. */
struct named {
    const char *row;
    size_t size, count;
};

static const char *options_next_name(void *ctx, size_t i)
{
    const struct named *n = ctx;
    return i < n->count ? *(const char *const *)(n->row + i * n->size) : NULL;
}

size_t cli_named(const struct cli_given *given, const char *what, const char *name,
                 const void *table, size_t size, size_t count)
{
    struct named n = {table, size, count};
    char *all = sim_strdup("");
    for (size_t i = 0; i < count; i++) {
        const char *its = options_next_name(&n, i);
        if (!strcmp(name, its)) {
            free(all);
            return i;
        }
        char *more = sim_format("%s%s%s", all, i ? ", " : "", its);
        free(all);
        all = more;
    }
    const char *near = sim_nearest(name, options_next_name, &n);
    if (near)
        cli_refuse(given, "%s '%.60s'; did you mean '%s'?", what, name, near);
    cli_refuse(given, "%s '%.60s'; there are %s", what, name, all);
}

bool cli_is_format(const struct cli_given *given, const char *format)
{
    return !strcmp(given->format, format);
}

bool cli_machine_load(const struct cli_given *given, struct in_machine *machine)
{
    struct in_diag diag = {.out = stderr};
    return in_machine_load(machine, given->words[0], given->sets, &diag);
}
