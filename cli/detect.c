/*
 * numachine detect: looks for lines that are shared falsely, as the monitoring cards would: a file
 * says how they are programmed, in which runs, and by which rule a line becomes a suspect.
 */
#include "base/alloc.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/suspects.h"
#include "documents/cells.h"
#include "documents/grid.h"
#include "input/home.h"
#include "input/yaml.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* What stands behind DETECTOR: the program, and -- perhaps. */
static char **program_of(struct cli_given *g)
{
    char **words = g->words + 1;
    if (*words && !strcmp(*words, "--")) {
        g->quoted = true;
        words++;
    }
    if (!*words)
        cli_refuse(g, "which PROGRAM?");
    if (!g->quoted && **words == '-')
        cli_refuse(g, "'%.60s' stands behind DETECTOR: options stand in front of it", *words);
    return words;
}

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

static void detect_print_json(const struct cli_suspects *s)
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
    doc_json_put(stdout, root, JSON_INDENT(1) | JSON_SORT_KEYS);
}

/** Columns for the first measures of each pass. */
static void detect_print_text(const struct cli_suspects *s)
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
        fprintf(stderr, "numachine: note: %" PRIu64 " sample%s found no room; sample less often\n",
                s->lost_notes, sim_plural(s->lost_notes));
}

/* @return false, with a complaint, if what was printed did not get to where it goes */
static bool print(const struct cli_given *g, const struct cli_suspects *s)
{
    (cli_is_format(g, "json") ? detect_print_json : detect_print_text)(s);
    if (!(fflush(stdout) || ferror(stdout)))
        return true;
    fputs("numachine: error: the suspects could not be written\n", stderr);
    return false;
}

int cli_detect(struct cli_given *g)
{
    struct in_diag diag = {.out = stderr};
    struct in_detector detector;
    char **program = program_of(g);
    int status = CLI_EXIT_USAGE;
    if (!g->quoted)
        cli_options_late(g, program);
    if (in_detector_load(&detector, g->words[0], &diag)) {
        const struct cli_looked what = {
            .machine = g->machine, .sets = g->sets, .allow = g->allow, .words = program};
        struct cli_suspects suspects = {.detector = &detector};
        status = (int)cli_suspects_find(&suspects, &what);
        if (status == CLI_EXIT_OK && !print(g, &suspects))
            status = CLI_EXIT_IO;
        cli_suspects_free(&suspects);
        in_detector_free(&detector);
    }
    return status;
}
