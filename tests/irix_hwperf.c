/*
 * IRIX's virtual counters (programs/irix/) over a fake of the hardware.
 *
 * The fake counts what it is told happens; an account beside it, kept by the rules of the document
 * and knowing nothing of hardware, says what each process and each processor must have counted.
 */
#include "programs/irix/hwperf.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS = 4, PROCESSES = 9, SIGNAL_USR1 = 16 };

/* ---- the hardware ---------------------------------------------------------------------------- */

struct rig {
    struct irix irix;
    struct irix_process process[PROCESSES];
    unsigned counters, events; /* of a processor; of a counter */
    struct {
        uint32_t control[IRIX_COUNTERS], value[IRIX_COUNTERS];
        uint64_t total[IRIX_COUNTERS]; /* counted, ever */
        int runs;                      /* process, or -1 */
    } cpu[CPUS];
    unsigned reached[PROCESSES], reached_by_nobody;
    int signal; /* of the last one */
};

static unsigned counters(void *ctx, unsigned cpu)
{
    (void)cpu;
    return ((struct rig *)ctx)->counters;
}

static unsigned number(void *ctx, unsigned cpu, unsigned event)
{
    (void)cpu;
    return event % ((struct rig *)ctx)->events;
}

static void set_control(void *ctx, unsigned cpu, unsigned k, uint32_t control)
{
    ((struct rig *)ctx)->cpu[cpu].control[k] = control;
}

static uint32_t value(void *ctx, unsigned cpu, unsigned k)
{
    return ((struct rig *)ctx)->cpu[cpu].value[k];
}

static void set_value(void *ctx, unsigned cpu, unsigned k, uint32_t v)
{
    ((struct rig *)ctx)->cpu[cpu].value[k] = v;
}

static void reached(void *ctx, struct irix_process *p, unsigned cpu, int signal)
{
    struct rig *r = ctx;

    (void)cpu;
    r->signal = signal;
    if (p)
        r->reached[p - r->process]++;
    else
        r->reached_by_nobody++;
}

static const struct irix_hardware hardware = {counters, number,    set_control,
                                              value,    set_value, reached};

static struct rig *new_rig(void)
{
    struct rig *r = calloc(1, sizeof *r);

    r->counters = IRIX_COUNTERS;
    r->events = IRIX_PER_COUNTER;
    irix_init(&r->irix, &hardware, r, CPUS);
    for (unsigned i = 0; i < PROCESSES; i++)
        irix_process_init(&r->process[i]);
    for (unsigned c = 0; c < CPUS; c++)
        r->cpu[c].runs = -1;
    return r;
}

static void free_rig(struct rig *r)
{
    irix_end(&r->irix);
    free(r);
}

static void runs(struct rig *r, unsigned i, unsigned cpu)
{
    r->cpu[cpu].runs = (int)i;
    irix_runs(&r->irix, &r->process[i], cpu);
}

static void stops(struct rig *r, unsigned cpu)
{
    if (r->cpu[cpu].runs >= 0)
        irix_stops(&r->irix, &r->process[r->cpu[cpu].runs]);
    r->cpu[cpu].runs = -1;
}

/* `n` times event e happens on a processor in a mode. @return how many were counted */
static uint64_t happens(struct rig *r, unsigned cpu, unsigned e, unsigned mode, uint32_t n)
{
    const unsigned k = e / IRIX_PER_COUNTER;
    const uint32_t control = r->cpu[cpu].control[k];

    if (!(control & mode) || control >> IRIX_EVENT_SHIFT != e % r->events)
        return 0;
    r->cpu[cpu].value[k] += n;
    r->cpu[cpu].total[k] += n;
    if (r->cpu[cpu].value[k] >> 31 && control & IRIX_INTERRUPT)
        irix_settle(&r->irix, cpu);
    return n;
}

/* ---- set-ups --------------------------------------------------------------------------------- */

static uint16_t spec(unsigned e, unsigned mode)
{
    return (uint16_t)((e % IRIX_PER_COUNTER) << IRIX_EVENT_SHIFT | IRIX_INTERRUPT | mode);
}

/* The document's example: events 9 and 25 in user mode. */
static struct irix_setup example(void)
{
    struct irix_setup s = {0};

    s.event[9] = spec(9, IRIX_MODE_USER);
    s.event[25] = spec(25, IRIX_MODE_USER);
    return s;
}

static struct irix_setup in_kernel(void)
{
    struct irix_setup s = example();

    s.event[25] |= IRIX_MODE_KERNEL;
    return s;
}

static uint64_t counted(struct rig *r, unsigned i, unsigned e)
{
    uint64_t count[IRIX_EVENTS];

    cr_assert_gt(irix_read(&r->irix, &r->process[i], count), 0);
    return count[e];
}

/* ---- what is refused ------------------------------------------------------------------------- */

struct refused {
    int line;
    unsigned index, spec;
    int threshold, signal;
    int user, root; /* expected errno of an enabling by either, 0: it works */
};

