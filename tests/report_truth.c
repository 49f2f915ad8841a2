/*
 * truth.json: what is written is read back, and damaged files are refused with one line.
 */
#include "base/alloc.h"
#include "documents/rows/truth.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void remove_scratch(void)
{
    remove_scratch_with("truth.json");
}

TestSuite(report_truth, .init = make_scratch, .fini = remove_scratch);

/* A profile with as many phases and paths, and objects with as many sites, as a truth here speaks
 * of. */
enum { PHASES = 3, PATHS = 5, SITES = 4 };
static const struct doc_profile profile = {.phases = PHASES, .paths = PATHS};

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    return *state >> 20;
}

/* @param first  [ticks] request of the row's copy */
static void draw_row(struct pc_missed_row *row, int64_t *values, uint32_t copy, sim_tick first,
                     uint64_t pc, size_t tenants, uint64_t *state)
{
    *row = (struct pc_missed_row){.copy = copy,
                                  .phase = PHASES - 1,
                                  .thread = 1000,
                                  .path = (uint32_t)(next(state) % PATHS),
                                  .pc = pc,
                                  .va = next(state),
                                  .tenant = (uint32_t)(next(state) % tenants),
                                  .first = first + next(state) % 100000};
    row->last = row->first + next(state) % 1000;
    row->path = PATHS - 1;
    row->v = values;
    for (unsigned c = 0; c < doc_truth_columns.count; c++)
        values[c] = next(state) % 3 ? 0 : (int64_t)next(state);
}

static void draw_tenant(struct doc_tenant *tenant, size_t number, uint64_t *state)
{
    *tenant = (struct doc_tenant){
        .kind = (enum doc_tenant_kind)(number < 2 ? number : next(state) % DOC_TENANT__COUNT)};
    struct doc_block *block = &tenant->block;
    block->from = next(state);
    block->to = block->from + next(state) % 4096;
    if (tenant->kind == DOC_TENANT_call || tenant->kind == DOC_TENANT_block)
        block->site = (uint32_t)(next(state) % SITES);
    else
        block->thread = (uint32_t)(next(state) % 5000);
}

static void draw_windows(struct doc_truth *t, uint64_t *state)
{
    t->windows = t->copies ? next(state) % 30 : 0;
    t->window = sim_alloc(t->windows + 1, sizeof *t->window);
    t->window_values = sim_alloc(t->windows * doc_truth_columns.count + 1, sizeof(int64_t));
    for (size_t i = 0; i < t->windows; i++) {
        int64_t *values = &t->window_values[i * doc_truth_columns.count];
        t->window[i] = (struct pc_missed_window){.copy = (uint32_t)(i * t->copies / t->windows),
                                                 .begin = 10 * i,
                                                 .end = 10 * i + next(state) % 9,
                                                 .v = values};
        for (unsigned c = 0; c < doc_truth_columns.count; c++)
            values[c] = next(state) % 3 ? 0 : (int64_t)next(state);
    }
}

static void draw_sizes(struct doc_truth *t, uint64_t *state)
{
    t->sizes = t->copies ? next(state) % 30 : 0;
    t->size = sim_alloc(t->sizes + 1, sizeof *t->size);
    for (size_t i = 0; i < t->sizes; i++)
        t->size[i] = (struct pc_missed_size){.copy = (uint32_t)(i * t->copies / t->sizes),
                                             .bytes = 256,
                                             .offset = (uint32_t)(2 * i),
                                             .falsely = (uint32_t)next(state),
                                             .truly = UINT32_MAX,
                                             .upgrades_falsely = (uint32_t)next(state),
                                             .upgrades_truly = (uint32_t)next(state)};
}

static struct doc_truth drawn(uint64_t seed)
{
    struct doc_truth t = {.line = 64, .memory = 1 << 28, .processors = 4};
    t.copies = next(&seed) % 40;
    t.rows = t.copies ? next(&seed) % 90 : 0;
    t.copy = sim_alloc(t.copies + 1, sizeof *t.copy);
    t.row = sim_alloc(t.rows + 1, sizeof *t.row);
    t.values = sim_alloc(t.rows * doc_truth_columns.count + 1, sizeof *t.values);
    for (size_t i = 0; i < t.copies; i++)
        t.copy[i] = (struct pc_missed_copy){.line = 64 * (i / 3),
                                            .va = next(&seed) & ~UINT64_C(63),
                                            .card = (uint32_t)(i % 3),
                                            .code = i % 2,
                                            .read = {next(&seed), ~UINT64_C(0)},
                                            .written = {UINT64_C(1) << 63, next(&seed)},
                                            .taken = next(&seed),
                                            .evicted = next(&seed),
                                            .first = next(&seed),
                                            .last = next(&seed)};
    t.tenants = 2 + next(&seed) % 9;
    t.tenant = sim_alloc(t.tenants, sizeof *t.tenant);
    for (size_t i = 0; i < t.tenants; i++)
        draw_tenant(&t.tenant[i], i, &seed);
    for (size_t i = 0; i < t.rows; i++) {
        const uint32_t copy = (uint32_t)(i * t.copies / t.rows);
        draw_row(&t.row[i], &t.values[i * doc_truth_columns.count], copy, t.copy[copy].first, 4 * i,
                 t.tenants, &seed);
    }
    draw_windows(&t, &seed);
    draw_sizes(&t, &seed);
    if (t.rows)
        t.row[t.rows - 1].pc = PC_PROFILE_NOWHERE;
    return t;
}

