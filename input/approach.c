/* How a run comes to what is measured: its points. */
#include "base/alloc.h"
#include "input/tables.h"
#include "input/workload.h"

#include <stdlib.h>
#include <string.h>

/** The words after `word` and spaces; NULL: the text does not begin so. */
static const char *approach_after(const char *text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || text[length] != ' ')
        return NULL;
    text += length;
    return text + strspn(text, " ");
}

/** "NAME" or "NAME 3", where a name may have spaces. @return the name, the caller's; NULL: there is
 *  none, or it cannot come so many times */
static char *read_times(const char *text, uint64_t *times)
{
    const char *number = strrchr(text, ' ');
    size_t length = strlen(text);
    *times = 1;
    if (number && number[1 + strspn(number + 1, "0123456789")] == '\0') {
        const char *end = in_whole_parse(number + 1, times);
        if (!end || *end || !*times)
            return NULL;
        length = (size_t)(number - text);
    }
    while (length && text[length - 1] == ' ')
        length--;
    return length ? sim_format("%.*s", (int)length, text) : NULL;
}

/** What follows the word for a kind. @return false: that is not what it must be */
static bool read_kind(const char *text, struct prog_point *point, char **name)
{
    const char *region = approach_after(text, "region"), *symbol = approach_after(text, "symbol"),
               *pc = approach_after(text, "pc"), *number = approach_after(text, "instructions"),
               *end;
    if (number) {
        point->kind = PROG_AT_INSTRUCTIONS;
        end = in_whole_parse(number, &point->instructions);
        return end && !*end && point->instructions;
    }
    point->kind = region ? PROG_AT_MARK : PROG_AT_PC;
    if (region || symbol)
        *name = read_times(region ? region : symbol, &point->times);
    point->mark = *name;
    if (region || symbol)
        return *name && (symbol || !strchr(*name, ' '));
    char *address = pc ? read_times(pc, &point->times) : NULL;
    end = address ? in_whole_parse(address, &point->pc) : NULL;
    const bool good = end && !*end && point->pc;
    free(address);
    return good;
}

/** Looks into the program, if it is there already; one that must be built first is looked into when
 *  it has been (cli/approach.h). */
static void approach_look_into(struct in_reading *r, const struct in_experiment *x,
                               const struct in_value *v, const char *key,
                               const struct prog_point *point)
{
    uint64_t at = point->pc;
    char why[512];
    const struct prog_workload *runs =
        x->program ? in_workload_for(x->program, why, sizeof why) : NULL;
    if (x->pattern_count)
        in_complain(r, &v->at,
                    "'%s': a pattern executes no program, and has no addresses; give "
                    "'instructions N'",
                    key);
    else if (x->source && !strcmp(x->abi, "host"))
        in_complain(r, &v->at,
                    "'%s': a kernel runs on the host, and has no addresses; name a region of it "
                    "('region NAME': kn_begin, kn_end), or give program.abi: o32",
                    key);
    else if (runs && runs->forwards && !in_entry(x->program, point->mark, &at, why, sizeof why))
        in_complain(r, &v->at, "'%s': %s", key, why);
}

static void read_point(struct in_reading *r, const struct in_experiment *x,
                       const struct in_value *v, const char *key, const char *text,
                       struct prog_point *point, char **name)
{
    if (!text)
        return;
    if (!read_kind(text, point, name))
        in_complain(r, &v->at,
                    "'%s': '%.60s' is neither 'region NAME', 'symbol NAME' nor 'pc ADDRESS', with "
                    "how many times from 1 behind it or without, nor 'instructions N', with a "
                    "number from 1",
                    key, text);
    else if (point->kind == PROG_AT_PC)
        approach_look_into(r, x, v, key, point);
}

/** "none" is no point. */
static void drop_none(char **text)
{
    if (*text && !strcmp(*text, "none")) {
        free(*text);
        *text = NULL;
    }
}

