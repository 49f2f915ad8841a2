#include "cli/kept.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cli_kept_find(const char *directory, const char *path, const char *what, char *why,
                   size_t size)
{
    struct stat st;
    if (stat(directory, &st))
        snprintf(why, size, "%s: %s", directory, strerror(errno));
    else if (!S_ISDIR(st.st_mode))
        snprintf(why, size, "%s: not a run's directory", directory);
    else if (stat(path, &st))
        snprintf(why, size, "%s: %s; the run has kept no %s", path, strerror(errno), what);
    else
        return true;
    return false;
}

static bool read_truth(struct cli_kept *k, const char *directory, char *why, size_t size)
{
    char *path = sim_format("%s/" REP_TRUTH, directory);
    const bool good = cli_kept_find(directory, path,
                                    "truth of its misses (run.truth, stat --truth)", why, size) &&
                      rep_truth_read(path, &k->profile, &k->truth, why, size);
    free(path);
    return good;
}

static bool read_objects(struct cli_kept *k, const char *directory, char *why, size_t size)
{
    char *path = sim_format("%s/" REP_OBJECTS, directory);
    const bool good =
        cli_kept_find(directory, path,
                      "objects (they come with a profile: run.profile, stat --profile)", why,
                      size) &&
        rep_objects_read(path, k->profile.paths, &k->objects, why, size);
    free(path);
    return good;
}

bool cli_kept_open(struct cli_kept *k, const char *directory, enum cli_kept_parts parts)
{
    char why[8192];
    char *path = sim_format("%s/" REP_PROFILE, directory);
    k->directory = directory;
    const bool good =
        cli_kept_find(directory, path, "profile (run.profile, stat --profile)", why, sizeof why) &&
        rep_profile_read(path, &k->profile, why, sizeof why) &&
        (parts < CLI_KEPT_TRUTH || read_truth(k, directory, why, sizeof why)) &&
        (parts < CLI_KEPT_OBJECTS || read_objects(k, directory, why, sizeof why)) &&
        rep_code_open(&k->code, directory, why, sizeof why);
    free(path);
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    return good;
}

void cli_kept_close(struct cli_kept *k)
{
    rep_code_close(&k->code);
    rep_truth_free(&k->truth);
    rep_objects_free(&k->objects);
    rep_profile_free(&k->profile);
}

bool cli_results_open(struct rep_results *results, const char *directory)
{
    char why[8192];
    char *path = sim_format("%s/manifest.json", directory);
    const bool good = cli_kept_find(directory, path, "results", why, sizeof why) &&
                      rep_results_read(results, directory, why, sizeof why);
    free(path);
    if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    return good;
}
