/*
 * The ground floor: a queue against a plain array, a timer against a sorted list, words for a
 * shell, threads that work together.
 */
#include "base/alloc.h"
#include "base/crew.h"
#include "base/queue.h"
#include "base/room.h"
#include "base/shell.h"
#include "base/timer.h"
#include "base/utf8.h"

#include <criterion/criterion.h>
#include <unistd.h>

static uint64_t draw(uint64_t *dice, uint64_t below)
{
    *dice = *dice * 6364136223846793005ull + 1442695040888963407ull;
    return (*dice >> 33) % below;
}

/* What goes in comes out, in order, whatever the lengths in between. */
Test(base, queue)
{
    enum { STEPS = 100000 };
    struct sim_queue q = {0};
    unsigned *array = NULL, in = 0, out = 0;
    uint64_t dice = 1;
    for (unsigned n = 0; n < STEPS; n++) {
        const bool grows = n / 1000 % 2;
        if (draw(&dice, 10) < (grows ? 6 : 4)) {
            if (sim_queue_full(&q))
                array = sim_queue_grow(&q, array, sizeof *array);
            array[sim_queue_push(&q)] = in++;
        } else if (q.count) {
            cr_assert_eq(array[sim_queue_at(&q, q.count - 1)], in - 1);
            cr_assert_eq(array[sim_queue_pop(&q)], out++);
        }
        cr_assert_eq(q.count, in - out);
    }
    cr_assert_gt(q.size, 64u);
    free(array);
}

/* What is taken is zero, apart from all that was taken before, and not moved by what is taken
 * later, nor by large pages of the host. */
static void fill_room(enum sim_room_use use)
{
    enum { TAKEN = 300 };
    struct sim_room *room = sim_room_new(use);
    uint8_t *at[TAKEN];
    size_t bytes[TAKEN];
    uint64_t dice = 1;
    for (unsigned n = 0; n < TAKEN; n++) {
        bytes[n] = n ? draw(&dice, n % 50 ? 100000 : 5000000) + 1 : 0;
        if (n == TAKEN / 2)
            sim_room_expect_full(room);
        at[n] = sim_room_take(room, bytes[n]);
        cr_assert(at[n] && (uintptr_t)at[n] % 64 == 0);
        for (size_t i = 0; i < bytes[n]; i += i + 999 < bytes[n] ? 999 : 1) {
            cr_assert_eq(at[n][i], 0, "byte %zu of %u", i, n);
            at[n][i] = (uint8_t)(n % 255 + 1);
        }
    }
    sim_room_expect_full(room);
    for (unsigned n = 0; n < TAKEN; n++)
        for (size_t i = 0; i < bytes[n]; i += i + 999 < bytes[n] ? 999 : 1)
            cr_assert_eq(at[n][i], n % 255 + 1, "byte %zu of %u", i, n);
    sim_room_free(room);
    sim_room_free(sim_room_new(use));
}

Test(base, room)
{
    fill_room(SIM_ROOM_SPARSE);
    fill_room(SIM_ROOM_DENSE);
}

struct clock {
    struct sim_kernel *k;
    struct sim_timer timer;
    sim_tick wanted; /* the earliest asked for since it last fired */
    uint64_t dice;
    unsigned fired, ignored;
};

static sim_fire_fn ring;

static void ask(struct clock *c, sim_tick at)
{
    c->wanted = at < c->wanted ? at : c->wanted;
    if (sim_timer_set(&c->timer, at))
        sim_post(c->k, at, SIM_RANK_MODULE, 0, ring, c, 0);
}

static void ring(void *self, sim_tick now, uint64_t arg)
{
    struct clock *c = self;
    (void)arg;
    if (!sim_timer_fires(&c->timer, now)) {
        c->ignored++;
        return;
    }
    cr_assert_eq(now, c->wanted);
    c->wanted = SIM_NEVER;
    c->fired++;
    for (unsigned n = (unsigned)draw(&c->dice, 4) + 1; n--;)
        ask(c, now + draw(&c->dice, 600));
}

