#include "page/fill.h"

#include "base/alloc.h"

#include <string.h>

#define OPENS  "<!-- slot "
#define CLOSES " -->"

static const struct page_slot *fill_find(const struct page_slot *slots, unsigned count,
                                         const char *name, size_t length)
{
    for (unsigned i = 0; i < count; i++)
        if (strlen(slots[i].name) == length && !memcmp(slots[i].name, name, length))
            return &slots[i];
    return NULL;
}

char *page_fill(const char *template, const struct page_slot *slots, unsigned count, FILE *out)
{
    const char *rest = template;
    for (const char *slot; (slot = strstr(rest, OPENS));) {
        const char *name = slot + strlen(OPENS), *end = strstr(name, CLOSES);
        const size_t length = end ? (size_t)(end - name) : strcspn(name, "\n");
        const struct page_slot *found = fill_find(slots, count, name, length);
        if (!end || !found)
            return sim_format("%.*s", (int)length, name);
        fwrite(rest, 1, (size_t)(slot - rest), out);
        fputs(found->text ? found->text : "", out);
        rest = end + strlen(CLOSES);
    }
    fputs(rest, out);
    return NULL;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return NULL;
    }
}

void page_escape(const char *text, FILE *out)
{
    for (; *text; text++)
        if (entity(*text))
            fputs(entity(*text), out);
        else
            putc(*text, out);
}

/* In JSON, '<' stands in strings only, where it may be written as its number. */
void page_embed(const char *json, FILE *out)
{
    for (; *json; json++)
        if (*json == '<')
            fputs("\\u003c", out);
        else
            putc(*json, out);
}
