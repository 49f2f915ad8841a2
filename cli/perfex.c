/*
 * numachine perfex: the habit of IRIX's perfex. A program is named on the command line, or an
 * experiment file is; what the processors' own counters show comes on stderr, or into a file.
 *
 * The one hard idea: a counter shows one event, and perfex -a shows all 32, by counting each for
 * one clock tick in 16 and scaling up. That is done here as the system would, tick by tick, and
 * beside it the true counts can be had, so its error is seen. Looking changes nothing: two events
 * or 32, the run is the same.
 */
#include "look/counters/perfex.h"
#include "cli/cli.h"
#include "cli/session.h"
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

struct request {
    const struct cli_given *given;
    struct wanted wanted;
    bool each;
    char **program; /* NULL: none */
};

/* ---- the command line ------------------------------------------------------------------------ */

static void add_event(struct request *r, const char *option, const char *text)
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
static void ask_environment(struct request *r)
{
    static const char *const names[R10K_COUNTERS] = {"T5_EVENT0", "T5_EVENT1"};
    for (unsigned i = 0; i < R10K_COUNTERS && !r->given->all_events; i++)
        if (getenv(names[i]))
            add_event(r, names[i], getenv(names[i]));
}

static struct request perfex_read_request(const struct cli_given *g)
{
    struct request r = {.given = g, .program = g->count ? g->words : NULL, .each = g->each};
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
};

