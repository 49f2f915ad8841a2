/*
 * The card's caches: direct-mapped primary ones for instructions and data; a secondary, direct-
 * mapped and joint or split by SCADDR(17) into halves for both, or joint and of several ways;
 * primary contents are a subset of the secondary's.
 *
 * The hard idea: the processor's own look at the primary cache is one compare against the arrays of
 * struct pc_line (core.h), so everything here runs only when that compare fails: the first touch,
 * a miss, a store to a line that is not ours alone, a misaligned or forbidden address - and, in the
 * checking mode, always, because then no tag is ever written into the fast view. What is in the
 * primary cache is decided by l1_line (physical), never by the fast view.
 *
 * A primary cache is indexed by virtual address and has physical tags. Where it is larger than a
 * page, the index bits above the page (PIdx, the line's colour) are kept with each secondary line,
 * and an access with another colour is a virtual coherency exception (manual p. 253).
 */
#include "machine/values.h"
#include "procard/card.h"
#include "procard/cursor.h"
#include "procard/eye.h"
#include "procard/record.h"
#include "procard/tlb.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t NOWHERE = ~0ull;

enum { INSTRUCTION = 4 /* [bytes] of a fetch */ };

static unsigned l1_place(const struct pc_card *card, enum pc_side side, uint64_t va)
{
    return (unsigned)(va >> card->l1_shift[side]) & card->l1_mask[side];
}

/* With its attribute. */
static uint8_t raw_state(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    const uint64_t place = pc_line_find(card, side, line);
    return place == PC_NOWHERE ? (uint8_t)NM_LINE_I : pc_place_state(&card->l2[side], place);
}

/* ---- two ways (R10000 manual 5.4) -------------------------------------------------------------
 */

/* Whether a place is kept for a line that has been asked for. */
static bool cache_kept(const struct pc_card *card, enum pc_side side, uint64_t place)
{
    for (unsigned left = card->outstanding; left; left &= left - 1) {
        const struct pc_request *r = &card->request[__builtin_ctz(left)];
        if (pc_same_place(card, pc_side_of(r), r->place, side, place))
            return true;
    }
    return false;
}

/* Which way of a set of two is looked at first. @param place  one of the set's */
static uint8_t *cache_first_of(const struct pc_l2 *l2, uint64_t place)
{
    return &l2->first[place / 2 & (l2->bits - 1)];
}

/* Of more than two ways, the first that is empty; else by chance one that is not kept for another
 * line. Which, changes only when a place is filled. */
static uint64_t way_by_chance(const struct pc_card *card, enum pc_side side, uint64_t set)
{
    const struct pc_l2 *l2 = &card->l2[side];
    const uint64_t drawn = (l2->filled + 1) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
    for (uint64_t place = set; place < set + l2->ways; place++)
        if (pc_place_state(l2, place) == NM_LINE_I && !cache_kept(card, side, place))
            return place;
    for (uint64_t w = 0; w < l2->ways; w++) {
        const uint64_t place = set + (drawn + w) % l2->ways;
        if (!cache_kept(card, side, place))
            return place;
    }
    return set + drawn % l2->ways;
}

/* The way that is looked at first if that is empty, else the other: so the line that was used last
 * stays. Neither, if it is kept for another. */
uint64_t pc_way_for(const struct pc_card *card, enum pc_side side, uint64_t set)
{
    const struct pc_l2 *l2 = &card->l2[side];
    if (!l2->first)
        return way_by_chance(card, side, set);
    const uint64_t first = set + *cache_first_of(l2, set), other = first ^ 1;
    if ((pc_place_state(l2, first) == NM_LINE_I || cache_kept(card, side, other)) &&
        !cache_kept(card, side, first))
        return first;
    return other;
}

/* A line has been found at a place. @return whether its way was the one looked at first; if not, it
 * is from now on */
static bool cache_train(const struct pc_l2 *l2, uint64_t place)
{
    const uint8_t way = place % 2;
    uint8_t *first = cache_first_of(l2, place);
    const bool predicted = *first == way;
    *first = way;
    return predicted;
}

/* Index bits above the page, as the colour of a line counts them. */
static uint8_t colour_of(const struct pc_card *card, uint64_t va)
{
    return (uint8_t)(va >> card->page_shift & card->colours);
}

/* Goes through the parts of a secondary line that is here, and their primary places. These lie side
 * by side, but a primary cache may have fewer. */
struct parts {
    uint64_t part, end, step;
    unsigned place, mask;
};

static inline struct parts parts_of(const struct pc_card *card, enum pc_side side,
                                    enum pc_side half, uint64_t line)
{
    const uint64_t page = (1ull << card->page_shift) - 1;
    const uint64_t colour =
        card->colours ? ~card->l2[half].colour[pc_line_find(card, half, line)] & card->colours : 0;
    return (struct parts){.part = line,
                          .end = line + card->p->l2_line,
                          .step = 1ull << card->l1_shift[side],
                          .place = l1_place(card, side, (line & page) | colour << card->page_shift),
                          .mask = card->l1_mask[side]};
}

static inline void next_part(struct parts *p)
{
    p->part += p->step;
    p->place = (p->place + 1) & p->mask;
}

uint8_t pc_line_half_state(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    uint8_t state = raw_state(card, side, line);
    return state & PC_NONCOHERENT ? NM_LINE_I : state;
}

/* The directory takes this card for the owner of a line of that half (of two, the one for data). */
static bool cache_owned(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    const uint8_t state = pc_line_half_state(card, side, line);
    return state == NM_LINE_D || state == NM_LINE_E;
}

/* ---- lines as the bus sees them -------------------------------------------------------------- */

uint8_t pc_line_state(const struct pc_card *card, uint64_t line)
{
    const struct pc_request *r = pc_coherent_request(card, line);
    if (r && pc_side_of(r) == PC_SIDE_D)
        return r->state;
    uint8_t state = pc_line_half_state(card, PC_SIDE_D, line);
    if (state != NM_LINE_I)
        return state;
    return r ? r->state : pc_line_half_state(card, PC_SIDE_I, line);
}

bool pc_line_in_half(const struct pc_card *card, enum pc_side side, uint64_t line)
{
    return pc_line_half_state(card, side, line) != NM_LINE_I;
}

/* Whatever makes a primary place give up what has been written in it: the line goes down. */
static void part_write_back(struct pc_card *card, enum pc_side side, unsigned place)
{
    card->truth.l1_writebacks += pc_l1_dirty(card, side, place);
    card->l1_line[side][place] &= ~(uint64_t)PC_L1_DIRTY;
}

static void part_drop(struct pc_card *card, enum pc_side side, unsigned place)
{
    part_write_back(card, side, place);
    if (card->copies && side == PC_SIDE_D)
        pc_misses_touch(card, place);
    if (card->eye && side == PC_SIDE_D && card->l1_line[side][place])
        pc_eye_drops(card, pc_l1_part(card, side, place), pc_card_now(card));
    card->l1_line[side][place] = 0;
    card->l1[side][place].tag = pc_line_none(place);
}

