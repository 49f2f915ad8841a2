/*
 * What could be changed: of each object that sharing or waiting cost much, and of those that lie in
 * its lines, the layouts that a programmer could give it; a lock apart from what it lies in; the
 * homes of pages.
 */
#include "look/mend/mend.h"

#include "base/alloc.h"
#include "base/plural.h"
#include "look/mend/parts.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINES = 16, /* whose other objects are looked at */
    SHAPES = 5, /* of an object, at most */
    OFTEN = 16, /* one part in so many of the times that the line is lost counts */
    LOCKS = 2,  /* that are laid out for themselves, at most */
    NEAR = 4,   /* one part in so many of a page's requests is worth a move */
};

/* ---- which objects --------------------------------------------------------------------------- */

static bool is_listed(const struct look_mend *m, const char *name)
{
    for (size_t i = 0; i < m->objects; i++)
        if (!strcmp(m->object[i], name))
            return true;
    return false;
}

static void mend_list(struct look_mend *m, const char *name)
{
    struct look_named named;
    if (m->objects < LOOK_MEND_OBJECTS && !is_listed(m, name) &&
        look_sharing_find(m->sharing, name, &named) && named.at.kind != LOOK_OBJECT_CODE &&
        named.at.kind != LOOK_OBJECT_HEADER)
        m->object[m->objects++] = sim_strdup(name);
}

/* Blocks and their headers are laid out together, as what got them is called. */
static void mend_list_object(struct look_mend *m, const struct look_object *at)
{
    char place[LOOK_OBJECT_NAME];
    struct look_object group = *at;
    look_object_group(&group);
    mend_list(m, at->kind == LOOK_OBJECT_HEADER ? look_object_place(at, place) : group.key);
}

/* How often the card lost the line that lost it most often. */
static uint64_t most_taken(const struct look_mend *m, const struct look_shared_line *line)
{
    uint64_t most = 0;
    for (size_t i = line->copy; i < line->copy + line->copies; i++)
        if (m->sharing->truth->copy[i].taken > most)
            most = m->sharing->truth->copy[i].taken;
    return most;
}

/* Whether several of the cards that lose the line over and over touch some of these bytes. */
static bool is_used(const struct look_mend *m, const struct look_shared_line *line,
                    const struct look_held *part)
{
    const uint64_t most = most_taken(m, line);
    unsigned cards = 0;
    for (size_t i = line->copy; i < line->copy + line->copies; i++) {
        const struct pc_missed_copy *copy = &m->sharing->truth->copy[i];
        cards += copy->taken * OFTEN >= most &&
                 part->bytes & (look_copy_read(copy) | look_copy_written(copy));
    }
    return cards > 1;
}

/* What lies beside them counts, even if it has lost little: it may be the cause. */
static void mend_list_beside(struct look_mend *m, const struct look_shared_line *line)
{
    size_t count;
    struct look_held *part = look_sharing_parts(m->sharing, line, &count);
    for (size_t i = 0; i < count; i++) {
        if (is_used(m, line, &part[i]))
            mend_list_object(m, &part[i].at);
    }
    free(part);
}

/* ---- locks ----------------------------------------------------------------------------------- */

/* What the lock lies in, by its name. */
static void mend_around_lock(const struct look_mend *m, const struct look_lock_row *row,
                             struct look_object *at)
{
    const struct look_lock_use *use = &m->locks->use[row->lock];
    look_object_at(m->sharing->finder, m->locks->locks->lock[row->lock].address, use->from, use->to,
                   at);
    look_object_group(at);
}

static void mend_list_locks(struct look_mend *m)
{
    const struct look_lock_row *row = NULL;
    for (unsigned n = 0; n < LOCKS && (row = look_lock_dear(m->locks, row)); n++) {
        struct look_object at;
        mend_around_lock(m, row, &at);
        mend_list(m, at.key);
    }
}

static void mend_list_all(struct look_mend *m)
{
    const struct look_sharing *s = m->sharing;
    for (size_t i = 0; i < s->objects; i++) {
        const struct look_shared_object *o = &s->object[i];
        const bool all = o->lead == i && look_sharing_has_headers(s, o->place);
        if (all && look_verdict_of(s, &o->all) != LOOK_VERDICT_none)
            mend_list(m, o->place);
        if (!o->header && look_verdict_of(s, &o->lost) != LOOK_VERDICT_none)
            mend_list(m, o->name);
    }
    for (size_t i = 0; i < s->lines && i < LINES; i++)
        if (look_verdict_of(s, &s->line[i].lost) != LOOK_VERDICT_none)
            mend_list_beside(m, &s->line[i]);
    mend_list_locks(m);
}

/* ---- their shapes ---------------------------------------------------------------------------- */

/* Whether it is called otherwise by the program, and its blocks are listed as a place's, which go
 * with their headers: then only its elements and members are its own matter. */
static bool is_of_listed(const struct look_mend *m, const char *name)
{
    struct look_named named;
    char place[LOOK_OBJECT_NAME];
    return look_sharing_find(m->sharing, name, &named) && named.at.part &&
           named.at.kind == LOOK_OBJECT_HEAP && is_listed(m, look_object_place(&named.at, place));
}

