/*
 * Decode and renaming: instructions leave the buffer for the active list and a queue, four in a
 * cycle, of which one is a branch. The first that lacks a place or a register keeps itself and all
 * behind it back (manual 1.6).
 *
 * Renaming is undone by walking back through the list. The hardware has copies of its maps for
 * branches and needs one cycle; the result is the same, and the time is put down where it is spent.
 */
#include "procard/r10000/pipeline.h"

#include <string.h>

enum file { FILE_INT, FILE_FP, FILE_CONDITION };

static enum file decode_file_of(unsigned logical)
{
    return logical < R10K_LOGICAL_FPR   ? FILE_INT
           : logical < R10K_LOGICAL_FCC ? FILE_FP
                                        : FILE_CONDITION;
}

static uint64_t *decode_location(struct mips_regs *r, unsigned logical)
{
    if (logical == R10K_LOGICAL_HI)
        return &r->hi;
    if (logical == R10K_LOGICAL_LO)
        return &r->lo;
    return logical < R10K_LOGICAL_FPR ? &r->gpr[logical] : &r->fpr[logical - R10K_LOGICAL_FPR];
}

static unsigned decode_bit_of(unsigned logical)
{
    return logical == R10K_LOGICAL_FCC ? 23 : 24 + logical - R10K_LOGICAL_FCC;
}

static uint64_t decode_get(struct mips_regs *r, unsigned logical)
{
    if (decode_file_of(logical) == FILE_CONDITION)
        return r->fcsr >> decode_bit_of(logical) & 1;
    return *decode_location(r, logical);
}

static void decode_put(struct mips_regs *r, unsigned logical, uint64_t value)
{
    if (decode_file_of(logical) == FILE_CONDITION)
        r->fcsr = (r->fcsr & ~(1u << decode_bit_of(logical))) | (uint32_t)value
                                                                    << decode_bit_of(logical);
    else
        *decode_location(r, logical) = value;
}

void r10k_rename_reset(struct r10k *c)
{
    memset(c->free, 0xff, sizeof c->free);
    memset(c->half, 0, sizeof c->half);
    memset(c->product, 0, sizeof c->product);
    for (unsigned i = 0; i < R10K_LOGICALS; i++) {
        const enum file file = decode_file_of(i);
        const unsigned n = (unsigned)__builtin_ctzll(c->free[file]), phys = file * R10K_FILE + n;
        if (i == R10K_LOGICAL_GPR)
            continue;
        c->free[file] &= c->free[file] - 1;
        c->map[i] = (uint8_t)phys;
        c->value[phys] = decode_get(&c->r, i);
        c->ready[phys] = 0;
        c->waiting[phys] = 0;
    }
    c->scratch = c->r;
}

/* ---- operands -------------------------------------------------------------------------------- */

sim_tick r10k_ready_for(const struct r10k *c, const struct r10k_entry *e, unsigned i)
{
    const unsigned phys = e->source[i];
    return c->ready[phys] -
           (i == e->w->addend && c->product[phys] && c->ready[phys] != SIM_NEVER ? 2 : 0);
}

bool r10k_operands(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    const bool later = e->w->traits & (R10K_LOAD | R10K_STORE);
    if (e->wakes > now) {
        r10k_wait_for(c, e->wakes);
        return false;
    }
    for (unsigned i = 0; i < e->w->sources; i++) {
        if (later && i == e->w->data && e->access == R10K_ACCESS_QUEUED)
            continue;
        const sim_tick ready = r10k_ready_for(c, e, i);
        if (ready > now) {
            e->wakes = ready;
            r10k_wait_for(c, ready);
            if (ready == SIM_NEVER)
                c->waiting[e->source[i]] |= r10k_bit(c, e);
            return false;
        }
        if (e->w->traits & R10K_WHOLE && c->half[e->source[i]] && !r10k_is_oldest(c, e))
            return false;
    }
    return true;
}

void r10k_gather(struct r10k *c, const struct r10k_entry *e)
{
    for (unsigned i = 0; i < e->w->sources; i++) {
        const unsigned logical = e->w->source[i], phys = e->source[i];
        const bool from_both = c->half[phys] && e->w->traits & R10K_WHOLE;
        decode_put(&c->scratch, logical, from_both ? decode_get(&c->r, logical) : c->value[phys]);
    }
}

static struct r10k_places *decode_queue_of(struct r10k *c, const struct r10k_entry *e)
{
    return e->w->queue == R10K_QUEUE_INT ? &c->integer : &c->fp;
}

void r10k_ready(struct r10k *c, unsigned phys, sim_tick at)
{
    c->ready[phys] = at;
    for (uint64_t left = c->waiting[phys]; left; left &= left - 1) {
        struct r10k_entry *e = &c->entry[__builtin_ctzll(left)];
        e->wakes = 0;
        decode_queue_of(c, e)->asleep &= ~(1u << e->place);
    }
    c->waiting[phys] = 0;
}