/* A core that keeps its primary caches itself loses a line. */
static void tell_loss(struct pc_card *card, uint64_t line, enum pc_loss loss)
{
    if (card->core->loses && !card->functional) {
        pc_core_wakes(card, pc_card_now(card));
        card->core->loses(&card->cpu, line, loss, pc_card_now(card));
    }
}

/* Empties the primary places that hold parts of a line of the secondary cache's `half`. */
static void l1_drop(struct pc_card *card, enum pc_side side, enum pc_side half, uint64_t line)
{
    struct parts p = parts_of(card, side, half, line);
    for (; p.part < p.end; next_part(&p))
        if (pc_l1_has(card, side, p.place, p.part))
            part_drop(card, side, p.place);
}

/* Empties them on every side this half serves. */
static void parts_drop(struct pc_card *card, enum pc_side half, uint64_t line)
{
    l1_drop(card, half, half, line);
    if (card->l2[PC_SIDE_I].tag == card->l2[PC_SIDE_D].tag)
        l1_drop(card, !half, half, line);
}

/* @param taken  another card wants it; false: to make room */
static void half_drop(struct pc_card *card, enum pc_side side, uint64_t line, bool taken)
{
    const uint64_t place = pc_line_find(card, side, line);
    if (place == PC_NOWHERE)
        return;
    pc_card_unforeseen(card);
    if (card->eye && (side == PC_SIDE_D || card->l2[PC_SIDE_I].tag == card->l2[PC_SIDE_D].tag))
        pc_eye_loses(card, line, pc_place_state(&card->l2[side], place), taken, pc_card_now(card));
    parts_drop(card, side, line);
    tell_loss(card, line, taken ? PC_LOSS_TAKEN : PC_LOSS_EVICTED);
    if (card->l2c.on)
        pc_l2c_loses(card, line);
    if (card->copies)
        pc_misses_lose(card, side, line, taken, cache_owned(card, side, line));
    card->l2[side].tag[place] = 0;
    card->l2[side].colour[place] = (uint8_t)~PC_COLOURLESS;
}

void pc_line_drop(struct pc_card *card, uint64_t line)
{
    for (unsigned side = 0; side < PC_SIDES; side++)
        if (pc_line_half_state(card, side, line) != NM_LINE_I)
            half_drop(card, side, line, true);
    nm_check_drop(card->check, card->cpu.number, line);
}

void pc_line_clean(struct pc_card *card, uint64_t line)
{
    const uint64_t place = pc_line_find(card, PC_SIDE_D, line);
    struct parts p = parts_of(card, PC_SIDE_D, PC_SIDE_D, line);
    pc_card_unforeseen(card);
    tell_loss(card, line, PC_LOSS_SHARED);
    if (card->eye)
        pc_eye_shares(card, line, pc_place_state(&card->l2[PC_SIDE_D], place), pc_card_now(card));
    pc_place_set(&card->l2[PC_SIDE_D], place, line, NM_LINE_S);
    for (; p.part < p.end; next_part(&p)) {
        if (!pc_l1_has(card, PC_SIDE_D, p.place, p.part))
            continue;
        if (card->copies)
            pc_misses_touch(card, p.place);
        part_write_back(card, PC_SIDE_D, p.place);
        struct pc_line *view = &card->l1[PC_SIDE_D][p.place];
        if (view->tag != pc_line_none(p.place))
            view->tag |= PC_LINE_READ_ONLY;
    }
    if (card->copies)
        pc_misses_share(card, line);
}

void pc_line_hide(struct pc_card *card, uint64_t line)
{
    if (card->core->hides && !card->functional)
        card->core->hides(&card->cpu, line);
    if (pc_line_half_state(card, PC_SIDE_D, line) == NM_LINE_I)
        return;
    struct parts p = parts_of(card, PC_SIDE_D, PC_SIDE_D, line);
    for (; p.part < p.end; next_part(&p))
        if (pc_l1_has(card, PC_SIDE_D, p.place, p.part))
            card->l1[PC_SIDE_D][p.place].tag = pc_line_none(p.place);
}

void pc_line_fill(struct pc_card *card, enum pc_side side, uint64_t place, uint64_t line,
                  uint8_t state)
{
    struct pc_l2 *l2 = &card->l2[side];
    const bool comes = pc_place_line(l2, place) != line;
    if (state != NM_LINE_D)
        pc_card_unforeseen(card);
    if (l2->first && comes)
        cache_train(l2, place);
    l2->filled += comes;
    pc_place_set(l2, place, line, state);
    pc_agent_filled(card);
}

/* A line leaves one half to make room. One that is the card's own takes the other half's copy with
 * it, because the directory will no longer know of the card, or take it for the owner of a line it
 * has only a copy of; a link to it is lost for the same reason. */
void pc_line_evict(struct pc_card *card, enum pc_side side, uint64_t victim)
{
    const bool owner = cache_owned(card, side, victim);
    if (card->l2c.on && raw_state(card, side, victim) == NM_LINE_D)
        pc_l2c_evicts(card);
    half_drop(card, side, victim, false);
    if (owner) {
        half_drop(card, !side, victim, false);
        if (card->cpu.link && card->cpu.link_pa == victim) {
            card->cpu.link = false;
            pc_agent_link_put_out(card, victim);
        }
    }
    if (pc_line_half_state(card, !side, victim) == NM_LINE_I)
        nm_check_drop(card->check, card->cpu.number, victim);
}

/* ---- the processor's slow paths -------------------------------------------------------------- */

static uint8_t *cache_fault(struct pc_cpu *cpu, enum nm_access access, uint64_t va,
                            enum nm_xlate why, enum pc_stop *stop)
{
    bool store = access == NM_STORE || access == NM_CONDITIONAL;
    cpu->exc = store ? PC_EXC_ADES : PC_EXC_ADEL;
    cpu->badvaddr = va;
    cpu->absent = why == NM_XLATE_ABSENT;
    cpu->unmapped = why == NM_XLATE_UNMAPPED;
    cpu->protected = why == NM_XLATE_PROTECTED;
    *stop = PC_STOP_TRAP;
    return NULL;
}

uint8_t *pc_bus_error(struct pc_cpu *cpu, enum nm_access access, uint64_t va, uint32_t code,
                      enum pc_stop *stop)
{
    cpu->exc = access == NM_FETCH ? PC_EXC_IBE : PC_EXC_DBE;
    cpu->badvaddr = va;
    cpu->trap_code = code;
    cpu->absent = cpu->unmapped = cpu->protected = false;
    *stop = PC_STOP_TRAP;
    return NULL;
}

/* Which right an access needs. */
static enum nm_access cache_right(enum nm_access access)
{
    switch (access) {
    case NM_FETCH:
        return NM_FETCH;
    case NM_STORE:
    case NM_CONDITIONAL:
        return NM_STORE;
    default:
        return NM_LOAD;
    }
}

