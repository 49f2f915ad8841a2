/*
 * Special functions one at a time on a quiet machine: what each makes of a line in each state it
 * can find, at its home and in the network caches.
 */
#include "actors.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { STATIONS = 4, PER_STATION = 2, HOME = 1, LINE = 64 };

enum { INVAL = 1, EXCL, KILL, WB, PREFETCH, CLAIM };

struct reference {
    char what; /* 'r' read, 'w' write; 0: made */
    uint64_t va;
};

/* One reference. */
static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct reference *r = self;
    (void)card;
    if (r->what)
        *out = actors_reference(r->what == 'r' ? PC_REFERENCE_LOAD : PC_REFERENCE_STORE, r->va);
    out->value = now;
    r->what = 0;
}

static const struct pc_driver_source source = {.next = next};

static struct nm_machine *make(void)
{
    struct nm_params p;
    actors_params(&p, PER_STATION, 2, 2, 1);
    p.memory_size = 1 << 20;
    p.l2_size = p.netcache_size = 1 << 16; /* nothing is replaced, on any machine */
    p.check = true;
    return actors_machine(&p);
}

static uint64_t address(unsigned line)
{
    return HOME * (1 << 20) + line * LINE;
}

/* Lets everything come to rest. */
static void settle(struct nm_machine *m)
{
    struct nm_trap trap;
    enum nm_run why = nm_machine_run(m, nm_machine_now(m) + 20000, &trap);
    cr_assert_eq(why, NM_RUN_UNTIL, "%d %s", (int)why, nm_machine_error(m));
}

static void refer(struct nm_machine *m, unsigned card, char what, uint64_t va)
{
    struct nm_trap trap;
    struct reference reference = {what, va};
    pc_drive(m, card, &source, &reference, nm_machine_now(m));
    enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
    cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(m));
    nm_card_take(m, card);
    settle(m);
}

/* @return ticks until the interrupt, 0: there was nothing to do */
static sim_tick command(struct nm_machine *m, unsigned card, unsigned function, uint64_t pa,
                        unsigned lines)
{
    struct nm_trap trap;
    const sim_tick begin = nm_machine_now(m);
    if (!nm_card_special(m, card, function, pa, lines, begin))
        return 0;
    cr_expect(nm_card_special_busy(m, card));
    enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
    cr_assert_eq(why, NM_RUN_INTERRUPT, "%d %s", (int)why, nm_machine_error(m));
    cr_assert_eq(trap.card, card);
    cr_expect_not(nm_card_special_busy(m, card));
    settle(m);
    return trap.at - begin;
}

static const struct nm_look *look(struct nm_machine *m, unsigned card, struct nm_look question)
{
    struct nm_trap trap;
    nm_card_look(m, card, &question, nm_machine_now(m));
    enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
    cr_assert_eq(why, NM_RUN_INTERRUPT, "%d %s", (int)why, nm_machine_error(m));
    settle(m);
    return nm_card_looked(m, card);
}

/* What a card finds at home and in each network cache is what is there, by address and by place. */
static void expect_looks(struct nm_machine *m, const char *history, unsigned card)
{
    const uint64_t pa = address(0);
    const struct nm_look *l = look(m, card, (struct nm_look){NM_LOOK_MEMORY, .address = pa});
    cr_expect_str_eq(l->state, nm_line_at_home(m, pa), "'%s': memory", history);
    cr_expect_eq(l->tag, pa);
    l = look(m, card,
             (struct nm_look){NM_LOOK_MEMORY, true, HOME, .address = pa % (1 << 20) / LINE});
    cr_expect_str_eq(l->state, nm_line_at_home(m, pa), "'%s': memory by index", history);
    for (unsigned s = 0; s < STATIONS; s++) {
        if (s == HOME)
            continue;
        l = look(m, card, (struct nm_look){NM_LOOK_NETWORK, false, s, .address = pa});
        cr_expect_str_eq(l->state, nm_line_at_network(m, s, pa), "'%s': station %u", history, s);
        const uint64_t tag = l->tag;
        const uint64_t place = pa / LINE % nm_look_places(m, card, NM_LOOK_NETWORK);
        l = look(m, card, (struct nm_look){NM_LOOK_NETWORK, true, s, .address = place});
        cr_expect_eq(l->tag, tag, "'%s': station %u by index", history, s);
    }
}

