/*
 * A document is written as its table is walked, and read likewise. Everything in a file is a claim:
 * each number is checked against the list it points into before it is used, and whatever is wrong
 * gets a sentence that says where.
 */
#include "documents/document.h"

#include "base/alloc.h"
#include "documents/claims.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WRITING_ROOM = 4096, /* [bytes] of what is being written */
    NUMBER_MOST = 24     /* [bytes] of a number and what is around it */
};

const char *doc_lower(const char *name, char buf[DOC_COLUMN_NAME])
{
    size_t n = 0;
    for (; name[n]; n++)
        buf[n] = (char)(name[n] >= 'A' && name[n] <= 'Z' ? name[n] - 'A' + 'a' : name[n]);
    buf[n] = '\0';
    return buf;
}

const char *doc_type_name(enum doc_type type)
{
    static const char *const names[] = {
#define TYPE(name, sentence) #name,
#include "documents/types.def"
#undef TYPE
    };
    return names[type];
}

/* ---- the table ------------------------------------------------------------------------------- */

const struct doc_item *doc_item_list(const struct doc_item *item)
{
    while (item->kind == DOC_ITEM_FIELD)
        item--;
    return item;
}

static size_t fields_of(const struct doc_document *d, const struct doc_item *list)
{
    size_t n = 0;
    while (list + 1 + n < d->item + d->items && list[1 + n].kind == DOC_ITEM_FIELD)
        n++;
    return n;
}

static const struct doc_columns *document_columns_of(const struct doc_document *d)
{
    const struct doc_item *item = d->item;
    while (item->kind != DOC_ITEM_COLUMNS)
        item++;
    return item->columns;
}

static void *document_member(const void *document, size_t at)
{
    return (char *)document + at;
}

static char *rows_of(const void *document, const struct doc_item *list)
{
    return *(char **)document_member(document, list->at);
}

static size_t *count_of(const void *document, const struct doc_item *list)
{
    return document_member(document, list->counted);
}

static uint64_t number_at(const void *row, const struct doc_item *f)
{
    const void *at = (const char *)row + f->at;
    return f->size == 1   ? *(const uint8_t *)at
           : f->size == 4 ? *(const uint32_t *)at
                          : *(const uint64_t *)at;
}

static void number_set(void *row, const struct doc_item *f, uint64_t n)
{
    void *at = (char *)row + f->at;
    if (f->size == 1)
        *(uint8_t *)at = (uint8_t)n;
    else if (f->size == 4)
        *(uint32_t *)at = (uint32_t)n;
    else
        *(uint64_t *)at = n;
}

/* What stands for null in memory. */
static uint64_t none_of(const struct doc_item *f)
{
    return f->size == 4 ? UINT32_MAX : UINT64_MAX;
}

static int64_t *values_at(void *row, const struct doc_item *f)
{
    void *at = (char *)row + f->at;
    return f->block ? *(int64_t **)at : at;
}

static bool is_values(const struct doc_item *f)
{
    return f->type == DOC_TYPE_values || f->type == DOC_TYPE_counts;
}

void doc_document_free(const struct doc_document *d, void *document)
{
    for (const struct doc_item *p = d->item; p < d->item + d->items; p++) {
        if (p->kind == DOC_ITEM_NAMES || p->kind == DOC_ITEM_SETS)
            for (size_t i = 0; i < *count_of(document, p); i++)
                free(((void **)rows_of(document, p))[i]);
        if (p->kind == DOC_ITEM_NAMES || p->kind == DOC_ITEM_SETS || p->kind == DOC_ITEM_ROWS)
            free(rows_of(document, p));
        if (p->block)
            free(*(void **)document_member(document, p->block));
    }
    memset(document, 0, d->bytes);
}

/* ---- written --------------------------------------------------------------------------------- */

/* printf would take half of the time of a short run. */
struct writing {
    const struct doc_document *d;
    const void *document;
    FILE *out;
    size_t length;
    char text[WRITING_ROOM];
};

static void document_flush(struct writing *w)
{
    fwrite(w->text, 1, w->length, w->out);
    w->length = 0;
}

