#include "documents/directory/digest.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/version.h"
#include "input/write.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

static const char *const part_name[] = {
#define PART(name, words) #name,
#include "documents/directory/digest_parts.def"
#undef PART
};

static const char *const part_words[] = {
#define PART(name, words) words,
#include "documents/directory/digest_parts.def"
#undef PART
};

/* Of a file's contents; what is no regular file may have no end, and counts as empty.
 * @param seed  of what came before */
static uint64_t of_file(const char *path, uint64_t seed)
{
    char block[65536];
    struct stat st;
    const int fd = path && !stat(path, &st) && S_ISREG(st.st_mode)
                       ? open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
                       : -1;
    XXH64_state_t *state = sim_hash_new(seed);
    for (ssize_t n; fd >= 0 && (n = read(fd, block, sizeof block)) > 0;)
        XXH64_update(state, block, (size_t)n);
    if (fd >= 0)
        close(fd);
    const uint64_t hash = XXH64_digest(state);
    XXH64_freeState(state);
    return hash;
}

/* Of the values, without where they come from, what people call them, and what has a part of its
 * own. */
static uint64_t of_settings(const struct in_experiment *x)
{
    struct in_experiment plain = *x;
    char *text = NULL;
    size_t size;
    plain.origins = NULL;
    plain.machine.origins = NULL;
    plain.name = plain.machine.name = "";
    plain.about = NULL;
    plain.show = NULL;
    plain.source = x->source ? "" : NULL;
    plain.program = x->program ? "" : NULL;
    plain.stdin_path = NULL;
    plain.files = NULL; /* below, as they were given: they may lie elsewhere on another host */
    plain.group_count = 0;
    plain.expects = 0;
    plain.expect_status = 0;
    FILE *out = sim_text_open(&text, &size);
    in_experiment_write_resolved(out, &plain, "");
    sim_text_close(out, &text);
    uint64_t hash = XXH64(text, size, 0);
    for (char *const *grant = x->files; grant && *grant; grant++)
        hash = XXH64(*grant, strlen(*grant) + 1, hash);
    free(text);
    return hash;
}

static uint64_t of_expectations(const struct in_experiment *x)
{
    char *text = NULL;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    fprintf(out, "%u", (unsigned)x->expect_status);
    for (size_t i = 0; i < x->expects; i++) {
        if (x->expect[i].point[0]) /* of a sweep, which is judged anew each time */
            continue;
        putc('\n', out);
        in_expect_subject(&x->expect[i], out);
        in_expect_bounds(&x->expect[i], out);
    }
    sim_text_close(out, &text);
    const uint64_t hash = XXH64(text, size, 0);
    free(text);
    return hash;
}

static uint64_t of_version(const char *git)
{
    char *version = sim_format("%s %s", SIM_VERSION, git);
    const uint64_t hash = XXH64(version, strlen(version) + 1, 0);
    free(version);
    return hash;
}

struct doc_digest doc_digest(const struct in_experiment *x, const char *git)
{
    struct doc_digest digest = {{
        [DOC_DIGEST_simulator] = of_version(git),
        [DOC_DIGEST_settings] = of_settings(x),
        [DOC_DIGEST_expectations] = of_expectations(x),
        [DOC_DIGEST_program] = of_file(x->program, 0),
        [DOC_DIGEST_source] = of_file(x->source, 0),
        [DOC_DIGEST_input] = of_file(x->stdin_path, 0),
    }};
    for (unsigned i = 0; i < x->group_count; i++)
        digest.part[DOC_DIGEST_groups] = of_file(x->group[i].path, digest.part[DOC_DIGEST_groups]);
    return digest;
}

char *doc_digest_text(const struct doc_digest *digest)
{
    return sim_format("xxh64:%016llx",
                      (unsigned long long)XXH64(digest->part, sizeof digest->part, 0));
}

static char *part_text(uint64_t hash)
{
    return sim_format("xxh64:%016llx", (unsigned long long)hash);
}

json_t *doc_digest_json(const struct doc_digest *digest)
{
    json_t *parts = json_object();
    for (int i = 0; i < DOC_DIGEST_PARTS; i++) {
        char *text = part_text(digest->part[i]);
        json_object_set_new(parts, part_name[i], json_string(text));
        free(text);
    }
    return parts;
}

bool doc_digest_differs(const struct doc_digest *digest, const json_t *parts,
                        enum doc_digest_part part)
{
    const char *was = json_string_value(json_object_get(parts, part_name[part]));
    char *is = part_text(digest->part[part]);
    const bool same = was && !strcmp(was, is);
    free(is);
    return !same;
}

const char *doc_digest_difference(const struct doc_digest *digest, const json_t *parts)
{
    for (int i = 0; i < DOC_DIGEST_PARTS; i++)
        if (doc_digest_differs(digest, parts, i))
            return part_words[i];
    return NULL;
}
