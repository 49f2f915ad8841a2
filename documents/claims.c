#include "documents/claims.h"

#include "base/alloc.h"
#include "documents/intact.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MAX = 1024 * 1024 /**< [KB] of a file */ };

bool doc_refuse(const struct doc_claims *claims, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    char *what = sim_vformat(format, ap);
    va_end(ap);
    for (char *c = what; *c; c++)
        if ((unsigned char)*c < ' ')
            *c = '?'; /* names and the parser's sentences quote the file */
    snprintf(claims->why, claims->size, "%s: %s", claims->file, what);
    free(what);
    return false;
}

static bool check_file(const struct doc_claims *claims)
{
    uint64_t bytes = 0;
    const char *wrong = doc_not_ordinary(claims->file, &bytes);
    if (wrong)
        return doc_refuse(claims, "%s", wrong);
    return bytes / 1024 < BYTES_MAX || doc_refuse(claims, "longer than 1 GB");
}

json_t *doc_claim_file(const struct doc_claims *claims)
{
    json_error_t error;
    if (!check_file(claims))
        return NULL;
    json_t *root = json_load_file(claims->file, JSON_REJECT_DUPLICATES, &error);
    if (!root)
        doc_refuse(claims, "line %d: %s", error.line, error.text);
    return root;
}

bool doc_claim_schema(const struct doc_claims *claims, const json_t *root, int schema)
{
    const json_t *claimed = json_object_get(root, "schema");
    if (!json_is_object(root))
        return doc_refuse(claims, "not an object");
    if (!json_is_integer(claimed))
        return doc_refuse(claims, "schema: not a number");
    return json_integer_value(claimed) == schema ||
           doc_refuse(claims,
                      "schema %" JSON_INTEGER_FORMAT ": only %d can be read" DOC_OTHER_VERSION,
                      json_integer_value(claimed), schema);
}

const json_t *doc_claim_list(const struct doc_claims *claims, const json_t *root, const char *name)
{
    const json_t *list = json_object_get(root, name);
    if (!json_is_array(list))
        doc_refuse(claims, "%s: %s", name, list ? "not an array" : "missing");
    else if (json_array_size(list) >= UINT32_MAX)
        doc_refuse(claims, "%s: too many", name);
    else
        return list;
    return NULL;
}
