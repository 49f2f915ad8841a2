/* The columns of the truth of misses: misses.def. Apart from the structs that hold their values, so
 * that a new one is compiled into where it is counted and described only. */
#ifndef PC_MISS_COLUMNS_H
#define PC_MISS_COLUMNS_H

enum pc_miss_column {
#define COLUMN(name, unit, sentence) PC_MISS_##name,
#include "procard/misses.def"
#undef COLUMN
    PC_MISS__COUNT
};

#endif
