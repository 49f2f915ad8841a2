#include "documents/numbers.h"

#include "procard/profile.h"

#include <jansson.h>
#include <string.h>

static void part(struct doc_numbers *list)
{
    list->text[list->length] = list->length ? ',' : '[';
    list->length++;
}

void doc_numbers_add(struct doc_numbers *list, int64_t n)
{
    char digit[20];
    unsigned digits = 0;
    uint64_t left = n < 0 ? -(uint64_t)n : (uint64_t)n;
    part(list);
    if (n >= 0 && n < 10) { /* most are */
        list->text[list->length++] = (char)('0' + n);
        return;
    }
    do
        digit[digits++] = (char)('0' + left % 10);
    while (left /= 10);
    if (n < 0)
        list->text[list->length++] = '-';
    while (digits)
        list->text[list->length++] = digit[--digits];
}

void doc_numbers_or_null(struct doc_numbers *list, uint64_t n, uint64_t none)
{
    static const char null[] = "null";
    if (n != none) {
        doc_numbers_add(list, (int64_t)n);
        return;
    }
    part(list);
    memcpy(list->text + list->length, null, sizeof null - 1);
    list->length += sizeof null - 1;
}

void doc_numbers_address(struct doc_numbers *list, uint64_t va)
{
    doc_numbers_or_null(list, va, PC_PROFILE_NOWHERE);
}

void doc_numbers_values(struct doc_numbers *list, const int64_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (values[i]) {
            doc_numbers_add(list, i);
            doc_numbers_add(list, values[i]);
        }
}

void doc_numbers_put(const struct doc_numbers *list, FILE *out)
{
    if (!list->length)
        putc('[', out);
    fwrite(list->text, 1, list->length, out);
    putc(']', out);
}

const char *doc_gap(size_t i)
{
    return i ? ",\n" : "\n";
}

void doc_put_text(FILE *out, const char *text)
{
    json_t *value = json_string(text);
    json_dumpf(value, out, JSON_ENCODE_ANY);
    json_decref(value);
}
