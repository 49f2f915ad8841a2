/*
 * numachine whatif: what a finished run would take on another machine, told from its traffic within
 * seconds, and how far off such answers were.
 */
#include "cli/again.h"
#include "cli/cli.h"
#include "cli/kept.h"
#include "documents/cells.h"
#include "documents/run.h"
#include "input/experiment.h"
#include "look/flow/flow.h"
#include "machine/protocol.h"
#include "programs/driven/latency.h"

#include <jansson.h>
#include <string.h>

/* What is asked for. */
struct whatif_request {
    const char *directory, *region;
    bool json;
};

/* ---- latencies ------------------------------------------------------------------------------- */

static const struct driven_scenario *whatif_scenario(const char *name)
{
    const struct driven_scenario *s;
    for (size_t i = 0; (s = driven_scenario(i)); i++)
        if (!strcmp(s->name, name))
            break;
    return s;
}

/* [PCycles] of an access between stations as far apart as `level` has them; 0: there are none. */
static double whatif_measure(const struct nm_params *p, const char *name, unsigned level)
{
    const struct driven_scenario *s = whatif_scenario(name);
    unsigned station[DRIVEN_ROLES];
    const unsigned roles = driven_stations(p, level, station);
    if (!driven_applies(s, p->protocol) || !driven_fits(s, p, roles))
        return 0;
    const struct driven_latency l = driven_measure(p, s, station, 0);
    return *l.error ? 0 : (double)(l.over - l.start);
}

static struct look_latency whatif_latencies(const struct nm_params *machine)
{
    struct nm_params p = *machine;
    struct look_latency l = {0};
    p.mode = NM_MODE_TIMED;
    p.tlb_refill = p.memory_refresh = 0; /* which come by chance */
    l.home = whatif_measure(&p, "read, home here", 0);
    for (unsigned level = 0; level < RING_LEVELS; level++) {
        const double cached = whatif_measure(&p, "read", level);
        l.away[level] = cached > 0 ? cached : whatif_measure(&p, "flat: read", level);
        if (!(l.netcache > 0))
            l.netcache = whatif_measure(&p, "read in the network cache", level);
    }
    return l;
}

/* ---- the answer ------------------------------------------------------------------------------ */

static const char *part_name(unsigned part, char buf[32])
{
    if (part == LOOK_FLOW_BUS || part == LOOK_FLOW_MEMORY)
        snprintf(buf, 32, "%s", part == LOOK_FLOW_BUS ? "station bus" : "memory");
    else
        snprintf(buf, 32, "ring links, level %u", part - LOOK_FLOW_RING);
    return buf;
}

static bool whatif_is_there(const struct look_flow *flow, unsigned part)
{
    return part < LOOK_FLOW_RING || flow->use[0][part].most > 0 || flow->use[1][part].most > 0;
}

static void print_uses(const struct look_flow *flow)
{
    printf("\n%-22s %14s %14s %14s %14s\n", "busy, % of the time", "run: mean", "run: busiest",
           "there: mean", "there: busiest");
    for (unsigned part = 0; part < LOOK_FLOW_PARTS; part++) {
        const struct look_flow_use *was = &flow->use[0][part], *is = &flow->use[1][part];
        char name[32];
        if (whatif_is_there(flow, part))
            printf("%-22s %14.2f %14.2f %14.2f %14.2f\n", part_name(part, name), 100 * was->mean,
                   100 * was->most, 100 * is->mean, 100 * is->most);
    }
}

/* What part of a program the run is of; NULL: all of it. */
static const char *part_of_it(const struct doc_finished *results)
{
    const char *reason = json_string_value(json_object_get(results->end, "reason"));
    if (strcmp(results->status, "partial") == 0)
        return "the run was interrupted, and is told of up to there";
    return reason && !strcmp(reason, "limit") ? "the run was stopped at run.limit, and is told of "
                                                "up to there"
                                              : NULL;
}

static void whatif_print_text(const struct whatif_request *r, const struct in_machine *other,
                              const struct look_flow_run *run, const struct look_flow *flow,
                              const struct look_flow_error *error, const char *part)
{
    if (part)
        printf("%s: %s\n", r->directory, part);
    printf("%s, region %s: %.9g s on its machine\n", r->directory, r->region, run->elapsed);
    printf("on %s: %.4g s foretold, %.3f times as long\n", other->name, flow->elapsed,
           flow->slower);
    printf("  by latency alone %.3f times; by what its buses, rings and memories cannot move %.3f "
           "times\n",
           flow->idle_latency, flow->saturated);
    print_uses(flow);
    printf("\nPredictions of this kind (%s) were off by %.1f %% in the median, %.1f %% at "
           "worst, over %u runs (docs/whatif.md).\n",
           error->sentence, error->median, error->worst, error->runs);
}

