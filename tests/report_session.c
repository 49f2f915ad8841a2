/*
 * A session with a made-up machine and program: every way a run can end leaves the right files,
 * marks and exit status.
 */
#include "cli/observers.h"
#include "cli/session.h"
#include "input/workload.h"
#include "input/yaml.h"
#include "machine/machine.h"
#include "machine/statistics.h"
#include "machine/values.h"
#include "monitor/board/board.h"
#include "monitor/taps.h"
#include "procard/r10000/r10000.h"
#include "procard/r4400/r4400.h"
#include "run/live.h"

#include <criterion/criterion.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CARDS = 2 };

/* ---- the made-up machine: each tick is a load ------------------------------------------------ */

struct nm_machine {
    sim_tick now;
    struct mon_board board[CARDS];
    uint64_t lost; /* PCycles card 1 forgets to account for */
};

static struct nm_machine the_machine;

/* Nobody makes a card. */
const struct nm_card_kind pc_r4400 = {.counters = &mon_numachine};
const struct nm_card_kind pc_r10000 = {.counters = &mon_numachine};
const struct nm_card_kind pc_arm11 = {.counters = &mon_numachine};

struct nm_machine *nm_machine_new_mixed(const struct nm_params *params,
                                        const struct nm_card_kind *cards, const struct nm_mix *mix)
{
    (void)params, (void)mix, (void)cards;
    for (unsigned c = 0; c < CARDS; c++)
        mon_board_init(&the_machine.board[c], c);
    return &the_machine;
}

void nm_machine_free(struct nm_machine *m)
{
    for (unsigned c = 0; c < CARDS; c++)
        mon_board_free(&m->board[c]);
}

unsigned nm_machine_cards(const struct nm_machine *m)
{
    (void)m;
    return CARDS;
}

bool pc_own_counts(const struct nm_machine *m, unsigned card)
{
    (void)m, (void)card;
    return false;
}

void pc_own_signals(const struct nm_machine *m, unsigned card, union mon_own_signals *out)
{
    (void)m, (void)card;
    *out = (union mon_own_signals){.total = {0}};
}

void nm_card_taps(struct nm_machine *m, unsigned card, struct mon_taps *out)
{
    memset(out, 0, sizeof *out);
    out->v[MON_TAP_ST_LOAD] = m->now - (card ? m->lost : 0);
    out->v[MON_TAP_CYCLES] = m->now / 3;
    out->v[MON_TAP_NACKS] = m->now / 100;
}

uint32_t nm_card_register_read(struct nm_machine *m, unsigned card, uint32_t offset)
{
    struct mon_taps taps;
    nm_card_taps(m, card, &taps);
    return mon_board_read(&m->board[card], offset, &taps);
}

void nm_card_register_write(struct nm_machine *m, unsigned card, uint32_t offset, uint32_t value)
{
    struct mon_taps taps;
    nm_card_taps(m, card, &taps);
    mon_board_write(&m->board[card], offset, value, &taps);
}

const struct mon_unit *nm_card_unit(const struct nm_machine *m, unsigned card)
{
    return &m->board[card].unit;
}

void nm_card_truth(struct nm_machine *m, unsigned card, struct nm_truth *out)
{
    (void)card;
    *out = (struct nm_truth){.instructions = m->now, .loads = m->now, .running = m->now};
}

unsigned nm_machine_stations(const struct nm_machine *m)
{
    (void)m;
    return 1;
}

void nm_machine_station(const struct nm_machine *m, unsigned station,
                        struct nm_station_monitor *out)
{
    (void)station;
    memset(out, 0, sizeof *out);
    out->sum.bus_busy = m->now / 6;
    out->sum.histogram[NM_HISTOGRAM_MEMORY][NM_ROW_LV][1][NM_MSG_RD][0] = m->now / 50;
}

const struct nm_traffic *nm_machine_traffic(const struct nm_machine *m, unsigned station)
{
    (void)m, (void)station;
    return NULL;
}

