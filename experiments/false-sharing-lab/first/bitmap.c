/*
 * A bitmap of which each thread has eight bits, a byte: nobody writes another's bits.
 */
#include "lab.h"

enum { ROUNDS = 200 };

static struct {
    LAB_APART volatile unsigned char byte;
} bitmap[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            bitmap[me].byte ^= (unsigned char)(1u << bit); /* shares: bitmap */
    bitmap[me].byte |= (unsigned char)(me + 1);
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= bitmap[t].byte == t + 1;
    LAB_SHOW(bitmap);
    return lab_end(good);
}
