/*
 * What tests whose processors make references share.
 */
#include "actors.h"

#include "machine/assembly.h"
#include "machine/values.h"
#include "test_machine.h"

#include <assert.h>

struct nm_machine *actors_machine(const struct nm_params *p)
{
    struct nm_machine *m = nm_machine_assemble(p, &pc_driver);
    nm_machine_set_space(m, &pc_flat_space);
    return m;
}

struct nm_machine *actors_mixture(const struct nm_params *p, const struct nm_params *other)
{
    enum { CARDS = 256 };
    const struct nm_fitting fitting = {&pc_driver, other};
    uint8_t of[CARDS];
    assert(nm_params_cards(p) <= CARDS);
    for (unsigned c = 0; c < nm_params_cards(p); c++)
        of[c] = c % p->processors % 2;
    struct nm_machine *m = nm_machine_new_mixed(p, &pc_driver, &(struct nm_mix){&fitting, 1, of});
    assert(m);
    nm_machine_set_space(m, &pc_flat_space);
    return m;
}

struct pc_reference actors_reference(enum pc_reference_kind kind, uint64_t address)
{
    return (struct pc_reference){.kind = kind, .address = address, .size = 8};
}

struct pc_reference actors_pause(uint64_t n)
{
    return (struct pc_reference){.kind = PC_REFERENCE_COMPUTE, .ticks = n, .state = PC_ST_INT};
}

uint64_t actors_draw(uint64_t *random, uint64_t below)
{
    *random = *random * 6364136223846793005ull + 1442695040888963407ull;
    return (*random >> 33) % below;
}

void actors_params(struct nm_params *p, unsigned processors, unsigned stations, unsigned locals,
                   unsigned groups)
{
    test_machine(p);
    p->processors = processors;
    p->ring_stations = stations;
    p->ring_locals = locals;
    p->ring_groups = groups;
}

void actors_queues(struct nm_params *p, unsigned fifo)
{
    p->bus_fifo = p->ring_output = p->ring_queue = fifo;
    p->ring_input = p->ring_between = fifo < 2 ? 2 : fifo;
}

void actors_plain_params(struct nm_params *p)
{
    nm_params_default(p);
    p->tlb_refill = 0;
}
