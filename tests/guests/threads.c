/* As many threads as the first argument says (1 to 1024), each with a stack, a result and a join.
 */
#include "guest.h"

#include <pthread.h>

enum { MOST = 1024 };

static void *thread(void *arg)
{
    size_t me = (size_t)arg;
    volatile size_t local[64];
    size_t sum = 0;

    for (size_t i = 0; i < COUNT(local); i++)
        local[i] = me * i;
    sched_yield();
    for (size_t i = 0; i < COUNT(local); i++)
        sum += local[i];
    return (void *)sum;
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 4, bad = 0;
    static pthread_t threads[MOST];
    pthread_attr_t attr;

    if (n < 1 || n > MOST)
        return 100;
    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 65536 + 16384);
    for (size_t i = 0; i < n; i++)
        CHECK(pthread_create(&threads[i], i % 2 || n > 64 ? &attr : NULL, thread, (void *)i) == 0);
    for (size_t i = 0; i < n; i++) {
        void *result;
        pthread_join(threads[i], &result);
        bad += (size_t)result != i * 2016;
    }
    printf("%zu threads, %zu wrong\n", n, bad);
    return guest_result();
}
