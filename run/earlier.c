/*
 * Earlier runs, found by their manifests. What cannot be read is no earlier run: nobody has asked
 * for one, so nothing is complained of.
 */
#include "run/earlier.h"

#include "base/alloc.h"
#include "documents/claims.h"
#include "documents/directory/digest.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum { LOOKED_AT = 16 /**< of the latest results: each manifest is read */ };

/* Whether the manifest is of a run of this name that its program ended. */
static bool is_whole(const json_t *manifest, const char *name)
{
    const char *status = json_string_value(json_object_get(manifest, "status"));
    const char *called =
        json_string_value(json_object_get(json_object_get(manifest, "experiment"), "name"));
    const json_t *end = json_object_get(manifest, "end");
    const char *reason = json_string_value(json_object_get(end, "reason"));
    return status && !strcmp(status, "complete") && reason && !strcmp(reason, "exited") && called &&
           !strcmp(called, name) && json_integer_value(json_object_get(end, "ticks")) > 0;
}

/* Takes the run in `path`, if it is one, and better than what is known. */
static void consider(struct run_earlier *best, const char *path, const char *name,
                     const char *digest)
{
    char why[256];
    char *file = sim_format("%s/manifest.json", path);
    const struct doc_claims claims = {file, why, sizeof why};
    json_t *manifest = doc_claim_file(&claims);
    if (is_whole(manifest, name)) {
        const char *of = json_string_value(json_object_get(manifest, "digest"));
        const bool same = of && !strcmp(of, digest);
        if (!best->path || (same && !best->same)) {
            const json_t *end = json_object_get(manifest, "end");
            free(best->path);
            best->path = sim_strdup(path);
            best->ticks = (sim_tick)json_integer_value(json_object_get(end, "ticks"));
            best->same = same;
        }
    }
    json_decref(manifest);
    free(file);
}

/* The greatest NNN of results/NAME-NNN; 0: there is none. */
static unsigned latest(const char *name)
{
    const size_t length = strlen(name);
    unsigned long most = 0;
    DIR *results = opendir("results");
    for (const struct dirent *entry; results && (entry = readdir(results));) {
        const char *number = entry->d_name + length + 1;
        char *end;
        if (strncmp(entry->d_name, name, length) != 0 || entry->d_name[length] != '-' ||
            !isdigit((unsigned char)*number))
            continue;
        const unsigned long n = strtoul(number, &end, 10);
        if (!*end && n < UINT_MAX && n > most)
            most = n;
    }
    if (results)
        closedir(results);
    return (unsigned)most;
}

struct run_earlier run_earlier_find(const struct in_experiment *x, const char *git, const char *out)
{
    struct run_earlier best = {0};
    const struct doc_digest inputs = doc_digest(x, git);
    char *digest = doc_digest_text(&inputs);
    if (out)
        consider(&best, out, x->name, digest);
    unsigned n = latest(x->name);
    for (unsigned i = 0; i < LOOKED_AT && n && !best.same; i++, n--) {
        char *path = sim_format("results/%s-%03u", x->name, n);
        consider(&best, path, x->name, digest);
        free(path);
    }
    free(digest);
    return best;
}

void run_earlier_free(struct run_earlier *earlier)
{
    free(earlier->path);
    *earlier = (struct run_earlier){0};
}
