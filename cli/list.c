/*
 * numachine list: the tables, for people and as JSON. What can be listed is itself a table.
 */
#include "base/plural.h"
#include "cli/cli.h"
#include "documents/grid.h"
#include "documents/rows/documents.h"
#include "documents/rows/profile.h"
#include "documents/rows/truth.h"
#include "input/detector.h"
#include "input/group.h"
#include "input/home.h"
#include "input/tables.h"
#include "input/units.h"
#include "input/workload.h"
#include "input/write.h"
#include "input/yaml.h"
#include "machine/packet.h"
#include "machine/protocol.h"
#include "monitor/taps.h"
#include "procard/procard.h"
#include "procard/sync.h"
#include "programs/traces/trace.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LINE = 110 /**< [characters] */ };

/** The counter unit whose rows are listed: that of the cards a machine has unless it says
 *  otherwise. */
static const struct mon_unit_ops *unit_of_lists(void)
{
    return nm_card_counters(in_cards());
}

/* ---- what can be listed ---------------------------------------------------------------------- */

/** Adds a row. @param keys  its members, separated by blanks: texts; behind a # an int */
static void add(json_t *array, const char *keys, ...)
{
    va_list values;
    json_t *row = json_object();
    va_start(values, keys);
    for (const char *key = keys; *key; key += *key == ' ') {
        const bool number = *key == '#';
        char *name = sim_strndup(key + number, strcspn(key + number, " "));
        key += number + strlen(name);
        json_object_set_new(row, name,
                            number ? json_integer(va_arg(values, int))
                                   : json_string(va_arg(values, const char *)));
        free(name);
    }
    va_end(values);
    json_array_append_new(array, row);
}

/** "R10000 15, 17; R12000 15": whose event it is, and its numbers there. Rows of `array` that are
 * the same event on another chip get another part. @return whether there was one */
static bool is_listed(json_t *array, const char *name, const char *sentence, const char *ref)
{
    size_t i;
    json_t *row;
    json_array_foreach(array, i, row) {
        json_t *its = json_object_get(row, "ref");
        if (strcmp(json_string_value(json_object_get(row, "name")), name) ||
            strcmp(json_string_value(json_object_get(row, "sentence")), sentence))
            continue;
        char *both = sim_format("%s; %s", json_string_value(its), ref);
        json_string_set(its, both);
        free(both);
        return true;
    }
    return false;
}

/** @param counters  a bit for each that can count it */
static void add_event(json_t *array, unsigned number, const char *name, const char *ref,
                      const char *unit, uint64_t counters, const char *sentence)
{
    json_t *list = json_array();
    for (unsigned k = 0; k < 64 && counters >> k; k++)
        if (counters >> k & 1)
            json_array_append_new(list, json_integer((json_int_t)k));
    json_array_append_new(array, json_pack("{s:i,s:s,s:s,s:s,s:o,s:s}", "number", (int)number,
                                           "name", name, "ref", ref, "unit", unit, "counters", list,
                                           "sentence", sentence));
}

/** The events of a chip's own counters, by IRIX's numbers. */
static void add_own(json_t *array, enum r10k_chip chip)
{
    unsigned count;
    const struct r10k_event *events = r10k_events(chip, &count);
    for (const struct r10k_event *event = events; event < events + count; event++) {
        char ref[80];
        unsigned counters = 0, first = R10K_IRIX_EVENTS;
        size_t n = (size_t)snprintf(ref, sizeof ref, "%s", r10k_chip_name(chip));
        for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++)
            if (r10k_irix_event(chip, e) == event) {
                n += (size_t)snprintf(ref + n, sizeof ref - n, "%s %u",
                                      first == R10K_IRIX_EVENTS ? "" : ",", e);
                first = first == R10K_IRIX_EVENTS ? e : first;
            }
        for (unsigned k = 0; k < R10K_COUNTERS; k++)
            counters |= (event->number[k] != R10K_NO_EVENT) << k;
        if (!is_listed(array, event->name, event->sentence, ref))
            add_event(array, first, event->name, ref, event->unit, counters, event->sentence);
    }
}

/** Events of a processor beside the card's unit, from a row on, by their numbers in its registers.
 */
