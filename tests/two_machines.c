/*
 * Machines that live in one process: whatever is run in between, or at the same time in another
 * thread, each does what it does alone.
 */
#include "actors.h"
#include "input/experiment.h"
#include "machine/values.h"
#include "monitor/board/registers.h"

#include <criterion/criterion.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <xxhash.h>

/* What a machine that gets nowhere may take: simulated time [ticks], and the host's where that
 * stands still [s of a processor]. All of them need a second. */
enum { TICKS_MOST = 1000000, SECONDS_MOST = 60 };

static void set_limit(void)
{
    const struct rlimit most = {SECONDS_MOST, SECONDS_MOST};
    cr_assert_eq(setrlimit(RLIMIT_CPU, &most), 0);
}

TestSuite(two_machines, .init = set_limit);

enum { REFERENCES = 60, LINES = 24, LINE = 128, MEMORY = 1 << 20 };

/* A shipped machine, and what is different in it. */
static const struct {
    const char *machine, *sets[4];
} rows[] = {
    {"ring-16", {"protocol=numachine"}},
    {"numachine-64", {"protocol=flat", "bus.clock=75MHz"}},
    {"station-4", {"run.mode=functional"}},
    {"ring-16", {"protocol=numachine-ce", "l2.line=128B", "memory.placement=local"}},
    {"numachine-48", {"l2.size=512B", "netcache.size=512B", "bus.fifo=1"}},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct actor {
    uint64_t random;
    unsigned left;
    XXH64_state_t *log;
};

/* A machine on its way. */
struct play {
    struct nm_machine *m;
    struct actor *actor;
    unsigned cards, left; /**< [cards] of these, not yet done */
    uint64_t random;      /**< of where its run is cut, which is where cards are taken */
    XXH64_state_t *log;   /**< all that has been seen so far */
};

static void put(struct play *p, const void *what, size_t size)
{
    XXH64_update(p->log, what, size);
}

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    (void)card, (void)now;
    if (!a->left)
        return;
    a->left--;
    out->kind = (enum pc_reference_kind)(1 + actors_draw(&a->random, PC_REFERENCE_SYNC));
    out->size = 8;
    out->address = actors_draw(&a->random, LINES) * LINE;
    out->value = a->random;
    out->ticks = actors_draw(&a->random, 30);
    out->state = PC_ST_INT;
}

static void done(void *self, unsigned card, const struct pc_reference *r,
                 const struct pc_result *result)
{
    const struct actor *a = self;
    const uint64_t seen[] = {card,         r->address,    result->began,
                             result->done, result->value, result->failed};
    XXH64_update(a->log, seen, sizeof seen);
}

static void begin(struct play *p, unsigned row)
{
    static const struct pc_driver_source source = {.next = next, .done = done};
    struct in_machine mc;
    struct in_diag diag = {.out = stderr};
    char *sets[5] = {0};
    memcpy(sets, rows[row].sets, sizeof rows[row].sets);
    cr_assert(in_machine_load(&mc, rows[row].machine, sets, &diag));
    mc.params->memory_size = MEMORY;
    mc.params->check = true;
    *p = (struct play){.m = actors_machine(mc.params), .random = row};
    in_machine_free(&mc);
    p->cards = p->left = nm_machine_cards(p->m);
    p->actor = calloc(p->cards, sizeof *p->actor);
    p->log = XXH64_createState();
    XXH64_reset(p->log, 0);
    for (unsigned i = 0; i < p->cards; i++) {
        p->actor[i] = (struct actor){i, REFERENCES, p->log};
        nm_card_register_write(p->m, i, MON_REG_CONTROL0, i);
        pc_drive(p->m, i, &source, &p->actor[i], 0);
    }
}