static enum nm_xlate cache_translate(struct pc_card *card, enum nm_access access, uint64_t va,
                                     uint64_t *pa)
{
    uint64_t page = va >> card->page_shift, offset = va & ((1ull << card->page_shift) - 1);
    struct pc_xlate *x = &card->tlb[page % PC_TLB];
    if (x->tag[access] == page) {
        *pa = x->page | offset;
        return x->result;
    }
    enum nm_xlate result = card->space.translate(card->space.ctx, card->cpu.number, va, access, pa);
    if (!nm_xlate_found(result))
        return result;
    const bool has =
        x->tag[NM_FETCH] == page || x->tag[NM_LOAD] == page || x->tag[NM_STORE] == page;
    if (x->page != *pa - offset || x->result != result || !has) /* another, or of another name */
        x->tag[NM_FETCH] = x->tag[NM_LOAD] = x->tag[NM_STORE] = NOWHERE;
    x->page = *pa - offset;
    x->tag[access] = page;
    x->result = (uint8_t)result;
    x->in_tlb = PC_TLB_NONE;
    if (nm_machine_apart(card->machine)) /* perhaps only now */
        pc_card_heard(card);
    return result;
}

/* Whether a store to the page has been translated, and may be done without asking again. */
static bool may_store(const struct pc_card *card, uint64_t va)
{
    uint64_t page = va >> card->page_shift;
    return card->tlb[page % PC_TLB].tag[NM_STORE] == page;
}

/* Lets the processor see an L1 place (in functional mode a page) without asking again. Never in
 * checking mode. The place is where the processor looks: virtual. Until a store has come by, the
 * line is not shown as writable: that is how it is known to be dirty. Nor is a dirty line whose
 * page has become read-only since. */
static void cache_show(struct pc_card *card, enum pc_side side, uint64_t va, uint64_t pa,
                       bool writable)
{
    if (side == PC_SIDE_D && nm_check_on(card->check))
        return;
    uint64_t low = (1ull << card->l1_shift[side]) - 1;
    const unsigned place = l1_place(card, side, va);
    card->l1[side][place] = (struct pc_line){
        .tag = (va & ~low) | (writable || side == PC_SIDE_I ? 0 : PC_LINE_READ_ONLY),
        .host = (uintptr_t)(card->image + pa) - va};
    card->l1_shown[side][place / 64] |= 1ull << place % 64;
    if (side == PC_SIDE_D && !card->functional)
        pc_tlb_shown(card, va, place);
}

void pc_card_hide_place(struct pc_card *card, enum pc_side side, unsigned place, uint64_t va,
                        uint64_t len)
{
    struct pc_line *l = &card->l1[side][place];
    if (l->tag != pc_line_none(place) && (l->tag & ~PC_LINE_READ_ONLY) - va >= len)
        return;
    l->tag = pc_line_none(place);
    card->l1_shown[side][place / 64] &= ~(1ull << place % 64);
}

void pc_card_hide(struct pc_card *card, enum pc_side side, uint64_t va, uint64_t len)
{
    unsigned words = card->l1_mask[side] / 64 + 1, first = l1_place(card, side, va) / 64;
    uint64_t more = (len - 1) >> card->l1_shift[side] >> 6;
    pc_card_unforeseen(card);
    for (unsigned i = 0; i < words && i <= more; i++) {
        unsigned word = (first + i) & (words - 1);
        for (uint64_t left = card->l1_shown[side][word]; left; left &= left - 1)
            pc_card_hide_place(card, side, 64 * word + (unsigned)__builtin_ctzll(left), va, len);
    }
}

void pc_cache_forget(struct pc_card *card)
{
    memset(card->tlb, 0xff, sizeof card->tlb);
    for (unsigned side = 0; side < PC_SIDES; side++)
        pc_card_hide(card, side, 0, NOWHERE);
}

/* The bytes of a copy that may be read: those of the image, which the line's owner writes; or, in a
 * shared copy whose invalidation is on its way, older ones. */
static uint8_t *cache_bytes_of(const struct pc_card *card, uint64_t pa)
{
    const uint64_t line = pa & ~(uint64_t)(card->p->l2_line - 1);
    const uint8_t *old = nm_stale_bytes(card->old, card->cpu.number, line);
    if (!old || cache_owned(card, PC_SIDE_D, line))
        return card->image + pa;
    return (uint8_t *)old + (pa - line); /* it is only read */
}

/* The processor has looked into the secondary cache: SCADDR showed where. */
static void looked_up(struct pc_card *card, enum pc_side side, uint64_t pa, sim_tick at)
{
    if (card->monitor.wants & MON_WANTS_ACCESSES)
        pc_monitor_access(card, MON_KIND_LOOKUP, side == PC_SIDE_D, pa, at);
}

/* It showed a primary line's quadwords, too, of which one passes every `apart` PCycles. */
static void cache_passed(struct pc_card *card, enum mon_kind kind, enum pc_side side, uint64_t pa,
                         sim_tick at, sim_tick apart)
{
    const uint64_t bytes = 1ull << card->l1_shift[side];
    if (card->monitor.wants & MON_WANTS_ACCESSES)
        pc_monitor_words(card, kind, side == PC_SIDE_D, pa & ~(bytes - 1), bytes, at, apart);
}

/* [PCycles] until the pipeline runs again, of a refill that begins at `at`. With sub-block order
 * the words asked for come first; the rest follows, and whoever needs the secondary cache waits for
 * it.
 */
static uint64_t refill_time(struct pc_card *card, enum pc_side side, sim_tick at)
{
    const struct pc_ways *way = &card->way[side];
    const sim_tick begins = sim_later(at, card->refilled);
    card->refilled = begins + way->up;
    return begins - at + way->words;
}

/* ... those of a primary line that has to make room, if it is dirty. */
static void goes_down(struct pc_card *card, enum pc_side side, unsigned place, sim_tick at)
{
    if (pc_l1_dirty(card, side, place))
        cache_passed(card, MON_KIND_VICTIM, side, pc_l1_part(card, side, place), at,
                     card->p->l1_writeback);
}

/* [PCycles] The line that makes room goes down first if it is dirty. */
static uint64_t victim_time(const struct pc_card *card, enum pc_side side, unsigned place)
{
    return pc_l1_dirty(card, side, place) ? card->way[side].down : 0;
}

/* Moves a primary line up from the secondary cache, at a cost. Behind a secondary miss the victim
 * has gone down while the bus was waited for, and the stall is still that miss's; an upgrade's
 * acknowledgement has been waited for, so what follows is a primary miss. */
static void l1_fill(struct pc_card *card, enum pc_side side, uint64_t va, uint64_t pa,
                    uint64_t line, sim_tick at)
{
    unsigned place = l1_place(card, side, va);
    uint64_t victim = victim_time(card, side, place), before = victim + card->p->l2_lookup;
    bool missed = card->filled == line;
    if (missed)
        before = 0;
    else {
        goes_down(card, side, place, at);
        looked_up(card, side, pa, at + victim);
    }
    cache_passed(card, MON_KIND_REFILL, side, pa, at + before, card->p->l2_refill);
    const uint64_t took = before + refill_time(card, side, at + before);
    pc_card_stall(card,
                  missed && card->stall == PC_ST_STALL_L2 ? PC_ST_STALL_L2 : pc_primary_stall(side),
                  took, at);
    if (card->l2[side].first)
        cache_train(&card->l2[side], pc_line_find(card, side, line));
    part_drop(card, side, place); /* the victim; what comes may not be shown (bytes_of) */
    card->l1_line[side][place] = (pa & ~((1ull << card->l1_shift[side]) - 1)) | PC_L1_PRESENT;
    if (card->copies)
        pc_misses_use(card, side, line);
    if (card->eye && side == PC_SIDE_D)
        pc_eye_raises(card, pa, took, at);
    if (side == PC_SIDE_I)
        card->truth.l1i_misses++;
    else
        card->truth.l1d_misses++;
}