static unsigned add_beside(json_t *array, enum mon_processor processor, unsigned from)
{
    const struct mon_unit_ops *unit = unit_of_lists()->beside[processor];
    for (unsigned i = from; i < mon_own_events(unit->own); i++) {
        const struct mon_event *event = mon_own_event(unit->own, i);
        char *ref = sim_format("%s 0x%02x", unit->own->processor, event->number);
        if (!is_listed(array, event->name, event->sentence, ref))
            add_event(array, event->number, event->name, ref, event->unit,
                      mon_own_event_counters(unit->own, i), event->sentence);
        free(ref);
    }
    return mon_own_events(unit->own);
}

/** What the counters of processors can count. */
static json_t *list_own(void)
{
    static const enum r10k_chip chips[] = {R10K_R10000_3, R10K_R10000_2, R10K_R12000};
    json_t *array = json_array();
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        add_own(array, chips[i]);
    const unsigned events1136 = add_beside(array, MON_ARM1136, 0);
    const unsigned events1176 = add_beside(array, MON_ARM1176, 0);
    add_beside(array, MON_ARM1136_L210, events1136);
    add_beside(array, MON_ARM1176_L220, events1176);
    return array;
}

/** One row for each event, in the order of their numbers. */
static json_t *list_events(void)
{
    json_t *array = json_array();
    const struct mon_unit_ops *unit = unit_of_lists();
    for (const struct mon_event *e = unit->events; e < unit->events + unit->event_count; e++)
        add_event(array, e->number, e->name, e->ref, e->unit,
                  e->counters & ((UINT64_C(1) << unit->counters) - 1), e->sentence);
    return array;
}

static json_t *list_sets(void)
{
    json_t *array = json_array();
    for (const struct mon_set *s = unit_of_lists()->sets; s && s->name; s++)
        add(array, "name events sentence", s->name, s->events, s->sentence);
    return array;
}

/** The shipped files of a directory. NULL: none, after a complaint. */
static char **shipped(const char *directory)
{
    char **names = in_home_names(directory, ".yaml");
    if (!names) {
        char *path = in_home_path("%s", directory);
        fprintf(stderr, "numachine: error: nothing to list in %s\n", path);
        free(path);
    }
    return names;
}

/** What was listed, or, if something could not be read, NULL. */
static json_t *complete(json_t *array, const struct in_diag *diag)
{
    if (!diag->errors)
        return array;
    json_decref(array);
    return NULL;
}

/** Shipped files of a directory with their about: line. */
static json_t *list_files(const char *directory)
{
    struct in_diag diag = {.out = stderr};
    json_t *array = json_array();
    char **names = shipped(directory);
    diag.errors += !names;
    for (size_t i = 0; names && names[i]; i++) {
        char *path = in_home_path("%s/%s.yaml", directory, names[i]);
        char *about = in_about(path, &diag);
        if (about)
            about[strcspn(about, "\n")] = '\0';
        add(array, "name file sentence", names[i], path, about ? about : "");
        free(about);
        free(path);
    }
    in_free_list(names);
    return complete(array, &diag);
}

static json_t *list_machines(void)
{
    return list_files("configs");
}

static json_t *list_experiments(void)
{
    static const char *const below[] = {"experiments/teaching", "experiments/guests",
                                        "experiments/irix", "experiments/patterns"};
    json_t *array = list_files("experiments");
    for (size_t i = 0; i < sizeof below / sizeof *below; i++) {
        json_t *more = list_files(below[i]);
        if (array && more)
            json_array_extend(array, more);
        json_decref(more);
    }
    return array;
}

/** Metrics of a group, as rows. */
static json_t *group_metrics(const struct in_group *group)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < group->metrics; i++)
        add(array, "name unit formula", group->metric[i].name, group->metric[i].unit,
            group->metric[i].formula);
    return array;
}

static json_t *group_events(const struct in_group *group)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < group->choice.count; i++)
        json_array_append_new(
            array, json_string(mon_unit_event(group->unit, group->choice.event[i])->name));
    return array;
}

/** Which counters a group needs, in words. Allocated. */
static char *counters_of(const struct in_group *group)
{
    const struct mon_own *own = group->unit->own;
    return own ? sim_format("the %u counters of an %s", mon_own_counters(own), own->processor)
               : sim_format("the card's %u counters", group->unit->counters);
}

