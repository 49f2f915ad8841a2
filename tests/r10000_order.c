/*
 * Programs on R10000s see their loads and stores in order, though loads read early: litmus tests of
 * two processors, at every distance in time between them. Loads hit lines that the other processor
 * is about to take while an older access still waits.
 *
 * The same cores with a fault planted in their squash must be found out: then the tests would see
 * it.
 */
#include "r10000_rig.h"

#include "procard/card.h"
#include "procard/r10000/pipeline.h"

#include <criterion/criterion.h>

/* x is at a0, y in another line and bank. Both are 0 and of card 0 before, and the second card has
 * read of them what `shared` says. */
#define BEFORE "sw zero,0(a0); sw zero,0x1020(a0)|1: lw v0,0(a0); lw v0,0x1020(a0)|"

static const struct litmus {
    const char *name, *before, *code[RIG_CARDS];
    struct {
        unsigned card, reg;
        uint64_t value;
    } forbidden[2];
} tests[] = {
    {"message passing",
     BEFORE "sw zero,0x1020(a0)",
     {"addiu t0,zero,1; sw t0,0(a0); sw t0,0x1020(a0)", "lw v0,0x1020(a0); lw v1,0(a0)"},
     {{1, 2, 1}, {1, 3, 0}}},
    {"message passing, the datum read on a path that is guessed",
     BEFORE "sw zero,0x1020(a0)",
     {"addiu t0,zero,1; sw t0,0(a0); sw t0,0x1020(a0)",
      "lw v0,0x1020(a0); bne v0,zero,1; nop; lw v1,0(a0)"},
     {{1, 2, 1}, {1, 3, 0}}},
    {"store buffering",
     BEFORE "lw v0,0x1020(a0)",
     {"addiu t0,zero,1; sw t0,0(a0); lw v0,0x1020(a0)",
      "addiu t0,zero,1; sw t0,0x1020(a0); lw v0,0(a0)"},
     {{0, 2, 0}, {1, 2, 0}}},
    {"store buffering with SYNC",
     BEFORE "lw v0,0x1020(a0)",
     {"addiu t0,zero,1; sw t0,0(a0); sync; lw v0,0x1020(a0)",
      "addiu t0,zero,1; sw t0,0x1020(a0); sync; lw v0,0(a0)"},
     {{0, 2, 0}, {1, 2, 0}}},
};

enum { TESTS = sizeof tests / sizeof *tests, DISTANCE = 320 };

static bool seen(const struct rig *rig, const struct litmus *test)
{
    for (unsigned i = 0; i < 2; i++)
        if (((const struct mips_regs *)pc_thread_registers(rig->m, test->forbidden[i].card))
                ->gpr[test->forbidden[i].reg] != test->forbidden[i].value)
            return false;
    return true;
}

/* @return times the forbidden outcome was seen, of all distances in time; both of them later */
static unsigned times_seen(const struct litmus *test, const struct nm_card_kind *kind,
                           const char *options)
{
    struct rig rig;
    unsigned times = 0;
    rig_init_of(&rig, options, kind);
    for (int distance = -DISTANCE; distance <= DISTANCE; distance += 3) {
        rig_again(&rig);
        rig_steps(&rig, test->before);
        rig_together(&rig, test->code, distance);
        times += seen(&rig, test);
    }
    rig_free(&rig);
    return times;
}

static const char *const machines[] = {"processor.core=1", "processor.core=2", "protocol=1",
                                       "r10000.misses=1"};

Test(r10000_order, nothing_that_is_forbidden)
{
    for (unsigned t = 0; t < TESTS; t++)
        for (unsigned m = 0; m < sizeof machines / sizeof *machines; m++)
            cr_expect_eq(times_seen(&tests[t], &pc_r10000, machines[m]), 0, "%s, %s", tests[t].name,
                         machines[m]);
}

/* ---- what the operating system writes -------------------------------------------------------- */

#define FLAG 0x1020

/* Flag and datum, at one moment. */
static void writes_both(struct rig *rig, uint64_t code)
{
    (void)code;
    rig_writes(rig, RIG_DATA, 1);
    rig_writes(rig, RIG_DATA + FLAG, 1);
}

