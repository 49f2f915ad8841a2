/*
 * The chart as a picture. Time goes downwards, and not to scale: a moment in which something
 * happens has room for its words, and a long time in which nothing does takes little. The axis says
 * the cycles.
 */
#include "watch/chart.h"

#include "base/alloc.h"
#include "watch/words.h"

#include <stdlib.h>

enum {
    LEFT = 64,
    TOP = 76,
    LANE_WIDTH = 92,
    LEAST = 15,
    MOST = 42,
    SCALE = 1,
    RIGHT = 30,
    TITLE = 22
};

/* A moment at which something begins or ends, and its place. */
struct moment {
    sim_tick at;
    unsigned y;
};

struct drawing {
    const struct watch_record *record;
    const struct watch_title *title;
    struct watch_lanes lanes;
    struct moment *moment; /* [moments], ascending */
    size_t moments;
    FILE *out;
};

static int by_tick(const void *a, const void *b)
{
    const sim_tick x = *(const sim_tick *)a, y = *(const sim_tick *)b;
    return x < y ? -1 : x > y;
}

static void svg_moments(struct drawing *d)
{
    const struct watch_record *r = d->record;
    sim_tick *tick = sim_alloc(2 * r->rows + 1, sizeof *tick);
    size_t count = 0;
    for (size_t i = 0; i < r->rows; i++) {
        tick[count++] = r->row[i].at;
        tick[count++] = r->row[i].until;
    }
    if (d->title->over)
        tick[count++] = d->title->over;
    qsort(tick, count, sizeof *tick, by_tick);
    d->moment = sim_alloc(count + 1, sizeof *d->moment);
    unsigned y = TOP + LEAST;
    for (size_t i = 0; i < count; i++) {
        if (i && tick[i] == tick[i - 1])
            continue;
        const sim_tick gap = i ? (tick[i] - tick[i - 1]) * SCALE : 0;
        y += !i ? 0 : gap < LEAST ? LEAST : gap > MOST ? MOST : (unsigned)gap;
        d->moment[d->moments++] = (struct moment){tick[i], y};
    }
    free(tick);
}

static unsigned svg_y(const struct drawing *d, sim_tick at)
{
    size_t low = 0, high = d->moments;
    while (low + 1 < high) {
        const size_t middle = (low + high) / 2;
        if (d->moment[middle].at <= at)
            low = middle;
        else
            high = middle;
    }
    return d->moments ? d->moment[low].y : TOP;
}

static unsigned svg_x(const struct drawing *d, unsigned station, unsigned module)
{
    return LEFT + LANE_WIDTH / 2 +
           LANE_WIDTH * (unsigned)watch_lane_find(&d->lanes, station, module);
}

static void svg_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '&' || *text == '<')
            fputs(*text == '&' ? "&amp;" : "&lt;", out);
        else
            putc(*text, out);
}

static void svg_head(const struct drawing *d, unsigned height)
{
    const unsigned width = LEFT + LANE_WIDTH * (unsigned)d->lanes.count + RIGHT;
    char name[40];
    fprintf(d->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %u %u\" width=\"%u\" "
            "height=\"%u\" font-family=\"sans-serif\" font-size=\"11\">\n"
            "<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n"
            "<defs><marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" "
            "markerUnits=\"userSpaceOnUse\" markerWidth=\"8\" "
            "markerHeight=\"8\" orient=\"auto\"><path d=\"M0,0 8,4 0,8z\"/></marker></defs>\n",
            width, height, width, height, width, height);
    fprintf(d->out, "<text x=\"8\" y=\"%u\" font-size=\"14\" font-weight=\"bold\">", TITLE);
    svg_escaped(d->out, d->title->name);
    fputs("</text>\n", d->out);
    for (size_t i = 0; i < d->lanes.count; i++) {
        const unsigned x = LEFT + LANE_WIDTH / 2 + LANE_WIDTH * (unsigned)i;
        fprintf(d->out,
                "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\" font-weight=\"bold\">%s</text>"
                "<path d=\"M%u,%u V%u\" stroke=\"#bbb\"/>\n",
                x, TOP - 16, watch_lane_name(&d->lanes.lane[i], name), x, TOP - 8, height - 12);
    }
    fprintf(d->out, "<text x=\"%u\" y=\"%u\" text-anchor=\"end\" fill=\"#555\">PCycles</text>\n",
            LEFT - 8, TOP - 16);
}

static void svg_axis(const struct drawing *d)
{
    for (size_t i = 0; i < d->moments; i++)
        fprintf(d->out,
                "<text x=\"%u\" y=\"%u\" text-anchor=\"end\" fill=\"#555\">%lld</text>"
                "<path d=\"M%u,%u h6\" stroke=\"#bbb\"/>\n",
                LEFT - 8, d->moment[i].y + 4, (long long)(d->moment[i].at - d->title->origin),
                LEFT - 4, d->moment[i].y);
}

