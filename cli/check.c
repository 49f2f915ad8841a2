/*
 * numachine check: reads a machine or experiment file as a run would, and says on one screen what
 * was understood. Nothing is run or written.
 */
#include "base/plural.h"
#include "cli/cli.h"
#include "input/experiment.h"
#include "input/units.h"
#include "input/write.h"
#include "input/yaml.h"
#include "run/possible.h"
#include "sweep/sweep.h"

#include <stdio.h>
#include <string.h>

/** The parameters that differ from their defaults. */
static void print_machine(const struct in_machine *mc)
{
    size_t count, changed = 0;
    const struct nm_param_row *rows = nm_param_rows(&count);
    const struct nm_params *p = mc->params;
    char cpu[40], bus[40];
    const struct in_form clock = {IN_FREQ, "Hz", 0, UINT64_MAX};
    in_value_format(&clock, nm_value_cpu_clock(p), cpu, sizeof cpu);
    in_value_format(&clock, nm_value_bus_clock(p), bus, sizeof bus);
    const uint64_t cards = nm_params_cards(p),
                   ratio = nm_value_cpu_clock(p) / nm_value_bus_clock(p);
    printf("machine     %s: %llu processor%s at %s, bus at %s (1 bus cycle = %llu processor "
           "cycle%s)\n",
           mc->name, (unsigned long long)cards, sim_plural(cards), cpu, bus,
           (unsigned long long)ratio, sim_plural(ratio));
    for (size_t i = 0; i < count; i++) {
        char value[64], def[64];
        const struct in_form form = in_param_form(&rows[i]);
        if (nm_param_get(p, &rows[i]) == nm_param_default(p, &rows[i]))
            continue;
        in_value_format(&form, nm_param_get(p, &rows[i]), value, sizeof value);
        in_value_format(&form, nm_param_default(p, &rows[i]), def, sizeof def);
        printf("            %s: %s (default %s), from %s\n", rows[i].key, value, def,
               mc->origins[i].text);
        changed++;
    }
    printf("            %zu of %zu parameters differ from their defaults\n", changed, count);
}

/** A list on one line, its first words if it is long. */
static void print_words(const char *label, char *const *list)
{
    size_t n = 0, width = 0;
    printf("%-11s", label);
    for (; list[n] && (width += strlen(list[n]) + 1) < 64; n++)
        printf(" %s", list[n]);
    const size_t shown = n;
    while (list[n])
        n++;
    if (n > shown)
        printf(" ... (%zu in all)\n", n);
    else
        printf("%s\n", n ? "" : " none");
}

/** The fields of a register's word that are not 0; of an event's number, its name. */
static void print_fields(const struct mon_unit_ops *unit, const struct mon_register_row *row,
                         uint32_t value)
{
    const char *separator = " (";
    for (const struct mon_field_row *f = unit->fields; f && f->name; f++) {
        const uint32_t part = value >> f->low & (uint32_t)((UINT64_C(1) << f->bits) - 1);
        const int event = strcmp(f->name, "EVENT") ? -1 : mon_event_numbered(unit, part);
        if (strcmp(f->reg, row->name) || (!part && event < 0))
            continue;
        if (event >= 0)
            printf("%sEVENT %s", separator, unit->events[event].name);
        else
            printf("%s%s %u", separator, f->name, part);
        separator = ", ";
    }
    printf("%s\n", *separator == ',' ? ")" : "");
}

/** A pattern that is not known before the run: it grows with the pages of a part of the program. */
static bool check_grows(const struct in_experiment *x, const struct mon_write *write)
{
    return write->key == MON_KEY_ADDRESS && (x->mask_symbol || x->mask_from < x->mask_to);
}

static void print_growing(const struct in_experiment *x)
{
    if (x->mask_symbol)
        printf("grows with the pages of '%s'\n", x->mask_symbol);
    else
        printf("grows with the pages of 0x%llx-0x%llx\n", (unsigned long long)x->mask_from,
               (unsigned long long)x->mask_to);
}

/** What monitor: comes to, in the words of the card. */
static void print_writes(const struct in_experiment *x)
{
    if (!x->write_count)
        return;
    printf("registers   written on every card before the first cycle:\n");
    for (unsigned i = 0; i < x->write_count; i++) {
        const struct mon_unit_ops *unit = in_unit(x);
        const struct mon_register_row *row = mon_unit_register(unit, x->write[i].offset);
        printf("            0x%03x %-12s = ", x->write[i].offset, row->name);
        if (check_grows(x, &x->write[i])) {
            print_growing(x);
            continue;
        }
        printf("0x%08x", x->write[i].value);
        print_fields(unit, row, x->write[i].value);
    }
}

