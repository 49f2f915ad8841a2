#include "page/sums.h"

#include "base/alloc.h"
#include "documents/cells.h"
#include "documents/csv.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <uthash.h>

#define NO_COLUMN UINT_MAX

/* A row that is kept. */
struct row {
    char *key;      /* its fields without `without` and `sum`, with a 1 between them */
    json_t *values; /* the same */
    uint64_t sum;
    size_t number; /* in the order of the file */
    UT_hash_handle hh;
};

struct sums_reading {
    struct doc_csv csv;
    const struct page_table *table;
    unsigned only, without, sum; /* columns, or NO_COLUMN */
    struct row *rows;            /* by key */
};

/* Whether it is a whole number as this program writes it. */
static bool is_whole(const char *text)
{
    const size_t n = strlen(text);
    return n && n < 16 && strspn(text, "0123456789") == n && (*text != '0' || n == 1);
}

/* Whether it is a number with a point or an exponent, and how much. */
static bool is_real(const char *text, double *value)
{
    char *end;
    if (!isdigit((unsigned char)text[*text == '-']))
        return false;
    *value = strtod(text, &end);
    return !*end && !strchr(text, 'x') && isfinite(*value);
}

json_t *page_value(const char *text)
{
    double real;
    if (is_whole(text))
        return json_integer(strtoll(text, NULL, 10));
    if (is_real(text, &real))
        return json_real(real);
    return doc_json_text(text);
}

static bool is_kept(const struct sums_reading *r, unsigned column)
{
    return column != r->without && column != r->sum;
}

/* Names are texts, though somebody may call a region 1e3. */
static bool is_name(const char *column)
{
    static const char *const names[] = {"snapshot", "group", "metric"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(column, names[i]) == 0)
            return true;
    return false;
}

static json_t *sums_cell(const struct sums_reading *r, unsigned c)
{
    return is_name(r->csv.name[c]) ? doc_json_text(r->csv.field[c]) : page_value(r->csv.field[c]);
}

static char *key_of(const struct sums_reading *r)
{
    char *key;
    size_t size;
    FILE *out = sim_text_open(&key, &size);
    for (unsigned c = 0; c < r->csv.columns; c++)
        if (is_kept(r, c))
            fprintf(out, "%s\1", r->csv.field[c]);
    if (r->without == NO_COLUMN)
        fprintf(out, "%u", HASH_COUNT(r->rows));
    sim_text_close(out, &key);
    return key;
}

static struct row *row_of(struct sums_reading *r)
{
    struct row *row;
    char *key = key_of(r);
    HASH_FIND_STR(r->rows, key, row);
    if (row) {
        free(key);
        return row;
    }
    row = sim_alloc(1, sizeof *row);
    row->key = key;
    row->number = HASH_COUNT(r->rows);
    row->values = json_array();
    for (unsigned c = 0; c < r->csv.columns; c++)
        if (is_kept(r, c))
            json_array_append_new(row->values, sums_cell(r, c));
    HASH_ADD_KEYPTR(hh, r->rows, row->key, strlen(row->key), row);
    return row;
}

static bool sums_read_row(struct sums_reading *r)
{
    if (r->only != NO_COLUMN && strcmp(r->csv.field[r->only], r->table->is) != 0)
        return true;
    const char *sum = r->sum == NO_COLUMN ? "0" : r->csv.field[r->sum];
    if (!is_whole(sum))
        return doc_csv_refuse(&r->csv, "what it counted is not a whole number");
    row_of(r)->sum += strtoull(sum, NULL, 10);
    return true;
}

static int greatest_first(const struct row *a, const struct row *b)
{
    if (a->sum != b->sum)
        return a->sum < b->sum ? 1 : -1;
    return a->number > b->number ? 1 : -1;
}

static int as_read(const struct row *a, const struct row *b)
{
    return a->number > b->number ? 1 : -1;
}

/* Of too many rows, those that are left out: added up. */
static json_t *sums_leave(struct sums_reading *r)
{
    struct row *row, *next;
    size_t count = 0;
    uint64_t sum = 0;
    HASH_SORT(r->rows, greatest_first);
    HASH_ITER(hh, r->rows, row, next) {
        if (count++ < r->table->most)
            continue;
        sum += row->sum;
        HASH_DEL(r->rows, row);
        json_decref(row->values);
        free(row->key);
        free(row);
    }
    HASH_SORT(r->rows, as_read);
    const size_t left = count > r->table->most ? count - r->table->most : 0;
    return json_pack("{s:I,s:I}", "rows", (json_int_t)left, "sum", (json_int_t)sum);
}

static json_t *sums_names_of(const struct sums_reading *r)
{
    json_t *names = json_array();
    for (unsigned c = 0; c < r->csv.columns; c++)
        if (is_kept(r, c))
            json_array_append_new(names, json_string(r->csv.name[c]));
    if (r->sum != NO_COLUMN)
        json_array_append_new(names, json_string(r->table->sum));
    return names;
}

/* Rows become the document's, and all that was read goes. */
static json_t *rows_of(struct sums_reading *r)
{
    json_t *rows = json_array();
    struct row *row, *next;
    HASH_ITER(hh, r->rows, row, next) {
        HASH_DEL(r->rows, row);
        if (r->sum != NO_COLUMN)
            json_array_append_new(row->values, json_integer((json_int_t)row->sum));
        json_array_append_new(rows, row->values);
        free(row->key);
        free(row);
    }
    return rows;
}

/* @param name  NULL: no column is meant */
static unsigned sums_column_of(struct sums_reading *r, const char *name)
{
    return name ? doc_csv_column(&r->csv, name) : NO_COLUMN;
}

json_t *page_table_read(const char *path, const struct page_table *table, char *why, size_t size)
{
    struct sums_reading r = {.table = table};
    json_t *out = NULL;
    if (doc_csv_open(&r.csv, path, why, size)) {
        r.only = sums_column_of(&r, table->only);
        r.without = sums_column_of(&r, table->without);
        r.sum = sums_column_of(&r, table->sum);
        while (doc_csv_next(&r.csv) && sums_read_row(&r))
            ;
        json_t *left = sums_leave(&r), *names = sums_names_of(&r), *rows = rows_of(&r);
        out = json_pack("{s:o,s:o,s:o}", "columns", names, "rows", rows, "left", left);
    }
    if (r.csv.bad) {
        json_decref(out);
        out = NULL;
    }
    doc_csv_close(&r.csv);
    return out;
}
