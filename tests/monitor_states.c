/*
 * The totals of the 15 status states at any tick, against the Status pins PCycle by PCycle.
 *
 * The hard idea is two runs of one machine. In the first all cards' pins are followed: one
 * instruction at a time, so that every PCycle has its state. The second runs as ever, whole blocks
 * ahead, and is asked for totals in the middle of what its processors have already gone through.
 */
#include "isa_assembler.h"

#include "machine/machine.h"
#include "procard/card.h"
#include "procard/r4400/r4400.h"
#include "test_machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 100000, CARDS = 4, ROOM = 256, SHARED = 0x10000, OWN = 0x100000 };

/* The loop stands in memory more than once, each time further towards the end of a page, then
 * across it and beyond. */
enum { CODE = 0x20e00, COPIES = 32, STEP = 4096 + 16, IMAGE = COPIES * STEP };

/* va 0x40000000 on: memory from one page on, so that a line has two colours. */
#define OTHER_COLOUR UINT64_C(0x40000000)

/* Loads and stores that miss, are taken away and slip; products, quotients and floating point with
 * long slips across lines and blocks; branches of all kinds; a system call; a load behind the jump
 * to the next copy. a0: shared, a1: own, a2: the shared line in its other colour, a3: read by all
 * and written by this card alone, s0: the copy. */
static const char loop[] =
    "lw t0,0(a0); addiu t0,t0,1; sw t0,0(a0); lw t1,0(a1); mult t0,t1; lw t2,128(a0); mflo t2;"
    "sw t2,64(a1); beql zero,zero,1; nop; nop; bnel zero,zero,3; nop; add.d f0,f2,f4;"
    "add.d f0,f0,f4; lw t3,0(a2); ddiv t0,a0; bne zero,a0,2; mfhi t3; nop; mul.d f2,f2,f4;"
    "lw t3,1024(a0); lw t3,1088(a0); lw t3,1152(a0); lw t3,1216(a0); sw t3,0(a3);"
    "add.d f6,f2,f8; div.s f0,f2,f4; 9*nop; mul.s f6,f8,f10; c.eq.s f0,f6; bc1t 1; nop; ll "
    "t0,0(a0);"
    "addiu t0,t0,1; sc t0,0(a0); beq t0,zero,-4; nop; addiu a1,a1,4096; andi t0,a1,4096;"
    "bne t0,zero,2; nop; syscall; addiu s0,s0,4112; sqrt.d f0,f2; jr s0; lw t3,32(a1)";
static const char back[] = "jr s1; addu s0,s1,zero";

struct rig {
    struct nm_params p;
    struct nm_machine *m;
    struct r4400_code *code;
    uint64_t paged_in; /* bit per page of the code */
    sim_tick stop_at;  /* the next preemption */
    unsigned turn;     /* whose */
};

static unsigned code_page(const struct rig *rig, uint64_t va)
{
    return (unsigned)(va / rig->p.page_size - CODE / rig->p.page_size);
}

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    struct rig *rig = ctx;
    (void)card;
    if (access == NM_FETCH)
        rig->paged_in |= UINT64_C(1) << code_page(rig, va);
    *pa = va < OTHER_COLOUR ? va : va - OTHER_COLOUR - rig->p.page_size;
    return NM_XLATE_OK;
}

/* Instructions are there once they have been fetched. */
static const uint8_t *fetch(void *ctx, uint64_t va)
{
    const struct rig *rig = ctx;
    return rig->paged_in >> code_page(rig, va) & 1 ? nm_machine_image(rig->m) + va : NULL;
}

static void write_code(const struct rig *rig, uint64_t at, const char *text)
{
    uint32_t words[ROOM];
    const unsigned count = assemble(text, words, ROOM);
    cr_assert(count, "%s", text);
    for (unsigned i = 0; i < 4 * count; i++)
        nm_machine_image(rig->m)[at + i] = (uint8_t)(words[i / 4] >> (24 - i % 4 * 8));
    nm_machine_os_wrote(rig->m, at, 4 * count);
}

