/* Private to the memory side of the core: what has been begun and is not done. */
#ifndef ARM11_MISSES_H
#define ARM11_MISSES_H

#include "procard/arm11/caches.h"

/** Nothing waits: no load, no store. */
bool arm11_quiet(const struct arm11 *c);
/** A store to the line waits: in the write buffer, or of an exclusive access or a swap. */
bool arm11_buffered(const struct arm11 *c, uint64_t pa);
/** A store has not come to the secondary cache yet. */
bool arm11_writing(const struct arm11 *c);
/** A load of the line waits for it. */
bool arm11_missed(const struct arm11 *c, uint64_t pa);

/** There are `n` free places for misses. @return false: begin again */
bool arm11_places(struct arm11 *c, unsigned n);
bool arm11_place_free(const struct arm11 *c);
/** There is room for `n` lines of stores. @return false: begin again */
bool arm11_room(struct arm11 *c, unsigned n);

/** A miss in a free place: the caller fills in its request, and then begins it. */
struct arm11_miss *arm11_miss_new(struct arm11 *c, enum arm11_access access, uint32_t va,
                                  const struct pc_look *look);
/** The secondary cache is looked into, the card asked. */
void arm11_miss_begins(struct arm11 *c, struct arm11_miss *m);
/** Waits until it has come. @return false */
bool arm11_waits_for(struct arm11 *c, const struct arm11_miss *m);

/** Asks the card. @param c  core @param pc  the instruction that wants it @param va  where it
 *  accesses @param look  the line @param access  what for
 *  @param or_line  a request of the line that is under way will do @return it will be answered */
bool arm11_asks(struct arm11 *c, uint32_t pc, uint32_t va, const struct pc_look *look,
                enum nm_access access, bool or_line);

/** An instruction has read parts of a line: for a trace, and for the truth of misses.
 *  @param va  in the line @param look  NULL: the line is not here, the operating system has read */
void arm11_have_read(struct arm11 *c, enum pc_recorded_kind kind, uint32_t va,
                     const struct pc_look *look, const struct arm11_part *parts, unsigned n);

/** Registers take what is in a line, ready at a tick and what each is later. */
void arm11_deliver(struct arm11 *c, const struct pc_look *look, const struct arm11_part *parts,
                   unsigned n, bool big, sim_tick ready, sim_tick now);
void arm11_write_bytes(struct arm11 *c, const struct pc_look *look, const uint8_t *bytes,
                       unsigned n);

/** Stores that can go out do. @param asks  the card may be asked */
void arm11_drain(struct arm11 *c, bool asks);

/** An instruction line has come, or has not (fetch.c). */
void arm11_fetch_answered(struct arm11 *c, uint64_t line, bool granted);

#endif
