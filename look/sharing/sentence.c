/*
 * What a person would say of a run first: what most of the time went into, where, and what mending
 * it gains. Every number is a row's of c2c, or of what numachine mend has measured.
 *
 * The hard idea is silence: what took less than a twentieth of the time is not why the program is
 * slow.
 */
#include "look/sharing/sharing.h"

#include "base/alloc.h"
#include "documents/directory/rundir.h"
#include "look/cost.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAID = 20,   /* one part in so many of the time is worth a word */
    OBJECTS = 3, /* that a sentence names */
    PLACES = 3,  /* of each */
    CHANGES = 2, /* that are named */
};

struct sentence {
    const struct look_sharing *s;
    bool falsely; /* what it is about */
    bool said;    /* the time that shares are of */
    FILE *out;
};

static const char *sentence_file(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int64_t sentence_lost(const struct sentence *t, const struct look_lost *lost)
{
    return t->falsely ? lost->falsely : lost->truly;
}

/* As a person says it: 71 %, 7.1 %. */
static void put_percent(const struct sentence *t, double percent)
{
    fprintf(t->out, percent < 10 ? "%.1f %%" : "%.0f %%", percent);
}

/* ---- where ----------------------------------------------------------------------------------- */

/* The line of source that an instruction was asked from. */
static const struct prog_place *sentence_place(const struct sentence *t,
                                               const struct look_asker *asker)
{
    return look_code_at(t->s->code, asker->call == PC_PROFILE_NOWHERE ? asker->pc : asker->call);
}

/* Whether another one in front of it has the same line. */
static bool is_again(const struct sentence *t, const struct look_shared_object *o, size_t i)
{
    const struct prog_place *place = sentence_place(t, &o->asker[i]);
    for (size_t k = 0; k < i; k++) {
        const struct prog_place *other = sentence_place(t, &o->asker[k]);
        if (other->file && other->line == place->line && !strcmp(other->file, place->file))
            return true;
    }
    return false;
}

/* The lines that lost a tenth of it, those first that lost most by both kinds. */
static void put_places(const struct sentence *t, const struct look_shared_object *o)
{
    enum { TENTH = 10 };
    unsigned shown = 0;
    for (size_t i = 0; i < o->askers && shown < PLACES; i++) {
        const struct prog_place *place = sentence_place(t, &o->asker[i]);
        if (!place->file || is_again(t, o, i) ||
            sentence_lost(t, &o->asker[i].lost) < sentence_lost(t, &o->lost) / TENTH)
            continue;
        fprintf(t->out, "%s%s:%u", shown++ ? ", " : " (", sentence_file(place->file), place->line);
    }
    if (shown)
        putc(')', t->out);
}

/* "found[]" of an array. */
static void put_name(const struct sentence *t, const struct look_shared_object *o)
{
    struct prog_member part = {.size = 0};
    struct look_object at;
    look_object_asked(t->s->finder, t->s->truth, &t->s->truth->row[o->row], &at);
    if (at.variable.name)
        look_object_member(t->s->finder, &at, 0, 1, &part);
    const bool array = *part.name == '[' && !at.part;
    fprintf(t->out, "%s%s", o->name, array ? "[]" : "");
}

/* ---- what it went into ----------------------------------------------------------------------- */

/* The object that lost most of those that lost less than `below`. */
static const struct look_shared_object *sentence_next(const struct sentence *t,
                                                      const struct look_shared_object *before)
{
    const struct look_shared_object *best = NULL;
    for (size_t i = 0; i < t->s->objects; i++) {
        const struct look_shared_object *o = &t->s->object[i];
        const int64_t lost = sentence_lost(t, &o->lost);
        const int64_t below = before ? sentence_lost(t, &before->lost) : INT64_MAX;
        const bool behind = lost < below || (lost == below && before && o > before);
        if (behind && lost > 0 && lost >= t->s->time / SAID &&
            (!best || lost > sentence_lost(t, &best->lost)))
            best = o;
    }
    return best;
}

/* @return whether there is anything to be said */
static bool put_kind(struct sentence *t)
{
    const struct look_shared_object *o = NULL;
    unsigned named = 0;
    while (named < OBJECTS && (o = sentence_next(t, o))) {
        const char *const kind = t->falsely ? "false" : "true";
        fputs(named ? ", " : "", t->out);
        put_percent(t, look_percent(sentence_lost(t, &o->lost), t->s->time));
        if (!t->said)
            fputs(" of the time in which threads did not sleep", t->out);
        if (!named)
            fprintf(t->out, " went into %s sharing of ", kind);
        else
            fputs(" of ", t->out);
        t->said = true;
        named++;
        put_name(t, o);
        put_places(t, o);
    }
    return named;
}

/* ---- what mending it gains ------------------------------------------------------------------- */

/* What mend has left of this run; NULL: nothing. The caller's */
static json_t *sentence_measured(const struct look_sharing *s)
{
    if (!s->code->directory)
        return NULL;
    char *path = sim_format("%s/" DOC_MEND, s->code->directory);
    json_t *root = json_load_file(path, 0, NULL);
    free(path);
    const json_t *before = json_object_get(root, "before");
    if (json_is_integer(before) && (uint64_t)json_integer_value(before) == s->code->ticks)
        return root;
    json_decref(root);
    return NULL;
}

/* "each element of found", of a candidate by number. */
static const char *sentence_change(const json_t *root, const json_t *number)
{
    const json_t *candidates = json_object_get(root, "candidates");
    const json_int_t nth = json_integer_value(number);
    const json_t *one = nth > 0 ? json_array_get(candidates, (size_t)nth - 1) : NULL;
    const char *what = json_string_value(json_object_get(one, "what"));
    return what ? what : "?";
}

static void put_measured(const struct sentence *t, const json_t *root)
{
    const json_t *best = json_object_get(root, "best_layout"),
                 *numbers = json_object_get(best, "candidates");
    const size_t count = json_array_size(numbers);
    if (!count) {
        fprintf(t->out, "; of %zu runs with other layouts none took less (measured)",
                json_array_size(json_object_get(root, "trials")));
        return;
    }
    fputs("; with ", t->out);
    if (count > CHANGES)
        fprintf(t->out, "%zu changes of layout", count);
    for (size_t i = 0; i < count && count <= CHANGES; i++)
        fprintf(t->out, "%s%s", i ? ", and " : "",
                sentence_change(root, json_array_get(numbers, i)));
    fputs(count > CHANGES ? "" : " on lines of its own", t->out);
    fputs(" the run would take ", t->out);
    put_percent(t, json_number_value(json_object_get(best, "gain")));
    fputs(" less (measured)", t->out);
}

static void put_gain(const struct sentence *t)
{
    json_t *root = sentence_measured(t->s);
    if (root)
        put_measured(t, root);
    else
        fprintf(t->out, "; numachine mend %s measures what mending it would gain",
                look_sharing_directory(t->s));
    json_decref(root);
}

/* ---- all ------------------------------------------------------------------------------------- */

char *look_sharing_sentence(const struct look_sharing *s)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    struct sentence t = {.s = s, .falsely = true, .out = out};
    const bool falsely = put_kind(&t);
    if (falsely) {
        put_gain(&t);
        fputs(". ", out);
    }
    t.falsely = false;
    if (put_kind(&t))
        fputs(": these bytes themselves are shared, and only less of it helps.", out);
    sim_text_close(out, &text);
    for (size_t end = strlen(text); end && text[end - 1] == ' ';)
        text[--end] = '\0';
    return text;
}

void look_sharing_say(const struct look_sharing *s, FILE *out)
{
    char *text = look_sharing_sentence(s);
    if (*text)
        fprintf(out, "%s\n\n", text);
    free(text);
}
