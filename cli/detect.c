/*
 * numachine detect: looks for lines that are shared falsely. A detector is a file, which says how
 * the monitoring cards are programmed, in which runs, and by which rule a line becomes a suspect;
 * or a model of hardware or software that they are not (detect/model.h).
 */
#include "base/alloc.h"
#include "base/nearest.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/suspects.h"
#include "documents/cells.h"
#include "documents/grid.h"
#include "input/home.h"
#include "input/tables.h"
#include "input/yaml.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>

/* What stands behind DETECTORS: the program, and -- perhaps. */
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
        cli_refuse(g, "'%.60s' stands behind DETECTORS: options stand in front of it", *words);
    return words;
}

/* ---- what was found -------------------------------------------------------------------------- */

static const char *detect_name(const struct cli_suspects *s)
{
    return s->detector ? s->detector->name : s->choice.row->name;
}

static json_t *detect_measures(const struct cli_suspects *s, const struct cli_line *line)
{
    json_t *measures = json_object();
    if (!s->detector)
        json_object_set_new(measures, "count", json_real(line->measure[IN_MEASURE_count]));
    for (unsigned p = 0; s->detector && p < s->detector->passes; p++)
        for (unsigned m = 0; m < IN_MEASURE__COUNT; m++) {
            const double value = line->measure[in_measure_of(p, (enum in_measure)m)];
            char *name = sim_format("%s%s", s->detector->pass[p].name, in_measure_rows[m].suffix);
            if (value != 0)
                json_object_set_new(measures, name, json_real(value));
            free(name);
        }
    return measures;
}

static json_t *line_json(const struct cli_suspects *s, const struct cli_line *line)
{
    char physical[32], virtual[32];
    snprintf(physical, sizeof physical, "0x%" PRIx64, line->pa);
    snprintf(virtual, sizeof virtual, "0x%" PRIx64, line->va);
    json_t *object =
        json_pack("{s:b,s:f,s:s,s:I,s:o}", "suspect", line->suspect, "score", line->score, "line",
                  physical, "like", (json_int_t)line->like, "measures", detect_measures(s, line));
    json_object_set_new(object, "when",
                        line->when ? json_integer((json_int_t)line->when) : json_null());
    json_object_set_new(object, "virtual", line->placed ? json_string(virtual) : json_null());
    return object;
}

/** What a model was built with, and what it costs; of the cards nothing is known of the latter. */
static void model_json(const struct cli_suspects *s, json_t *root)
{
    json_t *parameters = json_object();
    for (unsigned i = 0; !s->detector && i < DET_PARAMETERS; i++)
        if (det_owns(s->choice.row, i))
            json_object_set_new(parameters, det_parameter_rows[i].name,
                                json_integer(s->choice.value[i]));
    json_object_set_new(root, "parameters", parameters);
    json_object_set_new(root, "bits", json_integer((json_int_t)s->bits));
    json_object_set_new(root, "handler_pcycles",
                        s->detector ? json_null() : json_integer((json_int_t)s->pcycles));
}

static json_t *suspects_json(const struct cli_suspects *s)
{
    char hash[32];
    json_t *lines = json_array();
    struct cli_line *line, *next;
    HASH_ITER(hh, s->lines, line, next)
        json_array_append_new(lines, line_json(s, line));
    snprintf(hash, sizeof hash, "xxh64:%016" PRIx64, s->hash);
    json_t *root =
        json_pack("{s:s,s:I,s:I,s:I,s:I,s:I,s:s,s:o}", "detector", detect_name(s), "runs",
                  (json_int_t)s->runs, "events", (json_int_t)s->events, "interrupts",
                  (json_int_t)s->interrupts, "lost", (json_int_t)s->lost_notes, "pcycles",
                  (json_int_t)s->ticks, "result_hash", hash, "lines", lines);
    model_json(s, root);
    return root;
}

/** One is an object, several are a list of them. */
static void detect_print_json(const struct cli_suspects *s, size_t count)
{
    json_t *root = count == 1 ? suspects_json(s) : json_array();
    for (size_t i = 0; count > 1 && i < count; i++)
        json_array_append_new(root, suspects_json(&s[i]));
    doc_json_put(stdout, root, JSON_INDENT(1) | JSON_SORT_KEYS);
}

static bool detect_tells_words(const struct cli_suspects *s)
{
    return s->detector ? in_detector_sees_words(s->detector)
                       : s->choice.row->finds == DET_FALSE_SHARING;
}

static void suspects_print_lines(const struct cli_suspects *s)
{
    enum { MOST = 40, WIDTH = 110 };
    struct doc_grid grid;
    unsigned shown = 0;
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
    if (shown)
        putchar('\n');
}

static void suspects_print_costs(const struct cli_suspects *s)
{
    char a[32], b[32];
    printf("%u suspect %s, of %s PCycles in %u %s; %s %s", s->suspects,
           s->suspects == 1 ? "line" : "lines", doc_grouped(s->ticks, a), s->runs,
           s->runs == 1 ? "run" : "runs", doc_grouped(s->interrupts, b),
           s->interrupts == 1 ? "interrupt" : "interrupts");
    if (!s->detector)
        printf(" and instrumented code, %s PCycles of all cards; %s bits of storage",
               doc_grouped(s->pcycles, a), doc_grouped(s->bits, b));
    putchar('\n');
    if (s->lost_notes)
        fprintf(stderr, "numachine: note: %" PRIu64 " sample%s found no room; sample less often\n",
                s->lost_notes, sim_plural(s->lost_notes));
}

