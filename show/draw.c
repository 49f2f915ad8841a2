/*
 * A machine drawn: rings as circles, each ring's children around it, the central ring in the
 * middle.
 *
 * The hard idea is room. Each subtree fits a circle; a ring puts its children's circles side by
 * side around its centre, so their size and number give its own. All rings of a level are alike, so
 * there is one size per level. An interface faces the ring above, and the children follow it
 * clockwise, the way the slots go.
 */
#include "base/plural.h"
#include "show/topology.h"

#include "input/units.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Colours: paper, ink, and one for each thing. */
#define PAPER      "#fcfcfa"
#define INK        "#26323d"
#define FAINT      "#74808b"
#define CARD       "#cfe3f5"
#define CARD_EDGE  "#3f7fb5"
#define OTHER      "#e6dcf2"
#define OTHER_EDGE "#7b5aa6"
#define MEMORY     "#dcefd8"
#define MEM_EDGE   "#5a9a52"
#define CACHE      "#f8e3c4"
#define CACHE_EDGE "#c58a2b"
static const char *const ring_colour[RING_LEVELS] = {"#3f7fb5", "#c4622d", "#7a4a9e"};

enum { MANY = 64 /* stations; above this they are drawn as discs */ };

/* Sizes of a level's rings [px]. */
struct size {
    double ring;   /* radius of the circle */
    double orbit;  /* from its centre to its children's centres */
    double around; /* radius of the circle that all of it fits */
    unsigned nodes;
};

struct drawing {
    const struct show_topology *t;
    FILE *out;
    bool discs;
    double station; /* [px] radius of the circle a station fits */
    struct size size[RING_LEVELS];
};

struct point {
    double x, y;
};

/* `angle` in turns, clockwise from the top. */
static struct point draw_at(struct point centre, double radius, double angle)
{
    return (struct point){centre.x + radius * sin(2 * M_PI * angle),
                          centre.y - radius * cos(2 * M_PI * angle)};
}

/* ---- sizes ----------------------------------------------------------------------------------- */

/* How far a level's subtree reaches towards the ring above, from its centre. */
static double draw_inward(const struct drawing *d, int level)
{
    if (level < 0)
        return d->station;
    const struct size *s = &d->size[level];
    const double child = level ? d->size[level - 1].around : d->station;
    const double reach = s->orbit * cos(2 * M_PI / s->nodes) + child;
    return reach > s->ring ? reach : s->ring;
}

static void draw_measure(struct drawing *d)
{
    const struct ring_shape *shape = &d->t->shape;
    const double spoke = d->discs ? 9 : 12, least = d->discs ? 30 : 46;
    for (unsigned level = 0; level < shape->levels; level++) {
        struct size *s = &d->size[level];
        const double child = level ? d->size[level - 1].around : d->station;
        const double reach = draw_inward(d, (int)level - 1);
        s->nodes = shape->fan[level] + (level + 1 < shape->levels);
        s->orbit = s->nodes > 1 ? 1.05 * child / sin(M_PI / s->nodes) : 0;
        s->ring = s->orbit - reach - spoke;
        if (s->ring < least) {
            s->ring = least;
            s->orbit = least + spoke + reach;
        }
        s->around = s->orbit + child;
    }
}

/* What the picture covers, as seen from the centre of the central ring. */
struct extent {
    double left, right, top, bottom;
};

static void draw_cover(struct extent *e, struct point p, double radius)
{
    e->left = fmin(e->left, p.x - radius);
    e->right = fmax(e->right, p.x + radius);
    e->top = fmin(e->top, p.y - radius);
    e->bottom = fmax(e->bottom, p.y + radius);
}

/* Direction of a ring's first child, when the ring is seen from the one above in `angle`. */
static double first_child(const struct drawing *d, unsigned level, double angle)
{
    return angle + 0.5 + 1.0 / d->size[level].nodes;
}

/* Direction of the central ring's first child: corners of a square look better than its sides. */
static double first_of_all(const struct drawing *d)
{
    const unsigned fan = d->t->shape.fan[d->t->shape.levels - 1];
    return fan > 1 ? 0.5 / fan : 0;
}

