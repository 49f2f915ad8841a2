/* Walks the operand letters of a row of isa.def along the text. */
#include "tests/isa_assembler.h"

#include "procard/r4400/code.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[32] = {"zero", "at", "v0", "v1", "a0", "a1", "a2", "a3",
                                      "t0",   "t1", "t2", "t3", "t4", "t5", "t6", "t7",
                                      "s0",   "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                      "t8",   "t9", "k0", "k1", "gp", "sp", "fp", "ra"};

static const struct field {
    const char *letters;
    unsigned low;
    uint32_t mask;
} fields[] = {
    {"sbrz", 21, 31},  {"tTXwWmBMA", 16, 31}, {"DYvxVnyPNhHRKkI", 11, 31},
    {"FfGga", 6, 31},  {"iuop", 0, 0xffff},   {"j", 0, 0x3ffffff},
    {"c", 6, 0xfffff}, {"q", 6, 0x3ff},       {"0", 1, 31},
};

/** A register's number or a plain one. */
static long value(const char **text)
{
    const size_t length = strcspn(*text, ",() ;");
    char *end;

    for (long n = 0; n < 32; n++) {
        if (strlen(names[n]) == length && strncmp(*text, names[n], length) == 0) {
            *text += length;
            return n;
        }
    }
    *text += **text == 'f';
    const long v = strtol(*text, &end, 0);
    *text = end;
    return v;
}

/** Position and size of what is extracted or inserted: of the doubleword's upper half (U, O),
 * across both (E, L). */
static uint32_t piece(char letter, const char **text)
{
    const bool inserts = strchr("lLO", letter), high = strchr("UO", letter),
               wide = strchr("ELO", letter);
    const long position = value(text);
    *text += **text == ',';
    const long size = value(text);
    const long last = (inserts ? position : 0) + size - 1 - 32 * wide;
    return (uint32_t)(last << 11 | (position - 32 * high) << 6);
}

static bool operand(char letter, const char **text, uint32_t *word)
{
    if (strchr(",()", letter))
        return *(*text)++ == letter;
    if (strchr("eEUlLO", letter)) {
        *word |= piece(letter, text);
        return true;
    }
    for (unsigned n = 0; n < sizeof fields / sizeof fields[0]; n++) {
        if (strchr(fields[n].letters, letter)) {
            *word |= ((uint32_t)value(text) & fields[n].mask) << fields[n].low;
            return true;
        }
    }
    return letter == 'Z';
}

static const struct mips_row *row_of(const char *text, size_t length)
{
    for (unsigned n = MIPS_OP_RI + 1; n < MIPS_OP_ROWS_END; n++) {
        if (strlen(mips_rows[n].mnemonic) == length &&
            strncmp(mips_rows[n].mnemonic, text, length) == 0)
            return &mips_rows[n];
    }
    return NULL;
}

/** One instruction, without the repetition in front of it. */
static bool instruction(const char **text, uint32_t *word)
{
    const size_t length = strcspn(*text, " ;");
    const struct mips_row *row = row_of(*text, length);
    const char *o = row ? row->operands : "";

    *word = row ? row->match : 0;
    if (!row && (length != 3 || strncmp(*text, "nop", 3) != 0))
        return false;
    *text += length;
    *text += strspn(*text, " ");
    for (; *o; o++) {
        if (*o == 'C' || *o == 'Q') /* with the comma behind it */
            o += o[1] == ',';
        else if (o[0] == ',' && o[1] == 'C') /* the last operand */
            o++;
        else if (!operand(*o, text, word))
            return false;
    }
    return true;
}

unsigned assemble(const char *text, uint32_t *words, unsigned room)
{
    unsigned count = 0;

    while (*text) {
        unsigned long times = 1;
        uint32_t word;

        text += strspn(text, " ");
        if (*text >= '0' && *text <= '9') {
            char *end;

            times = strtoul(text, &end, 10);
            text = end + (*end == '*');
        }
        if (!instruction(&text, &word) || count + times > room)
            return 0;
        while (times--)
            words[count++] = word;
        text += strspn(text, " ");
        if (*text && *text++ != ';')
            return 0;
    }
    return count;
}
