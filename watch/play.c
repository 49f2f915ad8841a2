/*
 * Scenarios: played by the workload that measures latencies, with somebody who listens from where
 * the measured access begins.
 */
#include "watch/play.h"

#include "programs/driven/latency.h"

#include <stdio.h>
#include <stdlib.h>

static const struct driven_scenario *play_scenario(size_t i)
{
    size_t accesses = 0;
    while (accesses < i && driven_scenario(accesses))
        accesses++;
    return accesses == i && driven_scenario(i) ? driven_scenario(i) : driven_scene(i - accesses);
}

const char *watch_scenario(size_t i)
{
    const struct driven_scenario *s = play_scenario(i);
    return s ? s->name : NULL;
}

const char *watch_scenario_says(size_t i)
{
    const struct driven_scenario *s = play_scenario(i);
    return s ? s->sentence : NULL;
}

struct playing {
    struct watch_listening *live;
    struct watch_record *record;
};

static void play_begins(void *ctx, struct nm_machine *m, sim_tick start)
{
    (void)start;
    ((struct playing *)ctx)->live = watch_open(m, true);
}

static void play_ends(void *ctx, struct nm_machine *m)
{
    struct playing *playing = ctx;
    (void)m;
    watch_close(playing->live, playing->record);
}

bool watch_play(const struct nm_params *p, const struct watch_wish *wish,
                struct watch_record *record, struct watch_title *title, char *why, size_t size)
{
    const struct driven_scenario *s = play_scenario(wish->scenario);
    const char *protocol = nm_protocols[nm_value_protocol(p)].name;
    unsigned station[DRIVEN_ROLES];
    struct playing playing = {.record = record};
    const struct driven_witness witness = {
        .ctx = &playing, .begins = play_begins, .ends = play_ends};
    const unsigned roles = driven_stations(p, wish->level, station);
    if (!driven_applies(s, nm_value_protocol(p))) {
        snprintf(why, size, "protocol %s knows no such access", protocol);
        return false;
    }
    if (!driven_fits(s, p, roles)) {
        snprintf(why, size, "the machine has not the stations or cards for it, so far apart");
        return false;
    }
    struct nm_params *quiet = driven_quiet(p);
    const struct driven_latency l = driven_witnessed(quiet, s, station, 0, &witness);
    free(quiet);
    if (*l.error) {
        if (record->row)
            watch_record_free(record);
        snprintf(why, size, "%s", l.error);
        return false;
    }
    *title = (struct watch_title){.name = s->name,
                                  .sentence = s->sentence,
                                  .machine = wish->machine,
                                  .origin = l.start,
                                  .over = l.over};
    return true;
}
