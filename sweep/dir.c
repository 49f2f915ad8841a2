#include "sweep/dir.h"

#include "base/alloc.h"
#include "base/owner.h"
#include "documents/intact.h"
#include "documents/schemas.h"
#include "sweep/index.h"
#include "sweep/result.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PART ".part"

enum { LOCK_TRIES = 300, LOCK_PAUSE = 10 /**< [ms] */ };

static bool dir_fail(char *why, size_t size, const char *what, const char *path)
{
    snprintf(why, size, "%s '%s': %s", what, path, sim_refusal_of(errno, path).text);
    return false;
}

char *swp_dir_name(const struct swp_dir *dir, const char *room, const char *id, const char *suffix)
{
    return sim_format("%s/%s%s%s%s", dir->place.path, room, *id ? "/" : "", id, suffix);
}

/* ---- what is there --------------------------------------------------------------------------- */

static bool dir_is_part(const char *name)
{
    const size_t n = strlen(name);
    return n > sizeof PART - 1 && !strcmp(name + n - (sizeof PART - 1), PART);
}

/* Whether there is a point of which `is` says yes. */
static bool any_point(const char *path, bool (*is)(const struct swp_sweep *sweep, const char *id),
                      const struct swp_sweep *sweep)
{
    char *points = sim_format("%s/points", path);
    DIR *d = opendir(points);
    bool any = false;
    for (const struct dirent *e; d && !any && (e = readdir(d));)
        any = *e->d_name != '.' && !dir_is_part(e->d_name) && is(sweep, e->d_name);
    if (d)
        closedir(d);
    free(points);
    return any;
}

static bool is_point(const struct swp_sweep *sweep, const char *id)
{
    (void)sweep;
    return *id;
}

static bool is_stranger(const struct swp_sweep *sweep, const char *id)
{
    return !swp_find(sweep, id);
}

static bool has_points(const char *path)
{
    return any_point(path, is_point, NULL);
}

/* ---- whose it is ----------------------------------------------------------------------------- */

static bool dir_is_there(const char *path, const char *name)
{
    char *whole = sim_format("%s/%s", path, name);
    const bool there = !access(whole, F_OK);
    free(whole);
    return there;
}