/** The shipped detectors. */
static json_t *list_detectors(void)
{
    json_t *array = json_array();
    struct in_diag diag = {.out = stderr};
    char **names = shipped(IN_DETECTORS);
    for (size_t i = 0; names && names[i]; i++) {
        struct in_detector detector;
        if (!in_detector_load(&detector, names[i], &diag))
            continue;
        const char *finds = in_detector_sees_words(&detector) ? "false sharing" : "any sharing";
        add(array, "name file finds sentence long", detector.name, detector.path, finds,
            detector.about, detector.text);
        in_detector_free(&detector);
    }
    in_free_list(names);
    return complete(array, &diag);
}

/** What detectors' formulas may name of a pass. */
static json_t *list_measures(void)
{
    json_t *array = json_array();
    for (size_t i = 0; i < IN_MEASURE__COUNT; i++) {
        const struct in_measure_row *row = &in_measure_rows[i];
        char *name = sim_format("PASS%s", row->suffix);
        add(array, "name unit sentence", name, row->unit, row->sentence);
        free(name);
    }
    return array;
}

/** The shipped groups. */
static json_t *list_groups(void)
{
    struct in_diag diag = {.out = stderr};
    json_t *array = json_array();
    char **names = shipped("monitor/groups");
    diag.errors += !names;
    for (size_t i = 0; names && names[i]; i++) {
        struct in_group group;
        struct mon_plan plan;
        if (!in_group_load_any(&group, unit_of_lists(), names[i], &diag))
            continue;
        mon_plan_make(group.unit, &plan, &group.choice);
        char *counters = counters_of(&group);
        json_array_append_new(array, json_pack("{s:s,s:s,s:s,s:o,s:i,s:s,s:o,s:s}", "name",
                                               group.name, "file", group.path, "sentence",
                                               group.about, "events", group_events(&group), "runs",
                                               (int)plan.banks, "counters", counters, "metrics",
                                               group_metrics(&group), "long", group.text));
        free(counters);
        in_group_free(&group);
    }
    in_free_list(names);
    return complete(array, &diag);
}

static json_t *list_words(void)
{
    json_t *array = json_array();
    for (size_t i = 0; i < IN_WORD__COUNT; i++)
        add(array, "name unit sentence", in_word_rows[i].name, in_word_rows[i].unit,
            in_word_rows[i].sentence);
#define TRUTH(field, unit, sentence) \
    add(array, "name unit sentence", "truth." #field, unit, "ground truth: " sentence);
#define TRUTH_TAP(field, tap, unit, sentence) TRUTH(field, unit, sentence)
#include "machine/truth.def"
#undef TRUTH
    return array;
}

static json_t *registers_of(const struct mon_register_row *rows)
{
    static const char *const access[] = {
        [MON_RW] = "RW", [MON_RO] = "RO", [MON_WO] = "WO", [MON_W1C] = "W1C"};
    char offset[16], reset[16];
    json_t *array = json_array();
    for (size_t i = 0; rows && rows[i].name; i++) {
        snprintf(offset, sizeof offset, "0x%03x", rows[i].offset);
        snprintf(reset, sizeof reset, "0x%x", rows[i].reset);
        add(array, "offset name access #bits reset sentence", offset, rows[i].name,
            access[rows[i].access], (int)rows[i].bits, reset, rows[i].sentence);
    }
    return array;
}

static json_t *list_registers(void)
{
    return registers_of(unit_of_lists()->registers);
}

static json_t *list_sync(void)
{
    size_t count;
    return registers_of(pc_sync_registers(&count));
}

/** "7:4", or "7" for a single bit. */
static void put_bits(unsigned low, unsigned bits, char *text, size_t size)
{
    const unsigned high = low + bits - 1;
    snprintf(text, size, high > low ? "%u:%u" : "%u", high, low);
}

/** The parts of registers. @param keys  what is listed of each: register, name, bits, sentence */
static json_t *fields_of(const struct mon_field_row *rows, const char *keys)
{
    char bits[32];
    json_t *array = json_array();
    for (size_t i = 0; rows && rows[i].name; i++) {
        put_bits(rows[i].low, rows[i].bits, bits, sizeof bits);
        add(array, keys, rows[i].reg, rows[i].name, bits, rows[i].sentence);
    }
    return array;
}

static json_t *list_fields(void)
{
    return fields_of(unit_of_lists()->fields, "register name bits sentence");
}

static json_t *list_sync_fields(void)
{
    size_t count;
    return fields_of(pc_sync_fields(&count), "register name bits sentence");
}

/** What a register's field may hold: a number that has a name. */
static void add_number(json_t *array, unsigned number, const char *name, const char *sentence)
{
    add(array, "#number name sentence", (int)number, name, sentence);
}

/** What the mask's COMMAND may be. */
static json_t *list_commands(void)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < NM_MSG__COUNT; i++)
        add_number(array, i, nm_message_row(i)->name, nm_message_row(i)->sentence);
    return array;
}

