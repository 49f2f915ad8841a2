/*
 * manifest.json, written before anything else with the status "running" and again when everything
 * else is on the disk, so that a directory always tells whether its results are whole.
 */
#include "documents/directory/manifest.h"

#include "base/alloc.h"
#include "base/version.h"
#include "documents/cells.h"
#include "documents/intact.h"
#include "documents/schemas.h"

#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/** Version of the layout of manifest.json. */

static const char *const status_words[] = {
    [DOC_RUNNING] = "running", [DOC_COMPLETE] = "complete",     [DOC_PARTIAL] = "partial",
    [DOC_FAILED] = "failed",   [DOC_INCOMPLETE] = "incomplete",
};

/* ---- input files ----------------------------------------------------------------------------- */

/* What a device holds is not known beforehand, and it may have no end. */
static void hash_file(struct doc_input *input)
{
    const char *wrong;
    FILE *in = doc_ordinary_open(input->path, &wrong);
    if (!in)
        return;
    input->readable = doc_content_of(fileno(in), &input->content);
    fclose(in);
}

static void add_input(struct doc_manifest *manifest, const char *path)
{
    if (!path)
        return;
    for (size_t i = 0; i < manifest->inputs; i++) {
        assert(manifest->input[i].path);
        if (!strcmp(manifest->input[i].path, path))
            return;
    }
    manifest->input[manifest->inputs] = (struct doc_input){.path = path};
    hash_file(&manifest->input[manifest->inputs++]);
}

static size_t length_of(char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

void doc_manifest_hash(struct doc_manifest *manifest)
{
    const struct doc_run *run = manifest->run;
    const struct in_experiment *x = run->experiment;
    manifest->input = sim_alloc(length_of(x->inputs) + 3, sizeof *manifest->input);
    for (size_t i = 0; i < length_of(x->inputs); i++)
        add_input(manifest, x->inputs[i]);
    add_input(manifest, run->program);
    add_input(manifest, x->source);
    add_input(manifest, x->stdin_path);
    manifest->digest = doc_digest(x, manifest->git);
    manifest->hashed = true;
}

void doc_manifest_free(struct doc_manifest *manifest)
{
    free(manifest->input);
}

/* ---- the parts of the document --------------------------------------------------------------- */

static json_t *manifest_texts(char *const *list, size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, doc_json_text(list[i]));
    return array;
}

static json_t *manifest_date(const struct timespec *t)
{
    char buf[64];
    struct tm tm;
    if (!t->tv_sec)
        return json_null();
    gmtime_r(&t->tv_sec, &tm);
    strftime(buf, sizeof buf, "%Y-%m-%dT%H:%M:%SZ", &tm);
    return json_string(buf);
}

static json_t *program_part(const struct doc_manifest *manifest)
{
    return json_pack("{s:s,s:s,s:s}", "version", SIM_VERSION, "git", manifest->git, "compiler",
#ifdef __clang__
                     __VERSION__
#else
                     "gcc " __VERSION__
#endif
    );
}

static json_t *command_part(const struct doc_manifest *manifest)
{
    char *cwd = getcwd(NULL, 0);
    json_t *part =
        json_pack("{s:o,s:o}", "argv", manifest_texts(manifest->argv, (size_t)manifest->argc),
                  "cwd", doc_json_text(cwd));
    free(cwd);
    return part;
}

static json_t *experiment_part(const struct doc_run *run)
{
    const struct in_experiment *x = run->experiment;
    json_t *events = json_array();
    for (unsigned i = 0; i < run->choice.count; i++)
        json_array_append_new(events,
                              json_pack("{s:s,s:I,s:I}", "event",
                                        mon_unit_event(run->unit, run->choice.event[i])->name,
                                        "card_run", (json_int_t)run->plan.bank[i], "counter",
                                        (json_int_t)run->plan.counter[i]));
    return json_pack(
        "{s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:I,s:o,s:I,s:o}", "name", doc_json_text(x->name),
        "point", doc_json_text(x->point), "origin", x->point ? json_string("sweep") : json_null(),
        "assigned", manifest_texts(x->assigned, length_of(x->assigned)), "about",
        doc_json_text(x->about), "machine", doc_json_text(x->machine.name), "program",
        doc_json_text(run->program), "argv", manifest_texts(x->argv, length_of(x->argv)),
        "environment", manifest_texts(x->envp, length_of(x->envp)), "stdin",
        doc_json_text(x->stdin_path), "seed", (json_int_t)x->seed, "limit_ticks",
        x->limit == SIM_NEVER ? json_null() : json_integer((json_int_t)x->limit), "processors",
        (json_int_t)x->processors, "events", events);
}

static json_t *inputs_part(const struct doc_manifest *manifest)
{
    json_t *array = json_array();
    for (size_t i = 0; i < manifest->inputs; i++) {
        const struct doc_input *in = &manifest->input[i];
        json_array_append_new(
            array,
            json_pack("{s:o,s:o,s:o}", "path", doc_json_text(in->path), "bytes",
                      in->readable ? json_integer((json_int_t)in->content.bytes) : json_null(),
                      "hash", in->readable ? doc_hash_json(in->content.xxh64) : json_null()));
    }
    return array;
}

static json_t *digest_part(const struct doc_manifest *manifest)
{
    char *all = manifest->hashed ? doc_digest_text(&manifest->digest) : NULL;
    json_t *part = doc_json_text(all);
    free(all);
    return part;
}

