/*
 * The tables of the instruction set: every row decodes to itself, whatever its open bits are; two
 * rows overlap only where the first is narrower; words of no row are undefined; every Thumb row
 * translates to an ARM instruction that there is.
 */
#include "procard/arm/isa.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <string.h>

static uint64_t draw(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    return z ^ z >> 31;
}

static uint32_t fill(const struct arm_row *row, uint64_t *seed)
{
    uint32_t word = ((uint32_t)draw(seed) & ~row->mask) | row->value;
    if (!(row->mask >> 28))
        word = (word & 0x0fffffff) | (uint32_t)(draw(seed) % 15) << 28;
    return word;
}

static bool overlap(const struct arm_row *a, const struct arm_row *b)
{
    const bool one_space = (a->mask >> 28 != 0) == (b->mask >> 28 != 0) || a->value >> 28 != 15;
    return one_space && !((a->value ^ b->value) & a->mask & b->mask);
}

Test(arm_table, rows_decode_to_themselves)
{
    enum { TIMES = 200 };
    uint64_t seed = 1;
    for (unsigned i = 0; i < ARM_ROWS; i++) {
        cr_assert_eq(arm_rows[i].value & ~arm_rows[i].mask, 0, "%s", arm_rows[i].name);
        for (unsigned n = 0; n < TIMES; n++) {
            const uint32_t word = fill(&arm_rows[i], &seed);
            const unsigned found = arm_row_find(word);
            const bool narrower = found < i && overlap(&arm_rows[found], &arm_rows[i]) &&
                                  (arm_rows[found].mask & arm_rows[i].mask) == arm_rows[i].mask;
            cr_assert(found == i || narrower, "%s: %08x is row %u, not %u", arm_rows[i].name, word,
                      found, i);
        }
    }
}

Test(arm_table, the_rest_is_undefined)
{
    uint64_t seed = 2;
    unsigned undefined = 0;
    for (unsigned n = 0; n < 1000000; n++) {
        const uint32_t word = (uint32_t)(draw(&seed) >> 8);
        struct arm_op op;
        bool any = false;
        for (unsigned i = 0; i < ARM_ROWS; i++)
            any |= (word & arm_rows[i].mask) == arm_rows[i].value &&
                   (arm_rows[i].mask >> 28 || word >> 28 != 15);
        arm_decode(word, 0, &op);
        undefined += !any;
        if (!any)
            cr_assert_eq(op.code, ARM_OP_UNDEFINED, "%08x", word);
    }
    cr_assert_gt(undefined, 1000);
}

Test(arm_table, thumb_is_arm)
{
    for (unsigned half = 0; half < 0x10000; half++) {
        const uint32_t word = arm_of_thumb((uint16_t)half);
        struct arm_op op;
        arm_decode_thumb((uint16_t)half, -1, 0x1000, &op);
        if (word)
            cr_assert_neq(arm_row_find(word), ARM_ROWS, "%04x is %08x", half, word);
        cr_assert_eq(op.size, 2);
    }
}
