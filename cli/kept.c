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

/* What a command may ask for, and how a run comes to have it. */
static const struct part {
    const char *file, *what;
    bool truth; /* it needs --truth, which keeps all of them; else --profile */
} parts[] = {
    [CLI_KEPT_PROFILE] = {REP_PROFILE, "profile", false},
    [CLI_KEPT_OBJECTS] = {REP_OBJECTS, "objects (they come with a profile)", false},
    [CLI_KEPT_TRUTH] = {REP_TRUTH, "truth of its misses", true},
};

/* What has to be asked for is one thing: of what is missing, it names what brings all the rest. */
static bool has_part(const char *directory, const struct part *part, char *why, size_t size)
{
    const char *option = part->truth ? "truth" : "profile";
    char *path = sim_format("%s/%s", directory, part->file);
    char *what = sim_format("%s; run it again with: numachine stat --%s -o RUN_DIR -- PROGRAM ... "
                            "(or with run: {%s: true} in its experiment's file)",
                            part->what, option, option);
    const bool has = cli_kept_find(directory, path, what, why, size);
    free(what);
    free(path);
    return has;
}

/* The truth first: whoever lacks it need not hear of the profile. */
static bool has_all(const char *directory, enum cli_kept_parts wanted, char *why, size_t size)
{
    return (wanted < CLI_KEPT_TRUTH || has_part(directory, &parts[CLI_KEPT_TRUTH], why, size)) &&
           has_part(directory, &parts[CLI_KEPT_PROFILE], why, size) &&
           (wanted < CLI_KEPT_OBJECTS || has_part(directory, &parts[CLI_KEPT_OBJECTS], why, size));
}

static bool read_profile(struct cli_kept *k, const char *directory, char *why, size_t size)
{
    char *path = sim_format("%s/" REP_PROFILE, directory);
    const bool good = rep_profile_read(path, &k->profile, why, size);
    free(path);
    return good;
}

static bool read_truth(struct cli_kept *k, const char *directory, char *why, size_t size)
{
    char *path = sim_format("%s/" REP_TRUTH, directory);
    const bool good = rep_truth_read(path, &k->profile, k->objects.sites, &k->truth, why, size);
    free(path);
    return good;
}

static bool read_objects(struct cli_kept *k, const char *directory, char *why, size_t size)
{
    char *path = sim_format("%s/" REP_OBJECTS, directory);
    const bool good = rep_objects_read(path, k->profile.paths, &k->objects, why, size);
    free(path);
    return good;
}

bool cli_kept_open(struct cli_kept *k, const char *directory, enum cli_kept_parts wanted)
{
    char why[8192];
    k->directory = directory;
    const bool good = has_all(directory, wanted, why, sizeof why) &&
                      read_profile(k, directory, why, sizeof why) &&
                      (wanted < CLI_KEPT_OBJECTS || read_objects(k, directory, why, sizeof why)) &&
                      (wanted < CLI_KEPT_TRUTH || read_truth(k, directory, why, sizeof why)) &&
                      rep_code_open(&k->code, directory, why, sizeof why);
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
