/*
 * Reads the monitors of the machine: counters of the bus, of the memory card, of the network cache
 * and of the ring interfaces, FIFO depths, and the histogram of line states found at each access
 * to a directory (TR, monitoring).
 *
 * The hard idea: nothing is sampled. A FIFO's mean depth is the sum over its packets of the time
 * each of them stayed, and that needs one subtraction when a packet comes and one addition when it
 * goes; those still there are added when somebody looks.
 */
#include "machine/statistics.h"

#include "machine/memory.h"
#include "machine/network.h"

#include <string.h>

/* ---- the coherence histogram ----------------------------------------------------------------- */

const char *nm_histogram_row_name(unsigned row)
{
    static const char *const names[NM_ROWS] = {"LV", "LI", "GV", "GI", "N"};
    return names[row];
}

/* Folds the protocol's states into rows. */
static void fold(const struct nm_controller *c, nm_histogram out)
{
    for (unsigned state = 0; state < c->table->states; state++) {
        const unsigned row = c->table->state[state].row;
        const bool locked = nm_locked(c->table, (uint8_t)state);
        for (unsigned message = 0; message < NM_MSG__COUNT; message++)
            for (unsigned far = 0; far < 2; far++)
                out[row][locked][message][far] += c->seen[state][message][far];
    }
}

/* ---- stations -------------------------------------------------------------------------------- */

static void look_ports(const struct nm_bus *bus, sim_tick now, struct nm_station_monitor *out)
{
    for (unsigned m = 0; m < NM_MODULES; m++) {
        const struct nm_port *port = nm_bus_port(bus, m);
        for (unsigned i = 0; port && i < 2 * NM_CLASSES; i++) {
            bool outgoing = i >= NM_CLASSES;
            unsigned class = i % NM_CLASSES, fifo = nm_port_fifo(m, outgoing, class);
            const struct nm_fifo *f = outgoing ? &port->out[class] : &port->in[class];
            out->sum.filled[fifo] = f->filled + f->count * now;
            out->most.deepest[fifo] = f->deepest;
        }
    }
}

static void look_memory(const struct nm_memory *memory, sim_tick now,
                        struct nm_station_monitor *out)
{
    const struct nm_controller *c = nm_memory_controller(memory);
    out->sum.memory_busy = nm_memory_busy(memory, now);
    out->sum.memory_refused = c->refused;
    out->sum.memory_no_room = c->no_room;
    out->sum.memory_accesses = c->accesses;
    fold(c, out->sum.histogram[NM_HISTOGRAM_MEMORY]);
}

static void look_netcache(const struct nm_network *network, sim_tick now,
                          struct nm_station_monitor *out)
{
    const struct nm_controller *c = nm_network_controller(network);
    const struct nm_netcache_count n = nm_netcache_count(nm_network_cache(network));
    out->sum.netcache_busy = nm_network_busy(network, now);
    out->sum.netcache_refused = c->refused;
    out->sum.netcache_no_room = c->no_room;
    out->sum.netcache_accesses = c->accesses;
    fold(c, out->sum.histogram[NM_HISTOGRAM_NETCACHE]);
    out->sum.requests = n.requests;
    out->sum.hits = n.hits;
    out->sum.migration = n.migration;
    out->sum.caching = n.caching;
    out->sum.localised = n.localised;
    out->sum.misses = n.misses;
    out->sum.combined = c->combined;
    out->sum.false_remote = n.false_remote;
    out->sum.special = n.special;
    out->sum.ejections = n.ejections;
    for (unsigned class = 0; class < NM_CLASSES; class ++) {
        struct nm_delivered_count d = nm_network_delivered(network, class, now);
        out->sum.filled[NM_FIFO_DELIVERED + class] = d.filled;
        out->most.deepest[NM_FIFO_DELIVERED + class] = d.deepest;
    }
}

static void look_interface(const struct nm_station_parts *parts, struct nm_station_monitor *out)
{
    struct ring_interface_count c = ring_net_interface(parts->net, parts->number);
    out->sum.sent_header = c.sent_header;
    out->sum.sent_data = c.sent_data;
    out->sum.received_header = c.received_header;
    out->sum.received_data = c.received_data;
    out->sum.copies = c.copies;
    for (unsigned class = 0; class < NM_CLASSES; class ++) {
        out->sum.filled[NM_FIFO_OUTPUT + class] = c.output[class].integral;
        out->most.deepest[NM_FIFO_OUTPUT + class] = c.output[class].deepest;
    }
    out->sum.filled[NM_FIFO_INPUT] = c.input.integral * parts->ring_cycle;
    out->most.deepest[NM_FIFO_INPUT] = c.input.deepest;
}

