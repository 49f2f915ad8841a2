/*
 * A run of a detector's pass.
 *
 * The hard idea: SimGrid has one engine in a process, and a detector needs many runs. So each run
 * is a child, which leaves what it has heard in memory that both share.
 *
 * The handler of the counters' interrupts is this program: it reads and writes the card's registers
 * as the operating system of the machine would, but its time is not simulated. So the run of a
 * detector takes the same cycles as any other, and what a handler would have cost is counted.
 */
#include "cli/passes.h"

#include "base/alloc.h"
#include "base/beside.h"
#include "cli/session.h"
#include "documents/statistics/histogram.h"
#include "input/yaml.h"
#include "run/observer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/** A run that is listened to. */
struct ear {
    const struct in_experiment *x;
    enum in_sample sample;
    struct cli_heard *heard;
    struct run_live *live;
    uint64_t chance; /* of the handlers: in which step they load their counters */
};

/* ---- the handler of interrupts --------------------------------------------------------------- */

static uint32_t passes_read_register(struct nm_machine *m, unsigned card, const char *name)
{
    const struct mon_unit *unit = nm_card_unit(m, card);
    return nm_card_register_read(m, card, mon_unit_register_named(unit->ops, name)->offset);
}

static void passes_write_register(struct nm_machine *m, unsigned card, const char *name,
                                  uint32_t value)
{
    const struct mon_unit *unit = nm_card_unit(m, card);
    nm_card_register_write(m, card, mon_unit_register_named(unit->ops, name)->offset, value);
}

/** An address in two registers. */
static uint64_t passes_read_address(struct nm_machine *m, unsigned card, const char *low,
                                    const char *high)
{
    return (uint64_t)passes_read_register(m, card, high) << 32 | passes_read_register(m, card, low);
}

/** Whether a counter counts time in which the processor waits. */
static bool counts_waits(const struct mon_unit *unit, const struct mon_wish_counter *counter)
{
    return strstr(unit->ops->events[counter->event].name, "stall") != NULL;
}

/** Loads the counters that have overflowed. Up to an eighth more or less by chance, or samples
 * would keep step with the program. @return [PCycles] of waiting that they have counted */
static uint32_t load_overflowed_counters(struct ear *ear, struct nm_machine *m, unsigned card)
{
    const uint32_t flags = passes_read_register(m, card, "OVERFLOW");
    uint32_t waited = 0;
    passes_write_register(m, card, "OVERFLOW", flags);
    for (unsigned k = 0; k < ear->x->wish.counters; k++) {
        char name[] = "COUNTER0";
        const uint32_t left = -ear->x->wish.counter[k].start;
        ear->chance = ear->chance * 6364136223846793005u + 1442695040888963407u;
        const uint32_t more = left / 4 ? (uint32_t)(ear->chance >> 33) % (left / 4) : 0;
        name[sizeof name - 2] = (char)('0' + k);
        if (flags >> k & 1) {
            passes_write_register(m, card, name, -(left - left / 8 + more));
            ear->heard->events += left;
            if (counts_waits(nm_card_unit(m, card), &ear->x->wish.counter[k]))
                waited += left;
        }
    }
    return waited;
}

/** The bytes of its line that an access is about. */
static uint64_t passes_bytes_of(const struct prog_access *a, unsigned line)
{
    const unsigned grain = line > 64 ? line / 64 : 1;
    const unsigned first = (unsigned)(a->va % line) / grain;
    const unsigned last = (unsigned)(a->va % line + a->size - 1) / grain;
    uint64_t bytes = 0;
    for (unsigned i = first; i <= last && i < 64; i++)
        bytes |= UINT64_C(1) << i;
    return bytes;
}