static void start(struct rig *rig, const struct nm_params *p)
{
    *rig = (struct rig){.p = *p, .m = nm_machine_new(p, &pc_r4400), .stop_at = 1000};
    for (unsigned i = 0; i < COPIES; i++)
        write_code(rig, CODE + i * STEP, loop);
    write_code(rig, CODE + IMAGE, back);
    rig->code = r4400_code_new(fetch, rig, false);
    r4400_set_code(rig->m, rig->code);
    const struct nm_space space = {.ctx = rig, .translate = translate};
    nm_machine_set_space(rig->m, &space);
    for (unsigned c = 0; c < CARDS; c++) {
        struct r4400_regs regs = {.pc = CODE, .npc = CODE + 4, .fr = true, .addr64 = true};
        regs.gpr[4] = SHARED;
        regs.gpr[5] = c / p->processors * p->memory_size + OWN + c * 0x8040;
        regs.gpr[6] = OTHER_COLOUR + p->page_size + SHARED;
        regs.gpr[7] = SHARED + 1024 + 64 * c;
        regs.gpr[16] = regs.gpr[17] = CODE;
        r4400_resume(rig->m, c, &regs, 0);
    }
}

static void end(struct rig *rig)
{
    nm_machine_free(rig->m);
    r4400_code_free(rig->code);
}

/* Runs to `until`. The operating system does something for 300 PCycles at each system call, and
 * stops a card now and then. */
static void go_to(struct rig *rig, sim_tick until)
{
    enum { SYSTEM = 300, SLICE = 700 };
    struct nm_trap trap;
    for (;;) {
        const enum nm_run why = nm_machine_run(rig->m, until, &trap);
        if (why == NM_RUN_UNTIL)
            return;
        cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(rig->m));
        const struct pc_cpu *cpu = pc_cpu_at(rig->m, trap.card);
        cr_assert(trap.preempted || cpu->exc == PC_EXC_SYS, "exception %d", cpu->exc);
        if (!trap.preempted && trap.at >= rig->stop_at) {
            nm_card_preempt(rig->m, trap.card, trap.at + SYSTEM + 40 + rig->turn++ % 20);
            rig->stop_at = trap.at + SLICE;
        }
        nm_card_resume(rig->m, trap.card, trap.at + SYSTEM);
    }
}

/* ---- the truth --------------------------------------------------------------------------------
 */

/* What the pins of one card showed: a state for each PCycle. */
struct shown {
    uint8_t state[TICKS + 8];
    sim_tick count;
};

static uint8_t state_of(unsigned code)
{
    unsigned state = 0;
    while (pc_status_codes[state] != code)
        cr_assert_lt(++state, PC_ST__COUNT, "code %#x", code);
    return (uint8_t)state;
}

static void note(void *ctx, sim_tick t, uint8_t status)
{
    struct shown *s = ctx;
    if (t > 2 && t - 3 < TICKS)
        s->state[t - 3] = state_of(status >> 4);
    if (t - 2 < TICKS)
        s->state[t - 2] = state_of(status & 15);
    s->count = t - 1;
}

static struct shown *watch_pins(const struct nm_params *p)
{
    struct shown *shown = calloc(CARDS, sizeof *shown);
    struct pc_pins pins[CARDS];
    struct rig rig;
    start(&rig, p);
    for (unsigned c = 0; c < CARDS; c++) {
        pc_follow_pins(rig.m, c, &pins[c], note, &shown[c]);
    }
    go_to(&rig, TICKS + 1000);
    for (unsigned c = 0; c < CARDS; c++)
        cr_assert_geq(shown[c].count, TICKS);
    end(&rig);
    return shown;
}

/* ---- asking -----------------------------------------------------------------------------------
 */

struct asker {
    const struct shown *shown;
    const struct pc_card *card[CARDS];
    unsigned processors;                  /* on a station */
    sim_tick at[CARDS];                   /* up to which the pins are counted in ... */
    uint64_t states[CARDS][PC_ST__COUNT]; /* ... here */
    uint64_t random;
    unsigned asked;
};

