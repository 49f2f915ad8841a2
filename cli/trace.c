/*
 * numachine trace: files of references. It converts them, says what is in them, and cuts parts out.
 */
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/options.h"
#include "cli/stop.h"
#include "documents/whole.h"
#include "input/units.h"
#include "programs/traces/cut.h"
#include "programs/traces/summary.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPT_FROM = 0x500, OPT_TO, OPT_BY, OPT_THREADS, OPT_REGION, OPT_LINE };

/* What is to be done, and with how many files. */
enum action { CONVERT, INFO, CUT, ACTIONS };
static const struct {
    const char *name;
    unsigned files;
} actions[ACTIONS] = {{"convert", 2}, {"info", 1}, {"cut", 2}};

/* All words of --format: those of traces, and those of info. */
enum { AS_TEXT = TR_FORMATS, AS_JSON, AS__COUNT };
static const char *const formats[AS__COUNT] = {
#define FORMAT(name, sentence, reader, writer) #name,
#include "programs/traces/formats.def"
#undef FORMAT
    "text", "json"};

static const char *const units[TR_BY__COUNT] = {"references", "instructions"};

struct request {
    enum action action;
    unsigned words; /* that were given: the action, and files */
    const char *file[2];
    size_t format; /* AS__COUNT: not given */
    struct tr_cut cut;
    uint8_t *threads; /* cut.threads; allocated */
    uint64_t line;
    const char *misplaced[ACTIONS]; /* an option that is another action's; NULL: none */
    struct {
        bool format, from, to, by, threads, region, line;
    } given;
};

/* ---- the command line ------------------------------------------------------------------------ */

static uint64_t read_number(struct argp_state *state, const char *option, const char *arg)
{
    uint64_t value = 0;
    const char *end = in_whole_parse(cli_value(state, option, arg), &value);
    if (!end || *end)
        argp_error(state, "%s: '%.60s' is no whole number", option, arg);
    return value;
}

/* "0,4-7" */
static void read_threads(struct argp_state *state, struct request *r, const char *arg)
{
    const char *at = cli_value(state, "--threads", arg);
    r->threads = sim_alloc(TR_THREADS_MAX, sizeof *r->threads);
    r->cut.threads = r->threads;
    for (;; at++) {
        uint64_t from = 0, to = 0;
        const char *end = in_whole_parse(at, &from);
        to = from;
        if (end && *end == '-')
            end = in_whole_parse(end + 1, &to);
        if (!end || (*end && *end != ',') || to < from || to >= TR_THREADS_MAX)
            argp_error(state,
                       "--threads: '%.60s' is no list of threads such as 0,4-7, each below %d", arg,
                       TR_THREADS_MAX);
        memset(r->threads + from, 1, to - from + 1);
        if (!*end)
            return;
        at = end;
    }
}

static uint64_t read_line(struct argp_state *state, const char *arg)
{
    enum { LEAST = 8, MOST = 4096 };
    const uint64_t line = read_number(state, "--line", arg);
    if (line < LEAST || line > MOST || (line & (line - 1)))
        argp_error(state, "--line: '%.60s' is no power of two from %d to %d", arg, LEAST, MOST);
    return line;
}

/* The option is of these actions. */
static void belongs(struct request *r, const char *option, bool info, bool cut)
{
    r->misplaced[CONVERT] = option;
    if (!info)
        r->misplaced[INFO] = option;
    if (!cut)
        r->misplaced[CUT] = option;
}

static void take_word(struct argp_state *state, struct request *r, const char *arg)
{
    if (!r->words)
        r->action = (enum action)cli_named(state, "action", arg, actions, sizeof *actions, ACTIONS);
    else if (r->words > actions[r->action].files)
        argp_error(state, "'%.60s' is too much", arg);
    else
        r->file[r->words - 1] = cli_value(state, "FILE", arg);
    r->words++;
}

/* The words are there, and go with the options. */
static void check(struct argp_state *state, struct request *r)
{
    const char *action = actions[r->action].name;
    const size_t format = r->format;
    if (r->words <= actions[r->action].files)
        argp_error(state, "%s: which %s?", action,
                   actions[r->action].files == 1 ? "IN"
                   : r->words == 1               ? "IN and OUT"
                                                 : "OUT");
    if (r->misplaced[r->action])
        argp_error(state, "%s does not go with '%s'", r->misplaced[r->action], action);
    if (r->action == INFO ? format < AS_TEXT
                          : format < AS__COUNT && (format >= AS_TEXT || !tr_formats[format].writer))
        argp_error(state, "--format: '%s' writes no %s", action, formats[format]);
    if (r->cut.from >= r->cut.to)
        argp_error(state, "--to is not behind --from");
}

