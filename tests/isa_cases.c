/* Single cases by hand: exceptions, what each level reserves, and the pipeline's time. */
#include "tests/isa_rig.h"
#include "tests/isa_zero.h"

#include <criterion/criterion.h>
#include <string.h>

enum { BASE = 0x400000, SIZE = 0x10000, DATA = 0x408000, LIMIT = 100000 };

#define NOP     0x00000000
#define SYSCALL 0x0000000c

static void start(struct rig *rig, const uint32_t *words, unsigned count, bool n64, enum nm_isa isa)
{
    rig_init(rig, BASE, SIZE, n64, isa);
    for (unsigned n = 0; n < count; n++)
        rig_put(rig, BASE + 4 * n, words[n]);
    rig->cpu.r.gpr[4] = DATA;                         /* a0 */
    rig->cpu.r.gpr[5] = 5;                            /* a1 */
    rig->cpu.r.gpr[6] = 0x7fffffff;                   /* a2 */
    rig->cpu.r.gpr[7] = UINT64_C(0xffffffff80000000); /* a3 */
    rig->cpu.r.gpr[8] = UINT64_C(0x7fffffffffffffff); /* t0 */
}

Test(isa, exceptions_name_their_cause)
{
    static const struct {
        int line;
        uint32_t words[4];
        enum pc_exc exc;
        uint32_t code;
        unsigned pc, npc; /* bytes from BASE */
        bool n64;
    } rows[] = {
        {__LINE__, {0x0000000c}, PC_EXC_SYS, 0, 4, 8, false},
        {__LINE__, {0x0048d14c}, PC_EXC_SYS, 0x12345, 4, 8, false},
        {__LINE__, {0x10000003, SYSCALL}, PC_EXC_SYS, 0, 16, 20, false}, /* b; in its slot */
        {__LINE__, {0x0007000d}, PC_EXC_BP, 0x1c00, 0, 4, false},        /* break 7 */
        {__LINE__, {NOP, 0x000001cd}, PC_EXC_BP, 7, 4, 8, false},
        {__LINE__, {0x10000003, 0x0000000d}, PC_EXC_BP, 0, 4, 16, false},
        {__LINE__, {0x14a50003, 0x0000000d}, PC_EXC_BP, 0, 4, 8, false}, /* not taken */
        {__LINE__, {0x000001f4}, PC_EXC_TR, 7, 0, 4, false},             /* teq zero,zero,7 */
        {__LINE__, {0x00a001f4, SYSCALL}, PC_EXC_SYS, 0, 8, 12, false},  /* teq a1,zero,7 */
        {__LINE__, {0x04ac0005}, PC_EXC_TR, 0, 0, 4, false},             /* teqi a1,5 */
        {__LINE__, {0x20c20001}, PC_EXC_OV, 0, 0, 4, false},             /* addi v0,a2,1 */
        {__LINE__, {0x00e51022}, PC_EXC_OV, 0, 0, 4, false},             /* sub v0,a3,a1 */
        {__LINE__, {0x0105102c}, PC_EXC_OV, 0, 0, 4, true},              /* dadd v0,t0,a1 */
        {__LINE__, {0x61020001}, PC_EXC_OV, 0, 0, 4, true},              /* daddi v0,t0,1 */
        {__LINE__, {0xbc800000}, PC_EXC_CPU, 0, 0, 4, false},            /* cache */
        {__LINE__, {0x40026000}, PC_EXC_CPU, 0, 0, 4, false},            /* mfc0 */
        {__LINE__, {0x48026000}, PC_EXC_CPU, 2, 0, 4, false},            /* mfc2 */
        {__LINE__, {0xc8820000}, PC_EXC_CPU, 2, 0, 4, false},            /* lwc2 */
        {__LINE__, {0xfc820000}, PC_EXC_RI, 0, 0, 4, false},          /* sd in a 32-bit program */
        {__LINE__, {0x46231040}, PC_EXC_RI, 0, 0, 4, false},          /* add.d with odd registers */
        {__LINE__, {0x00000001 | 5 << 2}, PC_EXC_RI, 0, 0, 4, false}, /* no such function */
        {__LINE__, {0x10000003, 0x10000003}, PC_EXC_RI, 0, 4, 16, false}, /* branch in a slot */
        {__LINE__, {0x7c02203b}, PC_EXC_RI, 0, 0, 4, false},              /* rdhwr v0,$4 */
        {__LINE__, {0x8c820001}, PC_EXC_ADEL, 0, 0, 4, false},            /* lw v0,1(a0) */
        {__LINE__, {0xa4820001}, PC_EXC_ADES, 0, 0, 4, false},            /* sh v0,1(a0) */
        {__LINE__, {0x8ca20000}, PC_EXC_ADEL, 0, 0, 4, false},            /* lw v0,0(a1) */
        {__LINE__, {0x00a00008}, PC_EXC_ADEL, 0, 5, 9, false},            /* jr a1: odd */
        {__LINE__, {0x34a20003, 0x00400008}, PC_EXC_ADEL, 0, 7, 11, false},
        {__LINE__, {0x34021080, 0x44c2f800}, PC_EXC_FPE, 0, 4, 8, false}, /* ctc1 inexact+cause */
        {__LINE__, {0x3c020002, 0x44c2f800}, PC_EXC_FPE, 0, 4, 8, false}, /* ctc1 unimplemented */
    };

    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        struct rig rig;

        start(&rig, rows[n].words, 4, rows[n].n64, NM_ISA_MIPS64R2);
        rig.cpu.r.fr = rows[n].n64;
        cr_assert(rig_run(&rig, LIMIT, 0, 0), "row at line %d", rows[n].line);
        cr_expect_eq(rig.cpu.base.exc, rows[n].exc, "line %d: exc %d", rows[n].line,
                     rig.cpu.base.exc);
        if (rows[n].exc != PC_EXC_ADEL && rows[n].exc != PC_EXC_ADES)
            cr_expect_eq(rig.cpu.base.trap_code, rows[n].code, "line %d: code %x", rows[n].line,
                         rig.cpu.base.trap_code);
        cr_expect_eq(rig.cpu.r.pc, (rows[n].pc < 8 && rows[n].pc & 1 ? 0u : BASE) + rows[n].pc,
                     "line %d: pc %lx", rows[n].line, (unsigned long)rig.cpu.r.pc);
        cr_expect_eq(rig.cpu.r.npc, (rows[n].npc & 1 ? 0u : BASE) + rows[n].npc, "line %d: npc %lx",
                     rows[n].line, (unsigned long)rig.cpu.r.npc);
        rig_free(&rig);
    }
}

