/*
 * The memory card: the home of a range of physical addresses. FIFOs to the bus on one side, the
 * master controller (controller.c) with DRAM and a directory entry per line on the other (TR,
 * memory module). Messages of other stations reach it over the bus from the network module.
 *
 * An entry that was never touched is all zero (nm_dir_start), so that memory of the host is used
 * only for lines that are.
 */
#include "machine/memory.h"

#include "base/timer.h"
#include "machine/noncoherent.h"
#include "machine/special.h"
#include "machine/values.h"

struct nm_memory {
    struct sim_kernel *k;
    struct nm_bus *bus;
    struct nm_port port;
    struct nm_controller controller;
    struct nm_special special;
    bool unit_last; /* the special function unit has had its turn */
    struct nm_dir_line *line;
    uint64_t base, lines;
    uint8_t *image;
    struct sim_timer work;
    bool stuck; /* something waits for room */
};

static sim_fire_fn work;

static void wake(struct nm_memory *mem, sim_tick at)
{
    if (sim_timer_set(&mem->work, at))
        sim_post_standing(mem->k, at, SIM_RANK_MODULE, nm_component(NM_MODULE_MEMORY, 0));
}

/* A packet has come over the bus. The work that begins now needs no event when it is next. */
static void on_bus(void *self, sim_tick now)
{
    struct nm_memory *mem = self;
    if (sim_timer_at_once(&mem->work, mem->k, now, SIM_RANK_MODULE,
                          nm_component(NM_MODULE_MEMORY, 0)))
        work(mem, now, 0);
    else
        wake(mem, now);
}

/* A packet has left: room for what waits, if anything does. What waits for its time only is looked
 * at when that has come. */
static void on_sent(void *self, sim_tick now)
{
    struct nm_memory *mem = self;
    if (mem->stuck || mem->special.busy)
        wake(mem, now);
}

struct nm_memory *nm_memory_new(struct sim_kernel *k, struct nm_bus *bus, const struct nm_params *p,
                                const struct nm_place *place, uint64_t base,
                                const struct nm_backing *contents)
{
    struct nm_memory *mem = sim_room_take(contents->parts, sizeof *mem);
    sim_tick cycle = nm_bus_cycle(bus);
    const struct nm_dram_timing timing = {.directory = p->memory_directory * cycle,
                                          .dram = p->memory_dram * cycle,
                                          .recovery = p->memory_recovery * cycle,
                                          .banks = (unsigned)p->memory_banks};
    mem->k = k;
    mem->bus = bus;
    mem->base = base;
    mem->image = contents->image;
    mem->lines = p->memory_size / p->l2_line;
    mem->line = sim_room_take(contents->room, mem->lines * sizeof *mem->line);
    mem->work.at = SIM_NEVER;
    sim_kernel_stand(k, SIM_RANK_MODULE, nm_component(NM_MODULE_MEMORY, 0), work, mem);
    mem->special.retry = p->agent_retry * cycle;
    mem->controller = (struct nm_controller){.agent = NM_AGENT_HOME,
                                             .place = *place,
                                             .module = NM_MODULE_MEMORY,
                                             .copy = NM_CHECK_MEMORY,
                                             .places = UINT64_C(1) << 63,
                                             .timing = timing,
                                             .cycle = cycle,
                                             .bus = bus,
                                             .port = &mem->port};
    mem->controller.place.home = place->station;
    nm_controller_init(&mem->controller, p, contents);
    mem->port = (struct nm_port){.module = mem, .arrived = on_bus, .sent = on_sent};
    nm_bus_attach(bus, NM_MODULE_MEMORY, &mem->port);
    return mem;
}

void nm_memory_free(struct nm_memory *mem)
{
    if (!mem)
        return;
    nm_controller_release(&mem->controller);
}

static struct nm_dir_line *entry(const struct nm_memory *mem, uint64_t line)
{
    return &mem->line[(line - mem->base) >> mem->controller.line_shift];
}

void nm_memory_expect(const struct nm_memory *mem, uint64_t line)
{
    const uint64_t at = (line - mem->base) >> mem->controller.line_shift;
    if (at < mem->lines)
        __builtin_prefetch(&mem->line[at], 1);
}

struct nm_dir_line nm_memory_line(const struct nm_memory *mem, uint64_t line)
{
    return *entry(mem, line);
}

