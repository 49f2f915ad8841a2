/*
 * Experiment files: keys of experiment.def in, a checked struct in_experiment out.
 *
 * The one hard idea: defaults are YAML texts in the table and take the same way as the user's own
 * values, so that a default can never be something a file could not have said.
 */
#include "input/experiment.h"
#include "base/nearest.h"
#include "base/plural.h"
#include "input/home.h"
#include "input/pattern.h"
#include "input/tables.h"
#include "input/workload.h"
#include "procard/procard.h"
#include "programs/compiler.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Choices that are tables elsewhere. */
static const char message_words[] = "any"
#define MESSAGE(name, number, class, data, sentence) " " #name
#include "machine/message.def"
#undef MESSAGE
    ;

static const struct in_key experiment_keys[] = {
#define KEY(field, key, type, unit, min, max, def, sentence) \
    {key, {IN_##type, unit, min, max}, def, sentence},
#include "input/experiment.def"
#undef KEY
};

const struct in_table in_experiment_table = {
    experiment_keys, IN_KEY__COUNT, &in_machine_table,
    "belongs to the machine: write it under machine:, beside base:"};

/** Where each key's value is kept. */
static const struct field {
    size_t offset, size;
} fields[] = {
#define KEY(field, key, type, unit, min, max, def, sentence) \
    {offsetof(struct in_experiment, field), sizeof(((struct in_experiment *)0)->field)},
#include "input/experiment.def"
#undef KEY
};

/** An experiment while it is read. */
struct experiment_builder {
    struct in_reading *r;
    struct in_experiment *x;
    struct in_value values[IN_KEY__COUNT];
    unsigned before;     /**< complaints when the reading began */
    struct in_doc *doc;  /**< the experiment's own file; NULL: there is none */
    const char *machine; /**< named on the command line instead; NULL: not */
    char **machine_sets; /**< assignments to the machine's parameters */
    bool abi_given;      /**< program.abi is no default */
};

static void *field_of(struct in_experiment *x, size_t key)
{
    return (char *)x + fields[key].offset;
}

const void *in_field_of(const struct in_experiment *x, size_t key)
{
    return (const char *)x + fields[key].offset;
}

uint64_t in_number_of(const struct in_experiment *x, size_t key)
{
    const void *field = in_field_of(x, key);
    return fields[key].size == sizeof(unsigned) ? *(const unsigned *)field
                                                : *(const uint64_t *)field;
}

/* ---- from values to fields ------------------------------------------------------------------- */

/** Who asks for groups is not given other events as well. */
static const char *default_of(const struct experiment_builder *b, size_t i)
{
    return i == IN_KEY_events && b->values[IN_KEY_groups].list ? "[]" : experiment_keys[i].def;
}

static void fill_defaults(struct experiment_builder *b)
{
    for (size_t i = 0; i < IN_KEY__COUNT; i++) {
        const char *def = default_of(b, i);
        if (b->values[i].at.doc || *def == '\0')
            continue;
        struct in_doc *doc = in_open_text(b->r, def, "default");
        if (doc)
            in_read_value(b->r, doc, in_root(doc), &experiment_keys[i], &b->values[i]);
    }
}

/** Lists are never NULL in the result. */
static void move_list(struct in_value *v, char ***field)
{
    *field = v->list ? v->list : sim_alloc(1, sizeof **field);
    v->list = NULL;
}

static void experiment_store(struct experiment_builder *b, size_t i)
{
    struct in_value *v = &b->values[i];
    void *field = field_of(b->x, i);
    b->x->origins[i].text = in_origin_text(&v->at);
    switch (experiment_keys[i].form.type) {
    case IN_TEXT:
    case IN_PATTERN:
    case IN_WORD:
    case IN_FILE:
        *(char **)field = in_take_text(v);
        break;
    case IN_LIST:
    case IN_EVENTS:
    case IN_GRANTS:
    case IN_MAP:
        move_list(v, field);
        break;
    case IN_INT:
    case IN_DECIMAL:
    case IN_BOOL:
        if (!v->at.doc)
            v->number = IN_ABSENT;
        if (fields[i].size == sizeof(unsigned))
            *(unsigned *)field = (unsigned)v->number;
        else
            *(uint64_t *)field = v->number;
        break;
    case IN_SWEEP:
        *(unsigned *)field = v->at.doc != NULL;
        break;
    default: /* times need the machine's clock, rows and the machine tables of their own */
        break;
    }
}

/** Puts the program's name, if need be its file's, before its arguments. */
static void prepend_name(struct in_experiment *x)
{
    char **args = x->argv, **argv = NULL;
    if (!x->called)
        x->called = x->pattern_count ? in_strdup("pattern")
                                     : in_base_name(x->source ? x->source : x->program);
    in_push(&argv, x->called);
    for (size_t i = 0; args[i]; i++)
        in_push(&argv, args[i]);
    in_free_list(args);
    x->argv = argv;
}

static void list_inputs(struct experiment_builder *b)
{
    struct in_experiment *x = b->x;
    const char *const files[] = {x->program, x->source, x->stdin_path};
    if (b->doc && b->doc->path)
        in_push(&x->inputs, b->doc->path);
    for (size_t i = 0; x->machine.inputs && x->machine.inputs[i]; i++)
        in_push(&x->inputs, x->machine.inputs[i]);
    for (unsigned i = 0; i < x->group_count; i++)
        in_push(&x->inputs, x->group[i].path);
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++)
        if (files[i])
            in_push(&x->inputs, files[i]);
    if (!x->inputs)
        x->inputs = sim_alloc(1, sizeof *x->inputs);
}

/** An address in C's hexadecimal or in decimal, ended by `end`. */
static bool experiment_read_address(const char **text, char end, uint64_t *value)
{
    const char *rest = in_whole_parse(*text, value);
    if (!rest || *rest != end)
        return false;
    *text = rest + 1;
    return true;
}

static bool experiment_read_range(const char *entry, struct nm_range *range, char *why, size_t size)
{
    uint64_t from, to, station;
    if (!experiment_read_address(&entry, '-', &from) ||
        !experiment_read_address(&entry, '=', &to) ||
        !experiment_read_address(&entry, '\0', &station) || station > UINT16_MAX) {
        snprintf(why, size, "expected FROM-TO: STATION, such as 0x400000-0x480000: 3");
        return false;
    }
    if (from >= to) {
        snprintf(why, size, "the range is empty: its end must be above its start");
        return false;
    }
    *range = (struct nm_range){from, to, (unsigned)station};
    return true;
}

/* ---- checks across keys ---------------------------------------------------------------------- */

/** The compiler decides by the suffix what a source is. */
static void check_source(struct experiment_builder *b)
{
    const struct in_value *v = &b->values[IN_KEY_source];
    if (v->text && !prog_language_of(v->text))
        in_complain(b->r, &v->at,
                    "'program.source' must end in one of %s; an executable is given as "
                    "program.path",
                    prog_language_suffixes());
}

/** An executable must be one the machine can run. */
static void check_executable(struct experiment_builder *b)
{
    const struct in_value *v = &b->values[IN_KEY_program];
    char why[600];
    if (v->text && !in_workload_for(v->text, why, sizeof why))
        in_complain(b->r, &v->at, "'program.path': %s", why);
}

static void check_program(struct experiment_builder *b)
{
    static const enum in_experiment_key programs[] = {IN_KEY_program, IN_KEY_source,
                                                      IN_KEY_pattern};
    const struct in_place whole = {b->doc, 1, 1};
    const struct in_value *first = NULL;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
        const struct in_value *v = &b->values[programs[i]];
        if (first && v->at.doc)
            in_complain(b->r, &v->at,
                        "'%s' and '%s' are both given; an experiment runs one program",
                        experiment_keys[first - b->values].path, experiment_keys[programs[i]].path);
        first = first ? first : v->at.doc ? v : NULL;
    }
    if (!first)
        in_complain(b->r, &whole,
                    "no program: give program: {source: FILE.c}, program: {path: EXECUTABLE} or "
                    "program: {pattern: [...]}");
}