/** What is recorded, and when. */
static void print_record(const struct in_experiment *x)
{
    static const struct in_form time = {IN_TIME, "", 0, 0};
    char from[64], to[64];
    if (x->record_references)
        puts("recorded    all references");
    if (!in_records(x))
        return;
    in_value_format(&time, in_record_begin(x), from, sizeof from);
    in_value_format(&time, x->record_to, to, sizeof to);
    printf("recorded    %s%s%sfrom %s to %s\n", x->record_waves ? "waves, " : "",
           x->record_trace ? "trace, " : "", x->record_paje ? "threads, " : "",
           in_record_begin(x) ? from : "the beginning",
           x->record_to == SIM_NEVER ? "1 ms later" : to);
    if (x->record_waves)
        print_words("  signals", x->record_signals);
    if (x->record_waves && x->record_count)
        print_words("  of cards", x->record_cards);
}

/** What a program finds. */
static void print_surroundings(const struct in_experiment *x)
{
    printf("  called    %s\n", x->called);
    print_words("  arguments", x->argv + 1);
    print_words("  variables", x->envp);
    printf("  input     %s\n", x->stdin_path ? x->stdin_path : "empty");
}

static void print_experiment(const struct in_experiment *x)
{
    static const struct in_form time = {IN_TIME, "", 0, 0};
    char limit[64];
    const char *about = x->about ? x->about : "";
    printf("experiment  %s%s%.*s\n", x->name, *about ? ": " : "", (int)strcspn(about, "\n"), about);
    print_machine(&x->machine);
    if (x->source) {
        printf("program     %s, to be built for %s\n", x->source, x->abi);
        print_words("  flags", x->cflags);
    } else if (x->pattern_count) {
        printf("pattern     ");
        in_pattern_write(stdout, x, "\n            ");
        putchar('\n');
    } else {
        printf("program     %s\n", x->program);
    }
    if (!x->pattern_count)
        print_surroundings(x);
    if (x->processors)
        printf("  cards     0 to %u\n", x->processors - 1);
    else
        printf("  cards     all\n");
    print_words("events", x->events);
    if (x->group_count)
        print_words("groups", x->groups);
    in_value_format(&time, x->interval, limit, sizeof limit);
    if (x->interval != SIM_NEVER)
        printf("samples     every %s\n", limit);
    print_record(x);
    print_writes(x);
    in_value_format(&time, x->limit, limit, sizeof limit);
    printf("run         seed %llu, limit %s\n", (unsigned long long)x->seed, limit);
    printf("expected    exit status %u\n", x->expect_status);
    for (size_t i = 0; i < x->expects; i++) {
        fputs("            ", stdout);
        in_expect_subject(&x->expect[i], stdout);
        fputs(": ", stdout);
        in_expect_bounds(&x->expect[i], stdout);
        putchar('\n');
    }
}

/** What of the sweep was understood: each point is looked at. */
static bool check_sweep(const struct cli_given *g, struct in_diag *diag)
{
    struct swp_sweep sweep;
    struct run_seen seen = {0};
    const bool good = swp_load(&sweep, g->words[0], g->sets, diag) &&
                      swp_check(&sweep, g->words[0], g->sets, run_possible_once, &seen, diag);
    if (good && !g->all_values) {
        printf("sweep       %zu point%s (numachine points %s):", sweep.points,
               sim_plural(sweep.points), g->words[0]);
        for (size_t k = 0; k < sweep.keys; k++)
            printf(" %s", sweep.key[k].key->path);
        putchar('\n');
    }
    run_seen_free(&seen);
    swp_free(&sweep);
    return good;
}

static bool check_one(const struct in_experiment *x)
{
    struct run_seen seen = {0};
    const bool good = run_possible_once(&seen, x);
    run_seen_free(&seen);
    return good;
}

int cli_check(struct cli_given *g)
{
    struct in_diag diag = {.out = stderr};
    struct in_experiment x;
    const enum in_file_kind kind = in_any_load(&x, g->words[0], g->sets, &diag);
    if (kind == IN_FILE_EXPERIMENT && g->all_values)
        in_experiment_write_resolved(stdout, &x, NULL);
    else if (kind == IN_FILE_EXPERIMENT)
        print_experiment(&x);
    else if (kind == IN_FILE_MACHINE && g->all_values)
        in_machine_write_resolved(stdout, &x.machine);
    else if (kind == IN_FILE_MACHINE)
        print_machine(&x.machine);
    const bool good =
        kind == IN_FILE_MACHINE ||
        (kind == IN_FILE_EXPERIMENT && (x.sweep ? check_sweep(g, &diag) : check_one(&x)));
    in_experiment_free(&x);
    return good ? CLI_EXIT_OK : CLI_EXIT_USAGE;
}
