/* Experiment files: every key, defaults, paths seen from the file, checks across keys, round trip.
 */
#include "input/home.h"
#include "input/tables.h"
#include "input/write.h"
#include "input_text.h"
#include "machine/values.h"

#include <sys/stat.h>

TestSuite(input_experiment, .fini = leave_scratch);

static void make_files(void)
{
    enter_scratch();
    write_file("prog.c", "int main(void){return 0;}\n", 26);
    write_guest("a.out");
    write_file("in.txt", "hello\n", 6);
}

static const char full[] = "about: \"caf\\u00e9, \\\"quoted\\\" # and\\ta tab\"\n"
                           "machine: {base: ring-16, bus: {clock: 25MHz}, run: {check: true}}\n"
                           "program:\n"
                           "  source: prog.c\n"
                           "  abi: n64\n"
                           "  cflags: [-O3, '-DX=\"a b\"']\n"
                           "  args: [1000, -v, '', 'null', 0x10, \"line\\nbreak\\u2028\\x85\"]\n"
                           "  env: {HOME: /, EMPTY: '', N: 010}\n"
                           "  stdin: in.txt\n"
                           "  processors: 2\n"
                           "monitor: {events: [run, N-43, default]}\n"
                           "run: {seed: 7, limit: 100ms}\n"
                           "expect: {status: 3}\n"
                           "placement: {0x400000-0x480000: 3, 0x500000-5308416: 0}\n";

static void expect_list(char *const *list, const char *const *expected)
{
    size_t i = 0;
    for (; list[i] && expected[i]; i++)
        cr_expect_str_eq(list[i], expected[i]);
    cr_expect(!list[i] && !expected[i]);
}

static void expect_full(const struct in_experiment *x)
{
    cr_expect_str_eq(x->about, "caf\xc3\xa9, \"quoted\" # and\ta tab");
    cr_expect_eq(x->machine.params->bus_clock, 25000000);
    cr_expect_eq(x->machine.params->check, 1);
    cr_expect_null(x->program);
    cr_expect_str_eq(x->abi, "n64");
    expect_list(x->cflags, (const char *const[]){"-O3", "-DX=\"a b\"", NULL});
    expect_list(x->argv, (const char *const[]){"prog", "1000", "-v", "", "null", "0x10",
                                               "line\nbreak\xe2\x80\xa8\xc2\x85", NULL});
    expect_list(x->envp, (const char *const[]){"HOME=/", "EMPTY=", "N=010", NULL});
    cr_expect_eq(x->processors, 2);
    expect_list(x->events, (const char *const[]){"run", "N-43", "default", NULL});
    cr_expect_eq(x->seed, 7);
    cr_expect_eq(x->limit, 15000000);
    cr_expect_eq(x->expect_status, 3);
    cr_assert_eq(x->range_count, 2);
    cr_expect(x->ranges[0].from == 0x400000 && x->ranges[0].to == 0x480000);
    cr_expect_eq(x->ranges[0].station, 3);
    cr_expect(x->ranges[1].from == 0x500000 && x->ranges[1].to == 0x510000);
}

Test(input_experiment, every_key_and_back)
{
    make_files();
    struct outcome o = read_text(full);
    cr_assert_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
    cr_expect_str_eq(o.x.name, "t");
    cr_expect_str_eq(o.x.source, "prog.c");
    expect_full(&o.x);
    FILE *f = fopen("config.resolved.yaml", "w");
    in_experiment_write_resolved(f, &o.x, NULL);
    fclose(f);
    outcome_free(&o);
    cr_assert(!mkdir("elsewhere", 0777) && !chdir("elsewhere"));
    o = read_file("../config.resolved.yaml", NULL);
    cr_expect(!chdir(".."));
    cr_assert_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
    expect_full(&o.x);
    outcome_free(&o);
}

