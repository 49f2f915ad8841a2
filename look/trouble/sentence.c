/*
 * What a person would say of a run first: what most of the time went into, where, and what mending
 * it gains. Every number is a row's of c2c, locks or placement, or of what numachine mend has
 * measured.
 *
 * The hard idea is silence: what took less than a twentieth of the time is not why the program is
 * slow, nor is a wait without which the run would end no sooner.
 */
#include "look/trouble/trouble.h"

#include "base/alloc.h"
#include "base/plural.h"
#include "documents/directory/rundir.h"
#include "look/cost.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum {
    SAID = 20,     /* one part in so many of the time is worth a word */
    OBJECTS = 3,   /* that a sentence names */
    PLACES = 3,    /* of each */
    TENTH = 10,    /* one part in so many of what an object cost is worth its place */
    CHANGES = 2,   /* that are named */
    SENTENCES = 3, /* in all */
};

struct sentence {
    const struct look_trouble *t;
    FILE *out;
    char *directory; /* for commands */
    bool said;       /* what time it is that shares are of */
};

/* As a person says it: 71 %, 7.1 %. */
static void put_percent(const struct sentence *s, double percent)
{
    fprintf(s->out, percent < 10 ? "%.1f %%" : "%.0f %%", percent);
}

/* What divides the next name from those in front: `first` stands before the first one. */
static void put_between(const struct sentence *s, size_t named, const char *first)
{
    fputs(named ? ", " : first, s->out);
}

/* A share of the time of threads that were awake. */
static void put_awake(struct sentence *s, int64_t time)
{
    put_percent(s, look_percent(time, s->t->sharing->time));
    if (!s->said)
        fputs(" of the time in which threads did not sleep", s->out);
    s->said = true;
}

/* ---- where ----------------------------------------------------------------------------------- */

/* Lines of the program's own, in the order in which they came. */
struct lines {
    struct one {
        const struct prog_place *place;
        int64_t cost; /* [PCycles] */
    } * one;
    size_t count, room;
};

/* @param place  NULL: it is none */
static void lines_add(struct lines *lines, const struct prog_place *place, int64_t cost)
{
    for (size_t i = 0; place && i < lines->count; i++) {
        struct one *one = &lines->one[i];
        if (one->place->line == place->line && !strcmp(one->place->file, place->file)) {
            one->cost = doc_plus(one->cost, cost);
            return;
        }
    }
    if (!place)
        return;
    SIM_ROOM(lines->one, lines->count, lines->room, 16);
    lines->one[lines->count++] = (struct one){place, cost};
}

/* In brackets those that have a tenth of all; releases them. @return whether there are such */
static bool lines_put(struct lines *lines, int64_t all, FILE *out)
{
    unsigned shown = 0;
    for (size_t i = 0; i < lines->count && shown < PLACES; i++) {
        const char *file = lines->one[i].place->file, *slash = strrchr(file, '/');
        if (lines->one[i].cost >= all / TENTH)
            fprintf(out, "%s%s:%u", shown++ ? ", " : " (", slash ? slash + 1 : file,
                    lines->one[i].place->line);
    }
    if (shown)
        putc(')', out);
    free(lines->one);
    return shown;
}

/* ---- sharing --------------------------------------------------------------------------------- */

static int64_t sentence_lost(const struct look_lost *lost, bool falsely)
{
    return falsely ? lost->falsely : lost->truly;
}

/* Whether the object has a lock that cost more than the bytes themselves: it is spoken of. */
static bool is_said_lock(const struct look_trouble *t, const struct look_shared_object *o)
{
    const struct look_lock_row *row = NULL;
    while (t->locks && (row = look_lock_dear(t->locks, row)) &&
           (int64_t)row->v[DOC_LOCK_WAITED] >= o->lost.truly) {
        struct look_object at;
        look_object_at(t->finder, t->locks->locks->lock[row->lock].address,
                       t->locks->use[row->lock].from, t->locks->use[row->lock].to, &at);
        look_object_group(&at);
        if (!strcmp(at.key, o->name))
            return true;
    }
    return false;
}

/* What is said of an object, or of all that is mended with it: a block's header lies where the
 * block does. What is shared truly is each one's own. */
static const struct look_lost *said_lost(const struct look_shared_object *o, bool falsely)
{
    return falsely ? &o->all : &o->lost;
}

static const struct look_lost *said_weight(const struct look_shared_object *o, bool falsely)
{
    return falsely ? &o->all_weight : &o->weight;
}

