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
#include "report/profile.h"

#include "report/profile_columns.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

const struct rep_column rep_columns[PC_PROFILE__COUNT] = {
#define COLUMN(name, unit, sentence) {#name, unit, sentence},
#include "procard/profile.def"
#undef COLUMN
};

const char *rep_column_name(unsigned column, char buf[REP_COLUMN_NAME])
{
    const char *from = rep_columns[column].name;
    size_t n = 0;
    for (; from[n]; n++)
        buf[n] = (char)(from[n] >= 'A' && from[n] <= 'Z' ? from[n] - 'A' + 'a' : from[n]);
    buf[n] = '\0';
    return buf;
}

void rep_profile_free(struct rep_profile *profile)
{
    for (size_t i = 0; i < profile->regions; i++)
        free(profile->region[i]);
    for (size_t i = 0; i < profile->phases; i++)
        free(profile->phase[i]);
    free(profile->region);
    free(profile->phase);
    free(profile->path);
    free(profile->row);
    *profile = (struct rep_profile){0};
}

/* ---- the parts of the document --------------------------------------------------------------- */

static void put_text(FILE *out, const char *text)
{
    json_t *value = json_string(text);
    json_dumpf(value, out, JSON_ENCODE_ANY);
    json_decref(value);
}

static void put_address(FILE *out, uint64_t va)
{
    if (va == PC_PROFILE_NOWHERE)
        fputs(",null", out);
    else
        fprintf(out, ",%" PRId64, (int64_t)va);
}

/* What is between two members of a list. */
static const char *gap(size_t i)
{
    return i ? ",\n" : "\n";
}

static void put_columns(FILE *out)
{
    char name[REP_COLUMN_NAME];
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++) {
        fprintf(out, "%s[\"%s\",", gap(c), rep_column_name(c, name));
        put_text(out, rep_columns[c].unit);
        putc(',', out);
        put_text(out, rep_columns[c].sentence);
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

/* A row's numbers: printf would take half of the time of a short profiled run. */
struct numbers {
    char text[(4 + 2 * PC_PROFILE__COUNT) * 21];
    size_t length;
};

static void add(struct numbers *line, int64_t n)
{
    char digit[20];
    unsigned digits = 0;
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    do
        digit[digits++] = (char)('0' + left % 10);
    while (left /= 10);
    line->text[line->length] = line->length ? ',' : '[';
    line->length++;
    if (n < 0)
        line->text[line->length++] = '-';
    while (digits)
        line->text[line->length++] = digit[--digits];
}

static void put_row(FILE *out, const struct pc_profile_row *row)
{
    static const char none[] = ",null";
    struct numbers line = {.length = 0};
    add(&line, row->phase);
    add(&line, row->thread);
    add(&line, row->path);
    if (row->pc != PC_PROFILE_NOWHERE) {
        add(&line, (int64_t)row->pc);
    } else {
        memcpy(line.text + line.length, none, sizeof none - 1);
        line.length += sizeof none - 1;
    }
    for (unsigned c = 0; c < PC_PROFILE__COUNT; c++)
        if (row->v[c]) {
            add(&line, c);
            add(&line, row->v[c]);
        }
    fwrite(line.text, 1, line.length, out);
    putc(']', out);
}

void rep_profile_write(const struct rep_profile *profile, FILE *out)
{
    fprintf(out, "{\"schema\":%d,\n\"columns\":[", REP_PROFILE_SCHEMA);
    put_columns(out);
    fputs("],\n\"regions\":[", out);
    for (size_t i = 0; i < profile->regions; i++) {
        fputs(gap(i), out);
        put_text(out, profile->region[i]);
    }
    fputs("],\n\"phases\":[", out);
    for (size_t i = 0; i < profile->phases; i++) {
        fputs(gap(i), out);
        put_phase(out, profile->phase[i]);
    }
    fputs("],\n\"paths\":[", out);
    for (size_t i = 0; i < profile->paths; i++) {
        fprintf(out, "%s[%" PRIu32, gap(i), profile->path[i].parent);
        put_address(out, profile->path[i].call);
        put_address(out, profile->path[i].function);
        putc(']', out);
    }
    fputs("],\n\"rows\":[", out);
    for (size_t i = 0; i < profile->rows; i++) {
        fputs(gap(i), out);
        put_row(out, &profile->row[i]);
    }
    fputs("]}\n", out);
}