/** Why a card refuses a write: ERROR.REASON. */
static json_t *list_reasons(void)
{
    json_t *array = json_array();
    for (const struct mon_row *r = unit_of_lists()->reasons; r && r->name; r++)
        add_number(array, r->number, r->name, r->sentence);
    return array;
}

/** How the program ends. */
static json_t *list_statuses(void)
{
    json_t *array = json_array();
#define EXIT(name, status, sentence) add(array, "#status sentence", status, sentence);
#include "cli/exit.def"
#undef EXIT
    return array;
}

/** What the SRAM's address may come from: SRAM_CONTROL.SOURCE. */
static json_t *list_sources(void)
{
    json_t *array = json_array();
    for (const struct mon_row *r = unit_of_lists()->sources; r && r->name; r++)
        add(array, "#number name ref sentence", (int)r->number, r->name, r->ref, r->sentence);
    return array;
}

/** The number of a word of the SRAM, taken apart. */
static json_t *list_parts(void)
{
    return fields_of(unit_of_lists()->parts, "source name bits sentence");
}

/** What the processors' Status pins can say, and the code of each there. */
static json_t *list_states(void)
{
    json_t *array = json_array();
#define STATE(name, code, group, sentence)                                                 \
    add(array, "name #code group sentence", in_state_name(MON_TAP_ST_##name), code, group, \
        sentence);
#include "monitor/status.def"
#undef STATE
    return array;
}

static json_t *columns_of(const struct doc_columns *columns)
{
    char name[DOC_COLUMN_NAME];
    json_t *array = json_array();
    for (unsigned c = 0; c < columns->count; c++)
        add(array, "name unit sentence", doc_lower(columns->row[c].name, name),
            columns->row[c].unit, columns->row[c].sentence);
    return array;
}

/** What a profile has of each instruction. */
static json_t *list_columns(void)
{
    return columns_of(&doc_columns);
}

/** What the truth of misses has of each instruction and line. */
static json_t *list_misses(void)
{
    return columns_of(&doc_truth_columns);
}

static void add_item(json_t *array, const struct doc_document *d, const struct doc_item *item)
{
    const bool field = item->kind == DOC_ITEM_FIELD;
    const bool number = field || item->kind == DOC_ITEM_NUMBER;
    char *type = sim_format("%s%s%s", number ? doc_type_name(item->type) : "list",
                            item->of ? " of " : "", item->of ? item->of : "");
    add(array, "document list name unit sentence type", d->name,
        number && !field ? "" : doc_item_list(item)->name, number ? item->name : "", item->unit,
        item->sentence, type);
    free(type);
}

/** What the results of a profiled run consist of. */
static json_t *list_documents(void)
{
    json_t *array = json_array();
    for (const struct doc_document *const *d = doc_documents; *d; d++)
        for (size_t i = 0; i < (*d)->items; i++)
            add_item(array, *d, &(*d)->item[i]);
    return array;
}

/** What a number of them may be. */
static json_t *list_document_types(void)
{
    json_t *array = json_array();
#define TYPE(name, sentence) add(array, "name sentence", #name, sentence);
#include "documents/types.def"
#undef TYPE
    return array;
}

/** What monitor.histogram.source may be. */
static json_t *list_histograms(void)
{
    json_t *array = json_array();
    for (const struct mon_row *r = unit_of_lists()->histograms; r && r->name; r++)
        add(array, "name sentence", r->name, r->sentence);
    return array;
}

/** What the documents of the R4400 and of its monitoring card say, and where it is here. */
static json_t *list_features(void)
{
    json_t *array = json_array();
    static const char keys[] = "ref where test sentence";
    for (const struct mon_feature *f = unit_of_lists()->features; f && f->name; f++)
        add(array, keys, f->name, f->where, f->test, f->sentence);
#define FEATURE(id, where, test, sentence) add(array, keys, id, where, test, sentence);
#include "procard/features.def"
#undef FEATURE
    return array;
}

/** What the protocol does, and whether a source says so. */
static json_t *list_choices(void)
{
    size_t count;
    json_t *array = json_array();
    const struct nm_choice_row *rows = nm_choices(&count);
    for (size_t i = 0; i < count; i++)
        add(array, "name source where sentence", rows[i].name, rows[i].source, rows[i].where,
            rows[i].sentence);
    return array;
}

static json_t *list_protocols(void)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < NM_PROTOCOLS; i++)
        add(array, "name sentence", nm_protocols[i].name, nm_protocols[i].sentence);
    return array;
}