/* A step whose load of the flag waits for memory, at every distance in time from what is done.
 * @return times that register v0 was 1 and v1 was not what it must be then */
static unsigned times_late(const char *options, const char *step, uint64_t must,
                           void (*does)(struct rig *rig, uint64_t code))
{
    struct rig rig;
    unsigned late = 0, in_time = 0, seen_it = 0;
    rig_init(&rig, options);
    for (unsigned after = 1; after <= DISTANCE; after += 3) {
        rig_again(&rig);
        rig_steps(&rig, "1: sw zero,0x1020(a0)|sw zero,0(a0)");
        in_time += rig_interrupted(&rig, step, after, does);
        const struct mips_regs *r = pc_thread_registers(rig.m, 0);
        seen_it += r->gpr[2] == 1;
        late += r->gpr[2] == 1 && r->gpr[3] != must;
    }
    cr_expect(seen_it > 9 && seen_it <= in_time, "%s: %u, %u", step, seen_it, in_time);
    rig_free(&rig);
    return late;
}

Test(r10000_order, nothing_old_behind_what_the_operating_system_writes)
{
    for (unsigned m = 0; m < sizeof machines / sizeof *machines; m++)
        cr_expect_eq(times_late(machines[m], "lw v0,0x1020(a0); lw v1,0(a0)", 1, writes_both), 0,
                     "%s", machines[m]);
}

/* The instruction behind the load, and then the flag; processors are told of it. */
static void writes_code(struct rig *rig, uint64_t code)
{
    enum { ADDIU_V1_ZERO_1 = 0x24030001 };
    rig_writes(rig, code + 4, ADDIU_V1_ZERO_1);
    rig_writes(rig, RIG_DATA + FLAG, 1);
    for (unsigned card = 0; card < RIG_CARDS; card++)
        pc_code_changed(rig->m, card, code + 4, 4);
}

Test(r10000_order, nothing_old_behind_code_that_has_changed)
{
    for (unsigned m = 0; m < sizeof machines / sizeof *machines; m++)
        cr_expect_eq(times_late(machines[m], "lw v0,0x1020(a0); addiu v1,zero,2", 1, writes_code),
                     0, "%s", machines[m]);
}

/* ---- faults ---------------------------------------------------------------------------------- */

static const struct pc_core_ops *original(void)
{
    return pc_r10000.ctx;
}

/* Loads that have read of the line go on. */
static void forgets_loads(struct pc_cpu *base, uint64_t line, enum pc_loss loss, sim_tick now)
{
    struct r10k *c = r10k_of(base);
    original()->loses(base, line, loss, now);
    for (unsigned i = 0; i < c->count; i++)
        r10k_entry(c, i)->unsure = false;
}

/* Only the oldest instruction begins again. */
static void forgets_younger(struct pc_cpu *base, uint64_t line, enum pc_loss loss, sim_tick now)
{
    struct r10k *c = r10k_of(base);
    original()->loses(base, line, loss, now);
    for (unsigned i = 1; i < c->count; i++)
        r10k_entry(c, i)->unsure = false;
}

/* Loads count as the oldest once nothing older waits for memory, though a branch does. */
static void takes_them_for_the_oldest(struct pc_cpu *base, uint64_t line, enum pc_loss loss,
                                      sim_tick now)
{
    struct r10k *c = r10k_of(base);
    for (unsigned i = 0; i < c->count; i++)
        r10k_entry(c, i)->oldest = i < 3;
    original()->loses(base, line, loss, now);
}

Test(r10000_order, faults_in_the_squash_are_seen)
{
    static void (*const faults[])(struct pc_cpu *, uint64_t, enum pc_loss, sim_tick) = {
        forgets_loads, forgets_younger, takes_them_for_the_oldest};
    for (unsigned f = 0; f < sizeof faults / sizeof *faults; f++) {
        struct pc_core_ops core = *original();
        struct nm_card_kind kind = pc_r10000;
        unsigned times = 0;
        core.loses = faults[f];
        kind.ctx = &core;
        for (unsigned t = 0; t < TESTS; t++)
            times += times_seen(&tests[t], &kind, "");
        cr_expect_gt(times, 0, "fault %u", f);
    }
}
