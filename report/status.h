/*
 * The Status pins of some cards for a while, as a logic analyser would keep them (R44-2): what they
 * showed, from each MasterClock at which that changed.
 */
#ifndef REP_STATUS_H
#define REP_STATUS_H

#include "report/run.h"

/** Status(7:0) as shown from the MasterClock on whose first PCycle is `t`: in bits 3:0 the state of
 *  PCycle t-2, in bits 7:4 that of t-3. States, not codes. */
struct rep_edge {
    sim_tick t;
    uint8_t newer, older;
};

/** What one card's pins showed. */
struct rep_trace {
    unsigned card;
    sim_tick from, to; /**< [ticks] MasterClocks that begin in [from, to) are kept */
    sim_tick end;      /**< [ticks] behind the last that was kept */
    size_t count, room;
    struct rep_edge *edge; /**< [count] */
    size_t *left;          /**< changes that may still be kept, of all cards together */
};

/** As many changes are kept; then the traces end. */
enum { REP_EDGES_MAX = 1 << 20 };

/** The pins show `status`, by the codes of status.def, from `t` on; a pc_pins_fn.
 *  @param ctx  a struct rep_trace */
void rep_trace_edge(void *ctx, sim_tick t, uint8_t status);

/** All traces of a run, in the order asked for; trace[0 .. traces-1]. */
struct rep_traces {
    struct rep_trace *trace;
    unsigned traces;
    size_t left;
};

/** Prepares traces of the cards that the experiment names; none if it names none. */
void rep_status_init(struct rep_traces *status, const struct in_experiment *x);
void rep_status_free(struct rep_traces *status);

/** Says in a remark if a trace ended early. */
void rep_status_remark(const struct rep_traces *status, struct rep_run *run);

#define REP_STATUS_CSV "monitor/status.csv"
#define REP_STATUS_VCD "monitor/status.vcd"

/** Writes a row for each change: card, first PCycle, for how many MasterClocks, the pins by the
 *  machine's codes, and the two states. */
void rep_write_status_csv(const struct rep_traces *status, const struct rep_run *run, FILE *out);

/** The same as a value change dump (IEEE 1364), for waveform viewers; times in ps. */
void rep_write_status_vcd(const struct rep_traces *status, const struct rep_run *run, FILE *out);

#endif
