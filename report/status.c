/*
 * Status(7:0) of some cards as files.
 *
 * Most MasterClocks show what the one before showed, so only changes are kept. What the pins mean
 * is kept as states; the codes are the machine's (R44-3) and come in when the files are written.
 */
#include "report/status.h"

#include "base/alloc.h"
#include "report/grid.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The state of a code of status.def. */
static uint8_t state_of(unsigned code)
{
    static const uint8_t codes[IN_STATUS_STATES] = {
#define STATE(name, code, group, sentence) [MON_TAP_ST_##name] = (code),
#include "monitor/status.def"
#undef STATE
    };
    uint8_t state = 0;
    while (state < IN_STATUS_STATES && codes[state] != code)
        state++;
    return state;
}

void rep_trace_edge(void *ctx, sim_tick t, uint8_t status)
{
    struct rep_trace *trace = ctx;
    const struct rep_edge now = {t, state_of(status & 15), state_of(status >> 4)};
    const struct rep_edge *last = trace->count ? &trace->edge[trace->count - 1] : NULL;
    const bool change = !last || last->newer != now.newer || last->older != now.older;
    if (t < trace->from || t >= trace->to || (change && !*trace->left))
        return;
    trace->end = t + 2;
    if (!change)
        return;
    if (trace->count == trace->room) {
        trace->room = trace->room ? 2 * trace->room : 1024;
        trace->edge = sim_grow(trace->edge, trace->room, sizeof *trace->edge);
    }
    assert(trace->edge); /* there is room */
    trace->edge[trace->count++] = now;
    if (!--*trace->left)
        trace->to = trace->end; /* and no gap behind */
}

void rep_status_init(struct rep_traces *status, const struct in_experiment *x)
{
    *status = (struct rep_traces){.traces = x->status_count, .left = REP_EDGES_MAX};
    status->trace = sim_alloc(x->status_count, sizeof *status->trace);
    for (unsigned i = 0; i < x->status_count; i++)
        status->trace[i] = (struct rep_trace){.card = x->status_card[i],
                                              .from = in_status_begin(x),
                                              .to = x->status_to,
                                              .left = &status->left};
}

void rep_status_free(struct rep_traces *status)
{
    for (unsigned i = 0; i < status->traces; i++)
        free(status->trace[i].edge);
    free(status->trace);
    *status = (struct rep_traces){0};
}

/* Whether the window was over before any card's pins showed something. */
static bool is_empty(const struct rep_traces *status)
{
    for (unsigned i = 0; i < status->traces; i++)
        if (status->trace[i].count)
            return false;
    return true;
}

void rep_status_remark(const struct rep_traces *status, struct rep_run *run)
{
    const struct in_experiment *x = run->experiment;
    const sim_tick end = run->outcome.ticks;
    char at[32];
    if (status->traces && !status->left)
        rep_remark(run, "the Status pins changed more than %d times; later changes are not kept",
                   REP_EDGES_MAX);
    if (status->traces && in_status_begin(x) >= end)
        rep_remark(run,
                   "no Status pins are recorded: the run ended at PCycle %s, before "
                   "monitor.status.from",
                   rep_grouped(end, at));
    else if (status->traces && is_empty(status))
        rep_remark(run,
                   "no Status pins are recorded: no MasterClock begins between monitor.status.from "
                   "and monitor.status.to");
    else if (status->traces && x->status_to != SIM_NEVER && x->status_to > end)
        rep_remark(run,
                   "the record of the Status pins ends with the run at PCycle %s, before "
                   "monitor.status.to",
                   rep_grouped(end, at));
}

/* [ticks] up to which edge i of a trace was shown. */
static sim_tick until(const struct rep_trace *trace, size_t i)
{
    return i + 1 < trace->count ? trace->edge[i + 1].t : trace->end;
}

void rep_write_status_csv(const struct rep_traces *status, const struct rep_run *run, FILE *out)
{
    const uint8_t *codes = run->experiment->machine.codes;
    fputs("card,tick,clocks,status,older,newer\r\n", out);
    for (unsigned c = 0; c < status->traces; c++)
        for (size_t i = 0; i < status->trace[c].count; i++) {
            const struct rep_edge *e = &status->trace[c].edge[i];
            fprintf(out, "%u,%" PRIu64 ",%" PRIu64 ",0x%x%x,%s,%s\r\n", status->trace[c].card, e->t,
                    (until(&status->trace[c], i) - e->t) / 2, codes[e->older], codes[e->newer],
                    in_state_name(e->older), in_state_name(e->newer));
        }
}