/* @param text  shorter than NUMBER_MOST */
static void document_put_text(struct writing *w, const char *text)
{
    if (w->length + NUMBER_MOST > WRITING_ROOM)
        document_flush(w);
    while (*text)
        w->text[w->length++] = *text++;
}

/* A string, and what stands behind it. */
static void put_string(struct writing *w, const char *text, const char *behind)
{
    json_t *value = json_string(text);
    document_flush(w);
    json_dumpf(value, w->out, JSON_ENCODE_ANY);
    json_decref(value);
    document_put_text(w, behind);
}

static void put_number(struct writing *w, int64_t n)
{
    char digit[NUMBER_MOST];
    unsigned at = sizeof digit - 1;
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    digit[at] = '\0';
    do
        digit[--at] = (char)('0' + left % 10);
    while (left /= 10);
    if (n < 0)
        digit[--at] = '-';
    document_put_text(w, digit + at);
}

/* Of `count` values those that are not 0, each behind its number. */
static void put_values(struct writing *w, const int64_t *value, size_t count, const char *comma)
{
    for (size_t i = 0; i < count; i++)
        if (value[i]) {
            document_put_text(w, comma);
            put_number(w, (int64_t)i);
            document_put_text(w, ",");
            put_number(w, value[i]);
            comma = ",";
        }
}

static void put_field(struct writing *w, const struct doc_item *f, void *row)
{
    const bool null = f->type == DOC_TYPE_address || f->type == DOC_TYPE_count_or_null ||
                      f->type == DOC_TYPE_index_or_null;
    if (f->type == DOC_TYPE_times) {
        document_put_text(w, "[");
        put_values(w, values_at(row, f), f->size / sizeof(int64_t), "");
        document_put_text(w, "]");
    } else if (null && number_at(row, f) == none_of(f)) {
        document_put_text(w, "null");
    } else {
        put_number(w, (int64_t)number_at(row, f));
    }
}

static void document_put_row(struct writing *w, const struct doc_item *field, size_t fields,
                             void *row)
{
    document_put_text(w, "[");
    for (size_t k = 0; k < fields; k++) {
        if (is_values(&field[k])) {
            put_values(w, values_at(row, &field[k]), document_columns_of(w->d)->count, ",");
            continue;
        }
        document_put_text(w, k ? "," : "");
        put_field(w, &field[k], row);
    }
    document_put_text(w, "]");
}

static void put_rows(struct writing *w, const struct doc_item *list)
{
    const size_t fields = fields_of(w->d, list);
    char *row = rows_of(w->document, list), *packed = sim_alloc(1, list->each);
    for (size_t i = 0; i < *count_of(w->document, list); i++, row += list->each) {
        document_put_text(w, i ? ",\n" : "\n");
        if (list->pack) {
            memcpy(packed, row, list->each);
            list->pack(w->document, packed);
        }
        document_put_row(w, list + 1, fields, list->pack ? packed : row);
    }
    free(packed);
}

static void put_sets(struct writing *w, const struct doc_item *list)
{
    uint32_t *const *set = (uint32_t *const *)rows_of(w->document, list);
    for (size_t i = 0; i < *count_of(w->document, list); i++) {
        document_put_text(w, i ? ",\n[" : "\n[");
        for (uint32_t k = 1; k <= set[i][0]; k++) {
            document_put_text(w, k > 1 ? "," : "");
            put_number(w, set[i][k]);
        }
        document_put_text(w, "]");
    }
}

static void put_names(struct writing *w, const struct doc_item *list)
{
    char *const *name = (char *const *)rows_of(w->document, list);
    for (size_t i = 0; i < *count_of(w->document, list); i++) {
        document_put_text(w, i ? ",\n" : "\n");
        put_string(w, name[i], "");
    }
}

static void put_columns(struct writing *w, const struct doc_item *list)
{
    char name[DOC_COLUMN_NAME];
    for (unsigned c = 0; c < list->columns->count; c++) {
        const struct doc_column *column = &list->columns->row[c];
        const bool kind = list->kind == DOC_ITEM_KINDS;
        document_put_text(w, kind ? (c ? "," : "") : c ? ",\n[" : "\n[");
        put_string(w, doc_lower(column->name, name), kind ? "" : ",");
        if (kind)
            continue;
        put_string(w, column->unit, ",");
        put_string(w, column->sentence, "]");
    }
}

