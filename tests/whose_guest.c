/*
 * Stacks that are parts of other things, and things beside stacks, for tests/whose.py: two threads
 * share each object falsely. Each has a function of its own that uses it, so who asked says what
 * was asked for.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#define APART __attribute__((noipa))

enum { THREADS = 2, PAGE = 4096, STACK = 128 << 10, LINES = 512, ROOM = 5 * LINES + 3 * STACK };

/* [LINES] words of both, [STACK] one's stack, [LINES], the other's, [LINES], and one to go to. */
struct room {
    char front[LINES], first[STACK], between[LINES], second[STACK], behind[LINES];
    char far[STACK], beyond[2 * LINES];
};

typedef void use_fn(volatile int *words, int me);

static struct room mixed __attribute__((aligned(PAGE)));
static struct room *mapped, *got, *gone;
static char stacks[THREADS][STACK] __attribute__((aligned(PAGE)));
static int counters[64] __attribute__((aligned(64)));
static pthread_barrier_t barrier;
static volatile int *volatile shared;

#define USE(name)                                       \
    APART static void name(volatile int *words, int me) \
    {                                                   \
        for (int i = 0; i < 300; i++)                   \
            words[me + 1]++;                            \
    }

USE(use_counters)
USE(use_front)
USE(use_between)
USE(use_behind)
USE(use_mapped_front)
USE(use_mapped_between)
USE(use_mapped_behind)
USE(use_got_front)
USE(use_got_between)
USE(use_got_behind)
USE(use_gone_front)
USE(use_gone_behind)
USE(use_gone_far)
USE(use_local)
USE(use_main)
USE(use_arguments)

static void use_all(volatile int *words, int me, use_fn *use)
{
    pthread_barrier_wait(&barrier);
    use(words, me);
    pthread_barrier_wait(&barrier);
}

static volatile int *words_of(char *bytes)
{
    return (volatile int *)(((unsigned long)bytes + 127) & ~127UL);
}

/* ---- beside stacks --------------------------------------------------------------------------- */

static void *beside(void *arg)
{
    use_all(counters, (int)(long)arg, use_counters);
    return NULL;
}

static void *within(void *arg)
{
    const int me = (int)(long)arg;
    use_all(words_of(mixed.front), me, use_front);
    use_all(words_of(mixed.between), me, use_between);
    use_all(words_of(mixed.behind), me, use_behind);
    return NULL;
}

static void *in_mapping(void *arg)
{
    const int me = (int)(long)arg;
    use_all(words_of(mapped->front), me, use_mapped_front);
    use_all(words_of(mapped->between), me, use_mapped_between);
    use_all(words_of(mapped->behind), me, use_mapped_behind);
    return NULL;
}

static void *in_block(void *arg)
{
    const int me = (int)(long)arg;
    use_all(words_of(got->front), me, use_got_front);
    use_all(words_of(got->between), me, use_got_between);
    use_all(words_of(got->behind), me, use_got_behind);
    return NULL;
}

/* ---- a thread that goes to another stack ----------------------------------------------------- */

static ucontext_t home, away;

APART static int deep(int n)
{
    volatile char frame[600];
    frame[0] = (char)n;
    return n ? deep(n - 1) + frame[0] : 0;
}

static void elsewhere(void)
{
    deep(20);
    use_all(words_of(gone->front), 1, use_gone_front);
    use_all(words_of(gone->far), 1, use_gone_far);
    deep(30);
}

/* The second thread goes below its own stack, and above. */
static void *goes(void *arg)
{
    const int me = (int)(long)arg;
    if (me) {
        getcontext(&away);
        away.uc_stack.ss_sp = gone->first;
        away.uc_stack.ss_size = STACK;
        away.uc_link = &home;
        makecontext(&away, elsewhere, 0);
        swapcontext(&home, &away);
    } else {
        use_all(words_of(gone->front), 0, use_gone_front);
        use_all(words_of(gone->far), 0, use_gone_far);
    }
    use_all(words_of(gone->behind), me, use_gone_behind);
    return NULL;
}

/* ---- stacks ---------------------------------------------------------------------------------- */

/* A frame deeper than any call. */
APART static void share_local(int me)
{
    volatile int here[5000] __attribute__((aligned(128)));
    if (me == 0)
        shared = here;
    pthread_barrier_wait(&barrier);
    use_local(shared, me);
    pthread_barrier_wait(&barrier);
}

static void *local(void *arg)
{
    share_local((int)(long)arg);
    return NULL;
}

static void *of_main(void *arg)
{
    use_all(shared, (int)(long)arg, use_main);
    return NULL;
}

static void *arguments(void *arg)
{
    use_all(shared, (int)(long)arg, use_arguments);
    return NULL;
}

/* @param stack  of each thread, or NULL */
static void all_do(void *(*body)(void *), char *first, char *second)
{
    pthread_t thread[THREADS];
    char *const stack[THREADS] = {first, second};
    for (long i = 0; i < THREADS; i++) {
        pthread_attr_t attr;
        pthread_attr_init(&attr);
        if (stack[i])
            pthread_attr_setstack(&attr, stack[i], STACK);
        pthread_create(&thread[i], &attr, body, (void *)i);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

APART static struct room *map_room(void)
{
    return mmap(NULL, sizeof(struct room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0);
}

APART static struct room *get_room(void)
{
    return malloc(sizeof(struct room));
}

APART static struct room *map_gone(void)
{
    return mmap(NULL, sizeof(struct room), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                0);
}

int main(int argc, char **argv)
{
    volatile int here[64] __attribute__((aligned(128))) = {argc};
    pthread_barrier_init(&barrier, NULL, THREADS);
    mapped = map_room();
    got = get_room();
    gone = map_gone();
    all_do(beside, stacks[0], stacks[1]);
    all_do(within, mixed.first, mixed.second);
    all_do(in_mapping, mapped->first, mapped->second);
    all_do(in_block, got->first, got->second);
    all_do(goes, NULL, gone->second);
    all_do(local, stacks[0], stacks[1]);
    shared = here;
    all_do(of_main, NULL, NULL);
    shared = (volatile int *)((unsigned long)argv[1] & ~3UL);
    all_do(arguments, NULL, NULL);
    return 0;
}
