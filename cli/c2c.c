/*
 * numachine c2c: which lines and objects processors took from each other, what that cost and what
 * would mend it, of a run that asked for the truth of its misses; and the run once more with an
 * object laid out otherwise.
 */
#include "base/alloc.h"
#include "base/plural.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "documents/cells.h"
#include "documents/schemas.h"
#include "look/cost.h"
#include "look/sharing/what_if.h"
#include "look/trouble/trouble.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* ---- the run once more ----------------------------------------------------------------------- */

static enum look_unit unit_of(const struct cli_given *g)
{
    return (enum look_unit)CLI_NAMED(g, "no unit", g->unit, look_unit_name);
}

/* What the layout keeps apart is apart in the next run. */
static void keep_apart(struct in_experiment *x, const struct look_layout *layout)
{
    free(x->kept_apart);
    x->kept_apart = sim_alloc(layout->ranges + 1, sizeof *x->kept_apart);
    memcpy(x->kept_apart, layout->range, layout->ranges * sizeof *layout->range);
    x->apart_count = layout->ranges;
}

struct tried {
    const struct cli_given *g;
    enum look_unit unit;
    const struct look_sharing *sharing;
    const struct look_layout *layout;
    uint64_t before; /* [ticks] */
    const struct cli_again *again;
    bool divisible; /* into elements or members */
};

static void put_parts(const struct tried *t)
{
    const size_t count = t->layout->parts;
    printf("what if %s of ", look_unit_part[t->unit]);
    for (size_t i = 0; t->g->objects[i]; i++)
        printf("%s%s", !i ? "" : t->g->objects[i + 1] ? ", " : " and ", t->g->objects[i]);
    printf(" were on lines of its own? (%zu part%s)\n", count, sim_plural(count));
}

static void put_gain(const struct tried *t)
{
    char text[1536];
    put_parts(t);
    printf("  as it is  %12" PRIu64 " PCycles\n  apart     %12" PRIu64 " PCycles, %s\n", t->before,
           t->again->ticks, cli_again_gain(t->before, t->again->ticks, text, sizeof text));
    if (cli_again_remark(t->again))
        printf("  %s\n", cli_again_remark(t->again));
    if (t->unit == LOOK_UNIT_threads && t->layout->parts == 1)
        printf("  the same processors touch all of it: so it was not divided, and only kept apart "
               "from other objects%s\n",
               t->divisible ? " (--unit=elements divides it)" : "");
    if (t->layout->others)
        printf("  %" PRId64 " of %" PRId64
               " requests for these bytes were for other objects, most of them for %s: they had "
               "the bytes at another time, and are apart as well\n",
               t->layout->others, t->layout->requests, t->layout->other);
    for (size_t i = 0; t->g->objects[i]; i++)
        if (look_what_if_note(t->sharing, t->g->objects[i], text, sizeof text))
            printf("  note: %s\n", text);
}

static void put_json(const struct tried *t)
{
    json_t *objects = json_array();
    for (size_t i = 0; t->g->objects[i]; i++)
        json_array_append_new(objects, doc_json_text(t->g->objects[i]));
    json_t *root =
        json_pack("{s:i,s:o,s:s,s:I,s:I,s:I,s:s}", "schema", DOC_SCHEMA_what_if, "objects", objects,
                  "unit", look_unit_name[t->unit], "parts", (json_int_t)t->layout->parts, "before",
                  (json_int_t)t->before, "after", (json_int_t)t->again->ticks, "output",
                  cli_output_name[t->again->output]);
    doc_json_put(stdout, root, JSON_INDENT(1));
}

/* Whether the objects have elements or members, several in all. */
static bool is_divisible(const struct cli_given *g, const struct look_kept *kept,
                         const struct look_sharing *sharing)
{
    struct look_layout layout;
    char why[2048];
    if (!look_what_if(sharing, &kept->objects, g->objects, LOOK_UNIT_elements, &layout, why,
                      sizeof why))
        return false;
    const size_t parts = layout.parts;
    look_layout_free(&layout);
    return parts > 1;
}