/* ---- VCD ------------------------------------------------------------------------------------- */

enum { SIGNALS = 3 }; /* of a card: all eight pins, and the two codes */

/* Short names of signals, as VCD wants them: printable characters. */
static const char *id(unsigned signal, char out[8])
{
    unsigned n = 0;
    do
        out[n++] = (char)('!' + signal % 94);
    while (signal /= 94);
    out[n] = '\0';
    return out;
}

static void put_bits(FILE *out, unsigned value, unsigned bits, unsigned signal)
{
    char name[8];
    putc('b', out);
    while (bits-- > 0)
        putc(value >> bits & 1 ? '1' : '0', out);
    fprintf(out, " %s\n", id(signal, name));
}

/* [ps] of a tick; exact to the next lower one. */
static uint64_t picoseconds(sim_tick t, uint64_t hz)
{
    const uint64_t million = 1000000, rest = t % hz * million;
    return t / hz * million * million + rest / hz * million + rest % hz * million / hz;
}

static void put_header(const struct rep_traces *status, const struct rep_run *run, FILE *out)
{
    static const char *const signals[SIGNALS][2] = {
        {"8", "status [7:0]"}, {"4", "older [7:4]"}, {"4", "newer [3:0]"}};
    char name[8];
    fprintf(out, "$comment\n  Status(7:0): two PCycles in each MasterClock. Codes:\n");
    for (unsigned s = 0; s < IN_STATUS_STATES; s++)
        fprintf(out, "  %x %s\n", run->experiment->machine.codes[s], in_state_name(s));
    fputs("$end\n$timescale 1 ps $end\n", out);
    for (unsigned c = 0; c < status->traces; c++) {
        fprintf(out, "$scope module card%u $end\n", status->trace[c].card);
        for (unsigned i = 0; i < SIGNALS; i++)
            fprintf(out, "$var wire %s %s %s $end\n", signals[i][0], id(SIGNALS * c + i, name),
                    signals[i][1]);
        fputs("$upscope $end\n", out);
    }
    fputs("$enddefinitions $end\n", out);
}

static void put_change(const struct rep_trace *trace, unsigned c, size_t i, const uint8_t *codes,
                       FILE *out)
{
    const struct rep_edge *e = &trace->edge[i], *before = i ? e - 1 : NULL;
    put_bits(out, codes[e->older] * 16u + codes[e->newer], 8, SIGNALS * c);
    if (!before || before->older != e->older)
        put_bits(out, codes[e->older], 4, SIGNALS * c + 1);
    if (!before || before->newer != e->newer)
        put_bits(out, codes[e->newer], 4, SIGNALS * c + 2);
}

/* The changes of all cards in the order of time. */
void rep_write_status_vcd(const struct rep_traces *status, const struct rep_run *run, FILE *out)
{
    const uint64_t hz = run->experiment->machine.params.cpu_clock;
    size_t *next = sim_alloc(status->traces, sizeof *next);
    sim_tick end = 0;
    put_header(status, run, out);
    for (;;) {
        sim_tick t = SIM_NEVER;
        for (unsigned c = 0; c < status->traces; c++)
            if (next[c] < status->trace[c].count && status->trace[c].edge[next[c]].t < t)
                t = status->trace[c].edge[next[c]].t;
        if (t == SIM_NEVER)
            break;
        fprintf(out, "#%" PRIu64 "\n", picoseconds(t, hz));
        for (unsigned c = 0; c < status->traces; c++)
            if (next[c] < status->trace[c].count && status->trace[c].edge[next[c]].t == t)
                put_change(&status->trace[c], c, next[c]++, run->experiment->machine.codes, out);
    }
    for (unsigned c = 0; c < status->traces; c++)
        end = status->trace[c].end > end ? status->trace[c].end : end;
    fprintf(out, "#%" PRIu64 "\n", picoseconds(end, hz));
    free(next);
}
