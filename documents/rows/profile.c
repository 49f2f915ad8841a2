#include "documents/rows/profile.h"

#include "documents/items.h"
#include "documents/schemas.h"

static const struct doc_column profile_columns[] = {
#define COLUMN(name, unit, sentence) {#name, unit, sentence, false},
#include "procard/profile.def"
#undef COLUMN
};
const struct doc_columns doc_columns = {profile_columns, PC_PROFILE__COUNT};

#define DOCUMENT struct doc_profile
static const struct doc_item profile_items[] = {
#include "documents/rows/profile.def"
};

const struct doc_document doc_profile_document = {
    .name = "profile",
    .sentence = "where the program spent its time",
    .schema = DOC_SCHEMA_profile,
    .item = profile_items,
    .items = sizeof profile_items / sizeof *profile_items,
    .bytes = sizeof(DOCUMENT),
};
#undef DOCUMENT

const char *doc_column_name(unsigned column, char buf[DOC_COLUMN_NAME])
{
    return doc_lower(profile_columns[column].name, buf);
}

bool doc_phase_has(const struct doc_profile *profile, size_t phase, size_t region)
{
    const uint32_t *open = profile->phase[phase];
    for (uint32_t i = 1; i <= open[0]; i++)
        if (open[i] == region)
            return true;
    return false;
}

void doc_profile_free(struct doc_profile *profile)
{
    doc_document_free(&doc_profile_document, profile);
}

void doc_profile_write(const struct doc_profile *profile, FILE *out)
{
    doc_document_write(&doc_profile_document, profile, out);
}

bool doc_profile_read(const char *path, struct doc_profile *profile, char *why, size_t size)
{
    return doc_document_read(&doc_profile_document, path, NULL, profile, why, size);
}
