#include "show/tables.h"

#include "base/alloc.h"
#include "detect/desk.h"
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
#include "programs/driven/latency.h"
#include "programs/traces/trace.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/** The counter unit whose rows are listed: that of the cards a machine has unless it says
 *  otherwise. */
static const struct mon_unit_ops *unit_of_lists(void)
{
    return nm_card_counters(in_cards());
}

/** Adds a row. @param columns  names, and a value for each: a text, behind "#" a number (int),
 *  behind "=" any value (json_t *, given away) */
static void row_add(json_t *rows, const char *columns, ...)
{
    json_t *row = json_object();
    char name[32];
    va_list values;
    va_start(values, columns);
    for (size_t i = 0; in_word_at(columns, i, name, sizeof name); i++)
        if (name[0] == '#')
            json_object_set_new(row, name + 1, json_integer(va_arg(values, int)));
        else if (name[0] == '=')
            json_object_set_new(row, name + 1, va_arg(values, json_t *));
        else
            json_object_set_new(row, name, json_string(va_arg(values, const char *)));
    va_end(values);
    json_array_append_new(rows, row);
}

#define LISTING(name) \
    static void list_##name(json_t *rows, struct in_diag *diag __attribute__((unused)))

/* ---- events ---------------------------------------------------------------------------------- */

/** "R10000 15, 17; R12000 15": whose event it is, and its numbers there. Rows that are the same
 * event on another chip get another part. @return whether there was one */
static bool is_listed(json_t *rows, const char *name, const char *sentence, const char *ref)
{
    size_t i;
    json_t *row;
    json_array_foreach(rows, i, row) {
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
static void add_event(json_t *rows, unsigned number, const char *name, const char *ref,
                      const char *unit, uint64_t counters, const char *sentence)
{
    json_t *list = json_array();
    for (unsigned k = 0; k < 64 && counters >> k; k++)
        if (counters >> k & 1)
            json_array_append_new(list, json_integer((json_int_t)k));
    row_add(rows, "#number name ref unit =counters sentence", number, name, ref, unit, list,
            sentence);
}

/** The events of a chip's own counters, by IRIX's numbers. */
static void add_own(json_t *rows, enum r10k_chip chip)
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
        if (!is_listed(rows, event->name, event->sentence, ref))
            add_event(rows, first, event->name, ref, event->unit, counters, event->sentence);
    }
}

/** Events of a processor beside the card's unit, from a row on, by their numbers in its registers.
 */
static unsigned add_beside(json_t *rows, enum mon_processor processor, unsigned from)
{
    const struct mon_own *own = unit_of_lists()->beside[processor]->own;
    for (unsigned i = from; i < mon_own_events(own); i++) {
        const struct mon_event *event = mon_own_event_at(own, i);
        char *ref = sim_format("%s 0x%02x", own->processor, event->number);
        if (!is_listed(rows, event->name, event->sentence, ref))
            add_event(rows, event->number, event->name, ref, event->unit,
                      mon_own_event_counters(own, i), event->sentence);
        free(ref);
    }
    return mon_own_events(own);
}

/** What the counters of processors can count. */
LISTING(own_events)
{
    static const enum r10k_chip chips[] = {R10K_R10000_3, R10K_R10000_2, R10K_R12000};
    for (size_t i = 0; i < sizeof chips / sizeof *chips; i++)
        add_own(rows, chips[i]);
    const unsigned events1136 = add_beside(rows, MON_ARM1136, 0);
    const unsigned events1176 = add_beside(rows, MON_ARM1176, 0);
    add_beside(rows, MON_ARM1136_L210, events1136);
    add_beside(rows, MON_ARM1176_L220, events1176);
}

/** One row for each event, in the order of their numbers. */
LISTING(events)
{
    const struct mon_unit_ops *unit = unit_of_lists();
    for (const struct mon_event *e = unit->events; e < unit->events + unit->event_count; e++)
        add_event(rows, e->number, e->name, e->ref, e->unit,
                  e->counters & ((UINT64_C(1) << unit->counters) - 1), e->sentence);
}

LISTING(sets)
{
    for (const struct mon_set *s = unit_of_lists()->sets; s && s->name; s++)
        row_add(rows, "name events sentence", s->name, s->events, s->sentence);
}

/* ---- shipped files --------------------------------------------------------------------------- */

