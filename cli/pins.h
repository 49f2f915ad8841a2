/* Follows the Status pins of the cards that an experiment names, for as long as it says. */
#ifndef CLI_PINS_H
#define CLI_PINS_H

#include "report/status.h"

struct pc_pins;

/** Zero follows nothing. */
struct cli_pins {
    struct rep_traces status; /**< what was seen */
    struct pc_pins *pins;     /**< [status.traces] */
    bool open;                /**< they are being followed */
    sim_tick next;            /**< when cli_pins_moment is to be called; SIM_NEVER: not again */
};

void cli_pins_init(struct cli_pins *pins, const struct in_experiment *x);
void cli_pins_free(struct cli_pins *pins);

/** Begins or ends to follow, if it is time. The machine stands at `at`. */
void cli_pins_moment(struct cli_pins *pins, struct nm_machine *m, sim_tick at);

/** The run is over: the pins up to now. */
void cli_pins_end(struct cli_pins *pins, struct nm_machine *m);

#endif