static void svg_box(const struct drawing *d, unsigned x, const struct watch_row *row)
{
    const unsigned y = svg_y(d, row->at), to = svg_y(d, row->until);
    fprintf(d->out,
            "<rect x=\"%u\" y=\"%u\" width=\"8\" height=\"%u\" fill=\"#cfe0f0\" "
            "stroke=\"#4a7ba6\"/>\n",
            x - 4, y, to > y ? to - y : 2);
}

static void svg_arrow(const struct drawing *d, const struct watch_row *row, unsigned from,
                      unsigned to, bool named)
{
    const unsigned y = svg_y(d, row->at), until = svg_y(d, row->until);
    const struct nm_message_row *message = nm_message_row(row->message);
    fprintf(d->out,
            "<path d=\"M%u,%u L%u,%u\" stroke=\"#000\"%s fill=\"none\" "
            "marker-end=\"url(#a)\"><title>",
            from, y, to, until, message->has_data ? " stroke-width=\"2.2\"" : "");
    svg_escaped(d->out, watch_plain(row->message));
    fputs("</title></path>\n", d->out);
    if (named)
        fprintf(d->out,
                "<text x=\"%u\" y=\"%u\" text-anchor=\"middle\" stroke=\"#fff\" "
                "stroke-width=\"3\" paint-order=\"stroke\">%s</text>\n",
                (from + to) / 2, (y + until) / 2 - 2, message->name);
}

static void svg_bus(const struct drawing *d, const struct watch_row *row)
{
    const unsigned from = svg_x(d, row->station, row->module);
    svg_box(d, svg_x(d, row->station, WATCH_LANE_BUS), row);
    for (unsigned m = row->targets; m; m &= m - 1)
        svg_arrow(d, row, from, svg_x(d, row->station, (unsigned)__builtin_ctz(m)),
                  m == row->targets);
}

static void svg_ring(const struct drawing *d, const struct watch_row *row)
{
    const unsigned rings = svg_x(d, 0, WATCH_LANE_RINGS);
    const unsigned from = row->station == WATCH_NOWHERE || row->station == row->to
                              ? rings
                              : svg_x(d, row->station, NM_MODULE_NETWORK);
    const unsigned to = row->to == WATCH_NOWHERE ? rings : svg_x(d, row->to, NM_MODULE_NETWORK);
    svg_arrow(d, row, from, to, true);
}

static void svg_row(const struct drawing *d, const struct watch_row *row)
{
    const bool over = row->kind == WATCH_OVER, fired = row->kind == WATCH_ROW;
    const unsigned x = svg_x(d, row->station, row->module), y = svg_y(d, row->at);
    const char *text = over    ? row->given_up ? "given up" : "done"
                       : fired ? nm_state_name(watch_table(d->record, row), row->after)
                               : "refused";
    if (row->until > row->at)
        svg_box(d, x, row);
    fprintf(d->out,
            "<text x=\"%u\" y=\"%u\" font-size=\"10\" font-weight=\"bold\" fill=\"%s\" "
            "stroke=\"#fff\" stroke-width=\"3\" paint-order=\"stroke\">%s<title>",
            x + 6, y + (over ? 23 : 11), fired && row->before == row->after ? "#888" : "#a33",
            text);
    if (!over) {
        char *said;
        size_t size;
        FILE *sentence = sim_text_open(&said, &size);
        watch_sentence(d->record, row, sentence);
        sim_text_close(sentence, &said);
        svg_escaped(d->out, said);
        free(said);
    }
    fputs("</title></text>\n", d->out);
}

void watch_svg(const struct watch_record *record, const struct watch_title *title, FILE *out)
{
    struct drawing d = {
        .record = record, .title = title, .lanes = watch_lanes_of(record), .out = out};
    svg_moments(&d);
    svg_head(&d, (d.moments ? d.moment[d.moments - 1].y : TOP) + MOST);
    svg_axis(&d);
    for (size_t i = 0; i < record->rows; i++)
        if (record->row[i].kind == WATCH_BUS)
            svg_bus(&d, &record->row[i]);
        else if (record->row[i].kind == WATCH_RING)
            svg_ring(&d, &record->row[i]);
    for (size_t i = 0; i < record->rows; i++)
        if (record->row[i].kind != WATCH_BUS && record->row[i].kind != WATCH_RING)
            svg_row(&d, &record->row[i]);
    if (title->over)
        fprintf(out, "<path d=\"M%u,%u h%u\" stroke=\"#393\" stroke-dasharray=\"4 3\"/>\n", LEFT,
                svg_y(&d, title->over), LANE_WIDTH * (unsigned)d.lanes.count);
    fputs("</svg>\n", out);
    free(d.moment);
    free(d.lanes.lane);
}
