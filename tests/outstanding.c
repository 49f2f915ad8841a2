/*
 * A card with several requests outstanding (procard/core.h, tests/window.h): random accesses of
 * cores that do not wait, on machines with short queues and small caches, in checking mode, under
 * every protocol. Whatever such a core reads early must look as if it had been read in order, or
 * this sees it:
 *
 *  - every word has one writer, which counts its stores; who has seen a store sees nothing older of
 *    that writer any more, nor of anybody whom the writer had seen (message passing, by any number
 *    of cards);
 *  - stores that wait for loads, and loads of two readers in opposite order (store buffering,
 *    independent reads of independent writes), in endless loops;
 *  - a word that all increment with LL and SC.
 *
 * The same cores, deaf to the loss of a line or told too late, must fail.
 */
#include "actors.h"
#include "machine/values.h"
#include "window.h"

#include "machine/assembly.h"
#include "machine/special.h"

#include <criterion/criterion.h>
#include <endian.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef ACCESSES
#define ACCESSES 800 /* of each machine */
#endif

enum { CARDS_MAX = 8, WORD = 8, STORES_MAX = ACCESSES };

/* [bytes] within a station's memory */
enum { SHARED = 0, OWN = 1 << 19, CODE = 1 << 18 };

struct shape {
    const char *name;
    unsigned processors, fifo, l2, split, ways, lines, line;
    unsigned stations, locals, netcache;
};

static const struct shape shapes[] = {
    /* name          cards fifo  l2  split ways lines line rings nc */
    {"plain", 4, 16, 1 << 20, 0, 1, 8, 64, 1, 1, 64},
    {"one line", 4, 16, 1 << 20, 1, 1, 1, 64, 1, 1, 64},
    {"tiny cache", 4, 4, 256, 0, 1, 9, 64, 1, 1, 64},
    {"tiny halves", 4, 1, 256, 1, 1, 7, 64, 1, 1, 64},
    {"two lines", 2, 1, 128, 0, 1, 6, 64, 2, 1, 4},
    {"large lines", 2, 2, 1024, 0, 1, 9, 128, 2, 1, 4},
    {"ring", 2, 16, 512, 0, 1, 12, 64, 4, 1, 64},
    {"ring, tiny", 2, 1, 256, 0, 1, 12, 64, 4, 1, 2},
    {"two rings", 2, 1, 256, 1, 1, 10, 64, 2, 2, 1},
    {"two ways", 4, 4, 256, 0, 2, 9, 64, 1, 1, 64},
    {"one set", 2, 1, 128, 0, 2, 6, 64, 2, 1, 4},
    {"two ways, rings", 2, 2, 512, 0, 2, 12, 64, 2, 2, 2},
};

/* What everybody has done: of each card, what it had seen when it made each of its stores. */
struct history {
    const struct shape *shape;
    const struct nm_params *p;
    unsigned cards;
    uint32_t (*seen)[STORES_MAX + 1][CARDS_MAX];
    uint64_t violations;
};

struct actor {
    struct history *history;
    unsigned number;
    uint64_t random, left;
    uint32_t stores, stored;     /* asked for, and done */
    uint32_t known[CARDS_MAX];   /* of each card, the last store that it has seen or could have */
    uint64_t increments;         /* successful SCs */
    bool links;                  /* the SC comes next */
    uint32_t mine[2], wanted[2]; /* last values of its own words: uncached and non-coherent, done
                                    and asked for */
};

static uint64_t draw(struct actor *a, uint64_t below)
{
    return actors_draw(&a->random, below);
}

/* Neighbouring lines have different homes. */
static uint64_t address_of(const struct history *h, unsigned line, unsigned word)
{
    const unsigned stations = nm_params_stations(h->p);
    return SHARED + line % stations * h->p->memory_size + line / stations * h->p->l2_line +
           (uint64_t)word * WORD;
}

static uint64_t counter_of(const struct history *h)
{
    return address_of(h, h->shape->lines, 0);
}

/* Doublewords that nobody else touches, in pages that nobody else has. */
static uint64_t own_of(const struct actor *a, uint64_t attribute)
{
    const uint64_t pages = attribute == UNCACHED ? 0 : 1;
    return attribute | (OWN + (2 * a->number + pages) * a->history->p->page_size);
}