/** "4001", "" for none. */
static json_t *call_number(int number)
{
    char text[16] = "";
    if (number >= 0)
        snprintf(text, sizeof text, "%d", number);
    return json_string(text);
}

static void add_calls(json_t *array, const struct prog_workload *w)
{
    struct prog_call call;
    for (size_t i = 0; w->call && w->call(i, &call); i++) {
        json_t *row = json_pack("{s:s}", "name", call.name);
        for (unsigned a = 0; a < PROG_ABIS_MAX && w->abis[a]; a++)
            json_object_set_new(row, w->abis[a], call_number(call.number[a]));
        json_object_set_new(row, "sentence", json_string(call.sentence));
        json_object_set_new(row, "unlike Linux", json_string(call.differs));
        json_array_append_new(array, row);
    }
}

/** System calls of guest programs; a number is empty where the ABI has no such call. */
static json_t *list_syscalls(void)
{
    json_t *array = json_array();
    for (size_t i = 0; in_workload(i); i++)
        add_calls(array, in_workload(i));
    return array;
}

/** Formats of traces of references. */
static json_t *list_formats(void)
{
    json_t *array = json_array();
    for (unsigned i = 0; i < TR_FORMATS; i++)
        add(array, "name for sentence", tr_formats[i].name,
            tr_formats[i].writer ? "in and out" : "in", tr_formats[i].sentence);
    return array;
}

static json_t *list_workloads(void)
{
    json_t *array = json_array();
    const struct prog_workload *w;
    for (size_t i = 0; (w = in_workload(i)); i++)
        json_array_append_new(array,
                              json_pack("{s:s,s:s}", "name", w->name, "sentence", w->sentence));
    return array;
}

