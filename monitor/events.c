/*
 * The words that name events, and the rows of taps.
 *
 * The one thing to know: names come from users, so whatever is not found is answered with the
 * nearest word there is.
 */
#include "monitor/unit.h"

#include "base/nearest.h"
#include "monitor/own.h"
#include "monitor/taps.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct mon_tap_row taps[MON_TAP__COUNT] = {
#define TAP(name, unit, sentence)        {#name, unit, sentence, MON_TAP_LEVEL},
#define PACKET_TAP(name, unit, sentence) {#name, unit, sentence, MON_TAP_PACKET},
#define UNIT_TAP(name, unit, sentence)   {#name, unit, sentence, MON_TAP_UNIT},
#include "monitor/taps.def"
#undef TAP
};

static const char *const states[] = {
#define STATE_NAME(state, name) [MON_TAP_ST_##state] = #name,
#include "monitor/state_names.def"
#undef STATE_NAME
};

const struct mon_tap_row *mon_tap_rows(void)
{
    return taps;
}

const char *mon_state_name(unsigned state)
{
    return states[state];
}

uint64_t mon_states(const char *group)
{
    static const char *const groups[] = {
#define STATE(name, code, its, sentence) [MON_TAP_ST_##name] = its,
#include "monitor/status.def"
#undef STATE
    };
    const size_t n = strlen(group);
    uint64_t some = 0;
    for (size_t s = 0; s < sizeof groups / sizeof *groups; s++)
        if (!strncmp(groups[s], group, n) && (!groups[s][n] || groups[s][n] == '/'))
            some |= UINT64_C(1) << s;
    return some;
}

int mon_event_find(const struct mon_unit_ops *unit, const char *name)
{
    for (unsigned i = 0; i < mon_unit_events(unit); i++) {
        const struct mon_event *event = mon_unit_event(unit, i);
        if (!strcmp(name, event->name) || (*name && !strcasecmp(name, event->ref)))
            return (int)i;
    }
    for (const struct mon_alias *a = unit->aliases; a && a->alias; a++)
        if (strcmp(name, a->alias) == 0)
            return (int)a->event;
    return -1;
}

int mon_event_numbered(const struct mon_unit_ops *unit, unsigned number)
{
    for (unsigned i = 0; i < mon_unit_events(unit); i++)
        if (mon_unit_event(unit, i)->number == number)
            return (int)i;
    return -1;
}

const char *mon_word(const struct mon_unit_ops *unit, size_t i)
{
    if (i < mon_unit_events(unit))
        return mon_unit_event(unit, (unsigned)i)->name;
    i -= mon_unit_events(unit);
    for (const struct mon_alias *a = unit->aliases; a && a->alias; a++)
        if (i-- == 0)
            return a->alias;
    for (const struct mon_set *s = unit->sets; s && s->name; s++)
        if (i-- == 0)
            return s->name;
    return NULL;
}

uint64_t mon_sum(uint64_t some, const struct mon_taps *now)
{
    uint64_t total = 0;
    for (; some; some &= some - 1)
        total += now->v[__builtin_ctzll(some)];
    return total;
}

uint64_t mon_event_total(const struct mon_event *event, const struct mon_taps *now)
{
    return mon_sum(event->taps, now);
}

/* What somebody wrote, and where it can be from. */
struct meant {
    const struct mon_unit_ops *unit;
    const char *name;
    size_t
        prefix; /* [characters] that all of a processor's own events begin with; 0: it has none */
};

/* The part of a name that processors' own events begin with: "cpu_". */
static size_t own_prefix(const struct mon_unit_ops *unit, const char *name)
{
    const char *end = strchr(name, '_');
    const size_t n = end ? (size_t)(end - name) + 1 : 0;
    for (const struct mon_unit_ops *const *b = unit->beside; n && b && *b; b++)
        for (unsigned i = 0; i < mon_own_events((*b)->own); i++)
            if (!strncmp(mon_own_event_at((*b)->own, i)->name, name, n))
                return n;
    return 0;
}

/* Who writes the prefix means none of the card's words: those are "" here, which is near nothing.
 */
static const char *events_next_word(void *ctx, size_t i)
{
    const struct meant *meant = ctx;
    const char *word = mon_word(meant->unit, i);
    return !word || !strncmp(word, meant->name, meant->prefix) ? word : "";
}

/* A processor's name without what tells its kinds apart: "R10000" of "R10000 3.x". [characters] */
static size_t events_family(const struct mon_unit_ops *b)
{
    return strcspn(b->own->processor, " ");
}

