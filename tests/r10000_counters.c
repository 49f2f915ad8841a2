/*
 * The counters of an R10000 or R12000: registers as the documents have them, on totals that a test
 * makes; and on a card whose core is a script (script_core.h), where each interrupt must come at
 * the PCycle at which the script says that bit 31 is set.
 */
#include "script_core.h"

#include "machine/values.h"

#include <criterion/criterion.h>

enum { BIT31 = 1u << 31 };

static uint32_t control_of(unsigned number, unsigned modes, bool interrupts)
{
    return number << R10K_EVENT_SHIFT | (interrupts ? R10K_INTERRUPTS : 0) | modes;
}

/* ---- registers on totals of one's own -------------------------------------------------------- */

Test(r10000_counters, reserved_bits_stay_0)
{
    static const uint32_t rows[R10K_CHIPS] = {
        [R10K_R10000_2] = 0x1ff, [R10K_R10000_3] = 0x1ff, [R10K_R12000] = 0x3ff};
    const struct r10k_signals now = {0};
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++)
        for (unsigned k = 0; k < R10K_COUNTERS; k++) {
            struct r10k_counters c = {.chip = (enum r10k_chip)chip};
            r10k_set_control(&c, k, UINT32_MAX, &now);
            cr_expect_eq(r10k_control(&c, k), rows[chip], "%s", r10k_chip_name(c.chip));
            cr_expect_eq(r10k_control(&c, !k), 0, "the other one");
            for (unsigned bit = 0; bit < 32; bit++) {
                r10k_set_control(&c, k, 1u << bit, &now);
                cr_expect_eq(r10k_control(&c, k), rows[chip] & 1u << bit, "bit %u", bit);
            }
        }
}

/* Every event of every chip, on every counter that has it, in every set of modes. */
Test(r10000_counters, every_event_counts_its_signal_in_its_modes)
{
    static const unsigned weight[R10K_MODES] = {1000, 300, 70, 9}, /* user to exception level */
        bit[R10K_MODES] = {8, 4, 2, 1};
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++)
        for (unsigned k = 0; k < R10K_COUNTERS; k++)
            for (unsigned n = 0; n < (chip == R10K_R12000 ? 32 : 16); n++)
                for (unsigned modes = 0; modes < 16; modes++) {
                    struct r10k_counters c = {.chip = (enum r10k_chip)chip};
                    struct r10k_signals now = {0};
                    const struct r10k_event *event = r10k_event_at(c.chip, k, n);
                    uint32_t grown = 0;
                    for (unsigned s = 0; s < R10K_SIGNALS; s++)
                        now.total[s][n % R10K_MODES] = 5 * s; /* before it counts */
                    r10k_set_control(&c, k, control_of(n, modes, false), &now);
                    r10k_set_value(&c, k, 17, &now);
                    for (unsigned s = 0; s < R10K_SIGNALS; s++)
                        for (unsigned m = 0; m < R10K_MODES; m++)
                            now.total[s][m] += weight[m] * (s + 1);
                    for (unsigned m = 0; m < R10K_MODES; m++)
                        grown += modes & bit[m] ? weight[m] * (event->signal + 1u) : 0;
                    cr_expect_eq(r10k_value(&c, k, &now), 17 + grown, "%s in modes %u", event->name,
                                 modes);
                }
}