/* An instruction line that is the data half's own never reaches the bus: the directory knows
 * this card as the owner already. It is copied inside the card. */
static uint8_t borrow_from_data_half(struct pc_card *card, uint64_t line)
{
    const uint64_t place = pc_line_place(card, PC_SIDE_I, line);
    uint64_t victim;
    uint8_t state;
    if (!cache_owned(card, PC_SIDE_D, line))
        return NM_LINE_I;
    if (pc_line_victim(card, PC_SIDE_I, place, line, false, &victim, &state))
        pc_line_evict(card, PC_SIDE_I, victim);
    pc_line_fill(card, PC_SIDE_I, place, line, NM_LINE_S);
    return NM_LINE_S;
}

/* Gives a line that is here the colour of an access. It may be in the primary caches under another:
 * then the operating system's handler takes it out of there first (manual p. 253). [PCycles] that
 * takes. */
static uint64_t cache_recolour(struct pc_card *card, enum pc_side half, uint64_t va, uint64_t line,
                               sim_tick at)
{
    uint8_t *colour = &card->l2[half].colour[pc_line_find(card, half, line)];
    uint8_t wanted = colour_of(card, va), had = (uint8_t) ~*colour;
    if (had == PC_COLOURLESS || had == wanted) {
        *colour = (uint8_t)~wanted;
        return 0;
    }
    parts_drop(card, half, line);
    *colour = (uint8_t)~wanted;
    card->truth.virtual_coherency++;
    return pc_card_exception(card, card->p->os_vce, at);
}

/* A non-coherent line that is here may be written: nobody is asked, it only becomes dirty. */
static uint8_t noncoherent_state(struct pc_card *card, enum pc_side side, uint64_t line, bool store)
{
    uint8_t state = raw_state(card, side, line);
    if (!(state & PC_NONCOHERENT))
        return NM_LINE_I;
    if (store)
        pc_line_fill(card, side, pc_line_place(card, side, line), line, NM_LINE_D | PC_NONCOHERENT);
    return store ? NM_LINE_D : state & (uint8_t)~PC_NONCOHERENT;
}

/* A line that is here is written, or linked by an access that wants it exclusively: what it becomes
 * if nobody need be asked, NM_LINE_I if somebody must. */
static uint8_t exclusive_state(struct pc_card *card, uint64_t line, uint8_t state, bool store)
{
    if (state == NM_LINE_E && store) {
        state = NM_LINE_D;
        pc_line_fill(card, PC_SIDE_D, pc_line_place(card, PC_SIDE_D, line), line, state);
        card->truth.silent_upgrades++;
    }
    return state == NM_LINE_D || state == NM_LINE_E ? state : NM_LINE_I;
}

/* What an access is to, as the caches see it. */
struct target {
    uint64_t va, pa;
    bool noncoherent;
    bool hidden; /* the processor must ask for each access */
};

/* Whether its primary line is in the primary cache. */
static bool has_part(const struct pc_card *card, enum pc_side side, const struct target *target)
{
    const uint64_t part = target->pa & ~((1ull << card->l1_shift[side]) - 1);
    return pc_l1_has(card, side, l1_place(card, side, target->va), part);
}

/* The secondary cache has the line with the right that is asked for: the primary one gets it.
 * @return its bytes */
static inline uint8_t *bring_up(struct pc_card *card, enum pc_side side,
                                const struct target *target, uint64_t line, bool store, sim_tick at)
{
    const uint64_t va = target->va, pa = target->pa;
    const unsigned place = l1_place(card, side, va);
    if (!has_part(card, side, target))
        l1_fill(card, side, va, pa, line, at);
    card->filled = NOWHERE;
    if (store)
        card->l1_line[side][place] |= PC_L1_DIRTY;
    uint8_t *const bytes = side == PC_SIDE_I ? card->image + pa : cache_bytes_of(card, pa);
    if (!target->hidden && bytes == card->image + pa)
        cache_show(card, side, va, pa, pc_l1_dirty(card, side, place) && may_store(card, va));
    return bytes;
}

/* The heart: makes the target readable or writable in the primary cache, or asks for it. */
static bool cache_obtain(struct pc_card *card, enum pc_side side, const struct target *target,
                         enum nm_access access, sim_tick at, enum pc_stop *stop)
{
    const uint64_t va = target->va, pa = target->pa;
    const bool noncoherent = target->noncoherent;
    bool store = cache_right(access) == NM_STORE;
    if (card->functional) {
        cache_show(card, side, va, pa, store);
        return true;
    }
    uint64_t line = pa & ~(uint64_t)(card->p->l2_line - 1);
    uint8_t state = noncoherent ? noncoherent_state(card, side, line, store)
                                : pc_line_half_state(card, side, line);
    if (side == PC_SIDE_I && state == NM_LINE_I && !noncoherent)
        state = borrow_from_data_half(card, line);
    if (card->colours && state != NM_LINE_I) {
        at += cache_recolour(card, side, va, line, at);
        if (at >= card->cpu.horizon) {
            *stop = PC_STOP_HORIZON;
            return false;
        }
    }
    bool linked = access == NM_LINKED && pc_agent_links_exclusively(card);
    if (store || linked)
        state = exclusive_state(card, line, state, store);
    if (state == NM_LINE_I) {
        *stop = PC_STOP_MISS;
        looked_up(card, side, pa, at);
        if (!has_part(card, side, target))
            goes_down(card, side, l1_place(card, side, va), at + card->p->l2_lookup);
        pc_agent_request(card, line, access,
                         noncoherent ? NM_CARD_EVENTS
                         : store     ? NM_CARD_EV_STORE
                         : linked    ? NM_CARD_EV_LINK
                                     : NM_CARD_EV_LOAD,
                         at);
        return false;
    }
    if (access == NM_STORE && pc_request_failed(card, line)) {
        card->filled = NOWHERE;
        pc_bus_error(&card->cpu, access, va, PC_FAILED_UPGRADE, stop);
        return false;
    }
    bring_up(card, side, target, line, store, at);
    return true;
}

/* Has the page in the TLB, and moves the access's tick on to when it is. Where an instruction takes
 * one PCycle there is none. */
static bool cache_mapped(struct pc_card *card, enum pc_side side, uint64_t va, sim_tick *at,
                         enum pc_stop *stop)
{
    if (card->functional)
        return true;
    *at += pc_tlb_access(card, side, va, *at);
    if (*at < card->cpu.horizon)
        return true;
    *stop = PC_STOP_HORIZON;
    return false;
}

