/*
 * The exhaustive checker: explores small machines through all interleavings and prints what it
 * found.
 *
 *   protocol_explore [quick|long|NAME...]
 *
 * Exit status 0: all clean and every cell of the table used or excused; 1: not.
 */
#include "tests/explore_configs.h"
#include "tests/explore_search.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 120000000 }; /* worlds */

static bool chosen(const struct ex_config *c, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], c->name) || !strcmp(argv[i], "long") ||
            (!strcmp(argv[i], "quick") && c->quick))
            return true;
    return false;
}

static unsigned count(ex_cells cells)
{
    unsigned n = 0;
    for (unsigned s = 0; s < NM_STATES; s++)
        for (unsigned e = 0; e < NM_EVENTS; e++)
            n += cells[s][e];
    return n;
}

static const struct {
    unsigned state, event;
    const char *why;
} unreached[] = {
#define UNREACHED(agent, state, event, why) {NM_##agent##_##state, NM_##agent##_EV_##event, why},
#include "tests/explore_unreached.def"
#undef UNREACHED
    {NM_STATES, NM_EVENTS, NULL}};

static const char *excuse(unsigned state, unsigned event)
{
    for (unsigned i = 0; unreached[i].why; i++)
        if (unreached[i].state == state && unreached[i].event == event)
            return unreached[i].why;
    return NULL;
}

/* Cells with a row that no configuration used. Returns those without an excuse, and excuses that
 * have become untrue. */
static unsigned print_unused(ex_cells cells)
{
    unsigned wrong = 0;
    for (unsigned s = 0; s < NM_STATES; s++)
        for (unsigned e = 0; e < NM_EVENTS; e++) {
            const char *why = excuse(s, e);
            if (!nm_cell(s, e)->exists || (cells[s][e] && !why))
                continue;
            printf("%s %s on %s: %s%s\n", nm_agent_name(nm_state_agent(s)), nm_state_name(s),
                   nm_event_name(e), cells[s][e] ? "reached, although " : "not reached, ",
                   why ? why : "no reason known");
            wrong += !why || cells[s][e];
        }
    return wrong;
}

int main(int argc, char **argv)
{
    static ex_cells all;
    unsigned wrong = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (unsigned i = 0; i < EX_CONFIGS; i++) {
        if (!chosen(&ex_configs[i], argc, argv))
            continue;
        ex_cells cells = {0};
        struct ex_result r = ex_search(&ex_configs[i], LIMIT, cells, stdout);
        printf("%-16s %-13s %9u worlds %10lu steps, depth %3u, %3u cells, %6.1f s  %s\n",
               ex_configs[i].name, ex_verdict_name(r.verdict), r.worlds, (unsigned long)r.steps,
               r.depth, count(cells), r.seconds, r.what ? r.what : ex_configs[i].sentence);
        wrong += r.verdict != EX_CLEAN;
        for (unsigned s = 0; s < NM_STATES; s++)
            for (unsigned e = 0; e < NM_EVENTS; e++)
                all[s][e] |= cells[s][e];
    }
    if (argc == 2 && !strcmp(argv[1], "long")) /* all machines together must use every row */
        wrong += print_unused(all);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