Test(base, timer)
{
    struct clock c = {.k = sim_kernel_new(), .timer = {SIM_NEVER}, .wanted = SIM_NEVER, .dice = 1};
    ask(&c, 7);
    while (c.fired < 10000)
        sim_kernel_step(c.k);
    cr_assert_gt(c.ignored, 1000u);
    cr_assert_eq(c.timer.at, c.wanted);
    sim_kernel_free(c.k);
}

/* A word of a printed command is quoted where a shell would take it for something else. */
Test(base, shell)
{
    static const struct {
        const char *word, *shown;
    } rows[] = {{"out/run-1.2_x", "out/run-1.2_x"},
                {"", "''"},
                {"a b", "'a b'"},
                {"~", "'~'"},
                {"$HOME;*", "'$HOME;*'"},
                {"heap 8 bytes by main at o'b.c:10", "'heap 8 bytes by main at o'\\''b.c:10'"}};
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *shown = sim_shell_word(rows[i].word);
        cr_expect_str_eq(shown, rows[i].shown);
        free(shown);
    }
}

/* ---- a crew ---------------------------------------------------------------------------------- */

enum { MEMBERS = 3, ROUNDS = 2000 };

struct work {
    unsigned done[MEMBERS];
    unsigned round;
};

/* Each member sees what the caller has written before, and none is a round ahead or behind. */
static void part(void *ctx, unsigned member)
{
    struct work *w = ctx;
    w->done[member] += w->done[member] == w->round;
}

/* At times the others go to sleep before the next round. */
Test(base, utf8)
{
    static const struct {
        const char *text;
        size_t most, length;
        uint32_t code;
    } rows[] = {
        {"a", 1, 1, 'a'},
        {"", 1, 1, 0},
        {"a", 0, 0, 0},
        {"\x7f\x80", 2, 1, 0x7f},
        {"\x80", 1, 0, 0},
        {"\xc1\xbf", 2, 0, 0},
        {"\xc2\x80", 2, 2, 0x80},
        {"\xc2\x80", 1, 0, 0},
        {"\xc2"
         "a",
         2, 0, 0},
        {"\xdf\xbf", 2, 2, 0x7ff},
        {"\xe0\x9f\xbf", 3, 0, 0},
        {"\xe0\xa0\x80", 3, 3, 0x800},
        {"\xed\x9f\xbf", 3, 3, 0xd7ff},
        {"\xed\xa0\x80", 3, 0, 0},
        {"\xed\xbf\xbf", 3, 0, 0},
        {"\xee\x80\x80", 3, 3, 0xe000},
        {"\xef\xbf\xbf", 3, 3, 0xffff},
        {"\xf0\x8f\xbf\xbf", 4, 0, 0},
        {"\xf0\x90\x80\x80", 4, 4, 0x10000},
        {"\xf0\x90\x80", 4, 0, 0},
        {"\xf4\x8f\xbf\xbf", 4, 4, 0x10ffff},
        {"\xf4\x90\x80\x80", 4, 0, 0},
        {"\xf8\x88\x80\x80\x80", 5, 0, 0},
        {"\xff", 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t code = 0;
        const size_t length = sim_utf8(rows[i].text, rows[i].most, &code);
        cr_expect_eq(length, rows[i].length, "row %zu", i);
        cr_expect(!length || code == rows[i].code, "row %zu", i);
    }
    cr_expect(sim_is_utf8("") && sim_is_utf8("a\xc3\xa9z") && !sim_is_utf8("a\xc3"));
}

Test(crew, all_members_do_every_round_and_are_done_then)
{
    struct work w = {0};
    struct sim_crew *crew = sim_crew_new(MEMBERS);
    cr_assert_not_null(crew);
    for (; w.round < ROUNDS; w.round++) {
        if (w.round % 500 == 0)
            usleep(20000);
        sim_crew_run(crew, part, &w);
        for (unsigned i = 0; i < MEMBERS; i++)
            cr_assert_eq(w.done[i], w.round + 1, "member %u in round %u", i, w.round);
    }
    sim_crew_free(crew);
    crew = sim_crew_new(1);
    sim_crew_run(crew, part, &w);
    cr_expect_eq(w.done[0], ROUNDS + 1);
    sim_crew_free(crew);
}
