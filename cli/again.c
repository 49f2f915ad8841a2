#include "cli/again.h"

#include "base/alloc.h"
#include "cli/session.h"
#include "report/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool cli_again_load(struct in_experiment *x, const char *directory, bool truth)
{
    struct in_diag diag = {.out = stderr};
    char *path = sim_format("%s/config.resolved.yaml", directory);
    char *profile = sim_strdup("run.profile=false");
    char *asked = sim_format("run.truth=%s", truth ? "true" : "false");
    char *sets[] = {profile, asked, NULL};
    const bool good = in_experiment_load(x, path, sets, &diag);
    free(profile);
    free(asked);
    free(path);
    return good;
}

/* Sends what is written to standard output to a file without a name. @return it, or NULL */
static FILE *divert(int *kept)
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
    char *path = sim_format("%s/" REP_STDOUT, directory);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat is;
    FILE *file = fd >= 0 && !fstat(fd, &is) && S_ISREG(is.st_mode) ? fdopen(fd, "r") : NULL;
    if (fd >= 0 && !file)
        close(fd);
    free(path);
    return file;
}

static bool wrote_the_same(const char *directory, FILE *output)
{
    FILE *before = open_output(directory);
    const bool same = before && same_bytes(output, before);
    if (before)
        fclose(before);
    return same;
}

enum cli_exit cli_again_run(const char *directory, const struct in_experiment *x,
                            struct cli_again *again)
{
    struct prog_outcome outcome;
    enum cli_exit status = CLI_EXIT_IO;
    int out = -1;
    FILE *nowhere = fopen("/dev/null", "w"), *output = divert(&out);
    *again = (struct cli_again){0};
    const struct cli_session session = {.experiment = x,
                                        .stdin_fd = -1,
                                        .quiet = true,
                                        .table = nowhere,
                                        .truth = x->truth ? &again->truth : NULL};
    if (output && nowhere)
        status = cli_session_run(&session, &outcome);
    if (output)
        put_back(out);
    if (status == CLI_EXIT_OK || status == CLI_EXIT_EXPECT) {
        again->ticks = outcome.ticks;
        again->same = wrote_the_same(directory, output);
    }
    if (nowhere)
        fclose(nowhere);
    if (output)
        fclose(output);
    return status;
}

const char *cli_again_gain(uint64_t before, uint64_t after, char *buf, size_t size)
{
    const double gain = 100.0 * ((double)before - (double)after) / (double)before;
    snprintf(buf, size, "%.1f %% %s", gain < 0 ? -gain : gain, gain < 0 ? "more" : "fewer");
    return buf;
}
