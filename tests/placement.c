/* Page placement: which station a page lands on, by rule, by range, and when memories are full. */
#include "machine/placement.h"
#include "machine/machine.h"
#include "machine/values.h"
#include "procard/r4400/r4400.h"

#include <criterion/criterion.h>

enum { STATIONS = 4 };

static struct nm_machine *make(uint64_t rule, uint64_t local)
{
    struct nm_params p;
    nm_params_default(&p);
    p.ring_stations = STATIONS;
    p.ring_locals = p.ring_groups = 1;
    p.processors = 2;
    p.page_size = 16384;
    p.memory_size = 64 * p.page_size;
    p.placement = rule;
    p.local_station = local;
    return nm_machine_new(&p, &pc_r4400);
}

static unsigned station_of(struct nm_machine *m, unsigned toucher, uint64_t va)
{
    uint64_t pa = 0;
    cr_assert(nm_page_alloc(m, toucher, va, &pa));
    return (unsigned)(pa / nm_machine_params(m)->memory_size);
}

Test(placement, rules)
{
    struct nm_machine *m = make(NM_PLACE_ROUND_ROBIN, 0);
    for (unsigned i = 0; i < 2 * STATIONS; i++)
        cr_expect_eq(station_of(m, 3, i * 16384), i % STATIONS);
    nm_machine_free(m);
    m = make(NM_PLACE_FIRST_TOUCH, 0);
    for (unsigned card = 0; card < 2 * STATIONS; card++)
        cr_expect_eq(station_of(m, card, card * 16384), card / 2);
    nm_machine_free(m);
    m = make(NM_PLACE_LOCAL, 2);
    for (unsigned i = 0; i < 5; i++)
        cr_expect_eq(station_of(m, i, i * 16384), 2);
    nm_machine_free(m);
}

/* Pages taken in turn fill the data half of a secondary cache before two of them share a place; on
 * the stations of the shipped machines, and others. */
Test(placement, pages_in_turn_do_not_compete)
{
    static const unsigned stations[] = {1, 2, 4, 8, 12, 16};
    for (unsigned i = 0; i < sizeof stations / sizeof *stations; i++)
        for (uint64_t page = 4096; page <= 65536; page *= 4) {
            struct nm_params p;
            bool used, taken[128] = {false};
            nm_params_default(&p);
            p.l2_size = 1 << 20;
            p.netcache_size = 8 << 20;
            p.page_size = page;
            p.ring_stations = stations[i];
            p.ring_locals = p.ring_groups = 1;
            struct nm_placement *pl = nm_placement_new(&p);
            const uint64_t places = (p.l2_size / 2) / page,
                           pages = places / stations[i] * stations[i];
            for (uint64_t n = 0; n < pages; n++) {
                uint64_t pa;
                cr_assert(nm_placement_take(pl, 0, n * page, &pa, &used));
                cr_expect_not(taken[pa / page % places],
                              "%u stations, pages of %lu bytes: page %lu shares place %lu",
                              stations[i], (unsigned long)page, (unsigned long)n,
                              (unsigned long)(pa / page % places));
                taken[pa / page % places] = true;
            }
            nm_placement_free(pl);
        }
}

Test(placement, ranges_win_and_round_robin_does_not_notice)
{
    const struct nm_range ranges[] = {{0x400000, 0x480000, 3}, {0x7ffff000, 0x80000000, 1}};
    struct nm_machine *m = make(NM_PLACE_ROUND_ROBIN, 0);
    nm_machine_place(m, ranges, 2);
    cr_expect_eq(station_of(m, 0, 0x3fc000), 0, "the page before the range");
    cr_expect_eq(station_of(m, 0, 0x400000), 3);
    cr_expect_eq(station_of(m, 0, 0x47ffff), 3, "the range's last byte");
    cr_expect_eq(station_of(m, 0, 0x480000), 1, "the end is excluded");
    cr_expect_eq(station_of(m, 0, 0x7fffc000), 1, "a page that the range only overlaps");
    cr_expect_eq(station_of(m, 0, 0x500000), 2);
    nm_machine_place(m, NULL, 0);
    cr_expect_eq(station_of(m, 0, 0x400000), 3, "round robin's next");
    cr_expect_eq(station_of(m, 0, 0x400000), 0);
    nm_machine_free(m);
}

Test(placement, a_full_station_overflows_to_the_next)
{
    const struct nm_range all = {0, UINT64_MAX, 3};
    struct nm_machine *m = make(NM_PLACE_ROUND_ROBIN, 0);
    uint64_t pa, last = 0;
    nm_machine_place(m, &all, 1);
    for (unsigned i = 0; i < 64 * STATIONS; i++)
        cr_assert_eq(station_of(m, 0, i * 16384ull), (3 + i / 64) % STATIONS);
    cr_expect_not(nm_page_alloc(m, 0, 0, &last), "every memory is full");
    nm_page_free(m, 5 * 16384);
    nm_machine_image(m)[5 * 16384] = 1;
    cr_expect(nm_page_alloc(m, 0, 0, &pa));
    cr_expect_eq(pa, 5 * 16384, "the one page given back");
    cr_expect_eq(nm_machine_image(m)[pa], 0, "and it is empty");
    nm_machine_free(m);
}