/** The shipped files of a directory. NULL: none, after a complaint. */
static char **tables_shipped(const char *directory, struct in_diag *diag)
{
    char **names = in_home_names(directory, ".yaml");
    if (!names) {
        char *path = in_home_path("%s", directory);
        fprintf(diag->out, "numachine: error: nothing to list in %s\n", path);
        diag->errors++;
        free(path);
    }
    return names;
}

/** Shipped files of a directory with their about: line. */
static void add_files(json_t *rows, const char *directory, struct in_diag *diag)
{
    char **names = tables_shipped(directory, diag);
    for (size_t i = 0; names && names[i]; i++) {
        char *path = in_home_path("%s/%s.yaml", directory, names[i]);
        char *about = in_about(path, diag);
        if (about)
            about[strcspn(about, "\n")] = '\0';
        row_add(rows, "name file sentence", names[i], path, about ? about : "");
        free(about);
        free(path);
    }
    in_free_list(names);
}

LISTING(machines)
{
    add_files(rows, "configs", diag);
}

LISTING(experiments)
{
    static const char *const directories[] = {"experiments", "experiments/teaching",
                                              "experiments/guests", "experiments/irix",
                                              "experiments/patterns"};
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        add_files(rows, directories[i], diag);
}

/** Metrics of a group, as rows. */
static json_t *group_metrics(const struct in_group *group)
{
    json_t *rows = json_array();
    for (unsigned i = 0; i < group->metrics; i++)
        row_add(rows, "name unit formula", group->metric[i].name, group->metric[i].unit,
                group->metric[i].formula);
    return rows;
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

LISTING(groups)
{
    char **names = tables_shipped("monitor/groups", diag);
    for (size_t i = 0; names && names[i]; i++) {
        struct in_group group;
        struct mon_plan plan;
        if (!in_group_load_any(&group, unit_of_lists(), names[i], diag))
            continue;
        mon_plan_make(group.unit, &plan, &group.choice);
        char *counters = counters_of(&group);
        row_add(rows, "name file sentence =events #runs counters =metrics long", group.name,
                group.path, group.about, group_events(&group), (int)plan.banks, counters,
                group_metrics(&group), group.text);
        free(counters);
        in_group_free(&group);
    }
    in_free_list(names);
}

static const char *tables_finds(bool words)
{
    return words ? "false sharing" : "any sharing";
}

/** Models of detectors: their parameters are an object in the row. */
static void tables_add_models(json_t *rows)
{
    for (size_t i = 0; i < det_row_count; i++) {
        const struct det_row *model = &det_rows[i];
        json_t *parameters = json_array();
        for (unsigned k = 0; k < DET_PARAMETERS; k++) {
            const struct det_parameter_row *p = &det_parameter_rows[k];
            if (det_owns(model, k))
                json_array_append_new(parameters,
                                      json_pack("{s:s,s:s,s:I,s:I,s:I,s:s}", "name", p->name,
                                                "unit", p->unit, "default", (json_int_t)p->value,
                                                "least", (json_int_t)p->least, "most",
                                                (json_int_t)p->most, "sentence", p->sentence));
        }
        row_add(rows, "name kind finds sentence paper", model->name, "model",
                tables_finds(model->finds == DET_FALSE_SHARING), model->sentence, model->paper);
        json_object_set_new(json_array_get(rows, json_array_size(rows) - 1), "parameters",
                            parameters);
    }
}

LISTING(detectors)
{
    char **names = tables_shipped(IN_DETECTORS, diag);
    for (size_t i = 0; names && names[i]; i++) {
        struct in_detector detector;
        if (!in_detector_load(&detector, names[i], diag))
            continue;
        row_add(rows, "name kind file finds sentence long", detector.name, "cards", detector.path,
                tables_finds(in_detector_sees_words(&detector)), detector.about, detector.text);
        in_detector_free(&detector);
    }
    in_free_list(names);
    tables_add_models(rows);
}

/* ---- words ----------------------------------------------------------------------------------- */

static void add_word(json_t *rows, const char *name, const char *unit, const char *sentence)
{
    row_add(rows, "name unit sentence", name, unit, sentence);
}

/** What detectors' formulas may name of a pass. */
LISTING(measures)
{
    for (size_t i = 0; i < IN_MEASURE__COUNT; i++) {
        char *name = sim_format("PASS%s", in_measure_rows[i].suffix);
        add_word(rows, name, in_measure_rows[i].unit, in_measure_rows[i].sentence);
        free(name);
    }
}

LISTING(words)
{
    for (size_t i = 0; i < IN_WORD__COUNT; i++)
        add_word(rows, in_word_rows[i].name, in_word_rows[i].unit, in_word_rows[i].sentence);
#define TRUTH(field, unit, sentence) \
    add_word(rows, "truth." #field, unit, "ground truth: " sentence);
#define TRUTH_TAP(field, tap, unit, sentence) TRUTH(field, unit, sentence)
#include "machine/truth.def"
#undef TRUTH
}

static void add_columns(json_t *rows, const struct doc_columns *columns)
{
    char name[DOC_COLUMN_NAME];
    for (unsigned c = 0; c < columns->count; c++)
        add_word(rows, doc_lower(columns->row[c].name, name), columns->row[c].unit,
                 columns->row[c].sentence);
}

/** What a profile has of each instruction. */
LISTING(columns)
{
    add_columns(rows, &doc_columns);
}

/** What the truth of misses has of each instruction and line. */
LISTING(misses)
{
    add_columns(rows, &doc_truth_columns);
}

static void add_item(json_t *rows, const struct doc_document *d, const struct doc_item *item)
{
    const bool field = item->kind == DOC_ITEM_FIELD;
    const bool number = field || item->kind == DOC_ITEM_NUMBER;
    char *type = sim_format("%s%s%s", number ? doc_type_name(item->type) : "list",
                            item->of ? " of " : "", item->of ? item->of : "");
    row_add(rows, "document list name unit sentence type", d->name,
            number && !field ? "" : doc_item_list(item)->name, number ? item->name : "", item->unit,
            item->sentence, type);
    free(type);
}

/** What the results of a profiled run consist of. */
LISTING(documents)
{
    for (const struct doc_document *const *d = doc_documents; *d; d++)
        for (size_t i = 0; i < (*d)->items; i++)
            add_item(rows, *d, &(*d)->item[i]);
}

/** What a number of them may be. */
LISTING(document_types)
{
#define TYPE(name, sentence) row_add(rows, "name sentence", #name, sentence);
#include "documents/types.def"
#undef TYPE
}

/* ---- registers ------------------------------------------------------------------------------- */

static void add_registers(json_t *rows, const struct mon_register_row *r)
{
    static const char *const access[] = {
        [MON_RW] = "RW", [MON_RO] = "RO", [MON_WO] = "WO", [MON_W1C] = "W1C"};
    char offset[16], reset[16];
    for (; r && r->name; r++) {
        snprintf(offset, sizeof offset, "0x%03x", r->offset);
        snprintf(reset, sizeof reset, "0x%x", r->reset);
        row_add(rows, "offset name access #bits reset sentence", offset, r->name, access[r->access],
                (int)r->bits, reset, r->sentence);
    }
}

LISTING(registers)
{
    add_registers(rows, unit_of_lists()->registers);
}

LISTING(sync)
{
    size_t count;
    add_registers(rows, pc_sync_registers(&count));
}

/** The parts of registers: "7:4", or "7" for a single bit.
 *  @param columns  the first says whose they are */
static void add_fields(json_t *rows, const struct mon_field_row *r, const char *columns)
{
    char bits[32];
    for (; r && r->name; r++) {
        const unsigned high = r->low + r->bits - 1;
        snprintf(bits, sizeof bits, high > r->low ? "%u:%u" : "%u", high, r->low);
        row_add(rows, columns, r->reg, r->name, bits, r->sentence);
    }
}

LISTING(fields)
{
    add_fields(rows, unit_of_lists()->fields, "register name bits sentence");
}

LISTING(sync_fields)
{
    size_t count;
    add_fields(rows, pc_sync_fields(&count), "register name bits sentence");
}

/** The number of a word of the SRAM, taken apart. */
LISTING(parts)
{
    add_fields(rows, unit_of_lists()->parts, "source name bits sentence");
}

/* ---- numbers that have names ----------------------------------------------------------------- */

/** What the mask's COMMAND may be. */
LISTING(commands)
{
    for (unsigned i = 0; i < NM_MSG__COUNT; i++)
        row_add(rows, "#number name sentence", i, nm_message_row(i)->name,
                nm_message_row(i)->sentence);
}

/** Why a card refuses a write: ERROR.REASON. */
LISTING(reasons)
{
    for (const struct mon_row *r = unit_of_lists()->reasons; r && r->name; r++)
        row_add(rows, "#number name sentence", r->number, r->name, r->sentence);
}

/** What the SRAM's address may come from: SRAM_CONTROL.SOURCE. */
LISTING(sources)
{
    for (const struct mon_row *r = unit_of_lists()->sources; r && r->name; r++)
        row_add(rows, "#number name ref sentence", r->number, r->name, r->ref, r->sentence);
}

/** What monitor.histogram.source may be. */
LISTING(histograms)
{
    for (const struct mon_row *r = unit_of_lists()->histograms; r && r->name; r++)
        row_add(rows, "name sentence", r->name, r->sentence);
}

/** What the processors' Status pins can say, and the code of each there. */
LISTING(states)
{
#define STATE(name, code, group, sentence)                                                    \
    row_add(rows, "name #code group sentence", in_state_name(MON_TAP_ST_##name), code, group, \
            sentence);
#include "monitor/status.def"
#undef STATE
}

/** Source files that are not the program's own. */
LISTING(system_paths)
{
#define SYSTEM(path, sentence) row_add(rows, "path whose sentence", path, "system", sentence);
#define OWN(path, sentence)    row_add(rows, "path whose sentence", path, "own", sentence);
#include "look/system.def"
#undef SYSTEM
#undef OWN
}

/** How the program ends. */
LISTING(statuses)
{
#define EXIT(name, status, sentence) row_add(rows, "#status sentence", status, sentence);
#include "documents/exit.def"
#undef EXIT
}

/* ---- documents and workloads ----------------------------------------------------------------- */

/** What the documents of the R4400 and of its monitoring card say, and where it is here. */
LISTING(features)
{
    for (const struct mon_feature *f = unit_of_lists()->features; f && f->name; f++)
        row_add(rows, "ref where test sentence", f->name, f->where, f->test, f->sentence);
#define FEATURE(id, where, test, sentence) \
    row_add(rows, "ref where test sentence", id, where, test, sentence);
#include "procard/features.def"
#undef FEATURE
}

/** What the protocol does, and whether a source says so. */
LISTING(choices)
{
    size_t count;
    const struct nm_choice_row *first = nm_choices(&count);
    for (const struct nm_choice_row *r = first; r < first + count; r++)
        row_add(rows, "name source where sentence", r->name, r->source, r->where, r->sentence);
}

LISTING(protocols)
{
    for (unsigned i = 0; i < NM_PROTOCOLS; i++)
        row_add(rows, "name sentence", nm_protocols[i].name, nm_protocols[i].sentence);
}

/** "4001", "" for none. */
static json_t *call_number(int number)
{
    char text[16] = "";
    if (number >= 0)
        snprintf(text, sizeof text, "%d", number);
    return json_string(text);
}

static void add_calls(json_t *rows, const struct prog_workload *w)
{
    struct prog_call call;
    for (size_t i = 0; w->call && w->call(i, &call); i++) {
        json_t *row = json_pack("{s:s}", "name", call.name);
        for (unsigned a = 0; a < PROG_ABIS_MAX && w->abis[a]; a++)
            json_object_set_new(row, w->abis[a], call_number(call.number[a]));
        json_object_set_new(row, "sentence", json_string(call.sentence));
        json_object_set_new(row, "unlike Linux", json_string(call.differs));
        json_array_append_new(rows, row);
    }
}

/** System calls of guest programs; a number is empty where the ABI has no such call. */
LISTING(syscalls)
{
    for (size_t i = 0; in_workload(i); i++)
        add_calls(rows, in_workload(i));
}

/** Formats of traces of references. */
LISTING(formats)
{
    for (unsigned i = 0; i < TR_FORMATS; i++)
        row_add(rows, "name for sentence", tr_formats[i].name,
                tr_formats[i].writer ? "in and out" : "in", tr_formats[i].sentence);
}

LISTING(workloads)
{
    const struct prog_workload *w;
    for (size_t i = 0; (w = in_workload(i)); i++)
        row_add(rows, "name sentence", w->name, w->sentence);
}

/** What numachine watch plays. */
LISTING(scenarios)
{
    const struct driven_scenario *s;
    for (size_t i = 0; (s = driven_scenario(i)); i++)
        row_add(rows, "name sentence", s->name, "an access of docs/latency.md, alone");
    for (size_t i = 0; (s = driven_scene(i)); i++)
        row_add(rows, "name sentence", s->name, s->sentence);
}

/** The table of a recording of transactions. */
LISTING(watched)
{
#define COLUMN(name, unit, sentence) row_add(rows, "name unit sentence", #name, unit, sentence);
#include "documents/rows/watch_columns.def"
}

/* ---- what can be listed ---------------------------------------------------------------------- */

const struct show_table show_tables[] = {
    {"events", list_events, NULL, "name number ref unit sentence",
     "what the monitoring cards can count; what processors themselves: processor-events"},
    {"processor-events", list_own_events, NULL, "name ref unit sentence",
     "what the counters of R10000s and R12000s can count, with IRIX's numbers (numachine perfex)"},
    {"sets", list_sets, NULL, "name events sentence", "names for several events"},
    {"groups", list_groups, NULL, "name sentence",
     "questions with events and formulas; a NAME tells all"},
    {"words", list_words, NULL, "name unit sentence",
     "what formulas of groups may name beside events"},
    {"detectors", list_detectors, NULL, "name kind finds sentence",
     "ways to look for false sharing (numachine detect); 'any sharing' may be true as well"},
    {"measures", list_measures, NULL, "name unit sentence",
     "what formulas of detectors may name of a pass beside pcycles"},
    {"registers", list_registers, NULL, "offset name access sentence",
     "the monitoring card's registers"},
    {"fields", list_fields, NULL, "register name bits sentence", "parts of those registers"},
    {"sync", list_sync, NULL, "offset name access sentence",
     "the processor card's registers for interrupts and barriers"},
    {"sync-fields", list_sync_fields, NULL, "register name bits sentence",
     "parts of those registers"},
    {"commands", list_commands, NULL, "name number sentence",
     "commands of packets, for the card's mask"},
    {"reasons", list_reasons, NULL, "name number sentence", "why a card refuses what is written"},
    {"sources", list_sources, NULL, "name number sentence",
     "what the address of a card's SRAM is made of"},
    {"parts", list_parts, NULL, "source name bits sentence", "parts of that address"},
    {"states", list_states, NULL, "name code group sentence",
     "the states of a processor's Status pins, and their codes"},
    {"system-paths", list_system_paths, NULL, "path whose sentence",
     "folders of source files that are not the program's own (--system-path)"},
    {"columns", list_columns, NULL, "name unit sentence",
     "what a profile has of each instruction (numachine profile)"},
    {"misses", list_misses, NULL, "name unit sentence",
     "why misses and upgrades had to be: what the truth has of each instruction and line "
     "(numachine c2c)"},
    {"documents", list_documents, NULL, "document list name type unit sentence",
     "what the files of a profiled run consist of"},
    {"document-types", list_document_types, NULL, "name sentence", "what a number of them may be"},
    {"histograms", list_histograms, NULL, "name sentence",
     "what the monitoring card's SRAM can count"},
    {"features", list_features, NULL, "ref where test sentence",
     "the monitoring card's features (N) and the R4400's (R44), where they are, and their tests"},
    {"choices", list_choices, NULL, "name source sentence",
     "what the protocol and the machine do, and which source says so; design: none does"},
    {"protocols", list_protocols, NULL, "name sentence",
     "the coherence protocols a machine may have; 'numachine protocol NAME' prints one"},
    {"params", NULL, in_list_params, "key default source sentence", "the machine's parameters"},
    {"keys", NULL, in_list_keys, "key default sentence", "the keys of an experiment file"},
    {"patterns", NULL, in_list_patterns, "pattern footprint sentence",
     "the kinds of references an experiment's pattern may have; json has their keys"},
    {"scenarios", list_scenarios, NULL, "name sentence", "what numachine watch can play"},
    {"watched", list_watched, NULL, "name unit sentence",
     "the columns of numachine watch --format=csv"},
    {"workloads", list_workloads, NULL, "name sentence", "what runs on the machine"},
    {"syscalls", list_syscalls, NULL, "name o32 n64 armel sentence",
     "the system calls a program may make; json says where each is unlike Linux"},
    {"formats", list_formats, NULL, "name for sentence", "formats of traces (numachine trace)"},
    {"statuses", list_statuses, NULL, "status sentence", "the exit statuses of numachine itself"},
    {"machines", list_machines, NULL, "name sentence", "the shipped machines"},
    {"experiments", list_experiments, NULL, "name sentence", "the shipped experiments"},
    {"schema", NULL, in_schema, NULL, "JSON Schema of machine and experiment files, for editors"},
};

const unsigned show_table_count = sizeof show_tables / sizeof *show_tables;

json_t *show_table_rows(const struct show_table *table)
{
    struct in_diag diag = {.out = stderr};
    if (table->make)
        return table->make();
    json_t *rows = json_array();
    table->add(rows, &diag);
    if (!diag.errors)
        return rows;
    json_decref(rows);
    return NULL;
}
