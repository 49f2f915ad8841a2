/*
 * Watched functions: who is told of which call, when, and with which registers.
 *
 * A processor's transfers are made by hand, so that each kind of call and each way to end one is
 * there. Functions have four instructions; a capital is the name of one.
 */
#include "machine/values.h"
#include "procard/card.h"
#include "procard/cursor.h"
#include "procard/profile.h"
#include "states_rig.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { CODE = 1 << 18, STACK = 1 << 20, NAME = 16, CALL_AT = 4, A0 = 4, V0 = 2 };

static uint64_t named(char name)
{
    return CODE + (uint64_t)(name - 'A') * NAME;
}

static bool function_at(void *ctx, uint64_t va, uint64_t *from, uint64_t *to)
{
    (void)ctx;
    *from = va / NAME * NAME;
    *to = *from + NAME;
    return true;
}

/** A transfer of a thread in function `from`. */
struct step {
    enum { END, CALL, RETURN, JUMP, PLACE } kind;
    char from, to;
    int sp;             /**< [bytes] below the top of the stack */
    sim_tick now;       /**< of the card */
    uint64_t register_; /**< a0, or of a return v0 */
};

/** Steps, and what the listeners of A, B and Z hear of them. */
static const struct row {
    int line;
    const char *what;
    struct step step[8];
    const char *heard;
} rows[] = {
    {__LINE__,
     "a call and its return",
     {{CALL, 'M', 'A', 0, 10, 5}, {RETURN, 'A', 'M', 0, 25, 7}},
     "A entered 10 by M: 5; A returned 25 by M: 5, 7 since 10; "},
    {__LINE__,
     "others are not told",
     {{CALL, 'M', 'C', 0, 10, 5}, {RETURN, 'C', 'M', 0, 25, 7}},
     ""},
    {__LINE__,
     "recursion",
     {{CALL, 'M', 'A', 0, 1, 5},
      {CALL, 'A', 'A', 16, 2, 4},
      {RETURN, 'A', 'A', 16, 3, 8},
      {RETURN, 'A', 'M', 0, 4, 9}},
     "A entered 1 by M: 5; A entered 2 by A: 4; A returned 3 by A: 4, 8 since 2; "
     "A returned 4 by M: 5, 9 since 1; "},
    {__LINE__,
     "through one that is not watched",
     {{CALL, 'M', 'A', 0, 1, 5},
      {CALL, 'A', 'C', 16, 2, 4},
      {CALL, 'C', 'A', 32, 3, 3},
      {RETURN, 'A', 'C', 32, 4, 2},
      {RETURN, 'C', 'A', 16, 5, 1},
      {RETURN, 'A', 'M', 0, 6, 0}},
     "A entered 1 by M: 5; A entered 3 by C: 3; A returned 4 by C: 3, 2 since 3; "
     "A returned 6 by M: 5, 0 since 1; "},
    {__LINE__,
     "a tail call: both have its result",
     {{CALL, 'M', 'A', 0, 1, 5}, {JUMP, 'A', 'B', 0, 2, 6}, {RETURN, 'B', 'M', 0, 3, 7}},
     "A entered 1 by M: 5; B entered 2 by M: 6; B returned 3 by M: 6, 7 since 2; "
     "A returned 3 by M: 5, 7 since 1; "},
    {__LINE__,
     "a tail call from one that is not watched",
     {{CALL, 'M', 'C', 0, 1, 5}, {JUMP, 'C', 'B', 0, 2, 6}, {RETURN, 'B', 'M', 0, 3, 7}},
     "B entered 2 by M: 6; B returned 3 by M: 6, 7 since 2; "},
    {__LINE__,
     "tail calls in a circle",
     {{CALL, 'M', 'A', 0, 1, 5},
      {JUMP, 'A', 'B', 0, 2, 6},
      {JUMP, 'B', 'A', 0, 3, 7},
      {JUMP, 'A', 'C', 0, 4, 7},
      {RETURN, 'C', 'M', 0, 5, 8}},
     "A entered 1 by M: 5; B entered 2 by M: 6; B left 3 by M: 6; A left 3 by M: 5; "
     "A entered 3 by M: 7; A returned 5 by M: 7, 8 since 3; "},
    {__LINE__,
     "longjmp over two of them",
     {{CALL, 'M', 'A', 0, 1, 5},
      {CALL, 'A', 'B', 16, 2, 6},
      {CALL, 'B', 'C', 32, 3, 7},
      {JUMP, 'C', 'M', -16, 4, 0}},
     "A entered 1 by M: 5; B entered 2 by A: 6; B left 4 by A: 6; A left 4 by M: 5; "},
    {__LINE__,
     "a signal's handler",
     {{CALL, 'M', 'A', 0, 1, 5},
      {PLACE, 'A', 'B', 64, 2, 9},
      {PLACE, 'B', 'A', 0, 3, 0},
      {RETURN, 'A', 'M', 0, 4, 7}},
     "A entered 1 by M: 5; B entered 2: 9; B left 3: 9; A returned 4 by M: 5, 7 since 1; "},
    {__LINE__,
     "two listeners, in their order",
     {{CALL, 'M', 'Z', 0, 1, 5}, {RETURN, 'Z', 'M', 0, 2, 7}},
     "Z entered 1 by M: 5; z entered 1 by M: 5; Z returned 2 by M: 5, 7 since 1; "
     "z returned 2 by M: 5, 7 since 1; "},
};

