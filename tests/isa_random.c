/* The generator behind isa_random.h: operands are drawn letter by letter from the table's rows. */
#include "tests/isa_random.h"

#include "procard/r4400/code.h"

#include <string.h>

enum { R_COUNT = 27, R_SCRATCH = 28, R_BLOCK = 29 }; /* not changed by random instructions */
enum { SYSCALL_WORD = 0x0000000c };

struct writer {
    struct rig *rig;
    const struct random_program *program;
    uint64_t va;
    uint64_t seed;
};

static unsigned draw(struct writer *w, unsigned n)
{
    return (unsigned)(rig_random(&w->seed) % n);
}

static void put(struct writer *w, uint32_t word)
{
    rig_put(w->rig, w->va, word);
    w->va += 4;
}

static void put_row(struct writer *w, enum mips_opcode row, unsigned a, unsigned b, unsigned c,
                    unsigned low)
{
    put(w, mips_rows[row].match | a << 21 | b << 16 | c << 11 | low);
}

static void load_address(struct writer *w, unsigned reg, uint32_t address)
{
    put_row(w, MIPS_OP_LUI, 0, reg, 0, address >> 16);
    put_row(w, MIPS_OP_ORI, reg, reg, 0, address & 0xffff);
}

static bool reserved_register(unsigned n)
{
    return n == R_COUNT || n == R_SCRATCH || n == R_BLOCK;
}

static unsigned gpr(struct writer *w, bool result)
{
    unsigned n;

    do
        n = draw(w, 32);
    while (result && reserved_register(n));
    return n;
}

static unsigned fpr(struct writer *w, bool whole)
{
    return w->program->n64 || !whole ? draw(w, 32) : draw(w, 32) & ~1u;
}

/** Random bits for one operand letter. */
static uint32_t operand(struct writer *w, char letter, uint32_t match)
{
    const unsigned pos = draw(w, 32), top = pos + draw(w, 32 - pos);

    switch (letter) {
    case 's':
        return gpr(w, false) << 21;
    case 't':
        return gpr(w, false) << 16;
    case 'D':
    case 'Y':
        return gpr(w, true) << 11;
    case 'T':
    case 'X':
        return gpr(w, true) << 16;
    case 'v':
    case 'V':
        return fpr(w, false) << 11;
    case 'w':
    case 'W':
        return fpr(w, false) << 16;
    case 'r':
        return fpr(w, false) << 21;
    case 'F':
    case 'f':
        return fpr(w, false) << 6;
    case 'n':
    case 'N':
    case 'P':
    case 'h':
    case 'H':
        return fpr(w, true) << 11;
    case 'm':
    case 'M':
    case 'B':
        return fpr(w, true) << 16;
    case 'z':
        return fpr(w, true) << 21;
    case 'G':
    case 'g':
        return fpr(w, true) << 6;
    case 'i':
    case 'u':
        return draw(w, 0x10000);
    case 'a':
        return draw(w, 32) << 6;
    case 'C':
        return draw(w, 8) << 18;
    case 'Q':
        return draw(w, 8) << 8;
    case 'A':
        return draw(w, 32) << 16;
    case 'I':
        return draw(w, 32) << 11;
    case 'e':
    case 'E':
    case 'U': /* size - 1 in rd, position in sa */
        return (top - pos) << 11 | pos << 6;
    case 'l':
    case 'O':
        return top << 11 | pos << 6;
    case 'L':
        return draw(w, 32) << 11 | pos << 6;
    default:
        (void)match;
        return 0;
    }
}