/* Something of another kind: code, a wrong path, the own words outside coherence. */
static void decide_other(struct actor *a, struct window_access *out)
{
    const struct history *h = a->history;
    const unsigned line = (unsigned)draw(a, h->shape->lines + 1), what = (unsigned)draw(a, 8);
    out->address = address_of(h, line, 0);
    switch (what) {
    case 0:
    case 1:
        out->kind = WINDOW_FETCH;
        out->address = what ? out->address : CODE + draw(a, 8) * h->p->l2_line;
        break;
    case 2:
    case 3:
        out->kind = what == 2 ? WINDOW_GUESS : WINDOW_GUESS_OWN;
        break;
    case 4:
    case 5:
        out->address = own_of(a, what == 4 ? UNCACHED : NONCOHERENT);
        out->kind = draw(a, 2) ? WINDOW_LOAD : WINDOW_STORE;
        out->value = out->kind == WINDOW_STORE ? ++a->wanted[what - 4] : 0;
        break;
    case 6:
        out->kind = WINDOW_SYNC;
        break;
    default:
        out->kind = WINDOW_LINKED;
        out->address = counter_of(h);
        a->links = true;
    }
}

static void next(void *self, struct window_access *out)
{
    struct actor *a = self;
    const struct history *h = a->history;
    if (a->links) { /* sometimes not at once */
        a->links = draw(a, 3) == 0;
        out->kind = a->links ? WINDOW_LOAD : WINDOW_CONDITIONAL;
        out->address =
            a->links ? address_of(h, (unsigned)draw(a, h->shape->lines), 0) : counter_of(h);
        out->value = !a->links;
        return;
    }
    out->end = !a->left;
    if (!a->left)
        return;
    a->left--;
    if (draw(a, 5) == 0) {
        decide_other(a, out);
        return;
    }
    const bool stores = draw(a, 3) == 0 && a->stores < STORES_MAX;
    const unsigned line =
        stores ? ++a->stores % h->shape->lines : (unsigned)draw(a, h->shape->lines);
    out->kind = stores ? WINDOW_STORE : WINDOW_LOAD;
    out->address = address_of(h, line, stores ? a->number : (unsigned)draw(a, h->cards));
    out->value = stores ? a->stores : 0;
}

/* The last store up to its `count`th that a writer has made to a line. */
static uint32_t last_to(const struct history *h, uint32_t count, unsigned line)
{
    const uint32_t lines = h->shape->lines, back = (count % lines + lines - line) % lines;
    return count > back ? count - back : 0;
}

static void has_read(struct actor *a, unsigned line, unsigned writer, uint32_t value)
{
    struct history *h = a->history;
    if (value > STORES_MAX || (value && value % h->shape->lines != line) ||
        value < last_to(h, a->known[writer], line)) {
        h->violations++;
        return;
    }
    for (unsigned i = 0; i < h->cards; i++)
        if (h->seen[writer][value][i] > a->known[i])
            a->known[i] = h->seen[writer][value][i];
}

static void has_stored(struct actor *a, uint32_t value)
{
    a->known[a->number] = a->stored = value;
    memcpy(a->history->seen[a->number][value], a->known, sizeof a->known);
}

static bool is_own(struct actor *a, const struct window_access *access)
{
    if (!(access->address & (UNCACHED | NONCOHERENT)))
        return false;
    uint32_t *mine = &a->mine[!(access->address & UNCACHED)];
    if (access->kind == WINDOW_STORE)
        *mine = (uint32_t)access->value;
    else
        a->history->violations += access->value != *mine;
    return true;
}

static void done(void *self, const struct window_access *access, sim_tick now)
{
    struct actor *a = self;
    const struct history *h = a->history;
    const unsigned stations = nm_params_stations(h->p);
    const uint64_t offset = access->address % h->p->memory_size;
    const unsigned line = (unsigned)(offset / h->p->l2_line * stations +
                                     access->address / h->p->memory_size),
                   word = (unsigned)(offset % h->p->l2_line / WORD);
    (void)now;
    if (access->kind >= WINDOW_FETCH || is_own(a, access))
        return;
    if (access->kind == WINDOW_CONDITIONAL)
        a->increments += !access->failed;
    else if (access->kind == WINDOW_STORE)
        has_stored(a, (uint32_t)access->value);
    else if (access->kind == WINDOW_LOAD)
        has_read(a, line, word, (uint32_t)access->value);
}

