/* The R4400's pipeline to the PCycle: r4400_cycles.def against the interpreter, its tables against
 * each other, and the Status pins. */
#include "procard/pins.h"
#include "procard/r4400/code.h"
#include "tests/each.h"
#include "tests/isa_assembler.h"
#include "tests/isa_rig.h"
#include "tests/r4400_counts.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { BASE = 0x400000, SIZE = 0x10000, DATA = 0x408000, LIMIT = 100000, ROOM = 200 };

#define SYSCALL 0x0000000c

static void start_at(struct rig *rig, const char *code, uint64_t at)
{
    uint32_t words[ROOM];
    const unsigned count = assemble(code, words, ROOM);

    cr_assert(count, "cannot assemble '%s'", code);
    rig_init(rig, BASE, SIZE, true, NM_ISA_MIPS64R2);
    for (unsigned n = 0; n < count; n++)
        rig_put(rig, at + 4 * n, words[n]);
    rig_put(rig, at + 4 * count, SYSCALL);
    rig->cpu.r.gpr[4] = DATA;
    rig->cpu.r.pc = at;
    rig->cpu.r.npc = at + 4;
}

static void start(struct rig *rig, const char *code)
{
    start_at(rig, code, BASE);
}

struct row {
    const char *row, *code, *counts, *why;
};

/* The rows as they are written: of EACH with `names`. */
static const struct written {
    struct row row;
    const char *names;
} written[] = {
#define CYCLES(row, code, counts, why)      {{row, code, counts, why}, ""},
#define EACH(row, names, code, counts, why) {{row, code, counts, why}, names},
#include "tests/r4400_cycles.def"
#undef CYCLES
#undef EACH
};

EACH_ROWS(r4400)

static void check_row(const struct row *row, unsigned slice)
{
    uint64_t expected[PC_ST__COUNT];
    struct rig rig;

    read_counts(row->counts, expected);
    expected[PC_ST_KILL_EXC] += PC_KILLED_BY_EXCEPTION;
    start(&rig, row->code);
    cr_assert(rig_run(&rig, LIMIT, slice, slice), "%s", row->code);
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        cr_expect_eq(rig.cpu.base.states[s], expected[s], "%s '%s' (%s): %s is %lu", row->row,
                     row->code, row->why, state_names[s], (unsigned long)rig.cpu.base.states[s]);
    rig_free(&rig);
}

Test(r4400, counts_by_hand)
{
    for (unsigned n = 0; n < row_count; n++)
        check_row(&rows[n], 0);
}

Test(r4400, counts_hold_wherever_the_run_is_cut)
{
    for (unsigned n = 0; n < row_count; n++) {
        check_row(&rows[n], 1);
        check_row(&rows[n], 5);
    }
}

/** [PCycles] after which an instruction like one under way can start, by the stages alone. */
static unsigned interval(struct r4400_time time)
{
    const struct r4400_use use = {.time = time};
    struct r4400_pending pending = {{0}, {{0}}};

    r4400_start(&pending, &use);
    r4400_elapse(&pending, 1);
    return 1 + r4400_slip(&pending, &use);
}

/** The latency and interval columns of timing.def are what the stages say. */
Test(r4400, stages_agree_with_latencies)
{
    for (unsigned n = MIPS_OP_RI + 1; n < MIPS_OP_ROWS_END; n++) {
        const struct r4400_time time = r4400_time(n);
        const char *name = mips_rows[n].mnemonic;

        if (!r4400_stages(time.unit))
            continue;
        cr_expect_eq(r4400_stages(time.unit), time.latency, "%s: %u stages", name,
                     r4400_stages(time.unit));
        cr_expect_eq(interval(time), time.busy, "%s: every %u", name, interval(time));
    }
}

/** However operations follow each other, at least one flight is to spare: it is stages they wait
 *  for, not room in the model. */
Test(r4400, flights_suffice)
{
    struct r4400_pending pending = {{0}, {{0}}};
    uint64_t seed = 563;

    for (unsigned n = 0; n < 20000; n++) {
        const struct r4400_use use = {
            .time = {.unit =
                         (uint8_t)(R4400_UNIT_HILO + 1 +
                                   rig_random(&seed) % (R4400_UNIT__COUNT - R4400_UNIT_HILO - 1)),
                     .latency = 1}};
        r4400_elapse(&pending, r4400_slip(&pending, &use));
        cr_assert_eq(pending.flight[R4400_FLIGHTS - 1].unit, R4400_UNIT_NONE);
        r4400_start(&pending, &use);
        r4400_elapse(&pending, 1);
    }
}

