/*
 * Objects that can be moved: sizes_guest KIND OFFSET. The object begins so many bytes behind the
 * beginning of a page, whose address is printed. Two to eight threads, each in a part of its own:
 * - sums: structures of 64 bytes, of which each thread adds to five members and reads two; the ones
 *   that are used are neither at their beginning nor at their end
 * - counts: a count of 8 bytes for each of eight threads
 * - locks: a lock of 4 bytes and the 20 bytes that it guards, for each of four threads
 * - ends: what the first thread writes ends 8 bytes before what the second one writes
 * - one: a word that all write, and nothing else
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURNS = 400, PAGE = 4096, THREADS = 8 };

struct sums {
    char first[8]; /* is not used, nor is the rest */
    long long x, y, xx, yy, xy;
    int id, count;
    char rest[8];
};
struct guarded {
    atomic_uint lock;
    volatile int guarded[5];
};

static _Alignas(PAGE) char page[PAGE];
static char *object;
static pthread_barrier_t all_here;

static void *in_sums(void *arg)
{
    volatile struct sums *mine = (void *)(object + sizeof *mine * (size_t)arg);
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS; i++) {
        mine->x += mine->id;
        mine->y += i;
        mine->xx += i;
        mine->yy += i;
        mine->xy += mine->count;
    }
    return NULL;
}

static void *in_counts(void *arg)
{
    volatile long long *mine = (void *)(object + 8 * (size_t)arg);
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS; i++)
        ++*mine;
    return NULL;
}

static void *in_locks(void *arg)
{
    struct guarded *mine = (void *)(object + sizeof *mine * (size_t)arg);
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS / 2; i++) {
        while (atomic_exchange(&mine->lock, 1))
            ;
        for (int k = 0; k < 5; k++)
            mine->guarded[k]++;
        atomic_store(&mine->lock, 0);
    }
    return NULL;
}

static void *in_ends(void *arg)
{
    volatile int *mine = (void *)(object + 40 * (size_t)arg);
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS; i++)
        mine[i % 8]++;
    return NULL;
}

static void *in_one(void *arg)
{
    (void)arg;
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < TURNS; i++)
        ++*(volatile int *)object;
    return NULL;
}

static const struct {
    const char *name;
    void *(*body)(void *);
    size_t threads;
} kinds[] = {{"sums", in_sums, 8},
             {"counts", in_counts, 8},
             {"locks", in_locks, 4},
             {"ends", in_ends, 2},
             {"one", in_one, 4}};

int main(int argc, char **argv)
{
    pthread_t thread[THREADS];
    size_t kind = 0;
    while (argc > 1 && kind < 4 && strcmp(kinds[kind].name, argv[1]) != 0)
        kind++;
    object = page + (argc > 2 ? atoi(argv[2]) : 0);
    printf("%p\n", (void *)page);
    pthread_barrier_init(&all_here, NULL, (unsigned)kinds[kind].threads);
    for (size_t i = 0; i < kinds[kind].threads; i++)
        pthread_create(&thread[i], NULL, kinds[kind].body, (void *)i);
    for (size_t i = 0; i < kinds[kind].threads; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