/* As the processor's registers: writable, 32 bits, and counting goes on behind bit 31. */
Test(r10000_counters, preload_overflow_and_wrap)
{
    static const struct {
        uint32_t load, value;
        uint64_t grown;
        bool over;
    } rows[] = {{0, 0, 0, false},
                {0, BIT31 - 1, BIT31 - 1, false},
                {0, BIT31, BIT31, true},
                {BIT31 - 5, BIT31 - 1, 4, false},
                {BIT31 - 5, BIT31, 5, true},
                {BIT31 - 5, BIT31 + 1000, 1005, true},
                {BIT31 + 7, BIT31 + 7, 0, true},
                {UINT32_MAX, UINT32_MAX, 0, true},
                {UINT32_MAX, 0, 1, false},
                {UINT32_MAX, 6, 7, false},
                {3, 8, (UINT64_C(1) << 32) + 5, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned k = 0; k < R10K_COUNTERS; k++)
            for (unsigned interrupts = 0; interrupts < 2; interrupts++) {
                struct r10k_counters c = {.chip = R10K_R10000_3};
                struct r10k_signals now = {0};
                now.total[R10K_SIGNAL_CYCLES][R10K_USER] = 12345;
                r10k_set_control(&c, k, control_of(0, R10K_COUNT_USER, interrupts), &now);
                r10k_set_value(&c, k, rows[i].load, &now);
                now.total[R10K_SIGNAL_CYCLES][R10K_USER] += rows[i].grown;
                cr_expect_eq(r10k_value(&c, k, &now), rows[i].value, "row %zu", i);
                cr_expect_eq(r10k_pending(&c, &now), rows[i].over && interrupts ? 1u << k : 0,
                             "row %zu", i);
            }
}

/* A change of the control register keeps the value; interrupts follow at once. */
Test(r10000_counters, control_keeps_the_value)
{
    struct r10k_counters c = {.chip = R10K_R10000_3};
    struct r10k_signals now = {0};
    r10k_set_control(&c, 0, control_of(0, R10K_COUNT_ALL, false), &now);
    now.total[R10K_SIGNAL_CYCLES][R10K_USER] = 100;
    r10k_set_control(&c, 0, control_of(15, R10K_COUNT_ALL, false), &now);
    cr_expect_eq(r10k_value(&c, 0, &now), 100);
    now.total[R10K_SIGNAL_CYCLES][R10K_USER] = 200;
    now.total[R10K_SIGNAL_GRADUATED][R10K_USER] = 30;
    cr_expect_eq(r10k_value(&c, 0, &now), 130, "graduated instructions now");
    r10k_set_control(&c, 0, control_of(15, 0, true), &now);
    now.total[R10K_SIGNAL_GRADUATED][R10K_USER] = 1000;
    cr_expect_eq(r10k_value(&c, 0, &now), 130, "no mode: it stands");
    r10k_set_value(&c, 0, BIT31, &now);
    cr_expect_eq(r10k_pending(&c, &now), 1, "bit 31 is a level, written or counted");
    r10k_set_control(&c, 0, control_of(15, 0, false), &now);
    cr_expect_eq(r10k_pending(&c, &now), 0);
}

/* No overflow comes sooner than the counter says, and it is not put off for ever. */
Test(r10000_counters, quiet_is_the_soonest_overflow)
{
    static const struct {
        unsigned k, number;
        uint32_t load;
        uint64_t quiet;
    } rows[] = {{0, 0, BIT31 - 1, 1},  {0, 0, 0, BIT31},      {0, 15, BIT31 - 1, 1},
                {0, 15, BIT31 - 4, 1}, {0, 15, BIT31 - 5, 2}, {0, 1, BIT31 - 5, 1},
                {0, 1, BIT31 - 6, 2},  {1, 10, BIT31 - 7, 7}, {0, 0, BIT31, 0},
                {1, 2, BIT31 - 9, 3},  {0, 0, UINT32_MAX, 0}};
    const struct r10k_signals now = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct r10k_counters c = {.chip = R10K_R10000_3};
        r10k_set_control(&c, rows[i].k, control_of(rows[i].number, R10K_COUNT_USER, true), &now);
        r10k_set_value(&c, rows[i].k, rows[i].load, &now);
        cr_expect_eq(r10k_quiet(&c, rows[i].k, &now), rows[i].quiet, "row %zu", i);
        r10k_set_control(&c, rows[i].k, control_of(rows[i].number, R10K_COUNT_USER, false), &now);
        cr_expect_eq(r10k_quiet(&c, rows[i].k, &now), 0, "it does not interrupt");
        r10k_set_control(&c, rows[i].k, control_of(rows[i].number, 0, true), &now);
        cr_expect_eq(r10k_quiet(&c, rows[i].k, &now), 0, "it counts nothing");
    }
}

/* ---- on a card ------------------------------------------------------------------------------- */

enum { CARDS = 2 };

static struct nm_machine *script_machine(enum r10k_chip chip)
{
    struct nm_params p;
    nm_params_default(&p);
    p.ring_stations = p.ring_locals = p.ring_groups = 1;
    p.processors = CARDS;
    p.core = chip == R10K_R12000 ? NM_CORE_R12000 : NM_CORE_R10000;
    p.l2_split = false;
    p.r10000_revision = chip == R10K_R10000_2 ? NM_R10000_REVISION2 : NM_R10000_REVISION3;
    struct nm_machine *m = nm_machine_new(&p, &script_card);
    for (unsigned card = 0; card < CARDS; card++)
        nm_card_resume(m, card, 0);
    return m;
}

static void run_to(struct nm_machine *m, sim_tick until)
{
    struct nm_trap trap;
    cr_assert_eq(nm_machine_run(m, until, &trap), NM_RUN_UNTIL);
    cr_assert_eq(nm_machine_now(m), until);
}

static void start(struct nm_machine *m, unsigned card, unsigned k, uint32_t control, uint32_t load)
{
    pc_counter_set_control(m, card, k, control);
    pc_counter_set(m, card, k, load);
}

