/*
 * Texts of a command line: event strings, and assignments to keys of a machine or an experiment.
 * The idea: the first byte says which, and no text may be refused without a reason.
 */
#include "input/experiment.h"
#include "monitor/board/board.h"
#include "tests/fuzz/fuzz.h"

const char *const fuzz_words[] = {"nacks",
                                  "run",
                                  "N-43",
                                  "n-1",
                                  ",",
                                  "mp_stall",
                                  "all",
                                  "bus.clock=",
                                  "50MHz",
                                  "program.args=",
                                  "[",
                                  "]",
                                  "{",
                                  "}",
                                  "monitor.events=",
                                  "run.seed=",
                                  "base=",
                                  "station-4",
                                  "l2.size=",
                                  "1KB",
                                  "program.placement=",
                                  "0x1000-0x2000=1",
                                  "monitor.mask.address=",
                                  "0x1x",
                                  "\\xff",
                                  "\\n",
                                  NULL};

static const char *const seeds[] = {"0nacks,read_latency,mp_stall",
                                    "0N-43,n-1",
                                    "0all",
                                    "0run,run,run",
                                    "0,",
                                    "0nackss",
                                    "1bus.clock=25MHz",
                                    "1l2.size=64KB",
                                    "1rings.stations=16",
                                    "1memory.placement=local",
                                    "1base=station-4",
                                    "1bus.clok=1",
                                    "1bus={clock: 25MHz}",
                                    "2program.args=[a, b]",
                                    "2run.seed=7",
                                    "2program.placement=[0x10000000-0x10004000=1]",
                                    "2monitor.events=[nacks, run]",
                                    "2monitor.mask={address: 0x1x, phase: s}",
                                    "2monitor.counters=[{event: nacks, start: -1}]",
                                    "2run.limit=1ms",
                                    "2monitor.phases={s: 1}",
                                    "2monitor.registers={OPTIONS: 1}"};

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    return number < sizeof seeds / sizeof *seeds ? fuzz_text_seed(seeds[number], out, room) : 0;
}

static void choose(const char *text)
{
    static struct mon_choice choice; /* large */
    static struct mon_plan plan;
    char why[200] = "";

    choice.count = 0;
    if (!mon_choice_add(&mon_numachine, &choice, text, why, sizeof why))
        FUZZ_CHECK(*why, "refused without a reason: %s", text);
    FUZZ_CHECK(choice.count <= MON_EV__COUNT, "%u events", choice.count);
    mon_plan_make(&mon_numachine, &plan, &choice);
    for (unsigned i = 0; i < choice.count; i++)
        FUZZ_CHECK(plan.bank[i] < plan.banks && plan.counter[i] < MON_COUNTERS &&
                       mon_board_events[choice.event[i]].counters >> plan.counter[i] & 1,
                   "event %u is counted nowhere", choice.event[i]);
}

static void assign(char *text, bool experiment)
{
    char *const sets[] = {text, NULL};
    char *said = NULL;
    size_t size;
    struct in_diag diag = {.out = open_memstream(&said, &size)};
    struct in_machine mc;
    struct in_experiment x;
    bool good;

    if (experiment) {
        good = in_experiment_make(&x, "station-4", sets, &diag);
        if (good)
            in_experiment_free(&x);
    } else {
        good = in_machine_load(&mc, "station-4", sets, &diag);
        if (good)
            in_machine_free(&mc);
    }
    fclose(diag.out);
    FUZZ_CHECK(good ? !diag.errors : diag.errors && strstr(said, "error: "), "%s: %u errors: %s",
               text, diag.errors, said);
    free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const unsigned what = size ? data[0] % 3 : 0;
    char *text = fuzz_text(data + (size > 0), size - (size > 0));

    fuzz_scratch();
    if (what == 0)
        choose(text);
    else
        assign(text, what == 2);
    free(text);
    return 0;
}