/** What only programs have. */
static void check_pattern(struct experiment_builder *b, bool has_machine)
{
    static const enum in_experiment_key of_programs[] = {IN_KEY_argv, IN_KEY_envp,
                                                         IN_KEY_stdin_path, IN_KEY_files};
    for (size_t i = 0; i < sizeof of_programs / sizeof *of_programs; i++) {
        const struct in_value *v = &b->values[of_programs[i]];
        if (v->list || v->text)
            in_complain(b->r, &v->at, "'%s' is of programs, and 'program.pattern' is none",
                        experiment_keys[of_programs[i]].path);
    }
    const struct in_value *mask = &b->values[IN_KEY_mask_address];
    if (mask->text && !strncmp(mask->text, "{symbol", 7))
        in_complain(b->r, &mask->at,
                    "'monitor.mask.address': a pattern has no symbols; give addresses");
    if (has_machine && nm_value_mode(b->x->machine.params) == NM_MODE_FUNCTIONAL)
        in_complain(b->r, &b->values[IN_KEY_pattern].at,
                    "'program.pattern': not in run.mode: functional, which has no caches and no "
                    "network");
}

/** The phases, if there are any. */
static void experiment_read_pattern(struct experiment_builder *b, bool has_machine)
{
    const struct in_value *rate = &b->values[IN_KEY_rate];
    const struct in_phase_context context = {.rate = rate->at.doc ? rate->number : IN_ABSENT,
                                             .processors = &b->values[IN_KEY_processors],
                                             .has_machine = has_machine};
    if (b->values[IN_KEY_pattern].at.doc)
        check_pattern(b, has_machine);
    else if (rate->at.doc)
        in_complain(b->r, &rate->at, "'program.rate' is of patterns, and there is none");
    in_pattern_read(b->r, b->x, &b->values[IN_KEY_pattern], &context);
}

/** Times need the machine's clock. */
static void experiment_read_time(struct experiment_builder *b, size_t key, sim_tick *ticks)
{
    const struct in_value *v = &b->values[key];
    char why[300];
    if (!in_time_parse(v->text, nm_value_cpu_clock(b->x->machine.params),
                       experiment_keys[key].form.min, ticks, why, sizeof why))
        in_complain(b->r, &v->at, "'%s': %.60s %s", experiment_keys[key].path, v->text, why);
}

