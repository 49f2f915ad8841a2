/*
 * Runs one guest program on the default machine and behaves like it: its output, its exit status.
 * The tests of the operating system call it; people use `numachine stat`.
 *
 *     os_run [-c|-f] [-p CARDS] [-l LIMIT] [-s SEED] [-q QUANTUM] PROGRAM [ARG...]
 *
 * -c is the checking mode, -f the functional one. The outcome goes to standard error as one line
 * "end=... status=... ticks=... ...". Exit status: the guest's; 128 + signal when killed; 99 for
 * any other end.
 */
#include "machine/values.h"
#include "procard/r4400/r4400.h"
#include "programs/linux/personality.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void print_mark(void *ctx, const char *name, bool begin, sim_tick at)
{
    (void)ctx;
    fprintf(stderr, "mark %s %s at %" PRIu64 "\n", begin ? "begin" : "end", name, at);
}

static int usage(void)
{
    fprintf(
        stderr,
        "usage: os_run [-c|-f] [-p CARDS] [-l LIMIT] [-s SEED] [-q QUANTUM] PROGRAM [ARG...]\n");
    return 2;
}

static int run(const struct nm_params *params, const struct prog_spec *spec)
{
    struct prog_hooks hooks = {.mark = print_mark};
    struct nm_machine *m = nm_machine_new(params, &pc_r4400);
    struct prog_outcome out;

    prog_run(m, spec, &hooks, &out);
    if (*out.message)
        fprintf(stderr, "%s\n", out.message);
    fprintf(stderr,
            "end=%d status=%d ticks=%" PRIu64 " instructions=%" PRIu64 " threads=%" PRIu64
            " hash=%016" PRIx64 "\n",
            (int)out.end, out.status, out.ticks, out.instructions, out.threads, out.stdout_hash);
    nm_machine_free(m);
    if (out.end == PROG_EXITED)
        return out.status;
    return out.end == PROG_SIGNALED ? 128 + out.status : 99;
}

int main(int argc, char **argv)
{
    char *const env[] = {"LANG=C", NULL};
    struct nm_params params;
    struct prog_program program = {.stdin_fd = 0, .stdout_fd = 1, .stderr_fd = 2, .envp = env};
    struct prog_spec spec = {
        .workload = &lx_workload, .what = &program, .seed = 1, .limit = SIM_NEVER};
    int opt;

    nm_params_default(&params);
    params.ring_stations = params.ring_locals = 1; /* one station: its memory is soon full */
    while ((opt = getopt(argc, argv, "+cfp:l:s:q:k:")) != -1) {
        uint64_t v = strtoull(optarg ? optarg : "", NULL, 0);
        switch (opt) {
        case 'c':
            params.check = 1;
            break;
        case 'f':
            params.mode = NM_MODE_FUNCTIONAL;
            break;
        case 'p':
            spec.processors = (unsigned)v;
            break;
        case 'l':
            spec.limit = v;
            break;
        case 's':
            spec.seed = v;
            break;
        case 'k': /* all clocks [Hz] */
            params.cpu_clock = params.bus_clock = params.ring_clock = v;
            break;
        case 'q':
            params.os_quantum = v;
            break;
        default:
            return usage();
        }
    }
    if (optind == argc)
        return usage();
    program.path = argv[optind];
    program.argv = argv + optind;
    return run(&params, &spec);
}
