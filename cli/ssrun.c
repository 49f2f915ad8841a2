/*
 * numachine ssrun: the habit of IRIX's ssrun. A thread is interrupted whenever its processor has
 * counted so many events, and where it stands is noted: the kernel's half is what programs get by
 * HWPERF_PROFENABLE (programs/linux/files/irix.c). The run is profiled, too, so what the samples
 * say can be held against what was.
 */
#include "base/alloc.h"
#include "cli/cli.h"
#include "cli/counted.h"
#include "documents/cells.h"
#include "documents/run.h"
#include "look/counters/perfex.h"
#include "look/counters/sampled.h"
#include "machine/params.h"
#include "run/observer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ssrun {
    const struct cli_given *given;
    const struct in_experiment *x;
    enum r10k_chip chip;
    unsigned event; /**< IRIX's number */
    enum look_sampled_level level;
    struct run_live *live;
    struct look_code code;
    struct look_sampled sampled;
    uint64_t counted;  /**< [events] by the counters, in user mode, */
    uint64_t anywhere; /**< ... and in all modes */
    FILE *out;         /**< a text, shown when all complaints have been made */
    bool good;
};

/* What is sampled: an R12000 counts instructions under one number only. */
static unsigned event_of(const struct ssrun *s)
{
    enum { GRADUATED = 15 };
    const bool given = s->given->by[CLI_OPT_sampled];
    return !given && s->chip == R10K_R12000 ? GRADUATED : (unsigned)s->given->sampled;
}

static const char *event_title(const struct ssrun *s)
{
    return r10k_irix_event(s->chip, s->event)->title;
}

/* ---- while it runs --------------------------------------------------------------------------- */

static struct prog_counted ssrun_counted(const void *self)
{
    const struct ssrun *s = self;
    return (struct prog_counted){.event = s->event, .every = (uint32_t)s->given->every};
}

/* Of which instructions are multiplies the program's file knows, which a run may not read later. */
static enum run_begun ssrun_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct ssrun *s = self;
    s->live = live;
    if (live->path)
        return look_code_read(&s->code, live->path, why, size) ? RUN_BEGUN : RUN_FAILED;
    snprintf(why, size, "ssrun samples programs, and this workload is none");
    return RUN_REFUSED;
}

static void ssrun_overflowed(void *self, const struct prog_overflow *overflow)
{
    struct ssrun *s = self;
    look_sampled_add(&s->sampled, overflow->pc);
}

/* ---- showing --------------------------------------------------------------------------------- */

static void ssrun_add_up(struct ssrun *s)
{
    const struct doc_run *run = &s->live->run;
    for (unsigned c = 0; c < run->cards; c++) {
        if (!cli_counted_card(&s->x->machine, c))
            continue;
        const struct r10k_signals *sum = &run->region[0].own[c].sum.r10000;
        s->counted += look_perfex_total(s->chip, s->event, R10K_COUNT_USER, sum);
        s->anywhere += look_perfex_total(s->chip, s->event, R10K_COUNT_ALL, sum);
    }
}

static void ssrun_head(const struct ssrun *s)
{
    const uint64_t each = nm_value_os_syscall(s->x->machine.params);
    fprintf(s->out, "Program counters of %s, after every %u events %u (%s)\n\n", s->given->words[0],
            s->sampled.every, s->event, event_title(s));
    fprintf(s->out, "%14" PRIu64 "  samples x %u\n", s->sampled.samples * s->sampled.every,
            s->sampled.every);
    fprintf(s->out, "%14" PRIu64 "  the counters, in user mode; %" PRIu64 " in all modes\n",
            s->counted, s->anywhere);
    fprintf(s->out, "%14" PRId64 "  the profile", s->sampled.exact);
    if (s->sampled.exact == s->sampled.completed + s->sampled.twice)
        fprintf(s->out,
                ": %" PRId64 " instructions, of which %" PRId64
                " multiplies and divides count as two",
                s->sampled.completed, s->sampled.twice);
    fprintf(s->out, "\n%14" PRIu64 "  PCycles that the interrupts took, %" PRIu64 " each\n\n",
            s->sampled.samples * each, each);
}

