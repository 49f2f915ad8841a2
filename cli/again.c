#include "cli/again.h"

#include "base/alloc.h"
#include "cli/session.h"
#include "documents/directory/output.h"
#include "documents/intact.h"
#include "run/observer.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_again_load(struct in_experiment *x, const char *directory, bool truth)
{
    char why[8192];
    if (!doc_run_is_intact(directory, why, sizeof why)) {
        fprintf(stderr, "numachine: error: %s\n", why);
        return false;
    }
    struct in_diag diag = {.out = stderr};
    char *path = sim_format("%s/config.resolved.yaml", directory);
    char *profile = sim_strdup("run.profile=false");
    char *asked = sim_format("run.truth=%s", truth ? "true" : "false");
    char *sizes = sim_strdup("run.truth_sizes=false");
    char *expect = sim_strdup("expect.stats=[]"); /* of the run as it was */
    char *sets[] = {profile, asked, sizes, expect, NULL};
    const bool good = in_experiment_load(x, path, sets, &diag);
    free(profile);
    free(asked);
    free(sizes);
    free(expect);
    free(path);
    return good;
}

bool cli_again_compares(const struct look_kept *kept, const char *asked)
{
    if (!kept->code.ended)
        fprintf(stderr,
                "numachine: error: %sthe program did not come to its end in that run, so there is "
                "nothing to compare with; let it run to its end\n",
                asked);
    return kept->code.ended;
}

/* Sends what is written to standard output to a file without a name. @return it, or NULL */
static FILE *again_divert(int *kept)
{
    FILE *file = tmpfile();
    fflush(stdout);
    *kept = dup(STDOUT_FILENO);
    if (file && *kept >= 0 && dup2(fileno(file), STDOUT_FILENO) >= 0)
        return file;
    if (file)
        fclose(file);
    return NULL;
}

static void put_back(int kept)
{
    fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

static bool same_bytes(FILE *a, FILE *b)
{
    int x, y;
    rewind(a);
    do {
        x = getc(a);
        y = getc(b);
    } while (x == y && x != EOF);
    return x == y;
}

/* What the program wrote in the run; a pipe of that name would be waited for. @return NULL: none */
static FILE *open_output(const char *directory)
{
    char *path = sim_format("%s/" DOC_STDOUT, directory);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat is;
    FILE *file = fd >= 0 && !fstat(fd, &is) && S_ISREG(is.st_mode) ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    free(path);
    return file;
}

const char *const cli_output_name[] = {"unknown", "same", "other"};

/* @param before  NULL: not known */
static enum cli_output again_compare(FILE *before, FILE *output)
{
    if (!before)
        return CLI_OUTPUT_unknown;
    return same_bytes(output, before) ? CLI_OUTPUT_same : CLI_OUTPUT_other;
}

const char *cli_again_remark(const struct cli_again *again)
{
    static const char *const remark[] = {
        [CLI_OUTPUT_unknown] = "its output cannot be compared: the run's " DOC_STDOUT " is gone",
        [CLI_OUTPUT_same] = NULL,
        [CLI_OUTPUT_other] = "its output is another one: it depends on time, or on standard input",
    };
    return remark[again->output];
}

/* Nobody is to wait for what a person types. */
static int our_stdin(void)
{
    return isatty(STDIN_FILENO) ? -1 : STDIN_FILENO;
}

/* Whether the program has ended as it had in the run; a complaint, if not. */
static bool ended_alike(const struct look_kept *kept, const struct in_experiment *x,
                        const struct prog_outcome *outcome)
{
    const struct look_code *first = &kept->code;
    const bool signaled = outcome->end == PROG_SIGNALED;
    if (signaled == first->signaled && outcome->status == first->status)
        return true;
    fprintf(stderr,
            "numachine: error: the second run ended with %s %d, the first with %s %d: no "
            "comparison%s\n",
            signaled ? "signal" : "status", outcome->status, first->signaled ? "signal" : "status",
            first->status,
            x->stdin_path ? ""
                          : "; if the program reads standard input, give this command the same, or "
                            "have the first run take a file: stat --set program.stdin=FILE");
    return false;
}

/* What takes the truth of misses from a run that has come to it. */
struct taking {
    struct run_live *live;
    struct cli_again *again;
};

static enum run_begun taking_begin(void *self, struct run_live *live, char *why, size_t size)
{
    (void)why, (void)size;
    ((struct taking *)self)->live = live;
    return RUN_BEGUN;
}

static void taking_release(void *self)
{
    const struct taking *t = self;
    if (!t->live || !t->live->truth)
        return;
    t->again->truth = *t->live->truth;
    *t->live->truth = (struct doc_truth){0};
}

/* The first run's limit says nothing of the second, which may take a little longer. */
static struct in_experiment again_limited(const struct look_kept *kept,
                                          const struct in_experiment *x)
{
    struct in_experiment limited = *x;
    limited.limit = CLI_AGAIN_SLOWEST * kept->code.ticks;
    return limited;
}

enum cli_exit cli_again_run(const struct look_kept *kept, const struct in_experiment *x,
                            struct cli_again *again)
{
    const struct in_experiment limited = again_limited(kept, x);
    struct prog_outcome outcome;
    enum cli_exit status = CLI_EXIT_IO;
    int out = -1;
    FILE *before = open_output(kept->directory); /* which a run's confinement would not let us do */
    FILE *nowhere = fopen("/dev/null", "w"), *output = again_divert(&out);
    static const struct run_observer taker = {.begin = taking_begin, .release = taking_release};
    struct taking taking = {.again = again};
    *again = (struct cli_again){0};
    const struct cli_session session = {.experiment = &limited,
                                        .stdin_fd = our_stdin(),
                                        .quiet = true,
                                        .table = nowhere,
                                        .observer = &taker,
                                        .self = &taking};
    if (output && nowhere)
        status = cli_session_run(&session, &outcome);
    if (output)
        put_back(out);
    if (status == CLI_EXIT_OK || status == CLI_EXIT_EXPECT) {
        again->compares = ended_alike(kept, x, &outcome);
        again->ticks = outcome.ticks;
        again->instructions = outcome.instructions;
        again->output = again_compare(before, output);
        status = again->compares ? CLI_EXIT_OK : CLI_EXIT_EXPECT;
    }
    if (status == CLI_EXIT_LIMIT)
        fprintf(stderr,
                "numachine: error: the second run takes more than %d times what the first "
                "did: no comparison\n",
                CLI_AGAIN_SLOWEST);
    if (nowhere)
        fclose(nowhere);
    if (output)
        fclose(output);
    if (before)
        fclose(before);
    return status;
}

const char *cli_again_gain(uint64_t before, uint64_t after, char *buf, size_t size)
{
    const double gain = 100.0 * ((double)before - (double)after) / (double)before;
    snprintf(buf, size, "%.1f %% %s", gain < 0 ? -gain : gain, gain < 0 ? "more" : "fewer");
    return buf;
}
