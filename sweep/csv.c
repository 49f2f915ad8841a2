#include "sweep/csv.h"

#include "base/alloc.h"

#include <stdint.h>
#include <string.h>

static size_t put(struct swp_csv *csv, size_t n, int c)
{
    if (n == csv->room) {
        csv->room = csv->room ? 2 * csv->room : 256;
        csv->text = sim_grow(csv->text, csv->room, 1);
    }
    csv->text[n] = (char)c;
    return n + 1;
}

/** Where the fields begin; only now does their text stay where it is. */
static void find_fields(struct swp_csv *csv)
{
    const char *p = csv->text;
    if (csv->fields > csv->fields_room) {
        csv->fields_room = csv->fields;
        csv->field = sim_grow(csv->field, csv->fields, sizeof *csv->field);
    }
    for (size_t i = 0; i < csv->fields; i++, p += strlen(p) + 1)
        csv->field[i] = csv->text + (p - csv->text);
}

bool swp_csv_next(struct swp_csv *csv)
{
    size_t n = 0;
    bool quoted = false;
    int c = getc(csv->in);
    csv->fields = 0;
    if (c == EOF)
        return false;
    for (;; c = getc(csv->in)) {
        if (c == EOF || (!quoted && c == '\n'))
            break;
        if (c == '"') {
            const int next = quoted ? getc(csv->in) : 0;
            if (next == '"')
                n = put(csv, n, '"');
            else if (quoted)
                ungetc(next, csv->in);
            quoted = quoted == (next == '"');
        } else if (!quoted && c == ',') {
            n = put(csv, n, '\0');
            csv->fields++;
        } else if (quoted || c != '\r') {
            n = put(csv, n, c);
        }
    }
    put(csv, n, '\0');
    csv->fields++;
    find_fields(csv);
    return true;
}

size_t swp_csv_column(const struct swp_csv *csv, const char *name)
{
    for (size_t i = 0; i < csv->fields; i++)
        if (!strcmp(csv->field[i], name))
            return i;
    return SIZE_MAX;
}

const char *swp_csv_field(const struct swp_csv *csv, size_t column)
{
    return column < csv->fields ? csv->field[column] : "";
}

void swp_csv_free(struct swp_csv *csv)
{
    if (csv->in)
        fclose(csv->in);
    free(csv->text);
    free(csv->field);
}