/* Whether the byte has a line of its own (machine/apart.h): then that is the target, at an address
 * that is its physical one and stands for the virtual one, too. A line that has such bytes is
 * hidden from the processor's fast view. */
static bool is_apart(const struct pc_card *card, struct target *target)
{
    const struct nm_apart *apart = nm_machine_apart(card->machine);
    const uint64_t bytes = 1ull << card->l1_shift[PC_SIDE_D], first = target->va & ~(bytes - 1);
    if (!apart || card->functional || target->noncoherent)
        return false;
    target->hidden = nm_apart_meets(apart, first, first + bytes);
    if (!target->hidden || !nm_apart_at(apart, target->va, &target->pa))
        return false;
    target->va = target->pa;
    return true;
}

/* A recording may have to know of an access that stops. */
static inline void cache_begun(struct pc_cpu *cpu, enum nm_access access, uint64_t va,
                               unsigned size, enum pc_stop why)
{
    if (cpu->record)
        pc_record_begun(cpu, access, va, size, why);
}

/* Whether a load or a store is nothing to anybody but its own caches: nobody listens, no line has
 * been cut, and what is in a place is so without another question. */
static bool cache_unheard(const struct pc_card *card)
{
    return !card->copies && !card->eye && !(card->monitor.wants & MON_WANTS_ACCESSES) &&
           !card->functional && !card->warm.on && card->l2[PC_SIDE_D].ways == 1 &&
           !nm_machine_apart(card->machine) && !nm_check_on(card->check);
}

/* Whether somebody is told of stalls. */
static bool stalls_told(const struct pc_card *card)
{
    return card->cpu.cursor || card->cpu.record || card->pins;
}

void pc_card_heard(struct pc_card *card)
{
    card->unheard = cache_unheard(card);
    card->untold = card->unheard && !stalls_told(card);
}

/* Gives a line in a half the colour of an access, unless it has another. */
static inline bool takes_colour(const struct pc_card *card, enum pc_side half, uint64_t place,
                                uint64_t va)
{
    if (!card->colours)
        return true;
    uint8_t *colour = &card->l2[half].colour[place]; /* a complement; 0: of PC_COLOURLESS */
    const uint8_t wanted = (uint8_t)~colour_of(card, va);
    if (!*colour)
        *colour = wanted;
    return *colour == wanted;
}

/* What l1_fill does when nobody is told of accesses, but for the place itself.
 * @param dirty  the line that makes room is @param missed  the secondary cache has
 * @param untold  it is known that nobody is told of stalls, either */
static inline __attribute__((always_inline)) void fill_unheard(struct pc_card *card,
                                                               enum pc_side side, bool dirty,
                                                               bool missed, bool untold,
                                                               sim_tick at)
{
    const uint64_t before = missed ? 0 : (dirty ? card->way[side].down : 0) + card->p->l2_lookup,
                   took = before + refill_time(card, side, at + before);
    const enum pc_status state =
        missed && card->stall == PC_ST_STALL_L2 ? PC_ST_STALL_L2 : pc_primary_stall(side);
    if (dirty)
        card->truth.l1_writebacks++;
    if (side == PC_SIDE_I)
        card->truth.l1i_misses++;
    else
        card->truth.l1d_misses++;
    if (untold || card->untold)
        pc_stall_book(card, state, took, at);
    else
        pc_card_stall(card, state, took, at);
}

/* An access at hand: where its line lies. */
struct hand {
    enum pc_side side;
    uint64_t va, pa, line;
    unsigned place; /* in the primary cache */
    uint64_t in_l2;
    bool writes;                /* it is a store */
    struct pc_tlb_entry *entry; /* that translates its page */
};

static struct pc_xlate *hand_page(struct pc_card *card, uint64_t va)
{
    return &card->tlb[(va >> card->page_shift) % PC_TLB];
}

/* Whether the short way may be taken, of an access that is aligned and before the horizon: its page
 * is coherent, has been translated before, and is in the TLB. */
static inline bool hand_may(const struct pc_card *card, const struct pc_xlate *x, uint64_t va,
                            enum nm_access access)
{
    const uint64_t page = va >> card->page_shift;
    const bool may = x->tag[access] == page && x->in_tlb != PC_TLB_NONE;
    if (SIM_LOOKS_AT_INVARIANTS && may)
        SIM_MUST(cache_unheard(card) && !(card->untold && stalls_told(card)) &&
                     x->result == NM_XLATE_OK &&
                     (!card->tlb_model ||
                      pc_tlb_is(&card->tlb_entry[x->in_tlb], page >> 1, card->space.ctx)),
                 "card %u, page 0x%" PRIx64 ": somebody listens, and pc_card_heard was not called; "
                 "or the page has left the TLB",
                 card->cpu.number, page);
    return may;
}

/* Finds it, in a secondary cache of one way.
 * @return enum nm_line: what that has of the line; another number: nothing */
static inline __attribute__((always_inline)) uint64_t
hand_find(struct pc_card *card, enum pc_side side, uint64_t va, struct hand *h)
{
    const struct pc_xlate *x = hand_page(card, va);
    const struct pc_l2 *l2 = &card->l2[side];
    h->side = side;
    h->va = va;
    h->pa = x->page | (card->page_low & va);
    h->line = h->pa & card->l2_part;
    h->place = l1_place(card, side, va);
    h->in_l2 = h->line >> card->l2_shift & (l2->sets - 1);
    h->entry = &card->tlb_entry[x->in_tlb];
    /* of a line that is there they differ in all bits above the state's */
    return (l2->tag[h->in_l2] ^ h->line) + PC_STATE + 1;
}

/* Whether it may be read where the secondary cache has this of it. */
static inline bool hand_reads(uint64_t state)
{
    return state - NM_LINE_S <= NM_LINE_D - NM_LINE_S;
}

/* The processor sees the line from now on. */
static inline __attribute__((always_inline)) void hand_shows(struct pc_card *card,
                                                             const struct hand *h, bool dirty)
{
    const enum pc_side side = h->side;
    struct pc_line *const view = &card->l1[side][h->place];
    const bool writable = side == PC_SIDE_I || h->writes || (dirty && may_store(card, h->va));
    if (view->tag == 0 || view->tag == ~UINT64_C(0)) /* none, perhaps (pc_line_none) */
        card->l1_shown[side][h->place / 64] |= 1ull << h->place % 64;
    view->tag = (h->va & card->l1_part[side]) | (writable ? 0 : PC_LINE_READ_ONLY);
    view->host = (uintptr_t)(card->image + h->pa) - h->va;
    if (side == PC_SIDE_D)
        pc_tlb_shows(h->entry, h->place);
}

/* The same, unless the copy is older than the image. @param filled  it has just come up
 * @return its bytes */
static uint8_t *hand_shows_old(struct pc_card *card, const struct hand *h, bool filled, bool dirty)
{
    uint8_t *const bytes = cache_bytes_of(card, h->pa);
    if (bytes == card->image + h->pa)
        hand_shows(card, h, dirty);
    else if (filled)
        card->l1[h->side][h->place].tag = pc_line_none(h->place);
    return bytes;
}