/* Whether all kinds of b's family count an event. */
static bool all_kinds(const struct mon_unit_ops *unit, const struct mon_unit_ops *b,
                      const char *name)
{
    const size_t n = events_family(b);
    for (const struct mon_unit_ops *const *o = unit->beside; *o; o++)
        if (events_family(*o) == n && !strncmp((*o)->own->processor, b->own->processor, n) &&
            mon_event_find(*o, name) < 0)
            return false;
    return true;
}

/* The processors that count an event by themselves, beside such a unit: "A, B 2.x or C"; "": none.
 */
static void events_whose(const struct mon_unit_ops *unit, const char *name, char *text, size_t size)
{
    const char *names[MON_PROCESSORS];
    int lengths[MON_PROCESSORS];
    unsigned count = 0;
    for (const struct mon_unit_ops *const *b = unit->beside; b && *b; b++) {
        const char *its = (*b)->own->processor;
        const bool all = all_kinds(unit, *b, name);
        const size_t n = all ? events_family(*b) : strlen(its);
        const bool told =
            all && count && (size_t)lengths[count - 1] == n && !strncmp(names[count - 1], its, n);
        if (told || count == MON_PROCESSORS || mon_event_find(*b, name) < 0)
            continue;
        names[count] = its;
        lengths[count++] = (int)n;
    }
    *text = '\0';
    for (unsigned i = 0; i < count; i++) {
        const size_t used = strlen(text);
        const char *between = i == 0 ? "" : i + 1 < count ? ", " : " or ";
        snprintf(text + used, size - used, "%s%.*s", between, lengths[i], names[i]);
    }
}

void mon_event_unknown(const struct mon_unit_ops *unit, const char *name, char *why, size_t size)
{
    struct meant meant = {unit, name, own_prefix(unit, name)};
    const char *near = sim_nearest(name, events_next_word, &meant);
    char others[200];
    events_whose(unit, name, others, sizeof others);
    if (*others)
        snprintf(why, size, "event '%.60s' is one of an %s, and this machine's processors %s", name,
                 others,
                 unit->own ? "are others (processor.core, r10000.revision)"
                           : "count no events themselves, or not all the same (processor.core, "
                             "cards)");
    else if (near)
        snprintf(why, size, "unknown event '%.60s'; did you mean '%s'?", name, near);
    else
        snprintf(why, size,
                 "unknown event '%.60s'; see 'numachine list events' and "
                 "'list processor-events'",
                 name);
}

static void events_choose(struct mon_choice *choice, unsigned event)
{
    for (unsigned i = 0; i < choice->count; i++)
        if (choice->event[i] == event)
            return;
    choice->event[choice->count++] = event;
}

static const struct mon_set *find_set(const struct mon_unit_ops *unit, const char *name)
{
    for (const struct mon_set *s = unit->sets; s && s->name; s++)
        if (strcmp(name, s->name) == 0)
            return s;
    return NULL;
}

static bool is_local(const struct mon_unit_ops *unit, int event)
{
    return event >= 0 && unit->local && !mon_is_own(unit, (unsigned)event) &&
           unit->local((unsigned)event);
}

bool mon_choice_add(const struct mon_unit_ops *unit, struct mon_choice *choice, const char *spec,
                    char *why, size_t size)
{
    for (const char *rest = *spec ? spec : NULL; rest;) {
        const size_t length = strcspn(rest, ",");
        char word[64];
        snprintf(word, sizeof word, "%.*s", (int)length, rest);
        rest =
            rest[length] ? rest + length + 1 : NULL; /* behind a comma is a word, if an empty one */

        const struct mon_set *set = find_set(unit, word);
        int event = set ? -1 : mon_event_find(unit, word);
        if (is_local(unit, event)) {
            snprintf(why, size,
                     "'%s' is made on the card as its registers say and has no total; program a "
                     "counter with it instead",
                     word);
            return false;
        } else if (event >= 0) {
            events_choose(choice, (unsigned)event);
        } else if (!set) {
            mon_event_unknown(unit, word, why, size);
            return false;
        } else if (!mon_choice_add(unit, choice, set->events, why, size)) {
            return false;
        }
    }
    return true;
}

void mon_choice_merge(struct mon_choice *choice, const struct mon_choice *more)
{
    for (unsigned i = 0; i < more->count; i++)
        events_choose(choice, more->event[i]);
}
