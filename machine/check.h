/*
 * The checking mode (run.check): carries every line's bytes through caches and packets beside the
 * memory image, and compares.
 *
 * Programs always read and write the one memory image; a copy is only a copy. In checking mode the
 * DRAM, every secondary cache and every packet hold real bytes of their own, moved by the
 * protocol's actions alone. A load whose cached bytes differ from the image has read a stale copy.
 * That is an error unless an invalidation of the line is already on its way to the card: then the
 * load is merely ordered before the store (no acknowledgements are collected on this machine).
 *
 * It is also where a broken protocol is reported, checking or not: one line with cycle, component,
 * address, state and message, and in checking mode the line's history.
 */
#ifndef NM_CHECK_H
#define NM_CHECK_H

#include "machine/packet.h"
#include "machine/params.h"
#include "machine/protocol.h"
#include "machine/time.h"

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
/** Records that something went wrong; the first one stays. */
void nm_check_fail(struct nm_check *c, nm_tick now, uint64_t line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Who can hold a copy of a line. Cards by their machine-wide number, network caches by
 *  nm_check_cache(station), memory. */
enum { NM_CHECK_MEMORY = 1 << 20 };
unsigned nm_check_cache(unsigned station);

/* Data on its way: a slot holds a line's bytes. -1 when not checking. */
int32_t nm_check_from(struct nm_check *c, unsigned holder, uint64_t line);
void nm_check_to(struct nm_check *c, unsigned holder, uint64_t line, int32_t slot);
/** One more target will look at the slot; every target releases it once. */
void nm_check_share(struct nm_check *c, int32_t slot);
void nm_check_release(struct nm_check *c, int32_t slot);
/** The holder's copy goes away. */
void nm_check_drop(struct nm_check *c, unsigned holder, uint64_t line);

/** A processor is about to load; compares. @param pa physical address, size in bytes */
void nm_check_load(struct nm_check *c, unsigned card, uint64_t pa, unsigned size, nm_tick now);
/** What the card's own copy holds, which may be older than the image. False: it has none.
 *  @param size  bytes, all in one line */
bool nm_check_peek(struct nm_check *c, unsigned card, uint64_t pa, unsigned size, void *bytes);
/** A processor is about to store (the image changes right after this call). */
void nm_check_store(struct nm_check *c, unsigned card, uint64_t pa, unsigned size, nm_tick now);
/** A card creates a line without data: its copy is what the image holds. */
void nm_check_create(struct nm_check *c, unsigned card, uint64_t line);
/** The operating system wrote the image: every copy changes with it. */
void nm_check_os_wrote(struct nm_check *c, uint64_t pa, uint64_t len);

/** An invalidation was sent: to cards of `place`'s station, or over the rings. */
void nm_check_invalidate_sent(struct nm_check *c, const struct nm_place *place,
                              const struct nm_packet *p);
/** A card has handled an invalidation. */
void nm_check_invalidate_done(struct nm_check *c, unsigned card, uint64_t line);
/** A directory has handled a message; if it was an invalidation from the rings, its station has
 *  passed it on. */
void nm_check_handled(struct nm_check *c, const struct nm_place *place, const struct nm_packet *in);

/** A packet passed; kept for the history. */
void nm_check_saw(struct nm_check *c, nm_tick now, unsigned station, const struct nm_packet *p);

#endif
