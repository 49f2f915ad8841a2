/*
 * Two functions on stacks of their own take turns with the program, and one with the other, where
 * the C library looks at every jump: built with _FORTIFY_SOURCE.
 */
#include "programs/stack.h"

#include <stdio.h>

enum { TURNS = 5 };

struct player {
    struct prog_stack *own, *other;
    unsigned turns;
};

static void play(void *arg)
{
    struct player *p = arg;
    for (; p->turns < TURNS; p->turns++) {
        if (p->other)
            prog_stack_enter(p->other);
        prog_stack_leave(p->own);
    }
}

int main(void)
{
    struct player inner = {0}, outer = {0};
    inner.own = prog_stack_new(play, &inner);
    outer.own = prog_stack_new(play, &outer);
    outer.other = inner.own;
    for (unsigned i = 0; i < TURNS; i++)
        prog_stack_enter(outer.own);
    prog_stack_free(outer.own);
    prog_stack_free(inner.own);
    printf("%u %u\n", outer.turns, inner.turns);
    return outer.turns != TURNS - 1 || inner.turns != TURNS - 1;
}