static const struct window_source random_source = {next, done};

/* ---- running ----------------------------------------------------------------------------------
 */

static void set_up(const struct shape *s, enum nm_protocol_id protocol, struct nm_params *p)
{
    actors_params(p, s->processors, s->stations, s->locals, 1);
    actors_queues(p, s->fifo);
    p->l2_size = s->l2;
    p->l2_line = s->line;
    p->l2_split = s->split;
    p->l2_ways = s->ways;
    p->l2_way_bits = 2;
    p->memory_size = 1 << 20;
    p->netcache_size = s->netcache * s->line;
    p->watchdog = 3000000;
    p->check = true;
    p->protocol = protocol;
}

static struct nm_machine *machine(const struct nm_params *p)
{
    struct nm_machine *m = nm_machine_assemble(p, &window_kind);
    nm_machine_set_space(m, &pc_flat_space);
    return m;
}

static void check_books(struct nm_machine *m, const char *name)
{
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        struct mon_taps taps;
        uint64_t sum = 0;
        nm_card_taps(m, i, &taps);
        for (unsigned s = 0; s < PC_ST__COUNT; s++)
            sum += taps.v[s];
        cr_assert_eq(sum, nm_machine_now(m), "%s: card %u: states add up to %lu at tick %lu", name,
                     i, (unsigned long)sum, (unsigned long)nm_machine_now(m));
    }
}

/* What else goes on: special functions, and threads that are interrupted. */
struct disturbance {
    uint64_t random;
    sim_tick step;
    bool functions, preempts;
    unsigned begun;
    sim_tick ended; /* the last processor had done everything */
};

static void disturb(struct nm_machine *m, struct disturbance *d)
{
    const struct nm_params *p = nm_machine_params(m);
    const unsigned card = (unsigned)actors_draw(&d->random, nm_machine_cards(m));
    const uint64_t station = actors_draw(&d->random, nm_params_stations(p)),
                   line = station * p->memory_size + actors_draw(&d->random, 4) * p->l2_line;
    if (d->functions && !nm_card_special_busy(m, card))
        d->begun += nm_card_special(m, card, 1 + (unsigned)actors_draw(&d->random, 6), line, 2,
                                    nm_machine_now(m));
    if (d->preempts)
        nm_card_preempt(m, (unsigned)actors_draw(&d->random, nm_machine_cards(m)),
                        nm_machine_now(m));
}

/* Runs until `left` processors have made their accesses, then to rest. */
static void run(struct nm_machine *m, struct disturbance *d, unsigned left, const char *name)
{
    for (;;) {
        struct nm_trap trap;
        const sim_tick until = left ? nm_machine_now(m) + d->step : SIM_NEVER;
        const enum nm_run why = nm_machine_run(m, until, &trap);
        if (why == NM_RUN_IDLE && !left)
            return;
        if (why == NM_RUN_UNTIL) {
            check_books(m, name);
            disturb(m, d);
        } else if (why == NM_RUN_TRAP && trap.preempted) {
            nm_card_resume(m, trap.card, nm_machine_now(m));
        } else if (why == NM_RUN_TRAP) {
            nm_card_take(m, trap.card);
            d->ended = trap.at;
            left--;
        } else if (why != NM_RUN_INTERRUPT) {
            nm_machine_dump(m, stderr);
            cr_assert_fail("%s: stopped with %d: %s", name, (int)why, nm_machine_error(m));
        }
    }
}

static void add_counts(struct window_counts *sum, const struct window_counts *c)
{
    const uint64_t *from = (const uint64_t *)c;
    uint64_t *to = (uint64_t *)sum;
    const uint64_t most = sum->most > c->most ? sum->most : c->most;
    for (size_t i = 0; i < sizeof *c / sizeof *from; i++)
        to[i] += from[i];
    sum->most = most;
}

/* ---- random accesses --------------------------------------------------------------------------
 */

static struct actor *start(struct nm_machine *m, struct history *h, uint64_t seed,
                           enum window_fault fault)
{
    struct actor *actor = calloc(h->cards, sizeof *actor);
    h->seen = calloc(h->cards, sizeof *h->seen);
    for (unsigned i = 0; i < h->cards; i++) {
        actor[i] = (struct actor){
            .history = h, .number = i, .random = seed * 1000003 + i, .left = ACCESSES / h->cards};
        window_start(m, i, &random_source, &actor[i], fault, i);
    }
    return actor;
}

