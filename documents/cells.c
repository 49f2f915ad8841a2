#include "documents/cells.h"

#include "base/alloc.h"
#include "documents/csv.h"

#include <assert.h>
#include <inttypes.h>

json_t *doc_json_taken(char *text)
{
    json_t *string = json_string(text);
    for (char *c = text; !string && *c; c++)
        if (*c & 0x80)
            *c = '?';
    if (!string)
        string = json_string(text);
    if (!string)
        sim_no_memory();
    free(text);
    return string;
}

json_t *doc_json_text(const char *text)
{
    return text ? doc_json_taken(sim_strdup(text)) : json_null();
}

void doc_json_put(FILE *out, json_t *value, size_t flags)
{
    assert(value); /* a text that is no UTF-8 was packed as one: doc_json_text */
    json_dumpf(value, out, flags);
    putc('\n', out);
    json_decref(value);
}

void doc_cells_csv(FILE *out, const struct doc_cell *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i)
            putc(',', out);
        switch (cell[i].kind) {
        case DOC_CELL_NONE:
            break;
        case DOC_CELL_TEXT:
            doc_csv_field(out, cell[i].text);
            break;
        case DOC_CELL_INTEGER:
            fprintf(out, "%" PRId64, cell[i].integer);
            break;
        case DOC_CELL_REAL:
            fprintf(out, "%.6f", cell[i].real);
            break;
        case DOC_CELL_ADDRESS:
            fprintf(out, "0x%" PRIx64, cell[i].address);
        }
    }
    fputs("\r\n", out);
}

static json_t *cells_value_of(const struct doc_cell *cell)
{
    switch (cell->kind) {
    case DOC_CELL_TEXT:
        return doc_json_text(cell->text);
    case DOC_CELL_INTEGER:
        return json_integer(cell->integer);
    case DOC_CELL_REAL:
        return json_real(cell->real);
    case DOC_CELL_ADDRESS:
        return doc_json_taken(sim_format("0x%" PRIx64, cell->address));
    default:
        return json_null();
    }
}

void doc_cells_json(FILE *out, const char *const *name, const struct doc_cell *cell, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s\"%s\":", i ? "," : "{", name[i]);
        if (cell[i].kind == DOC_CELL_INTEGER) { /* most are */
            fprintf(out, "%" PRId64, cell[i].integer);
            continue;
        }
        json_t *value = cells_value_of(&cell[i]);
        json_dumpf(value, out, JSON_ENCODE_ANY);
        json_decref(value);
    }
    putc('}', out);
}

void doc_cells_add(json_t *object, const char *const *name, const struct doc_cell *cell,
                   size_t count)
{
    for (size_t i = 0; i < count; i++)
        json_object_set_new(object, name[i], cells_value_of(&cell[i]));
}
