/*
 * The monitors of the machine around the cards, under loads whose numbers can be worked out by
 * hand.
 */
#include "machine/statistics.h"
#include "actors.h"
#include "machine/values.h"
#include "monitor/board/board.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, SLOTS = 1 + LINE / 8 /* a line's message on an 8-byte bus or ring */ };

struct reference {
    bool store;
    uint64_t address;
};

struct script {
    const struct reference *next;
    size_t left;
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    struct script *s = self;
    (void)card, (void)now;
    if (!s->left)
        return;
    *out =
        actors_reference(s->next->store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD, s->next->address);
    s->next++;
    s->left--;
}

static const struct pc_driver_source source = {.next = next};

static struct nm_params shape(unsigned processors, unsigned stations, unsigned locals,
                              unsigned groups)
{
    struct nm_params p;
    actors_params(&p, processors, stations, locals, groups);
    p.memory_size = 1 << 24;
    return p;
}

/* Lets `running` cards finish, looking every `step` ticks; then everything on its way arrive. */
static void finish(struct nm_machine *m, unsigned running, sim_tick step)
{
    sim_tick until = nm_machine_now(m) + step;
    while (running) {
        struct nm_trap trap;
        const enum nm_run why = nm_machine_run(m, until, &trap);
        if (why == NM_RUN_UNTIL) {
            struct nm_station_monitor ignored;
            nm_machine_station(m, 0, &ignored);
            until += step;
            continue;
        }
        cr_assert_eq(why, NM_RUN_TRAP, "%s", nm_machine_error(m));
        nm_card_take(m, trap.card);
        running--;
    }
    struct nm_trap trap;
    until = nm_machine_now(m) + 100000;
    cr_assert_eq(nm_machine_run(m, until - until % 300000 + 300000, &trap), NM_RUN_UNTIL);
}

/* One card works through a list while the others stand still. */
static void work(struct nm_machine *m, unsigned card, const struct reference *list, size_t count)
{
    struct script s = {list, count};
    pc_drive(m, card, &source, &s, nm_machine_now(m));
    finish(m, 1, 1000);
}

static struct nm_station_monitor station(const struct nm_machine *m, unsigned number)
{
    struct nm_station_monitor out;
    nm_machine_station(m, number, &out);
    return out;
}

static struct nm_ring_monitor ring(const struct nm_machine *m, unsigned number)
{
    struct nm_ring_monitor out;
    nm_machine_ring(m, number, &out);
    return out;
}

/* `count` lines from `from` on, read once each. */
static struct reference *reads(uint64_t from, size_t count)
{
    struct reference *list = calloc(count, sizeof *list);
    for (size_t i = 0; i < count; i++)
        list[i].address = from + i * LINE;
    return list;
}

/* [TR-22]: the histogram counts a range of addresses when it is told to; nothing else changes. */
Test(looking, the_histogram_counts_the_addresses_it_is_told_to)
{
    enum { READS = 200, PART = 16 };
    struct nm_params p = shape(4, 1, 1, 1);
    p.histogram_from = 3 * LINE;
    p.histogram_length = PART * LINE;
    struct nm_machine *m = actors_machine(&p);
    struct reference *list = reads(0, READS);
    work(m, 2, list, READS);
    const struct nm_station_monitor s = station(m, 0);
    cr_expect_eq(s.sum.memory_accesses, READS);
    cr_expect_eq(s.sum.histogram[NM_HISTOGRAM_MEMORY][NM_ROW_LV][0][NM_MSG_RD][0], PART);
    free(list);
    nm_machine_free(m);
}

