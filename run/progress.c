/*
 * A heartbeat by the wall clock: what people want to know is whether the run lives, how fast it is,
 * and when it ends.
 */
#include "run/progress.h"

#include "base/plural.h"
#include "documents/grid.h"
#include "documents/host.h"

#include <unistd.h>

/* [host s] between two lines. */
static const double terminal_period = 0.25, log_period = 60;

void run_progress_init(struct run_progress *p, FILE *out, uint64_t hz, sim_tick limit,
                       const struct run_earlier *earlier)
{
    double now = doc_host_seconds();
    *p = (struct run_progress){
        .out = out,
        .terminal = out && isatty(fileno(out)),
        .hz = hz,
        .limit = limit,
        .earlier = earlier,
        .started = now,
        .shown = now,
    };
}

/* When it ends, as far as that can be told: an earlier run says more than a limit. One that has
 * taken less than this one already has nothing to say. */
static void tell_end(const struct run_progress *p, sim_tick now, double spent)
{
    const struct run_earlier *e = p->earlier;
    if (e->path && e->ticks > now && e->ticks <= p->limit)
        fprintf(p->out, ", about %.0f s left%s %s%s", spent * ((double)e->ticks / (double)now - 1),
                e->same ? ", as" : " if it takes as long as", e->path, e->same ? " took" : "");
    else if (p->limit != SIM_NEVER)
        fprintf(p->out, ", %.1f %% of the limit, at most %.0f s left",
                100 * (double)now / (double)p->limit, spent * ((double)p->limit / (double)now - 1));
}

void run_progress_update(struct run_progress *p, sim_tick now, uint64_t instructions)
{
    double host = doc_host_seconds(), spent = host - p->started;
    if (!p->out || spent <= 0 || host - p->shown < (p->terminal ? terminal_period : log_period))
        return;
    char count[32];
    p->shown = host;
    p->dirty = p->terminal;
    fprintf(p->out, "%s%.3f us simulated", p->terminal ? "\r" : "",
            1e6 * (double)now / (double)p->hz);
    if (instructions)
        fprintf(p->out, ", %s instruction%s, %.1f MIPS", doc_grouped(instructions, count),
                sim_plural(instructions), (double)instructions / spent / 1e6);
    if (now > 0)
        tell_end(p, now, spent);
    fputs(p->terminal ? "\033[K" : "\n", p->out);
    fflush(p->out);
}

void run_progress_clear(struct run_progress *p)
{
    if (p->dirty)
        fputs("\r\033[K", p->out);
    p->dirty = false;
}
