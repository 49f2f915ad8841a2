/* The files of a run directory, read back. */
#include "documents/csv.h"
#include "documents/directory/manifest.h"
#include "documents/directory/rundir.h"
#include "documents/grid.h"
#include "documents/statistics/components.h"
#include "documents/statistics/group.h"
#include "documents/statistics/histogram.h"
#include "documents/statistics/lines.h"
#include "documents/statistics/registers.h"
#include "documents/statistics/samples.h"
#include "documents/statistics/sampling.h"
#include "documents/statistics/stats.h"
#include "documents/statistics/table.h"
#include "documents/totals.h"
#include "report_fake.h"
#include "run/regions.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static struct fake fake;

static void setup(void)
{
    fake_init(&fake, "run,nacks,read_latency,bus_busy,time");
    fake_pass(&fake, 300);
    run_regions_mark(&fake.run, "one, \"quoted\"", true, 300, fake.now);
    fake_pass(&fake, 600);
    run_regions_mark(&fake.run, "one, \"quoted\"", false, 900, fake.now);
    run_regions_mark(&fake.run, "two", true, 900, fake.now);
    fake_pass(&fake, 1200);
    run_regions_mark(&fake.run, "two", false, 2100, fake.now);
    fake_finish(&fake, 2100);
}

static void teardown(void)
{
    run_regions_free(&fake.run);
}

/* What a writer writes, as a string of the caller. */
static char *written(void (*write)(const struct doc_run *, FILE *))
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    write(&fake.run, out);
    fclose(out);
    return text;
}

TestSuite(report_files, .init = setup, .fini = teardown);

Test(report_files, json_has_every_path_with_unit_and_sentence)
{
    char *text = written(doc_write_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    cr_assert(root, "%s", text);
    json_t *snapshots = json_object_get(root, "snapshots");
    cr_expect_eq(json_array_size(snapshots), 3);
    json_t *two = json_array_get(snapshots, 2);
    cr_expect_str_eq(json_string_value(json_object_get(two, "name")), "two");
    cr_expect_eq(json_integer_value(json_object_get(two, "begin_tick")), 900);
    json_t *stats = json_object_get(two, "stats");
    json_t *card = json_object_get(stats, "machine.station[0].card[1]");
    json_t *machine = json_object_get(stats, "machine");
    cr_expect_eq(json_integer_value(json_object_get(card, "monitor.nacks")), 2);
    cr_expect(json_object_get(card, "status.l2_stall"));
    cr_expect(!json_object_get(card, "truth.l2_misses"), "0, of a part");
    cr_expect(json_object_get(machine, "truth.l2_misses"), "0, of the machine");
    cr_expect_float_eq(json_real_value(json_object_get(machine, "metric.ipc")), 1 / 3.0, 1e-9);
    json_t *names = json_object_get(root, "names");
    json_t *nacks = json_object_get(names, "machine.station.card.monitor.nacks");
    cr_expect_str_eq(json_string_value(json_object_get(nacks, "unit")), "packets");
    const char *path;
    json_t *name;
    json_object_foreach(names, path, name) {
        cr_expect(*json_string_value(json_object_get(name, "unit")), "%s", path);
        cr_expect(*json_string_value(json_object_get(name, "desc")), "%s", path);
    }
    json_decref(root);
    free(text);
}

Test(report_files, csv_is_tidy_and_quoted)
{
    char *text = written(doc_write_csv);
    cr_expect_eq(strncmp(text, "snapshot,component,stat,value,unit\r\n", 36), 0);
    cr_expect(strstr(text, "\r\nwhole,machine,monitor.nacks,9,packets\r\n"), "%s", text);
    cr_expect(strstr(text, "\r\n\"one,_\"\"quoted\"\"\",machine,elapsed,600,PCycles\r\n"));
    free(text);
}

/* Whoever named it: it is read back as it was, and no spreadsheet calculates with it. */
static void check_field(const char *text, const char *path)
{
    static const char numbers[] = "+-.0123456789eE";
    char why[256];
    struct doc_csv csv;
    FILE *out = fopen(path, "w");
    cr_assert(out);
    fputs("a,b\r\n1,", out);
    doc_csv_field(out, text);
    fputs("\r\n", out);
    fclose(out);
    cr_assert(doc_csv_open(&csv, path, why, sizeof why) && doc_csv_next(&csv), "%s: %s", text, why);
    cr_expect_str_eq(csv.field[1], text);
    doc_csv_close(&csv);
    char cell[64] = "";
    FILE *in = fopen(path, "r");
    cr_assert(in && fread(cell, 1, sizeof cell - 1, in) > 7);
    fclose(in);
    const char first = cell[7] == '"' ? cell[8] : cell[7]; /* behind "a,b\r\n1," */
    cr_expect(!*text || !text[strspn(text, numbers)] || !strchr("=+-@\t\r\n\xef", first), "%s",
              text);
}

Test(report_files, names_are_no_formulas)
{
    static const char alphabet[] = "=+-@\t\r\n'\",;1e.a ", *const wide[] = {"＝1", "＋1", "－1",
                                                                            "＠a"};
    static const char *const numbers[] = {"-5", "+1.5e-3", "-0", ".5"};
    const size_t letters = sizeof alphabet - 1;
    char path[] = "/tmp/report-XXXXXX", text[4] = "";
    cr_assert(close(mkstemp(path)) == 0);
    for (size_t i = 0; i < letters * letters * letters; i++) {
        text[0] = alphabet[i % letters];
        text[1] = alphabet[i / letters % letters];
        text[2] = i < letters * letters ? '\0' : alphabet[i / letters / letters];
        if (!strchr("\r\n", text[strlen(text) - 1])) /* which a row's end takes */
            check_field(text, path);
    }
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
        check_field(wide[i], path);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        check_field(numbers[i], path);
        cr_expect_not(doc_csv_is_marked(numbers[i]));
    }
    unlink(path);
}

