/*
 * Profiles as files and as tables: a small one by hand, whose sums are counted here, and drawn
 * ones, of which every way to sum up must come to the same.
 */
#include "base/alloc.h"
#include "look/profile/write.h"
#include "scratch.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- names and a profile by hand ------------------------------------------------------------- */

static const struct {
    uint64_t from, to;
    const char *name, *file;
} functions[] = {
    {0x1000, 0x1100, "main", "m.c"},
    {0x2000, 0x2100, "f", "f.c"},
    {0x3000, 0x3100, "g", "f.c"},
    {0x4000, 0x4100, "start", NULL},
};

/* Two instructions a line, from line 10 on. */
static bool stub_at(struct prog_names *names, uint64_t va, struct prog_place *out)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (va >= functions[i].from && va < functions[i].to) {
            *out = (struct prog_place){.function = functions[i].name,
                                       .from = functions[i].from,
                                       .to = functions[i].to,
                                       .file = functions[i].file};
            out->line = out->file ? 10 + (unsigned)(va - out->from) / 8 : 0;
            return true;
        }
    *out = (struct prog_place){0};
    return names->symbols && false;
}

static void stub_free(struct prog_names *names)
{
    (void)names;
}

static struct prog_names stub = {.symbols = true, .lines = true, .at = stub_at, .free = stub_free};

#define NOWHERE          PC_PROFILE_NOWHERE
#define V(column, value) [PC_PROFILE_##column] = (value)

static char *regions[] = {(char *)"whole", (char *)"north", (char *)"south"};
static uint32_t phase0[] = {1, 0}, phase1[] = {2, 0, 1}, phase2[] = {3, 0, 1, 2};
static uint32_t *phases[] = {phase0, phase1, phase2};
static struct pc_profile_path paths[] = {
    {0, NOWHERE, NOWHERE}, /* of cards without a thread */
    {1, NOWHERE, 0x1000},  /* main */
    {1, 0x1010, 0x2000},   /* main;f */
    {2, 0x2008, 0x3000},   /* main;f;g: here g calls f again */
    {1, 0x1020, 0x3000},   /* main;g */
    {4, 0x3008, 0x2000},   /* main;g;f */
    {1, 0x1018, 0x2000},   /* main;f, called from elsewhere */
    {7, NOWHERE, 0x4000},  /* start */
    {7, 0x4004, 0x2000},   /* start;f */
};
static struct pc_profile_row rows[] = {
    {0, 0, 0, NOWHERE, {V(STALL_OTHER, 1000), V(IDLE, 1000)}},
    {0, 7, 1, 0x1000, {V(INT, 10), V(STALL_L1I, 5), V(INSTRUCTIONS, 10), V(L1I_MISSES, 1)}},
    {0, 7, 1, 0x1010, {V(INT, 3), V(INSTRUCTIONS, 3)}},
    {0, 7, 2, 0x2000, {V(LOAD, 20), V(STALL_L2, 80), V(INSTRUCTIONS, 20), V(L2_MISSES, 4)}},
    {0, 7, 3, 0x3004, {V(STORE, 8), V(STALL_MP, 32), V(INSTRUCTIONS, 8), V(NACKS, 2)}},
    {0, 8, 8, 0x2004, {V(FP, 7), V(SLIP_FP, 3), V(INSTRUCTIONS, 7)}},
    {1, 7, 4, 0x3000, {V(INT, 6), V(STALL_L2, 44), V(INSTRUCTIONS, 6), V(L2_MISSES, 1)}},
    {1, 7, 5, 0x2000, {V(LOAD, 1), V(STALL_L2, 9), V(INSTRUCTIONS, 1), V(L2_MISSES, 1)}},
    {1, 7, 5, NOWHERE, {V(STALL_L2, -4)}},
    {1, 8, 7, 0x4004, {V(INT, 2), V(STALL_OTHER, 500), V(INSTRUCTIONS, 2), V(IDLE, 490)}},
    {2, 7, 5, NOWHERE, {V(STALL_L2, 4)}},
    {2, 7, 6, 0x2000, {V(LOAD, 30), V(INSTRUCTIONS, 30)}},
};
static const struct doc_profile by_hand = {regions, 3, phases, 3, paths, 9, rows, 12};