void nm_machine_ring(const struct nm_machine *m, unsigned ring, struct nm_ring_monitor *out)
{
    (void)m, (void)ring;
    memset(out, 0, sizeof *out);
}

void nm_machine_dump(struct nm_machine *m, void *file)
{
    fprintf(file, "the machine stands at %llu\n", (unsigned long long)m->now);
}

/* ---- the made-up program --------------------------------------------------------------------- */

static struct play {
    enum prog_end end;
    int status, signal;
    bool untimed; /* run.from was not reached */
    uint64_t lost;
    bool marks;
} play;

bool in_symbol(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
               size_t size)
{
    (void)path;
    (void)from;
    (void)to;
    snprintf(why, size, "the program has no symbol '%s'", name);
    return false;
}

bool in_entry(const char *path, const char *name, uint64_t *at, char *why, size_t size)
{
    (void)path;
    (void)at;
    snprintf(why, size, "the program has no function '%s'", name);
    return false;
}

/* Nothing is recorded or profiled here. */
extern const struct run_observer run_regions, run_statistics, run_samples, run_registers,
    run_output, run_plots, run_mask;
const struct run_observer *const cli_observer[] = {&run_regions,   &run_statistics, &run_samples,
                                                   &run_registers, &run_output,     &run_plots,
                                                   &run_mask};
const size_t cli_observers = sizeof cli_observer / sizeof *cli_observer;

const char *cli_file_name(unsigned i)
{
    return run_file_name(cli_observer, cli_observers, i);
}

const struct prog_workload *in_workload_for(const char *path, char *why, size_t size)
{
    static const struct prog_workload workload;
    snprintf(why, size, "%s: not a program", path);
    return strcmp(path, "good") == 0 ? &workload : NULL;
}

const struct prog_workload *in_workload_described(void)
{
    return NULL; /* no experiment here describes anything */
}

void prog_run(struct nm_machine *m, const struct prog_spec *spec, const struct prog_hooks *hooks,
              struct prog_outcome *out)
{
    (void)spec;
    m->now = 300;
    if (play.marks)
        hooks->mark(hooks->ctx, "roi", true, m->now);
    m->now = 900;
    if (play.marks)
        hooks->mark(hooks->ctx, "roi", false, m->now);
    m->now = 1200;
    m->lost = play.lost;
    if (play.signal)
        raise(play.signal);
    bool on = hooks->progress(hooks->ctx, m->now, 2400);
    *out = (struct prog_outcome){.end = on ? play.end : PROG_INTERRUPTED,
                                 .status = play.status,
                                 .ticks = m->now,
                                 .instructions = 2400,
                                 .reached = !play.untimed,
                                 .threads = 1};
}

/* ---- running it ------------------------------------------------------------------------------ */

static struct in_experiment experiment;
static struct cli_session session;
static char *table;

static char base[] = "/tmp/session-XXXXXX";

static void setup(void)
{
    static char *argv[] = {(char *)"numachine", (char *)"run", NULL};
    in_experiment_default(&experiment);
    struct in_diag diag = {.out = stderr};
    cr_assert(in_machine_load(&experiment.machine, NULL, NULL, &diag));
    experiment.machine.params->processors = CARDS;
    experiment.machine.params->ring_stations = experiment.machine.params->ring_locals = 1;
    experiment.name = strdup("play");
    experiment.program = strdup("good");
    session = (struct cli_session){.experiment = &experiment,
                                   .argc = 2,
                                   .argv = argv,
                                   .git = "unknown",
                                   .stdin_fd = -1,
                                   .keep = true};
    play = (struct play){.end = PROG_EXITED};
    the_machine = (struct nm_machine){0};
    cr_assert(mkdtemp(base));
    cr_assert_eq(chdir(base), 0);
    cr_assert_eq(close(creat("good", 0666)), 0);
}

static void teardown(void)
{
    char remove[64];
    snprintf(remove, sizeof remove, "rm -r %s", base);
    cr_expect_eq(system(remove), 0);
    in_experiment_free(&experiment);
    free(table);
}

