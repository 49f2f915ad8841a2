/* Shared lines for programs: one document. */
#include "documents/cells.h"
#include "documents/schemas.h"
#include "look/sharing/sharing.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>

static json_t *json_columns(const int64_t *v)
{
    char name[DOC_COLUMN_NAME];
    json_t *object = json_object();
    for (unsigned c = 0; c < doc_truth_columns.count; c++)
        if (v[c])
            json_object_set_new(object, doc_lower(doc_truth_columns.row[c].name, name),
                                json_integer(v[c]));
    return object;
}

static json_t *json_asker(const struct look_sharing *s, const struct look_asker *a)
{
    const bool library = a->call != PC_PROFILE_NOWHERE;
    const uint64_t at = look_asker_shown(a);
    const char *function = look_chain_function(look_code_chain(s->code, a->pc)),
               *caller = look_chain_function(look_code_chain(s->code, at));
    const struct prog_place *line = look_code_at(s->code, at);
    json_t *o = json_pack("{s:I,s:I,s:I,s:o}", "pc", (json_int_t)a->pc, "falsely",
                          (json_int_t)a->lost.falsely, "truly", (json_int_t)a->lost.truly,
                          "columns", json_columns(a->v));
    if (function)
        json_object_set_new(o, "function", doc_json_text(function));
    if (library && caller)
        json_object_set_new(o, "caller", doc_json_text(caller));
    if (line->file) {
        json_object_set_new(o, "file", doc_json_text(line->file));
        json_object_set_new(o, "line", json_integer(line->line));
        json_object_set_new(o, "inlined", look_chain_json(look_code_chain(s->code, at)));
    }
    return o;
}

static json_t *json_askers(const struct look_sharing *s, const struct look_asker *list,
                           size_t count)
{
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(array, json_asker(s, &list[i]));
    return array;
}

/* Bytes as ranges: [first, count, first, count, ...]. */
static json_t *json_bytes(const uint64_t set[2])
{
    json_t *array = json_array();
    for (unsigned byte = 0, first; byte < 128; byte++) {
        if (!(set[byte / 64] >> byte % 64 & 1))
            continue;
        for (first = byte; byte < 128 && set[byte / 64] >> byte % 64 & 1;)
            byte++;
        json_array_append_new(array, json_integer(first));
        json_array_append_new(array, json_integer(byte - first));
    }
    return array;
}

static json_t *json_cards(const struct look_sharing *s, const struct look_shared_line *line)
{
    json_t *array = json_array();
    for (size_t i = line->copy; i < line->copy + line->copies; i++) {
        const struct pc_missed_copy *copy = &s->truth->copy[i];
        json_array_append_new(
            array, json_pack("{s:I,s:o,s:o,s:I,s:I}", "card", (json_int_t)copy->card, "read",
                             json_bytes(copy->read), "written", json_bytes(copy->written), "taken",
                             (json_int_t)copy->taken, "evicted", (json_int_t)copy->evicted));
    }
    return array;
}

static const char *const object_kinds[] = {
    [LOOK_OBJECT_NONE] = "unknown",  [LOOK_OBJECT_STATIC] = "static", [LOOK_OBJECT_HEAP] = "heap",
    [LOOK_OBJECT_HEADER] = "header", [LOOK_OBJECT_STACK] = "stack",   [LOOK_OBJECT_TLS] = "tls",
    [LOOK_OBJECT_CODE] = "code"};

/* What lies in the line: names as --what-if takes them, but for code. */
static json_t *json_holds(const struct look_sharing *s, const struct look_shared_line *line)
{
    size_t count;
    struct look_held *part = look_sharing_parts(s, line, &count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const uint64_t set[] = {(uint64_t)part[i].bytes, (uint64_t)(part[i].bytes >> 64)};
        json_array_append_new(
            array,
            json_pack("{s:s,s:o,s:o,s:o,s:I,s:I}", "kind", object_kinds[part[i].at.kind], "object",
                      doc_json_text(part[i].at.key), "first", doc_json_text(part[i].at.name),
                      "bytes", json_bytes(set), "falsely", (json_int_t)part[i].lost.falsely,
                      "truly", (json_int_t)part[i].lost.truly));
    }
    free(part);
    return array;
}

static json_t *json_windows(const struct look_sharing *s, const struct look_shared_line *line)
{
    size_t count;
    const struct pc_missed_window *window = look_sharing_windows(s, line, &count);
    json_t *array = json_array();
    for (size_t i = 0; i < count; i++) {
        const struct look_lost lost = look_lost_of(window[i].v);
        json_array_append_new(
            array,
            json_pack("{s:I,s:I,s:s,s:I,s:I,s:o}", "begin", (json_int_t)window[i].begin, "end",
                      (json_int_t)window[i].end, "kind", look_verdict_name[look_kind_of(&lost)],
                      "falsely", (json_int_t)lost.falsely, "truly", (json_int_t)lost.truly,
                      "columns", json_columns(window[i].v)));
    }
    return array;
}