/* Up to `piece` ticks, or to where everybody is done. */
static void go(struct play *p, sim_tick piece)
{
    const sim_tick until = nm_machine_now(p->m) + 1 + actors_draw(&p->random, piece);
    cr_assert_lt(until, TICKS_MOST, "after %lu ticks %u cards are not done", (unsigned long)until,
                 p->left);
    while (p->left) {
        struct nm_trap trap;
        const enum nm_run why = nm_machine_run(p->m, until, &trap);
        if (why == NM_RUN_UNTIL)
            return;
        cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(p->m));
        put(p, &trap.card, sizeof trap.card);
        put(p, &trap.at, sizeof trap.at);
        nm_card_take(p->m, trap.card);
        p->left--;
    }
}

static void put_name(struct play *p, const char *name)
{
    put(p, name, strlen(name) + 1);
}

/* All that can be asked of it. @return hash of that, and of all that happened */
static uint64_t end(struct play *p)
{
    const sim_tick now = nm_machine_now(p->m);
    char *text;
    size_t size;
    put(p, &now, sizeof now);
    put(p, nm_machine_image(p->m), MEMORY);
    for (unsigned i = 0; i < p->cards; i++) {
        struct mon_taps taps;
        struct nm_truth truth;
        nm_card_taps(p->m, i, &taps);
        nm_card_truth(p->m, i, &truth);
        put(p, &taps, sizeof taps);
        put(p, &truth, sizeof truth);
        const uint32_t counted = nm_card_register_read(p->m, i, MON_REG_COUNTER0);
        put(p, &counted, sizeof counted);
    }
    for (unsigned line = 0; line < LINES; line++) {
        put_name(p, nm_line_at_home(p->m, line * LINE));
        for (unsigned s = 0; s < nm_params_stations(nm_machine_params(p->m)); s++)
            put_name(p, nm_line_at_network(p->m, s, line * LINE));
    }
    FILE *out = open_memstream(&text, &size);
    nm_machine_dump(p->m, out);
    fclose(out);
    put(p, text, size);
    free(text);
    const uint64_t hash = XXH64_digest(p->log);
    XXH64_freeState(p->log);
    free(p->actor);
    nm_machine_free(p->m);
    return hash;
}

static uint64_t alone(unsigned row, sim_tick piece)
{
    struct play p;
    begin(&p, row);
    while (p.left)
        go(&p, piece);
    return end(&p);
}

/* So that each is in the middle of all it can be in the middle of when the other goes on. */
static void take_turns(struct play *a, struct play *b, sim_tick piece)
{
    uint64_t random = piece;
    while (a->left || b->left)
        go(actors_draw(&random, 2) ? a : b, piece);
}

static const sim_tick pieces[] = {10, 300, 5000};

Test(two_machines, interleaved_they_do_what_they_do_alone)
{
    for (unsigned n = 0; n < sizeof pieces / sizeof *pieces; n++) {
        const sim_tick piece = pieces[n];
        uint64_t expected[ROWS];
        for (unsigned i = 0; i < ROWS; i++) {
            expected[i] = alone(i, piece);
            for (unsigned k = 0; k <= i; k++) {
                struct play a, b;
                cr_expect(k == i || expected[i] != expected[k], "rows %u and %u are the same", k,
                          i);
                begin(&a, i);
                begin(&b, k);
                take_turns(&a, &b, piece);
                cr_expect_eq(end(&a), expected[i], "%u beside %u, pieces of %lu", i, k,
                             (unsigned long)piece);
                cr_expect_eq(end(&b), expected[k], "%u beside %u, pieces of %lu", k, i,
                             (unsigned long)piece);
            }
        }
    }
}

static void *thread(void *row)
{
    return (void *)(uintptr_t)alone((unsigned)(uintptr_t)row, pieces[1]);
}

Test(two_machines, at_the_same_time_in_threads_of_their_own)
{
    pthread_t threads[ROWS];
    for (unsigned i = 0; i < ROWS; i++)
        cr_assert_eq(pthread_create(&threads[i], NULL, thread, (void *)(uintptr_t)i), 0);
    for (unsigned i = 0; i < ROWS; i++) {
        void *hash;
        cr_assert_eq(pthread_join(threads[i], &hash), 0);
        cr_expect_eq((uint64_t)(uintptr_t)hash, alone(i, pieces[1]), "row %u", i);
    }
}
