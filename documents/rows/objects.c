#include "documents/rows/objects.h"

#include "documents/items.h"
#include "documents/schemas.h"

/** A part of a block is of a site that there is; of a stack, of the one behind them. */
static const char *objects_check_part(void *document, const size_t *others, size_t i)
{
    const struct doc_objects *o = document;
    (void)others;
    return o->part[i].site <= o->sites ? NULL : "no such site";
}

#define DOCUMENT struct doc_objects
static const struct doc_item object_items[] = {
#include "documents/rows/objects.def"
};
static const char *const objects_other_lists[] = {"paths of the profile", NULL};

const struct doc_document doc_objects_document = {
    .name = "objects",
    .sentence = "what lay where: blocks of the heap, stacks and thread-local variables",
    .schema = DOC_SCHEMA_objects,
    .item = object_items,
    .items = sizeof object_items / sizeof *object_items,
    .bytes = sizeof(DOCUMENT),
    .other = objects_other_lists,
};
#undef DOCUMENT

uint64_t doc_thread_local(const struct doc_thread *t)
{
    enum { DESCRIPTOR = 8192 /* [bytes] at most */ };
    return t->stack_to && t->tls - t->stack_to < DESCRIPTOR ? t->stack_to : t->tls;
}

void doc_objects_free(struct doc_objects *objects)
{
    doc_document_free(&doc_objects_document, objects);
}

void doc_objects_write(const struct doc_objects *objects, FILE *out)
{
    doc_document_write(&doc_objects_document, objects, out);
}

bool doc_objects_read(const char *path, size_t paths, struct doc_objects *objects, char *why,
                      size_t size)
{
    return doc_document_read(&doc_objects_document, path, &paths, objects, why, size);
}