static char *text_of(const struct doc_truth *t)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    doc_truth_write(t, out);
    sim_text_close(out, &text);
    return text;
}

static void put_file(const char *text, size_t size)
{
    FILE *out = fopen("truth.json", "w");
    cr_assert(out && fwrite(text, 1, size, out) == size && fclose(out) == 0);
}

Test(report_truth, what_is_written_is_read)
{
    for (unsigned seed = 0; seed < 100; seed++) {
        struct doc_truth t = drawn(seed), back;
        char why[512] = "", *text = text_of(&t), *again;
        put_file(text, strlen(text));
        cr_assert(doc_truth_read("truth.json", &profile, SITES, &back, why, sizeof why), "%s", why);
        cr_expect(back.copies == t.copies && back.rows == t.rows && back.tenants == t.tenants &&
                  back.windows == t.windows && back.sizes == t.sizes);
        again = text_of(&back);
        cr_expect_str_eq(again, text);
        free(again);
        free(text);
        doc_truth_free(&t);
        doc_truth_free(&back);
    }
}

Test(report_truth, what_is_wrong_is_said)
{
    static const struct {
        const char *from, *to, *why;
    } all[] = {
        {"\"schema\":4", "\"schema\":1", "schema 1: only 4 can be read: another version"},
        {"\"line\":64", "\"line\":63", "line: no power of two"},
        {"\"line\":64", "\"line\":4096", "line: not a number that it may be"},
        {"\"memory\":268435456", "\"memory\":0", "memory: not a number that it may be"},
        {"\"rows\"", "\"rose\"", "rows: missing"},
        {"\"copies\"", "\"x\":1,\"copies\"", "a member that it does not have"},
        {"[\"cold\"", "[\"warm\"", "columns[0]: no 'warm' is known: another version"},
        {"\n[0,", "\n[1,", "copies[0]: not the address of a line"},
        {"\"tenants\":[\n[0,", "\"tenants\":[\n[1,", "tenants[0]: not the kind that it may be"},
        {"\"tenants\":[\n[0,", "\"tenants\":[\n[0,0,",
         "tenants[0]: not [kind, from, to, site, thread]"},
        {"\"tenants\"", "\"tenents\"", "tenants: missing"},
        {",256,0,", ",257,0,", "sizes[0].bytes: not a number that it may be"},
        {",256,0,", ",192,0,", "sizes[0]: bytes: no power of two from 16 on"},
        {",256,0,", ",8,0,", "sizes[0]: bytes: no power of two from 16 on"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct doc_truth t = drawn(7), back;
        char why[512] = "", *text = text_of(&t);
        size_t before = 0;
        while (text[before] && strncmp(text + before, all[i].from, strlen(all[i].from)) != 0)
            before++;
        cr_assert(text[before], "no %s in the file", all[i].from);
        char *other = sim_format("%.*s%s%s", (int)before, text, all[i].to,
                                 text + before + strlen(all[i].from));
        put_file(other, strlen(other));
        cr_expect(!doc_truth_read("truth.json", &profile, SITES, &back, why, sizeof why));
        cr_expect(strstr(why, all[i].why), "%s: %s", all[i].why, why);
        free(other);
        free(text);
        doc_truth_free(&t);
    }
}

/* A run of a version that had a column less. */
Test(report_truth, what_is_missing_is_said)
{
    struct doc_truth t = drawn(7), back;
    char why[512] = "", *text = text_of(&t);
    size_t from = 0;
    while (text[from] && strncmp(text + from, "[\"cold\"", 7) != 0)
        from++;
    cr_assert(text[from]);
    char *other = sim_format("%.*s%s", (int)from, text, text + from + strcspn(text + from, "\n"));
    put_file(other, strlen(other));
    cr_expect(!doc_truth_read("truth.json", &profile, SITES, &back, why, sizeof why));
    cr_expect_str_eq(why, "truth.json: columns: no 'cold' is there: another version of numachine "
                          "made it; make the run again");
    free(other);
    free(text);
    doc_truth_free(&t);
}

/* A file cut off, with bytes changed, or with a number put in: it is read, or refused by one line.
 */
Test(report_truth, damaged_files)
{
    enum { FILES = 4000 };
    unsigned refused = 0;
    for (uint64_t n = 0; n < FILES; n++) {
        uint64_t state = n;
        struct doc_truth t = drawn(n % 11 + 3), back;
        char why[512] = "", *text = text_of(&t);
        size_t size = strlen(text);
        if (n % 3 == 0)
            size = next(&state) % size;
        for (unsigned k = 0; size && k <= n % 3; k++)
            text[next(&state) % size] = "0123456789,[]{}\"-n "[next(&state) % 19];
        put_file(text, size);
        if (doc_truth_read("truth.json", &profile, SITES, &back, why, sizeof why)) {
            doc_truth_free(&back);
        } else {
            refused++;
            cr_expect(*why && !strchr(why, '\n'), "file %u: '%s'", (unsigned)n, why);
        }
        free(text);
        doc_truth_free(&t);
    }
    cr_expect_gt(refused, FILES / 4);
}