static void cover_ring(const struct drawing *d, unsigned level, struct point centre, double first,
                       struct extent *e)
{
    const struct size *s = &d->size[level];
    draw_cover(e, centre, s->ring);
    for (unsigned i = 0; i < d->t->shape.fan[level]; i++) {
        const double angle = first + (double)i / s->nodes;
        const struct point child = draw_at(centre, s->orbit, angle);
        if (level == 0)
            draw_cover(e, child, d->station);
        else
            cover_ring(d, level - 1, child, first_child(d, level - 1, angle), e);
    }
}

/* ---- stations -------------------------------------------------------------------------------- */

/* The kinds of part that whoever colours the drawing finds again: data-part and data-number. */
struct part {
    const char *name, *fill, *edge;
};
static const struct part card_part = {"processor", CARD, CARD_EDGE};
static const struct part other_part = {"processor", OTHER, OTHER_EDGE}; /* of another core */
static const struct part memory_part = {"memory", MEMORY, MEM_EDGE};
static const struct part cache_part = {"netcache", CACHE, CACHE_EDGE};

/* @param more  attributes of its own, or "" */
static void draw_box(const struct drawing *d, const struct part *part, unsigned of,
                     const char *more, double x, double y, double width, double height)
{
    fprintf(d->out,
            "<rect data-part=\"%s\" data-number=\"%u\"%s x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"%.1f\" rx=\"2.5\" fill=\"%s\" stroke=\"%s\"/>\n",
            part->name, of, more, x, y, width, height, part->fill, part->edge);
}

static void draw_text(const struct drawing *d, struct point p, double size, const char *colour,
                      const char *what)
{
    fprintf(d->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%.1f\" fill=\"%s\">%s</text>\n", p.x,
            p.y, size, colour, what);
}

static void draw_number(const struct drawing *d, struct point p, double size, unsigned n,
                        const char *colour)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%u", n);
    draw_text(d, p, size, colour, digits);
}

/* How a card is coloured. */
static const struct part *draw_part_of(const struct drawing *d, unsigned card)
{
    return nm_value_core(in_card_params(d->t->machine, card)) ==
                   nm_value_core(d->t->machine->params)
               ? &card_part
               : &other_part;
}

/* A card; on a machine of several kinds its core's name stands below its number. */
static void draw_card(const struct drawing *d, unsigned card, double x, double y, double width)
{
    const bool mixed = d->t->machine->mix.fittings != 0;
    char core[SHOW_CORE_NAME], more[40] = "";
    if (mixed)
        snprintf(more, sizeof more, " data-core=\"%s\"", show_core_name(d->t, card, core));
    draw_box(d, draw_part_of(d, card), card, more, x, y, width, 17);
    draw_number(d, (struct point){x + width / 2, y + (mixed ? 9 : 12)},
                width < 20 && card > 999 ? 7.5 : 9, card, INK);
    if (mixed)
        draw_text(d, (struct point){x + width / 2, y + 15}, 4.8, INK, core);
}

/* Processors in a row over the bus, memory and network cache below it. */
static void draw_board(const struct drawing *d, struct point c, unsigned station)
{
    const unsigned cards = (unsigned)nm_value_processors(d->t->machine->params);
    const double width = 88, half = width / 2, inner = width - 10;
    const double card = (inner - 3 * (cards - 1)) / cards;
    char title[32];
    snprintf(title, sizeof title, "station %u", station);
    fprintf(d->out,
            "<rect data-part=\"board\" data-number=\"%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
            "height=\"64\" rx=\"6\" fill=\"white\" stroke=\"" INK "\" stroke-width=\"1.2\"/>\n",
            station, c.x - half, c.y - 32, width);
    draw_text(d, (struct point){c.x, c.y - 20.5}, 9.5, INK, title);
    for (unsigned i = 0; i < cards; i++) {
        draw_card(d, station * cards + i, c.x - inner / 2 + i * (card + 3), c.y - 15, card);
    }
    fprintf(d->out, "<path d=\"M%.1f %.1fh%.1f\" stroke=\"" INK "\" stroke-width=\"2\"/>\n",
            c.x - inner / 2, c.y + 6.5, inner);
    const double part = d->t->rings ? (inner - 3) / 2 : inner;
    draw_box(d, &memory_part, station, "", c.x - inner / 2, c.y + 11, part, 16);
    draw_text(d, (struct point){c.x - inner / 2 + part / 2, c.y + 22}, 8, INK, "memory");
    if (!d->t->rings)
        return;
    draw_box(d, &cache_part, station, "", c.x + 1.5, c.y + 11, part, 16);
    draw_text(d, (struct point){c.x + 1.5 + part / 2, c.y + 22}, 8, INK, "n-cache");
}