/* The object that weighs most of those behind `before`; NULL: none is worth a word. */
static const struct look_shared_object *sentence_next(const struct look_trouble *t, bool falsely,
                                                      const struct look_shared_object *before)
{
    const struct look_sharing *s = t->sharing;
    const struct look_shared_object *best = NULL;
    const int64_t below = before ? sentence_lost(said_weight(before, falsely), falsely) : INT64_MAX;
    for (size_t i = 0; i < s->objects; i++) {
        const struct look_shared_object *o = &s->object[i];
        const int64_t lost = sentence_lost(said_lost(o, falsely), falsely);
        const int64_t weight = sentence_lost(said_weight(o, falsely), falsely);
        const bool behind = weight < below || (weight == below && before && o > before);
        if (behind && lost > 0 && lost >= s->time / SAID &&
            (!best || weight > sentence_lost(said_weight(best, falsely), falsely)) &&
            (falsely || !is_said_lock(t, o)))
            best = o;
    }
    return best;
}

static int64_t cost_of_sharing(const struct look_trouble *t, bool falsely)
{
    const struct look_shared_object *o = NULL;
    int64_t cost = 0;
    for (unsigned n = 0; t->sharing && n < OBJECTS && (o = sentence_next(t, falsely, o)); n++)
        cost = doc_plus(cost, sentence_lost(said_lost(o, falsely), falsely));
    return cost;
}

/* Those lines first that lost most by both kinds. */
static void put_places(const struct sentence *s, const struct look_shared_object *o, bool falsely)
{
    const struct look_sharing *sharing = s->t->sharing;
    struct lines lines = {.count = 0};
    for (size_t k = 0; k < sharing->objects; k++) {
        const struct look_shared_object *with = &sharing->object[k];
        if (with != o && !(falsely && &sharing->object[with->lead] == o))
            continue;
        for (size_t i = 0; i < with->askers; i++)
            lines_add(&lines, look_code_own(s->t->code, look_asker_shown(&with->asker[i])),
                      sentence_lost(&with->asker[i].lost, falsely));
    }
    lines_put(&lines, sentence_lost(said_lost(o, falsely), falsely), s->out);
}

/* The others that it stands for, of those that have a tenth of the cost. */
static void put_with(const struct sentence *s, const struct look_shared_object *o)
{
    const struct look_sharing *sharing = s->t->sharing;
    unsigned named = 0;
    for (size_t k = 0; k < sharing->objects && named < OBJECTS; k++) {
        const struct look_shared_object *with = &sharing->object[k];
        if (with != o && &sharing->object[with->lead] == o &&
            with->lost.falsely >= o->all.falsely / TENTH)
            fprintf(s->out, "%s%s", named++ ? " and " : " with ", with->name);
    }
}

/* "found[]" of an array. */
static void put_name(const struct sentence *s, const struct look_shared_object *o)
{
    const struct look_sharing *sharing = s->t->sharing;
    struct prog_member part = {.size = 0};
    struct look_object at;
    look_object_asked(sharing->finder, sharing->truth, &sharing->truth->row[o->row], &at);
    if (at.variable.name)
        look_object_member(sharing->finder, &at, 0, 1, &part);
    fprintf(s->out, "%s%s", o->name, *part.name == '[' && !at.part ? "[]" : "");
}

static void put_sharing(struct sentence *s, bool falsely)
{
    const struct look_shared_object *o = NULL;
    for (unsigned n = 0; n < OBJECTS && (o = sentence_next(s->t, falsely, o)); n++) {
        put_between(s, n, "");
        put_awake(s, sentence_lost(said_lost(o, falsely), falsely));
        if (n)
            fputs(" of ", s->out);
        else
            fprintf(s->out, " went into %s sharing of ", falsely ? "false" : "true");
        put_name(s, o);
        if (falsely)
            put_with(s, o);
        put_places(s, o, falsely);
    }
}

/* ---- what mending it gains ------------------------------------------------------------------- */

/* What mend has left of this run; NULL: nothing. The caller's */
static json_t *sentence_measured(const struct look_trouble *t)
{
    if (!t->code->directory)
        return NULL;
    char *path = sim_format("%s/" DOC_MEND, t->code->directory);
    json_t *root = json_load_file(path, 0, NULL);
    free(path);
    const json_t *before = json_object_get(root, "before");
    if (json_is_integer(before) && (uint64_t)json_integer_value(before) == t->code->ticks)
        return root;
    json_decref(root);
    return NULL;
}

static const json_t *sentence_candidate(const json_t *root, const json_t *number)
{
    const json_int_t nth = json_integer_value(number);
    return nth > 0 ? json_array_get(json_object_get(root, "candidates"), (size_t)nth - 1) : NULL;
}

