/*
 * Bits of different threads in one word: whoever sets one writes the others. For a machine that
 * knows words this is true sharing.
 */
#include "lab.h"

enum { ROUNDS = 200 };

static struct {
    LAB_ALIGNED unsigned word;
} bits;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        __sync_fetch_and_xor(&bits.word, 1u << me % 32);
        lab_think(200);
    }
    __sync_fetch_and_or(&bits.word, 1u << me % 32);
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 16);
    lab_run(threads, work);
    LAB_SHOW(bits);
    return lab_end(bits.word == (threads < 32 ? (1u << threads) - 1 : ~0u));
}
