/*
 * Objects as a file, and the one at an address: a few by hand, and many drawn by lot, of which a
 * slow way finds the same.
 */
#include "base/alloc.h"
#include "look/object_at.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define NOWHERE PC_PROFILE_NOWHERE

/* ---- by hand --------------------------------------------------------------------------------- */

enum { MAKE = 0x1000, CALL_MAKE = 0x2010, WRAP = 0x3000 };

/* main has a source, and so does make; wrap, which make calls, has none. */
static bool stub_at(struct prog_names *names, uint64_t va, struct prog_place *out)
{
    static const struct prog_place places[] = {
        {.function = "make", .from = MAKE, .to = MAKE + 0x100, .file = "dir/make.c", .line = 7},
        {.function = "main", .from = 0x2000, .to = 0x2100, .file = "main.c", .line = 9},
        {.function = "wrap", .from = WRAP, .to = WRAP + 0x100}};
    (void)names;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (va >= places[i].from && va < places[i].to) {
            *out = places[i];
            return true;
        }
    *out = (struct prog_place){0};
    return false;
}

static void stub_free(struct prog_names *names)
{
    (void)names;
}

static struct prog_names stub = {.symbols = true, .at = stub_at, .free = stub_free};

static struct pc_profile_path paths[] = {
    {0, NOWHERE, 0x2000}, {0, CALL_MAKE, MAKE}, {1, MAKE + 0x20, WRAP}, {3, NOWHERE, 0x9000}};
static const struct doc_profile profile = {.path = paths, .paths = 4};

static char *kinds[] = {(char *)"malloc", (char *)"mmap"};
static struct doc_site sites[] = {
    {1, MAKE + 0x10, 0, 1, 64, 64, 0},
    {2, WRAP + 0x30, 0, 5, 64, 64, 1},
    {3, NOWHERE, 1, 1, 4096, 4096, 0},
};
static struct doc_block blocks[] = {
    {0x8000, 0x9000, 5, SIM_NEVER, 0, 1, 2, 0, 1},
    {0x10010, 0x10050, 10, 100, 90, 1, 0, 0, 1},
    {0x10010, 0x10050, 100, 400, 250, 1, 1, 3, 2},
    {0x10040, 0x10060, 500, SIM_NEVER, 0, 2, 1, 4, 1},
};
static char *names_of_parts[] = {(char *)"-",     (char *)"pool", (char *)"rows",
                                 (char *)"queue", (char *)"main", (char *)"0:1,1:8"};
static struct doc_part parts[] = {
    {.from = 0x8100, .to = 0x8200, .site = 2, .path = 1, .died = 50},
    {.from = 0x8100,
     .to = 0x8200,
     .each = 16,
     .site = 2,
     .path = 2,
     .function = 4,
     .thread = 1,
     .born = 50,
     .died = SIM_NEVER},
    {.from = 0x8200, .to = 0x8300, .each = 16, .site = 2, .path = 3, .shape = 5, .died = SIM_NEVER},
    {.from = 0x8300,
     .to = 0x9100,
     .site = 2,
     .path = 1,
     .died = SIM_NEVER}, /* more than there is */
    {.from = 0x70100,
     .to = 0x70140,
     .site = 3,
     .path = 3,
     .function = 4,
     .thread = 2,
     .died = SIM_NEVER},
};
static struct doc_thread threads[] = {
    {1, 0x70000, 0x80000, 0x7f000, 0x7f040, 0, 300},
    {2, 0x70000, 0x80000, 0x7f000, 0x7f040, 310, SIM_NEVER},
    {3, 0x8800, 0x8c00, 0x8d00, 0x8d40, 50, SIM_NEVER}, /* in the mapping, with a descriptor */
    {4, 0x10000, 0x10200, 0, 0, 520, SIM_NEVER},        /* around a block */
};
static const struct doc_objects by_hand = {.kind = kinds,
                                           .kinds = 2,
                                           .site = sites,
                                           .sites = 3,
                                           .block = blocks,
                                           .blocks = 4,
                                           .path = names_of_parts,
                                           .paths = 6,
                                           .part = parts,
                                           .parts = 5,
                                           .thread = threads,
                                           .threads = sizeof threads / sizeof *threads};

/* ---- what is found ----------------------------------------------------------------------------
 */

