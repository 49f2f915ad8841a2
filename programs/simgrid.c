/*
 * Sleepers and flows on SimGrid, 3.32 or 4.0. This is the only file that knows SimGrid.
 *
 * SimGrid and what it is linked with are most of what the dynamic linker has to do for us, and most
 * runs never sleep. So its library is opened when the first sleeper comes or flows are asked for,
 * and each of its functions that we call is a row of CALLS.
 *
 * The hard idea: nobody waits for a sleeper. What concerns it is put into its semaphores, and it
 * hears of that when SimGrid runs next, which is when the clock moves. Until then SimGrid's time
 * stands still, so it has slept as long as if it had heard at once. SimGrid runs only when somebody
 * has something to hear or a date has come: between those its clock stays behind ours.
 *
 * SimGrid's time is a double; ticks are whole and stay exact up to 2^53. SimGrid takes over SIGINT
 * and SIGSEGV when it starts; we give them back.
 */
#include "programs/sleepers.h"

#include "base/alloc.h"
#include "base/sanitized.h"
#include "machine/values.h"
#include "programs/flows.h"
#include "programs/platform.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/exec.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <simgrid/version.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utlist.h>

#define CALLS                         \
    CALL(simgrid_init)                \
    CALL(simgrid_load_platform)       \
    CALL(simgrid_run)                 \
    CALL(simgrid_run_until)           \
    CALL(simgrid_get_clock)           \
    CALL(sg_host_by_name)             \
    CALL(sg_actor_init)               \
    CALL(sg_actor_start_)             \
    CALL(sg_actor_set_host)           \
    CALL(sg_sem_init)                 \
    CALL(sg_sem_destroy)              \
    CALL(sg_sem_acquire)              \
    CALL(sg_sem_acquire_timeout)      \
    CALL(sg_sem_release)              \
    CALL(sg_host_get_speed)           \
    CALL(sg_actor_parallel_exec_init) \
    CALL(sg_exec_start)               \
    CALL(sg_exec_wait)

/** SimGrid, once its library is open. */
struct calls {
#define CALL(function) typeof(&function) function;
    CALLS
#undef CALL
    bool (*is_initialized)(void);
};

struct prog_sleeper {
    struct prog_sleepers *ss;
    struct prog_sleeper *prev, *next;
    sg_actor_t sg;
    sg_sem_t begin, end; /* sleep; wake up */
    sim_tick date;
    bool asleep; /* or told to be */
    bool over;
};

struct prog_sleepers {
    struct calls call;
    struct prog_sleeper *all;
    sim_tick due;  /* nobody asleep has an earlier date */
    bool stirring; /* somebody has been told something, and has yet to run */
};

/* ---- the library ----------------------------------------------------------------------------- */

/** Some of SimGrid would take a lack of memory for a failure of one thread and go on without it.
 *  C++'s std::set_new_handler by the name it has in the library's own. */
static void die_without_memory(void *library)
{
    void (*(*set)(void (*)(void)))(void);
    void *const symbol = dlsym(library, "_ZSt15set_new_handlerPFvvE");

    memcpy(&set, &symbol, sizeof set);
    if (symbol)
        set(sim_no_memory);
}

#define TEXT_OF(macro) #macro
#define TEXT(macro)    TEXT_OF(macro)
#define LIBRARY        "libsimgrid.so." TEXT(SIMGRID_VERSION_MAJOR) "." TEXT(SIMGRID_VERSION_MINOR)

const char *prog_sleepers_library(void)
{
    return LIBRARY;
}

/** @param more  flags of dlopen */
static void *open_library(int more)
{
    return dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL | more);
}

/* Where the C library is, which is open, there all of a distribution's are. */
void prog_sleepers_directory(char *path)
{
    void *symbol = dlsym(RTLD_DEFAULT, "gnu_get_libc_version");
    const char *slash;
    Dl_info libc;

    *path = '\0';
    if (symbol && dladdr(symbol, &libc)) {
        slash = strrchr(libc.dli_fname, '/');
        if (slash && slash - libc.dli_fname < PATH_MAX - (int)sizeof LIBRARY) {
            size_t length = (size_t)(slash - libc.dli_fname + 1);
            memcpy(path, libc.dli_fname, length);
            memcpy(path + length, LIBRARY, sizeof LIBRARY);
            path[access(path, R_OK) == 0 ? length : 0] = '\0';
        }
    }
    if (!*path)
        open_library(RTLD_NODELETE);
}

