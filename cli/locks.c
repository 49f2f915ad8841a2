/*
 * numachine locks: what threads waited for, of a run that kept a profile. It reads the run's
 * directory and changes nothing there.
 */
#include "cli/cli.h"
#include "cli/kept.h"
#include "cli/options.h"
#include "look/locks/view.h"

#include <string.h>

enum { OPT_SORT = 0x300, OPT_LOCK, FIGURES = LOOK_LOCK_FIGURES * DOC_LOCK_NAME };

struct request {
    const char *directory, *lock;
    enum look_locks_as as;
    unsigned sort;
    struct {
        bool format, sort, lock;
    } given;
};

/* All of them, in one line. @return names */
static const char *figures(char names[FIGURES])
{
    char name[DOC_LOCK_NAME];
    size_t n = 0;
    for (unsigned f = 0; f < LOOK_LOCK_FIGURES; f++)
        n += (size_t)snprintf(names + n, FIGURES - n, "%s%s", f ? ", " : "",
                              look_lock_figure_name(f, name));
    return names;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    char names[FIGURES];
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->directory;
        return 0;
    case OPT_SORT:
        cli_once(state, "--sort", &r->given.sort);
        if (!look_lock_figure_find(cli_value(state, "--sort", arg), &r->sort))
            argp_error(state, "--sort: no column '%.60s'; there are %s", arg, figures(names));
        return 0;
    case OPT_LOCK:
        cli_once(state, "--lock", &r->given.lock);
        r->lock = cli_text(state, "--lock", arg);
        return 0;
    case 'f':
        cli_once(state, "--format", &r->given.format);
        r->as = (enum look_locks_as)cli_named(state, "format", cli_value(state, "--format", arg),
                                              look_locks_formats, sizeof *look_locks_formats,
                                              LOOK_LOCKS_AS__COUNT);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the command ----------------------------------------------------------------------------- */

/* @return false with a complaint */
static bool show(const struct request *r, struct look_kept *kept)
{
    struct look_finder *finder = look_finder_new(&kept->objects, &kept->profile, &kept->code);
    struct look_locks_view view = {
        .locks = &kept->locks, .code = &kept->code, .finder = finder, .sort = r->sort};
    char why[256];
    const bool good = look_locks_view_open(&view, r->lock, why, sizeof why);
    if (good)
        look_locks_formats[r->as].write(&view, stdout);
    else
        fprintf(stderr, "numachine: error: %s\n", why);
    look_locks_view_close(&view);
    look_finder_free(finder);
    return good;
}

static const struct argp_option options[] = {
    {"sort", OPT_SORT, "COLUMN", 0,
     "The greatest of this column first: waited (default), held, contended, bound ...", 0},
    {"lock", OPT_LOCK, "NAME", 0, "Only the lock of this name or address (0x...)", 0},
    {"format", 'f', "FORMAT", 0, "text (default), json or csv", 0},
    {0}};

static const struct argp_child children[] = {{&cli_run_dir_argp, 0, NULL, 0}, {0}};

int cli_locks(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .children = children,
        .doc = "Shows what the threads of a run waited for: locks, conditions, barriers, loops; "
               "who held it, and what the end of the run hangs on. The run has to have kept a "
               "profile."
               "\v"
               "docs/locks.md says what the columns mean."};
    struct request r = {.sort = DOC_LOCK_WAITED};
    struct look_kept kept = {0};
    int status = CLI_EXIT_USAGE;
    cli_parse(&argp, argc, argv, 0, &r);
    if (cli_kept_open(&kept, r.directory, LOOK_KEPT_OBJECTS | LOOK_KEPT_LOCKS)) {
        if (kept.code.lacks)
            fprintf(stderr, "numachine: note: %s\n", kept.code.lacks);
        if (show(&r, &kept))
            status = CLI_EXIT_OK;
    }
    look_kept_close(&kept);
    return status;
}
