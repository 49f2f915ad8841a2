/*
 * profile.json, written as it is walked: a run may have a million rows.
 *
 *     {"schema": 1,
 *      "columns": [[name, unit, sentence], ...],
 *      "regions": [name, ...],
 *      "phases": [[region, ...], ...],
 *      "paths": [[parent, call, function], ...],
 *      "rows": [[phase, thread, path, pc, column, value, column, value, ...], ...]}
 *
 * What refers to another list is an index into it. An address is a signed number of 64 bits, as a
 * register holds it; one that is none is null. A row leaves out values that are 0, and its columns
 * ascend. Nothing of the host is in it: equal runs give equal bytes.
 */
#include "documents/rows/profile.h"

#include "documents/numbers.h"
#include "documents/rows/profile_columns.h"

#include <inttypes.h>
#include <stdlib.h>

const struct doc_column doc_columns[PC_PROFILE__COUNT] = {
#define COLUMN(name, unit, sentence) {#name, unit, sentence},
#include "procard/profile.def"
#undef COLUMN
};

const char *doc_lower(const char *name, char buf[DOC_COLUMN_NAME])
{
    size_t n = 0;
    for (; name[n]; n++)
        buf[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] - 'A' + 'a' : name[n]);
    buf[n] = '\0';
    return buf;
}

const char *doc_column_name(unsigned column, char buf[DOC_COLUMN_NAME])
{
    return doc_lower(doc_columns[column].name, buf);
}

void doc_profile_free(struct doc_profile *profile)
{
    for (size_t i = 0; i < profile->regions; i++)
        free(profile->region[i]);
    for (size_t i = 0; i < profile->phases; i++)
        free(profile->phase[i]);
    free(profile->region);
    free(profile->phase);
    free(profile->path);
    free(profile->row);
    *profile = (struct doc_profile){0};
}

/* ---- the parts of the document --------------------------------------------------------------- */

void doc_put_columns(const struct doc_column *columns, unsigned count, FILE *out)
{
    char name[DOC_COLUMN_NAME];
    for (unsigned c = 0; c < count; c++) {
        fprintf(out, "%s[\"%s\",", doc_gap(c), doc_lower(columns[c].name, name));
        doc_put_text(out, columns[c].unit);
        putc(',', out);
        doc_put_text(out, columns[c].sentence);
        putc(']', out);
    }
}

static void put_phase(FILE *out, const uint32_t *phase)
{
    putc('[', out);
    for (uint32_t i = 1; i <= phase[0]; i++)
        fprintf(out, "%s%" PRIu32, i > 1 ? "," : "", phase[i]);
    putc(']', out);
}

static void put_row(FILE *out, const struct pc_profile_row *row)
{
    struct doc_numbers line;
    doc_numbers_begin(&line);
    doc_numbers_add(&line, row->phase);
    doc_numbers_add(&line, row->thread);
    doc_numbers_add(&line, row->path);
    doc_numbers_address(&line, row->pc);
    doc_numbers_values(&line, row->v, PC_PROFILE__COUNT);
    doc_numbers_put(&line, out);
}

void doc_profile_write(const struct doc_profile *profile, FILE *out)
{
    fprintf(out, "{\"schema\":%d,\n\"columns\":[", DOC_PROFILE_SCHEMA);
    doc_put_columns(doc_columns, PC_PROFILE__COUNT, out);
    fputs("],\n\"regions\":[", out);
    for (size_t i = 0; i < profile->regions; i++) {
        fputs(doc_gap(i), out);
        doc_put_text(out, profile->region[i]);
    }
    fputs("],\n\"phases\":[", out);
    for (size_t i = 0; i < profile->phases; i++) {
        fputs(doc_gap(i), out);
        put_phase(out, profile->phase[i]);
    }
    fputs("],\n\"paths\":[", out);
    for (size_t i = 0; i < profile->paths; i++) {
        struct doc_numbers line;
        doc_numbers_begin(&line);
        fputs(doc_gap(i), out);
        doc_numbers_add(&line, profile->path[i].parent);
        doc_numbers_address(&line, profile->path[i].call);
        doc_numbers_address(&line, profile->path[i].function);
        doc_numbers_put(&line, out);
    }
    fputs("],\n\"rows\":[", out);
    for (size_t i = 0; i < profile->rows; i++) {
        fputs(doc_gap(i), out);
        put_row(out, &profile->row[i]);
    }
    fputs("]}\n", out);
}