/** What the instruction sets add to one another, smallest first. */
static const enum nm_isa isas[] = {NM_ISA_MIPS3, NM_ISA_MIPS4, NM_ISA_MIPS64R2};
enum { ISAS = sizeof isas / sizeof isas[0] };

/** The exception of the first instruction in `isa`, where a SYSCALL stands behind it. */
static enum pc_exc exception_of(uint32_t word, enum nm_isa isa)
{
    const uint32_t words[2] = {word, SYSCALL};
    struct rig rig;
    enum pc_exc exc;

    start(&rig, words, 2, true, isa);
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    exc = rig.cpu.base.exc;
    rig_free(&rig);
    return exc;
}

Test(isa, a_set_reserves_what_came_later)
{
    static const struct {
        enum nm_isa since;
        uint32_t words[40]; /* to the first 0 */
    } rows[] = {
        {NM_ISA_MIPS3,
         {
             0xdc820000, /* ld */
             0x0085102d, /* daddu */
             0x4620018a, /* ceil.l.d */
             0xd4820000, /* ldc1 */
             0x46000032, /* c.eq.s $fcc0 */
             0x45010001, /* bc1t $fcc0 */
         }},
        {NM_ISA_MIPS4,
         {
             0x46000132, /* c.eq.s $fcc1 */
             0x46200732, /* c.eq.d $fcc7 */
             0x45050001, /* bc1t $fcc1 */
             0x451c0001, /* bc1f $fcc7 */
             0x45060001, /* bc1fl $fcc1 */
             0x451e0001, /* bc1fl $fcc7 */
             0x00a4100b, /* movn */
             0x00a4100a, /* movz */
             0x00a01001, /* movf $fcc0 */
             0x00b11001, /* movt $fcc4 */
             0x46001011, /* movf.s */
             0x46211011, /* movt.d */
             0x46051012, /* movz.s */
             0x46251013, /* movn.d */
             0x46001015, /* recip.s */
             0x46201015, /* recip.d */
             0x46001016, /* rsqrt.s */
             0x46201016, /* rsqrt.d */
             0x4c441020, /* madd.s */
             0x4c441021, /* madd.d */
             0x4c441028, /* msub.s */
             0x4c441029, /* msub.d */
             0x4c441030, /* nmadd.s */
             0x4c441031, /* nmadd.d */
             0x4c441038, /* nmsub.s */
             0x4c441039, /* nmsub.d */
             0x4c801000, /* lwxc1 */
             0x4c801001, /* ldxc1 */
             0x4c801008, /* swxc1 */
             0x4c801009, /* sdxc1 */
             0xcc800000, /* pref */
             0x4c80000f, /* prefx */
         }},
        {NM_ISA_MIPS64R2,
         {
             0x4c801005, /* luxc1: of MIPS V */
             0x4c80100d, /* suxc1 */
             0x70a41002, /* mul */
             0x70a40000, /* madd */
             0x70a21020, /* clz */
             0x7ca41000, /* ext */
             0x7c03e83b, /* rdhwr */
             0x7c051420, /* seb */
             0x00251042, /* rotr */
             0x44620000, /* mfhc1 */
         }},
    };

    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        bool has = false;

        for (unsigned i = 0; i < ISAS; i++) {
            has |= isas[i] == rows[n].since;
            for (const uint32_t *word = rows[n].words; *word; word++)
                cr_expect_eq(exception_of(*word, isas[i]), has ? PC_EXC_SYS : PC_EXC_RI,
                             "%08x in set %u", *word, i);
        }
    }
}