/* The line is in the primary cache then, and shown.
 * @param plain  nobody is told of stalls, and no copy is older than the image: no call is needed
 * @param[out] bytes  of the access @return false: nothing has been done */
static inline __attribute__((always_inline)) bool
hand_up(struct pc_card *card, const struct hand *h, bool plain, sim_tick at, uint8_t **bytes)
{
    const enum pc_side side = h->side;
    uint64_t *const line = &card->l1_line[side][h->place];
    const uint64_t part = (h->pa & card->l1_part[side]) | PC_L1_PRESENT, had = *line;
    const bool fills = (had & ~(uint64_t)PC_L1_DIRTY) != part;
    if (!takes_colour(card, side, h->in_l2, h->va))
        return false;
    if (fills)
        fill_unheard(card, side, had & PC_L1_DIRTY, card->filled == h->line, plain, at);
    const uint64_t has = (fills ? part : had) | (h->writes ? PC_L1_DIRTY : 0);
    *line = has;
    card->filled = NOWHERE;
    *bytes = card->image + h->pa;
    if (!plain && side == PC_SIDE_D && *card->olds)
        *bytes = hand_shows_old(card, h, fills, has & PC_L1_DIRTY);
    else
        hand_shows(card, h, has & PC_L1_DIRTY);
    return true;
}

/* The short way of a load or a store that must look into the secondary cache and finds there what
 * it needs, of a coherent page that has been translated before. It does what data_access would do,
 * and runs of checking mode (run.check), which never come by here, hold the two together. A line
 * that is shown already is in the TLB, of the access's colour, and no older than the image: a store
 * only makes it dirty.
 * @param plain  as of hand_up @return false: nothing has been done, the long way is to be taken */
static inline __attribute__((always_inline)) bool data_at_hand(struct pc_card *card, uint64_t va,
                                                               unsigned size, bool store,
                                                               bool plain, sim_tick at,
                                                               uint8_t **bytes)
{
    struct hand h = {.writes = store};
    if (at >= card->cpu.horizon || va & (size - 1) ||
        !hand_may(card, hand_page(card, va), va, store ? NM_STORE : NM_LOAD) ||
        card->request->failed)
        return false;
    const uint64_t state = hand_find(card, PC_SIDE_D, va, &h);
    struct pc_line *const view = &card->l1[PC_SIDE_D][h.place];
    if (store ? state != NM_LINE_D : !hand_reads(state))
        return false;
    if (store && view->tag == ((va & card->l1_part[PC_SIDE_D]) | PC_LINE_READ_ONLY)) {
        card->filled = NOWHERE;
        card->l1_line[PC_SIDE_D][h.place] |= PC_L1_DIRTY;
        view->tag &= ~PC_LINE_READ_ONLY;
        *bytes = card->image + h.pa;
        return true;
    }
    return hand_up(card, &h, plain, at, bytes);
}

/* Whether that way is plain: nobody is told of anything, and no copy is older than the image. */
static inline bool hand_plain(const struct pc_card *card)
{
    return card->untold && !*card->olds;
}

/* Whether that way may be taken for a fetch. */
static inline bool fetch_may(struct pc_card *card, uint64_t va)
{
    return card->unheard && !(va & 3) && hand_may(card, hand_page(card, va), va, NM_FETCH) &&
           (!card->tlb_model ||
            pc_tlb_holds(card->tlb_model, va >> card->page_shift, card->space.ctx));
}

/* The short way of a fetch, whose line the half for instructions has. @return whether it is done */
static inline bool fetch_at_hand(struct pc_card *card, uint64_t va, sim_tick at)
{
    struct hand h = {.writes = false};
    uint8_t *bytes;
    return fetch_may(card, va) && hand_reads(hand_find(card, PC_SIDE_I, va, &h)) &&
           hand_up(card, &h, false, at, &bytes);
}

bool pc_fetch_again(struct pc_cpu *cpu, uint64_t va)
{
    struct pc_card *const card = cpu->card;
    struct hand h = {.writes = false};
    if (!fetch_may(card, va))
        return false;
    const uint64_t below = hand_find(card, PC_SIDE_I, va, &h);
    if (!pc_l1_has(card, PC_SIDE_I, h.place, h.pa & card->l1_part[PC_SIDE_I]) ||
        !takes_colour(card, PC_SIDE_I, h.in_l2, va))
        return false;
    if (SIM_LOOKS_AT_INVARIANTS)
        SIM_MUST(hand_reads(below), "card %u: line 0x%" PRIx64 " is in its primary cache alone",
                 card->cpu.number, h.line);
    card->filled = NOWHERE;
    hand_shows(card, &h, false);
    return true;
}

/* @param[out] pa  as the caches see it */
static uint8_t *data_access(struct pc_cpu *cpu, uint64_t va, unsigned size, enum nm_access access,
                            sim_tick at, enum pc_stop *stop, uint64_t *pa)
{
    struct pc_card *card = cpu->card;
    /* not where it would undo something: a line that is granted, or linked */
    if (card->eye && at < cpu->horizon && !card->functional && card->filled == NOWHERE &&
        !cpu->link)
        at = pc_eye_delays(card, at);
    if (at >= cpu->horizon) {
        *stop = PC_STOP_HORIZON;
        return NULL;
    }
    if (__builtin_expect(cpu->record != NULL, 0))
        cpu->record->tried = at;
    if (va & (size - 1))
        return cache_fault(cpu, access, va, NM_XLATE_OK, stop);
    enum nm_xlate result = cache_translate(card, cache_right(access), va, pa);
    if (!nm_xlate_found(result))
        return cache_fault(cpu, access, va, result, stop);
    bool store = cache_right(access) == NM_STORE, noncoherent = result == NM_XLATE_NONCOHERENT;
    /* [MIPS-A94]: LL of an uncached page is undefined; of a non-coherent one it is no use
     * between processors. */
    if (result != NM_XLATE_OK && (access == NM_LINKED || access == NM_CONDITIONAL))
        return pc_bus_error(cpu, access, va, 0, stop);
    if (!cache_mapped(card, PC_SIDE_D, va, &at, stop)) {
        cache_begun(cpu, access, va, size, *stop);
        return NULL;
    }
    const bool untimed = card->functional || card->warm.on;
    if (result == NM_XLATE_UNCACHED && untimed && *pa >= NM_REGISTERS)
        return pc_bus_error(cpu, access, va, 0, stop);
    if (card->copies)
        cpu->touched = &cpu->cursor->untouched;
    if (result == NM_XLATE_UNCACHED && !untimed)
        return pc_uncached_access(card, va, *pa, size, store, at, stop);
    if (result == NM_XLATE_UNCACHED && card->warm.on)
        return card->image + *pa;
    struct target target = {va, *pa, noncoherent, false};
    const bool apart = is_apart(card, &target);
    uint8_t *const image = card->image + *pa;
    *pa = target.pa;
    if (!cache_obtain(card, PC_SIDE_D, &target, access, at, stop)) {
        cache_begun(cpu, access, va, size, *stop);
        if (card->copies && *stop == PC_STOP_MISS)
            pc_misses_ask(card, target.va, target.pa, size, at);
        if (card->eye && *stop == PC_STOP_MISS)
            pc_eye_asks(card, card->request, va, target.pa, size);
        return NULL;
    }
    if (apart)
        return image;
    if (card->copies && !card->functional)
        cpu->touched = &cpu->touches[l1_place(card, PC_SIDE_D, va)];
    if (noncoherent || card->functional)
        return card->image + *pa;
    if (store) {
        nm_check_store(card->check, card->cpu.number, *pa, size, at);
        return card->image + *pa;
    }
    uint8_t *bytes = cache_bytes_of(card, *pa);
    nm_check_load(card->check, card->cpu.number, *pa, size, bytes, at);
    return bytes;
}