/* What a guest calls a region is one field, and no formula, wherever it stands. */
Test(report_files, regions_are_data)
{
    static const struct {
        const char *separator, *begins;
    } rows[] = {{",", "\n\"'=1+1,2;3\","}, {";", "\n\"'=1+1,2;3\";"}, {"\t", "\n'=1+1,2;3\t"}};
    struct fake odd;
    fake_init(&odd, "run");
    run_regions_mark(&odd.run, "=1+1,2;3", true, 0, odd.now);
    fake_pass(&odd, 3);
    run_regions_mark(&odd.run, "=1+1,2;3", false, 3, odd.now);
    fake_finish(&odd, 3);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        doc_lines(&odd.run, rows[i].separator, out);
        fclose(out);
        cr_expect(strstr(text, rows[i].begins) && !strstr(text, "\n="), "%s", text);
        free(text);
    }
}

/* So many regions that their parts would fill a disk. */
Test(report_files, too_many_regions)
{
    enum { DETAILED = DOC_DETAIL / FAKE_CARDS, REGIONS = DETAILED + 1 };
    struct fake many;
    char *text, name[32];
    size_t size;
    fake_init(&many, "run");
    for (unsigned i = 1; i < REGIONS; i++) {
        snprintf(name, sizeof name, "r%u", i);
        run_regions_mark(&many.run, name, true, i, many.now);
        fake_pass(&many, 3);
        run_regions_mark(&many.run, name, false, i + 1, many.now);
    }
    fake_finish(&many, REGIONS);
    cr_assert_eq(many.run.regions, REGIONS);
    FILE *out = open_memstream(&text, &size);
    doc_write_csv(&many.run, out);
    fclose(out);
    for (unsigned i = REGIONS - 2; i < REGIONS; i++) {
        char row[64];
        snprintf(row, sizeof row, "\r\nr%u,machine,monitor.run,2,", i);
        cr_expect(strstr(text, row), "%s", row);
        snprintf(row, sizeof row, "\r\nr%u,machine.station[0].card[1],monitor.run,1,", i);
        cr_expect_eq(!strstr(text, row), i >= DETAILED, "%s", row);
    }
    cr_assert_eq(many.run.remarks, 1);
    snprintf(name, sizeof name, "those from 'r%u' on", DETAILED);
    cr_expect(strstr(many.run.remark[0], name), "%s", many.run.remark[0]);
    free(text);
    run_regions_free(&many.run);
}

Test(report_files, text_names_its_rulers)
{
    char *text = written(doc_write_text);
    cr_expect(strstr(text, "---------- Begin Simulation Statistics (two) ----------\n"));
    cr_expect(strstr(text, "---------- End Simulation Statistics   (whole) ----------\n"));
    free(text);
}

