/*
 * Sums and names are those of the commands profile, c2c, locks and placement. A page has no room
 * for all of them: a document is cut where its lists end in what cost next to nothing.
 */
#include "page/kept.h"

#include "base/alloc.h"
#include "documents/cells.h"
#include "look/kept.h"
#include "look/profile/view.h"
#include "look/trouble/trouble.h"

#include <string.h>

enum {
    FUNCTIONS = 250,
    STACK_PARTS = 4000, /* a stack that took less than this part of all is not drawn */
    OBJECTS = 60,
    LINES = 40,
    ASKERS = 6,
    LOCKS = 120,
    SITES = 200,
    PATH = 300,
    MOVING = 60,
};

/* ---- functions and stacks -------------------------------------------------------------------- */

static json_t *parts_of(const struct look_cost *cost)
{
    json_t *list = json_array();
    for (unsigned p = 0; p < LOOK_PROFILE_PARTS; p++)
        json_array_append_new(
            list, json_integer((json_int_t)look_measured(&look_profile_parts[p], cost)));
    return list;
}

/* [name, self, all, [parts of self]] */
static json_t *functions_of(struct look_view *view)
{
    const struct look_measure total = look_measure_total();
    struct look_sums sums = look_view_sum(view, LOOK_BY_function);
    json_t *list = json_array();
    look_sums_sort(&sums, &total, false);
    for (size_t i = 0; i < sums.entries && i < FUNCTIONS; i++) {
        const struct look_entry *e = sums.entry[i];
        json_array_append_new(
            list,
            json_pack("[o,I,I,o]", doc_json_taken(look_view_label(view, LOOK_BY_function, e->key)),
                      (json_int_t)look_measured(&total, &e->self),
                      (json_int_t)look_measured(&total, &e->all), parts_of(&e->self)));
    }
    json_t *out = json_pack("{s:o,s:I}", "rows", list, "of", (json_int_t)sums.entries);
    look_sums_free(&sums);
    return out;
}

/* What each stack cost itself. @return [stacks] the caller's */
static struct look_cost *cost_of_stacks(const struct look_view *view)
{
    struct look_cost *cost = sim_alloc(view->stacks, sizeof *cost);
    for (size_t i = 0; i < view->profile->rows; i++) {
        const struct pc_profile_row *row = &view->profile->row[i];
        const struct look_cost its = look_cost_of(row);
        look_cost_add(&cost[view->node[view->row_node[i]].stack], &its);
    }
    return cost;
}

/* Adds what stacks cost themselves to all that they were called from, which stand in front. */
static void add_to_callers(const struct look_view *view, struct look_cost *cost)
{
    for (size_t s = view->stacks; s-- > 0;)
        if (view->stack[s].parent != s)
            look_cost_add(&cost[view->stack[s].parent], &cost[s]);
}

/* [stack, its parent or null, function, [parts of all]] */
static json_t *stack_of(const struct look_view *view, size_t s, const struct look_cost *all)
{
    const struct look_stack *stack = &view->stack[s];
    json_t *parent = stack->parent == s ? json_null() : json_integer(stack->parent);
    return json_pack("[I,o,I,o]", (json_int_t)s, parent, (json_int_t)stack->function,
                     parts_of(all));
}

static json_t *stacks_of(const struct look_view *view)
{
    const struct look_measure total = look_measure_total();
    struct look_cost *cost = cost_of_stacks(view);
    const int64_t least = look_measured(&total, &view->whole) / STACK_PARTS;
    json_t *list = json_array();
    add_to_callers(view, cost);
    for (size_t s = 0; s < view->stacks; s++)
        if (look_measured(&total, &cost[s]) > least)
            json_array_append_new(list, stack_of(view, s, &cost[s]));
    free(cost);
    return list;
}

static json_t *kept_names_of(const struct look_view *view)
{
    json_t *list = json_array();
    for (size_t f = 0; f < view->functions; f++)
        json_array_append_new(list, doc_json_text(view->function[f].name));
    return list;
}

static json_t *part_names(void)
{
    json_t *list = json_array();
    for (unsigned p = 0; p < LOOK_PROFILE_PARTS; p++)
        json_array_append_new(list, json_string(look_profile_parts[p].name));
    return list;
}

static json_t *profile_of(const struct doc_profile *profile, struct look_code *code)
{
    const struct look_measure total = look_measure_total();
    struct look_view view = {.profile = profile, .code = code, .thread = -1, .measure = total};
    look_view_open(&view);
    json_t *out = json_pack(
        "{s:o,s:i,s:I,s:o,s:o,s:o}", "parts", part_names(), "states", (int)LOOK_PROFILE_STATES,
        "total", (json_int_t)look_measured(&total, &view.whole), "functions", functions_of(&view),
        "names", kept_names_of(&view), "stacks", stacks_of(&view));
    look_view_close(&view);
    return out;
}