static void detect_print_text(const struct cli_suspects *s, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%s%s: %s\n", i ? "\n" : "", detect_name(&s[i]),
               s[i].detector ? s[i].detector->about : s[i].choice.row->sentence);
        if (!detect_tells_words(&s[i]))
            puts("It finds any sharing of lines, true or false: 'waits' tells one from the other.");
        putchar('\n');
        suspects_print_lines(&s[i]);
        suspects_print_costs(&s[i]);
    }
}

/* @return false, with a complaint, if what was printed does not get to where it goes */
static bool suspects_print(const struct cli_given *g, const struct cli_suspects *s, size_t count)
{
    (cli_is_format(g, "json") ? detect_print_json : detect_print_text)(s, count);
    if (!(fflush(stdout) || ferror(stdout)))
        return true;
    fputs("numachine: error: the suspects could not be written\n", stderr);
    return false;
}

/* ---- all of it ------------------------------------------------------------------------------- */

/** The detectors that are named, with commas between. */
struct detectors {
    struct cli_suspects *found;  /* [count] in the user's order */
    struct in_detector *file;    /* [count] of those that are files */
    struct cli_suspects **model; /* [models] of those that are models */
    size_t count, models;
};

static bool detect_take_model(struct detectors *d, struct cli_suspects *s, const char *text,
                              struct in_diag *diag)
{
    char why[300];
    if (!det_choose(&s->choice, text, why, sizeof why)) {
        in_error(diag, NULL, NULL, 0, 0, "%s", why);
        return false;
    }
    d->model[d->models++] = s;
    return true;
}

/** Refuses a name that is nearly a shipped file's or a model's, and parameters of a file.
 *  @return whether it did */
static bool detect_refuse(const char *text, struct in_diag *diag)
{
    const size_t length = strcspn(text, ":");
    const unsigned before = diag->errors;
    char *name = sim_strndup(text, length), **names = in_home_names(IN_DETECTORS, ".yaml");
    for (size_t i = 0; i < det_row_count; i++)
        in_push(&names, det_rows[i].name);
    const char *near = in_is_file_name(text) ? NULL : sim_nearest(name, in_next_item, names);
    if (near && strcmp(near, name) != 0)
        in_error(diag, NULL, NULL, 0, 0, "there is no detector '%.60s'; did you mean '%s'?", name,
                 near);
    else if (near && text[length])
        in_error(diag, NULL, NULL, 0, 0,
                 "detector '%s' is a file: only models have parameters ('numachine list "
                 "detectors')",
                 name);
    in_free_list(names);
    free(name);
    return diag->errors > before;
}

static bool detect_take(struct detectors *d, const char *text)
{
    struct in_diag diag = {.out = stderr};
    struct cli_suspects *s = &d->found[d->count];
    if (det_row_named(text, strcspn(text, ":"))) {
        d->count++;
        return detect_take_model(d, s, text, &diag);
    }
    if (detect_refuse(text, &diag) || !in_detector_load(&d->file[d->count], text, &diag))
        return false;
    s->detector = &d->file[d->count++];
    return true;
}

static bool detect_take_all(struct detectors *d, const char *names)
{
    size_t most = 1;
    bool good = true;
    for (const char *comma = names; (comma = strchr(comma, ',')); comma++)
        most++;
    d->found = sim_alloc(most, sizeof *d->found);
    d->file = sim_alloc(most, sizeof *d->file);
    d->model = sim_alloc(most, sizeof *d->model);
    for (size_t length; good; names += length + 1) {
        length = strcspn(names, ",");
        char *name = sim_strndup(names, length);
        good = detect_take(d, name);
        free(name);
        if (!names[length])
            break;
    }
    return good;
}

static void detectors_free(struct detectors *d)
{
    for (size_t i = 0; i < d->count; i++) {
        cli_suspects_free(&d->found[i]);
        if (d->found[i].detector)
            in_detector_free(&d->file[i]);
    }
    free(d->found);
    free(d->file);
    free(d->model);
}

/** One that is a file. @return NULL: all are models */
static const struct cli_suspects *detect_file(const struct detectors *d)
{
    for (size_t i = 0; i < d->count; i++)
        if (d->found[i].detector)
            return &d->found[i];
    return NULL;
}

/** All models look at one run; each of the others has its own. */
static enum cli_exit detect_find(struct detectors *d, const struct cli_looked *what)
{
    enum cli_exit status = CLI_EXIT_OK;
    if (d->models)
        status = cli_models_look(d->model, d->models, what);
    for (size_t i = 0; i < d->count && status == CLI_EXIT_OK; i++)
        if (d->found[i].detector)
            status = cli_suspects_find(&d->found[i], what);
    return status;
}

int cli_detect(struct cli_given *g)
{
    struct detectors d = {0};
    char **program = program_of(g);
    int status = CLI_EXIT_USAGE;
    if (!g->quoted)
        cli_options_late(g, program);
    if (detect_take_all(&d, g->words[0])) {
        const struct cli_suspects *file = detect_file(&d);
        if (g->charge && file)
            cli_refuse(g,
                       "--charge is for models: what takes the cards' interrupts for '%.60s' is "
                       "not known",
                       detect_name(file));
        const struct cli_looked what = {.machine = g->machine,
                                        .sets = g->sets,
                                        .allow = g->allow,
                                        .words = program,
                                        .charge = g->charge};
        status = (int)detect_find(&d, &what);
        if (status == CLI_EXIT_OK && !suspects_print(g, d.found, d.count))
            status = CLI_EXIT_IO;
    }
    detectors_free(&d);
    return status;
}
