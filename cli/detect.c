/*
 * numachine detect: looks for lines that are shared falsely, as the monitoring cards would: a file
 * says how they are programmed, in which runs, and by which rule a line becomes a suspect.
 */
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/suspects.h"
#include "cli/words.h"
#include "documents/grid.h"
#include "input/home.h"
#include "input/yaml.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

struct request {
    const char *machine, *detector;
    char **sets, **allow, **program;
    bool json, quoted; /* quoted: -- stands in front of the program */
    struct {
        bool machine, format;
    } given;
};

/* ---- the command line ------------------------------------------------------------------------ */

static bool is_json(struct argp_state *state, const char *name)
{
    if (strcmp(name, "text") != 0 && strcmp(name, "json") != 0)
        argp_error(state, "--format: no format '%.60s'; there are text and json", name);
    return !strcmp(name, "json");
}

static void set_arguments(struct argp_state *state, struct request *r)
{
    char **words = state->argv + state->next;
    r->detector = *words++;
    r->quoted = state->quoted != 0;
    if (*words && !strcmp(*words, "--")) {
        r->quoted = true;
        words++;
    }
    if (!*words)
        argp_error(state, "which PROGRAM?");
    if (!r->quoted && **words == '-')
        argp_error(state, "'%.60s' stands behind DETECTOR: options stand in front of it", *words);
    r->program = words;
    state->next = state->argc;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &r->sets;
        return 0;
    case 'm':
        cli_once(state, "--machine", &r->given.machine);
        r->machine = cli_value(state, "--machine", arg);
        return 0;
    case 'f':
        cli_once(state, "--format", &r->given.format);
        r->json = is_json(state, cli_value(state, "--format", arg));
        return 0;
    case 'a':
        in_push(&r->allow, cli_value(state, "--allow", arg));
        return 0;
    case ARGP_KEY_ARGS:
        set_arguments(state, r);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which DETECTOR? (the name of a shipped one, or a file)");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"machine", 'm', "FILE", 0, "A shipped machine's name or a machine file", 0},
    {"allow", 'a', "PATH", 0, "The program may use this file or directory, :ro or :rw behind it",
     0},
    {"format", 'f', "FORMAT", 0, "text (default) or json", 0},
    {0}};

static const struct argp_child children[] = {{&cli_set_argp, 0, NULL, 0}, {0}};

static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "DETECTOR [--] PROGRAM [ARGUMENT...]",
    .doc = "Runs PROGRAM as often as DETECTOR needs it, with the monitoring cards programmed as it "
           "says, and prints the lines that it suspects to be shared falsely. Of the shipped ones "
           "only 'words' tells false sharing from true ('numachine list detectors')."
           "\v"
           "What the program writes is thrown away. docs/detect.md says what a detector's file "
           "holds, and how good the shipped ones are."};

/* ---- what was found -------------------------------------------------------------------------- */

static json_t *measures_json(const struct in_detector *detector, const struct cli_line *line)
{
    json_t *measures = json_object();
    for (unsigned p = 0; p < detector->passes; p++)
        for (unsigned m = 0; m < IN_MEASURE__COUNT; m++) {
            const double value = line->measure[in_measure_of(p, (enum in_measure)m)];
            char *name = sim_format("%s%s", detector->pass[p].name, in_measure_rows[m].suffix);
            if (value != 0)
                json_object_set_new(measures, name, json_real(value));
            free(name);
        }
    return measures;
}

static json_t *line_json(const struct in_detector *detector, const struct cli_line *line)
{
    char physical[32], virtual[32];
    snprintf(physical, sizeof physical, "0x%" PRIx64, line->pa);
    snprintf(virtual, sizeof virtual, "0x%" PRIx64, line->va);
    json_t *object = json_pack("{s:b,s:f,s:s,s:I,s:o}", "suspect", line->suspect, "score",
                               line->score, "line", physical, "like", (json_int_t)line->like,
                               "measures", measures_json(detector, line));
    json_object_set_new(object, "virtual", line->placed ? json_string(virtual) : json_null());
    return object;
}

