/*
 * What IRIX's event counters answer, asked on the machine: each row of irix_errors.def, in its
 * state. After an error nothing has changed: neither the thread's generation number, nor what it
 * counts, nor the system's.
 */
#include "guests/guest.h"

#include <fcntl.h>
#include <irix/sys/procfs.h>
#include <irix/sys/syssgi.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/profil.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { GENERATION = 1, NEVER = 2 };
enum state { FREE, COUNTS, PROC, SYSTEM, ENDED };

enum argument {
    /* set-ups: event 19, and one thing that is different */
    GOOD,
    PACED,            /* it has a threshold */
    KERNEL,           /* in kernel mode, too */
    EXCEPTION,        /* at exception level, too */
    SIGNAL_32,        /* the last signal there is */
    NOTHING,          /* no event */
    ELSEWHERE,        /* an event in another's place */
    WILD,             /* an event that no processor has */
    NOT_LESS_16,      /* an event of the second counter by its number among all */
    NO_MODE,          /* an event in no mode */
    NEGATIVE,         /* a threshold */
    NEGATIVE_OF_NONE, /* a threshold of an event that is not counted */
    SIGNAL_MINUS,
    SIGNAL_33,
    SUPERVISOR,
    /* places for results, and a set-up that is nowhere */
    ROOM,
    NOWHERE,
    LOCKED, /* read-only */
    /* processors */
    CPU_99999,
    CPU_MINUS,
    /* regions of a profile; the set-up is PACED */
    NO_REGIONS,
    MANY_REGIONS,
    MINUS_REGIONS,
    ODD_BUCKETS,
    SMALL_REGION,
    STEEP,
    REGIONS_NOWHERE,
    BUCKETS_NOWHERE,
    BUCKETS_ENDLESS
};

static const struct row {
    int line;
    const char *text;
    int command, system; /* system: of syssgi */
    enum state state;
    enum argument argument;
    int user, root;
} rows[] = {
#define PIOC(command) ((command) > 0x7000)
#define ANSWER(command, state, argument, user, root, rule)                                        \
    {__LINE__, #command " " #state " " #argument, command, !PIOC(command), state, argument, user, \
     root},
#include "irix_errors.def"
};

enum { STORES = 19 };

static hwperf_profevctrarg_t setup_of(enum argument argument)
{
    hwperf_profevctrarg_t a = {.hwp_ovflw_sig = argument == SIGNAL_33      ? 33
                                                : argument == SIGNAL_MINUS ? -1
                                                : argument == SIGNAL_32    ? 32
                                                                           : 0};
    const int place = argument == ELSEWHERE ? STORES + 1 : STORES;
    struct hwperf_ctrlreg *event = &a.hwp_evctrargs.hwp_evctrl[place].hwperf_creg;

    if (argument != NOTHING)
        event->hwp_ev = argument == NOT_LESS_16 ? STORES : argument == WILD ? 0x7ff : STORES % 16;
    event->hwp_ie = argument != NOTHING;
    event->hwp_mode = argument == NO_MODE || argument == NOTHING ? 0 : HWPERF_CNTEN_U;
    event->hwp_mode |= argument == KERNEL       ? HWPERF_CNTEN_K
                       : argument == EXCEPTION  ? HWPERF_CNTEN_E
                       : argument == SUPERVISOR ? HWPERF_CNTEN_S
                                                : 0;
    if (argument == PACED || argument >= NO_REGIONS)
        a.hwp_ovflw_freq[STORES] = 1000000;
    if (argument == NEGATIVE)
        a.hwp_ovflw_freq[STORES] = -1;
    if (argument == NEGATIVE_OF_NONE)
        a.hwp_ovflw_freq[3] = -1;
    return a;
}

/* The result of a call, or minus its errno. */
static long answer(long result)
{
    return result < 0 ? -errno : result;
}

static int process(long number)
{
    char path[32];

    sprintf(path, "/proc/%05ld", number);
    return open(path, O_RDWR);
}

static void *locked, *room;

static void *place_of(enum argument argument, hwperf_profevctrarg_t *setup)
{
    return argument == NOWHERE                              ? NULL
           : argument == LOCKED                             ? locked
           : argument == ROOM                               ? room
           : argument == CPU_99999 || argument == CPU_MINUS ? room
                                                            : (void *)setup;
}

static long profile(void *setup, enum argument argument)
{
    static unsigned short buckets[64];
    struct prof where[65] = {{buckets, sizeof buckets, 0, 0x10000}};
    const int count = argument == NO_REGIONS      ? 0
                      : argument == MANY_REGIONS  ? 65
                      : argument == MINUS_REGIONS ? -1
                                                  : 1;

    for (int i = 1; i < 65; i++)
        where[i] = where[0];
    if (argument == ODD_BUCKETS)
        where[0].pr_base = (char *)buckets + 1;
    if (argument == SMALL_REGION)
        where[0].pr_size = 1;
    if (argument == STEEP)
        where[0].pr_scale = 0x10001;
    if (argument == BUCKETS_NOWHERE)
        where[0].pr_base = NULL;
    if (argument == BUCKETS_ENDLESS)
        where[0].pr_size = (size_t)-1;
    return syssgi(SGI_EVENTCTR, HWPERF_PROFENABLE, setup,
                  argument == REGIONS_NOWHERE ? NULL : where, count);
}

