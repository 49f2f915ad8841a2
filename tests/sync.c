/*
 * The registers for interrupts and barriers: what they hold, whom a store through a window reaches,
 * and that a barrier is one. Latencies are in latency.c, random traffic with such stores in
 * coherence_random.c.
 */
#include "procard/sync.h"
#include "actors.h"
#include "machine/statistics.h"
#include "machine/values.h"
#include "monitor/board/board.h"

#include <criterion/criterion.h>
#include <string.h>

#ifndef WHOLE
#define WHOLE 0 /* 1: machines of any size, and twice the rounds */
#endif

enum { PLENTY = 60000, EVERYBODY = 0xffff, LINE = 64 };

/* ---- the registers alone --------------------------------------------------------------------- */

static struct pc_sync fresh(void)
{
    struct pc_sync s;
    struct nm_params p;
    actors_params(&p, 4, 4, 4, 1);
    pc_sync_init(&s, &p);
    return s;
}

/* Every row does what its access says, and nothing else is there. */
Test(sync, rows)
{
    struct pc_sync s = fresh();
    size_t count;
    const struct mon_register_row *row = pc_sync_registers(&count);
    bool there[PC_SYNC_WORDS] = {false};
    for (size_t i = 0; i < count; i++) {
        const uint32_t ones = row[i].bits < 32 ? (1u << row[i].bits) - 1 : UINT32_MAX;
        const uint32_t before = pc_sync_read(&s, row[i].offset);
        const bool written = pc_sync_write(&s, row[i].offset, UINT32_MAX) == 0;
        const uint32_t after = pc_sync_read(&s, row[i].offset);
        cr_expect_eq(written, row[i].access != MON_RO, "%s", row[i].name);
        if (row[i].access == MON_RO || row[i].access == MON_WO)
            cr_expect(row[i].access == MON_RO || after == 0, "%s", row[i].name);
        else if (row[i].access == MON_RW && strncmp(row[i].name, "ARRIVED", 7))
            cr_expect_eq(after, ones, "%s is %#x", row[i].name, after);
        if (row[i].access == MON_RO && row[i].offset == PC_SYNC_SHAPE)
            cr_expect_eq(before, after);
        there[(row[i].offset - PC_SYNC_BEGIN) / 4] = true;
        s = fresh();
    }
    for (uint32_t at = PC_SYNC_BEGIN; at < PC_SYNC_END; at += 4) {
        if (there[(at - PC_SYNC_BEGIN) / 4])
            continue;
        cr_expect(pc_sync_write(&s, at, 1) == MON_REFUSED_NO_REGISTER && pc_sync_read(&s, at) == 0,
                  "%#x", at);
    }
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_SHAPE), 4u | 4 << 8 | 4 << 16 | 1 << 24);
}

Test(sync, interrupt_bits)
{
    struct pc_sync s = fresh();
    pc_sync_write(&s, PC_SYNC_IRQ_SET, 0x11);
    pc_sync_write(&s, PC_SYNC_IRQ_SET, 0x80000006);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_IRQ), 0x80000017);
    cr_expect_eq(pc_sync_pending(&s), 0);
    pc_sync_write(&s, PC_SYNC_IRQ_ENABLE, 0x80000001);
    cr_expect_eq(pc_sync_pending(&s), 0x80000001);
    pc_sync_write(&s, PC_SYNC_IRQ, 0x80000010);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_IRQ), 7);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_IRQ_TAKE), 7);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_IRQ_TAKE), 0);
    cr_expect_eq(pc_sync_pending(&s), 0);
}

/* Arrivals are neither lost nor counted twice, whatever is expected and however they come. */
Test(sync, rounds)
{
    uint64_t random = 7;
    for (unsigned k = 0; k < PC_BARRIERS; k++) {
        struct pc_sync s = fresh();
        const uint32_t at = 16 * k, expected = k ? 1 + (uint32_t)actors_draw(&random, 300) : 1;
        uint64_t all = 0;
        pc_sync_write(&s, PC_SYNC_EXPECTED0 + at, expected);
        for (unsigned i = 0; i < 1000; i++) {
            const uint32_t more = (uint32_t)actors_draw(&random, i % 10 ? 3 : 1000);
            pc_sync_write(&s, PC_SYNC_ARRIVE0 + at, more);
            all += more;
            cr_assert_eq(pc_sync_read(&s, PC_SYNC_ROUND0 + at), all / expected);
            cr_assert_eq(pc_sync_read(&s, PC_SYNC_ARRIVED0 + at), all % expected);
        }
        for (unsigned other = 0; other < PC_BARRIERS; other++)
            cr_expect(other == k || !pc_sync_read(&s, PC_SYNC_ROUND0 + 16 * other));
    }
}

