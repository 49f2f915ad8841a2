/*
 * How deep the stacks of threads went.
 *
 * The hard idea is that nobody watches the stack pointer. It is known where a function calls
 * another one, where a thread goes elsewhere, and where it makes a request. Stacks grow by calls,
 * and by a function that asks for bytes of its own frame. Where a jump comes with a stack pointer
 * far below, the program has put it to another stack (swapcontext, a signal's, Go), and what is
 * called there is on that stack, until the pointer is back.
 */
#include "procard/cursor.h"

enum { NEAR = 4096 /* [bytes] that a signal, or a function's cold part, may be deeper */ };

struct pc_stack *pc_stack_of(struct pc_profile *p, uint32_t thread)
{
    struct pc_stack *stack;
    HASH_FIND(hh, p->stacks, &thread, sizeof thread, stack);
    return stack;
}

void pc_profile_stacks(struct pc_profile *p, pc_stack_fn *told, void *ctx)
{
    p->grown = told;
    p->grown_ctx = ctx;
}

void pc_profile_stack(struct pc_profile *p, uint32_t thread, uint64_t room, uint64_t sp)
{
    struct pc_stack *stack = sim_alloc(1, sizeof *stack);
    *stack = (struct pc_stack){.thread = thread, .room = room, .low = sp};
    HASH_ADD(hh, p->stacks, thread, sizeof stack->thread, stack);
}

static void stack_grow(struct pc_profile *p, struct pc_stack *stack, uint64_t sp)
{
    stack->low = sp;
    if (p->grown)
        p->grown(p->grown_ctx, stack->thread, sp);
}

void pc_stack_seen(struct pc_profile *p, struct pc_stack *stack, uint64_t sp, enum pc_stack_by by)
{
    if (sp >= stack->low)
        stack->away = false;
    else if (sp < stack->room || (by == PC_STACK_JUMPS && stack->low - sp > NEAR))
        stack->away = true;
    else if (!stack->away)
        stack_grow(p, stack, sp);
}

void pc_cursor_asks(struct pc_cursor *c, uint64_t va)
{
    struct pc_stack *stack = c->thread ? c->thread->stack : NULL;
    if (!stack || stack->away || va >= stack->low || va < stack->room || !c->card->core->sp)
        return;
    const uint64_t sp = c->card->core->sp(&c->card->cpu);
    if (va >= sp && sp >= stack->room)
        stack_grow(c->profile, stack, sp);
}