Test(report_objects, by_hand)
{
    static const struct {
        int line;
        uint64_t va;
        sim_tick from, to;
        const char *key, *name;
    } all[] = {
        {__LINE__, 0x10010, 0, 50, "heap 64 bytes by make at make.c:7", ""},
        {__LINE__, 0x10011, 100, 100, "heap 64 bytes by make at make.c:7 [3]", " +0x1"},
        {__LINE__, 0x10011, 0, SIM_NEVER, "heap 64 bytes by make at make.c:7 [3]", " +0x1"},
        {__LINE__, 0x10011, 0, 120, "heap 64 bytes by make at make.c:7", " +0x1"},
        {__LINE__, 0x10048, 0, SIM_NEVER, "heap 32 bytes by make at make.c:7 [4]", " +0x8"},
        {__LINE__, 0x10048, 0, 499, "heap 64 bytes by make at make.c:7 [3]", " +0x38"},
        {__LINE__, 0x10050, 0, 499, "0x10050", ""},
        {__LINE__, 0x10008, 150, 160, "header of heap 64 bytes by make at make.c:7 [3]", " +0x8"},
        {__LINE__, 0x10004, 150, 160, "header of heap 64 bytes by make at make.c:7 [3]", " +0x4"},
        {__LINE__, 0x10008, 450, 460, "header of heap 64 bytes by make at make.c:7 [3]", " +0x8"},
        {__LINE__, 0x10048, 500, 600, "heap 32 bytes by make at make.c:7 [4]", " +0x8"},
        {__LINE__, 0x10068, 500, 600, "stack of thread 4", " +0x68"},
        {__LINE__, 0x87ff, 60, 70, "mmap 4096 bytes by 0x9000", " +0x7ff"},
        {__LINE__, 0x8800, 60, 70, "stack of thread 3", ""},
        {__LINE__, 0x8800, 10, 20, "mmap 4096 bytes by 0x9000", " +0x800"},
        {__LINE__, 0x8c00, 60, 70, "descriptor of thread 3", ""},
        {__LINE__, 0x8d00, 60, 70, "TLS of thread 3", ""},
        {__LINE__, 0x8d40, 60, 70, "mmap 4096 bytes by 0x9000", " +0xd40"},
        {__LINE__, 0x8fff, 0, 10, "mmap 4096 bytes by 0x9000", " +0xfff"},
        {__LINE__, 0x8000, 0, 4, "0x8000", ""},
        {__LINE__, 0x8104, 6, 40, "*pool", " +0x4"},
        {__LINE__, 0x8104, 6, 400, "rows[] (local of main)", " +0x4"},
        {__LINE__, 0x8204, 6, 400, "queue(:,:)", " +0x4"},
        {__LINE__, 0x8300, 6, 400, "mmap 4096 bytes by 0x9000", " +0x300"},
        {__LINE__, 0x70104, 311, 400, "queue (local of main, thread 2)", " +0x4"},
        {__LINE__, 0x70104, 0, 100, "stack of thread 1", " +0x104"},
        {__LINE__, 0x70010, 0, SIM_NEVER, "stack of thread 2", " +0x10"},
        {__LINE__, 0x70010, 0, 100, "stack of thread 1", " +0x10"},
        {__LINE__, 0x7f03f, 0, 100, "TLS of thread 1", " +0x3f"},
        {__LINE__, 0x7f040, 0, 100, "stack of thread 1", " +0xf040"},
        {__LINE__, 0x7f000, 301, 309, "0x7f000", ""},
        {__LINE__, 0x3004, 0, 1, "wrap", " +0x4"},
        {__LINE__, UINT64_MAX, 0, 1, "0xffffffffffffffff", ""},
    };
    struct look_code code = {.names = &stub};
    struct look_finder *finder = look_finder_new(&by_hand, &profile, &code);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct look_object got;
        look_object_at(finder, all[i].va, all[i].from, all[i].to, &got);
        char *name = sim_format("%s%s", all[i].key, all[i].name);
        cr_expect_str_eq(got.key, all[i].key, "line %d: %s", all[i].line, got.key);
        cr_expect_str_eq(got.name, name, "line %d: %s", all[i].line, got.name);
        cr_expect_eq(got.from + got.offset, all[i].va, "line %d", all[i].line);
        free(name);
    }
    look_finder_free(finder);
    look_code_close(&code);
}

static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*state >> 32) * below) >> 32);
}

