/*
 * What is in a trace. Lines are kept in a table with open addressing, which grows with them, to a
 * bound.
 */
#include "programs/traces/summary.h"
#include "base/alloc.h"

/* A line that has been touched. */
struct tr_touched {
    uint64_t line;   /* its number + 1; 0: the place is free */
    uint32_t thread; /* the first */
    bool shared, written;
};

enum { FIRST_PLACES = 1 << 10 };

void tr_summary_begin(struct tr_summary *summary, uint64_t line, uint64_t page)
{
    *summary = (struct tr_summary){.line_bytes = line, .page_bytes = page, .places = FIRST_PLACES};
    summary->touched = sim_alloc(summary->places, sizeof *summary->touched);
}

static struct tr_touched *summary_find(struct tr_touched *touched, size_t places, uint64_t line)
{
    size_t at = (size_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (places - 1);
    while (touched[at].line && touched[at].line != line + 1)
        at = (at + 1) & (places - 1);
    return &touched[at];
}

static void grow(struct tr_summary *s)
{
    struct tr_touched *wider = sim_alloc(2 * s->places, sizeof *wider);
    for (size_t i = 0; i < s->places; i++)
        if (s->touched[i].line)
            *summary_find(wider, 2 * s->places, s->touched[i].line - 1) = s->touched[i];
    free(s->touched);
    s->touched = wider;
    s->places *= 2;
}

static void touch(struct tr_summary *s, uint64_t line, uint32_t thread, bool writes)
{
    struct tr_touched *t = summary_find(s->touched, s->places, line);
    if (!t->line && s->used == TR_LINES_MAX) {
        s->full = true;
        return;
    }
    if (!t->line) {
        *t = (struct tr_touched){.line = line + 1, .thread = thread};
        s->used++;
    }
    t->shared |= t->thread != thread;
    t->written |= writes;
    if (2 * s->used > s->places)
        grow(s);
}

static void add_thread(struct tr_summary *s, uint32_t thread)
{
    if (thread < s->threads)
        return;
    s->thread = sim_grow(s->thread, thread + (size_t)1, sizeof *s->thread);
    for (; s->threads <= thread; s->threads++)
        s->thread[s->threads] = (struct tr_thread_summary){.references = 0};
}

static void add_reference(struct tr_summary *s, const struct tr_op *op, uint32_t thread)
{
    const uint64_t size = op->kind == TR_OP_FETCH ? TR_FETCH_LINE : op->size,
                   last = op->address + (size - 1) < op->address ? UINT64_MAX
                                                                 : op->address + (size - 1);
    const bool writes =
        op->kind == TR_OP_STORE || op->kind == TR_OP_SC || op->kind == TR_OP_RELEASE;
    s->references++;
    s->thread[thread].references++;
    s->bytes += op->size;
    for (uint64_t line = op->address / s->line_bytes; line <= last / s->line_bytes; line++)
        touch(s, line, thread, writes);
}

void tr_summary_add(struct tr_summary *summary, const struct tr_batch *batch)
{
    add_thread(summary, batch->thread);
    for (size_t i = 0; i < batch->count; i++) {
        const uint64_t n = tr_op_instructions(&batch->op[i]);
        summary->records[batch->op[i].kind]++;
        summary->instructions += n;
        summary->thread[batch->thread].instructions += n;
        if (tr_op_is_reference(&batch->op[i]))
            add_reference(summary, &batch->op[i], batch->thread);
    }
}

static int in_order(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void count_pages(struct tr_summary *s)
{
    uint64_t *page = sim_alloc(s->used, sizeof *page);
    size_t n = 0;
    for (size_t i = 0; i < s->places; i++)
        if (s->touched[i].line)
            page[n++] = (s->touched[i].line - 1) * s->line_bytes / s->page_bytes;
    qsort(page, n, sizeof *page, in_order);
    for (size_t i = 0; i < n; i++)
        s->pages += !i || page[i] != page[i - 1];
    free(page);
}

void tr_summary_end(struct tr_summary *summary)
{
    for (size_t i = 0; i < summary->places; i++) {
        const struct tr_touched *t = &summary->touched[i];
        summary->lines += t->line > 0;
        summary->shared += t->shared;
        summary->written += t->written;
        summary->handed += t->shared && t->written;
    }
    count_pages(summary);
}

void tr_summary_free(struct tr_summary *summary)
{
    free(summary->touched);
    free(summary->thread);
}
