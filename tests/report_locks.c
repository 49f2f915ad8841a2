/*
 * Locks as files and as tables: times by bucket, drawn runs that are written and read, whose paths
 * are as long as they are, and files damaged anywhere.
 */
#include "base/alloc.h"
#include "look/locks/view.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

/* ---- times ----------------------------------------------------------------------------------- */

Test(report_locks, each_time_has_a_bucket)
{
    unsigned last = 0;
    for (unsigned log = 0; log < 64; log++)
        for (uint64_t more = 0; more < 9; more++) {
            const uint64_t ticks = (UINT64_C(1) << log) + more * ((UINT64_C(1) << log) / 9);
            const unsigned bucket = doc_times_bucket(ticks);
            cr_assert(bucket >= last && bucket < DOC_TIMES_BUCKETS, "%" PRIu64, ticks);
            cr_expect(doc_times_last(bucket) >= ticks, "%" PRIu64, ticks);
            cr_expect(!bucket || doc_times_last(bucket - 1) < ticks, "%" PRIu64, ticks);
            last = bucket;
        }
    cr_expect_eq(doc_times_last(DOC_TIMES_BUCKETS - 1), UINT64_MAX);
    cr_expect_eq(doc_times_bucket(0), 0);
}

Test(report_locks, quantiles)
{
    struct doc_times times = {{0}};
    cr_expect_eq(doc_times_quantile(&times, 990), 0);
    times.count[doc_times_bucket(3)] = 99;
    times.count[doc_times_bucket(1000)] = 1;
    cr_expect_eq(doc_times_quantile(&times, 990), 3);
    cr_expect_eq(doc_times_quantile(&times, 1000), doc_times_last(doc_times_bucket(1000)));
    times.count[doc_times_bucket(1000)] = 2;
    cr_expect_eq(doc_times_quantile(&times, 990), doc_times_last(doc_times_bucket(1000)));
}

/* ---- a run by hand ----------------------------------------------------------------------------
 */

static struct doc_lock locks[] = {{.kind = DOC_LOCK_mutex, .address = 0x1000},
                                  {.kind = DOC_LOCK_join, .address = 0x2000}};
static struct doc_lock_site sites[] = {
    {0, 1, 0x100, {[DOC_LOCK_DELAYED] = 40}},
    {0, 2, 0x100, {[DOC_LOCK_WAITED] = 40, [DOC_LOCK_CONTENDED] = 1, [DOC_LOCK_TAKEN] = 1}},
    {1, 1, 0x200, {[DOC_LOCK_WAITED] = 20, [DOC_LOCK_CONTENDED] = 1, [DOC_LOCK_TAKEN] = 1}},
};
static struct doc_lock_thread threads[] = {{1, 0, 0, 100}, {2, 1, 10, 95}};
/* 1: works to 50, holding from 15 on; joins from 75 to 100. 2: waits from 20 to 60, works to 95. */
static struct doc_lock_wait waits[] = {
    {false, 2, 1, 1, 0, 15, 20, 50, 60},
    {false, 1, 2, 2, DOC_LOCKS_NONE, 95, 80, 95, 100},
};
static const struct doc_locks by_hand = {100, 1, 0, 0, locks, 2, sites, 3, threads, 2, waits, 2};

Test(report_locks, path_by_hand)
{
    static const struct look_lock_segment expected[] = {
        {LOOK_PART_HANDOVER, 1, 2, 95, 100},        {LOOK_PART_WORK, 2, DOC_LOCKS_NONE, 60, 95},
        {LOOK_PART_HANDOVER, 2, 1, 50, 60},         {LOOK_PART_HOLDING, 1, 0, 15, 50},
        {LOOK_PART_WORK, 1, DOC_LOCKS_NONE, 0, 15},
    };
    size_t count;
    struct look_lock_segment *path = look_locks_path(&by_hand, &count);
    cr_assert_eq(count, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < count; i++)
        cr_expect(path[i].part == expected[i].part && path[i].thread == expected[i].thread &&
                      path[i].site == expected[i].site && path[i].from == expected[i].from &&
                      path[i].to == expected[i].to,
                  "part %zu", i);
    free(path);
}

/* Without the mutex 2 works from 20 to 55; 1 comes to its join at 80 and waits no more: the end is
 * at 80. Without the join the end is at 80, too. */