/** Rows that a sequence may not contain as they are. */
static bool unsuitable(const struct writer *w, unsigned n)
{
    const struct mips_row *row = &mips_rows[n];
    static const uint16_t never[] = {
        MIPS_OP_ADD,     MIPS_OP_ADDI,  MIPS_OP_SUB,   MIPS_OP_DADD,  MIPS_OP_DADDI, MIPS_OP_DSUB,
        MIPS_OP_SYSCALL, MIPS_OP_BREAK, MIPS_OP_TGE,   MIPS_OP_TGEU,  MIPS_OP_TLT,   MIPS_OP_TLTU,
        MIPS_OP_TEQ,     MIPS_OP_TNE,   MIPS_OP_TGEI,  MIPS_OP_TGEIU, MIPS_OP_TLTI,  MIPS_OP_TLTIU,
        MIPS_OP_TEQI,    MIPS_OP_TNEI,  MIPS_OP_RDHWR, MIPS_OP_CACHE, MIPS_OP_COP0,  MIPS_OP_COP2,
        MIPS_OP_MFPS,    MIPS_OP_MFPC,  MIPS_OP_MTPS,  MIPS_OP_MTPC,  MIPS_OP_LWC2,  MIPS_OP_LDC2,
        MIPS_OP_SWC2,    MIPS_OP_SDC2,  MIPS_OP_SC,    MIPS_OP_SCD,   MIPS_OP_CTC1,  MIPS_OP_CFC1,
        MIPS_OP_SYNCI};

    for (unsigned i = 0; i < sizeof never / sizeof never[0]; i++) {
        if (n == never[i])
            return true;
    }
    if ((row->isa & MIPS_ISA_LEVEL) > mips_level(w->program->isa))
        return true;
    if (row->klass == MIPS_CLASS_JUMP || row->klass == MIPS_CLASS_JUMPR)
        return true;
    return !w->program->n64 && row->isa & (MIPS_ISA_W64 | MIPS_ISA_FR1);
}

static unsigned access_size(enum mips_opcode n)
{
    switch (n) {
    case MIPS_OP_LH:
    case MIPS_OP_LHU:
    case MIPS_OP_SH:
        return 2;
    case MIPS_OP_LW:
    case MIPS_OP_LWU:
    case MIPS_OP_SW:
    case MIPS_OP_LL:
    case MIPS_OP_LWC1:
    case MIPS_OP_SWC1:
    case MIPS_OP_LWXC1:
    case MIPS_OP_SWXC1:
        return 4;
    case MIPS_OP_LB:
    case MIPS_OP_LBU:
    case MIPS_OP_SB:
    case MIPS_OP_LWL:
    case MIPS_OP_LWR:
    case MIPS_OP_SWL:
    case MIPS_OP_SWR:
    case MIPS_OP_LDL:
    case MIPS_OP_LDR:
    case MIPS_OP_SDL:
    case MIPS_OP_SDR:
    case MIPS_OP_PREF:
        return 1;
    default:
        return 8;
    }
}

/** A load or store in scratch memory; an indexed one needs a register with the index. */
static void put_access(struct writer *w, enum mips_opcode n)
{
    const struct mips_row *row = &mips_rows[n];
    const unsigned size = access_size(n), offset = draw(w, RANDOM_SCRATCH / size) * size;
    uint32_t word = row->match | R_SCRATCH << 21;
    const bool indexed = strchr(row->operands, 'o') == NULL;
    const unsigned index = 1 + draw(w, 26);

    for (const char *o = row->operands; *o; o++) {
        if (!strchr("otb", *o) || (*o == 't' && !indexed))
            word |= operand(w, *o, row->match);
        if (strchr("xy", *o))
            word |= fpr(w, *o == 'y') << 11;
    }
    if (indexed) {
        put_row(w, MIPS_OP_ORI, 0, index, 0, offset);
        put(w, word | index << 16);
    } else {
        put(w, word | offset);
    }
}

/** Linked load and its store to the same place; the processors agree only about the whole. */
static void put_linked(struct writer *w)
{
    const bool wide = w->program->n64 && draw(w, 2);
    const unsigned offset = draw(w, RANDOM_SCRATCH / 8) * 8;

    put_row(w, wide ? MIPS_OP_LLD : MIPS_OP_LL, R_SCRATCH, gpr(w, true), 0, offset);
    put_row(w, MIPS_OP_ADDIU, gpr(w, false), gpr(w, true), 0, draw(w, 0x10000));
    put_row(w, wide ? MIPS_OP_SCD : MIPS_OP_SC, R_SCRATCH, gpr(w, true), 0, offset);
}

/** A new rounding mode, flags, FS: ctc1 that raises nothing. */
static void put_fcsr(struct writer *w)
{
    const unsigned reg = 1 + draw(w, 26);
    const uint32_t value = (uint32_t)rig_random(&w->seed) & (draw(w, 4) ? 0xfe800003 : 0xff80007f);

    load_address(w, reg, value);
    put_row(w, MIPS_OP_CTC1, 0, reg, 31, 0);
    if (draw(w, 2))
        put_row(w, MIPS_OP_CFC1, 0, gpr(w, true), (unsigned[]){25, 26, 28, 31}[draw(w, 4)], 0);
}

