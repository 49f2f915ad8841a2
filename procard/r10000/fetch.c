/*
 * Fetch and prediction: which words come next.
 *
 * Four words are read in a cycle, wherever they begin, but not beyond the end of a line. A branch
 * is recognised when it is decoded; by then the words behind it have been read, so a taken one
 * costs a cycle, unless the R12000's branch target cache has known it when it was fetched. What was
 * read behind a branch that was wrongly taken is kept (the branch resume buffer) and saves the
 * fetch.
 */
#include "base/alloc.h"
#include "machine/values.h"
#include "procard/r10000/pipeline.h"

#include <stdlib.h>
#include <string.h>

enum { COUNTER_MAX = 3, COUNTER_TAKEN = 2, COUNTER_WEAK = 1, REGISTER_RA = 31 };
enum { BEHIND = 4 }; /* a branch with offset 0 leads here; with less, backwards */
enum { PREDICT_COUNTERS, PREDICT_UNTAKEN, PREDICT_TAKEN, PREDICT_BACKWARD };
#define NOWHERE (~UINT64_C(0))

void r10k_predictors_new(struct r10k *c)
{
    c->history = sim_alloc(c->histories, sizeof *c->history);
    memset(c->history, COUNTER_WEAK, c->histories);
    if (c->targets_known > 1)
        c->targets = sim_alloc(c->targets_known, sizeof *c->targets);
    c->return_pc = NOWHERE;
    c->line_va = NOWHERE;
}

void r10k_predictors_free(struct r10k *c)
{
    free(c->history);
    free(c->targets);
}

/* ---- where to go on -------------------------------------------------------------------------- */

void r10k_fetch_from(struct r10k *c, uint64_t pc, sim_tick at)
{
    c->fetch_pc = pc;
    c->fetch_at = at;
    c->slot_first = c->stopped = c->stopped_behind = false;
}

void r10k_fetch_slot(struct r10k *c, uint64_t pc, uint64_t target, sim_tick at)
{
    r10k_fetch_from(c, pc, at);
    c->buffered = 0;
    c->redirect = target;
    c->slot_first = true;
}

/* ---- prediction ------------------------------------------------------------------------------ */

static unsigned fetch_place_of(const struct r10k *c, uint64_t pc)
{
    const uint64_t recent = c->outcomes & ((UINT64_C(1) << c->p->r10000_global_history) - 1);
    return (unsigned)((pc >> 3 ^ recent) & (c->histories - 1));
}

static bool counter_says(const struct r10k *c, uint64_t pc, const struct r10k_word *w)
{
    switch (c->p->r10000_predict) {
    case PREDICT_UNTAKEN:
        return false;
    case PREDICT_TAKEN:
        return true;
    case PREDICT_BACKWARD:
        return w->op.imm < BEHIND;
    default:
        return c->history[fetch_place_of(c, pc)] >= COUNTER_TAKEN;
    }
}

/* Wherever the transfer at `pc` leads if it is taken; NOWHERE: a register says. */
static uint64_t leads_to(const struct r10k_word *w, uint64_t pc)
{
    if (w->traits & R10K_BRANCH)
        return pc + (uint64_t)(int64_t)w->op.imm;
    if (w->traits & R10K_JUMP)
        return ((pc + 4) & ~UINT64_C(0x0fffffff)) | (uint32_t)w->op.imm;
    return NOWHERE;
}

/* The return address of the last call, for the jumps that return. */
static uint64_t returns_to(const struct r10k *c, const struct r10k_word *w)
{
    const bool ra = w->sources && w->source[0] == REGISTER_RA;
    return c->p->r10000_return_cache && (ra || w->op.code == MIPS_OP_JALR) ? c->return_pc : NOWHERE;
}

static bool will_be_taken(const struct r10k *c, uint64_t pc, const struct r10k_word *w)
{
    return !(w->traits & R10K_BRANCH) || w->traits & R10K_LIKELY || counter_says(c, pc, w);
}

bool r10k_predict(struct r10k *c, struct r10k_entry *e)
{
    const struct r10k_word *w = e->w;
    e->history = (uint16_t)fetch_place_of(c, e->pc);
    e->taken = will_be_taken(c, e->pc, w);
    e->next = w->traits & R10K_REGISTER ? returns_to(c, w)
              : e->taken                ? leads_to(w, e->pc)
                                        : e->pc + 8;
    if (w->traits & R10K_LINKS)
        c->return_pc = e->pc + 8;
    return e->next != NOWHERE;
}

void r10k_train(struct r10k *c, const struct r10k_entry *e, bool taken)
{
    uint8_t *counter = &c->history[e->history];
    if (taken && c->targets && !(e->w->traits & R10K_REGISTER)) {
        const unsigned place = (unsigned)(e->pc >> 2 & (c->targets_known - 1));
        c->targets[place].pc = e->pc;
        c->targets[place].target = e->to;
    }
    if (e->w->traits & R10K_LIKELY || !(e->w->traits & R10K_BRANCH))
        return;
    c->outcomes = c->outcomes << 1 | taken;
    if (taken && *counter < COUNTER_MAX)
        (*counter)++;
    if (!taken && *counter)
        (*counter)--;
}