/* Cards 2 and 3 are at the line's home, the others away. A history is pairs of card and reference;
 * `after` is the home's state and those of the four network caches. */
struct row {
    const char *history;
    unsigned function;
    const char *before, *after;
};

static void expect_states(struct nm_machine *m, const struct row *r, const char *when,
                          const char *expected)
{
    char seen[100];
    const uint64_t pa = address(0);
    snprintf(seen, sizeof seen, "%s %s %s %s %s", nm_line_at_home(m, pa),
             nm_line_at_network(m, 0, pa), nm_line_at_network(m, 1, pa),
             nm_line_at_network(m, 2, pa), nm_line_at_network(m, 3, pa));
    cr_expect_str_eq(seen, expected, "'%s', function %u, %s: %s, expected %s", r->history,
                     r->function, when, seen, expected);
}

Test(special, what_becomes_of_a_line)
{
    static const struct row rows[] = {
        {"", INVAL, "LV N - N N", "LV N - N N"},
        {"2r3r", INVAL, "LV N - N N", "LV N - N N"},
        {"2r0r6r", INVAL, "GV GV - N GV", "LV GI - N GI"},
        {"2w", INVAL, "LI N - N N", "LI N - N N"},
        {"0w", INVAL, "GI LI - N N", "GI LI - N N"},
        {"2r0r6r", EXCL, "GV GV - N GV", "LV GI - N GI"},
        {"2w", EXCL, "LI N - N N", "LV N - N N"},
        {"0w", EXCL, "GI LI - N N", "LV GI - N N"},
        {"0w1r", EXCL, "GI LV - N N", "LV GI - N N"},
        {"2r0r6r", KILL, "GV GV - N GV", "GV GV - N GV"},
        {"3w", KILL, "LI N - N N", "LV N - N N"},
        {"4w", KILL, "GI N - LI N", "LV N - GI N"},
        {"2r0r", WB, "GV GV - N N", "GV GV - N N"},
        {"2w", WB, "LI N - N N", "LV N - N N"},
        {"0w", WB, "GI LI - N N", "GV GV - N N"},
        {"0w1r", WB, "GI LV - N N", "GV GV - N N"},
        {"", PREFETCH, "LV N - N N", "GV N - GV N"},
        {"2w", PREFETCH, "LI N - N N", "GV N - GV N"},
        {"0w", PREFETCH, "GI LI - N N", "GV GV - GV N"},
        {"4w", PREFETCH, "GI N - LI N", "GI N - LI N"},
        {"4r0w", PREFETCH, "GI LI - GI N", "GV GV - GV N"},
        {"", CLAIM, "LV N - N N", "GI N - N N"},
        {"5r", CLAIM, "GV N - GV N", "GI N - GI N"},
        {"5w", CLAIM, "GI N - LI N", "GI N - GI N"},
        {"2r3r", CLAIM, "LV N - N N", "GI N - N N"},
        {"2w", CLAIM, "LI N - N N", "GI N - N N"},
        {"2r0r4r6r", CLAIM, "GV GV - GV GV", "GI GI - GI GI"},
        {"0w1r", CLAIM, "GI LV - N N", "GI GI - N N"},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *r = &rows[i];
        struct nm_machine *m = make();
        for (const char *h = r->history; *h; h += 2)
            refer(m, (unsigned)(*h - '0'), h[1], address(0));
        expect_states(m, r, "before", r->before);
        cr_expect_gt(command(m, 5, r->function, address(0), 1), 0);
        expect_states(m, r, "after", r->after);
        expect_looks(m, r->history, i % (STATIONS * PER_STATION));
        for (unsigned card = 0; card < STATIONS * PER_STATION; card++)
            refer(m, card, 'r', address(0)); /* checking mode: everyone sees the last value */
        refer(m, 7, 'w', address(0));
        refer(m, 2, 'r', address(0));
        nm_machine_free(m);
    }
}

