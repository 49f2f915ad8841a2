/*
 * Which cards have had which lines, and which bytes of them: the facts that the truth of misses is
 * told, and its decisions. It knows cards by number, and no caches.
 *
 * A *life* of a copy begins when a card gets a line and ends when it loses it. Which bytes the card
 * touches in a life decides why the miss that began it had to be. The definitions, for the misses
 * of a card that had the line before and lost it because another card took it:
 *
 *  - true and false sharing [Dubois, Skeppstedt, Ricciulli, Ramamurthy, Stenström, ISCA 1993]: true
 *    (essential) if in the life that it begins the card touches a byte that another card has
 *    written since the beginning of the card's last essential life; a cold miss and one after a
 *    replacement are always essential. Of bytes, which padding can part; and once more of words of
 *    four bytes.
 *  - [Eggers and Jeremiassen, 1991]: true if the word asked for has been written by another card
 *    since the line was taken.
 *  - [Torrellas, Lam, Hennessy, 1990]: cold if the card has never touched the word asked for;
 *    true if another has written it since the card touched it last.
 *
 *  - programmer-centric: true if it is by Dubois's definition, of bytes, or if in the same window
 *    (windows.h) other cards have lives and ownerships that touch one of the bytes that the card
 *    touches in the life that it begins: one at least for PC_WINDOWS_PART of the card's own. Each
 *    belongs to the window in which it begins.
 *
 * An upgrade destroys copies instead of missing one. It is true if in the ownership that it begins
 * the card writes a byte that one of the cards whose copies were taken away had touched. What an
 * upgrade is for counts as written, also if it is a store-conditional that then fails, because
 * another card was faster: it has taken the copies away for these bytes, and nothing parts them.
 *
 * What a card writes is published to the others when it stops being the line's owner. Until then no
 * other card can read it. A copy that is still there then is a stale one: the bytes that it lacks
 * count from its end on.
 */
#ifndef PC_COPIES_H
#define PC_COPIES_H

#include "base/time.h"
#include "procard/windows.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A card's copies of one half of its secondary cache; one number each, the caller's. */
struct pc_copy_of {
    uint64_t line; /**< physical address */
    uint32_t card, half;
};

/** What one instruction on one path has asked of a line. */
struct pc_asked {
    const void *node;     /**< the caller's: of the path, phase and thread */
    uint64_t pc, va;      /**< the instruction; the address of its first request */
    uint32_t tenant;      /**< the tenant of that address then, by the caller's number */
    sim_tick first, last; /**< requests */
    struct pc_asked *next;
    int64_t v[]; /**< by enum pc_miss_column */
};

/** All that a card has had to do with a line. */
struct pc_copy_seen {
    struct pc_copy_of of;
    pc_bytes read, written; /**< ever */
    uint64_t taken;         /**< [lives] that ended because another card took the line */
    uint64_t evicted;       /**< [lives] that ended to make room */
    sim_tick first, last;   /**< requests */
    const struct pc_asked *asked;
};

struct pc_copies;

/** @param places  [lines] that a half of a secondary cache holds: the size of the fully associative
 *                 cache by which capacity is told from conflict */
struct pc_copies *pc_copies_new(unsigned cards, unsigned halves, size_t places);
/** Of one card it is this. Before the first request. */
void pc_copies_places(struct pc_copies *s, unsigned card, size_t places);
void pc_copies_free(struct pc_copies *s);

/** A card's request. */
struct pc_request_asked {
    struct pc_copy_of of;
    uint64_t pa, va;  /**< first byte of the access that asks */
    unsigned size;    /**< [bytes] 1 to 8, of it */
    bool upgrade;     /**< the card has a copy */
    bool noncoherent; /**< no other card will ever be told */
    const void *node;
    uint64_t pc;
    uint32_t tenant; /**< the tenant of the address now: a number of the caller's */
    sim_tick at;
};

enum {
    PC_TENANT_SEVERAL = 1,     /**< a tenant that is not told from others */
    PC_COPY_TENANTS_MAX = 256, /**< rows of a copy from which on new tenants are that one */
};

/** A card asks for a line; it has no other request for that one under way. */
void pc_copies_ask(struct pc_copies *s, const struct pc_request_asked *asked);
/** The card has the line that it asked for.
 *  @param nacks     times it was refused
 *  @param transfer  the line came from another cache */
void pc_copies_have(struct pc_copies *s, struct pc_copy_of of, sim_tick at, unsigned nacks,
                    bool transfer);
/** It will not get it, and was refused so often. */
void pc_copies_give_up(struct pc_copies *s, struct pc_copy_of of, sim_tick at, unsigned nacks);
/** It was refused so often, and the run ends before more is known. */
void pc_copies_leave(struct pc_copies *s, struct pc_copy_of of, unsigned nacks);
/** It has a line for which it has not asked. */
void pc_copies_create(struct pc_copies *s, struct pc_copy_of of);

/** The secondary cache has been asked for a line that is there: it is the one used last. */
void pc_copies_use(struct pc_copies *s, struct pc_copy_of of);
/** The processor has touched bytes of its copy since it was last said. */
void pc_copies_touch(struct pc_copies *s, struct pc_copy_of of, pc_bytes read, pc_bytes written);
/** The card is no longer the line's owner, and keeps a copy. All it has touched has been said. */
void pc_copies_share(struct pc_copies *s, struct pc_copy_of of);
/** The card's copy goes. All it has touched has been said.
 *  @param taken  another card wants the line; false: it makes room
 *  @param owner  the card was the line's owner */
void pc_copies_lose(struct pc_copies *s, struct pc_copy_of of, bool taken, bool owner);

/** All lives end here, as far as the columns are concerned: nothing may be said afterwards. */
void pc_copies_end(struct pc_copies *s);

/** Calls `fn` for each card's copies of each line; their order is that of the first requests. */
void pc_copies_each(const struct pc_copies *s,
                    void (*fn)(void *ctx, const struct pc_copy_seen *seen), void *ctx);

/** Calls `fn` for each window of each line, after pc_copies_end; those of a line in their order. */
void pc_copies_windows(const struct pc_copies *s,
                       void (*fn)(void *ctx, uint64_t line, const struct pc_window *window),
                       void *ctx);

#endif
