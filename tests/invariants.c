/*
 * The invariants that builds with -Dinvariants=true look at: a busy machine keeps them, and each
 * way to break one is found.
 */
#include "actors.h"
#include "machine/assembly.h"
#include "machine/values.h"
#include "ring/net.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CARDS = 8, REFERENCES = 300, LINES = 40, LINE = 64 };

struct actor {
    uint64_t random;
    unsigned left;
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    (void)card, (void)now;
    if (!a->left)
        return;
    *out = actors_reference(a->left % 3 ? PC_REFERENCE_LOAD : PC_REFERENCE_STORE,
                            actors_draw(&a->random, LINES) * LINE);
    a->left--;
}

static const struct pc_driver_source source = {.next = next};

static struct nm_machine *busy(struct actor actors[CARDS], uint64_t primary)
{
    struct nm_params p;
    actors_params(&p, 1, 4, 2, 1);
    actors_queues(&p, 2);
    p.memory_size = 1 << 20;
    p.l1d_size = primary;
    struct nm_machine *m = actors_machine(&p);
    for (unsigned i = 0; i < CARDS; i++) {
        actors[i] = (struct actor){.random = i, .left = REFERENCES};
        pc_drive(m, i, &source, &actors[i], i);
    }
    return m;
}

static void look(const struct nm_machine *m)
{
    ring_invariants(m->net);
    nm_machine_invariants(m);
}

/* Runs window by window until no card runs. */
static void run(struct nm_machine *m, sim_tick until)
{
    struct nm_trap trap;
    for (sim_tick at = nm_machine_now(m) + 10; at < until; at += 10) {
        if (nm_machine_run(m, at, &trap) == NM_RUN_TRAP) {
            nm_card_take(m, trap.card);
        }
        look(m);
    }
}

/* In small primary caches too: a line that has made room for a stale copy, which the processor is
 * not shown, was still shown itself. */
Test(invariants, kept_by_a_busy_machine)
{
    for (uint64_t primary = 64; primary <= 16384; primary *= 4) {
        struct actor actors[CARDS];
        struct nm_machine *m = busy(actors, primary);
        run(m, 200000);
        for (unsigned i = 0; i < CARDS; i++)
            cr_expect_eq(actors[i].left, 0, "card %u", i);
        nm_machine_free(m);
    }
}

/* ---- broken on purpose ----------------------------------------------------------------------- */

/* A ring with a slot in use and a node that wants, or is pending. */
static struct ring_ring *some_ring(const struct nm_machine *m)
{
    for (unsigned r = 0; r < m->net->rings; r++)
        if (m->net->ring[r].occupied && m->net->ring[r].pending)
            return &m->net->ring[r];
    return NULL;
}

static struct pc_card *some_card(const struct nm_machine *m, enum pc_activity activity)
{
    for (unsigned i = 0; i < m->cards; i++)
        if (pc_card_of(m->card[i])->activity == activity)
            return pc_card_of(m->card[i]);
    return NULL;
}

static void forget_pending(struct nm_machine *m)
{
    struct ring_ring *r = some_ring(m);
    r->pending = r->wanting = r->awake = r->starving = 0;
}

static void want_without_anything(struct nm_machine *m)
{
    struct ring_ring *r = some_ring(m);
    r->wanting |= r->all & ~r->pending;
}

static void sleep_for_ever(struct nm_machine *m)
{
    struct ring_ring *r = some_ring(m);
    r->wanting = r->awake = r->starving = 0;
    r->alarm = SIM_NEVER;
    for (unsigned n = 0; n < r->nodes; n++)
        r->node[n].alarm = SIM_NEVER;
}

static void attend_too_late(struct nm_machine *m)
{
    struct ring_ring *r = some_ring(m);
    r->alarm = m->net->now;
    r->attend = SIM_NEVER;
}

static void starve_at_once(struct nm_machine *m)
{
    struct ring_ring *r = some_ring(m);
    r->starving = r->all;
}

static void lose_a_slot(struct nm_machine *m)
{
    struct ring_ring *r = some_ring(m);
    r->occupied &= r->occupied - 1;
}

static void halt_for_nothing(struct nm_machine *m)
{
    some_ring(m)->halting = 1;
}

static void lose_work(struct nm_machine *m)
{
    m->net->soonest = SIM_NEVER;
    some_ring(m)->next = SIM_NEVER;
}