Test(special, a_write_back_leaves_the_owner_a_shared_copy)
{
    struct nm_machine *m = make();
    struct nm_truth before, after;
    refer(m, 0, 'w', address(0));
    command(m, 0, WB, address(0), 1);
    nm_card_truth(m, 0, &before);
    refer(m, 0, 'r', address(0));
    nm_card_truth(m, 0, &after);
    cr_expect_eq(after.l2_misses, before.l2_misses, "a read still hits");
    refer(m, 0, 'w', address(0));
    nm_card_truth(m, 0, &after);
    cr_expect_eq(after.upgrades, before.upgrades + 1, "a write must ask again");
    nm_machine_free(m);
}

/* Lines that are created are written without asking, and nobody has sent their data. */
Test(special, a_claim_creates_dirty_lines)
{
    for (unsigned card = 2; card < 6; card += 3) { /* at home and away */
        struct nm_machine *m = make();
        struct nm_truth before, after;
        struct mon_taps packets, later;
        for (unsigned i = 0; i < 8; i++)
            refer(m, 0, 'w', address(i));
        nm_card_truth(m, card, &before);
        nm_card_taps(m, card, &packets);
        cr_expect_gt(command(m, card, CLAIM, address(0), 8), 0);
        nm_card_taps(m, card, &later);
        cr_expect_eq(later.v[MON_TAP_DATA_IN], packets.v[MON_TAP_DATA_IN], "no data came");
        for (unsigned i = 0; i < 8; i++) {
            cr_expect_str_eq(nm_line_at_home(m, address(i)), card == 2 ? "LI" : "GI");
            refer(m, card, 'w', address(i));
        }
        nm_card_truth(m, card, &after);
        cr_expect_eq(after.l2_misses + after.upgrades, before.l2_misses + before.upgrades);
        for (unsigned other = 0; other < STATIONS * PER_STATION; other++)
            refer(m, other, 'r', address(other % 8));
        nm_machine_free(m);
    }
}

Test(special, a_run_of_lines_takes_its_time_and_one_interrupt)
{
    struct nm_machine *m = make();
    for (unsigned i = 0; i < 32; i++)
        refer(m, i % 8, i % 3 ? 'w' : 'r', address(i));
    const sim_tick one = command(m, 0, WB, address(40), 1);
    const sim_tick many = command(m, 0, EXCL, address(0), 32);
    cr_expect_gt(many, 3 * one);
    for (unsigned i = 0; i < 32; i++)
        cr_expect_str_eq(nm_line_at_home(m, address(i)), "LV", "line %u", i);
    cr_expect_gt(command(m, 4, PREFETCH, address(0), 32), 0);
    for (unsigned i = 0; i < 32; i++)
        cr_expect_str_eq(nm_line_at_network(m, 2, address(i)), "GV", "line %u", i);
    nm_machine_free(m);
}

Test(special, prefetch_of_a_local_line_is_nothing)
{
    struct nm_machine *m = make();
    cr_expect_eq(command(m, 2, PREFETCH, address(0), 4), 0);
    nm_machine_free(m);
}

/* Everyone at once on one home: units are busy, commands are tried again, all end. */
Test(special, everyone_at_once)
{
    struct nm_machine *m = make();
    struct nm_trap trap;
    for (unsigned i = 0; i < 16; i++)
        refer(m, i % 8, 'w', address(i));
    static const unsigned functions[] = {INVAL, EXCL, KILL, WB, CLAIM};
    for (unsigned card = 0; card < 8; card++)
        nm_card_special(m, card, functions[card % 5], address(card), 8, nm_machine_now(m));
    for (unsigned done = 0; done < 8; done++) {
        enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
        cr_assert_eq(why, NM_RUN_INTERRUPT, "%u: %d %s", done, (int)why, nm_machine_error(m));
    }
    settle(m);
    nm_machine_free(m);
}
