/*
 * What tests with processors of their own share: a machine whose pages are where their addresses
 * say, and a core that knows its actor.
 */
#include "actors.h"

#include "monitor/board/board.h"

/* The core. */
struct acting {
    struct pc_cpu base;
    void *actor;
};

static const struct pc_core_ops core = {
    .name = "actors", .size = sizeof(struct acting), .run = acting_run};

const struct nm_card_kind actors_kind = {&pc_card_ops, &core, &mon_numachine};

void *actor_of(const struct pc_cpu *cpu)
{
    return ((const struct acting *)cpu)->actor;
}

enum pc_stop actors_take_turns(struct pc_cpu *cpu, nm_tick horizon, actors_turn_fn *turn)
{
    enum pc_stop stop = PC_STOP_HORIZON;
    cpu->horizon = horizon;
    while (cpu->now < horizon)
        switch (turn(cpu, actor_of(cpu), &stop)) {
        case ACTORS_DONE:
            break;
        case ACTORS_WAITS:
            return stop;
        default:
            cpu->exc = PC_EXC_SYS;
            return PC_STOP_TRAP;
        }
    return PC_STOP_HORIZON;
}

void actors_spend(struct pc_cpu *cpu, enum pc_status state, uint64_t n)
{
    cpu->tail = (struct pc_tail){.did = 1, .done = state};
    pc_charge(cpu, state, n);
}

uint8_t *actors_refer(struct pc_cpu *cpu, enum actors_reference what, uint64_t address,
                      enum pc_stop *stop, bool *failed)
{
    *failed = false;
    switch (what) {
    case ACTORS_LOAD:
        return pc_load(cpu, address, 8, cpu->now, stop);
    case ACTORS_STORE:
        return pc_store(cpu, address, 8, cpu->now, stop);
    case ACTORS_LINKED:
        return pc_load_linked(cpu, address, 8, cpu->now, stop);
    default:
        return pc_store_conditional(cpu, address, 8, cpu->now, stop, failed);
    }
}

void actors_start(struct nm_machine *m, unsigned card, void *actor, nm_tick at)
{
    ((struct acting *)pc_cpu_at(m, card))->actor = actor;
    nm_card_resume(m, card, at);
}

static enum nm_xlate translate(void *ctx, unsigned card, uint64_t va, enum nm_access access,
                               uint64_t *pa)
{
    (void)ctx, (void)card, (void)access;
    *pa = va & (UNCACHED - 1);
    return va & NONCOHERENT                       ? NM_XLATE_NONCOHERENT
           : va & UNCACHED || *pa >= NM_REGISTERS ? NM_XLATE_UNCACHED
                                                  : NM_XLATE_OK;
}

struct nm_machine *actors_machine(const struct nm_params *p)
{
    const struct nm_space space = {.translate = translate};
    struct nm_machine *m = nm_machine_new(p, &actors_kind);
    nm_machine_set_space(m, &space);
    return m;
}

uint64_t actors_draw(uint64_t *random, uint64_t below)
{
    *random = *random * 6364136223846793005ull + 1442695040888963407ull;
    return (*random >> 33) % below;
}

void actors_params(struct nm_params *p, unsigned processors, unsigned stations, unsigned locals,
                   unsigned groups)
{
    nm_params_default(p);
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
    size_t rows;
    const struct nm_param_row *row = nm_param_rows(&rows);
    for (size_t i = 0; i < rows; i++)
        nm_param_set(p, &row[i], row[i].def);
    p->tlb_refill = 0;
}
