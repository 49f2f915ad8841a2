/*
 * The exhaustive checker: explores small machines through all interleavings and prints what it
 * found.
 *
 *   protocol_explore [quick|long|PROTOCOL|NAME]...
 *
 * PROTOCOL is every machine of one. One that extends another must be explored together with it.
 *
 * Exit status 0: all clean and every cell of the table used or excused; 1: not.
 */
#include "tests/explore_configs.h"
#include "tests/explore_search.h"
#include "tests/explore_unreached.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 120000000 }; /* worlds */

/* Whether the word names all machines of a protocol. */
static bool is_whole(const char *word, const struct nm_protocol *protocol)
{
    return !strcmp(word, "long") || !strcmp(word, protocol->name);
}

static bool named(const struct nm_protocol *protocol, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (is_whole(argv[i], protocol))
            return true;
    return false;
}

static bool chosen(const struct ex_config *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], c->name) || is_whole(argv[i], c->protocol) ||
            (!strcmp(argv[i], "quick") && c->quick))
            return true;
    return false;
}

static unsigned count(ex_cells cells)
{
    unsigned n = 0;
    for (unsigned a = 0; a < NM_AGENTS; a++)
        for (unsigned s = 0; s < NM_STATES_MAX; s++)
            for (unsigned e = 0; e < EX_EVENTS; e++)
                n += cells[a][s][e];
    return n;
}

static void add(ex_cells sum, ex_cells cells)
{
    for (unsigned a = 0; a < NM_AGENTS; a++)
        for (unsigned s = 0; s < NM_STATES_MAX; s++)
            for (unsigned e = 0; e < EX_EVENTS; e++)
                sum[a][s][e] |= cells[a][s][e];
}

/* Whether a table has all states and events of another. */
static bool extends(const struct nm_table *t, const struct nm_table *other)
{
    bool all = true;
    for (unsigned s = 0; s < other->states; s++)
        all = all && nm_state_find(t, other->state[s].name) < t->states;
    for (unsigned e = 0; e < other->events; e++)
        all = all && nm_event_find(t, other->event[e].name) < t->events;
    return all;
}

/* A row that one table has taken over from another unchanged is used by either's machines. */
static void share(enum nm_agent agent, const struct nm_protocol *from, ex_cells used,
                  const struct nm_protocol *to, ex_cells sum)
{
    const struct nm_table *a = from->agent[agent], *b = to->agent[agent];
    if (!extends(a, b) && !extends(b, a))
        return;
    for (unsigned s = 0; s < a->states; s++)
        for (unsigned e = 0; e < a->events; e++) {
            const unsigned state = nm_state_find(b, a->state[s].name);
            const unsigned event = nm_event_find(b, a->event[e].name);
            if (!used[agent][s][e] || state == b->states || event == b->events)
                continue;
            const struct nm_cell *x = nm_cell(a, s, e), *y = nm_cell(b, state, event);
            sum[agent][state][event] |= y->exists && x->actions == y->actions &&
                                        !strcmp(a->state[x->next].name, b->state[y->next].name);
        }
}

/* Cells with a row that no configuration of the protocol used. Returns those without an excuse, and
 * excuses that have become untrue. */
static unsigned print_unused(const struct nm_protocol *protocol, enum nm_agent agent,
                             ex_cells cells)
{
    const struct nm_table *t = protocol->agent[agent];
    unsigned wrong = 0;
    for (unsigned s = 0; s < t->states; s++)
        for (unsigned e = 0; e < t->events; e++) {
            const char *state = t->state[s].name, *event = t->event[e].name;
            const char *why = ex_excuse(protocol, agent, state, event);
            const bool used = cells[agent][s][e];
            if (!nm_cell(t, s, e)->exists || (used && !why))
                continue;
            printf("%s: %s %s on %s: %s%s\n", protocol->name, nm_agent_name(agent), state, event,
                   used ? "reached, although " : "not reached, ", why ? why : "no reason known");
            wrong += !why || used;
        }
    return wrong;
}

static bool has_row(const struct nm_protocol *protocol, const struct ex_excuse *e)
{
    const struct nm_table *t = protocol->agent[e->agent];
    const unsigned state = nm_state_find(t, e->state), event = nm_event_find(t, e->event);
    return state < t->states && event < t->events && nm_cell(t, state, event)->exists;
}

/* Excuses for rows that their protocol has not got. */
static unsigned print_needless(void)
{
    unsigned wrong = 0;
    for (const struct ex_excuse *e = ex_unreached; e->state; e++)
        for (unsigned p = 0; p < NM_PROTOCOLS; p++) {
            if (!(e->protocols >> p & 1) || has_row(&nm_protocols[p], e))
                continue;
            printf("%s has no row %s %s on %s\n", nm_protocols[p].name, nm_agent_name(e->agent),
                   e->state, e->event);
            wrong++;
        }
    return wrong;
}

/* Whether one protocol is another with more rows, or the other way round: all tables. */
static bool related(const struct nm_protocol *p, const struct nm_protocol *q)
{
    bool all = true;
    for (unsigned a = 0; a < NM_AGENTS; a++)
        all = all && (extends(p->agent[a], q->agent[a]) || extends(q->agent[a], p->agent[a]));
    return all && p != q;
}

/* Rows may be missing for no other reason than that the machines of a relative were left out. */
static void print_relatives(const struct nm_protocol *p, int argc, char **argv)
{
    for (unsigned q = 0; q < NM_PROTOCOLS; q++)
        if (related(p, &nm_protocols[q]) && !named(&nm_protocols[q], argc, argv))
            printf("%s has rows of %s, whose machines reach them too: explore both, "
                   "'protocol_explore %s %s'\n",
                   p->name, nm_protocols[q].name, nm_protocols[q].name, p->name);
}

/* All machines of a protocol together must use every row. Returns what is wrong. */
static unsigned judge(ex_cells used[NM_PROTOCOLS], int argc, char **argv)
{
    unsigned wrong = 0;
    for (unsigned p = 0; p < NM_PROTOCOLS; p++) {
        const unsigned before = wrong;
        for (unsigned a = 0; a < NM_AGENTS && named(&nm_protocols[p], argc, argv); a++) {
            static ex_cells sum;
            memcpy(sum, used[p], sizeof sum);
            for (unsigned q = 0; q < NM_PROTOCOLS; q++)
                share(a, &nm_protocols[q], used[q], &nm_protocols[p], sum);
            wrong += print_unused(&nm_protocols[p], a, sum);
        }
        if (wrong > before)
            print_relatives(&nm_protocols[p], argc, argv);
    }
    return wrong;
}

int main(int argc, char **argv)
{
    static ex_cells all[NM_PROTOCOLS];
    unsigned wrong = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (unsigned i = 0; i < EX_CONFIGS; i++) {
        if (!chosen(&ex_configs[i], argc, argv))
            continue;
        static ex_cells cells;
        memset(cells, 0, sizeof cells);
        struct ex_result r = ex_search(&ex_configs[i], LIMIT, cells, stdout);
        printf("%-16s %-13s %9u worlds %10lu steps, depth %3u, %3u cells, %6.1f s  %s\n",
               ex_configs[i].name, ex_verdict_name(r.verdict), r.worlds, (unsigned long)r.steps,
               r.depth, count(cells), r.seconds, r.what ? r.what : ex_configs[i].sentence);
        wrong += r.verdict != EX_CLEAN;
        add(all[ex_configs[i].protocol - nm_protocols], cells);
    }
    wrong += judge(all, argc, argv);
    wrong += print_needless();
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
