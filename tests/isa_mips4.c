/*
 * What MIPS IV added, by hand: results, NaNs, flags and exceptions of its arithmetic, the eight
 * condition codes, accesses with an index, prefetches. All with processor.isa mips4.
 *
 * The idea behind the arithmetic: madd and its like are two operations, each rounded and each with
 * its flags, so that the operands are chosen for what one rounding would have made of them.
 */
#include "tests/isa_assembler.h"
#include "tests/isa_rig.h"

#include <criterion/criterion.h>
#include <string.h>

enum { BASE = 0x400000, SIZE = 0x10000, DATA = 0x408000, LIMIT = 10000, ROOM = 8 };

#define SYSCALL 0x0000000c

/* FCR31: the flag of an exception, and with its cause; its enable. */
enum { I, U, O, Z, V };
#define FLAG(x)   (1u << (2 + (x)))
#define ENABLE(x) (1u << (7 + (x)))
#define CAUSE(x)  (1u << (12 + (x)))
#define RAISED(x) (CAUSE(x) | FLAG(x))
enum { TO_ZERO = 1, UP, DOWN };

#define QNAN_S UINT64_C(0x7fbfffff)
#define SNAN_S UINT64_C(0x7fc00000)
#define QNAN_D UINT64_C(0x7ff7ffffffffffff)
#define SNAN_D UINT64_C(0x7ff8000000000000)
#define ONE_D  UINT64_C(0x3ff0000000000000)
#define TWO_D  UINT64_C(0x4000000000000000)
#define INF_D  UINT64_C(0x7ff0000000000000)
#define MAX_D  UINT64_C(0x7fefffffffffffff)
#define MINUS  UINT64_C(0x8000000000000000)
#define KEPT   UINT64_C(0x0123456789abcdef) /* f0 before: what a withheld result leaves */

static void start_word(struct rig *rig, uint32_t word, bool n64)
{
    rig_init(rig, BASE, SIZE, n64, NM_ISA_MIPS4);
    rig_put(rig, BASE, word);
    rig_put(rig, BASE + 4, SYSCALL);
    rig->cpu.r.gpr[4] = DATA; /* a0 */
    rig->cpu.r.gpr[5] = 24;   /* a1 */
    rig->cpu.r.fpr[0] = KEPT;
}

static uint32_t word_of(const char *code)
{
    uint32_t words[ROOM];

    cr_assert_eq(assemble(code, words, ROOM), 1, "cannot assemble '%s'", code);
    return words[0];
}

static enum pc_exc run(struct rig *rig)
{
    cr_assert(rig_run(rig, LIMIT, 0, 0));
    return rig->cpu.base.exc;
}

/* Singles: 1 + 2^-12 squared is 1 + 2^-11 + 2^-24, half a unit in the last place above NEAR_S.
 * Doubles: 1 + 2^-27 squared is 1 + 2^-26 + 2^-54, a quarter above NEAR_D. */
#define ROOT_S  UINT64_C(0x3f800800)
#define NEAR_S  UINT64_C(0x3f801000)
#define ROOT_D  UINT64_C(0x3ff0000002000000)
#define NEAR_D  UINT64_C(0x3ff0000004000000)
#define MINUS_S UINT64_C(0x80000000)

