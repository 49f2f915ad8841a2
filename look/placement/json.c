/* Pages for programs: one document. */
#include "documents/cells.h"
#include "documents/schemas.h"
#include "look/placement/pages.h"

#include <jansson.h>

static json_t *objects(const struct look_pages *p)
{
    json_t *array = json_array();
    for (size_t i = 0; i < p->objects; i++) {
        const struct look_paged_object *o = &p->object[i];
        json_array_append_new(
            array, json_pack("{s:o,s:I,s:I,s:I,s:I,s:I}", "object", doc_json_text(o->name),
                             "requests", (json_int_t)o->requests, "local", (json_int_t)o->local,
                             "placed", (json_int_t)o->placed, "pcycles", (json_int_t)o->time,
                             "pages", (json_int_t)o->pages));
    }
    return array;
}

static json_t *stations(const struct look_pages *p, const struct look_page *page)
{
    json_t *array = json_array();
    for (size_t i = page->part; i < page->part + page->parts; i++) {
        const struct look_page_part *part = &p->part[i];
        json_array_append_new(
            array, json_pack("{s:I,s:I,s:I,s:I}", "station", (json_int_t)part->station, "home",
                             (json_int_t)part->home, "requests", (json_int_t)part->requests,
                             "pcycles", (json_int_t)part->time));
    }
    return array;
}

static json_t *pages(const struct look_pages *p)
{
    json_t *array = json_array();
    for (size_t i = 0; i < p->pages; i++) {
        const struct look_page *page = &p->page[i];
        json_array_append_new(
            array,
            json_pack("{s:I,s:I,s:I,s:s,s:I,s:I,s:I,s:o,s:o}", "page", (json_int_t)page->va, "home",
                      (json_int_t)page->home, "best", (json_int_t)page->best, "fate",
                      look_page_fate_name[page->fate], "requests", (json_int_t)page->requests,
                      "local", (json_int_t)page->local, "pcycles", (json_int_t)page->time, "object",
                      doc_json_text(p->object[page->object].name), "stations", stations(p, page)));
    }
    return array;
}

static json_t *ranges(const struct look_pages *p)
{
    json_t *array = json_array();
    for (size_t i = 0; i < p->ranges; i++)
        json_array_append_new(array, json_pack("[I,I,I]", (json_int_t)p->range[i].from,
                                               (json_int_t)p->range[i].to,
                                               (json_int_t)p->range[i].station));
    return array;
}

static json_t *json_change(const struct look_page_change *c)
{
    return json_pack("[I,I]", (json_int_t)c->card, (json_int_t)c->requests);
}

void look_pages_json(const struct look_pages *p, FILE *out)
{
    json_t *root = json_pack(
        "{s:i,s:I,s:I,s:I,s:I,s:I,s:o,s:o,s:o,s:{s:o,s:o}}", "schema", DOC_SCHEMA_placement,
        "page_bytes", (json_int_t)p->page_size, "requests", (json_int_t)p->requests, "local",
        (json_int_t)p->local, "placed", (json_int_t)p->placed, "pcycles", (json_int_t)p->time,
        "objects", objects(p), "pages", pages(p), "placement", ranges(p), "cards", "gains",
        json_change(&p->gains), "loses", json_change(&p->loses));
    doc_json_put(out, root, JSON_INDENT(1));
}
