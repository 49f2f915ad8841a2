/*
 * Text of instructions at the edges of what a program has: the first and the last of a piece, what
 * lies in front of it and behind, and a long branch whose second half is not there; ARM, Thumb,
 * data and MIPS.
 */
#include "look/code.h"

#include <criterion/criterion.h>
#include <string.h>

enum { AT = 0x10000, BYTES = 8 };

/* mov r1, r2 twice; in Thumb state: bl, nop, and half of a bl. */
static const uint8_t arm_bytes[BYTES] = {0x02, 0x10, 0xa0, 0xe1, 0x02, 0x10, 0xa0, 0xe1};
static const uint8_t thumb_bytes[BYTES] = {0x00, 0xf0, 0x00, 0xf8, 0xc0, 0x46, 0x00, 0xf0};

static const struct {
    char kind; /* as the symbols say; 0: a MIPS program */
    const uint8_t *bytes;
    int at;           /* from the piece's first byte */
    const char *text; /* what it begins with; NULL: none */
    unsigned length;
} rows[] = {
    {'a', arm_bytes, 0, "mov r1, r2", 4},
    {'a', arm_bytes, 4, "mov r1, r2", 4},
    {'a', arm_bytes, 6, NULL, 4},
    {'a', arm_bytes, 8, NULL, 4},
    {'a', arm_bytes, -4, NULL, 4},
    {'a', arm_bytes, -2, NULL, 4},
    {'t', thumb_bytes, 0, "bl 0x10004", 4},
    {'t', thumb_bytes, 4, "mov r8, r8", 2},
    {'t', thumb_bytes, 6, "mov lr, #", 2},
    {'t', thumb_bytes, 8, NULL, 4},
    {'t', thumb_bytes, -2, NULL, 4},
    {'t', thumb_bytes, 0x1000000, NULL, 4},
    {'d', arm_bytes, 0, ".word 0xe1a01002", 4},
    {'d', arm_bytes, 6, NULL, 4},
    {'d', arm_bytes, 8, NULL, 4},
    {0, arm_bytes, 4, "", 4},
    {0, arm_bytes, 6, NULL, 4},
    {0, arm_bytes, 8, NULL, 4},
    {0, arm_bytes, -4, NULL, 4},
};

Test(report_insns, at_the_edges_of_a_piece)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct look_insns_mark mark = {AT - 16, rows[i].kind};
        struct look_code_piece piece = {AT, BYTES, rows[i].bytes};
        const struct look_code code = {
            .piece = &piece, .pieces = 1, .insns = {rows[i].kind != 0, &mark, rows[i].kind != 0}};
        const uint64_t va = (uint64_t)AT + (uint64_t)(int64_t)rows[i].at;
        char text[80] = "";
        const bool there = look_insn_text(&code, va, text, sizeof text);
        cr_expect_eq(there, rows[i].text != NULL, "row %zu: '%s'", i, text);
        if (there && rows[i].text)
            cr_expect_eq(strncmp(text, rows[i].text, strlen(rows[i].text)), 0, "row %zu: '%s'", i,
                         text);
        cr_expect_eq(look_insn_length(&code, va), rows[i].length, "row %zu", i);
        if (!there)
            cr_expect(!look_insn_is_atomic(&code, va), "row %zu", i);
    }
}
