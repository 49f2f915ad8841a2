/*
 * Draws random instruction sequences that are fully defined by the architecture.
 *
 * The hard idea: undefined cases are kept out by construction, not by checking. Registers are
 * divided by what they may hold (words / anything, singles / doubles), divisors are made on the
 * spot, addresses are constants within the scratch memory, branches go forward and loops count down
 * a register that nothing else writes.
 */
#include "sequences.h"

#include <stddef.h>

struct gen {
    struct dice *dice;
    uint32_t *code;
    unsigned size;
    int in_loop, depth;
};

struct op {
    void (*form)(struct gen *g, uint32_t word);
    uint32_t word;
};

static void unit(struct gen *g);
static void slot(struct gen *g);

static uint32_t below(struct gen *g, uint32_t n)
{
    return dice_below(g->dice, n);
}

static void emit(struct gen *g, uint32_t word)
{
    g->code[g->size++] = word;
}

/* ---- operands -------------------------------------------------------------------------------- */

#define RS(n) ((uint32_t)(n) << 21)
#define RT(n) ((uint32_t)(n) << 16)
#define RD(n) ((uint32_t)(n) << 11)
#define SA(n) ((uint32_t)(n) << 6)
#define FT(n) RT(n)
#define FS(n) RD(n)
#define FD(n) SA(n)
#define FR(n) RS(n)

#ifdef __LP64__
enum { FP_STEP = 1 };
#else
enum { FP_STEP = 2 }; /* odd registers mean different things in the two register modes */
#endif

/* Register 0 now and then. */
static uint32_t word_reg(struct gen *g)
{
    return below(g, 16);
}

static uint32_t wide_reg(struct gen *g)
{
    return 16 + below(g, 8);
}

static uint32_t any_reg(struct gen *g)
{
    return below(g, 24);
}

static uint32_t single_reg(struct gen *g)
{
    return below(g, 16 / FP_STEP) * FP_STEP;
}

static uint32_t double_reg(struct gen *g)
{
    return 16 + below(g, 16 / FP_STEP) * FP_STEP;
}

static uint32_t condition(struct gen *g)
{
    return below(g, 8) << 18 | below(g, 2) << 16;
}

static uint32_t immediate(struct gen *g)
{
    static const uint16_t edges[] = {0, 1, 0xffff, 0x7fff, 0x8000, 0x00ff, 0x0100, 4};
    return below(g, 3) ? dice_word(g->dice) & 0xffff : edges[below(g, 8)];
}

/* Base and offset of `size` aligned bytes of scratch memory. */
static uint32_t place(struct gen *g, unsigned size)
{
    int at = (int)(below(g, SCRATCH / size) * size);
    if (below(g, 2))
        return RS(REG_FRAME) | (uint16_t)(at - SCRATCH / 2);
    return RS(REG_STATE) | (uint16_t)(at + (int)offsetof(struct state, scratch));
}

/* REG_HELP = n */
static void help(struct gen *g, int n)
{
    emit(g, 0x24000000 | RT(REG_HELP) | (uint16_t)n);
}

/* A divisor that is neither 0 nor -1. */
static void help_divide(struct gen *g)
{
    if (below(g, 2)) {
        help(g, -2 - (int)below(g, 32766));
        return;
    }
    emit(g, 0x30000000 | RS(word_reg(g)) | RT(REG_HELP) | 0x7ffe); /* andi */
    emit(g, 0x34000000 | RS(REG_HELP) | RT(REG_HELP) | 1);         /* ori */
}

/* ---- forms: integer -------------------------------------------------------------------------- */

static void plain(struct gen *g, uint32_t word)
{
    emit(g, word);
}

static void word3(struct gen *g, uint32_t word)
{
    emit(g, word | RS(word_reg(g)) | RT(word_reg(g)) | RD(word_reg(g)));
}