/** PCycles of a few instructions; the closing system call counts as one here. */
Test(isa, a_few_instructions_take_their_pcycles)
{
    static const struct {
        int line;
        uint32_t words[5]; /* a SYSCALL follows */
        unsigned count, cycles, slip_int, slip_fp, kills;
    } rows[] = {
        {__LINE__, {NOP}, 1, 2, 0, 0, 0},
        /* lw v0,0(a0); its use one, two and three instructions later */
        {__LINE__, {0x8c820000, 0x24420001}, 2, 5, 2, 0, 0},
        {__LINE__, {0x8c820000, NOP, 0x24420001}, 3, 5, 1, 0, 0},
        {__LINE__, {0x8c820000, NOP, NOP, 0x24420001}, 4, 5, 0, 0, 0},
        /* mult; mflo: 10 from one to the other */
        {__LINE__, {0x00a60018, 0x00001012}, 2, 12, 9, 0, 0},
        {__LINE__, {0x00a60018, NOP, 0x00001012}, 3, 12, 8, 0, 0},
        {__LINE__, {0x00a6001a, 0x00001012}, 2, 71, 68, 0, 0}, /* div */
        {__LINE__, {0x00a60018, 0x00a60018}, 2, 12, 9, 0, 0},  /* mult; mult */
        /* sllv v0; use */
        {__LINE__, {0x00a51004, 0x24420001}, 2, 4, 1, 0, 0},
        /* add.s f0,f2,f4; add.s f6,f0,f4: latency 4; independent: interval 3 */
        {__LINE__, {0x46041000, 0x46040180}, 2, 6, 0, 3, 0},
        {__LINE__, {0x46041000, 0x46041180}, 2, 5, 0, 2, 0},
        /* mul.s and add.s use different units */
        {__LINE__, {0x46041002, 0x46041180}, 2, 3, 0, 0, 0},
        /* b over its slot: two killed; beq not taken: none */
        {__LINE__, {0x10000001, NOP}, 2, 5, 0, 0, 2},
        {__LINE__, {0x10a00001, NOP}, 2, 3, 0, 0, 0},
        /* beql not taken: its slot is killed */
        {__LINE__, {0x50a00001, NOP}, 2, 3, 0, 0, 1},
        /* c.eq.s; bc1t: latency 3, held as an integer (branch) instruction */
        {__LINE__, {0x46041032, 0x45010001, NOP}, 3, 8, 2, 0, 2},
    };

    for (unsigned n = 0; n < sizeof rows / sizeof rows[0]; n++) {
        uint32_t words[6] = {0};
        struct rig rig;

        memcpy(words, rows[n].words, sizeof rows[n].words);
        words[rows[n].count] = SYSCALL;
        start(&rig, words, 6, false, NM_ISA_MIPS64R2);
        cr_assert(rig_run(&rig, LIMIT, 0, 0));
        cr_expect_eq(rig.cpu.base.now, rows[n].cycles - 1 + PC_KILLED_BY_EXCEPTION,
                     "line %d: %lu cycles", rows[n].line, (unsigned long)rig.cpu.base.now);
        cr_expect_eq(rig.cpu.base.states[PC_ST_SLIP_INT], rows[n].slip_int, "line %d",
                     rows[n].line);
        cr_expect_eq(rig.cpu.base.states[PC_ST_SLIP_FP], rows[n].slip_fp, "line %d", rows[n].line);
        cr_expect_eq(rig.cpu.base.states[PC_ST_KILL_BRANCH], rows[n].kills, "line %d",
                     rows[n].line);
        rig_free(&rig);
    }
}

