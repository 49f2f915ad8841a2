/*
 * Platform files for SimGrid, 3.32 or 4.0.
 *
 * The hard idea is what a link is. The rings are slotted and go one way: a message takes a slot of
 * every segment from where it enters to where it leaves, and none of the others. So a link is a
 * segment, not a ring, and the way there and the way back are different links. A route between two
 * of 256 stations may have 40 links; but only the routes of a ring between its own nodes are
 * written, and SimGrid joins them at the interfaces, which are zones of one router each.
 *
 * SimGrid takes times below its precision of a nanosecond for nothing, or for a nanosecond. A cycle
 * has some of these. So the file sets the precision itself, to a thousandth of a picosecond.
 */
#include "programs/platform.h"

#include "base/alloc.h"
#include "machine/statistics.h"
#include "machine/values.h"

struct writer {
    const struct nm_params *p;
    struct ring_shape shape;
    FILE *out;
};

/* ---- for a run ------------------------------------------------------------------------------- */

static void open_file(FILE *f)
{
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n",
          f);
}

char *prog_platform_hosts(const struct nm_params *p)
{
    char *text = NULL;
    size_t size;
    FILE *f = sim_text_open(&text, &size);

    open_file(f);
    fputs("<zone id=\"numachine\" routing=\"None\">\n<host id=\"hardware\" speed=\"1f\"/>\n", f);
    for (uint64_t i = 0; i < nm_params_cards(p); i++)
        fprintf(f, "<host id=\"card-%u\" speed=\"1f\"/>\n", (unsigned)i);
    fputs("</zone>\n</platform>\n", f);
    sim_text_close(f, &text);
    return text;
}

/* ---- links ----------------------------------------------------------------------------------- */

double prog_platform_bandwidth(const struct nm_params *p, uint64_t width, uint64_t clock)
{
    const uint64_t data = (p->l2_line + width - 1) / width;
    return (double)p->l2_line * (double)clock / (double)(data + 1);
}

static void link_open(const struct writer *w, uint64_t width, uint64_t clock, uint64_t cycles)
{
    fprintf(w->out, "\" bandwidth=\"%.17gBps\" latency=\"%.17gs\"/>\n",
            prog_platform_bandwidth(w->p, width, clock), (double)cycles / (double)clock);
}

static void ring_link(const struct writer *w, uint64_t cycles)
{
    link_open(w, w->p->ring_width, w->p->ring_clock, cycles);
}

/* ---- stations -------------------------------------------------------------------------------- */

/* Modules of a station, each on its bus: the cards, then memory and network card. */
static void platform_module(const struct writer *w, unsigned station, uint64_t i, char name[32])
{
    const uint64_t cards = w->p->processors;
    if (i < cards)
        snprintf(name, 32, "card-%u", (unsigned)(station * cards + i));
    else
        snprintf(name, 32, "%s-%u", i == cards ? "memory" : "network", station);
}

static void platform_station(const struct writer *w, unsigned s)
{
    const struct nm_params *p = w->p;
    const uint64_t modules = p->processors + 2;
    char a[32], b[32];
    fprintf(w->out, "<zone id=\"station-%u\" routing=\"Full\">\n", s);
    for (uint64_t i = 0; i < modules; i++) {
        const uint64_t speed = i < p->processors    ? p->cpu_clock
                               : i == p->processors ? p->bus_clock * p->memory_banks
                                                    : p->bus_clock * p->netcache_banks;
        platform_module(w, s, i, a);
        fprintf(w->out, "<host id=\"%s\" speed=\"%lluf\"/>\n", a, (unsigned long long)speed);
    }
    fprintf(w->out, "<link id=\"bus-%u", s);
    link_open(w, p->bus_width, p->bus_clock, p->bus_arbitration + 1);
    for (uint64_t i = 0; i < modules; i++)
        for (uint64_t j = i + 1; j < modules; j++) {
            platform_module(w, s, i, a);
            platform_module(w, s, j, b);
            fprintf(w->out, "<route src=\"%s\" dst=\"%s\"><link_ctn id=\"bus-%u\"/></route>\n", a,
                    b, s);
        }
    fputs("</zone>\n", w->out);
}

/* ---- rings ----------------------------------------------------------------------------------- */

static bool is_top(const struct writer *w, unsigned level)
{
    return level + 1 == w->shape.levels;
}

/* The zone of a node of a ring, and what its routes end at. */
static void node_names(const struct writer *w, unsigned level, unsigned ring, unsigned node,
                       char zone[32], char gate[32])
{
    const unsigned child = ring * w->shape.fan[level] + node;
    if (node == w->shape.fan[level]) {
        snprintf(zone, 32, "above-%u-%u", level, ring);
        snprintf(gate, 32, "interface-%u-%u", level, ring);
    } else if (level == 0) {
        snprintf(zone, 32, "station-%u", child);
        snprintf(gate, 32, "network-%u", child);
    } else {
        snprintf(zone, 32, "ring-%u-%u", level - 1, child);
        snprintf(gate, 32, "interface-%u-%u", level - 1, child);
    }
}

