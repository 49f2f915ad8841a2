/*
 * YAML files: machines, experiments and groups. The idea: whatever is accepted can be written out
 * as it was understood, and that text is accepted again and means the same.
 */
#include "input/experiment.h"
#include "input/home.h"
#include "input/write.h"
#include "monitor/board/board.h"
#include "tests/fuzz/fuzz.h"
#include "tests/guest_elf.h"

#include <unistd.h>

const char *const fuzz_words[] = {"base: ",
                                  "station-4",
                                  "machine:\n",
                                  "program:\n  ",
                                  "path: guest\n",
                                  "args: [",
                                  "env: {A: b}\n",
                                  "run: {limit: 1ms}\n",
                                  "monitor:\n  ",
                                  "events: [nacks]\n",
                                  "groups: [NACK]\n",
                                  "mask: {",
                                  "counters: [{event: ",
                                  "masked: true",
                                  "histogram: {source: l2}\n",
                                  "phases: {s: 1}\n",
                                  "  pattern: [",
                                  "{kind: zipf, skew: 1.5}, ",
                                  "rate: 0.5",
                                  "stores: 30%",
                                  "bus:\n",
                                  "  clock: 25MHz\n",
                                  "l2: {line: 128B, split: false}\n",
                                  "&a ",
                                  "*a",
                                  "!!str ",
                                  "|\n  ",
                                  "<<: ",
                                  "? ",
                                  "--- ",
                                  "%YAML 1.1\n",
                                  "\xef\xbb\xbf",
                                  "\xff\xfe",
                                  "about: ",
                                  "metrics:\n  ",
                                  "- {name: a, unit: b, formula: c}\n",
                                  "placement: {0x10000-0x20000: 1}\n",
                                  "t.yaml",
                                  "cards: [{at: [1], base: r10000}]\n",
                                  "- {at: [station 0, 2-3], processor: {core: r12000}}\n",
                                  "~",
                                  NULL};

/** Shipped files of a kind, one after another. @return the number of those left over */
static unsigned shipped(const char *directory, unsigned number, uint8_t *out, size_t room,
                        size_t *size)
{
    char **names = in_home_names(directory, ".yaml");
    unsigned count = 0;

    *size = 0;
    while (names && names[count])
        count++;
    if (number < count) {
        char relative[300];
        snprintf(relative, sizeof relative, "%s/%s.yaml", directory, names[number]);
        char *path = in_home_path("%s", relative);
        FILE *f = fopen(path, "re");
        if (!f)
            abort();
        *size = fread(out, 1, room, f);
        fclose(f);
        free(path);
    }
    for (unsigned i = 0; i < count; i++)
        free(names[i]);
    free(names);
    return number < count ? 0 : number - count;
}

static const char *const own[] = {
    "base: station-4\nbus: {clock: 25MHz, fifo: &f 4}\nl2:\n  line: 128B\n  split: false\n"
    "memory: {banks: *f}\n",
    "about: 'x'\nprogram:\n  path: guest\n  args: [1, \"b\\n\"]\n  env: {A: b}\nrun: {limit: 1ms}\n"
    "monitor:\n  groups: [NACK]\n  mask: {address: 0x1x, phase: s}\n"
    "  counters: [{event: nacks, masked: true, start: -1}]\n"
    "  histogram: {source: l2}\n  phases: {s: 1}\n",
    "program: {path: guest, placement: {0x10000-0x20000: 0}}\nmachine: {base: ring-4}\n",
    "machine: ring-16\nprogram:\n  rate: 2.5\n  pattern:\n"
    "  - {kind: zipf, references: 100000, stores: 30%, footprint: 1MB, skew: 0.9, think: 4}\n"
    "  - {kind: hot-lock, name: l, hold: 50, lock: tas, sharing: 4, barrier: false}\n"
    "  - {kind: stride, stride: 64B, wrap: false, placement: station, station: 1}\n",
    "program: {path: guest}\nmonitor: {registers: {OPTIONS: 1}, interval: 1us}\n",
};

size_t fuzz_seed(unsigned number, uint8_t *out, size_t room)
{
    static const char *const directories[] = {"configs", "experiments", "experiments/patterns",
                                              "monitor/groups"};
    size_t size = 0;

    if (number < sizeof own / sizeof *own)
        return fuzz_text_seed(own[number], out, room);
    number -= sizeof own / sizeof *own;
    for (unsigned d = 0; d < sizeof directories / sizeof *directories && !size; d++)
        number = shipped(directories[d], number, out, room, &size);
    return size;
}

static void enter(void)
{
    static bool entered;
    uint8_t elf[GUEST_ELF_SIZE];

    if (entered)
        return;
    entered = true;
    fuzz_scratch();
    guest_elf(elf);
    fuzz_write("guest", elf, sizeof elf);
    fuzz_write("prog.c", "int main(void){return 0;}\n", 26);
}

/** Reads a file and writes what was understood. @return that text, or NULL when it was refused */
static char *understood(const char *name, enum in_file_kind *kind)
{
    char *said = NULL, *text = NULL;
    size_t size;
    struct in_experiment x = {0};
    struct in_diag diag = {.out = open_memstream(&said, &size)};

    *kind = in_any_load(&x, name, NULL, &diag);
    fclose(diag.out);
    FUZZ_CHECK((*kind == IN_FILE_UNREADABLE) == (diag.errors > 0), "%u errors: %s", diag.errors,
               said);
    FUZZ_CHECK(!diag.errors || strstr(said, ": error: "), "%s", said);
    if (*kind != IN_FILE_UNREADABLE) {
        FILE *out = open_memstream(&text, &size);
        if (*kind == IN_FILE_MACHINE)
            in_machine_write_resolved(out, &x.machine);
        else
            in_experiment_write_resolved(out, &x, NULL);
        fclose(out);
    }
    in_experiment_free(&x);
    free(said);
    return text;
}

/** Takes comments and what stands before them off the ends of lines: they name other files. */
static void strip(char *text)
{
    char *to = text;
    for (char *line = text; *line;) {
        char *end = strchr(line, '\n'), *hash = *line == '#' ? line : strstr(line, " # ");
        end = end ? end + 1 : line + strlen(line);
        for (char *c = line; c < end && c != hash; c++)
            if (*c != ' ')
                *to++ = *c;
        line = end;
    }
    *to = '\0';
}

static void try_group(void)
{
    struct in_group group;
    char *said = NULL;
    size_t size;
    struct in_diag diag = {.out = open_memstream(&said, &size)};
    const bool good = in_group_load(&group, &mon_numachine, "./t.yaml", &diag);

    fclose(diag.out);
    FUZZ_CHECK(good == !diag.errors, "%u errors: %s", diag.errors, said);
    if (good)
        in_group_free(&group);
    free(said);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum in_file_kind kind, again;

    enter();
    fuzz_write("t.yaml", data, size);
    try_group();
    char *first = understood("t.yaml", &kind);
    if (first) {
        fuzz_write("u.yaml", first, strlen(first));
        char *second = understood("u.yaml", &again);
        FUZZ_CHECK(second && again == kind, "not accepted again:\n%s", first);
        strip(first);
        strip(second);
        FUZZ_CHECK(!strcmp(first, second), "means another thing:\n%s\nthan\n%s", second, first);
        free(second);
    }
    free(first);
    return 0;
}
