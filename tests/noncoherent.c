/*
 * Accesses outside coherence, one card's or everybody's at once: uncached data in memory and in the
 * registers of cards, and lines of non-coherent pages. Bits of a virtual address say which
 * attribute its page has.
 */
#include "machine/noncoherent.h"
#include "actors.h"
#include "machine/values.h"

#include <criterion/criterion.h>
#include <endian.h>
#include <stdio.h>
#include <string.h>

enum { STATIONS = 4, PER_STATION = 2, CARDS = STATIONS * PER_STATION, LINE = 64, PLENTY = 40000 };
enum { MEMORY = 1 << 20, SRAM = 0x40000 };

/* What a card shall do, one reference after another, and what came of the last one. */
struct actor {
    const char *what; /* 'r' read, 'w' write, 'l' LL, 'c' SC, 'f' fetch, 'y' sync,
                         'L' LL of a coherent line; NULL-terminated, repeated `times` */
    uint64_t address, step, value;
    unsigned size, times, at;
    uint64_t got;
    sim_tick over; /* when the last reference was done */
};

static void next(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    static const enum pc_reference_kind kinds[] = {['r'] = PC_REFERENCE_LOAD,
                                                   ['w'] = PC_REFERENCE_STORE,
                                                   ['l'] = PC_REFERENCE_LOAD_LINKED,
                                                   ['L'] = PC_REFERENCE_LOAD_LINKED,
                                                   ['c'] = PC_REFERENCE_STORE_CONDITIONAL,
                                                   ['f'] = PC_REFERENCE_FETCH,
                                                   ['y'] = PC_REFERENCE_SYNC};
    struct actor *a = self;
    (void)card, (void)now;
    if (!a->times)
        return;
    const char what = a->what[a->at];
    *out = (struct pc_reference){
        .kind = kinds[(int)what], .address = a->address, .size = a->size, .value = a->value};
}

static void done(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result)
{
    struct actor *a = self;
    (void)card;
    if (reference->kind == PC_REFERENCE_LOAD)
        a->got = result->value;
    a->over = result->done;
    if (a->what[++a->at])
        return;
    a->at = 0;
    a->times--;
    a->address += a->step;
}

static const struct pc_driver_source source = {.next = next, .done = done};

static struct nm_machine *make(unsigned fifo)
{
    struct nm_params p;
    actors_params(&p, PER_STATION, 2, 2, 1);
    p.memory_size = MEMORY;
    p.l2_size = p.netcache_size = 1 << 16;
    p.check = true;
    if (fifo)
        actors_queues(&p, fifo);
    return actors_machine(&p);
}

static void start(struct nm_machine *m, unsigned card, struct actor *a)
{
    pc_drive(m, card, &source, a, nm_machine_now(m));
}

static uint64_t doubleword(struct nm_machine *m, uint64_t pa)
{
    uint64_t value;
    memcpy(&value, nm_machine_image(m) + pa, sizeof value);
    return be64toh(value);
}

struct end {
    enum pc_exc exc;
    sim_tick at;
};

/* Until the next card traps. */
static struct end ended(struct nm_machine *m)
{
    struct nm_trap trap;
    enum nm_run why = nm_machine_run(m, SIM_NEVER, &trap);
    cr_assert_eq(why, NM_RUN_TRAP, "%d %s", (int)why, nm_machine_error(m));
    const struct end end = {pc_cpu_at(m, trap.card)->exc, trap.at};
    nm_card_take(m, trap.card);
    return end;
}

static void settle(struct nm_machine *m)
{
    struct nm_trap trap;
    enum nm_run why = nm_machine_run(m, nm_machine_now(m) + PLENTY, &trap);
    cr_assert_eq(why, NM_RUN_UNTIL, "%d %s", (int)why, nm_machine_error(m));
}

