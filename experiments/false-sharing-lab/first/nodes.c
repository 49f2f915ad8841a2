/*
 * Lists whose nodes one thread has allocated in turn for all: a node's neighbour in memory belongs
 * to another list.
 */
#include "lab.h"

enum { LENGTH = 6, ROUNDS = 150 };

struct node {
    struct node *next;
    volatile unsigned visits;
};

static struct node *lists[LAB_THREADS_MAX];

static struct node *grow(struct node *next)
{
    struct node *node = LAB_PADDED ? lab_new(sizeof *node) : malloc(sizeof *node);
    *node = (struct node){next, 0};
    return node;
}

static void work(unsigned me, unsigned threads)
{
    struct node *list = lists[me];
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (struct node *node = list; node; node = node->next)
            node->visits++; /* shares: grow() */
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 6);
    bool good = true;
    for (unsigned i = 0; i < LENGTH; i++)
        for (unsigned t = 0; t < threads; t++)
            lists[t] = grow(lists[t]);
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        for (struct node *node = lists[t]; node; node = node->next) {
            good &= node->visits == ROUNDS;
            lab_show("grow()", node, sizeof *node);
        }
    return lab_end(good);
}
