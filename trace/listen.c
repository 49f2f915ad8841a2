/*
 * What is heard of a machine, and put down as signals.
 *
 * Buses tell of every tenure, and processors' pins of every MasterClock. The rings and the counters
 * tell nobody: they have totals, exact whenever the machine stands. So it is made to stand on every
 * edge of their clocks, and a signal is what a total has grown by in the cycle before. The rings
 * count a slot when it has moved, or has not: that was in the cycle before.
 * Where a machine stops changes nothing in it; a system call only makes it stop a little late, and
 * then the growth of some cycles is put down to the last of them.
 *
 * A card whose pins are followed runs one instruction at a time. Its own time may be ahead of the
 * machine's, so pins are followed from shortly before the window.
 */
#include "trace/listen.h"

#include "base/alloc.h"
#include "machine/statistics.h"
#include "monitor/taps.h"
#include "procard/procard.h"

#include <inttypes.h>

enum {
    EVNTBUS = 20, /**< lines of an ARM11's */
    CALM = 4096,  /**< [ticks] between two looks, if nobody needs more: is there still room? */
};

_Static_assert((int)IN_STATUS_STATES == (int)PC_ST__COUNT,
               "a machine file has a code for each state");

/** Signals of a bus, behind each other. */
enum { BUS_BUSY, BUS_DATA, BUS_OWNER, BUS_MESSAGE, BUS_LINE, BUS_SIGNALS };

/** Signals of a card's pins. */
enum { PINS_STATUS, PINS_OLDER, PINS_NEWER, PINS_SIGNALS };

/** A card's pins. */
struct pins {
    struct trc_listening *live;
    struct pc_pins pins;
    unsigned card;
    uint32_t wires;     /**< its first signal, if they are recorded */
    uint32_t processor; /**< the same of what it does */
    struct pc_exported exported;
    uint32_t lines; /**< the signal of what it exports, if that is recorded */
    bool exports;   /**< it is */
};

/** A total that is looked at. */
struct total {
    uint32_t signal;
    unsigned at;  /**< of a card which, of a ring which */
    int link;     /**< of a ring which; -1: that it stood still */
    uint64_t sum; /**< at the last look */
};

/** Totals of one clock. */
struct totals {
    struct total *total;
    size_t count;
    sim_tick cycle;  /**< [ticks] */
    sim_tick ago;    /**< [ticks] they grow so long after what they count */
    bool begun;      /**< there has been a look, */
    sim_tick looked; /**< the last one here */
};

struct trc_listening {
    struct trc_recorder *recorder;
    const struct in_experiment *x;
    struct nm_machine *m;
    uint32_t bus; /**< first signal of the first bus, if they are recorded */
    struct pins *pins;
    unsigned followed; /**< [followed] pins */
    struct totals events, rings;
    unsigned *event; /**< [events.count] row of the unit's */
};

/* ---- words ----------------------------------------------------------------------------------- */

/** Who has the bus: its position and 1; 0: nobody. */
static const char *owner_word(uint64_t value)
{
    static const char *const words[] = {"-", "card[0]", "card[1]", "card[2]", "card[3]"};
    _Static_assert(sizeof words / sizeof *words == NM_CARDS_MAX + 1, "a word for each position");
    if (value == NM_MODULE_MEMORY + 1)
        return "memory";
    return value == NM_MODULE_NETWORK + 1 ? "network" : words[value];
}

static const char *message_word(uint64_t value)
{
    return value ? nm_message_row((enum nm_message)(value - 1))->name : "-";
}

static const char *state_word(uint64_t value)
{
    return in_state_name((unsigned)value);
}

/** What a processor does, in the words of a CPI stack: states in which instructions complete are
 *  one, all others are themselves. */
static const char *processor_word(uint64_t value)
{
    return mon_states("run") >> value & 1 ? "run" : in_state_name((unsigned)value);
}

/** States that have one word are one value: the first of them. */
static uint64_t processor_value(uint8_t state)
{
    const uint64_t run = mon_states("run");
    return run >> state & 1 ? (unsigned)__builtin_ctzll(run) : state;
}

/** The state of a code of status.def. */
static uint8_t listen_state_of(unsigned code)
{
    uint8_t state = 0;
    while (state < PC_ST__COUNT && pc_status_codes[state] != code)
        state++;
    return state;
}