/* What a message passes between a node and its ring's first segment (in: last segment). */
static void end_link(const struct writer *w, unsigned level, unsigned ring, unsigned node, bool in)
{
    const unsigned fan = w->shape.fan[level], child = ring * fan + node;
    if (node == fan)
        fprintf(w->out, "<link_ctn id=\"%s-%u-%u\"/>", in ? "up" : "down", level, ring);
    else if (level == 0)
        fprintf(w->out, "<link_ctn id=\"%s-%u\"/>", in ? "handler" : "generator", child);
}

static void ring_route(const struct writer *w, unsigned level, unsigned ring, unsigned from,
                       unsigned to)
{
    const unsigned nodes = w->shape.fan[level] + !is_top(w, level);
    char source[32], source_gate[32], target[32], target_gate[32];
    node_names(w, level, ring, from, source, source_gate);
    node_names(w, level, ring, to, target, target_gate);
    fprintf(w->out,
            "<zoneRoute src=\"%s\" dst=\"%s\" gw_src=\"%s\" gw_dst=\"%s\" symmetrical=\"NO\">",
            source, target, source_gate, target_gate);
    end_link(w, level, ring, from, false);
    for (unsigned n = from; n != to; n = (n + 1) % nodes)
        fprintf(w->out, "<link_ctn id=\"ring-%u-%u-%u\"/>", level, ring, n);
    end_link(w, level, ring, to, true);
    fputs("</zoneRoute>\n", w->out);
}

static void ring_links(const struct writer *w, unsigned level, unsigned ring)
{
    const unsigned fan = w->shape.fan[level], nodes = fan + !is_top(w, level);
    for (unsigned n = 0; n < nodes; n++) {
        fprintf(w->out, "<link id=\"ring-%u-%u-%u", level, ring, n);
        ring_link(w, 1);
    }
    for (unsigned n = 0; n < fan && level == 0; n++) {
        fprintf(w->out, "<link id=\"generator-%u", ring * fan + n);
        ring_link(w, w->p->ring_generator);
        fprintf(w->out, "<link id=\"handler-%u", ring * fan + n);
        ring_link(w, w->p->ring_handler);
    }
    if (is_top(w, level))
        return;
    fprintf(w->out, "<link id=\"up-%u-%u", level, ring);
    ring_link(w, w->p->ring_up);
    fprintf(w->out, "<link id=\"down-%u-%u", level, ring);
    ring_link(w, w->p->ring_down);
}

static void ring_zone(const struct writer *w, unsigned level, unsigned ring)
{
    const unsigned fan = w->shape.fan[level], nodes = fan + !is_top(w, level);
    fprintf(w->out, "<zone id=\"ring-%u-%u\" routing=\"Full\">\n", level, ring);
    for (unsigned n = 0; n < fan; n++)
        if (level == 0)
            platform_station(w, ring * fan + n);
        else
            ring_zone(w, level - 1, ring * fan + n);
    if (!is_top(w, level))
        fprintf(w->out,
                "<zone id=\"above-%u-%u\" routing=\"Full\"><router id=\"interface-%u-%u\"/>"
                "</zone>\n",
                level, ring, level, ring);
    ring_links(w, level, ring);
    for (unsigned from = 0; from < nodes; from++)
        for (unsigned to = 0; to < nodes; to++)
            if (from != to)
                ring_route(w, level, ring, from, to);
    fputs("</zone>\n", w->out);
}

/* ---- the machine ----------------------------------------------------------------------------- */

static void platform_explain(const struct nm_params *p, const char *name, bool tasks, FILE *out)
{
    fprintf(
        out,
        "<!-- %s. Times are the machine's own seconds. A flop is a PCycle of a card, or a bus\n"
        "     cycle of a bank of a memory or of a network cache. Bandwidths are of the payload:\n"
        "     lines of %llu bytes, each behind its header.\n"
        "     The configuration is part of the file: cycles last nanoseconds, and with the\n"
        "     precision that SimGrid has by itself, 1e-9, they would be lost or grow. The model\n"
        "     is the plain one: no factors for TCP, no traffic for acknowledgements. -->\n",
        name, (unsigned long long)p->l2_line);
    fprintf(out,
            "<config>\n"
            "<prop id=\"surf/precision\" value=\"1e-15\"/>\n"
            "%s"
            "<prop id=\"network/crosstraffic\" value=\"no\"/>\n"
            "</config>\n",
            tasks ? "" : "<prop id=\"network/model\" value=\"CM02\"/>\n");
}

void prog_platform_write(const struct nm_params *p, const char *name, bool tasks, FILE *out)
{
    const struct writer w = {.p = p, .shape = nm_ring_shape(p), .out = out};
    open_file(out);
    platform_explain(p, name, tasks, out);
    if (nm_ring_count(p))
        ring_zone(&w, w.shape.levels - 1, 0);
    else
        platform_station(&w, 0);
    fputs("</platform>\n", out);
}