/** What an exception kills. */
Test(r4400, exceptions_kill_the_pipeline)
{
    static const char *const codes[] = {"nop", "nop; break 0", "nop; teq zero,zero,0",
                                        "nop; lw v0,1(a0)", "nop; cop2"};

    for (unsigned n = 0; n < sizeof codes / sizeof codes[0]; n++) {
        struct rig rig;

        start(&rig, codes[n]);
        cr_assert(rig_run(&rig, LIMIT, 0, 0));
        cr_expect_eq(rig.cpu.base.states[PC_ST_INT], 1, "%s", codes[n]);
        cr_expect_eq(rig.cpu.base.states[PC_ST_KILL_EXC], 8, "%s", codes[n]);
        cr_expect_eq(rig.cpu.base.now, 9);
        rig_free(&rig);
    }
}

/** Count, half the PCycles, whether or not instructions complete. */
Test(r4400, count_runs_at_half_the_rate)
{
    uint32_t words[8];
    struct rig rig;

    rig_init(&rig, BASE, SIZE, true, NM_ISA_MIPS64R2); /* rdhwr came after MIPS IV */
    cr_assert_eq(assemble("rdhwr v0,2; mult a0,a0; mflo v1; rdhwr v1,2; rdhwr a1,3", words, 8), 5);
    words[5] = SYSCALL;
    for (unsigned n = 0; n < 6; n++)
        rig_put(&rig, BASE + 4 * n, words[n]);
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    cr_expect_eq(rig.cpu.r.gpr[2], 0);
    cr_expect_eq(rig.cpu.r.gpr[3], 6); /* in PCycle 12: rdhwr, mult, 9 slips, mflo before it */
    cr_expect_eq(rig.cpu.r.gpr[5], 2);
    rig_free(&rig);
}

/* ---- the pins ---- */

struct trace {
    sim_tick t[64];
    uint8_t status[64];
    unsigned count;
};

static void note(void *ctx, sim_tick t, uint8_t status)
{
    struct trace *trace = ctx;

    trace->t[trace->count] = t;
    trace->status[trace->count++] = status;
}

/** One instruction at a time, to the trap. */
static enum pc_stop run_watched(struct pc_pins *pins, struct rig *rig)
{
    struct pc_cpu *cpu = &rig->cpu.base;
    enum pc_stop stop;

    do {
        stop = rig_go(rig, cpu->now + 1);
        r4400_settle(cpu);
        pc_pins_follow(pins, cpu->states);
    } while (stop == PC_STOP_HORIZON && cpu->now < LIMIT);
    return stop;
}

static void record(const char *code, const uint8_t *codes, struct trace *trace)
{
    struct pc_pins pins;
    struct rig rig;

    start(&rig, code);
    trace->count = 0;
    pc_pins_begin(&pins, 0, rig.cpu.base.states, codes, note, trace);
    cr_assert_eq(run_watched(&pins, &rig), PC_STOP_TRAP);
    rig_free(&rig);
}

/** lw; addiu v0 (slips 2); b taken; slot; two killed; nop: one PCycle each, two in each sample. */
Test(r4400, status_pins_show_two_pcycles_a_sample)
{
    enum { LD = 1, SI = 7, IN = 0, BT = 3, KB = 0xd, KE = 0xe, OTHER = 8 };
    static const struct {
        sim_tick t;
        unsigned older, newer; /* bits 7:4 = PCycle T-3, 3:0 = T-2 */
    } expected[] = {
        {2, OTHER, LD}, {4, SI, SI},  {6, IN, BT},  {8, IN, KB},
        {10, KB, IN},   {12, KE, KE}, {14, KE, KE}, {16, KE, KE},
    };
    enum { EDGES = sizeof expected / sizeof expected[0] };
    struct trace trace;

    record("lw v0,0(a0); addiu v0,v0,1; beq zero,zero,1; nop; nop", pc_status_codes, &trace);
    cr_assert_geq(trace.count, EDGES);
    for (unsigned n = 0; n < EDGES; n++) {
        cr_expect_eq(trace.t[n], expected[n].t);
        cr_expect_eq(trace.status[n], expected[n].older << 4 | expected[n].newer, "T = %lu: %02x",
                     (unsigned long)trace.t[n], trace.status[n]);
    }
}

