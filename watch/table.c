/* The table of a recording. */
#include "watch/table.h"

#include "base/alloc.h"
#include "documents/cells.h"
#include "documents/csv.h"
#include "watch/words.h"

enum column {
#define COLUMN(name, unit, sentence) COLUMN_##name,
#include "documents/rows/watch_columns.def"
    COLUMNS
};

static const char *const column_names[COLUMNS] = {
#define COLUMN(name, unit, sentence) #name,
#include "documents/rows/watch_columns.def"
};

static const char *const kinds[] = {[WATCH_BUS] = "bus",
                                    [WATCH_RING] = "ring",
                                    [WATCH_ROW] = "row",
                                    [WATCH_REFUSED] = "refused",
                                    [WATCH_OVER] = "over"};

/* Texts of a row, which its cells point to. */
struct texts {
    char from[40], requester[40], to[40 * NM_MODULES], actions[1024];
};

static void table_put(struct doc_cell *cell, enum column column, const char *text)
{
    cell[column] = doc_cell_text(text);
}

static void table_number(struct doc_cell *cell, enum column column, uint64_t number)
{
    cell[column] = doc_cell_integer((int64_t)number);
}

static void table_targets(const struct watch_row *row, char *to, size_t size)
{
    char buf[40];
    size_t length = 0;
    *to = '\0';
    if (row->kind == WATCH_RING && row->to != WATCH_NOWHERE)
        snprintf(to, size, "%s", watch_place(row->to, NM_MODULE_NETWORK, true, buf));
    for (unsigned m = row->kind == WATCH_BUS ? row->targets : 0; m; m &= m - 1)
        length +=
            (size_t)snprintf(to + length, size - length, "%s%s", length ? " " : "",
                             watch_place(row->station, (unsigned)__builtin_ctz(m), true, buf));
}

static void table_requester(const struct watch_record *r, const struct watch_row *row,
                            char requester[40])
{
    const struct watch_transaction *t = &r->transaction[row->transaction];
    *requester = '\0';
    if (row->transaction == WATCH_NONE || t->station == WATCH_NOWHERE)
        return;
    if (t->card == NM_NO_CARD)
        snprintf(requester, 40, "%u", t->station);
    else
        watch_place(t->station, t->card, true, requester);
}

static void table_actions(const struct watch_row *row, const struct nm_table *t, char *words,
                          size_t size)
{
    const uint64_t actions =
        row->event < t->events ? nm_cell(t, row->before, row->event)->actions : 0;
    const char *word;
    size_t length = 0;
    *words = '\0';
    for (unsigned bit = 0; (word = nm_action_name((enum nm_agent)row->agent, bit)); bit++)
        if (actions >> bit & 1)
            length +=
                (size_t)snprintf(words + length, size - length, "%s%s", length ? " " : "", word);
}

/* What a row of an agent's table has beside the others. */
static void table_fired(const struct watch_record *r, const struct watch_row *row,
                        struct doc_cell *cell, struct texts *texts)
{
    const struct nm_table *t = watch_table(r, row);
    table_put(cell, COLUMN_agent, nm_agent_name((enum nm_agent)row->agent));
    if (row->kind == WATCH_REFUSED)
        return;
    table_actions(row, t, texts->actions, sizeof texts->actions);
    table_put(cell, COLUMN_before, nm_state_name(t, row->before));
    table_put(cell, COLUMN_event, nm_event_name(t, row->event));
    table_put(cell, COLUMN_after, nm_state_name(t, row->after));
    table_put(cell, COLUMN_actions, texts->actions);
    if (row->agent != NM_AGENT_CARD)
        table_number(cell, COLUMN_cards, row->cards);
    if (row->agent == NM_AGENT_HOME)
        table_number(cell, COLUMN_stations, row->stations);
}

static void table_queues(const struct watch_row *row, struct doc_cell *cell)
{
    unsigned in = 0, out = 0;
    for (unsigned m = 0; m < NM_MODULES; m++) {
        in += row->depth[2 * m];
        out += row->depth[2 * m + 1];
    }
    table_number(cell, COLUMN_queued_in, in);
    table_number(cell, COLUMN_queued_out, out);
    table_number(cell, COLUMN_queued_rings, row->depth[NM_QUEUE_FROM_RINGS]);
}

static void table_row(const struct watch_record *r, const struct watch_title *title, size_t number,
                      FILE *out)
{
    const struct watch_row *row = &r->row[number];
    struct doc_cell cell[COLUMNS] = {{0}};
    struct texts texts;
    table_number(cell, COLUMN_row, number + 1);
    table_number(cell, COLUMN_at, row->at - title->origin);
    table_number(cell, COLUMN_until, row->until - title->origin);
    table_put(cell, COLUMN_kind, kinds[row->kind]);
    if (row->transaction != WATCH_NONE)
        table_number(cell, COLUMN_transaction, row->transaction);
    table_requester(r, row, texts.requester);
    table_put(cell, COLUMN_requester, texts.requester);
    cell[COLUMN_line] = doc_cell_address(row->line, UINT64_MAX);
    if (row->station != WATCH_NOWHERE)
        table_put(cell, COLUMN_from, watch_place(row->station, row->module, true, texts.from));
    table_targets(row, texts.to, sizeof texts.to);
    table_put(cell, COLUMN_to, texts.to);
    if (row->message < NM_MSG__COUNT)
        table_put(cell, COLUMN_message, nm_message_row(row->message)->name);
    if (row->kind == WATCH_ROW || row->kind == WATCH_REFUSED)
        table_fired(r, row, cell, &texts);
    if (row->kind == WATCH_OVER) {
        table_number(cell, COLUMN_nacks, row->nacks);
        table_number(cell, COLUMN_given_up, row->given_up);
    }
    table_queues(row, cell);
    doc_cells_csv(out, cell, COLUMNS);
}

void watch_csv(const struct watch_record *record, const struct watch_title *title, FILE *out)
{
    doc_csv_row(out, column_names, COLUMNS);
    for (size_t i = 0; i < record->rows; i++)
        table_row(record, title, i, out);
}