/* ---- what is told ---------------------------------------------------------------------------- */

static void on_tenure(void *ctx, unsigned station, sim_tick now, unsigned cycles,
                      const struct nm_packet *p)
{
    struct trc_listening *live = ctx;
    struct trc_book *book = &live->recorder->wires;
    const uint32_t bus = live->bus + station * BUS_SIGNALS;
    const sim_tick end = now + cycles * live->events.cycle;
    trc_book_set(book, bus + BUS_BUSY, now, 1);
    trc_book_set(book, bus + BUS_OWNER, now, p->source + 1u);
    trc_book_set(book, bus + BUS_MESSAGE, now, p->message + 1u);
    trc_book_set(book, bus + BUS_LINE, now, p->line);
    if (cycles > 1)
        trc_book_set(book, bus + BUS_DATA, now + live->events.cycle, 1);
    trc_book_set(book, bus + BUS_DATA, end, 0);
    trc_book_set(book, bus + BUS_OWNER, end, 0);
    trc_book_set(book, bus + BUS_MESSAGE, end, 0);
    trc_book_set(book, bus + BUS_BUSY, end, 0);
}

/** A pc_pins_fn. */
static void on_edge(void *ctx, sim_tick t, uint8_t status)
{
    const struct pins *pins = ctx;
    const struct trc_listening *live = pins->live;
    struct trc_book *book = &live->recorder->wires;
    const uint8_t *codes = live->x->machine.codes;
    const uint8_t older = listen_state_of(status >> 4), newer = listen_state_of(status & 15);
    if (live->x->record_waves && live->x->record_status) {
        trc_book_set(book, pins->wires + PINS_STATUS, t, codes[older] * 16u + codes[newer]);
        trc_book_set(book, pins->wires + PINS_OLDER, t, older);
        trc_book_set(book, pins->wires + PINS_NEWER, t, newer);
    }
    if (!live->x->record_trace)
        return;
    if (t >= 3)
        trc_book_set(book, pins->processor, t - 3, processor_value(older));
    trc_book_set(book, pins->processor, t - 2, processor_value(newer));
}

/** A pc_exported_fn. */
static void on_exported(void *ctx, sim_tick t, uint32_t lines)
{
    const struct pins *pins = ctx;
    trc_book_set(&pins->live->recorder->wires, pins->lines, t, lines);
}

static void on_served(void *ctx, const struct pc_served *served)
{
    struct trc_recorder *r = ((struct trc_listening *)ctx)->recorder;
    if (served->over < r->wires.from || served->over >= r->wires.to)
        return;
    SIM_ROOM(r->request, r->requests, r->requests_room, 1024);
    r->request[r->requests++] = *served;
}

/* ---- what is looked at ----------------------------------------------------------------------- */

/** [ticks] The begin of the cycle that goes on at `at`. */
static sim_tick edge_at(const struct totals *totals, sim_tick at)
{
    return at / totals->cycle * totals->cycle;
}

/** The moment `by` ticks before `t`, or the first one. */
static sim_tick earlier_by(sim_tick t, sim_tick by)
{
    return t - sim_earlier(t, by);
}

/** What it has grown by is put down to the cycle before `at`, of what was not looked at to none
 *  earlier; or so long ago as it counts late. */
static void listen_grown(struct trc_listening *live, const struct totals *totals,
                         struct total *total, uint64_t sum, sim_tick at)
{
    struct trc_book *book = &live->recorder->wires;
    const sim_tick before = edge_at(totals, earlier_by(at, 1));
    if (totals->begun && before > totals->looked)
        trc_book_set(book, total->signal, earlier_by(totals->looked, totals->ago), 0);
    if (totals->begun)
        trc_book_set(book, total->signal, earlier_by(before, totals->ago), sum - total->sum);
    total->sum = sum;
}

/** Whether nobody has looked at this moment yet. */
static bool is_new(const struct totals *totals, sim_tick at)
{
    return !totals->begun || totals->looked != at;
}

static void have_looked(struct totals *totals, sim_tick at)
{
    totals->begun = true;
    totals->looked = at;
}