static void put_list(struct writing *w, const struct doc_item *list)
{
    static void (*const put[])(struct writing *, const struct doc_item *) = {
        [DOC_ITEM_COLUMNS] = put_columns, [DOC_ITEM_KINDS] = put_columns,
        [DOC_ITEM_NAMES] = put_names,     [DOC_ITEM_SETS] = put_sets,
        [DOC_ITEM_ROWS] = put_rows,
    };
    fprintf(w->out, ",\n\"%s\":[", list->name);
    put[list->kind](w, list);
    document_put_text(w, "]");
    document_flush(w);
}

void doc_document_write(const struct doc_document *d, const void *document, FILE *out)
{
    struct writing w = {.d = d, .document = document, .out = out};
    fprintf(out, "{\"schema\":%d", d->schema);
    for (const struct doc_item *p = d->item; p < d->item + d->items; p++) {
        if (p->kind == DOC_ITEM_NUMBER)
            fprintf(out, "%s\"%s\":%" PRIu64, d->gap, p->name, number_at(document, p));
        else if (p->kind != DOC_ITEM_FIELD)
            put_list(&w, p);
    }
    fputs("}\n", out);
}

/* ---- read ------------------------------------------------------------------------------------ */

struct reading {
    struct doc_claims claims;
    const struct doc_document *d;
    void *document;
    const size_t *others;
    uint8_t column[DOC_COLUMNS_MOST], kind[DOC_COLUMNS_MOST]; /* by its number in the file: ours */
};

/* A row that is being read. */
struct place {
    const struct doc_item *list, *field;
    size_t i, fields;
    void *row;
};

static size_t length_of(const struct reading *r, const char *list)
{
    for (size_t i = 0; i < r->d->items; i++) {
        const struct doc_item *p = &r->d->item[i];
        if (p->kind != DOC_ITEM_FIELD && !strcmp(p->name, list))
            return p->columns ? p->columns->count : *count_of(r->document, p);
    }
    for (size_t i = 0; r->d->other && r->d->other[i]; i++)
        if (!strcmp(r->d->other[i], list))
            return r->others[i];
    return 0;
}

/* What a number has to be below. */
static uint64_t bound_of(const struct reading *r, const struct doc_item *f, size_t i)
{
    const uint64_t none = f->size == 4 ? UINT32_MAX : (uint64_t)INT64_MAX + 1;
    if (f->type == DOC_TYPE_parent)
        return i + 1;
    if (f->of)
        return length_of(r, f->of);
    if (f->to)
        return f->to + 1;
    return f->size == 4 && f->type == DOC_TYPE_count ? none + 1 : none;
}

static bool take_number(const struct doc_item *f, const json_t *value, uint64_t bound,
                        uint64_t *out)
{
    const bool whole = json_is_integer(value), null = json_is_null(value);
    const uint64_t n = *out = null ? none_of(f) : (uint64_t)json_integer_value(value);
    switch (f->type) {
    case DOC_TYPE_number:
        return whole;
    case DOC_TYPE_end:
        return whole && (f[-1].type != DOC_TYPE_count || n < bound);
    case DOC_TYPE_address:
        return null || (whole && n != UINT64_MAX);
    case DOC_TYPE_count_or_null:
    case DOC_TYPE_index_or_null:
        return null || (whole && n < bound);
    default:
        return whole && n < bound && n >= f->from;
    }
}

static bool document_read_number(const struct reading *r, const struct doc_item *p,
                                 const json_t *root)
{
    uint64_t n;
    const bool good = take_number(p, json_object_get(root, p->name), bound_of(r, p, 0), &n);
    number_set(r->document, p, n);
    return good || doc_refuse(&r->claims, "%s: not a number that it may be", p->name);
}

/* ---- lists of names ---- */

static int find_column(const struct doc_columns *columns, const char *wanted)
{
    char name[DOC_COLUMN_NAME];
    for (unsigned c = 0; c < columns->count; c++)
        if (!strcmp(wanted, doc_lower(columns->row[c].name, name)))
            return (int)c;
    return -1;
}

