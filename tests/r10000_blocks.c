/*
 * What the decoder says of a word decides whether it may stand in a block: bits that its row leaves
 * open are drawn, and the word is taken unless it writes a register that addresses need.
 */
#include "r10000_blocks.h"

#include "procard/r10000/pipeline.h"

#include <string.h>

enum { REGISTER_RA = 31, SYSCALL_WORD = 0x0c, RS = 21, RT = 16, RD = 11, FD = 6 };

/* A block while it is written. */
struct writer {
    struct blocks *b;
    uint32_t *words;
    unsigned count;
    uint32_t kept; /* of each register's number in operations of the floating-point unit: how many
                      registers there are */
    unsigned fp;   /* of 8 instructions, so many are */
};

/* splitmix64 */
static uint64_t draw(struct blocks *b)
{
    uint64_t z = b->seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

unsigned blocks_below(struct blocks *b, unsigned n)
{
    return (unsigned)(draw(b) >> 32) % n;
}

static unsigned below(struct writer *w, unsigned n)
{
    return blocks_below(w->b, n);
}

static void put(struct writer *w, uint32_t word)
{
    w->words[w->count++] = word;
}

static void put_row(struct writer *w, enum mips_opcode row, unsigned s, unsigned t, unsigned low)
{
    put(w, mips_rows[row].match | s << RS | t << RT | (low & 0xffff));
}

static uint32_t set(uint32_t word, unsigned at, unsigned reg)
{
    return (word & ~(UINT32_C(31) << at)) | reg << at;
}

static const struct r10k_word *meaning(const struct writer *w, uint32_t word)
{
    return r10k_word_get(w->b->code, word, w->b->flags);
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* Where it goes, as often as not to the same few lines; hardly ever out of alignment. */
static uint32_t address(struct writer *w, uint32_t word, const struct r10k_word *m)
{
    const unsigned where = below(w, 32);
    const unsigned base = where < 18   ? BLOCKS_HOT
                          : where < 25 ? BLOCKS_SHARED
                          : where < 31 ? BLOCKS_FAR
                                       : BLOCKS_ODD;
    const unsigned size = m->size ? m->size : 4;
    const unsigned reach = base == BLOCKS_FAR ? 0x8000 : base == BLOCKS_HOT ? 0x600 : 0x100;
    word = set(word, RS, base);
    if (strchr(mips_rows[mips_row_find(word)].operands, 'o'))
        return (word & ~UINT32_C(0xffff)) | (below(w, reach) & (below(w, 200) ? -size : ~0u));
    return set(word, RT, BLOCKS_INDEX);
}

static bool of_counters(unsigned code)
{
    return code == MIPS_OP_MTPC || code == MIPS_OP_MTPS || code == MIPS_OP_MFPC ||
           code == MIPS_OP_MFPS;
}

static bool keeps_addresses(const struct r10k_word *m)
{
    for (unsigned i = 0; i < m->results; i++)
        if (m->result[i] >= BLOCKS_HOT && m->result[i] < BLOCKS_END)
            return false;
    return true;
}

/* What ends a block is rare: how many of it there are for one that stands in it. */
static unsigned rarity(const struct r10k_word *m)
{
    const unsigned code = m->op.code;
    if (m->traits & R10K_NOW && code != MIPS_OP_NOP && code != MIPS_OP_RDHWR)
        return 300;
    return (code >= MIPS_OP_TGE && code <= MIPS_OP_TNEI) || of_counters(code) ? 20 : 1;
}

static bool may_stand(struct writer *w, const struct r10k_word *m)
{
    return keeps_addresses(m) && !(m->traits & R10K_TRANSFER) && m->op.code != MIPS_OP_CTC1 &&
           !below(w, rarity(m)); /* put_control */
}

static uint32_t few_registers(const struct writer *w, uint32_t word)
{
    for (unsigned at = FD; at <= RS; at += 5)
        word &= ~(~w->kept << at & UINT32_C(31) << at & ~mips_rows[mips_row_find(word)].mask);
    return word;
}

static bool goes_to_memory(enum mips_opcode n)
{
    return mips_rows[n].klass == MIPS_CLASS_LOAD || mips_rows[n].klass == MIPS_CLASS_STORE;
}

/* Arithmetic of the floating-point unit, and loads and stores, are more than their rows. */
static enum mips_opcode draw_row(struct writer *w)
{
    enum { PREFETCHES = 24 };
    const bool fp = below(w, 8) < w->fp, memory = !below(w, 3);
    if (!below(w, PREFETCHES))
        return below(w, 4) ? MIPS_OP_PREF : MIPS_OP_PREFX;
    for (;;) {
        const enum mips_opcode n = (enum mips_opcode)(1 + below(w, MIPS_OP_ROWS_END - 1));
        if (memory ? goes_to_memory(n) : !fp || mips_fpu[n])
            return n;
    }
}

/* Any instruction but a transfer. */
static uint32_t any(struct writer *w)
{
    for (;;) {
        const struct mips_row *row = &mips_rows[draw_row(w)];
        uint32_t word = row->match | ((uint32_t)draw(w->b) & ~row->mask);
        const struct r10k_word *m = meaning(w, word);
        if (m->traits & R10K_FP)
            word = few_registers(w, word);
        if (m->traits & (R10K_LOAD | R10K_STORE | R10K_PREFETCH | R10K_CACHE))
            word = address(w, word, m);
        if (m->op.code == MIPS_OP_MTPC || m->op.code == MIPS_OP_MTPS)
            word = set(word, RT, BLOCKS_VALUE);
        if (may_stand(w, meaning(w, word)))
            return word;
    }
}

/* ---- what belongs together ------------------------------------------------------------------- */

/* An address for a jump, or a value: one of the low 2 GB. */
static void put_number(struct writer *w, unsigned reg, uint64_t number)
{
    put_row(w, MIPS_OP_LUI, 0, reg, (unsigned)(number >> 16));
    put_row(w, MIPS_OP_ORI, reg, reg, (unsigned)number);
}

/* Over its slot and a few more. */
static void put_branch(struct writer *w)
{
    const unsigned over = below(w, 5);
    const struct r10k_word *m;
    uint32_t word;
    do {
        const struct mips_row *row = &mips_rows[draw_row(w)];
        word = (row->match | ((uint32_t)draw(w->b) & ~row->mask & ~UINT32_C(0xffff))) | (over + 1);
        m = meaning(w, word);
        w->fp = 0; /* they are of no unit */
    } while (!(m->traits & R10K_BRANCH) || !keeps_addresses(m));
    put(w, word);
    for (unsigned i = 0; i <= over; i++)
        put(w, any(w));
}

static void put_jump(struct writer *w)
{
    static const enum mips_opcode rows[] = {MIPS_OP_J, MIPS_OP_JAL, MIPS_OP_JR, MIPS_OP_JALR};
    const enum mips_opcode row = rows[below(w, 4)];
    const bool fixed = row == MIPS_OP_J || row == MIPS_OP_JAL;
    const unsigned over = below(w, 4), behind = w->count + (fixed ? 2 : 4) + over;
    const uint64_t to = w->b->at + 4 * behind;
    if (fixed) {
        put(w, mips_rows[row].match | ((uint32_t)to >> 2 & 0x3ffffff));
    } else {
        put_number(w, BLOCKS_TO, to);
        put_row(w, row, BLOCKS_TO, 0, row == MIPS_OP_JALR ? REGISTER_RA << RD : 0);
    }
    for (unsigned i = 0; i <= over; i++)
        put(w, any(w));
}

static void put_linked(struct writer *w)
{
    const bool wide = w->b->flags & MIPS_W64 && below(w, 2);
    const unsigned base = below(w, 2) ? BLOCKS_SHARED : BLOCKS_HOT, at = 8 * below(w, 16);
    put_row(w, wide ? MIPS_OP_LLD : MIPS_OP_LL, base, 2, at);
    for (unsigned n = below(w, 3); n; n--)
        put(w, any(w));
    put_row(w, MIPS_OP_ADDIU, 2, 2, 1);
    put_row(w, wide ? MIPS_OP_SCD : MIPS_OP_SC, base, 2, at);
}

/* Rounding and enables; the latter are rare, for what they raise ends the block. */
static void put_control(struct writer *w)
{
    const uint32_t enables = below(w, 12) ? 0 : 0xf80;
    put_number(w, 2, ((uint32_t)draw(w->b) & (0xfe80007f | enables)));
    put(w, set(mips_rows[MIPS_OP_CTC1].match, RT, 2) | 31u << RD);
}

static void put_some(struct writer *w)
{
    const unsigned fp = w->fp, what = below(w, 64);
    if (what < 8)
        put_branch(w);
    else if (what < 10)
        put_jump(w);
    else if (what < 12)
        put_linked(w);
    else if (what < 13)
        put_control(w);
    else
        put(w, any(w));
    w->fp = fp;
}

/* ---- the whole ------------------------------------------------------------------------------- */

unsigned blocks_draw(struct blocks *b, uint32_t *words)
{
    struct writer w = {.b = b, .words = words};
    const unsigned length = 2 + below(&w, below(&w, 4) ? 24 : 100);
    w.kept = below(&w, 2) ? 31 : 7;
    w.fp = below(&w, 8);
    for (unsigned i = 0; i < length; i++)
        put_some(&w);
    put_row(&w, MIPS_OP_ADDIU, BLOCKS_ROUNDS, BLOCKS_ROUNDS, (unsigned)-1);
    put_row(&w, MIPS_OP_BGTZ, BLOCKS_ROUNDS, 0, -w.count - 1);
    put(&w, any(&w));
    put(&w, SYSCALL_WORD);
    return w.count;
}

/* Most are near 1, so that results stay in range. */
static uint64_t number(struct blocks *b)
{
    static const uint64_t some[] = {0,
                                    1,
                                    UINT64_C(0x7ff0000000000000),
                                    UINT64_C(0x7ff8000000000001),
                                    1ull << 63,
                                    ~0ull,
                                    0x7f800000,
                                    0x00800000};
    const uint64_t random = draw(b);
    switch (blocks_below(b, 8)) {
    case 0:
        return some[random % 8];
    case 1:
        return random;
    case 2:
        return (random & UINT64_C(0x807fffff807fffff)) | UINT64_C(0x3f8000003f800000);
    default:
        return (random & UINT64_C(0x800fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    }
}

void blocks_registers(struct blocks *b, struct mips_regs *regs)
{
    for (unsigned i = 1; i < 32; i++)
        regs->gpr[i] = b->flags & MIPS_W64 ? number(b) : (uint64_t)(int64_t)(int32_t)number(b);
    for (unsigned i = 0; i < 32; i++)
        regs->fpr[i] = number(b);
    regs->hi = number(b);
    regs->lo = number(b);
    regs->fcsr = (uint32_t)draw(b) & 0xfe800003;
    regs->gpr[BLOCKS_INDEX] = 8 * blocks_below(b, 32);
    regs->gpr[BLOCKS_VALUE] = blocks_below(b, 0x200) << 5 | 15;
    regs->gpr[BLOCKS_ROUNDS] = 1 + blocks_below(b, blocks_below(b, 4) ? 4 : 16);
}
