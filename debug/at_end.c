/*
 * A run that has ended, opened at its end.
 *
 * The one idea: nothing of its states is kept, and need not be. A run depends on its machine, its
 * program and its input alone, which its directory has or names; so it is made once more, for the
 * debugger alone, and comes to the same cycle. Whether it does is looked at there.
 */
#include "debug/at_end.h"

#include "base/alloc.h"
#include "documents/directory/digest.h"
#include "documents/directory/rundir.h"
#include "documents/intact.h"
#include "documents/run.h"
#include "procard/procard.h"
#include "programs/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static bool end_fails(const struct dbg_at_end *end, const char *what)
{
    fprintf(stderr, "numachine: error: %s: %s\n", end->directory, what);
    return false;
}

static const json_t *end_of(const struct dbg_at_end *end, const char *part, const char *member)
{
    return json_object_get(json_object_get(end->manifest, part), member);
}

static const char *end_text(const struct dbg_at_end *end, const char *part, const char *member)
{
    const char *text = json_string_value(end_of(end, part, member));
    return text ? text : "";
}

/* ---- what the directory has ------------------------------------------------------------------ */

static bool end_read(struct dbg_at_end *end)
{
    char why[8192], *path = sim_format("%s/" DOC_MANIFEST, end->directory);
    const char *wrong = doc_not_ordinary(path, NULL);
    free(path);
    if (access(end->directory, F_OK))
        return end_fails(end, strerror(errno));
    if (wrong)
        return end_fails(end, "it has no " DOC_MANIFEST
                              ", so no run has left it; numachine stat -o DIR makes one");
    if (!doc_run_is_intact(end->directory, why, sizeof why)) {
        fprintf(stderr, "numachine: error: %s; bring the file back, or make the run again\n", why);
        return false;
    }
    end->manifest = doc_document(end->directory, DOC_MANIFEST);
    return end->manifest || end_fails(end, "its " DOC_MANIFEST " cannot be read");
}

