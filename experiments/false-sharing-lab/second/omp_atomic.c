/*
 * How many fields of a chess board are black. Each row is added up alone, and then to one number,
 * with an OpenMP atomic.
 */
#include "shown.h"

#include <omp.h>

enum { ROWS = 1200, COLUMNS = 20 };

static unsigned total LINE_ALIGNED;

static unsigned black_of_row(int row)
{
    unsigned sum = 0;
    for (int column = 0; column < COLUMNS; column++)
        sum += (unsigned)(row ^ column) & 1;
    return sum;
}

int main(int argc, char **argv)
{
    omp_set_num_threads(thread_count(argc, argv, 8));
#pragma omp parallel for schedule(static)
    for (int row = 0; row < ROWS; row++) {
        const unsigned black = black_of_row(row);
#pragma omp atomic
        total += black;
    }
    SHOW(total);
    printf("total %u\n", total);
    return total != ROWS * COLUMNS / 2;
}
