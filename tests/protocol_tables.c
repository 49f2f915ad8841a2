/*
 * The tables of all protocols, as tables: what holds of each by itself, whatever it does. What they
 * do together is the exhaustive checker's (protocol_explore.c).
 */
#include "machine/params.h"
#include "machine/protocol.h"

#include <criterion/criterion.h>
#include <string.h>

#define FOR_EACH_TABLE(p, a)                                                               \
    for (const struct nm_protocol *p = nm_protocols; p < nm_protocols + NM_PROTOCOLS; p++) \
        for (unsigned a = 0; a < NM_AGENTS; a++)

#define FOR_EACH_CELL(t, s, e)                     \
    for (unsigned s = 0; s < (t)->states; s++)     \
        for (unsigned e = 0; e < (t)->events; e++) \
            if (nm_cell(t, s, e)->exists)

/* The parameter's words are the protocols, in order. */
Test(protocol_tables, names)
{
    size_t rows;
    const struct nm_param_row *row = nm_param_rows(&rows);
    while (strcmp(row->key, "protocol"))
        row++;
    char words[200] = "";
    for (unsigned i = 0; i < NM_PROTOCOLS; i++) {
        strcat(strcat(words, i ? " " : ""), nm_protocols[i].name);
        cr_expect_eq(nm_protocol_find(nm_protocols[i].name), &nm_protocols[i]);
    }
    cr_expect_str_eq(row->unit, words);
    cr_expect_eq(row->max, NM_PROTOCOLS - 1);
    cr_expect_null(nm_protocol_find("nobody's"));
}

/* Names are found again, and no two are the same. */
Test(protocol_tables, spaces)
{
    FOR_EACH_TABLE(p, a)
    {
        const struct nm_table *t = p->agent[a];
        for (unsigned s = 0; s < t->states; s++)
            cr_expect_eq(nm_state_find(t, t->state[s].name), s, "%s: %s", p->name,
                         t->state[s].name);
        for (unsigned e = 0; e < t->events; e++)
            cr_expect_eq(nm_event_find(t, t->event[e].name), e, "%s: %s", p->name,
                         t->event[e].name);
        cr_expect_eq(nm_state_find(t, "nowhere"), NM_STATES_MAX);
        cr_expect_eq(nm_event_find(t, "never"), NM_MEANS_NOTHING);
    }
}

static bool is_meant(const struct nm_table *t, unsigned event)
{
    for (unsigned m = 0; m <= NM_MSG__COUNT; m++)
        for (unsigned far = 0; far < 2; far++)
            for (unsigned i = 0; i < NM_MEANINGS; i++)
                if ((*t->means)[m][far][i].guard && (*t->means)[m][far][i].event == event)
                    return true;
    return false;
}

/* Each event has a row and, at a directory, a message that means it; no message means an event that
 * comes behind one which always holds. */
Test(protocol_tables, events)
{
    FOR_EACH_TABLE(p, a)
    {
        const struct nm_table *t = p->agent[a];
        for (unsigned e = 0; e < t->events; e++) {
            unsigned rows = 0;
            for (unsigned s = 0; s < t->states; s++)
                rows += nm_cell(t, s, e)->exists;
            cr_expect(rows, "%s %s: no row on %s", p->name, nm_agent_name(a), t->event[e].name);
            cr_expect(a == NM_AGENT_CARD || is_meant(t, e), "%s %s: nothing means %s", p->name,
                      nm_agent_name(a), t->event[e].name);
        }
        for (unsigned m = 0; a != NM_AGENT_CARD && m <= NM_MSG__COUNT; m++)
            for (unsigned far = 0; far < 2; far++)
                for (unsigned i = 0, always = 0; i < NM_MEANINGS; i++) {
                    const uint8_t guard = (*t->means)[m][far][i].guard;
                    cr_expect(!guard || !always, "%s %s: message %u", p->name, nm_agent_name(a), m);
                    always |= guard == NM_GUARD_ALWAYS;
                }
    }
}

/* Every state but those a secondary cache may be in is reached from the first one. */
Test(protocol_tables, reached)
{
    FOR_EACH_TABLE(p, a)
    {
        const struct nm_table *t = p->agent[a];
        bool reached[NM_STATES_MAX] = {true}, more = true;
        while (more) {
            more = false;
            FOR_EACH_CELL(t, s, e)
            {
                const uint8_t next = nm_cell(t, s, e)->next;
                more |= reached[s] && !reached[next];
                reached[next] |= reached[s];
            }
        }
        for (unsigned s = a == NM_AGENT_CARD ? NM_LINE_D : 0; s < t->states; s++)
            cr_expect(reached[s], "%s %s: %s", p->name, nm_agent_name(a), t->state[s].name);
    }
}

