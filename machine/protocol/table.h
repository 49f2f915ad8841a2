/*
 * Expands one agent's table of one protocol into a struct nm_table. It is included once for each
 * table, and has no guard. The including file has defined
 *
 *   TABLE         its name (tables.h)
 *   TABLE_FILE    its .def
 *   TABLE_EVENTS  the one with its events
 *   STATES(...)   what the columns of a STATE are in a struct nm_state
 *
 * and the words of the agent's columns as enumerators. So a row with a word of another kind of
 * agent does not compile. Names of states and events are known in the expansion alone.
 *
 * Rows of a table:
 *
 * STATE(name, line, request, sentence)          of a card
 *   line     what its secondary cache has meanwhile: I, S, E or D
 *   request  the message that is outstanding, or NONE
 *   The first four are I, S, E and D, which are the states of the R4400's secondary cache.
 *
 * STATE(name, row, attributes, info, sentence)  of a directory
 *   row         of the coherence histogram
 *   attributes  LOCKED: requests are refused; VALID: the data here are; POLLS: cards are asked in
 *               turn; AWAY: the processor mask is of the owner's station
 *   info        what an answer says of a line found in that state (N-82): its state is global (G),
 *               valid (V), the network cache had it (H)
 *   The first state is that of a line that was never asked for.
 *
 * EVENT(name, sentence)
 *
 * MEANS(message, from, order, guard, event)     what a message that arrives is, for a directory
 *   from   HERE: from a card or the directory's own unit; NETWORK; ANYWHERE. EJECT is no message:
 *          another line needs the place
 *   order  0 to 2: the first whose guard holds (guards.def)
 *
 * ROW(state, event, next, actions)              the words are in actions.def
 *
 * A table that has another's rows and more of them includes the other's .def. It cannot have
 * another row for the same state and event ("initialized field overwritten"): copy the file then.
 */
#define TABLE_JOIN2(a, b) a##_##b
#define TABLE_JOIN(a, b)  TABLE_JOIN2(a, b)
#define TABLE_OF(name)    TABLE_JOIN(TABLE, name)

#define STATE(name, ...)
#define EVENT(name, sentence)
#define MEANS(message, from, order, guard, event)
#define ROW(state, event, next, actions)

#undef STATE
#define STATE(name, ...) TABLE_OF(IS_##name),
enum {
#include TABLE_FILE
    TABLE_OF(STATES)
};
#undef STATE
#define STATE(name, ...) STATES(#name, __VA_ARGS__),
static const struct nm_state TABLE_OF(state)[] = {
#include TABLE_FILE
};
#undef STATE
#define STATE(name, ...)

#undef EVENT
#define EVENT(name, sentence) TABLE_OF(ON_##name),
enum {
#include TABLE_EVENTS
    TABLE_OF(EVENTS)
};
#undef EVENT
#define EVENT(name, sentence) {#name, sentence},
static const struct nm_event_row TABLE_OF(event)[] = {
#include TABLE_EVENTS
};
#undef EVENT
#define EVENT(name, sentence)

_Static_assert((int)TABLE_OF(STATES) <= NM_STATES_MAX && (int)TABLE_OF(EVENTS) < NM_MEANS_NOTHING,
               "a state and an event are a byte each");

#undef MEANS
#define MEANS(message, from, order, guard, event) \
    [TABLE_JOIN(NM_MSG, message)][from][order] = {NM_GUARD_##guard, TABLE_OF(ON_##event)},
static const nm_meanings TABLE_OF(means) = {
#include TABLE_FILE
};
#undef MEANS
#define MEANS(message, from, order, guard, event)

#undef ROW
#define ROW(state, event, next, actions)                                                           \
    [TABLE_OF(IS_##state) * TABLE_OF(EVENTS) + TABLE_OF(ON_##event)] = {true, TABLE_OF(IS_##next), \
                                                                        (actions)},
NM_CELLS struct nm_cell TABLE_OF(cell)[TABLE_OF(STATES) * TABLE_OF(EVENTS)] = {
#include TABLE_FILE
};
#undef ROW
#undef MEANS
#undef EVENT
#undef STATE

const struct nm_table TABLE = {.states = TABLE_OF(STATES),
                               .events = TABLE_OF(EVENTS),
                               .state = TABLE_OF(state),
                               .event = TABLE_OF(event),
                               .cell = TABLE_OF(cell),
                               .means = &TABLE_OF(means)};

#undef TABLE_OF
#undef TABLE_JOIN
#undef TABLE_JOIN2
#undef TABLE_FILE
#undef TABLE
