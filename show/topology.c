/*
 * How a machine hangs together, as a tree, as a graph for Graphviz and as a platform of SimGrid.
 *
 * A ring's children are its nodes 0, 1, ...; its last node is the interface to the ring above,
 * which at the same time is a node of that ring. Slots go from each node to the next and from the
 * last to node 0.
 */
#include "show/topology.h"

#include "base/plural.h"
#include "input/units.h"
#include "machine/values.h"
#include "programs/platform.h"

#include <string.h>

const char *show_ring_name(const struct show_topology *t, unsigned level, unsigned index,
                           char buf[32])
{
    if (t->shape.levels == 1)
        snprintf(buf, 32, "ring");
    else if (level + 1 == t->shape.levels)
        snprintf(buf, 32, "central ring");
    else
        snprintf(buf, 32, "%s ring %u", level == 0 ? "local" : "upper", index);
    return buf;
}

/* "1 station", "4 stations". */
static const char *topology_some(unsigned count, const char *what, char buf[32])
{
    snprintf(buf, 32, "%u %s%s", count, what, sim_plural(count));
    return buf;
}

enum { NAMES = 128 };

struct show_topology show_topology_of(const struct in_machine *machine, const char *name)
{
    return (struct show_topology){.name = name,
                                  .machine = machine,
                                  .shape = nm_ring_shape(machine->params),
                                  .stations = (unsigned)nm_params_stations(machine->params),
                                  .rings = nm_ring_count(machine->params)};
}

const char *show_core_name(const struct show_topology *t, unsigned card, char buf[SHOW_CORE_NAME])
{
    size_t count;
    const struct nm_param_row *rows = nm_param_rows(&count);
    for (size_t i = 0; i < count; i++) {
        const struct in_form form = in_param_form(&rows[i]);
        if (!strcmp(rows[i].key, "processor.core"))
            in_value_format(&form, nm_param_get(in_card_params(t->machine, card), &rows[i]), buf,
                            SHOW_CORE_NAME);
    }
    return buf;
}

/* "processor 5" or "processors 4-7"; of a machine with several kinds, "processors 0-1 (r4400,
 * r10000)". */
static const char *topology_processors(const struct show_topology *t, unsigned station,
                                       char buf[NAMES])
{
    const unsigned n = (unsigned)t->machine->params->processors, first = station * n;
    size_t used;
    if (n == 1)
        used = (size_t)snprintf(buf, NAMES, "processor %u", first);
    else
        used = (size_t)snprintf(buf, NAMES, "processors %u-%u", first, first + n - 1);
    for (unsigned c = first; t->machine->mix.fittings && c < first + n; c++) {
        char core[SHOW_CORE_NAME];
        used += (size_t)snprintf(buf + used, NAMES - used, "%s%s", c == first ? " (" : ", ",
                                 show_core_name(t, c, core));
    }
    if (t->machine->mix.fittings)
        snprintf(buf + used, NAMES - used, ")");
    return buf;
}

/* ---- as text --------------------------------------------------------------------------------- */

static void print_station(const struct show_topology *t, unsigned station, FILE *out)
{
    char cards[NAMES];
    const uint64_t base = station * t->machine->params->memory_size;
    fprintf(out, "station %u: %s, memory %#llx-%#llx\n", station,
            topology_processors(t, station, cards), (unsigned long long)base,
            (unsigned long long)(base + t->machine->params->memory_size - 1));
}

/* The children of a ring, each under `prefix`. */
static void print_ring(const struct show_topology *t, unsigned level, unsigned index,
                       const char *prefix, FILE *out)
{
    const unsigned fan = t->shape.fan[level];
    for (unsigned i = 0; i < fan; i++) {
        const bool last = i + 1 == fan;
        const unsigned child = index * fan + i;
        char name[32], below[64], nodes[32];
        fprintf(out, "%s%s", prefix, last ? "`-- " : "|-- ");
        if (level == 0) {
            print_station(t, child, out);
            continue;
        }
        fprintf(out, "%s: %s and the interface above\n", show_ring_name(t, level - 1, child, name),
                topology_some(t->shape.fan[level - 1], level == 1 ? "station" : "ring", nodes));
        snprintf(below, sizeof below, "%s%s", prefix, last ? "    " : "|   ");
        print_ring(t, level - 1, child, below, out);
    }
}

