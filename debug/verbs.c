/*
 * Commands of our own: finding a line's row, and those that only tell.
 */
#include "debug/verbs.h"

#include "base/alloc.h"
#include "debug/lines.h"
#include "debug/past.h"
#include "debug/target.h"
#include "procard/seen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    dbg_verb_fn *does;
    unsigned where, most;
    const char *usage, *sentence;
} verb_rows[] = {
#define VERB(name, handler, where, most, usage, sentence) \
    {name, handler, DBG_VERB_##where, most, usage, sentence},
#include "debug/verbs.def"
};

enum { VERB_ROWS = sizeof verb_rows / sizeof *verb_rows, WORDS = 3 };

#define VERB(name, handler, where, most, usage, sentence) \
    _Static_assert((most) <= WORDS, "the most of all rows");
#include "debug/verbs.def"

/* ---- lines ----------------------------------------------------------------------------------- */

/* The row that a word names, by its whole name or by a beginning that no other has. */
static size_t verb_row(const char *word, unsigned where, FILE *out)
{
    const size_t n = strlen(word);
    size_t found = VERB_ROWS, fits = 0;
    for (size_t i = 0; i < VERB_ROWS; i++) {
        if (!(verb_rows[i].where & where) || strncmp(verb_rows[i].name, word, n) != 0)
            continue;
        if (!verb_rows[i].name[n])
            return i;
        fits++;
        found = i;
    }
    if (fits != 1)
        fprintf(out,
                fits ? "'%.60s' may be several commands; 'help' lists them\n"
                     : "there is no command '%.60s'; 'help' lists them\n",
                word);
    return fits == 1 ? found : VERB_ROWS;
}

static bool verb_complains(const struct dbg_command *c, const char *what, const char *word)
{
    fprintf(c->out, "%s: '%.80s'\n", what, word);
    return false;
}

/* The next word of a line; NULL: there is none before its end, or a comment. */
static char *verb_word(char *text, char **rest)
{
    char *word = strtok_r(text, " \t\r\n", rest);
    return word && *word != '#' ? word : NULL;
}

/* @param first  its name @param rest  what stands behind that */
static bool verb_does(struct dbg_command *c, const char *first, char *rest)
{
    const size_t row = verb_row(first, c->where, c->out);
    if (row == VERB_ROWS)
        return false;
    for (char *w; (w = verb_word(NULL, &rest)); c->word[c->words++] = w)
        if (c->words == verb_rows[row].most)
            return verb_complains(c, "one word too many", w);
    return verb_rows[row].does(c);
}

bool dbg_verb(struct dbg *d, const char *line, size_t count, unsigned where, FILE *out)
{
    char *text = sim_strdup(line), *word[WORDS], *rest = NULL;
    struct dbg_command c = {.d = d, .where = where, .word = word, .out = out};
    char *first = verb_word(text, &rest);
    const bool good = strlen(line) < count ? verb_complains(&c, "a byte 0 stands behind", line)
                                           : !first || verb_does(&c, first, rest);
    free(text);
    return good;
}

bool dbg_number(const struct dbg_command *c, const char *text, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    return end != text && !*end && !errno && *text != '-'
               ? true
               : verb_complains(c, "this is no number", text);
}

static bool address_of_word(struct dbg_command *c, const char *text, uint64_t *va)
{
    struct prog_names *names = run_names(c->d->live);
    uint64_t to;
    prog_registers regs;
    if (*text == '$') {
        const unsigned number = dbg_register_named(&c->d->binary, text);
        if (number == dbg_register_count(&c->d->binary) ||
            !dbg_registers(c->d, dbg_thread(c->d), regs))
            return verb_complains(c, "there is no such register; `registers` names them", text);
        *va = dbg_register_get(&c->d->binary, regs, number);
        return true;
    }
    if (*text >= '0' && *text <= '9')
        return dbg_number(c, text, va);
    return names && names->find(names, text, va, &to)
               ? true
               : verb_complains(c, "there is no such symbol", text);
}

bool dbg_address(struct dbg_command *c, const char *text, uint64_t *va)
{
    char *word = sim_strdup(text), *plus = strchr(word, '+');
    uint64_t offset = 0;
    if (plus)
        *plus = '\0';
    const bool good = (!plus || dbg_number(c, plus + 1, &offset)) && address_of_word(c, word, va);
    *va += offset;
    free(word);
    return good;
}

/* ---- what only tells ------------------------------------------------------------------------- */

bool dbg_verb_help(struct dbg_command *c)
{
    for (size_t i = 0; i < VERB_ROWS; i++)
        if (verb_rows[i].where & c->where)
            fprintf(c->out, "%s%s%s\n    %s\n", verb_rows[i].name, *verb_rows[i].usage ? " " : "",
                    verb_rows[i].usage, verb_rows[i].sentence);
    return true;
}

bool dbg_verb_cycle(struct dbg_command *c)
{
    fprintf(c->out, "%" PRIu64 "\n", c->d->now);
    return true;
}

bool dbg_verb_when(struct dbg_command *c)
{
    const struct dbg *d = c->d;
    dbg_say_why(c->d, c->out);
    fputc('\n', c->out);
    if (d->past)
        dbg_past_describe(d, c->out);
    return true;
}

bool dbg_verb_who(struct dbg_command *c)
{
    c->d->live->workload->describe(c->d->run->self, c->out);
    return true;
}

bool dbg_verb_line(struct dbg_command *c)
{
    uint64_t va;
    if (!c->words)
        return verb_complains(c, "which address", "line");
    if (!dbg_address(c, c->word[0], &va))
        return false;
    dbg_line_say(c->d, va, c->out);
    return true;
}

static bool verb_card(const struct dbg_command *c, const char *text, uint64_t *card)
{
    return dbg_number(c, text, card) &&
           (*card < c->d->live->cards || verb_complains(c, "there is no such card", text));
}

/* The cards from the first to behind the last that a command means: one, or all. */
static bool verb_cards(struct dbg_command *c, unsigned *from, unsigned *to)
{
    uint64_t card;
    *from = 0;
    *to = c->d->live->cards;
    if (!c->words)
        return true;
    if (!verb_card(c, c->word[0], &card))
        return false;
    *from = (unsigned)card;
    *to = *from + 1;
    return true;
}

bool dbg_verb_counters(struct dbg_command *c)
{
    unsigned from, to;
    if (!verb_cards(c, &from, &to))
        return false;
    for (unsigned card = from; card < to; card++) {
        struct nm_truth truth;
        nm_card_truth(c->d->live->machine, card, &truth);
        if (to - from > 1 && !truth.instructions)
            continue;
        fprintf(c->out, "card %u:", card);
#define TRUTH(field, unit, sentence) \
    if (truth.field)                 \
        fprintf(c->out, " " #field " %" PRIu64, (uint64_t)truth.field);
#include "machine/truth.def"
#undef TRUTH
        fputc('\n', c->out);
    }
    return true;
}

bool dbg_verb_pipeline(struct dbg_command *c)
{
    unsigned from, to;
    if (!verb_cards(c, &from, &to))
        return false;
    for (unsigned card = from; card < to; card++) {
        fprintf(c->out, "card %u: ", card);
        pc_card_say(c->d->live->machine, card, c->out);
        fputc('\n', c->out);
    }
    return true;
}

/* ---- what says how to go on ------------------------------------------------------------------ */

bool dbg_verb_until(struct dbg_command *c)
{
    static const char *const names[] = {[DBG_LINE_MISS] = "miss",
                                        [DBG_LINE_NACK] = "nack",
                                        [DBG_LINE_INVALIDATE] = "invalidate",
                                        [DBG_LINE_LOSS] = "loss"};
    enum { NAMES = sizeof names / sizeof *names };
    struct dbg_line line = {.card = DBG_ANY_CARD};
    uint64_t card;
    unsigned what = 0;
    if (c->words < 2)
        return verb_complains(c, "until what of which ADDRESS", c->words ? c->word[0] : "");
    while (what < NAMES && strcmp(names[what], c->word[0]) != 0)
        what++;
    if (what == NAMES)
        return verb_complains(c, "neither miss, nack, invalidate nor loss", c->word[0]);
    if (!dbg_address(c, c->word[1], &line.va))
        return false;
    if (c->words > 2) {
        if (!verb_card(c, c->word[2], &card))
            return false;
        line.card = (unsigned)card;
    }
    line.what = (enum dbg_of_line)what;
    if (!dbg_line_add(&c->d->session->conditions, &line))
        return verb_complains(c, "there are too many", c->word[1]);
    return true;
}

bool dbg_verb_goto(struct dbg_command *c)
{
    uint64_t at;
    if (!c->words || !dbg_number(c, c->word[0], &at))
        return c->words ? false : verb_complains(c, "which CYCLE", "goto");
    if (at < c->d->now && !c->d->past)
        return verb_complains(c, "that is over, and there is no way back", c->word[0]);
    c->d->session->until = at;
    return true;
}
