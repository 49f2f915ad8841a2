/*
 * The exhaustive checker: explores small machines through all interleavings and prints what it
 * found.
 *
 *   protocol_explore [quick|long|PROTOCOL|NAME...]
 *
 * PROTOCOL is every machine of one.
 *
 * Exit status 0: all clean and every cell of the table used or excused; 1: not.
 */
#include "tests/explore_configs.h"
#include "tests/explore_search.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 120000000 }; /* worlds */

/* Whether the word names all machines of a protocol. */
static bool is_whole(const char *word, const struct nm_protocol *protocol)
{
    return !strcmp(word, "long") || !strcmp(word, protocol->name);
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

static const struct excuse {
    enum nm_agent agent;
    const char *state, *event, *why;
} unreached[] = {
#define UNREACHED(agent, state, event, why) {NM_AGENT_##agent, #state, #event, why},
#include "tests/explore_unreached.def"
#undef UNREACHED
};

enum { EXCUSES = sizeof unreached / sizeof *unreached };

static const char *excuse(enum nm_agent agent, const char *state, const char *event)
{
    for (unsigned i = 0; i < EXCUSES; i++)
        if (unreached[i].agent == agent && !strcmp(unreached[i].state, state) &&
            !strcmp(unreached[i].event, event))
            return unreached[i].why;
    return NULL;
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
            const char *why = excuse(agent, state, event);
            const bool used = cells[agent][s][e];
            if (!nm_cell(t, s, e)->exists || (used && !why))
                continue;
            printf("%s: %s %s on %s: %s%s\n", protocol->name, nm_agent_name(agent), state, event,
                   used ? "reached, although " : "not reached, ", why ? why : "no reason known");
            wrong += !why || used;
        }
    return wrong;
}

/* Excuses for rows that no protocol has. */
static unsigned print_needless(void)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < EXCUSES; i++) {
        bool found = false;
        for (unsigned p = 0; p < NM_PROTOCOLS; p++) {
            const struct nm_table *t = nm_protocols[p].agent[unreached[i].agent];
            const unsigned s = nm_state_find(t, unreached[i].state);
            const unsigned e = nm_event_find(t, unreached[i].event);
            found |= s < t->states && e < t->events && nm_cell(t, s, e)->exists;
        }
        if (!found)
            printf("no protocol has a row %s %s on %s\n", nm_agent_name(unreached[i].agent),
                   unreached[i].state, unreached[i].event);
        wrong += !found;
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
    /* All machines of a protocol together must use every row. */
    for (unsigned p = 0; argc == 2 && p < NM_PROTOCOLS; p++)
        for (unsigned a = 0; is_whole(argv[1], &nm_protocols[p]) && a < NM_AGENTS; a++)
            wrong += print_unused(&nm_protocols[p], a, all[p]);
    wrong += print_needless();
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
