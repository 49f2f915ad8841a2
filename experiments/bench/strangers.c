/*
 * Ten programs on which no shortcut was tuned: what the simulator's approximations say of their own
 * error is tried on them (shortcuts.py).
 *
 *     strangers PROGRAM THREADS SIZE
 *
 * THREADS is 1 to 64; SIZE is how much each thread does. Each program works twice: the second time,
 * with its data where it lies and in the caches, is the region "second". What is printed depends on
 * the arguments only.
 */
#include <numachine.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 64, LINE = 64, SLOTS = 4 * THREADS_MAX };

static unsigned threads, size;

struct apart {
    _Alignas(LINE) atomic_uint word;
};

static unsigned draw(unsigned *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

/* ---- a barrier at which all spin ------------------------------------------------------------- */

static struct apart arrived, sense;

static void spin_meet(void)
{
    const unsigned round = atomic_load(&sense.word);
    if (atomic_fetch_add(&arrived.word, 1) == threads - 1) {
        atomic_store(&arrived.word, 0);
        atomic_store(&sense.word, round + 1);
    }
    while (atomic_load(&sense.word) == round)
        ;
}

static void between_barriers(unsigned me)
{
    static struct apart sum[THREADS_MAX];
    unsigned random = me;
    for (unsigned round = 0; round < size; round++) {
        for (unsigned n = 20 + draw(&random) % 100; n; n--)
            atomic_store_explicit(&sum[me].word, n, memory_order_relaxed);
        spin_meet();
    }
}

/* ---- a counter behind a ticket lock ---------------------------------------------------------- */

static void take_tickets(unsigned me)
{
    static struct apart next, served;
    static volatile unsigned count[LINE];
    for (unsigned i = 0; i < size; i++) {
        const unsigned ticket = atomic_fetch_add(&next.word, 1);
        while (atomic_load(&served.word) != ticket)
            ;
        count[(me + i) % LINE]++;
        atomic_store(&served.word, ticket + 1);
    }
}

/* ---- work stealing ----------------------------------------------------------------------------
 */

static struct deque {
    _Alignas(LINE) atomic_uint range; /* from << 16 | to */
} deque[THREADS_MAX];
static atomic_uint tasks_left;

/* A task of the owner's end, or of the other. @return -1: there is none */
static int take_task(struct deque *d, int own)
{
    unsigned range = atomic_load(&d->range);
    while (range >> 16 < (range & 0xffff)) {
        const unsigned rest = own ? range - 1 : range + 0x10000;
        if (atomic_compare_exchange_weak(&d->range, &range, rest))
            return own ? (int)(rest & 0xffff) : (int)(range >> 16);
    }
    return -1;
}

static void steal(unsigned me)
{
    static volatile unsigned done[THREADS_MAX][LINE];
    unsigned random = me;
    atomic_store(&deque[me].range, me % 4 ? size / 8 : 4 * size);
    atomic_fetch_add(&tasks_left, me % 4 ? size / 8 : 4 * size);
    spin_meet();
    while (atomic_load(&tasks_left)) {
        int task = take_task(&deque[me], 1);
        if (task < 0)
            task = take_task(&deque[draw(&random) % threads], 0);
        if (task < 0)
            continue;
        for (int n = 0; n < 50 + task % 64; n++)
            done[me][n % LINE] += n;
        atomic_fetch_sub(&tasks_left, 1);
    }
}

/* ---- a hash join ------------------------------------------------------------------------------
 */

struct pair {
    unsigned key, value;
};
static struct pair *table;
static atomic_uint *taken;

static void join(unsigned me)
{
    const unsigned slots = SLOTS * size;
    unsigned random = me + 1, found = 0;
    for (unsigned i = 0; i < size; i++) {
        const unsigned key = me * size + i;
        unsigned at = key * 2654435761u % slots, none = 0;
        while (!atomic_compare_exchange_strong(&taken[at], &none, 1)) {
            at = (at + 1) % slots;
            none = 0;
        }
        table[at] = (struct pair){key, i};
    }
    spin_meet();
    for (unsigned i = 0; i < size; i++) {
        const unsigned key = draw(&random) % (threads * size);
        unsigned at = key * 2654435761u % slots;
        while (table[at].key != key || !atomic_load_explicit(&taken[at], memory_order_relaxed))
            at = (at + 1) % slots;
        found += table[at].value;
    }
    atomic_fetch_add(&tasks_left, found);
}

/* ---- a merge sort -----------------------------------------------------------------------------
 */

static unsigned *data, *other;

static int by_value(const void *a, const void *b)
{
    const unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void merge(const unsigned *a, const unsigned *b, unsigned n, unsigned *out)
{
    for (unsigned i = 0, j = 0; i + j < 2 * n;)
        *out++ = j == n || (i < n && a[i] <= b[j]) ? a[i++] : b[j++];
}

static pthread_barrier_t meeting;

static void sort(unsigned me)
{
    unsigned random = me;
    for (unsigned i = 0; i < size; i++)
        data[me * size + i] = draw(&random);
    qsort(data + me * size, size, sizeof *data, by_value);
    unsigned *from = data, *to = other;
    for (unsigned n = 1; n < threads; n *= 2) {
        pthread_barrier_wait(&meeting);
        if (me % (2 * n) == 0 && me + n < threads)
            merge(from + me * size, from + (me + n) * size, n * size, to + me * size);
        unsigned *const was = from;
        from = to;
        to = was;
    }
    pthread_barrier_wait(&meeting);
}

/* ---- a stencil --------------------------------------------------------------------------------
 */

static void relax(unsigned me)
{
    const unsigned rows = size / 8 + 2, columns = 64;
    float *const old = (float *)data + me * rows * columns, *const new =
                                                                (float *)other + me *rows *columns;
    const float *const above = me ? old - 2 * columns : old;
    for (unsigned i = 0; i < rows * columns; i++)
        old[i] = (float)(i + me);
    for (unsigned sweep = 0; sweep < 6; sweep++) {
        spin_meet();
        for (unsigned r = 1; r + 1 < rows; r++)
            for (unsigned c = 1; c + 1 < columns; c++) {
                const float *const at = old + r * columns + c, *const up = r == 1 ? above + c
                                                                                  : at - columns;
                new[r * columns + c] = (up[0] + at[columns] + at[-1] + at[1]) / 4;
            }
        spin_meet();
        memcpy(old + columns, new + columns, (rows - 2) * columns * sizeof *old);
    }
}

/* ---- producers and consumers at condition variables ------------------------------------------ */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;

static void hand_over(unsigned me)
{
    static unsigned queue[16], in, out, left;
    volatile unsigned done[LINE];
    for (unsigned i = 0; i < size / 4; i++) {
        pthread_mutex_lock(&mutex);
        if (me % 2 == 0 && me + 1 < threads) {
            while (left == 16)
                pthread_cond_wait(&emptied, &mutex);
            queue[in++ % 16] = i;
            left++;
            pthread_cond_signal(&filled);
        } else if (me % 2) {
            while (!left)
                pthread_cond_wait(&filled, &mutex);
            done[0] = queue[out++ % 16];
            left--;
            pthread_cond_signal(&emptied);
        }
        pthread_mutex_unlock(&mutex);
        for (unsigned n = 0; n < 200; n++)
            done[n % LINE] += n;
    }
}

/* ---- a pipeline: each thread hands to the next, through flags ---------------------------------
 */

static void pass_on(unsigned me)
{
    static struct cell {
        _Alignas(LINE) atomic_uint full;
        unsigned value;
    } cell[THREADS_MAX + 1];
    for (unsigned i = 1; i <= size; i++) {
        unsigned value = i;
        if (me) {
            while (!atomic_load(&cell[me].full))
                ;
            value = cell[me].value;
            atomic_store(&cell[me].full, 0);
        }
        for (unsigned n = 0; n < 40; n++)
            value = value * 31 + n;
        if (me + 1 == threads)
            continue;
        while (atomic_load(&cell[me + 1].full))
            ;
        cell[me + 1].value = value;
        atomic_store(&cell[me + 1].full, 1);
    }
}

/* ---- a table that is read often and written seldom --------------------------------------------
 */

static void look_up(unsigned me)
{
    static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    static volatile unsigned entry[1024];
    unsigned random = me, sum = 0;
    for (unsigned i = 0; i < size / 2; i++) {
        const int writes = draw(&random) % 32 == 0;
        if (writes)
            pthread_rwlock_wrlock(&lock);
        else
            pthread_rwlock_rdlock(&lock);
        for (unsigned n = 0; n < 16; n++)
            if (writes)
                entry[(random + n) % 1024] = i;
            else
                sum += entry[(random + 37 * n) % 1024];
        pthread_rwlock_unlock(&lock);
    }
    deque[me].range = sum;
}

/* ---- a histogram, and its sums -----------------------------------------------------------------
 */

static void count(unsigned me)
{
    static atomic_uint bin[256];
    static volatile unsigned own[THREADS_MAX][256];
    unsigned random = me;
    for (unsigned i = 0; i < size; i++) {
        const unsigned value = draw(&random) % 256;
        own[me][value]++;
        if (i % 8 == 0)
            atomic_fetch_add(&bin[value * value / 256], 1);
    }
    pthread_barrier_wait(&meeting);
    for (unsigned b = me; b < 256; b += threads)
        for (unsigned t = 0; t < threads; t++)
            atomic_fetch_add_explicit(&bin[b], own[t][b], memory_order_relaxed);
}

/* ---- all of them -------------------------------------------------------------------------------
 */

static const struct program {
    const char *name;
    void (*run)(unsigned me);
} programs[] = {{"spin-barrier", between_barriers},
                {"ticket", take_tickets},
                {"stealing", steal},
                {"join", join},
                {"sort", sort},
                {"stencil", relax},
                {"condition", hand_over},
                {"pipeline", pass_on},
                {"readers", look_up},
                {"histogram", count}};
static const struct program *program;

static void *work(void *number)
{
    const unsigned me = (unsigned)(unsigned long)number;
    program->run(me);
    pthread_barrier_wait(&meeting);
    if (!me)
        NUMACHINE_BEGIN("second");
    program->run(me);
    pthread_barrier_wait(&meeting);
    if (!me)
        NUMACHINE_END("second");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[THREADS_MAX];
    for (unsigned i = 0; argc == 4 && i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(argv[1], programs[i].name))
            program = &programs[i];
    threads = program ? (unsigned)atoi(argv[2]) : 0;
    size = program ? (unsigned)atoi(argv[3]) : 0;
    if (!threads || threads > THREADS_MAX || !size || size > 4096) {
        fprintf(stderr, "strangers PROGRAM THREADS SIZE\n");
        return 2;
    }
    const size_t words = (size_t)threads * (size + 1024) * 16;
    data = malloc(words * sizeof *data);
    other = malloc(words * sizeof *other);
    table = calloc(SLOTS * (size_t)size, sizeof *table);
    taken = calloc(SLOTS * (size_t)size, sizeof *taken);
    pthread_barrier_init(&meeting, NULL, threads);
    for (unsigned i = 1; i < threads; i++)
        pthread_create(&thread[i], NULL, work, (void *)(unsigned long)i);
    work(0);
    for (unsigned i = 1; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%s: done\n", program->name);
    return 0;
}
