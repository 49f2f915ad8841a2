/*
 * The operating system's actors, on SimGrid 3.32. This is the only file that knows SimGrid.
 *
 * The hard idea: SimGrid may run any actor whose wait is over, but the order of system calls is
 * part of the result. So an actor whose deadline comes only reports that (`turn`) and then waits
 * for the hardware to grant it its turn (`go`), like one that is woken. Between two grants exactly
 * one actor works; the order of grants is decided by us.
 *
 * SimGrid's time is a double; ticks are whole and stay exact up to 2^53. SimGrid takes over SIGINT
 * and SIGSEGV when it starts; we give them back.
 */
#include "programs/actors.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utlist.h>

struct prog_actor {
    struct prog_actors *as;
    struct prog_actor *prev, *next;
    sg_actor_t sg;
    sg_sem_t go; /* the hardware grants the turn */
    void (*body)(void *arg);
    void *arg;
};

struct prog_actors {
    struct prog_actor *all;
    sg_sem_t turn; /* a thread hands the turn back, or reports that its deadline came */
    void (*hardware)(struct prog_actors *as, void *ctx);
    void *ctx;
};

/* ---- the platform ---------------------------------------------------------------------------- */

char *prog_actors_platform(const struct nm_params *p)
{
    char *text = NULL;
    size_t size;
    FILE *f = sim_text_open(&text, &size);
    /* SimGrid's second is our tick: the bus moves so many thousandths of a byte in one. */
    uint64_t milli = p->bus_width * p->bus_clock / (p->cpu_clock / 1000);

    fprintf(f, "<?xml version='1.0'?>\n"
               "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
               "<platform version=\"4.1\">\n"
               "  <zone id=\"numachine\" routing=\"Full\">\n"
               "    <host id=\"hardware\" speed=\"1f\"/>\n");
    for (uint64_t i = 0; i < nm_params_cards(p); i++)
        fprintf(f, "    <host id=\"card-%u\" speed=\"1f\"/>\n", (unsigned)i);
    for (uint64_t s = 0; s < nm_params_stations(p); s++)
        fprintf(f, "    <link id=\"bus-%u\" bandwidth=\"%u.%03uBps\" latency=\"0s\"/>\n",
                (unsigned)s, (unsigned)(milli / 1000), (unsigned)(milli % 1000));
    for (uint64_t s = 0; s < nm_params_stations(p); s++)
        for (uint64_t a = 0; a < p->processors; a++)
            for (uint64_t b = a + 1; b < p->processors; b++)
                fprintf(f,
                        "    <route src=\"card-%u\" dst=\"card-%u\"><link_ctn id=\"bus-%u\"/>"
                        "</route>\n",
                        (unsigned)(s * p->processors + a), (unsigned)(s * p->processors + b),
                        (unsigned)s);
    fprintf(f, "  </zone>\n</platform>\n");
    sim_text_close(f, &text);
    return text;
}

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
static int fill(int fd, const char *path, const char *text)
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
static int load_platform(const struct nm_params *p)
{
    char *text = prog_actors_platform(p), path[64];
    int fd = scratch_file(path), err = fill(fd, path, text);

    if (err == 0)
        simgrid_load_platform(path);
    if (fd >= 0)
        close(fd);
    if (strncmp(path, "/tmp/", 5) == 0)
        unlink(path);
    free(text);
    return err;
}

/* ---- starting and ending --------------------------------------------------------------------- */

static const int taken_signals[] = {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGUSR1};
enum { TAKEN = sizeof taken_signals / sizeof *taken_signals };

static void hardware_main(int argc, char **argv)
{
    struct prog_actors *as = sg_actor_self_get_data();

    (void)argc, (void)argv;
    as->hardware(as, as->ctx);
}

/* simgrid::s4u::Engine::is_initialized, which has no name in C. */
bool simgrid_is_initialized(void) __asm__("_ZN7simgrid3s4u6Engine14is_initializedEv");

