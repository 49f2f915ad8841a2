/*
 * numachine watch: what happens to some lines, message by message: of a scenario, of a run that a
 * directory has kept, or of an experiment. A run is simulated once more for that, in a process of
 * its own. Or what happens to the instructions of a processor, stage by stage.
 */
#include "base/alloc.h"
#include "base/nearest.h"
#include "cli/again.h"
#include "cli/apart.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "documents/statistics/finished.h"
#include "documents/whole.h"
#include "input/units.h"
#include "watch/page.h"
#include "watch/play.h"
#include "watch/stages.h"
#include "watch/table.h"
#include "watch/watcher.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/** A recording, and how it is to be shown. */
struct shown {
    const struct watch_record *record;
    const struct watch_title *title;
};

static const struct watch_format {
    const char *name;
    void (*write)(const struct watch_record *record, const struct watch_title *title, FILE *out);
} watch_formats[] = {
    {"text", watch_text}, {"csv", watch_csv}, {"svg", watch_svg}, {"html", NULL} /* a page */};

/* ---- what is asked for ----------------------------------------------------------------------- */

/** "1200" or "1200cy", of an option. */
static sim_tick watch_cycle(const struct cli_given *g, const char *option, const char *text,
                            sim_tick otherwise)
{
    uint64_t value = otherwise;
    const char *end = text ? in_whole_parse(text, &value) : "";
    if (!end || (*end && strcmp(end, "cy") != 0))
        cli_refuse(g, "%s: '%.60s' is no number of a PCycle", option, text);
    return value;
}

static uint64_t watch_address(const struct cli_given *g)
{
    char *end = NULL;
    errno = 0;
    const uint64_t address = g->line_at ? strtoull(g->line_at, &end, 0) : 0;
    if (g->line_at && (errno || !end || *end || end == g->line_at || *g->line_at == '-'))
        cli_refuse(g, "--line: '%.60s' is no address", g->line_at);
    return address;
}

static const char *next_scenario(void *ctx, size_t i)
{
    (void)ctx;
    return watch_scenario(i);
}

/** The first scenario from `i` on that begins with the name given; behind the last one: none does.
 */
static size_t watch_next(const struct cli_given *g, size_t i)
{
    const char *name;
    while ((name = watch_scenario(i)) && strncmp(name, g->scenario, strlen(g->scenario)) != 0)
        i++;
    return i;
}

