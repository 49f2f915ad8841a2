/*
 * numachine c2c: which lines and objects processors took from each other, what that cost and what
 * would mend it, of a run that asked for the truth of its misses; and the run once more with an
 * object laid out otherwise.
 */
#include "base/alloc.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "cli/options.h"
#include "input/units.h"
#include "input/yaml.h"
#include "look/cost.h"
#include "look/sharing/what_if.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

enum { OPT_WHAT_IF = 0x300, OPT_UNIT, LINES = 5 };

struct request {
    const char *directory;
    char **objects; /* NULL-terminated; NULL: none given */
    enum look_unit unit;
    uint64_t lines; /* 0: all */
    bool json;
    struct {
        bool format, lines, unit;
    } given;
};

/* ---- the command line ------------------------------------------------------------------------ */

static enum look_unit unit_of(struct argp_state *state, const char *name)
{
    unsigned unit = 0;
    while (unit < LOOK_UNIT__COUNT && strcmp(name, look_unit_name[unit]) != 0)
        unit++;
    if (unit == LOOK_UNIT__COUNT)
        argp_error(state, "--unit: no unit '%.60s'; there are threads, elements, members and words",
                   name);
    return (enum look_unit)unit;
}

static uint64_t lines_of(struct argp_state *state, const char *text)
{
    const struct in_form form = {IN_INT, "", 0, UINT32_MAX};
    uint64_t value = 0;
    char why[256];
    if (!in_value_parse(&form, text, &value, why, sizeof why))
        argp_error(state, "--lines: '%.60s' %s", text, why);
    return value;
}

static bool is_json(struct argp_state *state, const char *format)
{
    if (strcmp(format, "json") != 0 && strcmp(format, "text") != 0)
        argp_error(state, "--format: no format '%.60s'; there are text and json", format);
    return !strcmp(format, "json");
}