/* "each element of found", of a candidate by number. */
static const char *sentence_change(const json_t *root, const json_t *number)
{
    const char *what = json_string_value(json_object_get(sentence_candidate(root, number), "what"));
    return what ? what : "?";
}

/* Whether pages move in a trial; other candidates are layouts. */
static bool sentence_moves(const json_t *root, const json_t *trial)
{
    const json_t *number;
    size_t i;
    json_array_foreach(json_object_get(trial, "candidates"), i, number)
        if (json_is_null(json_object_get(sentence_candidate(root, number), "unit")))
            return true;
    return false;
}

/* "; with each element of found on lines of its own, and all pages in 2 ranges the run would take
 * 8.7 % less (measured)": of a trial, whose pages come last. */
static void put_change(const struct sentence *s, const json_t *root, const json_t *trial)
{
    const json_t *numbers = json_object_get(trial, "candidates");
    const size_t count = json_array_size(numbers),
                 layouts = count - (sentence_moves(root, trial) ? 1 : 0);
    fputs("; with ", s->out);
    if (count > CHANGES)
        fprintf(s->out, "%zu changes%s", count, layouts == count ? " of layout" : "");
    for (size_t i = 0; i < count && count <= CHANGES; i++)
        fprintf(s->out, "%s%s%s", i ? ", and " : "",
                sentence_change(root, json_array_get(numbers, i)),
                i + 1 == layouts ? " on lines of its own" : "");
    fputs(" the run would take ", s->out);
    put_percent(s, json_number_value(json_object_get(trial, "gain")));
    fputs(" less (measured)", s->out);
}

/* No layout was worth it. */
static void put_no_layout(const struct sentence *s, const json_t *root)
{
    const json_t *trial;
    size_t i, layouts = 0;
    double most = 0;
    json_array_foreach(json_object_get(root, "trials"), i, trial) {
        const double gain = json_number_value(json_object_get(trial, "gain"));
        if (sentence_moves(root, trial))
            continue;
        layouts++;
        most = gain > most ? gain : most;
    }
    if (!layouts) {
        fputs("; no other layout was tried", s->out);
        return;
    }
    fprintf(s->out, "; of %zu run%s with other layouts none ", layouts, sim_plural(layouts));
    if (most > 0) {
        fputs("gained enough, the best ", s->out);
        put_percent(s, most);
    } else {
        fputs("took less", s->out);
    }
    fputs(" (measured)", s->out);
}

static void put_measured(const struct sentence *s, const json_t *root)
{
    const json_t *layout = json_object_get(root, "best_layout"),
                 *best = json_object_get(root, "best");
    if (json_is_object(layout)) {
        put_change(s, root, layout);
        return;
    }
    put_no_layout(s, root);
    if (json_array_size(json_object_get(best, "candidates")) > 1)
        put_change(s, root, best);
}

static int64_t cost_falsely(const struct look_trouble *t)
{
    return cost_of_sharing(t, true);
}

static void say_falsely(struct sentence *s)
{
    put_sharing(s, true);
    json_t *root = sentence_measured(s->t);
    if (root)
        put_measured(s, root);
    else if (s->t->code->ended)
        fprintf(s->out, "; numachine mend %s measures what mending it would gain", s->directory);
    json_decref(root);
}

static int64_t cost_truly(const struct look_trouble *t)
{
    return cost_of_sharing(t, false);
}

static void say_truly(struct sentence *s)
{
    put_sharing(s, false);
    fputs(": these bytes themselves are shared, and only less of it helps", s->out);
}

/* ---- locks ----------------------------------------------------------------------------------- */

static int64_t cost_locks(const struct look_trouble *t)
{
    const struct look_lock_row *row = NULL;
    int64_t cost = 0;
    for (unsigned n = 0; t->locks && n < OBJECTS && (row = look_lock_dear(t->locks, row)); n++)
        cost = doc_plus(cost, (int64_t)row->v[DOC_LOCK_WAITED]);
    return cost;
}

/* Of a lock that a library has for itself, its function says more than any address. */
static void put_lock_function(const struct sentence *s, uint64_t pc)
{
    const struct prog_place *at = pc == DOC_LOCKS_NOWHERE ? NULL : look_code_at(s->t->code, pc);
    if (at && at->function)
        fprintf(s->out, " (in %s)", at->function);
}