/* Whether somebody writes the directory still. */
static bool end_goes_on(const struct dbg_at_end *end)
{
    const int fd = open(end->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool goes = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK;
    if (fd >= 0)
        close(fd);
    return goes;
}

static bool end_was_killed(const struct dbg_at_end *end)
{
    return json_is_null(json_object_get(end->manifest, "end"));
}

/* A run that was, whatever became of it. */
static bool end_is_run(const struct dbg_at_end *end)
{
    const char *reason = end_text(end, "end", "reason");
    if (end_was_killed(end) && end_goes_on(end))
        return end_fails(end,
                         "this run is under way; wait for its end, or stop it (Ctrl-C, SIGTERM)");
    if (!strcmp(reason, "not started") ||
        !json_is_object(json_object_get(end->manifest, "digest_of")))
        return end_fails(end,
                         "the program did not even begin, so there is nothing to look at; make "
                         "the run again");
    return true;
}

/* ---- what is not as it was ------------------------------------------------------------------- */

static const struct {
    enum doc_digest_part part;
    const char *what;
} end_parts[] = {
    {DOC_DIGEST_simulator,
     "numachine is another version now; open it with the one that its " DOC_MANIFEST
     " names, or make the run again"},
    {DOC_DIGEST_input, "the file that was its standard input is another one now; bring it back"},
    {DOC_DIGEST_groups, "its groups of events are others now; bring their files back"},
};

static bool end_is_same(const struct dbg_at_end *end, const struct in_experiment *x,
                        const char *git)
{
    const json_t *was = json_object_get(end->manifest, "digest_of");
    struct in_experiment plain = *x;
    if (json_is_null(end_of(end, "experiment", "stdin"))) /* what it was, nobody knows */
        plain.stdin_path = NULL;
    const struct doc_digest is = doc_digest(&plain, git);
    for (size_t i = 0; i < sizeof end_parts / sizeof *end_parts; i++)
        if (doc_digest_differs(&is, was, end_parts[i].part))
            return end_fails(end, end_parts[i].what);
    return true;
}

/* ---- the experiment -------------------------------------------------------------------------- */

/* What only listens is left out, and what would be written. A run that was interrupted is so
 * again. */
static void end_prepare(const struct dbg_at_end *end, struct in_experiment *x)
{
    x->profile = x->truth = x->truth_sizes = 0;
    x->record_waves = x->record_trace = x->record_paje = x->record_references = 0;
    x->expects = 0;
    if (!strcmp(end_text(end, "end", "reason"), doc_end_word(PROG_INTERRUPTED)))
        x->limit = (sim_tick)json_integer_value(end_of(end, "end", "ticks"));
}

/* Names that the program and its experiment have begin where the run was started. */
static bool end_enter(const struct dbg_at_end *end)
{
    const char *cwd = end_text(end, "command", "cwd");
    if (!*cwd || !chdir(cwd))
        return true;
    fprintf(stderr,
            "numachine: error: %s: it ran in %s, which is not to be had: %s; make that directory\n",
            end->directory, cwd, strerror(errno));
    return false;
}

/* What may be said of a run that was: what it has not kept. */
static bool end_may_set(const struct dbg_at_end *end, char *const *set)
{
    static const char stdin_key[] = "program.stdin=";
    for (; set && *set; set++)
        if (strncmp(*set, stdin_key, strlen(stdin_key)))
            return end_fails(
                end, "--set: that makes another run of it; only program.stdin can be given");
    return true;
}

static bool end_experiment(struct dbg_at_end *end, struct in_experiment *x, char *const *sets,
                           const char *git)
{
    struct in_diag diag = {.out = stderr};
    char *path = sim_format("%s/" DOC_RESOLVED, end->directory);
    const bool good = in_experiment_load(x, path, sets, &diag) && end_is_same(end, x, git);
    free(path);
    return good;
}

bool dbg_at_end_load(struct dbg_at_end *end, struct in_experiment *x, const char *directory,
                     char *const *sets, const char *git)
{
    end->directory = realpath(directory, NULL);
    if (!end->directory)
        end->directory = sim_strdup(directory);
    if (!end_read(end) || !end_is_run(end) || !end_may_set(end, sets) ||
        !end_experiment(end, x, sets, git) || !end_enter(end))
        return false;
    end_prepare(end, x);
    if (end_was_killed(end))
        fprintf(
            stderr,
            "numachine: note: %s was killed, and keeps no cycle of where: it goes on to its own "
            "end\n",
            end->directory);
    return true;
}

void dbg_at_end_free(struct dbg_at_end *end)
{
    free(end->directory);
    json_decref(end->manifest);
}

bool dbg_at_end_reads(const struct dbg_at_end *end)
{
    const char *command = json_string_value(json_array_get(end_of(end, "command", "argv"), 0));
    const bool could = command && strcmp(command, "numachine run") != 0;
    return could && json_is_null(end_of(end, "experiment", "stdin")) && !isatty(STDIN_FILENO);
}

/* ---- the end --------------------------------------------------------------------------------- */

static uint64_t end_instructions(const struct dbg *d)
{
    uint64_t sum = 0;
    for (unsigned card = 0; card < d->live->cards; card++)
        sum += pc_cpu_at(d->live->machine, card)->instructions;
    return sum;
}

/* What may have made it another run. */
static const char *end_why(const struct dbg_at_end *end)
{
    return json_is_null(end_of(end, "experiment", "stdin"))
               ? "the files that it used are others, or its standard input, which has not been "
                 "kept "
                 "(--set program.stdin=FILE gives it)"
               : "the files that it used are others";
}

static void end_compare(struct dbg_at_end *end, const struct dbg *d)
{
    const uint64_t ticks = (uint64_t)json_integer_value(end_of(end, "end", "ticks"));
    const uint64_t instructions = (uint64_t)json_integer_value(end_of(end, "end", "instructions"));
    if (end_was_killed(end) || (ticks == d->now && instructions == end_instructions(d)))
        return;
    end->differs = true;
    char *line = sim_format("numachine: warning: this is another run: it ends at cycle %" PRIu64
                            ", and %s ended at cycle %" PRIu64 ": %s\n",
                            d->now, end->directory, ticks, end_why(end));
    prog_say(d->run, line);
    free(line);
}

/* gdb shows why a run stands where it has seen it stop, which it has not. */
static void end_say(struct dbg *d)
{
    char *line = NULL;
    size_t size;
    FILE *out = sim_text_open(&line, &size);
    fputs("numachine: ", out);
    dbg_say_why(d, out);
    fputc('\n', out);
    sim_text_close(out, &line);
    prog_say(d->run, line);
    free(line);
}

void dbg_at_end_arrives(void *ctx, struct dbg *d)
{
    struct dbg_at_end *end = ctx;
    struct prog_outcome *out = d->run->out;
    end_compare(end, d);
    if (out->end == PROG_LIMIT &&
        !strcmp(end_text(end, "end", "reason"), doc_end_word(PROG_INTERRUPTED)))
        snprintf(out->message, sizeof out->message, "interrupted, as the run was");
    if (!end->quiet)
        end_say(d);
}
