/*
 * Refreshes of DRAM, found out when somebody wants the bank, against a bank that does them on time.
 */
#include "machine/controller.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <stdlib.h>

/* A bank that looks at every tick. */
struct bank {
    sim_tick free, due;
};

static void refresh_until(struct bank *b, const struct nm_dram_timing *t, sim_tick now)
{
    for (; t->refresh && b->due <= now; b->due += t->refresh)
        if (b->free <= b->due)
            b->free = b->due + t->refresh_time;
        else
            b->free += t->refresh_time;
}

/* Whoever waits for the bank lets a refresh go first that comes due meanwhile. */
static sim_tick plain(struct bank *b, const struct nm_dram_timing *t, sim_tick now)
{
    sim_tick start = now;
    do {
        start = b->free > start ? b->free : start;
        refresh_until(b, t, start);
    } while (b->free > start);
    b->free = start + t->dram + t->recovery;
    return start + t->dram;
}

/* Accesses so far apart that no bank owes two refreshes. */
static void compare(const struct nm_dram_timing *timing, unsigned seed)
{
    struct nm_controller c = {.timing = *timing, .cycle = 1, .place.protocol = &nm_protocols[0]};
    const struct nm_backing contents = {.parts = sim_room_new(SIM_ROOM_SPARSE)};
    struct nm_params p;
    struct bank bank[4];
    unsigned waited = 0;
    sim_tick now = 0;

    nm_params_default(&p);
    p.memory_refresh = timing->refresh;
    p.memory_refresh_time = timing->refresh_time;
    nm_controller_init(&c, &p, &contents);
    for (unsigned b = 0; b < timing->banks; b++)
        bank[b] = (struct bank){.due = timing->refresh * b / timing->banks};
    srand(seed);
    for (unsigned i = 0; i < 5000; i++) {
        const unsigned line = (unsigned)rand() % 64;
        now += (unsigned)rand() % (timing->dram + timing->recovery) + 1;
        const sim_tick got = nm_controller_access(&c, (uint64_t)line << 6, now);
        const sim_tick wanted = plain(&bank[line % timing->banks], timing, now);
        cr_assert_eq(got, wanted, "access %u at %lu: %lu, not %lu", i, (unsigned long)now,
                     (unsigned long)got, (unsigned long)wanted);
        waited += wanted > now + timing->dram;
    }
    cr_expect_gt(waited, 0);
    nm_controller_release(&c);
    sim_room_free(contents.parts);
}

Test(refresh, as_on_time)
{
    static const struct nm_dram_timing rows[] = {
        {.directory = 0, .dram = 18, .recovery = 12, .banks = 2},
        {.directory = 0,
         .dram = 18,
         .recovery = 12,
         .banks = 1,
         .refresh = 2340,
         .refresh_time = 18},
        {.directory = 0,
         .dram = 18,
         .recovery = 12,
         .banks = 2,
         .refresh = 2340,
         .refresh_time = 18},
        {.directory = 0,
         .dram = 18,
         .recovery = 0,
         .banks = 4,
         .refresh = 301,
         .refresh_time = 100},
        {.directory = 0, .dram = 6, .recovery = 3, .banks = 2, .refresh = 97, .refresh_time = 5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (unsigned seed = 1; seed <= 20; seed++)
            compare(&rows[i], seed);
}
