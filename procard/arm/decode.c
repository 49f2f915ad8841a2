/*
 * Words and halfwords translated into operations, and operations as text.
 *
 * The hard idea: a Thumb instruction is the ARM word that does the same (thumb.def), decoded by the
 * same table; only what counts from the pc in other steps is done apart.
 */
#include "procard/arm/isa.h"

#include <stdio.h>
#include <string.h>

#define DP_ROWS(id, opcode, name, mask, value)                                      \
    [ARM_ROW_##id##_I] = {(mask), (value) | (opcode) << 21 | 0x02000000, name, ""}, \
    [ARM_ROW_##id##_H] = {(mask) | 0x10, (value) | (opcode) << 21, name, ""},       \
    [ARM_ROW_##id##_V] = {(mask) | 0x90, (value) | (opcode) << 21 | 0x10, name, ""},

const struct arm_row arm_rows[ARM_ROWS] = {
#define LOGIC(id, opcode, name, ...) DP_ROWS(id, opcode, name, 0x0fe00000, 0)
#define MOVES(id, opcode, name, ...) DP_ROWS(id, opcode, name, 0x0fef0000, 0)
#define TESTS(id, opcode, name, ...) DP_ROWS(id, opcode, name, 0x0ff0f000, 0x00100000)
#define INSN(id, mask, value, name, decode_operands, time, ...) \
    [ARM_ROW_##id] = {mask, value, name, decode_operands},
#include "procard/arm/isa.def"
};

enum arm_row_id arm_row_find(uint32_t word)
{
    for (unsigned i = 0; i < ARM_ROWS; i++) {
        const struct arm_row *row = &arm_rows[i];
        const bool conditional = row->mask >> 28 == 0;
        if ((word & row->mask) == row->value && (!conditional || word >> 28 != 15))
            return (enum arm_row_id)i;
    }
    return ARM_ROWS;
}

/* ---- operands -------------------------------------------------------------------------------- */

static uint8_t decode_field(uint32_t word, unsigned low)
{
    return word >> low & 15;
}

static void decode_operands(const struct arm_row *row, uint32_t word, struct arm_op *op)
{
    op->d = op->e = op->n = op->m = op->s = op->a = ARM_SINK;
    op->imm = word;
    for (const char *o = row->operands; *o; o++)
        switch (*o) {
        case 'd':
        case 'L':
            op->d = decode_field(word, 12);
            break;
        case 'D':
            op->d = decode_field(word, 16);
            break;
        case 'H':
            op->e = decode_field(word, 16);
            break;
        case 'n':
            op->n = decode_field(word, 16);
            break;
        case 'm':
            op->m = decode_field(word, 0);
            break;
        case 's':
            op->s = decode_field(word, 8);
            break;
        case 'a':
        case 't':
            op->a = decode_field(word, 12);
            break;
        default: /* l and h are L and H read */
            break;
        }
}

/* ---- data processing ------------------------------------------------------------------------- */

/* Codes of an id follow each other: I R L H V, IS RS LS HS VS. */
enum { FORM_I, FORM_R, FORM_L, FORM_H, FORM_V, FORM_S };

struct processing {
    uint16_t code;
    bool writes, reads_n;
};

static const struct processing processing[16] = {
#define LOGIC(id, opcode, ...) [opcode] = {ARM_OP_##id##_I, true, true},
#define MOVES(id, opcode, ...) [opcode] = {ARM_OP_##id##_I, true, false},
#define TESTS(id, opcode, ...) [opcode] = {ARM_OP_##id##_I, false, true},
#define INSN(...)
#include "procard/arm/isa.def"
};

static unsigned decode_immediate(uint32_t word, struct arm_op *op)
{
    enum { CARRY_STAYS = 2 };
    const unsigned turn = word >> 7 & 30;
    const uint32_t v = word & 255;
    op->imm = turn ? v >> turn | v << (32 - turn) : v;
    op->aux = turn ? (uint8_t)(op->imm >> 31) : CARRY_STAYS;
    return FORM_I;
}

static unsigned decode_shifted(uint32_t word, struct arm_op *op)
{
    const unsigned kind = word >> 5 & 3, amount = word >> 7 & 31;
    op->m = decode_field(word, 0);
    if (kind == ARM_LSL) {
        op->aux = (uint8_t)amount;
        return amount ? FORM_L : FORM_R;
    }
    op->aux = (uint8_t)((kind == ARM_ROR && !amount ? ARM_RRX : kind) << 5 | amount);
    return FORM_H;
}

static void decode_processing(uint32_t word, struct arm_op *op)
{
    const struct processing *p = &processing[word >> 21 & 15];
    unsigned form;
    if (word >> 25 & 1) {
        form = decode_immediate(word, op);
    } else if (!(word >> 4 & 1)) {
        form = decode_shifted(word, op);
    } else {
        op->m = decode_field(word, 0);
        op->s = decode_field(word, 8);
        op->aux = word >> 5 & 3;
        form = FORM_V;
    }
    if (p->writes)
        op->d = decode_field(word, 12);
    if (p->reads_n)
        op->n = decode_field(word, 16);
    if (word >> 20 & 1) {
        form += FORM_S;
        op->flags |= ARM_SETS;
    }
    op->code = (uint16_t)(p->code + form);
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct transfer {
    uint8_t immediate, reg; /* rows */
    uint16_t code_i, code_r, code_x;
};

static const struct transfer transfers[] = {
#define X(id) \
    {ARM_ROW_##id##_I, ARM_ROW_##id##_R, ARM_OP_##id##_I, ARM_OP_##id##_R, ARM_OP_##id##_X},
    ARM_TRANSFERS(X)
#undef X
};

static const struct transfer *transfer_of(unsigned row)
{
    for (unsigned i = 0; i < sizeof transfers / sizeof *transfers; i++)
        if (transfers[i].immediate == row || transfers[i].reg == row)
            return &transfers[i];
    return NULL;
}

/* Words and bytes have 12 bits of offset, or a shifted register; the others 8 bits in two parts, or
 * a register as it is. */
static void decode_offset(const struct transfer *t, uint32_t word, struct arm_op *op)
{
    const bool wide = word >> 26 & 1;
    if (op->row == t->reg) {
        const unsigned kind = word >> 5 & 3, amount = word >> 7 & 31;
        op->aux |= ARM_REGISTER;
        op->imm = !wide ? 0 : (kind == ARM_ROR && !amount ? ARM_RRX : kind) << 5 | amount;
        return;
    }
    op->imm = wide ? word & 0xfff : (word >> 4 & 0xf0) | (word & 15);
    if (!(word >> 23 & 1))
        op->imm = -op->imm;
}

static void decode_transfer(const struct transfer *t, uint32_t word, struct arm_op *op)
{
    enum { LSL_2 = 2, SIMPLE = ARM_PRE | ARM_UP };
    const bool pre = word >> 24 & 1;
    op->aux = (uint8_t)((pre ? ARM_PRE : 0) | (word >> 23 & 1 ? ARM_UP : 0) |
                        (!pre || word >> 21 & 1 ? ARM_WRITES_BACK : 0));
    decode_offset(t, word, op);
    const unsigned how = op->aux & (SIMPLE | ARM_WRITES_BACK);
    if (!(op->aux & ARM_REGISTER)) {
        op->code = pre && !(op->aux & ARM_WRITES_BACK) ? t->code_i : t->code_x;
        op->aux |= ARM_EASY;
        return;
    }
    op->code = how == SIMPLE && op->imm < 32 ? t->code_r : t->code_x;
    if (op->aux & ARM_UP && (op->imm == 0 || op->imm == LSL_2))
        op->aux |= ARM_EASY;
}

static void decode_memory(uint32_t word, struct arm_op *op)
{
    const struct transfer *t = transfer_of(op->row);
    if (t) {
        decode_transfer(t, word, op);
        const bool pair = op->code == ARM_OP_LDRD_I || op->code == ARM_OP_LDRD_R ||
                          op->code == ARM_OP_LDRD_X || op->code == ARM_OP_STRD_I ||
                          op->code == ARM_OP_STRD_R || op->code == ARM_OP_STRD_X;
        if (pair && decode_field(word, 12) & 1)
            op->code = ARM_OP_UNDEFINED;
        if (pair && op->d != ARM_SINK)
            op->e = (uint8_t)(op->d + 1);
    } else if (op->row == ARM_ROW_LDM || op->row == ARM_ROW_STM) {
        op->aux = (uint8_t)((word >> 24 & 1 ? ARM_PRE : 0) | (word >> 23 & 1 ? ARM_UP : 0) |
                            (word >> 21 & 1 ? ARM_WRITES_BACK : 0));
        op->imm = word & 0xffff;
        if (op->row == ARM_ROW_LDM && word >> ARM_PC & 1)
            op->flags |= ARM_WRITES_PC | ARM_INTERWORKS;
        if (op->row == ARM_ROW_STM && word >> ARM_PC & 1)
            op->flags |= ARM_READS_PC;
    } else if (op->row == ARM_ROW_PLD_I) {
        op->imm = word >> 23 & 1 ? word & 0xfff : -(word & 0xfff);
    } else if (op->row == ARM_ROW_LDREXD || op->row == ARM_ROW_STREXD) {
        const bool odd = (op->row == ARM_ROW_LDREXD ? op->d : op->m) & 1;
        if (odd)
            op->code = ARM_OP_UNDEFINED;
        if (op->row == ARM_ROW_LDREXD)
            op->e = (uint8_t)((op->d + 1) & 15);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void decode_branch(uint32_t word, uint32_t va, struct arm_op *op)
{
    const uint32_t offset = (uint32_t)((int32_t)(word << 8) >> 6);
    op->imm = va + 8 + offset;
    if (op->row == ARM_ROW_BLX_I)
        op->imm += word >> 23 & 2;
}

static bool decode_is_memory(unsigned row)
{
    return row >= ARM_ROW_STR_I && row <= ARM_ROW_CLREX;
}

static void decode_finish(struct arm_op *op)
{
    const bool transfer = transfer_of(op->row);
    if (op->n == ARM_PC || op->m == ARM_PC || op->s == ARM_PC || op->a == ARM_PC)
        op->flags |= ARM_READS_PC;
    if (op->d == ARM_PC) {
        op->flags |= ARM_WRITES_PC;
        if (transfer)
            op->flags |= ARM_INTERWORKS;
    }
    if (op->row >= ARM_ROW_B && op->row <= ARM_ROW_BLX)
        op->flags |= ARM_ENDS;
    if (op->row == ARM_ROW_MULS || op->row == ARM_ROW_MLAS || op->row == ARM_ROW_UMULLS ||
        op->row == ARM_ROW_UMLALS || op->row == ARM_ROW_SMULLS || op->row == ARM_ROW_SMLALS ||
        op->row == ARM_ROW_MSR || op->row == ARM_ROW_MSR_I)
        op->flags |= ARM_SETS;
}

static const uint16_t codes[ARM_ROWS] = {
#define LOGIC(...)
#define INSN(id, mask, value, name, decode_operands, time, ...) [ARM_ROW_##id] = ARM_OP_##id,
#include "procard/arm/isa.def"
};

void arm_decode(uint32_t word, uint32_t va, struct arm_op *op)
{
    const enum arm_row_id row = arm_row_find(word);
    *op = (struct arm_op){.size = 4,
                          .row = (uint8_t)row,
                          .cond = word >> 28 == 15 ? ARM_ALWAYS : (uint8_t)(word >> 28),
                          .imm = word,
                          .d = ARM_SINK,
                          .e = ARM_SINK,
                          .n = ARM_SINK,
                          .m = ARM_SINK,
                          .s = ARM_SINK,
                          .a = ARM_SINK};
    if (row == ARM_ROWS)
        return;
    decode_operands(&arm_rows[row], word, op);
    op->code = codes[row];
    if (row < ARM_ROW_MUL)
        decode_processing(word, op);
    else if (decode_is_memory(row))
        decode_memory(word, op);
    else if (row == ARM_ROW_B || row == ARM_ROW_BL || row == ARM_ROW_BLX_I)
        decode_branch(word, va, op);
    else if ((row == ARM_ROW_MCR || row == ARM_ROW_MRC) && (word >> 12 & 15) == ARM_PC)
        op->code = ARM_OP_UNDEFINED; /* no register of the processor's has flags for it */
    decode_finish(op);
}

/* ---- Thumb ----------------------------------------------------------------------------------- */

struct thumb_row {
    uint16_t mask, value;
};

uint32_t arm_of_thumb(uint16_t half)
{
    const uint32_t h = half;
#define BITS(high, low) (h >> (low) & ((1u << ((high) - (low) + 1)) - 1))
#define LOW(bit)        BITS((bit) + 2, bit)
#define HIGH            (BITS(7, 7) << 3 | BITS(2, 0))
#define THUMB(mask, value, name, word) \
    if ((h & (mask)) == (value))       \
        return (word);
#include "procard/arm/thumb.def"
#undef THUMB
#undef HIGH
#undef LOW
#undef BITS
    return 0;
}

static uint32_t signed_bits(uint32_t v, unsigned bits)
{
    return (uint32_t)((int32_t)(v << (32 - bits)) >> (32 - bits));
}

static void branch_to(struct arm_op *op, unsigned row, unsigned cond, uint32_t target)
{
    op->row = (uint8_t)row;
    op->code = codes[row];
    op->cond = (uint8_t)cond;
    op->imm = target;
    op->flags = ARM_ENDS;
}

/* The two halves of BL and BLX are one operation, where they stand together. */
static bool decode_long_branch(uint16_t half, int32_t next, uint32_t va, struct arm_op *op)
{
    enum { PREFIX = 0x1e, SUFFIX = 0x1f, SUFFIX_BLX = 0x1d };
    const unsigned kind = half >> 11;
    const uint32_t low = (half & 0x7ffu) << 1;
    if (kind == PREFIX) {
        const uint32_t base = va + 4 + (signed_bits(half & 0x7ff, 11) << 12);
        const unsigned second = next < 0 ? 0 : (unsigned)next >> 11;
        if (second == SUFFIX || (second == SUFFIX_BLX && !(next & 1))) {
            const uint32_t target = base + ((uint32_t)next & 0x7ff) * 2;
            const bool exchanges = second == SUFFIX_BLX;
            branch_to(op, exchanges ? ARM_ROW_BLX_I : ARM_ROW_BL, ARM_ALWAYS,
                      exchanges ? target & ~UINT32_C(3) : target);
            op->size = 4;
        } else {
            op->row = ARM_ROW_MOV_I;
            op->code = ARM_OP_MOV_I;
            op->d = ARM_LR;
            op->imm = base;
        }
        return true;
    }
    if (kind != SUFFIX && (kind != SUFFIX_BLX || half & 1))
        return false;
    op->code = kind == SUFFIX ? ARM_OP_BL_SUFFIX : ARM_OP_BLX_SUFFIX;
    op->row = ARM_ROW_BLX;
    op->m = ARM_LR;
    op->imm = low;
    op->flags = ARM_ENDS;
    return true;
}

void arm_decode_thumb(uint16_t half, int32_t next, uint32_t va, struct arm_op *op)
{
    enum { B_COND = 0xd, B = 0x1c };
    const uint32_t word = arm_of_thumb(half);
    if (word) {
        arm_decode(word, va, op);
        op->size = 2;
        if (op->code == ARM_OP_BKPT || op->row == ARM_ROW_UDF)
            op->imm = word;
        if ((half & 0xf000) == 0xa000 || (half & 0xf800) == 0x4800)
            op->flags |= ARM_ALIGNS;
        return;
    }
    arm_decode(0xffffffff, va, op); /* nothing yet */
    op->size = 2;
    op->imm = half;
    op->cond = ARM_ALWAYS;
    if (half >> 12 == B_COND)
        branch_to(op, ARM_ROW_B, half >> 8 & 15, va + 4 + signed_bits(half & 255, 8) * 2);
    else if (half >> 11 == B)
        branch_to(op, ARM_ROW_B, ARM_ALWAYS, va + 4 + signed_bits(half & 0x7ff, 11) * 2);
    else
        decode_long_branch(half, next, va, op);
}

/* ---- text ------------------------------------------------------------------------------------ */

static const char conditions[15][3] = {"eq", "ne", "cs", "cc", "mi", "pl", "vs", "vc",
                                       "hi", "ls", "ge", "lt", "gt", "le", ""};

static void decode_add(char *buf, unsigned size, const char *format, unsigned v)
{
    const size_t used = strlen(buf);
    snprintf(buf + used, size - used, format, v);
}

static void add_name(char *buf, unsigned size, unsigned r)
{
    static const char *const last[] = {"sp", "lr", "pc"};
    if (r < ARM_SP)
        decode_add(buf, size, "r%u", r);
    else
        decode_add(buf, size, last[r - ARM_SP], 0);
}

static void add_register(char *buf, unsigned size, unsigned r, const char **comma)
{
    if (r == ARM_SINK)
        return;
    decode_add(buf, size, *comma, 0);
    *comma = ", ";
    add_name(buf, size, r);
}

/* Of a register: bits 11 to 4 of the word. */
static void add_shift(char *buf, unsigned size, uint32_t word)
{
    static const char *const names[] = {", lsl ", ", lsr ", ", asr ", ", ror "};
    enum { ROR = 3, WHOLE = 32 };
    const unsigned kind = word >> 5 & 3, amount = word >> 7 & 31;
    const bool by_register = word & 0x10;
    if (!by_register && !amount && kind == ARM_LSL)
        return;
    if (!by_register && !amount && kind == ROR) {
        decode_add(buf, size, ", rrx", 0);
        return;
    }
    decode_add(buf, size, names[kind], 0);
    if (by_register)
        add_name(buf, size, word >> 8 & 15);
    else
        decode_add(buf, size, "#%u", amount ? amount : WHOLE);
}

/* What is added to the base: of words and bytes, or of all others. */
static void add_offset(char *buf, unsigned size, uint32_t word)
{
    enum { OTHERS = 0, IMMEDIATE = 1 << 22, REGISTER = 1 << 25, UP = 1 << 23 };
    const bool others = (word >> 26 & 3) == OTHERS;
    const bool immediate = others ? word & IMMEDIATE : !(word & REGISTER);
    if (immediate) {
        const unsigned offset = others ? (word >> 4 & 0xf0) | (word & 15) : word & 0xfff;
        if (offset || !(word & UP))
            decode_add(buf, size, word & UP ? ", #%u" : ", #-%u", offset);
        return;
    }
    decode_add(buf, size, word & UP ? ", " : ", -", 0);
    add_name(buf, size, word & 15);
    if (!others)
        add_shift(buf, size, word);
}

/* "[r1, #4]", "[r1, #4]!", "[r1], #4" */
static void add_address(char *buf, unsigned size, uint32_t word, const char *comma)
{
    enum { PRE = 1 << 24, BACK = 1 << 21 };
    decode_add(buf, size, comma, 0);
    decode_add(buf, size, "[", 0);
    add_name(buf, size, word >> 16 & 15);
    if (!(word & PRE))
        decode_add(buf, size, "]", 0);
    add_offset(buf, size, word);
    if (word & PRE)
        decode_add(buf, size, word & BACK ? "]!" : "]", 0);
}

static void add_list(char *buf, unsigned size, uint32_t word)
{
    const char *comma = "{";
    decode_add(buf, size, word >> 21 & 1 ? "!, " : ", ", 0);
    for (unsigned r = 0; r < 16; r++)
        if (word >> r & 1)
            add_register(buf, size, r, &comma);
    decode_add(buf, size, "}", 0);
}

static bool decode_is_transfer(const struct arm_op *op)
{
    return (op->row >= ARM_ROW_STR_I && op->row < ARM_ROW_STM) || op->row == ARM_ROW_PLD_I ||
           op->row == ARM_ROW_PLD_R;
}

static bool is_exclusive(const struct arm_op *op)
{
    return op->row >= ARM_ROW_SWP && op->row < ARM_ROW_CLREX;
}

static void add_operands(char *buf, unsigned size, uint32_t word, const struct arm_op *op)
{
    static const char *const ways[] = {"da", "ia", "db", "ib"};
    const char *comma = " ";
    if (op->row == ARM_ROW_LDM || op->row == ARM_ROW_STM)
        decode_add(buf, size, ways[word >> 23 & 3], 0);
    add_register(buf, size, op->d, &comma);
    add_register(buf, size, op->e, &comma);
    add_register(buf, size, op->a, &comma);
    if (decode_is_transfer(op)) {
        add_address(buf, size, word, comma);
        return;
    }
    if (is_exclusive(op)) {
        add_register(buf, size, op->m, &comma);
        decode_add(buf, size, comma, 0);
        decode_add(buf, size, "[", 0);
        add_name(buf, size, op->n);
        decode_add(buf, size, "]", 0);
        return;
    }
    add_register(buf, size, op->n, &comma);
    if (op->row == ARM_ROW_LDM || op->row == ARM_ROW_STM) {
        add_list(buf, size, word);
        return;
    }
    add_register(buf, size, op->m, &comma);
    if (op->row < ARM_ROW_MUL && op->m != ARM_SINK)
        add_shift(buf, size, word);
    else if (op->row < ARM_ROW_MUL)
        decode_add(buf, size, comma[0] == ',' ? ", #%u" : " #%u", op->imm);
    else
        add_register(buf, size, op->s, &comma);
}

unsigned arm_disassemble(uint32_t word, bool thumb, uint32_t va, char *buf, unsigned size)
{
    struct arm_op op;
    if (thumb)
        arm_decode_thumb((uint16_t)word, (int32_t)(word >> 16), va, &op);
    else
        arm_decode(word, va, &op);
    if (op.row == ARM_ROWS || op.code == ARM_OP_UNDEFINED) {
        snprintf(buf, size, "undefined 0x%x", thumb ? word & 0xffff : word);
        return op.size;
    }
    snprintf(buf, size, "%s%s%s", arm_rows[op.row].name,
             op.flags & ARM_SETS && op.d != ARM_SINK && op.row < ARM_ROW_MUL ? "s" : "",
             conditions[op.cond]);
    if (op.flags & ARM_ENDS && op.m == ARM_SINK)
        decode_add(buf, size, " 0x%x", op.imm);
    else
        add_operands(buf, size,
                     thumb && arm_of_thumb((uint16_t)word) ? arm_of_thumb((uint16_t)word) : word,
                     &op);
    return op.size;
}