static struct actor one(struct nm_machine *m, unsigned card, const char *what, uint64_t address,
                        unsigned size, uint64_t value)
{
    struct actor a = {what, address, 0, value, size, 1, 0, 0, 0};
    start(m, card, &a);
    const enum pc_exc exc = ended(m).exc;
    cr_assert_eq(exc, PC_EXC_SYS, "card %u, '%s' at %#lx: exception %d", card, what,
                 (unsigned long)address, (int)exc);
    settle(m);
    return a;
}

static uint64_t memory_of(unsigned station, unsigned place)
{
    return (uint64_t)station * MEMORY + place;
}

static uint64_t registers_of(unsigned card, unsigned offset)
{
    return NM_REGISTERS + (uint64_t)card * NM_REGISTER_SPACE + offset;
}

/* Parts of doublewords, to memory of every station, from every card: what one writes the others
 * read, and nothing beside it changes. */
Test(outside, uncached_data_are_in_memory)
{
    static const unsigned sizes[] = {1, 2, 4, 8};
    struct nm_machine *m = make(0);
    for (unsigned i = 0; i < 4 * CARDS; i++) {
        const unsigned card = i % CARDS, reader = (i * 5 + 3) % CARDS, size = sizes[i % 4];
        const uint64_t va = UNCACHED | memory_of(i % 3 % STATIONS, 0x1000 + i / 3 * 8 + 8 - size);
        const uint64_t value = 0x1122334455667788ull * (i + 1) >> (64 - 8 * size);
        one(m, card, "w", va, size, value);
        cr_expect_eq(one(m, reader, "r", va, size, 0).got, value, "%u bytes", size);
        const uint64_t whole = one(m, reader, "r", va & ~7ull, 8, 0).got;
        cr_expect_eq(whole, value, "%u bytes: the doubleword is %#lx", size, (unsigned long)whole);
    }
    nm_machine_free(m);
}

/* The only state that changes is memory's: no line comes into any cache, no directory learns. */
Test(outside, uncached_data_are_nowhere_else)
{
    struct nm_machine *m = make(0);
    struct nm_truth truth;
    one(m, 0, "wr", UNCACHED | memory_of(2, 0x40), 8, 1);
    one(m, 5, "wr", UNCACHED | memory_of(2, 0x40), 8, 1);
    cr_expect_str_eq(nm_line_at_home(m, memory_of(2, 0x40)), "LV");
    cr_expect_str_eq(nm_line_at_network(m, 0, memory_of(2, 0x40)), "N");
    nm_card_truth(m, 0, &truth);
    cr_expect_eq(truth.l1d_misses + truth.l2_misses + truth.upgrades, 0);
    nm_machine_free(m);
}

Test(outside, a_store_is_buffered_and_the_next_access_waits)
{
    struct nm_machine *m = make(0);
    const uint64_t there = UNCACHED | memory_of(3, 0x80);
    struct actor a = {"w", there, 8, 7, 8, 1, 0, 0, 0};
    start(m, 0, &a);
    const sim_tick begun = ended(m).at;
    cr_expect_lt(begun - a.over, 10, "the store takes a cycle");
    settle(m);
    const sim_tick from = nm_machine_now(m);
    const sim_tick alone = one(m, 0, "r", there, 8, 0).over - from;
    const sim_tick from2 = nm_machine_now(m);
    a = (struct actor){"w", there, 8, 7, 8, 2, 0, 0, 0};
    start(m, 0, &a);
    ended(m);
    const sim_tick second = a.over - from2;
    cr_expect(second >= alone && second < alone + 20,
              "the second store waits for the first: %lu, a read alone takes %lu",
              (unsigned long)second, (unsigned long)alone);
    settle(m);
    const sim_tick from4 = nm_machine_now(m);
    const sim_tick synchronised = one(m, 0, "wy", there, 8, 7).over - from4;
    cr_expect(synchronised >= alone && synchronised < alone + 20, "SYNC waits for the store: %lu",
              (unsigned long)synchronised);
    /* a cached access does not wait */
    one(m, 0, "r", memory_of(0, 0), 8, 0);
    const sim_tick from3 = nm_machine_now(m);
    start(m, 0, &(struct actor){"w", there, 0, 7, 8, 1, 0, 0, 0});
    ended(m);
    a = (struct actor){"r", memory_of(0, 0), 0, 0, 8, 1, 0, 0, 0};
    start(m, 0, &a);
    ended(m);
    cr_expect_lt(a.over - from3, alone);
    settle(m);
    nm_machine_free(m);
}