static const struct arithmetic {
    int line;
    const char *code;
    uint64_t f2, f4, f6;
    uint32_t fcsr;
    uint64_t f0;
    uint32_t after;
} arithmetic[] = {
#define ROW(...) {__LINE__, __VA_ARGS__},
    /* The product is rounded before the sum: exactly 0, where one rounding would give 2^-24, 2^-54.
     */
    ROW("madd.s f0,f2,f4,f6", MINUS_S | NEAR_S, ROOT_S, ROOT_S, 0, 0,
        RAISED(I)) ROW("msub.s f0,f2,f4,f6", NEAR_S, ROOT_S, ROOT_S, 0, 0, RAISED(I))
        ROW("nmadd.s f0,f2,f4,f6", MINUS_S | NEAR_S, ROOT_S, ROOT_S, 0, MINUS_S,
            RAISED(I)) ROW("nmsub.s f0,f2,f4,f6", NEAR_S, ROOT_S, ROOT_S, 0, MINUS_S, RAISED(I))
            ROW("madd.d f0,f2,f4,f6", MINUS | NEAR_D, ROOT_D, ROOT_D, 0, 0, RAISED(I))
                ROW("msub.d f0,f2,f4,f6", NEAR_D, ROOT_D, ROOT_D, 0, 0, RAISED(I))
                    ROW("nmadd.d f0,f2,f4,f6", MINUS | NEAR_D, ROOT_D, ROOT_D, 0, MINUS, RAISED(I))
                        ROW("nmsub.d f0,f2,f4,f6", NEAR_D, ROOT_D, ROOT_D, 0, MINUS, RAISED(I))
    /* Upwards the product is one unit larger; downwards x - x is -0. The sign is turned last. */
    ROW("madd.s f0,f2,f4,f6", MINUS_S | NEAR_S, ROOT_S, ROOT_S, UP, 0x34000000, UP | RAISED(I)) ROW(
        "nmadd.s f0,f2,f4,f6", MINUS_S | NEAR_S, ROOT_S, ROOT_S, UP, 0xb4000000, UP | RAISED(I))
        ROW("madd.s f0,f2,f4,f6", MINUS_S | NEAR_S, ROOT_S, ROOT_S, DOWN, MINUS_S, DOWN | RAISED(I))
            ROW("nmadd.s f0,f2,f4,f6", MINUS_S | NEAR_S, ROOT_S, ROOT_S, DOWN, 0, DOWN | RAISED(I))
                ROW("madd.d f0,f2,f4,f6", MINUS | NEAR_D, ROOT_D, ROOT_D, UP,
                    UINT64_C(0x3cb0000000000000), UP | RAISED(I))
    /* Exact: 2 * 2 + 1, and so on. Causes of before go, flags stay. */
    ROW("madd.d f0,f2,f4,f6", ONE_D, TWO_D, TWO_D, RAISED(Z), UINT64_C(0x4014000000000000), FLAG(Z))
        ROW("msub.d f0,f2,f4,f6", ONE_D, TWO_D, TWO_D, 0, UINT64_C(0x4008000000000000), 0)
            ROW("nmadd.d f0,f2,f4,f6", ONE_D, TWO_D, TWO_D, 0, UINT64_C(0xc014000000000000), 0)
                ROW("nmsub.d f0,f2,f4,f6", ONE_D, TWO_D, TWO_D, 0, UINT64_C(0xc008000000000000), 0)
    /* The product overflows, whatever is added: inf, or the largest number; inf - inf is invalid.
     */
    ROW("madd.d f0,f2,f4,f6", MINUS | MAX_D, MAX_D, TWO_D, 0, INF_D, RAISED(O) | RAISED(I))
        ROW("madd.d f0,f2,f4,f6", MINUS | MAX_D, MAX_D, TWO_D, TO_ZERO, 0,
            TO_ZERO | RAISED(O) | RAISED(I)) ROW("madd.d f0,f2,f4,f6", MINUS | INF_D, MAX_D, TWO_D,
                                                 0, QNAN_D, RAISED(V) | RAISED(O) | RAISED(I))
    /* The product underflows to 0, the sum is exact. */
    ROW("madd.d f0,f2,f4,f6", ONE_D, 1, UINT64_C(0x3fd0000000000000), 0, ONE_D,
        RAISED(U) | RAISED(I))
    /* NaNs: a quiet one passes in silence, a signalling one and 0 * inf are invalid. */
    ROW("madd.s f0,f2,f4,f6", QNAN_S, ROOT_S, ROOT_S, 0, QNAN_S,
        RAISED(I)) ROW("madd.s f0,f2,f4,f6", ROOT_S, SNAN_S, ROOT_S, 0, QNAN_S, RAISED(V))
        ROW("madd.d f0,f2,f4,f6", QNAN_D, ONE_D, TWO_D, 0, QNAN_D, 0)
            ROW("msub.d f0,f2,f4,f6", SNAN_D, ONE_D, TWO_D, 0, QNAN_D, RAISED(V))
                ROW("madd.d f0,f2,f4,f6", ONE_D, QNAN_D, TWO_D, 0, QNAN_D, 0)
                    ROW("madd.d f0,f2,f4,f6", ONE_D, TWO_D, SNAN_D, 0, QNAN_D, RAISED(V))
                        ROW("madd.d f0,f2,f4,f6", QNAN_D, 0, INF_D, 0, QNAN_D, RAISED(V))
                            ROW("nmadd.d f0,f2,f4,f6", QNAN_D, ONE_D, TWO_D, 0, MINUS | QNAN_D, 0)
    /* Enabled: no result and no flag. */
    ROW("madd.s f0,f2,f4,f6", MINUS_S | NEAR_S, ROOT_S, ROOT_S, ENABLE(I), KEPT,
        ENABLE(I) | CAUSE(I)) ROW("nmsub.d f0,f2,f4,f6", ONE_D, MAX_D, TWO_D, ENABLE(O) | FLAG(Z),
                                  KEPT, ENABLE(O) | FLAG(Z) | CAUSE(O) | CAUSE(I))
        ROW("madd.d f0,f2,f4,f6", QNAN_D, 0, INF_D, ENABLE(V), KEPT, ENABLE(V) | CAUSE(V))

            ROW("recip.d f0,f2", UINT64_C(0x4010000000000000), 0, 0, 0,
                UINT64_C(0x3fd0000000000000),
                0) ROW("recip.d f0,f2", UINT64_C(0x4008000000000000),
                       0, 0, 0, UINT64_C(0x3fd5555555555555),
                       RAISED(I)) ROW("recip.d f0,f2", UINT64_C(0x4008000000000000), 0, 0, UP,
                                      UINT64_C(0x3fd5555555555556), UP | RAISED(I))
                ROW("recip.d f0,f2", 0, 0, 0, 0, INF_D,
                    RAISED(Z)) ROW("recip.d f0,f2", MINUS, 0, 0, 0, MINUS | INF_D,
                                   RAISED(Z)) ROW("recip.d f0,f2", MINUS | INF_D, 0, 0, 0, MINUS, 0)
                    ROW("recip.d f0,f2", QNAN_D, 0, 0, 0, QNAN_D, 0)
                        ROW("recip.d f0,f2", SNAN_D, 0, 0, 0, QNAN_D, RAISED(V))
                            ROW("recip.d f0,f2", 0, 0, 0, ENABLE(Z), KEPT, ENABLE(Z) | CAUSE(Z))
                                ROW("recip.s f0,f2", 1, 0, 0, 0, 0x7f800000, RAISED(O) | RAISED(I))
    /* 1 / (2^128 - 2^104) is 2^-128 and an eighth of the last place more. */
    ROW("recip.s f0,f2", 0x7f7fffff, 0, 0, 0, 0x00200000, RAISED(U) | RAISED(I))

        ROW("rsqrt.d f0,f2", UINT64_C(0x4010000000000000), 0, 0, 0, UINT64_C(0x3fe0000000000000), 0)
    /* 1 / (root of 2, rounded) is one unit below the root of 1/2, rounded. */
    ROW("rsqrt.d f0,f2", TWO_D, 0, 0, 0, UINT64_C(0x3fe6a09e667f3bcc), RAISED(I))
        ROW("rsqrt.d f0,f2", 0, 0, 0, 0, INF_D, RAISED(Z))
            ROW("rsqrt.d f0,f2", MINUS, 0, 0, 0, MINUS | INF_D, RAISED(Z))
                ROW("rsqrt.d f0,f2", INF_D, 0, 0, 0, 0, 0)
                    ROW("rsqrt.d f0,f2", MINUS | ONE_D, 0, 0, 0, QNAN_D, RAISED(V))
                        ROW("rsqrt.d f0,f2", MINUS | INF_D, 0, 0, 0, QNAN_D, RAISED(V))
                            ROW("rsqrt.d f0,f2", SNAN_D, 0, 0, 0, QNAN_D, RAISED(V))
                                ROW("rsqrt.d f0,f2", MINUS | ONE_D, 0, 0, ENABLE(V), KEPT,
                                    ENABLE(V) | CAUSE(V))
                                    ROW("rsqrt.s f0,f2", 0x40800000, 0, 0, 0, 0x3f000000, 0)
                                        ROW("rsqrt.s f0,f2", SNAN_S, 0, 0, 0, QNAN_S, RAISED(V))
#undef ROW
};

