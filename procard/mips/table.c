/*
 * The instruction table and its two readings: from a word to an operation, and from a word to text.
 *
 * Both walk the row's operand letters (see isa.def), so an instruction is described in one place
 * only.
 */
#include "procard/mips/isa.h"

#include <ctype.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define W64 MIPS_ISA_W64
#define FR1 MIPS_ISA_FR1
#define R1  MIPS_ISA_R1
#define R2  MIPS_ISA_R2

/* Encoding shapes: match, mask. */
#define OP(o)     (uint32_t)(o) << 26, 0xfc000000u                 /* primary opcode */
#define SP(f)     (f), 0xfc00003fu                                 /* SPECIAL function */
#define SR(f, r)  (r) << 21 | (f), 0xffe0003fu                     /* shift or rotate by sa */
#define SV(f, r)  (r) << 6 | (f), 0xfc0007ffu                      /* shift or rotate by register */
#define MT(tf)    (tf) << 16 | 0x01, 0xfc01003fu                   /* movf, movt */
#define RG(r)     0x04000000u | (r) << 16, 0xfc1f0000u             /* REGIMM */
#define S2(f)     0x70000000u | (f), 0xfc00003fu                   /* SPECIAL2 */
#define S3(f)     0x7c000000u | (f), 0xfc00003fu                   /* SPECIAL3 */
#define BS(f, a)  0x7c000000u | (a) << 6 | (f), 0xfc0007ffu        /* its byte shuffles */
#define C1(r)     0x44000000u | (r) << 21, 0xffe00000u             /* COP1 moves */
#define BC(x)     0x45000000u | (x) << 16, 0xffe30000u             /* COP1 branches */
#define FF(m, f)  0x44000000u | (m) << 21 | (f), 0xffe0003fu       /* COP1 format and function */
#define FT(m, t)  0x44000011u | (m) << 21 | (t) << 16, 0xffe1003fu /* movf.fmt, movt.fmt */
#define FC(m, c)  0x44000030u | (m) << 21 | (c), 0xffe0007fu       /* c.cond.fmt */
#define X1(f)     0x4c000000u | (f), 0xfc00003fu                   /* COP1X */
#define PC0(r, c) 0x4000c800u | (r) << 21 | (c), 0xffe0ffc1u       /* COP0's event counters */
enum { FS = 16, FD = 17, FW = 20, FL = 21 };

