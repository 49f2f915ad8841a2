/*
 * Jacobi's method on narrow rows, dealt to the threads one after the other: three rows of three
 * threads are in each line, and a row is also read, rightly, by those who have the rows above and
 * below.
 */
#include "shown.h"
#include <omp.h>

enum { ROWS = 26, COLUMNS = 5, SWEEPS = 14, INNER = 6 };

struct row {
    APART int at[COLUMNS];
};

struct field {
    struct row row[ROWS];
};

static OWN_LINE struct field fields[2];

static void field_set(struct field *f)
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            f->row[r].at[c] = r == 0 ? 4096 : r == ROWS - 1 ? -4096 : 0;
}

static ALONE void relax(struct row *to, const struct row *above, const struct row *here,
                        const struct row *below)
{
    for (int k = 0; k < INNER; k++) {
        for (int c = 0; c < COLUMNS; c++) {
            int left = c ? here->at[c - 1] : here->at[c];
            int right = c < COLUMNS - 1 ? here->at[c + 1] : here->at[c];
            int mean = (above->at[c] + below->at[c] + left + right) / 4;
            to->at[c] = k ? (to->at[c] + mean) / 2 : mean; /* shares: fields */
        }
    }
}

static void sweep(const struct field *from, struct field *to)
{
#pragma omp for schedule(static, 1)
    for (int r = 1; r < ROWS - 1; r++)
        relax(&to->row[r], &from->row[r - 1], &from->row[r], &from->row[r + 1]);
}

static long sum_of(const struct field *f)
{
    long sum = 0;
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLUMNS; c++)
            sum += f->row[r].at[c] * (r + 3 * c + 1L);
    return sum;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 4);
    long sums[2];
    shown("fields", fields, sizeof fields);
    for (int run = 0; run < 2; run++) {
        omp_set_num_threads(run ? 1 : n);
        field_set(&fields[0]);
        field_set(&fields[1]);
#pragma omp parallel
        for (int s = 0; s < SWEEPS; s++)
            sweep(&fields[s % 2], &fields[(s + 1) % 2]);
        sums[run] = sum_of(&fields[SWEEPS % 2]);
    }
    printf("%ld\n", sums[0]);
    return sums[0] != sums[1];
}