void r10k_deliver(struct r10k *c, struct r10k_entry *e, sim_tick low, sim_tick high)
{
    for (unsigned i = 0; i < e->w->results; i++) {
        const unsigned phys = e->result[i];
        c->value[phys] = decode_get(&c->scratch, e->w->result[i]);
        r10k_ready(c, phys, i ? high : low);
    }
}

void r10k_commit(struct r10k *c, const struct r10k_entry *e)
{
    for (unsigned i = 0; i < e->w->results; i++) {
        const unsigned logical = e->w->result[i], phys = e->result[i];
        if (e->w->traits & R10K_HALF)
            memcpy((char *)&c->r + e->w->op.d,
                   (const char *)&c->value[phys] +
                       (e->w->op.d - offsetof(struct mips_regs, fpr)) % 8,
                   4);
        else
            decode_put(&c->r, logical, c->value[phys]);
        c->free[e->before[i] / R10K_FILE] |= UINT64_C(1) << e->before[i] % R10K_FILE;
    }
}

/* ---- in and out of the list ------------------------------------------------------------------ */

static bool is_full(const struct r10k_places *queue)
{
    return queue->used == (1u << R10K_QUEUE) - 1;
}

static void leave_queue(struct r10k *c, const struct r10k_entry *e)
{
    if (e->w->queue == R10K_QUEUE_ADDRESS) {
        r10k_no_access(c, e);
        c->addresses--;
        if (c->calculated > c->addresses)
            c->calculated = c->addresses;
        return;
    }
    if (e->issued || e->w->queue == R10K_QUEUE_NONE)
        return;
    decode_queue_of(c, e)->used &= ~(1u << e->place);
}

/* The youngest has never been. */
static void decode_forget(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    for (unsigned i = e->w->results; i-- > 0;) {
        c->map[e->w->result[i]] = e->before[i];
        c->free[e->result[i] / R10K_FILE] |= UINT64_C(1) << e->result[i] % R10K_FILE;
    }
    leave_queue(c, e);
    if (e->guessed && c->branches && c->branch[c->branches - 1] == e - c->entry)
        c->branches--;
    if (e->finishes > now)
        (*r10k_finishing(c, e))--;
    c->twos -= (e->w->traits & R10K_TWO) != 0;
}

void r10k_squash(struct r10k *c, unsigned keep)
{
    while (c->count > keep) {
        r10k_step(c, r10k_entry(c, c->count - 1), PC_STEP_SQUASHED, c->base.now);
        decode_forget(c, r10k_entry(c, c->count - 1), c->base.now);
        c->count--;
    }
}

/* ---- decoding -------------------------------------------------------------------------------- */

static bool registers_left(const struct r10k *c, const struct r10k_word *w)
{
    if (w->results < 2)
        return !w->results || c->free[decode_file_of(w->result[0])];
    uint64_t left[3] = {c->free[FILE_INT], c->free[FILE_FP], c->free[FILE_CONDITION]};
    for (unsigned i = 0; i < w->results; i++) {
        uint64_t *file = &left[decode_file_of(w->result[i])];
        if (!*file)
            return false;
        *file &= *file - 1;
    }
    return true;
}

static bool room_for(const struct r10k *c, const struct r10k_word *w)
{
    const unsigned places = w->traits & R10K_TWO ? 2 : 1;
    if (c->count + c->twos + places > c->list || !registers_left(c, w))
        return false;
    if (w->traits & (R10K_BRANCH | R10K_REGISTER) && c->branches == R10K_BRANCHES)
        return false;
    switch (w->queue) {
    case R10K_QUEUE_INT:
        return !is_full(&c->integer);
    case R10K_QUEUE_FP:
        return !is_full(&c->fp);
    case R10K_QUEUE_ADDRESS:
        return c->addresses < R10K_QUEUE;
    default:
        return true;
    }
}

static void rename_registers(struct r10k *c, struct r10k_entry *e)
{
    const struct r10k_word *w = e->w;
    for (unsigned i = 0; i < w->sources; i++)
        e->source[i] = c->map[w->source[i]];
    for (unsigned i = 0; i < w->results; i++) {
        const enum file file = decode_file_of(w->result[i]);
        const unsigned n = (unsigned)__builtin_ctzll(c->free[file]), phys = file * R10K_FILE + n;
        c->free[file] &= c->free[file] - 1;
        e->before[i] = c->map[w->result[i]];
        e->result[i] = c->map[w->result[i]] = (uint8_t)phys;
        c->ready[phys] = SIM_NEVER;
        c->waiting[phys] = 0;
        c->half[phys] = w->traits & R10K_HALF;
        c->product[phys] = w->unit == R10K_UNIT_MADD;
    }
}

static void note_unit(struct r10k *c, const struct r10k_entry *e, uint32_t place)
{
    for (unsigned i = 0; i < 2; i++)
        c->own[i] = e->w->unit == R10K_UNIT_ALU1 + i ? c->own[i] | place : c->own[i] & ~place;
}

