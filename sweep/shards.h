/*
 * Shards of a sweep that others run: jobs of a cluster, other hosts.
 *
 *     shards/1/ ...       a directory of a sweep for each shard that has something to do
 *
 * While they run, each shard has its points to itself, those that were there before included, so
 * that it can be killed and begun again by itself. Afterwards all is put into the directory of the
 * whole, and it looks as if the sweep had been run there. A point goes from one directory to
 * another by one rename: however often this is killed, each point is in one of them, whole.
 */
#ifndef SWP_SHARDS_H
#define SWP_SHARDS_H

#include "sweep/dir.h"

/** Whether a point of this shard is not done yet. @param shard  from 0 */
bool swp_shards_wait(const struct swp_plan *plan, unsigned shard, unsigned shards);

/** Makes a directory for each shard that has something to do, and gives it its points that are
 *  done. @pre swp_shards_gather @return false: see `why` */
bool swp_shards_deal(const struct swp_dir *dir, const struct swp_plan *plan, const char *name,
                     unsigned shards, char *why, size_t size);

/** Takes what shards have done into the directory of the whole, sweep.json included, and removes
 *  theirs; nothing if there are none. @return DOC_DIR_REFUSED: one of them still runs; REFUSED and
 *  FAILED: see `why`, and nothing is lost */
enum doc_dir swp_shards_gather(const struct swp_dir *dir, char *why, size_t size);

/** What is known of the points that are in shards, as swp_dir_look. Changes no file. */
bool swp_shards_look(struct swp_plan *plan, const char *path, char *why, size_t size);

/** Whether the directory of a sweep has shards that were not gathered. */
bool swp_shards_are_there(const char *path);

/** Gives jobs that were not done the states they have ended with. @pre swp_shards_gather */
void swp_shards_ended(const struct swp_dir *dir, struct swp_plan *plan);

#endif
