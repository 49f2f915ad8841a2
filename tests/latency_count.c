/*
 * The steps of docs/latency.md, each as a function that moves a tick on, and the rows of its
 * tables.
 *
 * This is an independent second count: it knows the parameters and the document, and nothing of the
 * machine. The hard idea is that an access on an idle machine is a plain sequence. Whatever else
 * goes on (other copies of an invalidation, data for the home) is never in its way, but for a
 * write-back ahead of the request.
 */
#include "latency_count.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

sim_tick up_to(sim_tick t, sim_tick cycle)
{
    return (t + cycle - 1) / cycle * cycle;
}

static sim_tick larger(sim_tick a, sim_tick b)
{
    return a > b ? a : b;
}

static sim_tick bus_data(const struct count *c)
{
    return (c->p.l2_line + c->p.bus_width - 1) / c->p.bus_width;
}

static sim_tick slots_of(uint64_t bytes, uint64_t width)
{
    return (bytes + width - 1) / width;
}

static void step_out(struct count *c)
{
    c->t = up_to(c->t, c->bus) + c->p.agent_request * c->bus;
}

static void step_word(struct count *c)
{
    const sim_tick cycles = c->p.bus_arbitration + 1 + slots_of(8, c->p.bus_width);
    c->t = up_to(c->t, c->bus) + cycles * c->bus;
}

static void step_reg(struct count *c)
{
    c->t = up_to(c->t, c->bus) + c->p.agent_register * c->bus;
}

static void step_miss(struct count *c)
{
    c->t = up_to(c->t + c->p.l2_lookup, c->bus) + c->p.agent_request * c->bus;
    c->put_out = c->t;
}

static void step_look(struct count *c)
{
    c->t += c->p.l2_lookup;
}

static void step_cmd(struct count *c)
{
    c->t = up_to(c->t, c->bus) + (c->p.bus_arbitration + 1) * c->bus;
}

static void step_line(struct count *c)
{
    c->t = up_to(c->t, c->bus) + (c->p.bus_arbitration + 1 + bus_data(c)) * c->bus;
}

/* A command behind a write-back that its module has put out too. */
static void step_wb_cmd(struct count *c)
{
    const sim_tick arbitration = c->p.bus_arbitration * c->bus;
    sim_tick granted = up_to(c->put_out, c->bus) + arbitration;
    sim_tick asks = larger(granted + c->bus, up_to(c->t, c->bus));
    c->came = granted + (1 + bus_data(c)) * c->bus;
    c->t = larger(asks + arbitration, c->came) + c->bus;
}

static void step_mem(struct count *c)
{
    c->t += c->p.memory_directory * c->bus;
}

static void step_mem_dram(struct count *c)
{
    c->t += larger(c->p.memory_directory, c->p.memory_dram) * c->bus;
}

/* Behind the write-back of a line of the same bank: it has both directory and bank. */
static void step_mem_behind(struct count *c)
{
    sim_tick taken = larger(c->t, c->came + c->p.memory_directory * c->bus);
    sim_tick bank = larger(taken, c->came + (c->p.memory_dram + c->p.memory_recovery) * c->bus);
    c->t = larger(taken + c->p.memory_directory * c->bus, bank + c->p.memory_dram * c->bus);
}

static void step_nc(struct count *c)
{
    c->t += c->p.netcache_directory * c->bus;
}

static void step_nc_dram(struct count *c)
{
    c->t += larger(c->p.netcache_directory, c->p.netcache_dram) * c->bus;
}

static void step_agent(struct count *c)
{
    c->t += c->p.agent_response * c->bus;
}

static void step_caches(struct count *c)
{
    c->t = up_to(c->t + c->p.agent_external, c->bus);
}

static void step_fill(struct count *c)
{
    c->t += c->p.l2_refill * (c->p.l1d_line / 16);
}

static const struct {
    const char *name;
    void (*count)(struct count *c);
} steps[] = {
    {"miss", step_miss},
    {"cmd", step_cmd},
    {"line", step_line},
    {"wb-cmd", step_wb_cmd},
    {"mem", step_mem},
    {"mem+", step_mem_dram},
    {"wb-mem+", step_mem_behind},
    {"nc", step_nc},
    {"nc+", step_nc_dram},
    {"agent", step_agent},
    {"caches", step_caches},
    {"fill", step_fill},
    {"look", step_look},
    {"out", step_out},
    {"word", step_word},
    {"reg", step_reg},
};

/* Position of a station on the ring of that level that it is below. */
static unsigned position(const struct world *w, unsigned station, unsigned level)
{
    for (unsigned l = 0; l < level; l++)
        station /= w->fan[l];
    return station % w->fan[level];
}

static unsigned top(const struct world *w)
{
    return w->fan[2] > 1 ? 2 : w->fan[1] > 1 ? 1 : 0;
}

/* Level of the highest ring on the way. */
static unsigned highest(const struct world *w, unsigned from, unsigned to)
{
    unsigned level = 0;
    for (unsigned l = 1; l < LEVELS; l++)
        if (position(w, from, l) != position(w, to, l))
            level = l;
    return level;
}