/* What a card's row does to the secondary cache is what its two states say the cache has. The
 * exhaustive checker looks at the states alone. */
static void check_cache(const struct nm_protocol *p, unsigned s, unsigned e)
{
    const struct nm_table *t = p->agent[NM_AGENT_CARD];
    const struct nm_cell *cell = nm_cell(t, s, e);
    const uint8_t before = t->state[s].line, after = t->state[cell->next].line;
    const bool comes = e == NM_CARD_EV_DATA_S || e == NM_CARD_EV_DATA_X || e == NM_CARD_EV_CREATE;
    const bool wants = e == NM_CARD_EV_LOAD || e == NM_CARD_EV_STORE || e == NM_CARD_EV_LINK;
    const bool waits = t->state[cell->next].request != NM_MSG__COUNT;
    const bool owned = before == NM_LINE_E || before == NM_LINE_D;
    const struct {
        uint64_t action;
        bool due;
    } rule[] = {{NM_CARD_ACT_FILL, comes},
                {NM_CARD_ACT_DROP, before != NM_LINE_I && after == NM_LINE_I},
                {NM_CARD_ACT_CLEAN, owned && after == NM_LINE_S},
                {NM_CARD_ACT_HIT, wants && !waits}};
    for (unsigned i = 0; i < sizeof rule / sizeof *rule; i++)
        cr_expect_eq(!!(cell->actions & rule[i].action), rule[i].due, "%s %s %s: %s", p->name,
                     t->state[s].name, t->event[e].name,
                     nm_action_name(NM_AGENT_CARD, (unsigned)__builtin_ctzll(rule[i].action)));
    cr_expect(e != NM_CARD_EV_REPLACE || (after == NM_LINE_I && !waits), "%s %s", p->name,
              t->state[s].name);
}

Test(protocol_tables, caches)
{
    for (const struct nm_protocol *p = nm_protocols; p < nm_protocols + NM_PROTOCOLS; p++) {
        FOR_EACH_CELL(p->agent[NM_AGENT_CARD], s, e)
        check_cache(p, s, e);
    }
}

/* What a row says of its state is what its actions need: a card's request is out while it waits and
 * only then, a directory refuses while it is locked and only then. */
Test(protocol_tables, attributes)
{
    static const uint64_t sends = NM_CARD_ACT_SEND_RD | NM_CARD_ACT_SEND_RDEXCL |
                                  NM_CARD_ACT_SEND_UPGD | NM_CARD_ACT_SEND_SPECIAL |
                                  NM_CARD_ACT_RETRY;
    FOR_EACH_TABLE(p, a)
    {
        const struct nm_table *t = p->agent[a];
        FOR_EACH_CELL(t, s, e)
        {
            const struct nm_cell *cell = nm_cell(t, s, e);
            const char *state = t->state[s].name, *event = t->event[e].name;
            if (a == NM_AGENT_CARD) {
                const bool out = t->state[cell->next].request != NM_MSG__COUNT;
                cr_expect(!(cell->actions & sends) || out, "%s %s %s", p->name, state, event);
                cr_expect(!(cell->actions & NM_CARD_ACT_DONE) || !out, "%s %s %s", p->name, state,
                          event);
                continue;
            }
            const bool locked = nm_locked(t, (uint8_t)s), held = nm_locked(t, cell->next);
            cr_expect(!(cell->actions & NM_DIR_ACT_HOLD) || (!locked && held), "%s %s %s %s",
                      p->name, nm_agent_name(a), state, event);
            cr_expect(!(cell->actions & (NM_DIR_ACT_N_NACK | NM_DIR_ACT_N_INTV_NACK)) || locked,
                      "%s %s %s %s", p->name, nm_agent_name(a), state, event);
            cr_expect(!(cell->actions & NM_DIR_ACT_REFUSE_HELD) || (locked && !held), "%s %s %s %s",
                      p->name, nm_agent_name(a), state, event);
        }
    }
}

static bool is_same_line(const struct nm_dir_line *a, const struct nm_dir_line *b)
{
    return a->stations == b->stations && a->held_station == b->held_station &&
           a->held_card == b->held_card && a->state == b->state && a->cards == b->cards &&
           a->loose == b->loose && a->poll == b->poll;
}