/* The example with one more event or a bad number. */
static const struct refused refused[] = {
    {__LINE__, 0, 0, 0, 0, 0, 0},
    {__LINE__, 0, IRIX_MODE_USER, 0, 0, 0, 0}, /* event 0 */
    {__LINE__, 3, 3 << 5 | IRIX_MODE_USER, 0, 0, 0, 0},
    {__LINE__, 3, 3 << 5 | IRIX_MODE_EXL, 0, 0, 0, 0}, /* perfex -x */
    {__LINE__, 3, 3 << 5 | IRIX_MODE_EXL | IRIX_MODE_USER, 100, 32, 0, 0},
    {__LINE__, 31, 15 << 5 | IRIX_MODE_USER, INT32_MAX, 1, 0, 0},
    {__LINE__, 3, 3 << 5, 0, 0, EINVAL, EINVAL}, /* no mode */
    {__LINE__, 3, 3 << 5 | IRIX_INTERRUPT, 0, 0, EINVAL, EINVAL},
    {__LINE__, 0, IRIX_INTERRUPT, 0, 0, EINVAL, EINVAL},
    {__LINE__, 3, 4 << 5 | IRIX_MODE_USER, 0, 0, EINVAL, EINVAL},   /* another's number */
    {__LINE__, 16, 16 << 5 | IRIX_MODE_USER, 0, 0, EINVAL, EINVAL}, /* not less 16 */
    {__LINE__, 31, 31 << 5 | IRIX_MODE_USER, 0, 0, EINVAL, EINVAL},
    {__LINE__, 3, 0x7ff << 5 | IRIX_MODE_USER, 0, 0, EINVAL, EINVAL}, /* wild */
    {__LINE__, 3, 0xffff, 0, 0, EINVAL, EINVAL},
    {__LINE__, 3, 3 << 5 | IRIX_MODE_USER, -1, 0, EINVAL, EINVAL}, /* thresholds */
    {__LINE__, 3, 3 << 5 | IRIX_MODE_USER, INT32_MIN, 0, EINVAL, EINVAL},
    {__LINE__, 3, 0, -1, 0, EINVAL, EINVAL}, /* of none */
    {__LINE__, 3, 0, 7, 0, 0, 0},
    {__LINE__, 0, 0, 0, -1, EINVAL, EINVAL}, /* signals */
    {__LINE__, 0, 0, 0, 33, EINVAL, EINVAL},
    {__LINE__, 0, 0, 0, INT32_MAX, EINVAL, EINVAL},
    {__LINE__, 3, 3 << 5 | IRIX_MODE_KERNEL, 0, 0, EPERM, 0},          /* modes */
    {__LINE__, 3, 3 << 5 | IRIX_MODE_SUPERVISOR, 0, 0, EPERM, EINVAL}, /* IX-6 */
    {__LINE__, 3, 3 << 5 | IRIX_MODES, 0, 0, EPERM, EINVAL},
    {__LINE__, 3, 4 << 5 | IRIX_MODE_KERNEL, 0, 0, EINVAL, EINVAL}, /* bad before forbidden */
};

static struct irix_setup with(const struct refused *row)
{
    struct irix_setup s = example();

    if (row->spec)
        s.event[row->index] = (uint16_t)row->spec;
    s.threshold[row->index] = row->threshold;
    s.signal = row->signal;
    return s;
}

/* errno of a result, and that generation and counting are what they were if there is one. */
static int failed(struct rig *r, int64_t result, uint32_t generation, bool active)
{
    const struct irix_process *p = &r->process[0];

    cr_expect_eq(p->active || (r->irix.system && r->irix.bound), result > 0 || active);
    cr_expect_eq(p->generation, generation + (result > 0));
    return result > 0 ? 0 : (int)-result;
}

Test(irix_hwperf, what_is_refused)
{
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        for (int root = 0; root < 2; root++) {
            const struct refused *row = &refused[i];
            const struct irix_setup setup = with(row), good = example();
            const int expected = root ? row->root : row->user;
            struct rig *r = new_rig();
            runs(r, 0, 1);
            cr_expect_eq(failed(r, irix_enable(&r->irix, r->process, root, &setup), 1, false),
                         expected, "line %d, root %d", row->line, root);
            irix_release(&r->irix, r->process);
            irix_enable(&r->irix, r->process, root, &good);
            const uint32_t now = r->process->generation;
            const int changed =
                failed(r, irix_modify(&r->irix, r->process, root, &setup), now, true);
            /* What counts in user mode cannot change to system mode. */
            cr_expect_eq(changed,
                         expected             ? expected
                         : row->user == EPERM ? EBUSY
                                              : 0,
                         "line %d, root %d, changed", row->line, root);
            free_rig(r);
        }
}

/* Nothing asked for is nothing to count. */
Test(irix_hwperf, no_events)
{
    struct rig *r = new_rig();
    const struct irix_setup nothing = {0};

    cr_expect_eq(irix_enable(&r->irix, r->process, false, &nothing), -EINVAL);
    free_rig(r);
}

/* Every command, in every state: what it answers. States: nobody counts; the process counts in
 * user mode; it does for the whole system, by way of /proc; syssgi took the system's counters. */
enum state { FREE, USER, PROC, SYSTEM, STATES };
enum { GENERATION = 1 }; /* any positive number */

