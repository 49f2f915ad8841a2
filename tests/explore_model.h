/*
 * A small NUMAchine for the exhaustive checker: stations with cards, one directory each and the
 * network between them, with every protocol decision taken by machine/protocol.c from its tables
 * and everything that is only timing left open.
 *
 * What may happen next in a world is a list of steps; a step leads to one world. The network and
 * the station bus are reduced to the orders they guarantee (docs/coherence.md says why this loses
 * no interleaving).
 */
#ifndef EXPLORE_MODEL_H
#define EXPLORE_MODEL_H

#include "machine/protocol.h"

#include <stdio.h>

enum {
    EX_STATIONS = 4, /**< at most; index 0 is the home of every line */
    EX_CARDS = 3,
    EX_LINES = 2,
    EX_QUEUE = 12,
    EX_WAITING = 4, /**< messages that may wait for a station */
    EX_PACKED = EX_STATIONS * (4 * (1 + 2 * EX_QUEUE) + 4 * EX_LINES +
                               EX_CARDS * (1 + EX_LINES + 1 + 2 * EX_QUEUE)),
    /**< bytes of a packed world, at most */
    EX_STEPS = EX_STATIONS * (EX_CARDS * (6 * EX_LINES + 6) + 3 + 2 * EX_STATIONS +
                              EX_LINES * (6 + EX_STATIONS * EX_CARDS)),
    /**< steps possible in one world, at most */
};

struct ex_config {
    const char *name;
    const char *sentence;
    struct ring_shape rings;
    uint16_t number[EX_STATIONS]; /**< station numbers of the populated stations, home first */
    uint8_t stations, cards, lines;
    uint8_t idle; /**< the first so many stations have no processors */
    bool evict;   /**< cards may evict at any time */
    bool eject;   /**< network cache entries may be ejected at any time */
    bool refuse;  /**< directories may refuse requests and the network's interventions unseen */
    uint8_t functions; /**< enum ex_functions: what directories may ask themselves at any time */
    const struct nm_protocol *protocol;
    bool fetches;   /**< there are loads content with a shared copy, as instruction fetches are */
    bool links;     /**< processors may link lines exclusively (agent.link_hold) */
    uint8_t swap;   /**< enum ex_swap: which worlds are mirror images */
    bool quick;     /**< small enough for the quick suite */
    bool exclusive; /**< a line may be a card's own without being dirty: ex_search sets it */
};

/** Special functions (special.def). */
enum ex_functions { EX_FUNCTIONS = 1 /**< all but claims */, EX_CLAIMS = 2 };

/** Two things of a machine that behave alike, so that worlds which differ in their exchange only
 * are one. (Cards of a remote station do not: the network cache asks them in turn.) */
enum ex_swap {
    EX_SWAP_NONE,
    EX_SWAP_CARDS /**< 0 and 1 at home */,
    EX_SWAP_STATIONS /**< index 1 and 2 */
};

/** A message on its way, packed: see explore_model.c. */
typedef uint16_t ex_msg;

struct ex_queue {
    uint8_t count;
    ex_msg m[EX_QUEUE];
};

/** How far a card's request is. The state says which line and which request it is. */
enum ex_request { EX_NONE, EX_RETRY, EX_DOOR, EX_TAKEN };

/** How far an exclusive load linked is: its request is out, or its line is kept. */
enum ex_link { EX_UNLINKED, EX_LINKING, EX_KEPT };

struct ex_card {
    uint8_t state[EX_LINES];
    bool fresh[EX_LINES]; /**< its copy has the latest value */
    uint8_t request, line;
    bool shared;     /**< the request is a fetch */
    uint8_t link;    /**< enum ex_link, of `line` */
    uint8_t created; /**< bit per line: the home does not know yet that it has been created here */
    struct ex_queue
        in; /**< from the bus: sinkable ones may pass nonsinkable ones, not the reverse */
};

struct ex_dir {
    struct nm_dir_line entry;
    bool fresh;
};

struct ex_world {
    struct ex_card card[EX_STATIONS][EX_CARDS];
    struct ex_dir home[EX_LINES];
    struct ex_dir nc[EX_STATIONS][EX_LINES]; /**< [0] is not used; all lines share one place */
    struct ex_queue bus[EX_STATIONS];        /**< sinkable, from the cards to the directory */
    struct ex_queue net[EX_STATIONS];        /**< sinkable, from the network to the directory */
    struct ex_queue out[EX_STATIONS][NM_CLASSES]; /**< to the network */
};

enum ex_kind {
    EX_LOAD,  /**< these up to EX_EJECT are voluntary: nothing waits for them */
    EX_FETCH, /**< a load that is content with a shared copy */
    EX_STORE,
    EX_LINK,
    EX_EVICT,
    EX_FUNCTION, /**< a directory asks itself for a line: message `arg` */
    EX_CLAIM,    /**< the home reserves a line for card `arg` of a station */
    EX_EJECT,
    EX_CREATED, /**< a card tells the home that it has created its line */
    EX_RELEASE, /**< a card no longer keeps the line it has linked */
    EX_SEND,    /**< a card sends its request again after a NACK */
    EX_CARD,    /**< a card takes message `arg` of its queue */
    EX_REQUEST, /**< a directory takes the request of card `arg` */
    EX_BUS,     /**< a directory takes a card's answer or write-back */
    EX_NET,     /**< a directory takes a sinkable message of the network */
    EX_NETREQ,  /**< a directory takes a nonsinkable message of station `arg` */
    EX_DENY,    /**< a directory refuses the request of card `arg` unseen */
    EX_REFUSE,  /**< a directory refuses it, because it cannot follow */
    EX_RING     /**< the network delivers the station's oldest sinkable message */
};

struct ex_step {
    uint8_t kind, station, arg, line;
};

static inline bool ex_voluntary(struct ex_step s)
{
    return s.kind <= EX_EJECT;
}

enum { EX_EVENTS = 64 /**< of an agent, at most */ };

/** Cells of the tables that were used: [agent][state][event]. */
typedef bool ex_cells[NM_AGENTS][NM_STATES_MAX][EX_EVENTS];

void ex_start(const struct ex_config *config, struct ex_world *world);

/** What ex_take returns for a step that must wait for room. */
extern const char ex_no_room[];

/** Everything that may happen next, in a fixed order. @return how many */
unsigned ex_steps(const struct ex_config *config, const struct ex_world *world,
                  struct ex_step steps[EX_STEPS]);

/**
 * Takes a step.
 * @param[in,out] world  before and after
 * @param cells  used cells are added, unless NULL
 * @return NULL, or what is wrong with the step or with the world after it
 */
const char *ex_take(const struct ex_config *config, struct ex_world *world, struct ex_step step,
                    ex_cells cells);

/** Nothing on its way, nobody waits. */
bool ex_quiet(const struct ex_config *config, const struct ex_world *world);

/** Worlds that behave alike have the same bytes. @return how many */
unsigned ex_pack(const struct ex_config *config, const struct ex_world *world,
                 uint8_t bytes[EX_PACKED]);
void ex_unpack(const struct ex_config *config, const uint8_t *bytes, struct ex_world *world);

/** Exchanges what the configuration says is alike. */
void ex_mirror(const struct ex_config *config, struct ex_world *world);

/** The step `s` as text, with what it meets in the world `w` before it. */
void ex_print_step(FILE *out, const struct ex_config *c, const struct ex_world *w,
                   struct ex_step s);
void ex_print_world(FILE *out, const struct ex_config *config, const struct ex_world *world);

#endif