Test(looking, a_bus_is_busy_for_as_long_as_its_packets_take)
{
    enum { READS = 200 };
    const struct nm_params p = shape(4, 1, 1, 1);
    struct nm_machine *m = actors_machine(&p);
    struct reference *list = reads(0, READS);
    work(m, 2, list, READS);
    const struct nm_station_monitor s = station(m, 0);
    cr_expect_eq(s.sum.bus_busy, READS * (1 + SLOTS), "a request and a line for each read");
    cr_expect_eq(s.sum.memory_accesses, READS);
    cr_expect_eq(s.sum.histogram[NM_HISTOGRAM_MEMORY][NM_ROW_LV][0][NM_MSG_RD][0], READS);
    cr_expect_eq(s.most.deepest[nm_port_fifo(2, true, NM_NONSINKABLE)], 1);
    cr_expect_eq(s.most.deepest[nm_port_fifo(1, true, NM_NONSINKABLE)], 0);
    /* A request leaves its FIFO when the bus is granted: that is how long it was in it, but for the
     * time up to the first edge of the bus clock. */
    struct mon_taps taps;
    nm_card_taps(m, 2, &taps);
    const sim_tick cycle = p.cpu_clock / p.bus_clock;
    const uint64_t filled = s.sum.filled[nm_port_fifo(2, true, NM_NONSINKABLE)];
    cr_expect_geq(filled, taps.v[MON_TAP_GRANT_WAIT] * cycle);
    cr_expect_lt(filled, (taps.v[MON_TAP_GRANT_WAIT] + READS) * cycle);
    cr_expect_eq(nm_ring_count(&p), 0);
    nm_machine_free(m);
    free(list);
}

/* The card counts ring cycles, as the ring does, whatever the ratio of the two clocks. */
static const uint64_t ring_clocks[] = {25000000, 50000000, 150000000};
enum { RING_CLOCKS = sizeof ring_clocks / sizeof *ring_clocks };

static void reads_from_two_stations_on(uint64_t ring_clock)
{
    enum { READS = 150, HOME = 2 };
    struct nm_params p = shape(1, 4, 1, 1);
    p.ring_clock = ring_clock;
    struct nm_machine *m = actors_machine(&p);
    struct reference *list = reads(HOME * p.memory_size, READS);
    work(m, 0, list, READS);
    const struct nm_ring_monitor r = ring(m, 0);
    /* Requests go 0 -> 1 -> 2, lines 2 -> 3 -> 0. */
    static const unsigned slots[4] = {1, 1, SLOTS, SLOTS};
    for (unsigned link = 0; link < 4; link++) {
        struct mon_taps taps;
        cr_expect_eq(r.sum.link[link], READS * slots[link], "link %u: %lu", link,
                     (unsigned long)r.sum.link[link]);
        nm_card_taps(m, link, &taps);
        cr_expect_eq(taps.v[MON_TAP_RING_BUSY], r.sum.link[link]);
        cr_expect_eq(taps.v[MON_TAP_UPPER_RING_BUSY], 0);
    }
    cr_expect_eq(r.sum.halted, 0);
    const struct nm_station_monitor here = station(m, 0), home = station(m, HOME);
    cr_expect_eq(here.sum.bus_busy, READS * (1 + SLOTS));
    cr_expect_eq(home.sum.bus_busy, READS * (1 + SLOTS));
    cr_expect_eq(station(m, 1).sum.bus_busy, 0);
    cr_expect_eq(here.sum.sent_header, READS);
    cr_expect_eq(here.sum.received_data, READS * (SLOTS - 1));
    cr_expect_eq(here.sum.misses, READS);
    cr_expect_eq(here.sum.hits, 0);
    cr_expect_eq(home.sum.histogram[NM_HISTOGRAM_MEMORY][NM_ROW_LV][0][NM_MSG_RD][1], READS);
    cr_expect_eq(home.sum.memory_accesses, READS);
    nm_machine_free(m);
    free(list);
}

Test(looking, a_ring_link_is_busy_for_as_many_cycles_as_slots_pass)
{
    for (unsigned i = 0; i < RING_CLOCKS; i++)
        reads_from_two_stations_on(ring_clocks[i]);
}