static const struct answer {
    const char *command;
    int user[STATES], root[STATES];
} answers[] = {
    {"enable", {GENERATION, GENERATION, -EBUSY, -EBUSY}, {GENERATION, GENERATION, -EBUSY, -EBUSY}},
    {"enable kernel", {-EPERM, -EPERM, -EPERM, -EPERM}, {GENERATION, -EBUSY, -EBUSY, -EBUSY}},
    {"modify", {-EINVAL, GENERATION, -EINVAL, -EINVAL}, {-EINVAL, GENERATION, -EINVAL, -EINVAL}},
    {"modify kernel", {-EPERM, -EPERM, -EPERM, -EPERM}, {-EINVAL, -EBUSY, GENERATION, -EINVAL}},
    {"control",
     {-EINVAL, GENERATION, GENERATION, -EINVAL},
     {-EINVAL, GENERATION, GENERATION, -EINVAL}},
    {"read",
     {GENERATION, GENERATION, GENERATION, GENERATION},
     {GENERATION, GENERATION, GENERATION, GENERATION}},
    {"release", {-EINVAL, 0, 0, -EINVAL}, {-EINVAL, 0, 0, -EINVAL}},
    {"save", {0, 0, 0, 0}, {0, 0, 0, 0}},
    {"profile", {GENERATION, GENERATION, -EBUSY, -EBUSY}, {GENERATION, GENERATION, -EBUSY, -EBUSY}},
    {"profile without threshold",
     {-EINVAL, -EINVAL, -EINVAL, -EINVAL},
     {-EINVAL, -EINVAL, -EINVAL, -EINVAL}},
    {"profile kernel", {-EPERM, -EPERM, -EPERM, -EPERM}, {-EINVAL, -EINVAL, -EINVAL, -EINVAL}},
    {"system enable", {-EPERM, -EPERM, -EPERM, -EPERM}, {GENERATION, GENERATION, -EBUSY, -EBUSY}},
    {"system enable, no kernel",
     {-EPERM, -EPERM, -EPERM, -EPERM},
     {-EINVAL, -EINVAL, -EINVAL, -EINVAL}},
    {"system modify", {-EPERM, -EPERM, -EPERM, -EPERM}, {-EINVAL, -EINVAL, GENERATION, GENERATION}},
    {"system modify, no kernel",
     {-EPERM, -EPERM, -EPERM, -EPERM},
     {-EINVAL, -EINVAL, -EINVAL, -EINVAL}},
    {"system control",
     {-EINVAL, -EINVAL, GENERATION, GENERATION},
     {-EINVAL, -EINVAL, GENERATION, GENERATION}},
    {"system read",
     {-EINVAL, -EINVAL, GENERATION, GENERATION},
     {-EINVAL, -EINVAL, GENERATION, GENERATION}},
    {"cpu read",
     {-EINVAL, -EINVAL, GENERATION, GENERATION},
     {-EINVAL, -EINVAL, GENERATION, GENERATION}},
    {"cpu read, no such", {-EINVAL, -EINVAL, 0, 0}, {-EINVAL, -EINVAL, 0, 0}},
    {"system release", {-EPERM, -EPERM, -EPERM, -EPERM}, {-EINVAL, -EINVAL, 0, 0}},
};

static int64_t perform(struct rig *r, const char *command, bool root)
{
    const struct irix_setup user = example(), kernel = in_kernel();
    struct irix_process *p = &r->process[0];
    struct irix_setup paced = example();
    uint64_t count[IRIX_EVENTS];
    uint16_t event[IRIX_EVENTS];
    struct irix *h = &r->irix;

    paced.threshold[9] = 100;
    if (strcmp(command, "enable") == 0)
        return irix_enable(h, p, root, &user);
    if (strcmp(command, "enable kernel") == 0)
        return irix_enable(h, p, root, &kernel);
    if (strcmp(command, "modify") == 0)
        return irix_modify(h, p, root, &user);
    if (strcmp(command, "modify kernel") == 0)
        return irix_modify(h, p, root, &kernel);
    if (strcmp(command, "control") == 0)
        return irix_control(h, p, event);
    if (strcmp(command, "read") == 0)
        return irix_read(h, p, count);
    if (strcmp(command, "release") == 0)
        return irix_release(h, p);
    if (strcmp(command, "save") == 0)
        return irix_save(h, p);
    if (strcmp(command, "profile") == 0)
        return irix_profile(h, p, root, &paced);
    if (strcmp(command, "profile without threshold") == 0)
        return irix_profile(h, p, root, &user);
    if (strcmp(command, "profile kernel") == 0) {
        paced.event[9] |= IRIX_MODE_KERNEL;
        return irix_profile(h, p, root, &paced);
    }
    if (strcmp(command, "system enable") == 0)
        return irix_system_enable(h, p, root, &kernel);
    if (strcmp(command, "system enable, no kernel") == 0)
        return irix_system_enable(h, p, root, &user);
    if (strcmp(command, "system modify") == 0)
        return irix_system_modify(h, root, &kernel);
    if (strcmp(command, "system modify, no kernel") == 0)
        return irix_system_modify(h, root, &user);
    if (strcmp(command, "system control") == 0)
        return irix_system_control(h, event);
    if (strcmp(command, "system read") == 0)
        return irix_system_read(h, count);
    if (strcmp(command, "cpu read") == 0)
        return irix_cpu_read(h, CPUS - 1, count);
    if (strcmp(command, "cpu read, no such") == 0)
        return irix_cpu_read(h, CPUS, count);
    if (strcmp(command, "system release") == 0)
        return irix_system_release(h, root);
    cr_assert_fail("no command %s", command);
    return 0;
}

