/*
 * Threads that wait for each other in ways whose numbers are known: for numachine locks.
 *
 *     locks_guest WAY
 *
 * It prints what it knows itself, a name and a number in each line.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 25, INSIDE = 200, OUTSIDE = 20, LATE = 3, ROUNDS = 10, LINE = 128 };

static pthread_barrier_t start;

/* ---- work ------------------------------------------------------------------------------------ */

/** Nothing but time; no loads, no stores. */
static void work(unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        __asm__ volatile("");
}

#ifdef __arm__
/** [PCycles] CCNT of the card, from the first call there on (start_clock). */
static unsigned now(void)
{
    unsigned count;
    __asm__ volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(count));
    return count;
}

static void start_clock(void)
{
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0" ::"r"(1));
}
#else
/** [PCycles] Count goes half as fast. */
static unsigned now(void)
{
    unsigned count;
    __asm__ volatile(".set push\n.set mips32r2\nrdhwr %0, $2\n.set pop" : "=r"(count));
    return 2 * count;
}

static void start_clock(void)
{
}
#endif

static void known(const char *name, unsigned number)
{
    printf("%s %u\n", name, number);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static struct own {
    pthread_mutex_t mutex;
} __attribute__((aligned(LINE))) own[THREADS];
static pthread_mutex_t shared __attribute__((aligned(LINE))) = PTHREAD_MUTEX_INITIALIZER;
static unsigned held[THREADS][LINE / sizeof(unsigned)];
static int alone;

/** Takes turns in a critical section; alone, each has one of its own. */
static void mutex(unsigned me)
{
    pthread_mutex_t *lock = alone ? &own[me].mutex : &shared;
    for (unsigned i = 0; i < TURNS; i++) {
        pthread_mutex_lock(lock);
        const unsigned begin = now();
        work(INSIDE);
        held[me][0] += now() - begin;
        pthread_mutex_unlock(lock);
        work(OUTSIDE);
    }
}

static pthread_spinlock_t spinning __attribute__((aligned(LINE)));

static void spinlock(unsigned me)
{
    for (unsigned i = 0; i < TURNS; i++) {
        pthread_spin_lock(&spinning);
        const unsigned begin = now();
        work(INSIDE);
        held[me][0] += now() - begin;
        pthread_spin_unlock(&spinning);
        work(OUTSIDE);
    }
}

static pthread_rwlock_t book __attribute__((aligned(LINE))) = PTHREAD_RWLOCK_INITIALIZER;

/** The first writes, the others read. */
static void rwlock(unsigned me)
{
    for (unsigned i = 0; i < TURNS; i++) {
        if (me == 0)
            pthread_rwlock_wrlock(&book);
        else
            pthread_rwlock_rdlock(&book);
        work(INSIDE);
        pthread_rwlock_unlock(&book);
        work(OUTSIDE);
    }
}

/** Locks that are parts of something, and are named by it. */
struct account {
    long sum;
    pthread_mutex_t lock;
};
static struct {
    struct account account[THREADS];
    pthread_mutex_t door;
} bank __attribute__((aligned(LINE)));
static struct {
    char before[LINE];
    pthread_mutex_t lock;
    char behind[LINE - sizeof(pthread_mutex_t) + LINE];
} * vault;
static pthread_mutex_t *on_stack;

static __attribute__((noinline)) void parts_open(pthread_mutex_t *stack)
{
    vault = calloc(1, sizeof *vault);
    pthread_mutex_init(&vault->lock, NULL);
    pthread_mutex_init(stack, NULL);
    on_stack = stack;
}

static void parts(unsigned me)
{
    pthread_mutex_t *const all[] = {&bank.door, &bank.account[2].lock, &vault->lock, on_stack};
    for (unsigned i = 0; i < TURNS * sizeof all / sizeof *all; i++) {
        pthread_mutex_t *lock = all[(i + me) % (sizeof all / sizeof *all)];
        pthread_mutex_lock(lock);
        work(INSIDE);
        pthread_mutex_unlock(lock);
    }
}

/* ---- meeting and handing on ------------------------------------------------------------------ */

static pthread_barrier_t meeting __attribute__((aligned(LINE)));

/** The same thread is always late. */
static void barrier(unsigned me)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        work(me == LATE ? 100 * INSIDE : INSIDE);
        pthread_barrier_wait(&meeting);
    }
}

static pthread_mutex_t guard __attribute__((aligned(LINE))) = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more __attribute__((aligned(LINE))) = PTHREAD_COND_INITIALIZER;
static unsigned things, slept, signals;