/* A disc with the station's number over a dot for each processor; those of another core have
 * another colour. */
static void draw_disc(const struct drawing *d, struct point c, unsigned station)
{
    const unsigned cards = (unsigned)nm_value_processors(d->t->machine->params);
    fprintf(d->out,
            "<circle data-part=\"station\" data-number=\"%u\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" "
            "fill=\"white\" stroke=\"" INK "\" stroke-width=\"1.2\"/>\n",
            station, c.x, c.y, d->station - 2);
    draw_number(d, (struct point){c.x, c.y + 3}, 15, station, INK);
    for (unsigned i = 0; i < cards; i++)
        fprintf(d->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.4\" fill=\"%s\"/>\n",
                c.x + 6.5 * (i - (cards - 1) / 2.0), c.y + 10.5,
                draw_part_of(d, station * cards + i)->edge);
}

/* ---- rings ----------------------------------------------------------------------------------- */

static void draw_dot(const struct drawing *d, struct point p, double radius, const char *fill,
                     const char *edge)
{
    fprintf(d->out,
            "<circle data-part=\"%s\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\" "
            "stroke=\"%s\" stroke-width=\"1.6\"/>\n",
            strcmp(fill, INK) ? "interface" : "inter-ring", p.x, p.y, radius, fill, edge);
}

/* Lines of big rings in a big picture are thicker. */
static double draw_weight(const struct drawing *d, unsigned level)
{
    return d->discs && level ? 1 + 0.6 * level : 1;
}

/* Which way the slots go: an arrowhead at `angle`. */
static void draw_arrow(const struct drawing *d, struct point centre, double radius, double angle,
                       unsigned level)
{
    const struct point p = draw_at(centre, radius, angle);
    fprintf(d->out,
            "<path data-part=\"arrow\" d=\"M-4 -5L6 0L-4 5Z\" fill=\"%s\" "
            "transform=\"translate(%.1f %.1f) rotate(%.1f) scale(%.1f)\"/>\n",
            ring_colour[level], p.x, p.y, 360 * angle, draw_weight(d, level));
}

/* The lines from a ring's nodes to its stations, or to the interfaces of the rings below. */
static void draw_spokes(const struct drawing *d, unsigned level, struct point centre, double first)
{
    const struct size *s = &d->size[level];
    const double reach = level ? d->size[level - 1].ring : 0;
    for (unsigned i = 0; i < d->t->shape.fan[level]; i++) {
        const double angle = first + (double)i / s->nodes;
        const struct point from = draw_at(centre, s->ring, angle);
        const struct point to = draw_at(centre, s->orbit - reach, angle);
        fprintf(d->out,
                "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"" INK "\" stroke-width=\"%.1f\"/>\n",
                from.x, from.y, to.x, to.y, 1.6 * draw_weight(d, level));
    }
}

static void draw_name(const struct drawing *d, unsigned level, unsigned index, struct point centre)
{
    const bool top = level + 1 == d->t->shape.levels;
    const double size = fmax(d->discs ? 20 : 11, d->size[level].ring / (top ? 10 : 6));
    char name[32];
    if (d->discs && !top)
        draw_number(d, (struct point){centre.x, centre.y + size / 3}, size, index,
                    ring_colour[level]);
    else
        draw_text(d, (struct point){centre.x, centre.y + size / 3}, d->discs || level ? size : 11,
                  ring_colour[level], show_ring_name(d->t, level, index, name));
}

static void draw_child(const struct drawing *d, unsigned level, unsigned index, struct point centre,
                       double angle);

/* A ring whose node after the interface (or node 0 of the central ring) is at `first`. */
static void draw_ring(const struct drawing *d, unsigned level, unsigned index, struct point centre,
                      double first)
{
    const struct size *s = &d->size[level];
    const unsigned fan = d->t->shape.fan[level];
    const double step = 1.0 / s->nodes, heavy = draw_weight(d, level);
    draw_spokes(d, level, centre, first);
    fprintf(
        d->out,
        "<circle data-part=\"ring\" data-level=\"%u\" data-number=\"%u\" cx=\"%.1f\" cy=\"%.1f\" "
        "r=\"%.1f\" fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\"/>\n",
        level, index, centre.x, centre.y, s->ring, ring_colour[level], (level ? 4 : 3) * heavy);
    for (unsigned i = 0; i < s->nodes; i++) {
        const bool between = level || i == fan;
        draw_arrow(d, centre, s->ring, first + (i + 0.5) * step, level);
        draw_dot(d, draw_at(centre, s->ring, first + i * step), 4.5 * heavy,
                 between ? INK : "white", between ? INK : ring_colour[0]);
    }
    draw_name(d, level, index, centre);
    for (unsigned i = 0; i < fan; i++)
        draw_child(d, level, index * fan + i, draw_at(centre, s->orbit, first + i * step),
                   first + i * step);
}