struct perfex {
    const struct request *r;
    const struct in_experiment *x;
    struct run_live *live;
    enum r10k_chip chip;
    uint32_t counted; /* IRIX's events */
    unsigned modes;
    struct look_costs costs;
    struct processor *processor; /* [cards] of -a */
    unsigned slot;               /* events `slot` and `slot + SLOTS` have their turn */
    uint64_t ticks;
    FILE *out;
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

static void end_turn(struct perfex *p, struct processor *its, const struct r10k_signals *now)
{
    for (unsigned e = p->slot; e < R10K_IRIX_EVENTS; e += SLOTS)
        its->part[e] += look_perfex_total(p->chip, e, p->modes, now) -
                        look_perfex_total(p->chip, e, p->modes, &its->last);
    its->last = *now;
}

/* A clock tick: the next two events. */
static enum run_begun perfex_begin(void *self, struct run_live *live, char *why, size_t size)
{
    (void)why, (void)size;
    ((struct perfex *)self)->live = live;
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
    struct nm_machine *m = p->live->machine;
    struct r10k_signals now;
    if (!p->processor)
        p->processor = sim_alloc(nm_machine_cards(m), sizeof *p->processor);
    for (unsigned c = 0; c < nm_machine_cards(m); c++) {
        if (!pc_counters(m, c))
            continue;
        read_signals(m, c, &now);
        end_turn(p, &p->processor[c], &now);
    }
    p->slot = (p->slot + 1) % SLOTS;
    p->ticks++;
    return at + p->x->machine.params->os_tick;
}

/* Signals of a card over the regions that count. */
static void add_region(const struct doc_region *region, unsigned card, struct r10k_signals *sum)
{
    const struct r10k_signals *own = &region->own[card].sum.r10000;
    for (unsigned s = 0; s < R10K_SIGNALS; s++)
        for (unsigned m = 0; m < R10K_MODES; m++)
            sum->total[s][m] += s == R10K_SIGNAL_CYCLES && m == R10K_KERNEL
                                    ? region->card[card].sum.truth.system
                                    : own->total[s][m];
}

static void counts_of(struct perfex *p, const struct doc_run *run, unsigned card,
                      struct look_perfex *out)
{
    struct r10k_signals sum = {0};
    if (!p->r->given->regions)
        add_region(&run->region[0], card, &sum);
    for (size_t i = 1; p->r->given->regions && i < run->regions; i++)
        add_region(&run->region[i], card, &sum);
    if (p->r->given->all_events)
        end_turn(p, &p->processor[card], &sum);
    for (unsigned e = 0; e < R10K_IRIX_EVENTS; e++) {
        out->exact[e] = look_perfex_total(p->chip, e, p->modes, &sum);
        out->count[e] = p->r->given->all_events ? (double)p->processor[card].part[e] * SLOTS
                                                : (double)out->exact[e];
    }
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

static bool perfex_counts(const struct in_experiment *x, unsigned card)
{
    return pc_counters_of(in_card_params(&x->machine, card)) < R10K_CHIPS;
}

/* Processors that have no counters, though others have. */
static unsigned without_counters(const struct in_experiment *x)
{
    unsigned n = 0;
    for (unsigned c = 0; c < nm_params_cards(x->machine.params); c++)
        n += !perfex_counts(x, c);
    return n;
}

static void print_warnings(const struct perfex *p, const struct doc_run *run)
{
    if (p->r->given->all_events)
        fprintf(p->out,
                "Counts are of one clock tick in %d, scaled up: inaccuracy is possible. There were "
                "%llu ticks of %llu PCycles%s.\n\n",
                SLOTS, (unsigned long long)p->ticks,
                (unsigned long long)p->x->machine.params->os_tick,
                p->ticks + 1 < SLOTS ? ", too few for every event to have its turn (--set os.tick)"
                                     : "");
    if (p->r->given->kernel)
        fputs("No kernel code is simulated: of the operating system there is time (cycles), and "
              "neither "
              "instructions nor misses.\n\n",
              p->out);
    if (without_counters(p->x))
        fprintf(p->out,
                "%u of the machine's %u processors have no counters: what they did is not in "
                "here.\n\n",
                without_counters(p->x), run->cards);
    if (p->r->given->regions && run->regions == 1)
        fputs("The program had no region open: nothing was counted.\n\n", p->out);
}

static void perfex_show(struct perfex *p, const struct doc_run *run)
{
    struct look_perfex all = {.chip = p->chip,
                              .machine = p->x->machine.params,
                              .costs = p->r->given->times ? &p->costs : NULL,
                              .counted = p->counted,
                              .scaled = p->r->given->all_events,
                              .truth = p->r->given->beside};
    print_command(p);
    print_warnings(p, run);
    if (p->r->given->times)
        look_perfex_clock(&all, p->out);
    for (unsigned c = 0; c < run->cards; c++) {
        if (!perfex_counts(p->x, c))
            continue;
        struct look_perfex its = all;
        its.machine = in_card_params(&p->x->machine, c);
        memset(its.count, 0, sizeof its.count);
        counts_of(p, run, c, &its);
        look_perfex_add(&all, &its);
        if (p->r->each && doc_had_thread(&run->region[0], c)) {
            fprintf(p->out, "Processor %u\n\n", c);
            look_perfex_print(&its, p->out);
            putc('\n', p->out);
        }
    }
    if (p->r->each)
        fputs("All processors\n\n", p->out);
    look_perfex_print(&all, p->out);
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
    if (p->r->given->all_events && !p->processor)
        p->processor = sim_alloc(run->cards, sizeof *p->processor);
    perfex_show(p, run);
}

/* ---- the run --------------------------------------------------------------------------------- */

static bool is_experiment(char *const *program)
{
    const char *end = strrchr(program[0], '.');
    return end && (!strcmp(end, ".yaml") || !strcmp(end, ".yml"));
}

static bool load_experiment(struct in_experiment *x, const struct request *r, struct in_diag *diag)
{
    if (r->program[1] || r->given->by[CLI_OPT_machine]) {
        in_error(diag, NULL, NULL, 0, 0, "%s: %s of an experiment are what its file says",
                 r->program[1] ? r->program[1] : "--machine",
                 r->program[1] ? "arguments" : "machines");
        return false;
    }
    if (!in_experiment_load(x, r->program[0], r->given->sets, diag))
        return false;
    if (!x->sweep)
        return true;
    in_error(diag, NULL, NULL, 0, 0,
             "%s has a sweep: one of its points is shown by 'numachine run'", r->program[0]);
    in_experiment_free(x);
    return false;
}

static bool make_experiment(struct in_experiment *x, const struct request *r, struct in_diag *diag)
{
    if (is_experiment(r->program))
        return load_experiment(x, r, diag);
    if (!in_experiment_make(x, r->given->machine, r->given->sets, diag))
        return false;
    x->name = in_strdup("perfex");
    if (!in_experiment_command(x, r->program, diag)) {
        in_experiment_free(x);
        return false;
    }
    for (char **input = x->machine.inputs; input && *input; input++)
        in_push(&x->inputs, *input);
    return true;
}

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

/* The R10000 or R12000 whose events are counted; R10K_CHIPS: it is none, or not all are of one
 * kind. */
static enum r10k_chip chip_of(const struct in_machine *mc)
{
    return pc_chip_of(in_processor(mc));
}

/* Whose events are counted. @return false after a complaint */
static bool find_chip(struct perfex *p, struct in_diag *diag)
{
    const struct in_machine *mc = &p->x->machine;
    const unsigned without = without_counters(p->x);
    const bool none = without == nm_params_cards(mc->params);
    p->chip = chip_of(mc);
    if (none)
        in_error(diag, NULL, NULL, 0, 0,
                 "the processors of machine '%s' have no event counters of an R10000 "
                 "(processor.core); these have: %s to %s (as --machine=r10000 is, without --set)",
                 mc->name, r10k_chip_name(0), r10k_chip_name(R10K_CHIPS - 1));
    else if (p->chip == R10K_CHIPS)
        in_error(diag, NULL, NULL, 0, 0,
                 "the processors of machine '%s' count different events (processor.core, "
                 "r10000.revision): what counters are in such a machine is undefined",
                 mc->name);
    else if (without && !p->r->given->mixed)
        in_error(diag, NULL, NULL, 0, 0,
                 "%u processors of machine '%s' have no event counters; --mixed (-T) counts on the "
                 "others",
                 without, mc->name);
    return !none && p->chip < R10K_CHIPS && (!without || p->r->given->mixed);
}

/* @return false after a complaint */
static bool perfex_prepare(struct perfex *p, struct in_diag *diag)
{
    if (!find_chip(p, diag))
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
                                                 .concluded = perfex_concluded};
    const struct cli_session session = {.experiment = p->x,
                                        .argc = p->r->given->argc,
                                        .argv = p->r->given->argv,
                                        .stdin_fd = STDIN_FILENO,
                                        .quiet = true,
                                        .passes = true,
                                        .observer = &observer,
                                        .self = p,
                                        .table = fopen("/dev/null", "we")};
    struct prog_outcome outcome = {0};
    if (!session.table) {
        perror("numachine: error: /dev/null");
        return CLI_EXIT_IO;
    }
    const int status = cli_passed_status(cli_session_run(&session, &outcome), &outcome);
    fclose(session.table);
    free(p->processor);
    return p->good || outcome.end == PROG_UNLOADABLE ? status : CLI_EXIT_USAGE;
}

/* Where it goes to; NULL after a complaint. */
static FILE *open_out(const char *path)
{
    FILE *out = path ? fopen(path, "we") : stderr;
    if (!out)
        fprintf(stderr, "numachine: error: %s: %s\n", path, strerror(errno));
    return out;
}

/* @return whether all got to where it goes, else false after a complaint */
static bool close_out(FILE *out, const char *path)
{
    bool whole = !fflush(out) && !ferror(out);
    if (path)
        whole = !fclose(out) && whole;
    if (!whole)
        fprintf(stderr, "numachine: error: %s could not be written\n", path ? path : "the table");
    return whole;
}

static int run_program(struct perfex *p, struct in_diag *diag)
{
    struct in_experiment x = {0};
    int status = CLI_EXIT_USAGE;
    if (!make_experiment(&x, p->r, diag))
        return status;
    p->x = &x;
    if (perfex_prepare(p, diag)) {
        p->out = open_out(p->r->given->file);
        status = p->out ? perfex_run(p) : CLI_EXIT_IO;
        if (p->out && !close_out(p->out, p->r->given->file))
            status = CLI_EXIT_IO;
    }
    in_experiment_free(&x);
    p->x = NULL;
    return status;
}

int cli_perfex(struct cli_given *g)
{
    const struct request r = perfex_read_request(g);
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
