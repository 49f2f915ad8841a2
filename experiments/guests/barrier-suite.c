/*
 * Four barriers in memory.
 *
 *     barrier-suite BARRIER THREADS ROUNDS WORK
 *
 *   central        one counter for all, and a flag that turns (sense reversing)
 *   tree           counters for four threads each, and counters for four of those (combining tree);
 *                  all wait for one flag
 *   dissemination  in step k each tells the one 2^k places on, and waits for the one 2^k places
 * before tournament     in step k the loser of each pair tells the winner; the last winner turns a
 * flag
 *
 * BARRIER may be `all`. THREADS threads (0: one for each processor) meet ROUNDS times, with WORK
 * turns of an empty loop between. Each barrier is a region.
 *
 * Each thread writes the round into a word of its own before it arrives. Behind the barrier it
 * reads the word of another one, each time of another: that must be this round's, or the next
 * one's.
 */
#define _GNU_SOURCE 1 /* processor affinity */

#include "team.h"

#define LOAD(at)         __atomic_load_n(at, __ATOMIC_ACQUIRE)
#define STORE(at, value) __atomic_store_n(at, value, __ATOMIC_RELEASE)

enum { FAN = 4, STEPS = 6 /* 2^6 threads */, LATE = 3000 /* turns of an empty loop */ };

static struct team_word at[TEAM_MOST], turned;
static unsigned rounds, turns, ahead, behind;

static void await(unsigned *word, unsigned value)
{
    while (LOAD(word) != value)
        ;
}

/* ---- central --------------------------------------------------------------------------------- */

static struct team_word arrived;

static void central(struct team_self *self, unsigned round)
{
    if (__atomic_add_fetch(&arrived.is, 1, __ATOMIC_ACQ_REL) == self->threads) {
        STORE(&arrived.is, 0);
        STORE(&turned.is, round);
    } else {
        await(&turned.is, round);
    }
}

/* ---- combining tree -------------------------------------------------------------------------- */

/* Counters of each level; those of level 0 are the threads'. */
static struct team_word counter[STEPS][TEAM_MOST];

static void tree(struct team_self *self, unsigned round)
{
    unsigned place = self->me, members = self->threads, level = 0;
    for (; members > 1; level++, members = (members + FAN - 1) / FAN) {
        const unsigned group = place / FAN, left = members - group * FAN;
        const unsigned wanted = left < FAN ? left : FAN;
        if (__atomic_add_fetch(&counter[level][group].is, 1, __ATOMIC_ACQ_REL) != wanted)
            break;
        STORE(&counter[level][group].is, 0);
        place = group;
    }
    if (members == 1)
        STORE(&turned.is, round);
    else
        await(&turned.is, round);
}

/* ---- dissemination --------------------------------------------------------------------------- */

/* Told in step k. A word counts rounds: the next round's message may come before it was read. */
static struct team_word told[STEPS][TEAM_MOST];

static void dissemination(struct team_self *self, unsigned round)
{
    for (unsigned k = 0; 1u << k < self->threads; k++) {
        STORE(&told[k][(self->me + (1u << k)) % self->threads].is, round);
        while ((int)(LOAD(&told[k][self->me].is) - round) < 0)
            ;
    }
}

/* ---- tournament ------------------------------------------------------------------------------ */

static void tournament(struct team_self *self, unsigned round)
{
    unsigned k = 0;
    for (; 1u << k < self->threads && !(self->me >> k & 1); k++)
        if (self->me + (1u << k) < self->threads)
            await(&told[k][self->me].is, round);
    if (self->me) {
        STORE(&told[k][self->me - (1u << k)].is, round);
        await(&turned.is, round);
    } else {
        STORE(&turned.is, round);
    }
}

/* ---- what is measured ------------------------------------------------------------------------ */

static const struct kind {
    const char *name;
    void (*meet)(struct team_self *, unsigned round);
} kinds[] = {
    {"central", central},
    {"tree", tree},
    {"dissemination", dissemination},
    {"tournament", tournament},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

/* A round with one who is late. The others must have waited for him, and he is not one ahead. */
static void late_round(struct team_self *self, const struct kind *kind, unsigned round)
{
    const unsigned late = round % self->threads;
    if (self->me == late)
        team_compute(LATE);
    STORE(&at[self->me].is, round);
    kind->meet(self, round);
    const int beyond = (int)(LOAD(&at[late].is) - round);
    if (beyond < 0)
        __atomic_fetch_add(&behind, 1, __ATOMIC_RELAXED);
    if (beyond > 1)
        __atomic_fetch_add(&ahead, 1, __ATOMIC_RELAXED);
}

static void work(struct team_self *self)
{
    const struct kind *kind = self->shared;
    team_begin(self, kind->name);
    for (unsigned round = 1; round <= rounds; round++) {
        kind->meet(self, round);
        team_compute(turns);
    }
    team_end(self, kind->name);
    for (unsigned round = rounds + 1; round <= 2 * rounds; round++)
        late_round(self, kind, round);
}

static int measure(const struct kind *kind, unsigned threads)
{
    memset(at, 0, sizeof at);
    memset(counter, 0, sizeof counter);
    memset(told, 0, sizeof told);
    turned.is = arrived.is = ahead = behind = 0;
    team_run(threads, work, (void *)kind);
    printf("%s: %u threads, %u rounds: %s\n", kind->name, threads, rounds,
           ahead + behind ? "WRONG" : "right");
    if (ahead + behind)
        printf("%s: %u times behind, %u times ahead\n", kind->name, behind, ahead);
    return ahead + behind == 0;
}

int main(int argc, char **argv)
{
    const char *wanted = argc > 1 ? argv[1] : "all";
    const unsigned threads = team_number(argc, argv, 2, team_processors());
    int bad = 0, found = 0;
    rounds = team_number(argc, argv, 3, 20);
    turns = team_number(argc, argv, 4, 10);
    for (unsigned i = 0; i < KINDS && threads <= TEAM_MOST; i++) {
        if (strcmp(wanted, "all") != 0 && strcmp(wanted, kinds[i].name) != 0)
            continue;
        found = 1;
        bad |= !measure(&kinds[i], threads);
    }
    if (!found)
        fprintf(stderr,
                "barrier-suite BARRIER THREADS ROUNDS WORK; at most %u threads; barriers: all "
                "central tree dissemination tournament\n",
                TEAM_MOST);
    return found ? bad : 2;
}
