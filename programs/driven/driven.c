/*
 * Sources of references as a workload. There is no operating system: a card that traps has done all
 * it had to do, or made a reference that the machine refuses.
 */
#include "programs/driven/driven.h"
#include "base/plural.h"

#include <inttypes.h>

struct driven {
    struct prog_run *run;
    const struct driven_work *work;
    unsigned busy; /**< threads that have not said END */
};

/* The thread that has the card, of the first `count`; `count`: none. */
static unsigned thread_on(const struct driven_work *work, unsigned count, unsigned card)
{
    unsigned i = 0;

    while (i < count && work->thread[i].card != card)
        i++;
    return i;
}

/* Whether each thread has a card of its own; says which has not. */
static bool programs_driven_fits(struct prog_run *run, const struct driven_work *work)
{
    const unsigned cards = nm_machine_cards(run->m);

    if (!work->count)
        prog_finish(run, PROG_UNLOADABLE, 0, "there is no thread to run");
    for (unsigned i = 0; i < work->count; i++) {
        const unsigned card = work->thread[i].card, other = thread_on(work, i, card);
        if (card >= cards)
            prog_finish(run, PROG_UNLOADABLE, 0,
                        "thread %u shall run on card %u: the machine has cards 0 to %u", i, card,
                        cards - 1);
        else if (other < i)
            prog_finish(run, PROG_UNLOADABLE, 0, "threads %u and %u shall both run on card %u",
                        other, i, card);
    }
    return !run->over;
}

static bool driven_prepare(void *self, struct prog_run *run)
{
    struct driven *d = self;

    if (!programs_driven_fits(run, run->spec->what))
        return false;
    d->run = run;
    d->work = run->spec->what;
    d->busy = d->work->count;
    run->out->threads = d->work->count;
    return true;
}

static void driven_start(void *self)
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

static void driven_trap(void *self, const struct nm_trap *trap)
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

static void driven_describe(void *self, FILE *out)
{
    const struct driven *d = self;

    for (unsigned i = 0; i < d->work->count; i++) {
        const unsigned card = d->work->thread[i].card;
        const uint64_t done = pc_cpu_at(d->run->m, card)->instructions;
        fprintf(out, "  thread %u, card %u: %" PRIu64 " reference%s done\n", i, card, done,
                sim_plural(done));
    }
}

const struct prog_workload driven_workload = {
    .name = "driven",
    .sentence = "sources of references, one a card, on driver cores",
    .size = sizeof(struct driven),
    .cards = &pc_driver,
    .prepare = driven_prepare,
    .start = driven_start,
    .runs = runs,
    .trap = driven_trap,
    .describe = driven_describe,
};
