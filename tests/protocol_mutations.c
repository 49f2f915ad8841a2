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

/* The table of protocol.c compiled with NM_PROTOCOL_MUTABLE. */
extern struct nm_cell nm_table[NM_STATES][NM_EVENTS];

enum { SAME = NM_STATES, LIMIT = 40000000 };

struct mutation {
    const char *text;
    unsigned state, event, next; /* next: SAME, or the wrong one */
    uint64_t drop, add;
    bool gone;
    enum ex_config_name config;
};

#define KIND_CARD(action)         NM_CARD_ACT_##action
#define KIND_HOME(action)         NM_DIR_ACT_##action
#define KIND_NC(action)           NM_DIR_ACT_##action
#define CELL(agent, state, event) NM_##agent##_##state, NM_##agent##_EV_##event
#define NEXT(agent, state, event, next, config)             \
    {#agent " " #state " on " #event ": next state " #next, \
     CELL(agent, state, event),                             \
     NM_##agent##_##next,                                   \
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

/* Breaks a cell; false when the mutation is none, because the table has changed. */
static bool apply(const struct mutation *m)
{
    struct nm_cell *cell = &nm_table[m->state][m->event];
    struct nm_cell old = *cell;
    if (!cell->exists || (m->drop & ~cell->actions))
        return false;
    cell->actions = (cell->actions & ~m->drop) | m->add;
    cell->next = m->next == SAME ? cell->next : (uint8_t)m->next;
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

/* Searches the machines up to the one named. */
static bool caught(const struct mutation *m)
{
    struct ex_result r = {0};
    const struct nm_cell old = nm_table[m->state][m->event];
    unsigned i = 0;
    if (!apply(m)) {
        printf("NO CHANGE  %s\n", m->text);
        return false;
    }
    for (; i <= m->config; i++) {
        if (i < m->config && i != EX_one_station && i != EX_two_single)
            continue; /* large and smaller in another direction */
        r = ex_search(&ex_configs[i], LIMIT, NULL, NULL);
        if (r.verdict != EX_CLEAN)
            break;
    }
    nm_table[m->state][m->event] = old;
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