/* Every card writes its own byte of the same doublewords, with tiny queues too; none is lost. */
Test(outside, neighbours_do_not_lose_bytes)
{
    for (unsigned fifo = 0; fifo < 2; fifo++) {
        struct nm_machine *m = make(fifo);
        struct actor a[CARDS];
        for (unsigned i = 0; i < CARDS; i++) {
            a[i] = (struct actor){"wr", UNCACHED | memory_of(1, i), 8, 0x11 * (i + 1), 1, 200, 0, 0,
                                  0};
            start(m, i, &a[i]);
        }
        for (unsigned i = 0; i < CARDS; i++)
            ended(m);
        settle(m);
        for (unsigned i = 0; i < 200; i++)
            cr_assert_eq(doubleword(m, memory_of(1, 8 * i)), 0x1122334455667788ull);
        nm_machine_free(m);
    }
}

/* Registers of every card from every card: the SRAM window, as plain memory of 32-bit words. */
Test(outside, registers_of_all_cards)
{
    struct nm_machine *m = make(1);
    for (unsigned i = 0; i < CARDS * CARDS; i++) {
        const unsigned card = i % CARDS, target = i / CARDS;
        const uint64_t va = registers_of(target, SRAM + 4 * i);
        one(m, card, "w", va, 4, 0xabc00000 + i);
        cr_expect_eq(one(m, (card + 3) % CARDS, "r", va, 4, 0).got, 0xabc00000 + i,
                     "card %u's registers from %u", target, card);
        cr_expect_eq(one(m, card, "r", registers_of((target + 1) % CARDS, SRAM + 4 * i), 4, 0).got,
                     0, "another card's have not changed");
    }
    nm_machine_free(m);
}

/* A card's own registers need no bus, those of the same station no ring. */
Test(outside, the_nearer_the_registers_the_sooner)
{
    struct nm_machine *m = make(0);
    sim_tick took[3];
    static const unsigned target[] = {0, 1, 7};
    for (unsigned i = 0; i < 3; i++) {
        const sim_tick from = nm_machine_now(m);
        took[i] = one(m, 0, "r", registers_of(target[i], SRAM), 4, 0).over - from;
    }
    cr_expect(took[0] < took[1] && took[1] < took[2], "%lu %lu %lu", (unsigned long)took[0],
              (unsigned long)took[1], (unsigned long)took[2]);
    nm_machine_free(m);
}

Test(outside, what_is_refused)
{
    static const struct {
        const char *what;
        uint64_t address;
        unsigned size;
        enum pc_exc exc;
    } rows[] = {
        {"l", UNCACHED | 64, 4, PC_EXC_DBE},
        {"Lc", UNCACHED | 64, 4, PC_EXC_DBE},
        {"l", NONCOHERENT | 64, 8, PC_EXC_DBE},
        {"Lc", NONCOHERENT | 64, 8, PC_EXC_DBE},
        {"f", UNCACHED | 64, 4, PC_EXC_IBE},
        {"r", UNCACHED | 66, 4, PC_EXC_ADEL},
        {"w", UNCACHED | 66, 8, PC_EXC_ADES},
        {"r", NM_REGISTERS + SRAM, 8, PC_EXC_DBE},
        {"w", NM_REGISTERS + SRAM, 2, PC_EXC_DBE},
        {"w", NM_REGISTERS + SRAM, 1, PC_EXC_DBE},
        {"r", NM_REGISTERS + (uint64_t)CARDS * NM_REGISTER_SPACE, 4, PC_EXC_DBE},
    };
    struct nm_machine *m = make(0);
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct actor a = {rows[i].what, rows[i].address, 0, 0, rows[i].size, 1, 0, 0, 0};
        start(m, i % CARDS, &a);
        const enum pc_exc exc = ended(m).exc;
        cr_expect_eq(exc, rows[i].exc, "row %u: %d", i, (int)exc);
        settle(m);
    }
    nm_machine_free(m);
}

