/*
 * A thread pool. The workers take tickets from one counter, in handfuls; what a worker is doing and
 * how much it has done stands in an array, which the pool prints at its end.
 */
#include "shown.h"

#include <pthread.h>
#include <stdatomic.h>

enum { TICKETS = 1024, HANDFUL = 16, STEPS = 24 };

enum state { IDLE, BUSY, DONE };

static struct worker {
    APART volatile enum state state;
    volatile unsigned ticket;
    volatile unsigned done;
    volatile unsigned checksum;
    pthread_t id;
} workers[64] LINE_ALIGNED;

static atomic_uint next_ticket LINE_ALIGNED;

static void serve(struct worker *me, unsigned ticket)
{
    me->ticket = ticket; /* shares: workers */
    me->state = BUSY;    /* shares: workers */
    for (unsigned s = 0; s < STEPS; s++)
        me->checksum += ticket ^ s; /* shares: workers */
    me->done++;                     /* shares: workers */
    me->state = IDLE;               /* shares: workers */
}

static void *run(void *arg)
{
    struct worker *me = arg;
    for (;;) {
        const unsigned first = atomic_fetch_add(&next_ticket, HANDFUL);
        if (first >= TICKETS)
            break;
        for (unsigned t = first; t < first + HANDFUL; t++)
            serve(me, t);
    }
    me->state = DONE;
    return NULL;
}

int main(int argc, char **argv)
{
    const int threads = thread_count(argc, argv, 8);
    unsigned done = 0, checksum = 0, wanted = 0;
    for (int t = 0; t < threads; t++)
        pthread_create(&workers[t].id, NULL, run, &workers[t]);
    for (int t = 0; t < threads; t++)
        pthread_join(workers[t].id, NULL);
    for (int t = 0; t < threads; t++) {
        done += workers[t].done;
        checksum += workers[t].checksum;
    }
    for (unsigned t = 0; t < TICKETS; t++)
        for (unsigned s = 0; s < STEPS; s++)
            wanted += t ^ s;
    show_object("workers", workers, (size_t)threads * sizeof *workers);
    SHOW(next_ticket);
    printf("done %u, checksum %u\n", done, checksum);
    return done != TICKETS || checksum != wanted;
}
