/*
 * The document in the page. Rows are lists of numbers; what many of them have alike (sentences,
 * depths of queues, sets of stations, lines) stands once, in lists of its own.
 */
#include "watch/page.h"

#include "base/alloc.h"
#include "page/sheet.h"
#include "watch/words.h"

#include <inttypes.h>
#include <uthash.h>

/* A text, and where it is in its list. */
struct told {
    char *text;
    json_int_t index;
    UT_hash_handle hh;
};

/* A list in which each text stands once. */
struct once {
    struct told *told;
    json_t *list;
};

struct document {
    const struct watch_record *record;
    json_t *root;
    struct once says, queues, stations, lines;
};

/* @param text  taken  @param value  what the list gets; taken  @return its place there */
static json_int_t once_add(struct once *once, char *text, json_t *value)
{
    struct told *told;
    HASH_FIND_STR(once->told, text, told);
    if (told) {
        free(text);
        json_decref(value);
        return told->index;
    }
    told = sim_alloc(1, sizeof *told);
    told->text = text;
    told->index = (json_int_t)json_array_size(once->list);
    json_array_append_new(once->list, value);
    HASH_ADD_KEYPTR(hh, once->told, told->text, strlen(told->text), told);
    return told->index;
}

static void once_end(struct once *once, json_t *root, const char *name)
{
    struct told *told, *next;
    json_object_set_new(root, name, once->list);
    HASH_ITER(hh, once->told, told, next) {
        HASH_DEL(once->told, told);
        free(told->text);
        free(told);
    }
}

/* ---- tables ---------------------------------------------------------------------------------- */

static json_t *page_messages(void)
{
    json_t *messages = json_array();
    for (unsigned m = 0; m < NM_MSG__COUNT; m++) {
        const struct nm_message_row *row = nm_message_row((enum nm_message)m);
        json_array_append_new(messages,
                              json_pack("[s,s,s,i]", row->name, watch_plain(m), watch_purpose(m),
                                        row->has_data   ? 2
                                        : row->has_word ? 1
                                                        : 0));
    }
    return messages;
}

/* What a state looks like: of a card the state of its line (enum nm_line), and 4 more if a request
 * is out; of a directory 8, and 1 more if the line is locked, 2 if the data are valid here. */
static int page_look(unsigned agent, const struct nm_state *state)
{
    if (agent == NM_AGENT_CARD)
        return state->line | (state->request < NM_MSG__COUNT ? 4 : 0);
    return 8 | (state->attributes & NM_LOCKED ? 1 : 0) | (state->attributes & NM_VALID ? 2 : 0);
}

static json_t *page_states(const struct watch_record *record)
{
    json_t *agents = json_array();
    for (unsigned a = 0; a < NM_AGENTS; a++) {
        const struct nm_table *t = record->protocol->agent[a];
        json_t *states = json_array();
        for (unsigned s = 0; s < t->states; s++)
            json_array_append_new(states,
                                  json_pack("[s,s,i]", t->state[s].name, t->state[s].sentence,
                                            page_look(a, &t->state[s])));
        json_array_append_new(agents, states);
    }
    return agents;
}

static json_t *page_lanes(const struct watch_record *record)
{
    const struct watch_lanes lanes = watch_lanes_of(record);
    json_t *list = json_array();
    char brief[40], name[40];
    for (size_t i = 0; i < lanes.count; i++) {
        const struct watch_lane *lane = &lanes.lane[i];
        if (lane->module == WATCH_LANE_RINGS)
            snprintf(name, sizeof name, "rings between the stations");
        else if (lane->module == WATCH_LANE_BUS)
            snprintf(name, sizeof name, "bus of station %u", lane->station);
        else
            watch_place(lane->station, lane->module, false, name);
        json_array_append_new(list, json_pack("[i,i,s,s]", (int)lane->station, (int)lane->module,
                                              watch_lane_name(lane, brief), name));
    }
    free(lanes.lane);
    return list;
}