/* No increment is lost. */
static void check_counter(struct nm_machine *m, const struct history *h, const struct actor *actor)
{
    uint64_t counter, sum = 0;
    memcpy(&counter, nm_machine_image(m) + counter_of(h), sizeof counter);
    for (unsigned i = 0; i < h->cards; i++)
        sum += actor[i].increments;
    cr_expect_eq(be64toh(counter), sum, "%s: %lu of %lu increments", h->shape->name,
                 (unsigned long)be64toh(counter), (unsigned long)sum);
    cr_expect_gt(sum, 0, "%s: nobody ever increments", h->shape->name);
}

/* @return violations of order */
static uint64_t try_shape(const struct shape *s, enum nm_protocol_id protocol, uint64_t seed,
                          enum window_fault fault, struct disturbance *d, struct window_counts *sum)
{
    struct nm_params p;
    set_up(s, protocol, &p);
    struct nm_machine *m = machine(&p);
    struct history h = {.shape = s, .p = &p, .cards = nm_machine_cards(m)};
    struct actor *actor = start(m, &h, seed, fault);
    run(m, d, h.cards, s->name);
    check_counter(m, &h, actor);
    for (unsigned i = 0; i < h.cards; i++)
        add_counts(sum, window_counts(m, i));
    nm_machine_free(m);
    free(h.seen);
    free(actor);
    return h.violations;
}

/* ---- stores and loads in endless loops ---------------------------------------------------------
 */

enum { ROUNDS = 1500, ROLES = 4 };

/* Two words, written in each round with its number. */
struct loops {
    const struct nm_params *p;
    uint64_t read[ROLES][ROUNDS + 1][2]; /* by role and round, what it has read */
};

struct looper {
    struct loops *loops;
    unsigned role, step, round; /* of the next access */
    unsigned done_round, reads; /* of the next that completes */
    uint64_t random;
};

/* What a role does in each round: 'S' stores in its own word, the others load x or y. */
static const char *const stores_wait[ROLES] = {"Sy", "Sx", "", ""};
static const char *const two_readers[ROLES] = {"S", "S", "xy", "yx"};

struct litmus {
    const char *name, *const *role;
};

static const struct litmus litmus[] = {{"store buffering", stores_wait},
                                       {"independent reads", two_readers}};
static const struct litmus *played;

static void loop_next(void *self, struct window_access *out)
{
    struct looper *l = self;
    const char *const steps = played->role[l->role];
    const uint64_t home[2] = {0, l->loops->p->memory_size * (nm_params_stations(l->loops->p) - 1) +
                                     l->loops->p->l2_line};
    if (!*steps || l->round == ROUNDS) {
        out->end = true;
        return;
    }
    if (actors_draw(&l->random, 4) == 0) { /* something that shifts the others */
        out->kind = WINDOW_GUESS;
        out->address = 0x4000 + actors_draw(&l->random, 8) * l->loops->p->l2_line;
        return;
    }
    const char what = steps[l->step++];
    out->kind = what == 'S' ? WINDOW_STORE : WINDOW_LOAD;
    out->address = home[what == 'S' ? l->role : what == 'y'];
    out->value = l->round + 1;
    if (!steps[l->step]) {
        l->step = 0;
        l->round++;
    }
}

static void loop_done(void *self, const struct window_access *access, sim_tick now)
{
    struct looper *l = self;
    const char *const steps = played->role[l->role];
    const unsigned loads = (unsigned)(strlen(steps) - (*steps == 'S'));
    (void)now;
    if (access->kind != WINDOW_LOAD)
        return;
    l->loops->read[l->role][l->done_round + 1][l->reads++] = access->value;
    if (l->reads == loads) {
        l->reads = 0;
        l->done_round++;
    }
}

static const struct window_source loop_source = {loop_next, loop_done};

/* Who stored n did not see m, and who stored m did not see n. */
static uint64_t stores_that_waited(const struct loops *l)
{
    uint64_t count = 0;
    for (unsigned n = 1; n <= ROUNDS; n++) {
        const uint64_t m = l->read[0][n][0] + 1;
        count += m <= ROUNDS && l->read[1][m][0] < n;
    }
    return count;
}

