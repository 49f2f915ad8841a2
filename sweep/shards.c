#include "sweep/shards.h"

#include "base/alloc.h"
#include "base/owner.h"
#include "documents/intact.h"
#include "sweep/index.h"
#include "sweep/result.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SHARDS "shards"

static bool shards_fail(char *why, size_t size, const char *what, const char *path)
{
    snprintf(why, size, "%s '%s': %s", what, path, sim_refusal_of(errno, path).text);
    return false;
}

static struct swp_dir dir_at(const char *path)
{
    struct swp_dir dir = {.place.lock = -1};
    snprintf(dir.place.path, sizeof dir.place.path, "%s", path);
    return dir;
}

static bool make_dir(const char *path, char *why, size_t size)
{
    return !mkdir(path, 0777) || errno == EEXIST ||
           shards_fail(why, size, "cannot make directory", path);
}

/* ---- names ----------------------------------------------------------------------------------- */

static int shards_is_name(const struct dirent *e)
{
    return e->d_name[0] != '.';
}

/* What is in a directory, in an order that does not depend on the host. To be freed by
 * free_names. @return how many; 0 too if there is no such directory */
static size_t names_in(const char *path, struct dirent ***names)
{
    *names = NULL;
    const int count = scandir(path, names, shards_is_name, alphasort);
    return count < 0 ? 0 : (size_t)count;
}

static void free_names(struct dirent **names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(names[i]);
    free((void *)names);
}

/* Calls `each` with the directories of all shards, until it says no. */
static bool for_shards(const char *path, bool (*each)(void *ctx, const char *shard), void *ctx)
{
    char *room = sim_format("%s/" SHARDS, path);
    struct dirent **names;
    const size_t count = names_in(room, &names);
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        char *shard = sim_format("%s/%s", room, names[i]->d_name);
        good = each(ctx, shard);
        free(shard);
    }
    free_names(names, count);
    free(room);
    return good;
}

bool swp_shards_are_there(const char *path)
{
    char *room = sim_format("%s/" SHARDS, path);
    const bool there = swp_dir_is(path) && !access(room, F_OK);
    free(room);
    return there;
}

/* ---- to the shards --------------------------------------------------------------------------- */

bool swp_shards_wait(const struct swp_plan *plan, unsigned shard, unsigned shards)
{
    for (size_t i = 0; i < plan->sweep->points; i++)
        if (plan->job[i].state != SWP_DONE && swp_shard(plan->sweep->point[i].id, shards) == shard)
            return true;
    return false;
}

static bool move_point(const struct swp_dir *from, const struct swp_dir *to, const char *id,
                       char *why, size_t size)
{
    char *old = swp_dir_name(from, "points", id, ""), *new = swp_dir_name(to, "points", id, "");
    const bool good = !rename(old, new) || shards_fail(why, size, "cannot make", new);
    free(old);
    free(new);
    return good;
}

/* The index comes first: a directory without one has no points. */
static bool deal_one(const struct swp_dir *dir, const struct swp_plan *plan, const char *name,
                     unsigned shard, unsigned shards, char *why, size_t size)
{
    char *path = sim_format("%s/" SHARDS "/%u", dir->place.path, shard + 1),
         *points = sim_format("%s/points", path);
    const struct swp_dir place = dir_at(path);
    bool good = make_dir(path, why, size) && make_dir(points, why, size) &&
                swp_dir_write(&place, plan, name, why, size);
    for (size_t i = 0; i < plan->sweep->points && good; i++) {
        const char *id = plan->sweep->point[i].id;
        if (plan->job[i].state == SWP_DONE && swp_shard(id, shards) == shard)
            good = move_point(dir, &place, id, why, size);
    }
    free(path);
    free(points);
    return good;
}

bool swp_shards_deal(const struct swp_dir *dir, const struct swp_plan *plan, const char *name,
                     unsigned shards, char *why, size_t size)
{
    char *room = swp_dir_name(dir, SHARDS, "", "");
    bool good = make_dir(room, why, size);
    for (unsigned i = 0; i < shards && good; i++)
        if (swp_shards_wait(plan, i, shards))
            good = deal_one(dir, plan, name, i, shards, why, size);
    free(room);
    return good;
}

/* ---- and back -------------------------------------------------------------------------------- */

struct gathering {
    const struct swp_dir *dir;
    enum doc_dir status;
    char *why;
    size_t size;
};

/* A point that is done: nothing is left of its failures. */
static void forget_failure(const struct swp_dir *dir, const char *id)
{
    char *log = swp_dir_name(dir, "logs", id, ".txt"), *aside = swp_dir_name(dir, "failed", id, "");
    unlink(log);
    swp_dir_remove(aside);
    free(log);
    free(aside);
}

static bool shards_is_part(const char *name)
{
    const char *end = strrchr(name, '.');
    return end && !strcmp(end, ".part");
}

/* Moves what is in a room of a shard. What has the same name in the whole is older: a failure gives
 * way to a failure, but a point that is done stays. */