/* The R12000 knows of the transfer at `pc` when it fetches it. @return its target; 0 */
static uint64_t known_target(const struct r10k *c, uint64_t pc, const struct r10k_word *w)
{
    if (!(w->traits & (R10K_BRANCH | R10K_JUMP)))
        return 0;
    const unsigned place = (unsigned)(pc >> 2 & (c->targets_known - 1));
    return c->targets[place].pc == pc && will_be_taken(c, pc, w) ? c->targets[place].target : 0;
}

/* ---- words ----------------------------------------------------------------------------------- */

static void push_fault(struct r10k *c, uint8_t page, sim_tick now)
{
    *r10k_fetched_at(c, c->buffered++) =
        (struct r10k_fetched){.w = &r10k_no_word, .pc = c->fetch_pc, .at = now, .page = page};
    c->stopped = true;
}

/* The line of fetch_pc can be read. Else it waits, or a fault stands in the buffer. */
static bool line_here(struct r10k *c, sim_tick now)
{
    const uint64_t line = c->fetch_pc & ~(c->p->l1i_line - 1);
    struct pc_look look;
    if (c->fetch_pc & 3) { /* also where its line is being read */
        push_fault(c, NM_XLATE_OK, now);
        return false;
    }
    if (line == c->line_va)
        return true;
    pc_find(&c->base, line, NM_FETCH, &look);
    const uint8_t *host = c->code->fetch(c->code->ctx, c->fetch_pc);
    if (!nm_xlate_found(look.page) || look.page == NM_XLATE_UNCACHED || !host) {
        push_fault(c, look.page, now);
        return false;
    }
    if (!r10k_tlb_has(c, line)) {
        r10k_tlb_refill(c, line, now);
        return false;
    }
    if (!r10k_fetch_line(c, line, &look, now))
        return false;
    c->line_va = line;
    c->line_pa = look.pa;
    c->line_host = host - (c->fetch_pc - line);
    return true;
}

static uint32_t fetch_word_at(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static unsigned flags_of(const struct r10k *c)
{
    return (c->r.fr ? MIPS_FR : 0) | (c->r.addr64 ? MIPS_W64 : 0);
}

/* `count` words from fetch_pc on, whose line is here, go into the buffer. */
static inline void fetch_words(struct r10k *c, unsigned count, sim_tick at)
{
    const unsigned flags = flags_of(c), end = c->buffered + count;
    const uint8_t *p = c->line_host + (c->fetch_pc - c->line_va);
    uint64_t pc = c->fetch_pc;
    for (unsigned i = c->buffered; i < end; i++, pc += 4, p += 4) {
        struct r10k_fetched *f = r10k_fetched_at(c, i);
        f->w = r10k_word_at(c->code, pc, fetch_word_at(p), flags);
        f->pc = pc;
        f->target = 0;
        f->at = at;
        f->page = NM_XLATE_OK;
    }
    c->buffered = end;
    c->fetch_pc = pc;
}

/* One of them. */
static struct r10k_fetched *fetch_push(struct r10k *c, sim_tick at)
{
    fetch_words(c, 1, at);
    return r10k_fetched_at(c, c->buffered - 1);
}

/* Words that can be read in a cycle. */
static unsigned fetch_most(const struct r10k *c)
{
    const unsigned room = R10K_BUFFER - c->buffered;
    const uint64_t left = (c->p->l1i_line - (c->fetch_pc - c->line_va)) / 4;
    const unsigned most = room < R10K_GROUP ? room : R10K_GROUP;
    return left < most ? (unsigned)left : most;
}

static void behind_slot(struct r10k *c, sim_tick now)
{
    const bool stop = c->stopped_behind;
    r10k_fetch_from(c, c->redirect, now + 1);
    c->stopped = stop;
}

/* Up to `most` words, and behind a transfer that the R12000 knows no more than its delay slot. */
static void fetch_known(struct r10k *c, unsigned most, sim_tick now)
{
    for (unsigned n = 1; n <= most; n++) {
        struct r10k_fetched *f = fetch_push(c, now);
        if (n < most)
            f->target = known_target(c, f->pc, f->w);
        if (f->target) {
            const uint64_t target = f->target;
            fetch_push(c, now);
            r10k_fetch_from(c, target, now + 1);
            return;
        }
    }
}

void r10k_fetch(struct r10k *c, sim_tick now)
{
    if (now < c->fetch_at) {
        r10k_wait_for(c, c->fetch_at);
        return;
    }
    if (!line_here(c, now)) {
        c->worked |= c->stopped;
        return;
    }
    c->worked = true;
    if (c->slot_first) {
        fetch_words(c, 1, now);
        behind_slot(c, now);
    } else if (c->targets) {
        fetch_known(c, fetch_most(c), now);
    } else {
        fetch_words(c, fetch_most(c), now);
    }
}

void r10k_fetch_resumes(struct r10k *c, uint64_t pc, sim_tick now)
{
    enum { QUADWORD = 16 };
    r10k_fetch_from(c, pc, now);
    if (!c->p->r10000_resume || pc - c->line_va >= c->p->l1i_line || now == 0)
        return;
    do
        fetch_push(c, now - 1);
    while (c->fetch_pc % QUADWORD && c->buffered < R10K_BUFFER &&
           c->fetch_pc - c->line_va < c->p->l1i_line);
}