/* The shapes to try, the one first that a programmer would think of first. @return how many */
static size_t candidates_shapes_of(const struct look_mend *m, const char *name,
                                   enum look_unit shape[SHAPES])
{
    struct look_named named;
    struct prog_member part;
    size_t count = 0;
    look_sharing_find(m->sharing, name, &named);
    const bool typed = named.at.variable.name;
    if (typed)
        look_object_member(m->sharing->finder, &named.at, 0, 1, &part);
    if (typed && *part.name && !strchr(".-", *part.name))
        shape[count++] = LOOK_UNIT_elements;
    if (typed && *part.name)
        shape[count++] = LOOK_UNIT_members;
    if (is_of_listed(m, name))
        return count;
    if (named.at.kind != LOOK_OBJECT_NONE && named.at.kind != LOOK_OBJECT_STACK)
        shape[count++] = LOOK_UNIT_objects;
    shape[count++] = LOOK_UNIT_threads;
    shape[count++] = LOOK_UNIT_writers;
    if (named.at.kind == LOOK_OBJECT_HEAP && !typed)
        shape[count++] = LOOK_UNIT_words;
    return count;
}

static char *mend_what(const struct look_mend_candidate *c)
{
    char *text = sim_format("%s of", look_unit_part[c->unit]);
    for (size_t i = 0; c->names[i]; i++) {
        char *longer = sim_format("%s%s %s", text,
                                  !i                ? ""
                                  : c->names[i + 1] ? ","
                                                    : " and",
                                  c->names[i]);
        free(text);
        text = longer;
    }
    return text;
}

static void candidate_free(struct look_mend_candidate *c)
{
    look_layout_free(&c->layout);
    for (size_t i = 0; c->names[i]; i++)
        free(c->names[i]);
    free(c->range);
    free(c->what);
}

/* Whether it is worth a run: it can be laid out, and not as another one of the same objects. */
static bool is_new(const struct look_mend *m, const struct look_mend_candidate *c)
{
    for (size_t i = 0; i < m->candidates; i++)
        if (look_layout_is_same(&m->candidate[i].layout, &c->layout))
            return false;
    return look_layout_fits(&c->layout, m->sharing->truth);
}

/* One that has its names, if it is worth a run; else it goes. */
static void candidates_put(struct look_mend *m, const struct doc_objects *objects,
                           struct look_mend_candidate *c)
{
    char why[2048];
    c->what = mend_what(c);
    if (m->candidates < LOOK_MEND_CANDIDATES &&
        look_what_if(m->sharing, objects, c->names, c->unit, &c->layout, why, sizeof why) &&
        is_new(m, c))
        m->candidate[m->candidates++] = *c;
    else
        candidate_free(c);
}

static void candidates_add(struct look_mend *m, const struct doc_objects *objects, unsigned of,
                           enum look_unit unit)
{
    struct look_mend_candidate c = {.unit = unit, .objects = of, .rule = LOOK_MEND_RULE};
    size_t names = 0;
    for (size_t i = 0; i < m->objects; i++)
        if (of >> i & 1)
            c.names[names++] = sim_strdup(m->object[i]);
    candidates_put(m, objects, &c);
}

/* The lock is all of an object, or a part of one: then what is around it moves as well, as it does
 * where a programmer aligns it. */
static enum look_unit unit_of_lock(const struct look_mend *m, const char *name)
{
    struct look_named named;
    return look_sharing_find(m->sharing, name, &named) && named.to - named.from != named.at.size
               ? LOOK_UNIT_sides
               : LOOK_UNIT_objects;
}

/* A lock apart from what it lies in. */
static void candidates_add_locks(struct look_mend *m, const struct doc_objects *objects)
{
    const struct look_lock_row *row = NULL;
    for (unsigned n = 0; n < LOCKS && (row = look_lock_dear(m->locks, row)); n++) {
        struct look_mend_candidate c = {.rule = LOOK_MEND_RULE};
        struct look_object at;
        mend_around_lock(m, row, &at);
        for (size_t i = 0; i < m->objects; i++)
            c.objects |= (unsigned)!strcmp(m->object[i], at.key) << i;
        if (!c.objects)
            continue;
        c.names[0] = look_lock_label_text(m->locks, row->lock);
        c.unit = unit_of_lock(m, c.names[0]);
        candidates_put(m, objects, &c);
    }
}

/* Of a place, that of all its blocks and their headers. */
static enum look_verdict verdict_of_listed(const struct look_mend *m, const char *name)
{
    const struct look_sharing *s = m->sharing;
    const bool headers = look_sharing_has_headers(s, name);
    const struct look_shared_object *o =
        headers ? look_sharing_at_place(s, name) : look_sharing_shared(s, name);
    return o ? look_verdict_of(s, headers ? &o->all : &o->lost) : LOOK_VERDICT_none;
}

