/*
 * From one mode to another in the middle of a run.
 *
 * The hard idea is that there is nothing to carry over. All data is in the image; caches and
 * directories are states of lines. After a functional stretch they are as coherent as they were
 * before, only older; after a warm one they are up to date. So a timed machine comes to rest, and
 * stands; another one brings the clocks of stations and rings up to date.
 */
#include "base/alloc.h"
#include "machine/assembly.h"

#include <assert.h>

enum nm_mode nm_machine_mode(const struct nm_machine *m)
{
    return m->mode;
}

void nm_machine_freeze(struct nm_machine *m)
{
    assert(m->mode == NM_MODE_TIMED);
    for (unsigned i = 0; i < m->stations; i++) {
        struct nm_station *s = &m->station[i];
        s->frozen = true;
        for (unsigned c = 0; c < s->cards; c++)
            nm_station_moved(s, c);
    }
}

bool nm_machine_rests(const struct nm_machine *m)
{
    return m->station->frozen && !m->calls.count && nm_machine_asleep(m);
}

/* What has been posted for ticks that are over: looks of counters, which have been given up. */
static void drop_past(struct sim_kernel *k, sim_tick now)
{
    sim_kernel_allow(k, now);
    while (sim_kernel_next(k) < now)
        sim_kernel_step(k);
}

static void go_on_timed(struct nm_machine *m)
{
    for (unsigned i = 0; i < m->stations; i++) {
        struct nm_station *s = &m->station[i];
        drop_past(s->k, m->now);
        sim_kernel_advance(s->k, m->now);
        nm_station_changed(m, s, m->now);
    }
    if (m->net)
        ring_run(m->net, m->now);
    m->watched_at = m->now;
}

static void set_all(struct nm_machine *m, enum nm_mode mode)
{
    for (unsigned i = 0; i < m->cards; i++)
        m->card[i]->ops->set_mode(m->card[i], mode, m->now);
}

void nm_machine_set_mode(struct nm_machine *m, enum nm_mode mode)
{
    assert(nm_value_mode(m->p) == NM_MODE_TIMED && !nm_value_check(m->p) && mode != m->mode);
    assert(m->mode != NM_MODE_TIMED || nm_machine_rests(m));
    if (!m->warm)
        m->warm = sim_alloc(1, sizeof *m->warm);
    for (unsigned i = 0; i < m->stations; i++)
        m->station[i].frozen = false;
    if (m->mode == NM_MODE_WARM && mode == NM_MODE_FUNCTIONAL)
        set_all(m, NM_MODE_TIMED); /* what is asked for is answered, when all have their caches */
    set_all(m, mode);
    m->mode = mode;
    if (mode == NM_MODE_TIMED)
        go_on_timed(m);
}