Test(isa_mips4, arithmetic_raises_and_rounds_twice)
{
    for (unsigned n = 0; n < sizeof arithmetic / sizeof arithmetic[0]; n++) {
        const struct arithmetic *row = &arithmetic[n];
        const bool withheld = row->f0 == KEPT, single = strstr(row->code, ".s");
        const uint64_t expected =
            single && !withheld ? (KEPT & ~(uint64_t)UINT32_MAX) | row->f0 : row->f0;
        struct rig rig;

        start_word(&rig, word_of(row->code), true);
        rig.cpu.r.fpr[2] = row->f2;
        rig.cpu.r.fpr[4] = row->f4;
        rig.cpu.r.fpr[6] = row->f6;
        rig.cpu.r.fcsr = row->fcsr;
        cr_expect_eq(run(&rig), withheld ? PC_EXC_FPE : PC_EXC_SYS, "line %d", row->line);
        cr_expect_eq(rig.cpu.r.fpr[0], expected, "line %d: %s is %016lx", row->line, row->code,
                     (unsigned long)rig.cpu.r.fpr[0]);
        cr_expect_eq(rig.cpu.r.fcsr, row->after, "line %d: FCR31 %08x", row->line, rig.cpu.r.fcsr);
        rig_free(&rig);
    }
}