/* A view of a profile that is open; the code is static. */
static struct look_view open_view(const struct doc_profile *profile, const char *measure,
                                  uint32_t region, int64_t thread)
{
    static struct look_code code;
    char why[256] = "";
    struct look_view view = {.profile = profile, .code = &code, .region = region, .thread = thread};
    code = (struct look_code){.names = &stub};
    cr_assert(look_measure_find(measure, &view.measure, why, sizeof why), "%s", why);
    look_view_open(&view);
    return view;
}

static void close_view(struct look_view *view)
{
    look_view_close(view);
    look_code_close(view->code);
}

/* ---- sums by hand ---------------------------------------------------------------------------- */

struct expected {
    enum look_by by;
    const char *measure;
    uint32_t region;
    int64_t thread;
    const char *label;
    int64_t self, all;
};

static void expect_sum(const struct expected *x)
{
    struct look_view view = open_view(&by_hand, x->measure, x->region, x->thread);
    struct look_sums sums = look_view_sum(&view, x->by);
    unsigned found = 0;
    for (size_t i = 0; i < sums.entries; i++) {
        char *label = look_view_label(&view, x->by, sums.entry[i]->key);
        if (!strcmp(label, x->label)) {
            found++;
            cr_expect_eq(look_measured(&view.measure, &sums.entry[i]->self), x->self,
                         "%s %s: self %" PRId64, x->measure, x->label,
                         look_measured(&view.measure, &sums.entry[i]->self));
            cr_expect_eq(look_measured(&view.measure, &sums.entry[i]->all), x->all,
                         "%s %s: all %" PRId64, x->measure, x->label,
                         look_measured(&view.measure, &sums.entry[i]->all));
        }
        free(label);
    }
    cr_expect_eq(found, 1, "%s: %u times", x->label, found);
    look_sums_free(&sums);
    close_view(&view);
}

/* main 18 = 15 + 3; f: main;f 100 + 30, main;g;f 10 - 4 + 4, start;f 10; g: 40 + 50. */
Test(report_profile, sums_are_those_counted_by_hand)
{
    static const struct expected all[] = {
        {LOOK_BY_function, "total", 0, -1, "main", 18, 248},
        {LOOK_BY_function, "total", 0, -1, "f", 150, 190},
        {LOOK_BY_function, "total", 0, -1, "g", 90, 100},
        {LOOK_BY_function, "total", 0, -1, "start", 12, 22},
        {LOOK_BY_function, "total", 0, -1, "(no thread yet)", 0, 0},
        {LOOK_BY_function, "idle", 0, -1, "(no thread yet)", 1000, 1000},
        {LOOK_BY_function, "idle", 0, -1, "start", 490, 490},
        {LOOK_BY_function, "stall_other", 0, -1, "start", 10, 10},
        {LOOK_BY_function, "stall", 0, -1, "start", 10, 10},
        {LOOK_BY_function, "stall/cache", 0, -1, "f", 89, 89},
        {LOOK_BY_function, "stall/mp", 0, -1, "f", 0, 32},
        {LOOK_BY_function, "nacks", 0, -1, "main", 0, 2},
        {LOOK_BY_function, "l2_misses", 1, -1, "main", 0, 2},
        {LOOK_BY_function, "total", 1, -1, "f", 40, 40},
        {LOOK_BY_function, "total", 2, -1, "f", 34, 34},
        {LOOK_BY_function, "total", 0, 7, "f", 140, 180},
        {LOOK_BY_path, "total", 0, -1, "main", 18, 248},
        {LOOK_BY_path, "total", 0, -1, "main;f", 130, 170},
        {LOOK_BY_path, "total", 0, -1, "main;g;f", 10, 10},
        {LOOK_BY_path, "total", 0, -1, "start;f", 10, 10},
        {LOOK_BY_line, "total", 0, -1, "f.c:10", 240, 240},
        {LOOK_BY_line, "total", 0, -1, "m.c:12", 3, 143},
        {LOOK_BY_line, "total", 0, -1, "f.c:11", 0, 50},
        {LOOK_BY_line, "total", 0, -1, "start (no line)", 12, 22},
        {LOOK_BY_line, "total", 0, -1, "f (at a region's border)", 0, 0},
        {LOOK_BY_line, "total", 1, -1, "f (at a region's border)", 0, 0},
        {LOOK_BY_line, "total", 2, -1, "f (at a region's border)", 4, 4},
        {LOOK_BY_instruction, "total", 0, -1, "0x1010 main+0x10 m.c:12", 3, 143},
        {LOOK_BY_instruction, "total", 0, -1, "0x1020 main+0x20 m.c:14", 0, 60},
        {LOOK_BY_instruction, "total", 0, -1, "0x2000 f+0x0 f.c:10", 140, 140},
        {LOOK_BY_thread, "total", 0, -1, "7", 248, 248},
        {LOOK_BY_thread, "total", 0, -1, "8", 22, 22},
        {LOOK_BY_thread, "idle", 0, -1, "(no thread yet)", 1000, 1000},
        {LOOK_BY_region, "total", 0, -1, "whole", 270, 270},
        {LOOK_BY_region, "total", 0, -1, "north", 102, 102},
        {LOOK_BY_region, "total", 0, -1, "south", 34, 34},
        {LOOK_BY_region, "total", 0, -1, LOOK_NO_REGION, 168, 168},
        {LOOK_BY_region, "total", 2, -1, "north", 34, 34},
        {LOOK_BY_region, "total", 0, 8, "north", 12, 12},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        expect_sum(&all[i]);
}

static char *written(struct look_view *view, const struct look_show *show, look_profile_fn *write)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    write(view, show, out);
    sim_text_close(out, &text);
    return text;
}

