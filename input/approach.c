/* How a run comes to what is measured: its points. */
#include "input/tables.h"

#include <stdlib.h>
#include <string.h>

/** The words after `word` and spaces; NULL: the text does not begin so. */
static const char *after(const char *text, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(text, word, length) != 0 || text[length] != ' ')
        return NULL;
    text += length;
    return text + strspn(text, " ");
}

static void read_point(struct in_reading *r, const struct in_value *v, const char *key,
                       const char *text, struct prog_point *point)
{
    const char *name, *number, *end;
    if (!text)
        return;
    name = after(text, "region");
    number = after(text, "instructions");
    if (name && *name && !strchr(name, ' ')) {
        *point = (struct prog_point){.kind = PROG_AT_MARK, .mark = name};
        return;
    }
    point->kind = PROG_AT_INSTRUCTIONS;
    end = number ? in_whole_parse(number, &point->instructions) : NULL;
    if (!end || *end || !point->instructions)
        in_complain(
            r, &v->at,
            "'%s': '%.60s' is neither 'region NAME' nor 'instructions N', with a number from 1",
            key, text);
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
static const struct in_value *given(const struct in_experiment *x, const struct in_value *values)
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
    if (x->machine.params.mode == NM_MODE_FUNCTIONAL)
        return "run.mode: functional, where nothing is timed";
    if (x->machine.params.check)
        return "run.check, which wants to see every store";
    if (x->record_references)
        return "record.references, which wants to see every reference";
    if (x->truth)
        return "run.truth, which wants to see every miss";
    if (any_interrupt(x))
        return "interrupts of counters";
    return in_records(x) && x->record_status ? "record.signals: status" : NULL;
}

/* A part that nobody gives is a share of the whole. */
static sim_tick or_share(sim_tick given, sim_tick whole, unsigned share)
{
    return given != SIM_NEVER ? given : sim_later(whole / share, 1);
}

static void read_sampling(struct in_reading *r, struct in_experiment *x,
                          const struct in_value *values)
{
    enum { SAMPLED = 20, LED = 5 };
    struct prog_sampling *how = &x->approach.sampling;
    if (x->sample_every == SIM_NEVER)
        return;
    how->every = x->sample_every;
    how->length = or_share(x->sample_length, how->every, SAMPLED);
    how->lead = or_share(x->sample_lead, how->length, LED);
    if (how->lead + how->length >= how->every)
        in_complain(r, &values[IN_KEY_sample_every].at,
                    "'run.sample.every' must be longer than run.sample.lead and "
                    "run.sample.length together");
}

void in_approach_read(struct in_reading *r, struct in_experiment *x, const struct in_value *values)
{
    drop_none(&x->from);
    drop_none(&x->to);
    const struct in_value *v = given(x, values);
    const char *cannot = what_cannot_be(x);
    if (!v)
        return;
    if (cannot)
        in_complain(r, &v->at, "a fast-forward does not go with %s", cannot);
    read_point(r, &values[IN_KEY_from], "run.from", x->from, &x->approach.from);
    read_point(r, &values[IN_KEY_to], "run.to", x->to, &x->approach.to);
    x->approach.warms = !strcmp(x->warm, "caches");
    read_sampling(r, x, values);
}