/* ---- conditions ------------------------------------------------------------------------------ */

/** Their bits in FCR31. */
static const unsigned bits[8] = {23, 25, 26, 27, 28, 29, 30, 31};
static const uint32_t all_codes = 0xfe800000;

/** What MOVF, MOVT and the branches do when their code is set (or clear), all others the opposite.
 */
static const struct conditional {
    uint32_t word;  /* of code 0 */
    bool when;      /* it acts when the code is this */
    bool branch;    /* ... which is to skip the SYSCALL at BASE + 8 */
    uint64_t moved; /* f0, or v0 for MOVF and MOVT, afterwards, where f2 is SNAN_D and a0 DATA */
} conditionals[] = {
    {0x00801001, false, false, DATA},                                    /* movf v0,a0 */
    {0x00811001, true, false, DATA},                                     /* movt v0,a0 */
    {0x46001011, false, false, (KEPT & ~(uint64_t)UINT32_MAX) | SNAN_S}, /* movf.s f0,f2 */
    {0x46011011, true, false, (KEPT & ~(uint64_t)UINT32_MAX) | SNAN_S},  /* movt.s f0,f2 */
    {0x46201011, false, false, SNAN_D | SNAN_S},                         /* movf.d f0,f2 */
    {0x46211011, true, false, SNAN_D | SNAN_S},                          /* movt.d f0,f2 */
    {0x45000002, false, true, 0},                                        /* bc1f */
    {0x45010002, true, true, 0},                                         /* bc1t */
    {0x45020002, false, true, 0},                                        /* bc1fl */
    {0x45030002, true, true, 0},                                         /* bc1tl */
};

static void check_conditional(const struct conditional *row, unsigned cc, bool set)
{
    const uint32_t fcsr = (set ? 1u << bits[cc] : all_codes & ~(1u << bits[cc])) | CAUSE(V);
    const bool integer = (row->word & 0xfc000000) == 0, acts = set == row->when;
    struct rig rig;

    start_word(&rig, row->word | cc << 18, true);
    if (row->branch) {
        rig_put(&rig, BASE + 4, 0);
        rig_put(&rig, BASE + 8, SYSCALL);
        rig_put(&rig, BASE + 12, SYSCALL);
    }
    rig.cpu.r.gpr[2] = KEPT;
    rig.cpu.r.fpr[2] = SNAN_D | SNAN_S;
    rig.cpu.r.fcsr = fcsr;
    cr_expect_eq(run(&rig), PC_EXC_SYS);
    cr_expect_eq(rig.cpu.r.fcsr, fcsr, "a move or branch changes no flag");
    if (row->branch)
        cr_expect_eq(rig.cpu.r.pc, BASE + (acts ? 16 : 12), "%08x of %u, %d", row->word, cc, set);
    else
        cr_expect_eq(integer ? rig.cpu.r.gpr[2] : rig.cpu.r.fpr[0], acts ? row->moved : KEPT,
                     "%08x of %u, %d", row->word, cc, set);
    rig_free(&rig);
}

Test(isa_mips4, moves_and_branches_look_at_their_code_only)
{
    for (unsigned n = 0; n < sizeof conditionals / sizeof conditionals[0]; n++)
        for (unsigned cc = 0; cc < 8; cc++) {
            check_conditional(&conditionals[n], cc, false);
            check_conditional(&conditionals[n], cc, true);
        }
}