static void expect_has(const char *text, const char *part)
{
    cr_expect(strstr(text, part), "no '%s' in\n%s", part, text);
}

Test(report_profile, text)
{
    struct look_view view = open_view(&by_hand, "total", 0, -1);
    struct look_show show = {0};
    char *text = written(&view, &show, look_profile_text);
    expect_has(text, "# PCycles of threads: 270\n");
    expect_has(text, "# PCycles of cards without a thread, in no percentage: 1490\n");
    expect_has(text, "#   secondary               133   49.26 %\n");
    expect_has(text, "    55.56%        150   38.7      2.0     0.0      59.3    0.0    0.0    0.0"
                     "    0.0         5         0  f\n");
    cr_expect(strstr(text, "  f\n") < strstr(text, "  g\n"), "the greatest first");
    free(text);
    show.most = 1;
    text = written(&view, &show, look_profile_text);
    expect_has(text, "  f\n# 3 more, each a function: 44.44 % (");
    cr_expect(!strstr(text, "  g\n"), "one line was asked for");
    free(text);
    show.most = 0;
    show.children = true;
    text = written(&view, &show, look_profile_text);
    expect_has(text, "    91.85%    6.67%        248");
    cr_expect(strstr(text, "  main\n") < strstr(text, "  f\n"));
    free(text);
    close_view(&view);
}

Test(report_profile, folded)
{
    static const char expected[] = "thread 7;main 18\nthread 7;main;f 130\nthread 7;main;f;g 40\n"
                                   "thread 7;main;g 50\nthread 7;main;g;f 10\n"
                                   "thread 8;start 12\nthread 8;start;f 10\n";
    struct look_view view = open_view(&by_hand, "total", 0, -1);
    char *text = written(&view, NULL, look_profile_folded);
    cr_expect_str_eq(text, expected);
    free(text);
    close_view(&view);
    view = open_view(&by_hand, "nacks", 0, -1);
    text = written(&view, NULL, look_profile_folded);
    cr_expect_str_eq(text, "thread 7;main;f;g 2\n");
    free(text);
    close_view(&view);
}

