/*
 * The card's caches: 16 + 16 KB primary, direct-mapped; a direct-mapped secondary, split by
 * SCADDR(17) into halves for instructions and data; primary contents are a subset of the
 * secondary's.
 *
 * The hard idea: the processor's own look at the primary cache is one compare against the arrays of
 * struct pc_line (r4400.h), so everything here runs only when that compare fails: the first touch,
 * a miss, a store to a line that is not ours alone, a misaligned or forbidden address - and, in the
 * checking mode, always, because then no tag is ever written into the fast view. What is in the
 * primary cache is decided by l1_line (physical), never by the fast view.
 *
 * A page is at least as large as a primary cache, so virtual and physical index agree and no
 * virtual coherency exception can happen.
 */
#include "procard/card.h"

static const uint64_t NOWHERE = ~0ull;

static unsigned l1_place(const struct pc_card *card, enum pc_side side, uint64_t address)
{
    return (unsigned)(address >> card->l1_shift[side]) & card->l1_mask[side];
}

static uint64_t l2_place(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    return (line >> card->l2_shift) & (card->l2[side].places - 1);
}

static uint8_t half_state(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    uint64_t place = l2_place(card, side, line);
    return card->l2[side].line[place] == line ? card->l2[side].state[place] : NM_CARD_I;
}

/* ---- lines as the bus sees them -------------------------------------------------------------- */

uint8_t pc_line_state(const struct pc_card *card, uint64_t line)
{
    if (card->request.active && card->request.line == line && card->request.side == PC_SIDE_D)
        return card->request.state;
    uint8_t state = half_state(card, PC_SIDE_D, line);
    if (state != NM_CARD_I)
        return state;
    if (card->request.active && card->request.line == line)
        return card->request.state;
    return half_state(card, PC_SIDE_I, line);
}

bool pc_line_present(const struct pc_card *card, uint64_t line)
{
    return half_state(card, PC_SIDE_D, line) != NM_CARD_I ||
           half_state(card, PC_SIDE_I, line) != NM_CARD_I;
}

/* Empties the primary places that hold parts of an L2 line. */
static void l1_drop(struct pc_card *card, enum pc_side side, uint64_t line)
{
    uint64_t step = 1ull << card->l1_shift[side];
    for (uint64_t part = line; part < line + card->p->l2_line; part += step) {
        unsigned place = l1_place(card, side, part);
        if (card->l1_line[side][place] != part)
            continue;
        card->l1_line[side][place] = NOWHERE;
        card->l1[side][place].rtag = card->l1[side][place].wtag = NOWHERE;
    }
}

static void half_drop(struct pc_card *card, enum pc_side side, uint64_t line)
{
    uint64_t place = l2_place(card, side, line);
    if (card->l2[side].line[place] != line)
        return;
    card->l2[side].line[place] = NOWHERE;
    card->l2[side].state[place] = NM_CARD_I;
    l1_drop(card, side, line);
    if (card->l2[PC_SIDE_I].line == card->l2[PC_SIDE_D].line)
        l1_drop(card, !side, line);
}

void pc_line_drop(struct pc_card *card, uint64_t line)
{
    half_drop(card, PC_SIDE_D, line);
    half_drop(card, PC_SIDE_I, line);
    nm_check_drop(card->check, card->cpu.number, line);
}

void pc_line_clean(struct pc_card *card, uint64_t line)
{
    uint64_t step = 1ull << card->l1_shift[PC_SIDE_D], place = l2_place(card, PC_SIDE_D, line);
    card->l2[PC_SIDE_D].state[place] = NM_CARD_S;
    for (uint64_t part = line; part < line + card->p->l2_line; part += step)
        if (card->l1_line[PC_SIDE_D][l1_place(card, PC_SIDE_D, part)] == part)
            card->l1[PC_SIDE_D][l1_place(card, PC_SIDE_D, part)].wtag = NOWHERE;
}

void pc_line_fill(struct pc_card *card, enum pc_side side, uint64_t line, uint8_t state)
{
    uint64_t place = l2_place(card, side, line);
    card->l2[side].line[place] = line;
    card->l2[side].state[place] = state;
}

bool pc_line_victim(const struct pc_card *card, enum pc_side side, uint64_t line, uint64_t *victim,
                    uint8_t *state)
{
    uint64_t place = l2_place(card, side, line);
    *victim = card->l2[side].line[place];
    *state = card->l2[side].state[place];
    return *state != NM_CARD_I && *victim != line;
}

/* A line leaves one half to make room. A dirty line takes the other half's copy with it, because
 * the directory will no longer know of the card; a link to it is lost for the same reason. */
