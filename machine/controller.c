/*
 * The master controller: directory SRAM and DRAM are looked up in parallel and meet here (TR,
 * memory module; the network cache is built the same way).
 *
 * The hard idea is order. The controller takes one message per directory time, while line accesses
 * of several messages overlap in the banks. But sinkable answers leave in the order in which the
 * messages were taken; otherwise an invalidation could overtake data that were sent before it.
 *
 * The controller must never stop taking sinkable messages, whatever is stuck. A ring that cannot
 * deliver them halts, and nothing that waits for the ring would ever leave. So only nonsinkable
 * messages wait for room among the answers. Interventions and requests that find no room on their
 * way out wait in a place of their own, behind the answers that came before them. Until that place
 * is empty, messages that might add to it are refused (NACK), not kept waiting. Then every FIFO
 * empties whatever the others do, and no circle of full FIFOs can close.
 *
 * A refused request comes again, and would need luck for ever. So a request has a rank, the time at
 * which it was first made, and so have the messages sent because of it. A directory that has
 * refused a request often keeps its next turn for that request, unless an older one comes
 * (nm_controller_has_turn). The oldest request of the machine goes first everywhere, then the next.
 * (The number of refusals would not do: a message on its way gets none, while a card nearby gets
 * many.) A request may never come back, because it was given up or served in another way. So its
 * turn is kept only for as long as it has waited. Sooner or later that is longer than its way back.
 */
#include "machine/controller.h"

#include "base/alloc.h"
#include "machine/values.h"

#include <stdlib.h>

void nm_controller_init(struct nm_controller *c, const struct nm_params *p,
                        const struct nm_backing *contents)
{
    c->line_shift = (unsigned)__builtin_ctzll(p->l2_line);
    c->patience = (unsigned)p->directory_patience;
    c->plain = p->check;
    c->turn = NM_TURN * nm_params_slowest(p);
    c->selects.from = p->histogram_from;
    c->selects.length = p->histogram_length;
    c->timing.refresh = p->memory_refresh * c->cycle;
    c->timing.refresh_time = p->memory_refresh_time * c->cycle;
    c->check = contents->check;
    c->stale = contents->stale;
    c->due = SIM_NEVER;
    c->bank_free = sim_room_take(contents->parts, c->timing.banks * sizeof *c->bank_free);
    c->bank_refreshed = sim_room_take(contents->parts, c->timing.banks * sizeof *c->bank_refreshed);
    c->table = c->place.protocol->agent[c->agent];
    c->seen = sim_room_take(contents->parts, c->table->states * sizeof *c->seen);
    c->refusals = sim_room_take(contents->parts, c->table->states * sizeof *c->refusals);
    for (unsigned state = 0; !c->plain && state < c->table->states; state++)
        c->refusals[state] = nm_dir_refusals(c->table, (uint8_t)state);
}

void nm_controller_release(struct nm_controller *c)
{
    free(c->stage);
    free(c->late);
}

/* The books of the first two banks. What a bank has been given to do beyond `start` leaves no gap,
 * so it overlaps from there to its end. */
static void count_bank(struct nm_controller *c, unsigned number, sim_tick start, sim_tick end)
{
    if (number > 1)
        return;
    c->bank_busy[number] += end - start;
    if (c->timing.banks < 2 || c->bank_free[!number] <= start)
        return;
    sim_tick other = c->bank_free[!number];
    c->banks_busy += (other < end ? other : end) - start;
}

/* When a bank that could begin an access at `start` does so. The last refresh that was due by then
 * began on its date or when the bank was free; nobody has looked at the bank since, so nothing had
 * to happen on that date. Banks are refreshed in turn. */
static sim_tick behind_refresh(struct nm_controller *c, unsigned number, sim_tick start)
{
    const sim_tick period = c->timing.refresh;
    if (!period)
        return start;
    const sim_tick phase = period * number / c->timing.banks;
    const uint64_t last = (start + period - phase) / period;
    if (last == 0 || last == c->bank_refreshed[number])
        return start;
    const sim_tick due = (last - 1) * period + phase, free = c->bank_free[number];
    const sim_tick end = (free > due ? free : due) + c->timing.refresh_time;
    c->bank_refreshed[number] = last;
    return end > start ? end : start;
}

