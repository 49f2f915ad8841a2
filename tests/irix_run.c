/*
 * Runs a guest on a machine whose processors are R4400s that have the event counters of an R10000:
 * the signals that an R4400 can know. All but the core is the real thing: counters, interrupts,
 * personality. So IRIX's interface is tested without the R10000.
 *
 *     irix_run [-n] [-r] [-p CARDS] [-t TICK] [-q QUANTUM] PROGRAM [ARG...]
 *
 * -n: no counters; -r: the guest is root. Exit status: the guest's; 128 + signal when killed; 99
 * for any other end.
 */
#include "machine/machine.h"
#include "procard/card.h"
#include "procard/r4400/r4400.h"
#include "programs/linux/personality.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* What the core is without counters: known once main runs. */
static const struct pc_core_ops *r4400(void)
{
    return pc_r4400.ctx;
}

/* It graduates one instruction in a PCycle that completes one, and is in user mode then; the rest
 * of its time is kernel mode. Its place is behind the core's own struct. */
static const struct r10k_signals *signals(const struct pc_cpu *cpu)
{
    struct r10k_signals *s = (struct r10k_signals *)((char *)cpu + r4400()->size);
    uint64_t states[PC_ST__COUNT], done = 0;
    struct pc_tail tail;

    r4400()->totals(cpu, states, &tail);
    for (unsigned i = 0; i < PC_ST__COUNT; i++)
        done += pc_status_completes((enum pc_status)i) ? states[i] : 0;
    s->total[R10K_SIGNAL_CYCLES][R10K_USER] = done;
    s->total[R10K_SIGNAL_GRADUATED][R10K_USER] = done;
    s->total[R10K_SIGNAL_GRADUATED_LOADS][R10K_USER] = states[PC_ST_LOAD];
    s->total[R10K_SIGNAL_GRADUATED_STORES][R10K_USER] = states[PC_ST_STORE];
    s->total[R10K_SIGNAL_GRADUATED_FP][R10K_USER] = states[PC_ST_FP];
    s->total[R10K_SIGNAL_RESOLVED_ANY][R10K_USER] =
        states[PC_ST_BR_TAKEN] + states[PC_ST_BR_UNTAKEN];
    s->total[R10K_SIGNAL_L1I_MISSES][R10K_USER] = cpu->card->truth.l1i_misses;
    s->total[R10K_SIGNAL_L1D_MISSES][R10K_USER] = cpu->card->truth.l1d_misses;
    return s;
}

static int run(const struct nm_params *params, const struct prog_spec *spec, bool counts)
{
    struct pc_core_ops core = *r4400();
    struct nm_card_kind kind = pc_r4400;
    const struct prog_hooks hooks = {0};
    struct prog_outcome out;
    struct nm_machine *m;

    core.size += sizeof(struct r10k_signals);
    core.signals = counts ? signals : NULL;
    kind.ctx = &core;
    m = nm_machine_new(params, &kind);
    prog_run(m, spec, &hooks, &out);
    if (*out.message)
        fprintf(stderr, "%s\n", out.message);
    for (unsigned card = 0; card < nm_machine_cards(m); card++) {
        struct nm_truth truth;
        nm_card_truth(m, card, &truth);
        if (truth.instructions)
            fprintf(stderr, "card %u: %lu instructions\n", card, (unsigned long)truth.instructions);
    }
    nm_machine_free(m);
    if (out.end == PROG_EXITED)
        return out.status;
    return out.end == PROG_SIGNALED ? 128 + out.status : 99;
}

int main(int argc, char **argv)
{
    char *const env[] = {NULL};
    struct prog_program program = {.stdin_fd = 0, .stdout_fd = 1, .stderr_fd = 2, .envp = env};
    struct prog_spec spec = {
        .workload = &lx_workload, .what = &program, .seed = 1, .limit = UINT64_C(3000000000)};
    struct nm_params params;
    bool counts = true;
    int opt;

    nm_params_default(&params);
    params.ring_stations = params.ring_locals = 1;
    while ((opt = getopt(argc, argv, "+nrp:t:q:")) != -1) {
        const uint64_t v = strtoull(optarg ? optarg : "", NULL, 0);
        if (opt == 'n')
            counts = false;
        else if (opt == 'r')
            program.root = true;
        else if (opt == 'p')
            spec.processors = (unsigned)v;
        else if (opt == 't')
            params.os_tick = v;
        else if (opt == 'q')
            params.os_quantum = v;
        else
            return 2;
    }
    program.path = argv[optind];
    program.argv = argv + optind;
    return run(&params, &spec, counts);
}
