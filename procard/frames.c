/*
 * The functions under way in a thread, with what their callers' registers held.
 *
 * The hard idea is that nothing has to be unwound. A called function gives certain registers back
 * as they were: what they held when it was called is what its caller's variables in them hold until
 * it is over. So they are copied at each call, and no table of the program's is needed.
 */
#include "procard/cursor.h"

#include <stdlib.h>

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
static void frames_kept(const struct pc_core_ops *core, const struct pc_frame *call,
                        struct pc_profile_frame *out)
{
    for (unsigned i = 0; core->general && i < PC_KEPT; i++) {
        out->reg[core->kept[i] % PC_REGISTERS] = call->kept[i];
        out->known |= 1u << core->kept[i] % PC_REGISTERS;
    }
}

/* ... now, on the card on which the function executes. */
static void frames_now(const struct pc_cursor *c, struct pc_profile_frame *out)
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
static const struct pc_cursor *frames_cursor(const struct pc_profile *p,
                                             const struct pc_profiled_thread *t)
{
    for (unsigned i = 0; i < p->cards; i++)
        if (p->cursor[i].thread == t)
            return &p->cursor[i];
    return NULL;
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
    on = frames_cursor(p, t);
    *frames = sim_alloc(t->depth, sizeof **frames);
    for (size_t i = 0; i < t->depth; i++) {
        struct pc_profile_frame *out = &(*frames)[i];
        *out = (struct pc_profile_frame){.thread = thread,
                                         .depth = (uint32_t)i,
                                         .pc = PC_PROFILE_NOWHERE,
                                         .cfa = t->frame[i].sp};
        if (i + 1 < t->depth) {
            out->pc = t->frame[i + 1].call;
            frames_kept(p->cursor[0].card->core, &t->frame[i + 1], out);
        } else if (on) {
            out->pc = on->pc;
            if (now)
                frames_now(on, out);
        }
    }
    return t->depth;
}
