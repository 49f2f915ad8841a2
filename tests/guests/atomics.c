/* C11-style atomics of every width, contended: the compiler makes LL/SC loops of them. */
#include "guest.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 300 };

static uint8_t bytes[4];
static uint16_t halves[2];
static uint32_t word, flips, highest;
static uint64_t wide;
static int spin;
static unsigned guarded;

static void *thread(void *arg)
{
    uint32_t me = (uint32_t)(size_t)arg;

    for (uint32_t i = 0; i < TURNS; i++) {
        __atomic_add_fetch(&bytes[me], 1, __ATOMIC_SEQ_CST);
        __atomic_add_fetch(&halves[me & 1], 3, __ATOMIC_RELAXED);
        __atomic_fetch_add(&word, me + 1, __ATOMIC_ACQ_REL);
        __atomic_fetch_add(&wide, 0x100000001, __ATOMIC_SEQ_CST);
        __atomic_fetch_xor(&flips, 1u << (i % 32), __ATOMIC_SEQ_CST);
        uint32_t seen = __atomic_load_n(&highest, __ATOMIC_SEQ_CST);
        while (seen < i && !__atomic_compare_exchange_n(&highest, &seen, i, 1, __ATOMIC_SEQ_CST,
                                                        __ATOMIC_SEQ_CST))
            ;
        while (__atomic_exchange_n(&spin, 1, __ATOMIC_ACQUIRE))
            ;
        guarded++;
        __atomic_store_n(&spin, 0, __ATOMIC_RELEASE);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, (void *)i);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        printf("%u ", bytes[i]);
    printf("%u %u %u %016llx %08x %u %u\n", halves[0], halves[1], word, (unsigned long long)wide,
           flips, highest, guarded);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    CHECK(__atomic_load_n(&wide, __ATOMIC_SEQ_CST) == 0x100000001 * (uint64_t)(THREADS * TURNS));
    CHECK(guarded == THREADS * TURNS);
    return guest_result();
}