Test(r10000_counters, chips_are_the_machines)
{
    static const enum r10k_chip chips[] = {R10K_R10000_2, R10K_R10000_3, R10K_R12000};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++) {
        struct nm_machine *m = script_machine(chips[i]);
        cr_expect_eq(pc_counters(m, 1), R10K_COUNTERS);
        cr_expect_eq(pc_counters_of(nm_machine_params(m)), chips[i]);
        pc_counter_set_control(m, 1, 0, UINT32_MAX);
        cr_expect_eq(pc_counter_control(m, 1, 0), r10k_control_bits(chips[i]));
        nm_machine_free(m);
    }
}

Test(r10000_counters, a_card_counts_what_the_script_says)
{
    static const sim_tick looks[] = {1000, 1001, 1517, 4096, 9999};
    struct nm_machine *m = script_machine(R10K_R12000);
    struct r10k_signals from, to, read;
    run_to(m, 777);
    for (unsigned card = 0; card < CARDS; card++)
        for (unsigned k = 0; k < R10K_COUNTERS; k++)
            start(m, card, k, control_of(15 + 6 * k, 9 - k, false), 100 * k);
    for (size_t i = 0; i < sizeof looks / sizeof *looks; i++) {
        run_to(m, looks[i]);
        for (unsigned card = 0; card < CARDS; card++) {
            script_totals(card, 777, &from);
            script_totals(card, looks[i], &to);
            pc_signals(m, card, &read);
            for (unsigned s = 0; s < R10K_SIGNALS; s++)
                for (unsigned mode = 0; mode < R10K_MODES; mode++)
                    cr_expect_eq(read.total[s][mode], to.total[s][mode], "%s in mode %u at %lu",
                                 r10k_signal_name((enum r10k_signal)s), mode,
                                 (unsigned long)looks[i]);
            for (unsigned k = 0; k < R10K_COUNTERS; k++) {
                const enum r10k_signal s = k ? R10K_SIGNAL_GRADUATED_FP : R10K_SIGNAL_GRADUATED;
                cr_expect_eq(pc_counter(m, card, k),
                             100 * k + r10k_total(&to, s, 9 - k) - r10k_total(&from, s, 9 - k));
                cr_expect_eq(pc_counter_control(m, card, k), control_of(15 + 6 * k, 9 - k, false));
            }
        }
    }
    nm_machine_free(m);
}

/* While no thread runs, cycles are those of the operating system. */
Test(r10000_counters, time_without_a_thread_is_kernel_mode)
{
    enum { TRAP = 5000, GO = 9000, END = 11000 };
    struct nm_machine *m = script_machine(R10K_R10000_3);
    struct r10k_signals before, now;
    struct nm_trap trap;
    script_trap(m, 0, TRAP);
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_TRAP);
    cr_assert(trap.card == 0 && trap.at == TRAP);
    script_trap(m, 0, 0);
    nm_card_resume(m, 0, GO);
    script_totals(0, TRAP, &before);
    run_to(m, GO - 100);
    pc_signals(m, 0, &now);
    cr_expect_eq(now.total[R10K_SIGNAL_CYCLES][R10K_KERNEL],
                 before.total[R10K_SIGNAL_CYCLES][R10K_KERNEL] + GO - 100 - TRAP);
    cr_expect_eq(r10k_total(&now, R10K_SIGNAL_CYCLES, R10K_COUNT_ALL), GO - 100);
    cr_expect_eq(now.total[R10K_SIGNAL_CYCLES][R10K_USER],
                 before.total[R10K_SIGNAL_CYCLES][R10K_USER]);
    run_to(m, END);
    pc_signals(m, 0, &now);
    cr_expect_eq(r10k_total(&now, R10K_SIGNAL_CYCLES, R10K_COUNT_ALL), END);
    cr_expect_gt(now.total[R10K_SIGNAL_CYCLES][R10K_USER],
                 before.total[R10K_SIGNAL_CYCLES][R10K_USER]);
    nm_machine_free(m);
}

/* The tick before which a counter set at `from` has counted `left` more. */
static sim_tick overflow(unsigned card, sim_tick from, enum r10k_signal signal, unsigned modes,
                         uint64_t left)
{
    struct r10k_signals now = {0};
    uint64_t counted = 0;
    sim_tick at = from;
    for (; counted < left; at++) {
        now = (struct r10k_signals){0};
        now.total[signal][script_mode(card, at)] = script_growth(card, at, signal);
        counted += r10k_total(&now, signal, modes);
    }
    return at;
}