static int run_again(const struct cli_given *g, const struct look_kept *kept,
                     const struct look_sharing *sharing, struct look_layout *layout)
{
    struct cli_again again;
    struct in_experiment x;
    if (!cli_again_load(&x, g->words[0], false))
        return CLI_EXIT_USAGE;
    look_layout_spread(layout, &kept->truth, x.machine.params);
    keep_apart(&x, layout);
    const int status = cli_again_run(kept, &x, &again);
    if (again.compares)
        (cli_is_format(g, "json") ? put_json : put_gain)(
            &(struct tried){g, unit_of(g), sharing, layout, kept->code.ticks, &again,
                            is_divisible(g, kept, sharing)});
    in_experiment_free(&x);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Whether OBJECT and RUN_DIR are not the one in place of the other. */
static bool is_in_order(const struct cli_given *g)
{
    if (!g->objects || cli_is_directory(g->words[0]) || !cli_is_directory(g->objects[0]))
        return true;
    fprintf(stderr,
            "numachine: error: %s: no directory, but %s is one: the order is --what-if OBJECT "
            "RUN_DIR\n",
            g->words[0], g->objects[0]);
    return false;
}

static int what_if(const struct cli_given *g, const struct look_kept *kept,
                   const struct look_sharing *sharing)
{
    struct look_layout layout;
    char why[2048];
    if (!cli_again_compares(kept, "--what-if: "))
        return CLI_EXIT_USAGE;
    if (!look_what_if(sharing, &kept->objects, g->objects, unit_of(g), &layout, why, sizeof why))
        return cli_complain(CLI_EXIT_USAGE, why);
    if (!look_layout_fits(&layout, &kept->truth)) {
        look_layout_free(&layout);
        return cli_complain(CLI_EXIT_USAGE,
                            "--what-if: the parts take more than half of a station's memory");
    }
    const int status = run_again(g, kept, sharing, &layout);
    look_layout_free(&layout);
    return status;
}

/* What is said first. @return the caller's */
static char *c2c_sentence(struct look_kept *kept, struct look_finder *finder,
                          const struct look_sharing *sharing)
{
    struct in_experiment x;
    struct look_troubles all;
    const struct look_trouble of = {.code = &kept->code, .finder = finder, .sharing = sharing};
    const bool loaded = cli_again_load(&x, kept->directory, true);
    look_troubles_open(&all, &of, &kept->locks, loaded ? &x : NULL);
    char *sentence = look_trouble_sentence(&all.of);
    look_troubles_close(&all);
    if (loaded)
        in_experiment_free(&x);
    return sentence;
}

static void c2c_write(const struct cli_given *g, const struct look_sharing *sharing,
                      const char *sentence)
{
    if (cli_is_format(g, "json")) {
        look_sharing_json(sharing, sentence, stdout);
        return;
    }
    if (*sentence)
        printf("%s\n\n", sentence);
    look_sharing_text(sharing, (size_t)g->lines, stdout);
}

static int c2c_show(const struct cli_given *g, struct look_kept *kept)
{
    struct look_finder *finder = look_finder_new(&kept->objects, &kept->profile, &kept->code);
    struct look_sharing *sharing =
        look_sharing_new(&kept->truth, &kept->profile, finder, &kept->code);
    int status = CLI_EXIT_OK;
    if (g->objects)
        status = what_if(g, kept, sharing);
    else {
        char *sentence = c2c_sentence(kept, finder, sharing);
        c2c_write(g, sharing, sentence);
        free(sentence);
    }
    look_sharing_free(sharing);
    look_finder_free(finder);
    return status;
}

int cli_c2c(struct cli_given *g)
{
    struct look_kept kept = {.files = cli_files(g)};
    int status = CLI_EXIT_USAGE;
    if (is_in_order(g) && cli_kept_open(&kept, g->words[0], LOOK_KEPT_TRUTH | LOOK_KEPT_LOCKS)) {
        if (kept.code.lacks)
            fprintf(stderr, "numachine: note: %s\n", kept.code.lacks);
        status = c2c_show(g, &kept);
    }
    look_kept_close(&kept);
    return status;
}
