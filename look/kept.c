#include "look/kept.h"

#include "base/alloc.h"
#include "documents/intact.h"

typedef bool read_fn(struct look_kept *kept, const char *path, char *why, size_t size);

static bool read_profile(struct look_kept *k, const char *path, char *why, size_t size)
{
    return doc_profile_read(path, &k->profile, why, size);
}

static bool read_objects(struct look_kept *k, const char *path, char *why, size_t size)
{
    return doc_objects_read(path, k->profile.paths, &k->objects, why, size);
}

static bool read_truth(struct look_kept *k, const char *path, char *why, size_t size)
{
    return doc_truth_read(path, &k->profile, k->objects.sites, &k->truth, why, size);
}

static bool read_locks(struct look_kept *k, const char *path, char *why, size_t size)
{
    return doc_locks_read(path, &k->locks, why, size);
}

/* In the order in which one needs the other. */
static const struct part {
    const char *file;
    unsigned bit; /* of enum look_kept_parts; 0: always */
    read_fn *read;
} parts[] = {
    {DOC_PROFILE, 0, read_profile},
    {DOC_OBJECTS, LOOK_KEPT_OBJECTS, read_objects},
    {DOC_TRUTH, LOOK_KEPT_TRUTH & ~LOOK_KEPT_OBJECTS, read_truth},
    {DOC_LOCKS, LOOK_KEPT_LOCKS, read_locks},
};

static bool read_part(struct look_kept *k, const struct part *part, char *why, size_t size)
{
    char *path = sim_format("%s/%s", k->directory, part->file);
    const bool good = part->read(k, path, why, size);
    free(path);
    return good;
}

bool look_kept_open(struct look_kept *k, const char *directory, unsigned wanted, char *why,
                    size_t size)
{
    bool good = doc_run_is_intact(directory, why, size);
    k->directory = directory;
    for (size_t i = 0; good && i < sizeof parts / sizeof *parts; i++)
        good = (parts[i].bit & ~wanted) || read_part(k, &parts[i], why, size);
    return good && look_code_open(&k->code, directory, &k->files, why, size);
}

void look_kept_close(struct look_kept *k)
{
    look_code_close(&k->code);
    doc_locks_free(&k->locks);
    doc_truth_free(&k->truth);
    doc_objects_free(&k->objects);
    doc_profile_free(&k->profile);
}