void nm_station_look(const struct nm_station_parts *parts, sim_tick now,
                     struct nm_station_monitor *out)
{
    memset(out, 0, sizeof *out);
    out->sum.bus_busy = nm_bus_busy(parts->bus, now);
    look_ports(parts->bus, now, out);
    look_memory(parts->memory, now, out);
    if (!parts->network)
        return;
    look_netcache(parts->network, now, out);
    look_interface(parts, out);
}

/* ---- rings ----------------------------------------------------------------------------------- */

struct ring_shape nm_ring_shape(const struct nm_params *p)
{
    return (struct ring_shape){.levels = nm_value_ring_groups(p) > 1   ? 3
                                         : nm_value_ring_locals(p) > 1 ? 2
                                                                       : 1,
                               .fan = {(unsigned)nm_value_ring_stations(p),
                                       (unsigned)nm_value_ring_locals(p),
                                       (unsigned)nm_value_ring_groups(p)}};
}

static unsigned rings_of_level(const struct ring_shape *shape, unsigned level)
{
    unsigned rings = 1;
    for (unsigned l = level + 1; l < shape->levels; l++)
        rings *= shape->fan[l];
    return rings;
}

unsigned nm_ring_count(const struct nm_params *p)
{
    const struct ring_shape shape = nm_ring_shape(p);
    unsigned rings = 0;
    if (nm_params_stations(p) <= 1)
        return 0;
    for (unsigned level = 0; level < shape.levels; level++)
        rings += rings_of_level(&shape, level);
    return rings;
}

struct nm_ring_place nm_ring_place(const struct nm_params *p, unsigned ring)
{
    const struct ring_shape shape = nm_ring_shape(p);
    struct nm_ring_place place = {.index = ring};
    while (place.index >= rings_of_level(&shape, place.level))
        place.index -= rings_of_level(&shape, place.level++);
    place.top = place.level + 1 == shape.levels;
    place.nodes = shape.fan[place.level] + !place.top;
    return place;
}

void nm_ring_look(const struct ring_net *net, sim_tick ring_cycle, struct nm_ring_place place,
                  struct nm_ring_monitor *out)
{
    memset(out, 0, sizeof *out);
    for (unsigned node = 0; node < place.nodes; node++) {
        struct ring_link_count link = ring_net_link(net, place.level, place.index, node);
        out->sum.link[node] = link.busy;
        out->sum.halted = link.halted;
    }
    if (place.top)
        return;
    struct ring_between_count c = ring_net_between(net, place.level, place.index);
    out->sum.up = c.up;
    out->sum.down = c.down;
    out->sum.between = c.copies;
    out->sum.held = c.held;
    out->sum.up_filled = c.up_fifo.integral * ring_cycle;
    out->sum.down_filled = c.down_fifo.integral * ring_cycle;
    out->most.up_deepest = c.up_fifo.deepest;
    out->most.down_deepest = c.down_fifo.deepest;
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

static void add_words(void *sum, const void *now, const void *start, size_t size)
{
    uint64_t *s = sum;
    const uint64_t *n = now, *b = start;
    for (size_t i = 0; i < size / sizeof *s; i++)
        s[i] += n[i] - b[i];
}

static void greatest_words(void *most, const void *now, size_t size)
{
    uint64_t *m = most;
    const uint64_t *n = now;
    for (size_t i = 0; i < size / sizeof *m; i++)
        m[i] = n[i] > m[i] ? n[i] : m[i];
}

void nm_station_monitor_add(struct nm_station_monitor *sum, const struct nm_station_monitor *now,
                            const struct nm_station_monitor *start)
{
    add_words(&sum->sum, &now->sum, &start->sum, sizeof sum->sum);
    greatest_words(&sum->most, &now->most, sizeof sum->most);
}

void nm_ring_monitor_add(struct nm_ring_monitor *sum, const struct nm_ring_monitor *now,
                         const struct nm_ring_monitor *start)
{
    add_words(&sum->sum, &now->sum, &start->sum, sizeof sum->sum);
    greatest_words(&sum->most, &now->most, sizeof sum->most);
}
