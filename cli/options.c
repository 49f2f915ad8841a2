/*
 * Options several subcommands share: written once, so that they mean the same everywhere.
 */
#include "cli/options.h"

#include "base/alloc.h"
#include "input/experiment.h"
#include "input/units.h"
#include "input/yaml.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPT_FORCE = 0x200,
    OPT_ALLOW,
    OPT_CHECK,
    OPT_FUNCTIONAL,
    OPT_WAVES,
    OPT_TRACE,
    OPT_PAJE,
    OPT_REFERENCES,
    OPT_HOST_THREADS
};

const char *cli_value(struct argp_state *state, const char *option, const char *arg)
{
    if (!*arg)
        argp_error(state, "%s: its argument is empty", option);
    return arg;
}

const char *cli_text(struct argp_state *state, const char *option, const char *arg)
{
    if (arg[0] == '-' && arg[1])
        argp_error(state, "%s: its argument is missing: '%.60s' is an option", option, arg);
    return cli_value(state, option, arg);
}

void cli_once(struct argp_state *state, const char *option, bool *given)
{
    if (*given)
        argp_error(state, "%s: given twice, but it says one thing only", option);
    *given = true;
}

void cli_only(struct argp_state *state, const char *option, const char **given)
{
    if (*given && strcmp(*given, option) != 0)
        argp_error(state, "%s and %s exclude each other", *given, option);
    *given = option;
}

unsigned cli_count(struct argp_state *state, const char *option, const char *arg)
{
    enum { MOST = 10000 };
    uint64_t value = 0;
    const char *end = in_whole_parse(cli_value(state, option, arg), &value);
    if (!end || *end || !value || value > MOST)
        argp_error(state, "%s: '%.60s' is no whole number from 1 to %d", option, arg, MOST);
    return (unsigned)value;
}

size_t cli_named(struct argp_state *state, const char *what, const char *name, const void *rows,
                 size_t size, size_t count)
{
    char names[200] = "";
    for (size_t i = 0, n = 0; i < count && n < sizeof names; i++) {
        const char *row = *(const char *const *)((const char *)rows + i * size);
        if (strcmp(name, row) == 0)
            return i;
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", row);
    }
    argp_error(state, "no %s '%.60s'; there are %s", what, name, names);
    return 0;
}

/* ---- --set ----------------------------------------------------------------------------------- */

static error_t parse_set(int key, char *arg, struct argp_state *state)
{
    if (key != 's')
        return ARGP_ERR_UNKNOWN;
    in_push(state->input, (char *)cli_value(state, "--set", arg));
    return 0;
}

static const struct argp_option set_options[] = {
    {"set", 's', "KEY=VALUE", 0,
     "Replace a value of the file or of its machine; of several for one KEY the last counts", 0},
    {0}};

const struct argp cli_set_argp = {.options = set_options, .parser = parse_set};

/* ---- FILE ------------------------------------------------------------------------------------ */

