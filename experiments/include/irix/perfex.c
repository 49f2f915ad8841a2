/*
 * libperfex over /proc; see perfex.h. It is compiled with the program that uses it.
 *
 * What a thread has started is its own: each has a number in /proc, and counts for itself.
 */
#include "perfex.h"
#include "perfex_names.h"
#include "sys/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Which events, whatever the arguments say. */
struct pair {
    int e[2];
};

/* What the calling thread counts. */
static __thread struct {
    int generation; /* 0: nothing */
    int fd;
} now;

struct cost {
    double value[3]; /* typical, minimum, maximum */
    int clocks;      /* of the processor; else ns */
    int known;
};

static struct cost costs[HWPERF_EVENTMAX];
static int costs_known;

static int complain(const char *what)
{
    const int error = errno;

    fprintf(stderr, "libperfex: %s: %s\n", what, strerror(error));
    errno = error;
    return -1;
}

static int refuse(const char *what)
{
    errno = EINVAL;
    return complain(what);
}

/* ---- which events ---------------------------------------------------------------------------- */

/* An event's number from the environment. @return 0, or -1 of a wrong one */
static int from_environment(const char *name, int *event)
{
    const char *text = getenv(name);
    char *end;
    long number;

    if (!text || !*text)
        return 0;
    number = strtol(text, &end, 10);
    if (*end || number < 0 || number >= HWPERF_EVENTMAX)
        return refuse(name);
    *event = (int)number;
    return 0;
}

/* The pair in force. @return 0 or -1 */
static int choose(int e0, int e1, struct pair *p)
{
    *p = (struct pair){{e0, e1}};
    if (from_environment("T5_EVENT0", &p->e[0]) < 0 || from_environment("T5_EVENT1", &p->e[1]) < 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (p->e[i] < 0 || p->e[i] >= HWPERF_EVENTMAX)
            return refuse("no such event");
    if (p->e[0] / HWPERF_CNT1BASE == p->e[1] / HWPERF_CNT1BASE)
        return refuse("conflicting counters: both events are of the same counter");
    return 0;
}

/* ---- counting -------------------------------------------------------------------------------- */

static int open_self(void)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/%05ld", (long)syscall(SYS_gettid));
    return open(path, O_RDWR | O_CLOEXEC);
}

static void finish(void)
{
    close(now.fd);
    now.generation = 0;
}

int start_counters(int e0, int e1)
{
    hwperf_profevctrarg_t args = {0};
    struct pair p;
    int generation;

    if (choose(e0, e1, &p) < 0)
        return -1;
    for (int i = 0; i < 2; i++) {
        struct hwperf_ctrlreg *c = &args.hwp_evctrargs.hwp_evctrl[p.e[i]].hwperf_creg;
        c->hwp_ev = (ushort_t)(p.e[i] % HWPERF_CNT1BASE);
        c->hwp_ie = 1;
        c->hwp_mode = HWPERF_CNTEN_U;
    }
    if (now.generation)
        finish();
    now.fd = open_self();
    if (now.fd < 0)
        return complain("/proc");
    generation = ioctl(now.fd, PIOCENEVCTRS, &args);
    if (generation < 0) {
        complain("cannot count");
        close(now.fd);
        return -1;
    }
    now.generation = generation;
    return generation;
}

int read_counters(int e0, long long *c0, int e1, long long *c1)
{
    hwperf_cntr_t counts;
    struct pair p;
    int generation, started = now.generation;

    if (choose(e0, e1, &p) < 0)
        return -1;
    if (!started)
        return refuse("counters have not been started");
    generation = ioctl(now.fd, PIOCGETEVCTRS, &counts);
    if (generation < 0)
        complain("cannot read");
    else if (generation != started) {
        errno = EBUSY;
        complain("lost event counters");
        generation = -1;
    } else {
        *c0 = (long long)counts.hwp_evctr[p.e[0]];
        *c1 = (long long)counts.hwp_evctr[p.e[1]];
        ioctl(now.fd, PIOCRELEVCTRS);
    }
    finish();
    return generation;
}

/* ---- what to call them ----------------------------------------------------------------------- */

/* What /proc/cpuinfo says of the first processor. @return 0, or -1: it does not */
static int cpu_info(const char *key, char *value, size_t size)
{
    const size_t n = strlen(key);
    FILE *f = fopen("/proc/cpuinfo", "r");
    char line[128];
    int found = -1;

    while (f && found < 0 && fgets(line, sizeof line, f)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, n) != 0 || !colon)
            continue;
        snprintf(value, size, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        found = 0;
    }
    if (f)
        fclose(f);
    return found;
}

/* An event's name on this processor; IRIX's number is all there is on others. */
static const char *name_of(int event)
{
    char model[64];

    if (cpu_info("cpu model", model, sizeof model) == 0)
        for (unsigned i = 0; i < sizeof perfex_names / sizeof *perfex_names; i++)
            if (strcmp(perfex_names[i].model, model) == 0)
                return perfex_names[i].event[event];
    return "";
}

