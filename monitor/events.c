/*
 * The table of events and the words that name them.
 *
 * An event is a bit mask over the taps: a group of status states differs from a single state only
 * in having more bits. The one thing to know: names come from users, so whatever is not found is
 * answered with the nearest word there is.
 */
#include "monitor/board.h"

#include "base/nearest.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

_Static_assert(MON_EV__COUNT <= MON_MAX_CONTROL0_EVENT + 1, "CONTROLk.EVENT has room for all");

#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) | UINT64_C(1) << (number)
#define ALIAS(alias, name)
#define SET(name, events, sentence)
_Static_assert((0
#include "monitor/events.def"
                ) == (UINT64_C(1) << MON_EV__COUNT) - 1,
               "each number is given once, and none is left out");
#undef EVENT
#undef ALIAS
#undef SET

static const struct mon_event events[MON_EV__COUNT] = {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence) \
    [MON_EV_##name] = {#name, ref, unit, sentence, MON_SCOPE_##scope, counters, taps},
#define ALIAS(alias, name)
#define SET(name, events, sentence)
#include "monitor/events.def"
#undef EVENT
#undef ALIAS
#undef SET
};

static const struct {
    const char *alias;
    enum mon_event_id event;
} aliases[] = {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence)
#define ALIAS(alias, name) {#alias, MON_EV_##name},
#define SET(name, events, sentence)
#include "monitor/events.def"
#undef EVENT
#undef ALIAS
#undef SET
};

static const struct mon_set sets[] = {
#define EVENT(name, number, ref, unit, scope, counters, taps, sentence)
#define ALIAS(alias, name)
#define SET(name, events, sentence) {#name, events, sentence},
#include "monitor/events.def"
#undef EVENT
#undef ALIAS
#undef SET
};

static const struct mon_tap_row taps[MON_TAP__COUNT] = {
#define TAP(name, unit, sentence)        {#name, unit, sentence, MON_TAP_LEVEL},
#define PACKET_TAP(name, unit, sentence) {#name, unit, sentence, MON_TAP_PACKET},
#define BOARD_TAP(name, unit, sentence)  {#name, unit, sentence, MON_TAP_BOARD},
#include "monitor/taps.def"
#undef TAP
};

enum {
    ALIASES = sizeof aliases / sizeof *aliases,
    SETS = sizeof sets / sizeof *sets,
};

const struct mon_event *mon_events(void)
{
    return events;
}

const struct mon_set *mon_sets(size_t *count)
{
    *count = SETS;
    return sets;
}

const struct mon_tap_row *mon_tap_rows(void)
{
    return taps;
}

int mon_event_find(const char *name)
{
    for (int i = 0; i < MON_EV__COUNT; i++)
        if (strcmp(name, events[i].name) == 0 || strcasecmp(name, events[i].ref) == 0)
            return i;
    for (size_t i = 0; i < ALIASES; i++)
        if (strcmp(name, aliases[i].alias) == 0)
            return (int)aliases[i].event;
    return -1;
}

const char *mon_word(size_t i)
{
    if (i < MON_EV__COUNT)
        return events[i].name;
    i -= MON_EV__COUNT;
    if (i < ALIASES)
        return aliases[i].alias;
    i -= ALIASES;
    return i < SETS ? sets[i].name : NULL;
}

uint64_t mon_event_total(const struct mon_event *event, const struct mon_taps *now)
{
    uint64_t total = 0;
    for (uint64_t rest = event->taps; rest; rest &= rest - 1)
        total += now->v[__builtin_ctzll(rest)];
    return total;
}

bool mon_event_needs_board(enum mon_event_id event)
{
    return event == MON_EV_last_read_latency || events[event].taps & MON_BOARD_TAPS;
}

bool mon_event_is_packet(enum mon_event_id event)
{
    return events[event].taps & MON_PACKET_TAPS;
}

static const char *next_word(void *ctx, size_t i)
{
    (void)ctx;
    return mon_word(i);
}

static void unknown(const char *word, char *why, size_t size)
{
    const char *near = nm_nearest(word, next_word, NULL);
    if (near)
        snprintf(why, size, "unknown event '%s'; did you mean '%s'?", word, near);
    else
        snprintf(why, size, "unknown event '%s'; see 'numachine list events'", word);
}

static void choose(struct mon_choice *choice, unsigned event)
{
    for (unsigned i = 0; i < choice->count; i++)
        if (choice->event[i] == event)
            return;
    choice->event[choice->count++] = event;
}

static const struct mon_set *find_set(const char *name)
{
    for (size_t i = 0; i < SETS; i++)
        if (strcmp(name, sets[i].name) == 0)
            return &sets[i];
    return NULL;
}

bool mon_choice_add(struct mon_choice *choice, const char *spec, char *why, size_t size)
{
    while (*spec) {
        size_t length = strcspn(spec, ",");
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)length, spec);
        spec += length + (spec[length] == ',');

        const struct mon_set *set = find_set(word);
        int event = set ? -1 : mon_event_find(word);
        if (event >= 0 && mon_event_needs_board((enum mon_event_id)event)) {
            snprintf(why, size,
                     "'%s' is made on the card as its registers say and has no total; program a "
                     "counter with it instead",
                     word);
            return false;
        } else if (event >= 0) {
            choose(choice, (unsigned)event);
        } else if (!set) {
            unknown(word, why, size);
            return false;
        } else if (!mon_choice_add(choice, set->events, why, size)) {
            return false;
        }
    }
    return true;
}

void mon_choice_merge(struct mon_choice *choice, const struct mon_choice *more)
{
    for (unsigned i = 0; i < more->count; i++)
        choose(choice, more->event[i]);
}