Test(report_locks, bounds_by_hand)
{
    cr_expect_eq(look_locks_bound(&by_hand, 0), 20);
    cr_expect_eq(look_locks_bound(&by_hand, 1), 20);
}

/* ---- drawn runs -------------------------------------------------------------------------------
 */

/* A generator of numbers (an LCG's upper half); tests are the same each time. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*state >> 32) * below) >> 32);
}

static void draw_places(struct doc_locks *l, uint64_t *state)
{
    l->locks = 1 + draw(state, 8);
    l->lock = sim_alloc(l->locks, sizeof *l->lock);
    for (size_t i = 0; i < l->locks; i++) {
        l->lock[i].kind = (uint8_t)draw(state, DOC_LOCK_KINDS);
        l->lock[i].address = draw(state, 9) ? 16 * (i + 1) : DOC_LOCKS_NOWHERE;
        l->lock[i].held.count[draw(state, DOC_TIMES_BUCKETS)] = 1 + draw(state, 100);
        l->lock[i].handover.count[draw(state, DOC_TIMES_BUCKETS)] = 1 + draw(state, 100);
    }
    l->sites = 1 + draw(state, 30);
    l->site = sim_alloc(l->sites, sizeof *l->site);
    for (size_t i = 0; i < l->sites; i++) {
        l->site[i].lock = draw(state, (uint32_t)l->locks);
        l->site[i].thread = 1 + draw(state, 5);
        l->site[i].pc = draw(state, 9) ? 4 * (uint64_t)draw(state, 99) : DOC_LOCKS_NOWHERE;
        for (int c = 0; c < DOC_LOCK_COLUMNS; c++)
            l->site[i].v[c] = draw(state, 2) ? draw(state, 1 << 20) : 0;
    }
}

static void draw_threads(struct doc_locks *l, uint64_t *state)
{
    sim_tick born = 0;
    l->threads = 1 + draw(state, 5);
    l->thread = sim_alloc(l->threads, sizeof *l->thread);
    for (uint32_t i = 0; i < l->threads; i++) {
        born += i ? draw(state, 50) : 0;
        l->thread[i] = (struct doc_lock_thread){1 + i, i ? 1 + draw(state, i) : 0, born, l->ticks};
    }
    l->last = 1 + draw(state, (uint32_t)l->threads);
}

static void draw_waits(struct doc_locks *l, uint64_t *state)
{
    sim_tick end = 300;
    l->waits = draw(state, 60);
    l->wait = sim_alloc(l->waits, sizeof *l->wait);
    for (size_t i = 0; i < l->waits; i++) {
        struct doc_lock_wait *w = &l->wait[i];
        end += draw(state, 100);
        *w = (struct doc_lock_wait){.call = !draw(state, 4),
                                    .thread = 1 + draw(state, (uint32_t)l->threads),
                                    .site = draw(state, (uint32_t)l->sites),
                                    .holder = DOC_LOCKS_NONE,
                                    .begin = end - draw(state, 90),
                                    .end = end};
        if (draw(state, 5))
            w->by = 1 + draw(state, (uint32_t)l->threads);
        if (w->by && draw(state, 2))
            w->holder = draw(state, (uint32_t)l->sites);
        w->released = w->begin + draw(state, (uint32_t)(end - w->begin) + 1);
        if (w->call)
            w->released = w->by ? w->begin - 1 - draw(state, 100) : w->end;
        w->since = w->released - draw(state, 100);
    }
}

static struct doc_locks drawn(uint64_t *state)
{
    struct doc_locks l = {.ticks = 10000, .least = draw(state, 3), .missed = draw(state, 3)};
    draw_places(&l, state);
    draw_threads(&l, state);
    draw_waits(&l, state);
    return l;
}

/* Parts follow each other from the run's end to its beginning. */
static void expect_whole(const struct doc_locks *l)
{
    size_t count;
    struct look_lock_segment *path = look_locks_path(l, &count);
    sim_tick at = l->ticks;
    for (size_t i = 0; i < count; i++) {
        cr_assert(path[i].to == at && path[i].from < at, "part %zu", i);
        at = path[i].from;
    }
    cr_expect_eq(at, 0);
    free(path);
}