static void reads_from_the_next_ring(uint64_t ring_clock)
{
    enum { READS = 90 };
    struct nm_params p = shape(1, 2, 3, 1);
    p.ring_clock = ring_clock;
    struct nm_machine *m = actors_machine(&p);
    struct reference *list = reads(2 * p.memory_size, READS); /* station 2 is on local ring 1 */
    cr_assert_eq(nm_ring_count(&p), 4);
    cr_assert(nm_ring_place(&p, 3).top && nm_ring_place(&p, 3).level == 1);
    work(m, 0, list, READS);
    const struct nm_ring_monitor top = ring(m, 3), below = ring(m, 0);
    cr_expect_eq(top.sum.link[0], READS);
    cr_expect_eq(top.sum.link[1], READS * SLOTS);
    cr_expect_eq(top.sum.link[2], READS * SLOTS, "lines pass the interface of local ring 2");
    cr_expect_eq(below.sum.up, READS);
    cr_expect_eq(below.sum.down, READS * SLOTS);
    static const unsigned slots[6] = {1, 1, SLOTS, SLOTS, SLOTS, SLOTS};
    for (unsigned s = 0; s < 6; s++) {
        struct mon_taps taps;
        nm_card_taps(m, s, &taps);
        cr_expect_eq(taps.v[MON_TAP_UPPER_RING_BUSY], READS * slots[s]);
    }
    nm_machine_free(m);
    free(list);
}

Test(looking, the_ring_above_is_seen_where_the_local_ring_meets_it)
{
    for (unsigned i = 0; i < RING_CLOCKS; i++)
        reads_from_the_next_ring(ring_clocks[i]);
}

/* What the secondary cache's address pins showed of `kinds`, counted or lost (N-81, N-88). */
static uint64_t shown(unsigned kinds)
{
    enum { PRIMARY = 32, WAY = 2 * LINE /* the same place of the secondary cache */ };
    static const struct reference own[] = {
        {false, 0},       /* look-up, fill, refill */
        {true, 0},        /* look-up: it must ask */
        {false, PRIMARY}, /* the other part of the line: look-up, refill */
        {false, LINE},    /* the dirty primary line goes down: look-up, victim, fill, refill */
        {false, WAY},     /* the dirty line is read out: look-up, victim, fill, refill */
        {true, LINE},     /* look-up: it must ask; and its part has gone: refill */
    };
    static const struct reference others[] = {
        {false, LINE}, /* an intervention: look-up, and the line is read out */
        {true, WAY},   /* an invalidate that hits: look-up */
    };
    struct nm_params p = shape(2, 1, 1, 1);
    p.l1d_size = p.l1i_size = 2 * PRIMARY;
    p.l1d_line = p.l1i_line = PRIMARY;
    p.l2_size = 4 * LINE;
    p.l2_split = true;
    struct nm_machine *m = actors_machine(&p);
    nm_card_register_write(m, 0, MON_REG_SRAM_CONTROL,
                           MON_SOURCE_scaddr | MON_PUT(1, SRAM_CONTROL_DATA_HALF) |
                               MON_PUT(kinds, SRAM_CONTROL_KINDS));
    work(m, 0, own, sizeof own / sizeof *own);
    work(m, 1, others, sizeof others / sizeof *others);
    const struct mon_sram *sram = &mon_const_board_of(nm_card_unit(m, 0))->sram;
    uint64_t sum = sram->lost;
    for (unsigned i = 0; i < MON_SRAM_WORDS; i++)
        sum += sram->word ? sram->word[i] : 0;
    nm_machine_free(m);
    return sum;
}

Test(looking, the_secondary_caches_pins_show_every_access)
{
    enum { WORDS = LINE / 16, PARTS = 32 / 16 };
    static const struct {
        unsigned kinds, count;
    } rows[] = {
        {MON_KIND_LOOKUP, 6},
        {MON_KIND_REFILL, 5 * PARTS},
        {MON_KIND_FILL, 3 * WORDS},
        {MON_KIND_VICTIM, PARTS + WORDS},
        {MON_KIND_EXTERNAL, 2 + WORDS},
        {MON_KIND_LOOKUP | MON_KIND_REFILL, 6 + 5 * PARTS},
        {0, 6 + 5 * PARTS + 3 * WORDS + PARTS + WORDS + 2 + WORDS},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const uint64_t count = shown(rows[i].kinds);
        cr_expect_eq(count, rows[i].count, "kinds %#x: %lu", rows[i].kinds, (unsigned long)count);
    }
}

