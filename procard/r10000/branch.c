/*
 * Branches are verified: one that was predicted wrong takes back all that is younger than its delay
 * slot, and fetch goes on where it should have.
 */
#include "procard/r10000/registers.h"

void r10k_branch_done(struct r10k *c, struct r10k_entry *e, const struct r10k_outcome *out,
                      sim_tick at)
{
    e->known = true;
    e->goes = out->taken;
    e->to = e->w->traits & R10K_REGISTER ? out->target : e->pc + (uint64_t)(int64_t)e->w->op.imm;
    if (!e->goes)
        e->to = e->pc + 8;
    e->again = at;
    c->branches_at = sim_earlier(c->branches_at, at);
    r10k_wait_for(c, at);
}

/* Floating-point branches read their condition where instructions graduate; jumps to a register
 * read it through the port that loads and stores share. */
static void look_at_operand(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    struct r10k_outcome out = {.pc = e->pc, .level = c->code->level};
    if (!r10k_operands(c, e, now))
        return;
    r10k_gather(c, e);
    r10k_compute(&c->scratch, &e->w->op, &out);
    r10k_branch_done(c, e, &out, e->w->traits & R10K_REGISTER ? now + 2 : now + 1);
    c->worked = true;
}

static unsigned index_of(const struct r10k *c, const struct r10k_entry *e)
{
    return (unsigned)(e - c->entry + R10K_ENTRIES - c->head) % R10K_ENTRIES;
}

/* Fetch goes on at e->to, behind the delay slot if that is still to come. */
static void go_on(struct r10k *c, const struct r10k_entry *e, bool slot, bool slot_decoded,
                  bool resumes, sim_tick now)
{
    if (slot && !slot_decoded && c->buffered && r10k_fetched_at(c, 0)->pc == e->pc + 4) {
        c->buffered = 1;
        r10k_fetch_from(c, e->to, now);
        return;
    }
    if (slot && !slot_decoded) {
        r10k_fetch_slot(c, e->pc + 4, e->to, now);
        return;
    }
    c->buffered = 0;
    c->slot_next = false;
    if (resumes)
        r10k_fetch_resumes(c, e->to, now);
    else
        r10k_fetch_from(c, e->to, now);
}

static void mispredicted(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const unsigned behind = index_of(c, e) + 1;
    const bool slot = !(e->w->traits & R10K_LIKELY) || e->goes, decoded = c->count > behind;
    const bool resumes = e->taken && !e->goes;
    r10k_squash(c, behind + (slot && decoded));
    go_on(c, e, slot, decoded, resumes, now);
    c->idle = PC_ST_KILL_BRANCH;
    if (e->w->traits & R10K_BRANCH) /* jumps to a register are not resolved, either */
        r10k_signal(c, R10K_SIGNAL_MISPREDICTED, 1);
}

/* @return it was predicted right */
static void verify(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const bool unpredicted = e->next == ~UINT64_C(0);
    const bool right = e->goes == e->taken && e->to == e->next;
    e->done = now;
    c->worked = true;
    r10k_train(c, e, e->goes);
    if (unpredicted) { /* fetch has waited for it */
        const bool decoded = c->count > index_of(c, e) + 1;
        if (decoded || (c->buffered && r10k_fetched_at(c, 0)->pc == e->pc + 4)) {
            r10k_fetch_from(c, e->to, now);
        } else {
            c->redirect = e->to;
            c->stopped_behind = false;
        }
    } else if (!right) {
        mispredicted(c, e, now);
    }
    e->taken = e->goes;
    e->next = e->to;
}

/* Has its outcome, and its tick has come. */
static bool branch_ends(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const bool asks = e->w->traits & (R10K_FP_BRANCH | R10K_REGISTER);
    if (!e->known && asks)
        look_at_operand(c, e, now);
    if (!e->known) {
        if (asks)
            c->branches_at = now;
        return false;
    }
    if (e->again <= now)
        return true;
    r10k_wait_for(c, e->again);
    c->branches_at = sim_earlier(c->branches_at, e->again);
    return false;
}

void r10k_resolve(struct r10k *c, sim_tick now)
{
    unsigned resolved = 0;
    c->branches_at = SIM_NEVER;
    for (unsigned i = 0; i < c->branches;) {
        struct r10k_entry *e = &c->entry[c->branch[i]];
        if (!branch_ends(c, e, now)) {
            i++;
            continue;
        }
        resolved += (e->w->traits & R10K_BRANCH) != 0;
        verify(c, e, now); /* younger ones may be gone */
        c->branches--;
        for (unsigned k = i; k < c->branches; k++)
            c->branch[k] = c->branch[k + 1];
        e->guessed = false;
    }
    if (resolved) {
        r10k_signal(c, R10K_SIGNAL_RESOLVED, resolved);
        r10k_signal(c, R10K_SIGNAL_RESOLVED_ANY, 1);
    }
}
