/*
 * The special function unit of a directory (special.def): takes a command for a run of lines, asks
 * its own directory for one line after the other, and tells the issuer when all are done.
 */
#ifndef NM_SPECIAL_H
#define NM_SPECIAL_H

#include "machine/controller.h"

/** A function's row. The string is static. */
struct nm_function {
    unsigned number;
    enum nm_message message;
    uint8_t module; /**< NM_MODULE_MEMORY or NM_MODULE_NETWORK */
    const char *name, *sentence;
};

/** The rows, in table order; *count receives their number. */
const struct nm_function *nm_functions(size_t *count);

/** Whether a message commands a function. */
static inline bool nm_is_function(enum nm_message message)
{
    _Static_assert(NM_MSG__COUNT <= 64, "a bit for each");
    static const uint64_t functions = 0
#define FUNCTION(number, message, place, sentence) | UINT64_C(1) << NM_MSG_##message
#include "machine/special.def"
#undef FUNCTION
        ;
    return functions >> message & 1;
}

/** What the unit is about. A claim goes over its lines twice: each is first cleared and reserved;
 *  when the card has created them all, each becomes its own. */
enum nm_special_phase {
    NM_SPECIAL_ONLY,    /**< any other function */
    NM_SPECIAL_CLEAR,   /**< a claim: memory gets the only copy */
    NM_SPECIAL_RESERVE, /**< ... and locks it */
    NM_SPECIAL_CREATE,  /**< the card creates the lines; the unit waits for it */
    NM_SPECIAL_OWN      /**< the card becomes the owner */
};

/** All zero: idle. */
struct nm_special {
    bool busy;
    uint8_t phase;            /**< enum nm_special_phase */
    bool waiting;             /**< the present line is locked for us */
    struct nm_packet command; /**< `line` is the present one, `lines` those left */
    uint64_t first;           /**< line the command began with */
    uint16_t total;           /**< lines of it */
    sim_tick retry;           /**< [ticks] after a refusal */
    sim_tick at;              /**< not before */
    sim_tick since;           /**< the present line is asked for */
    uint16_t refusals;        /**< of its request */
    struct nm_refused oldest; /**< command answered SF_BUSY: `rank` and `until` */
};

/** In `bytes` of an SF_LOOK. The answer's `line` is the tag, ~0 where there is no line. */
enum { NM_LOOK_AT_NETWORK = 1, NM_LOOK_BY_INDEX = 2 };

/** Answers an SF_LOOK with a directory's entry. */
void nm_special_look(struct nm_controller *c, const struct nm_packet *in, uint64_t tag,
                     const struct nm_dir_line *line, sim_tick now);

/** Whether a message is for the unit: a command, or SF_CREATED. */
static inline bool nm_special_wants(enum nm_message message)
{
    return message == NM_MSG_SF_CREATED || nm_is_function(message);
}

/** A command arrives: it is begun, or answered SF_BUSY. Or the lines it reserved are created. */
void nm_special_take(struct nm_special *s, struct nm_controller *c, const struct nm_packet *in,
                     sim_tick now);

/** The directory's own request for the present line, if one can be taken now. */
bool nm_special_next(const struct nm_special *s, const struct nm_controller *c, sim_tick now,
                     struct nm_packet *request);

/** Its request was not taken, or was refused; it will be made again. */
void nm_special_refused(struct nm_special *s, sim_tick now);

/** The present line cannot be asked for: on to the next. */
void nm_special_skip(struct nm_special *s, struct nm_controller *c, sim_tick now);

/** When it wants to try again; SIM_NEVER: it waits for something that will arrive, or is idle. */
sim_tick nm_special_wake(const struct nm_special *s, const struct nm_controller *c, sim_tick now);

/** The controller has done a transition of `line`. @param own  of the unit's own request */
void nm_special_saw(struct nm_special *s, struct nm_controller *c, uint64_t line, bool own,
                    sim_tick now);

#endif