Test(looking, what_a_network_cache_is_good_for)
{
    struct nm_params p = shape(2, 2, 1, 1);
    p.l1d_size = p.l1i_size = 64;
    p.l2_size = 256; /* two lines of data */
    p.netcache_size = 64 * LINE;
    struct nm_machine *m = actors_machine(&p);
    const uint64_t a = p.memory_size, same_l2 = a + 2 * LINE, same_place = a + p.netcache_size;
    const struct reference load = {false, a}, store = {true, a}, evict = {false, same_l2},
                           eject = {false, same_place};
    work(m, 0, &load, 1);  /* miss */
    work(m, 1, &load, 1);  /* migration: card 0 brought it */
    work(m, 0, &evict, 1); /* miss */
    work(m, 0, &load, 1);  /* caching: it was only overwritten in the card's own cache */
    work(m, 0, &store, 1); /* miss: permission must come from the home */
    work(m, 1, &load, 1);  /* localised: card 0 hands it over */
    work(m, 1, &eject, 1); /* miss, and the line must go home */
    const struct nm_station_monitor s = station(m, 0);
    cr_expect_eq(s.sum.requests, 7, "%lu", (unsigned long)s.sum.requests);
    cr_expect_eq(s.sum.misses, 4, "%lu", (unsigned long)s.sum.misses);
    cr_expect_eq(s.sum.hits, 3, "%lu", (unsigned long)s.sum.hits);
    cr_expect_eq(s.sum.migration, 1);
    cr_expect_eq(s.sum.caching, 1);
    cr_expect_eq(s.sum.localised, 1);
    cr_expect_eq(s.sum.combined, 0);
    cr_expect_eq(s.sum.false_remote, 0);
    cr_expect_eq(s.sum.special, 0);
    cr_expect_eq(s.sum.ejections, 1);
    const nm_histogram *h = &s.sum.histogram[NM_HISTOGRAM_NETCACHE];
    cr_expect_eq((*h)[NM_ROW_N][0][NM_MSG_RD][0], 3);
    cr_expect_eq((*h)[NM_ROW_GV][0][NM_MSG_RD][0], 2);
    cr_expect_eq((*h)[NM_ROW_GV][0][NM_MSG_UPGD][0], 1);
    cr_expect_eq((*h)[NM_ROW_LI][0][NM_MSG_RD][0], 1);
    cr_expect_eq((*h)[NM_ROW_GI][1][NM_MSG_DATA_S][1], 3, "sent for: a locked GI");
    const struct nm_station_monitor home = station(m, 1);
    cr_expect_eq(home.sum.histogram[NM_HISTOGRAM_MEMORY][NM_ROW_GI][0][NM_MSG_WB][1], 1);
    nm_machine_free(m);
}

/* ---- sums under a random load ---------------------------------------------------------------- */

enum { RANDOM_REFERENCES = 1500, RANDOM_CARDS_MAX = 16 };

struct load {
    struct reference list[RANDOM_CARDS_MAX][RANDOM_REFERENCES];
    struct script script[RANDOM_CARDS_MAX];
};

static void draw(struct load *l, const struct nm_params *p)
{
    uint64_t random = 42;
    for (unsigned c = 0; c < RANDOM_CARDS_MAX; c++) {
        for (unsigned i = 0; i < RANDOM_REFERENCES; i++) {
            random = random * 6364136223846793005ull + 1442695040888963407ull;
            const uint64_t which = (random >> 40) % 24, stations = nm_params_stations(p);
            l->list[c][i] = (struct reference){random >> 34 & 1, which % stations * p->memory_size +
                                                                     which / stations * LINE};
        }
        l->script[c] = (struct script){l->list[c], RANDOM_REFERENCES};
    }
}

/* A machine after a load of all its cards, looked at every `step` ticks.
 * @param told  of each tenure of a bus; NULL: nobody */