/* The processes of a sweep that was killed end a moment after it. */
static bool dir_lock(const struct swp_dir *dir)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE * 1000000};
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (!flock(dir->place.lock, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

enum doc_dir swp_dir_borrow(struct swp_dir *dir, const char *path, char *why, size_t size)
{
    *dir = (struct swp_dir){.place.lock = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    snprintf(dir->place.path, sizeof dir->place.path, "%s", path);
    if (dir->place.lock < 0) {
        dir_fail(why, size, "cannot open directory", path);
        return DOC_DIR_FAILED;
    }
    if (dir_lock(dir))
        return DOC_DIR_MADE;
    snprintf(why, size, "a sweep is running in '%s'", path);
    swp_dir_close(dir);
    return DOC_DIR_REFUSED;
}

bool swp_dir_is(const char *path)
{
    return dir_is_there(path, SWP_INDEX) || dir_is_there(path, SWP_INDEX DOC_UNFINISHED);
}

/* Whether a sweep would go on there: its index may be gone, and its points are there. */
static bool dir_goes_on(const char *path, bool resume)
{
    return swp_dir_is(path) || (resume && has_points(path));
}

bool swp_dir_free_to_begin(const char *path, doc_file_name_fn *names, bool resume, char *why,
                           size_t size)
{
    if (!dir_goes_on(path, resume))
        return doc_rundir_may(path, names, why, size);
    if (resume)
        return true;
    snprintf(why, size, "'%s' holds a sweep: --resume goes on with it", path);
    return false;
}

enum doc_dir swp_dir_make(struct swp_dir *dir, doc_file_name_fn *names, const char *path,
                          const char *name, bool resume, char *why, size_t size)
{
    const bool there = path && dir_goes_on(path, resume);
    *dir = (struct swp_dir){.place.lock = -1};
    if (there && !swp_dir_free_to_begin(path, names, resume, why, size))
        return DOC_DIR_REFUSED;
    return there ? swp_dir_borrow(dir, path, why, size)
                 : doc_rundir_make(&dir->place, names, path, name, false, why, size);
}

void swp_dir_close(struct swp_dir *dir)
{
    doc_rundir_close(&dir->place);
}

bool swp_dir_has(const struct swp_dir *dir, const char *id)
{
    char *manifest = sim_format("%s/points/%s/manifest.json", dir->place.path, id);
    const bool there = !access(manifest, F_OK);
    free(manifest);
    return there;
}

/* ---- what is removed ------------------------------------------------------------------------- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st;
    (void)kind;
    (void)where;
    return remove(path);
}

/* A directory and all that is in it, without following links. */
static bool remove_all(const char *path)
{
    enum { DESCRIPTORS = 8 };
    return !nftw(path, remove_one, DESCRIPTORS, FTW_DEPTH | FTW_PHYS) || errno == ENOENT;
}

bool swp_dir_remove(const char *path)
{
    return remove_all(path);
}

/* Whether a log is of a point that is there: a kill came between its name and the log's end. */
static bool is_of_finished(const struct swp_dir *dir, const char *log)
{
    const size_t n = strlen(log);
    char *id = sim_format("%.*s", n > 4 ? (int)(n - 4) : 0, log);
    const bool finished = *id && swp_dir_has(dir, id);
    free(id);
    return finished;
}

static void sweep_logs(const struct swp_dir *dir)
{
    char *logs = swp_dir_name(dir, "logs", "", "");
    DIR *d = opendir(logs);
    for (const struct dirent *e; d && (e = readdir(d));)
        if (is_of_finished(dir, e->d_name))
            unlinkat(dirfd(d), e->d_name, 0);
    if (d)
        closedir(d);
    free(logs);
}

bool swp_dir_sweep(const struct swp_dir *dir, char *why, size_t size)
{
    char *points = swp_dir_name(dir, "points", "", "");
    sweep_logs(dir);
    bool good = !mkdir(points, 0777) || errno == EEXIST;
    DIR *d = good ? opendir(points) : NULL;
    good = d || dir_fail(why, size, "cannot make directory", points);
    for (const struct dirent *e; d && good && (e = readdir(d));) {
        char *path = sim_format("%s/%s", points, e->d_name);
        if (dir_is_part(e->d_name))
            good = remove_all(path) || dir_fail(why, size, "cannot remove", path);
        free(path);
    }
    if (d)
        closedir(d);
    free(points);
    return good;
}

void swp_dir_tidy(const struct swp_dir *dir)
{
    char *failed = swp_dir_name(dir, "failed", "", ""), *logs = swp_dir_name(dir, "logs", "", "");
    rmdir(failed);
    rmdir(logs);
    free(failed);
    free(logs);
}

void swp_dir_drop(const struct swp_dir *dir, const char *id)
{
    char *part = swp_dir_name(dir, "points", id, PART),
         *log = swp_dir_name(dir, "logs", id, ".txt");
    remove_all(part);
    unlink(log);
    free(log);
    free(part);
}

/* ---- a point's results ----------------------------------------------------------------------- */

bool swp_run_read(const char *directory, struct swp_job *job, char *why, size_t size)
{
    json_t *root = doc_document(directory, "manifest.json");
    const json_t *host = json_object_get(root, "host"), *end = json_object_get(root, "end");
    const bool whole = doc_is_whole(directory, root, why, size);
    const char *other =
        whole ? doc_digest_difference(&job->inputs, json_object_get(root, "digest_of")) : NULL;
    if (other)
        snprintf(why, size, "%s", other);
    if (whole) {
        job->seconds = json_number_value(json_object_get(host, "seconds"));
        job->peak = (uint64_t)json_integer_value(json_object_get(host, "peak_memory_bytes"));
        job->exit_code = (int)json_integer_value(json_object_get(end, "exit_code"));
    }
    json_decref(root);
    return whole && !other;
}

static bool has_key(const json_t *parameters, const char *name)
{
    size_t i;
    json_t *parameter;
    json_array_foreach(parameters, i, parameter) {
        const char *other = json_string_value(parameter);
        if (other && !strcmp(other, name))
            return true;
    }
    return false;
}

/** Whether a sweep has just these parameters, in any order. */
static bool has_parameters(const struct swp_sweep *sweep, const json_t *parameters)
{
    bool same = json_array_size(parameters) == sweep->keys;
    for (size_t k = 0; k < sweep->keys && same; k++)
        same = has_key(parameters, sweep->key[k].key->path);
    return same;
}

/** How the sweep in a directory differs from this one; NULL: not at all. While nothing is finished
 *  its experiment may have changed, as after a mistake, but not be another. */
static const char *dir_difference(const struct swp_plan *plan, const json_t *root, const char *name,
                                  bool points)
{
    const json_t *base = json_object_get(root, "base");
    const char *other = json_string_value(json_object_get(root, "name"));
    if (!points)
        return other && name && strcmp(other, name) != 0 ? "its experiment has another name" : NULL;
    if (!has_parameters(plan->sweep, json_object_get(root, "parameters")))
        return "it has other parameters";
    return base ? doc_digest_difference(&plan->base, base) : NULL;
}

/** Without an index: whether its points are all among the sweep's, whose inputs have been looked
 * at.
 */
static bool dir_is_ours_anew(struct swp_plan *plan, const char *path, bool there, char *why,
                             size_t size)
{
    plan->anew = !any_point(path, is_stranger, plan->sweep);
    if (!plan->anew && !there)
        snprintf(why, size,
                 "'%s' has points that are not this sweep's, and no %s; sweep into "
                 "another directory",
                 path, SWP_INDEX);
    return plan->anew;
}

/** Whether what a directory holds is of this sweep, whatever values it had then. */
static bool dir_is_ours(struct swp_plan *plan, const char *path, const char *name, char *why,
                        size_t size)
{
    const bool there = dir_is_there(path, SWP_INDEX), points = has_points(path);
    json_t *root = there ? swp_index_read(path, SWP_INDEX, why, size) : NULL;
    if (!root && points)
        return dir_is_ours_anew(plan, path, there, why, size);
    const char *other = root ? dir_difference(plan, root, name, points) : NULL;
    if (other)
        snprintf(why, size, "'%s' holds %sanother sweep: %s; sweep into another directory", path,
                 points ? "points of " : "", other);
    json_decref(root);
    return !other && (root || !there);
}

bool swp_dir_look(struct swp_plan *plan, const char *path, const char *name, char *why, size_t size)
{
    char reason[160];
    for (size_t i = 0; i < plan->sweep->points; i++) {
        const char *id = plan->sweep->point[i].id;
        char *directory = sim_format("%s/points/%s", path, id);
        const bool there = !access(directory, F_OK);
        const bool good = there && swp_run_read(directory, &plan->job[i], reason, sizeof reason);
        if (good) {
            swp_plan_done(plan, i);
            plan->job[i].kept = true;
        } else if (there) {
            snprintf(why, size,
                     "'%s' cannot be kept: %s; remove it to run this point again, or sweep into "
                     "another directory",
                     directory, reason);
        }
        free(directory);
        if (there && !good)
            return false;
    }
    return dir_is_ours(plan, path, name, why, size);
}

bool swp_dir_keep(const struct swp_dir *dir, const char *id, char *why, size_t size)
{
    char *part = swp_dir_name(dir, "points", id, PART),
         *whole = swp_dir_name(dir, "points", id, ""), *log = swp_dir_name(dir, "logs", id, ".txt"),
         *before = swp_dir_name(dir, "failed", id, ""),
         *points = swp_dir_name(dir, "points", "", "");
    const bool good = !rename(part, whole) || dir_fail(why, size, "cannot make", whole);
    if (good) {
        doc_whole_sync(points);
        unlink(log);
        remove_all(before);
    }
    free(part);
    free(whole);
    free(log);
    free(before);
    free(points);
    return good;
}

void swp_dir_fail(const struct swp_dir *dir, const char *id)
{
    char *part = swp_dir_name(dir, "points", id, PART), *room = swp_dir_name(dir, "failed", "", ""),
         *aside = swp_dir_name(dir, "failed", id, "");
    if (!access(part, F_OK)) {
        mkdir(room, 0777);
        remove_all(aside);
        if (rename(part, aside))
            remove_all(part);
    }
    free(part);
    free(room);
    free(aside);
}

/* ---- the index ------------------------------------------------------------------------------- */

struct index_of {
    const struct swp_plan *plan;
    const char *name;
};

static json_t *values_of(const struct swp_sweep *sweep, const struct swp_point *point)
{
    json_t *values = json_object();
    for (size_t k = 0; k < sweep->keys; k++)
        json_object_set_new(values, sweep->key[k].key->path,
                            json_string(swp_text(sweep, point, k)));
    return values;
}

/** Those that are numbers, in the units their keys are stored in. */
static json_t *numbers_of(const struct swp_sweep *sweep, const struct swp_point *point)
{
    json_t *numbers = json_object();
    for (size_t k = 0; k < sweep->keys; k++) {
        const enum in_type type = sweep->key[k].key->form.type;
        const uint64_t number = sweep->key[k].value[point->value[k]].number;
        if (type < IN_ENUM && type != IN_BOOL)
            json_object_set_new(numbers, sweep->key[k].key->path, json_integer((json_int_t)number));
    }
    return numbers;
}

static json_t *job_json(const struct swp_sweep *sweep, const struct swp_point *point,
                        const struct swp_job *job)
{
    const bool done = job->state == SWP_DONE, ended = done || job->state == SWP_FAILED;
    return json_pack("{s:s,s:o,s:o,s:s?,s:s,s:o,s:o,s:o}", "id", point->id, "values",
                     values_of(sweep, point), "numbers", numbers_of(sweep, point), "digest",
                     job->digest, "state", swp_state_word[job->state], "exit_code",
                     ended ? json_integer(job->exit_code) : json_null(), "seconds",
                     done ? json_real(job->seconds) : json_null(), "peak_memory_bytes",
                     done ? json_integer((json_int_t)job->peak) : json_null());
}

static void dir_write_index(void *ctx, FILE *out)
{
    const struct index_of *of = ctx;
    const struct swp_sweep *sweep = of->plan->sweep;
    json_t *keys = json_array(), *points = json_array();
    for (size_t k = 0; k < sweep->keys; k++)
        json_array_append_new(keys, json_string(sweep->key[k].key->path));
    for (size_t i = 0; i < sweep->points; i++)
        json_array_append_new(points, job_json(sweep, &sweep->point[i], &of->plan->job[i]));
    json_t *root =
        json_pack("{s:i,s:s,s:o,s:o,s:o}", "schema", DOC_SCHEMA_sweep, "name", of->name, "base",
                  doc_digest_json(&of->plan->base), "parameters", keys, "points", points);
    doc_manifest_put(root, out);
    json_decref(root);
}

bool swp_dir_write(const struct swp_dir *dir, const struct swp_plan *plan, const char *name,
                   char *why, size_t size)
{
    struct index_of of = {plan, name};
    char *path = swp_dir_name(dir, SWP_INDEX, "", "");
    const bool good = doc_whole_write(path, false, dir_write_index, &of, NULL, why, size);
    free(path);
    return good;
}
