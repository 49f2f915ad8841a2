/*
 * Workers simulate queues of their own and write two results each into one line, once, when they
 * are done. It is false sharing, but there is next to none of it.
 */
#include "shown.h"

enum { CUSTOMERS = 2500, PLACES = 32 };

struct result {
    APART unsigned served;
    unsigned longest;
};

struct queue {
    OWN_LINE unsigned arrival[PLACES];
    unsigned first, length;
    unsigned random;
};

static OWN_LINE struct result results[MOST];
static OWN_LINE struct queue queues[MOST];

static unsigned draw(struct queue *q)
{
    q->random = q->random * 1103515245u + 12345u;
    return q->random >> 16;
}

static void arrive(struct queue *q, unsigned now)
{
    if (q->length == PLACES)
        return;
    q->arrival[(q->first + q->length) % PLACES] = now;
    q->length++;
}

static unsigned leave(struct queue *q, unsigned now)
{
    unsigned waited = now - q->arrival[q->first];
    q->first = (q->first + 1) % PLACES;
    q->length--;
    return waited;
}

static void *work(void *argument)
{
    int me = number(argument);
    struct queue *q = &queues[me];
    unsigned served = 0, longest = 0;
    q->random = (unsigned)me + 1;
    for (unsigned now = 0; served < CUSTOMERS; now++) {
        if (draw(q) % 3)
            arrive(q, now);
        if (q->length && draw(q) % 2) {
            unsigned waited = leave(q, now);
            served++;
            if (waited > longest)
                longest = waited;
        }
    }
    results[me].served = served;   /* shares: results */
    results[me].longest = longest; /* shares: results */
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 8), wrong = 0;
    shown("results", results, sizeof results);
    crew(n, work);
    for (int i = 0; i < n; i++)
        wrong += results[i].served != CUSTOMERS || results[i].longest == 0;
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