/* Of all lines, by the first copy of each. */
static json_t *json_sizes(const struct look_sharing *s)
{
    json_t *array = json_array();
    for (size_t i = 0; i < s->truth->sizes; i++) {
        const struct pc_missed_size *size = &s->truth->size[i];
        json_array_append_new(
            array,
            json_pack("{s:I,s:I,s:I,s:I,s:I}", "va", (json_int_t)s->truth->copy[size->copy].va,
                      "bytes", (json_int_t)size->bytes, "offset", (json_int_t)size->offset,
                      "falsely", (json_int_t)size->falsely + (json_int_t)size->upgrades_falsely,
                      "truly", (json_int_t)size->truly + (json_int_t)size->upgrades_truly));
    }
    return array;
}

static json_t *json_line_of(const struct look_sharing *s, const struct look_shared_line *line)
{
    const struct pc_missed_copy *copy = &s->truth->copy[line->copy];
    struct look_object at;
    char advice[LOOK_ADVICE];
    look_sharing_object(s, line, copy->va, &at);
    return json_pack(
        "{s:I,s:I,s:I,s:o,s:s,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o}", "va", (json_int_t)copy->va, "pa",
        (json_int_t)copy->line, "home", (json_int_t)(copy->line / s->truth->memory), "first_object",
        doc_json_text(at.name), "verdict", look_verdict_name[look_verdict_of(s, &line->lost)],
        "falsely", (json_int_t)line->lost.falsely, "truly", (json_int_t)line->lost.truly, "columns",
        json_columns(line->v), "holds", json_holds(s, line), "cards", json_cards(s, line), "askers",
        json_askers(s, line->asker, line->askers), "windows", json_windows(s, line), "advice",
        doc_json_text(look_sharing_advice(s, line, advice, sizeof advice)));
}

/* Sums of what costs something, and what of them `objects` and `lines` have not. */
static json_t *json_lost(struct look_lost lost)
{
    return json_pack("{s:I,s:I}", "falsely", (json_int_t)lost.falsely, "truly",
                     (json_int_t)lost.truly);
}

static json_t *json_rest(const struct look_sharing *s)
{
    struct look_lost objects = s->lost, lines = s->lost;
    for (size_t i = 0; i < s->objects; i++)
        objects = look_lost_less(objects, s->object[i].lost);
    for (size_t i = 0; i < s->lines; i++)
        lines = look_lost_less(lines, s->line[i].lost);
    return json_pack("{s:I,s:o,s:o}", "pcycles", (json_int_t)s->rest, "objects", json_lost(objects),
                     "lines", json_lost(lines));
}

static json_t *json_requests(const struct look_sharing *s)
{
    char name[DOC_COLUMN_NAME];
    json_t *array = json_array();
    for (unsigned r = 0; r < look_request_classes; r++) {
        const struct look_request_class *class = &look_request_class[r];
        if (s->v[class->count])
            json_array_append_new(
                array,
                json_pack("{s:s,s:s,s:I,s:I}", "class",
                          doc_lower(doc_truth_columns.row[class->count].name, name), "heading",
                          class->heading, "requests", (json_int_t)s->v[class->count], "pcycles",
                          (json_int_t)s->v[class->count + 1]));
    }
    return array;
}

void look_sharing_json(const struct look_sharing *s, const char *sentence, FILE *out)
{
    json_t *objects = json_array(), *lines = json_array();
    for (size_t i = 0; i < s->objects; i++) {
        const struct look_shared_object *o = &s->object[i];
        char memory[LOOK_OBJECT_NAME];
        look_sharing_memory(s, o, memory, sizeof memory);
        json_array_append_new(
            objects,
            json_pack("{s:o,s:o*,s:s,s:I,s:I,s:I,s:o,s:o}", "object", doc_json_text(o->name),
                      "memory", *memory ? doc_json_text(memory) : NULL, "verdict",
                      look_verdict_name[look_verdict_of(s, &o->lost)], "falsely",
                      (json_int_t)o->lost.falsely, "truly", (json_int_t)o->lost.truly, "lines",
                      (json_int_t)o->lines, "columns", json_columns(o->v), "askers",
                      json_askers(s, o->asker, o->askers)));
    }
    for (size_t i = 0; i < s->lines; i++)
        json_array_append_new(lines, json_line_of(s, &s->line[i]));
    json_t *sizes = s->truth->sizes ? json_sizes(s) : NULL;
    json_t *root = json_pack(
        "{s:i,s:o,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:o,s:o,s:o*}", "schema", DOC_SCHEMA_c2c, "sentence",
        doc_json_text(sentence), "pcycles", (json_int_t)s->time, "line_bytes",
        (json_int_t)s->truth->line, "falsely", (json_int_t)s->lost.falsely, "truly",
        (json_int_t)s->lost.truly, "columns", json_columns(s->v), "requests", json_requests(s),
        "rest", json_rest(s), "objects", objects, "lines", lines, "sizes", sizes);
    doc_json_put(out, root, JSON_INDENT(1));
}
