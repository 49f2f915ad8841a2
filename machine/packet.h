/* A packet on the station bus: one header cycle, then data cycles for those that carry a line. */
#ifndef NM_PACKET_H
#define NM_PACKET_H

#include "ring/mask.h"

#include <stdbool.h>
#include <stdint.h>

enum nm_message {
#define MESSAGE(name, number, class, data, sentence) NM_MSG_##name = number,
#include "machine/message.def"
#undef MESSAGE
#define MESSAGE(name, number, class, data, sentence) +1
    NM_MSG__COUNT = 0
#include "machine/message.def"
#undef MESSAGE
};

enum nm_class { NM_SINKABLE, NM_NONSINKABLE, NM_CLASSES };

_Static_assert(NM_MSG__COUNT <= UINT8_MAX + 1, "a message is one byte");

/** Modules of a station by bus position: cards first, then memory, then network cache and ring
 *  interface. */
enum {
    NM_CARDS_MAX = 4,
    NM_MODULE_MEMORY = NM_CARDS_MAX,
    NM_MODULE_NETWORK,
    NM_MODULES,
    NM_ACKNOWLEDGED = 14, /**< in `requester` of an invalidation on the rings: it also acknowledges
                               the upgrade of `station` */
    NM_NO_CARD = 15       /**< in `requester`: a card of another station, told by `station` alone */
};

_Static_assert(NM_MODULES <= 8, "a bit for each in `targets`");

enum { NM_ORDERS = 8 /**< kinds of events of one module that may fall on one tick */ };

/** The component of an event (sim_post) of a module. Where events of one module on one tick are
 *  posted by different causes, each kind has an `order` of its own: a processor posts as soon as
 *  the host lets it run ahead, so the sequence of postings is no order of the machine. */
static inline uint32_t nm_component(unsigned module, unsigned order)
{
    return module * NM_ORDERS + order;
}

static inline unsigned nm_component_module(uint32_t component)
{
    return component / NM_ORDERS;
}

/** What a response says of the directory that served the request. The card that answers an
 * intervention copies it from there. */
enum nm_info {
    NM_INFO_GLOBAL = 1,   /**< the line's state was global (GV, GI) */
    NM_INFO_VALID = 2,    /**< ... was valid (LV, GV) */
    NM_INFO_NC_HIT = 4,   /**< the network cache served it without asking the home */
    NM_INFO_RETRY = 8,    /**< in a request: it has been NACKed before */
    NM_INFO_SHARED = 16,  /**< in an RD of a card: a shared copy is all it can use, it fetches
                              instructions or links a line that it has put out before. On the
                              rings such an RD names no card */
    NM_INFO_NO_ROOM = 32, /**< of a refusal (NACK, INTV_NACK): not because the line is locked, but
                               for lack of room ... */
    NM_INFO_NO_TURN = 64  /**< ... or because the turn is kept for an older request */
};

struct nm_packet {
    uint64_t line;     /**< physical address of the line; UNC_x: of the datum */
    ring_mask route;   /**< stations it shall go to over the rings; 0: it stays on this bus */
    uint8_t message;   /**< enum nm_message */
    uint8_t source;    /**< module of this station that put it on this bus */
    uint8_t targets;   /**< bit per module of this station that shall take it */
    uint8_t requester; /**< card (bus position) whose request all this is about, or NM_NO_CARD */
    uint16_t station;  /**< station of that request */
    uint8_t phase;     /**< PhaseID of the requester, 4 bits (N-61) */
    uint8_t info;      /**< enum nm_info bits */
    uint8_t bytes;     /**< INTV_x on the rings, where the home knows the owner: its bit. UNC_WR,
                          UNC_CAST: which bytes of the doubleword are meant, bit 0 is the     first;
                          SF_LOOK: bits as in special.h; SF_LINE: processor mask */
    union {
        uint16_t lines; /**< special function: how many, from `line` on; SF_LINE: state */
        uint16_t cards; /**< UNC_CAST: bit per card, of each station it goes to */
        uint16_t age;   /**< of a request, and of what is sent because of it: how often it had been
                             refused */
    };
    uint32_t order;   /**< in which the module sent it; the bus's to fill */
    uint32_t arrived; /**< low bits of the tick at which this bus delivered it; the bus's to fill */
    int32_t data;     /**< checking mode: slot of the carried copy (check.h); -1 otherwise */
    union {
        uint64_t word; /**< UNC_WR, UNC_CAST, UNC_DATA: the aligned doubleword, its bytes as
                            in memory; SF_LINE: routing mask */
        uint64_t rank; /**< of a request, and of messages that follow it: nm_request_rank */
    };
};

enum { NM_RANKED = 4096 /**< numbers of those that make requests are below it */ };

/** The order of all requests of a machine: the smaller one goes first. No two are equal.
 *  @param since  tick at which it was first made
 *  @param asker  a card's number, or one of nm_rank_unit */
static inline uint64_t nm_request_rank(uint64_t since, unsigned asker)
{
    return since * NM_RANKED + asker;
}

/** Until when a turn is kept for one that is refused at `now`: for as long as it has waited, and no
 *  longer than `most`. */
static inline uint64_t nm_rank_until(uint64_t rank, uint64_t now, uint64_t most)
{
    const uint64_t waited = now - rank / NM_RANKED;
    return now + (waited < most ? waited : most);
}

/** Requests of a memory (0) and of a network cache (1) rank behind those of the 1,024 cards. */
static inline unsigned nm_rank_unit(unsigned station, bool cache)
{
    return 1024 + 2 * station + cache;
}

/** Static facts of a message, from message.def. */
struct nm_message_row {
    const char *name;
    enum nm_class class;
    uint8_t has_data; /**< a line follows */
    uint8_t has_word; /**< a doubleword follows */
    const char *sentence;
};

extern const struct nm_message_row nm_message_rows[NM_MSG__COUNT];

static inline const struct nm_message_row *nm_message_row(enum nm_message m)
{
    return &nm_message_rows[m];
}

/** Whether it is what a card asks for because of a load, a store or a fetch. */
static inline bool nm_is_read(enum nm_message m)
{
    return m == NM_MSG_RD || m == NM_MSG_RDEXCL || m == NM_MSG_UPGD;
}

/** Whether it asks a card, or another station's cache, for a line that it owns. */
static inline bool nm_is_intervention(enum nm_message m)
{
    return m == NM_MSG_INTV_S || m == NM_MSG_INTV_X;
}

/** Whether the rings order it among all that go to many stations. */
static inline bool nm_is_multicast(enum nm_message m)
{
    return m == NM_MSG_INVALIDATE || m == NM_MSG_UNC_CAST;
}

#endif