/* Only what was translated before, of coherent pages, without lines that have been cut. */
bool pc_served(const struct pc_cpu *cpu, uint64_t va, unsigned size, bool store)
{
    const struct pc_card *card = cpu->card;
    const uint64_t page = va >> card->page_shift, offset = va & ((1ull << card->page_shift) - 1);
    const struct pc_xlate *x = &card->tlb[page % PC_TLB];
    if (va & (size - 1) || x->tag[store ? NM_STORE : NM_LOAD] != page || x->result != NM_XLATE_OK ||
        card->functional || card->request->failed || nm_machine_apart(card->machine))
        return false;
    const uint8_t state =
        raw_state(card, PC_SIDE_D, (x->page | offset) & ~(uint64_t)(card->p->l2_line - 1));
    return state == NM_LINE_D || state == NM_LINE_E || (state == NM_LINE_S && !store);
}

/* One that is not plainly at hand. Not inline: what is takes no more registers than it needs. */
static __attribute__((noinline)) uint8_t *data_elsewhere(struct pc_cpu *cpu, uint64_t va,
                                                         unsigned size, bool store, sim_tick at,
                                                         enum pc_stop *stop)
{
    struct pc_card *card = cpu->card;
    uint8_t *bytes;
    uint64_t pa;
    if (card->unheard && !hand_plain(card) &&
        data_at_hand(card, va, size, store, false, at, &bytes))
        return bytes;
    return data_access(cpu, va, size, store ? NM_STORE : NM_LOAD, at, stop, &pa);
}

static inline __attribute__((always_inline)) uint8_t *
data_of(struct pc_cpu *cpu, uint64_t va, unsigned size, bool store, sim_tick at, enum pc_stop *stop)
{
    struct pc_card *card = cpu->card;
    uint8_t *bytes;
    if (hand_plain(card) && data_at_hand(card, va, size, store, true, at, &bytes))
        return bytes;
    return data_elsewhere(cpu, va, size, store, at, stop);
}

uint8_t *pc_load(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *stop)
{
    return data_of(cpu, va, size, false, at, stop);
}

uint8_t *pc_store(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *stop)
{
    return data_of(cpu, va, size, true, at, stop);
}

uint8_t *pc_load_linked(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                        enum pc_stop *stop)
{
    uint64_t pa;
    const sim_tick before = cpu->now;
    uint8_t *host = data_access(cpu, va, size, NM_LINKED, at, stop, &pa);
    if (host) {
        cpu->link = true;
        cpu->link_pa = pa & ~(uint64_t)(cpu->card->p->l2_line - 1);
        pc_agent_link_word(cpu->card, host, size);
        pc_agent_linked(cpu->card, cpu->link_pa, at + (cpu->now - before));
    }
    return host;
}

uint8_t *pc_store_conditional(struct pc_cpu *cpu, uint64_t va, unsigned size, sim_tick at,
                              enum pc_stop *stop, bool *failed)
{
    uint64_t pa;
    *failed = false;
    if (!cpu->link && at < cpu->horizon && !(va & (size - 1))) {
        cpu->card->filled = NOWHERE;
        pc_agent_conditional(cpu->card, true, at);
        *failed = true;
        return NULL;
    }
    uint8_t *host = data_access(cpu, va, size, NM_CONDITIONAL, at, stop, &pa);
    if (!host)
        return NULL;
    bool other = !cpu->link || cpu->link_pa != (pa & ~(uint64_t)(cpu->card->p->l2_line - 1)) ||
                 pc_agent_link_stored(cpu->card, host, size);
    cpu->link = false;
    pc_agent_conditional(cpu->card, other, at);
    *failed = other;
    return other ? NULL : host;
}

bool pc_fetch(struct pc_cpu *cpu, uint64_t va, sim_tick at, enum pc_stop *stop)
{
    struct pc_card *card = cpu->card;
    uint64_t pa;
    if (at < cpu->horizon && fetch_at_hand(card, va, at))
        return true;
    if (at >= cpu->horizon) {
        *stop = PC_STOP_HORIZON;
        return false;
    }
    if (va & 3)
        return cache_fault(cpu, NM_FETCH, va, NM_XLATE_OK, stop);
    enum nm_xlate result = cache_translate(card, NM_FETCH, va, &pa);
    if (!nm_xlate_found(result))
        return cache_fault(cpu, NM_FETCH, va, result, stop);
    if (result == NM_XLATE_UNCACHED)
        return pc_bus_error(cpu, NM_FETCH, va, 0, stop);
    if (!cache_mapped(card, PC_SIDE_I, va, &at, stop)) {
        cache_begun(cpu, NM_FETCH, va, INSTRUCTION, *stop);
        return false;
    }
    const struct target target = {va, pa, result == NM_XLATE_NONCOHERENT, false};
    if (cache_obtain(card, PC_SIDE_I, &target, NM_FETCH, at, stop))
        return true;
    cache_begun(cpu, NM_FETCH, va, INSTRUCTION, *stop);
    if (card->copies && *stop == PC_STOP_MISS)
        pc_misses_ask(card, va, pa, INSTRUCTION, at);
    return false;
}

/* ---- the same for a core that does not wait -------------------------------------------------- */

static uint64_t cache_line_of(const struct pc_card *card, uint64_t pa)
{
    return pa & ~(uint64_t)(card->p->l2_line - 1);
}

void pc_find(struct pc_cpu *cpu, uint64_t va, enum nm_access access, struct pc_look *look)
{
    look->page = (uint8_t)cache_translate(cpu->card, cache_right(access), va, &look->pa);
}

