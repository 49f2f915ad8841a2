/*
 * The processor card: an R4400 with its primary and secondary caches, and the external agent
 * between it and the station bus.
 *
 * cache.c answers the processor (the slow paths of r4400.h), agent.c answers the bus, card.c runs
 * the processor and keeps its books.
 */
#ifndef PC_CARD_H
#define PC_CARD_H

#include "machine/bus.h"
#include "machine/check.h"
#include "machine/machine.h"
#include "machine/protocol.h"
#include "machine/special.h"
#include "procard/r4400.h"

/** The two sides of both cache levels. */
enum pc_side { PC_SIDE_I, PC_SIDE_D, PC_SIDES };

/** A half of the secondary cache (SCADDR(17)), or all of it when it is not split. Direct-mapped. */
struct pc_l2 {
    uint64_t *line;  /**< physical line address held in each place */
    uint8_t *state;  /**< NM_CARD_I, _S or _D */
    uint64_t places; /**< a power of two */
};

/** The card's one outstanding request. */
struct pc_request {
    bool active;
    bool sent;        /**< on its way; otherwise it waits for the agent (or a retry) */
    bool conditional; /**< an SC waits for it */
    uint8_t state;    /**< the line's transient state */
    enum pc_side side;
    uint64_t line;
    enum pc_status stall; /**< what the waiting processor reports */
    nm_tick issued;       /**< first put into the outgoing FIFO; NM_NEVER before */
    nm_tick last_issued;
    nm_tick first_nack; /**< NM_NEVER: none yet */
    unsigned nacks;     /**< how often it was refused */
};

/** The card's one special function: a command on its way, at work, or refused for now. */
struct pc_special {
    bool active;
    bool blocked; /**< waits for room in the outgoing FIFO */
    struct nm_packet command;
};

enum pc_activity {
    PC_IDLE, /**< no thread */
    PC_RUNNING,
    PC_WAITING, /**< for its outstanding request */
    PC_TRAPPED, /**< for the operating system */
};

/** A stretch of stall just charged; lets totals be read exactly at an earlier tick. */
struct pc_stretch {
    nm_tick end;
    uint64_t length;
    enum pc_status state;
};

enum { PC_STRETCHES = 8, PC_TLB = 256, PC_PAGES = 256 };

/** Host-side memory of a translation; costs no simulated time (the R4400's own TLB is not modelled
 *  yet). A tag is the virtual page number, or ~0. */
struct pc_xlate {
    uint64_t tag[3]; /**< by PC_FETCH, PC_LOAD, PC_STORE */
    uint64_t page;   /**< physical address of the page */
};

struct pc_card {
    struct pc_cpu cpu;
    struct pc_l2 l2[PC_SIDES];    /**< both the same arrays when the cache is not split */
    uint64_t *l1_line[PC_SIDES];  /**< physical line address in each L1 place, ~0: empty */
    struct pc_line *l1[PC_SIDES]; /**< the processor's fast view of the same places */
    unsigned l1_shift[PC_SIDES], l1_mask[PC_SIDES];
    unsigned l2_shift;
    bool functional; /**< there are no caches; l1[] shows pages */

    struct pc_request request;
    uint64_t filled; /**< line just granted: its access completes without another look-up; ~0 */
    enum pc_activity activity;
    bool preempted; /**< why it is trapped */
    nm_tick preempt_at;

    struct pc_xlate tlb[PC_TLB];
    unsigned page_shift;
    struct nm_space space;
    bool stale; /**< what is known of virtual addresses must be forgotten before the next thread */

    /* external agent */
    nm_tick agent_free; /**< takes the next packet from the bus */
    nm_tick work_at;    /**< tick of the posted agent event, NM_NEVER if none */
    uint64_t chance;    /**< the agent's own random numbers, for its retries */
    struct pc_special special;
    bool blocked;            /**< a request waits for room in the outgoing FIFOs */
    struct nm_packet answer; /**< intervention response being fetched from the caches */

    struct pc_stretch stretch[PC_STRETCHES];
    unsigned stretches; /**< ever charged */

    struct nm_port port;
    struct mon_taps taps; /**< agent's and bus's part; pc_card_taps adds the rest */
    struct nm_truth truth;

    /* surroundings */
    struct nm_kernel *k;
    struct nm_bus *bus;
    struct nm_check *check;
    const struct nm_params *p;
    uint8_t *image;
    unsigned position; /**< on the station's bus */
    uint16_t station;
    const struct ring_shape *rings;
    void *owner;
    void (*on_trap)(void *owner,
                    struct pc_card *card); /**< the processor needs the OS at cpu.now */
    void (*on_interrupt)(void *owner, struct pc_card *card, nm_tick now); /**< special is done */
};

/** @param number  machine-wide, station by station */
struct pc_card *pc_card_new(struct nm_kernel *k, struct nm_bus *bus, const struct nm_params *p,
                            uint8_t *image, struct nm_check *check, unsigned number);
void pc_card_free(struct pc_card *card);

/** Runs the processor up to `horizon` (exclusive start of instructions), a miss or a trap.
 *  Precondition: PC_RUNNING. */
void pc_card_run(struct pc_card *card, nm_tick horizon);

/** Charges `n` PCycles of `state` that begin at tick `at`. */
void pc_card_stall(struct pc_card *card, enum pc_status state, uint64_t n, nm_tick at);

/** The card's totals at exactly tick `at` (its own processor may be ahead). */
void pc_card_taps(struct pc_card *card, nm_tick at, struct mon_taps *out);

/** Forgets virtual addresses in [va, va+len). */
void pc_card_unmap(struct pc_card *card, uint64_t va, uint64_t len);
/** Forgets all of them. */
void pc_card_forget(struct pc_card *card);

/* ---- cache.c, for agent.c ------------------------------------------------------------------- */

/** State of a line on this card as an external request sees it. */
uint8_t pc_line_state(const struct pc_card *card, uint64_t line);
/** Whether either half of the secondary cache holds the line. */
bool pc_line_present(const struct pc_card *card, uint64_t line);
void pc_line_drop(struct pc_card *card, uint64_t line);
void pc_line_clean(struct pc_card *card, uint64_t line);
void pc_line_fill(struct pc_card *card, enum pc_side side, uint64_t line, uint8_t state);
/** The line that must leave before `line` can be filled; false: the place is free. */
bool pc_line_victim(const struct pc_card *card, enum pc_side side, uint64_t line, uint64_t *victim,
                    uint8_t *state);
void pc_line_evict(struct pc_card *card, enum pc_side side, uint64_t victim);

/* ---- agent.c, for cache.c and card.c -------------------------------------------------------- */

/** The processor needs `line`; the request goes out after look-up and agent delay. */
void pc_agent_request(struct pc_card *card, enum pc_side side, uint64_t line,
                      enum nm_protocol_event event, nm_tick at);
/** Sends a special function's command (special.def): `lines` lines from `line` on, to the directory
 *  that does it. Precondition: none is active. on_interrupt will be called. */
void pc_agent_special(struct pc_card *card, const struct nm_function *function, uint64_t line,
                      unsigned lines, nm_tick at);
void pc_agent_attach(struct pc_card *card);

#endif