static void enter_queue(struct r10k *c, struct r10k_entry *e)
{
    const uint8_t number = (uint8_t)(e - c->entry);
    if (e->w->queue == R10K_QUEUE_ADDRESS) {
        c->address[c->addresses++] = number;
        if (e->w->traits & R10K_STORE)
            c->storing |= r10k_bit(c, e);
    } else if (e->w->queue != R10K_QUEUE_NONE) {
        struct r10k_places *queue = decode_queue_of(c, e);
        const unsigned place = (unsigned)__builtin_ctz(~queue->used);
        queue->entry[place] = number;
        e->place = (uint8_t)place;
        queue->used |= 1u << place;
        queue->asleep &= ~(1u << place);
        if (queue == &c->integer)
            note_unit(c, e, 1u << place);
    }
}

/* What is known without execution: what follows a link, exceptions that stand in the word. */
static void done_now(struct r10k *c, struct r10k_entry *e, sim_tick now)
{
    struct r10k_outcome out = {.pc = e->pc, .level = c->code->level};
    if (e->w->op.code == MIPS_OP_RDHWR)
        decode_put(&c->scratch, e->w->results ? e->w->result[0] : 0, c->r.userlocal);
    else if (e->w->op.code != MIPS_OP_NOP)
        r10k_compute(&c->scratch, &e->w->op, &out);
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

/* An entry as it begins; registers follow. One field after the other: of all at once the compiler
 * makes a slow string instruction. */
static void decode_begin(struct r10k_entry *e, const struct r10k_fetched *f, bool slot)
{
    e->w = f->w ? f->w : &r10k_no_word;
    e->pc = f->pc;
    e->next = e->to = e->va = 0;
    e->done = e->again = SIM_NEVER;
    e->finishes = e->wakes = 0;
    e->look = (struct pc_look){.page = f->page};
    e->trap_code = 0;
    e->exc = e->raised = e->access = e->bytes = 0;
    e->passed_over = 0;
    e->history = 0;
    e->known = e->goes = e->issued = e->guessed = e->taken = false;
    e->tlb = e->unsure = e->oldest = false;
    e->slot = slot;
    e->absent = !f->w;
}

static void decode_take(struct r10k *c, const struct r10k_fetched *f, sim_tick now)
{
    struct r10k_entry *e = &c->entry[(c->head + c->count++) % R10K_ENTRIES];
    decode_begin(e, f, c->slot_next);
    r10k_step(c, e, PC_STEP_FETCHED, f->at);
    r10k_step(c, e, PC_STEP_DECODED, now);
    c->slot_next = false;
    c->worked = true;
    c->twos += (e->w->traits & R10K_TWO) != 0;
    rename_registers(c, e);
    enter_queue(c, e);
    if (e->absent) {
        e->done = now + 1;
        return;
    }
    r10k_signal(c, R10K_SIGNAL_DECODED, 1);
    if (e->slot && e->w->traits & R10K_TRANSFER) {
        e->exc = PC_EXC_RI;
        e->done = now + 1;
        leave_queue(c, e);
        e->issued = true;
        return;
    }
    if (e->w->traits & R10K_LINKS)
        decode_links(c, e, now);
    if (e->w->traits & R10K_TRANSFER)
        r10000_decode_transfer(c, e, f, now);
    else if (e->w->traits & R10K_NOW)
        done_now(c, e, now);
}

/* The youngest is of coprocessor 0: nothing begins behind it (manual pp. 22 to 24). */
static bool held_up(struct r10k *c)
{
    return c->count && r10k_entry(c, c->count - 1)->w->traits & R10K_SERIAL;
}

void r10k_decode(struct r10k *c, sim_tick now)
{
    unsigned branches = 0, loads = 0, stores = 0;
    for (unsigned n = 0; n < R10K_GROUP && c->buffered && r10k_fetched_at(c, 0)->at < now; n++) {
        const struct r10k_fetched *f = r10k_fetched_at(c, 0);
        const uint32_t traits = f->w ? f->w->traits : 0;
        if ((traits & R10K_TRANSFER && branches) || held_up(c))
            break;
        if (f->w && !room_for(c, f->w))
            break;
        if (!f->w && c->count + c->twos == c->list)
            break;
        c->buffer_first++; /* what `f` points to stays until the next fetch */
        c->buffered--;
        branches += (traits & R10K_TRANSFER) != 0;
        loads |= (traits & R10K_LOAD) != 0;
        stores |= (traits & R10K_STORE) != 0;
        decode_take(c, f, now);
    }
    if (branches)
        r10k_signal(c, R10K_SIGNAL_DECODED_BRANCHES, 1);
    if (loads)
        r10k_signal(c, R10K_SIGNAL_DECODED_LOADS, 1);
    if (stores)
        r10k_signal(c, R10K_SIGNAL_DECODED_STORES, 1);
}