static void word_shift(struct gen *g, uint32_t word)
{
    emit(g, word | RT(word_reg(g)) | RD(word_reg(g)) | SA(below(g, 32)));
}

/* sll takes any value and leaves a word. */
static void narrow(struct gen *g, uint32_t word)
{
    emit(g, word | RT(any_reg(g)) | RD(word_reg(g)) | SA(below(g, 32)));
}

static void word_immediate(struct gen *g, uint32_t word)
{
    emit(g, word | RS(word_reg(g)) | RT(word_reg(g)) | immediate(g));
}

static void word_upper(struct gen *g, uint32_t word)
{
    emit(g, word | RT(word_reg(g)) | immediate(g));
}

static void word_unary(struct gen *g, uint32_t word)
{
    emit(g, word | RT(word_reg(g)) | RD(word_reg(g)));
}

static void word_count(struct gen *g, uint32_t word)
{
    uint32_t to = word_reg(g);
    emit(g, word | RS(word_reg(g)) | RT(to) | RD(to));
}

static void word_extract(struct gen *g, uint32_t word)
{
    uint32_t position = below(g, 32), size = 1 + below(g, 32 - position);
    emit(g, word | RS(word_reg(g)) | RT(word_reg(g)) | RD(size - 1) | SA(position));
}

static void word_insert(struct gen *g, uint32_t word)
{
    uint32_t position = below(g, 32), size = 1 + below(g, 32 - position);
    emit(g, word | RS(word_reg(g)) | RT(word_reg(g)) | RD(position + size - 1) | SA(position));
}

static void move_condition(struct gen *g, uint32_t word)
{
    emit(g, word | RS(word_reg(g)) | condition(g) | RD(word_reg(g)));
}

/* Operands too small to overflow, which would trap. */
static void careful_add(struct gen *g, uint32_t word)
{
    help(g, (int16_t)immediate(g));
    emit(g, 0x00000003 | RT(word_reg(g)) | RD(1) | SA(2)); /* sra $1, x, 2 */
    emit(g, word | RS(1) | RT(REG_HELP) | RD(word_reg(g)));
}

static void never_trap(struct gen *g, uint32_t word)
{
    uint32_t reg = any_reg(g);
    emit(g, word | RS(reg) | RT(reg));
}

/* ---- forms: HI and LO ------------------------------------------------------------------------ */

static void multiply(struct gen *g, uint32_t word)
{
    emit(g, word | RS(word_reg(g)) | RT(word_reg(g)));
}

static void divide(struct gen *g, uint32_t word)
{
    help_divide(g);
    emit(g, word | RS(word_reg(g)) | RT(REG_HELP));
}

static void from_hilo(struct gen *g, uint32_t word)
{
    emit(g, word | RD(wide_reg(g)));
}

/* Both at once: writing one of them alone may spoil the other. */
static void to_hilo(struct gen *g, uint32_t word)
{
    emit(g, word | RS(any_reg(g)));
    emit(g, (word + 2) | RS(any_reg(g)));
}

/* mul leaves HI and LO undefined. */
static void multiply_to_register(struct gen *g, uint32_t word)
{
    word3(g, word);
    to_hilo(g, 0x00000011);
}

/* ---- forms: memory --------------------------------------------------------------------------- */

#define MEMORY_FORM(name, reg, size)                 \
    static void name(struct gen *g, uint32_t word)   \
    {                                                \
        emit(g, word | RT(reg(g)) | place(g, size)); \
    }
MEMORY_FORM(load1, word_reg, 1)
MEMORY_FORM(load2, word_reg, 2)
MEMORY_FORM(load4, word_reg, 4)
MEMORY_FORM(store1, any_reg, 1)
MEMORY_FORM(store2, any_reg, 2)
MEMORY_FORM(store4, any_reg, 4)
MEMORY_FORM(float_load4, single_reg, 4)
MEMORY_FORM(float_load8, double_reg, 8)
MEMORY_FORM(float_store4, single_reg, 4)
MEMORY_FORM(float_store8, double_reg, 8)