/* ---- cut documents --------------------------------------------------------------------------- */

/* Leaves the first `most` of a list. */
static void kept_cut(json_t *list, size_t most)
{
    while (json_array_size(list) > most)
        json_array_remove(list, json_array_size(list) - 1);
}

/* The same of a member, whose length goes into "of". */
static void cut_member(json_t *root, const char *name, size_t most)
{
    json_t *of = json_object_get(root, "of"), *list = json_object_get(root, name);
    if (!of) {
        of = json_object();
        json_object_set_new(root, "of", of);
    }
    json_object_set_new(of, name, json_integer((json_int_t)json_array_size(list)));
    kept_cut(list, most);
}

/* The same of a list of what sharing cost: what is cut off goes into the rest of it. */
static void cut_lost(json_t *root, const char *name, size_t most)
{
    static const char *const parts[] = {"falsely", "truly"};
    json_t *rest = json_object_get(json_object_get(root, "rest"), name);
    const json_t *list = json_object_get(root, name);
    for (unsigned p = 0; p < sizeof parts / sizeof *parts; p++) {
        int64_t sum = json_integer_value(json_object_get(rest, parts[p]));
        for (size_t i = most; i < json_array_size(list); i++)
            sum = doc_plus(sum,
                           json_integer_value(json_object_get(json_array_get(list, i), parts[p])));
        json_object_set_new(rest, parts[p], json_integer((json_int_t)sum));
    }
    cut_member(root, name, most);
}

static void cut_askers(json_t *list)
{
    size_t i;
    json_t *item;
    json_array_foreach(list, i, item)
        kept_cut(json_object_get(item, "askers"), ASKERS);
}

/* What a command writes as JSON. */
typedef void write_fn(const void *what, FILE *out);

static json_t *kept_written(write_fn *write, const void *what)
{
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);
    write(what, out);
    sim_text_close(out, &text);
    json_t *root = json_loads(text, 0, NULL);
    free(text);
    return root ? root : json_object();
}

static void write_sharing(const void *sharing, FILE *out)
{
    look_sharing_json(sharing, "", out); /* the page has it for itself */
}

static void write_locks(const void *view, FILE *out)
{
    look_locks_json(view, out);
}

/* ---- lines and objects ----------------------------------------------------------------------- */

static void put_sharing(json_t *page, const struct look_sharing *sharing)
{
    json_t *root = kept_written(write_sharing, sharing);
    cut_lost(root, "objects", OBJECTS);
    cut_lost(root, "lines", LINES);
    cut_askers(json_object_get(root, "objects"));
    cut_askers(json_object_get(root, "lines"));
    json_object_del(root, "sentence");
    json_object_set_new(page, "sharing", root);
}

/* A list for each station that asks: how often, of each home. */
static json_t *traffic_of(const struct doc_truth *truth, unsigned stations)
{
    int64_t *count = sim_alloc((size_t)stations * stations, sizeof *count);
    json_t *rows = json_array();
    for (size_t i = 0; i < truth->rows; i++) {
        const struct pc_missed_copy *copy = &truth->copy[truth->row[i].copy];
        const uint64_t home = copy->line / truth->memory, from = copy->card / truth->processors;
        if (home < stations && from < stations)
            count[from * stations + home] =
                doc_plus(count[from * stations + home], doc_truth_requests(&truth->row[i]));
    }
    for (unsigned from = 0; from < stations; from++) {
        json_t *row = json_array();
        for (unsigned home = 0; home < stations; home++)
            json_array_append_new(row, json_integer(count[(size_t)from * stations + home]));
        json_array_append_new(rows, row);
    }
    free(count);
    return rows;
}

/* ---- locks ----------------------------------------------------------------------------------- */

static json_int_t kept_waited(const json_t *site)
{
    return json_integer_value(json_object_get(site, "waited"));
}

static int longest_first(const void *a, const void *b)
{
    const json_t *const *one = a, *const *other = b;
    const json_int_t first = kept_waited(*one), second = kept_waited(*other);
    if (first != second)
        return first < second ? 1 : -1;
    return (int)(json_integer_value(json_object_get(*one, "order")) -
                 json_integer_value(json_object_get(*other, "order")));
}

