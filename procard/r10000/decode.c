/*
 * Decode and renaming: instructions leave the buffer for the active list and a queue, four in a
 * cycle, of which one is a branch. The first that lacks a place or a register keeps itself and all
 * behind it back (manual 1.6).
 *
 * Renaming is undone by walking back through the list. The hardware has copies of its maps for
 * branches and needs one cycle; the result is the same, and the time is put down where it is spent.
 */
#include "procard/r10000/registers.h"

#include <string.h>

/* A register of its file is taken. */
static unsigned register_take(struct r10k *c, enum r10k_file file)
{
    const unsigned n = (unsigned)__builtin_ctzll(c->free[file]);
    c->free[file] &= c->free[file] - 1;
    return file * R10K_FILE + n;
}

void r10k_rename_reset(struct r10k *c)
{
    memset(c->free, 0xff, sizeof c->free); /* of no file there are always some left */
    memset(c->half, 0, sizeof c->half);
    memset(c->product, 0, sizeof c->product);
    for (unsigned i = 0; i < R10K_LOGICALS; i++) {
        if (i == R10K_LOGICAL_GPR)
            continue;
        const unsigned phys = register_take(c, r10k_file_of(i));
        c->map[i] = (uint8_t)phys;
        c->value[phys] = r10k_register(&c->r, i);
        c->ready[phys] = 0;
        c->waiting[phys] = 0;
        c->asking[phys] = 0;
    }
    c->scratch = c->r;
}

/* ---- operands -------------------------------------------------------------------------------- */

sim_tick r10k_ready_for(const struct r10k *c, const struct r10k_entry *e, unsigned i)
{
    const unsigned phys = e->source[i];
    const sim_tick ready = c->ready[phys];
    if (__builtin_expect(!c->product[phys], 1))
        return ready;
    return ready - (i == e->w->addend && ready != SIM_NEVER ? 2 : 0);
}

bool r10k_halves(const struct r10k *c, const struct r10k_entry *e)
{
    for (unsigned i = 0; i < e->w->sources; i++)
        if (c->half[e->source[i]] && !r10k_is_oldest(c, e))
            return false;
    return true;
}

bool r10k_operands(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const bool later = e->w->traits & (R10K_LOAD | R10K_STORE) && e->access == R10K_ACCESS_QUEUED;
    if (e->wakes > now) {
        r10k_wait_for(c, e->wakes);
        return false;
    }
    for (unsigned i = 0; i < e->w->sources; i++) {
        if (later && i == e->w->data)
            continue;
        const sim_tick ready = r10k_ready_for(c, e, i);
        if (ready > now) {
            e->wakes = ready;
            r10k_wait_for(c, ready);
            if (ready == SIM_NEVER)
                c->asking[e->source[i]] |= r10k_bit(c, e);
            return false;
        }
        if (e->w->traits & R10K_WHOLE && c->half[e->source[i]] && !r10k_is_oldest(c, e))
            return false;
    }
    return true;
}

/* Conditions are bits of one word, and a register of which only a half has been written is joined
 * with the thread's. */
void r10k_gather_parts(struct r10k *c, const struct r10k_entry *e)
{
    for (unsigned i = 0; i < e->w->sources; i++) {
        const unsigned logical = e->w->source[i], phys = e->source[i];
        const bool from_both = c->half[phys] && e->w->traits & R10K_WHOLE;
        const uint64_t value = from_both ? r10k_register(&c->r, logical) : c->value[phys];
        if (r10k_file_of(logical) == R10K_FILE_CODES)
            r10k_condition_put(&c->scratch, logical, value);
        else
            *r10k_place(&c->scratch, e->w->from[i]) = value;
    }
}

/* ---- queues ---------------------------------------------------------------------------------- */

/* Sources of one in a queue are read. @param at  when those before it can be
 * @param bit  of the one that reads, in `waiting` @return when all can be; SIM_NEVER: nobody knows,
 * and it is told of the first of which that is so (r10k_ready) */