static bool read_columns(struct reading *r, const struct doc_item *p, const json_t *list)
{
    const bool kinds = p->kind == DOC_ITEM_KINDS;
    char lower[DOC_COLUMN_NAME];
    uint64_t seen = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *name = json_string_value(kinds ? item : json_array_get(item, 0));
        const int column = name ? find_column(p->columns, name) : -1;
        if (!name)
            return doc_refuse(&r->claims, "%s[%zu]: not %s", p->name, i,
                              kinds ? "a name" : "[name, unit, sentence]");
        if (column < 0)
            return doc_refuse(&r->claims, "%s[%zu]: no '%.60s' is known" DOC_OTHER_VERSION, p->name,
                              i, name);
        if (seen >> column & 1)
            return doc_refuse(&r->claims, "%s[%zu]: '%s' for the second time", p->name, i, name);
        seen |= UINT64_C(1) << column;
        (kinds ? r->kind : r->column)[i] = (uint8_t)column;
    }
    unsigned missing = 0;
    while (missing < p->columns->count && seen >> missing & 1)
        missing++;
    return missing == p->columns->count ||
           doc_refuse(&r->claims, "%s: no '%s' is there" DOC_OTHER_VERSION, p->name,
                      doc_lower(p->columns->row[missing].name, lower));
}

/* A word: no longer than it may be, and nothing in it that is not printed. */
static bool is_word(const char *name, size_t longest)
{
    bool good = *name && strlen(name) <= longest;
    for (const char *c = name; good && *c; c++)
        good = (unsigned char)*c > ' ' && *c != 0x7f;
    return good;
}

static bool read_names(struct reading *r, const struct doc_item *p, const json_t *list)
{
    char **names = (char **)rows_of(r->document, p);
    json_t *seen = json_object();
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(list); i++) {
        json_t *value = json_array_get(list, i);
        const char *name = json_string_value(value);
        if (!name || (p->to && !is_word(name, p->to)))
            good = doc_refuse(&r->claims, "%s[%zu]: not a name", p->name, i);
        else if (p->order == DOC_UNIQUE && json_object_get(seen, name))
            good = doc_refuse(&r->claims, "%s[%zu]: '%.60s' for the second time", p->name, i, name);
        else
            names[(*count_of(r->document, p))++] = sim_strdup(name);
        if (good)
            json_object_set(seen, name, value);
    }
    json_decref(seen);
    return good;
}

static bool read_set(const struct reading *r, const struct doc_item *p, size_t i,
                     const json_t *list)
{
    const size_t bound = length_of(r, p->of), count = json_array_size(list);
    if (!json_is_array(list) || count > bound)
        return doc_refuse(&r->claims, "%s[%zu]: not an array of %s", p->name, i, p->of);
    uint32_t *set = sim_alloc(count + 1, sizeof *set);
    ((uint32_t **)rows_of(r->document, p))[(*count_of(r->document, p))++] = set;
    set[0] = (uint32_t)count;
    for (size_t k = 1; k <= count; k++) {
        const json_t *value = json_array_get(list, k - 1);
        if (!json_is_integer(value) || (uint64_t)json_integer_value(value) >= bound)
            return doc_refuse(&r->claims, "%s[%zu][%zu]: not the number of one of the %s", p->name,
                              i, k - 1, p->of);
        set[k] = (uint32_t)json_integer_value(value);
        if (k > 1 && set[k] <= set[k - 1])
            return doc_refuse(&r->claims, "%s[%zu][%zu]: %s do not ascend", p->name, i, k - 1,
                              p->of);
    }
    return true;
}

static bool read_sets(struct reading *r, const struct doc_item *p, const json_t *list)
{
    bool good = true;
    for (size_t i = 0; good && i < json_array_size(list); i++)
        good = read_set(r, p, i, json_array_get(list, i));
    return good;
}

/* ---- rows ---- */

/* "a, b, c": names of a list's fields, or of its keys. @return the caller's */
static char *document_names_of(const struct place *at, bool keys)
{
    char *names;
    size_t size;
    const char *comma = "";
    FILE *out = sim_text_open(&names, &size);
    for (size_t k = 0; k < at->fields; k++)
        if (at->field[k].key || !keys) {
            fprintf(out, "%s%s", comma,
                    is_values(&at->field[k]) ? "column, value, ..." : at->field[k].name);
            comma = ", ";
        }
    sim_text_close(out, &names);
    return names;
}

