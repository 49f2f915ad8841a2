/*
 * numachine perfex: the habit of IRIX's perfex. A program is named on the command line, or an
 * experiment file is; what the processors' own counters show comes on stderr, or into a file.
 *
 * The one hard idea: a counter shows one event, and perfex -a shows all 32, by counting each from
 * one clock tick to the next and scaling up by the time for which threads ran meanwhile: a
 * processor without a thread keeps its turn. An event that had no turns, or too few, has no count.
 * That is done here as the system would, tick by tick, and beside it the true counts can be had, so
 * its error is seen. Looking changes nothing: two events or 32, the run is the same.
 */
#include "look/counters/perfex.h"
#include "cli/cli.h"
#include "cli/counted.h"
#include "documents/run.h"
#include "documents/totals.h"
#include "input/tables.h"
#include "input/yaml.h"
#include "machine/values.h"
#include "run/observer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = R10K_IRIX_EVENTS / R10K_COUNTERS /* clock ticks until every event had its turn */ };

/* Events as somebody asks for them, before the processor is known. */
struct wanted {
    unsigned event[R10K_COUNTERS];
    unsigned count;
};

struct perfex_request {
    const struct cli_given *given;
    struct wanted wanted;
    bool each;
    char **program; /* NULL: none */
};

/* ---- the command line ------------------------------------------------------------------------ */

static void add_event(struct perfex_request *r, const char *option, const char *text)
{
    const struct in_form form = {IN_INT, "", 0, R10K_IRIX_EVENTS - 1};
    uint64_t value = 0;
    char why[256];
    if (!in_value_parse(&form, text, &value, why, sizeof why))
        cli_refuse(r->given, "%s: '%.60s' %s", option, text, why);
    if (r->wanted.count == R10K_COUNTERS)
        cli_refuse(r->given, "%s: there are two counters; --all counts all events in turns",
                   option);
    r->wanted.event[r->wanted.count++] = (unsigned)value;
}

/* As on IRIX: what the command line leaves open, the environment says. */
static void ask_environment(struct perfex_request *r)
{
    static const char *const names[R10K_COUNTERS] = {"T5_EVENT0", "T5_EVENT1"};
    for (unsigned i = 0; i < R10K_COUNTERS && !r->given->all_events; i++)
        if (getenv(names[i]))
            add_event(r, names[i], getenv(names[i]));
}

static struct perfex_request perfex_read_request(const struct cli_given *g)
{
    struct perfex_request r = {.given = g, .program = g->count ? g->words : NULL, .each = g->each};
    if (g->irix_m && strcmp(g->irix_m, "p"))
        cli_refuse(g, "-m%.20s: -mp shows each processor; the machine is --machine", g->irix_m);
    r.each |= g->irix_m != NULL;
    if (!r.program && !g->table)
        cli_refuse(g, "which PROGRAM?");
    for (char **event = g->numbers; event && *event; event++)
        add_event(&r, "--event", *event);
    if (!r.wanted.count)
        ask_environment(&r);
    return r;
}

/* ---- counting -------------------------------------------------------------------------------- */

/* What one processor has counted. */
struct processor {
    struct r10k_signals last;        /* totals when the events changed last */
    uint64_t part[R10K_IRIX_EVENTS]; /* counted while it was an event's turn */
    unsigned slot;                   /* events `slot` and `slot + SLOTS` have their turn */
    uint64_t ran[SLOTS];             /* [PCycles] that a thread had it meanwhile */
    uint64_t turns[SLOTS];           /* in which one had */
    struct r10k_signals since;       /* totals when the first of the open regions was opened, */
    struct r10k_signals within;      /* and the sum of what was counted in such times: -s */
};

struct perfex {
    const struct perfex_request *r;
    const struct in_experiment *x;
    struct run_live *live;
    enum r10k_chip chip;
    uint32_t counted; /* IRIX's events */
    unsigned modes;
    struct look_costs costs;
    struct processor *processor; /* [cards] */
    uint64_t ticks;
    bool open; /* a region is: of -s, the time that counts */
    FILE *out; /* a text, shown when all complaints have been made */
    bool good;
};

/* As a system that saves counters at every switch would count: the operating system's cycles are
 * those it worked for a thread. */
static void read_signals(struct nm_machine *m, unsigned card, struct r10k_signals *out)
{
    struct nm_truth truth;
    pc_signals(m, card, out);
    nm_card_truth(m, card, &truth);
    out->total[R10K_SIGNAL_CYCLES][R10K_KERNEL] = truth.system;
}

