/* As many threads as the first argument says (1 to 1024) on shared data: barriers, a mutex,
 * atomics, neighbours' results. Stacks are small, so that 1,024 fit into 32-bit addresses. */
#include "guest.h"

#include <pthread.h>

enum { MOST = 1024, ROUNDS = 2, STACK = 65536 + 16384 };

static size_t members;
static uint64_t value[2][MOST];
static uint64_t locked, atomic;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

/* Every round, everyone's value is made of the two neighbours' last ones. */
static void *member(void *arg)
{
    const size_t me = (size_t)arg, left = (me + members - 1) % members, right = (me + 1) % members;

    value[0][me] = me + 1;
    pthread_barrier_wait(&barrier);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint64_t *last = value[round % 2];
        uint64_t *next = value[!(round % 2)];

        next[me] = last[left] * 3 + last[right] * 5 + last[me];
        if (round == 0) { /* the slowest thing there is when there are many */
            pthread_mutex_lock(&mutex);
            locked += next[me];
            pthread_mutex_unlock(&mutex);
        }
        __atomic_fetch_add(&atomic, 1, __ATOMIC_SEQ_CST);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    static pthread_t threads[MOST];
    pthread_attr_t attr;
    uint64_t sum = 0;

    members = argc > 1 ? strtoul(argv[1], NULL, 10) : 4;
    if (members < 1 || members > MOST)
        return 100;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_barrier_init(&barrier, NULL, (unsigned)members);
    for (size_t i = 0; i < members; i++)
        CHECK(pthread_create(&threads[i], &attr, member, (void *)i) == 0);
    for (size_t i = 0; i < members; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 0; i < members; i++)
        sum = sum * 31 + value[ROUNDS % 2][i];
    printf("%zu members: %llu %llu %llu\n", members, (unsigned long long)sum,
           (unsigned long long)locked, (unsigned long long)atomic);
    CHECK(atomic == members * ROUNDS);
    return guest_result();
}