static enum cli_exit run_it(struct prog_outcome *outcome)
{
    size_t size;
    the_machine = (struct nm_machine){0};
    free(table);
    session.table = open_memstream(&table, &size);
    enum cli_exit status = cli_session_run(&session, outcome);
    fclose(session.table);
    return status;
}

static json_t *manifest(const char *dir)
{
    char path[256];
    snprintf(path, sizeof path, "%s/manifest.json", dir);
    return json_load_file(path, 0, NULL);
}

static const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

TestSuite(report_session, .init = setup, .fini = teardown);

Test(report_session, every_end_has_its_status_and_its_word)
{
    static const struct {
        int line;
        struct play play;
        enum cli_exit status;
        const char *word, *reason;
    } rows[] = {
        {__LINE__, {.end = PROG_EXITED}, CLI_EXIT_OK, "complete", "exited"},
        {__LINE__, {.end = PROG_EXITED, .status = 3}, CLI_EXIT_EXPECT, "complete", "exited"},
        {__LINE__, {.end = PROG_SIGNALED, .status = 11}, CLI_EXIT_EXPECT, "complete", "signaled"},
        {__LINE__, {.end = PROG_LIMIT}, CLI_EXIT_LIMIT, "complete", "limit"},
        {__LINE__, {.end = PROG_EXITED, .untimed = true}, CLI_EXIT_EXPECT, "failed", "exited"},
        {__LINE__, {.end = PROG_LIMIT, .untimed = true}, CLI_EXIT_LIMIT, "failed", "limit"},
        {__LINE__, {.end = PROG_DEADLOCK}, CLI_EXIT_STUCK, "failed", "deadlock"},
        {__LINE__, {.end = PROG_STUCK}, CLI_EXIT_STUCK, "failed", "stuck"},
        {__LINE__, {.end = PROG_LIVELOCK}, CLI_EXIT_STUCK, "failed", "livelock"},
        {__LINE__, {.end = PROG_BROKEN}, CLI_EXIT_BROKEN, "failed", "broken"},
        {__LINE__, {.end = PROG_EXITED, .lost = 1}, CLI_EXIT_BROKEN, "failed", "broken"},
        {__LINE__, {.signal = SIGTERM}, CLI_EXIT_INTERRUPTED, "partial", "interrupted"},
        {__LINE__, {.signal = SIGINT}, CLI_EXIT_INTERRUPTED, "partial", "interrupted"},
        {__LINE__, {.signal = SIGUSR1}, CLI_EXIT_OK, "complete", "exited"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char dir[32];
        struct prog_outcome outcome;
        play = rows[i].play;
        snprintf(dir, sizeof dir, "row-%zu", i);
        session.out = dir;
        cr_expect_eq(run_it(&outcome), rows[i].status, "row %d", rows[i].line);
        json_t *m = manifest(dir);
        cr_assert(m, "row %d", rows[i].line);
        cr_expect_str_eq(text_of(m, "status"), rows[i].word, "row %d", rows[i].line);
        cr_expect_str_eq(text_of(json_object_get(m, "end"), "reason"), rows[i].reason, "row %d",
                         rows[i].line);
        cr_expect_eq(json_integer_value(json_object_get(json_object_get(m, "end"), "exit_code")),
                     rows[i].status, "row %d", rows[i].line);
        json_decref(m);
    }
}

Test(report_session, all_files_are_there_and_the_second_run_gets_its_own)
{
    static const char *const files[] = {
        "results/play-001/manifest.json", "results/play-001/config.resolved.yaml",
        "results/play-001/stats.json",    "results/play-001/stats.csv",
        "results/play-001/stats.txt",     "results/play-002/manifest.json",
    };
    struct prog_outcome outcome;
    play.marks = true;
    cr_expect_eq(run_it(&outcome), CLI_EXIT_OK);
    cr_expect(strstr(table, "roi"), "%s", table);
    cr_expect_eq(run_it(&outcome), CLI_EXIT_OK);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        cr_expect_eq(access(files[i], R_OK), 0, "%s", files[i]);

    json_t *first = manifest("results/play-001"), *second = manifest("results/play-002");
    static const char *const hashes[] = {"stdout_hash", "result_hash", "totals_hash"};
    for (size_t i = 0; i < sizeof hashes / sizeof *hashes; i++)
        cr_expect_str_eq(text_of(json_object_get(first, "end"), hashes[i]),
                         text_of(json_object_get(second, "end"), hashes[i]), "%s", hashes[i]);
    json_decref(first);
    json_decref(second);
}

Test(report_session, what_is_refused_writes_nothing)
{
    struct prog_outcome outcome;
    experiment.program[0] = 'b';
    cr_expect_eq(run_it(&outcome), CLI_EXIT_USAGE);
    experiment.program[0] = 'g';
    in_push(&experiment.events, "nakcs");
    cr_expect_eq(run_it(&outcome), CLI_EXIT_USAGE);
    cr_expect_eq(outcome.end, PROG_UNLOADABLE);
    cr_expect_neq(access("results", F_OK), 0);
}

Test(report_session, results_are_not_replaced_without_force)
{
    struct prog_outcome outcome;
    session.out = "here";
    cr_expect_eq(run_it(&outcome), CLI_EXIT_OK);
    cr_expect_eq(run_it(&outcome), CLI_EXIT_USAGE);
    session.force = true;
    cr_expect_eq(run_it(&outcome), CLI_EXIT_OK);
    session.out = "/proc/nowhere";
    cr_expect_eq(run_it(&outcome), CLI_EXIT_IO);
}

static char *contents(const char *path)
{
    char *text = calloc(1, 4096);
    FILE *in = fopen(path, "re");
    cr_assert(in, "%s", path);
    text[fread(text, 1, 4095, in)] = '\0';
    fclose(in);
    return text;
}

Test(report_session, the_coherence_histogram_has_a_file_of_its_own)
{
    struct prog_outcome outcome;
    play = (struct play){.end = PROG_EXITED, .marks = true};
    session.out = "histogram";
    for (int again = 0; again < 2; again++) {
        cr_expect_eq(run_it(&outcome), CLI_EXIT_OK);
        char *text = contents("histogram/monitor/coherence_histogram.csv");
        cr_expect_str_eq(text, "snapshot,agent,station,state,locked,transaction,count\r\n"
                               "whole,memory,0,LV,1,RD,24\r\n"
                               "roi,memory,0,LV,1,RD,12\r\n");
        free(text);
        session.force = true;
    }
}

Test(report_session, the_cards_are_programmed_before_the_first_cycle)
{
    struct prog_outcome outcome;
    struct mon_write writes[] = {
        {.offset = MON_REG_CONTROL2, .value = MON_EV_nacks},
        {.offset = MON_REG_COUNTER2},
        {.offset = MON_REG_SRAM_CONTROL, .value = MON_PUT(MON_SOURCE_ad, SRAM_CONTROL_SOURCE)},
        {.offset = MON_SRAM_WINDOW + 4 * 7, .value = 9},
    };
    play = (struct play){.end = PROG_EXITED};
    session.out = "programmed";
    experiment.write = writes;
    experiment.write_count = 4;
    cr_expect_eq(run_it(&outcome), CLI_EXIT_OK);
    char *text = contents("programmed/monitor/counters.csv");
    cr_expect_str_eq(text, "card,counter,event,masked,value,counted,unit,overflowed\r\n"
                           "0,2,nacks,0,12,12,packets,0\r\n"
                           "1,2,nacks,0,12,12,packets,0\r\n");
    free(text);
    text = contents("programmed/monitor/histogram.csv");
    cr_expect(strstr(text, "\r\n1,7,7,7,9,word,"), "%s", text);
    free(text);
    cr_expect_eq(access("programmed/monitor/histogram.npy", R_OK), 0);
    cr_expect(strstr(table, "18 counted"), "%s", table);
    experiment.write = NULL;
    experiment.write_count = 0;
}