static void start_simgrid(void)
{
    /* The thread factory is the one the sanitizers understand. */
#ifdef __SANITIZE_ADDRESS__
    char *args[] = {"numachine", "--log=root.thres:critical", "--log=no_loc",
                    "--cfg=contexts/factory:thread", NULL};
    int n = 4;
#else
    char *args[] = {"numachine", "--log=root.thres:critical", "--log=no_loc", NULL};
    int n = 3;
#endif

    simgrid_init(&n, args);
}

/** Starts SimGrid and gives it the machine's hosts. An interrupt meanwhile would end in SimGrid's
 *  handler, so it waits until ours is back. @return 0 or a negated errno */
static int set_up(const struct nm_params *p)
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
    start_simgrid();
    err = load_platform(p);
    for (int i = 0; i < TAKEN; i++)
        sigaction(taken_signals[i], &saved[i], NULL);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return err;
}

void prog_actor_free(struct prog_actors *as, struct prog_actor *a)
{
    DL_DELETE(as->all, a);
    sg_sem_destroy(a->go);
    free(a);
}

int prog_actors_run(const struct nm_params *p, void (*hardware)(struct prog_actors *as, void *ctx),
                    void *ctx)
{
    struct prog_actors as = {.hardware = hardware, .ctx = ctx};
    sg_actor_t hw;
    struct prog_actor *a, *tmp;
    int err = simgrid_is_initialized() ? -EALREADY : set_up(p);

    if (err < 0)
        return err;
    as.turn = sg_sem_init(0);
    hw = sg_actor_init("hardware", sg_host_by_name("hardware"));
    sg_actor_set_data(hw, &as);
    sg_actor_start(hw, hardware_main, 0, NULL);
    simgrid_run();
    DL_FOREACH_SAFE(as.all, a, tmp)
        prog_actor_free(&as, a);
    sg_sem_destroy(as.turn);
    return 0;
}

/* ---- threads --------------------------------------------------------------------------------- */

static sg_host_t host_of(unsigned card)
{
    char name[32];

    snprintf(name, sizeof name, "card-%u", card);
    return sg_host_by_name(name);
}

static void actor_main(int argc, char **argv)
{
    struct prog_actor *a = sg_actor_self_get_data();

    (void)argc, (void)argv;
    /* Daemons end with the hardware: a thread blocked for ever must not keep SimGrid going. */
    sg_actor_daemonize(sg_actor_self());
    sg_sem_acquire(a->go);
    a->body(a->arg);
    sg_sem_release(a->as->turn);
}

struct prog_actor *prog_actor_new(struct prog_actors *as, const char *name, unsigned card,
                                  void (*body)(void *arg), void *arg)
{
    struct prog_actor *a = sim_alloc(1, sizeof *a);
    a->as = as;
    a->body = body;
    a->arg = arg;
    a->go = sg_sem_init(0);
    DL_APPEND(as->all, a);
    a->sg = sg_actor_init(name, host_of(card));
    sg_actor_set_data(a->sg, a);
    sg_actor_start(a->sg, actor_main, 0, NULL);
    return a;
}

void prog_actor_move(struct prog_actor *a, unsigned card)
{
    sg_actor_set_host(a->sg, host_of(card));
}

/* ---- turns ----------------------------------------------------------------------------------- */

void prog_actors_advance(struct prog_actors *as, sim_tick to, unsigned due)
{
    double now = simgrid_get_clock();

    if ((double)to > now)
        sg_actor_sleep_for((double)to - now);
    while (due-- > 0)
        sg_sem_acquire(as->turn);
}

void prog_actor_grant(struct prog_actor *a)
{
    sg_sem_release(a->go);
    sg_sem_acquire(a->as->turn);
}

bool prog_actor_wait(struct prog_actor *a, sim_tick deadline)
{
    sg_sem_release(a->as->turn);
    if (deadline == SIM_NEVER) {
        sg_sem_acquire(a->go);
        return true;
    }
    if (!sg_sem_acquire_timeout(a->go, (double)deadline - simgrid_get_clock()))
        return true;
    sg_sem_release(a->as->turn);
    sg_sem_acquire(a->go);
    return false;
}