/* One that expects nobody only counts; who is expected afterwards has been counted. */
Test(sync, expected_afterwards)
{
    struct pc_sync s = fresh();
    pc_sync_write(&s, PC_SYNC_ARRIVE0 + 32, 7);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_ROUND0 + 32), 0);
    pc_sync_write(&s, PC_SYNC_EXPECTED0 + 32, 3);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_ROUND0 + 32), 2);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_ARRIVED0 + 32), 1);
    pc_sync_write(&s, PC_SYNC_ARRIVED0 + 32, 6);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_ROUND0 + 32), 4);
    pc_sync_write(&s, PC_SYNC_EXPECTED0 + 32, 2);
    pc_sync_write(&s, PC_SYNC_ROUND0 + 32, UINT32_MAX);
    pc_sync_write(&s, PC_SYNC_ARRIVE0 + 32, UINT32_MAX);
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_ROUND0 + 32), UINT32_MAX / 2 - 1, "modulo 2^32");
    cr_expect_eq(pc_sync_read(&s, PC_SYNC_ARRIVED0 + 32), 1);
}

/* A window's registers name stations as a routing mask does. */
Test(sync, windows)
{
    uint64_t random = 3;
    for (unsigned i = 0; i < 2000; i++) {
        struct pc_sync s = fresh();
        const struct ring_shape shape = {1 + (unsigned)actors_draw(&random, 3),
                                         {1 + (unsigned)actors_draw(&random, 16),
                                          1 + (unsigned)actors_draw(&random, 16),
                                          1 + (unsigned)actors_draw(&random, 16)}};
        const unsigned w = i % PC_WINDOWS, cards = 1 + i % 4,
                       a = (unsigned)actors_draw(&random, ring_shape_stations(&shape)),
                       b = (unsigned)actors_draw(&random, ring_shape_stations(&shape));
        const ring_mask mask =
            ring_mask_or(ring_mask_station(&shape, a), ring_mask_station(&shape, b));
        const uint32_t offset = PC_WINDOW + w * PC_WINDOW_SPAN + 4 * (i % 100);
        pc_sync_write(&s, PC_SYNC_TO_CARDS0 + 16 * w, 0xf);
        for (unsigned l = 0; l < RING_LEVELS; l++) {
            const uint32_t beyond = l < shape.levels ? ~((1u << shape.fan[l]) - 1) : i;
            pc_sync_write(&s, PC_SYNC_TO_STATIONS0 + 16 * w + 4 * l,
                          ring_mask_field(mask, l) | beyond);
        }
        const struct pc_sync_cast cast = pc_sync_cast(&s, &shape, cards, offset);
        cr_assert_eq(cast.route, mask);
        cr_assert_eq(cast.cards, (1u << cards) - 1);
        cr_assert_eq(cast.offset, 4 * (i % 100));
        const uint32_t none = (uint32_t)actors_draw(&random, shape.levels);
        pc_sync_write(&s, PC_SYNC_TO_STATIONS0 + 16 * w + 4 * none, 0);
        cr_assert_eq(pc_sync_cast(&s, &shape, cards, offset).route, 0);
        cr_assert_eq(
            pc_sync_cast(&s, &shape, cards, PC_WINDOW + (w + 1) % 4 * PC_WINDOW_SPAN).cards, 0);
    }
}

/* ---- processors ------------------------------------------------------------------------------ */

enum { WORDS_EACH = 3, READS = 60 };

/*
 * A processor that takes part in rounds: it writes its words, arrives, waits for the others, reads
 * all words, arrives and waits once more before it writes again. `read` and `write` stand for
 * anything a program does between barriers.
 */
struct actor {
    const struct nm_params *p;
    unsigned card, cards, rounds, window;
    uint64_t random;
    enum { WRITE, ARRIVE, AWAIT, READ, ARRIVE_AGAIN, AWAIT_AGAIN } phase;
    unsigned round, at; /* of the words written, or read */
    unsigned word;      /* to be read */
    unsigned waits;     /* reads of the register that came too early */
    unsigned rest;      /* [PCycles] before its next step */
    bool once;          /* it only stores 1 through its window, into this register */
    uint32_t offset;
    bool in_turn; /* one card writes in a round, and all read that one's words at once */
};