/* Starts a line access in its bank; returns when the data are there. A refresh it waits for counts
 * as the bank's work. */
static sim_tick access_dram(struct nm_controller *c, uint64_t line, sim_tick now)
{
    const unsigned number = (unsigned)((line >> c->line_shift) % c->timing.banks);
    sim_tick *bank = &c->bank_free[number];
    const sim_tick from = *bank > now ? *bank : now, start = behind_refresh(c, number, from);
    *bank = start + c->timing.dram + c->timing.recovery;
    count_bank(c, number, from, *bank);
    return start + c->timing.dram;
}

static void occupy(struct nm_controller *c, sim_tick from, sim_tick to)
{
    if (from < c->busy_until)
        from = c->busy_until;
    if (to <= from)
        return;
    c->busy += to - from;
    c->busy_until = to;
}

uint64_t nm_controller_busy(const struct nm_controller *c, sim_tick now)
{
    sim_tick left = c->busy_until > now ? c->busy_until - now : 0;
    return (c->busy - left) / c->cycle;
}

static sim_tick beyond(sim_tick end, sim_tick now)
{
    return end > now ? end - now : 0;
}

struct nm_banks_busy nm_controller_banks_busy(const struct nm_controller *c, sim_tick now)
{
    const sim_tick first = beyond(c->bank_free[0], now);
    const sim_tick second = c->timing.banks > 1 ? beyond(c->bank_free[1], now) : 0;
    return (struct nm_banks_busy){
        .first = (c->bank_busy[0] - first) / c->cycle,
        .second = (c->bank_busy[1] - second) / c->cycle,
        .both = (c->banks_busy - (first < second ? first : second)) / c->cycle,
    };
}

/* @return false: there is no room yet */
static inline bool controller_put(const struct nm_controller *c, const struct nm_packet *p,
                                  enum nm_class class, sim_tick now)
{
    return p->route && c->to_ring ? c->to_ring(c->owner, p, now)
                                  : nm_controller_to_bus(c, p, class);
}

/* Those in the place of their own. @return when the first that stays is ready */
static __attribute__((noinline)) sim_tick send_late(struct nm_controller *c, sim_tick now)
{
    sim_tick due = SIM_NEVER;
    unsigned kept = 0;
    for (unsigned i = 0; i < c->late_count; i++) {
        const struct nm_answer *a = &c->late[i];
        if (a->behind > c->sent || a->ready > now ||
            !controller_put(c, &a->packet, NM_NONSINKABLE, now)) {
            due = sim_earlier(due, a->ready);
            c->late[kept++] = *a;
        }
    }
    c->late_count = kept;
    return due;
}

void nm_controller_send_ready(struct nm_controller *c, sim_tick now)
{
    while (c->staged.count && c->stage[c->staged.head].ready <= now &&
           controller_put(c, &c->stage[c->staged.head].packet, NM_SINKABLE, now)) {
        sim_queue_pop(&c->staged);
        c->sent++;
    }
    c->due = c->staged.count ? c->stage[c->staged.head].ready : SIM_NEVER;
    if (c->late_count)
        c->due = sim_earlier(c->due, send_late(c, now));
}

sim_tick nm_controller_ready_after(const struct nm_controller *c, sim_tick now)
{
    sim_tick next = SIM_NEVER;
    if (c->staged.count && c->stage[c->staged.head].ready > now)
        next = c->stage[c->staged.head].ready;
    for (unsigned i = 0; i < c->late_count; i++)
        if (c->late[i].ready > now && c->late[i].ready < next)
            next = c->late[i].ready;
    return next;
}

/* The place of a sinkable answer, in order behind those before it; its packet is the caller's to
 * write. Precondition: there is one (make_place). */
static inline struct nm_packet *stage(struct nm_controller *c, sim_tick ready)
{
    c->last_out = sim_later(ready, c->last_out);
    c->due = sim_earlier(c->due, c->last_out);
    struct nm_answer *a = &c->stage[sim_queue_push(&c->staged)];
    a->ready = c->last_out;
    return &a->packet;
}

