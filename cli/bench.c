/*
 * `numachine bench`: how fast the simulator is on this host, on fixed works.
 *
 * Each work is a shipped experiment (experiments/bench/) and runs in a process of its own, because
 * SimGrid has one engine per process; the figures come back through shared memory. What is measured
 * is the region the work names, when all its threads are ready. Host times of one run mean little
 * on a busy host: compare ratios, or count instructions (docs/performance.md).
 */
#include "look/compare/bench.h"
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/guest.h"
#include "cli/host.h"
#include "documents/host.h"
#include "input/experiment.h"
#include "input/home.h"
#include "machine/statistics.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* The works: a shipped experiment, with a change. */
static const struct bench_work {
    const char *name, *file;
    char *set; /* KEY=VALUE, or none */
} bench_works[] = {
    {"functional-1", "hits", "run.mode=functional"},
    {"functional-64", "private-64", "run.mode=functional"},
    {"hits", "hits", NULL},
    {"private-4", "private", NULL},
    {"private-64", "private-64", NULL},
    {"private-1024", "private-1024", NULL},
    {"sharing-4", "sharing", NULL},
    {"mixed-16", "mixed-16", NULL},
    {"sharing-64", "sharing-64", NULL},
    {"far-64", "far-64", NULL},
    {"near-1", "near-1", NULL},
    {"far-1", "far-1", NULL},
    {"exchange-64", "exchange-64", NULL},
    {"locks-64", "locks-64", NULL},
    {"barriers-64", "barriers-64", NULL},
    {"product-64", "product-64", NULL},
    {"stencil-64", "stencil-64", NULL},
    {"fft-64", "fft-64", NULL},
    {"r10000-1", "r10000-1", NULL},
    {"r10000-16", "r10000-16", NULL},
    {"arm11-hits", "arm11-hits", NULL},
};

enum { WORKS = sizeof bench_works / sizeof *bench_works };

/** What the machine has done up to a moment. */
struct done {
    double host; /**< [s] */
    uint64_t instructions, references, misses, slots;
};

/** What one work did in its region; filled in by the child. */
struct figures {
    unsigned threads; /**< of the host: asked for, which is given, then those that it had */
    bool complete;
    unsigned processors;
    sim_tick ticks;
    struct done begin, end;
    double start_up;           /**< [s] of the host, to build the machine */
    long built_kb, peak_kb;    /**< resident: the whole process when it is built; greatest ever */
    struct nm_machine *m;      /**< the child's */
    const struct nm_params *p; /**< the child's */
};

static struct done bench_look(struct nm_machine *m, const struct nm_params *p)
{
    struct done done = {.host = doc_host_seconds()};
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        struct nm_truth t;
        nm_card_truth(m, i, &t);
        done.instructions += t.instructions;
        done.references += t.loads + t.stores;
        done.misses += t.l2_misses + t.upgrades;
    }
    for (unsigned i = 0; i < nm_ring_count(p); i++) {
        struct nm_ring_monitor ring;
        nm_machine_ring(m, i, &ring);
        for (unsigned node = 0; node < NM_RING_NODES_MAX; node++)
            done.slots += ring.sum.link[node];
    }
    return done;
}

/* The works name one region. */
static void on_mark(void *ctx, const char *name, bool begin, sim_tick at)
{
    struct figures *f = ctx;
    (void)name;
    f->ticks = begin ? at : at - f->ticks;
    *(begin ? &f->begin : &f->end) = bench_look(f->m, f->p);
}

