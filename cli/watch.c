/*
 * numachine watch: what happens to some lines, message by message: of a scenario, of a run that a
 * directory has kept, or of an experiment. A run is simulated once more for that, in a process of
 * its own, because what it writes goes nowhere and its program is confined.
 */
#include "base/alloc.h"
#include "base/nearest.h"
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/session.h"
#include "documents/whole.h"
#include "input/units.h"
#include "machine/values.h"
#include "watch/page.h"
#include "watch/play.h"
#include "watch/table.h"
#include "watch/watcher.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/** A recording, and how it is to be shown. */
struct shown {
    const struct watch_record *record;
    const struct watch_title *title;
};

static const struct format {
    const char *name;
    void (*write)(const struct watch_record *record, const struct watch_title *title, FILE *out);
} formats[] = {
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

/** The scenario of that name, or the only one that begins so. */
static size_t watch_chosen(const struct cli_given *g)
{
    size_t found = SIZE_MAX, begin = 0;
    const char *name;
    for (size_t i = 0; (name = watch_scenario(i)); i++) {
        if (!strcmp(name, g->scenario))
            return i;
        if (strncmp(name, g->scenario, strlen(g->scenario)) == 0) {
            found = i;
            begin++;
        }
    }
    if (begin == 1)
        return found;
    const char *near = begin ? NULL : sim_nearest(g->scenario, next_scenario, NULL);
    cli_refuse(g, "--scenario: %s '%.60s'%s%s%s; 'numachine list scenarios' has all of them",
               begin ? "several begin with" : "there is no", g->scenario,
               near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* ---- writing --------------------------------------------------------------------------------- */

struct writing {
    const struct format *format;
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
    struct writing w = {&formats[CLI_NAMED(g, "no format", g->format, formats)], shown};
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

/* ---- a run, in a process of its own ---------------------------------------------------------- */

/** What the process hands over, in front of the rows and the transactions. */
struct handed {
    enum cli_exit status;
    bool ran, placed, whole, full;
    uint64_t result;
    sim_tick from, to;
    size_t rows, transactions;
};

static bool hand_over(int fd, const void *bytes, size_t size)
{
    for (const char *at = bytes; size;) {
        const ssize_t n = write(fd, at, size);
        if (n < 0 && errno != EINTR)
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool take_over(int fd, void *bytes, size_t size)
{
    for (char *at = bytes; size;) {
        const ssize_t n = read(fd, at, size);
        if (n == 0 || (n < 0 && errno != EINTR))
            return false;
        at += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/** Runs it, and hands over what was seen. @param said  gets what is said on standard error */
static void watch_child(const struct in_experiment *x, struct watch_watcher *w, int fd, FILE *said)
{
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const struct cli_session session = {.experiment = x,
                                        .stdin_fd = isatty(STDIN_FILENO) ? -1 : STDIN_FILENO,
                                        .quiet = true,
                                        .observer = &watch_observer,
                                        .self = w,
                                        .table = fopen("/dev/null", "we")};
    struct prog_outcome outcome;
    if (!session.table || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0 ||
        dup2(fileno(said), STDERR_FILENO) < 0)
        return;
    const enum cli_exit status = cli_session_run(&session, &outcome);
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
    if (hand_over(fd, &handed, sizeof handed) && hand_over(fd, r->row, r->rows * sizeof *r->row))
        hand_over(fd, r->transaction, r->transactions * sizeof *r->transaction);
}

static bool watch_take(int fd, const struct in_experiment *x, struct handed *handed,
                       struct watch_record *r)
{
    if (!take_over(fd, handed, sizeof *handed))
        return false;
    *r = (struct watch_record){.params = nm_params_copy(x->machine.params),
                               .protocol = &nm_protocols[nm_value_protocol(x->machine.params)],
                               .from = handed->from,
                               .to = handed->to,
                               .full = handed->full,
                               .rows = handed->rows,
                               .transactions = handed->transactions,
                               .row = sim_alloc(handed->rows, sizeof *r->row),
                               .transaction =
                                   sim_alloc(handed->transactions, sizeof *r->transaction)};
    return take_over(fd, r->row, r->rows * sizeof *r->row) &&
           take_over(fd, r->transaction, r->transactions * sizeof *r->transaction);
}

/** What the process has said: only if there was no run, for a window's end is none of a run's. */
static void watch_repeat(FILE *said)
{
    rewind(said);
    for (int c; (c = getc(said)) != EOF;)
        putc(c, stderr);
}

/** @return false: there was no run, after a complaint */
static bool watch_again(const struct in_experiment *x, struct watch_watcher *w,
                        struct handed *handed, struct watch_record *record)
{
    int fd[2];
    FILE *said = tmpfile();
    if (!said || pipe(fd)) {
        perror("numachine: error: a temporary file");
        return false;
    }
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        close(fd[0]);
        watch_child(x, w, fd[1], said);
        fflush(NULL);
        _exit(0);
    }
    close(fd[1]);
    const bool good = child > 0 && watch_take(fd[0], x, handed, record) && handed->ran;
    close(fd[0]);
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        perror("numachine: error: fork");
    else if (!good)
        watch_repeat(said);
    fclose(said);
    return good;
}

/* ---- a run ----------------------------------------------------------------------------------- */

static bool is_directory(const char *path)
{
    struct stat st;
    return !stat(path, &st) && S_ISDIR(st.st_mode);
}

static bool watch_load(const struct cli_given *g, struct in_experiment *x)
{
    struct in_diag diag = {.out = stderr};
    if (is_directory(g->words[0]))
        return cli_again_load(x, g->words[0], false);
    return in_experiment_load(x, g->words[0], g->sets, &diag);
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
    if (handed->whole)
        fprintf(stderr, "numachine: note: result xxh64:%016" PRIx64 "\n", handed->result);
}

static enum cli_exit watch_the_run(const struct cli_given *g, struct in_experiment *x)
{
    struct handed handed = {.status = CLI_EXIT_BROKEN};
    struct watch_record record = {0};
    struct watch_watcher w = {.line = watch_address(g),
                              .symbol = g->symbol,
                              .from = watch_cycle(g, "--from", g->from_cycle, 0),
                              .to = watch_cycle(g, "--to", g->to_cycle, SIM_NEVER)};
    enum cli_exit status = CLI_EXIT_USAGE;
    x->limit = sim_earlier(x->limit, w.to);
    if (!watch_again(x, &w, &handed, &record))
        status = handed.status;
    else {
        char *name = sim_format("%s of %s", g->symbol ? g->symbol : g->line_at, x->name);
        const struct watch_title title = {.name = name, .machine = x->machine.name};
        watch_remark(g, &handed, &record);
        status = watch_show(g, &(const struct shown){&record, &title});
        free(name);
    }
    watch_record_free(&record);
    return status;
}

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
    if (g->count && g->sets && is_directory(g->words[0]))
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
    if (g->symbol || g->line_at)
        status = watch_the_run(g, &x);
    else
        fputs("numachine: error: which --line or --symbol?\n", stderr);
    in_experiment_free(&x);
    return (int)status;
}
