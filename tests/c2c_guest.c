/*
 * Sharing of kinds that a hint can get wrong. The argument says which:
 * - blocks: pairs of threads write members of their own of one small block; blocks share lines, too
 * - counter: a word that all change by LL and SC, with a line for itself
 * - own: the same, of a variable that one of the threads has alone
 * - turns: two words of a line; the threads swap them again and again
 * - mutex: a lock, and nothing in its line but it
 * - access: an array of locks, and a pointer, read at each access, to a block with a count for each
 *   thread; the locks alone on lines of their own make it slower
 * - colours: a word for each thread in one line, and lines of its own that have the place in the
 *   primary cache which the word would have if it began the so-manieth line of any page
 * - phases: two threads write words of their own of a line first, and one word later
 * - none: one thread
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4, THREADS = 2 * BLOCKS, TURNS = 400, LINE = 64, PAGE = 4096, COLOURS = 4 };

struct pair {
    volatile int even, odd;
};

static struct pair *pairs[BLOCKS];
static struct pair *first;
static _Alignas(LINE) struct {
    atomic_int n;
    char rest[LINE - sizeof(int)];
} only;
static _Alignas(LINE) volatile int swapped[LINE / sizeof(int)];
static _Alignas(LINE) struct {
    pthread_mutex_t lock;
    char rest[LINE - sizeof(pthread_mutex_t)];
} guard = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Alignas(LINE) atomic_uint locks[4];
static atomic_uint *volatile counts;
static __thread _Alignas(LINE) struct {
    atomic_int n;
    char rest[LINE - sizeof(int)];
} own;
static atomic_int *lent;
static _Alignas(LINE) volatile int tallies[THREADS];
static _Alignas(PAGE) volatile int hot[THREADS][COLOURS * PAGE / sizeof(int)];
static pthread_barrier_t all_here;

static void *in_blocks(void *arg)
{
    struct pair *mine = pairs[(size_t)arg / 2];
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS; i++) {
        if ((size_t)arg % 2)
            mine->odd++;
        else
            mine->even++;
    }
    return NULL;
}

static void *in_counter(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS; i++) {
        int old = only.n;
        while (!atomic_compare_exchange_weak(&only.n, &old, old + 1))
            ;
    }
    return NULL;
}

static void *in_own(void *arg)
{
    if (!arg)
        lent = &own.n;
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS; i++)
        atomic_fetch_add(lent, 1);
    pthread_barrier_wait(&all_here); /* it is there as long as its thread */
    return NULL;
}

static void *in_turns(void *arg)
{
    for (int round = 0; round < 4; round++) {
        pthread_barrier_wait(&all_here);
        for (int i = 0; i < TURNS; i++)
            swapped[((size_t)arg + (size_t)round) % 2]++;
    }
    return NULL;
}

static void *in_phases(void *arg)
{
    for (size_t words = 2; words; words--) {
        pthread_barrier_wait(&all_here);
        for (int i = 0; i < TURNS; i++)
            swapped[(size_t)arg % words]++;
    }
    return NULL;
}

static void *in_mutex(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS / 4; i++) {
        pthread_mutex_lock(&guard.lock);
        pthread_mutex_unlock(&guard.lock);
    }
    return NULL;
}

static void *in_access(void *arg)
{
    for (size_t i = 0; i < TURNS / 4; i++) {
        atomic_uint *lock = &locks[((size_t)arg + i) % (sizeof locks / sizeof *locks)];
        while (atomic_exchange(lock, 1))
            ;
        for (int k = 0; k < 4; k++)
            atomic_fetch_add(&counts[(size_t)arg], 1);
        atomic_store(lock, 0);
    }
    return NULL;
}

static void *in_colours(void *arg)
{
    const size_t me = (size_t)arg;
    for (size_t i = 0; i < TURNS; i++) {
        tallies[me]++;
        for (size_t colour = 0; colour < COLOURS; colour++)
            hot[me][(colour * PAGE + me * LINE) / sizeof(int)]++;
    }
    return NULL;
}

static void run(void *(*body)(void *), size_t threads)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&all_here, NULL, (unsigned)threads);
    for (size_t i = 0; i < threads; i++)
        pthread_create(&thread[i], NULL, body, (void *)i);
    for (size_t i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "none";
    for (size_t i = 0; i < BLOCKS; i++)
        pairs[i] = calloc(1, sizeof *pairs[i]);
    first = pairs[0];
    counts = aligned_alloc(LINE, LINE);
    memset((void *)counts, 0, LINE);
    if (!strcmp(what, "blocks"))
        run(in_blocks, THREADS);
    else if (!strcmp(what, "counter"))
        run(in_counter, THREADS);
    else if (!strcmp(what, "own"))
        run(in_own, THREADS);
    else if (!strcmp(what, "turns"))
        run(in_turns, 2);
    else if (!strcmp(what, "phases"))
        run(in_phases, 2);
    else if (!strcmp(what, "mutex"))
        run(in_mutex, THREADS);
    else if (!strcmp(what, "colours"))
        run(in_colours, THREADS);
    else if (!strcmp(what, "access"))
        run(in_access, THREADS);
    return first == pairs[0] ? 0 : 1;
}