/* [KB] resident now. */
static long bench_resident(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%*s %ld", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* In the child: runs the work with the guest's output thrown away. */
static void bench_measure(const struct in_experiment *x, const struct cli_guest *guest,
                          struct figures *f)
{
    struct prog_outcome outcome;
    struct prog_hooks hooks = {.ctx = f, .mark = on_mark};
    struct rusage usage;
    const int nowhere = open("/dev/null", O_RDWR);
    const double begin = doc_host_seconds();
    struct nm_machine *m =
        nm_machine_new_mixed(x->machine.params, x->machine.card, &x->machine.mix);
    const struct prog_program program = {.path = guest->path,
                                         .argv = x->argv,
                                         .envp = x->envp,
                                         .stdin_fd = nowhere,
                                         .stdout_fd = nowhere,
                                         .stderr_fd = 2};
    struct prog_spec spec = {.workload = guest->workload,
                             .what = &program,
                             .seed = x->seed,
                             .limit = x->limit,
                             .ranges = x->ranges,
                             .range_count = x->range_count,
                             .apart = x->kept_apart,
                             .apart_count = x->apart_count};
    const unsigned got = nm_machine_host_threads(m, f->threads);
    cli_host_threads(m, f->threads, got);
    f->threads = got;
    f->start_up = doc_host_seconds() - begin;
    f->built_kb = bench_resident();
    f->processors = nm_machine_cards(m);
    f->m = m;
    f->p = x->machine.params;
    prog_run(m, &spec, &hooks, &outcome);
    getrusage(RUSAGE_SELF, &usage);
    f->peak_kb = usage.ru_maxrss;
    f->complete = outcome.end == PROG_EXITED && outcome.status == 0;
    if (!f->complete)
        fprintf(stderr, "numachine: %s: %s\n", x->name, outcome.message);
    nm_machine_free(m);
}

static enum cli_exit run_work(const struct in_experiment *x, struct figures *f)
{
    struct cli_guest guest = {0};
    enum cli_exit status = cli_guest_get(&guest, x);
    if (status == CLI_EXIT_OK) {
        fflush(NULL);
        const pid_t child = fork();
        if (!child) {
            bench_measure(x, &guest, f);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        status = f->complete ? CLI_EXIT_OK : CLI_EXIT_BROKEN;
    }
    cli_guest_release(&guest);
    return status;
}

/** A column: how often something was done in the region. */
struct bench_column {
    const char *name, *heading;
    double unit; /**< of the rate in the table */
    size_t at;   /**< in struct done */
};

static const struct bench_column bench_columns[] = {
    {"instructions", "Minstr/s", 1e6, offsetof(struct done, instructions)},
    {"references", "Mrefs/s", 1e6, offsetof(struct done, references)},
    {"misses", "Kmisses/s", 1e3, offsetof(struct done, misses)},
    {"ring_slots", "Mslots/s", 1e6, offsetof(struct done, slots)},
};

enum { COLUMNS = sizeof bench_columns / sizeof *bench_columns };

static uint64_t bench_count(const struct figures *f, const struct bench_column *c)
{
    const char *begin = (const char *)&f->begin, *end = (const char *)&f->end;
    return *(const uint64_t *)(end + c->at) - *(const uint64_t *)(begin + c->at);
}

static double bench_seconds(const struct figures *f)
{
    return f->end.host - f->begin.host;
}

static json_t *as_json(const char *name, const struct figures *f)
{
    json_t *row =
        json_pack("{s:s, s:i, s:i, s:I, s:f, s:f, s:i, s:i}", "work", name, "processors",
                  (int)f->processors, "host_threads", (int)f->threads, "ticks",
                  (json_int_t)f->ticks, "host_seconds", bench_seconds(f), "start_up_seconds",
                  f->start_up, "built_kb", (int)f->built_kb, "peak_kb", (int)f->peak_kb);
    for (unsigned i = 0; i < COLUMNS; i++) {
        const uint64_t n = bench_count(f, &bench_columns[i]);
        json_t *figure = json_pack("{s:I, s:f}", "count", (json_int_t)n, "per_second",
                                   (double)n / bench_seconds(f));
        json_object_set_new(figure, "host_ns",
                            n ? json_real(1e9 * bench_seconds(f) / (double)n) : json_null());
        json_object_set_new(row, bench_columns[i].name, figure);
    }
    return row;
}

static void print_headings(void)
{
    printf("%-13s %5s", "work", "cards");
    for (unsigned i = 0; i < COLUMNS; i++)
        printf(" %9s %7s", bench_columns[i].heading, "ns");
    printf(" %7s %8s %8s %7s\n", "host s", "start ms", "start MB", "peak MB");
}

static void print_row(const char *name, const struct figures *f)
{
    printf("%-13s %5u", name, f->processors);
    for (unsigned i = 0; i < COLUMNS; i++) {
        const double n = (double)bench_count(f, &bench_columns[i]);
        printf(" %9.2f", n / bench_seconds(f) / bench_columns[i].unit);
        if (n > 0)
            printf(" %7.4g", 1e9 * bench_seconds(f) / n);
        else
            printf(" %7s", "-");
    }
    printf(" %7.2f %8.1f %8.1f %7.1f\n", bench_seconds(f), 1e3 * f->start_up,
           (double)f->built_kb / 1024, (double)f->peak_kb / 1024);
    fflush(stdout);
}

/* ---- the command ----------------------------------------------------------------------------- */

/** What is asked for. */
struct bench_request {
    const struct cli_given *given;
    bool json;
    unsigned runs; /**< of each work */
    bool wanted[WORKS];
};

static int bench_by_time(const void *a, const void *b)
{
    const double left = bench_seconds(a), right = bench_seconds(b);
    return (left > right) - (left < right);
}

/* All runs of a work, the quickest first. */
static enum cli_exit bench_run_all(const struct bench_request *r, const struct bench_work *work,
                                   struct figures *f)
{
    struct in_experiment x;
    struct in_diag diag = {.out = stderr};
    char *path = in_home_path("experiments/bench/%s.yaml", work->file);
    char *sets[] = {work->set, NULL};
    enum cli_exit status = CLI_EXIT_USAGE;
    if (in_experiment_load(&x, path, sets, &diag)) {
        status = CLI_EXIT_OK;
        for (unsigned i = 0; i < r->runs && status == CLI_EXIT_OK; i++) {
            f[i].threads = (unsigned)r->given->host_threads;
            status = run_work(&x, &f[i]);
        }
        in_experiment_free(&x);
    }
    qsort(f, r->runs, sizeof *f, bench_by_time);
    free(path);
    return status;
}

/* The row of the run in the middle, with the times of all. */
static json_t *row_of(const char *name, const struct figures *f, unsigned runs)
{
    json_t *row = as_json(name, &f[(runs - 1) / 2]), *times = json_array();
    for (unsigned i = 0; i < runs; i++)
        json_array_append_new(times, json_real(bench_seconds(&f[i])));
    json_object_set_new(row, "runs", times);
    return row;
}

/* A work is said when it is measured: as a row of a table, or later in the list. */
static void bench_say(const struct bench_request *r, const struct figures *f, json_t *row,
                      const json_t *then, json_t *list)
{
    if (r->json && then)
        look_bench_compare(row, then);
    if (r->json)
        json_array_append(list, row);
    else if (r->given->earlier)
        look_bench_row(row, then);
    else
        print_row(json_string_value(json_object_get(row, "work")), &f[(r->runs - 1) / 2]);
}

static enum cli_exit bench_bench(const struct bench_request *r, const json_t *earlier)
{
    struct figures *f =
        mmap(NULL, r->runs * sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    json_t *list = json_array();
    if (!r->json && r->given->earlier)
        look_bench_headings();
    else if (!r->json)
        print_headings();
    enum cli_exit status = CLI_EXIT_OK;
    for (unsigned i = 0; i < WORKS && status == CLI_EXIT_OK; i++) {
        if (r->given->count && !r->wanted[i])
            continue;
        memset(f, 0, r->runs * sizeof *f);
        status = bench_run_all(r, &bench_works[i], f);
        if (status != CLI_EXIT_OK)
            continue;
        json_t *row = row_of(bench_works[i].name, f, r->runs);
        bench_say(r, f, row, look_bench_work(earlier, bench_works[i].name), list);
        json_decref(row);
    }
    if (r->json) {
        json_dumpf(list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        putchar('\n');
    }
    json_decref(list);
    munmap(f, r->runs * sizeof *f);
    return status;
}

int cli_bench(struct cli_given *g)
{
    const unsigned runs = g->runs ? (unsigned)g->runs : g->earlier ? 3 : 1;
    struct bench_request r = {.given = g, .json = cli_is_format(g, "json"), .runs = runs};
    char why[512];
    for (size_t i = 0; i < g->count; i++)
        r.wanted[CLI_NAMED(g, "no work", g->words[i], bench_works)] = true;
    json_t *earlier = g->earlier ? look_bench_read(g->earlier, why, sizeof why) : NULL;
    if (g->earlier && !earlier) {
        fprintf(stderr, "numachine: error: %s\n", why);
        return CLI_EXIT_USAGE;
    }
    const enum cli_exit status = bench_bench(&r, earlier);
    json_decref(earlier);
    return status;
}