static void check(struct argp_state *state, const struct request *r)
{
    if (r->given.unit && !r->objects)
        argp_error(state, "only what is tried (--what-if) has units");
    if (r->objects && r->given.lines)
        argp_error(state, "--what-if runs the program again: not with --lines");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->directory;
        return 0;
    case OPT_WHAT_IF:
        in_push(&r->objects, cli_text(state, "--what-if", arg));
        return 0;
    case OPT_UNIT:
        cli_once(state, "--unit", &r->given.unit);
        r->unit = unit_of(state, cli_value(state, "--unit", arg));
        return 0;
    case 'n':
        cli_once(state, "--lines", &r->given.lines);
        r->lines = lines_of(state, cli_value(state, "--lines", arg));
        return 0;
    case 'f':
        cli_once(state, "--format", &r->given.format);
        r->json = is_json(state, cli_value(state, "--format", arg));
        return 0;
    case ARGP_KEY_END:
        check(state, r);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the run once more ----------------------------------------------------------------------- */

/* What the layout keeps apart is apart in the next run. */
static void keep_apart(struct in_experiment *x, const struct look_layout *layout)
{
    free(x->kept_apart);
    x->kept_apart = sim_alloc(layout->ranges + 1, sizeof *x->kept_apart);
    memcpy(x->kept_apart, layout->range, layout->ranges * sizeof *layout->range);
    x->apart_count = layout->ranges;
}

struct tried {
    const struct request *r;
    const struct look_sharing *sharing;
    const struct look_layout *layout;
    uint64_t before; /* [ticks] */
    const struct cli_again *again;
};

static void put_parts(const struct tried *t)
{
    static const char *const parts[] = {"what the same processors touch", "each element",
                                        "each member", "each word"};
    const size_t count = t->layout->parts;
    printf("what if %s of ", parts[t->r->unit]);
    for (size_t i = 0; t->r->objects[i]; i++)
        printf("%s%s", !i ? "" : t->r->objects[i + 1] ? ", " : " and ", t->r->objects[i]);
    printf(" were on lines of its own? (%zu part%s)\n", count, count == 1 ? "" : "s");
}

static void put_gain(const struct tried *t)
{
    char text[1536];
    put_parts(t);
    printf("  as it is  %12" PRIu64 " PCycles\n  apart     %12" PRIu64 " PCycles, %s\n", t->before,
           t->again->ticks, cli_again_gain(t->before, t->again->ticks, text, sizeof text));
    if (cli_again_remark(t->again))
        printf("  %s\n", cli_again_remark(t->again));
    if (t->r->unit == LOOK_UNIT_threads && t->layout->parts == 1)
        puts("  all of it is touched by the same processors: it was kept apart from other objects "
             "only (--unit)");
    if (t->layout->others)
        printf("  %" PRId64 " of %" PRId64
               " requests for these bytes were for other objects, most of them for %s: they had "
               "the bytes at another time, and are apart as well\n",
               t->layout->others, t->layout->requests, t->layout->other);
    for (size_t i = 0; t->r->objects[i]; i++)
        if (look_what_if_note(t->sharing, t->r->objects[i], text, sizeof text))
            printf("  note: %s\n", text);
}

static void put_json(const struct tried *t)
{
    json_t *objects = json_array();
    for (size_t i = 0; t->r->objects[i]; i++)
        json_array_append_new(objects, json_string(t->r->objects[i]));
    json_t *root =
        json_pack("{s:i,s:o,s:s,s:I,s:I,s:I,s:s}", "schema", 1, "objects", objects, "unit",
                  look_unit_name[t->r->unit], "parts", (json_int_t)t->layout->parts, "before",
                  (json_int_t)t->before, "after", (json_int_t)t->again->ticks, "output",
                  cli_output_name[t->again->output]);
    json_dumpf(root, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(root);
}

static int run_again(const struct request *r, const struct look_kept *kept,
                     const struct look_sharing *sharing, const struct look_layout *layout)
{
    struct cli_again again;
    struct in_experiment x;
    if (!cli_again_load(&x, r->directory, false))
        return CLI_EXIT_USAGE;
    keep_apart(&x, layout);
    const int status = cli_again_run(kept, &x, &again);
    if (again.compares)
        (r->json ? put_json
                 : put_gain)(&(struct tried){r, sharing, layout, kept->code.ticks, &again});
    in_experiment_free(&x);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

static bool is_directory(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Whether OBJECT and RUN_DIR are not the one in place of the other. */
static bool is_in_order(const struct request *r)
{
    if (!r->objects || is_directory(r->directory) || !is_directory(r->objects[0]))
        return true;
    fprintf(stderr,
            "numachine: error: %s: no directory, but %s is one: the order is --what-if OBJECT "
            "RUN_DIR\n",
            r->directory, r->objects[0]);
    return false;
}

static int what_if(const struct request *r, const struct look_kept *kept,
                   const struct look_sharing *sharing)
{
    struct look_layout layout;
    char why[2048];
    if (!kept->code.ended)
        return cli_complain(
            CLI_EXIT_USAGE,
            "--what-if: the program did not come to its end in that run, so there is "
            "nothing to compare with; let it run to its end");
    if (!look_what_if(sharing, &kept->objects, r->objects, r->unit, &layout, why, sizeof why))
        return cli_complain(CLI_EXIT_USAGE, why);
    if (nm_apart_pages(&(struct nm_params){.l2_line = kept->truth.line, .page_size = 1},
                       layout.range, layout.ranges) > kept->truth.memory / 2) {
        look_layout_free(&layout);
        return cli_complain(CLI_EXIT_USAGE,
                            "--what-if: the parts take more than half of a station's memory");
    }
    const int status = run_again(r, kept, sharing, &layout);
    look_layout_free(&layout);
    return status;
}

static int show(const struct request *r, struct look_kept *kept)
{
    struct look_finder *finder = look_finder_new(&kept->objects, &kept->profile, &kept->code);
    struct look_sharing *sharing =
        look_sharing_new(&kept->truth, &kept->profile, finder, &kept->code);
    int status = CLI_EXIT_OK;
    if (r->objects)
        status = what_if(r, kept, sharing);
    else if (r->json)
        look_sharing_json(sharing, stdout);
    else
        look_sharing_text(sharing, (size_t)r->lines, stdout);
    look_sharing_free(sharing);
    look_finder_free(finder);
    return status;
}

static const struct argp_option options[] = {
    {"lines", 'n', "N", 0, "Show so many lines in full (default 5, 0: all)", 0},
    {"format", 'f', "FORMAT", 0, "text (default) or json", 0},
    {"what-if", OPT_WHAT_IF, "OBJECT", 0,
     "Run the program again, as if what different processors touch of OBJECT were on different "
     "lines, and say what that gains; of several objects if given several times",
     0},
    {"unit", OPT_UNIT, "UNIT", 0,
     "With --what-if: instead put elements of an array (or members of a struct), members of "
     "members, or words of anything on lines of their own: elements, members, words (default: "
     "threads)",
     0},
    {0}};

static const struct argp_child children[] = {{&cli_run_dir_argp, 0, NULL, 0}, {0}};

int cli_c2c(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .children = children,
        .doc = "Shows which lines and objects the processors of a run took from each other, "
               "whether they shared words or only lines, what that cost, and what would mend it. "
               "The run has to have asked for it: stat --truth -o RUN_DIR, or run: {truth: true}."
               "\v"
               "docs/c2c.md says what is true and what is false sharing."};
    struct request r = {.lines = LINES};
    struct look_kept kept = {0};
    int status = CLI_EXIT_USAGE;
    cli_parse(&argp, argc, argv, 0, &r);
    if (is_in_order(&r) && cli_kept_open(&kept, r.directory, LOOK_KEPT_TRUTH)) {
        if (kept.code.lacks)
            fprintf(stderr, "numachine: note: %s\n", kept.code.lacks);
        status = show(&r, &kept);
    }
    look_kept_close(&kept);
    in_free_list(r.objects);
    return status;
}
