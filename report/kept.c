#include "report/kept.h"

#include "base/alloc.h"
#include "report/intact.h"

typedef bool read_fn(struct rep_kept *kept, const char *path, char *why, size_t size);

static bool read_profile(struct rep_kept *k, const char *path, char *why, size_t size)
{
    return rep_profile_read(path, &k->profile, why, size);
}

static bool read_objects(struct rep_kept *k, const char *path, char *why, size_t size)
{
    return rep_objects_read(path, k->profile.paths, &k->objects, why, size);
}

static bool read_truth(struct rep_kept *k, const char *path, char *why, size_t size)
{
    return rep_truth_read(path, &k->profile, k->objects.sites, &k->truth, why, size);
}

static bool read_locks(struct rep_kept *k, const char *path, char *why, size_t size)
{
    return rep_locks_read(path, &k->locks, why, size);
}

/* In the order in which one needs the other. */
static const struct part {
    const char *file;
    unsigned bit; /* of enum rep_kept_parts; 0: always */
    read_fn *read;
} parts[] = {
    {REP_PROFILE, 0, read_profile},
    {REP_OBJECTS, REP_KEPT_OBJECTS, read_objects},
    {REP_TRUTH, REP_KEPT_TRUTH & ~REP_KEPT_OBJECTS, read_truth},
    {REP_LOCKS, REP_KEPT_LOCKS, read_locks},
};

static bool read_part(struct rep_kept *k, const struct part *part, char *why, size_t size)
{
    char *path = sim_format("%s/%s", k->directory, part->file);
    const bool good = part->read(k, path, why, size);
    free(path);
    return good;
}

bool rep_kept_open(struct rep_kept *k, const char *directory, unsigned wanted, char *why,
                   size_t size)
{
    bool good = rep_run_is_intact(directory, why, size);
    k->directory = directory;
    for (size_t i = 0; good && i < sizeof parts / sizeof *parts; i++)
        good = (parts[i].bit & ~wanted) || read_part(k, &parts[i], why, size);
    return good && rep_code_open(&k->code, directory, why, size);
}

void rep_kept_close(struct rep_kept *k)
{
    rep_code_close(&k->code);
    rep_locks_free(&k->locks);
    rep_truth_free(&k->truth);
    rep_objects_free(&k->objects);
    rep_profile_free(&k->profile);
}