/** The scenario of that name, or the only one that begins so. */
static size_t watch_chosen(const struct cli_given *g)
{
    size_t begin = 0;
    for (size_t i = watch_next(g, 0); watch_scenario(i); i = watch_next(g, i + 1)) {
        if (!strcmp(watch_scenario(i), g->scenario))
            return i;
        begin++;
    }
    if (begin == 1)
        return watch_next(g, 0);
    if (begin) {
        const char *first = watch_scenario(watch_next(g, 0)),
                   *second = watch_scenario(watch_next(g, watch_next(g, 0) + 1));
        cli_refuse(g, "--scenario: %zu begin with '%.60s': '%s', '%s'%s", begin, g->scenario, first,
                   second, begin > 2 ? ", ...; 'numachine list scenarios' has all of them" : "");
    }
    const char *near = sim_nearest(g->scenario, next_scenario, NULL);
    cli_refuse(g,
               "--scenario: there is no '%.60s'%s%s%s; 'numachine list scenarios' has all of them",
               g->scenario, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- writing --------------------------------------------------------------------------------- */

struct writing {
    const struct watch_format *format;
    const struct shown *shown;
};

static void watch_put(void *ctx, FILE *out)
{
    const struct writing *w = ctx;
    w->format->write(w->shown->record, w->shown->title, out);
}

/** Says what came of a file. */
static enum cli_exit watch_written(bool good, const char *path, const char *why)
{
    if (good)
        puts(path);
    else
        fprintf(stderr, "numachine: error: %s\n", why);
    return good ? CLI_EXIT_OK : CLI_EXIT_IO;
}

static enum cli_exit watch_show_page(const struct cli_given *g, const struct shown *shown)
{
    char why[1024];
    const char *path = g->file ? g->file : "watch.html";
    const bool good = watch_page_write(shown->record, shown->title, path, why, sizeof why);
    return watch_written(good, path, why);
}

static enum cli_exit watch_show(const struct cli_given *g, const struct shown *shown)
{
    char why[1024];
    struct writing w = {&watch_formats[CLI_NAMED(g, "no format", g->format, watch_formats)], shown};
    if (!w.format->write)
        return watch_show_page(g, shown);
    if (!g->file || !strcmp(g->file, "-")) {
        watch_put(&w, stdout);
        return CLI_EXIT_OK;
    }
    const bool good = doc_whole_write(g->file, false, watch_put, &w, NULL, why, sizeof why);
    return watch_written(good, g->file, why);
}

/* ---- a scenario ------------------------------------------------------------------------------ */

static unsigned watch_level(const struct cli_given *g)
{
    static const struct {
        const char *name;
    } levels[] = {{"same-ring"}, {"other-ring"}, {"other-group"}};
    return (unsigned)CLI_NAMED(g, "no distance", g->distance, levels);
}

static enum cli_exit watch_play_it(const struct cli_given *g, const struct in_machine *machine)
{
    char why[1200];
    struct watch_record record = {0};
    struct watch_title title;
    const struct watch_wish wish = {
        .scenario = watch_chosen(g), .level = watch_level(g), .machine = machine->name};
    if (!watch_play(machine->params, &wish, &record, &title, why, sizeof why)) {
        fprintf(stderr, "numachine: error: '%s': %s\n", watch_scenario(wish.scenario), why);
        return CLI_EXIT_USAGE;
    }
    const enum cli_exit status = watch_show(g, &(const struct shown){&record, &title});
    watch_record_free(&record);
    return status;
}

static enum cli_exit watch_the_scenario(const struct cli_given *g)
{
    struct in_diag diag = {.out = stderr};
    struct in_machine machine;
    enum cli_exit status = CLI_EXIT_USAGE;
    if (in_machine_load(&machine, g->machine, g->sets, &diag)) {
        status = watch_play_it(g, &machine);
        in_machine_free(&machine);
    }
    return status;
}

/** What comes from the process that simulates, in front of the rows and the transactions. */
struct handed {
    enum cli_exit status;
    bool ran, placed, whole, full;
    uint64_t result;
    sim_tick from, to;
    size_t rows, transactions;
};

/** The observer's self, and what came of it here. */
struct watching {
    struct watch_watcher watcher; /**< first: the observer's */
    const struct in_experiment *experiment;
    struct handed handed;
    struct watch_record record;
};

static void watch_give(void *self, enum cli_exit status, int fd)
{
    const struct watch_watcher *w = self;
    const struct watch_record *r = &w->record;
    const struct handed handed = {.status = status,
                                  .ran = w->ran,
                                  .placed = w->placed,
                                  .whole = w->whole,
                                  .full = r->full,
                                  .result = w->result,
                                  .from = r->from,
                                  .to = r->to,
                                  .rows = r->rows,
                                  .transactions = r->transactions};
    if (cli_apart_give(fd, &handed, sizeof handed) &&
        cli_apart_give(fd, r->row, r->rows * sizeof *r->row))
        cli_apart_give(fd, r->transaction, r->transactions * sizeof *r->transaction);
}

static bool watch_take(void *self, int fd)
{
    struct watching *w = self;
    struct watch_record *r = &w->record;
    const struct nm_params *p = w->experiment->machine.params;
    if (!cli_apart_take(fd, &w->handed, sizeof w->handed))
        return false;
    *r = (struct watch_record){.params = nm_params_copy(p),
                               .protocol = &nm_protocols[nm_value_protocol(p)],
                               .from = w->handed.from,
                               .to = w->handed.to,
                               .full = w->handed.full,
                               .rows = w->handed.rows,
                               .transactions = w->handed.transactions,
                               .row = sim_alloc(w->handed.rows, sizeof *r->row),
                               .transaction =
                                   sim_alloc(w->handed.transactions, sizeof *r->transaction)};
    return cli_apart_take(fd, r->row, r->rows * sizeof *r->row) &&
           cli_apart_take(fd, r->transaction, r->transactions * sizeof *r->transaction) &&
           w->handed.ran;
}

static bool watch_load(const struct cli_given *g, struct in_experiment *x)
{
    struct in_diag diag = {.out = stderr};
    const bool loaded = cli_is_directory(g->words[0])
                            ? cli_again_load(x, g->words[0], false)
                            : in_experiment_load(x, g->words[0], g->sets, &diag);
    if (!loaded || !x->approach.sampling.every)
        return loaded;
    fprintf(stderr,
            "numachine: error: %s: most of a sampled run has no messages; run it without "
            "run.sample\n",
            g->words[0]);
    in_experiment_free(x);
    return false;
}

/** A run that came to its end is the one that it was: its result says so. */
static void watch_remark_result(bool whole, uint64_t result)
{
    if (whole)
        fprintf(stderr, "numachine: note: result xxh64:%016" PRIx64 "\n", result);
}

static void watch_remark(const struct cli_given *g, const struct handed *handed,
                         const struct watch_record *record)
{
    if (!handed->placed)
        fprintf(stderr, "numachine: note: %s %s has had no memory: nobody has touched it\n",
                g->symbol ? "--symbol" : "--line", g->symbol ? g->symbol : g->line_at);
    else if (!record->rows)
        fprintf(stderr, "numachine: note: no message about it in this window\n");
    if (handed->full)
        fprintf(stderr,
                "numachine: note: more than %d rows: the window ends at PCycle %" PRIu64
                "; --from and --to make it smaller\n",
                WATCH_ROWS_MOST, record->to);
    watch_remark_result(handed->whole, handed->result);
}

/* What the machine was called when the run was made: the configuration that a run leaves has it in
 * full, without a name. */
static const char *watched_machine(const struct cli_given *g, const struct in_experiment *x,
                                   struct doc_finished *results)
{
    char why[8192];
    const char *name = NULL;
    if (cli_is_directory(g->words[0]) && doc_finished_read(results, g->words[0], why, sizeof why))
        name = json_string_value(
            json_object_get(json_object_get(results->manifest, "experiment"), "machine"));
    return name ? name : x->machine.name;
}

static enum cli_exit watch_the_run(const struct cli_given *g, struct in_experiment *x)
{
    struct watching w = {.watcher = {.line = watch_address(g),
                                     .symbol = g->symbol,
                                     .from = watch_cycle(g, "--from", g->from_cycle, 0),
                                     .to = watch_cycle(g, "--to", g->to_cycle, SIM_NEVER)},
                         .experiment = x,
                         .handed = {.status = CLI_EXIT_BROKEN}};
    const struct cli_apart apart = {
        .observer = &watch_observer, .self = &w, .give = watch_give, .take = watch_take};
    enum cli_exit status;
    x->limit = sim_earlier(x->limit, w.watcher.to);
    if (cli_apart_run(x, &apart)) {
        struct doc_finished results = {.directory = NULL};
        const char *machine = watched_machine(g, x, &results);
        char *name = sim_format("%s of %s", g->symbol ? g->symbol : g->line_at,
                                cli_is_directory(g->words[0]) ? g->words[0] : x->name);
        const struct watch_title title = {.name = name, .machine = machine};
        watch_remark(g, &w.handed, &w.record);
        status = watch_show(g, &(const struct shown){&w.record, &title});
        free(name);
        doc_finished_free(&results);
    } else {
        status = w.handed.status;
    }
    watch_record_free(&w.record);
    return status;
}

/* ---- a pipeline ------------------------------------------------------------------------------ */

/** The same of instructions. */
struct staging {
    struct watch_stages stages; /**< first: the observer's */
    struct staged {
        enum cli_exit status;
        bool ran, whole;
        uint64_t result;
        size_t count;
    } staged;
    struct watch_instruction *instruction; /**< names are static: the process is a copy of this */
};

static void stages_give(void *self, enum cli_exit status, int fd)
{
    const struct watch_stages *s = self;
    size_t count = 0;
    const struct watch_instruction *all =
        s->pipeline ? watch_instructions(s->pipeline, &count) : NULL;
    const struct staged staged = {status, s->ran, s->whole, s->result, count};
    if (cli_apart_give(fd, &staged, sizeof staged))
        cli_apart_give(fd, all, count * sizeof *all);
}

static bool stages_take(void *self, int fd)
{
    struct staging *s = self;
    if (!cli_apart_take(fd, &s->staged, sizeof s->staged))
        return false;
    s->instruction = sim_alloc(s->staged.count, sizeof *s->instruction);
    return cli_apart_take(fd, s->instruction, s->staged.count * sizeof *s->instruction) &&
           s->staged.ran;
}

static void stages_put(void *ctx, FILE *out)
{
    const struct staging *s = ctx;
    watch_konata(s->instruction, s->staged.count, s->stages.card, out);
}

static enum cli_exit watch_the_pipeline(const struct cli_given *g, struct in_experiment *x)
{
    char why[1024];
    struct staging s = {.stages = {.card = (unsigned)g->card,
                                   .from = watch_cycle(g, "--from", g->from_cycle, 0),
                                   .to = watch_cycle(g, "--to", g->to_cycle, SIM_NEVER)},
                        .staged = {.status = CLI_EXIT_BROKEN}};
    const struct cli_apart apart = {
        .observer = &watch_stages_observer, .self = &s, .give = stages_give, .take = stages_take};
    enum cli_exit status;
    x->limit = sim_earlier(x->limit, s.stages.to);
    const bool good = cli_apart_run(x, &apart);
    if (good)
        watch_remark_result(s.staged.whole, s.staged.result);
    if (!good) {
        status = s.staged.status;
    } else if (!g->file || !strcmp(g->file, "-")) {
        stages_put(&s, stdout);
        status = CLI_EXIT_OK;
    } else {
        status = watch_written(
            doc_whole_write(g->file, false, stages_put, &s, NULL, why, sizeof why), g->file, why);
    }
    free(s.instruction);
    return status;
}

/* ---- the command ----------------------------------------------------------------------------- */

/** Says what cannot be meant, as far as the command line says it. */
static void watch_check(const struct cli_given *g)
{
    if (cli_is_format(g, "html") && g->file && !strcmp(g->file, "-"))
        cli_refuse(g, "--output: a page is a file, not standard output; name one");
    if (g->scenario && g->count)
        cli_refuse(g, "--scenario: without a run");
    if (!g->scenario && !g->count)
        cli_refuse(g, "which RUN_DIR or EXPERIMENT, or which --scenario?");
    if (g->machine && !g->scenario)
        cli_refuse(g, "a run has a machine of its own; another one is for a --scenario");
    if (g->count && g->sets && cli_is_directory(g->words[0]))
        cli_refuse(g, "--set: a run is watched as it was");
    watch_address(g);
    watch_cycle(g, "--from", g->from_cycle, 0);
    watch_cycle(g, "--to", g->to_cycle, 0);
}

int cli_watch(struct cli_given *g)
{
    struct in_experiment x;
    watch_check(g);
    if (g->scenario)
        return (int)watch_the_scenario(g);
    if (!watch_load(g, &x))
        return CLI_EXIT_USAGE;
    enum cli_exit status = CLI_EXIT_USAGE;
    if (g->konata)
        status = watch_the_pipeline(g, &x);
    else if (g->symbol || g->line_at)
        status = watch_the_run(g, &x);
    else
        fputs("numachine: error: which --line or --symbol?\n", stderr);
    in_experiment_free(&x);
    return (int)status;
}
