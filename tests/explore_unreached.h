/* The rows of explore_unreached.def, which no machine of the checker uses. */
#ifndef EXPLORE_UNREACHED_H
#define EXPLORE_UNREACHED_H

#include "machine/protocol.h"

struct ex_excuse {
    unsigned protocols; /**< a bit for each of nm_protocols */
    enum nm_agent agent;
    const char *state, *event, *why;
};

/** All, and one without a state behind them. */
extern const struct ex_excuse ex_unreached[];

/** Why no machine of that protocol uses the row; NULL: there is no such reason. */
const char *ex_excuse(const struct nm_protocol *protocol, enum nm_agent agent, const char *state,
                      const char *event);

#endif