/* ---- what a run leaves behind ---- */

enum { LONGEST = 1000 };

/* The state of each PCycle. */
struct cycles {
    uint8_t state[LONGEST];
};

static void note_cycles(void *ctx, sim_tick t, uint8_t status)
{
    struct cycles *c = ctx;

    cr_assert_lt(t, LONGEST);
    if (t > 2)
        c->state[t - 3] = status >> 4;
    c->state[t - 2] = status & 15;
}

static void check_tail(const struct row *row, const struct pc_cpu *cpu, const struct cycles *c)
{
    uint64_t states[PC_ST__COUNT];
    struct pc_tail tail;
    r4400_totals(cpu, states, &tail);
    const struct {
        unsigned n, state;
    } parts[] = {{tail.held, tail.holds}, {tail.killed, PC_ST_KILL_BRANCH}, {tail.did, tail.done}};
    sim_tick t = cpu->now;

    for (unsigned i = 0; i < 3; i++) {
        for (unsigned n = parts[i].n; n > 0; n--)
            cr_expect_eq(c->state[--t], parts[i].state, "%s '%s': stopped at %lu, PCycle %lu",
                         row->row, row->code, (unsigned long)cpu->now, (unsigned long)t);
    }
}

/** Cuts a run every few PCycles. @param at  where the code is */
static void check_tails(const struct row *row, uint64_t at)
{
    uint8_t codes[PC_ST__COUNT];
    struct cycles cycles;
    struct pc_pins pins;
    struct rig rig;

    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        codes[s] = (uint8_t)s;
    start_at(&rig, row->code, at);
    pc_pins_begin(&pins, 0, rig.cpu.base.states, codes, note_cycles, &cycles);
    run_watched(&pins, &rig);
    rig_free(&rig);
    for (unsigned slice = 1; slice < 4; slice++) {
        start_at(&rig, row->code, at);
        while (rig_go(&rig, rig.cpu.base.now + slice) == PC_STOP_HORIZON)
            check_tail(row, &rig.cpu.base, &cycles);
        rig_free(&rig);
    }
}

/* In most places each instruction of the code once begins a page, so that no block holds it and the
 * one before. Code with addresses in it stays where it is. */
Test(r4400, what_a_run_leaves_behind)
{
    enum { PAGE = 4096, PLACES = 8 };

    for (unsigned n = 0; n < row_count; n++) {
        check_tails(&rows[n], BASE);
        for (unsigned i = 1; i < PLACES && !strchr(rows[n].code, 'j'); i++)
            check_tails(&rows[n], BASE + PAGE - 4 * i);
    }
}

/** Other codes are loaded by giving another table. Defaults: 15 different ones, 5 reserved. */
Test(r4400, status_codes_are_data)
{
    uint8_t codes[PC_ST__COUNT];
    struct trace plain, other;
    unsigned used = 0;

    for (unsigned s = 0; s < PC_ST__COUNT; s++) {
        used |= 1u << pc_status_codes[s];
        codes[s] = pc_status_codes[s] ^ 15;
    }
    cr_expect_eq(used, 0xffffu & ~(1u << 5));
    record("lw v0,0(a0); add.s f0,f2,f4; add.s f6,f0,f4", pc_status_codes, &plain);
    record("lw v0,0(a0); add.s f0,f2,f4; add.s f6,f0,f4", codes, &other);
    cr_assert_eq(plain.count, other.count);
    for (unsigned n = 0; n < plain.count; n++)
        cr_expect_eq(plain.status[n] ^ 0xff, other.status[n]);
}

/** Each instruction that has a time of its own has a count. */
Test(r4400, every_instruction_has_a_count)
{
    static const enum mips_opcode timed[] = {
#define TIME(id, unit, latency, busy) MIPS_OP_##id,
#include "procard/r4400/timing.def"
#undef TIME
    };
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++) {
        const char *mnemonic = mips_rows[timed[i]].mnemonic;
        bool found = false;
        for (unsigned n = 0; n < row_count && !found; n++)
            found = each_has(rows[n].code, mnemonic);
        cr_expect(found, "%s has no row in r4400_cycles.def", mnemonic);
    }
}
