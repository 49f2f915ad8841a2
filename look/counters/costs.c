/*
 * Tables of what events cost.
 *
 * The one thing to know: a file says only what it changes. So one's own numbers are read over the
 * shipped ones, by name.
 */
#include "look/counters/costs.h"

#include "base/alloc.h"
#include "base/nearest.h"
#include "input/home.h"
#include "procard/procard.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHIPPED "perfex"

static struct look_costs_row *costs_find(const struct look_costs *costs, const char *event)
{
    for (size_t i = 0; i < costs->rows; i++)
        if (!strcmp(costs->row[i].event, event))
            return &costs->row[i];
    return NULL;
}

/* Every event of every chip, one after the other, for "did you mean". */
static const char *next_event(void *ctx, size_t i)
{
    (void)ctx;
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++) {
        unsigned count;
        const struct r10k_event *row = r10k_events((enum r10k_chip)chip, &count);
        if (i < count)
            return row[i].name;
        i -= count;
    }
    return NULL;
}

static bool is_event(const char *name)
{
    for (unsigned chip = 0; chip < R10K_CHIPS; chip++)
        if (r10k_event_named((enum r10k_chip)chip, name))
            return true;
    return false;
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reading {
    struct look_costs *costs;
    struct in_diag *diag;
    const char *path;
    unsigned line;
};

enum { WORD = 64 };

/** The next word of a line, which a # ends. @return false: there is none */
static bool costs_next_word(char **at, char word[WORD])
{
    *at += strspn(*at, " \t\r\n");
    const size_t length = strcspn(*at, " \t\r\n#");
    snprintf(word, WORD, "%.*s", (int)length, *at);
    *at += length;
    return length > 0;
}

static bool is_time(const char *word, double *time)
{
    char *end;
    *time = strtod(word, &end);
    return *word && !*end && isfinite(*time) && *time >= 0;
}

static void costs_put(struct look_costs *costs, const char *event,
                      const struct look_costs_row *cost)
{
    struct look_costs_row *row = costs_find(costs, event);
    if (!row) {
        costs->row = sim_grow(costs->row, costs->rows + 1, sizeof *costs->row);
        row = &costs->row[costs->rows++];
        *row = (struct look_costs_row){.event = sim_strdup(event)};
    }
    memcpy(row->time, cost->time, sizeof row->time);
    row->nsec = cost->nsec;
    free(row->source);
    row->source = cost->source ? sim_strdup(cost->source) : NULL;
}

static void read_line(struct reading *r, char *line)
{
    char event[WORD], word[WORD], source[WORD], *at = line;
    struct look_costs_row cost = {0};
    if (!costs_next_word(&at, event))
        return;
    if (!is_event(event)) {
        const char *near = sim_nearest(event, next_event, NULL);
        in_error(r->diag, r->path, NULL, r->line, 1, "'%s' is no event of a processor%s%s%s", event,
                 near ? "; did you mean '" : " (numachine list events)", near ? near : "",
                 near ? "'?" : "");
        return;
    }
    for (unsigned i = 0; i < LOOK_COSTS; i++) {
        const bool there = costs_next_word(&at, word);
        if (!is_time(word, &cost.time[i])) {
            in_error(r->diag, r->path, NULL, r->line,
                     (unsigned)(at - line - (ptrdiff_t)strlen(word)) + 1,
                     "'%s' is not a time, of which an event has three: typical, minimum, maximum",
                     there ? word : "");
            return;
        }
    }
    costs_next_word(&at, word);
    cost.nsec = !strcmp(word, "nsec");
    if (!cost.nsec && strcmp(word, "clks")) {
        in_error(r->diag, r->path, NULL, r->line,
                 (unsigned)(at - line - (ptrdiff_t)strlen(word)) + 1,
                 "'%s' is not the unit: clks or nsec", word);
        return;
    }
    cost.source = costs_next_word(&at, source) ? source : NULL;
    if (costs_next_word(&at, word))
        in_error(
            r->diag, r->path, NULL, r->line, (unsigned)(at - line - (ptrdiff_t)strlen(word)) + 1,
            "'%s': behind the unit is one word, where the times are from, and a comment (#)", word);
    else
        costs_put(r->costs, event, &cost);
}

/* The path of a shipped table; NULL: it is a file of the user's. */
static char *costs_shipped(const char *name)
{
    if (name && (strchr(name, '/') || !access(name, F_OK)))
        return NULL;
    char *path = in_home_path("monitor/%s.costs", name ? name : SHIPPED);
    if (!name || !access(path, R_OK))
        return path;
    free(path);
    return NULL;
}

bool look_costs_load(struct look_costs *costs, const char *path, struct in_diag *diag)
{
    char *shipped = costs_shipped(path);
    struct reading r = {.costs = costs, .diag = diag, .path = shipped ? shipped : path};
    FILE *in = fopen(r.path, "re");
    const unsigned before = diag->errors;
    char *line = NULL;
    size_t size = 0;
    errno = in ? 0 : errno;
    while (in && getline(&line, &size, in) >= 0) {
        r.line++;
        read_line(&r, line);
    }
    if (!in || ferror(in))
        in_error(diag, r.path, NULL, 0, 0, "cannot be read: %s", strerror(errno));
    if (in)
        fclose(in);
    free(line);
    free(shipped);
    return diag->errors == before;
}

void look_costs_free(struct look_costs *costs)
{
    for (size_t i = 0; i < costs->rows; i++) {
        free(costs->row[i].event);
        free(costs->row[i].source);
    }
    free(costs->row);
    *costs = (struct look_costs){0};
}

/* ---- looking --------------------------------------------------------------------------------- */

void look_costs_write(const struct look_costs *costs, FILE *out)
{
    fputs("# event                  typical minimum maximum unit source\n", out);
    for (size_t i = 0; i < costs->rows; i++) {
        const struct look_costs_row *c = &costs->row[i];
        fprintf(out, "%-24s %7g %7g %7g %s%s%s\n", c->event, c->time[LOOK_COST_TYPICAL],
                c->time[LOOK_COST_MINIMUM], c->time[LOOK_COST_MAXIMUM], c->nsec ? "nsec" : "clks",
                c->source ? " " : "", c->source ? c->source : "");
    }
}

bool look_has_cost(const struct look_costs *costs, const char *event)
{
    return costs_find(costs, event);
}

const char *look_cost_source(const struct look_costs *costs, const char *event)
{
    const struct look_costs_row *row = costs_find(costs, event);
    return row && row->source ? row->source : "";
}

double look_event_cost(const struct look_costs *costs, const char *event, unsigned which,
                       double clock)
{
    const struct look_costs_row *row = costs_find(costs, event);
    return !row ? 0 : row->time[which] / (row->nsec ? 1e9 : clock);
}