Test(report_files, table_compares_two_regions)
{
    char *text = written(doc_table);
    cr_expect(strstr(text, "two / one,_\"quoted\""), "%s", text);
    cr_expect(strstr(text, "5 events on 4 counters: 2 runs of the monitoring card; all would be "
                           "identical, so one was simulated."),
              "%s", text);
    cr_expect(!strchr(text, '\033'), "no escape sequences into a file");
    free(text);
}

/* What runs leave here. */
static const char *name_of(unsigned i)
{
    static const char *const names[] = {"stats.csv", "monitor/samples.csv"};
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

Test(report_files, manifest_tells_whether_it_is_whole)
{
    char *argv[] = {(char *)"numachine", (char *)"run", (char *)"\xff", NULL};
    struct doc_manifest m;
    struct doc_rundir dir = {
        .names = name_of,
        .file = {{true, true, {7, 1}}, {true, true, {5, 2}}, {0}, {.asked = true}}};
    m = (struct doc_manifest){
        .run = &fake.run, .dir = &dir, .argc = 3, .argv = argv, .git = "unknown"};
    doc_manifest_hash(&m);
    for (int status = DOC_RUNNING; status <= DOC_INCOMPLETE; status++) {
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        m.status = (enum doc_status)status;
        doc_manifest_write(&m, out);
        fclose(out);
        json_t *root = json_loads(text, 0, NULL);
        cr_assert(root, "%s", text);
        cr_expect_eq(json_is_null(json_object_get(root, "end")), status == DOC_RUNNING);
        cr_expect_eq(json_array_size(json_object_get(root, "inputs")), 1);
        json_t *files = json_object_get(root, "files"), *missing = json_object_get(root, "missing");
        cr_expect_eq(json_object_size(files), 1, "the manifest does not list itself");
        cr_expect_eq(json_integer_value(json_object_get(files, doc_rundir_name(&dir, 1))), 5);
        cr_expect_str_eq(json_string_value(json_object_get(json_object_get(root, "hashes"),
                                                           doc_rundir_name(&dir, 1))),
                         "xxh64:0000000000000002");
        cr_expect_eq(json_array_size(missing), 1);
        cr_expect_str_eq(json_string_value(json_array_get(missing, 0)), doc_rundir_name(&dir, 3));
        json_decref(root);
        free(text);
    }
    doc_manifest_free(&m);
}

static void write_word(void *ctx, FILE *out)
{
    fputs(ctx, out);
}

/* Makes a directory and closes it again. */
static enum doc_dir make(struct doc_rundir *dir, const char *path, bool force, char why[512])
{
    const enum doc_dir made = doc_rundir_make(dir, name_of, path, "x", force, why, 512);
    if (made == DOC_DIR_MADE)
        doc_rundir_close(dir);
    return made;
}

static void write_all(struct doc_rundir *dir, const char *word)
{
    char why[512];
    for (unsigned i = 0; doc_rundir_name(dir, i); i++)
        cr_assert(doc_rundir_write(dir, doc_rundir_name(dir, i), write_word, (void *)word, why,
                                   sizeof why));
}

static void remove_tree(const char *base)
{
    char remove[64];
    snprintf(remove, sizeof remove, "rm -r %s", base);
    cr_expect_eq(system(remove), 0);
}

Test(report_files, directories_are_never_overwritten_by_accident)
{
    char base[] = "/tmp/report-XXXXXX", path[128], why[512] = "";
    struct doc_rundir dir;
    cr_assert(mkdtemp(base));
    cr_expect_eq(make(&dir, base, false, why), DOC_DIR_MADE, "empty");
    snprintf(path, sizeof path, "%s/a/b/", base);
    cr_assert_eq(make(&dir, path, false, why), DOC_DIR_MADE);
    write_all(&dir, "old");
    cr_expect(doc_rundir_is_whole(&dir));
    cr_expect_eq(make(&dir, path, false, why), DOC_DIR_REFUSED);
    cr_expect(strstr(why, "--force"), "%s", why);
    cr_expect_eq(make(&dir, path, true, why), DOC_DIR_MADE);
    cr_expect(doc_rundir_clear(&dir, why, sizeof why), "%s", why);
    cr_expect(rmdir(dir.path) < 0, "the manifest stays");
    cr_expect_eq(make(&dir, path, false, why), DOC_DIR_REFUSED);
    snprintf(path, sizeof path, "%s/a/b/manifest.json", base);
    cr_assert_eq(unlink(path), 0);
    cr_expect_eq(rmdir(dir.path), 0, "and nothing else");
    cr_expect_eq(make(&dir, base, true, why), DOC_DIR_REFUSED, "not a run's directory");
    cr_expect_eq(make(&dir, "/proc/none", true, why), DOC_DIR_FAILED);
    cr_expect_eq(make(&dir, "", true, why), DOC_DIR_REFUSED);
    cr_expect_eq(make(&dir, "/dev/null", true, why), DOC_DIR_REFUSED);

    cr_assert_eq(chdir(base), 0);
    cr_assert_eq(make(&dir, NULL, false, why), DOC_DIR_MADE);
    cr_expect_str_eq(dir.path, "results/x-001");
    cr_assert_eq(make(&dir, NULL, false, why), DOC_DIR_MADE);
    cr_expect_str_eq(dir.path, "results/x-002");
    remove_tree(base);
}

/* Whatever a killed run has left, --force takes; nothing else. */
Test(report_files, what_a_killed_run_leaves_is_taken_with_force)
{
    static const struct {
        const char *left;
        enum doc_dir without, with;
    } rows[] = {
        {"manifest.json", DOC_DIR_REFUSED, DOC_DIR_MADE},
        {"manifest.json.new", DOC_DIR_REFUSED, DOC_DIR_MADE},
        {"guest.elf", DOC_DIR_REFUSED, DOC_DIR_MADE},
        {"guest.elf.new", DOC_DIR_REFUSED, DOC_DIR_MADE},
        {"stats.csv.new", DOC_DIR_REFUSED, DOC_DIR_MADE},
        {"stats.csv.old", DOC_DIR_REFUSED, DOC_DIR_REFUSED},
        {"new", DOC_DIR_REFUSED, DOC_DIR_REFUSED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char base[] = "/tmp/report-XXXXXX", path[128], why[512] = "";
        struct doc_rundir dir;
        cr_assert(mkdtemp(base));
        snprintf(path, sizeof path, "%s/%s", base, rows[i].left);
        FILE *f = fopen(path, "w");
        cr_assert(f && !fclose(f));
        cr_expect_eq(make(&dir, base, false, why), rows[i].without, "%s", rows[i].left);
        cr_expect_eq(make(&dir, base, true, why), rows[i].with, "%s: %s", rows[i].left, why);
        if (rows[i].with == DOC_DIR_MADE && strcmp(rows[i].left, "manifest.json")) {
            cr_expect(doc_rundir_clear(&dir, why, sizeof why), "%s", why);
            cr_expect(access(path, F_OK) < 0, "%s", path);
        }
        remove_tree(base);
    }
}

/* Of two runs one has a directory, empty or not, until it gives it back. */
Test(report_files, a_directory_belongs_to_one_run)
{
    char base[] = "/tmp/report-XXXXXX", why[512] = "";
    struct doc_rundir one, two;
    cr_assert(mkdtemp(base));
    cr_assert_eq(doc_rundir_make(&one, name_of, base, "x", false, why, sizeof why), DOC_DIR_MADE);
    cr_expect_eq(doc_rundir_make(&two, name_of, base, "x", false, why, sizeof why),
                 DOC_DIR_REFUSED);
    cr_expect(strstr(why, "another run"), "%s", why);
    write_all(&one, "one");
    cr_expect_eq(doc_rundir_make(&two, name_of, base, "x", true, why, sizeof why), DOC_DIR_REFUSED);
    cr_expect(strstr(why, "another run"), "%s", why);
    doc_rundir_close(&one);
    cr_expect_eq(doc_rundir_make(&two, name_of, base, "x", true, why, sizeof why), DOC_DIR_MADE);
    doc_rundir_close(&two);
    remove_tree(base);
}

/* results/ may be a link of one's own to where there is room, but not one that somebody else has
 * put there. */
Test(report_files, links_to_results)
{
    char base[] = "/tmp/report-XXXXXX", why[512] = "";
    struct doc_rundir dir;
    cr_assert(mkdtemp(base) && chdir(base) == 0 && mkdir("room", 0700) == 0);
    cr_assert_eq(symlink("room", "results"), 0);
    cr_expect_eq(doc_rundir_make(&dir, name_of, NULL, "x", false, why, sizeof why), DOC_DIR_MADE,
                 "%s", why);
    cr_expect_eq(access("room/x-001", F_OK), 0);
    doc_rundir_close(&dir);
    if (lchown("results", 12345, (gid_t)-1) == 0) { /* we are root */
        cr_expect_eq(doc_rundir_make(&dir, name_of, NULL, "x", false, why, sizeof why),
                     DOC_DIR_REFUSED);
        cr_expect(strstr(why, "another user"), "%s", why);
        cr_expect(access("room/x-002", F_OK) < 0);
        cr_expect_eq(doc_rundir_make(&dir, name_of, "results/y", "x", false, why, sizeof why),
                     DOC_DIR_MADE);
        doc_rundir_close(&dir);
    }
    remove_tree(base);
}

/* No file may be longer. @param bytes  RLIM_INFINITY: any length */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A file that cannot be written leaves what was there, and is remembered. */
Test(report_files, files_are_there_whole_or_not_at_all)
{
    char base[] = "/tmp/report-XXXXXX", path[128], why[512] = "";
    struct doc_rundir dir;
    struct doc_content content = {0};
    cr_assert(mkdtemp(base));
    cr_assert_eq(doc_rundir_make(&dir, name_of, base, "x", false, why, sizeof why), DOC_DIR_MADE);
    write_all(&dir, "old");
    limit_files(1);
    cr_expect_not(doc_rundir_write(&dir, "stats.csv", write_word, (void *)"new", why, sizeof why));
    cr_expect(strstr(why, "File too large"), "%s", why);
    limit_files(RLIM_INFINITY);
    cr_expect_not(doc_rundir_is_whole(&dir));
    snprintf(path, sizeof path, "%s/stats.csv", base);
    cr_expect_not(
        doc_whole_write(path, true, write_word, (void *)"new", &content, why, sizeof why));
    cr_expect(strstr(why, "File exists"), "%s", why);
    char text[8] = "";
    FILE *in = fopen(path, "r");
    cr_assert(in && fgets(text, sizeof text, in));
    fclose(in);
    cr_expect_str_eq(text, "old");
    cr_expect(doc_whole_write(path, false, write_word, (void *)"newer", &content, why, sizeof why));
    cr_expect_eq(content.bytes, 5);
    cr_expect_eq(content.xxh64, XXH64("newer", 5, 0));
    doc_rundir_close(&dir);
    remove_tree(base);
}

/* Tables flow within the page; nothing is cut. */
Test(report_files, words_flow_within_the_width)
{
    static const char wide[] = "  one       1  a sentence of several\n               words\n";
    static const char narrow[] = "  one       1\n      a sentence of\n      several words\n";
    static const struct {
        unsigned width;
        const char *text;
    } rows[] = {{40, wide}, {20, narrow}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct doc_grid grid;
        char *text;
        size_t size;
        FILE *out = open_memstream(&text, &size);
        doc_grid_init(&grid, "lrl");
        doc_grid_cell(&grid, "one");
        doc_grid_cell(&grid, "%6d", 1);
        doc_grid_cell(&grid, "a sentence of several words");
        doc_grid_print(&grid, out, false, rows[i].width);
        doc_grid_free(&grid);
        fclose(out);
        cr_expect_str_eq(text, rows[i].text, "%s", text);
        free(text);
    }
}

/* Two metrics by hand: one that has a value everywhere, one that divides by zero. */
static struct in_group group_of_two(void)
{
    static struct in_metric metric[2];
    struct in_group group = {.name = (char *)"My-Group", .about = (char *)"two", .metrics = 2};
    static const unsigned nacks = MON_EV_nacks, words[] = {IN_WORD_cards, IN_WORD_pcycles};
    metric[0] = (struct in_metric){.name = (char *)"nacks_per_card",
                                   .unit = (char *)"NACKs",
                                   .formula = (char *)"nacks / cards"};
    metric[0].program = (struct mon_formula){
        .steps = 3,
        .step = {{'n', (unsigned)IN_OPERAND_EVENT << IN_OPERAND_SHIFT | nacks, 0},
                 {'n', (unsigned)IN_OPERAND_WORD << IN_OPERAND_SHIFT | words[0], 0},
                 {'/', 0, 0}}};
    metric[1] = (struct in_metric){
        .name = (char *)"never", .unit = (char *)"1", .formula = (char *)"pcycles / 0"};
    metric[1].program = (struct mon_formula){
        .steps = 3,
        .step = {{'n', (unsigned)IN_OPERAND_WORD << IN_OPERAND_SHIFT | words[1], 0},
                 {'#', 0, 0},
                 {'/', 0, 0}}};
    group.metric = metric;
    return group;
}

Test(report_files, groups)
{
    struct in_group group = group_of_two();
    fake.experiment.group = &group;
    fake.experiment.group_count = 1;
    char *text = written(doc_write_groups);
    cr_expect_eq(strncmp(text, "snapshot,component,group,metric,value,unit,formula\r\n", 52), 0);
    cr_expect(strstr(text, "\r\nwhole,machine,My-Group,nacks_per_card,4.5,NACKs,nacks / cards\r\n"),
              "%s", text);
    cr_expect(strstr(text, "\r\nwhole,machine.station[0].card[1],My-Group,nacks_per_card,6,NACKs,"),
              "%s", text);
    cr_expect(strstr(text, "\r\ntwo,machine,My-Group,never,,1,pcycles / 0\r\n"), "%s", text);
    cr_expect(!strstr(text, "card[1],My-Group,never"), "%s", text);
    cr_expect(!strstr(text, "station[0],My-Group,never"), "a station that is all: %s", text);
    free(text);

    text = written(doc_write_csv);
    cr_expect(strstr(text, "\r\nwhole,machine,group.my_group.nacks_per_card,4.5,NACKs\r\n"));
    cr_expect(strstr(text, "\r\nwhole,machine,group.my_group.never,,1\r\n"), "no value");
    cr_expect(!strstr(text, "card[1],group.my_group.never"), "no value, of a part");
    free(text);

    text = written(doc_write_text);
    cr_expect(strstr(text, " - # pcycles / 0 (1): its formula would divide by zero\n"), "%s", text);
    free(text);

    text = written(doc_write_json);
    json_t *root = json_loads(text, 0, NULL), *whole, *machine, *absent;
    cr_assert(root);
    whole = json_array_get(json_object_get(root, "snapshots"), 0);
    machine = json_object_get(json_object_get(whole, "stats"), "machine");
    absent = json_object_get(whole, "absent");
    cr_expect(json_is_null(json_object_get(machine, "group.my_group.never")));
    cr_expect_str_eq(json_string_value(json_object_get(absent, "machine.group.my_group.never")),
                     "its formula would divide by zero");
    cr_expect(json_is_real(json_object_get(machine, "group.my_group.nacks_per_card")));
    cr_expect(!json_object_get(absent, "machine.group.my_group.nacks_per_card"));
    json_decref(root);
    free(text);

    text = written(doc_table);
    cr_expect(strstr(text, "= nacks / cards"), "%s", text);
    cr_expect(strstr(text, "never") && strstr(text, " -  "), "%s", text);
    free(text);
    fake.experiment.group = NULL;
    fake.experiment.group_count = 0;
}

/* The line of `text` that begins with `name`, to be freed; NULL: none. */
static char *line_of(const char *text, const char *name)
{
    for (const char *at = text; (at = strstr(at, name)); at++)
        if (at == text || at[-1] == ' ' || at[-1] == '\n')
            return strndup(at, strcspn(at, "\n"));
    return NULL;
}

/* stats.csv of a run that counted `events` and in which one total of a card was `count`. */
static char *csv_with(const char *events, uint64_t *total, uint64_t count)
{
    run_regions_free(&fake.run);
    fake_init(&fake, events);
    *total = count;
    fake_finish(&fake, 900);
    return written(doc_write_csv);
}

/* Each row of the ground truth is in a file under its name. */
Test(report_files, every_truth_is_in_a_file){
#define EXPECT(total, name, unit)                                                         \
    {                                                                                     \
        char *text = csv_with("", &fake.card[1].total, 12345);                            \
        cr_expect(strstr(text, "whole,machine,truth." name ",12345," unit "\r\n"), name); \
        free(text);                                                                       \
    }
#define TRUTH(field, unit, sentence)          EXPECT(truth.field, #field, unit)
#define TRUTH_TAP(field, tap, unit, sentence) EXPECT(taps.v[MON_TAP_##tap], #field, unit)
#include "machine/truth.def"
#undef TRUTH
#undef EXPECT
}

/* Each tap is in some event, unless it is counted only as a card's registers say: then it is in
 * monitor/counters.csv. */
Test(report_files, every_tap_is_in_a_file)
{
    static const bool by_registers[MON_TAP__COUNT] = {
        [MON_TAP_NACKED_HEADERS] = true, /* OPTIONS.WITHOUT_NACKS */
        [MON_TAP_MEMORY_BANK0] = true,   /* MEMORY */
        [MON_TAP_MEMORY_BANK1] = true,   [MON_TAP_MEMORY_BANKS] = true,
        [MON_TAP_READ_TIME] = true, /* events that a board makes */
        [MON_TAP_ABOVE] = true,          [MON_TAP_INTERRUPT_TIME] = true,
    };
    char events[4096] = "";
    for (unsigned e = 0; e < MON_EV__COUNT; e++)
        if (!mon_event_needs_board((enum mon_event_id)e))
            snprintf(events + strlen(events), sizeof events - strlen(events), "%s,",
                     mon_board_events[e].name);
    for (unsigned t = 0; t < MON_TAP__COUNT; t++) {
        uint64_t *tap = &fake.card[0].taps.v[t];
        char *usual = csv_with(events, tap, 0), *more = csv_with(events, tap, 12345);
        cr_expect_eq(!strcmp(more, usual), by_registers[t], "tap %u", t);
        free(usual);
        free(more);
    }
}

/* Nothing is computed with a count that is modulo 2^32. */
Test(report_files, wrapped_counts_have_no_rates)
{
    static const char *const names[] = {"run ", "nacks "};
    for (unsigned i = 0; i < 2; i++) {
        for (int wrapped = 0; wrapped < 2; wrapped++) {
            char *text;
            size_t size;
            for (size_t r = 0; r < fake.run.regions; r++)
                fake.run.region[r].card[0].overflowed[i] = wrapped;
            FILE *out = open_memstream(&text, &size);
            doc_table_region(&fake.run, &fake.run.region[0], out);
            fclose(out);
            char *line = line_of(text, names[i]);
            cr_assert(line, "%s", text);
            cr_expect_eq(!strstr(line, "% of time") && !strstr(line, "/1000 instr"), wrapped, "%s",
                         line);
            cr_expect_eq(!strstr(line, ".."), wrapped, "%s", line);
            cr_expect_eq(strstr(line, "(wrapped)") != NULL, wrapped, "%s", line);
            free(line);
            free(text);
        }
    }
}

/* Of fewer than ten samples no error is told. */
Test(report_files, an_estimate_has_an_interval_from_ten_samples_on)
{
    enum { LEAST = 10, APART = 100000, LENGTH = 10000, MOST = LEAST + 1 };
    struct prog_sample sample[MOST];
    struct fake f;
    for (unsigned i = 0; i < MOST; i++)
        sample[i] = (struct prog_sample){.from = i * APART,
                                         .to = i * APART + LENGTH,
                                         .warmed = i ? APART - LENGTH : 0,
                                         .done = {.instructions = 5000 + i % 2, .stores = 500},
                                         .early = {.instructions = 2500, .stores = 250},
                                         .between = {.instructions = 45000, .stores = 4500},
                                         .requests = 10,
                                         .took = 1000,
                                         .expected = 990,
                                         .processors = 1};
    fake_init(&f, "nacks");
    for (unsigned n = 0; n <= MOST; n++) {
        f.run.outcome = (struct prog_outcome){
            .sample = sample, .samples = n, .sampled_to = (n ? n - 1 : 0) * APART + LENGTH};
        const struct doc_estimate e = doc_estimate(&f.run);
        const bool few = e.unsuited && strstr(e.unsuited, "too few samples");
        cr_expect_eq(e.half_width > 0, n >= LEAST, "%u samples: %f", n, e.half_width);
        cr_expect_eq(few, n < LEAST, "%u samples: %s", n, e.unsuited ? e.unsuited : "trusted");
    }
    f.run.outcome.sample = NULL;
    run_regions_free(&f.run);
}