static struct nm_machine *loaded(const struct nm_params *p, sim_tick step, nm_bus_tenure_fn *told,
                                 void *ctx)
{
    struct nm_machine *m = actors_machine(p);
    nm_machine_watch_buses(m, told, ctx);
    struct load *l = calloc(1, sizeof *l);
    draw(l, p);
    for (unsigned c = 0; c < nm_machine_cards(m); c++)
        pc_drive(m, c, &source, &l->script[c], nm_machine_now(m));
    finish(m, nm_machine_cards(m), step);
    free(l);
    return m;
}

static struct nm_params random_shape(unsigned i)
{
    static const unsigned shapes[][4] = {{4, 1, 1, 1}, {2, 4, 1, 1}, {2, 2, 3, 1}, {1, 2, 2, 2}};
    struct nm_params p = shape(shapes[i][0], shapes[i][1], shapes[i][2], shapes[i][3]);
    p.l1d_size = p.l1i_size = 64;
    p.l2_size = 512;
    p.netcache_size = 4 * LINE;
    p.bus_fifo = 2;
    p.ring_between = i % 2 ? p.ring_between : 2;
    return p;
}

enum { RANDOM_SHAPES = 4 };

Test(looking, every_message_is_an_access_or_refused_and_every_slot_sent_arrives)
{
    for (unsigned i = 0; i < RANDOM_SHAPES; i++) {
        const struct nm_params p = random_shape(i);
        struct nm_machine *m = loaded(&p, 5000, NULL, NULL);
        uint64_t taken = 0, cards = 0, cells = 0, sent = 0, received = 0, copies = 0, headers = 0;
        for (unsigned s = 0; s < nm_machine_stations(m); s++) {
            const struct nm_station_counts c = station(m, s).sum;
            taken +=
                c.memory_accesses + c.memory_refused + c.netcache_accesses + c.netcache_refused;
            sent += c.sent_header + c.sent_data;
            received += c.received_header + c.received_data;
            headers += c.received_header;
            copies += c.copies;
            const uint64_t *cell = &c.histogram[0][0][0][0][0];
            for (size_t n = 0; n < sizeof c.histogram / sizeof *cell; n++)
                cells += cell[n];
            cells += c.memory_refused + c.netcache_refused;
            cr_expect_geq(c.requests, c.hits + c.misses);
            cr_expect_eq(c.hits, c.migration + c.caching + c.localised);
        }
        for (unsigned r = 0; r < nm_ring_count(&p); r++)
            copies += ring(m, r).sum.between;
        for (unsigned c = 0; c < nm_machine_cards(m); c++) {
            struct mon_taps taps;
            nm_card_taps(m, c, &taps);
            cards += taps.v[MON_TAP_HEADERS_OUT];
        }
        cr_expect_eq(sent + copies, received, "shape %u: %lu + %lu, %lu", i, (unsigned long)sent,
                     (unsigned long)copies, (unsigned long)received);
        cr_expect_eq(taken, cells);
        cr_expect_eq(taken, cards + headers, "shape %u: %lu, %lu + %lu", i, (unsigned long)taken,
                     (unsigned long)cards, (unsigned long)headers);
        cr_expect_gt(taken, 1000);
        nm_machine_free(m);
    }
}

/* Packets that have passed each FIFO of each bus port. */
enum { STATIONS_MOST = 8 };
typedef uint64_t passed[STATIONS_MOST][NM_FIFO_DELIVERED];

static void pass(void *ctx, unsigned station, sim_tick now, unsigned cycles,
                 const struct nm_packet *p)
{
    passed *count = ctx;
    const enum nm_class class = nm_message_row(p->message)->class;
    (void)now, (void)cycles;
    (*count)[station][4 * p->source + 2 + class]++;
    for (unsigned m = 0; m < NM_MODULES; m++)
        (*count)[station][4 * m + class] += p->targets >> m & 1;
}

/* A FIFO between a ring and what is beside it: what passes stays for whole cycles of the ring, at
 * least for so many each, and there were never more than at most. */
