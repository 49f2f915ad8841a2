/* Programs for the commands that look at an R10000's event counters. */
#include "cli/counted.h"

#include "cli/session.h"
#include "input/tables.h"
#include "input/yaml.h"
#include "machine/params.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool is_experiment(char *const *program)
{
    const char *end = strrchr(program[0], '.');
    return end && (!strcmp(end, ".yaml") || !strcmp(end, ".yml"));
}

static bool counted_load(struct in_experiment *x, const struct cli_given *given,
                         struct in_diag *diag)
{
    char *const *words = given->words;
    if (words[1] || given->by[CLI_OPT_machine]) {
        in_error(diag, NULL, NULL, 0, 0, "%s: %s of an experiment are what its file says",
                 words[1] ? words[1] : "--machine", words[1] ? "arguments" : "machines");
        return false;
    }
    if (!in_experiment_load(x, words[0], given->sets, diag))
        return false;
    if (!x->sweep)
        return true;
    in_error(diag, NULL, NULL, 0, 0,
             "%s has a sweep: one of its points is shown by 'numachine run'", words[0]);
    in_experiment_free(x);
    return false;
}

bool cli_counted_make(struct in_experiment *x, const struct cli_given *given, struct in_diag *diag)
{
    if (is_experiment(given->words))
        return counted_load(x, given, diag);
    if (!in_experiment_make(x, given->machine, given->sets, diag))
        return false;
    x->name = in_strdup(given->command->name);
    if (!in_experiment_command(x, given->words, diag)) {
        in_experiment_free(x);
        return false;
    }
    for (char **input = x->machine.inputs; input && *input; input++)
        in_push(&x->inputs, *input);
    return true;
}

bool cli_counted_card(const struct in_machine *machine, unsigned card)
{
    return pc_counters_of(in_card_params(machine, card)) < R10K_CHIPS;
}

unsigned cli_counted_without(const struct in_machine *machine)
{
    unsigned n = 0;
    for (unsigned c = 0; c < nm_params_cards(machine->params); c++)
        n += !cli_counted_card(machine, c);
    return n;
}

enum r10k_chip cli_counted_chip(const struct in_machine *machine, bool mixed, struct in_diag *diag)
{
    const unsigned without = cli_counted_without(machine);
    const bool none = without == nm_params_cards(machine->params);
    const enum r10k_chip chip = pc_chip_of(in_processor(machine));
    if (none)
        in_error(diag, NULL, NULL, 0, 0,
                 "the processors of machine '%s' have no event counters of an R10000 "
                 "(processor.core); these have: %s to %s (as --machine=r10000 is, without --set)",
                 machine->name, r10k_chip_name(0), r10k_chip_name(R10K_CHIPS - 1));
    else if (chip == R10K_CHIPS)
        in_error(diag, NULL, NULL, 0, 0,
                 "the processors of machine '%s' count different events (processor.core, "
                 "r10000.revision): what counters are in such a machine is undefined",
                 machine->name);
    else if (without && !mixed)
        in_error(diag, NULL, NULL, 0, 0,
                 "%u processors of machine '%s' have no event counters; --mixed (-T) counts on the "
                 "others",
                 without, machine->name);
    return none || (without && !mixed) ? R10K_CHIPS : chip;
}

int cli_counted_run(const struct in_experiment *x, const struct cli_given *given,
                    const struct run_observer *observer, void *self, struct prog_outcome *outcome)
{
    const struct cli_session session = {.experiment = x,
                                        .argc = given->argc,
                                        .argv = given->argv,
                                        .stdin_fd = STDIN_FILENO,
                                        .quiet = true,
                                        .passes = true,
                                        .observer = observer,
                                        .self = self,
                                        .table = fopen("/dev/null", "we")};
    if (!session.table) {
        perror("numachine: error: /dev/null");
        return CLI_EXIT_IO;
    }
    const int status = cli_passed_status(cli_session_run(&session, outcome), outcome);
    fclose(session.table);
    return status;
}

FILE *cli_counted_open(const char *path)
{
    FILE *out = path ? fopen(path, "we") : stderr;
    if (!out)
        fprintf(stderr, "numachine: error: %s: %s\n", path, strerror(errno));
    return out;
}

bool cli_counted_close(FILE *out, const char *path)
{
    bool whole = !fflush(out) && !ferror(out);
    if (path)
        whole = !fclose(out) && whole;
    if (!whole)
        fprintf(stderr, "numachine: error: %s could not be written\n", path ? path : "the table");
    return whole;
}