/** Somebody wrote it: in the file or on the command line. */
static bool is_given(const struct in_value *v)
{
    return v->at.doc && strcmp(v->at.doc->shown, "default") != 0;
}

static struct in_place item_place(const struct in_value *v, size_t i)
{
    return in_at(v->at.doc, in_node(v->at.doc, v->node->data.sequence.items.start[i]));
}

/** One of the cards that are recorded. */
static void read_record_card(struct experiment_builder *b, const struct in_value *v, size_t i)
{
    struct in_experiment *x = b->x;
    const struct in_place at = item_place(v, i);
    const uint64_t cards = nm_params_cards(x->machine.params);
    uint64_t card;
    const char *end = in_whole_parse(v->list[i], &card);
    if (!end || *end || card >= cards) {
        in_complain(b->r, &at,
                    "'record.cards': '%.60s' is no card; the machine has cards 0 to %llu",
                    v->list[i], (unsigned long long)cards - 1);
        return;
    }
    for (unsigned k = 0; k < x->record_count; k++)
        if (x->record_card[k] == card)
            in_complain(b->r, &at, "'record.cards': card %u is there twice", x->record_card[k]);
    x->record_card[x->record_count++] = (unsigned)card;
}

/** One of the signals that are recorded. */
static void read_record_signal(struct experiment_builder *b, const struct in_value *v, size_t i)
{
    struct in_experiment *x = b->x;
    const struct {
        const char *word;
        bool *is;
    } words[] = {{"bus", &x->record_bus},
                 {"rings", &x->record_rings},
                 {"status", &x->record_status},
                 {"counters", &x->record_counters}};
    const struct in_place at = item_place(v, i);
    char why[300];
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (!strcmp(v->list[i], words[k].word)) {
            *words[k].is = true;
            return;
        }
    if (strchr(v->list[i], ','))
        in_complain(b->r, &at,
                    "'record.signals': '%.60s' is no one signal; each is an entry of its own",
                    v->list[i]);
    else if (!mon_choice_add(in_unit(x), &x->record_events, v->list[i], why, sizeof why))
        in_complain(b->r, &at, "'record.signals': neither bus, rings, status, counters, nor: %s",
                    why);
}

/** A window that is none, or in which nothing can be. */
static void check_record_window(struct experiment_builder *b)
{
    const struct in_experiment *x = b->x;
    const struct in_value *from = &b->values[IN_KEY_record_from],
                          *to = &b->values[IN_KEY_record_to];
    if (x->record_to <= in_record_begin(x))
        in_complain(b->r, &to->at, "'record.to' is not behind 'record.from'");
    else if (x->limit != SIM_NEVER && in_record_begin(x) >= x->limit)
        in_complain(b->r, &from->at, "'record.from' is not before 'run.limit', which ends the run");
}

/** What says how to record, where nothing is recorded. */
static void check_records(struct experiment_builder *b)
{
    static const enum in_experiment_key how[] = {IN_KEY_record_cards, IN_KEY_record_from,
                                                 IN_KEY_record_to};
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        const struct in_value *v = &b->values[how[i]];
        if (is_given(v) && (v->list || (v->text && strcmp(v->text, "none"))))
            in_complain(b->r, &v->at,
                        "'%s' changes nothing: none of 'record.waves', 'record.trace' and "
                        "'record.paje' is true",
                        experiment_keys[how[i]].path);
    }
}

/** A machine without caches and cycles has threads only. */
static void check_record_mode(struct experiment_builder *b)
{
    static const enum in_experiment_key timed[] = {IN_KEY_record_waves, IN_KEY_record_trace};
    for (size_t i = 0; i < sizeof timed / sizeof *timed; i++)
        if (b->values[timed[i]].number && nm_value_mode(b->x->machine.params) == NM_MODE_FUNCTIONAL)
            in_complain(b->r, &b->values[timed[i]].at,
                        "'%s': functional mode has no signals that could be recorded",
                        experiment_keys[timed[i]].path);
}

/** The core tells of its references or keeps a profile. */
static void check_record_references(struct experiment_builder *b)
{
    const struct in_value *references = &b->values[IN_KEY_record_references];
    const bool profile = b->values[IN_KEY_profile].number;
    if (references->number && (profile || b->values[IN_KEY_truth].number))
        in_complain(b->r, &references->at,
                    "'record.references' and '%s' exclude each other; run it twice",
                    experiment_keys[profile ? IN_KEY_profile : IN_KEY_truth].path);
}