static json_t *host_part(const struct doc_host *host)
{
    return json_pack("{s:o,s:o,s:I,s:o,s:o,s:o,s:o}", "name", doc_json_text(host->name), "cpu",
                     doc_json_text(host->cpu), "cores", (json_int_t)host->cores, "start",
                     manifest_date(&host->start), "end", manifest_date(&host->end), "seconds",
                     host->end.tv_sec ? json_real(host->seconds) : json_null(), "peak_memory_bytes",
                     host->end.tv_sec ? json_integer((json_int_t)host->peak_bytes) : json_null());
}

static json_t *end_part(const struct doc_manifest *manifest)
{
    const struct doc_run *run = manifest->run;
    const struct prog_outcome *out = &run->outcome;
    double rate = run->host.seconds > 0 ? (double)out->instructions / run->host.seconds : 0;
    const bool has_status =
        !manifest->unstarted && (out->end == PROG_EXITED || out->end == PROG_SIGNALED);
    return json_pack(
        "{s:s,s:o,s:o,s:o,s:I,s:I,s:I,s:f,s:I,s:o,s:o,s:o}", "reason",
        manifest->unstarted ? "not started" : doc_end_word(out->end), "status",
        has_status ? json_integer(out->status) : json_null(), "message",
        doc_json_text(out->message), "stopped_by", doc_json_text(manifest->stopped_by), "exit_code",
        (json_int_t)manifest->exit_code, "ticks", (json_int_t)out->ticks, "instructions",
        (json_int_t)out->instructions, "instructions_per_host_second", rate, "threads",
        (json_int_t)out->threads, "stdout_hash", doc_hash_json(out->stdout_hash), "result_hash",
        doc_hash_json(run->hash.result), "totals_hash", doc_hash_json(run->hash.totals));
}

static json_t *manifest_measured(const struct in_measured *stat)
{
    return json_pack("{s:s,s:o}", "region", stat->region ? stat->region : DOC_WHOLE, "stat",
                     doc_json_text(stat->stat));
}

json_t *doc_manifest_expectation(const struct in_expect *e, const struct doc_judged *judged)
{
    json_t *about = json_pack("[o]", manifest_measured(&e->stat[0])), *bounds = json_object();
    if (e->ratio)
        json_array_append_new(about, manifest_measured(&e->stat[1]));
    for (int b = 0; b < IN_BOUND__COUNT; b++)
        if (e->bound[b])
            json_object_set_new(bounds, in_bound_name[b], doc_json_text(e->bound[b]));
    return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "where", doc_json_text(e->where), "of", about,
                     "bounds", bounds, "kept",
                     judged && !judged->left ? json_boolean(judged->kept) : json_null(), "value",
                     judged && judged->known ? doc_json_text(judged->text) : json_null(), "why",
                     judged && !judged->known ? doc_json_text(judged->text) : json_null());
}

static json_t *expect_part(const struct doc_run *run)
{
    const struct in_experiment *x = run->experiment;
    json_t *array = json_array();
    for (size_t i = 0; i < x->expects; i++)
        json_array_append_new(
            array, doc_manifest_expectation(&x->expect[i], run->judged ? &run->judged[i] : NULL));
    return array;
}

/* Calls `each` with the run's own files that were to be written, but for the manifest. */
static json_t *files_part(const struct doc_manifest *manifest, json_t *part,
                          void (*each)(json_t *part, const char *name, const struct doc_file *f))
{
    const struct doc_rundir *dir = manifest->dir;
    for (unsigned i = 0; dir && i < DOC_FILES_MAX; i++) {
        const struct doc_file *f = &dir->file[i];
        if (f->asked && strcmp(doc_rundir_name(dir, i), DOC_MANIFEST) != 0)
            each(part, doc_rundir_name(dir, i), f);
    }
    return part;
}

static void put_length(json_t *part, const char *name, const struct doc_file *f)
{
    if (f->whole)
        json_object_set_new(part, name, json_integer((json_int_t)f->content.bytes));
}

static void put_hash(json_t *part, const char *name, const struct doc_file *f)
{
    if (f->whole)
        json_object_set_new(part, name, doc_hash_json(f->content.xxh64));
}

static void put_missing(json_t *part, const char *name, const struct doc_file *f)
{
    if (!f->whole)
        json_array_append_new(part, json_string(name));
}

void doc_manifest_write(void *ctx, FILE *out)
{
    const struct doc_manifest *manifest = ctx;
    const struct doc_run *run = manifest->run;
    bool ended = manifest->status != DOC_RUNNING;
    json_t *root = json_pack(
        "{s:i,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "schema",
        DOC_SCHEMA_manifest, "status", status_words[manifest->status], "error",
        *manifest->error ? doc_json_text(manifest->error) : json_null(), "end",
        ended ? end_part(manifest) : json_null(), "files",
        files_part(manifest, json_object(), put_length), "hashes",
        files_part(manifest, json_object(), put_hash), "missing",
        files_part(manifest, json_array(), put_missing), "experiment", experiment_part(run),
        "inputs", inputs_part(manifest), "digest", digest_part(manifest), "digest_of",
        manifest->hashed ? doc_digest_json(&manifest->digest) : json_null(), "numachine",
        program_part(manifest), "command", command_part(manifest), "host", host_part(&run->host),
        "expect", expect_part(run), "remarks", manifest_texts(run->remark, run->remarks));
    doc_manifest_put(root, out);
    json_decref(root);
}