static unsigned hops(const struct world *w, unsigned level, unsigned from, unsigned to)
{
    unsigned nodes = w->fan[level] + (level < top(w));
    return (to + nodes - from) % nodes;
}

/* Ring cycles from a station's ring interface to another's, over a ring of that level; a multicast
 * visits the sequencing point of that ring. */
static sim_tick path(const struct count *c, unsigned from, unsigned to, unsigned level,
                     bool multicast)
{
    const struct world *w = c->w;
    sim_tick cycles = level * (c->p.ring_up + c->p.ring_down);
    for (unsigned l = 0; l < level; l++)
        cycles +=
            hops(w, l, position(w, from, l), w->fan[l]) + hops(w, l, w->fan[l], position(w, to, l));
    unsigned a = position(w, from, level), b = position(w, to, level);
    unsigned point = level < top(w) ? w->fan[level] : 0;
    return cycles +
           (multicast ? hops(w, level, a, point) + hops(w, level, point, b) : hops(w, level, a, b));
}

/* An invalidation goes to the home and to whoever had the line before. */
static unsigned multicast_level(const struct count *c, unsigned from)
{
    unsigned level = highest(c->w, from, c->w->station[c->s->home]);
    for (unsigned i = 0; i < DRIVEN_PREPARATIONS && c->s->before[i].given; i++)
        level = (unsigned)larger(level, highest(c->w, from, c->w->station[c->s->before[i].role]));
    return level;
}

/* "R-H", "H+R", "H=R", "O>=R", "R=>H", "H*R": a message over the rings. */
static bool step_ring(struct count *c, const char *word)
{
    static const char roles[] = "RHO";
    const char *a = strchr(roles, word[0]), *b = strchr(roles, word[strlen(word) - 1]);
    if (!a || !b || !strpbrk(word, "-+=*"))
        return false;
    unsigned from = c->w->station[a - roles], to = c->w->station[b - roles];
    bool multicast = strchr(word, '*'), data = strchr(word, '='), behind = strchr(word, '>');
    unsigned level = multicast ? multicast_level(c, from) : highest(c->w, from, to);
    sim_tick slots = slots_of(data ? c->p.l2_line : strchr(word, '+') ? 8 : 0, c->p.ring_width);
    sim_tick cycles = c->p.ring_generator + behind + slots + path(c, from, to, level, multicast) +
                      c->p.ring_handler;
    c->t = up_to(c->t, c->ring) + cycles * c->ring;
    if (behind)
        c->put_out = c->t - c->ring;
    return true;
}

bool count_step(struct count *c, const char *word)
{
    for (unsigned i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!strcmp(steps[i].name, word)) {
            steps[i].count(c);
            return true;
        }
    return step_ring(c, word);
}

/* ---- the document ---- */

static bool read_row(char *text, struct recipe *r)
{
    if (sscanf(text, "| %63[^|`]| `%159[^`]` |", r->name, r->steps) != 2)
        return false;
    for (size_t n = strlen(r->name); n && isspace((unsigned char)r->name[n - 1]);)
        r->name[--n] = '\0';
    text = strstr(text, "` |");
    r->columns = 0;
    for (char *end; text && r->columns < LEVELS; text = end) {
        text += strcspn(text, "0123456789");
        unsigned long ticks = strtoul(text, &end, 10);
        if (end == text)
            break;
        r->ticks[r->columns++] = (unsigned)ticks;
    }
    return r->columns == 1 || r->columns == LEVELS;
}

void read_document(struct document *d)
{
    char text[512];
    FILE *file = fopen(LATENCY_DOCUMENT, "r");
    cr_assert(file, "no %s", LATENCY_DOCUMENT);
    d->count = 0;
    while (fgets(text, sizeof text, file))
        if (d->count < RECIPES_MAX && read_row(text, &d->recipe[d->count]))
            d->count++;
    fclose(file);
}

const struct recipe *recipe_of(const struct document *d, const char *name)
{
    for (unsigned i = 0; i < d->count; i++)
        if (!strcmp(d->recipe[i].name, name))
            return &d->recipe[i];
    cr_assert_fail("docs/latency.md has no row '%s'", name);
    return NULL;
}

struct count count_begin(const struct world *w, const struct driven_scenario *s,
                         const struct nm_params *p, sim_tick start)
{
    return (struct count){.w = w,
                          .s = s,
                          .p = *p,
                          .bus = p->cpu_clock / p->bus_clock,
                          .ring = p->cpu_clock / p->ring_clock,
                          .t = start};
}

/* The tick at which an access that begins at `start` is over, by the document. */
sim_tick count_by_hand(const struct world *w, const struct driven_scenario *s,
                       const struct nm_params *p, const struct recipe *r, sim_tick start)
{
    struct count c = count_begin(w, s, p, start);
    char text[sizeof r->steps], *rest = NULL;
    strcpy(text, r->steps);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        cr_assert(count_step(&c, word), "docs/latency.md, '%s': no step '%s'", r->name, word);
    return c.t;
}
