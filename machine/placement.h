/*
 * Where pages go: to a station by explicit range of virtual addresses, else by the machine's rule
 * (memory.placement), else, when that station is full, to the next that has room.
 */
#ifndef NM_PLACEMENT_H
#define NM_PLACEMENT_H

#include "machine/machine.h"

struct nm_placement;

/** @param p  copied; the memory of every station is empty */
struct nm_placement *nm_placement_new(const struct nm_params *p);
void nm_placement_free(struct nm_placement *pl);

/** Ranges that win over the rule from now on; the earlier one wins among them. Copied. */
void nm_placement_set(struct nm_placement *pl, const struct nm_range *ranges, unsigned count);

/** No program gets the last `pages` pages of any station from now on. Precondition: none has been
 *  taken. */
void nm_placement_keep(struct nm_placement *pl, uint64_t pages);

/** Physical address of a byte of the last pages of a station: they are counted from the last one
 *  backwards, and what is `offset` bytes from their beginning is in page offset / page_size. */
uint64_t nm_placement_kept(const struct nm_params *p, unsigned station, uint64_t offset);

/**
 * Takes a physical page.
 * @param toucher  card that needs it
 * @param va       virtual address it will have
 * @param[out] pa  its physical address; untouched on failure
 * @param[out] used  it was given back before: its bytes are old
 * @return false when every memory is full
 */
bool nm_placement_take(struct nm_placement *pl, unsigned toucher, uint64_t va, uint64_t *pa,
                       bool *used);

/** The same, of a page that belongs to `station` unless a range has it. */
bool nm_placement_take_at(struct nm_placement *pl, unsigned station, uint64_t va, uint64_t *pa,
                          bool *used);

/** So often a page was taken for another card than the one before. The turn in which a page comes
 * decides where it lies, so while this grows the order of the cards' accesses does. */
uint64_t nm_placement_turns(const struct nm_placement *pl);
/** The same of a machine's. */
uint64_t nm_machine_page_turns(const struct nm_machine *m);

/** Gives a page back. */
void nm_placement_give(struct nm_placement *pl, uint64_t pa);

#endif