static json_t *use_json(const struct look_flow_use *use)
{
    return json_pack("{s:f, s:f, s:i}", "mean", use->mean, "busiest", use->most, "at",
                     (int)use->at);
}

static void whatif_print_json(const struct whatif_request *r, const struct in_machine *other,
                              const struct look_flow_run *run, const struct look_flow *flow,
                              const struct look_flow_error *error, const char *partly)
{
    json_t *busy = json_object();
    for (unsigned part = 0; part < LOOK_FLOW_PARTS; part++) {
        char name[32];
        if (whatif_is_there(flow, part))
            json_object_set_new(busy, part_name(part, name),
                                json_pack("{s:o, s:o}", "run", use_json(&flow->use[0][part]),
                                          "there", use_json(&flow->use[1][part])));
    }
    json_t *all = json_pack(
        "{s:o, s:s?, s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:o, s:{s:s, s:f, s:f, s:i}}", "run",
        doc_json_text(r->directory), "part", partly, "region", doc_json_text(r->region), "machine",
        doc_json_text(other->name), "run_seconds", run->elapsed, "seconds", flow->elapsed, "times",
        flow->slower, "times_by_latency", flow->idle_latency, "times_by_saturation",
        flow->saturated, "busy", busy, "error", "kind", error->kind, "median_percent",
        error->median, "worst_percent", error->worst, "runs", (int)error->runs);
    doc_json_put(stdout, all, JSON_REAL_PRECISION(9) | JSON_INDENT(1));
}

/* ---- the command ----------------------------------------------------------------------------- */

static int whatif_foretell(const struct whatif_request *r, const struct in_machine *other,
                           struct look_flow_run *run, const char *part)
{
    char why[1024];
    struct look_flow flow;
    if (!look_flow_fits(run, other->params, why, sizeof why))
        return cli_complain(CLI_EXIT_USAGE, why);
    run->latency = whatif_latencies(&run->p);
    const struct look_latency there = whatif_latencies(other->params);
    const int err = look_flow_predict(run, other->params, &there, &flow);
    if (err < 0) {
        snprintf(why, sizeof why, "SimGrid did not start: %s", strerror(-err));
        return cli_complain(CLI_EXIT_USAGE, why);
    }
    const struct look_flow_error *error = look_flow_error(run, other->params);
    (r->json ? whatif_print_json : whatif_print_text)(r, other, run, &flow, error, part);
    return CLI_EXIT_OK;
}

static int with_run(const struct whatif_request *r, const struct in_machine *other)
{
    struct doc_finished results = {0};
    struct in_experiment x;
    struct look_flow_run run = {0};
    char why[8192];
    int status = CLI_EXIT_USAGE;
    if (cli_results_open(&results, r->directory) && cli_again_load(&x, r->directory, false)) {
        if (x.machine.params->mode != NM_MODE_TIMED || x.from || x.to || x.approach.sampling.every)
            cli_complain(CLI_EXIT_USAGE,
                         "what is not timed has no traffic: run all of it timed, without run.mode: "
                         "functional, run.from, run.to and run.sample");
        else if (look_flow_read(&run, &results, x.machine.params, r->region, why, sizeof why))
            status = whatif_foretell(r, other, &run, part_of_it(&results));
        else
            cli_complain(CLI_EXIT_USAGE, why);
        look_flow_free(&run);
        in_experiment_free(&x);
    }
    doc_finished_free(&results);
    return status;
}

int cli_whatif(struct cli_given *g)
{
    const struct whatif_request r = {.directory = g->words[0],
                                     .region = g->region ? g->region : DOC_WHOLE,
                                     .json = cli_is_format(g, "json")};
    struct in_diag diag = {.out = stderr};
    struct in_machine other;
    int status = CLI_EXIT_USAGE;
    if (in_machine_load(&other, g->machine, g->sets, &diag)) {
        status = with_run(&r, &other);
        in_machine_free(&other);
    }
    return status;
}
