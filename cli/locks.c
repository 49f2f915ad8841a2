/*
 * numachine locks: what threads waited for, of a run that kept a profile. It reads the run's
 * directory and changes nothing there.
 */
#include "cli/cli.h"
#include "cli/kept.h"
#include "look/locks/view.h"

#include <string.h>

enum { FIGURES = LOOK_LOCK_FIGURES * DOC_COLUMN_NAME };

/* All of them, in one line. @return names */
static const char *figures(char names[FIGURES])
{
    char name[DOC_COLUMN_NAME];
    size_t n = 0;
    for (unsigned f = 0; f < LOOK_LOCK_FIGURES; f++)
        n += (size_t)snprintf(names + n, FIGURES - n, "%s%s", f ? ", " : "",
                              look_lock_figure_name(f, name));
    return names;
}

static unsigned sort_of(const struct cli_given *g)
{
    char names[FIGURES];
    unsigned sort = DOC_LOCK_WAITED;
    if (!look_lock_figure_find(g->sort, &sort))
        cli_refuse(g, "--sort: no column '%.60s'; there are %s", g->sort, figures(names));
    return sort;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* @return false with a complaint */
static bool locks_show(const struct cli_given *g, unsigned sort, struct look_kept *kept)
{
    struct look_finder *finder = look_finder_new(&kept->objects, &kept->profile, &kept->code);
    struct look_locks_view view = {
        .locks = &kept->locks, .code = &kept->code, .finder = finder, .sort = sort};
    char why[256];
    const bool good = look_locks_view_open(&view, g->lock, why, sizeof why);
    if (good)
        look_locks_formats[CLI_NAMED(g, "no format", g->format, look_locks_formats)].write(&view,
                                                                                           stdout);
    else
        fprintf(stderr, "numachine: error: %s\n", why);
    look_locks_view_close(&view);
    look_finder_free(finder);
    return good;
}

int cli_locks(struct cli_given *g)
{
    const unsigned sort = sort_of(g);
    struct look_kept kept = {.files = cli_files(g)};
    int status = CLI_EXIT_USAGE;
    if (cli_kept_open(&kept, g->words[0], LOOK_KEPT_OBJECTS | LOOK_KEPT_LOCKS)) {
        if (kept.code.lacks)
            fprintf(stderr, "numachine: note: %s\n", kept.code.lacks);
        if (locks_show(g, sort, &kept))
            status = CLI_EXIT_OK;
    }
    look_kept_close(&kept);
    return status;
}