static const struct listing {
    const char *name;
    json_t *(*make)(void);
    const char *columns; /**< members shown to people; the last may be long */
    const char *sentence;
} listings[] = {
    {"events", list_events, "name number ref unit sentence",
     "what the monitoring cards can count; what processors themselves: processor-events"},
    {"processor-events", list_own, "name ref unit sentence",
     "what the counters of R10000s and R12000s can count, with IRIX's numbers (numachine perfex)"},
    {"sets", list_sets, "name events sentence", "names for several events"},
    {"groups", list_groups, "name sentence",
     "questions with events and formulas; a NAME tells all"},
    {"words", list_words, "name unit sentence", "what formulas of groups may name beside events"},
    {"detectors", list_detectors, "name finds sentence",
     "ways to look for false sharing (numachine detect); 'any sharing' may be true as well"},
    {"measures", list_measures, "name unit sentence",
     "what formulas of detectors may name of a pass beside pcycles"},
    {"registers", list_registers, "offset name access sentence", "the monitoring card's registers"},
    {"fields", list_fields, "register name bits sentence", "parts of those registers"},
    {"sync", list_sync, "offset name access sentence",
     "the processor card's registers for interrupts and barriers"},
    {"sync-fields", list_sync_fields, "register name bits sentence", "parts of those registers"},
    {"commands", list_commands, "name number sentence", "commands of packets, for the card's mask"},
    {"reasons", list_reasons, "name number sentence", "why a card refuses what is written"},
    {"sources", list_sources, "name number sentence",
     "what the address of a card's SRAM is made of"},
    {"parts", list_parts, "source name bits sentence", "parts of that address"},
    {"states", list_states, "name code group sentence",
     "the states of a processor's Status pins, and their codes"},
    {"columns", list_columns, "name unit sentence",
     "what a profile has of each instruction (numachine profile)"},
    {"misses", list_misses, "name unit sentence",
     "why misses and upgrades had to be: what the truth has of each instruction and line "
     "(numachine c2c)"},
    {"documents", list_documents, "document list name type unit sentence",
     "what the files of a profiled run consist of"},
    {"document-types", list_document_types, "name sentence", "what a number of them may be"},
    {"histograms", list_histograms, "name sentence", "what the monitoring card's SRAM can count"},
    {"features", list_features, "ref where test sentence",
     "the monitoring card's features (N) and the R4400's (R44), where they are, and their tests"},
    {"choices", list_choices, "name source sentence",
     "what the protocol and the machine do, and which source says so; design: none does"},
    {"protocols", list_protocols, "name sentence",
     "the coherence protocols a machine may have; 'numachine protocol NAME' prints one"},
    {"params", in_list_params, "key default source sentence", "the machine's parameters"},
    {"keys", in_list_keys, "key default sentence", "the keys of an experiment file"},
    {"patterns", in_list_patterns, "pattern footprint sentence",
     "the kinds of references an experiment's pattern may have; json has their keys"},
    {"workloads", list_workloads, "name sentence", "what runs on the machine"},
    {"syscalls", list_syscalls, "name o32 n64 armel sentence",
     "the system calls a program may make; json says where each is unlike Linux"},
    {"formats", list_formats, "name for sentence", "formats of traces (numachine trace)"},
    {"statuses", list_statuses, "status sentence", "the exit statuses of numachine itself"},
    {"machines", list_machines, "name sentence", "the shipped machines"},
    {"experiments", list_experiments, "name sentence", "the shipped experiments"},
    {"schema", in_schema, NULL, "JSON Schema of machine and experiment files, for editors"},
};

/* ---- showing --------------------------------------------------------------------------------- */

/** A member as people read it. Allocated. */
static char *cell(json_t *row, const char *column)
{
    json_t *value = json_object_get(row, column);
    if (json_is_string(value))
        return in_strdup(json_string_value(value));
    if (!value || json_is_null(value))
        return in_strdup("");
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    return text ? text : in_strdup("");
}

static size_t column_width(json_t *rows, const char *column)
{
    size_t width = 0, i;
    json_t *row;
    json_array_foreach(rows, i, row) {
        char *text = cell(row, column);
        width = strlen(text) > width ? strlen(text) : width;
        free(text);
    }
    return width;
}

static void print_rows(json_t *rows, const char *columns)
{
    enum { COLUMNS = 5 };
    size_t width[COLUMNS], n = 0, i;
    char name[COLUMNS][32];
    json_t *row;
    while (n < COLUMNS && in_word_at(columns, n, name[n], sizeof name[n])) {
        width[n] = column_width(rows, name[n]);
        n++;
    }
    json_array_foreach(rows, i, row) {
        for (size_t c = 0; c < n; c++) {
            char *text = cell(row, name[c]);
            printf("%-*s%s", c + 1 < n ? (int)width[c] : 0, text, c + 1 < n ? "  " : "\n");
            free(text);
        }
    }
}

/** The same as a table of a document, with every column that is a single value. */
static void print_markdown(json_t *rows)
{
    size_t i;
    const char *key;
    json_t *row, *value, *first = json_array_get(rows, 0);
    for (int line = 0; line < 2; line++) {
        json_object_foreach(first, key, value) {
            printf("| %s ", line ? "---" : key);
        }
        puts("|");
    }
    json_array_foreach(rows, i, row) {
        json_object_foreach(first, key, value) {
            char *text = cell(row, key);
            fputs("| ", stdout);
            for (const char *c = text; *c; c++)
                printf(*c == '|' ? "\\%c" : "%c", *c);
            putchar(' ');
            free(text);
        }
        puts("|");
    }
}