static void print_facts(const struct show_topology *t, FILE *out)
{
    const struct in_form frequency = {IN_FREQ, "Hz", 0, UINT64_MAX};
    char a[48], b[48], cpu[40], bus[40], ring[40];
    const struct nm_params *p = t->machine->params;
    in_value_format(&frequency, p->cpu_clock, cpu, sizeof cpu);
    in_value_format(&frequency, p->bus_clock, bus, sizeof bus);
    in_value_format(&frequency, p->ring_clock, ring, sizeof ring);
    fprintf(out, "%s: %s at %s, %s", t->name,
            topology_some(t->stations * (unsigned)p->processors, "processor", a), cpu,
            topology_some(t->stations, "station", b));
    fprintf(out, " with a bus of %llu bytes at %s", (unsigned long long)p->bus_width, bus);
    if (t->rings)
        fprintf(out, ", %s of %llu bytes at %s", topology_some(t->rings, "ring", a),
                (unsigned long long)p->ring_width, ring);
    fputc('\n', out);
}

void show_topology_text(const struct show_topology *t, FILE *out)
{
    char name[32], nodes[32];
    const unsigned top = t->shape.levels - 1;
    print_facts(t, out);
    if (!t->rings) {
        print_station(t, 0, out);
        return;
    }
    fprintf(out, "%s: %s\n", show_ring_name(t, top, 0, name),
            topology_some(t->shape.fan[top], top ? "ring" : "station", nodes));
    print_ring(t, top, 0, "", out);
}

/* ---- for Graphviz ---------------------------------------------------------------------------- */

/* Name of node `node` of a ring: a station, or an interface, named by the ring below it. */
static const char *graph_node(const struct show_topology *t, struct nm_ring_place ring,
                              unsigned node, char buf[32])
{
    const unsigned fan = t->shape.fan[ring.level];
    if (node == fan)
        snprintf(buf, 32, "interface_%u_%u", ring.level, ring.index);
    else if (ring.level == 0)
        snprintf(buf, 32, "station_%u", ring.index * fan + node);
    else
        snprintf(buf, 32, "interface_%u_%u", ring.level - 1, ring.index * fan + node);
    return buf;
}

static void graph_ring(const struct show_topology *t, struct nm_ring_place ring, FILE *out)
{
    static const char *const color[RING_LEVELS] = {"#1f77b4", "#d95f02", "#7b3294"};
    char name[32], from[32], to[32];
    fprintf(out, "  /* %s */\n", show_ring_name(t, ring.level, ring.index, name));
    if (!ring.top)
        fprintf(out, "  interface_%u_%u [shape=circle, label=\"%s\"];\n", ring.level, ring.index,
                name);
    for (unsigned node = 0; node < ring.nodes; node++)
        fprintf(out, "  %s -> %s [color=\"%s\"];\n", graph_node(t, ring, node, from),
                graph_node(t, ring, (node + 1) % ring.nodes, to), color[ring.level]);
}

void show_topology_dot(const struct show_topology *t, FILE *out)
{
    char cards[NAMES];
    fprintf(out, "digraph \"%s\" {\n  layout=neato; overlap=false; splines=true;\n", t->name);
    fputs("  node [fontname=\"Helvetica\", fontsize=10];\n  /* stations */\n", out);
    for (unsigned s = 0; s < t->stations; s++)
        fprintf(out, "  station_%u [shape=box, style=rounded, label=\"station %u\\n%s\"];\n", s, s,
                topology_processors(t, s, cards));
    for (unsigned r = 0; r < t->rings; r++)
        graph_ring(t, nm_ring_place(t->machine->params, r), out);
    fputs("}\n", out);
}

/* ---- for SimGrid ----------------------------------------------------------------------------- */

void show_topology_simgrid(const struct show_topology *t, FILE *out)
{
    prog_platform_write(t->machine->params, t->name, false, out);
}
