/*
 * A matrix on the heap whose rows have five doubles: a thread has a row, and neighbours share
 * lines.
 */
#include "../false-sharing-lab/first/lab.h"

enum { ROUNDS = 250, COLUMNS = 5, STRIDE = LAB_PADDED ? LAB_LINE / sizeof(double) : COLUMNS };

static double *matrix;

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    for (unsigned i = 0; i < ROUNDS; i++) {
        volatile double *row = &matrix[me * STRIDE];
        for (unsigned c = 0; c < COLUMNS; c++)
            row[c] += 1;
        lab_think(60);
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    matrix = (double *)lab_new(LAB_THREADS_MAX * STRIDE * sizeof *matrix);
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= matrix[t * STRIDE + COLUMNS - 1] == ROUNDS;
    return lab_end(good);
}
