/*
 * The books of a card's time. The operating system acts a fixed time after a trap, so it says in
 * advance what the time will go to; the next trap may come before.
 */
#include "machine/usage.h"

#include <string.h>

/* The first change has come. */
static void happen(struct nm_usage *u)
{
    u->ticks[u->now] += u->next[0].at - u->since;
    u->now = u->next[0].use;
    u->since = u->next[0].at;
    u->changes--;
    memmove(u->next, u->next + 1, u->changes * sizeof *u->next);
}

void nm_usage_set(struct nm_usage *u, enum nm_use use, sim_tick at)
{
    while (u->changes && u->next[u->changes - 1].at > at)
        u->changes--;
    if (u->changes == NM_USAGE_AHEAD)
        happen(u);
    u->next[u->changes++] = (struct nm_usage_change){use, at > u->since ? at : u->since};
}

void nm_usage_at(const struct nm_usage *u, sim_tick at, struct nm_truth *out)
{
    struct nm_usage then = *u;
    while (then.changes && then.next[0].at <= at)
        happen(&then);
    const sim_tick *const ticks = then.ticks;
    then.ticks[then.now] += at > then.since ? at - then.since : 0;
    out->running = ticks[NM_USE_RUNNING];
    out->system = ticks[NM_USE_SYSTEM];
    out->waiting = ticks[NM_USE_WAITING];
    out->asleep = ticks[NM_USE_ASLEEP];
    out->idle = ticks[NM_USE_IDLE];
}