/* In turn, three of the cards write, on different stations where there are. */
static unsigned writer(const struct actor *a)
{
    return a->round % 3 * ((a->cards + 2) / 3) % a->cards;
}

/* The next word to be read; in turn the one written last goes first. */
static unsigned next_word(struct actor *a)
{
    return a->in_turn ? writer(a) + (WORDS_EACH - 1 - a->at) * a->cards
                      : (unsigned)actors_draw(&a->random, a->cards * WORDS_EACH);
}

/* Two neighbours' words share lines. The home of what is written last is the writers' own station:
 * then nothing but the invalidation goes over the rings ahead of the arrival. */
static uint64_t word_address(const struct actor *a, unsigned word)
{
    const unsigned owner = word % a->cards, at = word / a->cards;
    const uint64_t station = (owner & ~1u) / a->p->processors + WORDS_EACH - 1 - at;
    return station % nm_params_stations(a->p) * a->p->memory_size +
           (owner / 2 * WORDS_EACH + at) * LINE + owner % 2 * 4;
}

static uint64_t register_address(unsigned card, uint32_t offset)
{
    return NM_REGISTERS + (uint64_t)card * NM_REGISTER_SPACE + offset;
}

static struct pc_reference word_at(enum pc_reference_kind kind, uint64_t address, uint32_t value)
{
    return (struct pc_reference){.kind = kind, .address = address, .size = 4, .value = value};
}

/* A PCycle or some behind each step. */
static unsigned think(struct actor *a)
{
    return 1 + (unsigned)actors_draw(&a->random, a->card % 3 ? 4 : 40);
}

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct actor *a = self;
    (void)now;
    if (a->rest) {
        *out = actors_pause(a->rest);
        a->rest = 0;
        return;
    }
    if (a->round == a->rounds || (a->once && a->phase != ARRIVE))
        return;
    switch (a->phase) {
    case WRITE:
        if (a->in_turn && a->card != writer(a)) {
            a->phase = ARRIVE;
            *out = actors_pause(think(a));
            return;
        }
        *out =
            word_at(PC_REFERENCE_STORE, word_address(a, a->card + a->at * a->cards), a->round + 1);
        return;
    case ARRIVE:
    case ARRIVE_AGAIN:
        *out =
            word_at(PC_REFERENCE_STORE,
                    register_address(card, PC_WINDOW + a->window * PC_WINDOW_SPAN + a->offset), 1);
        return;
    case AWAIT:
    case AWAIT_AGAIN:
        *out = word_at(PC_REFERENCE_LOAD, register_address(card, PC_SYNC_ROUND3), 0);
        return;
    default:
        *out = word_at(PC_REFERENCE_LOAD, word_address(a, a->word), 0);
    }
}

/* The barrier's register has been read. */
static void awaited(struct actor *a, uint64_t got)
{
    cr_assert_leq(got, 2 * a->round + 2, "card %u", a->card);
    if (got < 2 * a->round + 1 + (a->phase == AWAIT_AGAIN)) {
        a->waits++;
        return;
    }
    a->at = 0;
    a->word = next_word(a);
    a->round += a->phase == AWAIT_AGAIN;
    a->phase = a->phase == AWAIT ? READ : WRITE;
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct actor *a = self;
    (void)reference;
    switch (a->phase) {
    case WRITE:
        a->phase = ++a->at == WORDS_EACH ? ARRIVE : WRITE;
        break;
    case ARRIVE:
    case ARRIVE_AGAIN:
        a->phase++;
        break;
    case AWAIT:
    case AWAIT_AGAIN:
        awaited(a, result->value);
        break;
    default:
        cr_assert_eq(result->value, a->round + 1, "card %u, word %u, round %u: %lu", card, a->word,
                     a->round, (unsigned long)result->value);
        a->phase = ++a->at == (a->in_turn ? WORDS_EACH : READS) ? ARRIVE_AGAIN : READ;
        a->word = next_word(a);
    }
    a->rest = think(a) - 1;
}

static const struct pc_driver_source source = {.next = next, .done = done};

struct shape {
    const char *name;
    unsigned cards, fan[RING_LEVELS];
};

