/*
 * Stale copies: lines whose invalidation is still on its way to some card.
 *
 * On this machine no acknowledgements are collected: a writer goes on as soon as its own copy of
 * the multicast invalidation has come by, while cards further along the rings, or with a longer
 * queue, still hold the line and read its old value. Programs read and write one memory image, so
 * that old value must be kept somewhere until the invalidation has reached the last of them: here.
 */
#ifndef NM_STALE_H
#define NM_STALE_H

#include "machine/packet.h"
#include "machine/params.h"
#include "machine/protocol.h"

struct nm_stale;
struct nm_stale_invalidation;

/** A card's shared copy of `line` may now be older than the image: the processor must ask
 *  nm_stale_bytes before it reads it. @param card  machine-wide number */
typedef void nm_stale_hide(void *ctx, unsigned card, uint64_t line);

/** @param p  outlives it; so do `rings` and `image` */
struct nm_stale *nm_stale_new(const struct nm_params *p, const struct ring_shape *rings,
                              const uint8_t *image, nm_stale_hide *hide, void *ctx);
void nm_stale_free(struct nm_stale *s);

/** An invalidation leaves a directory: to cards of `place`'s station, or over the rings. No
 * processor may write the line from here until it has come back, so the image still holds the bytes
 * of the copies. */
void nm_stale_sent(struct nm_stale *s, const struct nm_place *place, const struct nm_packet *p);
/** Those that have left their station over the rings are kept in mind from now on. To be called
 *  between windows: it hides lines of all stations, where the calls above and below touch what is
 *  of one station, so that stations may run at a time. */
void nm_stale_spread(struct nm_stale *s);
/** The directory of a station has handled an invalidation; if it came from the rings, it has passed
 *  it on to its cards. */
void nm_stale_handled(struct nm_stale *s, unsigned station, uint64_t line);
/** A card has handled an invalidation from its bus. */
void nm_stale_applied(struct nm_stale *s, unsigned card, uint64_t line);

/** What a card's shared copy of `line` holds; NULL: the same as the image.
 *  @return the line's bytes, ours, until the card's invalidation is applied */
const uint8_t *nm_stale_bytes(const struct nm_stale *s, unsigned card, uint64_t line);

/** Where it is seen whether any invalidation is under way to a station's cards: NULL there says
 * none is, and that nobody need ask. */
const struct nm_stale_invalidation *const *nm_stale_list(const struct nm_stale *s,
                                                         unsigned station);

/** Brings a copy of a line up to date with [pa, pa+len) of the image, as far as that is in it. */
void nm_copy_follow(uint8_t *copy, uint64_t line, uint64_t line_bytes, const uint8_t *image,
                    uint64_t pa, uint64_t len);

/** The operating system wrote the image: every copy changes with it. */
void nm_stale_os_wrote(struct nm_stale *s, uint64_t pa, uint64_t len);

/** The line of an invalidation that is under way; NULL: none is, as when the machine has come to
 *  rest. */
const uint64_t *nm_stale_line(const struct nm_stale *s);

#endif
