/*
 * The R10000's pipeline for people: the active list from old to young, and what has been fetched
 * behind it.
 */
#include "procard/r10000/pipeline.h"

#include <inttypes.h>
#include <stdio.h>

static const char *shown_state(const struct r10k_entry *e, sim_tick now)
{
    if (e->exc != PC_EXC_NONE || e->absent)
        return "will trap";
    if (e->unsure)
        return "begins again: its line was taken";
    if (e->done <= now)
        return "done, graduates when it is the oldest";
    if (e->access == R10K_ACCESS_MISSED)
        return "waits for its line";
    if (e->access == R10K_ACCESS_READY)
        return "has its address";
    if (e->done != SIM_NEVER || e->issued)
        return "executes";
    return e->w->queue == R10K_QUEUE_NONE ? "needs no unit" : "waits for registers or a unit";
}

static void shown_entry(const struct r10k_entry *e, sim_tick now, FILE *out)
{
    char text[80];
    mips_disassemble(e->w->word, e->pc, text, sizeof text);
    fprintf(out, "\n  0x%" PRIx64 " %-28s %s", e->pc, e->absent ? "(not fetched)" : text,
            shown_state(e, now));
    if (e->w->traits & R10K_MEMORY && e->access > R10K_ACCESS_QUEUED)
        fprintf(out, " (0x%" PRIx64 ")", e->va);
}

void r10k_pipeline(const struct pc_cpu *base, void *file)
{
    const struct r10k *c = r10k_const_of(base);
    fprintf(file, "; %u of %u in the active list, %u fetched behind them, %u in the miss table",
            c->count, c->list, c->buffered, c->used);
    for (unsigned i = 0; i < c->count; i++)
        shown_entry(&c->entry[(c->head + i) % R10K_ENTRIES], base->now, file);
}