static inline sim_tick source_at(struct r10k *c, const struct r10k_entry *e, unsigned i,
                                 sim_tick at, uint32_t bit)
{
    const sim_tick ready = r10k_ready_for(c, e, i);
    if (ready == SIM_NEVER && at != SIM_NEVER)
        c->waiting[e->source[i]] |= bit;
    return sim_later(at, ready);
}

/* @param at  it has all its registers; SIM_NEVER: nobody knows */
static inline void queue_learns(struct r10k *c, struct r10k_entry *e, sim_tick at)
{
    const uint32_t place = UINT32_C(1) << e->place;
    e->wakes = at;
    if (at <= c->issues)
        c->places.ready |= place;
    else if (at != SIM_NEVER)
        c->places.coming |= place;
}

void r10k_told(struct r10k *c, uint32_t who)
{
    who &= c->places.used; /* others have been squashed */
    for (; who; who &= who - 1) {
        struct r10k_entry *e = &c->entry[c->places.entry[__builtin_ctz(who)]];
        const unsigned sources = e->w->sources;
        sim_tick at = 0;
        for (unsigned i = 0; i < sources; i++)
            at = source_at(c, e, i, at, who & -who);
        queue_learns(c, e, at);
    }
}

void r10k_told_others(struct r10k *c, uint64_t who)
{
    for (; who; who &= who - 1) {
        struct r10k_entry *e = &c->entry[__builtin_ctzll(who)];
        if (!e->w->places) /* the one that has asked may have been squashed */
            e->wakes = 0;
    }
}

/* A result of which a half is new, or that is a condition. */
void r10k_commit_part(struct r10k *c, const struct r10k_word *w, unsigned i, uint64_t value)
{
    if (w->traits & R10K_HALF)
        memcpy((char *)&c->r + w->op.d,
               (const char *)&value + (w->op.d - offsetof(struct mips_regs, fpr)) % 8, 4);
    else if (w->file[i] == R10K_FILE_CODES)
        r10k_condition_put(&c->r, w->result[i], value);
    else
        *r10k_place(&c->r, w->into[i]) = value;
}

/* ---- in and out of the list ------------------------------------------------------------------ */

static void leave_queue(struct r10k *c, const struct r10k_entry *e)
{
    if (e->w->queue == R10K_QUEUE_ADDRESS)
        r10k_no_access(c, e);
    else if (!e->issued && e->w->places)
        r10k_leave_places(c, e);
}

/* The youngest has never been. */
static void decode_forget(struct r10k *c, struct r10k_entry *e)
{
    for (unsigned i = e->w->results; i-- > 0;) {
        c->map[e->w->result[i]] = e->before[i];
        r10k_register_free(c, e->result[i]);
    }
    leave_queue(c, e);
    if (e->guessed && c->branches && c->branch[c->branches - 1] == e - c->entry)
        c->branches--;
    if (e->finishes >= c->unfinished)
        (*r10k_finishing(c, e))--;
    c->twos -= (e->w->traits & R10K_TWO) != 0;
}