/* One has seen x without y, the other that y without that x. */
static uint64_t readers_that_differ(const struct loops *l)
{
    uint64_t count = 0;
    for (unsigned i = 1, j = 1; j <= ROUNDS; j++) {
        const uint64_t y = l->read[3][j][0], x = l->read[3][j][1];
        while (i < ROUNDS && l->read[2][i][0] <= x)
            i++;
        count += l->read[2][i][0] > x && l->read[2][i][1] < y;
    }
    return count;
}

/* @return outcomes that no order of the accesses explains */
static uint64_t play(const struct litmus *which, const struct shape *s,
                     enum nm_protocol_id protocol, enum window_fault fault)
{
    struct nm_params p;
    struct disturbance d = {.step = 10000};
    struct loops *loops = calloc(1, sizeof *loops);
    set_up(s, protocol, &p);
    struct nm_machine *m = machine(&p);
    const unsigned cards = nm_machine_cards(m);
    struct looper looper[CARDS_MAX] = {0};
    cr_assert(cards >= ROLES && cards <= CARDS_MAX);
    loops->p = &p;
    played = which;
    for (unsigned i = 0; i < cards; i++) {
        const unsigned role = i % (cards / ROLES) ? ROLES : i / (cards / ROLES);
        looper[i] = (struct looper){.loops = loops, .role = role, .random = i};
        if (role < ROLES)
            window_start(m, i, &loop_source, &looper[i], fault, i);
    }
    run(m, &d, ROLES, which->name);
    const uint64_t count = stores_that_waited(loops) * (which->role == stores_wait) +
                           readers_that_differ(loops) * (which->role == two_readers);
    cr_expect_eq(looper[cards / ROLES].round, ROUNDS);
    nm_machine_free(m);
    free(loops);
    return count;
}

enum { SHAPES = sizeof shapes / sizeof *shapes };

/* Everything that can happen to a request has happened. */
static void check_counts(const struct window_counts *c)
{
    cr_expect_eq(c->most, PC_REQUESTS);
    cr_expect(c->line && c->set && c->full, "%lu %lu %lu", (unsigned long)c->line,
              (unsigned long)c->set, (unsigned long)c->full);
    cr_expect(c->read_again && c->evicted && c->shared && c->at_once, "%lu %lu %lu %lu",
              (unsigned long)c->read_again, (unsigned long)c->evicted, (unsigned long)c->shared,
              (unsigned long)c->at_once);
    cr_expect(c->in_vain && c->while_waiting && c->without_thread, "%lu %lu %lu",
              (unsigned long)c->in_vain, (unsigned long)c->while_waiting,
              (unsigned long)c->without_thread);
    cr_expect(c->other_way);
    cr_expect(c->asked > c->invalidated && c->invalidated, "%lu %lu", (unsigned long)c->asked,
              (unsigned long)c->invalidated);
}

Test(outstanding, random_accesses)
{
    struct window_counts sum = {0};
    struct disturbance d = {.random = 1, .step = 3333, .functions = true, .preempts = true};
    for (unsigned i = 0; i < SHAPES; i++)
        for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
            cr_expect_eq(
                try_shape(&shapes[i], (enum nm_protocol_id)protocol, i + 1, WINDOW_RIGHT, &d, &sum),
                0, "%s, protocol %u", shapes[i].name, protocol);
    check_counts(&sum);
    cr_expect(d.begun);
}

/* In-order completion and the squash of loads make it a sequentially consistent machine. */
Test(outstanding, litmus)
{
    for (unsigned which = 0; which < sizeof litmus / sizeof *litmus; which++)
        for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++)
            for (unsigned i = 0; i < SHAPES; i++)
                if (shapes[i].processors * shapes[i].stations * shapes[i].locals >= ROLES)
                    cr_expect_eq(play(&litmus[which], &shapes[i], (enum nm_protocol_id)protocol,
                                      WINDOW_RIGHT),
                                 0, "%s, %s, protocol %u", litmus[which].name, shapes[i].name,
                                 protocol);
}