/* Totals of one card, or one ring, follow each other. */
static void look_at_events(struct trc_listening *live, sim_tick at)
{
    const struct mon_unit_ops *unit = in_unit(live->x);
    struct mon_taps taps;
    union mon_own_signals own;
    for (size_t i = 0; i < live->events.count; i++) {
        struct total *total = &live->events.total[i];
        const unsigned event = live->event[i];
        if (!i || total->at != total[-1].at) {
            nm_card_taps(live->m, total->at, &taps);
            if (unit->own)
                pc_own_signals(live->m, total->at, &own);
        }
        listen_grown(live, &live->events, total,
                     mon_is_own(unit, event)
                         ? mon_own_total(unit->own, event - unit->event_count, &own)
                         : mon_event_total(&unit->events[event], &taps),
                     at);
    }
    have_looked(&live->events, at);
}

static void look_at_rings(struct trc_listening *live, sim_tick at)
{
    struct nm_ring_monitor ring;
    for (size_t i = 0; i < live->rings.count; i++) {
        struct total *total = &live->rings.total[i];
        if (!i || total->at != total[-1].at)
            nm_machine_ring(live->m, total->at, &ring);
        listen_grown(live, &live->rings, total,
                     total->link < 0 ? ring.sum.halted : ring.sum.link[total->link], at);
    }
    have_looked(&live->rings, at);
}

void trc_listening_look(struct trc_listening *live, sim_tick at)
{
    if (at % live->events.cycle == 0 && is_new(&live->events, at))
        look_at_events(live, at);
    if (at % live->rings.cycle == 0 && is_new(&live->rings, at))
        look_at_rings(live, at);
}

/** The next edge of a clock, if somebody needs it. */
static sim_tick edge_after(const struct totals *totals, sim_tick at)
{
    return totals->count ? edge_at(totals, at) + totals->cycle : at + CALM;
}

sim_tick trc_listening_next(const struct trc_listening *live, sim_tick at)
{
    return sim_earlier(edge_after(&live->events, at), edge_after(&live->rings, at));
}

sim_tick trc_listening_begin(const struct trc_listening *live, sim_tick from)
{
    return sim_earlier(edge_at(&live->events, from), edge_at(&live->rings, from));
}

/** Whether the last cycle that begins before `to` is over, and has been counted. */
static bool is_known(const struct totals *totals, sim_tick at, sim_tick to)
{
    return !totals->count || at - edge_at(totals, to - 1) >= totals->cycle + totals->ago;
}

bool trc_listening_knows(const struct trc_listening *live, sim_tick at, sim_tick to)
{
    return at >= to && is_known(&live->events, at, to) && is_known(&live->rings, at, to);
}

/* ---- signals --------------------------------------------------------------------------------- */

static __attribute__((format(printf, 4, 5))) struct trc_signal
listen_wire(const char *name, unsigned bits, const char *(*word)(uint64_t), const char *part, ...)
{
    struct trc_signal s = {.of = TRC_OF_WIRE, .bits = bits, .word = word};
    va_list ap;
    va_start(ap, part);
    vsnprintf(s.part, sizeof s.part, part, ap);
    va_end(ap);
    snprintf(s.name, sizeof s.name, "%s", name);
    return s;
}

static uint32_t listen_add(struct trc_listening *live, struct trc_signal signal)
{
    return trc_book_add(&live->recorder->wires, &signal);
}

/** One that says nothing before it is set. */
static uint32_t add_unknown(struct trc_listening *live, struct trc_signal signal)
{
    signal.first = TRC_UNKNOWN;
    return listen_add(live, signal);
}

static void add_total(struct totals *totals, struct total total)
{
    totals->total = sim_grow(totals->total, totals->count + 1, sizeof *totals->total);
    totals->total[totals->count++] = total;
}

static void add_ring(struct trc_listening *live, unsigned ring)
{
    const struct nm_ring_place place = nm_ring_place(live->x->machine.params, ring);
    for (int node = -1; node < (int)place.nodes; node++) {
        char name[16];
        snprintf(name, sizeof name, node < 0 ? "halted" : "link_%d", node);
        add_total(&live->rings,
                  (struct total){
                      .signal = listen_add(live, listen_wire(name, 8, NULL, "machine.ring[%u][%u]",
                                                             place.level, place.index)),
                      .at = ring,
                      .link = node});
    }
}

