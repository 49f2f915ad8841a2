#include "report/intact.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME = 60 /* bytes of a file's name that are shown */ };

/* [bytes] of an ordinary file; -1: it is none, see errno. */
static json_int_t length_of(const char *directory, const char *name)
{
    struct stat st;
    char *path = sim_format("%s/%s", directory, name);
    const bool there = !stat(path, &st), good = there && S_ISREG(st.st_mode);
    if (there && !good)
        errno = EINVAL;
    free(path);
    return good ? (json_int_t)st.st_size : -1;
}

json_t *rep_document(const char *directory, const char *name)
{
    if (length_of(directory, name) < 0)
        return NULL;
    char *path = sim_format("%s/%s", directory, name);
    json_t *root = json_load_file(path, 0, NULL);
    free(path);
    return root;
}

static bool is_as_listed(const char *directory, const char *name, json_int_t bytes, char *why,
                         size_t size)
{
    const json_int_t length = length_of(directory, name);
    if (length < 0)
        snprintf(why, size, "%.*s: %s", NAME, name, strerror(errno));
    else if (length != bytes)
        snprintf(why, size,
                 "%.*s: it is not as the run has left it: %" JSON_INTEGER_FORMAT
                 " bytes, not %" JSON_INTEGER_FORMAT,
                 NAME, name, length, bytes);
    return length == bytes;
}

bool rep_is_intact(const char *directory, const json_t *manifest, char *why, size_t size)
{
    const char *name;
    const json_t *bytes;
    json_object_foreach(json_object_get(manifest, "files"), name, bytes)
        if (!is_as_listed(directory, name, json_is_integer(bytes) ? json_integer_value(bytes) : -2,
                          why, size))
            return false;
    return true;
}

bool rep_is_whole(const char *directory, const json_t *manifest, char *why, size_t size)
{
    const char *status = json_string_value(json_object_get(manifest, "status"));
    char file[160];
    if (!status || strcmp(status, "complete") != 0)
        snprintf(why, size, "it did not come to its end");
    else if (!rep_is_intact(directory, manifest, file, sizeof file))
        snprintf(why, size, "it is damaged: %s", file);
    else
        return true;
    return false;
}