/* Of objects that several threads use, what each uses lies together. */
static void candidates_add_together(struct look_mend *m, const struct doc_objects *objects,
                                    bool falsely)
{
    unsigned of = 0;
    for (size_t i = 0; i < m->objects; i++) {
        const enum look_verdict verdict = verdict_of_listed(m, m->object[i]);
        if (is_of_listed(m, m->object[i]))
            continue;
        if (!falsely || verdict == LOOK_VERDICT_false || verdict == LOOK_VERDICT_mixed)
            of |= 1u << i;
    }
    if (of & (of - 1))
        candidates_add(m, objects, of, LOOK_UNIT_threads);
}

/* ---- pages ----------------------------------------------------------------------------------- */

/* Whether the page has a byte of an object that is laid out otherwise. */
static bool has_data(const struct look_mend *m, uint64_t page)
{
    for (size_t i = 0; i < m->candidates; i++) {
        const struct look_layout *l = &m->candidate[i].layout;
        for (size_t k = 0; k < l->ranges; k++)
            if (l->range[k].from < page + m->pages->page_size && page < l->range[k].to)
                return true;
    }
    return false;
}

static void candidates_add_page(struct look_mend_candidate *c, uint64_t page, uint64_t size,
                                unsigned station)
{
    struct nm_range *last = c->ranges ? &c->range[c->ranges - 1] : NULL;
    if (last && last->to == page && last->station == station) {
        last->to += size;
        return;
    }
    c->range = sim_grow(c->range, c->ranges + 1, sizeof *c->range);
    c->range[c->ranges++] = (struct nm_range){page, page + size, station};
}

/* One that moves pages, if there is room; else it goes. */
static void candidates_put_pages(struct look_mend *m, struct look_mend_candidate *c, bool good)
{
    if (good && m->candidates < LOOK_MEND_CANDIDATES)
        m->candidate[m->candidates++] = *c;
    else
        candidate_free(c);
}

/* Of the pages that should move all, or those that have such objects. */
static void candidates_add_pages(struct look_mend *m, bool data)
{
    struct look_mend_candidate c = {.objects = 1u << LOOK_MEND_PAGES, .rule = LOOK_MEND_RULE};
    uint64_t all = 0, some = 0;
    for (size_t i = 0; i < m->pages->ranges; i++) {
        const struct nm_range *r = &m->pages->range[i];
        for (uint64_t page = r->from; page < r->to; page += m->pages->page_size, all++)
            if (!data || has_data(m, page)) {
                candidates_add_page(&c, page, m->pages->page_size, r->station);
                some++;
            }
    }
    c.what = sim_format("%s pages in %zu range%s at the stations that ask for them",
                        data ? "these objects'" : "all", c.ranges, sim_plural(c.ranges));
    candidates_put_pages(m, &c, some && (!data || some < all));
}

/* Where placement names no ranges, because one card would lose more than others gain: the pages
 * that another station asks for most, without those that matter little. */
static void candidates_add_asked(struct look_mend *m)
{
    struct look_mend_candidate c = {.objects = 1u << LOOK_MEND_PAGES, .rule = LOOK_MEND_RULE};
    for (size_t i = 0; m->pages->hurts && i < m->pages->pages; i++) {
        const struct look_page *page = &m->pages->page[i];
        if (page->va && page->of_best - page->local > page->requests / NEAR)
            candidates_add_page(&c, page->va, m->pages->page_size, page->best);
    }
    c.what = sim_format("pages in %zu range%s at the stations that ask for them most", c.ranges,
                        sim_plural(c.ranges));
    candidates_put_pages(m, &c, c.ranges);
}

/* Pages by another rule, if some are asked for from afar. */
static void candidates_add_rules(struct look_mend *m)
{
    static const struct {
        const char *name;
        int rule;
    } rules[] = {{"first_touch", NM_PLACE_FIRST_TOUCH}, {"round_robin", NM_PLACE_ROUND_ROBIN}};
    const bool far = m->pages->stations > 1 && (m->pages->hurts || m->pages->ranges);
    for (size_t i = 0; far && i < sizeof rules / sizeof *rules; i++) {
        struct look_mend_candidate c = {.objects = 1u << LOOK_MEND_PAGES, .rule = rules[i].rule};
        c.what = sim_format("pages by memory.placement %s", rules[i].name);
        candidates_put_pages(m, &c, strcmp(rules[i].name, m->pages->rule) != 0);
    }
}

void look_mend_find(struct look_mend *m, const struct doc_objects *objects)
{
    enum look_unit shape[SHAPES];
    mend_list_all(m);
    for (size_t k = 0; k < SHAPES; k++) {
        for (size_t i = 0; i < m->objects; i++)
            if (k < candidates_shapes_of(m, m->object[i], shape))
                candidates_add(m, objects, 1u << i, shape[k]);
        if (!k)
            candidates_add_locks(m, objects);
    }
    candidates_add_together(m, objects, true);
    candidates_add_together(m, objects, false);
    if (m->pages) {
        candidates_add_pages(m, true);
        candidates_add_pages(m, false);
        candidates_add_asked(m);
        candidates_add_rules(m);
    }
}

void look_mend_lose(struct look_mend *m)
{
    for (size_t i = 0; i < m->candidates; i++)
        candidate_free(&m->candidate[i]);
    for (size_t i = 0; i < m->objects; i++)
        free((char *)m->object[i]);
}