/** What is recorded, and when. */
static void experiment_read_record(struct experiment_builder *b)
{
    struct in_experiment *x = b->x;
    const struct in_value *cards = &b->values[IN_KEY_record_cards],
                          *signals = &b->values[IN_KEY_record_signals];
    const unsigned before = b->r->diag->errors;
    size_t count = 0;
    while (cards->list && cards->list[count])
        count++;
    x->record_card = sim_alloc(count, sizeof *x->record_card);
    for (size_t i = 0; i < count; i++)
        read_record_card(b, cards, i);
    for (size_t i = 0; signals->list && signals->list[i]; i++)
        read_record_signal(b, signals, i);
    experiment_read_time(b, IN_KEY_record_from, &x->record_from);
    experiment_read_time(b, IN_KEY_record_to, &x->record_to);
    check_record_mode(b);
    check_record_references(b);
    if (b->r->diag->errors != before)
        return;
    if (b->values[IN_KEY_record_waves].number || b->values[IN_KEY_record_trace].number ||
        b->values[IN_KEY_record_paje].number)
        check_record_window(b);
    else
        check_records(b);
}

static void check_processors(struct experiment_builder *b)
{
    const struct nm_params *p = b->x->machine.params;
    const struct in_value *v = &b->values[IN_KEY_processors];
    const uint64_t cards = nm_params_cards(p);
    if (v->number > cards)
        in_complain(b->r, &v->at, "'program.processors' is %llu, but the machine has %llu card%s",
                    (unsigned long long)v->number, (unsigned long long)cards, sim_plural(cards));
}

/** The instruction set of a card's programs. */
static const char *isa_of(const struct in_machine *mc, unsigned card)
{
    return pc_core_of(in_card_params(mc, card))->isa;
}

/** One program has one instruction set. Of an executable the workload says so, when it sees it. */
static void check_abi(struct experiment_builder *b)
{
    const struct in_machine *mc = &b->x->machine;
    const struct in_value *abi = &b->values[IN_KEY_abi], *source = &b->values[IN_KEY_source];
    const uint64_t asked = b->values[IN_KEY_processors].number, all = nm_params_cards(mc->params);
    const uint64_t used = asked && asked < all ? asked : all;
    const char *isa = strcmp(abi->text, "armel") ? "MIPS" : "ARM";
    unsigned fit = 0;
    if (!source->text || !strcmp(abi->text, "host"))
        return;
    while (fit < used && !strcmp(isa_of(mc, fit), isa))
        fit++;
    const struct in_place *at = b->abi_given ? &abi->at : &source->at;
    if (fit && fit < used)
        in_complain(b->r, at,
                    "'program.abi' %s is %s code, and card %u of this machine executes %s: one "
                    "program has one instruction set; run it on the cards before it "
                    "(program.processors: %u), or choose another machine",
                    abi->text, isa, fit, isa_of(mc, fit), fit);
    else if (!fit)
        in_complain(b->r, at,
                    "'program.abi' %s is %s code, and this machine's processors (processor.core) "
                    "execute %s: give program.abi: %s, or choose another machine",
                    abi->text, isa, isa_of(mc, 0), strcmp(isa_of(mc, 0), "ARM") ? "o32" : "armel");
}

/** A range against the machine and the good ones before it. */
static bool experiment_fits(const struct in_experiment *x, const struct nm_range *range, char *why,
                            size_t size)
{
    const uint64_t stations = nm_params_stations(x->machine.params);
    if (range->station >= stations) {
        snprintf(why, size, "there is no station %u; the machine has %llu, numbered from 0",
                 range->station, (unsigned long long)stations);
        return false;
    }
    for (unsigned k = 0; k < x->range_count; k++)
        if (range->from < x->ranges[k].to && x->ranges[k].from < range->to) {
            snprintf(why, size, "it overlaps the range 0x%llx-0x%llx",
                     (unsigned long long)x->ranges[k].from, (unsigned long long)x->ranges[k].to);
            return false;
        }
    return true;
}

/** Every range of placement, at its own place. */
static void read_placement(struct experiment_builder *b)
{
    const struct in_value *v = &b->values[IN_KEY_placement];
    struct in_experiment *x = b->x;
    char why[200];
    size_t n = 0;
    while (v->list && v->list[n])
        n++;
    x->ranges = sim_alloc(n + 1, sizeof *x->ranges);
    for (size_t i = 0; i < n; i++) {
        struct nm_range *range = &x->ranges[x->range_count];
        if (experiment_read_range(v->list[i], range, why, sizeof why) &&
            experiment_fits(x, range, why, sizeof why)) {
            x->range_count++;
            continue;
        }
        const struct in_place at =
            in_at(v->at.doc, in_node(v->at.doc, v->node->data.mapping.pairs.start[i].key));
        in_complain(b->r, &at, "'placement': %.60s: %s", v->list[i], why);
    }
}

static bool read_apart_range(const char *entry, struct nm_apart_range *range, char *why,
                             size_t size)
{
    const bool grouped = strchr(entry, '='), skips = strchr(entry, '+');
    const char last = skips ? '+' : '\0';
    uint64_t group = 0, skip = 0;
    if (!experiment_read_address(&entry, '-', &range->from) ||
        !experiment_read_address(&entry, grouped ? '=' : last, &range->to) ||
        (grouped && !experiment_read_address(&entry, last, &group)) || group > UINT32_MAX ||
        (skips && !experiment_read_address(&entry, '\0', &skip)) || skip > UINT32_MAX) {
        snprintf(why, size,
                 "expected FROM-TO, FROM-TO=GROUP, and perhaps +LINES, such as 0x4a0000-0x4a0040");
        return false;
    }
    range->group = (uint32_t)group;
    range->skip = (uint32_t)skip;
    if (range->from < range->to)
        return true;
    snprintf(why, size, "the range is empty: its end must be above its start");
    return false;
}

