/*
 * The stacks of threads: how deep they went, and the functions under way on them.
 *
 * One hard idea is that nobody watches the stack pointer. It is known where a function calls
 * another one, where a thread goes elsewhere, and where it makes a request. Stacks grow by calls,
 * and by a function that asks for bytes of its own frame. Where a jump comes with a stack pointer
 * far below, the program has put it to another stack (swapcontext, a signal's, Go), and what is
 * called there is on that stack, until the pointer is back.
 *
 * The other is that nothing has to be unwound. A called function gives certain registers back as
 * they were: what they held when it was called is what its caller's variables in them hold until it
 * is over. So they are copied at each call, and no table of the program's is needed.
 */
#include "procard/cursor.h"

#include <stdlib.h>

/* ---- how deep -------------------------------------------------------------------------------- */

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

/* ---- functions under way --------------------------------------------------------------------- */

void pc_profile_keep(struct pc_profile *p)
{
    p->keeps = true;
}

void pc_cursor_keep(const struct pc_cursor *c, struct pc_frame *frame)
{
    const struct pc_core_ops *core = c->card->core;
    if (core->general)
        core->general(&c->card->cpu, core->kept, PC_KEPT, frame->kept);
}

/* The values of registers at a call. */
static void stack_kept(const struct pc_core_ops *core, const struct pc_frame *call,
                       struct pc_profile_frame *out)
{
    for (unsigned i = 0; core->general && i < PC_KEPT; i++) {
        out->reg[core->kept[i] % PC_REGISTERS] = call->kept[i];
        out->known |= 1u << core->kept[i] % PC_REGISTERS;
    }
}

/* ... now, on the card on which the function executes. */
static void stack_now(const struct pc_cursor *c, struct pc_profile_frame *out)
{
    uint8_t number[PC_REGISTERS];
    for (unsigned i = 0; i < PC_REGISTERS; i++)
        number[i] = (uint8_t)i;
    if (!c->card->core->general)
        return;
    c->card->core->general(&c->card->cpu, number, PC_REGISTERS, out->reg);
    out->known = UINT32_MAX;
}

/* The card that a thread is on; NULL: none. */
static const struct pc_cursor *stack_cursor(const struct pc_profile *p,
                                            const struct pc_profiled_thread *t)
{
    for (unsigned i = 0; i < p->cards; i++)
        if (p->cursor[i].thread == t)
            return &p->cursor[i];
    return NULL;
}

/* Where the function that executes stands: one that has just been called has not begun, and the
 * instruction is its caller's yet. */
static uint64_t stack_stands(const struct pc_cursor *c, const struct pc_frame *top)
{
    if (c->at == c->node)
        return c->pc;
    return c->pc == top->call ? c->node->from : PC_PROFILE_NOWHERE;
}

size_t pc_profile_frames(struct pc_profile *p, uint32_t thread, bool now,
                         struct pc_profile_frame **frames)
{
    const struct pc_cursor *on;
    struct pc_profiled_thread *t;
    *frames = NULL;
    HASH_FIND(hh, p->threads, &thread, sizeof thread, t);
    if (!t || !t->depth)
        return 0;
    on = stack_cursor(p, t);
    *frames = sim_alloc(t->depth, sizeof **frames);
    for (size_t i = 0; i < t->depth; i++) {
        struct pc_profile_frame *out = &(*frames)[i];
        *out = (struct pc_profile_frame){.thread = thread,
                                         .depth = (uint32_t)i,
                                         .pc = PC_PROFILE_NOWHERE,
                                         .cfa = t->frame[i].sp};
        if (i + 1 < t->depth) {
            out->pc = t->frame[i + 1].call;
            stack_kept(p->cursor[0].card->core, &t->frame[i + 1], out);
        } else if (on) {
            out->pc = stack_stands(on, &t->frame[i]);
            if (now)
                stack_now(on, out);
        }
    }
    return t->depth;
}
