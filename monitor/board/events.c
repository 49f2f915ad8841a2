/*
 * The rows of the board's events.
 *
 * An event is a bit mask over the taps: a group of status states differs from a single state only
 * in having more bits.
 */
#include "monitor/board/board.h"

#include "monitor/taps.h"

_Static_assert(MON_EV__COUNT <= MON_MAX_CONTROL0_EVENT + 1, "CONTROLk.EVENT has room for all");
_Static_assert((int)MON_EV__COUNT <= (int)MON_UNIT_EVENTS_MAX, "a choice has room for all");

#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) | UINT64_C(1) << (number)
#define ALIAS(alias, name)
#define SET(name, events, sentence)
_Static_assert((0
#include "monitor/board/events.def"
                ) == (UINT64_C(1) << MON_EV__COUNT) - 1,
               "each number is given once, and none is left out");
#undef EVENT
#undef ALIAS
#undef SET

/* Each word is given once: of an event, another name of one, or a set. */
enum mon_word {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) MON_WORD_##name,
#define ALIAS(alias, name)                                              MON_WORD_##alias,
#define SET(name, events, sentence)                                     MON_WORD_##name,
#include "monitor/board/events.def"
#undef EVENT
#undef ALIAS
#undef SET
};

const struct mon_event mon_board_events[MON_EV__COUNT] = {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) \
    [MON_EV_##name] = {#name, ref, unit, sentence, number, MON_SCOPE_##scope, counters, taps},
#define ALIAS(alias, name)
#define SET(name, events, sentence)
#include "monitor/board/events.def"
#undef EVENT
#undef ALIAS
#undef SET
};

const struct mon_alias mon_board_aliases[] = {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence)
#define ALIAS(alias, name) {#alias, MON_EV_##name},
#define SET(name, events, sentence)
#include "monitor/board/events.def"
#undef EVENT
#undef ALIAS
#undef SET
    {0}};

const struct mon_set mon_board_sets[] = {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence)
#define ALIAS(alias, name)
#define SET(name, events, sentence) {#name, events, sentence},
#include "monitor/board/events.def"
#undef EVENT
#undef ALIAS
#undef SET
    {0}};

bool mon_event_needs_board(enum mon_event_id event)
{
    return event == MON_EV_last_read_latency || mon_board_events[event].taps & MON_UNIT_TAPS;
}

bool mon_event_is_packet(enum mon_event_id event)
{
    return mon_board_events[event].taps & MON_PACKET_TAPS;
}