static int experiment_by_address(const void *x, const void *y)
{
    const struct nm_apart_range *a = x, *b = y;
    return (a->from > b->from) - (a->from < b->from);
}

/** What all ranges together must be. */
static bool apart_fits(struct in_experiment *x, char *why, size_t size)
{
    const struct nm_params *p = x->machine.params;
    qsort(x->kept_apart, x->apart_count, sizeof *x->kept_apart, experiment_by_address);
    for (size_t i = 1; i < x->apart_count; i++)
        if (x->kept_apart[i].from < x->kept_apart[i - 1].to) {
            snprintf(why, size, "0x%llx-0x%llx overlaps the range before it",
                     (unsigned long long)x->kept_apart[i].from,
                     (unsigned long long)x->kept_apart[i].to);
            return false;
        }
    if (nm_apart_pages(p, x->kept_apart, x->apart_count) <=
        nm_value_memory_size(p) / nm_value_page_size(p) / 2)
        return true;
    snprintf(why, size, "their lines take more than half of a station's memory");
    return false;
}

static void read_apart(struct experiment_builder *b)
{
    const struct in_value *v = &b->values[IN_KEY_apart];
    struct in_experiment *x = b->x;
    char why[200];
    size_t n = 0;
    while (v->list && v->list[n])
        n++;
    x->kept_apart = sim_alloc(n + 1, sizeof *x->kept_apart);
    for (size_t i = 0; i < n; i++)
        if (read_apart_range(v->list[i], &x->kept_apart[x->apart_count], why, sizeof why))
            x->apart_count++;
        else
            in_complain(b->r, &v->at, "'apart': %.60s: %s", v->list[i], why);
    if (!apart_fits(x, why, sizeof why))
        in_complain(b->r, &v->at, "'apart': %s", why);
    if (x->apart_count &&
        (nm_value_mode(x->machine.params) != NM_MODE_TIMED || nm_value_check(x->machine.params)))
        in_complain(b->r, &v->at,
                    "'apart': not in run.mode: functional, which has no lines, nor with run.check, "
                    "which follows the bytes in them");
    if (x->apart_count && b->values[IN_KEY_truth].number)
        in_complain(b->r, &v->at,
                    "'apart': not with run.truth, which is of the lines that there "
                    "are");
}

static void check_sizes(struct experiment_builder *b)
{
    const struct in_value *sizes = &b->values[IN_KEY_truth_sizes];
    if (sizes->number && !b->values[IN_KEY_truth].number)
        in_complain(b->r, &sizes->at,
                    "'run.truth_sizes': only with run.truth, whose part it is (numachine "
                    "stat: --truth-sizes)");
}

static void check_events(struct experiment_builder *b)
{
    struct mon_choice choice = {0};
    in_choose_events(b->r, in_unit(b->x), &b->values[IN_KEY_events], "monitor.events", &choice);
}

/** Reads one group; two of one name would give two results of one name. */
static bool add_group(struct in_reading *r, struct in_experiment *x, const char *name,
                      const struct in_place *at)
{
    struct in_group *grown = sim_grow(x->group, x->group_count + 1, sizeof *grown);
    x->group = grown;
    if (!in_group_read(r, in_unit(x), &grown[x->group_count], name, at))
        return false;
    for (unsigned k = 0; k < x->group_count; k++)
        if (!strcasecmp(grown[k].name, grown[x->group_count].name)) {
            in_complain(r, at, "'monitor.groups': there is a group '%s' already", grown[k].name);
            in_group_free(&grown[x->group_count]);
            return false;
        }
    x->group_count++;
    return true;
}

