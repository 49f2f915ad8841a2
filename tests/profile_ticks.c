/*
 * A profile against one made in another way: tick by tick, from what each tick has added to a
 * processor's totals and where the processor then stood.
 *
 * The hard idea is what belongs to which instruction. A processor that is let run for one tick at a
 * time executes one instruction at most. What its totals grew by is that instruction's, but for
 * three things: the slip of the next one, whom a branch killed behind its slot, and being held by
 * an external request when the instruction was over.
 */
#include "machine/values.h"
#include "procard/card.h"
#include "procard/cursor.h"
#include "procard/profile.h"
#include "states_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TICKS = 60000, CARDS = STATES_CARDS, CODE_END = 1 << 18, PLACES = CODE_END / 4 };

/** By card and instruction: PCycles by state, instructions. */
struct book {
    struct tally {
        int64_t v[PC_PROFILE__COUNT];
    } tally[CARDS][PLACES];
};

/* ---- the other way ----------------------------------------------------------------------------
 */

/** A processor at a tick. */
struct stood {
    uint64_t pc;     /**< where it stands */
    uint64_t before; /**< the last instruction that it has completed */
    uint64_t states[PC_ST__COUNT], instructions, held;
    struct pc_tail tail;
};

static struct stood look(const struct states_rig *rig, unsigned card)
{
    const struct r4400 *cpu = r4400_of(pc_cpu_at(rig->m, card));
    const bool called =
        cpu->base.card->activity == PC_TRAPPED && cpu->base.exc == PC_EXC_SYS; /* the system */
    struct stood s = {.pc = called ? cpu->call_pc : cpu->r.pc,
                      .instructions = cpu->base.instructions,
                      .held = cpu->base.card->truth.held};
    pc_core_totals(cpu->base.card, s.states, &s.tail);
    return s;
}

static struct tally *at(struct book *book, unsigned card, uint64_t pc)
{
    cr_assert_lt(pc, CODE_END, "card %u, pc %" PRIx64, card, pc);
    return &book->tally[card][pc / 4];
}

/* Of what has grown, `n` PCycles are the instruction's at `pc`. */
static void take(struct book *book, unsigned card, uint64_t pc, int64_t *grown, unsigned state,
                 int64_t n)
{
    if (!n)
        return;
    grown[state] -= n;
    at(book, card, pc)->v[state] += n;
}

/* Puts down what came to a processor in one tick. */
static void put_down(struct book *book, unsigned card, struct stood *was, const struct stood *is,
                     const struct pc_card *c)
{
    const struct pc_tail *tail = &is->tail;
    const struct pc_stretch *last = &c->stretch[(c->stretches - 1) % PC_STRETCHES];
    const bool done = is->instructions != was->instructions;
    int64_t grown[PC_ST__COUNT];
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        grown[s] = (int64_t)(is->states[s] - was->states[s]);
    if (done && tail->holds != PC_ST_KILL_EXC) { /* it has not trapped */
        const bool nullifies = tail->done == PC_ST_BR_UNTAKEN;
        take(book, card, is->pc, grown, tail->holds, tail->held);
        take(book, card, nullifies ? was->pc : was->before, grown, PC_ST_KILL_BRANCH, tail->killed);
    }
    if (is->held != was->held && last->end == c->cpu.now)
        take(book, card, is->pc, grown, PC_ST_STALL_MP, (int64_t)(is->held - was->held));
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        take(book, card, was->pc, grown, s, grown[s]);
    at(book, card, was->pc)->v[PC_PROFILE_INSTRUCTIONS] += done;
    const uint64_t before = done ? was->pc : was->before;
    *was = *is;
    was->before = before;
}

/* What a processor that waits will be charged for later. */
static void wait_there(struct book *book, const struct states_rig *rig, unsigned card,
                       const struct stood *s)
{
    struct mon_taps taps;
    nm_card_taps(rig->m, card, &taps);
    for (unsigned i = 0; i < PC_ST__COUNT; i++)
        if (taps.v[i] > s->states[i])
            at(book, card, s->pc)->v[i] += (int64_t)(taps.v[i] - s->states[i]);
}