/* Where a run is cut changes nothing: what a core has seen and done, and when. */
Test(outstanding, same_wherever_it_is_cut)
{
    for (unsigned i = 0; i < SHAPES; i++) {
        struct window_counts sum[2] = {0};
        struct disturbance d[2] = {{.step = 100000}, {.step = 77}};
        for (unsigned k = 0; k < 2; k++)
            cr_expect_eq(
                try_shape(&shapes[i], NM_PROTOCOL_numachine, 7, WINDOW_RIGHT, &d[k], &sum[k]), 0);
        cr_expect_arr_eq(&sum[0], &sum[1], sizeof *sum, "%s", shapes[i].name);
        cr_expect_eq(d[0].ended, d[1].ended, "%s: %lu, %lu", shapes[i].name,
                     (unsigned long)d[0].ended, (unsigned long)d[1].ended);
    }
}

/* The way of a set in which a line is found, and whether it was looked at first. */
static void expect_way(struct pc_cpu *cpu, uint64_t line, unsigned way, bool predicted)
{
    struct pc_look look;
    pc_find(cpu, line, NM_LOAD, &look);
    pc_look_up(cpu, PC_SIDE_D, &look);
    cr_expect_neq(look.state, NM_LINE_I, "0x%lx", (unsigned long)line);
    cr_expect(look.way == way && look.predicted == predicted, "0x%lx: way %u, predicted %d",
              (unsigned long)line, look.way, look.predicted);
}

static void fill_line(struct pc_card *card, uint64_t line)
{
    pc_line_fill(card, PC_SIDE_D, pc_line_place(card, PC_SIDE_D, line), line, NM_LINE_S);
}

/* R10000 manual 5.4: the way looked at first is filled if it is empty, else the other, which is
 * looked at first from then on; so is one in which a line is found. */
Test(outstanding, ways)
{
    enum { SETS = 4, SIZE = 64 * 2 * SETS, WAY_0 = 0, WAY_1 }; /* the places of set 0 */
    struct nm_params p;
    set_up(&shapes[0], NM_PROTOCOL_numachine, &p);
    p.l2_size = SIZE;
    p.l2_ways = 2;
    p.l2_way_bits = 2; /* sets 0 and 2 share one */
    struct nm_machine *m = machine(&p);
    struct pc_cpu *cpu = pc_cpu_at(m, 0);
    struct pc_card *card = cpu->card;
    const uint64_t a = 0, b = 64 * SETS, c = 2 * b, other = 128, far = 64;
    fill_line(card, a);
    expect_way(cpu, a, 0, true);
    fill_line(card, b);
    expect_way(cpu, b, 1, true);
    expect_way(cpu, a, 0, false);
    expect_way(cpu, a, 0, true);
    cr_expect_eq(pc_line_place(card, PC_SIDE_D, c), WAY_1, "the way used last stays");
    expect_way(cpu, b, 1, false);
    cr_expect_eq(pc_line_place(card, PC_SIDE_D, c), WAY_0);
    fill_line(card, other); /* its bit says way 1, which is empty */
    expect_way(cpu, other, 1, true);
    expect_way(cpu, a, 0, false); /* the bit that they share */
    expect_way(cpu, other, 1, false);
    fill_line(card, far); /* another bit */
    expect_way(cpu, far, 0, true);
    pc_line_evict(card, PC_SIDE_D, b);
    cr_expect_eq(pc_line_place(card, PC_SIDE_D, c), WAY_1, "the way looked at first is empty");
    cr_expect_eq(pc_line_place(card, PC_SIDE_D, a), WAY_0, "a line has its place");
    nm_machine_free(m);
}

/* A core that does not hear of losses, or too late, is found out, before long. */
Test(outstanding, planted_faults)
{
    enum { SEEDS = 40 };
    for (enum window_fault fault = WINDOW_DEAF; fault <= WINDOW_LATE; fault++)
        for (unsigned protocol = 0; protocol < NM_PROTOCOLS; protocol++) {
            uint64_t found = 0;
            for (unsigned seed = 1; seed <= SEEDS && !found; seed++) {
                struct window_counts sum = {0};
                struct disturbance d = {.step = 3333};
                found = try_shape(&shapes[0], (enum nm_protocol_id)protocol, seed, fault, &d, &sum);
            }
            cr_expect_gt(found, 0, "fault %d, protocol %u", (int)fault, protocol);
        }
}
