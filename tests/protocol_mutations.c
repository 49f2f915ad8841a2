/*
 * Does the checker see? Breaks one cell of the protocol at a time and expects it to object, in the
 * machine named for that mutation or in a smaller one.
 *
 *   protocol_mutations quick|long|NAME
 *
 * quick leaves out what needs a machine of the long suite; NAME is one machine. A mutation that no
 * machine catches is a failure: either the checker is blind or the cell does not matter.
 */
#include "tests/explore_configs.h"
#include "tests/explore_search.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 40000000 };

struct mutation {
    const char *text;
    enum nm_agent agent;
    const char *state, *event, *next; /* next: SAME, or the wrong one */
    uint64_t drop, add;
    bool gone;
    enum ex_config_name config;
};

#define KIND_CARD(action)         NM_CARD_ACT_##action
#define KIND_HOME(action)         NM_DIR_ACT_##action
#define KIND_NC(action)           NM_DIR_ACT_##action
#define CELL(agent, state, event) NM_AGENT_##agent, #state, #event
#define SAME                      NULL
#define NEXT(agent, state, event, next, config)             \
    {#agent " " #state " on " #event ": next state " #next, \
     CELL(agent, state, event),                             \
     #next,                                                 \
     0,                                                     \
     0,                                                     \
     false,                                                 \
     EX_##config},
#define DROP(agent, state, event, action, config)     \
    {#agent " " #state " on " #event ": no " #action, \
     CELL(agent, state, event),                       \
     SAME,                                            \
     KIND_##agent(action),                            \
     0,                                               \
     false,                                           \
     EX_##config},
#define SWAP(agent, state, event, action, other, config)          \
    {#agent " " #state " on " #event ": " #other " for " #action, \
     CELL(agent, state, event),                                   \
     SAME,                                                        \
     KIND_##agent(action),                                        \
     KIND_##agent(other),                                         \
     false,                                                       \
     EX_##config},
#define GONE(agent, state, event, config)        \
    {#agent " " #state " on " #event ": no row", \
     CELL(agent, state, event),                  \
     SAME,                                       \
     0,                                          \
     0,                                          \
     true,                                       \
     EX_##config},
static const struct mutation mutations[] = {
#include "tests/protocol_mutations.def"
};

enum { MUTATIONS = sizeof mutations / sizeof mutations[0] };

/* The cell a mutation breaks: of the protocol of its machine. The tables are compiled with
 * NM_PROTOCOL_MUTABLE. NULL: there is no such row. */
static struct nm_cell *cell_of(const struct mutation *m)
{
    const struct nm_table *t = ex_configs[m->config].protocol->agent[m->agent];
    const unsigned state = nm_state_find(t, m->state), event = nm_event_find(t, m->event);
    if (state == NM_STATES_MAX || event == NM_MEANS_NOTHING || !nm_cell(t, state, event)->exists)
        return NULL;
    return (struct nm_cell *)nm_cell(t, state, event);
}

/* Breaks a cell; false when the mutation is none, because the table has changed. */
static bool apply(const struct mutation *m, struct nm_cell *cell)
{
    const struct nm_table *t = ex_configs[m->config].protocol->agent[m->agent];
    const unsigned next = m->next ? nm_state_find(t, m->next) : cell->next;
    const struct nm_cell old = *cell;
    if (m->drop & ~cell->actions || next == NM_STATES_MAX)
        return false;
    cell->actions = (cell->actions & ~m->drop) | m->add;
    cell->next = (uint8_t)next;
    cell->exists = !m->gone;
    return cell->actions != old.actions || cell->next != old.next || m->gone;
}

static bool report(const struct mutation *m, const struct ex_result *r, const char *config)
{
    bool caught = r->verdict != EX_CLEAN && r->verdict != EX_UNFINISHED;
    printf("%-10s %-52s %-16s %3u steps, %9u worlds  %s\n", caught ? "caught" : "NOT CAUGHT",
           m->text, config, r->trace, r->worlds, r->what ? r->what : ex_verdict_name(r->verdict));
    return caught;
}

/* Of the others, most are large and smaller in another direction. */
static bool is_smaller(const struct ex_config *c, const struct ex_config *than)
{
    return c->protocol == than->protocol &&
           (c == &ex_configs[EX_one_station] || c == &ex_configs[EX_two_single] ||
            c == &ex_configs[EX_flat_one] || c == &ex_configs[EX_flat_two]);
}

/* Searches the machines up to the one named. */
static bool caught(const struct mutation *m)
{
    struct ex_result r = {0};
    struct nm_cell *cell = cell_of(m);
    const struct nm_cell old = cell ? *cell : (struct nm_cell){0};
    unsigned i = 0;
    if (!cell || !apply(m, cell)) {
        printf("NO CHANGE  %s\n", m->text);
        return false;
    }
    for (; i <= m->config; i++) {
        if (i < m->config && !is_smaller(&ex_configs[i], &ex_configs[m->config]))
            continue;
        r = ex_search(&ex_configs[i], LIMIT, NULL, NULL);
        if (r.verdict != EX_CLEAN)
            break;
    }
    *cell = old;
    return report(m, &r, ex_configs[i > m->config ? m->config : i].name);
}

static bool chosen(const struct mutation *m, const char *which)
{
    const struct ex_config *config = &ex_configs[m->config];
    return !strcmp(which, "long") || !strcmp(which, config->name) ||
           (!strcmp(which, "quick") && config->quick);
}

int main(int argc, char **argv)
{
    unsigned missed = 0, tried = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (unsigned i = 0; i < MUTATIONS; i++) {
        if (!chosen(&mutations[i], argc > 1 ? argv[1] : "quick"))
            continue;
        tried++;
        missed += !caught(&mutations[i]);
    }
    printf("%u mutations, %u caught\n", tried, tried - missed);
    return missed ? EXIT_FAILURE : EXIT_SUCCESS;
}