static struct book *tick_by_tick(const struct nm_params *p)
{
    struct book *book = calloc(1, sizeof *book);
    struct stood stood[CARDS];
    struct states_rig rig;
    states_start(&rig, p, NULL, NULL);
    for (unsigned c = 0; c < CARDS; c++)
        stood[c] = look(&rig, c);
    for (sim_tick t = 1; t <= TICKS; t++) {
        states_go_to(&rig, t);
        for (unsigned c = 0; c < CARDS; c++) {
            const struct stood is = look(&rig, c);
            put_down(book, c, &stood[c], &is, pc_cpu_at(rig.m, c)->card);
        }
    }
    for (unsigned c = 0; c < CARDS; c++)
        wait_there(book, &rig, c, &stood[c]);
    states_end(&rig);
    return book;
}

/* ---- the profile -------------------------------------------------------------------------------
 */

struct made {
    pc_function_fn *function;
    struct pc_profile *profile;
};

static void make(void *ctx, struct nm_machine *m)
{
    struct made *made = ctx;
    made->profile = pc_profile_new(m, made->function, NULL);
    cr_assert(made->profile);
    for (unsigned c = 0; c < CARDS; c++)
        pc_tries_at(m, c)->thread = 1 + c;
}

/* Functions of nine instructions, with a gap here and there: no jump knows of them. */
static bool arbitrary(void *ctx, uint64_t va, uint64_t *from, uint64_t *to)
{
    (void)ctx;
    if (va / 36 % 5 == 3)
        return false;
    *from = va / 36 * 36;
    *to = *from + 36;
    return true;
}

/* The states of all cards at the machine's tick. */
static void shown_at(struct nm_machine *m, int64_t sum[PC_ST__COUNT], int sign)
{
    for (unsigned c = 0; c < CARDS; c++) {
        struct mon_taps taps;
        nm_card_taps(m, c, &taps);
        for (unsigned s = 0; s < PC_ST__COUNT; s++)
            sum[s] += sign * (int64_t)taps.v[s];
    }
}

static struct book *profiled(const struct nm_params *p, pc_function_fn *function, sim_tick phase,
                             sim_tick past)
{
    enum { PHASES = 3 };
    struct book *book = calloc(1, sizeof *book);
    struct made made = {.function = function};
    const struct pc_profile_row *row;
    int64_t cards[PHASES][PC_ST__COUNT] = {{0}}, rows[PHASES][PC_ST__COUNT] = {{0}};
    struct states_rig rig;
    unsigned now = 0;
    states_start(&rig, p, make, &made);
    for (sim_tick t = phase; t < TICKS; t += phase) {
        states_go_to(&rig, t);
        shown_at(rig.m, cards[now], 1);
        now = (now + 1) % PHASES;
        shown_at(rig.m, cards[now], -1);
        pc_profile_phase(made.profile, now, t);
    }
    states_go_to(&rig, TICKS);
    shown_at(rig.m, cards[now], 1);
    size_t count = pc_profile_rows(made.profile, TICKS, &row);
    if (past) { /* asking has changed nothing */
        shown_at(rig.m, cards[now], -1);
        states_go_to(&rig, TICKS + past);
        shown_at(rig.m, cards[now], 1);
        count = pc_profile_rows(made.profile, TICKS + past, &row);
    }
    for (size_t i = 0; i < count; i++)
        for (unsigned s = 0; s < PC_PROFILE__COUNT; s++) {
            if (s < PC_ST__COUNT)
                rows[row[i].phase][s] += row[i].v[s];
            if (row[i].pc != PC_PROFILE_NOWHERE)
                at(book, row[i].thread - 1, row[i].pc)->v[s] += row[i].v[s];
        }
    for (unsigned n = 0; n < PHASES; n++)
        for (unsigned s = 0; s < PC_ST__COUNT; s++)
            cr_expect_eq(rows[n][s], cards[n][s], "phase %u, state %u: %" PRId64 ", not %" PRId64,
                         n, s, rows[n][s], cards[n][s]);
    pc_profile_free(made.profile);
    states_end(&rig);
    return book;
}

