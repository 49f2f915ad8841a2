/*
 * Two variables that have nothing to do with each other, but were declared one after the other.
 */
#include "lab.h"

enum { ROUNDS = 3000 };

static LAB_APART volatile unsigned made, used;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++)
        if (me == 0)
            made++; /* shares: made */
        else if (me == 1)
            used++; /* shares: used */
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 2);
    lab_run(threads, work);
    LAB_SHOW(made);
    LAB_SHOW(used);
    return lab_end(made == ROUNDS && used == (threads > 1 ? ROUNDS : 0) &&
                   lab_same_line(&made, &used) == !LAB_PADDED);
}