static void print_json(const struct cli_suspects *s)
{
    char hash[32];
    json_t *lines = json_array();
    struct cli_line *line, *next;
    HASH_ITER(hh, s->lines, line, next)
        json_array_append_new(lines, line_json(s->detector, line));
    snprintf(hash, sizeof hash, "xxh64:%016" PRIx64, s->hash);
    json_t *root =
        json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:s,s:o}", "detector", s->detector->name, "runs",
                  (json_int_t)s->runs, "events", (json_int_t)s->events, "interrupts",
                  (json_int_t)s->interrupts, "lost", (json_int_t)s->lost_notes, "pcycles",
                  (json_int_t)s->ticks, "result_hash", hash, "lines", lines);
    json_dumpf(root, stdout, JSON_INDENT(1) | JSON_SORT_KEYS);
    putchar('\n');
    json_decref(root);
}

/** Columns for the first measures of each pass. */
static void print_text(const struct cli_suspects *s)
{
    enum { MOST = 40, WIDTH = 110 };
    struct doc_grid grid;
    unsigned shown = 0;
    char a[32], b[32];
    printf("%s: %s\n", s->detector->name, s->detector->about);
    if (!in_detector_sees_words(s->detector))
        puts("It finds any sharing of lines, true or false: 'words' tells one from the other.");
    putchar('\n');
    doc_grid_init(&grid, "rlll");
    doc_grid_cell(&grid, "score");
    doc_grid_cell(&grid, "physical line");
    doc_grid_cell(&grid, "virtual line");
    doc_grid_cell(&grid, "cannot be told from");
    for (const struct cli_line *line = s->lines; line && line->suspect && shown < MOST;
         line = line->hh.next, shown++) {
        doc_grid_cell(&grid, "%.4g", line->score);
        doc_grid_cell(&grid, "0x%010" PRIx64, line->pa);
        doc_grid_cell(&grid, line->placed ? "0x%" PRIx64 : "-", line->va);
        if (line->like > 1)
            doc_grid_cell(&grid, "%u other lines", line->like - 1);
        else
            doc_grid_cell(&grid, "%s", "");
    }
    if (shown)
        doc_grid_print(&grid, stdout, false, WIDTH);
    doc_grid_free(&grid);
    if (s->suspects > shown)
        printf("  ... and %u more (--format=json has all)\n", s->suspects - shown);
    printf("%s%u suspect %s, of %s PCycles in %u %s; %s %s\n", shown ? "\n" : "", s->suspects,
           s->suspects == 1 ? "line" : "lines", doc_grouped(s->ticks, a), s->runs,
           s->runs == 1 ? "run" : "runs", doc_grouped(s->interrupts, b),
           s->interrupts == 1 ? "interrupt" : "interrupts");
    if (s->lost_notes)
        fprintf(stderr, "numachine: note: %" PRIu64 " samples found no room; sample less often\n",
                s->lost_notes);
}

/* @return false, with a complaint, if what was printed did not get to where it goes */
static bool print(const struct request *r, const struct cli_suspects *s)
{
    (r->json ? print_json : print_text)(s);
    if (!(fflush(stdout) || ferror(stdout)))
        return true;
    fputs("numachine: error: the suspects could not be written\n", stderr);
    return false;
}

int cli_detect(int argc, char **argv)
{
    struct request r = {0};
    struct in_diag diag = {.out = stderr};
    struct in_detector detector;
    int status = CLI_EXIT_USAGE;
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &r);
    if (!r.quoted)
        cli_options_late(&argp, r.program);
    if (in_detector_load(&detector, r.detector, &diag)) {
        const struct cli_looked what = {
            .machine = r.machine, .sets = r.sets, .allow = r.allow, .words = r.program};
        struct cli_suspects suspects = {.detector = &detector};
        status = (int)cli_suspects_find(&suspects, &what);
        if (status == CLI_EXIT_OK && !print(&r, &suspects))
            status = CLI_EXIT_IO;
        cli_suspects_free(&suspects);
        in_detector_free(&detector);
    }
    in_free_list(r.sets);
    in_free_list(r.allow);
    return status;
}