Test(input_experiment, defaults)
{
    make_files();
    struct outcome o = read_text("program: {path: a.out}\n");
    cr_assert_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
    cr_expect_str_eq(o.x.machine.name, IN_DEFAULT_MACHINE);
    cr_expect_str_eq(o.x.program, "a.out");
    expect_list(o.x.argv, (const char *const[]){"a", NULL});
    expect_list(o.x.envp, (const char *const[]){NULL});
    expect_list(o.x.cflags, (const char *const[]){"-O2", NULL});
    expect_list(o.x.events, (const char *const[]){"default", NULL});
    cr_expect_eq(o.x.limit, SIM_NEVER);
    cr_expect_eq(o.x.seed, 1);
    cr_expect_null(o.x.stdin_path);
    expect_list(o.x.inputs + 2, (const char *const[]){"a.out", NULL});
    outcome_free(&o);

    struct in_experiment x;
    in_experiment_default(&x);
    cr_expect_eq(x.limit, SIM_NEVER);
    cr_expect_str_eq(x.abi, "o32");
    cr_expect_str_eq(x.origins[0].text, "default");
    in_experiment_free(&x);
}

Test(input_experiment, paths_are_seen_from_the_file)
{
    make_files();
    cr_assert(!mkdir("sub", 0777));
    write_file("sub/m.yaml", "bus: {fifo: 5}\n", 15);
    write_file("sub/e.yaml", "machine: m.yaml\nprogram: {source: ../prog.c}\n", 45);
    struct outcome o = read_file("sub/e.yaml", NULL);
    cr_assert_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
    cr_expect_str_eq(o.x.source, "sub/../prog.c");
    cr_expect_str_eq(o.x.machine.name, "m");
    cr_expect_eq(o.x.machine.params->bus_fifo, 5);
    outcome_free(&o);
}

Test(input_experiment, assignments)
{
    char *sets[] = {"bus.fifo=6",
                    "run.seed=9",
                    "program.args=[a, b c]",
                    "run.limit=3000cy",
                    "run.check=true",
                    "monitor.events=[nacks]",
                    "machine=station-4",
                    NULL};
    make_files();
    const char text[] = "program: {path: a.out}\nmachine: {bus: {fifo: 7}}\n";
    struct outcome o = read_bytes(text, strlen(text), sets);
    cr_assert_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
    cr_expect_eq(o.x.machine.params->bus_fifo, 6);
    cr_expect_eq(o.x.machine.params->check, 1);
    cr_expect_eq(o.x.seed, 9);
    cr_expect_eq(o.x.limit, 3000);
    expect_list(o.x.argv, (const char *const[]){"a", "a", "b c", NULL});
    expect_list(o.x.events, (const char *const[]){"nacks", NULL});
    outcome_free(&o);
}

/* All mistakes of a file are reported at once. */
Test(input_experiment, all_errors_at_once)
{
    make_files();
    struct outcome o = read_text("machine: {bus: {clok: 1}}\n"
                                 "program: {path: nowhere, procesors: 2, args: {a: 1}}\n"
                                 "monitor: {events: [run, naks]}\n"
                                 "run: {limit: 3, seed: -1}\n"
                                 "expect: {status: 256}\n");
    cr_expect_eq(o.errors, 8, "%s", o.complaints);
    outcome_free(&o);
}

Test(input_experiment, shipped)
{
    static const char *const names[] = {"template", "first-light"};
    for (size_t i = 0; i < 2; i++) {
        char *path = in_home_path("experiments/%s.yaml", names[i]);
        struct outcome o = read_file(path, NULL);
        cr_expect_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
        outcome_free(&o);
        free(path);
    }
}

Test(input_experiment, placement_errors_have_a_position)
{
    static const struct {
        const char *entry, *complaint;
    } rows[] = {
        {"0x400000: 3", "expected FROM-TO: STATION"},
        {"0x400000-0x480000: three", "expected FROM-TO: STATION"},
        {"0x400000-0x480000: -1", "expected FROM-TO: STATION"},
        {"table: 3", "expected FROM-TO: STATION"},
        {"0x480000-0x480000: 3", "the range is empty"},
        {"0x1-0x99999999999999999: 3", "expected FROM-TO: STATION"},
        {"0x400000-0x480000: 16", "there is no station 16; the machine has 16"},
        {"0x100000-0x100001: 1", "it overlaps the range 0xfffff-0x100004"},
    };
    make_files();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "program: {path: a.out}\nplacement:\n  0xfffff-0x100004: 2\n  %s\n",
                 rows[i].entry);
        struct outcome o = read_text(text);
        cr_expect_eq(o.errors, 1, "%s", o.complaints);
        cr_expect(strstr(o.complaints, rows[i].complaint), "%s", o.complaints);
        cr_expect(strstr(o.complaints, ":4:3:"), "%s", o.complaints);
        outcome_free(&o);
    }
}