static void make_place(struct nm_controller *c)
{
    if (sim_queue_full(&c->staged))
        c->stage = sim_queue_grow(&c->staged, c->stage, sizeof *c->stage);
}

void nm_controller_send(struct nm_controller *c, struct nm_packet *p, sim_tick ready)
{
    p->source = c->module;
    if (nm_message_row(p->message)->class == NM_SINKABLE) {
        make_place(c);
        *stage(c, ready) = *p;
        return;
    }
    if (c->late_count == c->late_size) {
        c->late_size = c->late_size ? 2 * c->late_size : NM_STAGE;
        c->late = sim_grow(c->late, c->late_size, sizeof *c->late);
    }
    c->late[c->late_count++] = (struct nm_answer){*p, ready, c->sent + c->staged.count};
    c->due = sim_earlier(c->due, ready);
}

void nm_controller_answer(struct nm_controller *c, const struct nm_packet *in,
                          enum nm_message message, sim_tick ready)
{
    struct nm_packet p = *in;
    const bool here = p.station == c->place.station;
    p.message = message;
    p.route = here ? 0 : ring_mask_station(c->place.rings, p.station);
    p.targets = (uint8_t)(here ? 1u << p.requester : 1u << NM_MODULE_NETWORK);
    nm_controller_send(c, &p, ready);
}

sim_tick nm_controller_access(struct nm_controller *c, uint64_t line, sim_tick now)
{
    sim_tick ready = now + c->timing.directory, data = access_dram(c, line, now);
    if (data > ready)
        ready = data;
    occupy(c, now, ready);
    c->free_at = now + c->timing.directory;
    return ready;
}

static bool is_request(const struct nm_packet *in)
{
    return nm_is_read(in->message) || in->message == NM_MSG_SPECIAL_RD;
}

/* Gives a message its line, and what it says of the directory. */
static void inherit(struct nm_packet *p, const struct nm_packet *in, uint8_t info)
{
    p->line = in->line;
    p->phase = in->phase;
    p->age = in->age;
    p->rank = in->rank;
    p->info = info;
}

/* The same and, in checking mode, its bytes: from the DRAM if that was read, else those that came
 * in. */
static void carry(struct nm_controller *c, struct nm_packet *p, const struct nm_packet *in,
                  uint8_t info, uint64_t actions)
{
    inherit(p, in, info);
    if (nm_message_row(p->message)->has_data) {
        if (actions & NM_DIR_ACT_READ || in->data < 0)
            p->data = nm_check_from(c->check, c->copy, in->line);
        else
            nm_check_share(c->check, p->data = in->data);
    }
    if (p->message == NM_MSG_INVALIDATE)
        nm_stale_sent(c->stale, &c->place, p);
}

/* Time and data of a transition, then what it sends. */
static void perform(struct nm_controller *c, const struct nm_packet *in, uint8_t info,
                    struct nm_sends *out, uint64_t actions, sim_tick now)
{
    if (actions & NM_DIR_ACT_WRITE)
        nm_check_to(c->check, c->copy, in->line, in->data);
    sim_tick ready = now + c->timing.directory;
    if (actions & (NM_DIR_ACT_READ | NM_DIR_ACT_WRITE)) {
        sim_tick data = access_dram(c, in->line, now);
        if (data > ready)
            ready = data;
    }
    occupy(c, now, ready);
    c->free_at = now + c->timing.directory;
    for (unsigned i = 0; i < out->count; i++) {
        carry(c, &out->packet[i], in, info, actions);
        nm_controller_send(c, &out->packet[i], ready);
    }
}

/* A nonsinkable message may need a nonsinkable one sent. Not those that end what has a line locked.
 */
static bool refusable(const struct nm_packet *in)
{
    return nm_message_row(in->message)->class == NM_NONSINKABLE &&
           in->message != NM_MSG_SPECIAL_RD && in->message != NM_MSG_SF_OWN;
}

/* Whether the request that a message stands for, which is refused now, has been so often, and the
 * next turn is not kept for an older one. */
static bool has_next_turn(const struct nm_controller *c, const struct nm_packet *in, sim_tick now)
{
    return nm_controller_impatient(c, in) && (now >= c->oldest.until || in->rank <= c->oldest.rank);
}