static void come_to(struct rig *r, enum state state)
{
    const struct irix_setup user = example(), kernel = in_kernel();

    runs(r, 0, 2);
    if (state == USER)
        cr_assert_gt(irix_enable(&r->irix, r->process, false, &user), 0);
    if (state == PROC)
        cr_assert_gt(irix_enable(&r->irix, r->process, true, &kernel), 0);
    if (state == SYSTEM)
        cr_assert_gt(irix_system_enable(&r->irix, r->process, true, &kernel), 0);
}

Test(irix_hwperf, every_command_in_every_state)
{
    for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
        for (int state = 0; state < STATES; state++)
            for (int root = 0; root < 2; root++)
                for (int present = 0; present < 2; present++) {
                    const struct answer *row = &answers[i];
                    int expected = root ? row->root[state] : row->user[state];
                    struct rig *r = new_rig();
                    int64_t result;
                    if (present)
                        come_to(r, (enum state)state);
                    else {
                        r->counters =
                            0; /* an R4400: only who may not ask at all hears that first */
                        expected = !root && strncmp(row->command, "system", 6) == 0 &&
                                           row->user[0] == -EPERM
                                       ? -EPERM
                                       : -ENODEV;
                    }
                    result = perform(r, row->command, root);
                    cr_expect_eq(result > 0 ? GENERATION : result, expected,
                                 "%s, state %d, root %d, present %d: %ld", row->command, state,
                                 root, present, (long)result);
                    free_rig(r);
                }
}

/* ---- generations ----------------------------------------------------------------------------- */

Test(irix_hwperf, generations)
{
    struct rig *r = new_rig();
    const struct irix_setup user = example(), kernel = in_kernel();
    struct irix *h = &r->irix;
    struct irix_process *p = r->process;
    uint64_t count[IRIX_EVENTS];
    int64_t first;

    runs(r, 0, 0);
    first = irix_enable(h, p, false, &user);
    cr_expect_gt(first, 0);
    cr_expect_eq(irix_read(h, p, count), first);
    cr_expect_eq(irix_modify(h, p, false, &user), first + 1);
    cr_expect_eq(irix_read(h, p, count), first + 1);
    cr_expect_eq(irix_system_enable(h, p + 1, true, &kernel), irix_system_read(h, count));
    cr_expect_eq(irix_read(h, p, count), first + 2, "lost while running");
    cr_expect_eq(irix_system_modify(h, true, &kernel), irix_system_read(h, count));
    cr_expect_eq(irix_system_read(h, count), 3);
    cr_expect_eq(irix_read(h, p, count), first + 2);
    cr_expect_eq(irix_system_release(h, true), 0);
    stops(r, 0);
    runs(r, 0, 1);
    happens(r, 1, 9, IRIX_MODE_USER, 5);
    cr_expect_eq(counted(r, 0, 9), 0, "it was started again");
    cr_expect_eq(irix_enable(h, p, false, &user), first + 3);
    happens(r, 1, 9, IRIX_MODE_USER, 5);
    cr_expect_eq(counted(r, 0, 9), 5);
    free_rig(r);
}

/* Who sleeps while system mode begins finds its counters gone when it runs; if that is over by
 * then, it never knew. Root may take them by way of /proc while everybody sleeps. */
