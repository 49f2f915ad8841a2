/* Group files: the shipped ones, every complaint with its place, groups of experiments. */
#include "input/write.h"
#include "input_text.h"

#include "input/home.h"
#include "input/yaml.h"
#include "monitor/board/board.h"

TestSuite(input_group, .fini = leave_scratch);

/** Reads a text as the group file g.yaml. */
static bool read_group(const char *text, struct in_group *group, char **complaints)
{
    size_t size;
    enter_scratch();
    write_file("g.yaml", text, strlen(text));
    struct in_diag diag = {.out = open_memstream(complaints, &size)};
    const bool good = in_group_load(group, &mon_numachine, "g.yaml", &diag);
    fclose(diag.out);
    cr_expect_eq(good, diag.errors == 0);
    return good;
}

Test(input_group, the_shipped_ones_are_good_and_fit_the_card)
{
    static const char *const needed[] = {
        "BUS", "CPI",    "INVALIDATE", "LATENCY",     "NACK",    "RING",       "SHARING",   "SYNC",
        "IPC", "BRANCH", "MLP",        "SPECULATION", "ARM_IPC", "ARM_BRANCH", "ARM_CACHE", "L2C"};
    struct in_diag diag = {.out = stderr};
    char **names = in_home_names("monitor/groups", ".yaml");
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        bool found = false;
        for (size_t k = 0; names[k]; k++)
            found |= !strcmp(names[k], needed[i]);
        cr_expect(found, "%s", needed[i]);
    }
    for (size_t i = 0; names[i]; i++) {
        struct in_group g;
        struct mon_plan plan;
        cr_assert(in_group_load_any(&g, &mon_numachine, names[i], &diag));
        mon_plan_make(g.unit, &plan, &g.choice);
        cr_expect(g.metrics > 0 && *g.about && strlen(g.text) > 200, "%s", names[i]);
        if (strcmp(names[i], "CPI") && !g.unit->own)
            cr_expect_eq(plan.banks, 1, "%s: one run of the card should do", names[i]);
        in_group_free(&g);
    }
    in_free_list(names);
}

#define HEAD "short: s\neventset: [nacks, run]\nlong: l\nmetrics:\n"

