/*
 * numachine trace: files of references. It converts them, says what is in them, and cuts parts out.
 */
#include "base/alloc.h"
#include "base/plural.h"
#include "cli/cli.h"
#include "cli/stop.h"
#include "documents/cells.h"
#include "documents/whole.h"
#include "input/units.h"
#include "programs/traces/copy.h"
#include "programs/traces/summary.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* What is to be done, and with how many files; which options are of others, and which formats it
 * writes. */
enum action { CONVERT, INFO, CUT };
static const struct {
    const char *name;
    unsigned files;
    const char *which, *misplaced, *formats;
} actions[] = {
    {"convert", 2, "IN and OUT", "line from to by_unit threads cut_region", "ntr lackey din"},
    {"info", 1, "IN", "from to by_unit threads cut_region", "text json"},
    {"cut", 2, "IN and OUT", "line", "ntr lackey din"}};
static const char *const units[TR_BY__COUNT] = {"references", "instructions"};

struct trace_request {
    const struct cli_given *given;
    enum action action;
    const char *file[2];
    struct tr_cut cut;
    uint8_t *threads; /* cut.threads; allocated */
};

/* ---- the command line ------------------------------------------------------------------------ */

/* "0,4-7" */
static void read_threads(struct trace_request *r)
{
    const char *at = r->given->threads;
    r->threads = sim_alloc(TR_THREADS_MAX, sizeof *r->threads);
    r->cut.threads = r->threads;
    for (;; at++) {
        uint64_t from = 0, to = 0;
        const char *end = in_whole_parse(at, &from);
        to = from;
        if (end && *end == '-')
            end = in_whole_parse(end + 1, &to);
        if (!end || (*end && *end != ',') || to < from || to >= TR_THREADS_MAX)
            cli_refuse(r->given,
                       "--threads: '%.60s' is no list of threads such as 0,4-7, each below %d",
                       r->given->threads, TR_THREADS_MAX);
        memset(r->threads + from, 1, to - from + 1);
        if (!*end)
            return;
        at = end;
    }
}

static void check_format(const struct cli_given *g, enum action action)
{
    const char *name = actions[action].name;
    char word[16];
    bool writes = !g->by[CLI_OPT_format];
    for (size_t i = 0; !writes && in_word_at(actions[action].formats, i, word, sizeof word); i++)
        writes = cli_is_format(g, word);
    if (!writes)
        cli_refuse(g, "--format: '%s' writes no %s", name, g->format);
}

/* The words are there, and go with the options. */
static struct trace_request trace_read_request(const struct cli_given *g)
{
    struct trace_request r = {.given = g,
                              .action =
                                  (enum action)CLI_NAMED(g, "no action", g->words[0], actions),
                              .file = {g->words[1], g->words[2]},
                              .cut = {.from = g->from,
                                      .to = g->by[CLI_OPT_to] ? g->to : UINT64_MAX,
                                      .by = (enum tr_by)CLI_NAMED(g, "no unit", g->by_unit, units),
                                      .region = g->cut_region}};
    const char *misplaced = cli_first_given(g, actions[r.action].misplaced);
    const unsigned files = actions[r.action].files;
    if (g->count > files + 1)
        cli_refuse(g, "'%.60s' is too much", g->words[files + 1]);
    if (g->count <= files)
        cli_refuse(g, "%s: which %s?", actions[r.action].name,
                   g->count == 1 ? actions[r.action].which : "OUT");
    if (misplaced)
        cli_refuse(g, "%s does not go with '%s'", misplaced, actions[r.action].name);
    check_format(g, r.action);
    if (g->line & (g->line - 1))
        cli_refuse(g, "--line: '%llu' is no power of two", (unsigned long long)g->line);
    if (g->threads)
        read_threads(&r);
    if (r.cut.from >= r.cut.to)
        cli_refuse(g, "--to is not behind --from");
    return r;
}

/* ---- writing -------------------------------------------------------------------------------- */

