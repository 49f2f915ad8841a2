/*
 * What happens to some lines, as rows: messages on buses and rings, and rows of the protocol's
 * tables that fire. It is heard while a machine runs (machine/hear.h), and changes nothing in it.
 */
#ifndef WATCH_RECORD_H
#define WATCH_RECORD_H

#include "machine/hear.h"
#include "machine/statistics.h"

enum watch_kind {
    WATCH_BUS,     /**< a module has the bus of its station: a message to others there */
    WATCH_RING,    /**< a message goes from station to station */
    WATCH_ROW,     /**< an agent does what a row of its table says */
    WATCH_REFUSED, /**< a directory refuses a message without a look */
    WATCH_OVER,    /**< a card's request is over */
};

/** No station, no transaction. */
enum { WATCH_NOWHERE = UINT16_MAX, WATCH_NONE = 0 };

struct watch_row {
    enum watch_kind kind;
    uint16_t station; /**< where; of a RING where it comes from, WATCH_NOWHERE: not heard */
    uint16_t to;      /**< RING: where it goes */
    sim_tick at;      /**< [ticks] when it begins */
    sim_tick until;   /**< when it is over; of a directory's row when what it sends leaves */
    uint32_t
        transaction; /**< whose request it is about: of watch_record.transaction; 0: nobody's */
    uint64_t line;   /**< physical */
    uint8_t message; /**< NM_MSG__COUNT: none */
    uint8_t module;  /**< who: of a BUS who sends, else the agent's place on the bus */
    uint8_t targets; /**< BUS: bit per module of the station that takes it */
    uint8_t agent;   /**< ROW, REFUSED: enum nm_agent; the rest of ROW as nm_said has it */
    uint8_t before, event, after, cards;
    ring_mask stations;
    uint32_t nacks;           /**< OVER: it was refused so often */
    bool given_up;            /**< OVER: it was not served */
    uint8_t depth[NM_QUEUES]; /**< [packets] in the queues of `station` */
};

/** A request of a card, and all that is done because of it. */
struct watch_transaction {
    uint16_t station; /**< the card's */
    uint8_t card;     /**< on its station; NM_NO_CARD: a directory's own */
    uint8_t message;  /**< what it asks with, first; NM_MSG__COUNT: not heard */
    uint64_t line;
    sim_tick from, to; /**< of its rows */
};

/** Physical addresses, [from, to). */
struct watch_range {
    uint64_t from, to;
};

struct watch_record {
    struct nm_params *params;           /**< the machine's; its own copy */
    const struct nm_protocol *protocol; /**< its */
    sim_tick from, to;                  /**< [ticks] the window, as it came to be */
    struct watch_row *row;              /**< [rows] in the order of their ticks */
    size_t rows;
    struct watch_transaction *transaction; /**< [transactions], in that of theirs; 0 is nobody's */
    size_t transactions;
    bool full; /**< there was more: the window ends where the rows do */
};

struct watch_listening;

/** Rows that a recording has at most. */
enum { WATCH_ROWS_MOST = 200000 };

/** Begins to listen to a timed machine that stands.
 *  @param everything  all lines; else those of watch_follow */
struct watch_listening *watch_open(struct nm_machine *m, bool everything);

/** Lines in that range are recorded from now on. */
void watch_follow(struct watch_listening *live, struct watch_range range);

/** Whether no more is recorded, because there is enough. */
bool watch_is_full(const struct watch_listening *live);

/** Ends it; the machine stands. @param[out] record  the caller's (watch_record_free) */
void watch_close(struct watch_listening *live, struct watch_record *record);

void watch_record_free(struct watch_record *record);

/** The agent's table of a row that has one. */
static inline const struct nm_table *watch_table(const struct watch_record *record,
                                                 const struct watch_row *row)
{
    return record->protocol->agent[row->agent];
}

#endif
