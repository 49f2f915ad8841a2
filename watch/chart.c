/* Which components a chart has, and the chart as text. */
#include "watch/chart.h"

#include "base/alloc.h"
#include "watch/words.h"

#include <string.h>

/* ---- lanes ----------------------------------------------------------------------------------- */

size_t watch_lane_find(const struct watch_lanes *lanes, unsigned station, unsigned module)
{
    size_t i = 0;
    while (i < lanes->count && !(lanes->lane[i].module == module &&
                                 (module == WATCH_LANE_RINGS || lanes->lane[i].station == station)))
        i++;
    return i;
}

static void lane_add(struct watch_lanes *lanes, unsigned station, unsigned module)
{
    if (watch_lane_find(lanes, station, module) < lanes->count)
        return;
    lanes->lane = sim_grow(lanes->lane, lanes->count + 1, sizeof *lanes->lane);
    lanes->lane[lanes->count++] =
        (struct watch_lane){.station = (uint16_t)station, .module = (uint8_t)module};
}

static void lanes_of_row(struct watch_lanes *lanes, const struct watch_row *row)
{
    if (row->kind == WATCH_RING) {
        lane_add(lanes, 0, WATCH_LANE_RINGS);
        if (row->station != WATCH_NOWHERE)
            lane_add(lanes, row->station, NM_MODULE_NETWORK);
        if (row->to != WATCH_NOWHERE)
            lane_add(lanes, row->to, NM_MODULE_NETWORK);
        return;
    }
    lane_add(lanes, row->station, row->module);
    if (row->kind != WATCH_BUS)
        return;
    lane_add(lanes, row->station, WATCH_LANE_BUS);
    for (unsigned m = row->targets; m; m &= m - 1)
        lane_add(lanes, row->station, (unsigned)__builtin_ctz(m));
}

/* The first requester's station: its cards ask over the bus. Of the others, to the right of the
 * rings, the network card does. */
static unsigned place_on_station(unsigned module, bool first)
{
    enum { BUS = NM_CARDS_MAX, MEM, NET };
    if (module < NM_MODULE_MEMORY)
        return first ? module : NET - module + 1 + NM_CARDS_MAX;
    if (module == WATCH_LANE_BUS)
        return first ? BUS : 1;
    if (module == NM_MODULE_NETWORK)
        return first ? NET : 0;
    return first ? MEM : 2;
}

struct weighed {
    struct watch_lane lane;
    unsigned weight;
};

