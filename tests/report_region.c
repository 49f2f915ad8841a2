/* Regions, totals and the result hash, on a run made up by hand. */
#include "documents/statistics/stats.h"
#include "report_fake.h"
#include "run/regions.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <math.h>
#include <xxhash.h>

Test(report_region, counts_between_marks_and_adds_up_visits)
{
    struct fake f;
    fake_init(&f, "time,nacks,bus_busy,run");
    fake_pass(&f, 300);
    run_regions_mark(&f.run, "a", true, 300, f.now);
    fake_pass(&f, 600);
    run_regions_mark(&f.run, "a", false, 900, f.now);
    fake_pass(&f, 30);
    run_regions_mark(&f.run, "a", true, 930, f.now);
    fake_pass(&f, 60);
    run_regions_mark(&f.run, "a", false, 990, f.now);
    fake_finish(&f, 990);

    const struct doc_region *a = &f.run.region[1];
    struct doc_level all = doc_machine(&f.run), second = {1, 1};
    cr_assert_eq(f.run.regions, 2);
    cr_expect_eq(a->visits, 2);
    cr_expect_eq(a->elapsed, 660);
    cr_expect_eq(a->begin, 300);
    cr_expect_eq(a->end, 990);
    cr_expect_eq(doc_count(&f.run, a, all, 0), 220, "the clock is the same for all cards");
    cr_expect_eq(doc_count(&f.run, a, all, 1), 6, "NACKs add up: 2 x (1 + 2)");
    cr_expect_eq(doc_count(&f.run, a, second, 1), 4);
    cr_expect_eq(doc_count(&f.run, a, all, 2), 110, "one bus");
    cr_expect_eq(doc_count(&f.run, a, all, 3), 440);
    cr_expect_eq(doc_count(&f.run, &f.run.region[0], all, 3), 660);
    cr_expect_eq(f.run.remarks, 0);
    char why[256];
    cr_expect(run_regions_add_up(&f.run, why, sizeof why), "%s", why);
    run_regions_free(&f.run);
}

/* Of a run of which only parts are timed ratios are of these parts: what happened elsewhere does
 * not change them, and of a region without any there are none. */
Test(report_region, ratios_are_of_what_was_measured)
{
    static const struct {
        sim_tick on, off; /* what is measured of 0 to 1,200 */
        uint64_t elapsed; /* of it in the region from 300 to 900 */
        double share;     /* of it in which the bus was busy: [%] */
    } rows[] = {{0, 1200, 600, 50},  {600, 1200, 300, 50}, {0, 600, 300, 50},
                {300, 900, 600, 50}, {900, 1200, 0, NAN},  {450, 450, 0, NAN}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake f;
        double share;
        fake_init(&f, "bus_busy");
        run_regions_free(&f.run);
        f.experiment.approach.from.kind = PROG_AT_MARK;
        run_regions_init(&f.run, &f.experiment, "fake.elf", FAKE_CARDS, FAKE_CARDS, &f.run.choice,
                         f.now);
        for (sim_tick at = 0; at < 1200; at += 150) {
            if (at == 300 || at == 900)
                run_regions_mark(&f.run, "a", at == 300, at, f.now);
            if (at == rows[i].on)
                run_regions_measure(&f.run, true, at, f.now);
            if (at == rows[i].off)
                run_regions_measure(&f.run, false, at, f.now);
            const bool timed = at >= rows[i].on && at < rows[i].off;
            fake_pass(&f, 150);
            f.card[0].taps.v[MON_TAP_BUS_BUSY] -= timed ? 0 : 25; /* it is not counted */
            f.card[1].taps.v[MON_TAP_BUS_BUSY] -= timed ? 0 : 25;
        }
        fake_finish(&f, 1200);
        const struct doc_region *a = &f.run.region[1];
        const bool has =
            doc_metric_value(&f.run, a, doc_machine(&f.run), DOC_METRIC_bus_utilisation, &share);
        cr_expect_eq(a->elapsed, 600);
        cr_expect_eq(doc_region_measured(a)->elapsed, rows[i].elapsed, "row %zu", i);
        cr_expect_eq(has, rows[i].elapsed > 0, "row %zu", i);
        cr_expect(!has || share == rows[i].share, "row %zu: %g", i, share);
        cr_expect(has || !strcmp(doc_no_value(a, share), "nothing of the region was timed"));
        run_regions_free(&f.run);
    }
}

