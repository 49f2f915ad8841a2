/*
 * Stages that hand blocks of two lines to the next one: producer and consumer, block by block.
 */
#include "lab.h"

enum { WORDS = 31, BLOCKS = 60 };

static struct block {
    LAB_ALIGNED volatile unsigned number; /* 0: empty */
    volatile unsigned word[WORDS];
} blocks[LAB_THREADS_MAX];

static struct {
    LAB_ALIGNED volatile unsigned sum;
} out;

/** Takes the block that the stage before has filled, and empties it. */
static void take(struct block *from, unsigned *data)
{
    while (!from->number)
        lab_think(80);
    __sync_synchronize();
    for (unsigned w = 0; w < WORDS; w++)
        data[w] = from->word[w];
    __sync_synchronize();
    from->number = 0;
}

static void give(struct block *to, unsigned number, const unsigned *data)
{
    while (to->number)
        lab_think(80);
    __sync_synchronize();
    for (unsigned w = 0; w < WORDS; w++)
        to->word[w] = data[w] + 1;
    __sync_synchronize();
    to->number = number;
}

static void work(unsigned me, unsigned threads)
{
    unsigned data[WORDS] = {0};
    for (unsigned b = 1; b <= BLOCKS; b++) {
        if (me > 0)
            take(&blocks[me - 1], data);
        if (me + 1 < threads)
            give(&blocks[me], b, data);
        else
            out.sum += data[0];
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 5);
    lab_run(threads, work);
    LAB_SHOW(blocks);
    LAB_SHOW(out);
    return lab_end(out.sum == BLOCKS * (threads - 1));
}