/* What has been counted since the last look. @return whether the processor had a thread */
static bool perfex_look(const struct perfex *p, struct processor *its,
                        const struct r10k_signals *now)
{
    const uint64_t ran = r10k_total(now, R10K_SIGNAL_CYCLES, R10K_COUNT_ALL) -
                         r10k_total(&its->last, R10K_SIGNAL_CYCLES, R10K_COUNT_ALL);
    for (unsigned e = its->slot; e < R10K_IRIX_EVENTS; e += SLOTS)
        its->part[e] += look_perfex_total(p->chip, e, p->modes, now) -
                        look_perfex_total(p->chip, e, p->modes, &its->last);
    its->ran[its->slot] += ran;
    its->last = *now;
    return ran;
}

/* All processors, if it is a time that counts. @param turns  the events change, where there was a
 * thread */
static void look_at_all(struct perfex *p, bool turns)
{
    struct nm_machine *m = p->live->machine;
    struct r10k_signals now;
    for (unsigned c = 0; c < nm_machine_cards(m); c++) {
        struct processor *its = &p->processor[c];
        if (!pc_counters(m, c))
            continue;
        read_signals(m, c, &now);
        if (!p->open)
            its->last = now;
        else if (perfex_look(p, its, &now) && turns) {
            its->turns[its->slot]++;
            its->slot = (its->slot + 1) % SLOTS;
        }
    }
}

static void add_signals(struct r10k_signals *sum, const struct r10k_signals *to,
                        const struct r10k_signals *from)
{
    for (unsigned s = 0; s < R10K_SIGNALS; s++)
        for (unsigned m = 0; m < R10K_MODES; m++)
            sum->total[s][m] += to->total[s][m] - from->total[s][m];
}

/* A time that counts begins, or ends. Regions in each other are one time. */
static void turn_regions(struct perfex *p, bool open)
{
    struct nm_machine *m = p->live->machine;
    for (unsigned c = 0; c < nm_machine_cards(m) && open != p->open; c++) {
        struct processor *its = &p->processor[c];
        struct r10k_signals now;
        if (!pc_counters(m, c))
            continue;
        read_signals(m, c, &now);
        if (!open)
            add_signals(&its->within, &now, &its->since);
        its->since = now;
    }
    p->open = open;
}

/* A clock tick: the next two events. */
static enum run_begun perfex_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct perfex *p = self;
    (void)why, (void)size;
    p->live = live;
    p->open = !p->r->given->regions;
    p->processor = sim_alloc(live->cards, sizeof *p->processor);
    return RUN_BEGUN;
}

static sim_tick perfex_first(void *self)
{
    const struct perfex *p = self;
    return p->r->given->all_events ? p->x->machine.params->os_tick : SIM_NEVER;
}

static sim_tick perfex_tick(void *self, sim_tick at)
{
    struct perfex *p = self;
    look_at_all(p, true);
    p->ticks++;
    return at + p->x->machine.params->os_tick;
}

/* The run's own books have been told of it. */
static void perfex_mark(void *self, const char *name, bool begin, sim_tick at)
{
    struct perfex *p = self;
    const struct doc_run *run = &p->live->run;
    bool open = false;
    (void)name, (void)begin, (void)at;
    if (!p->r->given->regions)
        return;
    if (p->r->given->all_events)
        look_at_all(p, false);
    for (size_t i = 1; i < run->regions; i++)
        open |= run->region[i].open;
    turn_regions(p, open);
}

static void perfex_finish(void *self, sim_tick at)
{
    struct perfex *p = self;
    (void)at;
    if (p->r->given->all_events && p->live->run.own)
        look_at_all(p, true);
    if (p->r->given->regions)
        turn_regions(p, false);
}

static void scale_up(const struct processor *its, struct look_perfex *out)
{
    out->ran = 0;
    for (unsigned s = 0; s < SLOTS; s++)
        out->ran += its->ran[s];
    for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++) {
        const uint64_t during = its->ran[e % SLOTS];
        out->during[e] = during;
        out->turns[e] = its->turns[e % SLOTS];
        out->known[e] = during ? out->ran : 0;
        out->count[e] = during ? (double)its->part[e] * (double)out->ran / (double)during : 0;
    }
}