static long perform(int fd, const struct row *row)
{
    hwperf_profevctrarg_t setup = setup_of(row->argument);
    void *const place = place_of(row->argument, &setup);
    const long cpu = row->argument == CPU_99999 ? 99999 : row->argument == CPU_MINUS ? -1 : 0;

    if (!row->system)
        return ioctl(fd, row->command, place);
    if (row->command == HWPERF_PROFENABLE)
        return profile(place, row->argument);
    if (row->command == HWPERF_GET_CPUCNTRS)
        return syssgi(SGI_EVENTCTR, row->command, cpu, place);
    return syssgi(SGI_EVENTCTR, row->command, place);
}

/* Whatever counts is stopped, and then the state entered. */
static void come_to(int fd, enum state state)
{
    hwperf_profevctrarg_t user = setup_of(GOOD), kernel = setup_of(KERNEL);

    syssgi(SGI_EVENTCTR, HWPERF_RELSYSCNTRS);
    ioctl(fd, PIOCRELEVCTRS);
    if (state == COUNTS)
        CHECK(ioctl(fd, PIOCENEVCTRS, &user) > 0);
    if (state == PROC)
        CHECK(ioctl(fd, PIOCENEVCTRS, &kernel) > 0);
    if (state == SYSTEM)
        CHECK(syssgi(SGI_EVENTCTR, HWPERF_ENSYSCNTRS, &kernel) > 0);
}

/* All that an error must leave as it is. */
struct seen {
    long generation, counts, system;
    hwperf_eventctrl_t own, all;
};

static struct seen look(int fd)
{
    struct seen s = {0};
    hwperf_cntr_t counts;

    s.generation = answer(ioctl(fd, PIOCGETEVCTRS, &counts));
    s.counts = answer(ioctl(fd, PIOCGETEVCTRL, &s.own));
    s.system = answer(syssgi(SGI_EVENTCTR, HWPERF_GET_SYSEVCTRL, &s.all));
    return s;
}

/* What is wrong before counters are asked for, where there are none. */
static int without_counters(const struct row *row, int expected)
{
    const int takes_setup =
        row->command == PIOCENEVCTRS || row->command == PIOCSETEVCTRL ||
        (row->system && (row->command == HWPERF_PROFENABLE || row->command == HWPERF_ENSYSCNTRS ||
                         row->command == HWPERF_SET_SYSEVCTRL));

    if (row->state == ENDED || row->argument >= NO_REGIONS)
        return expected;
    if (takes_setup && row->argument == NOWHERE)
        return -EFAULT;
    return row->system && row->command != HWPERF_PROFENABLE && expected == -EPERM ? -EPERM
                                                                                  : -ENODEV;
}

static void ask(const struct row *row, int fd, int self, int root, int counters)
{
    const int here = root ? row->root : row->user;
    const int expected = counters ? here : without_counters(row, here);
    long result;

    if (here == NEVER || (!counters && row->state != FREE && row->state != ENDED))
        return;
    if (counters)
        come_to(self, row->state);
    const struct seen before = look(self);
    result = answer(perform(fd, row));
    const struct seen after = look(self);
    if ((result > 0 ? GENERATION : result) != expected)
        printf("row %d: %s, root %d, counters %d: %ld, not %d\n", row->line, row->text, root,
               counters, result, expected);
    CHECK((result > 0 ? GENERATION : result) == expected);
    CHECK(result >= 0 || memcmp(&before, &after, sizeof before) == 0);
}

static void *end(void *tid)
{
    *(volatile long *)tid = syscall(SYS_gettid);
    usleep(200);
    return NULL;
}

/* A descriptor whose thread has ended. */
static int gone(void)
{
    volatile long tid = 0;
    pthread_t thread;
    int fd;

    pthread_create(&thread, NULL, end, (void *)&tid);
    while (!tid)
        usleep(10);
    fd = process(tid);
    pthread_join(thread, NULL);
    return fd;
}

int main(void)
{
    const int root = getuid() == 0, fd = process(getpid()), ended = gone();
    hwperf_cntr_t counts;
    const int counters = ioctl(fd, PIOCGETEVCTRS, &counts) > 0;

    room = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    locked = mmap(NULL, 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(fd >= 0 && ended >= 0);
    for (unsigned i = 0; i < COUNT(rows); i++)
        ask(&rows[i], rows[i].state == ENDED ? ended : fd, fd, root, counters);
    return guest_result();
}