/* Blocks in any order of time that lie across each other. */
static struct doc_objects drawn(uint64_t *state)
{
    struct doc_objects o = {.kind = kinds, .kinds = 2, .site = sites, .sites = 3};
    uint64_t from = 0x100000;
    o.blocks = draw(state, 60);
    o.block = sim_alloc(o.blocks, sizeof *o.block);
    for (size_t i = 0; i < o.blocks; i++) {
        struct doc_block *b = &o.block[i];
        from += draw(state, 3) * 8;
        *b = (struct doc_block){.from = from, .born = draw(state, 100), .serial = i, .times = 1};
        b->to = from + draw(state, 8) * 8;
        b->died = draw(state, 3) ? b->born + draw(state, 50) : SIM_NEVER;
    }
    return o;
}

/* The slow way: how long each block was there, one by one. */
static void check_block(const struct doc_objects *o, const struct look_object *got, uint64_t va,
                        sim_tick from, sim_tick to)
{
    const struct doc_block *best = NULL;
    sim_tick most = 0;
    for (size_t i = 0; i < o->blocks; i++) {
        const struct doc_block *b = &o->block[i];
        sim_tick ticks = 0;
        for (sim_tick t = from; t <= to; t++)
            ticks += va >= b->from && va < b->to && t >= b->born && t <= b->died;
        if (ticks > most || (ticks && ticks == most && b->born >= best->born)) {
            best = b;
            most = ticks;
        }
    }
    cr_expect_eq(got->kind == LOOK_OBJECT_HEAP, best != NULL);
    if (best)
        cr_expect_eq(got->block, best, "%" PRIx64 " in %" PRIu64 " to %" PRIu64, va, from, to);
}

Test(report_objects, drawn_ones_as_a_slow_way_finds_them)
{
    struct look_code code = {.names = &stub};
    uint64_t state = 1;
    for (unsigned n = 0; n < 200; n++) {
        struct doc_objects o = drawn(&state);
        struct look_finder *finder = look_finder_new(&o, &profile, &code);
        for (unsigned i = 0; i < 50; i++) {
            const uint64_t va = 0x100000 - 8 + draw(&state, 600);
            const sim_tick from = draw(&state, 120), to = from + draw(&state, 60);
            struct look_object got;
            look_object_at(finder, va, from, to, &got);
            check_block(&o, &got, va, from, to);
        }
        look_finder_free(finder);
        free(o.block);
    }
    look_code_close(&code);
}

/* ---- of the truth ---------------------------------------------------------------------------- */

/* Two sites in turn at the same bytes: what their times do not tell, the tenants do. */
static struct doc_block turns[] = {
    {0x10010, 0x10050, 10, 1000, 300, 1, 0, 0, 5},
    {0x10010, 0x10050, 60, 1100, 400, 1, 1, 3, 5},
    {0x10050, 0x10090, 60, 1100, 400, 1, 1, 4, 1},
};
static const struct doc_objects in_turn = {.kind = kinds,
                                           .kinds = 2,
                                           .site = sites,
                                           .sites = 3,
                                           .block = turns,
                                           .blocks = 3,
                                           .thread = threads,
                                           .threads = 2};
static struct doc_tenant tenants[] = {
    {.kind = DOC_TENANT_nobody},
    {.kind = DOC_TENANT_several},
    {DOC_TENANT_block, {.from = 0x10010, .to = 0x10050, .site = 0}},
    {DOC_TENANT_block, {.from = 0x10010, .to = 0x10050, .site = 1}},
    {DOC_TENANT_block, {.from = 0x10010, .to = 0x10030, .site = 1}},
    {DOC_TENANT_call, {.site = 0}},
    {DOC_TENANT_stack, {.from = 0x70000, .to = 0x80000, .thread = 1}},
    {DOC_TENANT_variables, {.from = 0x7f000, .to = 0x7f040, .thread = 2}},
    {DOC_TENANT_stack, {.from = 0x70000, .to = 0x80000, .thread = 9}},
};