/* Those of configs/, and some that are odd. */
static const struct shape shapes[] = {
    {"station-4", 4, {1, 1, 1}},     {"ring-16", 4, {4, 1, 1}},
    {"numachine-48", 4, {4, 3, 1}},  {"numachine-64", 4, {4, 4, 1}},
    {"numachine-128", 4, {8, 4, 1}}, {"numachine-1024", 4, {4, 8, 8}},
    {"alone", 1, {1, 1, 1}},         {"two stations", 1, {2, 1, 1}},
    {"uneven", 3, {3, 2, 1}},        {"three levels", 2, {2, 3, 2}},
};

static void set_up(const struct shape *s, unsigned fifo, struct nm_params *p)
{
    actors_params(p, s->cards, s->fan[0], s->fan[1], s->fan[2]);
    p->memory_size = 1 << 18;
    p->l2_size = fifo ? 512 : 1 << 14;
    p->netcache_size = fifo ? 256 : 1 << 14;
    p->check = s->fan[2] < 8;
    if (fifo)
        actors_queues(p, fifo);
}

/* Where what a message brings about comes late, and an arrival is noticed soon: an invalidation
 * that was overtaken would be missed. */
static void hurry(struct nm_params *p)
{
    p->agent_request = p->agent_response = p->agent_register = p->bus_arbitration = 1;
    p->memory_directory = p->memory_dram = 1;
    p->netcache_directory = 60;
}

static void to_everybody(struct nm_machine *m, unsigned card, unsigned window)
{
    for (unsigned i = 0; i < 4; i++)
        nm_card_register_write(m, card, PC_SYNC_TO_CARDS0 + 16 * window + 4 * i, EVERYBODY);
}

/* What was stored before a barrier is read behind it, on every card, round after round. */
static void take_part(const struct shape *s, unsigned fifo, bool hurried, unsigned rounds,
                      uint64_t seed)
{
    struct nm_params p;
    set_up(s, fifo, &p);
    if (hurried)
        hurry(&p);
    struct nm_machine *m = actors_machine(&p);
    const unsigned cards = nm_machine_cards(m);
    struct actor *actor = calloc(cards, sizeof *actor);
    unsigned waits = 0;
    struct nm_trap trap;
    for (unsigned i = 0; i < cards; i++) {
        actor[i] = (struct actor){.p = &p,
                                  .card = i,
                                  .cards = cards,
                                  .rounds = rounds,
                                  .window = i % PC_WINDOWS,
                                  .offset = PC_SYNC_ARRIVE3,
                                  .in_turn = hurried,
                                  .random = seed * 1000 + i};
        to_everybody(m, i, i % PC_WINDOWS);
        nm_card_register_write(m, i, PC_SYNC_EXPECTED3, cards);
        pc_drive(m, i, &source, &actor[i], i);
    }
    for (unsigned done = 0; done < cards; done++) {
        const enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
        cr_assert_eq(why, NM_RUN_TRAP, "%s: %d %s", s->name, (int)why, nm_machine_error(m));
        nm_card_take(m, trap.card);
        waits += actor[trap.card].waits;
    }
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_IDLE, "%s", nm_machine_error(m));
    for (unsigned i = 0; i < cards; i++) {
        cr_assert_eq(nm_card_register_read(m, i, PC_SYNC_ROUND3), 2 * rounds, "%s", s->name);
        cr_assert_eq(nm_card_register_read(m, i, PC_SYNC_ARRIVED3), 0, "%s", s->name);
    }
    cr_assert(waits || cards == 1, "%s: nobody ever waited", s->name);
    nm_machine_free(m);
    free(actor);
}

Test(sync, stores_are_seen_behind_a_barrier)
{
    for (unsigned i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (unsigned kind = 0; kind < 6; kind++) {
            const unsigned cards =
                shapes[i].cards * shapes[i].fan[0] * shapes[i].fan[1] * shapes[i].fan[2];
            if (!WHOLE && (cards > 128 || (cards > 32 && kind % 2 != i % 2)))
                continue; /* a thousand cards have a million arrivals */
            if (cards > 64 && kind)
                continue;
            take_part(&shapes[i], kind / 2, kind % 2,
                      cards > 500  ? 1
                      : cards > 32 ? 3 + 3 * WHOLE
                                   : 6 + 6 * WHOLE,
                      10 * i + kind);
        }
}

/* ---- single stores --------------------------------------------------------------------------- */

static void rest(struct nm_machine *m)
{
    struct nm_trap trap;
    const enum nm_run why = nm_machine_run(m, nm_machine_now(m) + PLENTY, &trap);
    cr_assert_eq(why, NM_RUN_UNTIL, "%d %s", (int)why, nm_machine_error(m));
}

/* Has a card store 1 through a window. */
static void cast(struct nm_machine *m, unsigned card, unsigned window, uint32_t offset)
{
    struct actor a = {.card = card,
                      .rounds = 1,
                      .window = window,
                      .offset = offset,
                      .phase = ARRIVE,
                      .once = true};
    struct nm_trap trap;
    pc_drive(m, card, &source, &a, nm_machine_now(m));
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_TRAP, "%s", nm_machine_error(m));
    nm_card_take(m, trap.card);
    rest(m);
}