/** Every group, named at its own place. */
static void read_groups(struct experiment_builder *b)
{
    const struct in_value *v = &b->values[IN_KEY_groups];
    for (size_t i = 0; v->list && v->list[i]; i++) {
        const struct in_place at =
            in_at(v->at.doc, in_node(v->at.doc, v->node->data.sequence.items.start[i]));
        add_group(b->r, b->x, v->list[i], &at);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

static void experiment_apply_set(struct experiment_builder *b, char *set)
{
    static const struct in_table *const tables[] = {&in_experiment_table, &in_machine_table, NULL};
    const struct in_table *table;
    struct in_doc *doc;
    if (in_set_is_of(set, &in_machine_table) && !in_set_is_of(set, &in_experiment_table)) {
        in_push(&b->machine_sets, set);
        return;
    }
    const struct in_key *key = in_open_set(b->r, set, tables, &table, &doc);
    if (key)
        in_read_value(b->r, doc, in_root(doc), key, &b->values[key - experiment_keys]);
}

/** The command line's machine wins, and stands nowhere. */
static void name_machine(struct experiment_builder *b)
{
    struct in_value *v = &b->values[IN_KEY_machine];
    if (!b->machine)
        return;
    in_values_free(v, 1);
    v->text = in_strdup(b->machine);
}

static bool experiment_read_machine(struct experiment_builder *b)
{
    const struct in_value *v = &b->values[IN_KEY_machine];
    const bool is_default = v->at.doc && v->at.doc->inline_text;
    return in_machine_read(b->r, &b->x->machine, v->text, v->at.doc, v->text ? NULL : v->node,
                           is_default && !strcmp(v->at.doc->shown, "default") ? NULL : &v->at,
                           b->machine_sets);
}

/** Everything after the file itself has been opened. */
static void experiment_build(struct experiment_builder *b, char *const *sets)
{
    if (b->doc)
        in_read_mapping(b->r, b->doc, in_root(b->doc), &in_experiment_table, b->values);
    for (; sets && *sets; sets++)
        experiment_apply_set(b, *sets);
    for (size_t i = 0; i < b->r->swept_count; i++)
        experiment_apply_set(b, b->r->swept[i].set);
    const bool keys_are_good = b->r->diag->errors == b->before;
    b->abi_given = b->values[IN_KEY_abi].at.doc != NULL;
    fill_defaults(b);
    name_machine(b);
    if (b->doc && keys_are_good)
        check_program(b);
    check_source(b);
    check_executable(b);
    const bool has_machine = experiment_read_machine(b);
    if (!has_machine)
        b->x->machine.card = in_cards(); /* whose events are probably meant */
    check_sizes(b);
    check_events(b);
    read_groups(b);
    if (has_machine) {
        experiment_read_time(b, IN_KEY_limit, &b->x->limit);
        experiment_read_time(b, IN_KEY_interval, &b->x->interval);
        experiment_read_time(b, IN_KEY_sample_every, &b->x->sample_every);
        experiment_read_time(b, IN_KEY_sample_length, &b->x->sample_length);
        experiment_read_time(b, IN_KEY_sample_lead, &b->x->sample_lead);
        experiment_read_record(b);
        check_processors(b);
        check_abi(b);
        read_placement(b);
        read_apart(b);
    }
    if (keys_are_good)
        experiment_read_pattern(b, has_machine);
    b->x->origins = sim_alloc(IN_KEY__COUNT, sizeof *b->x->origins);
    for (size_t i = 0; i < IN_KEY__COUNT; i++)
        experiment_store(b, i);
    in_expect_read(b->r, b->x, &b->values[IN_KEY_expect]);
    in_show_read(b->r, b->x, &b->values[IN_KEY_show]);
    if (keys_are_good)
        in_monitor_read(b->r, b->x, b->values);
    if (has_machine)
        in_approach_read(b->r, b->x, b->values);
}

void in_experiment_default(struct in_experiment *x)
{
    struct in_diag silent = {0};
    struct in_reading r = {.diag = &silent};
    struct experiment_builder b = {.r = &r, .x = x};
    *x = (struct in_experiment){.machine.card = in_cards(),
                                .limit = SIM_NEVER,
                                .interval = SIM_NEVER,
                                .sample_every = SIM_NEVER,
                                .sample_length = SIM_NEVER,
                                .sample_lead = SIM_NEVER,
                                .record_from = SIM_NEVER,
                                .record_to = SIM_NEVER};
    fill_defaults(&b);
    x->origins = sim_alloc(IN_KEY__COUNT, sizeof *x->origins);
    for (size_t i = 0; i < IN_KEY__COUNT; i++)
        experiment_store(&b, i);
    in_values_free(b.values, IN_KEY__COUNT);
    in_close(&r);
}

/** Names and lists of an experiment's own file. */
static void experiment_complete(struct experiment_builder *b, const char *path)
{
    b->x->name = !strcmp(path, "-") ? in_strdup("stdin") : in_base_name(path);
    prepend_name(b->x);
    list_inputs(b);
}

/** Ends a reading. @return whether it was good; *x is empty if not */
static bool experiment_finish(struct experiment_builder *b)
{
    const bool good = b->r->diag->errors == b->before;
    in_values_free(b->values, IN_KEY__COUNT);
    in_free_list(b->machine_sets);
    in_close(b->r);
    if (!good)
        in_experiment_free(b->x);
    return good;
}

/* What a command's FILE may name without a path, and where it is. */
static const char *const shipped[] = {
    "configs",          "experiments",          "experiments/teaching", "experiments/guests",
    "experiments/irix", "experiments/patterns", "experiments/documents"};

static void complain_named(struct in_reading *r, const char *name)
{
    char **names = NULL;
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped; i++) {
        char **more = in_home_names(shipped[i], ".yaml");
        for (size_t k = 0; more && more[k]; k++)
            in_push(&names, more[k]);
        in_free_list(more);
    }
    const char *near = sim_nearest(name, in_next_item, names);
    in_complain(r, NULL,
                "there is no file '%.60s', and no machine or experiment of this name%s%s%s", name,
                near ? "; did you mean '" : " (numachine list machines, list experiments)",
                near ? near : "", near ? "'?" : "");
    in_free_list(names);
}

/** The file that a command names: one that is there, or, by its name alone, a shipped machine or
 *  experiment; a directory of that name is neither. NULL after a complaint. */
static struct in_doc *open_named(struct in_reading *r, const char *name)
{
    struct in_doc *doc = NULL;
    struct stat st;
    const bool there = stat(name, &st) == 0;
    bool found = in_is_file_name(name) || !strcmp(name, "-") || (there && !S_ISDIR(st.st_mode));
    if (found)
        return in_open(r, name, name, NULL);
    for (size_t i = 0; i < sizeof shipped / sizeof *shipped && !found; i++) {
        char *path = in_home_path("%s/%s.yaml", shipped[i], name);
        found = !access(path, F_OK);
        char *seen = sim_format("%s/%s.yaml", shipped[i], name);
        if (found)
            doc = in_open(r, path, seen, NULL);
        free(seen);
        free(path);
    }
    if (!found && there)
        return in_open(r, name, name, NULL); /* which says that it is a directory */
    if (!found)
        complain_named(r, name);
    return doc;
}

/** Value of a key of the root mapping, or NULL. */
static yaml_node_t *root_value(struct in_doc *doc, const char *name)
{
    const yaml_node_t *root = in_root(doc);
    if (root->type != YAML_MAPPING_NODE)
        return NULL;
    for (const yaml_node_pair_t *p = root->data.mapping.pairs.start;
         p < root->data.mapping.pairs.top; p++) {
        const char *key = in_scalar(in_node(doc, p->key));
        if (key && !strcmp(key, name))
            return in_node(doc, p->value);
    }
    return NULL;
}

static bool is_experiment(struct in_doc *doc)
{
    const yaml_node_t *machine = root_value(doc, "machine");
    return root_value(doc, "program") || root_value(doc, "sweep") || root_value(doc, "monitor") ||
           root_value(doc, "expect") || (machine && machine->type == YAML_SCALAR_NODE);
}

/** Whether the file has a section, a key's word before the dot, that only one table knows. */
static bool has_section_of(struct in_doc *doc, const struct in_table *table,
                           const struct in_table *other)
{
    bool there = false;
    for (size_t i = 0; i < table->count && !there; i++) {
        const size_t length = strcspn(table->keys[i].path, ".");
        bool common = false;
        for (size_t k = 0; k < other->count && !common; k++)
            common = strcspn(other->keys[k].path, ".") == length &&
                     !strncmp(other->keys[k].path, table->keys[i].path, length);
        char *section = sim_format("%.*s", (int)length, table->keys[i].path);
        there = !common && root_value(doc, section);
        free(section);
    }
    return there;
}

/** A file that sets the machine, and nothing of an experiment. */
static bool is_machine(struct in_doc *doc)
{
    return has_section_of(doc, &in_machine_table, &in_experiment_table) &&
           !has_section_of(doc, &in_experiment_table, &in_machine_table);
}

struct in_doc *in_open_experiment(struct in_reading *r, const char *name)
{
    return open_named(r, name);
}

/** Notes which point of a sweep it is. */
static void name_point(struct in_experiment *x, const char *id, const struct in_reading *r)
{
    x->point = id ? in_strdup(id) : NULL;
    for (size_t i = 0; i < r->swept_count; i++)
        in_push(&x->assigned, r->swept[i].set);
}

bool in_experiment_load(struct in_experiment *x, const char *path, char *const *sets,
                        struct in_diag *diag)
{
    return in_experiment_load_point(x, path, sets, NULL, NULL, 0, diag);
}

bool in_experiment_load_point(struct in_experiment *x, const char *path, char *const *sets,
                              const char *id, const struct in_swept *swept, size_t count,
                              struct in_diag *diag)
{
    struct in_reading r = {.diag = diag, .swept = swept, .swept_count = count};
    struct experiment_builder b = {.r = &r, .x = x, .before = diag->errors};
    *x = (struct in_experiment){0};
    b.doc = r.file = open_named(&r, path);
    name_point(x, id, &r);
    if (b.doc && is_machine(b.doc)) {
        const struct in_place at = in_at(b.doc, in_root(b.doc));
        in_complain(&r, &at,
                    "this is a machine, not an experiment: numachine stat -m %s -- PROGRAM runs a "
                    "program on it, numachine init writes an experiment",
                    path);
    } else if (b.doc)
        experiment_build(&b, sets);
    if (diag->errors == b.before)
        experiment_complete(&b, path);
    return experiment_finish(&b);
}

bool in_experiment_make(struct in_experiment *x, const char *machine, char *const *sets,
                        struct in_diag *diag)
{
    struct in_reading r = {.diag = diag};
    struct experiment_builder b = {.r = &r, .x = x, .before = diag->errors, .machine = machine};
    *x = (struct in_experiment){0};
    experiment_build(&b, sets);
    return experiment_finish(&b);
}

/* ---- files of either kind -------------------------------------------------------------------- */

enum in_file_kind in_any_load(struct in_experiment *x, const char *path, char *const *sets,
                              struct in_diag *diag)
{
    struct in_reading r = {.diag = diag};
    struct experiment_builder b = {.r = &r, .x = x, .before = diag->errors};
    *x = (struct in_experiment){0};
    b.doc = open_named(&r, path);
    const bool experiment = b.doc && is_experiment(b.doc);
    if (experiment)
        experiment_build(&b, sets);
    else if (b.doc)
        in_machine_read(&r, &x->machine, path, b.doc, in_root(b.doc), NULL, sets);
    if (experiment && diag->errors == b.before)
        experiment_complete(&b, path);
    return !experiment_finish(&b) ? IN_FILE_UNREADABLE
           : experiment           ? IN_FILE_EXPERIMENT
                                  : IN_FILE_MACHINE;
}

char *in_about(const char *path, struct in_diag *diag)
{
    struct in_reading r = {.diag = diag};
    struct in_doc *doc = in_open(&r, path, path, NULL);
    const yaml_node_t *about = doc ? root_value(doc, "about") : NULL;
    const char *text = about ? in_scalar(about) : NULL;
    char *copy = text ? in_strdup(text) : NULL;
    in_close(&r);
    return copy;
}

static void free_groups(struct in_experiment *x)
{
    for (unsigned i = 0; i < x->group_count; i++)
        in_group_free(&x->group[i]);
    free(x->group);
    x->group = NULL;
    x->group_count = 0;
}

void in_set_origin(struct in_experiment *x, enum in_experiment_key key)
{
    free(x->origins[key].text);
    x->origins[key].text = in_strdup("command line");
}

void in_replace_list(struct in_experiment *x, enum in_experiment_key key, char *const *list)
{
    char ***field = field_of(x, key);
    in_free_list(*field);
    *field = sim_alloc(1, sizeof **field);
    for (; list && *list; list++)
        in_push(field, *list);
    in_set_origin(x, key);
}

/** No assignment says which program, or with which arguments. */
static bool is_program_free(const struct in_experiment *x)
{
    static const enum in_experiment_key named[] = {IN_KEY_program, IN_KEY_source, IN_KEY_called,
                                                   IN_KEY_argv, IN_KEY_pattern};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (strcmp(x->origins[named[i]].text, "default"))
            return false;
    return true;
}

bool in_experiment_command(struct in_experiment *x, char *const *words, struct in_diag *diag)
{
    if (!is_program_free(x)) {
        in_error(diag, NULL, NULL, 0, 0,
                 "--set program...: the program is the one named on the command line");
        return false;
    }
    if (!words[0]) {
        in_error(diag, NULL, NULL, 0, 0, "there are no words of a program: the first one names it");
        return false;
    }
    x->program = in_strdup(words[0]);
    in_set_origin(x, IN_KEY_program);
    in_replace_list(x, IN_KEY_argv, words + 1);
    prepend_name(x);
    return true;
}

bool in_experiment_allow(struct in_experiment *x, char *const *grants, struct in_diag *diag)
{
    char why[400];
    bool good = true;
    for (; grants && *grants; grants++) {
        if (!in_grant_check(*grants, why, sizeof why)) {
            in_error(diag, NULL, NULL, 0, 0, "--allow: %s", why);
            good = false;
        }
        in_push(&x->files, *grants);
        in_set_origin(x, IN_KEY_files);
    }
    return good;
}

bool in_experiment_count(struct in_experiment *x, char *const *events, char *const *groups,
                         struct in_diag *diag)
{
    struct in_reading r = {.diag = diag};
    struct mon_choice choice = {0};
    char why[400];
    bool good = true;
    if (!events && !groups)
        return true;
    free_groups(x);
    in_replace_list(x, IN_KEY_events, events);
    in_replace_list(x, IN_KEY_groups, groups);
    for (size_t i = 0; x->events[i]; i++)
        if (!mon_choice_add(in_unit(x), &choice, x->events[i], why, sizeof why)) {
            in_complain(&r, NULL, "%s", why);
            good = false;
        }
    for (size_t i = 0; x->groups[i]; i++) {
        good = add_group(&r, x, x->groups[i], NULL) && good;
        if (good)
            in_push(&x->inputs, x->group[x->group_count - 1].path);
    }
    in_close(&r);
    return good;
}

static void free_field(struct in_experiment *x, size_t i)
{
    void *field = field_of(x, i);
    switch (experiment_keys[i].form.type) {
    case IN_TEXT:
    case IN_PATTERN:
    case IN_WORD:
    case IN_FILE:
        free(*(char **)field);
        break;
    case IN_LIST:
    case IN_EVENTS:
    case IN_GRANTS:
    case IN_MAP:
        in_free_list(*(char ***)field);
        break;
    default:
        break;
    }
}

void in_experiment_free(struct in_experiment *x)
{
    for (size_t i = 0; i < IN_KEY__COUNT; i++)
        free_field(x, i);
    for (size_t i = 0; x->origins && i < IN_KEY__COUNT; i++)
        free(x->origins[i].text);
    free(x->origins);
    free(x->name);
    free(x->point);
    in_free_list(x->assigned);
    in_free_list(x->inputs);
    free_groups(x);
    free(x->ranges);
    free(x->kept_apart);
    in_expect_free(x->expect, x->expects);
    in_measured_free(x->shown, x->shown_count);
    in_pattern_free(x);
    free(x->write);
    free(x->mask_symbol);
    free(x->from_name);
    free(x->to_name);
    free(x->record_card);
    in_machine_free(&x->machine);
    *x = (struct in_experiment){0};
}
