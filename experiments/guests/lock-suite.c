/*
 * Eight locks over LL/SC.
 *
 *     lock-suite LOCK THREADS TIMES INSIDE OUTSIDE
 *
 *   tas      writes the lock until it was free (test and set)
 *   ttas     reads it until it is free, then writes it (test and test and set)
 *   backoff  as ttas, but who was too late waits, each time twice as long
 *   ticket   draws a number and waits until it is called
 *   mcs      a queue: waits in a word of its own, which the one before writes
 *   clh      a queue: waits in the word of the one before
 *   rw       readers together, a writer alone; a waiting writer keeps new readers out
 *   rcu      readers do not wait and write nothing that another one writes; a writer publishes a
 * copy, and waits until no reader can have the old one (quiescent states)
 *
 * LOCK may be `all`. Each of THREADS threads (0: one for each processor) takes it TIMES times.
 * INSIDE and OUTSIDE are turns of an empty loop with the lock and without. Of rw and rcu every
 * fourth time is a writer's. Each lock is a region.
 *
 * The program counts what is done under the lock in two words: who has it must find them the same,
 * and in the end they must be what everybody has added. Standard error has how fair it was: how
 * many turns of others came between two of a thread, at most (TIMES apart, a queue of n threads
 * gives n - 1), and how often a thread got it twice in a row.
 */
#define _GNU_SOURCE 1 /* processor affinity */

#include "team.h"

#define LOAD(at)         __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define STORE(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)
#define SWAP(at, value)  __atomic_exchange_n(at, value, __ATOMIC_ACQ_REL)
#define ADD(at, value)   __atomic_fetch_add(at, value, __ATOMIC_ACQ_REL)

enum { WRITES = 4, BACKOFF_LEAST = 16, BACKOFF_MOST = 1024 };

/* What is under the lock: one line. */
static struct protected
{
    unsigned count, again, last, copy;
}
__attribute__((aligned(TEAM_LINE))) data[2], *volatile now;

static unsigned torn, gap[TEAM_MOST], again[TEAM_MOST];
static unsigned times, inside, outside;

/* ---- one word -------------------------------------------------------------------------------- */

static struct team_word word;

static void tas_enter(struct team_self *self, int writes)
{
    (void)self, (void)writes;
    while (SWAP(&word.is, 1))
        ;
}

static void ttas_enter(struct team_self *self, int writes)
{
    (void)self, (void)writes;
    do
        while (LOAD(&word.is))
            ;
    while (SWAP(&word.is, 1));
}

static void backoff_enter(struct team_self *self, int writes)
{
    unsigned wait = BACKOFF_LEAST + self->me;
    (void)writes;
    for (;;) {
        while (LOAD(&word.is))
            ;
        if (!SWAP(&word.is, 1))
            return;
        team_compute(wait);
        wait = wait < BACKOFF_MOST ? 2 * wait : wait;
    }
}

static void word_leave(struct team_self *self, int writes)
{
    (void)self, (void)writes;
    STORE(&word.is, 0);
}

/* ---- tickets --------------------------------------------------------------------------------- */

static struct team_word drawn, called;

static void ticket_enter(struct team_self *self, int writes)
{
    const unsigned mine = ADD(&drawn.is, 1);
    (void)self, (void)writes;
    while (LOAD(&called.is) != mine)
        ;
}

static void ticket_leave(struct team_self *self, int writes)
{
    (void)self, (void)writes;
    STORE(&called.is, called.is + 1); /* nobody else writes it now */
}

/* ---- queues ---------------------------------------------------------------------------------- */

struct waiter {
    struct waiter *next; /* mcs: behind; clh: the word of the one before, to be used again */
    unsigned waits;
} __attribute__((aligned(TEAM_LINE)));

static struct waiter node[TEAM_MOST + 1], *mine[TEAM_MOST];
static struct waiter *tail __attribute__((aligned(TEAM_LINE)));

static void mcs_enter(struct team_self *self, int writes)
{
    struct waiter *w = &node[self->me];
    (void)writes;
    STORE(&w->next, NULL);
    STORE(&w->waits, 1);
    struct waiter *before = SWAP(&tail, w);
    if (!before)
        return;
    STORE(&before->next, w);
    while (LOAD(&w->waits))
        ;
}