/* A step is taken where there is a row for it, and nowhere else: what is no row changes nothing and
 * sends nothing. For each state and message, from this station and from another. */
Test(protocol_tables, steps)
{
    const struct ring_shape shape = {.fan = {4, 1, 1}};
    for (const struct nm_protocol *p = nm_protocols; p < nm_protocols + NM_PROTOCOLS; p++)
        for (unsigned a = NM_AGENT_HOME; a <= NM_AGENT_NC; a++)
            for (unsigned state = 0; state < p->agent[a]->states; state++)
                for (unsigned message = 0; message < NM_MSG__COUNT; message++)
                    for (unsigned far = 0; far < 2; far++) {
                        const struct nm_place place = {
                            .rings = &shape, .protocol = p, .station = 1, .cards = 4};
                        const struct nm_packet in = {
                            .message = (uint8_t)message, .station = far ? 2 : 1, .requester = 1};
                        struct nm_dir_line line = {.state = (uint8_t)state}, before = line;
                        struct nm_sends out = {.count = 9};
                        uint64_t actions;
                        const unsigned event = nm_dir_event_of(a, &place, &line, &in, far);
                        const bool row =
                            event != NM_MEANS_NOTHING && nm_cell(p->agent[a], state, event)->exists;
                        cr_expect_eq(nm_dir_step(a, &place, &line, &in, far, &out, &actions), row,
                                     "%s %s: %s on message %u", p->name, nm_agent_name(a),
                                     p->agent[a]->state[state].name, message);
                        if (!row)
                            cr_expect(!out.count && is_same_line(&line, &before));
                    }
}

/* The shortcut for a refusal says what the step would do: one message, and the line as it was. For
 * each state and message, of a card known and unknown, of this station and another, with masks. */
static unsigned refuses_as_the_step(const struct nm_place *place, unsigned agent,
                                    struct nm_dir_line line, const struct nm_packet *in, bool far)
{
    const struct nm_dir_line before = line;
    const uint64_t no = nm_dir_only_refuses(agent, place, &line, in, far);
    const struct nm_refusals always = nm_dir_refusals(place->protocol->agent[agent], line.state);
    cr_expect(
        far || !(always.all >> in->message & 1) ||
        no == (NM_DIR_ACT_NACK | (always.combined >> in->message & 1 ? NM_DIR_ACT_COMBINED : 0)));
    struct nm_packet said;
    nm_dir_refusal(place, in, far, 0, &said);
    struct nm_sends out;
    uint64_t actions;
    if (!no)
        return 0;
    cr_expect(nm_dir_step(agent, place, &line, in, far, &out, &actions));
    const struct nm_packet *step = &out.packet[0];
    const char *state = place->protocol->agent[agent]->state[line.state].name;
    cr_expect(is_same_line(&line, &before) && out.count == 1 && actions == no, "%s %s: %s",
              place->protocol->name, nm_agent_name(agent), state);
    cr_expect(step->message == said.message && step->route == said.route &&
                  step->targets == said.targets && step->requester == said.requester &&
                  step->station == said.station && step->data == said.data &&
                  step->bytes == said.bytes,
              "%s %s: %s", place->protocol->name, nm_agent_name(agent), state);
    return 1;
}

Test(protocol_tables, refusals)
{
    const struct ring_shape shape = {.levels = 1, .fan = {4, 1, 1}};
    for (const struct nm_protocol *p = nm_protocols; p < nm_protocols + NM_PROTOCOLS; p++) {
        unsigned refusals = 0;
        for (unsigned a = NM_AGENT_HOME; a <= NM_AGENT_NC; a++)
            for (unsigned state = 0; state < p->agent[a]->states; state++)
                for (unsigned message = 0; message < NM_MSG__COUNT; message++)
                    for (unsigned way = 0; way < 8; way++) {
                        const bool far = way & 1;
                        const struct nm_place place = {.rings = &shape,
                                                       .protocol = p,
                                                       .station = 1,
                                                       .home = a == NM_AGENT_HOME ? 1 : 3,
                                                       .cards = 4};
                        const struct nm_packet in = {.message = (uint8_t)message,
                                                     .station = far && way & 2 ? 2 : 1,
                                                     .requester = 1};
                        const struct nm_dir_line line = {
                            .state = (uint8_t)state, .cards = way & 4 ? 2 : 0, .held_station = 2};
                        refusals += refuses_as_the_step(&place, a, line, &in, far);
                    }
        cr_expect_gt(refusals, 0, "%s", p->name);
    }
}