static void add_bus(struct trc_listening *live, unsigned station)
{
    static const struct {
        const char *name;
        unsigned bits;
        const char *(*word)(uint64_t);
    } rows[BUS_SIGNALS] = {[BUS_BUSY] = {"busy", 1, NULL},
                           [BUS_DATA] = {"data", 1, NULL},
                           [BUS_OWNER] = {"owner", 8, owner_word},
                           [BUS_MESSAGE] = {"message", 8, message_word},
                           [BUS_LINE] = {"line", 48, NULL}};
    for (unsigned i = 0; i < BUS_SIGNALS; i++) {
        const uint32_t signal =
            listen_add(live, listen_wire(rows[i].name, rows[i].bits, rows[i].word,
                                         "machine.station[%u].bus", station));
        if (!station && !i)
            live->bus = signal;
    }
}

/** The component of a card. */
static struct trc_signal of_card(const struct trc_listening *live, unsigned card, const char *name,
                                 unsigned bits, const char *(*word)(uint64_t))
{
    const unsigned cards = (unsigned)nm_value_processors(live->x->machine.params);
    return listen_wire(name, bits, word, "machine.station[%u].card[%u]", card / cards,
                       card % cards);
}

static void add_pins(struct trc_listening *live, unsigned card)
{
    struct pins *pins = &live->pins[live->followed];
    struct trc_signal processor = of_card(live, card, "state", 8, processor_word);
    *pins = (struct pins){.live = live, .card = card};
    if (live->x->record_waves && live->x->record_status) {
        pins->wires = add_unknown(live, of_card(live, card, "status", 8, NULL));
        add_unknown(live, of_card(live, card, "older", 4, state_word));
        add_unknown(live, of_card(live, card, "newer", 4, state_word));
        pins->exports = pc_exports(live->m, card);
    }
    if (pins->exports)
        pins->lines = listen_add(live, of_card(live, card, "evntbus", EVNTBUS, NULL));
    processor.of = TRC_OF_PROCESSOR;
    processor.number = card;
    if (live->x->record_trace)
        pins->processor = add_unknown(live, processor);
    live->followed += live->x->record_trace || (live->x->record_waves && live->x->record_status);
}

/** Whether the card is the first recorded one of those that see the same count. */
static bool sees_first(const struct in_experiment *x, enum mon_scope scope, unsigned card,
                       unsigned last)
{
    const struct nm_params *p = x->machine.params;
    const uint64_t alike = scope == MON_SCOPE_CARD      ? 1
                           : scope == MON_SCOPE_STATION ? nm_value_processors(p)
                           : scope == MON_SCOPE_RING
                               ? nm_value_processors(p) * nm_ring_shape(p).fan[0]
                               : UINT64_MAX;
    return last == UINT32_MAX || card / alike != last / alike;
}

static void add_events(struct trc_listening *live, const struct mon_choice *choice, unsigned card,
                       unsigned last)
{
    const struct mon_unit_ops *unit = in_unit(live->x);
    for (unsigned i = 0; i < choice->count; i++) {
        const struct mon_event *event = mon_unit_event(unit, choice->event[i]);
        const bool counts = !mon_is_own(unit, choice->event[i]) || pc_counters(live->m, card) > 0;
        if (!counts || !sees_first(live->x, event->scope, card, last))
            continue;
        live->event = sim_grow(live->event, live->events.count + 1, sizeof *live->event);
        live->event[live->events.count] = choice->event[i];
        add_total(
            &live->events,
            (struct total){.signal = listen_add(live, of_card(live, card, event->name, 32, NULL)),
                           .at = card});
    }
}

static bool is_recorded(const struct in_experiment *x, unsigned card)
{
    for (unsigned i = 0; i < x->record_count; i++)
        if (x->record_card[i] == card)
            return true;
    return !x->record_count;
}