/** A slip across a line end, where one block ends and another begins. */
Test(isa, slips_cross_blocks)
{
    static const uint32_t words[] = {NOP, NOP,        NOP,        NOP,        NOP,        NOP,
                                     NOP, 0x8c820000, 0x24420001, 0x00a60018, NOP,        NOP,
                                     NOP, NOP,        NOP,        NOP,        0x00001012, SYSCALL};
    struct rig rig;

    start(&rig, words, 18, false, NM_ISA_MIPS64R2);
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    cr_expect_eq(rig.cpu.base.now, 17 + 2 + 3 + PC_KILLED_BY_EXCEPTION);
    cr_expect_eq(rig.cpu.base.states[PC_ST_SLIP_INT], 5);
    rig_free(&rig);
}

Test(isa, rdhwr_reads_number_step_and_count)
{
    static const uint32_t words[] = {NOP,        NOP,        NOP,        NOP,        0x7c02003b,
                                     0x7c03083b, 0x7c04103b, 0x7c05183b, 0x7c06e83b, SYSCALL};
    struct rig rig;

    start(&rig, words, 10, true, NM_ISA_MIPS64R2);
    rig.cpu.base.number = 3;
    rig.cpu.r.userlocal = UINT64_C(0x123456789abc);
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    cr_expect_eq(rig.cpu.r.gpr[2], 3);
    cr_expect_eq(rig.cpu.r.gpr[3], 32);
    cr_expect_eq(rig.cpu.r.gpr[4], 3); /* PCycle 6 */
    cr_expect_eq(rig.cpu.r.gpr[5], 2);
    cr_expect_eq(rig.cpu.r.gpr[6], UINT64_C(0x123456789abc));
    rig_free(&rig);
}

static void check_zero(unsigned row, unsigned variant)
{
    uint32_t words[ZERO_WORDS + 1] = {[ZERO_WORDS] = SYSCALL};
    struct rig rig;

    if (strchr(mips_rows[row].operands, '0') || !zero_program(row, 4, variant, words))
        return; /* event counters are the R10000's */
    start(&rig, words, ZERO_WORDS + 1, true, NM_ISA_MIPS64R2);
    rig.cpu.r.userlocal = 0x1234;
    cr_assert(rig_run(&rig, LIMIT, 0, 0), "%s", mips_rows[row].mnemonic);
    cr_expect_eq(rig.cpu.base.exc, PC_EXC_SYS, "%s %u", mips_rows[row].mnemonic, variant);
    cr_expect(!rig.cpu.r.gpr[0] && !rig.cpu.r.gpr[ZERO_V0] && !rig.cpu.r.gpr[ZERO_V1], "%s %u",
              mips_rows[row].mnemonic, variant);
    rig_free(&rig);
}