/* Signals of a card over the whole run. */
static struct r10k_signals signals_of(const struct doc_region *whole, unsigned card)
{
    struct r10k_signals sum = whole->own[card].sum.r10000;
    sum.total[R10K_SIGNAL_CYCLES][R10K_KERNEL] = whole->card[card].sum.truth.system;
    return sum;
}

static void counts_of(struct perfex *p, const struct doc_run *run, unsigned card,
                      struct look_perfex *out)
{
    const struct r10k_signals sum =
        p->r->given->regions ? p->processor[card].within : signals_of(&run->region[0], card);
    out->ran = !p->r->given->regions || run->regions > 1;
    for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++) {
        out->exact[e] = look_perfex_total(p->chip, e, p->modes, &sum);
        out->count[e] = (double)out->exact[e];
        out->during[e] = out->known[e] = out->ran;
    }
    if (p->r->given->all_events)
        scale_up(&p->processor[card], out);
}

/* ---- showing --------------------------------------------------------------------------------- */

static void print_command(const struct perfex *p)
{
    fputs("Summary for execution of", p->out);
    if (p->r->program)
        for (char **word = p->r->program; *word; word++)
            fprintf(p->out, " %s", *word);
    fputs("\n\n", p->out);
}

static void print_warnings(const struct perfex *p, const struct doc_run *run)
{
    if (p->r->given->all_events)
        fprintf(p->out,
                "Counts are of one clock tick in %d, scaled up by the time for which threads ran: "
                "inaccuracy is possible. There were %llu ticks of %llu PCycles.\n\n",
                SLOTS, (unsigned long long)p->ticks,
                (unsigned long long)p->x->machine.params->os_tick);
    if (p->r->given->kernel)
        fputs("No kernel code is simulated: of the operating system there is time (cycles), and "
              "neither "
              "instructions nor misses.\n\n",
              p->out);
    if (cli_counted_without(&p->x->machine))
        fprintf(p->out,
                "%u of the machine's %u processors have no counters: what they did is not in "
                "here.\n\n",
                cli_counted_without(&p->x->machine), run->cards);
    if (p->r->given->regions && run->regions == 1)
        fputs("The program had no region open: nothing was counted.\n\n", p->out);
}

static void print_missing(const struct perfex *p, uint32_t missing)
{
    if (missing && p->r->given->all_events)
        fprintf(p->out,
                "\n%d events had no turn, or too few, while a thread ran: a smaller os.tick gives "
                "more (--set os.tick=...).\n",
                __builtin_popcount(missing));
}

static void print_report(const struct perfex *p, const struct doc_run *run,
                         const struct look_perfex *all, const struct look_perfex *each,
                         const unsigned *card, size_t count)
{
    print_command(p);
    print_warnings(p, run);
    if (p->r->given->times)
        look_perfex_clock(all, p->out);
    for (size_t i = 0; i < count; i++) {
        fprintf(p->out, "Processor %u\n\n", card[i]);
        look_perfex_print(&each[i], p->out);
        putc('\n', p->out);
    }
    if (p->r->each)
        fputs("All processors\n\n", p->out);
    look_perfex_print(all, p->out);
    print_missing(p, all->missing & p->counted);
}

static void perfex_show(struct perfex *p, const struct doc_run *run)
{
    struct look_perfex all = {.chip = p->chip,
                              .machine = p->x->machine.params,
                              .costs = p->r->given->times ? &p->costs : NULL,
                              .counted = p->counted,
                              .scaled = p->r->given->all_events,
                              .truth = p->r->given->beside};
    const bool json = p->r->given->format && !strcmp(p->r->given->format, "json");
    struct look_perfex *each = sim_alloc(run->cards, sizeof *each);
    unsigned *card = sim_alloc(run->cards, sizeof *card);
    size_t count = 0;
    for (unsigned c = 0; c < run->cards; c++) {
        if (!cli_counted_card(&p->x->machine, c))
            continue;
        struct look_perfex its = all;
        its.machine = in_card_params(&p->x->machine, c);
        counts_of(p, run, c, &its);
        look_perfex_add(&all, &its);
        look_perfex_settle(&its);
        if (p->r->each && doc_had_thread(&run->region[0], c)) {
            each[count] = its;
            card[count++] = c;
        }
    }
    look_perfex_settle(&all);
    if (json)
        look_perfex_json(&all, each, card, count, p->out);
    else
        print_report(p, run, &all, each, card, count);
    free(each);
    free(card);
}

