/*
 * LU factorisation (lu.h) of a matrix that lies row by row, as an array of two dimensions does. A
 * block's rows are apart, and a page has parts of many blocks.
 */
#include "lu.h"

static size_t pitch(const struct lu *f)
{
    return (size_t)f->blocks * f->size;
}

static double *element(const struct lu *f, uint32_t i, uint32_t j, uint32_t row, uint32_t column)
{
    return f->a + (i * f->size + row) * pitch(f) + j * f->size + column;
}
