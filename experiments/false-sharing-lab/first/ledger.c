/*
 * A ledger of several lines on the heap that threads write in turn, one after the other: migratory,
 * with a turn that all look at.
 */
#include "lab.h"

enum { WORDS = 4 * LAB_LINE / sizeof(unsigned), ROUNDS = 15 };

static struct {
    LAB_ALIGNED volatile unsigned now;
} turn;

static volatile unsigned *ledger;

static void work(unsigned me, unsigned threads)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        while (turn.now % threads != me)
            lab_think(100);
        __sync_synchronize();
        for (unsigned w = 0; w < WORDS; w++)
            ledger[w]++;
        __sync_synchronize();
        turn.now++;
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 4);
    bool good = true;
    ledger = lab_new(WORDS * sizeof *ledger);
    lab_run(threads, work);
    for (unsigned w = 0; w < WORDS; w++)
        good &= ledger[w] == threads * ROUNDS;
    LAB_SHOW(turn);
    lab_show("main()", ledger, WORDS * sizeof *ledger);
    return lab_end(good);
}