Test(isa_mips4, a_compare_sets_its_code_only)
{
    static const struct {
        uint32_t word;
        bool holds;
    } rows[] = {
        {0x46201032, true},  /* c.eq.d f2,f0, both 1 */
        {0x4620103c, false}, /* c.lt.d f2,f0 */
        {0x46001031, false}, /* c.un.s f2,f0: the lower halves are 0 */
        {0x4600103e, true},  /* c.le.s f2,f0 */
    };

    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++)
        for (unsigned i = 0; i < 16; i++) {
            const uint32_t bit = 1u << bits[i / 2], before = i & 1 ? all_codes : 0;
            struct rig rig;

            start_word(&rig, rows[n].word | (i / 2) << 8, true);
            rig.cpu.r.fpr[0] = rig.cpu.r.fpr[2] = ONE_D;
            rig.cpu.r.fcsr = before;
            cr_expect_eq(run(&rig), PC_EXC_SYS);
            cr_expect_eq(rig.cpu.r.fcsr, rows[n].holds ? before | bit : before & ~bit,
                         "%08x of code %u", rows[n].word, i / 2);
            rig_free(&rig);
        }
}

/** A compare that is invalid leaves its code when that is enabled. */
Test(isa_mips4, an_enabled_compare_leaves_its_code)
{
    struct rig rig;

    start_word(&rig, 0x46201032 | 5 << 8, true); /* c.eq.d $fcc5,f2,f0 */
    rig.cpu.r.fpr[2] = SNAN_D;
    rig.cpu.r.fcsr = 1u << bits[5] | ENABLE(V);
    cr_expect_eq(run(&rig), PC_EXC_FPE);
    cr_expect_eq(rig.cpu.r.fcsr, 1u << bits[5] | ENABLE(V) | CAUSE(V));
    rig_free(&rig);
}

Test(isa_mips4, moves_look_at_the_whole_register)
{
    static const struct {
        const char *code;
        uint64_t a1, f0;
    } rows[] = {
        {"movz.d f0,f2,a1", 0, SNAN_D},
        {"movz.d f0,f2,a1", UINT64_C(1) << 32, KEPT},
        {"movn.d f0,f2,a1", 0, KEPT},
        {"movn.d f0,f2,a1", UINT64_C(1) << 32, SNAN_D},
        {"movz.s f0,f2,a1", 0, KEPT & ~(uint64_t)UINT32_MAX},
        {"movn.s f0,f2,a1", 0, KEPT},
        {"movn.s f0,f2,a1", UINT64_C(1) << 32, KEPT & ~(uint64_t)UINT32_MAX},
    };

    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        struct rig rig;

        start_word(&rig, word_of(rows[n].code), true);
        rig.cpu.r.gpr[5] = rows[n].a1;
        rig.cpu.r.fpr[2] = SNAN_D;
        rig.cpu.r.fcsr = CAUSE(V);
        cr_expect_eq(run(&rig), PC_EXC_SYS);
        cr_expect_eq(rig.cpu.r.fpr[0], rows[n].f0, "%s of %lx", rows[n].code,
                     (unsigned long)rows[n].a1);
        cr_expect_eq(rig.cpu.r.fcsr, CAUSE(V));
        rig_free(&rig);
    }
}

/* ---- memory ---------------------------------------------------------------------------------- */