static error_t parse_file(int key, char *arg, struct argp_state *state)
{
    const char **file = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (*file)
            argp_error(state, "one FILE at a time");
        *file = cli_value(state, "FILE", arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which FILE? (- is standard input)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_file_argp = {.parser = parse_file, .args_doc = "FILE"};

/* ---- RUN_DIR --------------------------------------------------------------------------------- */

static error_t parse_run_dir(int key, char *arg, struct argp_state *state)
{
    const char **directory = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (*directory)
            argp_error(state, "one RUN_DIR at a time");
        *directory = cli_value(state, "RUN_DIR", arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which RUN_DIR? (a directory that 'run', or 'stat -o', has left)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_run_dir_argp = {.parser = parse_run_dir, .args_doc = "RUN_DIR"};

/* ---- [MACHINE] ------------------------------------------------------------------------------- */

static error_t parse_machine(int key, char *arg, struct argp_state *state)
{
    struct cli_machine *given = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &given->sets;
        return 0;
    case ARGP_KEY_ARG:
        if (given->name)
            argp_error(state, "one MACHINE at a time");
        given->name = arg;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child set_child[] = {{&cli_set_argp, 0, NULL, 0}, {0}};

const struct argp cli_machine_argp = {
    .parser = parse_machine, .args_doc = "[MACHINE]", .children = set_child};

bool cli_machine_load(struct cli_machine *given, struct in_machine *machine)
{
    struct in_diag diag = {.out = stderr};
    const bool good = in_machine_load(machine, given->name, given->sets, &diag);
    in_free_list(given->sets);
    given->sets = NULL;
    return good;
}

/* ---- of a run -------------------------------------------------------------------------------- */

/** Adds the comma-separated parts of an argument to a list. */
static void add_parts(struct argp_state *state, const char *option, char ***list, const char *spec)
{
    char *copy = in_strdup(cli_value(state, option, spec)), *rest = copy;
    for (char *word; (word = strsep(&rest, ","));) {
        if (!*word)
            argp_error(state, "%s: a name is missing in '%.60s'", option, spec);
        in_push(list, word);
    }
    free(copy);
}

/** Refuses a window that is not the one given before, in other words: there is one. */
static void one_window(struct argp_state *state, struct cli_options *o, const char *file,
                       const char *window)
{
    if (o->window && strcmp(o->window, window))
        argp_error(state, "--%s=%.60s: the window is %.60s already; there is one for all files",
                   file, window, o->window);
    o->window = window;
}

/** The window's ends are not given by --set in other words, either. The option is one of the sets.
 */
static void same_window(struct argp_state *state, const struct cli_options *o)
{
    static const char *const ends[] = {"record.from=", "record.to="};
    for (size_t i = 0; o->window && i < sizeof ends / sizeof *ends; i++) {
        const char *first = NULL;
        for (char **set = o->sets; *set; set++) {
            if (strncmp(*set, ends[i], strlen(ends[i])))
                continue;
            if (first && strcmp(first, *set))
                argp_error(state, "%.60s and %.60s: the window is %.60s already", first, *set,
                           o->window);
            first = *set;
        }
    }
}

/** "--waves[=FROM:TO]": a file that is recorded, and when. Either time may be left out. */
static void add_recording(struct argp_state *state, struct cli_options *o, const char *file,
                          const char *window)
{
    const char *const colon = window ? strchr(window, ':') : NULL;
    char *sets[] = {sim_format("record.%s=true", file), NULL, NULL};
    if (window && (!colon || !strcmp(window, ":")))
        argp_error(state, "--%s: '%.60s' is not FROM:TO, such as 10us:20us, 3000cy: or :1ms", file,
                   window);
    if (window)
        one_window(state, o, file, window);
    if (colon && colon > window)
        sets[1] = sim_format("record.from=%.*s", (int)(colon - window), window);
    if (colon && colon[1])
        sets[2] = sim_format("record.to=%s", colon + 1);
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if (sets[i])
            in_push(&o->sets, sets[i]);
        free(sets[i]);
    }
}

static error_t parse_options(int key, char *arg, struct argp_state *state)
{
    struct cli_options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->sets;
        return 0;
    case 'e':
        add_parts(state, "--event", &o->events, arg);
        return 0;
    case 'g':
        add_parts(state, "--group", &o->groups, arg);
        return 0;
    case OPT_ALLOW:
        in_push(&o->allow, (char *)cli_value(state, "--allow", arg));
        return 0;
    case 'o':
        cli_once(state, "--output", &o->out_given);
        o->out = cli_text(state, "--output", arg);
        return 0;
    case 'q':
        o->quiet = true;
        return 0;
    case OPT_CHECK:
        in_push(&o->sets, "run.check=true");
        return 0;
    case OPT_FUNCTIONAL:
        in_push(&o->sets, "run.mode=functional");
        return 0;
    case OPT_FORCE:
        o->force = true;
        return 0;
    case OPT_WAVES:
        add_recording(state, o, "waves", arg);
        return 0;
    case OPT_TRACE:
        add_recording(state, o, "trace", arg);
        return 0;
    case OPT_PAJE:
        add_recording(state, o, "paje", arg);
        return 0;
    case OPT_REFERENCES:
        in_push(&o->sets, "record.references=true");
        return 0;
    case OPT_HOST_THREADS:
        cli_once(state, "--host-threads", &o->host_threads_given);
        o->host_threads = cli_count(state, "--host-threads", arg);
        return 0;
    case ARGP_KEY_SUCCESS:
        same_window(state, o);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option run_options[] = {
    {"event", 'e', "EVENTS", 0, "Count these events and sets (numachine list events)", 0},
    {"group", 'g', "GROUPS", 0, "Answer these groups' questions (numachine list groups), or files'",
     0},
    {"check", OPT_CHECK, NULL, 0, "Carry data through the caches and compare every load", 0},
    {"functional", OPT_FUNCTIONAL, NULL, 0, "No caches and no timing: instructions only, but fast",
     0},
    {"allow", OPT_ALLOW, "PATH[:ro]", 0, "Let the program use this directory or file of the host",
     0},
    {"waves", OPT_WAVES, "FROM:TO", OPTION_ARG_OPTIONAL,
     "Record signals between these simulated times, for waveform viewers", 0},
    {"trace", OPT_TRACE, "FROM:TO", OPTION_ARG_OPTIONAL,
     "Record threads, processors and requests for lines, for viewers of timelines", 0},
    {"paje", OPT_PAJE, "FROM:TO", OPTION_ARG_OPTIONAL,
     "Record states of threads, for viewers of Paje files", 0},
    {"references", OPT_REFERENCES, NULL, 0,
     "Record all references of all threads, for replay on other machines", 0},
    {"host-threads", OPT_HOST_THREADS, "N", 0,
     "Let so many idle processors of the host simulate a machine of 256 or more; the results "
     "stay the same",
     0},
    {"output", 'o', "DIR", 0, "Where the results go", 0},
    {"force", OPT_FORCE, NULL, 0, "Replace results that are already there", 0},
    {"quiet", 'q', NULL, 0, "No table and no progress; without results, only the counts", 0},
    {0}};

const struct argp cli_options_argp = {
    .options = run_options, .parser = parse_options, .children = set_child};

char *cli_help(int key, const char *text, void (*print)(FILE *out))
{
    char *below = NULL;
    size_t size;
    FILE *out = key == ARGP_KEY_HELP_POST_DOC ? sim_text_open(&below, &size) : NULL;
    if (!out)
        return (char *)text;
    print(out);
    sim_text_close(out, &below);
    return below;
}

void cli_options_free(struct cli_options *options)
{
    in_free_list(options->sets);
    in_free_list(options->events);
    in_free_list(options->groups);
    in_free_list(options->allow);
}