struct watching {
    struct pc_profile *profile;
    char heard[2048];
    size_t length;
};

static void __attribute__((format(printf, 2, 3))) hear(struct watching *w, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    w->length += (size_t)vsnprintf(w->heard + w->length, sizeof w->heard - w->length, format, ap);
    va_end(ap);
}

static void told(void *ctx, const struct pc_crossing *x)
{
    static const char *const what[] = {"entered", "returned", "left"};
    const struct pc_profile_path *path;
    struct watching *w = ctx;
    const size_t paths = pc_profile_paths(w->profile, &path);
    cr_assert_lt(x->path, paths);
    cr_expect(x->card == 0 && x->thread == 1);
    hear(w, "%c %s %" PRIu64, x->watch, what[x->what], x->at);
    if (x->call != PC_PROFILE_NOWHERE) {
        const char caller = (char)('A' + (x->call - CODE) / NAME);
        hear(w, " by %c", caller);
        cr_expect_eq(path[x->path].function, named(caller), "%s", w->heard);
        cr_expect_eq(x->call, named(caller) + CALL_AT);
    }
    hear(w, ": %" PRIu64, x->argument[0]);
    for (unsigned i = 1; i < PC_ARGUMENTS; i++)
        cr_expect_eq(x->argument[i], x->argument[0] + i);
    if (x->what == PC_CROSSED_RETURNED)
        hear(w, ", %" PRIu64 " since %" PRIu64, x->result, x->entered);
    else if (x->what == PC_CROSSED_ENTERED)
        cr_expect_eq(x->entered, x->at);
    if (x->what != PC_CROSSED_RETURNED)
        cr_expect_eq(x->result, 0);
    hear(w, "; ");
}

static void make(void *ctx, struct nm_machine *m)
{
    struct watching *w = ctx;
    w->profile = pc_profile_new(m, function_at, NULL);
    pc_profile_watch(w->profile, named('A'), 'A', told, w);
    pc_profile_watch(w->profile, named('B') + 8, 'B', told, w);
    pc_profile_watch(w->profile, named('Z'), 'Z', told, w);
    pc_profile_watch(w->profile, named('Z'), 'z', told, w);
    for (unsigned c = 0; c < STATES_CARDS; c++)
        pc_tries_at(m, c)->thread = 1 + c;
}

static void take(struct r4400 *cpu, const struct step *s)
{
    struct pc_cursor *c = cpu->base.cursor;
    const uint64_t call = named(s->from) + CALL_AT, sp = (uint64_t)(STACK - s->sp);
    cpu->base.now = s->now;
    for (unsigned i = 0; i < PC_ARGUMENTS; i++)
        cpu->r.gpr[A0 + i] = s->register_ + i;
    cpu->r.gpr[V0] = s->register_;
    if (s->kind == CALL)
        pc_cursor_call(c, call, call + 8, named(s->to), sp);
    else if (s->kind == PLACE)
        pc_cursor_placed(c, 1, named(s->to) + (s->to == 'A' ? CALL_AT : 0), sp);
    else
        pc_cursor_jump(c, named(s->to) + (s->kind == RETURN ? CALL_AT + 8 : 0), sp);
}

Test(profile_watch, every_kind_of_call)
{
    const struct nm_params p = states_machine(2);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct watching w = {.length = 0};
        struct states_rig rig;
        states_start(&rig, &p, make, &w);
        struct r4400 *cpu = r4400_of(pc_cpu_at(rig.m, 0));
        const sim_tick now = cpu->base.now;
        pc_cursor_jump(cpu->base.cursor, named('M'), STACK);
        for (const struct step *s = rows[i].step; s->kind != END; s++)
            take(cpu, s);
        cr_expect_str_eq(w.heard, rows[i].heard, "line %d, %s: %s", rows[i].line, rows[i].what,
                         w.heard);
        cpu->base.now = now;
        pc_profile_free(w.profile);
        states_end(&rig);
    }
}

static void counted(void *ctx, const struct pc_crossing *x)
{
    (void)x;
    ((struct watching *)ctx)->length++;
}

static void make_counted(void *ctx, struct nm_machine *m)
{
    struct watching *w = ctx;
    w->profile = pc_profile_new(m, function_at, NULL);
    pc_profile_watch(w->profile, named('A'), 'A', counted, w);
}

/* A node remembers only so many of its calls: those beyond are told, too. */
Test(profile_watch, many_callers)
{
    enum { CALLERS = 1000 };
    const struct nm_params p = states_machine(2);
    struct watching w = {.length = 0};
    struct states_rig rig;
    states_start(&rig, &p, make_counted, &w);
    struct pc_cursor *c = pc_cpu_at(rig.m, 0)->cursor;
    for (uint64_t i = 0; i < CALLERS; i++) {
        const uint64_t back = c->node->from + 4 * i;
        w.length = 0;
        pc_cursor_call(c, back - 8, back, named(i % 2 ? 'A' : 'C'), STACK);
        pc_cursor_jump(c, back, STACK);
        cr_expect_eq(w.length, i % 2 ? 2 : 0, "call %" PRIu64 ": %zu", i, w.length);
    }
    pc_profile_free(w.profile);
    states_end(&rig);
}