/* Where threads waited. */
static void put_lock_places(const struct sentence *s, const struct look_lock_row *row)
{
    struct lines lines = {.count = 0};
    size_t count;
    struct look_lock_place *place =
        look_lock_places(s->t->locks, row->lock, DOC_LOCK_WAITED, &count);
    for (size_t i = 0; i < count; i++)
        if (place[i].pc != DOC_LOCKS_NOWHERE)
            lines_add(&lines, look_code_own(s->t->code, place[i].pc), (int64_t)place[i].n);
    if (!lines_put(&lines, (int64_t)row->v[DOC_LOCK_WAITED], s->out) && count)
        put_lock_function(s, place[0].pc);
    free(place);
}

static const char *const nth_lock[] = {"the first", "the second", "the third"};
_Static_assert(sizeof nth_lock / sizeof *nth_lock >= OBJECTS, "each that is named has a word");

/* A run that was stopped ends at its limit, whatever threads wait for. */
static void put_bound(const struct sentence *s, const struct look_lock_row *row, const char *which)
{
    if (s->t->code->ended) {
        fprintf(s->out, "; without %s the run would end at most ", which);
        put_percent(s, look_percent((int64_t)row->bound, (int64_t)s->t->locks->locks->ticks));
        fputs(" sooner", s->out);
    }
    fprintf(s->out, " (numachine locks %s)", s->directory);
}