Test(input_group, complaints)
{
    static const struct {
        int line;
        const char *text, *complaint;
    } rows[] = {
        {__LINE__, "[1]", "g.yaml:1:1: error: expected keys with values"},
        {__LINE__, "short: s\n", "g.yaml:1:1: error: the group has no 'eventset'"},
        {__LINE__, "eventset: [run]\n", "g.yaml:1:1: error: the group has no 'short'"},
        {__LINE__, HEAD "  {}\n", ":5:3: error: 'metrics' is a mapping; expected a list"},
        {__LINE__, HEAD "  - 3\n", ":5:5: error: expected keys with values"},
        {__LINE__, HEAD "  - {name: a, unit: b}\n", ":5:5: error: the metric has no formula"},
        {__LINE__, HEAD "  - {name: a, unit: b, formla: 1}\n",
         ":5:24: error: unknown key 'formla'; did you mean 'formula'"},
        {__LINE__, HEAD "  - {name: a b, unit: b, formula: 1}\n", ":5:12: error: 'a b' is not"},
        {__LINE__, HEAD "  - {name: A, unit: b, formula: 1}\n", ":5:12: error: 'A' is not a name"},
        {__LINE__, HEAD "  - {name: a, unit: b, formula: 1}\n  - {name: a, unit: b, formula: 2}\n",
         ":6:12: error: a metric 'a' is there already"},
        {__LINE__, HEAD "  - {name: a, unit: b, formula: 1 + nakcs}\n",
         ":5:37: error: formula of 'a': unknown name 'nakcs'; did you mean 'nacks'"},
        {__LINE__, HEAD "  - {name: a, unit: b, formula: \"1 + nakcs\"}\n", ":5:38: error:"},
        {__LINE__, HEAD "  - {name: a, unit: b, formula: stall / run}\n",
         ":5:33: error: formula of 'a': 'stall' is not in the group's eventset; add it"},
        {__LINE__, HEAD "  - {name: a, unit: b, formula: bus.widht}\n", "did you mean 'bus.width'"},
        {__LINE__, HEAD "  - {name: a, unit: b, formula: truth.load}\n",
         "did you mean 'truth.loads'"},
        {__LINE__, HEAD "  - {name: a, unit: b, formula: ''}\n", "ends where a number"},
        {__LINE__, HEAD "  - {name: a, unit: b, formula: (1}\n",
         ":5:33: error: formula of 'a': this"},
        {__LINE__, HEAD "  - name: a\n    unit: b\n    formula: >\n      1 +\n      +\n",
         ":7:14: error: formula of 'a'"},
        {__LINE__, "short: s\neventset: [naks]\nlong: l\nmetrics: []\n",
         ":2:12: error: 'eventset': unknown event 'naks'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct in_group g;
        char *complaints;
        cr_expect(!read_group(rows[i].text, &g, &complaints), "row %d", rows[i].line);
        cr_expect(strstr(complaints, rows[i].complaint), "row %d: %s", rows[i].line, complaints);
        free(complaints);
    }
}

Test(input_group, every_kind_of_name)
{
    struct in_group g;
    char *complaints;
    /* A reference is no name here: "n-43" is a difference, and there is no n. */
    cr_expect(!read_group(HEAD "  - {name: a, unit: b, formula: n-43 + 1}\n", &g, &complaints));
    cr_expect(strstr(complaints, "unknown name 'n'"), "%s", complaints);
    free(complaints);
    cr_assert(read_group(HEAD "  - {name: b, unit: b, formula: useful * bus.width / pcycles}\n"
                              "  - {name: c, unit: b, formula: truth.reads + truth.l2_misses}\n",
                         &g, &complaints),
              "%s", complaints);
    cr_expect_eq(g.metrics, 2);
    cr_expect_str_eq(g.name, "g");
    in_group_free(&g);
    free(complaints);
    cr_assert(read_group("short: s\neventset: [run]\n", &g, &complaints), "%s", complaints);
    cr_expect(!g.metrics && !g.text, "formulas and the long text may be left out");
    in_group_free(&g);
    free(complaints);
}

Test(input_group, of_an_experiment)
{
    static const char own[] = HEAD "  - {name: a, unit: b, formula: nacks / run}\n";
    enter_scratch();
    write_guest("a.out");
    write_file("own.yaml", own, strlen(own));
    struct outcome o = read_text("program: {path: a.out}\nmonitor: {groups: [NACK, ./own.yaml]}\n");
    cr_assert_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
    cr_expect_eq(o.x.group_count, 2);
    cr_expect_str_eq(o.x.group[1].name, "own");
    cr_expect_null(o.x.events[0], "groups bring their own events");
    FILE *f = fopen("resolved.yaml", "w");
    in_experiment_write_resolved(f, &o.x, NULL);
    fclose(f);
    outcome_free(&o);
    o = read_file("resolved.yaml", NULL);
    cr_assert_eq(o.kind, IN_FILE_EXPERIMENT, "%s", o.complaints);
    cr_expect_eq(o.x.group_count, 2);
    cr_expect_null(o.x.events[0]);
    outcome_free(&o);
}

Test(input_group, complaints_of_an_experiment)
{
    static const struct {
        const char *groups, *complaint;
    } rows[] = {
        {"[NAK]", "t.yaml:2:20: error: no group 'NAK' is shipped; did you mean 'NACK'"},
        {"[NACK, nack]", ":2:26: error: 'monitor.groups': there is a group 'NACK' already"},
        {"[./gone.yaml]", ":2:20: error: cannot read './gone.yaml'"},
        {"NACK", ":2:19: error: 'monitor.groups' is a single value"},
        {"[zzzzzz]", "no group 'zzzzzz' is shipped (numachine list groups)"},
    };
    enter_scratch();
    write_guest("a.out");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        snprintf(text, sizeof text, "program: {path: a.out}\nmonitor: {groups: %s}\n",
                 rows[i].groups);
        struct outcome o = read_text(text);
        cr_expect_eq(o.errors, 1, "%s", o.complaints);
        cr_expect(strstr(o.complaints, rows[i].complaint), "%s", o.complaints);
        outcome_free(&o);
    }
}

Test(input_group, a_command_line_replaces_what_is_counted)
{
    struct in_experiment x;
    char *events[] = {(char *)"run", NULL}, *groups[] = {(char *)"bus", NULL};
    struct in_diag diag = {.out = stderr};
    in_experiment_default(&x);
    cr_expect(in_experiment_count(&x, NULL, NULL, &diag));
    cr_expect_str_eq(x.events[0], "default");
    cr_expect(in_experiment_count(&x, NULL, groups, &diag));
    cr_expect(!x.events[0] && x.group_count == 1);
    cr_expect_str_eq(x.group[0].name, "BUS");
    cr_expect(in_experiment_count(&x, events, NULL, &diag));
    cr_expect(x.events[0] && x.group_count == 0 && !x.groups[0]);
    in_experiment_free(&x);
}