Test(isa, register_0_stays_0)
{
    for (unsigned row = MIPS_OP_RI + 1; row < MIPS_OP_ROWS_END; row++) {
        for (unsigned variant = 0; variant < ZERO_HARDWARE; variant++)
            check_zero(row, variant);
    }
}

/** New instructions are executed after a flush, and after synci. */
Test(isa, changed_code_runs_after_a_flush)
{
    /* sw a1,20(a0) rewrites the word after synci 20(a0); a0 is BASE */
    static const uint32_t words[] = {0xac850014, 0x049f0014, NOP, NOP, NOP, NOP, SYSCALL};
    struct rig rig;

    start(&rig, words, 7, false, NM_ISA_MIPS64R2);
    rig.cpu.r.gpr[4] = BASE;
    rig.cpu.r.gpr[5] = 0x24020011; /* li v0,17 */
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    cr_expect_eq(rig.cpu.r.gpr[2], 17);
    rig_put(&rig, BASE + 20, 0x24020012);
    r4400_code_flush(rig.cpu.code, BASE + 20, 4);
    rig.cpu.r.pc = BASE + 12;
    rig.cpu.r.npc = BASE + 16;
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    cr_expect_eq(rig.cpu.r.gpr[2], 18);
    rig_free(&rig);
}

/** Effective addresses of 32-bit programs wrap: 0x80000000 - 4 is the last user word. */
Test(isa, addresses_wrap)
{
    static const uint32_t words[] = {0x8ce2fffc, SYSCALL}; /* lw v0,-4(a3) */
    struct rig rig;

    start(&rig, words, 2, false, NM_ISA_MIPS64R2);
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    cr_expect_eq(rig.cpu.base.exc, PC_EXC_ADEL);
    cr_expect_eq(rig.cpu.base.badvaddr, 0x7ffffffc);
    rig_free(&rig);
}

/** An FP exception withholds the result but reports its cause. */
Test(isa, an_fp_exception_withholds_the_result)
{
    /* div.s f0,f2,f4 = 1/0 with division by zero enabled */
    static const uint32_t words[] = {0x46041003, SYSCALL};
    struct rig rig;

    start(&rig, words, 2, false, NM_ISA_MIPS64R2);
    rig.cpu.r.fcsr = 1 << 10;
    rig.cpu.r.fpr[0] = 7;
    rig.cpu.r.fpr[2] = 0x3f800000;
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    cr_expect_eq(rig.cpu.base.exc, PC_EXC_FPE);
    cr_expect_eq(rig.cpu.r.fpr[0], 7);
    cr_expect_eq(rig.cpu.r.fcsr, 1 << 10 | 1 << 15);
    cr_expect_eq(rig.cpu.r.pc, BASE);
    cr_expect_eq(rig.cpu.base.instructions, 0);
    rig_free(&rig);
}

/** MIPS III has no condition codes 1 to 7: they read as 0, whatever is written. */
Test(isa, fcr31_has_the_condition_codes_of_its_set)
{
    static const uint32_t words[] = {0x3c02ff80, 0x44c2f800, 0x4443f800, /* lui, ctc1, cfc1 31 */
                                     0x240400ff, 0x44c4c800, 0x4445c800, /* li, ctc1, cfc1 25 */
                                     SYSCALL};

    for (unsigned i = 0; i < ISAS; i++) {
        const bool codes = isas[i] != NM_ISA_MIPS3;
        struct rig rig;

        start(&rig, words, 7, true, isas[i]);
        cr_assert(rig_run(&rig, LIMIT, 0, 0));
        cr_expect_eq((uint32_t)rig.cpu.r.gpr[3], codes ? 0xff800000 : 0x01800000, "set %u", i);
        cr_expect_eq(rig.cpu.r.gpr[5], codes ? 0xff : 1, "set %u", i);
        rig_free(&rig);
    }
}
