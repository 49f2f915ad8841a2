/*
 * What cards tell models of detectors.
 *
 * The hard idea is where an access was served. What tells of accesses (record.h) does not know of
 * misses, so each card keeps what has come for its line since its last access, and the access that
 * needed it takes it. Whether another cache had written a line that it gives away is known when it
 * gives it, before the other card has it.
 */
#include "procard/eye.h"

#include "base/alloc.h"
#include "machine/params.h"
#include "procard/card.h"

#include <uthash.h>

/** What is asked for: a row for each request of a card. */
struct eye_asked {
    uint64_t va, pa;
    unsigned size;
};

/** A card's share. */
struct pc_eye {
    struct pc_eyes *eyes;
    struct eye_asked asked[PC_REQUESTS];
    uint64_t line; /* of which the following is */
    enum det_served served;
    uint64_t latency;
    uint64_t from, to; /* the page of the last access, virtual and physical; PC_NOWHERE: none */
    uint64_t owed;     /* [PCycles] that the processor is still to spend for models */
};

/** How a line was when its last owner gave it away. */
struct eye_line {
    uint64_t line;
    bool dirty;
    UT_hash_handle hh;
};

struct pc_eyes {
    struct nm_machine *m;
    struct det_desk *desk;
    struct pc_eye *eye; /* [cards] */
    struct eye_line *lines;
    uint64_t line, part, page;  /* [bytes] less one, of all cards */
    struct pc_records *records; /* NULL: nobody hears of accesses */
};

static struct pc_card *eye_card_at(const struct pc_eyes *eyes, unsigned card)
{
    return pc_card_of(nm_machine_card(eyes->m, card));
}

static uint64_t eye_line_of(const struct pc_card *card, uint64_t pa)
{
    return pa & ~(uint64_t)(nm_value_l2_line(card->p) - 1);
}

static uint64_t eye_part_of(const struct pc_card *card, uint64_t pa)
{
    return pa & ~(uint64_t)(nm_value_l1d_line(card->p) - 1);
}

static void eye_tell(const struct pc_card *card, enum det_event_kind kind,
                     const struct det_event *event)
{
    det_desk_tell(card->eye->eyes->desk, kind, event);
}

static bool eye_is_asleep(const struct pc_card *card, enum det_event_kind kind)
{
    return !det_desk_hears(card->eye->eyes->desk, kind);
}

/* ---- requests -------------------------------------------------------------------------------- */

static bool eye_stores(const struct pc_request *r)
{
    return r->access == NM_STORE || r->access == NM_CONDITIONAL;
}

static struct det_event eye_event_of(const struct pc_card *card, const struct pc_request *r,
                                     sim_tick now)
{
    const struct eye_asked *asked = &card->eye->asked[r - card->request];
    return (struct det_event){.card = card->cpu.number,
                              .at = now,
                              .line = r->line,
                              .part = eye_part_of(card, asked->pa),
                              .thread = card->cpu.tries.thread,
                              .pc = pc_core_pc(card),
                              .va = asked->va,
                              .pa = asked->pa,
                              .bytes = asked->size,
                              .store = eye_stores(r)};
}

void pc_eye_asks(struct pc_card *card, const struct pc_request *r, uint64_t va, uint64_t pa,
                 unsigned size)
{
    /* a core that asks ahead of a store names no bytes */
    card->eye->asked[r - card->request] = (struct eye_asked){va, pa, size ? size : 1};
}

void pc_eye_issues(struct pc_card *card, const struct pc_request *r, sim_tick now)
{
    if (pc_side_of(r) != PC_SIDE_D || eye_is_asleep(card, DET_EVENT_asked))
        return;
    const struct det_event event = eye_event_of(card, r, now);
    eye_tell(card, DET_EVENT_asked, &event);
}

/* Where the data came from that `in` has brought. */
static enum det_served eye_served(const struct pc_card *card, const struct pc_request *r,
                                  const struct nm_packet *in)
{
    struct eye_line *line;
    if (pc_is_noncoherent(r))
        return DET_SERVED_MEMORY;
    if (in->info & NM_INFO_VALID)
        return in->info & NM_INFO_NC_HIT ? DET_SERVED_NETWORK : DET_SERVED_MEMORY;
    HASH_FIND(hh, card->eye->eyes->lines, &r->line, sizeof r->line, line);
    return line && line->dirty ? DET_SERVED_DIRTY : DET_SERVED_CLEAN;
}

void pc_eye_has(struct pc_card *card, const struct pc_request *r, const struct nm_packet *in,
                sim_tick now)
{
    struct pc_eye *eye = card->eye;
    const bool data = nm_message_row(in->message)->has_data;
    if (pc_side_of(r) != PC_SIDE_D)
        return;
    eye->served = data ? eye_served(card, r, in) : DET_SERVED_PRIMARY;
    eye->latency = now - r->asked;
    eye->line = r->line;
    const enum det_event_kind kind = data ? DET_EVENT_filled : DET_EVENT_upgraded;
    if (eye_is_asleep(card, kind))
        return;
    struct det_event event = eye_event_of(card, r, now);
    event.served = eye->served;
    event.latency = eye->latency;
    eye_tell(card, kind, &event);
}