void pc_look_up(struct pc_cpu *cpu, enum pc_side side, struct pc_look *look)
{
    struct pc_card *card = cpu->card;
    const uint64_t line = cache_line_of(card, look->pa);
    const uint8_t raw = raw_state(card, side, line);
    const bool noncoherent = look->page == NM_XLATE_NONCOHERENT;
    looked_up(card, side, look->pa, cpu->now);
    if (card->copies && (raw & (uint8_t)~PC_NONCOHERENT) != NM_LINE_I)
        pc_misses_use(card, side, line);
    look->state = !(raw & PC_NONCOHERENT) == !noncoherent ? raw & (uint8_t)~PC_NONCOHERENT
                                                          : (uint8_t)NM_LINE_I;
    if (noncoherent && look->state == NM_LINE_S) /* clean; nobody need be asked for more */
        look->state = NM_LINE_E;
    if (side == PC_SIDE_I && look->state == NM_LINE_I && !noncoherent &&
        !cache_kept(card, side, pc_line_place(card, side, line)))
        look->state = borrow_from_data_half(card, line);
    look->way = 0;
    look->predicted = true;
    if (card->l2[side].first && look->state != NM_LINE_I) {
        const uint64_t place = pc_line_find(card, side, line);
        look->way = place % 2;
        look->predicted = cache_train(&card->l2[side], place);
    }
}

/* What an access asks the protocol for. */
static enum nm_card_event cache_event_of(const struct pc_card *card, enum nm_access access,
                                         bool noncoherent)
{
    if (noncoherent)
        return NM_CARD_EVENTS;
    if (cache_right(access) == NM_STORE)
        return NM_CARD_EV_STORE;
    return access == NM_LINKED && pc_agent_links_exclusively(card) ? NM_CARD_EV_LINK
                                                                   : NM_CARD_EV_LOAD;
}

enum pc_asking pc_ask(struct pc_cpu *cpu, const struct pc_look *look, enum nm_access access,
                      sim_tick at)
{
    struct pc_card *card = cpu->card;
    const enum pc_side side = access == NM_FETCH ? PC_SIDE_I : PC_SIDE_D;
    const uint64_t line = cache_line_of(card, look->pa);
    if (at >= cpu->horizon)
        nm_card_breach(cpu->number,
                       "asks for a line at tick %" PRIu64 ", horizon %" PRIu64
                       ": a core starts accesses before its horizon only (procard/core.h)",
                       at, cpu->horizon);
    if (pc_request_of(card, line))
        return PC_ASKED_LINE;
    if (cache_kept(card, side, pc_line_place(card, side, line)))
        return PC_ASKED_SET;
    if (pc_outstanding(cpu) >= pc_requests_max(card))
        return PC_ASKED_FULL;
    const struct pc_request *r = pc_agent_request(
        card, line, access, cache_event_of(card, access, look->page == NM_XLATE_NONCOHERENT), at);
    /* in warming a request is due at once, and the core goes on behind its tick all the same */
    cpu->horizon = sim_earlier(cpu->horizon, sim_later(r->due, at + 1));
    return PC_ASKED;
}

void pc_asked_for(struct pc_cpu *cpu, const struct pc_look *look, uint64_t va, unsigned size,
                  sim_tick at)
{
    struct pc_card *card = cpu->card;
    if (card->copies)
        pc_misses_ask_for(card, pc_request_of(card, cache_line_of(card, look->pa)), va, look->pa,
                          size, at);
    if (card->eye)
        pc_eye_asks(card, pc_request_of(card, cache_line_of(card, look->pa)), va, look->pa, size);
}

void pc_touched(struct pc_cpu *cpu, uint64_t pa, uint8_t bytes, bool load, bool store)
{
    if (cpu->card->copies)
        pc_misses_touch_bytes(cpu->card, pa & ~UINT64_C(7), bytes, load, store);
}

void pc_own(struct pc_cpu *cpu, const struct pc_look *look)
{
    struct pc_card *card = cpu->card;
    const uint64_t line = cache_line_of(card, look->pa);
    if (look->page == NM_XLATE_NONCOHERENT)
        noncoherent_state(card, PC_SIDE_D, line, true);
    else
        exclusive_state(card, line, pc_line_half_state(card, PC_SIDE_D, line), true);
}

/* What the half for data has of a line that is read or written must allow that. */
static void must_have(const struct pc_card *card, const struct pc_look *look, bool store,
                      sim_tick at)
{
    const uint8_t state =
        raw_state(card, PC_SIDE_D, cache_line_of(card, look->pa)) & (uint8_t)~PC_NONCOHERENT;
    SIM_MUST(store ? state == NM_LINE_D : state != NM_LINE_I,
             "card %u at %" PRIu64 ": 0x%" PRIx64 " is in state %s"
             ": a core reads and writes lines that it has (procard/core.h)",
             card->cpu.number, at, look->pa, pc_state_name(card, state));
}

const uint8_t *pc_read(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at)
{
    struct pc_card *card = cpu->card;
    if (SIM_LOOKS_AT_INVARIANTS)
        must_have(card, look, false, at);
    if (look->page == NM_XLATE_NONCOHERENT)
        return card->image + look->pa;
    const uint8_t *bytes = cache_bytes_of(card, look->pa);
    nm_check_load(card->check, cpu->number, look->pa, size, bytes, at);
    return bytes;
}

uint8_t *pc_write(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at)
{
    struct pc_card *card = cpu->card;
    if (SIM_LOOKS_AT_INVARIANTS)
        must_have(card, look, true, at);
    if (look->page != NM_XLATE_NONCOHERENT)
        nm_check_store(card->check, cpu->number, look->pa, size, at);
    return card->image + look->pa;
}

uint8_t *pc_show(struct pc_cpu *cpu, const struct pc_look *look)
{
    struct pc_card *card = cpu->card;
    if (nm_check_on(card->check) || cache_bytes_of(card, look->pa) != card->image + look->pa)
        return NULL;
    return card->image + look->pa;
}

const uint8_t *pc_settle_access(struct pc_cpu *cpu, const struct pc_look *look, unsigned size,
                                const uint8_t *bytes)
{
    struct pc_card *card = cpu->card;
    if (bytes) {
        memcpy(card->image + look->pa, bytes, size);
        nm_machine_os_wrote(card->machine, look->pa, size);
    }
    return card->image + look->pa;
}

void pc_link(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at)
{
    struct pc_card *card = cpu->card;
    cpu->link = true;
    cpu->link_pa = cache_line_of(card, look->pa);
    pc_agent_link_word(card, card->image + look->pa, size);
    pc_agent_linked(card, cpu->link_pa, at);
}

bool pc_links_exclusively(const struct pc_cpu *cpu)
{
    return pc_agent_links_exclusively(cpu->card);
}

bool pc_conditional(struct pc_cpu *cpu, const struct pc_look *look, unsigned size, sim_tick at)
{
    struct pc_card *card = cpu->card;
    const bool failed = !cpu->link || cpu->link_pa != cache_line_of(card, look->pa) ||
                        pc_agent_link_stored(card, card->image + look->pa, size);
    cpu->link = false;
    pc_agent_conditional(card, failed, at);
    return !failed;
}

unsigned pc_outstanding(const struct pc_cpu *cpu)
{
    return (unsigned)__builtin_popcount(cpu->card->outstanding);
}

unsigned pc_under_way(const struct pc_cpu *cpu)
{
    const struct pc_card *card = cpu->card;
    unsigned sent = 0;
    for (unsigned left = card->outstanding; left; left &= left - 1)
        sent += card->request[__builtin_ctz(left)].sent;
    return sent;
}