Test(report_objects, of_requests)
{
    static const char of_0[] = "heap 64 bytes by make at make.c:7",
                      of_1[] = "heap 64 bytes by make at make.c:7 [3]";
    static const struct {
        uint32_t tenant;
        uint64_t va;
        const char *key;
    } all[] = {
        {2, 0x10010, of_0},
        {3, 0x10010, of_1},
        {3, 0x1004f, of_1},
        {4, 0x10020, "heap 32 bytes by make at make.c:7"}, /* forgotten */
        {5, 0x10010, of_0},
        {5, 0x10050, "0x10050"}, /* another site's, who does not ask */
        {0, 0x10020, "0x10020"},
        {0, 0x10008, "header of heap 64 bytes by make at make.c:7 [3]"},
        {0, 0x3004, "wrap"},
        {1, 0x10060, "heap 64 bytes by make at make.c:7 [4]"},
        {6, 0x70010, "stack of thread 1"},
        {7, 0x7f010, "TLS of thread 2"},
        {8, 0x70010, "0x70010"}, /* there is no such thread */
        {2, 0x10050, "0x10050"}, /* not a part of it */
    };
    struct look_code code = {.names = &stub};
    struct look_finder *finder = look_finder_new(&in_turn, &profile, &code);
    const struct doc_truth truth = {.tenant = tenants, .tenants = sizeof tenants / sizeof *tenants};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const struct pc_missed_row row = {
            .va = all[i].va, .tenant = all[i].tenant, .first = 100, .last = 900};
        struct look_object got, same;
        look_object_asked(finder, &truth, &row, &got);
        cr_expect_str_eq(got.key, all[i].key, "row %zu: %s", i, got.key);
        cr_expect_eq(got.from + got.offset, all[i].va, "row %zu", i);
        const bool there = look_object_same(finder, &truth, &row, all[i].va, &same);
        cr_expect_eq(there, got.kind != LOOK_OBJECT_NONE, "row %zu", i);
    }
    look_finder_free(finder);
    look_code_close(&code);
}

/* ---- the file ---------------------------------------------------------------------------------
 */

static void remove_scratch(void)
{
    remove_scratch_with(DOC_OBJECTS);
}

TestSuite(report_objects_file, .init = make_scratch, .fini = remove_scratch);

static void put_file(const char *text, size_t size)
{
    FILE *out = fopen(DOC_OBJECTS, "w");
    cr_assert(out && fwrite(text, 1, size, out) == size && fclose(out) == 0);
}

static char *text_of(const struct doc_objects *o)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    doc_objects_write(o, out);
    sim_text_close(out, &text);
    return text;
}

Test(report_objects_file, what_is_written_is_read)
{
    char why[512] = "", *text = text_of(&by_hand);
    struct doc_objects back;
    put_file(text, strlen(text));
    cr_assert(doc_objects_read(DOC_OBJECTS, profile.paths, &back, why, sizeof why), "%s", why);
    cr_assert(back.kinds == 2 && back.sites == 3 && back.blocks == 4 && back.threads == 4);
    cr_expect_str_eq(back.kind[1], "mmap");
    for (size_t i = 0; i < back.sites; i++)
        cr_expect(back.site[i].call == sites[i].call && back.site[i].path == sites[i].path &&
                  back.site[i].forgotten == sites[i].forgotten);
    cr_expect_arr_eq(back.block, blocks, sizeof blocks);
    cr_expect_arr_eq(back.part, parts, sizeof parts);
    cr_expect(back.thread[1].died == SIM_NEVER && back.thread[0].tls_to == 0x7f040);
    char *again = text_of(&back);
    cr_expect_str_eq(again, text);
    doc_objects_free(&back);
    free(again);
    free(text);
}

/* The text of `by_hand` with its first `from` replaced. */
static char *replaced(const char *from, const char *to)
{
    char *text = text_of(&by_hand);
    size_t before = 0;
    while (text[before] && strncmp(text + before, from, strlen(from)) != 0)
        before++;
    cr_assert(text[before], "no %s in the file", from);
    char *other = sim_format("%.*s%s%s", (int)before, text, to, text + before + strlen(from));
    free(text);
    return other;
}