Test(report_locks, paths_are_as_long_as_the_run)
{
    uint64_t state = 1;
    for (unsigned n = 0; n < 500; n++) {
        struct doc_locks l = drawn(&state);
        expect_whole(&l);
        for (uint32_t i = 0; i < l.locks; i++)
            cr_expect(look_locks_bound(&l, i) <= l.ticks);
        doc_locks_free(&l);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void remove_scratch(void)
{
    remove_scratch_with("locks.json");
}

TestSuite(report_locks_file, .init = make_scratch, .fini = remove_scratch);

static void put_file(const char *text, size_t size)
{
    FILE *out = fopen("locks.json", "w");
    cr_assert(out && fwrite(text, 1, size, out) == size && fclose(out) == 0);
}

/* Kept whole: inlined, it makes GCC 12 warn of a pointer that is not used. */
static __attribute__((noinline)) char *text_of(const struct doc_locks *l)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    doc_locks_write(l, out);
    sim_text_close(out, &text);
    return text;
}

Test(report_locks_file, what_is_written_is_read)
{
    uint64_t state = 2;
    for (unsigned n = 0; n < 100; n++) {
        struct doc_locks l = drawn(&state), back;
        char why[512] = "", *text = text_of(&l);
        put_file(text, strlen(text));
        cr_assert(doc_locks_read("locks.json", &back, why, sizeof why), "%s", why);
        char *again = text_of(&back);
        cr_expect_str_eq(again, text);
        free(again);
        free(text);
        doc_locks_free(&back);
        doc_locks_free(&l);
    }
}

/* The text of `by_hand` with its first `from` replaced. */
static char *replaced(const char *from, const char *to)
{
    char *text = text_of(&by_hand);
    const char *at = strstr(text, from);
    cr_assert(at, "no %s in the file", from);
    char *other = sim_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    free(text);
    return other;
}

Test(report_locks_file, what_is_wrong_is_said)
{
    static const struct {
        const char *from, *to, *why;
    } all[] = {
        {"\"schema\":1", "\"schema\":2", "schema 2: only 1 can be read: another version"},
        {"\"schema\":1,", "", "schema: not a number"},
        {"\"schema\":1", "\"schema\":1,\"x\":1", "a member that it does not have"},
        {"\"ticks\":100", "\"ticks\":-1", "ticks: not a number that it may be"},
        {"\"mutex\"", "\"mutes\"", "kinds[0]: no 'mutes' is known"},
        {"\"mutex\",", "", "kinds: no 'mutex' is there: another version"},
        {"\"condition\"", "\"mutex\"", "kinds[1]: 'mutex' for the second time"},
        {"[\"calls\"", "[\"coils\"", "columns[0]: no 'coils' is known: another version"},
        {"[0,4096,[],[]]", "[99,4096,[],[]]", "locks[0].kind: not the number of one of the kinds"},
        {"[0,4096,[],[]]", "[0,-1,[],[]]", "locks[0].address: no address"},
        {"[0,4096,[],[]]", "[0,4096,[]]", "locks[0]: not [kind, address, held, handover]"},
        {"[0,4096,[],[]]", "[0,4096,[1],[]]", "locks[0].held: not [number, count, ...]"},
        {"[0,4096,[],[]]", "[0,4096,[252,1],[]]", "locks[0].held[0]: not a number that it may be"},
        {"[0,4096,[],[]]", "[0,4096,[2,1,2,1],[]]", "locks[0].held[2]: they do not ascend"},
        {"[0,4096,[],[]]", "[0,4096,[2,-1],[]]",
         "locks[0].held[0]: its value is not what it can be"},
        {"[0,1,256,", "[2,1,256,", "sites[0].lock: not the number of one of the locks"},
        {"[0,1,256,", "[0,1,-1,", "sites[0].pc: no address"},
        {"[0,1,256,14,40]", "[0,1,256,14]", "sites[0]: not [lock, thread, pc"},
        {"[0,1,256,14,40]", "[0,1,256,14,0]",
         "sites[0].values[0]: its value is not what it can be"},
        {"[0,1,256,14,40]", "[0,1,256,14,4,3,1]", "sites[0].values[2]: they do not ascend"},
        {"[2,1,10,95]", "[2,1,96,95]", "threads[1]: born and ended are not in the run"},
        {"[2,1,10,95]", "[2,1,10,101]", "threads[1]: born and ended are not in the run"},
        {"[1,0,0,100]", "[1,0,11,100]", "threads[1]: not behind the one in front of it by born"},
        {"[2,1,1,0,15,20,50,60]", "[3,1,1,0,15,20,50,60]", "waits[0]: not the number of a thread"},
        {"[2,1,1,0,15,20,50,60]", "[2,3,1,0,15,20,50,60]", "waits[0]: not the number of a thread"},
        {"[2,1,1,0,15,20,50,60]", "[2,1,3,0,15,20,50,60]",
         "waits[0].site: not the number of one of the sites"},
        {"[2,1,1,0,15,20,50,60]", "[2,1,1,3,15,20,50,60]",
         "waits[0].holder: not the number of one of the sites"},
        {"[2,1,1,0,15,20,50,60]", "[2,1,1,0,51,20,50,60]", "waits[0]: its times are not in order"},
        {"[2,1,1,0,15,20,50,60]", "[2,1,1,0,15,61,50,60]", "waits[0]: its times are not in order"},
        {"[2,1,1,0,15,20,50,60]", "[2,1,1,0,15,20,61,60]", "waits[0]: its times are not in order"},
        {"[1,2,2,null,95,80,95,100]", "[1,2,2,null,5,5,5,5]",
         "waits[1]: not behind the one in front of it by end"},
        {"[1,2,2,null,95,80,95,100]", "[1,2,2]", "waits[1]: not [thread, by, site, holder, since"},
        {"\"waits\":[", "\"waits\":{\"x\":[", "line "},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct doc_locks back;
        char why[512] = "", *text = replaced(all[i].from, all[i].to);
        put_file(text, strlen(text));
        cr_expect_not(doc_locks_read("locks.json", &back, why, sizeof why), "%s", all[i].to);
        cr_expect(strstr(why, all[i].why) && !strchr(why, '\n'), "%s: '%s'", all[i].to, why);
        free(text);
    }
}

/* All that can be asked of what was read. */
static void show_all(const struct doc_locks *l)
{
    struct look_code code = {0};
    const struct doc_objects objects = {0};
    const struct doc_profile profile = {0};
    struct look_finder *finder = look_finder_new(&objects, &profile, &code);
    struct look_locks_view view = {
        .locks = l, .code = &code, .finder = finder, .sort = DOC_LOCK_WAITED};
    char why[256], *text;
    size_t size;
    cr_assert(look_locks_view_open(&view, NULL, why, sizeof why));
    for (unsigned as = 0; as < LOOK_LOCKS_FORMATS; as++) {
        FILE *out = sim_text_open(&text, &size);
        look_locks_formats[as].write(&view, out);
        sim_text_close(out, &text);
        cr_expect(*text);
        free(text);
    }
    look_locks_view_close(&view);
    look_finder_free(finder);
    look_code_close(&code);
    expect_whole(l);
}

/* A byte becomes another, a part is lost, or one comes twice. */
static size_t damage(char *text, size_t size, uint64_t *state)
{
    static const char bytes[] = "0123456789,[]\"-n.{}";
    const size_t at = draw(state, (uint32_t)size), length = draw(state, 20);
    const size_t part = length < size - at ? length : size - at;
    if (draw(state, 3)) {
        text[at] = bytes[draw(state, sizeof bytes - 1)];
        return size;
    }
    memmove(text + at, text + at + part, size - at - part);
    return size - part;
}

Test(report_locks_file, damage_is_refused_or_harmless, .timeout = 600)
{
    uint64_t state = 3;
    unsigned read = 0;
    for (unsigned n = 0; n < 4000; n++) {
        struct doc_locks l = drawn(&state), back;
        char why[512] = "", *text = text_of(&l);
        const size_t tables = (size_t)(strstr(text, "\"locks\"") - text);
        const size_t size = tables + damage(text + tables, strlen(text + tables), &state);
        put_file(text, size);
        if (doc_locks_read("locks.json", &back, why, sizeof why)) {
            read++;
            show_all(&back);
            doc_locks_free(&back);
        } else {
            cr_expect(*why && !strchr(why, '\n'), "'%s'", why);
        }
        free(text);
        doc_locks_free(&l);
    }
    cr_expect(read > 100 && read < 3900, "%u of 4000 were read", read);
}
