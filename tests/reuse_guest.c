/*
 * Memory that is used again, for tests/reuse.py: objects that three threads share falsely, at the
 * same address one after the other. Each has a function of its own that uses it, so who asked says
 * what was asked for.
 *
 *     reuse_guest TIMES_A TIMES_B ROUNDS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define APART __attribute__((noipa))

enum { THREADS = 3, PAGE = 4096, SIZE = 100 };

static pthread_barrier_t barrier;
static volatile int *volatile block;
static void *place[8]; /* of each object */
static long times_a, times_b, rounds;

#define USE(name)                                                   \
    APART static void name(volatile int *words, int me, long times) \
    {                                                               \
        for (long i = 0; i < times; i++)                            \
            words[2 * me + 2]++;                                    \
    }

USE(use_a)
USE(use_b)
USE(use_long)
USE(use_short)
USE(use_first_map)
USE(use_second_map)
USE(use_first_stack)
USE(use_second_stack)

static void wait_all(void)
{
    pthread_barrier_wait(&barrier);
}

#define SITE(name, get)                \
    APART static void *name(void *old) \
    {                                  \
        void *got = get;               \
        (void)old;                     \
        __asm__("" : "+r"(got));       \
        return got;                    \
    }

SITE(site_a, malloc(SIZE))
SITE(site_b, malloc(SIZE))
SITE(site_long, malloc(240))
SITE(site_short, realloc(old, 200))
SITE(site_map, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
SITE(site_map_again, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))

/* The first thread gets the object, and all use it. */
#define TURN(number, site, use, times)                             \
    do {                                                           \
        if (me == 0)                                               \
            place[number] = (void *)(block = site((void *)block)); \
        wait_all();                                                \
        use(block, me, times);                                     \
        wait_all();                                                \
    } while (0)

static void *uses(void *arg)
{
    const int me = (int)(long)arg;
    wait_all();
    for (long i = 0; i < rounds; i++) {
        TURN(0, site_a, use_a, times_a);
        if (me == 0)
            free((void *)block);
        TURN(1, site_b, use_b, times_b);
        if (me == 0)
            free((void *)block);
    }
    TURN(2, site_long, use_long, 200);
    TURN(3, site_short, use_short, 200);
    TURN(4, site_map, use_first_map, 200);
    if (me == 0)
        munmap((void *)block, PAGE);
    TURN(5, site_map_again, use_second_map, 200);
    return NULL;
}

/* The first thread's stack, which all use. */
APART static void share_stack(int number, int me, void (*use)(volatile int *, int, long))
{
    volatile int here[32] __attribute__((aligned(64))) = {0};
    if (me == 0)
        place[number] = (void *)(block = here);
    wait_all();
    use(block, me, 300);
    wait_all();
}

static void *first(void *arg)
{
    share_stack(6, (int)(long)arg, use_first_stack);
    return NULL;
}

static void *second(void *arg)
{
    share_stack(7, (int)(long)arg, use_second_stack);
    return NULL;
}

/* The first thread's stack comes from the same mapping each time: the one given back last. */
static void all_do(void *(*body)(void *))
{
    pthread_t thread[THREADS];
    for (long i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, body, (void *)i);
    for (int i = THREADS; i-- > 0;)
        pthread_join(thread[i], NULL);
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    times_a = atol(argv[1]);
    times_b = atol(argv[2]);
    rounds = atol(argv[3]);
    pthread_barrier_init(&barrier, NULL, THREADS);
    all_do(uses);
    all_do(first);
    all_do(second);
    for (int i = 0; i < 8; i += 2)
        printf("%p %p\n", place[i], place[i + 1]);
    return 0;
}
