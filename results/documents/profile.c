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
#include "results/documents/profile.h"

#include "results/documents/profile_columns.h"
#include "results/numbers.h"

#include <inttypes.h>
#include <stdlib.h>

const struct res_column res_columns[PC_PROFILE__COUNT] = {
#define COLUMN(name, unit, sentence) {#name, unit, sentence},
#include "procard/profile.def"
#undef COLUMN
};

const char *res_lower(const char *name, char buf[RES_COLUMN_NAME])
{
    size_t n = 0;
    for (; name[n]; n++)
        buf[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] - 'A' + 'a' : name[n]);
    buf[n] = '\0';
    return buf;
}

const char *res_column_name(unsigned column, char buf[RES_COLUMN_NAME])
{
    return res_lower(res_columns[column].name, buf);
}

void res_profile_free(struct res_profile *profile)
{
    for (size_t i = 0; i < profile->regions; i++)
        free(profile->region[i]);
    for (size_t i = 0; i < profile->phases; i++)
        free(profile->phase[i]);
    free(profile->region);
    free(profile->phase);
    free(profile->path);
    free(profile->row);
    *profile = (struct res_profile){0};
}

/* ---- the parts of the document --------------------------------------------------------------- */

void res_put_columns(const struct res_column *columns, unsigned count, FILE *out)
{
    char name[RES_COLUMN_NAME];
    for (unsigned c = 0; c < count; c++) {
        fprintf(out, "%s[\"%s\",", res_gap(c), res_lower(columns[c].name, name));
        res_put_text(out, columns[c].unit);
        putc(',', out);
        res_put_text(out, columns[c].sentence);
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
    struct res_numbers line;
    res_numbers_begin(&line);
    res_numbers_add(&line, row->phase);
    res_numbers_add(&line, row->thread);
    res_numbers_add(&line, row->path);
    res_numbers_address(&line, row->pc);
    res_numbers_values(&line, row->v, PC_PROFILE__COUNT);
    res_numbers_put(&line, out);
}

void res_profile_write(const struct res_profile *profile, FILE *out)
{
    fprintf(out, "{\"schema\":%d,\n\"columns\":[", RES_PROFILE_SCHEMA);
    res_put_columns(res_columns, PC_PROFILE__COUNT, out);
    fputs("],\n\"regions\":[", out);
    for (size_t i = 0; i < profile->regions; i++) {
        fputs(res_gap(i), out);
        res_put_text(out, profile->region[i]);
    }
    fputs("],\n\"phases\":[", out);
    for (size_t i = 0; i < profile->phases; i++) {
        fputs(res_gap(i), out);
        put_phase(out, profile->phase[i]);
    }
    fputs("],\n\"paths\":[", out);
    for (size_t i = 0; i < profile->paths; i++) {
        struct res_numbers line;
        res_numbers_begin(&line);
        fputs(res_gap(i), out);
        res_numbers_add(&line, profile->path[i].parent);
        res_numbers_address(&line, profile->path[i].call);
        res_numbers_address(&line, profile->path[i].function);
        res_numbers_put(&line, out);
    }
    fputs("],\n\"rows\":[", out);
    for (size_t i = 0; i < profile->rows; i++) {
        fputs(res_gap(i), out);
        put_row(out, &profile->row[i]);
    }
    fputs("]}\n", out);
}