static void mcs_leave(struct team_self *self, int writes)
{
    struct waiter *w = &node[self->me], *end = w;
    (void)writes;
    if (!LOAD(&w->next) &&
        __atomic_compare_exchange_n(&tail, &end, NULL, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    while (!LOAD(&w->next)) /* somebody has come, and not yet said who */
        ;
    STORE(&w->next->waits, 0);
}

static void clh_enter(struct team_self *self, int writes)
{
    struct waiter *w = mine[self->me];
    (void)writes;
    STORE(&w->waits, 1);
    w->next = SWAP(&tail, w);
    while (LOAD(&w->next->waits))
        ;
}

static void clh_leave(struct team_self *self, int writes)
{
    struct waiter *w = mine[self->me];
    (void)writes;
    mine[self->me] = w->next; /* nobody waits in it any more */
    STORE(&w->waits, 0);
}

/* The queue is empty; that of clh has a word that is free. */
static void empty_queue(int with_word)
{
    for (unsigned i = 0; i < TEAM_MOST; i++)
        mine[i] = &node[i];
    node[TEAM_MOST].waits = 0;
    tail = with_word ? &node[TEAM_MOST] : NULL;
}

/* ---- readers and writers --------------------------------------------------------------------- */

enum { WRITER = 1u << 31, WAITING = 1u << 16, READERS = WAITING - 1 };

/* A writer's bit, how many writers wait, how many readers are in. */
static struct team_word rw;

static void rw_read(void)
{
    for (;;) {
        unsigned was = LOAD(&rw.is);
        if (was <= READERS && __atomic_compare_exchange_n(&rw.is, &was, was + 1, 0,
                                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return;
    }
}

static void rw_write(void)
{
    ADD(&rw.is, WAITING);
    for (;;) {
        unsigned was = LOAD(&rw.is);
        if (!(was & (WRITER | READERS)) &&
            __atomic_compare_exchange_n(&rw.is, &was, was - WAITING + WRITER, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE))
            return;
    }
}

static void rw_enter(struct team_self *self, int writes)
{
    (void)self;
    if (writes)
        rw_write();
    else
        rw_read();
}

static void rw_leave(struct team_self *self, int writes)
{
    (void)self;
    __atomic_fetch_sub(&rw.is, writes ? (unsigned)WRITER : 1, __ATOMIC_ACQ_REL);
}

/* ---- read, copy, update ---------------------------------------------------------------------- */

/* The time, and the last time at which a thread had nothing old; 0: it reads nothing. */
static struct team_word epoch, seen[TEAM_MOST];

static void rcu_announce(const struct team_self *self, unsigned time)
{
    __atomic_store_n(&seen[self->me].is, time, __ATOMIC_SEQ_CST);
}

/* Until nobody can have what was published before. */
static void rcu_wait(const struct team_self *self)
{
    const unsigned time = __atomic_add_fetch(&epoch.is, 1, __ATOMIC_SEQ_CST);
    for (unsigned i = 0; i < self->threads; i++)
        for (unsigned s; (s = __atomic_load_n(&seen[i].is, __ATOMIC_SEQ_CST)) && s < time;)
            ;
}

/* A writer reads nothing while it waits for other writers, and has a copy of its own then. */
static void rcu_enter(struct team_self *self, int writes)
{
    if (!writes) {
        rcu_announce(self, __atomic_load_n(&epoch.is, __ATOMIC_SEQ_CST));
        return;
    }
    ttas_enter(self, writes);
}

static void rcu_leave(struct team_self *self, int writes)
{
    rcu_announce(self, 0);
    if (writes)
        word_leave(self, writes);
}

/* Takes the other copy, which nobody reads, changes it, and publishes it. */
static void rcu_update(struct team_self *self, unsigned count)
{
    struct protected *old = now, *other = old == &data[0] ? &data[1] : &data[0];
    *other = *old;
    other->count = count;
    team_compute(inside);
    other->copy = count;
    __atomic_store_n(&now, other, __ATOMIC_SEQ_CST);
    rcu_wait(self);
    old->count = ~0u; /* who still read it would find it torn */
}

/* ---- what is measured ------------------------------------------------------------------------ */

static const struct kind {
    const char *name;
    void (*enter)(struct team_self *, int writes), (*leave)(struct team_self *, int writes);
    int reads, copies, word_in_queue;
} kinds[] = {
    {"tas", tas_enter, word_leave, 0, 0, 0},
    {"ttas", ttas_enter, word_leave, 0, 0, 0},
    {"backoff", backoff_enter, word_leave, 0, 0, 0},
    {"ticket", ticket_enter, ticket_leave, 0, 0, 0},
    {"mcs", mcs_enter, mcs_leave, 0, 0, 0},
    {"clh", clh_enter, clh_leave, 0, 0, 1},
    {"rw", rw_enter, rw_leave, 1, 0, 0},
    {"rcu", rcu_enter, rcu_leave, 1, 1, 0},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* Reads both words, which a writer makes different for a while; the first is not to change
 * meanwhile. */
static void read_data(void)
{
    volatile struct protected *d = now;
    const unsigned count = d->count;
    team_compute(inside);
    if (d->copy != count || d->count != count)
        __atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
}

/* One more. @return the number of the turn */
static unsigned write_data(const struct kind *kind, struct team_self *self)
{
    volatile struct protected *d = now;
    const unsigned count = d->count + 1;
    if (d->copy != count - 1)
        __atomic_fetch_add(&torn, 1, __ATOMIC_RELAXED);
    if (kind->copies) {
        rcu_update(self, count);
        return count;
    }
    d->count = count;
    team_compute(inside);
    again[self->me] += d->last == self->me;
    d->last = self->me;
    d->copy = count;
    return count;
}

static void work(struct team_self *self)
{
    const struct kind *kind = self->shared;
    unsigned last = 0, longest = 0;
    team_begin(self, kind->name);
    for (unsigned i = 0; i < times; i++) {
        const int writes = !kind->reads || (i + self->me) % WRITES == 0;
        unsigned turn = 0;
        kind->enter(self, writes);
        if (writes)
            turn = write_data(kind, self);
        else
            read_data();
        kind->leave(self, writes);
        if (last && turn && turn - last - 1 > longest)
            longest = turn - last - 1;
        last = turn ? turn : last;
        team_compute(outside);
    }
    team_end(self, kind->name);
    gap[self->me] = longest;
}

/* How many turns of writers there must have been. */
static unsigned expected(const struct kind *kind, unsigned threads)
{
    unsigned turns = 0;
    for (unsigned t = 0; t < threads; t++)
        for (unsigned i = 0; i < times; i++)
            turns += !kind->reads || (i + t) % WRITES == 0;
    return turns;
}

static void say_fair(const struct kind *kind, unsigned threads)
{
    unsigned longest = 0, twice = 0;
    for (unsigned t = 0; t < threads; t++) {
        longest = gap[t] > longest ? gap[t] : longest;
        twice += again[t];
    }
    if (!kind->reads)
        fprintf(stderr, "%s: at most %u turns of others between two of one, %u times twice\n",
                kind->name, longest, twice);
}

static int measure(const struct kind *kind, unsigned threads)
{
    memset(data, 0, sizeof data);
    memset(again, 0, sizeof again);
    data[0].last = ~0u;
    now = &data[0];
    torn = word.is = drawn.is = called.is = rw.is = 0;
    epoch.is = 1;
    empty_queue(kind->word_in_queue);
    team_run(threads, work, (void *)kind);
    const unsigned turns = expected(kind, threads), found = now->count;
    const int good = found == turns && now->copy == turns && !torn;
    printf("%s: %u threads, %u times each, %u of them alone: %s\n", kind->name, threads, times,
           turns, good ? "right" : "WRONG");
    if (!good)
        printf("%s: counted %u and %u, torn %u times\n", kind->name, found, now->copy, torn);
    say_fair(kind, threads);
    return good;
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "all";
    const unsigned threads = team_number(argc, argv, 2, team_processors());
    int bad = 0, found = 0;
    times = team_number(argc, argv, 3, 40);
    inside = team_number(argc, argv, 4, 10);
    outside = team_number(argc, argv, 5, 100);
    for (unsigned i = 0; i < KINDS && threads <= TEAM_MOST; i++) {
        if (strcmp(wanted, "all") != 0 && strcmp(wanted, kinds[i].name) != 0)
            continue;
        found = 1;
        bad |= !measure(&kinds[i], threads);
    }
    if (!found)
        fprintf(stderr,
                "lock-suite LOCK THREADS TIMES INSIDE OUTSIDE; at most %u threads; locks: all "
                "tas ttas backoff ticket mcs clh rw rcu\n",
                TEAM_MOST);
    return found ? bad : 2;
}