static void compare(struct asker *a, unsigned card, sim_tick at, const struct mon_taps *taps)
{
    while (a->at[card] < at)
        a->states[card][a->shown[card].state[a->at[card]++]]++;
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        cr_assert_eq(taps->v[s], a->states[card][s], "card %u, tick %lu: %s is %lu, not %lu", card,
                     (unsigned long)at, mon_tap_rows()[s].name, (unsigned long)taps->v[s],
                     (unsigned long)a->states[card][s]);
    a->asked++;
}

/* An event in the midst of everything: asks for all cards of the station whose first is this. */
static void ask(void *self, sim_tick now, uint64_t first)
{
    struct asker *a = self;
    for (unsigned c = (unsigned)first; c < first + a->processors; c++) {
        struct mon_taps taps;
        pc_card_taps(a->card[c], now, &taps);
        compare(a, c, now, &taps);
    }
    a->random = a->random * 6364136223846793005ull + 1442695040888963407ull;
    const sim_tick next = now + 1 + (a->random >> 33) % 60;
    if (next < TICKS)
        sim_post(a->card[first]->k, next, SIM_RANK_LOOK, 0, ask, a, first);
}

static void ask_at_every_tick(const struct nm_params *p, const struct shown *shown)
{
    struct asker a = {.shown = shown};
    struct rig rig;
    start(&rig, p);
    for (sim_tick t = 1; t < TICKS; t++) {
        go_to(&rig, t);
        for (unsigned c = 0; c < CARDS; c++) {
            struct mon_taps taps;
            nm_card_taps(rig.m, c, &taps);
            compare(&a, c, t, &taps);
        }
    }
    end(&rig);
}

static void ask_in_events(const struct nm_params *p, const struct shown *shown)
{
    struct asker a = {.shown = shown, .random = 7, .processors = (unsigned)p->processors};
    struct rig rig;
    start(&rig, p);
    for (unsigned c = 0; c < CARDS; c++)
        a.card[c] = pc_cpu_at(rig.m, c)->card;
    for (unsigned c = 0; c < CARDS; c += a.processors)
        sim_post(a.card[c]->k, 1, SIM_RANK_LOOK, 0, ask, &a, c);
    go_to(&rig, TICKS);
    cr_assert_gt(a.asked, 2 * TICKS / 30);
    end(&rig);
}

static struct nm_params machine(unsigned processors)
{
    struct nm_params p;
    test_machine(&p);
    p.processors = processors;
    p.ring_stations = CARDS / processors;
    p.ring_locals = p.ring_groups = 1;
    p.memory_size = 1 << 24;
    p.l1i_size = p.l1d_size = 16 << 10;
    p.l2_size = 1 << 20;
    p.netcache_size = 8 << 20;
    return p;
}

/* Caches for which the loop is too long, a TLB, and lines of two colours. */
static struct nm_params cramped(void)
{
    struct nm_params p = machine(2);
    p.l1i_size = 128;
    p.l2_size = 4096;
    p.page_size = 4096;
    p.l1d_size = 8192;
    p.tlb_refill = 20;
    p.os_vce = 10;
    return p;
}

static void check(const struct nm_params *p)
{
    struct shown *shown = watch_pins(p);
    uint64_t times[PC_ST__COUNT] = {0};
    for (unsigned c = 0; c < CARDS; c++)
        for (sim_tick t = 0; t < TICKS; t++)
            times[shown[c].state[t]]++;
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        cr_expect_gt(times[s], 0, "there is no %s", mon_tap_rows()[s].name);
    ask_at_every_tick(p, shown);
    ask_in_events(p, shown);
    free(shown);
}

Test(monitor_states, totals_at_any_tick_are_what_the_pins_showed)
{
    const struct nm_params p = machine(2);
    check(&p);
}

Test(monitor_states, with_exceptions_and_misses_in_the_middle)
{
    const struct nm_params p = cramped();
    check(&p);
}

/* A processor may still be held by one when the next three have come. */
Test(monitor_states, with_external_requests_close_together)
{
    struct nm_params p = machine(4);
    p.agent_external = 64;
    check(&p);
}
