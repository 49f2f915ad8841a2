/* The busy machine. Its program is written down as instruction words. */
#include "monitor_rig.h"

#include "machine/assembly.h"
#include "machine/values.h"
#include "monitor/taps.h"
#include "test_machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { CODE = 0x8000, SHARED_AT = 0x10000, OWN_AT = 0x100000, OWN_STEP = 0x8040 };
enum { ZERO, SHARED = 4, OWN, ROUNDS, A = 8, B, C, SPAN = 8 /* lines of its own */ };

#define I(op, rs, rt, imm) ((uint32_t)(op) << 26 | (rs) << 21 | (rt) << 16 | ((imm)&0xffff))
#define R(rs, rt, rd, fn)  ((uint32_t)(rs) << 21 | (rt) << 16 | (rd) << 11 | (fn))
#define LW(rt, imm, rs)    I(0x23, rs, rt, imm)
#define SW(rt, imm, rs)    I(0x2b, rs, rt, imm)
#define ADDIU(rt, rs, imm) I(9, rs, rt, imm)
#define BNE(rs, rt, words) I(5, rs, rt, words)
#define MULT(rs, rt)       R(rs, rt, 0, 0x18)
#define MFLO(rd)           R(0, 0, rd, 0x12)
#define ADDU(rd, rs, rt)   R(rs, rt, rd, 0x21)
#define ADD_D(fd, fs, ft)  (0x46200000u | (ft) << 16 | (fs) << 11 | (fd) << 6)
#define SYSCALL            0x0000000cu

static const uint32_t program[] = {
    LW(A, 0, SHARED),          /* loop: */
    ADDIU(A, A, 1),            /* slips behind the load */
    SW(A, 0, SHARED),          /* takes the line from the others */
    LW(B, 0, OWN),             /* */
    MULT(A, B),                /* */
    LW(C, 128, SHARED),        /* read by all, written by nobody */
    MFLO(C),                   /* slips */
    ADDU(C, C, B),             /* */
    SW(C, 64, OWN),            /* */
    ADD_D(0, 2, 4),            /* */
    ADD_D(0, 0, 4),            /* slips */
    ADDIU(OWN, OWN, 4096),     /* the next lines */
    ADDIU(ROUNDS, ROUNDS, -1), /* */
    BNE(ROUNDS, ZERO, -14),    /* */
    ADDIU(SHARED, SHARED, 0),
    SYSCALL,
    0,
    0,
};

static enum nm_xlate identity(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                              uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va;
    return NM_XLATE_OK;
}

static const uint8_t *fetch(void *ctx, uint64_t va)
{
    return nm_machine_image(((struct rig *)ctx)->m) + va;
}

struct nm_params rig_params(unsigned processors, unsigned stations, unsigned locals)
{
    struct nm_params p;
    test_machine(&p);
    p.processors = processors;
    p.ring_stations = stations;
    p.ring_locals = locals;
    p.ring_groups = 1;
    p.memory_size = 1 << 24;
    /* What is counted is counted by hand, so the caches are these whatever TEST_MACHINE says, and
     * no access waits for the software that refills a TLB. */
    p.tlb_refill = 0;
    p.l1i_size = p.l1d_size = 16 << 10;
    p.l2_size = 1 << 20;
    p.netcache_size = 8 << 20;
    return p;
}

void rig_new(struct rig *rig, const struct nm_params *p, unsigned rounds)
{
    rig_new_of(rig, p, &pc_r4400, rounds);
}

void rig_new_of(struct rig *rig, const struct nm_params *p, const struct nm_card_kind *kind,
                unsigned rounds)
{
    *rig = (struct rig){.p = *p, .m = nm_machine_assemble(p, kind)};
    uint8_t *image = nm_machine_image(rig->m) + CODE;
    for (size_t i = 0; i < sizeof program / sizeof *program; i++)
        for (unsigned byte = 0; byte < 4; byte++)
            *image++ = (uint8_t)(program[i] >> (24 - 8 * byte));
    nm_machine_os_wrote(rig->m, CODE, sizeof program);
    rig->code = r4400_code_new(fetch, rig, &rig->p);
    for (unsigned c = 0; c < nm_machine_cards(rig->m); c++)
        pc_code_give(rig->m, c, rig->code);
    const struct nm_space space = {.ctx = rig, .translate = identity};
    nm_machine_set_space(rig->m, &space);
    for (unsigned c = 0; c < nm_machine_cards(rig->m); c++) {
        struct mips_regs regs = {.pc = CODE, .npc = CODE + 4, .fr = true, .addr64 = true};
        const uint64_t home = c / p->processors * p->memory_size;
        regs.gpr[SHARED] = SHARED_AT;
        regs.gpr[OWN] = home + OWN_AT + c * OWN_STEP;
        regs.gpr[ROUNDS] = rounds;
        pc_thread_resume(rig->m, c, &regs, 0);
        rig->running++;
    }
}

void rig_free(struct rig *rig)
{
    nm_machine_free(rig->m);
    r4400_code_free(rig->code);
}

bool rig_run(struct rig *rig, sim_tick until, struct nm_trap *trap)
{
    for (;;) {
        struct mips_regs regs;
        struct pc_call_site call;
        const enum nm_run why = nm_machine_run(rig->m, until, trap);
        if (why == NM_RUN_INTERRUPT)
            return true;
        if (why == NM_RUN_UNTIL || why == NM_RUN_IDLE)
            return false;
        cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(rig->m));
        cr_assert_eq(pc_cpu_at(rig->m, trap->card)->exc, PC_EXC_SYS);
        pc_thread_take(rig->m, trap->card, &regs, &call);
        rig->running--;
    }
}

void rig_finish(struct rig *rig)
{
    enum { STEP = 30000 };
    struct nm_trap trap;
    sim_tick until = nm_machine_now(rig->m) / STEP * STEP;
    while (rig->running) {
        until += STEP;
        while (rig_run(rig, until, &trap))
            ;
    }
    while (rig_run(rig, until + STEP, &trap))
        ;
}

uint64_t rig_hash(struct rig *rig)
{
    XXH64_state_t *state = XXH64_createState();
    XXH64_reset(state, 0);
    const sim_tick now = nm_machine_now(rig->m);
    XXH64_update(state, &now, sizeof now);
    for (unsigned c = 0; c < nm_machine_cards(rig->m); c++) {
        struct mon_taps taps;
        nm_card_taps(rig->m, c, &taps);
        for (int t = 0; t < MON_TAP__COUNT; t++)
            if (!(MON_UNIT_TAPS >> t & 1))
                XXH64_update(state, &taps.v[t], sizeof taps.v[t]);
    }
    XXH64_update(state, nm_machine_image(rig->m) + SHARED_AT, sizeof(uint32_t));
    uint64_t hash = XXH64_digest(state);
    XXH64_freeState(state);
    return hash;
}