Test(report_profile, names_of_chains)
{
    static const char *const names[][2] = {
        {"main", "main"},
        {"worker(void*)", "worker"},
        {"Histogram::add(unsigned int)", "Histogram::add"},
        {"(anonymous namespace)::Histogram::add", "Histogram::add"},
        {"lab::(anonymous namespace)::f(int)", "lab::(anonymous namespace)::f"},
        {"void lab::fill<double>(std::vector<double, std::allocator<double> >&, double)",
         "lab::fill"},
        {"Map<int, Pair<int> >::find(int const&) const", "Map::find"},
        {"Map<int>::operator[](int)", "Map::operator[]"},
        {"bool A::operator< <int>(A const&)", "A::operator<"},
        {"A::operator()(int) const", "A::operator()"},
        {"A::operator bool() const", "A::operator bool"},
        {"A::operator->()", "A::operator->"},
        {"most() const::{lambda(int, int)#1}::operator()(int, int) const",
         "most::{lambda(int, int)#1}::operator()"},
        {"most::<lambda(int, int)>::operator()", "most::<lambda(int, int)>::operator()"},
        {"main::(anonymous)::operator()", "main::(anonymous)::operator()"},
        {"", ""},
        {"(", ""},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *text;
        size_t size;
        FILE *out = sim_text_open(&text, &size);
        look_chain_name(names[i][0], out);
        sim_text_close(out, &text);
        cr_expect_str_eq(text, names[i][1], "%s: %s", names[i][0], text);
        free(text);
    }
}

Test(report_profile, csv)
{
    const struct look_show rows_of = {0}, sums = {.by_given = true, .by = LOOK_BY_function};
    struct look_view view = open_view(&by_hand, "total", 0, -1);
    char *text = written(&view, &rows_of, look_profile_csv);
    expect_has(text, "phase,regions,thread,function,file,line,inlined,pc,path,pcycles,load,");
    expect_has(text, "\r\n0,whole,7,g,f.c,10,,0x3004,3,40,0,8,");
    expect_has(text, "\r\n1,whole;north,7,f,,,,,5,-4,0,0,");
    expect_has(text, "\r\n1,whole;north,8,start,,,,0x4004,6,12,0,");
    free(text);
    text = written(&view, &sums, look_profile_csv);
    expect_has(text, "function,pcycles,load,");
    expect_has(text, "\r\nf,150,51,");
    free(text);
    close_view(&view);
}

/* Sum of a member over a list of objects. */
static int64_t sum_of(const json_t *list, const char *member)
{
    int64_t sum = 0;
    for (size_t i = 0; i < json_array_size(list); i++)
        sum += json_integer_value(json_object_get(json_array_get(list, i), member));
    return sum;
}

Test(report_profile, json)
{
    const struct look_show rows_of = {0}, sums = {.by_given = true, .by = LOOK_BY_line};
    struct look_view view = open_view(&by_hand, "total", 0, -1);
    char *text = written(&view, &rows_of, look_profile_json);
    json_t *list = json_loads(text, 0, NULL);
    const json_t *row = json_array_get(list, 4);
    cr_assert_eq(json_array_size(list), by_hand.rows);
    cr_expect_eq(sum_of(list, "pcycles"), 270);
    cr_expect_eq(sum_of(list, "stall_l2"), 133);
    cr_expect_eq(json_integer_value(json_object_get(row, "path")), 3);
    cr_expect_str_eq(json_string_value(json_object_get(row, "pc")), "0x3004");
    cr_expect(json_is_null(json_object_get(json_array_get(list, 0), "pc")));
    json_decref(list);
    free(text);
    text = written(&view, &sums, look_profile_json);
    list = json_loads(text, 0, NULL);
    cr_expect_eq(sum_of(list, "pcycles"), 270);
    json_decref(list);
    free(text);
    close_view(&view);
}

Test(report_profile, callgrind)
{
    struct look_view view = open_view(&by_hand, "total", 0, -1);
    char *text = written(&view, NULL, look_profile_callgrind);
    expect_has(text, "positions: instr line\nevents: pcycles load store ");
    expect_has(text, "fl=f.c\nfn=(3) f\n0x2000 10 140 51 0 ");
    expect_has(text, "cfi=f.c\ncfn=(3) f\ncalls=3 0x2000 10\n0x1010 12 140 20 8 ");
    expect_has(text, "cfi=f.c\ncfn=(3) f\ncalls=1 0x2000 10\n0x1018 13 30 30 0 ");
    expect_has(text, "\ncfn=(4) g\ncalls=1 0x3000 10\n0x2008 11 40 0 8 ");
    free(text);
    close_view(&view);
}

