#include "cli/kept.h"

#include "base/alloc.h"
#include "input/workload.h"
#include "sweep/dir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cli_is_directory(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

bool cli_kept_find(const char *directory, const char *path, const char *what, char *why,
                   size_t size)
{
    struct stat st;
    if (stat(directory, &st))
        snprintf(why, size, "%s: %s", directory, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        snprintf(why, size, "%s: not a run's directory; numachine stat -o DIR makes one",
                 directory);
    else if (!stat(path, &st))
        return true;
    else if (errno != ENOENT)
        snprintf(why, size, "%s: %s", path, strerror(errno));
    else if (swp_dir_is(directory))
        snprintf(
            why, size,
            "%s: not a run's directory, but a sweep's; the runs of its points are in %s/points",
            directory, directory);
    else
        snprintf(why, size, "%s: %s; the run has kept no %s", path, strerror(ENOENT), what);
    return false;
}

/* What a command may ask for, and how a run comes to have it. The truth first: whoever lacks it
 * need not hear of the profile. */
static const struct kept_part {
    unsigned bit; /* of enum look_kept_parts; 0: always */
    const char *file, *what, *option;
} kept_parts[] = {
    {LOOK_KEPT_TRUTH & ~LOOK_KEPT_OBJECTS, DOC_TRUTH, "truth of its misses", "truth"},
    {0, DOC_PROFILE, "profile", "profile"},
    {LOOK_KEPT_OBJECTS, DOC_OBJECTS, "objects (they come with a profile)", "profile"},
    {LOOK_KEPT_LOCKS, DOC_LOCKS, "locks (they come with a profile)", "profile"},
};

/* Whether it is a run of references, of a trace or a pattern, which have no instructions. */
static bool was_of_references(const char *directory)
{
    struct stat st;
    char why[256];
    char *manifest = sim_format("%s/manifest.json", directory);
    char *path = sim_format("%s/guest.elf", directory);
    const struct prog_workload *w = in_workload_for(path, why, sizeof why);
    const bool is = !stat(manifest, &st) && (!w || !w->names);
    free(manifest);
    free(path);
    return is;
}

/* What has to be asked for is one thing: of what is missing, it names what brings all the rest. */
static bool has_part(const char *directory, const struct kept_part *part, char *why, size_t size)
{
    char *path = sim_format("%s/%s", directory, part->file);
    char *what =
        was_of_references(directory)
            ? sim_format("%s, because it had references only, and no program's instructions; a run "
                         "of the program that made them can: numachine stat --%s -o RUN_DIR -- "
                         "PROGRAM ...",
                         part->what, part->option)
            : sim_format("%s; run it again with: numachine stat --%s -o RUN_DIR -- PROGRAM ... "
                         "(or with run: {%s: true} in its experiment's file)",
                         part->what, part->option, part->option);
    const bool has = cli_kept_find(directory, path, what, why, size);
    free(what);
    free(path);
    return has;
}

static bool has_all(const char *directory, unsigned wanted, char *why, size_t size)
{
    bool good = true;
    for (size_t i = 0; good && i < sizeof kept_parts / sizeof *kept_parts; i++)
        good = (kept_parts[i].bit & ~wanted) || has_part(directory, &kept_parts[i], why, size);
    return good;
}

struct look_files cli_files(const struct cli_given *g)
{
    const struct look_files files = {
        .system = g->system_path, .debug = g->debug_path, .moved = g->source_path};
    char why[512];
    if (!look_files_check(&files, why, sizeof why))
        cli_refuse(g, "%s", why);
    return files;
}

bool cli_kept_open(struct look_kept *kept, const char *directory, unsigned wanted)
{
    char why[8192];
    const bool good = has_all(directory, wanted, why, sizeof why) &&
                      look_kept_open(kept, directory, wanted, why, sizeof why);
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    return good;
}

bool cli_results_open(struct doc_finished *results, const char *directory)
{
    char why[8192];
    char *path = sim_format("%s/manifest.json", directory);
    const bool good = cli_kept_find(directory, path, "results", why, sizeof why) &&
                      doc_finished_read(results, directory, why, sizeof why);
    free(path);
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    return good;
}
