/*
 * Overflows, flags and interrupts of an ARM11's performance monitoring unit, as a program drives
 * them: each case is a row of writes and waits, with hand counts of what is to be seen behind each.
 *
 * In every PCycle one instruction is executed. PMN0 and PMN1 count instructions or cycles, so each
 * grows by 1, from the fourth PCycle behind the write that enables them on.
 */
#include "tests/arm_rig.h"

#include <criterion/criterion.h>

enum {
    E = ARM11_PMNC_E,
    P = ARM11_PMNC_P,
    C = ARM11_PMNC_C,
    D = ARM11_PMNC_D,
    INT0 = 1 << ARM11_PMNC_INTERRUPT,
    INT1 = 2 << ARM11_PMNC_INTERRUPT,
    INTC = 4 << ARM11_PMNC_INTERRUPT,
    FLAG0 = 1 << ARM11_PMNC_FLAG,
    FLAG1 = 2 << ARM11_PMNC_FLAG,
    FLAGC = 4 << ARM11_PMNC_FLAG,
    FLAGS = 7 << ARM11_PMNC_FLAG,
    EVENTS = 0x7 << ARM11_PMNC_EVENT0 | 0x7 << ARM11_PMNC_EVENT1,
    CYCLES = 0xff << ARM11_PMNC_EVENT1,
    NOTHING = 0x20 << ARM11_PMNC_EVENT0 | 0x20 << ARM11_PMNC_EVENT1,
    STEPS_MAX = 16,
    BASE = 0x10000,
    SIZE = 0x10000,
};

enum what { END, WRITES, BACK, WAITS, ASLEEP };

/* A step: a register is written, what PMNC reads is written back with some bits more, or time
 * passes, in which the processor may sleep. Then that many interrupts have come, and PMNC has these
 * flags. */
struct step {
    enum what what;
    unsigned reg;
    uint32_t value;
    unsigned interrupts;
    uint32_t flags;
};
#define PMNC(value)   WRITES, ARM11_PMNC, (value)
#define PMN0(left)    WRITES, ARM11_PMN0, 0U - (left)
#define PMN1(left)    WRITES, ARM11_PMN1, 0U - (left)
#define CCNT(left)    WRITES, ARM11_CCNT, 0U - (left)
#define WRITE_BACK    BACK, ARM11_PMNC, 0
#define WAIT(cycles)  WAITS, 0, (cycles)
#define SLEEP(cycles) ASLEEP, 0, (cycles)