static void arrive(struct nm_machine *m, unsigned card, unsigned window)
{
    cast(m, card, window, PC_SYNC_ARRIVE3);
}

/* Two stations on different rings make a mask of four: those four, and of them the cards named. */
Test(sync, masks_are_imprecise)
{
    static const struct shape prototype = {"numachine-64", 4, {4, 4, 1}};
    enum { FROM = 17, CARDS = 0xa };
    struct nm_params p;
    set_up(&prototype, 0, &p);
    struct nm_machine *m = actors_machine(&p);
    const struct ring_shape shape = nm_ring_shape(&p);
    const ring_mask mask =
        ring_mask_or(ring_mask_station(&shape, 1), ring_mask_station(&shape, 14));
    const uint32_t to = PC_SYNC_TO_CARDS2;
    nm_card_register_write(m, FROM, to, CARDS);
    nm_card_register_write(m, FROM, to + 4, ring_mask_field(mask, 0));
    nm_card_register_write(m, FROM, to + 8, ring_mask_field(mask, 1));
    arrive(m, FROM, 2);
    unsigned reached = 0;
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        const unsigned got = nm_card_register_read(m, i, PC_SYNC_ARRIVED3);
        cr_expect_eq(got, ring_mask_covers(&shape, mask, i / 4) && CARDS >> i % 4 & 1, "card %u",
                     i);
        reached += got;
    }
    cr_expect_eq(reached, 8);
    arrive(m, FROM, 1);
    cr_expect_eq(nm_card_register_read(m, 5, PC_SYNC_ARRIVED3), 1, "window 1 goes to nobody");
    nm_machine_free(m);
}

/* A window reaches the monitoring cards' registers as well, and says where there is none. */
Test(sync, all_monitoring_cards_at_once)
{
    static const struct shape ring = {"ring", 2, {3, 2, 1}};
    struct nm_params p;
    set_up(&ring, 1, &p);
    struct nm_machine *m = actors_machine(&p);
    to_everybody(m, 5, 1);
    cast(m, 5, 1, MON_REG_LOAD_ALL);
    cast(m, 5, 1, PC_SYNC_SHAPE);
    for (unsigned i = 0; i < nm_machine_cards(m); i++) {
        for (unsigned k = 0; k < MON_COUNTERS; k++)
            cr_expect_eq(nm_card_register_read(m, i, MON_REG_COUNTER0 + 4 * k), 1);
        const uint32_t error = nm_card_register_read(m, i, MON_REG_ERROR);
        cr_expect_eq(MON_GET(error, ERROR_REASON), MON_REASON_read_only);
        cr_expect_eq(MON_GET(error, ERROR_OFFSET), PC_SYNC_SHAPE);
    }
    nm_machine_free(m);
}

/* Whatever a store through a window names, each card it comes to counts it as refused just when it
 * says so in its ERROR, and knows whose it was. */
Test(sync, refused_through_a_window)
{
    static const struct shape ring = {"ring", 2, {3, 2, 1}};
    enum { FROM = 5 };
    unsigned refused = 0, taken = 0;
    struct nm_params p;
    set_up(&ring, 0, &p);
    for (uint32_t at = 0; at < PC_SYNC_END; at += 4) {
        struct nm_machine *m = actors_machine(&p);
        to_everybody(m, FROM, at / 4 % PC_WINDOWS);
        cast(m, FROM, at / 4 % PC_WINDOWS, at);
        for (unsigned i = 0; i < nm_machine_cards(m); i++) {
            const uint32_t error = nm_card_register_read(m, i, MON_REG_ERROR);
            const struct pc_refused *r = pc_refused_at(m, i);
            struct nm_truth truth;
            nm_card_truth(m, i, &truth);
            cr_assert_eq(truth.refused_writes, MON_GET(error, ERROR_REASON) != 0, "%#x", at);
            refused += truth.refused_writes != 0;
            taken += truth.refused_writes == 0;
            if (!truth.refused_writes)
                continue;
            cr_assert(r->window && r->writer == FROM && r->card == i && r->offset == at, "%#x", at);
            cr_assert_eq(r->reason, MON_GET(error, ERROR_REASON));
        }
        nm_machine_free(m);
    }
    cr_expect(refused && taken, "%u refused, %u taken", refused, taken);
}

