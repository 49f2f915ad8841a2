/*
 * A heartbeat by the wall clock: what people want to know is whether the run lives, how fast it is,
 * and when it ends.
 */
#include "report/progress.h"

#include "report/grid.h"
#include "report/host.h"

#include <unistd.h>

/* [host s] between two lines. */
static const double terminal_period = 0.25, log_period = 60;

void rep_progress_init(struct rep_progress *p, FILE *out, uint64_t hz, sim_tick limit)
{
    double now = rep_host_seconds();
    *p = (struct rep_progress){
        .out = out,
        .terminal = out && isatty(fileno(out)),
        .hz = hz,
        .limit = limit,
        .started = now,
        .shown = now,
    };
}

void rep_progress_update(struct rep_progress *p, sim_tick now, uint64_t instructions)
{
    double host = rep_host_seconds(), spent = host - p->started;
    if (!p->out || spent <= 0 || host - p->shown < (p->terminal ? terminal_period : log_period))
        return;
    char count[32];
    p->shown = host;
    p->dirty = p->terminal;
    fprintf(p->out, "%s%.3f us simulated, %s instructions, %.1f MIPS", p->terminal ? "\r" : "",
            1e6 * (double)now / (double)p->hz, rep_grouped(instructions, count),
            (double)instructions / spent / 1e6);
    if (p->limit != SIM_NEVER && now > 0)
        fprintf(p->out, ", %.1f %% of the limit, at most %.0f s left",
                100 * (double)now / (double)p->limit, spent * ((double)p->limit / (double)now - 1));
    fputs(p->terminal ? "\033[K" : "\n", p->out);
    fflush(p->out);
}

void rep_progress_clear(struct rep_progress *p)
{
    if (p->dirty)
        fputs("\r\033[K", p->out);
    p->dirty = false;
}