static void prefetch(struct gen *g, uint32_t word)
{
    emit(g, word | place(g, 1));
}

/* lwl and lwr as a compiler pairs them. */
static void unaligned_load(struct gen *g, uint32_t word)
{
    uint32_t reg = RT(word_reg(g)), at = (uint16_t)((int)below(g, SCRATCH - 3) - SCRATCH / 2);
    emit(g, word | reg | RS(REG_FRAME) | at);
    emit(g, 0x98000000 | reg | RS(REG_FRAME) | ((at + 3) & 0xffff));
}

/* Load linked, one other instruction, store conditional. */
static void linked(struct gen *g, uint32_t word, uint32_t reg, unsigned size)
{
    uint32_t at = place(g, size);
    emit(g, word | RT(reg) | at);
    emit(g, 0x24000000 | RS(REG_COUNT) | RT(REG_HELP) | immediate(g));
    emit(g, (word | 0x20000000) | RT(reg) | at);
}

static void linked4(struct gen *g, uint32_t word)
{
    linked(g, word, word_reg(g), 4);
}

/* ---- forms: floating point ------------------------------------------------------------------- */

#define FLOAT_FORMS(kind, reg)                                                     \
    static void kind##3(struct gen * g, uint32_t word)                             \
    {                                                                              \
        emit(g, word | FT(reg(g)) | FS(reg(g)) | FD(reg(g)));                      \
    }                                                                              \
    static void kind##2(struct gen * g, uint32_t word)                             \
    {                                                                              \
        emit(g, word | FS(reg(g)) | FD(reg(g)));                                   \
    }                                                                              \
    static void kind##_move(struct gen *g, uint32_t word)                          \
    {                                                                              \
        emit(g, word | RT(any_reg(g)) | FS(reg(g)) | FD(reg(g)));                  \
    }                                                                              \
    static void kind##_condition(struct gen *g, uint32_t word)                     \
    {                                                                              \
        emit(g, word | condition(g) | FS(reg(g)) | FD(reg(g)));                    \
    }                                                                              \
    static void kind##_compare(struct gen *g, uint32_t word)                       \
    {                                                                              \
        emit(g, word | below(g, 16) | below(g, 8) << 8 | FT(reg(g)) | FS(reg(g))); \
    }
FLOAT_FORMS(single, single_reg)
FLOAT_FORMS(double, double_reg)

static void single_to_double(struct gen *g, uint32_t word)
{
    emit(g, word | FS(single_reg(g)) | FD(double_reg(g)));
}

static void double_to_single(struct gen *g, uint32_t word)
{
    emit(g, word | FS(double_reg(g)) | FD(single_reg(g)));
}

static void from_single(struct gen *g, uint32_t word)
{
    emit(g, word | RT(word_reg(g)) | FS(single_reg(g)));
}

static void to_single(struct gen *g, uint32_t word)
{
    emit(g, word | RT(any_reg(g)) | FS(single_reg(g)));
}

static void from_double_high(struct gen *g, uint32_t word)
{
    emit(g, word | RT(word_reg(g)) | FS(double_reg(g)));
}

static void to_double_high(struct gen *g, uint32_t word)
{
    emit(g, word | RT(any_reg(g)) | FS(double_reg(g)));
}

static void from_control(struct gen *g, uint32_t word)
{
    emit(g, word | RT(word_reg(g)));
}

/* Any rounding mode, flags and conditions, but no exception enabled. */
static void to_control(struct gen *g, uint32_t word)
{
    if (below(g, 4) == 0)
        emit(g, 0x3c000000 | RT(REG_HELP) | (dice_word(g->dice) & 0xfe80)); /* lui */
    else
        help(g, 0);
    emit(g, 0x34000000 | RS(REG_HELP) | RT(REG_HELP) | below(g, 0x80)); /* ori */
    emit(g, word | RT(REG_HELP));
}