/** One random instruction, or a few that belong together. `slot`: one, and no transfer. */
static void put_random(struct writer *w, bool slot)
{
    enum mips_opcode n;
    const struct mips_row *row;
    uint32_t word;

    if (!slot && draw(w, 40) == 0)
        return put_linked(w);
    if (!slot && draw(w, 20) == 0)
        return put_fcsr(w);
    do {
        n = (enum mips_opcode)(MIPS_OP_RI + 1 + draw(w, MIPS_OP_ROWS_END - MIPS_OP_RI - 1));
        row = &mips_rows[n];
    } while (unsuitable(w, n) ||
             (slot && (strchr(row->operands, 'p') ||
                       (strchr(row->operands, 'b') && !strchr(row->operands, 'o')))));
    if (strchr(row->operands, 'b'))
        return put_access(w, n);
    word = row->match;
    for (const char *o = row->operands; *o; o++)
        word |= operand(w, *o, row->match);
    if (strchr(row->operands, 'p')) { /* over its slot and up to three words of anything */
        put(w, word | (1 + draw(w, 4)));
        put_random(w, true);
        for (unsigned i = 0; i < 3; i++)
            put_random(w, true);
        return;
    }
    put(w, word);
}

/** Registers from (or to) the block. */
static void put_transfer_of_registers(struct writer *w, bool load)
{
    const bool n64 = w->program->n64;
    const enum mips_opcode gpr_row = load  ? (n64 ? MIPS_OP_LD : MIPS_OP_LW)
                                     : n64 ? MIPS_OP_SD
                                           : MIPS_OP_SW;

    if (load) {
        put_row(w, gpr_row, R_BLOCK, 1, 0, BLOCK_HI);
        put_row(w, MIPS_OP_MTHI, 1, 0, 0, 0);
        put_row(w, gpr_row, R_BLOCK, 1, 0, BLOCK_LO);
        put_row(w, MIPS_OP_MTLO, 1, 0, 0, 0);
        put_row(w, MIPS_OP_LW, R_BLOCK, 1, 0, BLOCK_FCSR);
        put_row(w, MIPS_OP_CTC1, 0, 1, 31, 0);
    }
    for (unsigned n = 1; n < 32; n++) {
        if (!reserved_register(n))
            put_row(w, gpr_row, R_BLOCK, n, 0, BLOCK_GPR + 8 * n);
    }
    for (unsigned n = 0; n < 32; n += n64 ? 1 : 2)
        put_row(w, load ? MIPS_OP_LDC1 : MIPS_OP_SDC1, R_BLOCK, n, 0, BLOCK_FPR + 8 * n);
    if (!load) {
        put_row(w, MIPS_OP_MFHI, 0, 0, 1, 0);
        put_row(w, gpr_row, R_BLOCK, 1, 0, BLOCK_HI);
        put_row(w, MIPS_OP_MFLO, 0, 0, 1, 0);
        put_row(w, gpr_row, R_BLOCK, 1, 0, BLOCK_LO);
        put_row(w, MIPS_OP_CFC1, 0, 1, 31, 0);
        put_row(w, MIPS_OP_SW, R_BLOCK, 1, 0, BLOCK_FCSR);
    }
}

static void put_system_call(struct writer *w, unsigned number, unsigned a0)
{
    put_row(w, MIPS_OP_ADDIU, 0, 2, 0, number);
    put_row(w, MIPS_OP_ADDIU, 0, 4, 0, a0);
    put(w, SYSCALL_WORD);
}