/** Signals in the order in which viewers show them. */
static void add_signals(struct trc_listening *live, const struct mon_choice *choice)
{
    const struct in_experiment *x = live->x;
    const bool waves = x->record_waves;
    unsigned last = UINT32_MAX;
    for (unsigned r = 0; waves && x->record_rings && r < nm_ring_count(x->machine.params); r++)
        add_ring(live, r);
    for (unsigned s = 0; waves && x->record_bus && s < nm_machine_stations(live->m); s++)
        add_bus(live, s);
    for (unsigned c = 0; c < nm_machine_cards(live->m); c++) {
        if (!is_recorded(x, c))
            continue;
        add_pins(live, c);
        if (waves)
            add_events(live, choice, c, last);
        last = c;
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

/** The events that counters are given: the run's, and those that the card is programmed with. Of
 *  these the ones without a total are left out: a counter alone has them. */
static void add_counters(struct mon_choice *choice, const struct doc_run *run)
{
    const struct in_experiment *x = run->experiment;
    const struct mon_unit_ops *unit = in_unit(x);
    char why[300];
    mon_choice_merge(choice, &run->choice);
    for (unsigned k = 0; k < x->wish.counters; k++)
        mon_choice_add(unit, choice, mon_unit_event(unit, x->wish.counter[k].event)->name, why,
                       sizeof why);
}

struct trc_listening *trc_listening_new(struct trc_recorder *recorder, const struct doc_run *run,
                                        struct nm_machine *m)
{
    const struct in_experiment *x = run->experiment;
    const struct nm_params *p = x->machine.params;
    struct trc_listening *live = sim_alloc(1, sizeof *live);
    struct mon_choice choice = x->record_events;
    if (x->record_counters)
        add_counters(&choice, run);
    *live =
        (struct trc_listening){.recorder = recorder,
                               .x = x,
                               .m = m,
                               .pins = sim_alloc(nm_machine_cards(m), sizeof *live->pins),
                               .events = {.cycle = nm_value_cpu_clock(p) / nm_value_bus_clock(p)},
                               .rings = {.cycle = nm_value_cpu_clock(p) / nm_value_ring_clock(p),
                                         .ago = nm_value_cpu_clock(p) / nm_value_ring_clock(p)}};
    add_signals(live, &choice);
    return live;
}

void trc_listening_free(struct trc_listening *live)
{
    if (!live)
        return;
    free(live->pins);
    free(live->events.total);
    free(live->rings.total);
    free(live->event);
    free(live);
}

void trc_listening_open(struct trc_listening *live)
{
    for (unsigned i = 0; i < live->followed; i++)
        pc_follow_pins(live->m, live->pins[i].card, &live->pins[i].pins, on_edge, &live->pins[i]);
    for (unsigned i = 0; i < live->followed; i++)
        if (live->pins[i].exports)
            pc_follow_exported(live->m, live->pins[i].card, &live->pins[i].exported, on_exported,
                               &live->pins[i]);
    if (live->x->record_waves && live->x->record_bus)
        nm_machine_watch_buses(live->m, on_tenure, live);
    for (unsigned c = 0; live->x->record_trace && c < nm_machine_cards(live->m); c++)
        pc_watch_requests(live->m, c, on_served, live);
}

/** What moves in the last cycle is never counted. */
static void end_rings(struct trc_listening *live, sim_tick at)
{
    for (size_t i = 0; i < live->rings.count; i++)
        trc_book_set(&live->recorder->wires, live->rings.total[i].signal,
                     edge_at(&live->rings, earlier_by(at, 1)), 0);
}

void trc_listening_close(struct trc_listening *live, sim_tick at)
{
    if (is_new(&live->events, at))
        look_at_events(live, at);
    if (is_new(&live->rings, at))
        look_at_rings(live, at);
    end_rings(live, at);
    for (unsigned i = 0; i < live->followed; i++) {
        struct mon_taps taps;
        nm_card_taps(live->m, live->pins[i].card, &taps);
        pc_pins_follow(&live->pins[i].pins, taps.v);
        pc_follow_pins(live->m, live->pins[i].card, NULL, NULL, NULL);
        if (live->pins[i].exports)
            pc_follow_exported(live->m, live->pins[i].card, NULL, NULL, NULL);
    }
    nm_machine_watch_buses(live->m, NULL, NULL);
    for (unsigned c = 0; live->x->record_trace && c < nm_machine_cards(live->m); c++)
        pc_watch_requests(live->m, c, NULL, NULL);
}