/* ---- both --------------------------------------------------------------------------------------
 */

static void compare(const struct book *ticks, const struct book *profile, const char *what)
{
    unsigned differ = 0, rows = 0;
    for (unsigned c = 0; c < CARDS; c++)
        for (unsigned i = 0; i < PLACES; i++) {
            const struct tally *a = &ticks->tally[c][i], *b = &profile->tally[c][i];
            rows += a->v[PC_PROFILE_INSTRUCTIONS] != 0;
            for (unsigned s = 0; s <= PC_PROFILE_INSTRUCTIONS; s++)
                if (a->v[s] != b->v[s] && differ++ < 12)
                    cr_expect_fail("%s: card %u, pc %#x, column %u: %" PRId64 ", not %" PRId64,
                                   what, c, 4 * i, s, b->v[s], a->v[s]);
        }
    cr_expect_eq(differ, 0, "%s: %u differ", what, differ);
    cr_expect_gt(rows, 100);
}

static void check(const struct nm_params *p, const char *what)
{
    struct book *ticks = tick_by_tick(p);
    static const struct {
        pc_function_fn *function;
        sim_tick phase;
    } ways[] = {{NULL, TICKS}, {arbitrary, TICKS}, {arbitrary, 777}, {NULL, 97}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct book *profile = profiled(p, ways[i].function, ways[i].phase, 0);
        compare(ticks, profile, what);
        free(profile);
    }
    free(profiled(p, arbitrary, 500, 4321));
    free(ticks);
}

Test(profile_ticks, is_what_every_tick_has_added)
{
    const struct nm_params wide = states_machine(2), cramped = states_cramped();
    check(&wide, "wide");
    check(&cramped, "cramped");
}

/* ---- bounds -----------------------------------------------------------------------------------
 */

/* Functions of four instructions, far apart. */
static bool many(void *ctx, uint64_t va, uint64_t *from, uint64_t *to)
{
    (void)ctx;
    *from = va & ~UINT64_C(15);
    *to = *from + 16;
    return true;
}

/* Whatever a program calls, returns from or forgets to return from, a profile has no more paths
 * than 16,384 and one for each function besides, none longer than 256 calls. */
Test(profile_ticks, paths_are_bounded)
{
    enum { CALLS = 100000, FUNCTIONS = 500, LONGEST = 256, MOST = 16384 + FUNCTIONS + 2 };
    const struct nm_params p = states_machine(2);
    struct made made = {.function = many};
    const struct pc_profile_path *path;
    struct states_rig rig;
    uint64_t random = 1, sp = 1 << 30;
    states_start(&rig, &p, make, &made);
    struct pc_cursor *c = pc_cpu_at(rig.m, 0)->cursor;
    pc_cursor_call(c, CODE_END, CODE_END + 8, CODE_END + 16, 2 * sp); /* never left */
    for (unsigned i = 0; i < CALLS; i++) {
        random = random * 6364136223846793005ull + 1442695040888963407ull;
        const uint64_t target = CODE_END + (random >> 33) % FUNCTIONS * 16;
        const uint64_t call = CODE_END + (random >> 40) % FUNCTIONS * 16 + 4;
        if (random >> 62)
            pc_cursor_call(c, call, call + 8, target, sp -= random >> 61 & 8);
        else
            pc_cursor_jump(c, target, sp += random >> 59 & 8);
    }
    const size_t paths = pc_profile_paths(made.profile, &path);
    cr_expect_gt(paths, 16384, "%zu: the bound was not reached", paths);
    cr_expect_leq(paths, MOST, "%zu", paths);
    for (size_t i = 0; i < paths; i++) {
        unsigned length = 0;
        for (size_t at = i; path[at].parent != at; at = path[at].parent)
            length++;
        cr_expect_leq(length, LONGEST, "path %zu: %u", i, length);
    }
    pc_profile_free(made.profile);
    states_end(&rig);
}