/** A value an integer or floating-point bug likes. */
static uint64_t interesting(struct writer *w)
{
    static const uint64_t doubles[] = {
        0x0000000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff7ffffffffffff,
        0x7ff8000000000000, 0x7ff0000000000001, 0x0010000000000000, 0x000fffffffffffff,
        0x0000000000000001, 0x7fefffffffffffff, 0x41dfffffffc00000, 0x43e0000000000000,
        0x4330000000000001, 0x3fe0000000000000, 0x41e0000000000000, 0x3690000000000000};
    static const uint32_t singles[] = {0x00000000, 0x3f800000, 0x7f800000, 0x7fbfffff, 0x7fc00000,
                                       0x7f800001, 0x00800000, 0x007fffff, 0x00000001, 0x7f7fffff,
                                       0x4f000000, 0x5f000000, 0x3f000000, 0x4b000001};
    const uint64_t random = rig_random(&w->seed);
    const uint64_t sign = random & UINT64_C(0x8000000080000000);

    switch (draw(w, 8)) {
    case 0:
        return doubles[draw(w, 16)] ^ (sign & UINT64_C(1) << 63);
    case 1:
        return ((uint64_t)singles[draw(w, 14)] << 32 | singles[draw(w, 14)]) ^ sign;
    case 2: /* near 1, so that results stay in range */
        return (random & UINT64_C(0x800fffffffffffff)) | (uint64_t)(0x3f8 + draw(w, 16)) << 52;
    case 3:
        return (random & UINT64_C(0x807fffff807fffff)) | (uint64_t)(0x7a + draw(w, 12)) << 55 |
               (uint64_t)(0x7a + draw(w, 12)) << 23;
    case 4: /* near the smallest */
        return (random & UINT64_C(0x800fffffffffffff)) | (uint64_t)draw(w, 60) << 52;
    case 5:
        return (uint64_t)(int64_t)(int16_t)random;
    case 6:
        return random & sign;
    default:
        return random;
    }
}

static void put_value(struct writer *w, uint64_t va, uint64_t value)
{
    rig_put(w->rig, va, (uint32_t)(value >> 32));
    rig_put(w->rig, va + 4, (uint32_t)value);
}

/** Initial registers. 32-bit integer instructions are defined for sign-extended values only, and in
 *  n64 both kinds of instruction meet: most values are. */
static void put_block(struct writer *w, uint64_t va)
{
    for (unsigned n = 0; n < 32; n++) {
        const uint64_t value = interesting(w);
        const uint64_t word = (uint64_t)(int64_t)(int32_t)value;

        put_value(w, va + BLOCK_GPR + 8 * n, w->program->n64 ? value : word << 32 | (word >> 32));
        put_value(w, va + BLOCK_FPR + 8 * n, interesting(w));
    }
    put_value(w, va + BLOCK_HI, interesting(w));
    put_value(w, va + BLOCK_LO, interesting(w));
    put_value(w, va + BLOCK_FCSR, (rig_random(&w->seed) & 0xfe800003) << 32);
}

unsigned random_write(struct rig *rig, const struct random_program *program)
{
    struct writer w = {rig, program, RANDOM_BASE, program->seed};
    const unsigned blocks = program->sequences * RANDOM_BLOCK;
    const uint32_t scratch = RANDOM_DATA + ((blocks + 4095) & ~4095u);
    const unsigned bytes = scratch + RANDOM_SCRATCH - RANDOM_DATA;

    for (unsigned n = 0; n < program->sequences; n++) {
        const uint32_t block = RANDOM_DATA + n * RANDOM_BLOCK;
        uint64_t again;

        put_block(&w, block);
        load_address(&w, R_SCRATCH, scratch);
        load_address(&w, R_BLOCK, block);
        put_row(&w, MIPS_OP_ADDIU, 0, R_COUNT, 0, program->loops ? 3 : 0);
        put_transfer_of_registers(&w, true);
        again = w.va;
        for (unsigned i = 0; i < program->length; i++)
            put_random(&w, false);
        for (unsigned i = 0; i < 4; i++)
            put(&w, 0); /* the last branches end here */
        if (program->loops) {
            put_row(&w, MIPS_OP_ADDIU, R_COUNT, R_COUNT, 0, 0xffff);
            put_row(&w, draw(&w, 2) ? MIPS_OP_BGTZ : MIPS_OP_BGTZL, R_COUNT, 0, 0,
                    (uint16_t)((again - w.va - 4) / 4));
            put_random(&w, true);
        }
        put_transfer_of_registers(&w, false);
    }
    load_address(&w, 5, RANDOM_DATA);
    load_address(&w, 6, bytes);
    put_system_call(&w, program->n64 ? 5001 : 4004, 1);
    put_system_call(&w, program->n64 ? 5058 : 4001, 0);
    return bytes;
}