/* ---- copies that go -------------------------------------------------------------------------- */

static bool eye_is_alone(uint8_t state)
{
    return state == NM_LINE_E || state == NM_LINE_D;
}

/* The line's owner gives it to another card. */
static void eye_given(struct pc_eyes *eyes, uint64_t at, bool dirty)
{
    struct eye_line *line;
    if (!det_desk_sees(eyes->desk, DET_SEES_SERVED))
        return;
    HASH_FIND(hh, eyes->lines, &at, sizeof at, line);
    if (!line) {
        line = sim_alloc(1, sizeof *line);
        line->line = at;
        HASH_ADD(hh, eyes->lines, line, sizeof line->line, line);
    }
    line->dirty = dirty;
}

static void eye_goes(struct pc_card *card, enum det_event_kind kind, uint64_t line, bool dirty,
                     sim_tick now)
{
    const struct det_event event = {
        .card = card->cpu.number, .at = now, .line = line, .dirty = dirty};
    if (!eye_is_asleep(card, kind))
        eye_tell(card, kind, &event);
}

void pc_eye_loses(struct pc_card *card, uint64_t line, uint8_t state, bool taken, sim_tick now)
{
    if (taken && eye_is_alone(state))
        eye_given(card->eye->eyes, line, state == NM_LINE_D);
    eye_goes(card, taken ? DET_EVENT_taken : DET_EVENT_evicted, line, state == NM_LINE_D, now);
}

void pc_eye_shares(struct pc_card *card, uint64_t line, uint8_t state, sim_tick now)
{
    eye_given(card->eye->eyes, line, state == NM_LINE_D);
    eye_goes(card, DET_EVENT_shared, line, state == NM_LINE_D, now);
}

/* ---- the primary data cache ------------------------------------------------------------------ */

void pc_eye_raises(struct pc_card *card, uint64_t pa, uint64_t took, sim_tick at)
{
    struct pc_eye *eye = card->eye;
    const uint64_t line = eye_line_of(card, pa);
    if (eye->line != line) {
        eye->line = line;
        eye->served = DET_SERVED_PRIMARY;
        eye->latency = 0;
    }
    if (eye->served == DET_SERVED_PRIMARY)
        eye->served = DET_SERVED_SECONDARY;
    eye->latency += took;
    if (eye_is_asleep(card, DET_EVENT_raised))
        return;
    const struct det_event event = {.card = card->cpu.number,
                                    .at = at,
                                    .line = line,
                                    .part = eye_part_of(card, pa),
                                    .thread = card->cpu.tries.thread,
                                    .latency = took};
    eye_tell(card, DET_EVENT_raised, &event);
}

void pc_eye_drops(struct pc_card *card, uint64_t part, sim_tick at)
{
    const struct det_event event = {
        .card = card->cpu.number, .at = at, .line = eye_line_of(card, part), .part = part};
    if (!eye_is_asleep(card, DET_EVENT_dropped))
        eye_tell(card, DET_EVENT_dropped, &event);
}

/* ---- accesses -------------------------------------------------------------------------------- */

/* Where an access has been made. @return PC_NOWHERE: past the caches */
static uint64_t eye_find(struct pc_cpu *cpu, struct pc_eye *eye, uint64_t va, bool store)
{
    struct pc_look look;
    const uint64_t in = va & eye->eyes->page;
    if (va - in == eye->from)
        return eye->to + in;
    pc_find(cpu, va, store ? NM_STORE : NM_LOAD, &look);
    if (look.page != NM_XLATE_OK && look.page != NM_XLATE_NONCOHERENT)
        return PC_NOWHERE;
    eye->from = va - in;
    eye->to = look.pa - in;
    return look.pa;
}

static void eye_unmapped(void *ctx, uint64_t va, uint64_t len)
{
    struct pc_eyes *eyes = ctx;
    (void)va, (void)len;
    for (unsigned i = 0; i < nm_machine_cards(eyes->m); i++)
        eyes->eye[i].from = PC_NOWHERE;
}

static void eye_accessed(void *ctx, struct pc_cpu *cpu, enum pc_recorded_kind kind, uint64_t pc,
                         uint64_t va, unsigned size, sim_tick at)
{
    const struct pc_eyes *eyes = ctx;
    struct pc_eye *eye = &eyes->eye[cpu->number];
    const bool store = kind == PC_RECORDED_STORE || kind == PC_RECORDED_SC;
    const uint64_t pa = eye_find(cpu, eye, va, store);
    if (pa == PC_NOWHERE)
        return;
    struct det_event event = {.card = cpu->number,
                              .at = at,
                              .line = pa & ~eyes->line,
                              .part = pa & ~eyes->part,
                              .thread = cpu->tries.thread,
                              .pc = pc,
                              .va = va,
                              .pa = pa,
                              .bytes = size,
                              .store = store,
                              .atomic = kind == PC_RECORDED_LL || kind == PC_RECORDED_SC,
                              .served = DET_SERVED_PRIMARY,
                              .latency = 1};
    if (eye->line == event.line) {
        event.served = eye->served;
        event.latency += eye->latency;
        eye->line = PC_NOWHERE;
    }
    det_desk_tell(eyes->desk, DET_EVENT_access, &event);
}

