/*
 * What a replay can know of its own error. On the machine of the recording it is the run again, or
 * it can say how far off it is. On another machine nobody has run the program. But a program that
 * waits by looking, or fights for locks, would do so in another order there; the more a replay
 * holds its processors back to keep the recorded order, the less it is what a run would be. Threads
 * that sleep hold no processor: of them it is known how often they do.
 */
#include "documents/statistics/replayed.h"

#include "documents/statistics/sampling.h"

#include <math.h>

/* Shares from which on a replay is not to be trusted: where programs that nobody tuned on were off
   by more than a tenth (docs/traces.md, experiments/bench/shortcuts.py). */
static const double OFF_MOST = 0.005, HELD_MOST = 0.03;

/* [per DOC_OFTEN PCycles of the recorded run; if that is not known, of the replay] */
static double replayed_sleeps(const struct doc_run *run)
{
    const struct prog_outcome *out = &run->outcome;
    const double ticks = (double)out->ticks / (1 + out->replayed.longer);
    return ticks > 0 ? (double)out->sleeps * DOC_OFTEN / ticks : 0;
}

static const char *why_untrusted(const struct doc_run *run)
{
    const struct prog_replayed *r = &run->outcome.replayed;
    if (r->same && (fabs(r->longer) > OFF_MOST || fabs(r->misses) > 2 * OFF_MOST))
        return "it is not the run again, on the machine of the recording";
    if (!r->same && r->held > HELD_MOST)
        return "its processors wait for the order of another machine";
    if (!r->same && replayed_sleeps(run) > 1)
        return "its threads sleep often, and are woken in the order of another machine";
    return NULL;
}

void doc_print_replayed(const struct doc_run *run, FILE *out)
{
    const struct prog_replayed *r = &run->outcome.replayed;
    const char *why = why_untrusted(run);
    if (!r->is)
        return;
    if (r->known)
        fprintf(
            out,
            "  replayed%s: %+.1f %% PCycles, %+.1f %% secondary misses and %+.1f %% NACKs of the "
            "recorded run\n",
            r->same ? " where it was recorded" : " on another machine", 100 * r->longer,
            100 * r->misses, 100 * r->nacks);
    if (!r->same)
        fprintf(out,
                "  %.1f %% of its processors' time they were held back to keep the recorded order; "
                "threads "
                "slept %.1f times in %d PCycles\n",
                100 * r->held, replayed_sleeps(run), DOC_OFTEN);
    if (why)
        fprintf(out, "  do not trust it: %s (docs/traces.md)\n", why);
}

void doc_note_replayed(const struct doc_run *run, FILE *out)
{
    const struct prog_replayed *r = &run->outcome.replayed;
    const char *why = why_untrusted(run);
    if (r->is && why)
        fprintf(out,
                "numachine: warning: do not trust this replay: %s (%+.1f %% PCycles; held back "
                "%.1f %%; %.1f sleeps in %d PCycles)\n",
                why, 100 * r->longer, 100 * r->held, replayed_sleeps(run), DOC_OFTEN);
}
