/*
 * `numachine bench`: how fast the simulator is on this host, on fixed works.
 *
 * Each work is a shipped experiment (experiments/bench/) and runs in a process of its own, because
 * SimGrid has one engine per process; the figures come back through shared memory. Host times of
 * one run mean little on a busy host: compare ratios, or count instructions (docs/performance.md).
 */
#include "cli/cli.h"
#include "cli/guest.h"
#include "input/experiment.h"
#include "input/home.h"
#include "programs/program.h"
#include "report/host.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const works[] = {"hits", "private", "sharing"};

enum { WORKS = sizeof works / sizeof *works };

/** What one work did; filled in by the child. */
struct figures {
    bool complete;
    unsigned processors;
    nm_tick ticks;
    uint64_t instructions, references, misses;
    double seconds;  /**< host, of the run alone */
    double start_up; /**< host seconds to build the machine */
    long peak_kb;    /**< resident */
};

static void add_truth(struct nm_machine *m, struct figures *f)
{
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        struct nm_truth t;
        nm_card_truth(m, i, &t);
        f->references += t.loads + t.stores;
        f->misses += t.l2_misses + t.upgrades;
    }
}

/* In the child: runs the work with the guest's output thrown away. */
static void measure(const struct in_experiment *x, const char *program, struct figures *f)
{
    struct prog_outcome outcome;
    struct prog_hooks hooks = {0};
    struct rusage usage;
    const int nowhere = open("/dev/null", O_RDWR);
    const double begin = rep_host_seconds();
    struct nm_machine *m = nm_machine_new(&x->machine.params);
    const double built = rep_host_seconds();
    struct prog_spec spec = {.path = program,
                             .argv = x->argv,
                             .envp = x->envp,
                             .stdin_fd = nowhere,
                             .stdout_fd = nowhere,
                             .stderr_fd = 2,
                             .seed = x->seed,
                             .limit = x->limit};
    prog_run(m, &spec, &hooks, &outcome);
    f->seconds = rep_host_seconds() - built;
    f->start_up = built - begin;
    f->processors = nm_machine_cards(m);
    f->ticks = outcome.ticks;
    f->instructions = outcome.instructions;
    add_truth(m, f);
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
            measure(x, guest.path, f);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        status = f->complete ? CLI_EXIT_OK : CLI_EXIT_BROKEN;
    }
    cli_guest_release(&guest);
    return status;
}

static double rate(uint64_t n, const struct figures *f)
{
    return f->seconds > 0 ? (double)n / f->seconds : 0;
}

static json_t *as_json(const char *name, const struct figures *f)
{
    return json_pack("{s:s, s:i, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:i}", "work", name,
                     "processors", (int)f->processors, "ticks", (json_int_t)f->ticks,
                     "instructions", (json_int_t)f->instructions, "references",
                     (json_int_t)f->references, "misses", (json_int_t)f->misses, "host_seconds",
                     f->seconds, "start_up_seconds", f->start_up, "instructions_per_second",
                     rate(f->instructions, f), "references_per_second", rate(f->references, f),
                     "misses_per_second", rate(f->misses, f), "peak_kb", (int)f->peak_kb);
}

static void print_row(const char *name, const struct figures *f)
{
    printf("%-10s %5u %12lu %10.2f %10.2f %10.1f %9.3f %9.1f %8.1f\n", name, f->processors,
           (unsigned long)f->instructions, rate(f->instructions, f) / 1e6,
           rate(f->references, f) / 1e6, rate(f->misses, f) / 1e3, f->seconds, 1e3 * f->start_up,
           (double)f->peak_kb / 1024);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    if (key != 'j')
        return ARGP_ERR_UNKNOWN;
    *(bool *)state->input = true;
    return 0;
}

static enum cli_exit bench_one(const char *name, struct figures *f, json_t *list)
{
    struct in_experiment x;
    struct in_diag diag = {.out = stderr};
    char *path = in_home_path("experiments/bench/%s.yaml", name);
    char *no_sets[] = {NULL};
    enum cli_exit status = CLI_EXIT_USAGE;
    if (in_experiment_load(&x, path, no_sets, &diag)) {
        status = run_work(&x, f);
        in_experiment_free(&x);
    }
    if (status == CLI_EXIT_OK && list)
        json_array_append_new(list, as_json(name, f));
    else if (status == CLI_EXIT_OK)
        print_row(name, f);
    free(path);
    return status;
}

int cli_bench(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"json", 'j', NULL, 0, "print JSON instead of a table", 0}, {0}};
    static const struct argp argp = {
        options, parse, NULL, "How fast the simulator is on this host, on fixed works.",
        NULL,    NULL,  NULL};
    bool json = false;
    argp_parse(&argp, argc, argv, 0, NULL, &json);
    struct figures *f =
        mmap(NULL, WORKS * sizeof *f, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    json_t *list = json ? json_array() : NULL;
    if (!json)
        printf("%-10s %5s %12s %10s %10s %10s %9s %9s %8s\n", "work", "cards", "instructions",
               "Minstr/s", "Mrefs/s", "Kmisses/s", "host s", "start ms", "peak MB");
    enum cli_exit status = CLI_EXIT_OK;
    for (unsigned i = 0; i < WORKS && status == CLI_EXIT_OK; i++)
        status = bench_one(works[i], &f[i], list);
    if (json) {
        json_dumpf(list, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(9));
        putchar('\n');
        json_decref(list);
    }
    munmap(f, WORKS * sizeof *f);
    return status;
}