/* ---- what models cost ------------------------------------------------------------------------ */

static void eye_charged(void *ctx, unsigned card, uint64_t pcycles)
{
    ((struct pc_eyes *)ctx)->eye[card].owed += pcycles;
}

sim_tick pc_eye_delays(struct pc_card *card, sim_tick at)
{
    const uint64_t owed = card->eye->owed;
    card->eye->owed = 0;
    if (!owed)
        return at;
    const sim_tick delay = pc_card_exception(card, owed, at);
    nm_machine_delayed(card->eye->eyes->m, card->cpu.number, delay);
    return at + delay;
}

bool pc_eyes_charge(struct pc_eyes *eyes)
{
    for (unsigned i = 0; i < nm_machine_cards(eyes->m); i++)
        if (eye_card_at(eyes, i)->core->requests)
            return false;
    det_desk_charge(eyes->desk, eye_charged, eyes);
    return true;
}

/* ---- beginning and end ----------------------------------------------------------------------- */

enum { EYE_ADDRESS = 40 /* [bits] of a physical address (docs/machine.md) */ };

void pc_eyes_machine(const struct nm_params *p, struct det_machine *out)
{
    const uint64_t half = nm_value_l2_split(p) ? nm_value_l2_size(p) / 2 : nm_value_l2_size(p);
    *out = (struct det_machine){
        .cards = (unsigned)(nm_params_stations(p) * nm_value_processors(p)),
        .stations = (unsigned)nm_params_stations(p),
        .memory = nm_value_memory_size(p),
        .line = (unsigned)nm_value_l2_line(p),
        .part = (unsigned)nm_value_l1d_line(p),
        .primary = (unsigned)(nm_value_l1d_size(p) / nm_value_l1d_line(p)),
        .secondary = (unsigned)(half / nm_value_l2_line(p)),
        .page = (unsigned)nm_value_page_size(p),
        .address = EYE_ADDRESS,
    };
}

/* Has the cards tell of accesses. @return false: they cannot */
static bool eyes_follow(struct pc_eyes *eyes)
{
    const unsigned leaves = det_desk_leaves(eyes->desk);
    const struct pc_record_listener listener = {
        .ctx = eyes,
        .unmapped = eye_unmapped,
        .each = eye_accessed,
        .leaves_loads = leaves & DET_LEAVES_LOADS,
        .repeats = leaves & DET_LEAVES_REPEATS ? eyes->line + 1 : 0};
    eyes->records = pc_record_follow(eyes->m, &listener);
    return eyes->records != NULL;
}

static void eyes_told(void *ctx, sim_tick now)
{
    det_desk_told(((struct pc_eyes *)ctx)->desk, now);
}

struct pc_eyes *pc_eyes_open(struct nm_machine *m, struct det_desk *desk)
{
    const unsigned cards = nm_machine_cards(m);
    struct pc_eyes *eyes = sim_alloc(1, sizeof *eyes);
    bool can = true;
    eyes->m = m;
    eyes->desk = desk;
    const struct nm_params *p = eye_card_at(eyes, 0)->p;
    eyes->line = nm_value_l2_line(p) - 1;
    eyes->part = nm_value_l1d_line(p) - 1;
    eyes->page = nm_value_page_size(p) - 1;
    for (unsigned i = 0; i < cards; i++)
        can = can && !eye_card_at(eyes, i)->functional;
    if (can && det_desk_hears(desk, DET_EVENT_access))
        can = eyes_follow(eyes);
    if (!can) {
        free(eyes);
        return NULL;
    }
    nm_machine_in_turn(m);
    nm_machine_each_window(m, eyes_told, eyes);
    eyes->eye = sim_alloc(cards, sizeof *eyes->eye);
    for (unsigned i = 0; i < cards; i++) {
        eyes->eye[i].eyes = eyes;
        eyes->eye[i].line = eyes->eye[i].from = PC_NOWHERE;
        eye_card_at(eyes, i)->eye = &eyes->eye[i];
        pc_card_heard(eye_card_at(eyes, i));
    }
    return eyes;
}

void pc_eyes_close(struct pc_eyes *eyes)
{
    struct eye_line *line, *next;
    if (!eyes)
        return;
    for (unsigned i = 0; i < nm_machine_cards(eyes->m); i++)
        eye_card_at(eyes, i)->eye = NULL;
    nm_machine_each_window(eyes->m, NULL, NULL);
    HASH_ITER(hh, eyes->lines, line, next) {
        HASH_DEL(eyes->lines, line);
        free(line);
    }
    pc_record_end(eyes->records);
    free(eyes->eye);
    free(eyes);
}