/* Nobody but its own processor has a card's windows: there is no such register. */
Test(sync, windows_are_the_own_processors)
{
    static const struct shape ring = {"ring", 2, {2, 1, 1}};
    struct nm_params p;
    set_up(&ring, 0, &p);
    struct nm_machine *m = actors_machine(&p);
    to_everybody(m, 1, 0);
    nm_card_register_write(m, 1, PC_WINDOW + PC_SYNC_ARRIVE3, 1);
    rest(m);
    for (unsigned i = 0; i < nm_machine_cards(m); i++)
        cr_expect_eq(nm_card_register_read(m, i, PC_SYNC_ARRIVED3), 0);
    cr_expect_eq(MON_GET(nm_card_register_read(m, 1, MON_REG_ERROR), ERROR_REASON),
                 MON_REASON_no_register);
    nm_machine_free(m);
}

/* The monitoring cards see the message leave once and come once to every card it is for. */
Test(sync, the_mask_knows_the_command)
{
    static const struct shape prototype = {"numachine-64", 4, {4, 4, 1}};
    enum { FROM = 3, OUT = 1, IN = 2 };
    for (unsigned direction = OUT; direction <= IN; direction++) {
        struct nm_params p;
        set_up(&prototype, 0, &p);
        struct nm_machine *m = actors_machine(&p);
        for (unsigned i = 0; i < nm_machine_cards(m); i++) {
            nm_card_register_write(m, i, MON_REG_COMMAND, NM_MSG_UNC_CAST);
            nm_card_register_write(m, i, MON_REG_MASK,
                                   MON_PUT(1, MASK_COMMAND) | MON_PUT(direction, MASK_DIRECTION));
            nm_card_register_write(m, i, MON_REG_CONTROL0,
                                   MON_PUT(MON_EV_packet_cycles, CONTROL0_EVENT) |
                                       MON_PUT(1, CONTROL0_MASK));
        }
        to_everybody(m, FROM, 0);
        arrive(m, FROM, 0);
        for (unsigned i = 0; i < nm_machine_cards(m); i++)
            cr_expect_eq(nm_card_register_read(m, i, MON_REG_COUNTER0),
                         direction == IN || i == FROM ? 2 : 0, "card %u: %u", i,
                         nm_card_register_read(m, i, MON_REG_COUNTER0));
        nm_machine_free(m);
    }
}

/* A bit that is set and enabled interrupts at the exact cycle, once until it is cleared. */
Test(sync, interrupts)
{
    static const struct shape one = {"station", 2, {1, 1, 1}};
    struct nm_params p;
    struct nm_trap trap;
    set_up(&one, 0, &p);
    p.monitor_interrupt = 7;
    struct nm_machine *m = actors_machine(&p);
    nm_card_register_write(m, 1, PC_SYNC_IRQ_ENABLE, 6);
    nm_card_register_write(m, 1, PC_SYNC_IRQ_SET, 1);
    rest(m);
    const sim_tick set = nm_machine_now(m);
    nm_card_register_write(m, 1, PC_SYNC_IRQ_SET, 2);
    nm_card_register_write(m, 1, PC_SYNC_IRQ_SET, 2);
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_INTERRUPT);
    cr_expect_eq(trap.card, 1);
    cr_expect_eq(trap.cause, NM_INTERRUPT_REGISTER);
    cr_expect_eq(trap.at, set + 7 * (p.cpu_clock / p.bus_clock));
    rest(m);
    nm_card_register_write(m, 1, PC_SYNC_IRQ_SET, 4);
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_INTERRUPT, "another bit");
    cr_expect_eq(nm_card_register_read(m, 1, PC_SYNC_IRQ_TAKE), 7);
    nm_card_register_write(m, 1, PC_SYNC_IRQ_SET, 2);
    cr_assert_eq(nm_machine_run(m, SIM_NEVER, &trap), NM_RUN_INTERRUPT, "cleared, and set again");
    nm_machine_free(m);
}