static json_t *page_transactions(const struct watch_record *record, sim_tick origin)
{
    json_t *list = json_array();
    for (size_t i = 0; i < record->transactions; i++) {
        const struct watch_transaction *t = &record->transaction[i];
        char *text;
        size_t size;
        FILE *out = sim_text_open(&text, &size);
        if (i)
            watch_errand(t, out);
        sim_text_close(out, &text);
        json_array_append_new(list, json_pack("[s,I,I]", text, (json_int_t)(t->from - origin),
                                              (json_int_t)(t->to - origin)));
        free(text);
    }
    return list;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static json_int_t row_says(struct document *d, const struct watch_row *row)
{
    char *fired, *sentence;
    size_t size;
    if (row->kind != WATCH_ROW && row->kind != WATCH_REFUSED)
        return -1;
    FILE *out = sim_text_open(&fired, &size);
    watch_fired(d->record, row, out);
    sim_text_close(out, &fired);
    out = sim_text_open(&sentence, &size);
    watch_sentence(d->record, row, out);
    sim_text_close(out, &sentence);
    char *key = sim_format("%u %s", row->agent, fired);
    json_t *both = json_pack("[s,s]", fired, sentence);
    free(fired);
    free(sentence);
    return once_add(&d->says, key, both);
}

static json_int_t row_queues(struct document *d, const struct watch_row *row)
{
    json_t *depths = json_array();
    for (unsigned i = 0; i < NM_QUEUES; i++)
        json_array_append_new(depths, json_integer(row->depth[i]));
    char *key = json_dumps(depths, JSON_COMPACT);
    return once_add(&d->queues, key ? key : sim_strdup(""), depths);
}

/* The stations that a home's routing mask names. */
static json_int_t row_stations(struct document *d, const struct watch_row *row)
{
    if (row->kind != WATCH_ROW || row->agent != NM_AGENT_HOME || !row->stations)
        return -1;
    const struct ring_shape shape = nm_ring_shape(d->record->params);
    const unsigned count = ring_mask_count(&shape, row->stations);
    uint16_t *station = sim_alloc(count, sizeof *station);
    char *text;
    size_t size;
    ring_mask_stations(&shape, row->stations, station);
    FILE *out = sim_text_open(&text, &size);
    for (unsigned i = 0; i < count && i < 16; i++)
        fprintf(out, "%s%u", i ? ", " : "", station[i]);
    if (count > 16)
        fprintf(out, " and %u more", count - 16);
    sim_text_close(out, &text);
    free(station);
    return once_add(&d->stations, text, json_string(text));
}

static json_int_t row_line(struct document *d, const struct watch_row *row)
{
    const uint64_t line = row->line & ~(nm_value_l2_line(d->record->params) - 1);
    char *text = sim_format("0x%" PRIx64, line);
    return once_add(&d->lines, text, json_string(text));
}

/* In the order that page/watch.js has names for. */
static json_t *page_row(struct document *d, const struct watch_row *row, sim_tick origin)
{
    const bool ring = row->kind == WATCH_RING;
    return json_pack(
        "[i,I,I,I,i,i,i,i,i,i,i,i,I,i,i,I,I,I]", (int)row->kind, (json_int_t)(row->at - origin),
        (json_int_t)(row->until - origin), (json_int_t)row->transaction,
        row->station == WATCH_NOWHERE ? -1 : (int)row->station, (int)row->module,
        ring ? row->to == WATCH_NOWHERE ? -1 : (int)row->to : (int)row->targets,
        row->message < NM_MSG__COUNT ? (int)row->message : -1, (int)row->agent, (int)row->before,
        (int)row->after, (int)row->cards, row_stations(d, row), (int)row->nacks, (int)row->given_up,
        row_says(d, row), row_queues(d, row), row_line(d, row));
}

static json_t *page_rows(struct document *d, sim_tick origin)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < d->record->rows; i++)
        json_array_append_new(rows, page_row(d, &d->record->row[i], origin));
    return rows;
}

static json_t *page_document(const struct watch_record *record, const struct watch_title *title)
{
    struct document d = {.record = record,
                         .root = json_object(),
                         .says = {.list = json_array()},
                         .queues = {.list = json_array()},
                         .stations = {.list = json_array()},
                         .lines = {.list = json_array()}};
    json_object_set_new(d.root, "title", json_string(title->name));
    json_object_set_new(d.root, "sentence", json_string(title->sentence ? title->sentence : ""));
    json_object_set_new(d.root, "machine", json_string(title->machine));
    json_object_set_new(d.root, "protocol", json_string(record->protocol->name));
    json_object_set_new(d.root, "over",
                        title->over ? json_integer((json_int_t)(title->over - title->origin))
                                    : json_null());
    json_object_set_new(d.root, "messages", page_messages());
    json_object_set_new(d.root, "states", page_states(record));
    json_object_set_new(d.root, "lanes", page_lanes(record));
    json_object_set_new(d.root, "transactions", page_transactions(record, title->origin));
    json_object_set_new(d.root, "rows", page_rows(&d, title->origin));
    once_end(&d.says, d.root, "says");
    once_end(&d.queues, d.root, "queues");
    once_end(&d.stations, d.root, "stations");
    once_end(&d.lines, d.root, "lines");
    return d.root;
}

bool watch_page_write(const struct watch_record *record, const struct watch_title *title,
                      const char *path, char *why, size_t size)
{
    const char *charts;
    const struct page_sheet sheet = {.title = title->name,
                                     .kind = "transaction",
                                     .command = "watch",
                                     .style = "watch.css",
                                     .script = "watch.js",
                                     .data = page_document(record, title)};
    const bool good =
        page_may_be(path, why, size) && page_sheet_write(&sheet, path, &charts, why, size);
    json_decref(sheet.data);
    return good;
}