Test(isa_mips4, indexed_accesses_add_two_registers)
{
    static const struct {
        int line;
        const char *code;
        uint64_t a1; /* the index; a0 is DATA, where byte n holds n */
        bool n64;
        enum pc_exc exc;
        uint64_t f0; /* or the address of an exception */
    } rows[] = {
        {__LINE__, "ldxc1 f0,a1(a0)", 24, true, PC_EXC_SYS, UINT64_C(0x18191a1b1c1d1e1f)},
        {__LINE__, "ldxc1 f0,a1(a0)", 24, false, PC_EXC_SYS, UINT64_C(0x18191a1b1c1d1e1f)},
        {__LINE__, "lwxc1 f0,a1(a0)", 12, true, PC_EXC_SYS, UINT64_C(0x012345670c0d0e0f)},
        {__LINE__, "lwxc1 f1,a1(a0)", 12, false, PC_EXC_SYS, UINT64_C(0x0c0d0e0f89abcdef)},
        {__LINE__, "ldxc1 f1,a1(a0)", 24, false, PC_EXC_RI, KEPT}, /* odd */
        {__LINE__, "ldxc1 f0,a1(a0)", 20, true, PC_EXC_ADEL, DATA + 20},
        {__LINE__, "lwxc1 f0,a1(a0)", 14, true, PC_EXC_ADEL, DATA + 14},
        {__LINE__, "sdxc1 f0,a1(a0)", 20, true, PC_EXC_ADES, DATA + 20},
        {__LINE__, "swxc1 f0,a1(a0)", 13, true, PC_EXC_ADES, DATA + 13},
        {__LINE__, "sdxc1 f1,a1(a0)", 24, false, PC_EXC_RI, KEPT},
    };

    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        struct rig rig;

        start_word(&rig, word_of(rows[n].code), rows[n].n64);
        for (unsigned i = 0; i < 64; i++)
            rig.bytes[DATA - BASE + i] = (uint8_t)i;
        rig.cpu.r.gpr[5] = rows[n].a1;
        cr_expect_eq(run(&rig), rows[n].exc, "line %d: exc %d", rows[n].line, rig.cpu.base.exc);
        if (rows[n].exc == PC_EXC_ADEL || rows[n].exc == PC_EXC_ADES)
            cr_expect_eq(rig.cpu.base.badvaddr, rows[n].f0, "line %d", rows[n].line);
        else
            cr_expect_eq(rig.cpu.r.fpr[0], rows[n].f0, "line %d: %016lx", rows[n].line,
                         (unsigned long)rig.cpu.r.fpr[0]);
        rig_free(&rig);
    }
}

Test(isa_mips4, indexed_stores_write_their_bytes_only)
{
    static const uint8_t whole[16] = {[4] = 0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    static const struct {
        const char *code;
        unsigned at, first, size; /* the bytes of KEPT that arrive */
        bool n64;
    } rows[] = {
        {"sdxc1 f0,a1(a0)", 24, 0, 8, true},
        {"sdxc1 f0,a1(a0)", 24, 0, 8, false},
        {"swxc1 f0,a1(a0)", 28, 4, 4, true},
        {"swxc1 f1,a1(a0)", 28, 0, 4, false},
    };

    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        uint8_t expected[64] = {0};
        struct rig rig;

        memcpy(expected + rows[n].at, whole + 4 + rows[n].first, rows[n].size);
        start_word(&rig, word_of(rows[n].code), rows[n].n64);
        rig.cpu.r.gpr[5] = rows[n].at;
        cr_expect_eq(run(&rig), PC_EXC_SYS);
        cr_expect_eq(memcmp(rig.bytes + (DATA - BASE), expected, sizeof expected), 0, "%s",
                     rows[n].code);
        rig_free(&rig);
    }
}

static bool same(const struct mips_regs *a, const struct mips_regs *b)
{
    return !memcmp(a->gpr, b->gpr, sizeof a->gpr) && !memcmp(a->fpr, b->fpr, sizeof a->fpr) &&
           a->hi == b->hi && a->lo == b->lo && a->pc == b->pc && a->npc == b->npc &&
           a->fcsr == b->fcsr;
}

/** No address is wrong for them, and no hint. */
Test(isa_mips4, prefetches_never_fail)
{
    static const char *const codes[] = {"pref", "prefx"};

    for (unsigned n = 0; n < 2; n++)
        for (unsigned hint = 0; hint < 32; hint++) {
            struct rig rig;
            struct mips_regs before;

            start_word(&rig,
                       n ? word_of("prefx 0,a1(a0)") | hint << 11
                         : word_of("pref 0,3(a0)") | hint << 16,
                       true);
            rig.cpu.r.gpr[4] = hint & 1 ? 1 : 0; /* neither mapped nor aligned */
            before = rig.cpu.r;
            before.pc = BASE + 8;
            before.npc = BASE + 12;
            cr_expect_eq(run(&rig), PC_EXC_SYS, "%s, hint %u", codes[n], hint);
            cr_expect(same(&rig.cpu.r, &before), "%s, hint %u", codes[n], hint);
            cr_expect_eq(rig.cpu.base.states[PC_ST_INT], 1);
            rig_free(&rig);
        }
}
