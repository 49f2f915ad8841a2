/*
 * A barrier of the author's own: a count and a sense, which all threads wait for. Each is alone in
 * its line; between two barriers there is little to do.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MEETINGS = 60 };

static atomic_uint arrived LINE_ALIGNED;
static atomic_uint sense LINE_ALIGNED;
static unsigned threads LINE_ALIGNED;

static struct {
    LINE_ALIGNED unsigned meetings;
} diaries[64];

static void meet(unsigned my_sense)
{
    if (atomic_fetch_add(&arrived, 1) == threads - 1) {
        atomic_store(&arrived, 0);
        atomic_store(&sense, my_sense);
        return;
    }
    while (atomic_load(&sense) != my_sense)
        for (int i = 0; i < 20; i++)
            __asm__ volatile("");
}

static void *attend(void *arg)
{
    const size_t me = (size_t)arg;
    for (unsigned m = 0; m < MEETINGS; m++) {
        for (size_t i = 0; i < 100 + me * 20; i++)
            __asm__ volatile("");
        diaries[me].meetings++;
        meet((m + 1) % 2);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t ids[64];
    unsigned wrong = 0;
    threads = (unsigned)thread_count(argc, argv, 8);
    for (size_t t = 0; t < threads; t++)
        pthread_create(&ids[t], NULL, attend, (void *)t);
    for (unsigned t = 0; t < threads; t++) {
        pthread_join(ids[t], NULL);
        wrong += diaries[t].meetings != MEETINGS;
    }
    SHOW(arrived);
    SHOW(sense);
    printf("wrong %u\n", wrong);
    return wrong != 0;
}