static bool refuse_row(const struct reading *r, const struct place *at, bool keys,
                       const char *sentence, const char *end)
{
    char *names = document_names_of(at, keys);
    doc_refuse(&r->claims, "%s[%zu]: %s%s%s", at->list->name, at->i, sentence, names, end);
    free(names);
    return false;
}

/* @param from  where in the JSON they begin */
static bool read_values(const struct reading *r, const struct place *at, const struct doc_item *f,
                        const json_t *list, size_t from)
{
    const bool columns = is_values(f);
    const uint64_t bound = f->to ? f->to + 1 : (uint64_t)INT64_MAX + 1,
                   count = columns ? document_columns_of(r->d)->count : f->size / sizeof(int64_t);
    int64_t *value = values_at(at->row, f), last = -1;
    for (size_t k = from; k < json_array_size(list); k += 2) {
        const json_t *number = json_array_get(list, k), *is = json_array_get(list, k + 1);
        const int64_t n = json_integer_value(number), v = json_integer_value(is);
        const char *wrong = NULL;
        if (!json_is_integer(number) || (uint64_t)n >= count)
            wrong = columns ? "not the number of a column" : "not a number that it may be";
        else if (n <= last)
            wrong = "they do not ascend";
        else if (!json_is_integer(is) || !v || (f->type != DOC_TYPE_values && (uint64_t)v >= bound))
            wrong = "its value is not what it can be";
        if (wrong)
            return doc_refuse(&r->claims, "%s[%zu].%s[%zu]: %s", at->list->name, at->i, f->name,
                              k - from, wrong);
        value[columns ? r->column[n] : n] = v;
        last = n;
    }
    return true;
}

static bool refuse_field(const struct reading *r, const struct place *at, const struct doc_item *f)
{
    return doc_refuse(&r->claims, "%s[%zu].%s: %s%s", at->list->name, at->i, f->name,
                      f->type == DOC_TYPE_address  ? "no address"
                      : f->type == DOC_TYPE_parent ? "neither its own number nor one before it"
                      : f->of                      ? "not the number of one of the "
                                                   : "not a number that it may be",
                      f->of && f->type != DOC_TYPE_parent ? f->of : "");
}

static bool read_field(const struct reading *r, const struct place *at, size_t k, uint64_t bound,
                       const json_t *row)
{
    const struct doc_item *f = &at->field[k];
    const json_t *value = json_array_get(row, k);
    uint64_t n;
    if (is_values(f))
        return read_values(r, at, f, row, k);
    if (f->type == DOC_TYPE_times)
        return (json_is_array(value) && json_array_size(value) % 2 == 0)
                   ? read_values(r, at, f, value, 0)
                   : doc_refuse(&r->claims, "%s[%zu].%s: not [number, count, ...]", at->list->name,
                                at->i, f->name);
    if (!take_number(f, value, f->type == DOC_TYPE_parent ? at->i + 1 : bound, &n))
        return refuse_field(r, at, f);
    if (f->type == DOC_TYPE_end && n < number_at(at->row, f - 1))
        return doc_refuse(&r->claims, "%s[%zu].%s: in front of %s", at->list->name, at->i, f->name,
                          f[-1].name);
    number_set(at->row, f, f->type == DOC_TYPE_kind ? r->kind[n] : n);
    return true;
}

/* Whether the row stands where it may behind the one in front of it. */
static bool is_behind(const struct place *at)
{
    const void *before = (const char *)at->row - at->list->each;
    for (size_t k = 0; k < at->fields; k++) {
        const struct doc_item *f = &at->field[k];
        const uint64_t a = f->key ? number_at(before, f) : 0,
                       b = f->key ? number_at(at->row, f) : 0;
        if (a != b)
            return a < b;
    }
    return at->list->order != DOC_UNIQUE;
}