int print_counters(int e0, long long c0, int e1, long long c1)
{
    struct pair p;

    if (choose(e0, e1, &p) < 0)
        return -1;
    fprintf(stderr, "%2d %-62s %20lld\n", p.e[0], name_of(p.e[0]), c0);
    fprintf(stderr, "%2d %-62s %20lld\n", p.e[1], name_of(p.e[1]), c1);
    return 0;
}

/* ---- what they cost -------------------------------------------------------------------------- */

/* One line of a table. @return 0; -1: it is wrong */
static int read_cost(char *line, struct cost table[])
{
    struct cost c = {.known = 1};
    char unit[8] = "", rest[2];
    int event, n;

    line[strcspn(line, "#\n")] = '\0';
    if (!line[strspn(line, " \t\r")])
        return 0;
    n = sscanf(line, "%d %lf %lf %lf %7s %1s", &event, &c.value[0], &c.value[1], &c.value[2], unit,
               rest);
    c.clocks = strcmp(unit, "clks") == 0;
    if (n != 5 || event < 0 || event >= HWPERF_EVENTMAX || (!c.clocks && strcmp(unit, "nsec") != 0))
        return -1;
    for (int i = 0; i < 3; i++)
        if (!(c.value[i] >= 0))
            return -1;
    table[event] = c;
    return 0;
}

int load_costs(const char *file)
{
    struct cost table[HWPERF_EVENTMAX];
    FILE *f = fopen(file, "r");
    char line[256];
    int number = 0, wrong = 0;

    if (!f)
        return complain(file);
    memcpy(table, costs, sizeof table);
    while (!wrong && fgets(line, sizeof line, f)) {
        number++;
        wrong = read_cost(line, table) < 0;
    }
    fclose(f);
    if (wrong) {
        fprintf(stderr,
                "libperfex: %s:%d: not an event from 0 to 31, three costs, and clks or nsec\n",
                file, number);
        errno = EINVAL;
        return -1;
    }
    memcpy(costs, table, sizeof table);
    costs_known = 1;
    return 0;
}

static void print_cost(int event, long long count, double mhz)
{
    const struct cost *c = &costs[event];

    fprintf(stderr, "%2d %-62s %20lld", event, name_of(event), count);
    for (int i = 0; i < 3 && c->known; i++)
        fprintf(stderr, " %14.6f", (double)count * c->value[i] * (c->clocks ? 1e-6 / mhz : 1e-9));
    fputc('\n', stderr);
}

int print_costs(int e0, long long c0, int e1, long long c1)
{
    char text[64], model[64];
    struct pair p;
    double mhz;

    if (choose(e0, e1, &p) < 0)
        return -1;
    if (!costs_known)
        return refuse("no table of costs has been loaded");
    if (cpu_info("cpu MHz", text, sizeof text) < 0 ||
        cpu_info("cpu model", model, sizeof model) < 0 || !((mhz = atof(text)) > 0))
        return refuse("/proc/cpuinfo does not tell the processor's clock");
    fprintf(stderr, "Based on %g MHz %s\n%-65s %20s %14s %14s %14s\n", mhz, model, "", "count",
            "typical [s]", "minimum [s]", "maximum [s]");
    print_cost(p.e[0], c0, mhz);
    print_cost(p.e[1], c1, mhz);
    return 0;
}

/* ---- Fortran --------------------------------------------------------------------------------- */

int start_counters_(const int *e0, const int *e1);
int read_counters_(const int *e0, long long *c0, const int *e1, long long *c1);
int print_counters_(const int *e0, const long long *c0, const int *e1, const long long *c1);
int print_costs_(const int *e0, const long long *c0, const int *e1, const long long *c1);
int load_costs_(const char *file, size_t length);

int start_counters_(const int *e0, const int *e1)
{
    return start_counters(*e0, *e1);
}

int read_counters_(const int *e0, long long *c0, const int *e1, long long *c1)
{
    return read_counters(*e0, c0, *e1, c1);
}

int print_counters_(const int *e0, const long long *c0, const int *e1, const long long *c1)
{
    return print_counters(*e0, *c0, *e1, *c1);
}

int print_costs_(const int *e0, const long long *c0, const int *e1, const long long *c1)
{
    return print_costs(*e0, *c0, *e1, *c1);
}

/* Fortran's strings end in spaces. */
int load_costs_(const char *file, size_t length)
{
    char name[1024];

    while (length && file[length - 1] == ' ')
        length--;
    if (length >= sizeof name)
        return refuse("the name of the table of costs is too long");
    memcpy(name, file, length);
    name[length] = '\0';
    return load_costs(name);
}
