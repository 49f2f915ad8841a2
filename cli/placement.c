/*
 * numachine placement: which stations asked for which pages, of a run that asked for the truth of
 * its misses; the `placement` that would make most requests local; and the run once more with it.
 */
#include "base/alloc.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "look/cost.h"
#include "look/placement/pages.h"

#include <inttypes.h>
#include <string.h>

/* ---- the run once more ----------------------------------------------------------------------- */

static void placement_put_run(const char *name, uint64_t ticks, const struct look_asked *asked)
{
    printf("  %-9s %12" PRIu64 " PCycles, %6.2f %% of %" PRId64 " requests local, %" PRId64
           " PCycles waited\n",
           name, ticks, look_percent(asked->local, asked->requests), asked->requests, asked->time);
}

static void put_measured(const struct look_kept *kept, const struct look_pages *pages,
                         const struct cli_again *again)
{
    const struct look_asked before = look_pages_asked(&kept->truth),
                            after = look_pages_asked(&again->truth);
    char gain[64];
    printf("with pages in %zu %s: %s PCycles\n", pages->ranges,
           pages->ranges == 1 ? "range" : "ranges",
           cli_again_gain(kept->code.ticks, again->ticks, gain, sizeof gain));
    placement_put_run("as it was", kept->code.ticks, &before);
    placement_put_run("placed", again->ticks, &after);
    if (again->ticks > kept->code.ticks)
        puts("  the ranges make the program slower: it is better without them");
    if (cli_again_remark(again))
        printf("  %s\n", cli_again_remark(again));
}

/* @param x  gets the ranges */
static int placement_measure(const struct look_kept *kept, const struct look_pages *pages,
                             struct in_experiment *x)
{
    struct cli_again again;
    if (!pages->ranges) {
        look_pages_nothing(pages, stdout);
        putchar('\n');
        return CLI_EXIT_OK;
    }
    free(x->ranges);
    x->ranges = sim_alloc(pages->ranges, sizeof *x->ranges);
    memcpy(x->ranges, pages->range, pages->ranges * sizeof *x->ranges);
    x->range_count = (unsigned)pages->ranges;
    const int status = cli_again_run(kept, x, &again);
    if (again.compares)
        put_measured(kept, pages, &again);
    doc_truth_free(&again.truth);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static int placement_show(const struct cli_given *g, struct look_kept *kept,
                          struct in_experiment *x)
{
    char why[256];
    struct look_finder *finder = look_finder_new(&kept->objects, &kept->profile, &kept->code);
    struct look_pages *pages =
        look_pages_new(&kept->truth, x, finder, &kept->code, why, sizeof why);
    int status = CLI_EXIT_OK;
    if (!pages) {
        fprintf(stderr, "numachine: error: %s: %s\n", g->words[0], why);
        status = CLI_EXIT_USAGE;
    } else if (g->measure) {
        status = !cli_again_compares(kept, "--measure: ") ? CLI_EXIT_USAGE
                                                          : placement_measure(kept, pages, x);
    } else {
        look_pages_formats[CLI_NAMED(g, "no format", g->format, look_pages_formats)].write(pages,
                                                                                           stdout);
    }
    look_pages_free(pages);
    look_finder_free(finder);
    return status;
}

int cli_placement(struct cli_given *g)
{
    struct look_kept kept = {.files = cli_files(g)};
    struct in_experiment x;
    int status = CLI_EXIT_USAGE;
    if (cli_kept_open(&kept, g->words[0], LOOK_KEPT_TRUTH) &&
        cli_again_load(&x, g->words[0], true)) {
        if (kept.code.lacks)
            fprintf(stderr, "numachine: note: %s\n", kept.code.lacks);
        status = placement_show(g, &kept, &x);
        in_experiment_free(&x);
    }
    look_kept_close(&kept);
    return status;
}