const struct nm_controller *nm_memory_controller(const struct nm_memory *mem)
{
    return &mem->controller;
}

void nm_memory_hear(struct nm_memory *mem, const struct nm_ear *ear)
{
    mem->controller.ear = ear;
}

struct nm_banks_busy nm_memory_banks_busy(const struct nm_memory *mem, sim_tick now)
{
    return nm_controller_banks_busy(&mem->controller, now);
}

uint64_t nm_memory_busy(const struct nm_memory *mem, sim_tick now)
{
    return nm_controller_busy(&mem->controller, now);
}

/* The class of the message to take now, sinkable ones first; NM_CLASSES: none. */
static unsigned next_class(const struct nm_memory *mem, sim_tick now)
{
    for (unsigned c = 0; c < NM_CLASSES; c++)
        if (mem->port.in[c].count && nm_controller_may_take(&mem->controller, c, now))
            return c;
    return NM_CLASSES;
}

/* A message of a module. */
static void take(struct nm_memory *mem, const struct nm_packet *in, sim_tick now)
{
    struct nm_controller *c = &mem->controller;
    if (nm_is_noncoherent(in->message))
        nm_noncoherent_take(c, mem->image, in, now);
    else if (in->message == NM_MSG_SF_LOOK)
        nm_special_look(c, in, in->line, entry(mem, in->line), now);
    else if (nm_special_wants(in->message))
        nm_special_take(&mem->special, c, in, now);
    else if (nm_controller_admits(c, in, in->source == NM_MODULE_NETWORK, now) &&
             nm_controller_take(c, entry(mem, in->line), in, in->source == NM_MODULE_NETWORK, now))
        nm_special_saw(&mem->special, c, in->line, false, now);
    if (in->message == NM_MSG_INVALIDATE)
        nm_stale_handled(c->stale, c->place.station, in->line);
    nm_check_release(c->check, in->data);
}

void nm_memory_at_once(struct nm_memory *mem, const struct nm_packet *in, struct nm_sends *sends)
{
    nm_controller_at_once(&mem->controller, entry(mem, in->line), in,
                          in->source == NM_MODULE_NETWORK, sends);
}

/* The special function unit's turn. False: it has nothing. */
static bool special(struct nm_memory *mem, sim_tick now)
{
    struct nm_controller *c = &mem->controller;
    struct nm_packet request;
    if (!mem->special.busy || !nm_special_next(&mem->special, c, now, &request))
        return false;
    if (!nm_controller_has_turn(c, &request, false, now))
        nm_special_refused(&mem->special, now);
    else if (nm_controller_take(c, entry(mem, request.line), &request, false, now))
        nm_special_saw(&mem->special, c, request.line, true, now);
    return true;
}

/* Not before sinkable messages, and taking turns with others. But when a claim's line is here, it
 * is reserved before anybody can take it again. */
static bool is_units_turn(const struct nm_memory *mem, unsigned class)
{
    const bool first = !mem->unit_last || mem->special.phase == NM_SPECIAL_RESERVE;
    return class == NM_CLASSES || (class == NM_NONSINKABLE && first);
}

static void work(void *self, sim_tick now, uint64_t arg)
{
    struct nm_memory *mem = self;
    struct nm_controller *c = &mem->controller;
    (void)arg;
    if (!sim_timer_fires(&mem->work, now))
        return;
    nm_controller_drain(c, now);
    unsigned class = next_class(mem, now);
    if (is_units_turn(mem, class) && special(mem, now))
        mem->unit_last = true;
    else if (class != NM_CLASSES) {
        mem->unit_last = mem->unit_last && class == NM_SINKABLE;
        const struct nm_packet *in = nm_fifo_pop(&mem->port.in[class], now);
        nm_bus_drained(mem->bus, &mem->port, now);
        take(mem, in, now);
    }
    nm_controller_drain(c, now);
    if (nm_controller_holds(c))
        wake(mem, nm_controller_next(c, now));
    if (mem->special.busy)
        wake(mem, nm_special_wake(&mem->special, c, now));
    mem->stuck = nm_controller_stuck(c, now);
    if (mem->port.in[NM_SINKABLE].count | mem->port.in[NM_NONSINKABLE].count) {
        if (c->free_at > now)
            wake(mem, c->free_at);
        else
            mem->stuck = true;
    }
    mem->port.awaits_room = mem->stuck || mem->special.busy;
}