/* ---- forms: branches ------------------------------------------------------------------------- */

/* Over one to three units, all of which may be skipped. */
static void branch(struct gen *g, uint32_t word)
{
    unsigned at = g->size;

    emit(g, word);
    slot(g);
    if (g->depth < 3) {
        g->depth++;
        for (unsigned n = 1 + below(g, 3); n > 0; n--)
            unit(g);
        g->depth--;
    }
    g->code[at] |= (g->size - at - 1) & 0xffff;
}

static void branch2(struct gen *g, uint32_t word)
{
    branch(g, word | RS(any_reg(g)) | RT(any_reg(g)));
}

static void branch1(struct gen *g, uint32_t word)
{
    branch(g, word | RS(any_reg(g)));
}

static void branch_condition(struct gen *g, uint32_t word)
{
    branch(g, word | condition(g) | below(g, 2) << 17);
}

/* A few turns, with one of four ways to close the loop. */
static void loop(struct gen *g, uint32_t word)
{
    static const uint32_t closing[] = {0x14000000, 0x54000000, 0x1c000000, 0x5c000000};
    if (g->in_loop || g->depth > 0)
        return;
    g->in_loop = 1;
    emit(g, 0x24000000 | RT(REG_COUNT) | (2 + below(g, 4)));
    unsigned top = g->size;
    for (unsigned n = 1 + below(g, 4); n > 0; n--)
        unit(g);
    emit(g, 0x24000000 | RS(REG_COUNT) | RT(REG_COUNT) | 0xffff);
    word |= closing[below(g, 4)] | RS(REG_COUNT);
    emit(g, word | ((top - g->size - 1) & 0xffff));
    slot(g);
    g->in_loop = 0;
}

/* ---- forms: n64 only ------------------------------------------------------------------------- */

#ifdef __LP64__
static void wide3(struct gen *g, uint32_t word)
{
    emit(g, word | RS(any_reg(g)) | RT(any_reg(g)) | RD(wide_reg(g)));
}

static void wide_shift(struct gen *g, uint32_t word)
{
    emit(g, word | RT(any_reg(g)) | RD(wide_reg(g)) | SA(below(g, 32)));
}

static void wide_immediate(struct gen *g, uint32_t word)
{
    emit(g, word | RS(any_reg(g)) | RT(wide_reg(g)) | immediate(g));
}

static void wide_unary(struct gen *g, uint32_t word)
{
    emit(g, word | RT(any_reg(g)) | RD(wide_reg(g)));
}

static void wide_count(struct gen *g, uint32_t word)
{
    uint32_t to = wide_reg(g);
    emit(g, word | RS(any_reg(g)) | RT(to) | RD(to));
}

/* An extract or insert with its two fields. */
static void wide_field(struct gen *g, uint32_t word, uint32_t upper, uint32_t lower)
{
    emit(g, word | RS(any_reg(g)) | RT(wide_reg(g)) | RD(upper) | SA(lower));
}

static void wide_extract(struct gen *g, uint32_t word)
{
    wide_field(g, word, below(g, 32), below(g, 32));
}

static void wide_extract_long(struct gen *g, uint32_t word)
{
    uint32_t position = below(g, 32);
    wide_field(g, word, below(g, 32 - position), position);
}

static void wide_extract_upper(struct gen *g, uint32_t word)
{
    uint32_t position = below(g, 32);
    wide_field(g, word, below(g, 32 - position), position);
}

static void wide_insert(struct gen *g, uint32_t word)
{
    uint32_t position = below(g, 32);
    wide_field(g, word, position + below(g, 32 - position), position);
}

static void wide_insert_long(struct gen *g, uint32_t word)
{
    wide_field(g, word, below(g, 32), below(g, 32));
}

static void wide_insert_upper(struct gen *g, uint32_t word)
{
    uint32_t position = below(g, 32);
    wide_field(g, word, position + below(g, 32 - position), position);
}

