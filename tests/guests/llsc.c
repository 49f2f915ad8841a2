/* Load-linked and store-conditional in assembly, contended by threads, and the cases that fail. */
#include "guest.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 500 };

static int word;
static long wide;
static int other;

static int add_word(int *at, int n)
{
    int old, new;
    __asm__ volatile(".set push\n.set noreorder\n1:\tll %0, %2\n\taddu %1, %0, %3\n\tsc %1, %2\n\t"
                     "beqz %1, 1b\n\tnop\n\t.set pop"
                     : "=&r"(old), "=&r"(new), "+R"(*at)
                     : "r"(n)
                     : "memory");
    return old;
}

static void add_wide(long *at, long n)
{
#ifdef __LP64__
    long old, new;
    __asm__ volatile(".set push\n.set noreorder\n1:\tlld %0, %2\n\tdaddu %1, %0, %3\n\t"
                     "scd %1, %2\n\tbeqz %1, 1b\n\tnop\n\t.set pop"
                     : "=&r"(old), "=&r"(new), "+R"(*at)
                     : "r"(n)
                     : "memory");
#else
    add_word((int *)at, (int)n);
#endif
}

static void *worker(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        add_word(&word, 1);
        add_wide(&wide, (long)(size_t)arg);
    }
    return NULL;
}

/* The linked line is written between LL and SC by the same thread: Linux and the manual leave that
 * to the machine, so only the sequence without interference is checked here. */
static int plain(void)
{
    int loaded, done = 77;
    __asm__ volatile("ll %0, %2\n\tsc %1, %2" : "=&r"(loaded), "+r"(done), "+R"(other));
    return loaded * 1000 + other * 10 + done;
}

int main(void)
{
    pthread_t threads[THREADS];

    other = 5;
    printf("plain: %d\n", plain());
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(i + 1));
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("word %d wide %ld\n", word, wide);
    CHECK(word == THREADS * TURNS);
    CHECK(wide == TURNS * THREADS * (THREADS + 1) / 2);
    return guest_result();
}