/* Whether OUT is IN under any name: it would be read while it is replaced. */
static bool trace_is_same(const char *in, const char *out)
{
    struct stat a, b;
    return !stat(in, &a) && !stat(out, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int trace_write_file(struct tr_copy *c, const char *out)
{
    char why[1024] = "";
    if (trace_is_same(c->name, out))
        return cli_complain(CLI_EXIT_USAGE, "IN and OUT are the same file");
    if (strcmp(out, "-") == 0) {
        if (!tr_copy_write(c, stdout))
            return cli_complain(CLI_EXIT_USAGE, c->why);
        return fflush(stdout) || ferror(stdout)
                   ? cli_complain(CLI_EXIT_IO, "cannot write standard output")
                   : CLI_EXIT_OK;
    }
    cli_stop_listen(); /* what is not finished goes */
    if (doc_whole_try(out, tr_copy_write, c, why, sizeof why))
        return CLI_EXIT_OK;
    if (*why)
        return cli_complain(CLI_EXIT_IO, why);
    return cli_complain(cli_stop_asked() ? CLI_EXIT_INTERRUPTED : CLI_EXIT_USAGE, c->why);
}

static int trace_copy(const struct trace_request *r, struct tr_source *source)
{
    struct tr_copy c = {
        .name = r->file[0],
        .source = source,
        .format = &tr_formats[CLI_NAMED(r->given, "no format", r->given->format, tr_formats)],
        .cut = r->action == CUT ? &r->cut : NULL,
        .stop = cli_stop_reason};
    return trace_write_file(&c, r->file[1]);
}

/* ---- what is in it --------------------------------------------------------------------------- */

struct facts {
    const struct trace_request *request;
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

static void trace_print_text(const struct facts *f)
{
    const struct tr_about *about = tr_about(f->source);
    const struct tr_summary *s = &f->sum;
    printf("%s: %s, made from %s\n\n", f->request->file[0], about->format,
           *about->made ? about->made : "what is not said");
    printf(
        "%16u thread%s\n%16lu reference%s\n%16lu instruction%s%s\n%16lu bytes, %.2f a reference\n",
        s->threads, sim_plural(s->threads), s->references, sim_plural(s->references),
        s->instructions, sim_plural(s->instructions), say_instructions(f), f->bytes,
        per_reference(f));
    printf("%16lu line%s of %lu bytes%s, in %lu page%s of %lu\n", s->lines, sim_plural(s->lines),
           s->line_bytes, s->full ? " or more" : "", s->pages, sim_plural(s->pages), s->page_bytes);
    printf("%16lu line%s written, %lu touched by two threads or more, %lu both\n\n", s->written,
           sim_plural(s->written), s->shared, s->handed);
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

static json_t *trace_regions_of(const struct facts *f)
{
    json_t *regions = json_array();
    for (uint64_t i = 0; tr_region(f->source, i); i++)
        json_array_append_new(regions, doc_json_text(tr_region(f->source, i)));
    return regions;
}

static void trace_print_json(const struct facts *f)
{
    const struct tr_about *about = tr_about(f->source);
    const struct tr_summary *s = &f->sum;
    json_t *all = json_pack(
        "{s:o, s:s, s:s, s:b, s:I, s:I, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "file",
        doc_json_text(f->request->file[0]), "format", about->format, "made", about->made, "timed",
        about->timed, "references", (json_int_t)s->references, "instructions",
        (json_int_t)s->instructions, "bytes", (json_int_t)f->bytes, "bytes_a_reference",
        per_reference(f), "line", (json_int_t)s->line_bytes, "page", (json_int_t)s->page_bytes,
        "lines", (json_int_t)s->lines, "pages", (json_int_t)s->pages, "lines_written",
        (json_int_t)s->written, "lines_shared", (json_int_t)s->shared, "lines_shared_and_written",
        (json_int_t)s->handed, "lines_complete", !s->full);
    json_object_set_new(all, "records", records_of(f));
    json_object_set_new(all, "threads", threads_of(f));
    json_object_set_new(all, "regions", trace_regions_of(f));
    doc_json_put(stdout, all, JSON_INDENT(2) | JSON_REAL_PRECISION(9));
}

static int trace_info(const struct trace_request *r, struct tr_source *source)
{
    struct facts f = {.request = r, .source = source};
    const uint32_t page = tr_about(source)->page;
    struct tr_batch batch;
    enum tr_more more;
    struct stat st;
    enum { PAGE = 4096 };
    f.bytes = stat(r->file[0], &st) == 0 ? (uint64_t)st.st_size : 0;
    tr_summary_begin(&f.sum, r->given->line, page >= r->given->line ? page : PAGE);
    while ((more = tr_next(source, &batch)) == TR_MORE)
        tr_summary_add(&f.sum, &batch);
    tr_summary_end(&f.sum);
    if (more == TR_END)
        (cli_is_format(r->given, "json") ? trace_print_json : trace_print_text)(&f);
    tr_summary_free(&f.sum);
    return more == TR_END ? CLI_EXIT_OK : cli_complain(CLI_EXIT_USAGE, tr_why(source));
}

/* ---- the command ----------------------------------------------------------------------------- */

int cli_trace(struct cli_given *g)
{
    struct trace_request r = trace_read_request(g);
    char why[1024];
    struct tr_source *source = tr_open(r.file[0], why, sizeof why);
    int status;
    if (source) {
        status = r.action == INFO ? trace_info(&r, source) : trace_copy(&r, source);
        if (status == CLI_EXIT_OK && tr_note(source))
            fprintf(stderr, "numachine: note: %s: %s\n", r.file[0], tr_note(source));
        tr_close(source);
    } else
        status = cli_complain(CLI_EXIT_USAGE, why);
    free(r.threads);
    return status;
}
