/* A card's pipeline in a run. */
#include "watch/stages.h"

#include "procard/procard.h"

#include <stdio.h>

static enum run_begun stages_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct watch_stages *s = self;
    s->live = live;
    if (s->card >= nm_machine_cards(live->machine))
        snprintf(why, size, "--card: the machine has cards 0 to %u",
                 nm_machine_cards(live->machine) - 1);
    else if (!pc_has_steps(live->machine, s->card))
        snprintf(
            why, size,
            "--konata: this run's processors tell nothing of their pipeline; an R10000, R12000 "
            "or ARM11 that is not profiled does");
    else
        return RUN_BEGUN;
    return RUN_REFUSED;
}

static sim_tick stages_first(void *self)
{
    return ((const struct watch_stages *)self)->from;
}

static sim_tick stages_moment(void *self, sim_tick at)
{
    struct watch_stages *s = self;
    if (!s->pipeline) {
        s->pipeline = watch_pipeline_new();
        s->follows = true;
        pc_follow_steps(s->live->machine, s->card, watch_pipeline_steps(s->pipeline));
    } else if (at >= s->to && s->follows) {
        pc_follow_steps(s->live->machine, s->card, NULL);
        s->follows = false;
    }
    return s->follows ? s->to : SIM_NEVER;
}

static void stages_finish(void *self, sim_tick at)
{
    (void)at;
    ((struct watch_stages *)self)->ran = true;
}

static void stages_concluded(void *self)
{
    struct watch_stages *s = self;
    s->result = s->live->run.hash.result;
    s->whole = s->live->run.outcome.end == PROG_EXITED;
}

static void stages_release(void *self)
{
    struct watch_stages *s = self;
    if (s->follows)
        pc_follow_steps(s->live->machine, s->card, NULL);
    s->follows = false;
}

const struct run_observer watch_stages_observer = {.begin = stages_begin,
                                                   .first = stages_first,
                                                   .moment = stages_moment,
                                                   .finish = stages_finish,
                                                   .concluded = stages_concluded,
                                                   .release = stages_release};