static struct cli_note note_of(const struct prog_access *access, unsigned count, unsigned line)
{
    struct cli_note note = {.line = access->va / line * line,
                            .bytes = passes_bytes_of(access, line),
                            .pc = access->pc,
                            .store = access->store};
    for (unsigned i = 0; i < count; i++) {
        const uint64_t bytes = passes_bytes_of(&access[i], line);
        if (access[i].va / line * line != note.line)
            continue;
        if (access[i].store)
            *(access[i].later ? &note.later_writes : &note.writes) |= bytes;
        else
            *(access[i].later ? &note.later_reads : &note.reads) |= bytes;
    }
    return note;
}

static enum run_begun ear_begin(void *self, struct run_live *live, char *why, size_t size)
{
    (void)why, (void)size;
    ((struct ear *)self)->live = live;
    return RUN_BEGUN;
}

static void ear_interrupted(void *self, unsigned card, const struct prog_access *access,
                            unsigned count)
{
    struct ear *ear = self;
    struct nm_machine *m = ear->live->machine;
    struct cli_heard *heard = ear->heard;
    struct cli_note note = {0};
    heard->interrupts++;
    if (ear->sample == IN_SAMPLE_LINE)
        note.line = passes_read_address(m, card, "VALUE_LOW", "VALUE_HIGH");
    else if (count)
        note = note_of(access, count, (unsigned)nm_value_l2_line(ear->x->machine.params));
    note.request = passes_read_address(m, card, "ADDRESS_LOW", "ADDRESS_HIGH");
    note.card = (uint16_t)card;
    note.number = (uint32_t)heard->notes;
    note.waited = load_overflowed_counters(ear, m, card);
    if (ear->sample == IN_SAMPLE_LINE || count || note.waited) {
        if (heard->notes < CLI_NOTES_MAX)
            heard->note[heard->notes] = note;
        heard->notes++;
    }
}

/* ---- what else is heard ---------------------------------------------------------------------- */

static void ear_paged(void *self, uint64_t va, uint64_t pa)
{
    struct cli_heard *heard = ((struct ear *)self)->heard;
    if (heard->pages < CLI_PAGES_MAX)
        heard->page[heard->pages] = (struct cli_page){va, pa};
    heard->pages++;
}

static void hear_word(struct cli_heard *heard, const struct doc_run *run, unsigned card, uint32_t i)
{
    const struct doc_registers *r = &run->registers[card];
    struct cli_word *word = &heard->word[i];
    const uint32_t count = r->memory.word[i];
    if (!word->sum) {
        const struct mon_bin bin = doc_bin(run, r, i);
        word->block = bin.has_block;
        word->offset = doc_bin_extent(run, r, &bin, i).low;
    }
    heard->events += count;
    word->sum += count;
    word->cards++;
    word->most = count > word->most ? count : word->most;
}

