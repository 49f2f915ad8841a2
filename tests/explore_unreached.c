/* The rows that no machine of the checker uses: the table as data. */
#include "tests/explore_unreached.h"

#include <string.h>

/* The words of the column of protocols. */
enum {
#define PROTOCOL(id, name, direct, sentence) id = 1 << NM_PROTOCOL_##id,
#include "machine/protocol/protocols.def"
#undef PROTOCOL
    ALL = (1 << NM_PROTOCOLS) - 1
};

const struct ex_excuse ex_unreached[] = {
#define UNREACHED(protocols, agent, state, event, why) \
    {protocols, NM_AGENT_##agent, #state, #event, why},
#include "tests/explore_unreached.def"
#undef UNREACHED
    {0}};

const char *ex_excuse(const struct nm_protocol *protocol, enum nm_agent agent, const char *state,
                      const char *event)
{
    for (const struct ex_excuse *e = ex_unreached; e->state; e++)
        if (e->protocols >> (protocol - nm_protocols) & 1 && e->agent == agent &&
            !strcmp(e->state, state) && !strcmp(e->event, event))
            return e->why;
    return NULL;
}