static void say_locks(struct sentence *s)
{
    const struct look_locks_view *view = s->t->locks;
    const struct look_lock_row *row = NULL, *best = NULL;
    unsigned named = 0, nth = 0;
    for (; named < OBJECTS && (row = look_lock_dear(view, row)); named++) {
        put_between(s, named, "Threads waited ");
        put_percent(s, look_percent((int64_t)row->v[DOC_LOCK_WAITED],
                                    (int64_t)look_locks_time(view->locks)));
        fprintf(s->out, "%s for %s ", named ? "" : " of their time",
                doc_lock_kinds[view->locks->lock[row->lock].kind].name);
        look_lock_label(view, row->lock, s->out);
        put_lock_places(s, row);
        if (!best || row->bound > best->bound) {
            best = row;
            nth = named;
        }
    }
    put_bound(s, best, named > 1 ? nth_lock[nth] : "it");
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* The pages of which an object has most. */
struct paged {
    const struct look_paged_object *object;
    int64_t requests, local, best, time; /* best: of one station each */
};

static void paged_add(struct paged *to, const struct look_page *page)
{
    to->requests = doc_plus(to->requests, page->requests);
    to->local = doc_plus(to->local, page->local);
    to->best = doc_plus(to->best, page->of_best);
    to->time = doc_plus(to->time, page->time);
}

/* Whether sharing it is worth a word. */
static bool is_said_shared(const struct look_trouble *t, const struct look_paged_object *o)
{
    const struct look_shared_object *shared = look_sharing_shared(t->sharing, o->name);
    return shared && doc_plus(shared->lost.falsely, shared->lost.truly) >= t->sharing->time / SAID;
}

/* [PCycles] of requests that went to other stations and need not have, if each took as long as
 * another; 0: nothing worth a word. */
static int64_t cost_of_pages(const struct look_trouble *t, const struct paged *p)
{
    const int64_t nearer = doc_plus(p->best, -p->local);
    if (nearer <= 0 || p->requests <= 0 || is_said_shared(t, p->object))
        return 0;
    const int64_t cost = (int64_t)((double)p->time * (double)nearer / (double)p->requests);
    return cost >= t->sharing->time / SAID ? cost : 0;
}

/* @return [pages->objects] the caller's: in their order */
static struct paged *sentence_paged(const struct look_trouble *t)
{
    struct paged *all = sim_alloc(t->pages->objects + 1, sizeof *all);
    for (size_t i = 0; i < t->pages->objects; i++)
        all[i].object = &t->pages->object[i];
    for (size_t i = 0; i < t->pages->pages; i++)
        paged_add(&all[t->pages->page[i].object], &t->pages->page[i]);
    return all;
}

/* The costliest, whose pages then count no more. @return false: no more is worth a word */
static bool take_paged(const struct look_trouble *t, struct paged *all, struct paged *out)
{
    size_t best = 0;
    int64_t most = 0;
    for (size_t i = 0; i < t->pages->objects; i++) {
        const int64_t cost = cost_of_pages(t, &all[i]);
        if (cost > most) {
            most = cost;
            best = i;
        }
    }
    if (!most)
        return false;
    *out = all[best];
    all[best].requests = 0;
    return true;
}

static int64_t cost_pages(const struct look_trouble *t)
{
    struct paged one, *all = t->pages ? sentence_paged(t) : NULL;
    int64_t cost = 0;
    for (unsigned n = 0; all && n < OBJECTS && take_paged(t, all, &one); n++)
        cost = doc_plus(cost, cost_of_pages(t, &one));
    free(all);
    return cost;
}

static void put_paged(struct sentence *s, const struct paged *p, bool first)
{
    put_awake(s, p->time);
    fprintf(s->out, "%s pages of %s, of which ",
            first ? " went into requests for" : " into those for", p->object->name);
    put_percent(s, look_percent(p->local, p->requests));
    fputs(first ? " went to the memory of their own station and " : " did and ", s->out);
    put_percent(s, look_percent(p->best, p->requests));
    fputs(" could", s->out);
}

/* The trial that moves pages and is worth it: the best of all, or the best that does nothing else;
 * NULL: none has gained. */
static const json_t *sentence_moved(const json_t *root)
{
    const json_t *trial, *most = NULL, *best = json_object_get(root, "best");
    size_t i;
    if (sentence_moves(root, best))
        return best;
    json_array_foreach(json_object_get(root, "trials"), i, trial) {
        const bool alone = json_array_size(json_object_get(trial, "candidates")) == 1;
        const double gain = json_number_value(json_object_get(trial, "gain"));
        if (alone && sentence_moves(root, trial) && gain > 0 &&
            (!most || gain > json_number_value(json_object_get(most, "gain"))))
            most = trial;
    }
    return most;
}

/* Whether a run has tried to move pages, alone or with layouts. */
static bool was_moved(const json_t *root)
{
    const json_t *trial;
    size_t i;
    json_array_foreach(json_object_get(root, "trials"), i, trial)
        if (sentence_moves(root, trial))
            return true;
    return false;
}

static void put_moved(const struct sentence *s)
{
    json_t *root = sentence_measured(s->t);
    const json_t *moved = sentence_moved(root);
    if (moved)
        put_change(s, root, moved);
    else if (root)
        fputs(was_moved(root) ? "; moving them gained nothing (measured)"
                              : "; moving them was not tried",
              s->out);
    else if (s->t->code->ended)
        fprintf(s->out, "; numachine mend %s measures what moving them would gain", s->directory);
    json_decref(root);
}

static void say_pages(struct sentence *s)
{
    struct paged one, *all = sentence_paged(s->t);
    for (unsigned n = 0; n < OBJECTS && take_paged(s->t, all, &one); n++) {
        put_between(s, n, "");
        put_paged(s, &one, !n);
    }
    free(all);
    put_moved(s);
}

/* ---- all ------------------------------------------------------------------------------------- */

static const struct trouble_kind {
    int64_t (*cost)(const struct look_trouble *t); /* [PCycles] 0: nothing is to be said */
    void (*say)(struct sentence *s);               /* without an end */
} kinds[] = {{cost_falsely, say_falsely},
             {cost_truly, say_truly},
             {cost_locks, say_locks},
             {cost_pages, say_pages}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void put_sentences(struct sentence *s)
{
    int64_t cost[KINDS];
    for (unsigned k = 0; k < KINDS; k++)
        cost[k] = kinds[k].cost(s->t);
    for (unsigned n = 0; n < SENTENCES; n++) {
        unsigned dearest = 0;
        for (unsigned k = 1; k < KINDS; k++)
            if (cost[k] > cost[dearest])
                dearest = k;
        if (!cost[dearest])
            return;
        fputs(n ? " " : "", s->out);
        kinds[dearest].say(s);
        putc('.', s->out);
        cost[dearest] = 0;
    }
}

char *look_trouble_sentence(const struct look_trouble *t)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    struct sentence s = {.t = t, .out = out, .directory = look_code_directory(t->code)};
    put_sentences(&s);
    free(s.directory);
    sim_text_close(out, &text);
    return text;
}

void look_troubles_open(struct look_troubles *all, const struct look_trouble *of,
                        const struct doc_locks *locks, const struct in_experiment *x)
{
    char why[256];
    *all = (struct look_troubles){.of = *of};
    all->locks = (struct look_locks_view){
        .locks = locks, .code = of->code, .finder = of->finder, .sort = DOC_LOCK_WAITED};
    if (locks && look_locks_view_open(&all->locks, NULL, why, sizeof why))
        all->of.locks = &all->locks;
    if (x && of->sharing)
        all->of.pages =
            look_pages_new(of->sharing->truth, x, of->finder, of->code, why, sizeof why);
}

void look_troubles_close(struct look_troubles *all)
{
    look_pages_free((struct look_pages *)all->of.pages);
    look_locks_view_close(&all->locks);
}