static void check_ring_fifo(const char *which, const struct nm_machine *m, uint64_t slots,
                            unsigned least, uint64_t filled, uint64_t deepest)
{
    const struct nm_params *p = nm_machine_params(m);
    const uint64_t cycle = p->cpu_clock / p->ring_clock;
    cr_expect(slots || !filled, "%s: none passed in %lu", which, (unsigned long)filled);
    cr_expect(filled % cycle == 0 && filled >= slots * least * cycle &&
                  filled <= deepest * nm_machine_now(m),
              "%s: %lu passed in %lu, at most %lu", which, (unsigned long)slots,
              (unsigned long)filled, (unsigned long)deepest);
}

static void check_ring_fifos(const struct nm_machine *m)
{
    for (unsigned s = 0; s < nm_machine_stations(m); s++) {
        const struct nm_station_monitor seen = station(m, s);
        check_ring_fifo("input", m, seen.sum.received_header + seen.sum.received_data, 0,
                        seen.sum.filled[NM_FIFO_INPUT], seen.most.deepest[NM_FIFO_INPUT]);
    }
    for (unsigned r = 0; r < nm_ring_count(nm_machine_params(m)); r++) {
        const struct nm_ring_monitor seen = ring(m, r);
        check_ring_fifo("up", m, seen.sum.up, 1, seen.sum.up_filled, seen.most.up_deepest);
        check_ring_fifo("down", m, seen.sum.down, 1, seen.sum.down_filled, seen.most.down_deepest);
    }
}

/* A FIFO that packets have passed has had one, and no more than there is room for; each has waited
 * in its module's own for arbitration at least. One that none has passed has had none. */
Test(looking, each_fifo_has_what_passed_it)
{
    uint64_t used = 0;
    for (unsigned i = 0; i < RANDOM_SHAPES; i++) {
        const struct nm_params p = random_shape(i);
        const uint64_t least = p.bus_arbitration * (p.cpu_clock / p.bus_clock);
        passed count = {{0}};
        struct nm_machine *m = loaded(&p, 5000, pass, &count);
        cr_assert_leq(nm_machine_stations(m), STATIONS_MOST);
        for (unsigned s = 0; s < nm_machine_stations(m); s++) {
            const struct nm_station_monitor seen = station(m, s);
            for (unsigned f = 0; f < NM_FIFO_DELIVERED; f++) {
                const uint64_t n = count[s][f], deepest = seen.most.deepest[f],
                               filled = seen.sum.filled[f];
                cr_expect(n ? deepest >= 1 && deepest <= p.bus_fifo : !deepest,
                          "station %u, FIFO %u: %lu passed, at most %lu", s, f, (unsigned long)n,
                          (unsigned long)deepest);
                cr_expect(f % 4 < 2 || filled >= n * least,
                          "station %u, FIFO %u: %lu passed in %lu", s, f, (unsigned long)n,
                          (unsigned long)filled);
                cr_expect(n ? filled <= deepest * nm_machine_now(m) : !filled);
                used += n > 0;
            }
        }
        check_ring_fifos(m);
        nm_machine_free(m);
    }
    cr_expect_gt(used, 200);
}

/* Neither zero nor below it. */
static bool counted(uint64_t total)
{
    return total && total < UINT64_MAX / 2;
}

/* Each row of statistics.def and each FIFO has something to count under one load or another; but
 * for special reads, a race that the protocol's explorer meets and these loads do not. */
