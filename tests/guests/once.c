/* pthread_once from many threads, and constructors and atexit handlers around main. */
#include "guest.h"

#include <pthread.h>

enum { THREADS = 8 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static unsigned calls, early;
static volatile int done;

static void initialise(void)
{
    calls++;
    for (volatile int i = 0; i < 500; i++)
        ;
    done = 1;
}

static void *thread(void *arg)
{
    pthread_once(&once, initialise);
    if (!done)
        __atomic_add_fetch(&early, 1, __ATOMIC_SEQ_CST);
    return arg;
}

static __attribute__((constructor)) void before(void)
{
    printf("before main\n");
}

static __attribute__((destructor)) void after(void)
{
    printf("after main\n");
}

static void at_exit(void)
{
    printf("at exit\n");
}

int main(void)
{
    pthread_t threads[THREADS];

    atexit(at_exit);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, thread, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("calls %u early %u\n", calls, early);
    return guest_result();
}
