/*
 * Tables of breakpoints, watched bytes and lines.
 */
#include "debug/conditions.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

bool dbg_conditions_none(const struct dbg_conditions *c)
{
    return !c->breaks && !c->watches && !c->lines && !c->step.thread;
}

struct dbg_break *dbg_break_find(struct dbg_conditions *c, uint64_t va)
{
    for (unsigned i = 0; i < c->breaks; i++)
        if (c->brk[i].va == va)
            return &c->brk[i];
    return NULL;
}

/* Moves the conditions together that are still there. */
static void conditions_pack(struct dbg_conditions *c)
{
    uint8_t *packed = sim_alloc(DBG_CODE, 1);
    uint32_t used = 0;
    for (unsigned i = 0; i < c->breaks; i++) {
        struct dbg_break *b = &c->brk[i];
        const uint32_t size = b->code_to - b->code;
        memcpy(packed + used, c->code + b->code, size);
        b->code = used;
        b->code_to = used += size;
    }
    memcpy(c->code, packed, used);
    c->code_used = used;
    free(packed);
}

bool dbg_break_add(struct dbg_conditions *c, uint64_t va, const uint8_t *code, size_t count)
{
    struct dbg_break *b = dbg_break_find(c, va);
    if (!b && c->breaks == DBG_BREAKS)
        return false;
    if (!b)
        b = &c->brk[c->breaks++];
    *b = (struct dbg_break){.va = va};
    conditions_pack(c);
    b->code = b->code_to = c->code_used;
    /* Without a condition here it always stops: one that is too long gdb looks at then. */
    if (!count || count > DBG_CODE - c->code_used)
        return true;
    memcpy(c->code + c->code_used, code, count);
    b->code_to = c->code_used += (uint32_t)count;
    return true;
}

bool dbg_break_drop(struct dbg_conditions *c, uint64_t va)
{
    struct dbg_break *b = dbg_break_find(c, va);
    if (b)
        *b = c->brk[--c->breaks];
    return b;
}

bool dbg_watch_add(struct dbg_conditions *c, const struct dbg_watch *watch)
{
    if (c->watches == DBG_WATCHES || watch->to <= watch->from)
        return false;
    c->watch[c->watches++] = *watch;
    return true;
}

bool dbg_watch_drop(struct dbg_conditions *c, const struct dbg_watch *watch)
{
    for (unsigned i = 0; i < c->watches; i++) {
        struct dbg_watch *w = &c->watch[i];
        if (w->from == watch->from && w->to == watch->to && w->reads == watch->reads &&
            w->writes == watch->writes) {
            *w = c->watch[--c->watches];
            return true;
        }
    }
    return false;
}

bool dbg_line_add(struct dbg_conditions *c, const struct dbg_line *line)
{
    if (c->lines == DBG_LINES)
        return false;
    c->line[c->lines++] = *line;
    return true;
}

const struct dbg_watch *dbg_watch_hit(const struct dbg_conditions *c, uint64_t va, unsigned size,
                                      bool store)
{
    for (unsigned i = 0; i < c->watches; i++) {
        const struct dbg_watch *w = &c->watch[i];
        if (va < w->to && w->from < va + size && (store ? w->writes : w->reads))
            return w;
    }
    return NULL;
}