void pc_line_evict(struct pc_card *card, enum pc_side side, uint64_t victim)
{
    bool dirty = half_state(card, side, victim) == NM_CARD_D;
    half_drop(card, side, victim);
    if (dirty) {
        half_drop(card, !side, victim);
        if (card->cpu.link && card->cpu.link_pa == victim)
            card->cpu.link = false;
    }
    if (half_state(card, !side, victim) == NM_CARD_I)
        nm_check_drop(card->check, card->cpu.number, victim);
}

/* ---- the processor's slow paths -------------------------------------------------------------- */

static uint8_t *fault(struct pc_cpu *cpu, enum pc_access access, uint64_t va, enum nm_xlate why,
                      enum pc_stop *stop)
{
    bool store = access == PC_STORE || access == PC_CONDITIONAL;
    cpu->exc = store ? PC_EXC_ADES : PC_EXC_ADEL;
    cpu->badvaddr = va;
    cpu->unmapped = why == NM_XLATE_UNMAPPED;
    cpu->protected = why == NM_XLATE_PROTECTED;
    *stop = PC_STOP_TRAP;
    return NULL;
}

/* Which right an access needs. */
static enum pc_access right(enum pc_access access)
{
    switch (access) {
    case PC_FETCH:
        return PC_FETCH;
    case PC_STORE:
    case PC_CONDITIONAL:
        return PC_STORE;
    default:
        return PC_LOAD;
    }
}

static enum nm_xlate translate(struct pc_card *card, enum pc_access access, uint64_t va,
                               uint64_t *pa)
{
    uint64_t page = va >> card->page_shift, offset = va & ((1ull << card->page_shift) - 1);
    struct pc_xlate *x = &card->tlb[page % PC_TLB];
    if (x->tag[access] == page) {
        *pa = x->page | offset;
        return NM_XLATE_OK;
    }
    enum nm_xlate result = card->space.translate(card->space.ctx, card->cpu.number, va, access, pa);
    if (result != NM_XLATE_OK)
        return result;
    if (x->page != *pa - offset)
        x->tag[PC_FETCH] = x->tag[PC_LOAD] = x->tag[PC_STORE] = NOWHERE;
    x->page = *pa - offset;
    x->tag[access] = page;
    return NM_XLATE_OK;
}

/* Lets the processor see an L1 place (in functional mode a page) without asking again. Never in
 * checking mode. The place is where the processor looks: virtual. */
static void show(struct pc_card *card, enum pc_side side, uint64_t va, uint64_t pa, bool writable)
{
    if (nm_check_on(card->check) && side == PC_SIDE_D)
        return;
    uint64_t low = (1ull << card->l1_shift[side]) - 1;
    struct pc_line *l = &card->l1[side][l1_place(card, side, va)];
    l->rtag = va & ~low;
    l->wtag = writable ? va & ~low : NOWHERE;
    l->host = card->image + (pa & ~low);
}

/* Moves a primary line up from the secondary cache, at a cost. */
static void l1_fill(struct pc_card *card, enum pc_side side, uint64_t pa, uint64_t line, nm_tick at)
{
    static const enum pc_status stall[] = {PC_ST_STALL_L1I, PC_ST_STALL_L1D};
    uint64_t bytes = 1ull << card->l1_shift[side];
    uint64_t refill = card->p->l2_refill * (bytes / 16);
    if (card->filled == line)
        pc_card_stall(card, card->request.stall, refill, at);
    else
        pc_card_stall(card, stall[side], card->p->l2_lookup + refill, at);
    card->l1_line[side][l1_place(card, side, pa)] = pa & ~(bytes - 1);
    if (side == PC_SIDE_I)
        card->truth.l1i_misses++;
    else
        card->truth.l1d_misses++;
}

/* An instruction line that is dirty in the data half never reaches the bus: the directory knows
 * this card as the owner already. It is copied inside the card. */
static uint8_t borrow_from_data_half(struct pc_card *card, uint64_t line)
{
    uint64_t victim;
    uint8_t state;
    if (half_state(card, PC_SIDE_D, line) != NM_CARD_D)
        return NM_CARD_I;
    if (pc_line_victim(card, PC_SIDE_I, line, &victim, &state))
        pc_line_evict(card, PC_SIDE_I, victim);
    pc_line_fill(card, PC_SIDE_I, line, NM_CARD_S);
    return NM_CARD_S;
}