static int by_weight(const void *a, const void *b)
{
    const struct weighed *x = a, *y = b;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

static void lanes_sort(struct watch_lanes *lanes, unsigned first)
{
    enum { EACH = 16, RINGS = EACH };
    struct weighed *w = sim_alloc(lanes->count, sizeof *w);
    for (size_t i = 0; i < lanes->count; i++) {
        const struct watch_lane lane = lanes->lane[i];
        const bool own = lane.station == first;
        const unsigned place = place_on_station(lane.module, own);
        w[i].lane = lane;
        w[i].weight = lane.module == WATCH_LANE_RINGS ? RINGS
                      : own                           ? place
                                                      : EACH * (lane.station + 2u) + place;
    }
    qsort(w, lanes->count, sizeof *w, by_weight);
    for (size_t i = 0; i < lanes->count; i++)
        lanes->lane[i] = w[i].lane;
    free(w);
}

struct watch_lanes watch_lanes_of(const struct watch_record *record)
{
    struct watch_lanes lanes = {0};
    const bool asked = record->transactions > 1 && record->transaction[1].station != WATCH_NOWHERE;
    for (size_t i = 0; i < record->rows; i++)
        lanes_of_row(&lanes, &record->row[i]);
    lanes_sort(&lanes, asked ? record->transaction[1].station : 0);
    return lanes;
}

const char *watch_lane_name(const struct watch_lane *lane, char buf[40])
{
    if (lane->module == WATCH_LANE_RINGS)
        snprintf(buf, 40, "rings");
    else if (lane->module == WATCH_LANE_BUS)
        snprintf(buf, 40, "%u.bus", lane->station);
    else
        watch_place(lane->station, lane->module, true, buf);
    return buf;
}

/* ---- text ------------------------------------------------------------------------------------ */

enum { LANE_LETTERS = 9, HALF = LANE_LETTERS / 2 }; /* letters */

/* A line of the chart. */
struct line {
    char *at; /* [width] */
    size_t width;
};

static size_t column_of(const struct watch_lanes *lanes, unsigned station, unsigned module)
{
    return watch_lane_find(lanes, station, module) * LANE_LETTERS + HALF;
}

static void line_begin(struct line *line, const struct watch_lanes *lanes)
{
    memset(line->at, ' ', line->width);
    for (size_t i = 0; i < lanes->count; i++)
        line->at[i * LANE_LETTERS + HALF] = '|';
}

static void line_put(struct line *line, size_t middle, const char *text)
{
    const size_t length = strlen(text), from = middle > length / 2 ? middle - length / 2 : 0;
    for (size_t i = 0; i < length && from + i < line->width; i++)
        line->at[from + i] = text[i];
}

/* An arrow from one column to another. */
static void line_arrow(struct line *line, size_t from, size_t to)
{
    const size_t left = from < to ? from : to, right = from < to ? to : from;
    for (size_t i = left + 1; i < right; i++)
        if (line->at[i] != '<' && line->at[i] != '>')
            line->at[i] = '-';
    line->at[from] = 'o';
    line->at[to] = from < to ? '>' : '<';
}

/* The name of what is between two columns, if there is room for it. */
static void line_name(struct line *line, size_t from, size_t to, const char *name)
{
    const size_t left = from < to ? from : to, right = from < to ? to : from;
    if (right > left + strlen(name) + 1)
        line_put(line, (left + right) / 2, name);
}

static size_t columns_apart(size_t a, size_t b)
{
    return a < b ? b - a : a - b;
}

static void line_bus(struct line *line, const struct watch_lanes *lanes,
                     const struct watch_row *row)
{
    const size_t from = column_of(lanes, row->station, row->module);
    size_t nearest = SIZE_MAX;
    for (unsigned m = row->targets; m; m &= m - 1) {
        const size_t to = column_of(lanes, row->station, (unsigned)__builtin_ctz(m));
        line_arrow(line, from, to);
        if (nearest == SIZE_MAX || columns_apart(to, from) < columns_apart(nearest, from))
            nearest = to;
    }
    if (nearest != SIZE_MAX)
        line_name(line, from, nearest, nm_message_row(row->message)->name);
}

static void line_ring(struct line *line, const struct watch_lanes *lanes,
                      const struct watch_row *row)
{
    const size_t rings = column_of(lanes, 0, WATCH_LANE_RINGS);
    const size_t from =
        row->station == WATCH_NOWHERE ? rings : column_of(lanes, row->station, NM_MODULE_NETWORK);
    const size_t to =
        row->to == WATCH_NOWHERE ? rings : column_of(lanes, row->to, NM_MODULE_NETWORK);
    const size_t begin =
        from == to ? rings : from; /* round the rings, back to where it came from */
    line_arrow(line, begin, to);
    line_name(line, begin, to, nm_message_row(row->message)->name);
}

static void line_row(struct line *line, const struct watch_lanes *lanes,
                     const struct watch_record *record, const struct watch_row *row)
{
    char text[40];
    if (row->kind == WATCH_OVER)
        snprintf(text, sizeof text, "%s", row->given_up ? "given up" : "done");
    else if (row->kind == WATCH_REFUSED)
        snprintf(text, sizeof text, "(no)");
    else
        snprintf(text, sizeof text, row->before == row->after ? "(%s)" : "[%s]",
                 nm_state_name(watch_table(record, row), row->after));
    line_put(line, column_of(lanes, row->station, row->module), text);
}

static void line_draw(struct line *line, const struct watch_lanes *lanes,
                      const struct watch_record *record, const struct watch_row *row)
{
    line_begin(line, lanes);
    if (row->kind == WATCH_BUS)
        line_bus(line, lanes, row);
    else if (row->kind == WATCH_RING)
        line_ring(line, lanes, row);
    else
        line_row(line, lanes, record, row);
}

/* What stands beside a line. */
static void text_says(const struct watch_record *record, const struct watch_row *row, FILE *out)
{
    if (row->kind == WATCH_BUS || row->kind == WATCH_RING)
        fputs(watch_plain(row->message), out);
    else if (row->kind == WATCH_OVER)
        fprintf(out, row->nacks ? "%s; times refused: %u" : "%s",
                row->given_up ? "it gives up" : "the request is over", row->nacks);
    else
        watch_fired(record, row, out);
}

static void text_time(const struct watch_title *title, const struct watch_row *row, FILE *out)
{
    const long long at = (long long)(row->at - title->origin),
                    until = (long long)(row->until - title->origin);
    if (row->until > row->at)
        fprintf(out, "%7lld-%-7lld", at, until);
    else
        fprintf(out, "%7lld%8s", at, "");
}

static void text_head(const struct line *line, const struct watch_lanes *lanes,
                      const struct watch_title *title, FILE *out)
{
    struct line names = *line;
    char buf[40];
    memset(names.at, ' ', names.width);
    for (size_t i = 0; i < lanes->count; i++)
        line_put(&names, i * LANE_LETTERS + HALF, watch_lane_name(&lanes->lane[i], buf));
    fprintf(out, "%s, on %s\n", title->name, title->machine);
    if (title->sentence)
        fprintf(out, "%s\n", title->sentence);
    fprintf(out, "\n%15s%.*s\n", "PCycles", (int)names.width, names.at);
}

/* The messages that there were, each once. */
static void text_legend(const struct watch_record *record, FILE *out)
{
    bool seen[NM_MSG__COUNT] = {false};
    fputs("\nMessages:\n", out);
    for (size_t i = 0; i < record->rows; i++) {
        const struct watch_row *row = &record->row[i];
        if ((row->kind != WATCH_BUS && row->kind != WATCH_RING) || seen[row->message])
            continue;
        seen[row->message] = true;
        fprintf(out, "  %-10s %s. %s\n", nm_message_row(row->message)->name,
                watch_plain(row->message), watch_purpose(row->message));
    }
}

void watch_text(const struct watch_record *record, const struct watch_title *title, FILE *out)
{
    struct watch_lanes lanes = watch_lanes_of(record);
    struct line line = {.width = lanes.count * LANE_LETTERS};
    line.at = sim_alloc(line.width + 1, 1);
    text_head(&line, &lanes, title, out);
    for (size_t i = 0; i < record->rows; i++) {
        line_draw(&line, &lanes, record, &record->row[i]);
        text_time(title, &record->row[i], out);
        fprintf(out, "%.*s  ", (int)line.width, line.at);
        text_says(record, &record->row[i], out);
        putc('\n', out);
    }
    if (title->over)
        fprintf(out, "%7llu        the access is over: the processor goes on\n",
                (unsigned long long)(title->over - title->origin));
    if (record->rows)
        text_legend(record, out);
    free(line.at);
    free(lanes.lane);
}
