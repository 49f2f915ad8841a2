/*
 * Sixteen linked lists, as the chains of a cache. One thread builds all lists at the start, taking
 * the nodes from the heap in turn. Then each thread searches its own two lists; a node that is
 * found counts its hits.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define LISTS    16
#define LENGTH   6
#define NTHREADS 8
#define SEARCHES 5000

struct node {
    struct node *next;
    int key;
    unsigned hits;
};

static struct node *chains[LISTS];

static void build(void)
{
    for (int k = 0; k < LENGTH; k++)
        for (int list = 0; list < LISTS; list++) {
            struct node *node = malloc(sizeof *node);
            node->key = k;
            node->hits = 0;
            node->next = chains[list];
            chains[list] = node;
        }
}

static struct node *search(struct node *node, int key)
{
    for (; node; node = node->next)
        if (node->key == key)
            return node;
    return NULL;
}

static unsigned random_step(unsigned x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

static void *searcher(void *arg)
{
    unsigned me = (unsigned)(size_t)arg, x = 1000 + me;

    for (int i = 0; i < SEARCHES; i++) {
        struct node *found;

        x = random_step(x);
        found = search(chains[me + (x >> 31) * NTHREADS], (int)(x >> 8) % (LENGTH + 1));
        if (found)
            found->hits++;
    }
    return NULL;
}

static unsigned long sum_and_free(struct node *node)
{
    unsigned long sum = 0;

    while (node) {
        struct node *next = node->next;
        sum += node->hits;
        free(node);
        node = next;
    }
    return sum;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    unsigned long sum = 0;

    build();
    for (size_t t = 0; t < NTHREADS; t++)
        pthread_create(&threads[t], NULL, searcher, (void *)t);
    for (int t = 0; t < NTHREADS; t++)
        pthread_join(threads[t], NULL);
    for (int list = 0; list < LISTS; list++)
        sum += sum_and_free(chains[list]);
    printf("%lu hits\n", sum);
    return 0;
}
