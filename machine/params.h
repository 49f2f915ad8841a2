/* The machine's parameters; one row of params.def each. */
#ifndef NM_PARAMS_H
#define NM_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nm_param_type {
    NM_PARAM_INT,    /**< whole number, no unit */
    NM_PARAM_BOOL,   /**< true / false */
    NM_PARAM_CYCLES, /**< "12cy", of the clock named by the row's unit */
    NM_PARAM_BYTES,  /**< "64B", "16KB", "1MB", "2GB" (powers of 1024) */
    NM_PARAM_FREQ,   /**< "150MHz", "50MHz", "1GHz", "1000Hz" */
    NM_PARAM_ENUM,   /**< one of the words in the row's unit column; stored as its index */
};

enum { NM_ISA_MIPS64R2, NM_ISA_MIPS3 };

/** All values in the units of params.def. Plain data: copy freely. */
struct nm_params {
#define PARAM(field, key, type, unit, min, max, def, source, sentence) uint64_t field;
#include "machine/params.def"
#undef PARAM
};

/** One row of the table. Strings are static. */
struct nm_param_row {
    const char *key;
    enum nm_param_type type;
    const char *unit;
    uint64_t min, max, def;
    const char *source, *sentence;
    size_t offset; /**< of the value in struct nm_params */
};

/** The rows, in table order; *count receives their number. */
const struct nm_param_row *nm_param_rows(size_t *count);

void nm_params_default(struct nm_params *p);

/**
 * Checks what no single row can: powers of two, whole clock ratios, L1 line <= L2 line, caches at
 * least one line per half, page a multiple of every line.
 * @param[out] key   row key the complaint is about (static string), when false
 * @param[out] why   one sentence with the mend, when false
 */
bool nm_params_check(const struct nm_params *p, const char **key, char *why, size_t size);

/** Value of a row. */
static inline uint64_t nm_param_get(const struct nm_params *p, const struct nm_param_row *row)
{
    return *(const uint64_t *)((const char *)p + row->offset);
}

static inline void nm_param_set(struct nm_params *p, const struct nm_param_row *row, uint64_t v)
{
    *(uint64_t *)((char *)p + row->offset) = v;
}

#endif