/* The heart: makes `pa` readable or writable in the primary cache, or asks for it. */
static bool obtain(struct pc_card *card, enum pc_side side, uint64_t va, uint64_t pa,
                   enum pc_access access, nm_tick at, enum pc_stop *stop)
{
    bool store = right(access) == PC_STORE;
    if (card->functional) {
        show(card, side, va, pa, store);
        return true;
    }
    uint64_t line = pa & ~(uint64_t)(card->p->l2_line - 1);
    uint8_t state = half_state(card, side, line);
    if (side == PC_SIDE_I && state == NM_CARD_I)
        state = borrow_from_data_half(card, line);
    bool have = store ? state == NM_CARD_D : state != NM_CARD_I;
    if (!have) {
        *stop = PC_STOP_MISS;
        pc_agent_request(card, side, line, store ? NM_CARD_EV_STORE : NM_CARD_EV_LOAD, at);
        card->request.conditional = access == PC_CONDITIONAL;
        return false;
    }
    uint64_t part = pa & ~((1ull << card->l1_shift[side]) - 1);
    if (card->l1_line[side][l1_place(card, side, pa)] != part)
        l1_fill(card, side, pa, line, at);
    card->filled = NOWHERE;
    show(card, side, va, pa, side == PC_SIDE_D && state == NM_CARD_D);
    return true;
}

static uint8_t *data_access(struct pc_cpu *cpu, uint64_t va, unsigned size, enum pc_access access,
                            nm_tick at, enum pc_stop *stop, uint64_t *pa)
{
    struct pc_card *card = cpu->card;
    if (at >= cpu->horizon) {
        *stop = PC_STOP_HORIZON;
        return NULL;
    }
    if (va & (size - 1))
        return fault(cpu, access, va, NM_XLATE_OK, stop);
    enum nm_xlate result = translate(card, right(access), va, pa);
    if (result != NM_XLATE_OK)
        return fault(cpu, access, va, result, stop);
    bool store = right(access) == PC_STORE;
    if (!obtain(card, PC_SIDE_D, va, *pa, access, at, stop))
        return NULL;
    if (store)
        nm_check_store(card->check, card->cpu.number, *pa, size, at);
    else
        nm_check_load(card->check, card->cpu.number, *pa, size, at);
    return card->image + *pa;
}

uint8_t *pc_load(struct pc_cpu *cpu, uint64_t va, unsigned size, nm_tick at, enum pc_stop *stop)
{
    uint64_t pa;
    return data_access(cpu, va, size, PC_LOAD, at, stop, &pa);
}

uint8_t *pc_store(struct pc_cpu *cpu, uint64_t va, unsigned size, nm_tick at, enum pc_stop *stop)
{
    uint64_t pa;
    return data_access(cpu, va, size, PC_STORE, at, stop, &pa);
}

uint8_t *pc_load_linked(struct pc_cpu *cpu, uint64_t va, unsigned size, nm_tick at,
                        enum pc_stop *stop)
{
    uint64_t pa;
    uint8_t *host = data_access(cpu, va, size, PC_LINKED, at, stop, &pa);
    if (host) {
        cpu->link = true;
        cpu->link_pa = pa & ~(uint64_t)(cpu->card->p->l2_line - 1);
    }
    return host;
}

uint8_t *pc_store_conditional(struct pc_cpu *cpu, uint64_t va, unsigned size, nm_tick at,
                              enum pc_stop *stop, bool *failed)
{
    uint64_t pa;
    *failed = false;
    if (!cpu->link && at < cpu->horizon && !(va & (size - 1))) {
        cpu->card->filled = NOWHERE;
        *failed = true;
        return NULL;
    }
    uint8_t *host = data_access(cpu, va, size, PC_CONDITIONAL, at, stop, &pa);
    if (!host)
        return NULL;
    bool other = cpu->link_pa != (pa & ~(uint64_t)(cpu->card->p->l2_line - 1));
    cpu->link = false;
    *failed = other;
    return other ? NULL : host;
}

bool pc_fetch(struct pc_cpu *cpu, uint64_t va, nm_tick at, enum pc_stop *stop)
{
    struct pc_card *card = cpu->card;
    uint64_t pa;
    if (at >= cpu->horizon) {
        *stop = PC_STOP_HORIZON;
        return false;
    }
    if (va & 3)
        return fault(cpu, PC_FETCH, va, NM_XLATE_OK, stop);
    enum nm_xlate result = translate(card, PC_FETCH, va, &pa);
    if (result != NM_XLATE_OK)
        return fault(cpu, PC_FETCH, va, result, stop);
    return obtain(card, PC_SIDE_I, va, pa, PC_FETCH, at, stop);
}