static bool document_read_row(const struct reading *r, const struct place *at,
                              const uint64_t *bound, const json_t *row)
{
    const size_t size = json_array_size(row);
    const bool values = at->fields && is_values(&at->field[at->fields - 1]);
    const size_t head = at->fields - values;
    bool good = true;
    if (!json_is_array(row) || size < head || (values ? (size - head) % 2 : size > head))
        return refuse_row(r, at, false, "not [", "]");
    for (size_t k = 0; good && k < at->fields; k++)
        good = read_field(r, at, k, bound[k], row);
    if (good && at->i && at->list->order != DOC_ANY && !is_behind(at))
        return refuse_row(r, at, true, "not behind the one in front of it by ", "");
    const char *wrong =
        good && at->list->check ? at->list->check(r->document, r->others, at->i) : NULL;
    return wrong ? doc_refuse(&r->claims, "%s[%zu]: %s", at->list->name, at->i, wrong) : good;
}

static bool document_read_rows(struct reading *r, const struct doc_item *list, const json_t *json)
{
    struct place at = {.list = list, .field = list + 1, .fields = fields_of(r->d, list)};
    const size_t count = json_array_size(json);
    const struct doc_item *last = &at.field[at.fields - 1];
    uint64_t *bound = sim_alloc(at.fields, sizeof *bound);
    int64_t *block = NULL;
    bool good = true;
    for (size_t k = 0; k < at.fields; k++)
        bound[k] = bound_of(r, &at.field[k], 0);
    if (last->block) {
        block = sim_alloc(count * document_columns_of(r->d)->count + 1, sizeof *block);
        *(int64_t **)document_member(r->document, last->block) = block;
    }
    *count_of(r->document, list) = count;
    for (; good && at.i < count; at.i++) {
        at.row = rows_of(r->document, list) + at.i * list->each;
        if (block)
            *(int64_t **)document_member(at.row, last->at) =
                block + at.i * document_columns_of(r->d)->count;
        good = document_read_row(r, &at, bound, json_array_get(json, at.i));
    }
    free(bound);
    return good;
}

/* ---- the file ---- */

static bool read_list(struct reading *r, const struct doc_item *p, const json_t *root)
{
    static bool (*const read[])(struct reading *, const struct doc_item *, const json_t *) = {
        [DOC_ITEM_COLUMNS] = read_columns,    [DOC_ITEM_KINDS] = read_columns,
        [DOC_ITEM_NAMES] = read_names,        [DOC_ITEM_SETS] = read_sets,
        [DOC_ITEM_ROWS] = document_read_rows,
    };
    const json_t *list = doc_claim_list(&r->claims, root, p->name);
    if (list && json_array_size(list) < p->from)
        return doc_refuse(&r->claims, "%s: fewer than %u", p->name, (unsigned)p->from);
    if (list && !p->columns)
        *(void **)document_member(r->document, p->at) =
            sim_alloc(json_array_size(list) + 1, p->each ? p->each : sizeof(void *));
    return list && read[p->kind](r, p, list);
}

static bool read_document(struct reading *r, const json_t *root)
{
    const struct doc_document *d = r->d;
    bool good = doc_claim_schema(&r->claims, root, d->schema);
    const char *wrong;
    size_t members = 1;
    for (size_t i = 0; good && i < d->items; i++) {
        members += d->item[i].kind != DOC_ITEM_FIELD;
        if (d->item[i].kind == DOC_ITEM_NUMBER)
            good = document_read_number(r, &d->item[i], root);
    }
    if (good && d->check && (wrong = d->check(r->document, r->others, 0)))
        good = doc_refuse(&r->claims, "%s", wrong);
    for (size_t i = 0; good && i < d->items; i++)
        if (d->item[i].kind != DOC_ITEM_NUMBER && d->item[i].kind != DOC_ITEM_FIELD)
            good = read_list(r, &d->item[i], root);
    return good && (json_object_size(root) == members ||
                    doc_refuse(&r->claims, "a member that it does not have"));
}

bool doc_document_read(const struct doc_document *d, const char *path, const size_t *others,
                       void *document, char *why, size_t size)
{
    struct reading r = {
        .claims = {path, why, size}, .d = d, .document = document, .others = others};
    memset(document, 0, d->bytes);
    json_t *root = doc_claim_file(&r.claims);
    const bool good = root && read_document(&r, root);
    json_decref(root);
    if (!good)
        doc_document_free(d, document);
    return good;
}