/* The next turn is kept for it. */
static __attribute__((noinline)) void keep_turn(struct nm_controller *c, struct nm_refused who,
                                                sim_tick now)
{
    c->oldest = who;
    c->oldest.until = nm_rank_until(who.rank, now, c->turn);
}

/* The requester's card, where a directory knows it. */
static uint8_t card_of(const struct nm_controller *c, const struct nm_packet *in, bool from_network)
{
    return from_network && !c->place.protocol->direct ? NM_NO_CARD : in->requester;
}

static struct nm_refused sender(const struct nm_controller *c, const struct nm_packet *in,
                                bool from_network)
{
    return (struct nm_refused){.rank = in->rank,
                               .from_network = from_network,
                               .card = card_of(c, in, from_network),
                               .station = in->station,
                               .line = in->line};
}

/* Whom a refusal that answers `in` is for: its sender, or the requester for whom the line was
 * locked. */
static void refused_by_table(struct nm_controller *c, const struct nm_dir_line *before,
                             const struct nm_packet *in, bool from_network, uint64_t actions,
                             sim_tick now)
{
    static const uint64_t IT = NM_DIR_ACT_NACK | NM_DIR_ACT_N_NACK | NM_DIR_ACT_N_INTV_NACK,
                          HELD = NM_DIR_ACT_NACK_HELD | NM_DIR_ACT_REFUSE_HELD;
    if (!(actions & (IT | HELD)) || !has_next_turn(c, in, now))
        return;
    struct nm_refused who = sender(c, in, from_network);
    if (actions & HELD) {
        who.from_network = before->held_station != c->place.station;
        who.station = before->held_station;
        who.card = before->held_card;
    }
    keep_turn(c, who, now);
}

/* A request needs its line's place, an intervention only its line. */
static bool in_the_way(const struct nm_controller *c, const struct nm_packet *in)
{
    const uint64_t apart = (in->line ^ c->oldest.line) >> c->line_shift;
    return c->oldest.for_room ||
           (nm_is_intervention(in->message) ? !apart : !(apart & (c->places - 1)));
}

/* Of interventions for one line there is only one at a time. */
static bool is_oldest(const struct nm_controller *c, const struct nm_packet *in, bool from_network)
{
    const struct nm_refused *o = &c->oldest;
    return o->line == in->line && o->from_network == from_network &&
           o->card == card_of(c, in, from_network) &&
           (nm_is_intervention(in->message) || o->station == in->station);
}

bool nm_controller_goes_first(struct nm_controller *c, const struct nm_packet *in,
                              bool from_network)
{
    if (!refusable(in) || !in_the_way(c, in))
        return true;
    if (!is_oldest(c, in, from_network) && in->rank > c->oldest.rank)
        return false;
    c->oldest.until = 0;
    return true;
}

/* Tells who listens of a row. @param line  its entry now
 * @param in  what came; NULL: nothing did, the place is needed of a line at `address` */
static __attribute__((noinline)) void tell_row(const struct nm_controller *c,
                                               const struct nm_dir_line *before,
                                               const struct nm_dir_line *line,
                                               const struct nm_packet *in, bool from_network,
                                               uint64_t address, sim_tick now)
{
    const unsigned event = nm_dir_event_of(c->agent, &c->place, before, in, from_network);
    const struct nm_said said = {.kind = NM_SAID_ROW,
                                 .at = now,
                                 .station = c->place.station,
                                 .line = address,
                                 .packet = in,
                                 .agent = c->agent,
                                 .before = before->state,
                                 .event = (uint8_t)event,
                                 .after = line->state,
                                 .cards = line->cards,
                                 .stations = line->stations};
    nm_say(c->ear, &said);
}

/* The answer is no: it takes a look into the directory, and no data.
 * @return its place, where it is to be written. Precondition: make_place */
static inline struct nm_packet *say_no(struct nm_controller *c, sim_tick now)
{
    c->free_at = now + c->timing.directory;
    occupy(c, now, c->free_at);
    return stage(c, c->free_at);
}

static void refuse_message(struct nm_controller *c, const struct nm_packet *in, bool from_network,
                           uint8_t info, sim_tick now)
{
    make_place(c);
    struct nm_packet *no = say_no(c, now);
    nm_dir_refusal(&c->place, in, from_network, info, no);
    no->source = c->module;
}