/* The places that waited, those first that waited longest. */
static json_t *sorted_sites(const json_t *sites)
{
    size_t count = 0, i;
    json_t *site, *list = json_array();
    json_t **order = sim_alloc(json_array_size(sites), sizeof *order);
    json_array_foreach(sites, i, site)
        if (kept_waited(site)) {
            json_object_set_new(site, "order", json_integer((json_int_t)i));
            order[count++] = site;
        }
    qsort(order, count, sizeof(json_t *), longest_first);
    for (i = 0; i < count; i++) {
        json_object_del(order[i], "order");
        json_array_append(list, order[i]);
    }
    free(order);
    return list;
}

static json_t *locks_of(const struct look_locks_view *view)
{
    json_t *root = kept_written(write_locks, view);
    json_object_set_new(root, "sites", sorted_sites(json_object_get(root, "sites")));
    cut_member(root, "locks", LOCKS);
    cut_member(root, "sites", SITES);
    cut_member(root, "path", PATH);
    return root;
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void write_pages(const void *pages, FILE *out)
{
    look_pages_json(pages, out);
}

/* [page, from, to, requests, local, placed, object] */
static json_t *moving_page_of(const struct look_pages *p, const struct look_page *page)
{
    return json_pack("[I,I,I,I,I,I,o]", (json_int_t)page->va, (json_int_t)page->home,
                     (json_int_t)page->best, (json_int_t)page->requests, (json_int_t)page->local,
                     (json_int_t)page->of_best, doc_json_text(p->object[page->object].name));
}

static void add_moving(json_t *root, const struct look_pages *p)
{
    size_t count;
    const struct look_page **moving = look_pages_moving(p, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, moving_page_of(p, moving[i]));
    json_object_set_new(root, "pages", list);
    free(moving);
}

/* Why nothing should move; null if something should. */
static json_t *stays_of(const struct look_pages *p)
{
    char *text;
    size_t size;
    if (p->ranges)
        return json_null();
    FILE *out = sim_text_open(&text, &size);
    look_pages_nothing(p, out);
    sim_text_close(out, &text);
    return doc_json_taken(text);
}

static json_t *placement_of(const struct look_pages *p)
{
    json_t *root = kept_written(write_pages, p);
    add_moving(root, p);
    cut_member(root, "objects", OBJECTS);
    cut_member(root, "pages", MOVING);
    json_object_set_new(root, "stays", stays_of(p));
    json_object_set_new(root, "rule", json_string(p->rule));
    json_object_del(root, "placement");
    json_object_del(root, "cards");
    return root;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static void add_trouble(json_t *root, const struct look_trouble *trouble)
{
    char *sentence = look_trouble_sentence(trouble);
    json_object_set_new(root, "sentence", doc_json_text(sentence));
    free(sentence);
    if (trouble->sharing)
        put_sharing(root, trouble->sharing);
    if (trouble->locks)
        json_object_set_new(root, "locks", locks_of(trouble->locks));
    if (trouble->pages)
        json_object_set_new(root, "placement", placement_of(trouble->pages));
}

static void add_all(json_t *root, struct look_kept *kept, const struct page_run *page,
                    const struct page_kept *has)
{
    const json_t *machine = json_object_get(root, "machine");
    struct look_troubles all;
    struct look_finder *finder = look_finder_new(&kept->objects, &kept->profile, &kept->code);
    struct look_sharing *sharing =
        has->truth ? look_sharing_new(&kept->truth, &kept->profile, finder, &kept->code) : NULL;
    const struct look_trouble of = {.code = &kept->code, .finder = finder, .sharing = sharing};
    json_object_set_new(root, "profile", profile_of(&kept->profile, &kept->code));
    if (has->truth) {
        const unsigned stations =
            (unsigned)json_integer_value(json_object_get(machine, "stations"));
        json_object_set_new(root, "traffic", traffic_of(&kept->truth, stations));
    }
    look_troubles_open(&all, &of, has->locks ? &kept->locks : NULL, page->experiment);
    add_trouble(root, &all.of);
    look_troubles_close(&all);
    look_sharing_free(sharing);
    look_finder_free(finder);
}

bool page_kept_add(json_t *root, const struct page_run *page, const struct page_kept *kept,
                   char **note, char *why, size_t size)
{
    struct look_kept all = {.files = *page->files};
    const unsigned parts = LOOK_KEPT_OBJECTS | (kept->truth ? LOOK_KEPT_TRUTH : 0) |
                           (kept->locks ? LOOK_KEPT_LOCKS : 0);
    const bool good = look_kept_open(&all, page->directory, parts, why, size);
    if (good)
        add_all(root, &all, page, kept);
    *note = all.code.lacks ? sim_strdup(all.code.lacks) : NULL;
    look_kept_close(&all);
    return good;
}
