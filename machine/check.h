/*
 * The checking mode (run.check): carries every line's bytes through caches and packets beside the
 * memory image, and compares.
 *
 * Programs read and write the one memory image, and stale copies beside it while their invalidation
 * is on its way (machine/stale.h). In checking mode the DRAM, every secondary cache and every
 * packet hold real bytes of their own, moved by the protocol's actions alone. A load must find in
 * the image, or in the stale copy, exactly the bytes its cache holds; if not, a copy went stale
 * that no invalidation was sent to.
 *
 * It is also where a broken protocol is reported, checking or not: one line with cycle, component,
 * address, state and message, and in checking mode the line's history.
 */
#ifndef NM_CHECK_H
#define NM_CHECK_H

#include "base/time.h"
#include "machine/packet.h"
#include "machine/params.h"
#include "machine/protocol.h"

#include <stdbool.h>
#include <stddef.h>

struct nm_check;

/** @param image  the machine's memory image; `cards` on all stations */
struct nm_check *nm_check_new(const struct nm_params *p, const uint8_t *image, uint64_t bytes,
                              unsigned cards);
void nm_check_free(struct nm_check *c);

/** Whether data is carried (run.check). When not, the calls below that move data do nothing. */
bool nm_check_on(const struct nm_check *c);

/** Where to look, cheaply and often, whether something went wrong. */
const bool *nm_check_failed(const struct nm_check *c);

/** First thing that went wrong, or "". */
const char *nm_check_error(const struct nm_check *c);

/** It is about no line. */
#define NM_NO_LINE (~UINT64_C(0))

/** Records that something went wrong; the first one stays. @param line  or NM_NO_LINE */
void nm_check_fail(struct nm_check *c, sim_tick now, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Holders of a copy of a line. Cards by their machine-wide number, network caches by
 *  nm_check_cache(station), memory. */
enum { NM_CHECK_MEMORY = 1 << 20 };
unsigned nm_check_cache(unsigned station);

/** Data on its way: a slot holds a line's bytes. -1 when not checking. */
int32_t nm_check_from(struct nm_check *c, unsigned holder, uint64_t line);
void nm_check_to(struct nm_check *c, unsigned holder, uint64_t line, int32_t slot);
/** One more target will look at the slot; every target releases it once. */
void nm_check_share(struct nm_check *c, int32_t slot);
void nm_check_released(struct nm_check *c, int32_t slot);
static inline void nm_check_release(struct nm_check *c, int32_t slot)
{
    if (slot >= 0)
        nm_check_released(c, slot);
}
/** The holder's copy goes away. */
void nm_check_drop(struct nm_check *c, unsigned holder, uint64_t line);

/** A processor is about to load `bytes` from physical address `pa`; compares with the card's copy.
 *  @param size  in bytes, all in one line */
void nm_check_load(struct nm_check *c, unsigned card, uint64_t pa, unsigned size,
                   const uint8_t *bytes, sim_tick now);
/** A processor is about to store (the image changes right after this call). */
void nm_check_store(struct nm_check *c, unsigned card, uint64_t pa, unsigned size, sim_tick now);
/** A card creates a line without data: its copy is what the image holds. */
void nm_check_create(struct nm_check *c, unsigned card, uint64_t line);
/** The operating system wrote the image: every copy changes with it. */
void nm_check_os_wrote(struct nm_check *c, uint64_t pa, uint64_t len);

/** A packet passed; kept for the history. */
void nm_check_saw(struct nm_check *c, sim_tick now, unsigned station, const struct nm_packet *p);

#endif