/** The value that somebody gave of these keys; NULL: none is. */
static const struct in_value *approach_given(const struct in_experiment *x,
                                             const struct in_value *values)
{
    if (x->from)
        return &values[IN_KEY_from];
    if (x->to)
        return &values[IN_KEY_to];
    return x->sample_every != SIM_NEVER ? &values[IN_KEY_sample_every] : NULL;
}

static bool any_interrupt(const struct in_experiment *x)
{
    bool any = x->histogram_interrupt;
    for (const struct mon_row *flag = in_unit(x)->flags; flag && flag->name; flag++)
        for (unsigned i = 0; i < x->wish.counters && !strcmp(flag->name, "interrupt"); i++)
            any = any || x->wish.counter[i].flags >> flag->number & 1;
    return any;
}

/** What a machine that is functional for a while cannot do. */
static const char *what_cannot_be(const struct in_experiment *x)
{
    if (nm_value_mode(x->machine.params) == NM_MODE_FUNCTIONAL)
        return "run.mode: functional, where nothing is timed";
    if (nm_value_check(x->machine.params))
        return "run.check, which wants to see every store";
    if (x->record_references)
        return "record.references, which wants to see every reference";
    if (x->profile && x->sample_every != SIM_NEVER)
        return "run.profile, which wants to see every PCycle";
    if (x->truth)
        return "run.truth, which wants to see every miss";
    if (any_interrupt(x))
        return "interrupts of counters";
    return in_records(x) && x->record_status ? "record.signals: status" : NULL;
}

/* A part that nobody gives is a share of the whole, but long enough for some misses. */
static sim_tick or_share(sim_tick given, sim_tick whole, unsigned share, sim_tick least)
{
    return given != SIM_NEVER ? given : sim_later(whole / share, least);
}

static void read_sampling(struct in_reading *r, struct in_experiment *x,
                          const struct in_value *values)
{
    enum { SAMPLED = 20, LED = 5, LENGTH = 2000, LEAD = 1000 /* [PCycles] at least */ };
    struct prog_sampling *how = &x->approach.sampling;
    if (x->sample_every == SIM_NEVER)
        return;
    how->every = x->sample_every;
    how->length = or_share(x->sample_length, how->every, SAMPLED, LENGTH);
    how->lead = or_share(x->sample_lead, how->length, LED, LEAD);
    if (how->lead + how->length >= how->every)
        in_complain(r, &values[IN_KEY_sample_every].at,
                    "'run.sample.every' must be longer than run.sample.lead and "
                    "run.sample.length together");
}

/* How long samples are, and not how often there is one. */
static void refuse_lengths(struct in_reading *r, const struct in_experiment *x,
                           const struct in_value *values)
{
    const unsigned key = x->sample_length != SIM_NEVER ? IN_KEY_sample_length : IN_KEY_sample_lead;
    if (x->sample_every == SIM_NEVER &&
        (x->sample_length != SIM_NEVER || x->sample_lead != SIM_NEVER))
        in_complain(r, &values[key].at,
                    "nothing is sampled without 'run.sample.every', which says how often");
}

void in_approach_read(struct in_reading *r, struct in_experiment *x, const struct in_value *values)
{
    refuse_lengths(r, x, values);
    drop_none(&x->from);
    drop_none(&x->to);
    const struct in_value *v = approach_given(x, values);
    const char *cannot = what_cannot_be(x);
    if (!v)
        return;
    if (cannot)
        in_complain(r, &v->at, "a fast-forward, or sampling, does not go with %s", cannot);
    read_point(r, x, &values[IN_KEY_from], "run.from", x->from, &x->approach.from, &x->from_name);
    read_point(r, x, &values[IN_KEY_to], "run.to", x->to, &x->approach.to, &x->to_name);
    x->approach.warms = !strcmp(x->warm, "caches");
    read_sampling(r, x, values);
}
