/*
 * Does every word of a table matter? Forgets one action of one row at a time, or that the row goes
 * to another state, and expects the checker to object in some machine of the protocol. What it
 * cannot see stands with a reason in protocol_harmless.def, or is compared elsewhere.
 *
 *   protocol_slips PROTOCOL
 *
 * Slips that are more than forgetting are in protocol_mutations.def.
 */
#include "tests/explore_configs.h"
#include "tests/explore_search.h"
#include "tests/explore_unreached.h"

#include <stdlib.h>
#include <string.h>

enum { LIMIT = 40000000, STAYS = 64 /* behind the bits of actions */ };

static const struct harmless {
    enum nm_protocol_id protocol;
    enum nm_agent agent;
    const char *state, *event, *action, *why;
} harmless[] = {
#define HARMLESS(protocol, agent, state, event, action, why) \
    {NM_PROTOCOL_##protocol, NM_AGENT_##agent, #state, #event, #action, why},
#include "tests/protocol_harmless.def"
#undef HARMLESS
};

enum { HARMLESS = sizeof harmless / sizeof *harmless };

/* A row, and what is forgotten of it. */
struct slip {
    const struct nm_protocol *protocol;
    enum nm_agent agent;
    unsigned state, event, bit;
};

static const char *state_of(const struct slip *s)
{
    return nm_state_name(s->protocol->agent[s->agent], s->state);
}

static const char *event_of(const struct slip *s)
{
    return nm_event_name(s->protocol->agent[s->agent], s->event);
}

static const char *action_of(const struct slip *s)
{
    return s->bit == STAYS ? "STAYS" : nm_action_name(s->agent, s->bit);
}

static const char *excuse(const struct slip *s)
{
    for (const struct harmless *h = harmless; h < harmless + HARMLESS; h++)
        if (&nm_protocols[h->protocol] == s->protocol && h->agent == s->agent &&
            !strcmp(h->state, state_of(s)) && !strcmp(h->event, event_of(s)) &&
            !strcmp(h->action, action_of(s)))
            return h->why;
    return NULL;
}

/* What a card does to its caches follows from its states (protocol_tables.c), and that a row counts
 * something changes nothing else. Rows that nobody uses cannot be tried. */
static bool is_elsewhere(const struct slip *s)
{
    static const uint64_t caches =
        NM_CARD_ACT_HIT | NM_CARD_ACT_FILL | NM_CARD_ACT_DROP | NM_CARD_ACT_CLEAN;
    static const uint64_t counts = NM_DIR_ACT_FOUND | NM_DIR_ACT_LOCALISED | NM_DIR_ACT_MISSED |
                                   NM_DIR_ACT_COMBINED | NM_DIR_ACT_FALSE_REMOTE;
    const bool card = s->agent == NM_AGENT_CARD;
    if (ex_excuse(s->protocol, s->agent, state_of(s), event_of(s)))
        return true;
    return s->bit == STAYS ? card && s->event == NM_CARD_EV_REPLACE
                           : (card ? caches : counts) >> s->bit & 1;
}

/* Rows that a machine uses, as far as that is known: of the quick ones from the beginning, of a
 * large one as soon as it has been searched with a row broken that it does not use. */
static struct {
    bool known;
    ex_cells cells;
} used[EX_CONFIGS];

static void use_rows(const struct nm_protocol *p)
{
    for (unsigned i = 0; i < EX_CONFIGS; i++)
        if (ex_configs[i].protocol == p && ex_configs[i].quick) {
            ex_search(&ex_configs[i], LIMIT, used[i].cells, NULL);
            used[i].known = true;
        }
}

static bool uses(unsigned config, const struct slip *s)
{
    return used[config].cells[s->agent][s->state][s->event];
}

/* Whether the machine objects. */
static bool objects(unsigned config, const struct slip *s)
{
    if (used[config].known && !uses(config, s))
        return false;
    static ex_cells cells;
    memset(cells, 0, sizeof cells);
    const enum ex_verdict v = ex_search(&ex_configs[config], LIMIT, cells, NULL).verdict;
    if (v == EX_CLEAN && !cells[s->agent][s->state][s->event]) {
        memcpy(used[config].cells, cells, sizeof cells);
        used[config].known = true;
    }
    return v != EX_CLEAN && v != EX_UNFINISHED;
}

/* @param large  it is tried in the machines of the long list, too
 *  @return a machine that objects, or NULL */
static const struct ex_config *seen_by(const struct slip *s, bool large)
{
    for (unsigned i = 0; i < EX_CONFIGS; i++)
        if (ex_configs[i].protocol == s->protocol && (ex_configs[i].quick || large) &&
            objects(i, s))
            return &ex_configs[i];
    return NULL;
}

/* @return false: nobody sees it, or somebody does although it is said to be harmless */
static bool try_slip(const struct slip *s, struct nm_cell *cell)
{
    const struct nm_cell old = *cell;
    const char *why = excuse(s);
    if (s->bit == STAYS)
        cell->next = (uint8_t)s->state;
    else
        cell->actions &= ~(1ull << s->bit);
    const struct ex_config *seen = seen_by(s, !why);
    *cell = old;
    printf("%-10s %s %s on %s: %s%s%s%s\n", !seen == !!why ? seen ? "caught" : "harmless" : "WRONG",
           nm_agent_name(s->agent), state_of(s), event_of(s), s->bit == STAYS ? "" : "no ",
           action_of(s), seen ? ", in " : "", seen ? seen->name : "");
    return !seen == !!why;
}

int main(int argc, char **argv)
{
    const struct nm_protocol *p = argc == 2 ? nm_protocol_find(argv[1]) : NULL;
    unsigned tried = 0, wrong = 0;
    if (!p) {
        fputs("usage: protocol_slips PROTOCOL\n", stderr);
        return EXIT_FAILURE;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    use_rows(p);
    struct slip s = {.protocol = p};
    for (s.agent = 0; s.agent < NM_AGENTS; s.agent++)
        for (s.state = 0; s.state < p->agent[s.agent]->states; s.state++)
            for (s.event = 0; s.event < p->agent[s.agent]->events; s.event++)
                for (s.bit = 0; s.bit <= STAYS; s.bit++) {
                    /* The tables are compiled with NM_PROTOCOL_MUTABLE. */
                    struct nm_cell *cell =
                        (struct nm_cell *)nm_cell(p->agent[s.agent], s.state, s.event);
                    const bool there =
                        s.bit == STAYS ? cell->next != s.state : cell->actions >> s.bit & 1;
                    if (!cell->exists || !there || is_elsewhere(&s))
                        continue;
                    tried++;
                    wrong += !try_slip(&s, cell);
                }
    printf("%s: %u slips, %u wrong\n", p->name, tried, wrong);
    return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
