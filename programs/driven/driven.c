/*
 * Sources of references as a workload. There is no operating system: a card that traps has done all
 * it had to do, or made a reference that the machine refuses.
 */
#include "programs/driven/driven.h"

#include <inttypes.h>

struct driven {
    struct prog_run *run;
    const struct driven_work *work;
    unsigned busy; /**< threads that have not said END */
};

static bool prepare(void *self, struct prog_run *run)
{
    struct driven *d = self;

    d->run = run;
    d->work = run->spec->what;
    d->busy = d->work->count;
    run->out->threads = d->work->count;
    return true;
}

static void start(void *self)
{
    struct driven *d = self;
    const sim_tick first = nm_machine_now(d->run->m) + nm_machine_ahead(d->run->m);

    for (unsigned i = 0; i < d->work->count; i++) {
        const struct driven_thread *t = &d->work->thread[i];
        pc_drive(d->run->m, t->card, t->source, t->self, t->at > first ? t->at : first);
    }
}

static bool runs(const void *self)
{
    return ((const struct driven *)self)->busy;
}

static void trap(void *self, const struct nm_trap *trap)
{
    struct driven *d = self;
    const struct pc_cpu *cpu = pc_cpu_at(d->run->m, trap->card);

    nm_card_take(d->run->m, trap->card);
    nm_card_use(d->run->m, trap->card, NM_USE_IDLE, nm_machine_now(d->run->m));
    if (cpu->exc != PC_EXC_SYS)
        prog_finish(d->run, PROG_SIGNALED, (int)cpu->exc,
                    "card %u: a reference to 0x%" PRIx64 " failed", trap->card, cpu->badvaddr);
    else if (--d->busy == 0)
        prog_finish(d->run, PROG_EXITED, 0, NULL);
}

static void describe(void *self, FILE *out)
{
    const struct driven *d = self;

    for (unsigned i = 0; i < d->work->count; i++)
        fprintf(out, "  thread %u, card %u: %" PRIu64 " references done\n", i,
                d->work->thread[i].card,
                pc_cpu_at(d->run->m, d->work->thread[i].card)->instructions);
}

const struct prog_workload driven_workload = {
    .name = "driven",
    .sentence = "sources of references, one a card, on driver cores",
    .size = sizeof(struct driven),
    .prepare = prepare,
    .start = start,
    .runs = runs,
    .trap = trap,
    .describe = describe,
};
