/*
 * A letter of six words and a flag in one line, handed from one thread to another: what arrives
 * with the line is wanted.
 */
#include "lab.h"

enum { WORDS = 6, LETTERS = 300 };

static struct mailbox {
    LAB_ALIGNED volatile unsigned full;
    volatile unsigned word[WORDS];
} mailbox[LAB_THREADS_MAX / 2];

static struct {
    LAB_ALIGNED volatile unsigned sum;
} received[LAB_THREADS_MAX];

static void send(struct mailbox *box, unsigned letter)
{
    while (box->full)
        lab_think(100);
    for (unsigned w = 0; w < WORDS; w++)
        box->word[w] = letter + w;
    __sync_synchronize();
    box->full = 1;
}

static unsigned receive(struct mailbox *box)
{
    unsigned sum = 0;
    while (!box->full)
        lab_think(100);
    __sync_synchronize();
    for (unsigned w = 0; w < WORDS; w++)
        sum += box->word[w];
    __sync_synchronize();
    box->full = 0;
    return sum;
}

static void work(unsigned me, unsigned threads)
{
    if ((me ^ 1) >= threads)
        return;
    for (unsigned i = 0; i < LETTERS; i++)
        if (me % 2 == 0)
            send(&mailbox[me / 2], i);
        else
            received[me].sum += receive(&mailbox[me / 2]);
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 2);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 1; t < threads; t += 2)
        good &= received[t].sum == LETTERS * (LETTERS - 1) / 2 * WORDS + LETTERS * 15;
    LAB_SHOW(mailbox);
    LAB_SHOW(received);
    return lab_end(good);
}
