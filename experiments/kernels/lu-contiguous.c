/*
 * LU factorisation (lu.h) of a matrix that lies block by block: each is one piece of memory.
 */
#include "lu.h"

static size_t pitch(const struct lu *f)
{
    return f->size;
}

static double *element(const struct lu *f, uint32_t i, uint32_t j, uint32_t row, uint32_t column)
{
    return f->a + ((size_t)(i * f->blocks + j) * f->size + row) * f->size + column;
}