/* Cached without a directory: fetched once, written without asking, written back when replaced. */
Test(outside, noncoherent_lines)
{
    struct nm_machine *m = make(0);
    struct nm_truth t, before;
    const uint64_t va = NONCOHERENT | memory_of(2, 0x40);
    one(m, 0, "rw", va, 8, 5);
    one(m, 4, "rw", va, 8, 6);
    nm_card_truth(m, 0, &t);
    cr_expect_eq(t.l2_misses, 1);
    cr_expect_eq(t.upgrades, 0, "nobody is asked");
    struct mon_taps taps;
    nm_card_taps(m, 0, &taps);
    cr_expect_eq(t.requests, 0, "no RD, RDEXCL or UPGD");
    cr_expect_eq(taps.v[MON_TAP_READS], 0);
    cr_expect_eq(taps.v[MON_TAP_READ_LATENCY], 0);
    cr_expect_eq(taps.v[MON_TAP_READ_TIME], 0);
    cr_expect_str_eq(nm_line_at_home(m, memory_of(2, 0x40)), "LV", "the directory does not know");
    cr_expect_str_eq(nm_line_at_network(m, 0, memory_of(2, 0x40)), "N");
    before = t;
    one(m, 0, "wr", va, 8, 7);
    nm_card_truth(m, 0, &t);
    cr_expect_eq(t.l2_misses, before.l2_misses, "another card's write has taken nothing away");
    one(m, 0, "r", NONCOHERENT | memory_of(2, 0x40 + (1 << 15)), 8, 0);
    nm_card_truth(m, 0, &t);
    cr_expect_eq(t.writebacks, 1, "a dirty one is written back when its place is needed");
    one(m, 0, "r", va, 8, 0);
    one(m, 0, "r", NONCOHERENT | memory_of(2, 0x40 + (1 << 15)), 8, 0);
    nm_card_truth(m, 0, &t);
    cr_expect_eq(t.writebacks, 1, "a clean one is not");
    nm_machine_free(m);
}

/* The same line under both attributes (a page that was freed and is somebody else's now): what the
 * cache holds under the other one leaves first, and the protocol never sees it. */
Test(outside, a_line_changes_its_attribute)
{
    struct nm_machine *m = make(0);
    struct nm_truth t;
    const uint64_t pa = memory_of(2, 0x40);
    one(m, 0, "w", NONCOHERENT | pa, 8, 5);
    one(m, 4, "w", pa, 8, 6); /* no copy of card 0 is known */
    one(m, 0, "r", pa, 8, 0);
    nm_card_truth(m, 0, &t);
    cr_expect_eq(t.writebacks, 1);
    cr_expect_eq(t.l2_misses, 2);
    one(m, 0, "w", pa, 8, 7);
    one(m, 0, "w", NONCOHERENT | pa, 8, 8);
    nm_card_truth(m, 0, &t);
    cr_expect_eq(t.writebacks, 2, "as an owner, by the protocol");
    cr_expect_str_eq(nm_line_at_network(m, 0, pa), "LV");
    nm_machine_os_wrote(m, pa, 8); /* as at a page's allocation; else the checker finds it stale */
    cr_expect_eq(one(m, 3, "r", pa, 8, 0).got, 8, "one memory image");
    nm_machine_free(m);
}