/* Child `index` of a ring of `level`, seen from there in direction `angle`. */
static void draw_child(const struct drawing *d, unsigned level, unsigned index, struct point centre,
                       double angle)
{
    if (level > 0)
        draw_ring(d, level - 1, index, centre, first_child(d, level - 1, angle));
    else if (d->discs)
        draw_disc(d, centre, index);
    else
        draw_board(d, centre, index);
}

/* ---- the sheet ------------------------------------------------------------------------------- */

/* Name, size, and what the dots are, from the upper left corner down. */
static void draw_caption(const struct drawing *d)
{
    const struct in_form frequency = {IN_FREQ, "Hz", 0, UINT64_MAX};
    const struct nm_params *p = d->t->machine->params;
    char cpu[40], ring[40], line[160];
    in_value_format(&frequency, nm_value_cpu_clock(p), cpu, sizeof cpu);
    in_value_format(&frequency, nm_value_ring_clock(p), ring, sizeof ring);
    draw_text(d, (struct point){20, 36}, 20, INK, d->t->name);
    const unsigned cards = d->t->stations * (unsigned)nm_value_processors(p);
    snprintf(line, sizeof line, "%u processor%s at %s", cards, sim_plural(cards), cpu);
    draw_text(d, (struct point){20, 55}, 12, FAINT, line);
    if (!d->t->rings)
        return;
    snprintf(line, sizeof line, "%u station%s, %u ring%s at %s", d->t->stations,
             sim_plural(d->t->stations), d->t->rings, sim_plural(d->t->rings), ring);
    draw_text(d, (struct point){20, 71}, 12, FAINT, line);
    draw_dot(d, (struct point){25, 86}, 4.5, "white", ring_colour[0]);
    draw_text(d, (struct point){36, 90}, 12, FAINT, "ring interface of a station");
    if (d->t->shape.levels == 1)
        return;
    draw_dot(d, (struct point){25, 102}, 4.5, INK, INK);
    draw_text(d, (struct point){36, 106}, 12, FAINT, "inter-ring interface");
}

/* The sheet: the drawing, with the caption above it, or in the corner that a round one leaves. */
static void open_sheet(const struct drawing *d, struct extent e, FILE *out)
{
    const double width = e.right - e.left, scale = fmax(1, width / 900), margin = 20 * scale;
    const unsigned fan = d->t->shape.fan[d->t->shape.levels - 1];
    const double head = !d->t->rings ? 30 : fan > 4 ? 40 : 84;
    const double wide = fmax(width, 180);
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" "
            "font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\">\n"
            "<title>%s</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"" PAPER "\"/>\n",
            wide + 2 * margin, e.bottom - e.top + 2 * margin + head * scale, d->t->name);
    fprintf(out, "<g data-part=\"caption\" transform=\"scale(%.2f)\">\n", scale);
    draw_caption(d);
    fprintf(out, "</g>\n<g text-anchor=\"middle\" transform=\"translate(%.1f %.1f)\">\n",
            wide / 2 + margin - (e.right + e.left) / 2, margin + head * scale - e.top);
}

void show_topology_svg(const struct show_topology *t, FILE *out)
{
    struct drawing d = {.t = t, .out = out, .discs = t->stations > MANY};
    const struct point centre = {0, 0};
    const unsigned top = t->shape.levels - 1;
    struct extent extent = {0, 0, 0, 0};
    d.station = d.discs ? 20 : 54;
    if (t->rings) {
        draw_measure(&d);
        cover_ring(&d, top, centre, first_of_all(&d), &extent);
    } else
        draw_cover(&extent, centre, d.station);
    open_sheet(&d, extent, out);
    if (t->rings) {
        assert(top < RING_LEVELS);
        draw_ring(&d, top, 0, centre, first_of_all(&d));
    } else
        draw_board(&d, centre, 0);
    fputs("</g>\n</svg>\n", out);
}