static void set_cut(struct argp_state *state, struct request *r, int key, const char *arg)
{
    switch (key) {
    case OPT_FROM:
        cli_once(state, "--from", &r->given.from);
        belongs(r, "--from", false, true);
        r->cut.from = read_number(state, "--from", arg);
        break;
    case OPT_TO:
        cli_once(state, "--to", &r->given.to);
        belongs(r, "--to", false, true);
        r->cut.to = read_number(state, "--to", arg);
        break;
    case OPT_BY:
        cli_once(state, "--by", &r->given.by);
        belongs(r, "--by", false, true);
        r->cut.by = (enum tr_by)cli_named(state, "unit", cli_value(state, "--by", arg), units,
                                          sizeof *units, TR_BY__COUNT);
        break;
    case OPT_THREADS:
        cli_once(state, "--threads", &r->given.threads);
        belongs(r, "--threads", false, true);
        read_threads(state, r, arg);
        break;
    default:
        cli_once(state, "--region", &r->given.region);
        belongs(r, "--region", false, true);
        r->cut.region = cli_text(state, "--region", arg);
        break;
    }
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct request *r = state->input;
    switch (key) {
    case 'f':
        cli_once(state, "--format", &r->given.format);
        r->format = cli_named(state, "format", cli_value(state, "--format", arg), formats,
                              sizeof *formats, AS__COUNT);
        return 0;
    case OPT_LINE:
        cli_once(state, "--line", &r->given.line);
        belongs(r, "a size of lines", true, false);
        r->line = read_line(state, arg);
        return 0;
    case OPT_FROM:
    case OPT_TO:
    case OPT_BY:
    case OPT_THREADS:
    case OPT_REGION:
        set_cut(state, r, key, arg);
        return 0;
    case ARGP_KEY_ARG:
        take_word(state, r, arg);
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which ACTION? (convert, info or cut)");
        return 0;
    case ARGP_KEY_SUCCESS:
        check(state, r);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- writing --------------------------------------------------------------------------------- */

/* A trace while it is written. */
struct copy {
    const struct request *request;
    struct tr_source *source;
    const struct tr_format *format;
    struct tr_cutting *cutting; /* NULL: all of it is wanted */
    struct tr_sink *sink;
    uint32_t named;   /* threads that the sink has been told of, */
    bool *begun;      /* [TR_THREADS_MAX] of which it has records, */
    uint32_t regions; /* and regions, */
    size_t pages;     /* and pages */
    int64_t thread;   /* of the last records; -1: none */
    char why[1100];   /* "": all is well */
};

static void tell_names(struct copy *c)
{
    const struct tr_writer *w = c->format->writer;
    for (; w->thread && c->named < tr_threads(c->source); c->named++)
        w->thread(c->sink, c->named, tr_thread_name(c->source, c->named),
                  tr_thread_card(c->source, c->named));
    const struct tr_page *page;
    for (const size_t pages = tr_pages(c->source, &page); w->page && c->pages < pages; c->pages++)
        w->page(c->sink, &page[c->pages]);
    for (; w->region && tr_region(c->source, c->regions); c->regions++)
        w->region(c->sink, c->regions, tr_region(c->source, c->regions));
}

static bool put(struct copy *c, const struct tr_batch *batch)
{
    if (!batch->count)
        return true;
    if (!c->format->writer->threads && c->thread >= 0 && c->thread != batch->thread) {
        snprintf(c->why, sizeof c->why,
                 "%.400s has threads %ld and %u, and %s knows no threads; take one: numachine "
                 "trace cut IN OUT --threads=%ld",
                 c->request->file[0], (long)c->thread, batch->thread, c->format->name,
                 (long)c->thread);
        return false;
    }
    c->thread = batch->thread;
    if (!c->begun[batch->thread] && c->format->writer->thread)
        c->format->writer->thread(c->sink, batch->thread, tr_thread_name(c->source, batch->thread),
                                  batch->card);
    c->begun[batch->thread] = true;
    c->format->writer->put(c->sink, batch->thread, batch->op, batch->count);
    return true;
}

static void copy_all(struct copy *c)
{
    struct tr_batch batch, part;
    enum tr_more more = TR_MORE;
    bool good = true;
    while (good && !cli_stop_asked() && (more = tr_next(c->source, &batch)) == TR_MORE) {
        tell_names(c);
        if (c->cutting)
            tr_cut(c->cutting, &batch, &part);
        good = put(c, c->cutting ? &part : &batch);
    }
    if (cli_stop_asked())
        snprintf(c->why, sizeof c->why, "%s", cli_stop_reason());
    else if (good && more == TR_BAD)
        snprintf(c->why, sizeof c->why, "%s", tr_why(c->source));
    else if (good && c->cutting && !tr_cut_found(c->cutting))
        snprintf(c->why, sizeof c->why,
                 "%.400s has no region '%.60s'; numachine trace info names them",
                 c->request->file[0], c->request->cut.region);
    else if (good && c->cutting && c->thread < 0)
        snprintf(c->why, sizeof c->why,
                 "%.400s: nothing is left of it; numachine trace info says how many references and "
                 "threads there are",
                 c->request->file[0]);
}

static bool write_trace(void *ctx, FILE *out)
{
    struct copy *c = ctx;
    struct tr_about about = *tr_about(c->source);
    about.part |= c->cutting != NULL;
    const struct tr_came came = tr_came(c->source);
    c->sink = c->format->writer->open(out, &about);
    if (c->format->writer->came)
        c->format->writer->came(c->sink, &came);
    tell_names(c);
    copy_all(c);
    c->format->writer->close(c->sink);
    return !*c->why;
}

/* Whether OUT is IN under any name: it would be read while it is replaced. */
static bool is_same(const char *in, const char *out)
{
    struct stat a, b;
    return !stat(in, &a) && !stat(out, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int write_file(struct copy *c)
{
    const char *out = c->request->file[1];
    char why[1024] = "";
    if (is_same(c->request->file[0], out))
        return cli_complain(CLI_EXIT_USAGE, "IN and OUT are the same file");
    if (strcmp(out, "-") == 0) {
        if (!write_trace(c, stdout))
            return cli_complain(CLI_EXIT_USAGE, c->why);
        return fflush(stdout) || ferror(stdout)
                   ? cli_complain(CLI_EXIT_IO, "cannot write standard output")
                   : CLI_EXIT_OK;
    }
    cli_stop_listen(); /* what is not finished goes */
    if (doc_whole_try(out, write_trace, c, why, sizeof why))
        return CLI_EXIT_OK;
    if (*why)
        return cli_complain(CLI_EXIT_IO, why);
    return cli_complain(cli_stop_asked() ? CLI_EXIT_INTERRUPTED : CLI_EXIT_USAGE, c->why);
}

static int copy(const struct request *r, struct tr_source *source)
{
    struct copy c = {.request = r, .source = source, .thread = -1};
    c.begun = sim_alloc(TR_THREADS_MAX, sizeof *c.begun);
    c.format = &tr_formats[r->format == AS__COUNT ? TR_FORMAT_ntr : r->format];
    if (r->action == CUT)
        c.cutting = tr_cut_begin(&r->cut, source);
    const int status = write_file(&c);
    if (c.cutting)
        tr_cut_end(c.cutting);
    free(c.begun);
    return status;
}

/* ---- what is in it --------------------------------------------------------------------------- */

struct facts {
    const struct request *request;
    const struct tr_source *source;
    struct tr_summary sum;
    uint64_t bytes; /* of the file; 0: not known */
};

static double per_reference(const struct facts *f)
{
    return f->sum.references ? (double)f->bytes / (double)f->sum.references : 0;
}

/* What are counted as instructions. */
static const char *say_instructions(const struct facts *f)
{
    const struct tr_summary *s = &f->sum;
    return tr_about(f->source)->timed ? " (PCycles without stalls)"
           : s->instructions == s->references
               ? ": one for each reference; others are not in the file"
               : "";
}

static void print_text(const struct facts *f)
{
    const struct tr_about *about = tr_about(f->source);
    const struct tr_summary *s = &f->sum;
    printf("%s: %s, made from %s\n\n", f->request->file[0], about->format,
           *about->made ? about->made : "what is not said");
    printf("%16u threads\n%16lu references\n%16lu instructions%s\n%16lu bytes, %.2f a reference\n",
           s->threads, s->references, s->instructions, say_instructions(f), f->bytes,
           per_reference(f));
    printf("%16lu lines of %lu bytes%s, in %lu pages of %lu\n", s->lines, s->line_bytes,
           s->full ? " or more" : "", s->pages, s->page_bytes);
    printf("%16lu lines written, %lu touched by two threads or more, %lu both\n\n", s->written,
           s->shared, s->handed);
    for (unsigned i = 0; i < TR_OP__COUNT; i++)
        if (s->records[i])
            printf("%16lu %-10s %s\n", s->records[i], tr_op_rows[i].word, tr_op_rows[i].sentence);
    for (uint64_t i = 0; tr_region(f->source, i); i++)
        printf("%16s region %s\n", "", tr_region(f->source, i));
}

static json_t *threads_of(const struct facts *f)
{
    json_t *threads = json_array();
    for (uint32_t i = 0; i < f->sum.threads; i++)
        json_array_append_new(threads,
                              json_pack("{s:I, s:I, s:I, s:I}", "thread", (json_int_t)i, "name",
                                        (json_int_t)tr_thread_name(f->source, i), "references",
                                        (json_int_t)f->sum.thread[i].references, "instructions",
                                        (json_int_t)f->sum.thread[i].instructions));
    return threads;
}

static json_t *records_of(const struct facts *f)
{
    json_t *records = json_object();
    for (unsigned i = 0; i < TR_OP__COUNT; i++)
        json_object_set_new(records, tr_op_rows[i].word,
                            json_integer((json_int_t)f->sum.records[i]));
    return records;
}

static json_t *regions_of(const struct facts *f)
{
    json_t *regions = json_array();
    for (uint64_t i = 0; tr_region(f->source, i); i++)
        json_array_append_new(regions, json_string(tr_region(f->source, i)));
    return regions;
}

static void print_json(const struct facts *f)
{
    const struct tr_about *about = tr_about(f->source);
    const struct tr_summary *s = &f->sum;
    json_t *all = json_pack(
        "{s:s, s:s, s:s, s:b, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "file",
        f->request->file[0], "format", about->format, "made", about->made, "timed", about->timed,
        "references", (json_int_t)s->references, "instructions", (json_int_t)s->instructions,
        "bytes", (json_int_t)f->bytes, "bytes_a_reference", per_reference(f), "line",
        (json_int_t)s->line_bytes, "page", (json_int_t)s->page_bytes, "lines", (json_int_t)s->lines,
        "pages", (json_int_t)s->pages, "lines_written", (json_int_t)s->written, "lines_shared",
        (json_int_t)s->shared, "lines_shared_and_written", (json_int_t)s->handed, "lines_complete",
        !s->full);
    json_object_set_new(all, "records", records_of(f));
    json_object_set_new(all, "threads", threads_of(f));
    json_object_set_new(all, "regions", regions_of(f));
    json_dumpf(all, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
    putchar('\n');
    json_decref(all);
}

static int info(const struct request *r, struct tr_source *source)
{
    struct facts f = {.request = r, .source = source};
    const uint32_t page = tr_about(source)->page;
    struct tr_batch batch;
    enum tr_more more;
    struct stat st;
    enum { PAGE = 4096 };
    f.bytes = stat(r->file[0], &st) == 0 ? (uint64_t)st.st_size : 0;
    tr_summary_begin(&f.sum, r->line, page >= r->line ? page : PAGE);
    while ((more = tr_next(source, &batch)) == TR_MORE)
        tr_summary_add(&f.sum, &batch);
    tr_summary_end(&f.sum);
    if (more == TR_END)
        (r->format == AS_JSON ? print_json : print_text)(&f);
    tr_summary_free(&f.sum);
    return more == TR_END ? CLI_EXIT_OK : cli_complain(CLI_EXIT_USAGE, tr_why(source));
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct argp_option options[] = {
    {"format", 'f', "FORMAT", 0,
     "of OUT: ntr (default), lackey or din; of info: text (default) or json", 0},
    {"line", OPT_LINE, "N", 0, "info: bytes of a line (default: 64)", 0},
    {"from", OPT_FROM, "N", 0, "cut: from this reference of each thread on; the first is 0", 0},
    {"to", OPT_TO, "N", 0, "cut: to this one, which is not in it", 0},
    {"by", OPT_BY, "UNIT", 0,
     "cut: what --from and --to count: references (default) or instructions", 0},
    {"threads", OPT_THREADS, "LIST", 0, "cut: these threads only: 0,4-7", 0},
    {"region", OPT_REGION, "NAME", 0, "cut: what all threads do while this region is open", 0},
    {0}};

static void print_help(FILE *out)
{
    fputs("Formats, known by their content; text may be packed by gzip or zstd:\n", out);
    for (unsigned i = 0; i < TR_FORMATS; i++)
        fprintf(out, "%s: %s%s\n", tr_formats[i].name, tr_formats[i].sentence,
                tr_formats[i].writer ? "" : " (only read)");
    fputs("\ndocs/traces.md says more.", out);
}

static char *help(int key, const char *text, void *input)
{
    (void)input;
    return cli_help(key, text, print_help);
}

int cli_trace(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .args_doc = "ACTION IN [OUT]",
        .doc =
            "Does with traces of references what ACTION says: convert writes IN as OUT, info says "
            "what is in IN, and cut writes a part of IN as OUT. OUT may be - for standard "
            "output.\v ",
        .help_filter = help};
    enum { LINE = 64 };
    struct request r = {.format = AS__COUNT, .line = LINE, .cut = {.to = UINT64_MAX}};
    char why[1024];
    cli_parse(&argp, argc, argv, 0, &r);
    struct tr_source *source = tr_open(r.file[0], why, sizeof why);
    int status;
    if (source) {
        status = r.action == INFO ? info(&r, source) : copy(&r, source);
        if (status == CLI_EXIT_OK && tr_note(source))
            fprintf(stderr, "numachine: note: %s: %s\n", r.file[0], tr_note(source));
        tr_close(source);
    } else
        status = cli_complain(CLI_EXIT_USAGE, why);
    free(r.threads);
    return status;
}