#define ROW(id, mnemonic, encoding, isa, class, operands) \
    [MIPS_OP_##id] = {mnemonic, encoding, isa, MIPS_CLASS_##class, operands},
const struct mips_row mips_rows[MIPS_OP_ROWS_END] = {
    [MIPS_OP_RI] = {"reserved", 0xffffffffu, 0, 1, MIPS_CLASS_INT, ""},
#define INSN ROW
#define FPOP ROW
#include "procard/mips/isa.def"
#undef INSN
#undef FPOP
};

unsigned mips_level(enum nm_isa isa)
{
    static const uint8_t levels[NM_ISA__COUNT] = {
        [NM_ISA_MIPS64R2] = MIPS_ISA_R2, [NM_ISA_MIPS3] = 3, [NM_ISA_MIPS4] = 4};

    return levels[isa];
}

enum mips_opcode mips_row_find(uint32_t word)
{
    for (unsigned i = MIPS_OP_RI + 1; i < MIPS_OP_ROWS_END; i++) {
        if ((word & mips_rows[i].mask) == mips_rows[i].match)
            return (enum mips_opcode)i;
    }
    return MIPS_OP_RI;
}

static unsigned table_field(uint32_t word, unsigned low)
{
    return word >> low & 31;
}

enum { RS = 21, RT = 16, RD = 11, SA = 6 };

/* ---- translation ----------------------------------------------------------------------------- */

/** One instruction being translated. */
struct translation {
    uint32_t word;
    unsigned flags;
    struct mips_op *op;
    struct mips_use *use;
    unsigned level; /**< the first that has it, as far as is known */
    bool reserved;
};

static void table_reads(struct translation *t, unsigned resource)
{
    if (resource != MIPS_RES_GPR)
        t->use->reads[t->use->nreads++] = (uint8_t)resource;
}

static void table_writes(struct translation *t, unsigned resource)
{
    if (resource != MIPS_RES_GPR)
        t->use->writes[t->use->nwrites++] = (uint8_t)resource;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { LOW_HALF = 0, HIGH_HALF = 4 };
#else
enum { LOW_HALF = 4, HIGH_HALF = 0 };
#endif

/** The 64-bit register that holds f<n>; with FR = 0 it holds an even/odd pair. */
static unsigned fpr_home(const struct translation *t, unsigned n)
{
    return t->flags & MIPS_FR ? n : n & ~1u;
}

/** Packs position and size of a bit field; reserved when it does not fit. */
static int32_t bit_field(struct translation *t, int position, int size, int width)
{
    t->reserved |= size <= 0 || position + size > width;
    return position + size * 256;
}

/** FCSR bit of condition code cc. All but the first came with MIPS IV. */
static int32_t condition_bit(struct translation *t, unsigned cc)
{
    if (cc && t->level < 4)
        t->level = 4;
    return cc == 0 ? 23 : 24 + (int32_t)cc;
}

/** What kind of register a letter names, and where the operation keeps it. */
enum kind {
    GPR,
    SINGLE, /**< half of a pair when FR = 0 */
    WHOLE,  /**< 64 bits; an odd register is reserved when FR = 0 */
    PAIR,   /**< 64 bits; an odd register means its pair when FR = 0 */
    UPPER,  /**< upper half */
};
enum slot {
    NO,
    IN_S,
    IN_T,
    IN_D,
    IN_IMM,
    KNOWN /**< used, but the operation need not say where */
};

/** By the letter. One that names no register is neither read nor written. */
static const struct register_letter {
    uint8_t position; /**< in the word */
    uint8_t kind, read, written;
} register_letters[128] = {
    ['s'] = {RS, GPR, IN_S, NO},       ['b'] = {RS, GPR, IN_S, NO},
    ['t'] = {RT, GPR, IN_T, NO},       ['D'] = {RD, GPR, NO, IN_D},
    ['T'] = {RT, GPR, NO, IN_D},       ['Y'] = {RD, GPR, KNOWN, IN_D},
    ['X'] = {RT, GPR, IN_T, IN_D},     ['v'] = {RD, SINGLE, IN_S, NO},
    ['w'] = {RT, SINGLE, IN_T, NO},    ['r'] = {RS, SINGLE, IN_IMM, NO},
    ['x'] = {RD, SINGLE, IN_D, NO},    ['F'] = {SA, SINGLE, NO, IN_D},
    ['V'] = {RD, SINGLE, NO, IN_D},    ['W'] = {RT, SINGLE, NO, IN_D},
    ['f'] = {SA, SINGLE, KNOWN, IN_D}, ['n'] = {RD, WHOLE, IN_S, NO},
    ['m'] = {RT, WHOLE, IN_T, NO},     ['z'] = {RS, WHOLE, IN_IMM, NO},
    ['y'] = {RD, WHOLE, IN_D, NO},     ['G'] = {SA, WHOLE, NO, IN_D},
    ['g'] = {SA, WHOLE, KNOWN, IN_D},  ['P'] = {RD, PAIR, IN_S, NO},
    ['B'] = {RT, PAIR, IN_T, NO},      ['N'] = {RD, PAIR, NO, IN_D},
    ['M'] = {RT, PAIR, NO, IN_D},      ['h'] = {RD, UPPER, IN_S, NO},
    ['H'] = {RD, UPPER, NO, IN_D},
};

static const struct register_letter *register_letter(char letter)
{
    const struct register_letter *l = &register_letters[(unsigned char)letter % 128];
    return l->read != NO || l->written != NO ? l : NULL;
}

/** Byte offset of register n in struct mips_regs; results for r0 go nowhere. */
static unsigned register_offset(const struct translation *t, enum kind kind, unsigned n,
                                bool written)
{
    const unsigned home = fpr_home(t, n);
    const unsigned half = kind == UPPER || (kind == SINGLE && n != home) ? HIGH_HALF
                          : kind == SINGLE                               ? LOW_HALF
                                                                         : 0;

    if (kind == GPR && n == 0 && written)
        return offsetof(struct mips_regs, sink);
    if (kind == GPR)
        return offsetof(struct mips_regs, gpr) + 8 * n;
    return offsetof(struct mips_regs, fpr) + 8 * home + half;
}

static void set_slot(struct mips_op *op, enum slot slot, unsigned offset)
{
    if (slot == IN_S)
        op->s = (uint16_t)offset;
    else if (slot == IN_T)
        op->t = (uint16_t)offset;
    else if (slot == IN_D)
        op->d = (uint16_t)offset;
    else if (slot == IN_IMM)
        op->imm = (int32_t)offset;
}

static void register_operand(struct translation *t, char letter)
{
    const struct register_letter *l = register_letter(letter);
    unsigned n, resource;

    if (letter == 'Z')
        table_writes(t, MIPS_RES_GPR + 31);
    if (!l)
        return;
    n = table_field(t->word, l->position);
    resource = l->kind == GPR ? MIPS_RES_GPR + n : MIPS_RES_FPR + fpr_home(t, n);
    t->reserved |= l->kind == WHOLE && n != fpr_home(t, n);
    if (l->read != NO) {
        table_reads(t, resource);
        set_slot(t->op, l->read, register_offset(t, l->kind, n, false));
    }
    if (l->written != NO) {
        table_writes(t, resource);
        set_slot(t->op, l->written, register_offset(t, l->kind, n, true));
    }
}

static void number_operand(struct translation *t, char letter)
{
    const uint32_t word = t->word;
    const int sa = (int)table_field(word, SA), rd = (int)table_field(word, RD);
    /* DEXT and DINS reach into 64 bits, EXT and INS do not; odd functions are the 64-bit ones */
    const int width = word & 3 ? 64 : 32;
    int32_t *imm = &t->op->imm;

    switch (letter) {
    case 'i':
    case 'o':
        *imm = (int16_t)word;
        break;
    case 'u':
        *imm = (uint16_t)word;
        break;
    case 'a':
        *imm = sa;
        break;
    case 'p': /* relative to the branch itself */
        *imm = (int16_t)word * 4 + 4;
        break;
    case 'j': /* the decoder completes it: the region is the delay slot's */
        *imm = (int32_t)((word & 0x03ffffff) << 2);
        break;
    case 'c':
        *imm = (int32_t)(word >> 6 & 0xfffff);
        break;
    case 'q':
        *imm = (int32_t)(word >> 6 & 0x3ff);
        break;
    case 'e':
        *imm = bit_field(t, sa, rd + 1, width);
        break;
    case 'E':
        *imm = bit_field(t, sa, rd + 33, width);
        break;
    case 'U':
        *imm = bit_field(t, sa + 32, rd + 1, width);
        break;
    case 'l':
        *imm = bit_field(t, sa, rd - sa + 1, width);
        break;
    case 'L':
        *imm = bit_field(t, sa, rd + 32 - sa + 1, width);
        break;
    case 'O':
        *imm = bit_field(t, sa + 32, rd - sa + 1, width);
        break;
    case 'R':
    case 'K':
    case 'k':
        *imm = rd;
        break;
    case '0':
        *imm = (int32_t)(word >> 1 & 31);
        break;
    case 'C':
        t->op->t = (uint16_t)condition_bit(t, word >> 18 & 7);
        break;
    case 'Q':
        *imm = condition_bit(t, word >> 8 & 7);
        break;
    }
}

/** The condition bits, and the control register they live in, count as one resource. */
static void condition_use(struct translation *t, char letter)
{
    if (letter == 'C' || letter == 'K')
        table_reads(t, MIPS_RES_FCC);
    if (letter == 'Q' || letter == 'k')
        table_writes(t, MIPS_RES_FCC);
}

static bool table_allowed(const struct mips_row *row, unsigned flags)
{
    if (row->isa & MIPS_ISA_W64 && !(flags & MIPS_W64))
        return false;
    return !(row->isa & MIPS_ISA_FR1) || flags & MIPS_FR;
}

/** Frequent special cases that do less. */
static void table_simplify(uint32_t word, struct mips_op *op)
{
    if (word == 0) {
        op->code = MIPS_OP_NOP;
    } else if (op->code == MIPS_OP_ADDU || op->code == MIPS_OP_DADDU || op->code == MIPS_OP_OR) {
        if (table_field(word, RS) == 0)
            op->s = op->t;
        if (table_field(word, RS) == 0 || table_field(word, RT) == 0)
            op->code = MIPS_OP_MOVE;
    } else if ((op->code == MIPS_OP_SUBU || op->code == MIPS_OP_DSUBU) &&
               table_field(word, RT) == 0) {
        op->code = MIPS_OP_MOVE;
    }
}

void mips_translate(uint32_t word, unsigned flags, unsigned level, struct mips_op *op,
                    struct mips_use *use)
{
    const enum mips_opcode code = mips_row_find(word);
    const struct mips_row *row = &mips_rows[code];
    struct translation t = {
        .word = word, .flags = flags, .op = op, .use = use, .level = row->isa & MIPS_ISA_LEVEL};

    *op = (struct mips_op){.code = (uint16_t)code};
    *use = (struct mips_use){0};
    for (const char *o = row->operands; *o; o++) {
        register_operand(&t, *o);
        number_operand(&t, *o);
        condition_use(&t, *o);
    }
    if (t.reserved || t.level > level || !table_allowed(row, flags)) {
        op->code = MIPS_OP_RI;
        *use = (struct mips_use){0};
    } else {
        table_simplify(word, op);
    }
}

/* ---- disassembly ----------------------------------------------------------------------------- */

static const char *const gpr_names[32] = {"zero", "at", "v0", "v1", "a0", "a1", "a2", "a3",
                                          "t0",   "t1", "t2", "t3", "t4", "t5", "t6", "t7",
                                          "s0",   "s1", "s2", "s3", "s4", "s5", "s6", "s7",
                                          "t8",   "t9", "k0", "k1", "gp", "sp", "fp", "ra"};

unsigned mips_register_called(const char *name, bool n64)
{
    enum { FP = 30, T0 = 8, FOUR = 4 };
    unsigned number = 0;
    int end = 0;
    if (isdigit((unsigned char)*name) && sscanf(name, "%2u%n", &number, &end) == 1)
        return name[end] || number > 32 ? 32 : number;
    if (!strcmp(name, "s8"))
        return FP;
    while (number < 32 && strcmp(gpr_names[number], name) != 0)
        number++;
    if (n64 && number >= T0 && number < T0 + FOUR)
        return number + FOUR; /* t0 to t3 */
    if (n64 && number >= T0 + FOUR && number < T0 + 2 * FOUR)
        return 32; /* t4 to t7 */
    if (n64 && name[0] == 'a' && name[1] >= '4' && name[1] <= '7' && !name[2])
        return T0 + (unsigned)(name[1] - '4');
    return number;
}

static int print_number(char letter, uint32_t word, uint64_t va, char *buf, size_t size)
{
    struct mips_op op = {0};
    struct mips_use use = {0};
    struct translation t = {.word = word, .op = &op, .use = &use};

    number_operand(&t, letter);
    switch (letter) {
    case 'p':
        return snprintf(buf, size, "0x%" PRIx64, va + (uint64_t)(int64_t)op.imm);
    case 'j':
        return snprintf(buf, size, "0x%" PRIx64,
                        ((va + 4) & ~UINT64_C(0x0fffffff)) | (uint32_t)op.imm);
    case 'u':
    case 'c':
    case 'q':
        return snprintf(buf, size, "0x%x", (unsigned)op.imm);
    case 'C':
    case 'Q':
        return snprintf(buf, size, "$fcc%u", letter == 'C' ? word >> 18 & 7 : word >> 8 & 7);
    case 'e':
    case 'E':
    case 'U':
    case 'l':
    case 'L':
    case 'O':
        return snprintf(buf, size, "%d,%d", op.imm & 0xff, op.imm >> 8);
    case 'A':
        return snprintf(buf, size, "0x%x", table_field(word, RT));
    case 'I':
        return snprintf(buf, size, "0x%x", table_field(word, RD));
    case 'R':
    case 'K':
    case 'k':
    case '0':
        return snprintf(buf, size, "$%d", op.imm);
    default:
        return snprintf(buf, size, "%d", op.imm);
    }
}

static int print_operand(char letter, uint32_t word, uint64_t va, char *buf, size_t size)
{
    const struct register_letter *l = register_letter(letter);

    if (strchr(",()", letter))
        return snprintf(buf, size, "%c", letter);
    if (letter == 'Z')
        return 0;
    if (l && l->kind == GPR)
        return snprintf(buf, size, "%s", gpr_names[table_field(word, l->position)]);
    if (l)
        return snprintf(buf, size, "f%u", table_field(word, l->position));
    return print_number(letter, word, va, buf, size);
}

void mips_disassemble(uint32_t word, uint64_t va, char *buf, unsigned size)
{
    const struct mips_row *row = &mips_rows[mips_row_find(word)];
    size_t used;

    if (size == 0)
        return;
    if (word == 0)
        used = (size_t)snprintf(buf, size, "nop");
    else if (row == &mips_rows[MIPS_OP_RI])
        used = (size_t)snprintf(buf, size, ".word 0x%08" PRIx32, word);
    else
        used = (size_t)snprintf(buf, size, "%s%s", row->mnemonic, *row->operands ? " " : "");
    for (const char *o = word ? row->operands : ""; *o && used < size; o++)
        used += (size_t)print_operand(*o, word, va, buf + used, size - used);
}
