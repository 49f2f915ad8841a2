/*
 * A workload of one's own: two processors that take turns (docs/extending.md). Each says END after
 * a store, and the workload has the other one go on, which finds what has been stored.
 */
#include "programs/workload.h"
#include "machine/values.h"
#include "procard/driver/driver.h"

enum { ROUNDS = 10, COUNTER = 0x1000 };

struct turns {
    struct prog_run *run;
    uint64_t value;  /* what was loaded, and one more */
    unsigned rounds; /* done */
    unsigned step;   /* of a round: load, store, END */
};

/* What the processor does whose turn it is: adds one to the counter in memory. */
static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct turns *t = self;
    static const enum pc_reference_kind kinds[] = {PC_REFERENCE_LOAD, PC_REFERENCE_STORE,
                                                   PC_REFERENCE_END};
    (void)card, (void)now;
    *out = (struct pc_reference){
        .kind = kinds[t->step++ % 3], .address = COUNTER, .size = 8, .value = t->value};
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct turns *t = self;
    (void)card;
    if (reference->kind == PC_REFERENCE_LOAD)
        t->value = result->value + 1;
}

static const struct pc_driver_source source = {.next = next, .done = done};

static bool prepare(void *self, struct prog_run *run)
{
    ((struct turns *)self)->run = run;
    run->out->threads = 2;
    if (nm_machine_cards(run->m) < 2)
        prog_finish(run, PROG_UNLOADABLE, 0, "two processors are needed");
    return !run->over;
}

static void start(void *self)
{
    pc_drive(((struct turns *)self)->run->m, 0, &source, self, 0);
}

static bool runs(const void *self)
{
    return ((const struct turns *)self)->rounds < ROUNDS;
}

/* A turn is over: the other card's begins 100 PCycles later. */
static void trap(void *self, const struct nm_trap *trap)
{
    struct turns *t = self;
    nm_card_take(t->run->m, trap->card);
    if (++t->rounds < ROUNDS)
        pc_drive(t->run->m, !trap->card, &source, t, trap->at + 100);
    else
        prog_finish(t->run, PROG_EXITED, t->value == ROUNDS ? 0 : 1, NULL);
}

static void describe(void *self, FILE *out)
{
    fprintf(out, "  thread %u has its turn\n", ((struct turns *)self)->rounds % 2);
}

static const struct prog_workload turns = {.name = "turns",
                                           .sentence = "two processors that count in turns",
                                           .size = sizeof(struct turns),
                                           .prepare = prepare,
                                           .start = start,
                                           .runs = runs,
                                           .trap = trap,
                                           .describe = describe};

int main(void)
{
    struct prog_spec spec = {.workload = &turns, .limit = SIM_NEVER, .moment = SIM_NEVER};
    struct prog_outcome outcome;
    struct nm_params p;
    nm_params_default(&p);
    struct nm_machine *m = nm_machine_new(&p, &pc_driver);
    nm_machine_set_space(m, &pc_flat_space);
    prog_run(m, &spec, NULL, &outcome);
    nm_machine_free(m);
    printf("%lu PCycles, %lu references\n", (unsigned long)outcome.ticks,
           (unsigned long)outcome.instructions);
    return outcome.end == PROG_EXITED ? outcome.status : 1;
}