static bool gather_room(struct gathering *g, const struct swp_dir *shard, const char *room)
{
    const bool done = !strcmp(room, "points");
    char *from = swp_dir_name(shard, room, "", ""), *to = swp_dir_name(g->dir, room, "", "");
    struct dirent **names;
    const size_t count = names_in(from, &names);
    bool good = !count || make_dir(to, g->why, g->size);
    for (size_t i = 0; i < count && good; i++) {
        const char *name = names[i]->d_name;
        char *old = swp_dir_name(shard, room, name, ""),
             *new = swp_dir_name(g->dir, room, name, "");
        if (!done)
            swp_dir_remove(new);
        if ((!done || !shards_is_part(name)) && access(new, F_OK))
            good = !rename(old, new) || shards_fail(g->why, g->size, "cannot make", new);
        if (done && good)
            forget_failure(g->dir, name);
        free(old);
        free(new);
    }
    if (count)
        doc_whole_sync(to);
    free_names(names, count);
    free(from);
    free(to);
    return good;
}

static void write_document(void *ctx, FILE *out)
{
    doc_manifest_put(ctx, out);
}

static const char *shards_text_of(const json_t *point, const char *name)
{
    const char *text = json_string_value(json_object_get(point, name));
    return text ? text : "";
}

static bool has_ended(const json_t *point)
{
    const char *state = shards_text_of(point, "state");
    return !strcmp(state, swp_state_word[SWP_DONE]) || !strcmp(state, swp_state_word[SWP_FAILED]);
}

/* The points that a shard knows the end of. */
static void shards_merge(json_t *whole, const json_t *part)
{
    json_t *points = json_object_get(whole, "points"), *other;
    size_t i;
    json_array_foreach(json_object_get(part, "points"), i, other)
        if (has_ended(other) &&
            !strcmp(shards_text_of(json_array_get(points, i), "id"), shards_text_of(other, "id")))
            json_array_set(points, i, other);
}

static bool gather_index(struct gathering *g, const char *shard)
{
    char *path = swp_dir_name(g->dir, SWP_INDEX, "", "");
    json_t *whole = swp_index_read(g->dir->place.path, SWP_INDEX, g->why, g->size);
    json_t *part = whole ? swp_index_read(shard, SWP_INDEX, g->why, g->size) : NULL;
    shards_merge(whole, part);
    const bool good =
        part && doc_whole_write(path, false, write_document, whole, NULL, g->why, g->size);
    json_decref(whole);
    json_decref(part);
    free(path);
    return good;
}

/* Of a deal that was killed. Nothing goes that somebody else has put there. */
static void remove_empty(const char *path)
{
    char *points = sim_format("%s/points", path);
    rmdir(points);
    rmdir(path);
    free(points);
}

static bool gather_one(void *ctx, const char *path)
{
    struct gathering *g = ctx;
    char *index = sim_format("%s/" SWP_INDEX, path);
    const bool begun = !access(index, F_OK);
    struct swp_dir shard;
    free(index);
    if (!begun) {
        remove_empty(path);
        return true;
    }
    g->status = swp_dir_borrow(&shard, path, g->why, g->size);
    if (g->status != DOC_DIR_MADE)
        return false;
    if (!gather_room(g, &shard, "points") || !gather_room(g, &shard, "failed") ||
        !gather_room(g, &shard, "logs") || !gather_index(g, path))
        g->status = DOC_DIR_FAILED;
    else
        swp_dir_remove(path);
    swp_dir_close(&shard);
    return g->status == DOC_DIR_MADE;
}

enum doc_dir swp_shards_gather(const struct swp_dir *dir, char *why, size_t size)
{
    struct gathering g = {.dir = dir, .status = DOC_DIR_MADE, .why = why, .size = size};
    if (for_shards(dir->place.path, gather_one, &g)) {
        char *room = swp_dir_name(dir, SHARDS, "", "");
        rmdir(room);
        free(room);
        swp_dir_tidy(dir);
    }
    return g.status;
}

/* ---- what is known --------------------------------------------------------------------------- */

struct looking {
    struct swp_plan *plan;
    char *why;
    size_t size;
};

static bool look_one(void *ctx, const char *shard)
{
    const struct looking *l = ctx;
    return swp_dir_look(l->plan, shard, NULL, l->why, l->size);
}

bool swp_shards_look(struct swp_plan *plan, const char *path, char *why, size_t size)
{
    struct looking l = {plan, why, size};
    return for_shards(path, look_one, &l);
}

static void end_job(const struct swp_dir *dir, const json_t *point, const char *id,
                    struct swp_job *job)
{
    char why[160];
    char *path = swp_dir_name(dir, "points", id, "");
    if (!access(path, F_OK)) {
        const bool good = swp_run_read(path, job, why, sizeof why);
        job->state = good ? SWP_DONE : SWP_FAILED;
    } else if (!strcmp(shards_text_of(point, "state"), swp_state_word[SWP_FAILED])) {
        job->state = SWP_FAILED;
        job->exit_code = (int)json_integer_value(json_object_get(point, "exit_code"));
    }
    free(path);
}

void swp_shards_ended(const struct swp_dir *dir, struct swp_plan *plan)
{
    json_t *root = doc_document(dir->place.path, SWP_INDEX);
    const json_t *points = json_object_get(root, "points");
    for (size_t i = 0; i < plan->sweep->points; i++)
        if (plan->job[i].state != SWP_DONE)
            end_job(dir, json_array_get(points, i), plan->sweep->point[i].id, &plan->job[i]);
    json_decref(root);
}