/* Says no without looking: to a request, or to another station's intervention. */
void nm_controller_refuse(struct nm_controller *c, const struct nm_packet *in, bool from_network,
                          enum nm_refusal why, sim_tick now)
{
    if (has_next_turn(c, in, now)) {
        struct nm_refused who = sender(c, in, from_network);
        who.for_room = why == NM_NO_ROOM;
        keep_turn(c, who, now);
    }
    c->refused++;
    c->no_room += why != NM_NO_TURN;
    if (c->ear)
        nm_say(c->ear, &(struct nm_said){.kind = NM_SAID_REFUSED,
                                         .at = now,
                                         .station = c->place.station,
                                         .line = in->line,
                                         .packet = in,
                                         .agent = c->agent});
    refuse_message(c, in, from_network, why == NM_NO_TURN ? NM_INFO_NO_TURN : NM_INFO_NO_ROOM, now);
}

static void no_transition(struct nm_controller *c, const struct nm_dir_line *line,
                          const struct nm_packet *in, bool from_network, sim_tick now)
{
    nm_check_fail(
        c->check, now, in->line,
        "station %u %s: no transition from %s (cards %#x, stations %#lx) on %s "
        "(%s from %s %u, requester card %u of station %u)",
        c->place.station, nm_agent_name(c->agent), nm_state_name(c->table, line->state),
        line->cards, (unsigned long)line->stations,
        nm_event_name(c->table, nm_dir_event_of(c->agent, &c->place, line, in, from_network)),
        nm_message_row(in->message)->name, from_network ? "network, of" : "module",
        from_network ? in->station : in->source, in->requester, in->station);
}

/* What a transition's messages say: of the directory, or what was said with the one that ends or
 * continues something else. */
static uint8_t info_of(const struct nm_controller *c, const struct nm_dir_line *before,
                       const struct nm_packet *in)
{
    return is_request(in) ? c->table->state[before->state].info : in->info;
}

/* The books of a look at a line found in that state. */
static void count_look(struct nm_controller *c, unsigned state, const struct nm_packet *in,
                       bool from_network)
{
    c->accesses++;
    if (!c->selects.length || in->line - c->selects.from < c->selects.length)
        c->seen[state][in->message][from_network]++;
}

static void count_combined(struct nm_controller *c, const struct nm_packet *in, bool from_network)
{
    c->combined += !from_network && nm_is_read(in->message) && c->actions & NM_DIR_ACT_COMBINED;
}

/* The table's step and all that comes of it: the plain rule. */
static __attribute__((noinline)) bool take_step(struct nm_controller *c, struct nm_dir_line *line,
                                                const struct nm_packet *in, bool from_network,
                                                sim_tick now)
{
    struct nm_sends out;
    uint64_t actions;
    const struct nm_dir_line before = *line;
    if (!nm_dir_step(c->agent, &c->place, line, in, from_network, &out, &actions)) {
        no_transition(c, &before, in, from_network, now);
        return false;
    }
    c->actions = actions;
    if (c->ear)
        tell_row(c, &before, line, in, from_network, in->line, now);
    refused_by_table(c, &before, in, from_network, actions, now);
    count_look(c, before.state, in, from_network);
    count_combined(c, in, from_network);
    perform(c, in, info_of(c, &before, in), &out, actions, now);
    return true;
}

static __attribute__((noinline)) uint64_t locked_refuses(const struct nm_controller *c,
                                                         const struct nm_dir_line *line,
                                                         const struct nm_packet *in,
                                                         bool from_network)
{
    return nm_dir_only_refuses(c->agent, &c->place, line, in, from_network);
}

/* What is done where the line's state refuses a card's request whatever else there is. */
static inline uint64_t nacks(const struct nm_controller *c, const struct nm_dir_line *line,
                             const struct nm_packet *in)
{
    const bool combined = c->refusals[line->state].combined >> in->message & 1;
    return NM_DIR_ACT_NACK | (combined ? NM_DIR_ACT_COMBINED : 0);
}

/* What the step would do if that is to refuse and nothing else; 0: more, or this is checking mode.
 */
