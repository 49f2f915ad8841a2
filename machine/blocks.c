/*
 * Blocks: which stations each host thread lets run.
 *
 * Blocks are the same for a whole run: what processors know of a program's code is shared within a
 * block (programs/linux/processor/processor.c), so a station does not change its thread.
 */
#include "base/alloc.h"
#include "base/crew.h"
#include "machine/assembly.h"

#include <stdlib.h>

void nm_blocks_new(struct nm_machine *m, unsigned count)
{
    m->block = sim_alloc(count, sizeof *m->block);
    m->blocks = count;
    for (unsigned b = 0; b < count; b++) {
        struct nm_block *block = &m->block[b];
        block->first = b * m->stations / count;
        block->end = (b + 1) * m->stations / count;
        for (unsigned i = block->first; i < block->end; i++)
            m->station[i].block = block;
    }
}

void nm_blocks_free(struct nm_machine *m)
{
    sim_crew_free(m->crew);
    free(m->block);
}

unsigned nm_machine_host_threads(struct nm_machine *m, unsigned threads)
{
    const unsigned count = threads < m->stations ? threads : m->stations;
    if (count < 2 || m->mode != NM_MODE_TIMED || !m->together || m->in_turn || m->crew)
        return m->blocks;
    struct sim_crew *crew = sim_crew_new(count);
    if (!crew)
        return m->blocks;
    nm_blocks_free(m);
    nm_blocks_new(m, count);
    m->crew = crew;
    ring_share(m->net);
    return count;
}

bool nm_machine_ever_shares(const struct nm_machine *m)
{
    return m->stations >= NM_SHARED_LEAST * m->blocks;
}

unsigned nm_machine_block(const struct nm_machine *m, unsigned card)
{
    return (unsigned)(m->station[card / nm_value_processors(m->p)].block - m->block);
}

void nm_machine_in_turn(struct nm_machine *m)
{
    m->in_turn = true;
}