Test(report_profile, annotate)
{
    char *text, why[256];
    size_t size;
    struct look_view view = open_view(&by_hand, "total", 0, -1);
    FILE *out = sim_text_open(&text, &size);
    cr_expect(look_profile_annotate(&view, NULL, out, why, sizeof why));
    cr_expect_not(look_profile_annotate(&view, "mian", out, why, sizeof why));
    sim_text_close(out, &text);
    cr_expect_str_eq(why, "no function 'mian' in the profile; did you mean 'main'?");
    expect_has(text, "# f, f.c: total 150 PCycles, 55.56 % of all; percentages below are of these");
    expect_has(text, "# no source text of f.c: No such file or directory\n");
    expect_has(text, "  100.00%          150  f.c:10\n");
    expect_has(text, "   93.33%          140        2000:  (not in the program)\n");
    free(text);
    close_view(&view);
}

/* A program without names has addresses; nothing is lost. */
Test(report_profile, without_names)
{
    struct look_code code = {0};
    struct look_view view = {
        .profile = &by_hand, .code = &code, .thread = -1, .measure = look_measure_total()};
    look_view_open(&view);
    char *text = written(&view, NULL, look_profile_folded);
    expect_has(text, "thread 7;0x1000;0x2000;0x3000 40\n");
    free(text);
    text = written(&view, NULL, look_profile_callgrind);
    expect_has(text, "fl=???\nfn=(3) 0x2000\n0x2000 0 140 ");
    free(text);
    look_view_close(&view);
    look_code_close(&code);
}