static void careful_wide_add(struct gen *g, uint32_t word)
{
    uint32_t from = wide_reg(g);
    help(g, (int16_t)immediate(g));
    emit(g, 0x0000003b | RT(from) | RD(from) | SA(2)); /* dsra */
    emit(g, word | RS(from) | RT(REG_HELP) | RD(wide_reg(g)));
}

static void wide_multiply(struct gen *g, uint32_t word)
{
    emit(g, word | RS(any_reg(g)) | RT(any_reg(g)));
}

static void wide_divide(struct gen *g, uint32_t word)
{
    help_divide(g);
    emit(g, word | RS(any_reg(g)) | RT(REG_HELP));
}

MEMORY_FORM(wide_load1, wide_reg, 1)
MEMORY_FORM(wide_load4, wide_reg, 4)
MEMORY_FORM(wide_load8, wide_reg, 8)
MEMORY_FORM(store8, any_reg, 8)

static void linked8(struct gen *g, uint32_t word)
{
    linked(g, word, wide_reg(g), 8);
}

static void from_double(struct gen *g, uint32_t word)
{
    emit(g, word | RT(wide_reg(g)) | FS(double_reg(g)));
}

static void to_double(struct gen *g, uint32_t word)
{
    emit(g, word | RT(any_reg(g)) | FS(double_reg(g)));
}

static void single4(struct gen *g, uint32_t word)
{
    emit(g, word | FR(single_reg(g)) | FT(single_reg(g)) | FS(single_reg(g)) | FD(single_reg(g)));
}

static void double4(struct gen *g, uint32_t word)
{
    emit(g, word | FR(double_reg(g)) | FT(double_reg(g)) | FS(double_reg(g)) | FD(double_reg(g)));
}

static uint32_t indexed(struct gen *g, unsigned size)
{
    help(g, (int)(below(g, SCRATCH / size) * size) - SCRATCH / 2);
    return RS(REG_FRAME) | RT(REG_HELP);
}

static void indexed_load4(struct gen *g, uint32_t word)
{
    uint32_t at = indexed(g, 4);
    emit(g, word | at | FD(single_reg(g)));
}

static void indexed_load8(struct gen *g, uint32_t word)
{
    uint32_t at = indexed(g, 8);
    emit(g, word | at | FD(double_reg(g)));
}

static void indexed_store4(struct gen *g, uint32_t word)
{
    uint32_t at = indexed(g, 4);
    emit(g, word | at | FS(single_reg(g)));
}

static void indexed_store8(struct gen *g, uint32_t word)
{
    uint32_t at = indexed(g, 8);
    emit(g, word | at | FS(double_reg(g)));
}
#endif

/* ---- sequences ------------------------------------------------------------------------------- */

static const struct op ops[] = {
#define OP(name, form, word) {form, word},
#include "ops.def"
#undef OP
};

static void unit(struct gen *g)
{
    const struct op *op = &ops[below(g, sizeof ops / sizeof ops[0])];
    if (g->size < MOST_CODE - 64)
        op->form(g, op->word);
}

/* A delay slot: one instruction that is not a branch. */
static void slot(struct gen *g)
{
    static void (*const simple[])(struct gen * g, uint32_t word) = {word3, word_immediate, double3,
                                                                    load4, store4,         plain};
    static const uint32_t words[] = {0x00000021, 0x24000000, 0x46200000, 0x8c000000, 0xac000000, 0};
    uint32_t n = below(g, 6);
    simple[n](g, words[n]);
}

unsigned generate(struct dice *dice, uint32_t *code)
{
    struct gen g = {.dice = dice, .code = code};

    for (unsigned n = 6 + below(&g, 30); n > 0; n--)
        unit(&g);
    emit(&g, 0x03e00008); /* jr $31 */
    emit(&g, 0);
    return g.size;
}
