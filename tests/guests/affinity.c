/* Which processor a thread runs on, and asking for another. */
#include "guest.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

static void *pinned(void *arg)
{
    cpu_set_t set;
    int wanted = (int)(size_t)arg;

    CPU_ZERO(&set);
    CPU_SET(wanted, &set);
    CHECK(pthread_setaffinity_np(pthread_self(), sizeof set, &set) == 0);
    for (int i = 0; i < 20; i++) {
        CHECK(sched_getcpu() == wanted);
        sched_yield();
    }
    CPU_ZERO(&set);
    CHECK(pthread_getaffinity_np(pthread_self(), sizeof set, &set) == 0);
    CHECK(CPU_COUNT(&set) == 1 && CPU_ISSET(wanted, &set));
    return NULL;
}

int main(void)
{
    cpu_set_t set;
    pthread_t threads[8];
    int n = 0;

    CHECK(sched_getaffinity(0, sizeof set, &set) == 0);
    CHECK(CPU_COUNT(&set) >= 1 && sysconf(_SC_NPROCESSORS_ONLN) >= 1);
    for (int cpu = 0; cpu < CPU_SETSIZE && n < 8; cpu++)
        if (CPU_ISSET(cpu, &set))
            pthread_create(&threads[n++], NULL, pinned, (void *)(size_t)cpu);
    while (n > 0)
        pthread_join(threads[--n], NULL);
    printf("done\n");
    return guest_result();
}