/** @return 0 or a negated errno: the library is not there, or is another one */
static int find_calls(struct calls *calls)
{
    static const struct {
        const char *name;
        size_t offset;
    } rows[] = {
#define CALL(function) {#function, offsetof(struct calls, function)},
        CALLS
#undef CALL
        /* simgrid::s4u::Engine::is_initialized, which has no name in C */
        {"_ZN7simgrid3s4u6Engine14is_initializedEv", offsetof(struct calls, is_initialized)},
    };
    void *const library = open_library(0);

    for (size_t i = 0; library && i < sizeof rows / sizeof *rows; i++) {
        void *found = dlsym(library, rows[i].name);
        if (!found)
            return -ELIBBAD;
        memcpy((char *)calls + rows[i].offset, &found, sizeof found);
    }
    if (library)
        die_without_memory(library);
    return library ? 0 : -ELIBACC;
}

#undef CALLS

/* ---- the platform ---------------------------------------------------------------------------- */

/** A file for a moment: one without a name, or, where no /proc shows those, in /tmp.
 *  @param[out] path  to open it; begins with /tmp/ if it is to be removed */
static int scratch_file(char path[64])
{
    int fd = memfd_create("platform.xml", MFD_CLOEXEC);

    snprintf(path, 64, "/proc/self/fd/%d", fd);
    if (fd >= 0 && access(path, R_OK) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    strcpy(path, "/tmp/numachine-XXXXXX");
    return mkostemp(path, O_CLOEXEC);
}

/** Fills the file, and sees whether SimGrid will be able to open it, which takes a descriptor more:
 *  if it cannot, it throws. @return 0 or -errno */
static int simgrid_fill(int fd, const char *path, const char *text)
{
    const size_t len = strlen(text);
    ssize_t written;
    int again, err = 0;

    if (fd < 0)
        return -errno;
    written = write(fd, text, len);
    if (written != (ssize_t)len)
        return written < 0 ? -errno : -ENOSPC;
    again = open(path, O_RDONLY | O_CLOEXEC);
    if (again < 0)
        err = -errno;
    else
        close(again);
    return err;
}

/** SimGrid reads platforms from files only. @return 0 or -errno */
static int load_platform(const struct calls *calls, const char *text)
{
    char path[64];
    int fd = scratch_file(path), err = simgrid_fill(fd, path, text);

    if (err == 0)
        calls->simgrid_load_platform(path);
    if (fd >= 0)
        close(fd);
    if (strncmp(path, "/tmp/", 5) == 0)
        unlink(path);
    return err;
}

/* ---- starting and ending --------------------------------------------------------------------- */

static const int taken_signals[] = {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGUSR1};
enum { TAKEN = sizeof taken_signals / sizeof *taken_signals };

/** An actor's main function has the arguments of a program; ours has one, a pointer as text. */
static void simgrid_start(const struct calls *calls, sg_actor_t actor, xbt_main_func_t main,
                          void *what)
{
    char text[32];
    const char *const argv[] = {text};

    snprintf(text, sizeof text, "%p", what);
    calls->sg_actor_start_(actor, main, 1, argv);
}

static void *started_with(char **argv)
{
    return (void *)(uintptr_t)strtoull(argv[0], NULL, 16);
}

/** @param model  NULL, or an argument that chooses how hosts and links are shared */
static void start_simgrid(const struct calls *calls, char *model)
{
    /* An actor only waits: of the 8 MB that it would have, it needs some KB. */
    char *args[7] = {"numachine", "--log=root.thres:critical", "--log=no_loc",
                     "--cfg=contexts/stack-size:256"};
    int n = 4;

    /* The thread factory is the one the sanitizers understand. */
    if (SIM_ADDRESSES_WATCHED)
        args[n++] = "--cfg=contexts/factory:thread";
    if (model)
        args[n++] = model;
    calls->simgrid_init(&n, args);
}

/** Starts SimGrid and gives it a platform. An interrupt meanwhile would end in SimGrid's
 *  handler, so it waits until ours is back. @return 0 or a negated errno */
static int simgrid_set_up(const struct calls *calls, const char *platform, char *model)
{
    struct sigaction saved[TAKEN];
    sigset_t interrupts, before;
    int err;

    sigemptyset(&interrupts);
    sigaddset(&interrupts, SIGINT);
    sigaddset(&interrupts, SIGTERM);
    sigaddset(&interrupts, SIGUSR1);
    sigprocmask(SIG_BLOCK, &interrupts, &before);
    for (int i = 0; i < TAKEN; i++)
        sigaction(taken_signals[i], NULL, &saved[i]);
    start_simgrid(calls, model);
    err = load_platform(calls, platform);
    for (int i = 0; i < TAKEN; i++)
        sigaction(taken_signals[i], &saved[i], NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return err;
}

/** The library, and SimGrid in it, once. @return 0 or a negated errno */
static int simgrid_begin(struct calls *calls, const char *platform, char *model)
{
    int err = find_calls(calls);

    if (err == 0)
        err = calls->is_initialized() ? -EALREADY : simgrid_set_up(calls, platform, model);
    return err;
}

/* ---- sleepers -------------------------------------------------------------------------------- */

bool prog_sleepers_started(void)
{
    void *const library = open_library(RTLD_NOLOAD);
    struct calls calls;
    bool started = false;

    if (library) {
        started = find_calls(&calls) == 0 && calls.is_initialized();
        dlclose(library);
    }
    return started;
}

struct prog_sleepers *prog_sleepers_new(const struct nm_params *p, int *err)
{
    struct prog_sleepers *ss = sim_alloc(1, sizeof *ss);
    char *platform = prog_platform_hosts(p);

    ss->due = SIM_NEVER;
    *err = simgrid_begin(&ss->call, platform, NULL);
    free(platform);
    if (*err == 0)
        return ss;
    free(ss);
    return NULL;
}

void prog_sleepers_free(struct prog_sleepers *ss)
{
    free(ss);
}

void prog_sleepers_advance(struct prog_sleepers *ss, sim_tick to)
{
    const struct prog_sleeper *s;

    if (!ss->stirring && to < ss->due)
        return;
    ss->call.simgrid_run_until((double)to);
    ss->stirring = false;
    ss->due = SIM_NEVER;
    DL_FOREACH(ss->all, s)
        if (s->asleep)
            ss->due = sim_earlier(ss->due, s->date);
}

static sg_host_t host_of(const struct prog_sleepers *ss, unsigned card)
{
    char name[32];

    snprintf(name, sizeof name, "card-%u", card);
    return ss->call.sg_host_by_name(name);
}

static void sleep_once(struct prog_sleeper *s)
{
    const struct calls *calls = &s->ss->call;

    if (s->date == SIM_NEVER)
        calls->sg_sem_acquire(s->end);
    else if (calls->sg_sem_acquire_timeout(s->end, (double)s->date - calls->simgrid_get_clock()))
        s->asleep = false;
}

static void sleeper_main(int argc, char **argv)
{
    struct prog_sleeper *s = started_with(argv);

    (void)argc;
    s->ss->call.sg_sem_acquire(s->begin);
    while (!s->over) {
        sleep_once(s);
        s->ss->call.sg_sem_acquire(s->begin);
    }
}

struct prog_sleeper *prog_sleeper_new(struct prog_sleepers *ss, const char *name, unsigned card)
{
    struct prog_sleeper *s = sim_alloc(1, sizeof *s);

    s->ss = ss;
    s->begin = ss->call.sg_sem_init(0);
    s->end = ss->call.sg_sem_init(0);
    s->sg = ss->call.sg_actor_init(name, host_of(ss, card));
    simgrid_start(&ss->call, s->sg, sleeper_main, s);
    DL_APPEND(ss->all, s);
    ss->stirring = true;
    return s;
}

void prog_sleeper_free(struct prog_sleeper *s)
{
    const struct calls *calls = &s->ss->call;

    DL_DELETE(s->ss->all, s);
    s->over = true;
    prog_sleeper_wake(s);
    calls->sg_sem_release(s->begin);
    calls->simgrid_run_until(calls->simgrid_get_clock());
    calls->sg_sem_destroy(s->begin);
    calls->sg_sem_destroy(s->end);
    free(s);
}

void prog_sleeper_move(struct prog_sleeper *s, unsigned card)
{
    s->ss->call.sg_actor_set_host(s->sg, host_of(s->ss, card));
}

void prog_sleeper_sleep(struct prog_sleeper *s, sim_tick date)
{
    s->date = date;
    s->asleep = true;
    s->ss->stirring = true;
    s->ss->call.sg_sem_release(s->begin);
}

void prog_sleeper_wake(struct prog_sleeper *s)
{
    if (!s->asleep)
        return;
    s->asleep = false;
    s->ss->stirring = true;
    s->ss->call.sg_sem_release(s->end);
}

/* ---- flows ----------------------------------------------------------------------------------- */

/** Tasks that run at once. One actor starts them all and outlives them, which those of an actor
 * that ends do not. */
struct flows {
    struct calls call;
    const struct nm_params *p;
    const struct prog_task *task;
    unsigned tasks;
    double *took;
    sg_sem_t ended; /**< once for each that has */
};

/** Who waits for one of them. */
struct waiter {
    const struct flows *f;
    sg_exec_t exec;
    double *took;
};

static sg_host_t station_host(const struct calls *calls, const char *what, unsigned station)
{
    char name[32];

    snprintf(name, sizeof name, "%s-%u", what, station);
    return calls->sg_host_by_name(name);
}

/** Hosts of a task: its card, then each station's network card, then each station's memory. */
struct amounts {
    size_t hosts, stations;
    sg_host_t *host;
    double *flops; /**< [hosts] */
    double *bytes; /**< [hosts * hosts], a row for each sender */
};

static void add_flow(const struct flows *f, const struct prog_flow *flow, const struct amounts *a)
{
    const struct nm_params *p = f->p;
    const size_t network = 1 + flow->from, memory = network + a->stations;

    if (flow->of == PROG_FLOW_MEMORY)
        a->flops[memory] += flow->share * f->call.sg_host_get_speed(a->host[memory]);
    else if (flow->of == PROG_FLOW_BUS)
        a->bytes[network * a->hosts + memory] +=
            flow->share * prog_platform_bandwidth(p, p->bus_width, p->bus_clock);
    else
        a->bytes[network * a->hosts + 1 + flow->to] +=
            flow->share * prog_platform_bandwidth(p, p->ring_width, p->ring_clock);
}

static sg_exec_t start_task(const struct flows *f, const struct prog_task *task,
                            const struct amounts *a)
{
    char name[32];
    sg_exec_t exec;

    memset(a->flops, 0, a->hosts * sizeof *a->flops);
    memset(a->bytes, 0, a->hosts * a->hosts * sizeof *a->bytes);
    snprintf(name, sizeof name, "card-%u", task->card);
    a->host[0] = f->call.sg_host_by_name(name);
    a->flops[0] = f->call.sg_host_get_speed(a->host[0]);
    for (size_t i = 0; i < task->flows; i++)
        add_flow(f, &task->flow[i], a);
    exec = f->call.sg_actor_parallel_exec_init((int)a->hosts, a->host, a->flops, a->bytes);
    f->call.sg_exec_start(exec);
    return exec;
}

static void waiter_main(int argc, char **argv)
{
    const struct waiter *w = started_with(argv);

    (void)argc;
    w->f->call.sg_exec_wait(w->exec);
    *w->took = w->f->call.simgrid_get_clock();
    w->f->call.sg_sem_release(w->f->ended);
}

static void flows_main(int argc, char **argv)
{
    struct flows *f = started_with(argv);
    const size_t stations = nm_params_stations(f->p), hosts = 1 + 2 * stations;
    const struct amounts a = {.hosts = hosts,
                              .stations = stations,
                              .host = sim_alloc(hosts, sizeof(sg_host_t)),
                              .flops = sim_alloc(hosts, sizeof(double)),
                              .bytes = sim_alloc(hosts * hosts, sizeof(double))};
    struct waiter *waiter = sim_alloc(f->tasks, sizeof *waiter);

    (void)argc;
    for (unsigned s = 0; s < stations; s++) {
        a.host[1 + s] = station_host(&f->call, "network", s);
        a.host[1 + stations + s] = station_host(&f->call, "memory", s);
    }
    for (unsigned i = 0; i < f->tasks; i++) {
        waiter[i] =
            (struct waiter){.f = f, .exec = start_task(f, &f->task[i], &a), .took = &f->took[i]};
        simgrid_start(&f->call, f->call.sg_actor_init("task", a.host[0]), waiter_main, &waiter[i]);
    }
    for (unsigned i = 0; i < f->tasks; i++)
        f->call.sg_sem_acquire(f->ended);
    free(a.host);
    free(a.flops);
    free(a.bytes);
    free(waiter);
}

int prog_flows_run(const struct nm_params *p, const struct prog_task *task, unsigned tasks,
                   double *took)
{
    struct flows f = {.p = p, .task = task, .tasks = tasks, .took = took};
    char *platform = NULL;
    size_t size;
    FILE *out = sim_text_open(&platform, &size);
    int err;

    prog_platform_write(p, "flows", true, out);
    sim_text_close(out, &platform);
    err = simgrid_begin(&f.call, platform, "--cfg=host/model:ptask_L07");
    free(platform);
    if (err < 0)
        return err;
    f.ended = f.call.sg_sem_init(0);
    simgrid_start(&f.call, f.call.sg_actor_init("flows", f.call.sg_host_by_name("card-0")),
                  flows_main, &f);
    f.call.simgrid_run();
    f.call.sg_sem_destroy(f.ended);
    return 0;
}