Test(r10000_counters, interrupts_at_the_tick_of_the_overflow)
{
    static const uint32_t before[] = {1, 2, 7, 15, 400};
    static const unsigned modes[] = {R10K_COUNT_USER, R10K_COUNT_EXCEPTION, R10K_COUNT_ALL,
                                     R10K_COUNT_USER | R10K_COUNT_KERNEL};
    static const unsigned irix[] = {0, 1, 5, 15, 18, 24, 26, 31};
    enum { BEGIN = 1013 };
    for (size_t e = 0; e < sizeof irix / sizeof *irix; e++)
        for (size_t b = 0; b < sizeof before / sizeof *before; b++)
            for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
                struct nm_machine *m = script_machine(R10K_R10000_3);
                const struct r10k_event *event = r10k_irix_event(R10K_R10000_3, irix[e]);
                const unsigned k = irix[e] / 16, card = (unsigned)(b & 1);
                const sim_tick at =
                    overflow(card, BEGIN, (enum r10k_signal)event->signal, modes[i], before[b]);
                struct nm_trap trap = {0};
                run_to(m, BEGIN);
                start(m, card, k, control_of(irix[e] % 16, modes[i], true), BIT31 - before[b]);
                cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_INTERRUPT);
                cr_expect(trap.card == card && trap.cause == NM_INTERRUPT_COUNTERS);
                cr_expect_eq(trap.at, at, "%s, %u more, modes %u: %lu, not %lu", event->name,
                             before[b], modes[i], (unsigned long)trap.at, (unsigned long)at);
                cr_expect_eq(pc_counters_pending(m, card), 1u << k);
                nm_machine_free(m);
            }
}

/* Once for each counter; again after it was cleared; at once when written so; and not at all
 * without IE. */
Test(r10000_counters, a_level_interrupts_once)
{
    enum { BEGIN = 100, FIRST = 50, SECOND = 120, LATER = 4000 };
    const uint32_t cycles = control_of(0, R10K_COUNT_ALL, true);
    struct nm_machine *m = script_machine(R10K_R10000_3);
    struct nm_trap trap;
    run_to(m, BEGIN);
    start(m, 1, 0, cycles, BIT31 - FIRST);
    start(m, 1, 1, cycles, BIT31 - SECOND);
    start(m, 0, 1, cycles & ~(uint32_t)R10K_INTERRUPTS, BIT31 - 1);
    for (unsigned n = 0; n < 2; n++) {
        cr_assert_eq(nm_machine_run(m, LATER, &trap), NM_RUN_INTERRUPT);
        cr_expect(trap.card == 1 && trap.at == BEGIN + (n ? SECOND : FIRST));
    }
    cr_expect_eq(pc_counters_pending(m, 1), 3);
    cr_expect_eq(pc_counters_pending(m, 0), 0);
    run_to(m, LATER);
    cr_expect_eq(pc_counter(m, 1, 0), BIT31 - FIRST + (LATER - BEGIN), "counting goes on");
    pc_counter_set(m, 1, 0, BIT31 - 30);
    cr_expect_eq(pc_counters_pending(m, 1), 2);
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_INTERRUPT);
    cr_expect(trap.card == 1 && trap.at == LATER + 30);
    const sim_tick now = nm_machine_now(m);
    pc_counter_set_control(m, 0, 1, cycles);
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_INTERRUPT);
    cr_expect(trap.card == 0 && trap.at == now, "enabled when it had long overflowed");
    nm_machine_free(m);
}

/* A counter that waits for what a processor without a thread never does keeps no machine going. */
Test(r10000_counters, an_idle_machine_is_idle)
{
    struct nm_params p;
    struct nm_trap trap;
    nm_params_default(&p);
    p.ring_stations = p.ring_locals = p.ring_groups = 1;
    p.core = NM_CORE_R10000;
    p.l2_split = false;
    struct nm_machine *m = nm_machine_new(&p, &script_card);
    start(m, 0, 0, control_of(15, R10K_COUNT_ALL, true), BIT31 - 5);
    cr_expect_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_IDLE);
    start(m, 0, 0, control_of(0, R10K_COUNT_ALL, true), BIT31 - 500);
    const sim_tick now = nm_machine_now(m);
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_INTERRUPT);
    cr_expect_eq(trap.at, now + 500);
    nm_machine_free(m);
}

/* The registers as instructions number them, and what is none. */
Test(r10000_counters, coprocessor_0)
{
    struct nm_machine *m = script_machine(R10K_R12000);
    struct pc_cpu *cpu = pc_cpu_at(m, 0);
    pc_pmc_write(cpu, PC_PMC_CONTROL1, control_of(31, 5, false) | 1u << 20);
    pc_pmc_write(cpu, PC_PMC_COUNTER1, 1234);
    pc_pmc_write(cpu, 4, 77);
    cr_expect_eq(pc_pmc_read(cpu, PC_PMC_CONTROL0), 0);
    cr_expect_eq(pc_pmc_read(cpu, PC_PMC_COUNTER0), 0);
    cr_expect_eq(pc_pmc_read(cpu, PC_PMC_CONTROL1), control_of(31, 5, false));
    cr_expect_eq(pc_pmc_read(cpu, PC_PMC_COUNTER1), 1234);
    cr_expect_eq(pc_pmc_read(cpu, 4), 0);
    cr_expect_eq(pc_counter(m, 0, 1), 1234);
    nm_machine_free(m);
}
