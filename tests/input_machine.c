/* Machine files: what is understood, where it came from, inheritance, assignments, round trip. */
#include "input/tables.h"
#include "input/write.h"
#include "input_text.h"
#include "machine/values.h"

#include <sys/stat.h>

TestSuite(input_machine, .fini = leave_scratch);

static const char *origin_of(const struct in_machine *mc, const char *key)
{
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].key, key))
            return mc->origins[i].text;
    return "no such key";
}

Test(input_machine, shipped_default)
{
    struct in_machine mc;
    struct nm_params defaults;
    struct in_diag diag = {.out = stderr};
    cr_assert(in_machine_load(&mc, NULL, NULL, &diag));
    nm_params_default(&defaults);
    cr_expect(memcmp(mc.params, &defaults, sizeof defaults) == 0);
    cr_expect_str_eq(mc.name, IN_DEFAULT_MACHINE);
    cr_expect(strstr(origin_of(&mc, "rings.stations"), "configs/numachine-64.yaml:"));
    cr_expect_str_eq(origin_of(&mc, "bus.clock"), "default");
    cr_expect(mc.inputs && mc.inputs[0] && !mc.inputs[1]);
    in_machine_free(&mc);
}

Test(input_machine, values)
{
    struct outcome o = read_text("about: mine\n"
                                 "bus: {clock: 75MHz, fifo: 3}\n"
                                 "l2:\n"
                                 "  split: false\n"
                                 "  line: &line 128B\n"
                                 "processor: {isa: mips3}\n"
                                 "bus_is: 1\n");
    cr_expect_eq(o.kind, IN_FILE_UNREADABLE);
    outcome_free(&o);
    o = read_text("about: mine\n"
                  "bus: {clock: 75MHz, fifo: 3}\n"
                  "l2:\n"
                  "  split: false\n"
                  "  line: 128B\n"
                  "processor: {isa: mips3}\n");
    cr_assert_eq(o.kind, IN_FILE_MACHINE, "%s", o.complaints);
    const struct nm_params *p = o.x.machine.params;
    cr_expect_eq(p->bus_clock, 75000000);
    cr_expect_eq(p->bus_fifo, 3);
    cr_expect_eq(p->l2_split, 0);
    cr_expect_eq(p->l2_line, 128);
    cr_expect_eq(p->isa, NM_ISA_MIPS3);
    cr_expect_str_eq(origin_of(&o.x.machine, "l2.line"), "t.yaml:5");
    outcome_free(&o);
}

/** What is meant in times a second is so on every clock, unless a file gives cycles. */
Test(input_machine, rates)
{
    static const struct {
        const char *text;
        uint64_t tick;
    } rows[] = {
        {"about: mine\nprocessor: {clock: 500MHz}\n", 5000000},
        {"about: mine\nprocessor: {clock: 50MHz}\n", 500000},
        {"about: mine\nprocessor: {clock: 500MHz}\nos: {tick: 20011cy}\n", 20011},
        {"about: mine\nprocessor: {clock: 500MHz}\nos: {tick: 0cy}\n", 0},
        {"about: mine\nbase: r10000\n", 2000000},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct outcome o = read_text(rows[i].text);
        cr_assert_eq(o.kind, IN_FILE_MACHINE, "%s", o.complaints);
        cr_expect_eq(o.x.machine.params->os_tick, rows[i].tick, "row %zu", i);
        outcome_free(&o);
    }
}

Test(input_machine, aliases)
{
    struct outcome o = read_text("l1i: &cache {size: 8KB, line: &line 16B}\n"
                                 "l1d: *cache\n"
                                 "bus: {width: *line}\n");
    cr_assert_eq(o.kind, IN_FILE_MACHINE, "%s", o.complaints);
    cr_expect_eq(o.x.machine.params->l1d_size, 8192);
    cr_expect_eq(o.x.machine.params->bus_width, 16);
    outcome_free(&o);
}

Test(input_machine, inheritance)
{
    enter_scratch();
    cr_assert(!mkdir("parts", 0777));
    write_file("parts/slow.yaml", "base: station-4\nbus: {clock: 25MHz, fifo: 4}\n", 44);
    struct outcome o = read_text("bus: {fifo: 8}\nbase: parts/slow.yaml\n");
    cr_assert_eq(o.kind, IN_FILE_MACHINE, "%s", o.complaints);
    cr_expect_eq(o.x.machine.params->bus_clock, 25000000);
    cr_expect_eq(o.x.machine.params->bus_fifo, 8);
    cr_expect_str_eq(origin_of(&o.x.machine, "bus.clock"), "parts/slow.yaml:2");
    cr_expect_str_eq(origin_of(&o.x.machine, "bus.fifo"), "t.yaml:1");
    outcome_free(&o);
}

