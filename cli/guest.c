/*
 * The program an experiment runs.
 *
 * A source is built in a temporary directory first, so that a program that does not compile leaves
 * nothing behind. The executable is then copied to the results (see session.c), because it is part
 * of what was measured. One that was built before comes from the user's cache, with the same bytes.
 */
#include "cli/guest.h"

#include "base/alloc.h"
#include "input/home.h"
#include "input/pattern.h"
#include "input/workload.h"
#include "input/yaml.h"
#include "programs/build.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CACHE_MOST = 256 << 20 /**< [bytes] of executables kept */ };

/** $VARIABLE/below, when that is an absolute path. Allocated, or NULL. */
static char *below_variable(const char *variable, const char *below)
{
    const char *directory = getenv(variable);
    return directory && *directory == '/' ? sim_format("%s/%s", directory, below) : NULL;
}

/** Where executables are kept; allocated, NULL: nowhere. */
static char *cache_directory(void)
{
    const char *asked = getenv("NUMACHINE_CACHE");
    if (asked && *asked)
        return strcmp(asked, "off") ? sim_format("%s/guests", asked) : NULL;
    char *directory = below_variable("XDG_CACHE_HOME", "numachine/guests");
    return directory ? directory : below_variable("HOME", ".cache/numachine/guests");
}

char **cli_guest_tool(void)
{
    char **list = in_home_own(), *kept = cache_directory();
    if (kept)
        in_push(&list, kept);
    free(kept);
    return list;
}

static enum cli_exit guest_build(struct cli_guest *guest, const struct in_experiment *x)
{
    char *include = in_home_path("experiments/include"), *kept = cache_directory(), *why;
    const struct prog_cache cache = {kept, CACHE_MOST};
    const struct prog_build what = {
        .source = x->source,
        .abi = x->abi,
        .cflags = x->cflags,
        .include = include,
        .directory = guest->directory.path,
        .cache = kept ? &cache : NULL,
    };
    const enum prog_built built = prog_build_program(&what, &guest->path, &why);
    if (built != PROG_BUILT)
        fprintf(stderr, "numachine: error: cannot build %s: %s\n", x->source, why);
    else if (*why)
        fprintf(stderr, "%s\n", why);
    free(include);
    free(kept);
    free(why);
    if (built == PROG_BUILT)
        return CLI_EXIT_OK;
    return built == PROG_BUILD_FAILED ? CLI_EXIT_USAGE : CLI_EXIT_IO;
}

/** Makes the directory in which the program is built. */
static enum cli_exit guest_make_directory(struct cli_guest *guest)
{
    const int err = prog_scratch_make(&guest->directory);
    if (!err)
        return CLI_EXIT_OK;
    fprintf(stderr, "numachine: error: cannot make a temporary directory (TMPDIR): %s\n",
            strerror(-err));
    return CLI_EXIT_IO;
}

enum cli_exit cli_guest_get(struct cli_guest *guest, const struct in_experiment *x)
{
    enum cli_exit status = CLI_EXIT_OK;
    char why[1024];
    if (x->pattern_count) {
        guest->described = in_pattern_work(x);
        guest->workload = in_workload_described();
        return status;
    }
    if (!x->source) {
        guest->path = sim_strdup(x->program);
    } else {
        status = guest_make_directory(guest);
        if (status == CLI_EXIT_OK)
            status = guest_build(guest, x);
    }
    if (status == CLI_EXIT_OK)
        guest->workload = in_workload_for(guest->path, why, sizeof why);
    if (status == CLI_EXIT_OK && !guest->workload) {
        fprintf(stderr, "numachine: error: %s\n", why);
        status = CLI_EXIT_USAGE;
    }
    return status;
}

void cli_guest_release(struct cli_guest *guest)
{
    prog_scratch_remove(&guest->directory);
    free(guest->path);
    free(guest->described);
    *guest = (struct cli_guest){0};
}

bool cli_guest_copy(const struct cli_guest *guest, FILE *out)
{
    char block[65536];
    FILE *in = fopen(guest->path, "re");
    for (size_t n; in && (n = fread(block, 1, sizeof block, in)) > 0;)
        fwrite(block, 1, n, out);
    const bool good = in && !ferror(in);
    if (in)
        fclose(in);
    return good;
}