Test(report_region, marks_that_make_no_sense_become_remarks)
{
    struct fake f;
    fake_init(&f, "run");
    run_regions_mark(&f.run, "never", false, 0, f.now);
    run_regions_mark(&f.run, "a", true, 0, f.now);
    run_regions_mark(&f.run, "a", true, 0, f.now);
    run_regions_mark(&f.run, "whole", false, 0, f.now);
    run_regions_mark(&f.run, "b\n\xff", true, 0, f.now);
    fake_pass(&f, 90);
    fake_finish(&f, 90);
    cr_assert(f.run.region && f.run.regions > 2);
    cr_expect_eq(f.run.remarks, 5, "three ignored marks, two open regions");
    cr_expect_str_eq(f.run.region[2].name, "b__");
    cr_expect_eq(f.run.region[1].elapsed, 90);
    cr_expect_eq(f.run.region[0].elapsed, 90);
    run_regions_free(&f.run);
}

Test(report_region, no_two_regions_share_a_name)
{
    static const struct {
        const char *mark, *name;
    } rows[] = {{"a b", "a_b"},       {"a_b", "a_b_2"}, {"whole", "whole_3"}, {"a\tb", "a_b_4"},
                {"a_b_2", "a_b_2_5"}, {"", "_"},        {"_", "__6"}};
    enum { ROWS = sizeof rows / sizeof *rows };
    struct fake f;
    fake_init(&f, "run");
    for (size_t i = 0; i < ROWS; i++) {
        run_regions_mark(&f.run, rows[i].mark, true, 90 * i, f.now);
        fake_pass(&f, 90);
        run_regions_mark(&f.run, rows[i].mark, false, 90 * i + 90, f.now);
        run_regions_mark(&f.run, rows[i].mark, true, 90 * i + 90, f.now);
        run_regions_mark(&f.run, rows[i].mark, false, 90 * i + 90, f.now);
    }
    fake_finish(&f, 90 * ROWS);
    cr_assert_eq(f.run.regions, ROWS + 1);
    cr_expect_eq(f.run.remarks, 5, "of those that are called otherwise");
    cr_expect_eq(f.run.ignored, 0);
    for (size_t i = 0; i < ROWS; i++) {
        cr_expect_str_eq(f.run.region[i + 1].name, rows[i].name);
        cr_expect_eq(f.run.region[i + 1].visits, 2, "%s", rows[i].name);
        cr_expect_eq(f.run.region[i + 1].elapsed, 90, "%s", rows[i].name);
    }
    cr_expect_eq(f.run.region[0].elapsed, 90 * ROWS);
    run_regions_free(&f.run);
}

Test(report_region, a_program_that_marks_without_end_is_bounded)
{
    enum { REGIONS = 16384, MARKS = REGIONS + 100 };
    struct fake f;
    char name[32];
    fake_init(&f, "run");
    for (unsigned i = 0; i < MARKS; i++) {
        snprintf(name, sizeof name, "r%u", i);
        run_regions_mark(&f.run, name, true, 0, f.now);
    }
    fake_finish(&f, 90);
    cr_expect_eq(f.run.ignored, MARKS - REGIONS + 1);
    cr_expect_eq(f.run.regions, REGIONS);
    cr_expect_lt(f.run.remarks, 40);
    run_regions_free(&f.run);
}