/** The first makes, the others take. */
static void condition(unsigned me)
{
    for (unsigned i = 0; i < (me ? TURNS : (THREADS - 1) * TURNS); i++) {
        if (!me)
            work(4 * INSIDE);
        pthread_mutex_lock(&guard);
        if (me) {
            while (!things) {
                slept++;
                pthread_cond_wait(&more, &guard);
            }
            things--;
        } else {
            things++;
            signals++;
            pthread_cond_signal(&more);
        }
        pthread_mutex_unlock(&guard);
    }
}

static sem_t places __attribute__((aligned(LINE)));

static void semaphore(unsigned me)
{
    for (unsigned i = 0; i < (me ? TURNS : (THREADS - 1) * TURNS); i++) {
        if (me) {
            sem_wait(&places);
        } else {
            work(4 * INSIDE);
            sem_post(&places);
        }
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

static volatile int word __attribute__((aligned(LINE)));
static unsigned woken[THREADS][LINE / sizeof(unsigned)];

/** The first changes the word, and calls all who sleep on it. */
static void futex(unsigned me)
{
    enum { WAIT = 0, WAKE = 1 };
    if (me) {
        while (word == 0)
            woken[me][0] += syscall(SYS_futex, &word, WAIT, 0, NULL) == 0;
        return;
    }
    work(100 * INSIDE);
    word = 1;
    syscall(SYS_futex, &word, WAKE, THREADS);
}

static volatile int flag __attribute__((aligned(LINE)));
static unsigned spun[THREADS][LINE / sizeof(unsigned)];

/** Loops that do something: they sum up, search, count and copy. */
static unsigned busy(void)
{
    static unsigned from[INSIDE], to[INSIDE];
    static volatile unsigned same = 3;
    unsigned sum = 0, i = 0;
    for (unsigned k = 0; k < INSIDE; k++)
        sum += from[k];
    while (i < INSIDE && from[i] == 0)
        i++;
    for (unsigned k = 0; k < INSIDE; k++)
        sum += same;
    for (unsigned k = 0; k < INSIDE; k++)
        to[k] = same;
    return sum + i + to[INSIDE / 2];
}

/** All look at a word until the first changes it; one of them not for ever. */
static void loop(unsigned me)
{
    const unsigned begin = now();
    unsigned tries = 1000 * INSIDE;
    if (me) {
        while (!flag && (me != LATE || --tries))
            ;
        spun[me][0] = now() - begin;
    } else {
        work(100 * INSIDE);
        flag = 1;
    }
}

static int taken __attribute__((aligned(LINE)));

/** A lock by LL and SC. */
static void byhand(unsigned me)
{
    for (unsigned i = 0; i < TURNS; i++) {
        while (__atomic_load_n(&taken, __ATOMIC_RELAXED) ||
               __atomic_exchange_n(&taken, 1, __ATOMIC_ACQUIRE))
            ;
        work(me < THREADS ? 10 * INSIDE : 0);
        __atomic_store_n(&taken, 0, __ATOMIC_RELEASE);
        work(OUTSIDE);
    }
}

/* ---- locks that programs make themselves ----------------------------------------------------- */

static struct {
    volatile unsigned word, next;
} __attribute__((aligned(LINE))) own_lock;

static void tas(void)
{
    while (__atomic_exchange_n(&own_lock.word, 1, __ATOMIC_ACQUIRE))
        ;
}

/* Looks until it is free, then tries. */
static void look_try(void)
{
    while (own_lock.word || __sync_lock_test_and_set(&own_lock.word, 1))
        ;
}

/* Tries, then looks until it is free. */
static void try_look(void)
{
    while (__atomic_exchange_n(&own_lock.word, 1, __ATOMIC_ACQUIRE))
        while (__atomic_load_n(&own_lock.word, __ATOMIC_RELAXED))
            ;
}

static void fetch_or(void)
{
    while (__sync_fetch_and_or(&own_lock.word, 1))
        ;
}

static void compare(void)
{
    unsigned is;
    do
        is = 0;
    while (!__atomic_compare_exchange_n(&own_lock.word, &is, 1, 0, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED));
}

#ifdef __arm__
#define PAUSE "nop"
#else
#define PAUSE "ssnop"
#endif

static void pause_between(void)
{
    while (__atomic_exchange_n(&own_lock.word, 1, __ATOMIC_ACQUIRE))
        __asm__ volatile(PAUSE "\n\t" PAUSE "\n\t" PAUSE);
}

static void assembly(void)
{
    unsigned is;
#ifdef __arm__
    unsigned failed;
    __asm__ volatile("1: ldrex %0, [%2]\n cmp %0, #0\n bne 1b\n mov %0, #1\n strex %1, %0, [%2]\n"
                     " cmp %1, #0\n bne 1b\n mcr p15, 0, %1, c7, c10, 5"
                     : "=&r"(is), "=&r"(failed)
                     : "r"(&own_lock.word)
                     : "memory", "cc");
#else
    __asm__ volatile(".set push\n.set noreorder\n.set mips2\n"
                     "1: ll %0, %1\n bnez %0, 1b\n nop\n li %0, 1\n sc %0, %1\n beqz %0, 1b\n"
                     " nop\n sync\n.set pop"
                     : "=&r"(is), "+m"(own_lock.word)
                     :
                     : "memory");
#endif
}

static void clear(void)
{
    __atomic_store_n(&own_lock.word, 0, __ATOMIC_RELEASE);
}

/* A number is drawn, and waited for. */
static void draw_number(void)
{
    const unsigned mine = __sync_fetch_and_add(&own_lock.next, 1);
    while (own_lock.word != mine)
        ;
}

static void next_number(void)
{
    __atomic_store_n(&own_lock.word, own_lock.word + 1, __ATOMIC_RELEASE);
}

static const struct own_way {
    const char *name;
    void (*take)(void);
    void (*give)(void);
} own_ways[] = {{"tas", tas, clear},           {"look-try", look_try, clear},
                {"try-look", try_look, clear}, {"fetch-or", fetch_or, clear},
                {"compare", compare, clear},   {"pause", pause_between, clear},
                {"assembly", assembly, clear}, {"number", draw_number, next_number}};
static const struct own_way *own_way;

/** One is there first, and holds it for long; then all take turns. What each took is known. */
static void own_made(unsigned me)
{
    for (unsigned i = 0; i < TURNS / 5; i++) {
        unsigned begin;
        if (me || i)
            work(me || i == 1 ? 5 * INSIDE : OUTSIDE);
        begin = now();
        own_way->take();
        spun[me][0] += now() - begin;
        work(me || i ? 2 * INSIDE : 100 * INSIDE);
        own_way->give();
    }
}

/** Nobody ever says that it may go on. */
static void endless(unsigned me)
{
    if (me)
        while (!own_lock.word)
            ;
}

/** Somebody would say so, but sleeps until after the run. */
static void roused(unsigned me)
{
    if (me)
        endless(me);
    else
        usleep(1000000);
    own_lock.word = 1;
}

/** One leaves its loop by the way out in its middle, and works until after the run without another.
 */
static void outgrown(unsigned me)
{
    if (me)
        usleep(me == 1 ? 200 : 1000000);
    if (me == 1)
        own_lock.word = 1;
    if (me)
        usleep(1000000);
    for (;;) {
        if (own_lock.word)
            break;
        __asm__ volatile("nop");
        if (own_lock.word)
            break;
        __asm__ volatile("nop");
    }
#ifdef __mips__ /* elsewhere constants do not reach over it */
    __asm__ volatile(".rept 28000\n\tnop\n\t.endr");
#endif
}

/* ---- the program ----------------------------------------------------------------------------- */

static const struct way {
    const char *name;
    void (*go)(unsigned me);
} ways[] = {
    {"mutex", mutex},         {"alone", mutex},         {"spinlock", spinlock},
    {"rwlock", rwlock},       {"barrier", barrier},     {"futex", futex},
    {"condition", condition}, {"semaphore", semaphore}, {"loop", loop},
    {"byhand", byhand},       {"parts", parts},         {"endless", endless},
    {"roused", roused},       {"outgrown", outgrown},
};
static const struct way *way;

static void *body(void *arg)
{
    pthread_barrier_wait(&start);
    start_clock();
    way->go((unsigned)(unsigned long)arg);
    return NULL;
}

static unsigned sum(unsigned of[THREADS][LINE / sizeof(unsigned)])
{
    unsigned all = 0;
    for (unsigned i = 0; i < THREADS; i++)
        all += of[i][0];
    return all;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    pthread_mutex_t mutex;
    for (unsigned i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
        if (!strcmp(argv[1], ways[i].name))
            way = &ways[i];
    for (unsigned i = 0; argc > 1 && i < sizeof own_ways / sizeof *own_ways; i++)
        if (!strcmp(argv[1], own_ways[i].name)) {
            static const struct way made = {"made", own_made};
            own_way = &own_ways[i];
            way = &made;
        }
    if (!way)
        return 2;
    alone = !strcmp(way->name, "alone");
    pthread_barrier_init(&start, NULL, THREADS);
    pthread_barrier_init(&meeting, NULL, THREADS);
    pthread_spin_init(&spinning, PTHREAD_PROCESS_PRIVATE);
    sem_init(&places, 0, 0);
    parts_open(&mutex);
    for (unsigned long i = 1; i < THREADS; i++)
        pthread_create(&thread[i], NULL, body, (void *)i);
    body(NULL);
    for (unsigned i = 1; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    known("held", sum(held));
    known("slept", slept);
    known("signals", signals);
    known("woken", sum(woken));
    known("spun", sum(spun));
    known("busy", busy());
    return 0;
}