Test(input_machine, circle)
{
    enter_scratch();
    write_file("a.yaml", "base: ./b.yaml\n", 15);
    write_file("b.yaml", "bus: {fifo: 1}\nbase: c.yaml\n", 28);
    write_file("c.yaml", "base: ././a.yaml\n", 17);
    struct outcome o = read_file("a.yaml", NULL);
    cr_expect_eq(o.kind, IN_FILE_UNREADABLE);
    cr_expect(strstr(o.complaints, "c.yaml:1:7: error: base: goes in a circle"), "%s",
              o.complaints);
    cr_expect(strstr(o.complaints, "a.yaml <- "), "%s", o.complaints);
    outcome_free(&o);
}

Test(input_machine, clash_is_shown_where_it_was_caused)
{
    enter_scratch();
    write_file("base.yaml", "# a comment\nl1d: {size: 64KB}\nmemory: {page_size: 4KB}\n", 55);
    struct outcome o = read_text("base: base.yaml\n");
    cr_expect(strstr(o.complaints, "base.yaml:2:13: error: a primary cache must not be larger than "
                                   "eight pages"),
              "%s", o.complaints);
    outcome_free(&o);
    o = read_text("processor: {clock: 160MHz}\n");
    cr_expect(strstr(o.complaints, "t.yaml:1:20: error: "), "%s", o.complaints);
    outcome_free(&o);
}

Test(input_machine, assignments)
{
    char *good[] = {"bus.clock=25MHz", "run.check=true", "bus.clock=75MHz", NULL};
    enter_scratch();
    struct outcome o = read_bytes("bus: {fifo: 2}\n", 15, good);
    cr_assert_eq(o.kind, IN_FILE_MACHINE, "%s", o.complaints);
    cr_expect_eq(o.x.machine.params->bus_clock, 75000000);
    cr_expect_eq(o.x.machine.params->check, 1);
    cr_expect_str_eq(origin_of(&o.x.machine, "bus.clock"), "--set");
    outcome_free(&o);

    static char *bad[] = {"bus.clock",   "=3",          "bus.clok=3",  "bus.clock=",
                          "bus.clock=3", "bus.clock=[", "base=x.yaml", "bus.clock=40MHz",
                          "bus=3",       "l2.line=*a",  "seed=3",      "bus.clock={a: 1}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char *one[] = {bad[i], NULL};
        o = read_bytes("bus: {fifo: 2}\n", 15, one);
        cr_expect_eq(o.kind, IN_FILE_UNREADABLE, "%s", bad[i]);
        cr_expect(strstr(o.complaints, "--set") || !strcmp(bad[i], "bus.clock=40MHz"), "%s: %s",
                  bad[i], o.complaints);
        cr_expect_eq(o.errors, 1, "%s: %s", bad[i], o.complaints);
        outcome_free(&o);
    }
}

/* What is written as resolved reads back to the same values. */
Test(input_machine, round_trip)
{
    struct outcome o =
        read_text("base: station-4\nbus: {clock: 37.5MHz}\nl2: {size: 128KB}\n"
                  "run: {check: true, watchdog: 12345678cy}\nmemory: {size: 1.5MB}\n");
    cr_assert_eq(o.kind, IN_FILE_MACHINE, "%s", o.complaints);
    FILE *f = fopen("resolved.yaml", "w");
    in_machine_write_resolved(f, &o.x.machine);
    fclose(f);
    struct outcome back = read_file("resolved.yaml", NULL);
    cr_assert_eq(back.kind, IN_FILE_MACHINE, "%s", back.complaints);
    cr_expect(memcmp(back.x.machine.params, o.x.machine.params, sizeof(struct nm_params)) == 0);
    outcome_free(&o);
    outcome_free(&back);
}

/* The least and the most of each parameter come where they belong, or a rule that ties it to others
 * refuses them by name; what is beyond them is refused for its range. */
Test(input_machine, every_parameter_at_its_ends)
{
    static const char any[] = "base: numachine-64\nrun: {watchdog: 1000000000000cy}\n";
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const struct nm_param_row *row = &rows[i];
        const struct in_form form = in_param_form(row);
        const uint64_t ends[] = {row->min, row->max, row->max + 1, row->min - 1};
        for (unsigned end = 0; end < 4; end++) {
            char text[64], set[200], *sets[] = {set, NULL};
            if ((end == 2 && row->max == UINT64_MAX) || (end == 3 && !row->min) ||
                (end > 1 && form.type == IN_ENUM) || (end > 1 && form.type == IN_BOOL))
                continue;
            in_value_format(&form, ends[end], text, sizeof text);
            snprintf(set, sizeof set, "%s=%s", row->key, text);
            struct outcome o = read_bytes(any, sizeof any - 1, sets);
            if (o.kind == IN_FILE_MACHINE)
                cr_expect(end < 2 && nm_param_get(o.x.machine.params, row) == ends[end], "%s", set);
            else
                cr_expect(strstr(o.complaints, row->key) &&
                              (end < 2 || strstr(o.complaints, "expected")),
                          "%s: %s", set, o.complaints);
            outcome_free(&o);
        }
    }
}