Test(report_profile, measures)
{
    struct look_measure measure;
    char why[256];
    static const char *const good[] = {"total",     "run",       "run/branch", "stall",
                                       "killslip",  "load",      "stall_l2",   "stall/cache",
                                       "l2_misses", "nack_time", "idle",       "killslip/slip"};
    static const char *const bad[] = {"", "stal", "stall/", "LOAD", "nacks ", "whole", "/mp"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        cr_expect(look_measure_find(good[i], &measure, why, sizeof why), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        cr_expect_not(look_measure_find(bad[i], &measure, why, sizeof why), "%s", bad[i]);
    cr_expect_not(look_measure_find("l2_mises", &measure, why, sizeof why));
    expect_has(why, "did you mean 'l2_misses'?");
}

/* ---- drawn profiles -------------------------------------------------------------------------- */

/* A generator of numbers (an LCG's upper half); tests are the same each time. */
static uint32_t draw(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(((*state >> 32) * below) >> 32);
}

static uint64_t draw_pc(uint64_t *state)
{
    static const uint64_t wild[] = {NOWHERE, 0, UINT64_C(0xffffffff80000000), 0x5000};
    if (draw(state, 20) == 0)
        return wild[draw(state, 4)];
    return functions[draw(state, 4)].from + 4 * draw(state, 64);
}

static void draw_paths(struct doc_profile *p, uint64_t *state)
{
    p->paths = 1 + draw(state, 30);
    p->path = sim_alloc(p->paths, sizeof *p->path);
    for (uint32_t i = 0; i < p->paths; i++)
        p->path[i] = (struct pc_profile_path){.parent = draw(state, 4) ? draw(state, i + 1) : i,
                                              .call = draw_pc(state),
                                              .function = draw_pc(state)};
}

static void draw_phases(struct doc_profile *p, uint64_t *state)
{
    p->regions = 1 + draw(state, 5);
    p->region = sim_alloc(p->regions, sizeof *p->region);
    for (size_t i = 0; i < p->regions; i++)
        p->region[i] = i ? sim_format("region \"%zu\"", i) : sim_strdup("whole");
    p->phases = 1 + draw(state, 6);
    p->phase = sim_alloc(p->phases, sizeof *p->phase);
    for (size_t i = 0; i < p->phases; i++) {
        uint32_t *phase = p->phase[i] = sim_alloc(p->regions + 1, sizeof *phase);
        for (uint32_t r = 0; r < p->regions; r++)
            if (draw(state, 2))
                phase[++phase[0]] = r;
    }
}

/* Rows in order: each is a little further than the one before it. */
static void draw_rows(struct doc_profile *p, uint64_t *state)
{
    p->row = sim_alloc(p->phases * 3 * p->paths * 8, sizeof *p->row);
    for (uint32_t phase = 0; phase < p->phases; phase++)
        for (uint32_t thread = 0; thread < 3; thread++)
            for (uint32_t path = 0; path < p->paths; path++) {
                uint64_t pc = 0;
                for (unsigned n = draw(state, 8); n--;) {
                    struct pc_profile_row *row = &p->row[p->rows++];
                    pc += 4 + 4 * (uint64_t)draw(state, 0x1000);
                    *row = (struct pc_profile_row){phase, thread * 7, path, n ? pc : NOWHERE, {0}};
                    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
                        if (!draw(state, 3))
                            row->v[c] = (int64_t)draw(state, 1 << 30) - (1 << 10);
                }
            }
}

static struct doc_profile drawn(uint64_t *state)
{
    struct doc_profile p = {0};
    draw_phases(&p, state);
    draw_paths(&p, state);
    draw_rows(&p, state);
    return p;
}

static struct look_cost sum_rows(const struct look_view *view)
{
    struct look_cost sum = {0};
    for (size_t i = 0; i < view->profile->rows; i++)
        if (look_view_has(view, &view->profile->row[i])) {
            const struct look_cost cost = look_cost_of(&view->profile->row[i]);
            look_cost_add(&sum, &cost);
        }
    return sum;
}

/* Each PCycle is in one sum, whatever it is summed up by; of overlapping regions in `whole`.
 * Nowhere is more of the whole than there is (values are 0 and more), and roots have all of it. */
static void expect_identity(struct look_view *view, enum look_by by)
{
    const struct look_cost whole = sum_rows(view);
    struct look_sums sums = look_view_sum(view, by);
    struct look_cost sum = {0}, roots = {0};
    for (size_t i = 0; i < sums.entries; i++) {
        const struct look_entry *e = sums.entry[i];
        cr_expect_eq(e->open, 0);
        if (by != LOOK_BY_region || e->key.a == 0)
            look_cost_add(&sum, &e->self);
        if (by == LOOK_BY_path && view->stack[e->key.a].parent == e->key.a)
            look_cost_add(&roots, &e->all);
        if (by == LOOK_BY_thread || by == LOOK_BY_region)
            cr_expect_arr_eq(&e->all, &e->self, sizeof e->all);
    }
    cr_expect_arr_eq(&sum, &whole, sizeof sum, "by %s", look_by_rows[by].name);
    if (by == LOOK_BY_path)
        cr_expect_arr_eq(&roots, &whole, sizeof roots);
    look_sums_free(&sums);
}

/* Whether a path has a key: the slow way to inclusive costs. */
static bool passes(const struct look_view *view, uint32_t path, uint32_t function)
{
    const struct pc_profile_path *p = view->profile->path;
    for (; view->called[path] != function; path = p[path].parent)
        if (p[path].parent == path)
            return false;
    return true;
}

static void expect_inclusive(struct look_view *view)
{
    struct look_sums sums = look_view_sum(view, LOOK_BY_function);
    for (size_t i = 0; i < sums.entries; i++) {
        struct look_cost all = {0};
        for (size_t k = 0; k < view->profile->rows; k++) {
            const struct pc_profile_row *row = &view->profile->row[k];
            const struct look_cost cost = look_cost_of(row);
            if (look_view_has(view, row) && passes(view, row->path, (uint32_t)sums.entry[i]->key.a))
                look_cost_add(&all, &cost);
        }
        cr_expect_arr_eq(&sums.entry[i]->all, &all, sizeof all);
    }
    look_sums_free(&sums);
}

Test(report_profile, every_sum_is_the_sum_of_the_rows)
{
    uint64_t state = 1;
    for (unsigned n = 0; n < 200; n++) {
        struct doc_profile p = drawn(&state);
        struct look_view view =
            open_view(&p, "total", draw(&state, (uint32_t)p.regions), draw(&state, 2) ? -1 : 7);
        for (unsigned by = 0; by < LOOK_BY__COUNT; by++)
            expect_identity(&view, (enum look_by)by);
        expect_inclusive(&view);
        close_view(&view);
        doc_profile_free(&p);
    }
}

/* ---- files ----------------------------------------------------------------------------------- */

static void remove_scratch(void)
{
    remove_scratch_with("profile.json");
}

TestSuite(report_profile_file, .init = make_scratch, .fini = remove_scratch);

static void put_file(const char *text, size_t size)
{
    FILE *out = fopen("profile.json", "w");
    cr_assert(out && fwrite(text, 1, size, out) == size && fclose(out) == 0);
}

static char *text_of(const struct doc_profile *p)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    doc_profile_write(p, out);
    sim_text_close(out, &text);
    return text;
}

static void expect_same(const struct doc_profile *a, const struct doc_profile *b)
{
    cr_assert(a->regions == b->regions && a->phases == b->phases && a->paths == b->paths &&
              a->rows == b->rows);
    for (size_t i = 0; i < a->regions; i++)
        cr_expect_str_eq(a->region[i], b->region[i]);
    for (size_t i = 0; i < a->phases; i++)
        cr_expect_arr_eq(a->phase[i], b->phase[i], (a->phase[i][0] + 1) * sizeof **a->phase);
    for (size_t i = 0; i < a->paths; i++)
        cr_expect(a->path[i].parent == b->path[i].parent && a->path[i].call == b->path[i].call &&
                  a->path[i].function == b->path[i].function);
    for (size_t i = 0; i < a->rows; i++)
        cr_expect(a->row[i].phase == b->row[i].phase && a->row[i].thread == b->row[i].thread &&
                  a->row[i].path == b->row[i].path && a->row[i].pc == b->row[i].pc &&
                  !memcmp(a->row[i].v, b->row[i].v, sizeof a->row[i].v));
}

static void expect_read_back(const struct doc_profile *p)
{
    struct doc_profile back;
    char why[512] = "", *text = text_of(p);
    put_file(text, strlen(text));
    cr_assert(doc_profile_read("profile.json", &back, why, sizeof why), "%s", why);
    expect_same(p, &back);
    char *again = text_of(&back);
    cr_expect_str_eq(again, text);
    free(again);
    free(text);
    doc_profile_free(&back);
}

Test(report_profile_file, what_is_written_is_read)
{
    uint64_t state = 2;
    expect_read_back(&by_hand);
    for (unsigned n = 0; n < 50; n++) {
        struct doc_profile p = drawn(&state);
        expect_read_back(&p);
        doc_profile_free(&p);
    }
    static struct pc_profile_row widest = {.pc = NOWHERE, .thread = UINT32_MAX};
    struct doc_profile one = by_hand;
    widest.v[0] = INT64_MIN;
    widest.v[PC_PROFILE__COUNT - 1] = INT64_MAX;
    one.row = &widest;
    one.rows = 1;
    expect_read_back(&one);
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

Test(report_profile_file, what_is_wrong_is_said)
{
    static const struct {
        const char *from, *to, *why;
    } all[] = {
        {"\"schema\":1", "\"schema\":2", "schema 2: only 1 can be read: another version"},
        {"\"schema\":1", "\"schema\":\"1\"", "schema: not a number"},
        {"\"schema\":1,", "", "schema: not a number"},
        {"\"schema\":1", "\"schema\":1,\"schema\":1", "line 1: duplicate object key"},
        {"\"schema\":1", "\"schema\":1,\"x\":1", "a member that it does not have"},
        {"\"rows\"", "\"rose\"", "rows: missing"},
        {"[\"load\"", "[\"lode\"", "columns[0]: no 'lode' is known: another version"},
        {"[\"load\"", "[\"store\"", "columns[1]: 'store' for the second time"},
        {"[\"load\"", "[7", "columns[0]: not [name, unit, sentence]"},
        {"\"north\"", "\"whole\"", "regions[1]: 'whole' for the second time"},
        {"\"north\"", "7", "regions[1]: not a name"},
        {"\"north\"", "\"nor\\u0000th\"", "line 39: \\u0000 is not allowed"},
        {"[0,1,2]", "[0,1,3]", "phases[2][2]: not the number of one of the regions"},
        {"[0,1,2]", "[0,2,1]", "phases[2][2]: regions do not ascend"},
        {"[0,1,2]", "[0,1,1]", "phases[2][2]: regions do not ascend"},
        {"[0,1,2]", "7", "phases[2]: not an array of regions"},
        {"[1,4112,8192]", "[3,4112,8192]",
         "paths[2].parent: neither its own number nor one before it"},
        {"[1,4112,8192]", "[-1,4112,8192]",
         "paths[2].parent: neither its own number nor one before it"},
        {"[1,4112,8192]", "[1,4112]", "paths[2]: not [parent, call, function]"},
        {"[1,4112,8192]", "[1,\"\",8192]", "paths[2].call: no address"},
        {"[1,4112,8192]", "[1,4112,-1]", "paths[2].function: no address"},
        {"[0,7,1,4112,", "[3,7,1,4112,", "rows[2].phase: not the number of one of the phases"},
        {"[0,7,1,4112,", "[0,4294967296,1,4112,", "rows[2].thread: not a number that it may be"},
        {"[0,7,1,4112,", "[0,7,9,4112,", "rows[2].path: not the number of one of the paths"},
        {"[0,7,1,4112,", "[0,7,1.5,4112,", "rows[2].path: not the number of one of the paths"},
        {"[0,7,1,4112,", "[0,7,1,true,", "rows[2].pc: no address"},
        {"[0,7,1,4112,", "[0,7,1,4096,",
         "rows[2]: not behind the one in front of it by phase, thread, path, pc"},
        {"[0,7,1,4112,", "[0,7,1,4095,",
         "rows[2]: not behind the one in front of it by phase, thread, path, pc"},
        {"[0,7,1,4112,", "[0,7,1,99999999999999999999,", "too big integer"},
        {"[0,7,1,4112,4,3,", "[0,7,1,4112,4,", "rows[2]: not [phase, thread, path, pc, column"},
        {"[0,7,1,4112,4,3,", "[0,7,1,4112,99,3,", "rows[2].values[0]: not the number of a column"},
        {"[0,7,1,4112,4,3,", "[0,7,1,4112,15,3,", "rows[2].values[2]: they do not ascend"},
        {"[0,7,1,4112,4,3,", "[0,7,1,4112,4,0,",
         "rows[2].values[0]: its value is not what it can be"},
        {"[0,7,1,4112,4,3,", "[0,7,1,4112,4,\"3\",",
         "rows[2].values[0]: its value is not what it can be"},
        {"]}\n", "]", "line "},
        {"]}\n", "]} {}", "line "},
    };
    struct doc_profile p;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char why[512] = "", *text = replaced(all[i].from, all[i].to);
        put_file(text, strlen(text));
        cr_expect_not(doc_profile_read("profile.json", &p, why, sizeof why), "%s", all[i].why);
        cr_expect(!strncmp(why, "profile.json: ", 14) && strstr(why, all[i].why), "'%s', not '%s'",
                  why, all[i].why);
        cr_expect_eq(p.rows + p.paths + p.phases + p.regions, 0);
        free(text);
    }
}

Test(report_profile_file, what_is_no_file_is_not_waited_for)
{
    static const char *const names[] = {"none", ".", "/dev/zero", "pipe"};
    struct doc_profile p;
    cr_assert_eq(mkfifo("pipe", 0600), 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char why[512] = "";
        cr_expect_not(doc_profile_read(names[i], &p, why, sizeof why));
        expect_has(why, i ? "not a regular file" : "No such file");
    }
    unlink("pipe");
}

/* Writes a profile in all ways there are, into nothing. */
static void write_all(const struct doc_profile *p)
{
    FILE *out = fopen("/dev/null", "w");
    struct look_view view = open_view(p, "total", (uint32_t)p->regions - 1, -1);
    char why[256];
    for (unsigned as = 0; as < LOOK_FORMATS; as++)
        for (unsigned by = 0; by < LOOK_BY__COUNT; by++) {
            const struct look_show show = {
                .by = (enum look_by)by, .by_given = true, .children = by % 2};
            look_formats[as].write(&view, &show, out);
        }
    look_profile_annotate(&view, NULL, out, why, sizeof why);
    close_view(&view);
    fclose(out);
}

/* Whatever happens to a file, it is refused with one line, or it is a profile. */
Test(report_profile_file, damaged_files)
{
    static const char letters[] = "0123456789-[],{}\" ntulre.";
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
        struct doc_profile p;
        if (doc_profile_read("profile.json", &p, why, sizeof why)) {
            read++;
            write_all(&p);
            doc_profile_free(&p);
        } else {
            cr_expect(*why && !strchr(why, '\n'), "'%s'", why);
        }
        free(text);
    }
    cr_expect(read > 100 && read < 3900, "%u of 4000 were read", read);
    free(whole);
}