static void run_while_waiting(struct nm_machine *m)
{
    some_card(m, PC_WAITING)->outstanding = 0;
}

static void wait_untold(struct nm_machine *m)
{
    struct pc_card *card = some_card(m, PC_WAITING);
    card->command_blocked = true;
    card->port.awaits_room = false;
}

static void lose_a_pcycle(struct nm_machine *m)
{
    some_card(m, PC_WAITING)->cpu.states[PC_ST_INT]--;
}

/* A few places are looked at at a time, which depend on the tick. */
static void empty_secondary_caches(struct nm_machine *m)
{
    for (unsigned i = 0; i < m->cards; i++) {
        const struct pc_card *card = pc_card_of(m->card[i]);
        const struct pc_l2 *l2 = &card->l2[PC_SIDE_D];
        memset(l2->tag, 0, l2->sets * l2->ways * sizeof *l2->tag);
        for (sim_tick t = 0; t < 1000; t++)
            pc_card_invariants(card, t);
    }
}

static void forget_a_processor(struct nm_machine *m)
{
    const struct pc_card *card = some_card(m, PC_RUNNING);
    m->station[card->station].running[card->position] = SIM_NEVER;
}

static void forget_a_station(struct nm_machine *m)
{
    m->next = SIM_NEVER;
}

static void forget_a_trap(struct nm_machine *m)
{
    m->stop_at = m->calls.count ? SIM_NEVER : m->now;
}

static void nothing(void *self, sim_tick now, uint64_t arg)
{
    (void)self;
    (void)now;
    (void)arg;
}

/* Two causes post on one tick, and nothing says who comes first. */
static void post_in_any_order(struct nm_machine *m)
{
    struct sim_kernel *k = m->station[0].k;
    const uint32_t component = nm_component(0, PC_ORDER_UNCACHED);
    for (uint64_t arg = 0; arg < 2; arg++)
        sim_post(k, sim_kernel_now(k) + 5, SIM_RANK_MODULE, component, nothing, m, arg);
}

static const struct {
    const char *name;
    void (*harm)(struct nm_machine *m);
} harms[] = {
#define HARM(name)  \
    {               \
#name, name \
    }
    HARM(forget_pending),         HARM(want_without_anything),
    HARM(sleep_for_ever),         HARM(attend_too_late),
    HARM(starve_at_once),         HARM(lose_a_slot),
    HARM(halt_for_nothing),       HARM(lose_work),
    HARM(run_while_waiting),      HARM(lose_a_pcycle),
    HARM(empty_secondary_caches), HARM(forget_a_processor),
    HARM(forget_a_station),       HARM(forget_a_trap),
    HARM(post_in_any_order),      HARM(wait_untold),
#undef HARM
};

/* In a process of its own: whether it is ended for it. */
static bool found(struct nm_machine *m, void (*harm)(struct nm_machine *m))
{
    int status = 0;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGABRT, SIG_DFL);
        if (!freopen("/dev/null", "w", stderr))
            _exit(2);
        harm(m);
        look(m);
        _exit(0);
    }
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

/* Whether all that harms are done to is there. */
static bool has_all(const struct nm_machine *m)
{
    const struct ring_ring *r = some_ring(m);
    return !m->net->alone.active && !m->net->any_touched && r && r->wanting &&
           some_card(m, PC_RUNNING) && some_card(m, PC_WAITING);
}

/* A harm may be none at a moment: nodes that all want something cannot want for nothing. */
Test(invariants, every_harm_is_found)
{
    enum { MOMENTS = 50 };
    struct actor actors[CARDS];
    struct nm_machine *m = busy(actors, 16384);
    struct nm_trap trap;
    bool was_found[sizeof harms / sizeof *harms] = {false};
    sim_tick at = 1000;
    for (unsigned moment = 0; moment < MOMENTS; moment++) {
        do {
            cr_assert_eq(nm_machine_run(m, at += 7, &trap), NM_RUN_UNTIL);
        } while (!has_all(m));
        look(m);
        for (size_t i = 0; i < sizeof harms / sizeof *harms; i++)
            was_found[i] = was_found[i] || found(m, harms[i].harm);
    }
    for (size_t i = 0; i < sizeof harms / sizeof *harms; i++)
        cr_expect(was_found[i], "%s", harms[i].name);
    nm_machine_free(m);
}