static void ssrun_json(const struct ssrun *s)
{
    doc_json_put(s->out,
                 json_pack("{s:i,s:I,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:o,s:o}", "schema", 1,
                           "event", (json_int_t)s->event, "name", event_title(s), "every",
                           (json_int_t)s->sampled.every, "samples", (json_int_t)s->sampled.samples,
                           "counted", (json_int_t)s->counted, "counted_in_all_modes",
                           (json_int_t)s->anywhere, "exact", (json_int_t)s->sampled.exact,
                           "completed", (json_int_t)s->sampled.completed, "completed_twice",
                           (json_int_t)s->sampled.twice, "levels", look_sampled_levels(&s->sampled),
                           "rows", look_sampled_rows(&s->sampled, s->level)),
                 JSON_INDENT(1));
}

static void ssrun_concluded(void *self)
{
    struct ssrun *s = self;
    s->good = s->live->profile && s->live->run.own;
    if (!s->good || s->live->run.outcome.end == PROG_BROKEN)
        return;
    s->code.names = run_names(s->live);
    look_sampled_take(&s->sampled, s->live->profile);
    ssrun_add_up(s);
    if (cli_is_format(s->given, "json"))
        ssrun_json(s);
    else if (cli_is_format(s->given, "csv"))
        look_sampled_csv(&s->sampled, s->level, s->out);
    else {
        ssrun_head(s);
        look_sampled_text(&s->sampled, s->level, s->given->lines, s->out);
    }
    s->code.names = NULL; /* the run's */
}

/* ---- the run --------------------------------------------------------------------------------- */

static int ssrun_run(struct ssrun *s)
{
    static const struct run_observer observer = {.counted = ssrun_counted,
                                                 .begin = ssrun_begin,
                                                 .overflowed = ssrun_overflowed,
                                                 .concluded = ssrun_concluded};
    struct prog_outcome outcome = {0};
    const int status = cli_counted_run(s->x, s->given, &observer, s, &outcome);
    look_code_close(&s->code);
    return s->good || status == CLI_EXIT_IO || outcome.end == PROG_UNLOADABLE ? status
                                                                              : CLI_EXIT_USAGE;
}

/* What is wrong comes before the table. */
static int ssrun_report(struct ssrun *s, FILE *out)
{
    char *text;
    size_t size;
    s->out = sim_text_open(&text, &size);
    const int status = ssrun_run(s);
    sim_text_close(s->out, &text);
    fputs(text, out);
    free(text);
    look_sampled_free(&s->sampled);
    return status;
}

/* Whether what is asked for can be. */
static bool ssrun_prepare(struct ssrun *s, struct in_diag *diag)
{
    s->chip = cli_counted_chip(&s->x->machine, s->given->mixed, diag);
    if (s->chip == R10K_CHIPS)
        return false;
    s->event = event_of(s);
    if (!look_sampled_has(r10k_irix_event(s->chip, s->event)->name)) {
        in_error(
            diag, NULL, NULL, 0, 0,
            "--event: a profile has nothing that event %u (%s) could be held against; it has "
            "of cycles, graduated instructions, failed store-conditionals, instruction misses, "
            "and of an R10000 stores to shared lines",
            s->event, event_title(s));
        return false;
    }
    if (s->x->from || s->x->to || s->x->approach.sampling.every ||
        nm_value_mode(s->x->machine.params) != NM_MODE_TIMED) {
        in_error(diag, NULL, NULL, 0, 0,
                 "ssrun: the counters count where a run is timed, and the profile is of all of it: "
                 "leave out run.mode, run.from, run.to and run.sample");
        return false;
    }
    s->sampled = (struct look_sampled){.event = r10k_irix_event(s->chip, s->event)->name,
                                       .every = (uint32_t)s->given->every,
                                       .code = &s->code};
    return true;
}

int cli_ssrun(struct cli_given *g)
{
    struct in_experiment x = {0};
    struct in_diag diag = {.out = stderr};
    struct ssrun s = {.given = g, .x = &x};
    int status = CLI_EXIT_USAGE;

    s.level = (enum look_sampled_level)CLI_NAMED(g, "no sum", g->sum_by, look_sampled_by);
    if (!g->quoted)
        cli_options_late(g, g->words);
    if (!cli_counted_make(&x, g, &diag))
        return status;
    x.profile = true;
    if (ssrun_prepare(&s, &diag)) {
        FILE *out = cli_counted_open(g->file);
        status = out ? ssrun_report(&s, out) : CLI_EXIT_IO;
        if (out && !cli_counted_close(out, g->file))
            status = CLI_EXIT_IO;
    }
    in_experiment_free(&x);
    return status;
}
