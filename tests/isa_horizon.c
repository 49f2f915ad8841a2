/*
 * Where a run is cut must not show: the same program with one horizon at the end and with random
 * near ones gives the same registers, memory, clock, states and the same accesses at the same
 * ticks. Nor must it show when between two runs the decoded code is dropped.
 */
#include "tests/isa_random.h"
#include "tests/mips_registers.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LIMIT = 100000000 };

struct outcome {
    struct mips_regs r;
    sim_tick now;
    uint64_t states[PC_ST__COUNT];
    uint64_t instructions, log;
    uint8_t *bytes;
};

static struct outcome run(const struct random_program *program, bool cached, bool stalls,
                          unsigned slice, uint64_t seed, bool forgets)
{
    struct outcome o;
    struct rig rig;

    rig_init(&rig, RANDOM_BASE, RANDOM_SIZE, program->n64, NM_ISA_MIPS64R2);
    rig.cached = cached;
    rig.stalls = stalls;
    rig.forgets = forgets;
    random_write(&rig, program);
    cr_assert(rig_run(&rig, LIMIT, slice, seed), "pc %lx", (unsigned long)rig.cpu.r.pc);
    cr_assert_eq(rig.cpu.base.exc, PC_EXC_SYS, "exc %d at %lx", rig.cpu.base.exc,
                 (unsigned long)rig.cpu.r.pc);
    o.r = rig.cpu.r;
    o.now = rig.cpu.base.now;
    memcpy(o.states, rig.cpu.base.states, sizeof o.states);
    o.instructions = rig.cpu.base.instructions;
    o.log = rig.log;
    o.bytes = rig.bytes;
    rig.bytes = NULL;
    rig_free(&rig);
    return o;
}

static void same(const struct outcome *a, const struct outcome *b)
{
    cr_assert_eq(a->now, b->now, "%lu %lu", (unsigned long)a->now, (unsigned long)b->now);
    for (unsigned n = 0; n < PC_ST__COUNT; n++)
        cr_assert_eq(a->states[n], b->states[n], "state %u: %lu %lu", n,
                     (unsigned long)a->states[n], (unsigned long)b->states[n]);
    cr_assert_eq(a->instructions, b->instructions);
    cr_assert_eq(a->log, b->log);
    cr_assert(mips_registers_are_same(&a->r, &b->r));
    cr_assert_eq(memcmp(a->bytes, b->bytes, RANDOM_SIZE), 0);
}

Test(isa, horizons_do_not_show)
{
    static const unsigned slices[] = {1, 2, 5, 13, 40, 200};
    uint64_t slips = 0; /* of the floating-point unit: its hazards must be among what is cut */

    for (unsigned n = 0; n < 48; n++) {
        const struct random_program program = {
            .sequences = 12, .length = 60, .seed = 510 + n, .n64 = n & 1, .loops = true};
        const bool cached = n & 2 || n & 4, stalls = n & 4 || n & 8;
        struct outcome whole = run(&program, cached, stalls, 0, 0, false);
        struct outcome cut = run(&program, cached, stalls, slices[n % 6], n, n & 16);

        same(&whole, &cut);
        slips += whole.states[PC_ST_SLIP_FP];
        free(whole.bytes);
        free(cut.bytes);
    }
    cr_assert_geq(slips, 10000);
}

Test(isa, time_changes_no_result)
{
    for (unsigned n = 0; n < 8; n++) {
        const struct random_program program = {
            .sequences = 12, .length = 60, .seed = 5110 + n, .n64 = n & 1, .loops = true};
        struct outcome quick = run(&program, true, false, 0, 0, false);
        struct outcome slow = run(&program, false, true, 7, n, false);

        cr_assert_eq(quick.instructions, slow.instructions);
        cr_assert(mips_registers_are_same(&quick.r, &slow.r));
        cr_assert_eq(memcmp(quick.bytes, slow.bytes, RANDOM_SIZE), 0);
        for (unsigned s = PC_ST_LOAD; s <= PC_ST_FP; s++)
            cr_assert_eq(quick.states[s], slow.states[s]);
        cr_assert_eq(quick.states[PC_ST_SLIP_INT], slow.states[PC_ST_SLIP_INT]);
        cr_assert_eq(quick.states[PC_ST_SLIP_FP], slow.states[PC_ST_SLIP_FP]);
        free(quick.bytes);
        free(slow.bytes);
    }
}
