/* How many rows a table has before the one without a name. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include <stddef.h>

#define ROWS(table)                  \
    ({                               \
        size_t rows_n = 0;           \
        while ((table)[rows_n].name) \
            rows_n++;                \
        rows_n;                      \
    })

#endif
