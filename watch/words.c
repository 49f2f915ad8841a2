/* Names and sentences: of messages and actions from plain.def, the rest from the tables. */
#include "watch/words.h"

#include <ctype.h>

static const struct {
    const char *name, *sentence;
} messages[NM_MSG__COUNT] = {
#define PLAIN(message, name, sentence) [NM_MSG_##message] = {name, sentence},
#include "watch/plain.def"
};

#define PLAIN(message, name, sentence) +1
_Static_assert(0
#include "watch/plain.def"
                   == NM_MSG__COUNT,
               "each message has a plain name");

#define OF_CARD(word, phrase) [NM_CARD_BIT_##word] = (phrase),
#define OF_DIR(word, phrase)
#define DOES(kind, word, phrase) OF_##kind(word, phrase)
static const char *const of_cards[NM_CARD_ACTIONS] = {
#include "watch/plain.def"
};
#undef OF_CARD
#undef OF_DIR
#define OF_CARD(word, phrase)
#define OF_DIR(word, phrase)     [NM_DIR_BIT_##word] = (phrase),
#define DOES(kind, word, phrase) OF_##kind(word, phrase)
static const char *const of_directories[NM_DIR_ACTIONS] = {
#include "watch/plain.def"
};
#define DOES(kind, word, phrase) +1
_Static_assert(0
#include "watch/plain.def"
                   == NM_CARD_ACTIONS + NM_DIR_ACTIONS,
               "each action word has a phrase");

const char *watch_plain(unsigned message)
{
    return message < NM_MSG__COUNT ? messages[message].name : "";
}

const char *watch_purpose(unsigned message)
{
    return message < NM_MSG__COUNT ? messages[message].sentence : "";
}

const char *watch_deed(enum nm_agent agent, unsigned bit)
{
    return agent == NM_AGENT_CARD ? of_cards[bit] : of_directories[bit];
}

const char *watch_place(unsigned station, unsigned module, bool brief, char buf[40])
{
    static const char *const names[][2] = {{"memory", "mem"}, {"network card", "net"}};
    if (module < NM_MODULE_MEMORY)
        snprintf(buf, 40, brief ? "%u.c%u" : "card %2$u of station %1$u", station, module);
    else
        snprintf(buf, 40, brief ? "%2$u.%1$s" : "%s of station %u",
                 names[module - NM_MODULE_MEMORY][brief], station);
    return buf;
}

static const struct nm_cell *cell_of(const struct watch_record *record, const struct watch_row *row)
{
    const struct nm_table *t = watch_table(record, row);
    return row->event < t->events ? nm_cell(t, row->before, row->event) : NULL;
}

void watch_fired(const struct watch_record *record, const struct watch_row *row, FILE *out)
{
    const struct nm_table *t = watch_table(record, row);
    const struct nm_cell *cell = row->kind == WATCH_ROW ? cell_of(record, row) : NULL;
    if (!cell) {
        fputs("refused: no room, or another's turn", out);
        return;
    }
    fprintf(out, "%s, %s -> %s", nm_state_name(t, row->before), nm_event_name(t, row->event),
            nm_state_name(t, row->after));
    const char *word;
    const char *before = ": ";
    for (unsigned bit = 0; (word = nm_action_name((enum nm_agent)row->agent, bit)); bit++)
        if (cell->actions >> bit & 1) {
            fprintf(out, "%s%s", before, word);
            before = " ";
        }
}

void watch_sentence(const struct watch_record *record, const struct watch_row *row, FILE *out)
{
    const struct nm_table *t = watch_table(record, row);
    const struct nm_cell *cell = row->kind == WATCH_ROW ? cell_of(record, row) : NULL;
    if (!cell) {
        fputs("It has no room for what this would lead to, or keeps its next turn for an older "
              "request: it refuses without a look at the line.",
              out);
        return;
    }
    const char *event = t->event[row->event].sentence, *before = ": it ";
    fprintf(out, "%c%s", toupper((unsigned char)*event), event + 1);
    for (unsigned bit = 0; nm_action_name((enum nm_agent)row->agent, bit); bit++) {
        const char *deed = watch_deed((enum nm_agent)row->agent, bit);
        if (cell->actions >> bit & 1 && *deed) {
            fprintf(out, "%s%s", before, deed);
            before = "; it ";
        }
    }
    if (row->before == row->after && !cell->actions)
        fputs(": nothing to do", out);
    fprintf(out, ". %s is: %s.", nm_state_name(t, row->after), t->state[row->after].sentence);
}

void watch_errand(const struct watch_transaction *t, FILE *out)
{
    char place[40];
    if (t->station == WATCH_NOWHERE)
        fputs("nobody's request", out);
    else if (t->card == NM_NO_CARD)
        fprintf(out, "%s of station %u", watch_plain(t->message), t->station);
    else
        fprintf(out, "%s of %s",
                t->message < NM_MSG__COUNT ? watch_plain(t->message) : "a copy dropped",
                watch_place(t->station, t->card, false, place));
}
