#include "documents/intact.h"

#include "base/alloc.h"
#include "documents/claims.h"
#include "documents/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define MANIFEST "manifest.json"
#define OWN_HASH "hash"

enum {
    NAME = 60, /* bytes of a file's name that are shown */
    MANIFEST_FLAGS = JSON_INDENT(1) | JSON_REAL_PRECISION(9),
};

static const char *wrong_of(int error, const struct stat *st)
{
    return error ? strerror(error) : S_ISREG(st->st_mode) ? NULL : "not a regular file";
}

const char *doc_not_ordinary(const char *path, uint64_t *bytes)
{
    struct stat st;
    const char *wrong = wrong_of(stat(path, &st) ? errno : 0, &st);
    if (!wrong && bytes)
        *bytes = (uint64_t)st.st_size;
    return wrong;
}

FILE *doc_ordinary_open(const char *path, const char **wrong)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *wrong = wrong_of(fd < 0 || fstat(fd, &st) ? errno : 0, &st);
    FILE *in = *wrong ? NULL : fdopen(fd, "r");
    if (!in && !*wrong)
        *wrong = strerror(errno);
    if (!in && fd >= 0)
        close(fd);
    return in;
}

/* The same of a file in a directory. */
static const char *wrong_in(const char *directory, const char *name, uint64_t *bytes)
{
    char *path = sim_format("%s/%s", directory, name);
    const char *wrong = doc_not_ordinary(path, bytes);
    free(path);
    return wrong;
}

json_t *doc_document(const char *directory, const char *name)
{
    if (wrong_in(directory, name, NULL))
        return NULL;
    char *path = sim_format("%s/%s", directory, name);
    json_t *root = json_load_file(path, 0, NULL);
    free(path);
    return root;
}

json_t *doc_hash_json(uint64_t xxh64)
{
    return json_sprintf("xxh64:%016llx", (unsigned long long)xxh64);
}

/* @param hash  it should have; NULL: not known */
static bool has_hash(const char *directory, const char *name, const json_t *hash)
{
    char *path = sim_format("%s/%s", directory, name);
    const char *wrong;
    struct doc_content content;
    FILE *in = doc_ordinary_open(path, &wrong);
    json_t *found =
        in && doc_content_of(fileno(in), &content) ? doc_hash_json(content.xxh64) : NULL;
    const bool same = found && json_equal(found, hash);
    json_decref(found);
    if (in)
        fclose(in);
    free(path);
    return same;
}

static bool other_hash(const char *name, char *why, size_t size)
{
    snprintf(why, size, "%.*s: it is not as the run has left it: its hash is another", NAME, name);
    return false;
}

static bool is_as_listed(const char *directory, const char *name, json_int_t bytes, char *why,
                         size_t size)
{
    uint64_t there = 0;
    const char *wrong = wrong_in(directory, name, &there);
    const json_int_t length = (json_int_t)there;
    if (wrong)
        snprintf(why, size, "%.*s: %s", NAME, name, wrong);
    else if (length != bytes)
        snprintf(why, size,
                 "%.*s: it is not as the run has left it: %" JSON_INTEGER_FORMAT
                 " bytes, not %" JSON_INTEGER_FORMAT,
                 NAME, name, length, bytes);
    return !wrong && length == bytes;
}

/* ---- of a manifest itself ------------------------------------------------------------------- */

static json_t *hash_of_others(const json_t *manifest)
{
    json_t *others = json_deep_copy(manifest);
    json_object_del(others, OWN_HASH);
    char *text = json_dumps(others, MANIFEST_FLAGS);
    json_t *hash = doc_hash_json(text ? XXH64(text, strlen(text), 0) : 0);
    free(text);
    json_decref(others);
    return hash;
}

void doc_manifest_put(json_t *manifest, FILE *out)
{
    json_t *hash = hash_of_others(manifest);
    json_object_del(manifest, OWN_HASH); /* so that it comes last */
    json_object_set_new(manifest, OWN_HASH, hash);
    json_dumpf(manifest, out, MANIFEST_FLAGS);
    putc('\n', out);
}

bool doc_manifest_is_intact(const char *name, const json_t *manifest, char *why, size_t size)
{
    const json_t *own = json_object_get(manifest, OWN_HASH);
    json_t *hash = own ? hash_of_others(manifest) : NULL;
    const bool good = !own || json_equal(own, hash);
    json_decref(hash);
    return good || other_hash(name, why, size);
}

bool doc_is_intact(const char *directory, const char *name_of_manifest, const json_t *manifest,
                   char *why, size_t size)
{
    if (!doc_manifest_is_intact(name_of_manifest, manifest, why, size))
        return false;
    const json_t *hashes = json_object_get(manifest, "hashes"), *bytes;
    const char *name;
    json_object_foreach(json_object_get(manifest, "files"), name, bytes) {
        if (!is_as_listed(directory, name, json_is_integer(bytes) ? json_integer_value(bytes) : -2,
                          why, size))
            return false;
        if (hashes && !has_hash(directory, name, json_object_get(hashes, name)))
            return other_hash(name, why, size);
    }
    return true;
}

bool doc_run_is_intact(const char *directory, char *why, size_t size)
{
    char file[160], *path = sim_format("%s/%s", directory, MANIFEST);
    const struct doc_claims claims = {path, why, size};
    const bool there = !doc_not_ordinary(path, NULL);
    json_t *manifest = there ? doc_claim_file(&claims) : NULL;
    const bool good = doc_is_intact(directory, MANIFEST, manifest, file, sizeof file);
    if (!good)
        snprintf(why, size, "%s/%s", directory, file);
    json_decref(manifest);
    free(path);
    return good && (manifest || !there);
}

bool doc_is_whole(const char *directory, const json_t *manifest, char *why, size_t size)
{
    const char *status = json_string_value(json_object_get(manifest, "status"));
    const char *said =
        json_string_value(json_object_get(json_object_get(manifest, "end"), "message"));
    char file[160];
    if (!status || strcmp(status, "complete") != 0)
        snprintf(why, size, "it did not come to its end%s%.*s", said && *said ? ": " : "",
                 said ? (int)strcspn(said, "\n") : 0, said ? said : "");
    else if (!doc_is_intact(directory, MANIFEST, manifest, file, sizeof file))
        snprintf(why, size, "it is damaged: %s", file);
    else
        return true;
    return false;
}
