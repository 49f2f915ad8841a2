/*
 * Cutting. A record is in the part if its own instruction is, or if it is a note that stands there;
 * instructions of its gap that are outside are taken off.
 */
#include "programs/traces/cut.h"
#include "base/alloc.h"

#include <string.h>

/* Who has opened a region for a thread. Older files say only what it did itself. */
enum by { ITSELF = 1, ANYBODY = 2 };

struct tr_cutting {
    const struct tr_cut *cut;
    const struct tr_source *source;
    struct tr_op *op; /* [room] */
    size_t room;
    uint8_t *in; /* [TR_THREADS_MAX] the region is open for the thread: enum by */
    bool found;
};

static bool wants_thread(const struct tr_cut *cut, uint32_t thread)
{
    return !cut->threads || cut->threads[thread];
}

static bool wants(void *ctx, const struct tr_stretch *s)
{
    const struct tr_cut *cut = ctx;
    const uint64_t *number = cut->by == TR_BY_REFERENCES ? s->references : s->instructions;
    return wants_thread(cut, s->thread) &&
           (cut->region || (number[0] <= cut->to && number[1] >= cut->from));
}

struct tr_cutting *tr_cut_begin(const struct tr_cut *cut, struct tr_source *source)
{
    struct tr_cutting *c = sim_alloc(1, sizeof *c);
    c->cut = cut;
    c->source = source;
    c->in = sim_alloc(TR_THREADS_MAX, sizeof *c->in);
    tr_want(source, wants, (void *)cut);
    return c;
}

void tr_cut_end(struct tr_cutting *cutting)
{
    free(cutting->in);
    free(cutting->op);
    free(cutting);
}

/* Whether the thread is in the region at the record; its marks are. */
static bool in_region(struct tr_cutting *c, uint32_t thread, const struct tr_op *op)
{
    const bool opens = op->kind == TR_OP_BEGIN || op->kind == TR_OP_OPEN,
               closes = op->kind == TR_OP_FINISH || op->kind == TR_OP_CLOSED;
    const char *name = opens || closes ? tr_region(c->source, op->value) : NULL;
    const bool own = name && !strcmp(name, c->cut->region);
    const uint8_t was = c->in[thread],
                  by = op->kind == TR_OP_BEGIN || op->kind == TR_OP_FINISH ? ITSELF : ANYBODY;
    if (own)
        c->in[thread] = (uint8_t)(opens ? was | by : was & ~by);
    c->found |= own;
    return was || c->in[thread];
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* A record by instructions, from `begin` to `end`. @return false: it is outside */
static bool cut_trim(const struct tr_cut *cut, struct tr_op *op, uint64_t begin, uint64_t end)
{
    const uint64_t from = larger(begin, cut->from), to = end < cut->to ? end : cut->to,
                   own = op->kind == TR_OP_COMPUTE ? op->value : end - begin - op->gap,
                   at = end - own; /* where its own instructions begin */
    if (op->kind == TR_OP_COMPUTE || at >= cut->to) {
        *op = (struct tr_op){.kind = TR_OP_COMPUTE, .value = to > from ? to - from : 0};
        return op->value;
    }
    op->gap = at > from ? (uint32_t)(at - from) : 0;
    return at >= cut->from;
}

/* What comes before the first record that is kept still says where that is. */
static void cut_take(struct tr_cutting *c, struct tr_batch *out, const struct tr_op *op, bool in)
{
    if (in)
        c->op[out->count++] = *op;
    else if (op->kind == TR_OP_MOVE && !out->count)
        out->card = (uint32_t)op->value;
}

void tr_cut_batch(struct tr_cutting *cutting, const struct tr_batch *batch, struct tr_batch *out)
{
    const struct tr_cut *cut = cutting->cut;
    uint64_t references = batch->references, instructions = batch->instructions;
    if (batch->count > cutting->room) {
        cutting->room = batch->count;
        cutting->op = sim_grow(cutting->op, cutting->room, sizeof *cutting->op);
    }
    *out = *batch;
    out->op = cutting->op;
    out->count = 0;
    for (size_t i = 0; i < batch->count && wants_thread(cut, batch->thread); i++) {
        struct tr_op op = batch->op[i];
        const uint64_t before = instructions;
        bool in = !cut->region || in_region(cutting, batch->thread, &op);
        instructions += tr_op_instructions(&op);
        if (cut->by == TR_BY_INSTRUCTIONS)
            in &= cut_trim(cut, &op, before, instructions);
        else
            in &= references >= cut->from && references < cut->to;
        references += tr_op_is_reference(&op);
        cut_take(cutting, out, &op, in);
    }
}

bool tr_cut_found(const struct tr_cutting *cutting)
{
    return !cutting->cut->region || cutting->found;
}