void r10k_squash(struct r10k *c, unsigned keep)
{
    while (c->count > keep) {
        struct r10k_entry *e = r10k_entry(c, c->count - 1);
        r10k_step(c, e, PC_STEP_SQUASHED, c->base.now);
        decode_forget(c, e);
        c->count--;
    }
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* For the second result too, which few have. */
static bool registers_left(const struct r10k *c, const struct r10k_word *w)
{
    const uint64_t left = c->free[w->file[1]];
    return w->file[0] == w->file[1] ? left & (left - 1) : left;
}

static bool room_for(const struct r10k *c, const struct r10k_word *w)
{
    const unsigned places = r10k_counted(w->counts, R10K_COUNT_PLACES);
    if (c->count + c->twos + places > c->list || !c->free[w->file[0]] ||
        (w->results > 1 && !registers_left(c, w)))
        return false;
    if (w->traits & (R10K_BRANCH | R10K_REGISTER) && c->branches == R10K_BRANCHES)
        return false;
    if (w->places)
        return w->places & ~c->places.used;
    return w->queue != R10K_QUEUE_ADDRESS || c->addresses < R10K_QUEUE;
}

static void rename_results(struct r10k *c, struct r10k_entry *e, const struct r10k_word *w)
{
    for (unsigned i = 0; i < w->results; i++) {
        const unsigned phys = register_take(c, (enum r10k_file)w->file[i]);
        e->before[i] = c->map[w->result[i]];
        e->result[i] = c->map[w->result[i]] = (uint8_t)phys;
        c->ready[phys] = SIM_NEVER;
        c->waiting[phys] = 0;
        c->asking[phys] = 0;
        c->half[phys] = w->traits & R10K_HALF;
        c->product[phys] = w->unit == R10K_UNIT_MADD;
    }
}

/* It enters one of the queues in no order. */
static void enter_places(struct r10k *c, struct r10k_entry *e, const struct r10k_word *w)
{
    const unsigned place = (unsigned)__builtin_ctz(w->places & ~c->places.used);
    const uint32_t bit = UINT32_C(1) << place;
    const unsigned sources = w->sources;
    sim_tick at = 0;
    for (unsigned i = 0; i < sources; i++) {
        e->source[i] = c->map[w->source[i]];
        at = source_at(c, e, i, at, bit);
    }
    e->place = (uint8_t)place;
    c->places.entry[place] = (uint8_t)(e - c->entry);
    c->places.used |= bit;
    c->places.own[w->own] |= bit;
    queue_learns(c, e, at);
}

static void enter_address_queue(struct r10k *c, const struct r10k_entry *e)
{
    const uint64_t bit = r10k_bit(c, e);
    c->addresses++;
    c->queued |= bit;
    c->unknown |= bit;
    if (e->w->traits & R10K_STORE)
        c->storing |= bit;
}

/* Its registers become physical ones, and it waits for them. */
static void rename_registers(struct r10k *c, struct r10k_entry *e, const struct r10k_word *w)
{
    if (w->places) {
        enter_places(c, e, w);
    } else {
        for (unsigned i = 0; i < w->sources; i++)
            e->source[i] = c->map[w->source[i]];
        if (w->queue == R10K_QUEUE_ADDRESS)
            enter_address_queue(c, e);
    }
    rename_results(c, e, w);
}

/* What is known without execution: what follows a link, exceptions that stand in the word. */
static void done_now(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    struct r10k_outcome out = {.pc = e->pc, .level = c->code->level};
    if (e->w->op.code == MIPS_OP_RDHWR) {
        if (e->w->results)
            c->scratch.gpr[e->w->result[0]] = c->r.userlocal;
    } else if (e->w->op.code != MIPS_OP_NOP) {
        r10k_compute(&c->scratch, &e->w->op, &out);
    }
    e->exc = (uint8_t)out.exc;
    e->trap_code = out.trap_code;
    r10k_deliver(c, e, now + 1, now + 1);
    e->done = now + 1;
}

static void decode_links(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    if (!e->w->results)
        return;
    c->value[e->result[0]] = e->pc + 8;
    r10k_ready(c, e->result[0], now + 1);
}

/* A transfer: where fetch goes on behind its delay slot. The words fetched meanwhile are lost, but
 * for the slot. */
static void r10000_decode_transfer(struct r10k *c, struct r10k_entry *e,
                                   const struct r10k_fetched *f, sim_tick now)
{
    const bool guessed = r10k_predict(c, e);
    c->slot_next = true;
    if (e->w->traits & (R10K_BRANCH | R10K_REGISTER)) {
        e->guessed = true;
        c->branch[c->branches++] = (uint8_t)(e - c->entry);
        if (e->w->traits & (R10K_FP_BRANCH | R10K_REGISTER))
            c->branches_at = now;
    } else {
        e->done = now + 1;
        e->to = e->next;
        r10k_train(c, e, true);
    }
    if (guessed && !e->taken && !f->target)
        return;
    if (guessed && e->taken && f->target == e->next)
        return;
    if (c->buffered && r10k_fetched_at(c, 0)->pc == e->pc + 4) {
        c->buffered = 1;
        r10k_fetch_from(c, e->next, now + 1);
    } else {
        r10k_fetch_slot(c, e->pc + 4, e->next, now);
    }
    c->stopped_behind = !guessed;
    if (!guessed && c->buffered)
        c->stopped = true;
}

/* An entry as it begins; registers follow. */
static void decode_begin(struct r10k_entry *e, const struct r10k_fetched *f, bool slot)
{
    e->w = f->w;
    e->pc = f->pc;
    e->done = e->again = SIM_NEVER;
    e->slot = slot;
    memset(&e->to, 0, sizeof *e - offsetof(struct r10k_entry, to));
    e->absent = f->w == &r10k_no_word;
}

static void decode_take(struct r10k *c, const struct r10k_fetched *f, sim_tick now)
{
    struct r10k_entry *e = &c->entry[(c->head + c->count++) % R10K_ENTRIES];
    const uint32_t traits = f->w->traits;
    decode_begin(e, f, c->slot_next);
    r10k_step(c, e, PC_STEP_FETCHED, f->at);
    r10k_step(c, e, PC_STEP_DECODED, now);
    c->slot_next = false;
    c->worked = true;
    c->twos += (traits & R10K_TWO) != 0;
    rename_registers(c, e, f->w);
    if (e->absent) {
        e->look.page = f->page;
        e->done = now + 1;
        return;
    }
    if (!(traits & (R10K_TRANSFER | R10K_LINKS | R10K_NOW)))
        return;
    if (e->slot && traits & R10K_TRANSFER) {
        e->exc = PC_EXC_RI;
        e->done = now + 1;
        leave_queue(c, e);
        e->issued = true;
        return;
    }
    if (traits & R10K_LINKS)
        decode_links(c, e, now);
    if (traits & R10K_TRANSFER)
        r10000_decode_transfer(c, e, f, now);
    else if (traits & R10K_NOW)
        done_now(c, e, now);
}

/* The youngest is of coprocessor 0: nothing begins behind it (manual pp. 22 to 24). */
static bool held_up(struct r10k *c)
{
    return c->count && r10k_entry(c, c->count - 1)->w->traits & R10K_SERIAL;
}

void r10k_decode(struct r10k *c, sim_tick now)
{
    uint32_t traits = held_up(c) ? R10K_SERIAL : 0; /* of all that have been taken */
    unsigned taken = 0;
    for (unsigned n = 0; n < R10K_GROUP && c->buffered && !(traits & R10K_SERIAL); n++) {
        const struct r10k_fetched *f = r10k_fetched_at(c, 0);
        if (f->at >= now || (f->w->traits & R10K_TRANSFER && traits & R10K_TRANSFER) ||
            !room_for(c, f->w))
            break;
        c->buffer_first++; /* what `f` points to stays until the next fetch */
        c->buffered--;
        traits |= f->w->traits;
        taken += f->w != &r10k_no_word;
        decode_take(c, f, now);
    }
    r10k_signal(c, R10K_SIGNAL_DECODED, taken);
    if (traits & R10K_TRANSFER)
        r10k_signal(c, R10K_SIGNAL_DECODED_BRANCHES, 1);
    r10k_signal(c, R10K_SIGNAL_DECODED_LOADS, (traits & R10K_LOAD) != 0);
    r10k_signal(c, R10K_SIGNAL_DECODED_STORES, (traits & R10K_STORE) != 0);
}
