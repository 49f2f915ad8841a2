/*
 * Whatever makes a line leave an ARM11's data cache, what was written in it goes down, and is told
 * to event 0xC of that processor and to the truth: for each way there is, as many half lines as
 * were written.
 */
#include "procard/arm11/arm11.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <string.h>

enum {
    CODE = 0x21000,
    DATA = 0x40000,
    FAR = 0x80000,     /* the same sets of every cache */
    LINE = 32,         /* [bytes] */
    LINES = 24,        /* that are written */
    MEMORY = 0x100000, /* behind it is the same once more, a page further on: in another colour */
    PAGE = 4096,
    WAY = 4096,
    LATER = 1000,
    LIMIT = 1000000
};

static const uint32_t code[] = {
    /* writes r5 lines of r4 bytes from r0 on, a word in each half if r6 is 16, in one if it is 0 */
    0xe5805000, /* str r5, [r0] */
    0xe7805006, /* str r5, [r0, r6] */
    0xe0800004, /* add r0, r0, r4 */
    0xe2555001, /* subs r5, r5, #1 */
    0x1afffffa, /* bne 0 */
    0xee071f9a, /* mcr 15, 0, r1, cr7, cr10, {4} */
    0xef000000, /* svc */
    /* reads them */
    0xe5901000, /* ldr r1, [r0] */
    0xe0800004, /* add r0, r0, r4 */
    0xe2555001, /* subs r5, r5, #1 */
    0x1afffffb, /* bne 1c */
    0xee071f9a, /* mcr 15, 0, r1, cr7, cr10, {4} */
    0xef000000, /* svc */
};
enum { WRITES = 0, READS = 7 };

/* What follows on a card, when card 0 has written its lines. */
static const struct {
    const char *what;
    unsigned card, does, times; /* each time a way of the primary cache further on */
    uint32_t from, lines;
    uint64_t l1d, l2;
    bool stay; /* the lines do */
} rows[] = {
    {"nothing", 0, READS, 1, DATA, LINES, 16384, 65536, true},
    {"room for others, in the primary cache", 0, READS, 8, FAR + 0x8000, LINES + 1, 16384, 65536,
     false},
    {"room for others, in the secondary cache", 0, READS, 1, FAR, LINES, 16384, 65536, false},
    {"another processor reads", 1, READS, 1, DATA, LINES, 16384, 65536, false},
    {"another processor writes", 1, WRITES, 1, DATA, LINES, 16384, 65536, false},
    {"its own alias", 0, READS, 1, MEMORY + PAGE + DATA, LINES, 32768, 262144, false},
};

struct rig {
    struct nm_params p;
    struct nm_machine *m;
    struct arm11_code *code;
};

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va < MEMORY ? va : va - MEMORY - PAGE;
    return NM_XLATE_OK;
}

static const uint8_t *fetch(void *ctx, uint64_t va)
{
    const struct rig *rig = ctx;
    return va < MEMORY ? nm_machine_image(rig->m) + va : NULL;
}

static void start(struct rig *rig, uint64_t l1d, uint64_t l2)
{
    const struct nm_space space = {.ctx = rig, .translate = translate};
    const char *key;
    char why[300];
    nm_params_default(&rig->p);
    rig->p.core = NM_CORE_ARM1176;
    rig->p.processors = 2;
    rig->p.ring_stations = rig->p.ring_locals = 1;
    rig->p.l2_split = false;
    rig->p.memory_size = MEMORY;
    rig->p.page_size = PAGE;
    rig->p.l1d_size = l1d;
    rig->p.l2_size = l2;
    cr_assert(nm_params_check(&rig->p, &key, why, sizeof why), "%s: %s", key, why);
    rig->m = nm_machine_new(&rig->p, &pc_arm11);
    cr_assert_not_null(rig->m);
    memcpy(nm_machine_image(rig->m) + CODE, code, sizeof code);
    nm_machine_os_wrote(rig->m, CODE, sizeof code);
    rig->code = arm11_code_new(fetch, rig, &rig->p);
    for (unsigned c = 0; c < nm_machine_cards(rig->m); c++)
        pc_code_give(rig->m, c, rig->code);
    nm_machine_set_space(rig->m, &space);
}

static void does(struct rig *rig, unsigned card, unsigned what, uint32_t from, uint32_t lines,
                 uint32_t half)
{
    struct arm_regs regs = {.z = 1};
    struct nm_trap trap;
    struct pc_call_site call;
    regs.r[0] = from;
    regs.r[4] = LINE;
    regs.r[5] = lines;
    regs.r[6] = half;
    regs.r[ARM_PC] = CODE + 4 * what;
    pc_thread_resume(rig->m, card, &regs, nm_machine_now(rig->m) + LATER);
    cr_assert_eq(nm_machine_run(rig->m, nm_machine_now(rig->m) + LIMIT, &trap), NM_RUN_TRAP);
    cr_assert_eq(pc_cpu_at(rig->m, trap.card)->exc, PC_EXC_SYS);
    pc_thread_take(rig->m, card, &regs, &call);
}

static uint64_t halves(const struct rig *rig)
{
    union mon_own_signals signals;
    pc_own_signals(rig->m, 0, &signals);
    return signals.arm11.core.total[ARM11_SIGNAL_WRITEBACK];
}

Test(arm11_writebacks, whatever_takes_the_line)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned both = 0; both < 2; both++) {
            struct rig rig;
            struct nm_truth truth;
            const unsigned lines = rows[i].stay ? 0 : LINES;
            start(&rig, rows[i].l1d, rows[i].l2);
            does(&rig, 0, WRITES, DATA, LINES, both ? LINE / 2 : 0);
            does(&rig, 0, READS, DATA, LINES, 0); /* those that bypassed the cache are in it now */
            does(&rig, 0, WRITES, DATA, LINES, both ? LINE / 2 : 0);
            cr_assert_eq(halves(&rig), 0);
            for (unsigned k = 0; k < rows[i].times; k++)
                does(&rig, rows[i].card, rows[i].does, rows[i].from + k * WAY, rows[i].lines, 0);
            nm_card_truth(rig.m, 0, &truth);
            cr_expect_eq(halves(&rig), lines << both, "%s: %lu half lines, not %u", rows[i].what,
                         (unsigned long)halves(&rig), lines << both);
            cr_expect_eq(truth.l1_writebacks, lines, "%s: %lu lines, not %u", rows[i].what,
                         (unsigned long)truth.l1_writebacks, lines);
            nm_machine_free(rig.m);
            arm11_code_free(rig.code);
        }
}