static void perfex_concluded(void *self)
{
    struct perfex *p = self;
    const struct doc_run *run = &p->live->run;
    p->good = run->own;
    if (!run->own)
        fputs("numachine: error: this workload brings its own processors, which have no event "
              "counters\n",
              stderr);
    if (!run->own)
        return;
    if (run->outcome.end != PROG_BROKEN)
        perfex_show(p, run);
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Counters for the events that are wanted. @return false after a complaint */
static bool place_events(struct perfex *p, struct in_diag *diag)
{
    struct wanted w = p->r->wanted;
    if (!w.count)
        w = (struct wanted){{0, R10K_IRIX_EVENTS / 2}, r10k_irix_counters(p->chip, 0) == 1 ? 2 : 1};
    for (unsigned i = 0; i < w.count; i++)
        p->counted |= UINT32_C(1) << w.event[i];
    if (p->r->given->all_events)
        p->counted = UINT32_MAX;
    const unsigned first = r10k_irix_counters(p->chip, w.event[0]);
    if (w.count < 2 || w.event[0] == w.event[1] ||
        first != r10k_irix_counters(p->chip, w.event[1]) || (first & (first - 1)))
        return true;
    in_error(diag, NULL, NULL, 0, 0,
             "conflicting counters: events %u and %u are both of counter %d of an %s; --all counts "
             "them in turns",
             w.event[0], w.event[1], __builtin_ctz(first), r10k_chip_name(p->chip));
    return false;
}

/* @return false after a complaint */
static bool perfex_prepare(struct perfex *p, struct in_diag *diag)
{
    p->chip = cli_counted_chip(&p->x->machine, p->r->given->mixed, diag);
    if (p->chip == R10K_CHIPS)
        return false;
    if (p->r->given->all_events && !p->x->machine.params->os_tick) {
        in_error(diag, NULL, NULL, 0, 0,
                 "--all: the events take turns by the clock, and os.tick is 0");
        return false;
    }
    p->modes = R10K_COUNT_USER | (p->r->given->exception ? R10K_COUNT_EXCEPTION : 0) |
               (p->r->given->kernel ? R10K_COUNT_KERNEL : 0);
    return place_events(p, diag);
}

static int perfex_run(struct perfex *p)
{
    static const struct run_observer observer = {.begin = perfex_begin,
                                                 .first = perfex_first,
                                                 .moment = perfex_tick,
                                                 .mark = perfex_mark,
                                                 .finish = perfex_finish,
                                                 .concluded = perfex_concluded};
    struct prog_outcome outcome = {0};
    const int status = cli_counted_run(p->x, p->r->given, &observer, p, &outcome);
    free(p->processor);
    return p->good || status == CLI_EXIT_IO || outcome.end == PROG_UNLOADABLE ? status
                                                                              : CLI_EXIT_USAGE;
}

/* What is wrong comes before the table. */
static int perfex_report(struct perfex *p, FILE *out)
{
    char *text;
    size_t size;
    p->out = sim_text_open(&text, &size);
    const int status = perfex_run(p);
    sim_text_close(p->out, &text);
    fputs(text, out);
    free(text);
    return status;
}

static int run_program(struct perfex *p, struct in_diag *diag)
{
    struct in_experiment x = {0};
    int status = CLI_EXIT_USAGE;
    if (!cli_counted_make(&x, p->r->given, diag))
        return status;
    p->x = &x;
    if (perfex_prepare(p, diag)) {
        FILE *out = cli_counted_open(p->r->given->file);
        status = out ? perfex_report(p, out) : CLI_EXIT_IO;
        if (out && !cli_counted_close(out, p->r->given->file))
            status = CLI_EXIT_IO;
    }
    in_experiment_free(&x);
    p->x = NULL;
    return status;
}

int cli_perfex(struct cli_given *g)
{
    const struct perfex_request r = perfex_read_request(g);
    struct in_diag diag = {.out = stderr};
    struct perfex p = {.r = &r};
    int status = CLI_EXIT_USAGE;

    if (r.program && !g->quoted)
        cli_options_late(g, r.program);
    if (look_costs_load(&p.costs, NULL, &diag) &&
        (!g->costs || look_costs_load(&p.costs, g->costs, &diag))) {
        status = CLI_EXIT_OK;
        if (g->table)
            look_costs_write(&p.costs, stdout);
        if (r.program)
            status = run_program(&p, &diag);
    }
    look_costs_free(&p.costs);
    return status;
}