Test(report_objects_file, what_is_wrong_is_said)
{
    static const struct {
        const char *from, *to, *why;
    } all[] = {
        {"\"schema\":2", "\"schema\":1", "schema 1: only 2 can be read: another version"},
        {"\"schema\":2,", "", "schema: not a number"},
        {"\"schema\":2", "\"schema\":2,\"x\":1", "a member that it does not have"},
        {"\"blocks\"", "\"bricks\"", "blocks: missing"},
        {"\"mmap\"", "\"m map\"", "kinds[1]: not a name"},
        {"\"mmap\"", "7", "kinds[1]: not a name"},
        {"[1,4112,0", "[4,4112,0",
         "sites[0].path: not the number of one of the paths of the profile"},
        {"[1,4112,0", "[1,4112,2", "sites[0].kind: not the number of one of the kinds"},
        {"[1,4112,0", "[1,\"\",0", "sites[0].call: no address"},
        {"[1,4112,0", "[1,4112",
         "sites[0]: not [path, call, kind, blocks, bytes, most, forgotten]"},
        {"[32768,36864,5", "[32768,32767,5", "blocks[0].to: in front of from"},
        {"[32768,36864,5", "[32768,36864,-5", "blocks[0].born: not a number that it may be"},
        {"[32768,36864,5", "[98304,98305,5",
         "blocks[1]: not behind the one in front of it by from"},
        {"null,0,1,2,0,1]", "null,0,1,3,0,1]",
         "blocks[0].site: not the number of one of the sites"},
        {"null,0,1,2,0,1]", "null,0,4294967296,2,0,1]",
         "blocks[0].thread: not a number that it may be"},
        {"null,0,1,2,0,1]", "null,0,1,2,0,99999999999999999999]", "too big integer"},
        {"[33024,33280,0,2", "[33024,33280,0,4", "parts[0]: no such site"},
        {"[33024,33280,0,2", "[33024,33280,0", "parts[0]: not ["},
        {"[33024,33280,0,2", "[33024,33023,0,2", "parts[0].to: in front of from"},
        {"\"queue\"", "\"a queue\"", "paths[3]: not a name"},
        {"[2,458752", "[1,458752", "threads[1]: not behind the one in front of it by thread"},
        {"[2,458752", "[2,558752", "threads[1].stack_end: in front of stack"},
        {"]}\n", "]", "line "},
        {"]}\n", "]} {}", "line "},
    };
    struct doc_objects o;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char why[512] = "", *text = replaced(all[i].from, all[i].to);
        put_file(text, strlen(text));
        cr_expect_not(doc_objects_read(DOC_OBJECTS, profile.paths, &o, why, sizeof why), "%s",
                      all[i].why);
        cr_expect(!strncmp(why, DOC_OBJECTS ": ", strlen(DOC_OBJECTS ": ")) &&
                      strstr(why, all[i].why),
                  "'%s', not '%s'", why, all[i].why);
        cr_expect_eq(o.kinds + o.sites + o.blocks + o.threads, 0);
        free(text);
    }
}

Test(report_objects_file, what_is_no_file_is_refused)
{
    static const char *const names[] = {"none", ".", "/dev/zero"};
    struct doc_objects o;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char why[512] = "";
        cr_expect_not(doc_objects_read(names[i], 1, &o, why, sizeof why));
        cr_expect(strstr(why, i ? "not a regular file" : "No such file"), "%s", why);
    }
}

/* Asks for what lies around all borders. */
static void ask_all(const struct doc_objects *o)
{
    struct look_code code = {.names = &stub};
    struct look_finder *finder = look_finder_new(o, &profile, &code);
    struct look_object got;
    for (size_t i = 0; i < o->blocks; i++)
        for (int k = -1; k < 2; k++) {
            look_object_at(finder, o->block[i].from + (uint64_t)k, o->block[i].born, 500, &got);
            look_object_at(finder, o->block[i].to + (uint64_t)k, 0, SIM_NEVER, &got);
        }
    for (size_t i = 0; i < o->threads; i++)
        look_object_at(finder, o->thread[i].stack, 0, SIM_NEVER, &got);
    look_finder_free(finder);
    look_code_close(&code);
}

/* Whatever happens to a file, it is refused with one line, or its objects can be asked for. */
Test(report_objects_file, damaged_files)
{
    static const char letters[] = "0123456789-[],{}\" nul";
    uint64_t state = 3;
    char *whole = text_of(&by_hand);
    const uint32_t size = (uint32_t)strlen(whole);
    unsigned read = 0;
    for (unsigned n = 0; n < 4000; n++) {
        char why[512] = "", *text = sim_strdup(whole);
        const size_t kept = draw(&state, 8) ? size : draw(&state, size);
        for (unsigned k = draw(&state, 4); k--;)
            text[draw(&state, size)] = draw(&state, 8) ? letters[draw(&state, sizeof letters - 1)]
                                                       : (char)draw(&state, 256);
        put_file(text, kept);
        struct doc_objects o;
        if (doc_objects_read(DOC_OBJECTS, profile.paths, &o, why, sizeof why)) {
            read++;
            ask_all(&o);
            doc_objects_free(&o);
        } else {
            cr_expect(*why && !strchr(why, '\n'), "'%s'", why);
        }
        free(text);
    }
    cr_expect(read > 100 && read < 3900, "%u of 4000 were read", read);
    free(whole);
}