Test(irix_hwperf, sleepers)
{
    for (int wakes_meanwhile = 0; wakes_meanwhile < 2; wakes_meanwhile++) {
        struct rig *r = new_rig();
        const struct irix_setup user = example(), kernel = in_kernel();
        uint64_t count[IRIX_EVENTS];
        int64_t first;
        runs(r, 0, 0);
        first = irix_enable(&r->irix, &r->process[0], false, &user);
        cr_expect_eq(irix_enable(&r->irix, &r->process[1], true, &kernel), -EBUSY);
        happens(r, 0, 9, IRIX_MODE_USER, 3);
        stops(r, 0);
        cr_expect_gt(irix_enable(&r->irix, &r->process[1], true, &kernel), 0);
        if (wakes_meanwhile)
            runs(r, 0, 1);
        happens(r, 1, 9, IRIX_MODE_USER, 4); /* the system's */
        cr_expect_eq(counted(r, 1, 9), 4);
        cr_expect_eq(irix_release(&r->irix, &r->process[1]), 0);
        if (!wakes_meanwhile)
            runs(r, 0, 1);
        happens(r, 1, 9, IRIX_MODE_USER, 5);
        cr_expect_eq(irix_read(&r->irix, &r->process[0], count), first + wakes_meanwhile);
        cr_expect_eq(count[9], wakes_meanwhile ? 3 : 8);
        cr_expect_eq(counted(r, 1, 9), 4, "what was counted can be read after release");
        free_rig(r);
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

/* A target that does not run counts from its next turn on, and after its release no more. */
Test(irix_hwperf, deferred_start_and_release)
{
    struct rig *r = new_rig();
    const struct irix_setup user = example();

    cr_expect_gt(irix_enable(&r->irix, r->process, false, &user), 0);
    happens(r, 3, 9, IRIX_MODE_USER, 7);
    cr_expect_eq(counted(r, 0, 9), 0);
    runs(r, 0, 3);
    happens(r, 3, 9, IRIX_MODE_USER, 7);
    happens(r, 3, 25, IRIX_MODE_USER, 8);
    happens(r, 3, 25, IRIX_MODE_KERNEL, 100);
    happens(r, 3, 26, IRIX_MODE_USER, 100);
    cr_expect_eq(counted(r, 0, 9), 7);
    cr_expect_eq(counted(r, 0, 25), 8);
    cr_expect_eq(irix_release(&r->irix, r->process), 0);
    happens(r, 3, 9, IRIX_MODE_USER, 7);
    cr_expect_eq(counted(r, 0, 9), 7);
    cr_expect_gt(irix_enable(&r->irix, r->process, false, &user), 0);
    cr_expect_eq(counted(r, 0, 9), 0, "enabling begins at zero");
    free_rig(r);
}

/* On an R12000 every counter counts all 32 events by their own numbers. */
Test(irix_hwperf, r12000_has_wider_events)
{
    struct rig *r = new_rig();
    const struct irix_setup user = example();

    r->events = 32;
    runs(r, 0, 0);
    cr_expect_gt(irix_enable(&r->irix, r->process, false, &user), 0);
    cr_expect_eq(r->cpu[0].control[0] >> IRIX_EVENT_SHIFT, 9);
    cr_expect_eq(r->cpu[0].control[1] >> IRIX_EVENT_SHIFT, 25);
    free_rig(r);
}

/* More than 32 bits: the hardware's interrupt at bit 31 carries on, whether the program asked for
 * interrupts or not, and thresholds of nobody are told to nobody. */
Test(irix_hwperf, beyond_32_bits)
{
    for (int asked = 0; asked < 2; asked++) {
        struct rig *r = new_rig();
        struct irix_setup s = example();
        if (!asked)
            s.event[9] &= (uint16_t)~IRIX_INTERRUPT;
        runs(r, 0, 0);
        irix_enable(&r->irix, r->process, false, &s);
        for (unsigned i = 0; i < 12; i++)
            happens(r, 0, 9, IRIX_MODE_USER, UINT32_C(1) << 30);
        cr_expect_eq(counted(r, 0, 9), UINT64_C(12) << 30);
        cr_expect_eq(r->reached[0], 0);
        free_rig(r);
    }
}

/* A threshold of n is reached once in n events, however they come, and over switches; without the
 * event's interrupt enable it is none. */
Test(irix_hwperf, thresholds)
{
    static const struct {
        uint32_t threshold, piece, pieces;
    } rows[] = {{1, 1, 9},     {7, 1, 50},      {10, 3, 70},
                {100, 99, 20}, {1000, 1, 2500}, {INT32_MAX, 1 << 30, 9}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int enabled = 0; enabled < 2; enabled++) {
            struct rig *r = new_rig();
            struct irix_setup s = example();
            const uint64_t all = (uint64_t)rows[i].piece * rows[i].pieces;
            s.threshold[9] = (int32_t)rows[i].threshold;
            s.signal = SIGNAL_USR1;
            if (!enabled)
                s.event[9] &= (uint16_t)~IRIX_INTERRUPT;
            irix_enable(&r->irix, r->process, false, &s);
            for (unsigned n = 0; n < rows[i].pieces; n++) {
                runs(r, 0, n % CPUS);
                happens(r, n % CPUS, 9, IRIX_MODE_USER, rows[i].piece);
                stops(r, n % CPUS);
            }
            cr_expect_eq(counted(r, 0, 9), all);
            cr_expect_eq(r->reached[0], enabled ? all / rows[i].threshold : 0, "row %zu", i);
            cr_expect_eq(r->signal, enabled && r->reached[0] ? SIGNAL_USR1 : 0);
            free_rig(r);
        }
}

/* Sixteen events share counter 0 and two counter 1: at each tick the next one has the turn. Values
 * are raw: what happened in its turns. An event alone on its counter is not disturbed. */
Test(irix_hwperf, multiplexing)
{
    for (unsigned second = 1; second <= 2; second++) {
        struct rig *r = new_rig();
        struct irix_setup s = {0};
        enum { ROUNDS = 3 };
        for (unsigned e = 0; e < 16; e++)
            s.event[e] = spec(e, IRIX_MODE_USER);
        s.threshold[5] = 25; /* over turns of 10 */
        for (unsigned e = 20; e < 20 + second; e++)
            s.event[e] = spec(e, IRIX_MODE_USER);
        runs(r, 0, 0);
        irix_enable(&r->irix, r->process, false, &s);
        cr_expect(irix_multiplexed(&r->irix, 0));
        cr_expect_not(irix_multiplexed(&r->irix, 1));
        for (unsigned tick = 0; tick < 16 * ROUNDS; tick++) {
            unsigned on = 0;
            for (unsigned e = 0; e < 16; e++)
                on += happens(r, 0, e, IRIX_MODE_USER, 10) > 0;
            cr_expect_eq(on, 1);
            happens(r, 0, 20, IRIX_MODE_USER, 10);
            happens(r, 0, 21, IRIX_MODE_USER, 10);
            if (tick % 5 == 0) { /* turns survive switches */
                stops(r, 0);
                runs(r, 0, 0);
            }
            irix_tick(&r->irix, 0);
        }
        for (unsigned e = 0; e < 16; e++)
            cr_expect_eq(counted(r, 0, e), 10 * ROUNDS);
        cr_expect_eq(counted(r, 0, 20), 16 * ROUNDS * 10 / second);
        cr_expect_eq(counted(r, 0, 21), second == 2 ? 16 * ROUNDS * 10 / second : 0);
        cr_expect_eq(r->reached[0], ROUNDS * 10 / 25);
        free_rig(r);
    }
}

/* perfex -a multiplies by the events that share a counter. Of events at an even rate that is right;
 * of events in bursts it is off by as much as their rate differs in and out of their turns. */
Test(irix_hwperf, multiplexing_is_an_estimate)
{
    enum { TURNS = 64, PER_TURN = 100 };

    for (unsigned burst = 0; burst < 2; burst++) {
        struct rig *r = new_rig();
        struct irix_setup s = {0};
        uint64_t truth = 0, estimate;
        s.event[1] = spec(1, IRIX_MODE_USER);
        s.event[9] = spec(9, IRIX_MODE_USER);
        runs(r, 0, 0);
        irix_enable(&r->irix, r->process, false, &s);
        for (unsigned t = 0; t < TURNS; t++) {
            const uint32_t n = !burst || t % 4 == 0 ? PER_TURN : 0;
            happens(r, 0, 9, IRIX_MODE_USER, n);
            truth += n;
            irix_tick(&r->irix, 0);
        }
        estimate = 2 * counted(r, 0, 9);
        cr_expect_eq(burst, estimate != truth);
        free_rig(r);
    }
}

/* ---- processes ------------------------------------------------------------------------------- */

Test(irix_hwperf, fork_and_exit)
{
    static const struct {
        bool waits, saves,
            enabled; /* the parent waits; the child's counts are saved; the parent counts */
        bool added;
    } rows[] = {{false, false, true, false}, {true, false, true, true},
                {false, true, true, true},   {true, true, true, true},
                {true, false, false, true},  {false, true, false, true}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rig *r = new_rig();
        struct irix_process *parent = &r->process[0], *child = &r->process[1];
        const struct irix_setup user = example();
        runs(r, 0, 0);
        irix_enable(&r->irix, parent, false, &user);
        happens(r, 0, 9, IRIX_MODE_USER, 100);
        irix_born(child, parent);
        cr_expect_eq(counted(r, 1, 9), 0, "a child begins at zero");
        if (!rows[i].enabled)
            irix_release(&r->irix, parent);
        runs(r, 1, 1);
        happens(r, 1, 9, IRIX_MODE_USER, 11);
        cr_expect_eq(counted(r, 1, 9), 11, "it counts what its parent does");
        cr_expect_eq(counted(r, 0, 9), 100);
        if (rows[i].saves)
            cr_expect_eq(irix_save(&r->irix, child), 0);
        irix_born(&r->process[2], child); /* its own child is not saved with it */
        runs(r, 2, 2);
        happens(r, 2, 9, IRIX_MODE_USER, 1000);
        irix_gone(&r->irix, &r->process[2], child, false);
        irix_gone(&r->irix, child, parent, rows[i].waits);
        cr_expect_eq(counted(r, 0, 9), rows[i].added ? 111 : 100, "row %zu", i);
        free_rig(r);
    }
}

/* The system's counters: of each processor and together. Who took them by way of /proc gives them
 * back at its end; taken by syssgi they stay. */
Test(irix_hwperf, system_counters)
{
    for (int bound = 0; bound < 2; bound++) {
        struct rig *r = new_rig();
        struct irix_setup kernel = in_kernel();
        uint64_t count[IRIX_EVENTS], sum = 0;
        kernel.threshold[25] = 10;
        kernel.signal = SIGNAL_USR1;
        runs(r, 0, 0);
        cr_expect_gt(bound ? irix_enable(&r->irix, r->process, true, &kernel)
                           : irix_system_enable(&r->irix, r->process, true, &kernel),
                     0);
        for (unsigned c = 0; c < CPUS; c++)
            happens(r, c, 25, IRIX_MODE_KERNEL, c + 1); /* idle processors too */
        for (unsigned c = 0; c < CPUS; c++) {
            cr_expect_gt(irix_cpu_read(&r->irix, c, count), 0);
            cr_expect_eq(count[25], c + 1);
            sum += count[25];
        }
        irix_system_read(&r->irix, count);
        cr_expect_eq(count[25], sum);
        cr_expect_eq(counted(r, 0, 25), bound ? sum : 0);
        happens(r, 3, 25, IRIX_MODE_KERNEL, 10);
        cr_expect_eq(r->reached[0], 1);
        irix_gone(&r->irix, r->process, NULL, false);
        cr_expect_eq(r->irix.system, !bound);
        happens(r, 3, 25, IRIX_MODE_KERNEL, 10);
        cr_expect_eq(r->reached_by_nobody, !bound);
        free_rig(r);
    }
}

/* ---- anything, in any order ------------------------------------------------------------------ */

/* What a process or a processor must have counted, by the rules alone. */
struct account {
    bool active;
    int64_t generation;
    uint64_t count[IRIX_EVENTS];
    struct irix_setup setup;
};

struct books {
    struct account process[PROCESSES], cpu[CPUS];
    int system; /* who took the system's counters by way of /proc, or: */
    int64_t generation;
};

enum { NOT = -1, SYSSGI = -2 };

static uint32_t draw(uint64_t *seed, uint32_t below)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % below;
}

/* Mostly good ones, with one or several events on a counter. */
static struct irix_setup draw_setup(uint64_t *seed)
{
    struct irix_setup s = {0};

    for (unsigned n = 1 + draw(seed, 6); n-- > 0;) {
        const unsigned e = draw(seed, IRIX_EVENTS);
        static const uint8_t modes[] = {8, 8, 8, 9, 1, 2, 10, 11, 4, 0};
        s.event[e] = spec(e, modes[draw(seed, sizeof modes)]);
        if (draw(seed, 3) == 0)
            s.threshold[e] = (int32_t)draw(seed, 50) - (draw(seed, 20) == 0 ? 60 : 0);
        if (draw(seed, 40) == 0)
            s.event[e] = (uint16_t)draw(seed, 65536);
    }
    s.signal = draw(seed, 10) ? (int)draw(seed, 33) : (int)draw(seed, 100) - 50;
    return s;
}

/* An event: counted once, for who has a right to it, if it has the turn. */
static void occur(struct rig *r, struct books *b, uint64_t *seed)
{
    const unsigned cpu = draw(seed, CPUS), e = draw(seed, IRIX_EVENTS), mode = 1u << draw(seed, 4);
    const uint32_t n = draw(seed, 40) ? draw(seed, 20) : UINT32_C(0x7fffffff) - draw(seed, 100);
    struct account *a = b->system != NOT        ? &b->cpu[cpu]
                        : r->cpu[cpu].runs >= 0 ? &b->process[r->cpu[cpu].runs]
                                                : NULL;
    const bool wanted =
        a && (b->system != NOT || a->active) && a->setup.event[e] & mode && a->setup.event[e];
    unsigned rivals = 0;
    uint64_t counted_;

    for (unsigned i = 0; wanted && i < IRIX_PER_COUNTER; i++)
        rivals += a->setup.event[e / IRIX_PER_COUNTER * IRIX_PER_COUNTER + i] != 0;
    counted_ = happens(r, cpu, e, mode, n);
    if (!wanted)
        cr_assert_eq(counted_, 0, "event %u of mode %u counts for nobody", e, mode);
    if (wanted && rivals == 1)
        cr_assert_eq(counted_, n, "event %u of mode %u is lost", e, mode);
    if (wanted)
        a->count[e] += counted_;
}

static void clear_counts(struct account *a)
{
    memset(a->count, 0, sizeof a->count);
}

static void lost(struct account *a)
{
    a->active = false;
    a->generation++;
}

/* All processors count for the system from now on. */
static void system_begins(struct rig *r, struct books *b, const struct irix_setup *s, int who)
{
    for (unsigned c = 0; c < CPUS; c++) {
        if (r->cpu[c].runs >= 0 && b->process[r->cpu[c].runs].active)
            lost(&b->process[r->cpu[c].runs]);
        b->cpu[c].setup = *s;
        clear_counts(&b->cpu[c]);
    }
    b->system = who;
    b->generation++;
}

static void sum_of(const struct books *b, uint64_t count[IRIX_EVENTS])
{
    memset(count, 0, IRIX_EVENTS * sizeof *count);
    for (unsigned c = 0; c < CPUS; c++)
        for (unsigned e = 0; e < IRIX_EVENTS; e++)
            count[e] += b->cpu[c].count[e];
}

static void system_ends(struct books *b)
{
    if (b->system >= 0)
        sum_of(b, b->process[b->system].count);
    b->system = NOT;
}

static void command(struct rig *r, struct books *b, uint64_t *seed)
{
    const unsigned i = draw(seed, PROCESSES), which = draw(seed, 10);
    const struct irix_setup s = draw_setup(seed);
    const bool root = draw(seed, 2);
    struct account *a = &b->process[i];
    struct irix_process *p = &r->process[i];
    bool kernel = false;
    int64_t got;

    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        kernel |= s.event[e] & IRIX_MODE_KERNEL;
    switch (which) {
    case 0:
    case 1:
        got = which ? irix_profile(&r->irix, p, root, &s) : irix_enable(&r->irix, p, root, &s);
        if (got <= 0)
            break;
        a->generation++;
        a->active = !kernel;
        a->setup = s;
        clear_counts(a);
        if (kernel)
            system_begins(r, b, &s, (int)i);
        cr_assert_eq(got, a->generation);
        break;
    case 2:
        got = irix_modify(&r->irix, p, root, &s);
        if (got <= 0)
            break;
        a->generation++;
        cr_assert_eq(got, a->generation);
        if (a->active)
            a->setup = s;
        else {
            b->generation++;
            for (unsigned c = 0; c < CPUS; c++)
                b->cpu[c].setup = s;
        }
        break;
    case 3:
        got = irix_release(&r->irix, p);
        cr_assert_eq(got == 0, a->active || b->system == (int)i);
        if (got == 0 && b->system == (int)i)
            system_ends(b);
        else if (got == 0)
            a->active = false;
        break;
    case 4:
        got = irix_system_enable(&r->irix, p, root, &s);
        if (got > 0)
            system_begins(r, b, &s, SYSSGI);
        break;
    case 5:
        got = irix_system_modify(&r->irix, root, &s);
        if (got <= 0)
            break;
        b->generation++;
        cr_assert_eq(got, b->generation);
        if (b->system >= 0)
            b->process[b->system].generation++;
        for (unsigned c = 0; c < CPUS; c++)
            b->cpu[c].setup = s;
        break;
    case 6:
        got = irix_system_release(&r->irix, root);
        cr_assert_eq(got == 0, root && b->system != NOT);
        if (got == 0 && b->system >= 0)
            b->process[b->system].generation++;
        if (got == 0)
            system_ends(b);
        break;
    case 7:
        irix_save(&r->irix, p);
        break;
    default:
        break;
    }
}

/* A process ends and another one is made in its place, by one that goes on. */
static void end_and_begin(struct rig *r, struct books *b, uint64_t *seed)
{
    const unsigned i = draw(seed, PROCESSES), by = (i + 1 + draw(seed, PROCESSES - 1)) % PROCESSES;
    const bool waits = draw(seed, 2), saves = r->process[i].saves;

    for (unsigned c = 0; c < CPUS; c++)
        if (r->cpu[c].runs == (int)i)
            r->cpu[c].runs = -1;
    if (b->system == (int)i)
        system_ends(b);
    irix_gone(&r->irix, &r->process[i], &r->process[by], waits);
    for (unsigned e = 0; (waits || saves) && e < IRIX_EVENTS; e++)
        b->process[by].count[e] += b->process[i].count[e];
    irix_born(&r->process[i], &r->process[by]);
    b->process[i] = b->process[by];
    clear_counts(&b->process[i]);
}

static void schedule(struct rig *r, struct books *b, uint64_t *seed)
{
    const unsigned cpu = draw(seed, CPUS), i = draw(seed, PROCESSES);

    stops(r, cpu);
    for (unsigned c = 0; c < CPUS; c++)
        if (r->cpu[c].runs == (int)i)
            return;
    runs(r, i, cpu);
    if (b->system != NOT && b->process[i].active)
        lost(&b->process[i]);
}

static void compare(struct rig *r, const struct books *b)
{
    uint64_t count[IRIX_EVENTS], sum[IRIX_EVENTS];

    unsigned users = 0;

    for (unsigned c = 0; c < CPUS; c++)
        users += r->irix.cpus[c].user != NULL;
    cr_assert_eq(r->irix.users, users);
    sum_of(b, sum);
    for (unsigned i = 0; i < PROCESSES; i++) {
        cr_assert_eq(irix_read(&r->irix, &r->process[i], count), b->process[i].generation,
                     "process %u", i);
        cr_assert_arr_eq(count, b->system == (int)i ? sum : b->process[i].count, sizeof count,
                         "process %u", i);
    }
    cr_assert_eq(irix_system_read(&r->irix, count),
                 b->system == NOT ? -EINVAL : (int64_t)b->generation);
    if (b->system != NOT)
        cr_assert_arr_eq(count, sum, sizeof count);
    for (unsigned c = 0; c < CPUS; c++)
        for (unsigned k = 0; k < IRIX_COUNTERS; k++)
            cr_assert_eq(r->cpu[c].value[k] >> 31, 0, "an overflow is left over");
}

Test(irix_hwperf, anything_in_any_order)
{
    enum { RUNS = 40, STEPS = 1500 };

    for (unsigned run = 0; run < RUNS; run++) {
        struct rig *r = new_rig();
        struct books *b = calloc(1, sizeof *b);
        uint64_t seed = run;
        b->system = NOT;
        b->generation = 1;
        for (unsigned i = 0; i < PROCESSES; i++)
            b->process[i].generation = 1;
        for (unsigned step = 0; step < STEPS; step++) {
            const unsigned what = draw(&seed, 16);
            if (what == 0)
                command(r, b, &seed);
            else if (what < 3)
                schedule(r, b, &seed);
            else if (what == 3)
                irix_tick(&r->irix, draw(&seed, CPUS));
            else if (what == 4 && draw(&seed, 4) == 0)
                end_and_begin(r, b, &seed);
            else
                occur(r, b, &seed);
            compare(r, b);
        }
        free(b);
        free_rig(r);
    }
}