static const struct {
    const char *rule;
    struct step step[STEPS_MAX];
} cases[] = {
    {"the flag and the interrupt come at the wrap, behind the delay of the start, and stay",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 9), 0, 0},
      {WAIT(1), 1, FLAG0},
      {WAIT(100000), 1, FLAG0}}},
    {"it counts on from 0 and wraps again: the flag is up, and that is no second interrupt",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {PMN0(5), 1, FLAG0},
      {WAIT(6), 1, FLAG0}}},
    {"who writes back what he has read clears the flag, and the next overflow interrupts",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {WRITE_BACK, 1, 0},
      {PMN0(7), 1, 0},
      {WAIT(6), 1, 0},
      {WAIT(1), 2, FLAG0}}},
    {"a 0 clears nothing",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {PMNC(EVENTS | INT0 | E), 1, FLAG0},
      {PMNC(EVENTS | INT0 | E | FLAG1 | FLAGC), 1, FLAG0}}},
    {"clearing needs E: without it the flag stays, the line drops, and is there again with E",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {PMNC(EVENTS | INT0 | FLAGS), 1, FLAG0},
      {WAIT(1000), 1, FLAG0},
      {PMNC(EVENTS | INT0 | E), 2, FLAG0},
      {WAIT(1000), 2, FLAG0},
      {WRITE_BACK, 2, 0}}},
    {"a write that enables may clear in the same go, as oprofile does",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {PMNC(EVENTS | INT0), 1, FLAG0},
      {PMN0(20), 1, FLAG0},
      {PMNC(EVENTS | INT0 | E | FLAGS), 1, 0},
      {WAIT(3 + 19), 1, 0},
      {WAIT(1), 2, FLAG0}}},
    {"an overflow without its enable is a flag; enabling it then interrupts, as a level does",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | E), 0, 0},
      {WAIT(1000), 0, FLAG0},
      {PMNC(EVENTS | INT1 | INTC | E), 0, FLAG0},
      {PMNC(EVENTS | INT0 | E), 1, FLAG0}}},
    {"an enable that is taken away before the overflow prevents its interrupt",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 9), 0, 0},
      {PMNC(EVENTS | E), 0, 0},
      {WAIT(1000), 0, FLAG0}}},
    {"both in one PCycle: one interrupt, two flags, cleared together",
     {{PMN0(10), 0, 0},
      {PMN1(10), 0, 0},
      {PMNC(EVENTS | INT0 | INT1 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0 | FLAG1},
      {WRITE_BACK, 1, 0},
      {WAIT(1000), 1, 0}}},
    {"one between the other's read and its clearing is not lost",
     {{PMN0(10), 0, 0},
      {PMN1(12), 0, 0},
      {PMNC(EVENTS | INT0 | INT1 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {WAIT(2), 2, FLAG0 | FLAG1},
      {PMNC(EVENTS | INT0 | INT1 | E | FLAG0), 2, FLAG1},
      {WAIT(1000), 2, FLAG1},
      {WRITE_BACK, 2, 0}}},
    {"flags are cleared one by one; the other does not interrupt once more",
     {{PMN0(10), 0, 0},
      {CCNT(10), 0, 0},
      {PMNC(EVENTS | INT0 | INTC | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0 | FLAGC},
      {PMNC(EVENTS | INT0 | INTC | E | FLAG0), 1, FLAGC},
      {PMNC(EVENTS | INT0 | INTC | E | FLAGC), 1, 0}}},
    {"a handler that only masks: no more interrupts, and the flag is there when it unmasks",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {PMNC(EVENTS | E), 1, FLAG0},
      {WAIT(1000), 1, FLAG0},
      {PMNC(EVENTS | INT0 | E), 2, FLAG0}}},
    {"masks within masks: two counters, each masked while the other is served",
     {{PMN0(10), 0, 0},
      {PMN1(20), 0, 0},
      {PMNC(EVENTS | INT0 | INT1 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {PMNC(EVENTS | INT1 | E), 1, FLAG0},
      {WAIT(10), 2, FLAG0 | FLAG1},
      {PMNC(EVENTS | E), 2, FLAG0 | FLAG1},
      {PMNC(EVENTS | E | FLAG1), 2, FLAG0},
      {PMNC(EVENTS | INT1 | E), 2, FLAG0},
      {PMNC(EVENTS | INT1 | E | FLAG0), 2, 0},
      {PMNC(EVENTS | INT0 | INT1 | E), 2, 0},
      {WAIT(1000), 2, 0}}},
    {"CCNT with its divider: 10 times 64 PCycles, from the write of C on",
     {{PMNC(EVENTS | C | D), 0, 0},
      {CCNT(10), 0, 0},
      {PMNC(EVENTS | D | INTC | E), 0, 0},
      {WAIT(3 + 639), 0, 0},
      {WAIT(1), 1, FLAGC}}},
    {"the reset of the counters leaves flags and interrupts alone",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {PMNC(EVENTS | INT0 | E | P | C), 1, FLAG0},
      {WAIT(1000), 1, FLAG0}}},
    {"the delay is that of each start, and of no other write",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 4), 0, 0},
      {PMNC(EVENTS | INT0 | INT1 | E), 0, 0},
      {WAIT(1), 0, 0},
      {PMNC(EVENTS | INT0), 0, 0},
      {WAIT(100), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(3 + 4), 0, 0},
      {WAIT(1), 1, FLAG0}}},
    {"a start that is taken back within its delay counts nothing",
     {{PMN0(1), 0, 0},
      {PMNC(EVENTS | INT0 | E), 0, 0},
      {WAIT(2), 0, 0},
      {PMNC(EVENTS | INT0), 0, 0},
      {WAIT(100), 0, 0}}},
    {"a counter of Linux's event 0x20 stands still, with 1 to go",
     {{PMN0(1), 0, 0},
      {PMN1(1), 0, 0},
      {PMNC(NOTHING | INT0 | INT1 | E), 0, 0},
      {WAIT(1000), 0, 0}}},
    {"all three enables, the three at different times, nobody clears",
     {{PMN0(10), 0, 0},
      {PMN1(30), 0, 0},
      {CCNT(20), 0, 0},
      {PMNC(EVENTS | INT0 | INT1 | INTC | E), 0, 0},
      {WAIT(3 + 10), 1, FLAG0},
      {WAIT(10), 2, FLAG0 | FLAGC},
      {WAIT(10), 3, FLAGS},
      {WAIT(1000), 3, FLAGS},
      {WRITE_BACK, 3, 0}}},
    {"X changes nothing of it",
     {{PMN0(10), 0, 0},
      {PMNC(EVENTS | ARM11_PMNC_X | INT0 | E), 0, 0},
      {WAIT(3 + 9), 0, 0},
      {WAIT(1), 1, FLAG0}}},
    {"cycles interrupt a processor that sleeps, whatever else is waited for before",
     {{PMN0(10), 0, 0},
      {PMN1(1000), 0, 0},
      {PMNC((EVENTS & ~(0xff << ARM11_PMNC_EVENT1)) | CYCLES | INT0 | INT1 | E), 0, 0},
      {WAIT(3), 0, 0},
      {SLEEP(999), 0, 0},
      {SLEEP(1), 1, FLAG1}}},
};

/* Time passes; the unit is looked at where it has asked for it. */
static void pass(struct arm_rig *rig, uint32_t cycles, bool asleep)
{
    struct arm11 *c = &rig->cpu;
    for (uint32_t n = 0; n < cycles; n++) {
        c->base.now++;
        c->signals.total[ARM11_SIGNAL_INSTRUCTIONS] += !asleep;
        const sim_tick due = rig->look;
        if (due > c->base.now)
            continue;
        rig->look = SIM_NEVER;
        arm11_look(&c->base, due);
    }
}

static void act(struct arm_rig *rig, const struct step *s)
{
    struct arm11 *c = &rig->cpu;
    if (s->what == WRITES)
        arm11_counter_write(c, (enum arm11_pmu_register)s->reg, s->value);
    else if (s->what == BACK)
        arm11_counter_write(c, ARM11_PMNC, arm11_counter_read(c, ARM11_PMNC));
    else
        pass(rig, s->value, s->what == ASLEEP);
}

Test(arm11_overflow, cases_by_hand)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct arm_rig rig;
        arm_rig_init(&rig, BASE, SIZE, NM_CORE_ARM1176);
        for (size_t k = 0; k < STEPS_MAX && cases[i].step[k].what != END; k++) {
            const struct step *s = &cases[i].step[k];
            act(&rig, s);
            cr_expect_eq(rig.interrupts, s->interrupts, "%s: step %zu: %u interrupts, not %u",
                         cases[i].rule, k + 1, rig.interrupts, s->interrupts);
            const uint32_t flags = arm11_counter_read(&rig.cpu, ARM11_PMNC) & FLAGS;
            cr_expect_eq(flags, s->flags, "%s: step %zu: flags %x, not %x", cases[i].rule, k + 1,
                         flags, s->flags);
        }
        arm_rig_free(&rig);
    }
}
