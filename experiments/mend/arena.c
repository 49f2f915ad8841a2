/*
 * A simple allocator that gives 24 bytes from one array, so that blocks of different threads lie
 * beside each other. Each thread has two.
 */
#include "../false-sharing-lab/first/lab.h"

enum { ROUNDS = 400, EACH = 2 };

struct node {
    unsigned turns, sum;
    struct node *next;
    unsigned rest[3];
};

static char arena[LAB_THREADS_MAX * EACH * LAB_LINE] LAB_ALIGNED;
static size_t given;
static struct node *head[LAB_THREADS_MAX][LAB_LINE / sizeof(struct node *)] LAB_ALIGNED;

static void *give(size_t bytes)
{
    void *at = &arena[given];
    given += LAB_PADDED ? (bytes + LAB_LINE - 1) / LAB_LINE * LAB_LINE : bytes;
    return at;
}

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        for (volatile struct node *n = head[me][0]; n; n = n->next) {
            n->turns++;
            n->sum += i;
        }
        lab_think(30);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    for (unsigned i = 0; i < EACH; i++)
        for (unsigned t = 0; t < threads; t++) {
            struct node *n = (struct node *)give(sizeof *n);
            n->next = head[t][0];
            head[t][0] = n;
        }
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= head[t][0]->turns == ROUNDS;
    return lab_end(good);
}