static inline uint64_t only_refuses(const struct nm_controller *c, const struct nm_dir_line *line,
                                    const struct nm_packet *in, bool from_network)
{
    if (!from_network && c->refusals[line->state].all >> in->message & 1)
        return nacks(c, line, in);
    const bool asks = nm_message_row(in->message)->class == NM_NONSINKABLE && !c->plain &&
                      nm_locked(c->table, line->state);
    return asks ? locked_refuses(c, line, in, from_network) : 0;
}

/* Where the step is to refuse and nothing else, no step is made; but in checking mode, so that runs
 * of it hold this way and the plain rule together. */
static __attribute__((noinline)) bool take(struct nm_controller *c, struct nm_dir_line *line,
                                           const struct nm_packet *in, bool from_network,
                                           sim_tick now)
{
    c->actions = 0;
    if (c->late_count && refusable(in)) {
        nm_controller_refuse(c, in, from_network, NM_NO_ROOM, now);
        return true;
    }
    const uint64_t no = only_refuses(c, line, in, from_network);
    if (!no)
        return take_step(c, line, in, from_network, now);
    c->actions = no;
    if (c->ear)
        tell_row(c, line, line, in, from_network, in->line, now);
    if (has_next_turn(c, in, now))
        keep_turn(c, sender(c, in, from_network), now);
    count_look(c, line->state, in, from_network);
    count_combined(c, in, from_network);
    refuse_message(c, in, from_network, info_of(c, line, in), now);
    return true;
}

/* A leaf, so that no registers have to be saved. */
void nm_controller_nack(struct nm_controller *c, const struct nm_dir_line *line,
                        const struct nm_packet *in, sim_tick now)
{
    c->actions = nacks(c, line, in);
    c->combined += !!(c->actions & NM_DIR_ACT_COMBINED);
    count_look(c, line->state, in, false);
    struct nm_packet *no = say_no(c, now);
    nm_dir_nack(in, c->table->state[line->state].info, no);
    no->source = c->module;
}

bool nm_controller_take(struct nm_controller *c, struct nm_dir_line *line,
                        const struct nm_packet *in, bool from_network, sim_tick now)
{
    if (from_network || !nm_controller_nacks(c, line, in))
        return take(c, line, in, from_network, now);
    nm_controller_nack(c, line, in, now);
    return true;
}

bool nm_controller_eject(struct nm_controller *c, struct nm_dir_line *line, uint64_t address,
                         sim_tick now)
{
    struct nm_sends out;
    uint64_t actions;
    const struct nm_dir_line before = *line;
    if (!nm_nc_eject(&c->place, line, &out, &actions))
        return false;
    struct nm_packet self = {.line = address, .data = -1};
    if (c->ear)
        tell_row(c, &before, line, NULL, false, address, now);
    perform(c, &self, 0, &out, actions, now);
    return true;
}

/* ---- without time ---------------------------------------------------------------------------- */

static void complete(const struct nm_controller *c, struct nm_sends *sends,
                     const struct nm_packet *in, uint8_t info)
{
    for (unsigned i = 0; i < sends->count; i++) {
        inherit(&sends->packet[i], in, info);
        sends->packet[i].source = c->module;
    }
}

void nm_controller_at_once(struct nm_controller *c, struct nm_dir_line *line,
                           const struct nm_packet *in, bool from_network, struct nm_sends *sends)
{
    const struct nm_dir_line before = *line;
    c->actions = 0;
    sends->count = 0;
    if (nm_dir_step(c->agent, &c->place, line, in, from_network, sends, &c->actions))
        complete(c, sends, in, info_of(c, &before, in));
    else
        no_transition(c, &before, in, from_network, 0);
}

void nm_controller_eject_at_once(struct nm_controller *c, struct nm_dir_line *line,
                                 uint64_t address, struct nm_sends *sends)
{
    const struct nm_packet self = {.line = address, .data = -1};
    uint64_t actions;
    sends->count = 0;
    if (nm_nc_eject(&c->place, line, sends, &actions))
        complete(c, sends, &self, 0);
    else
        nm_check_fail(c->check, 0, address, "station %u: a locked line makes room",
                      c->place.station);
}