/* In an experiment, the complaint stands at the program's name. */
Test(input_experiment, a_wrong_executable_is_shown_where_it_is_named)
{
    uint8_t elf[GUEST_ELF_SIZE];
    guest_elf(elf);
    put16(elf + 18, EM_X86_64);
    enter_scratch();
    write_file("guest", (const char *)elf, sizeof elf);
    struct outcome o = read_text("program: {path: guest}\n");
    cr_expect(strstr(o.complaints,
                     "t.yaml:1:17: error: 'program.path': guest: not a MIPS or ARM program"),
              "%s", o.complaints);
    outcome_free(&o);
}

/* The text of a number that a key takes. Of a time only cycles. */
static bool text_of(const struct in_form *form, uint64_t number, char *text, size_t size)
{
    if (form->type == IN_TIME)
        snprintf(text, size, "%lucy", (unsigned long)number);
    else if (form->type == IN_INT || form->type == IN_DECIMAL || form->type == IN_BOOL)
        in_value_format(form, number, text, size);
    else
        return false;
    return true;
}

/* The value is the experiment's, and of the file that says what was understood. */
static void expect_number(const struct outcome *o, size_t key, const char *set, uint64_t number)
{
    cr_expect_eq(in_number_of(&o->x, key), number, "%s", set);
    FILE *f = fopen("resolved.yaml", "w");
    in_experiment_write_resolved(f, &o->x, NULL);
    fclose(f);
    struct outcome back = read_file("resolved.yaml", NULL);
    cr_expect(back.kind == IN_FILE_EXPERIMENT && in_number_of(&back.x, key) == number, "%s: %s",
              set, back.complaints);
    outcome_free(&back);
}

/* The least and the most of each key that is a number or a flag comes where it belongs and is the
 * same when it is read back; what is beyond is refused. */
Test(input_experiment, every_key_at_its_ends)
{
    static const char
        any[] = "machine: numachine-1024\nprogram: {path: a.out}\n",
        pattern[] = "program: {pattern: [{kind: zipf, references: 10}]}\n",
        masked[] = "program: {path: a.out}\nmonitor: {counters: [{event: nacks, masked: true}], "
                   "histogram: {source: service-time}}\n",
        recorded[] = "program: {path: a.out}\nrecord: {waves: true}\n",
        truth[] = "program: {path: a.out}\nrun: {truth: true}\n",
        sampled[] = "program: {path: a.out}\nrun: {sample: {every: 9000000000000cy}}\n";
    /* What a key needs to be taken. */
    static const struct {
        const char *section, *text;
    } needs[] = {{"program.rate", pattern},
                 {"monitor.", masked},
                 {"record.", recorded},
                 {"run.truth_sizes", truth},
                 {"run.sample.", sampled}};
    make_files();
    for (size_t k = 0; k < in_experiment_table.count; k++) {
        const struct in_key *key = &in_experiment_table.keys[k];
        const uint64_t most = key->form.type == IN_TIME ? INT64_MAX : key->form.max;
        const uint64_t ends[] = {key->form.min, most, most + 1, key->form.min - 1};
        const char *needed = any;
        for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
            needed = strncmp(key->path, needs[i].section, strlen(needs[i].section)) ? needed
                                                                                    : needs[i].text;
        for (unsigned end = 0; end < 4; end++) {
            char text[64], set[200], *sets[] = {set, NULL};
            if (!text_of(&key->form, ends[end], text, sizeof text) ||
                (end == 3 && !key->form.min) || (end > 1 && key->form.type == IN_BOOL))
                continue;
            snprintf(set, sizeof set, "%s=%s", key->path, text);
            struct outcome o = read_bytes(needed, strlen(needed), sets);
            const bool refused =
                end > 1 ||
                (o.complaints && strstr(o.complaints, "must be longer than run.sample.lead"));
            cr_expect_eq(o.kind != IN_FILE_EXPERIMENT, refused, "%s: %s", set, o.complaints);
            if (o.kind == IN_FILE_EXPERIMENT && key->form.type != IN_BOOL &&
                key->form.type != IN_DECIMAL)
                expect_number(&o, k, set, ends[end]);
            outcome_free(&o);
        }
    }
}
