/*
 * What an R10000 passes over is nothing: random blocks of instructions on several cards take as
 * many PCycles, and leave the same registers, states and totals of every signal, as on a machine
 * that steps through every PCycle (run.step).
 *
 * A block is known by the number of its machine and its own: --filter and BLOCKS do not change
 * them.
 */
#include "mips_registers.h"
#include "r10000_blocks.h"

#include "r10000_rig.h"

#include "procard/card.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef BLOCKS
#define BLOCKS 4000
#endif

enum {
    EACH = 50, /* blocks of a machine */
    CARDS = 4,
    CODE = 0x100000,
    APART = 0x10000, /* [bytes] from one card's code to another's, and from block to block of one */
    HOT = 0x402000,  /* and as far apart */
    SHARED = 0x600000,
    FAR = 0x800000,
    FAR_BYTES = 0x400000,
    UNCACHED = 0x3000000,
    NOWHERE = 0x3001000,
    PAGE = 4096,
    LONGEST = 400000, /* [ticks] of a block, on a machine that nobody else keeps busy */
};

static const char *const kinds[] = {
    "processor.core=1",
    "processor.core=2",
    "processor.core=1 r10000.misses=1",
    "processor.core=1 rings.stations=2",
    "processor.core=1 tlb.refill=40 r10000.user_counters=1",
    "processor.core=2 rings.stations=2 r10000.misses=2 tlb.refill=40",
    "processor.core=1 r10000.active_list=8 r10000.strict_link=0 l2.size=16384 l2.ways=1",
    "processor.core=2 protocol=1 r10000.predict=3 r10000.user_counters=1 run.check=0",
    "processor.core=1 processor.isa=2 r10000.l2_clock=6 l2.size=32768 run.check=0",
    "processor.core=1 l1d.line=16 l1d.size=4096 l1i.size=4096 r10000.revision=0",
};

/* ---- a machine ------------------------------------------------------------------------------- */

struct world {
    struct rig rig;
    unsigned cards;
    struct end {
        sim_tick at;
        enum pc_exc exc;
    } end[CARDS]; /* of the last block */
};

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    (void)ctx, (void)card;
    *pa = va;
    if (va >= 64 << 20 || va / PAGE == NOWHERE / PAGE)
        return NM_XLATE_UNMAPPED;
    if (va / PAGE == UNCACHED / PAGE)
        return NM_XLATE_UNCACHED;
    return va < CODE && access == NM_STORE ? NM_XLATE_PROTECTED : NM_XLATE_OK;
}

static const struct nm_space space = {.translate = translate};

static void world_new(struct world *w, unsigned number, bool steps)
{
    char options[300];
    snprintf(options, sizeof options, "l2.size=65536 %s run.step=%d",
             kinds[number % (sizeof kinds / sizeof *kinds)], steps);
    rig_init(&w->rig, options);
    w->cards = nm_machine_cards(w->rig.m);
    nm_machine_set_space(w->rig.m, &space);
}

/* ---- a block on each card -------------------------------------------------------------------- */

static void put_code(const struct world *w, uint64_t at, const uint32_t *words, unsigned count)
{
    uint8_t *image = nm_machine_image(w->rig.m);
    for (unsigned i = 0; i < 4 * count; i++)
        image[at + i] = (uint8_t)(words[i / 4] >> (24 - i % 4 * 8));
    nm_machine_os_wrote(w->rig.m, at, 4 * count);
}

static sim_tick soon(const struct world *w)
{
    return nm_machine_now(w->rig.m) + nm_machine_reach(w->rig.m);
}

/* Draws a block and puts it on a card, which begins a little later than the one before; some are
 * interrupted once. */
static void begin(const struct world *w, unsigned card, struct blocks *b)
{
    uint32_t words[BLOCKS_ROOM];
    b->flags = blocks_below(b, 3) ? MIPS_FR | MIPS_W64 : 0;
    b->at = CODE + card * APART + 64 * blocks_below(b, 64);
    struct mips_regs regs = {
        .pc = b->at, .npc = b->at + 4, .fr = b->flags & MIPS_FR, .addr64 = b->flags & MIPS_W64};
    put_code(w, b->at, words, blocks_draw(b, words));
    blocks_registers(b, &regs);
    regs.gpr[BLOCKS_HOT] = HOT + card * APART;
    regs.gpr[BLOCKS_SHARED] = SHARED;
    regs.gpr[BLOCKS_FAR] = FAR + 32 * blocks_below(b, FAR_BYTES / 32);
    regs.gpr[BLOCKS_ODD] = blocks_below(b, 8) ? UNCACHED : NOWHERE;
    const sim_tick at = soon(w) + blocks_below(b, 100);
    pc_thread_resume(w->rig.m, card, &regs, at);
    if (!blocks_below(b, 4))
        nm_card_preempt(w->rig.m, card, at + blocks_below(b, 300));
}