/** A pattern matches a part of any text of the row, or, with wildcards, its whole name. */
static bool matches(json_t *row, const char *pattern)
{
    const char *key;
    json_t *value;
    json_object_foreach(row, key, value) {
        const char *text = json_string_value(value);
        const bool is_name = !strcmp(key, "name") || !strcmp(key, "key") || !strcmp(key, "ref");
        if (text &&
            (strcasestr(text, pattern) || (is_name && !fnmatch(pattern, text, FNM_CASEFOLD))))
            return true;
    }
    return false;
}

/** A group's whole name means it alone: the texts of the others may well mention it. */
static bool is_group(json_t *row, const char *pattern)
{
    const char *name = json_string_value(json_object_get(row, "name"));
    return name && json_object_get(row, "long") && !strcasecmp(name, pattern);
}

static json_t *filter(json_t *rows, const char *pattern)
{
    size_t i;
    json_t *row, *kept = json_array();
    json_array_foreach(rows, i, row) {
        if (is_group(row, pattern))
            json_array_append(kept, row);
    }
    if (json_array_size(kept)) {
        json_decref(rows);
        return kept;
    }
    json_array_foreach(rows, i, row) {
        if (matches(row, pattern))
            json_array_append(kept, row);
    }
    json_decref(rows);
    return kept;
}

static const char *member(json_t *row, const char *name)
{
    return json_string_value(json_object_get(row, name));
}

/** What a group counts, and its formulas. */
static void print_counts(json_t *group)
{
    struct doc_grid grid;
    size_t i;
    json_t *row;
    const json_int_t runs = json_integer_value(json_object_get(group, "runs"));
    printf("events:");
    json_array_foreach(json_object_get(group, "events"), i, row) {
        printf(" %s", json_string_value(row));
    }
    printf("\n        (%lld run%s of %s)\n\n", (long long)runs, sim_plural(runs),
           member(group, "counters"));
    doc_grid_init(&grid, "lll");
    json_array_foreach(json_object_get(group, "metrics"), i, row) {
        doc_grid_cell(&grid, "%s", member(row, "name"));
        doc_grid_cell(&grid, "%s", member(row, "unit"));
        doc_grid_cell(&grid, "= %s", member(row, "formula"));
    }
    doc_grid_print(&grid, stdout, false, LINE);
    doc_grid_free(&grid);
}

/** Everything about one group or detector, as people read it. */
static void print_long(json_t *row)
{
    printf("%s: %s\n\n", member(row, "name"), member(row, "sentence"));
    if (json_object_get(row, "events"))
        print_counts(row);
    else
        printf("finds:  %s\nfile:   %s\n", member(row, "finds"), member(row, "file"));
    printf("\n%s", member(row, "long"));
}

/* ---- the command ----------------------------------------------------------------------------- */

static int show(const struct cli_given *g)
{
    const struct listing *listing =
        &listings[CLI_NAMED(g, "nothing to list called", g->words[0], listings)];
    const char *const pattern = g->words[1];
    const bool json = cli_is_format(g, "json");
    json_t *rows = listing->make();
    if (!rows)
        return CLI_EXIT_USAGE;
    if (pattern && json_is_array(rows))
        rows = filter(rows, pattern);
    const bool none = json_is_array(rows) && json_array_size(rows) == 0;
    if (json || !listing->columns)
        in_write_json(stdout, rows);
    else if (cli_is_format(g, "markdown"))
        print_markdown(rows);
    else if (json_array_size(rows) == 1 && json_object_get(json_array_get(rows, 0), "long"))
        print_long(json_array_get(rows, 0));
    else
        print_rows(rows, listing->columns);
    json_decref(rows);
    if (none && pattern && !json) {
        fprintf(stderr, "numachine: error: nothing matches '%.60s' (numachine list %s)\n", pattern,
                listing->name);
        return CLI_EXIT_USAGE;
    }
    return CLI_EXIT_OK;
}

int cli_list(struct cli_given *g)
{
    if (g->count)
        return show(g);
    for (size_t i = 0; i < sizeof listings / sizeof *listings; i++)
        printf("%-16s %s\n", listings[i].name, listings[i].sentence);
    return CLI_EXIT_OK;
}
