/*
 * ARM11s on a machine: several processors with exclusive accesses, swaps, barriers, stores to lines
 * that others write, and accesses across lines, taken off their cards at any time, without and with
 * the check of every load. Nothing is lost.
 */
#include "procard/arm11/arm11.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <string.h>

enum {
    CODE = 0x20000,
    SHARED = 0x40000,
    ROUNDS = 100,
    LOCK = 128,
    LOCKED = 256,
    BYTES = 512,
    OWN = 1024,
    OWN_STEP = 64,
    ACROSS = 30
};

static const uint32_t code[] = {
    0xe1901f9f, /* ldrex r1, [r0] */
    0xe2811001, /* add r1, r1, #1 */
    0xe1802f91, /* strex r2, r1, [r0] */
    0xe3520000, /* cmp r2, #0 */
    0x1afffffa, /* bne 0 <loop> */
    0xe3a01001, /* mov r1, #1 */
    0xe1062091, /* swp r2, r1, [r6] */
    0xe3520000, /* cmp r2, #0 */
    0x1afffffb, /* bne 14 <loop+0x14> */
    0xee071fba, /* mcr 15, 0, r1, cr7, cr10, {5} */
    0xe5901100, /* ldr r1, [r0, #256] */
    0xe2811001, /* add r1, r1, #1 */
    0xe5801100, /* str r1, [r0, #256] */
    0xee071fba, /* mcr 15, 0, r1, cr7, cr10, {5} */
    0xe3a01000, /* mov r1, #0 */
    0xe5861000, /* str r1, [r6] */
    0xe7d71004, /* ldrb r1, [r7, r4] */
    0xe2811001, /* add r1, r1, #1 */
    0xe7c71004, /* strb r1, [r7, r4] */
    0xe598101e, /* ldr r1, [r8, #30] */
    0xe2811001, /* add r1, r1, #1 */
    0xe588101e, /* str r1, [r8, #30] */
    0xe2555001, /* subs r5, r5, #1 */
    0x1affffe7, /* bne 0 <loop> */
    0xee071f9a, /* mcr 15, 0, r1, cr7, cr10, {4} */
    0xef000000, /* svc 0x00000000 */
};

struct rig {
    struct nm_params p;
    struct nm_machine *m;
    struct arm11_code *code;
    unsigned done;
};

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va;
    return NM_XLATE_OK;
}

static const uint8_t *fetch(void *ctx, uint64_t va)
{
    const struct rig *rig = ctx;
    return nm_machine_image(rig->m) + va;
}

static void start(struct rig *rig, bool check, bool cramped)
{
    nm_params_default(&rig->p);
    rig->p.core = NM_CORE_ARM1176;
    rig->p.processors = 1; /* on four stations of one ring */
    rig->p.ring_locals = 1;
    rig->p.l2_split = false;
    rig->p.check = check;
    if (cramped) {
        rig->p.l1d_size = 512;
        rig->p.l1i_size = 512;
        rig->p.l2_size = 4096;
    }
    rig->m = nm_machine_new(&rig->p, &pc_arm11);
    cr_assert_not_null(rig->m);
    memcpy(nm_machine_image(rig->m) + CODE, code, sizeof code);
    nm_machine_os_wrote(rig->m, CODE, sizeof code);
    rig->code = arm11_code_new(fetch, rig, &rig->p);
    for (unsigned c = 0; c < nm_machine_cards(rig->m); c++)
        pc_code_give(rig->m, c, rig->code);
    const struct nm_space space = {.ctx = rig, .translate = translate};
    nm_machine_set_space(rig->m, &space);
    for (unsigned c = 0; c < nm_machine_cards(rig->m); c++) {
        struct arm_regs regs = {.z = 1};
        regs.r[0] = SHARED;
        regs.r[4] = c;
        regs.r[5] = ROUNDS;
        regs.r[6] = SHARED + LOCK;
        regs.r[7] = SHARED + BYTES;
        regs.r[8] = SHARED + OWN + c * OWN_STEP;
        regs.r[ARM_PC] = CODE;
        pc_thread_resume(rig->m, c, &regs, 0);
    }
}

/* A thread is taken off its card, and goes on there a little later. */
static void preempted(struct rig *rig, unsigned card, uint64_t turn)
{
    struct arm_regs regs;
    struct pc_call_site call;
    pc_thread_take(rig->m, card, &regs, &call);
    const sim_tick at = nm_machine_now(rig->m) + nm_machine_reach(rig->m) + turn % 50;
    pc_thread_resume(rig->m, card, &regs, at);
}

static void run(struct rig *rig, sim_tick step)
{
    const unsigned cards = nm_machine_cards(rig->m);
    struct nm_trap trap;
    uint64_t turn = 0;
    while (rig->done < cards) {
        const enum nm_run why = nm_machine_run(rig->m, nm_machine_now(rig->m) + step, &trap);
        cr_assert(why == NM_RUN_UNTIL || why == NM_RUN_TRAP, "run: %d", (int)why);
        if (why == NM_RUN_UNTIL) {
            nm_card_preempt(rig->m, (unsigned)(turn++ % cards),
                            nm_machine_now(rig->m) + nm_machine_ahead(rig->m));
        } else if (trap.preempted) {
            preempted(rig, trap.card, turn);
        } else {
            cr_assert_eq(pc_cpu_at(rig->m, trap.card)->exc, PC_EXC_SYS);
            rig->done++;
        }
    }
}

static uint32_t word(const struct rig *rig, uint32_t va)
{
    uint32_t v;
    memcpy(&v, nm_machine_image(rig->m) + va, 4);
    return v;
}

static void all_there(const struct rig *rig)
{
    const unsigned cards = nm_machine_cards(rig->m);
    cr_assert_eq(word(rig, SHARED), cards * ROUNDS);
    cr_assert_eq(word(rig, SHARED + LOCKED), cards * ROUNDS);
    for (unsigned c = 0; c < cards; c++) {
        cr_assert_eq(nm_machine_image(rig->m)[SHARED + BYTES + c], ROUNDS & 255);
        cr_assert_eq(word(rig, SHARED + OWN + c * OWN_STEP + ACROSS), ROUNDS);
    }
}

Test(arm11_machine, nothing_is_lost)
{
    static const sim_tick steps[] = {1000000000, 3001, 409};
    for (unsigned way = 0; way < 6; way++) {
        struct rig rig = {0};
        start(&rig, way & 1, way >= 4);
        run(&rig, steps[way / 2]);
        all_there(&rig);
        nm_machine_free(rig.m);
        arm11_code_free(rig.code);
    }
}