/* @return not all came to an end */
static bool finish(struct world *w)
{
    struct nm_machine *m = w->rig.m;
    const sim_tick begun = nm_machine_now(m);
    struct nm_trap trap;
    for (unsigned left = w->cards; left; left--) {
        if (nm_machine_run(m, begun + LONGEST, &trap) != NM_RUN_TRAP)
            return true;
        if (trap.preempted) { /* and goes on */
            nm_card_resume(m, trap.card, soon(w));
            left++;
            continue;
        }
        w->end[trap.card] = (struct end){trap.at - begun, pc_cpu_at(m, trap.card)->exc};
        nm_card_take(m, trap.card);
    }
    return false;
}

/* Block n of a machine. @return as `finish` */
static bool run_block(struct world *w, struct r10k_code *code, unsigned number, unsigned n)
{
    struct nm_trap trap;
    struct blocks b = {.seed = (uint64_t)number << 32 | n, .code = code};
    for (unsigned card = 0; card < w->cards; card++)
        begin(w, card, &b);
    const bool stands = finish(w);
    nm_machine_run(w->rig.m, nm_machine_now(w->rig.m) + blocks_below(&b, 200), &trap);
    return stands;
}

/* ---- comparison ------------------------------------------------------------------------------ */

static void say_signals(const struct world *a, const struct world *b, unsigned card)
{
    struct r10k_signals x, y;
    pc_signals(a->rig.m, card, &x);
    pc_signals(b->rig.m, card, &y);
    for (unsigned s = 0; s < R10K_SIGNALS; s++)
        for (unsigned mode = 0; mode < R10K_MODES; mode++)
            if (x.total[s][mode] != y.total[s][mode])
                fprintf(stderr, "  card %u: %s in mode %u: %lu, by steps %lu\n", card,
                        r10k_signal_name((enum r10k_signal)s), mode,
                        (unsigned long)x.total[s][mode], (unsigned long)y.total[s][mode]);
    for (unsigned s = 0; s < PC_ST__COUNT; s++) {
        const uint64_t p = pc_cpu_at(a->rig.m, card)->states[s],
                       q = pc_cpu_at(b->rig.m, card)->states[s];
        if (p != q)
            fprintf(stderr, "  card %u: state %u: %lu, by steps %lu\n", card, s, (unsigned long)p,
                    (unsigned long)q);
    }
}

static bool same(const struct world *a, const struct world *b, unsigned card)
{
    const struct pc_cpu *x = pc_cpu_at(a->rig.m, card), *y = pc_cpu_at(b->rig.m, card);
    struct r10k_signals p, q;
    pc_signals(a->rig.m, card, &p);
    pc_signals(b->rig.m, card, &q);
    return a->end[card].at == b->end[card].at && a->end[card].exc == b->end[card].exc &&
           x->instructions == y->instructions && !memcmp(x->states, y->states, sizeof x->states) &&
           !memcmp(&p, &q, sizeof p) &&
           mips_registers_are_same(pc_thread_registers(a->rig.m, card),
                                   pc_thread_registers(b->rig.m, card));
}

static bool compare(const struct world *a, const struct world *b, unsigned number, unsigned n)
{
    bool all = true;
    for (unsigned card = 0; card < a->cards; card++) {
        if (same(a, b, card))
            continue;
        all = false;
        fprintf(stderr, "machine %u (%s), block %u, card %u: ends at %lu (%d), by steps %lu (%d)\n",
                number, kinds[number % (sizeof kinds / sizeof *kinds)], n, card,
                (unsigned long)a->end[card].at, a->end[card].exc, (unsigned long)b->end[card].at,
                b->end[card].exc);
        say_signals(a, b, card);
    }
    return all;
}

/* @return whether it is as by steps, all the time */
static bool machine(unsigned number)
{
    struct world passes = {0}, steps = {0};
    world_new(&passes, number, false);
    world_new(&steps, number, true);
    struct r10k_code *code = r10k_code_new(NULL, NULL, &passes.rig.p);
    bool good = true;
    for (unsigned n = 0; good && n < EACH; n++) {
        const bool stands = run_block(&passes, code, number, n);
        if (stands) {
            fprintf(stderr, "machine %u, block %u does not end\n", number, n);
        }
        good = !stands;
        if (run_block(&steps, code, number, n))
            fprintf(stderr, "machine %u, block %u does not end by steps\n", number, n),
                good = false;
        good = good && compare(&passes, &steps, number, n);
    }
    r10k_code_free(code);
    rig_free(&passes.rig);
    rig_free(&steps.rig);
    return good;
}

Test(r10000_steps, passing_over_changes_nothing)
{
    unsigned wrong = 0;
    for (unsigned number = 0; number < BLOCKS / EACH; number++)
        wrong += !machine(number);
    cr_expect_eq(wrong, 0, "%u machines of %u", wrong, BLOCKS / EACH);
}
