/* Semaphores: at most N inside, ping-pong between two threads, try and timed waits. */
#include "guest.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { THREADS = 6, SEATS = 2, TURNS = 30 };

static sem_t seats, ping, pong;
static int inside, most;
static unsigned volleys;

static void *guest(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        sem_wait(&seats);
        int now = __atomic_add_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        if (now > __atomic_load_n(&most, __ATOMIC_SEQ_CST))
            __atomic_store_n(&most, now, __ATOMIC_SEQ_CST);
        __atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST);
        sem_post(&seats);
    }
    return NULL;
}

static void *player(void *arg)
{
    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        sem_wait(&ping);
        volleys++;
        sem_post(&pong);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    struct timespec past = {0, 0};
    int value;

    sem_init(&seats, 0, SEATS);
    sem_init(&ping, 0, 0);
    sem_init(&pong, 0, 0);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, guest, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK(most >= 1 && most <= SEATS);
    sem_getvalue(&seats, &value);
    printf("seats %d\n", value);
    pthread_create(&threads[0], NULL, player, NULL);
    for (int i = 0; i < TURNS; i++) {
        sem_post(&ping);
        sem_wait(&pong);
    }
    pthread_join(threads[0], NULL);
    printf("volleys %u\n", volleys);
    CHECK(sem_trywait(&ping) == -1 && errno == EAGAIN);
    CHECK(sem_timedwait(&ping, &past) == -1 && errno == ETIMEDOUT);
    return guest_result();
}