Test(looking, nothing_stays_zero)
{
    struct nm_station_monitor stations = {0};
    struct nm_ring_monitor rings = {0};
    const struct nm_station_monitor no_station = {0};
    const struct nm_ring_monitor no_ring = {0};
    for (unsigned i = 0; i < RANDOM_SHAPES; i++) {
        const struct nm_params p = random_shape(i);
        struct nm_machine *m = loaded(&p, 5000, NULL, NULL);
        for (unsigned s = 0; s < nm_machine_stations(m); s++) {
            const struct nm_station_monitor seen = station(m, s);
            nm_station_monitor_add(&stations, &seen, &no_station);
        }
        for (unsigned r = 0; r < nm_ring_count(&p); r++) {
            const struct nm_ring_monitor seen = ring(m, r);
            nm_ring_monitor_add(&rings, &seen, &no_ring);
        }
        nm_machine_free(m);
    }
#define STATION(field, part, name, unit, sentence) \
    cr_expect(counted(stations.sum.field) || !strcmp(#field, "special"), #field);
#define RING(field, part, name, unit, sentence) cr_expect(counted(rings.sum.field), #field);
#include "machine/statistics.def"
#undef STATION
#undef RING
    for (unsigned f = 0; f < NM_STATION_FIFOS; f++)
        cr_expect(stations.sum.filled[f] && stations.most.deepest[f], "FIFO %u: %lu %lu", f,
                  (unsigned long)stations.sum.filled[f], (unsigned long)stations.most.deepest[f]);
    cr_expect(rings.sum.up_filled && rings.most.up_deepest && rings.sum.down_filled &&
              rings.most.down_deepest);
}

/* What passed between two looks is added, and of greatest values the greatest is kept, word by
 * word. */
Test(looking, differences_are_added)
{
    struct nm_station_monitor sum, now, start;
    struct nm_ring_monitor ring_sum, ring_now, ring_start;
    uint64_t random = 7, *words[] = {(uint64_t *)&sum, (uint64_t *)&now, (uint64_t *)&start};
    uint64_t *ring_words[] = {(uint64_t *)&ring_sum, (uint64_t *)&ring_now,
                              (uint64_t *)&ring_start};
    for (size_t i = 0; i < sizeof sum / 8; i++)
        for (unsigned k = 0; k < 3; k++)
            words[k][i] = actors_draw(&random, 1u << 20);
    for (size_t i = 0; i < sizeof ring_sum / 8; i++)
        for (unsigned k = 0; k < 3; k++)
            ring_words[k][i] = actors_draw(&random, 1u << 20);
    const struct nm_station_monitor before = sum;
    const struct nm_ring_monitor ring_before = ring_sum;
    nm_station_monitor_add(&sum, &now, &start);
    nm_ring_monitor_add(&ring_sum, &ring_now, &ring_start);
#define EXPECT_ADDED(type, sum, before, now, start)                                            \
    for (size_t i = 0; i < sizeof(sum) / 8; i++) {                                             \
        const uint64_t was = ((const uint64_t *)&before)[i], is = ((const uint64_t *)&now)[i], \
                       began = ((const uint64_t *)&start)[i];                                  \
        const bool adds = i < offsetof(type, most) / 8;                                        \
        cr_expect_eq(((const uint64_t *)&sum)[i],                                              \
                     adds       ? was + is - began                                             \
                     : was > is ? was                                                          \
                                : is,                                                          \
                     "%zu", i);                                                                \
    }
    EXPECT_ADDED(struct nm_station_monitor, sum, before, now, start)
    EXPECT_ADDED(struct nm_ring_monitor, ring_sum, ring_before, ring_now, ring_start)
#undef EXPECT_ADDED
}

Test(looking, looking_changes_nothing)
{
    for (unsigned i = 0; i < RANDOM_SHAPES; i++) {
        const struct nm_params p = random_shape(i);
        struct nm_machine *a = loaded(&p, 97, NULL, NULL), *b = loaded(&p, 50000, NULL, NULL);
        cr_assert_eq(nm_machine_now(a), nm_machine_now(b));
        for (unsigned s = 0; s < nm_machine_stations(a); s++) {
            const struct nm_station_monitor x = station(a, s), y = station(b, s);
            cr_expect(memcmp(&x, &y, sizeof x) == 0, "shape %u: station %u", i, s);
        }
        for (unsigned r = 0; r < nm_ring_count(&p); r++) {
            const struct nm_ring_monitor x = ring(a, r), y = ring(b, r);
            cr_expect(memcmp(&x, &y, sizeof x) == 0, "shape %u: ring %u", i, r);
        }
        nm_machine_free(a);
        nm_machine_free(b);
    }
}
