/*
 * The books of a card's time. The operating system acts a fixed time after a trap, so it says in
 * advance what the time will go to; the next trap may come before.
 */
#include "machine/usage.h"

#include <string.h>

void nm_usage_set(struct nm_usage *u, enum nm_use use, nm_tick at)
{
    if (at >= u->change) {
        u->ticks[u->now] += u->change - u->since;
        u->now = u->then;
        u->since = u->change;
    }
    u->then = use;
    u->change = at > u->since ? at : u->since;
}

void nm_usage_at(const struct nm_usage *u, nm_tick at, struct nm_truth *out)
{
    const nm_tick change = u->change < at ? u->change : at;
    nm_tick ticks[NM_USE__COUNT];
    memcpy(ticks, u->ticks, sizeof ticks);
    ticks[u->now] += change > u->since ? change - u->since : 0;
    ticks[u->then] += at - (change > u->since ? change : u->since);
    out->running = ticks[NM_USE_RUNNING];
    out->system = ticks[NM_USE_SYSTEM];
    out->waiting = ticks[NM_USE_WAITING];
    out->asleep = ticks[NM_USE_ASLEEP];
    out->idle = ticks[NM_USE_IDLE];
}