static void ear_concluded(void *self)
{
    const struct doc_run *run = &((struct ear *)self)->live->run;
    struct cli_heard *heard = ((struct ear *)self)->heard;
    const struct nm_params *p = run->experiment->machine.params;
    heard->ticks = run->outcome.ticks;
    heard->hash = run->hash.result;
    heard->cards = run->cards;
    heard->half = nm_value_l2_split(p) ? nm_value_l2_size(p) / 2 : nm_value_l2_size(p);
    for (unsigned c = 0; c < run->cards; c++) {
        const struct doc_registers *r = &run->registers[c];
        heard->counted[c] = r->counter[0].counted;
        for (unsigned k = 0; k < run->unit->counters; k++)
            if (r->counter[k].used && !heard->interrupts)
                heard->events += r->counter[k].counted;
        for (uint32_t i = 0; r->memory.word && i < run->unit->words && i < CLI_WORDS_MAX; i++)
            if (r->memory.word[i])
                hear_word(heard, run, c, i);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

bool cli_pass_experiment(const struct cli_looked *what, const struct in_pass *pass,
                         char *const *more, struct in_experiment *x)
{
    struct in_diag diag = {.out = stderr};
    char *const *const lists[] = {what->sets, pass->sets, more};
    char **sets = NULL;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (char *const *set = lists[i]; set && *set; set++)
            in_push(&sets, *set);
    bool good = in_experiment_make(x, what->machine, sets, &diag);
    if (good) {
        x->name = in_strdup("detect");
        good = in_experiment_command(x, what->words, &diag) &&
               in_experiment_allow(x, what->allow, &diag);
        if (!good)
            in_experiment_free(x);
    }
    in_free_list(sets);
    return good;
}

/** In the child: runs the experiment. @return its exit status */
static int passes_listen(const struct in_experiment *x, const struct run_observer *observer,
                         void *self, bool again)
{
    const struct cli_session session = {
        .experiment = x,
        .stdin_fd = -1,
        .quiet = true,
        .observer = observer,
        .self = self,
        .table = fopen("/dev/null", "we"),
    };
    struct prog_outcome outcome;
    const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (!session.table || nowhere < 0 || dup2(nowhere, STDOUT_FILENO) < 0) {
        fprintf(stderr, "numachine: error: /dev/null: %s\n", strerror(errno));
        return CLI_EXIT_IO;
    }
    if (again)
        dup2(nowhere, STDERR_FILENO);
    return (int)cli_session_run(&session, &outcome);
}

/** Waits for a run's process. */
static enum cli_exit passes_await(pid_t child)
{
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return CLI_EXIT_IO;
    if (WIFEXITED(status))
        return (enum cli_exit)WEXITSTATUS(status);
    const int signal = WTERMSIG(status);
    fprintf(stderr, "numachine: error: a run was killed by signal %d%s\n", signal,
            signal == SIGKILL ? ": by a host that has too little memory for it, or by somebody"
                              : "");
    return signal == SIGINT    ? CLI_EXIT_INTERRUPTED
           : signal == SIGKILL ? CLI_EXIT_USAGE
                               : CLI_EXIT_BROKEN;
}

/** How a run that listens ends well: by itself, or at the limit that was set for it. */
static enum cli_exit passes_judge(enum cli_exit status, const struct in_experiment *x, bool limited,
                                  bool again)
{
    if (status == CLI_EXIT_LIMIT && limited)
        return CLI_EXIT_OK;
    if (status != CLI_EXIT_OK && status != CLI_EXIT_EXPECT && again)
        fprintf(stderr,
                "numachine: error: a later run of %s ended with status %d, the first well\n",
                x->program, (int)status);
    if (status == CLI_EXIT_EXPECT)
        fprintf(stderr, "numachine: error: %s did not end well; try it with 'numachine stat'\n",
                x->program);
    return status;
}

enum cli_exit cli_listen(const struct in_experiment *x, const struct run_observer *observer,
                         void *self, bool again)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        const int status = passes_listen(x, observer, self, again);
        fflush(NULL);
        _exit(status);
    }
    if (child < 0)
        fprintf(stderr, "numachine: error: cannot start a run: %s\n", strerror(errno));
    const enum cli_exit status = child < 0 ? CLI_EXIT_IO : passes_await(child);
    return passes_judge(status, x, x->limit != SIM_NEVER, again);
}

enum cli_exit cli_pass_run(const struct cli_looked *what, const struct in_pass *pass,
                           char *const *more, bool again, struct cli_heard *heard)
{
    struct in_experiment x;
    struct ear ear = {.x = &x, .sample = pass->sample, .heard = heard};
    const struct run_observer observer = {
        .begin = ear_begin,
        .paged = ear_paged,
        .interrupted = pass->sample == IN_SAMPLE_NONE ? NULL : ear_interrupted,
        .concluded = ear_concluded,
    };
    if (!cli_pass_experiment(what, pass, more, &x))
        return CLI_EXIT_USAGE;
    memset(heard, 0, offsetof(struct cli_heard, page));
    memset(heard->word, 0, sizeof heard->word);
    const enum cli_exit status = cli_listen(&x, &observer, &ear, again);
    in_experiment_free(&x);
    return status;
}

struct cli_heard *cli_heard_new(void)
{
    return sim_beside_memory(sizeof(struct cli_heard));
}

void cli_heard_free(struct cli_heard *heard)
{
    sim_beside_release(heard, sizeof *heard);
}
