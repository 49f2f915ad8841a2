/* Spin locks: the library's, a ticket lock, and Peterson's (which needs sequential consistency). */
#include "guest.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 150 };

static pthread_spinlock_t library;
static struct {
    unsigned next, serving;
} ticket;
static volatile int wants[2], polite;
static unsigned counts[3];

static void *thread(void *arg)
{
    int me = (int)(size_t)arg;

    for (int i = 0; i < TURNS; i++) {
        pthread_spin_lock(&library);
        counts[0]++;
        pthread_spin_unlock(&library);

        unsigned mine = __atomic_fetch_add(&ticket.next, 1, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&ticket.serving, __ATOMIC_SEQ_CST) != mine)
            ;
        counts[1]++;
        __atomic_store_n(&ticket.serving, mine + 1, __ATOMIC_SEQ_CST);

        if (me > 1)
            continue;
        wants[me] = 1;
        polite = me;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        while (wants[!me] && polite == me)
            ;
        counts[2]++;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        wants[me] = 0;
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    pthread_spin_init(&library, 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%u %u %u\n", counts[0], counts[1], counts[2]);
    CHECK(counts[0] == THREADS * TURNS && counts[1] == THREADS * TURNS && counts[2] == 2 * TURNS);
    return guest_result();
}
