#include "sweep/run.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* [bytes] of an ordinary file; -1: it is none. */
static json_int_t length_of(const char *directory, const char *name)
{
    struct stat st;
    char *path = sim_format("%s/%s", directory, name);
    const bool good = !stat(path, &st) && S_ISREG(st.st_mode);
    free(path);
    return good ? (json_int_t)st.st_size : -1;
}

json_t *swp_document(const char *directory, const char *name)
{
    if (length_of(directory, name) < 0)
        return NULL;
    char *path = sim_format("%s/%s", directory, name);
    json_t *root = json_load_file(path, 0, NULL);
    free(path);
    return root;
}

bool swp_is_whole(const char *directory, const json_t *manifest, char *why, size_t size)
{
    const char *status = json_string_value(json_object_get(manifest, "status")), *name;
    const json_t *bytes;
    if (!status || strcmp(status, "complete") != 0) {
        snprintf(why, size, "it did not come to its end");
        return false;
    }
    json_object_foreach(json_object_get(manifest, "files"), name, bytes)
        if (length_of(directory, name) != json_integer_value(bytes)) {
            snprintf(why, size, "it is damaged: its %.60s is not as it was written", name);
            return false;
        }
    return true;
}