Test(report_region, a_lost_pcycle_is_noticed)
{
    /* a state, a use, a sleep that the pins do not show */
    static const struct {
        int state, running, asleep;
        const char *said;
    } rows[] = {{-1, 0, 0, "89"}, {0, -1, 0, "89 + 0"}, {0, -1, 1, "89 + 1 with 0"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fake f;
        char why[256] = "";
        fake_init(&f, "run");
        fake_pass(&f, 90);
        f.card[1].taps.v[MON_TAP_ST_LOAD] += (uint64_t)rows[i].state;
        f.card[1].truth.running += (uint64_t)rows[i].running;
        f.card[1].truth.asleep += (uint64_t)rows[i].asleep;
        fake_finish(&f, 90);
        cr_expect(!run_regions_add_up(&f.run, why, sizeof why));
        cr_expect(strstr(why, "card 1") && strstr(why, rows[i].said), "%s", why);
        run_regions_free(&f.run);
    }
}

Test(report_region, a_wrapped_counter_says_so)
{
    struct fake f;
    fake_init(&f, "nacks,run");
    f.card[0].taps.v[MON_TAP_NACKS] += (UINT64_C(1) << 32) + 5;
    fake_finish(&f, 0);
    cr_expect_eq(doc_count(&f.run, &f.run.region[0], doc_machine(&f.run), 0), 5);
    cr_expect(doc_overflowed(&f.run.region[0], doc_machine(&f.run), 0));
    cr_expect(!doc_overflowed(&f.run.region[0], doc_machine(&f.run), 1));
    run_regions_free(&f.run);
}

Test(report_region, peeking_changes_nothing)
{
    struct fake f;
    fake_init(&f, "run");
    fake_pass(&f, 90);
    struct doc_region now = run_regions_peek(&f.run, 90, f.now);
    cr_expect_eq(now.elapsed, 90);
    cr_expect_eq(doc_count(&f.run, &now, doc_machine(&f.run), 0), 60);
    run_region_free(&now);
    fake_pass(&f, 90);
    fake_finish(&f, 180);
    cr_assert(f.run.region);
    cr_expect_eq(doc_count(&f.run, &f.run.region[0], doc_machine(&f.run), 0), 120);
    cr_expect_eq(f.run.region[0].visits, 1);
    run_regions_free(&f.run);
}

static struct doc_hashes hash_of(const char *events, uint64_t ticks, uint64_t extra,
                                 double host_seconds)
{
    struct fake f;
    fake_init(&f, events);
    fake_pass(&f, ticks);
    f.card[0].taps.v[MON_TAP_GRANT_WAIT] += extra;
    f.run.host.seconds = host_seconds;
    fake_finish(&f, ticks);
    struct doc_hashes hash = f.run.hash;
    run_regions_free(&f.run);
    return hash;
}

Test(report_region, hashes_are_of_the_simulated_results_only)
{
    struct doc_hashes hash = hash_of("run", 90, 0, 1);
    cr_expect_eq(hash_of("status,nacks,bus", 90, 0, 2).result, hash.result);
    cr_expect_eq(hash_of("status,nacks,bus", 90, 0, 2).totals, hash.totals);
    cr_expect_eq(hash_of("", 90, 0, 1).totals, hash.totals);
    cr_expect_neq(hash_of("run", 93, 0, 1).result, hash.result);
    cr_expect_eq(hash_of("run", 90, 1, 1).result, hash.result, "the same in other words");
    cr_expect_neq(hash_of("run", 90, 1, 1).totals, hash.totals, "also what was not asked for");
}

/* Every total of a made-up run, by its name. `grow` (of `of`) is a word that has one more. */
static struct doc_hashes hash_of_names(const char *of, const char *grow)
{
    struct fake f;
    fake_init(&f, "run");
#define WORD(kind, name) \
    (XXH64(#name, sizeof #name, 0) + (!strcmp(of, kind) && !strcmp(grow, #name)))
#define TAP(name, unit, sentence) f.card[1].taps.v[MON_TAP_##name] = WORD("tap", name);
#include "monitor/taps.def"
#undef TAP
#define TRUTH(field, unit, sentence) f.card[1].truth.field = WORD("truth", field);
#include "machine/truth.def"
#undef TRUTH
#define STATION(field, part, name, unit, sentence) f.station.sum.field = WORD("station", field);
#define RING(field, part, name, unit, sentence)
#include "machine/statistics.def"
#undef STATION
#undef RING
#undef WORD
    fake_finish(&f, 90);
    struct doc_hashes hash = f.run.hash;
    run_regions_free(&f.run);
    return hash;
}

/* The number stays what it is when a tap, a truth or a total of the stations is added, taken away
 * or moved. */
Test(report_region, rows_that_are_added_move_no_result_hash)
{
    const struct doc_hashes hash = hash_of_names("", "");
    cr_expect_eq(hash.result, UINT64_C(0x771de6d3e92a3ba9), "%#" PRIx64, hash.result);
    unsigned in = 0, out = 0;
#define ROW(of, name)                                                 \
    {                                                                 \
        const struct doc_hashes other = hash_of_names(of, #name);     \
        cr_expect_neq(other.totals, hash.totals, "%s %s", of, #name); \
        other.result != hash.result ? in++ : out++;                   \
    }
#define TAP(name, unit, sentence) ROW("tap", name)
#define UNIT_TAP(name, unit, sentence) \
    cr_expect_eq(hash_of_names("tap", #name).totals, hash.totals);
#include "monitor/taps.def"
#undef TAP
#define TRUTH(field, unit, sentence) ROW("truth", field)
#include "machine/truth.def"
#undef TRUTH
#define STATION(field, part, name, unit, sentence) ROW("station", field)
#define RING(field, part, name, unit, sentence)
#include "machine/statistics.def"
#undef STATION
#undef RING
#undef ROW
    cr_expect_eq(in, 15 + 5 + 8 + 7, "%u", in);
    cr_expect_gt(out, 0);
}
