/*
 * One run of a program, from its first instruction to its end.
 *
 * The hard idea: two clocks move together. The machine is simulated up to the next date at which
 * the operating system has something to do (a deadline, an alarm, the limit) or until a card traps;
 * then SimGrid's clock is moved to the same tick and the threads concerned get their turns, one
 * after another, in an order that depends on nothing but the simulation.
 */
#include "base/alloc.h"
#include "base/nearest.h"
#include "programs/confine.h"
#include "programs/device.h"
#include "programs/inode.h"
#include "programs/ipc.h"
#include "programs/mapped.h"
#include "programs/signal.h"
#include "programs/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include <utlist.h>

/* How far the machine runs before the host's clock is looked at, and how often the hook is called.
 */
enum { CHUNK_TICKS = 1 << 18, PROGRESS_NS = 100000000 };

void prog_finish(struct prog *p, enum prog_end end, int status, const char *format, ...)
{
    va_list ap;

    if (p->over)
        return;
    p->over = true;
    p->over_at = prog_now(p);
    if (end == PROG_EXITED || end == PROG_SIGNALED)
        p->over_at += nm_machine_ahead(p->m);
    if (p->over_at > p->spec->limit)
        p->over_at = p->spec->limit;
    p->out->end = end;
    p->out->status = status;
    if (!format)
        return;
    va_start(ap, format);
    vsnprintf(p->out->message, sizeof p->out->message, format, ap);
    va_end(ap);
}

/* ---- dates ----------------------------------------------------------------------------------- */

static nm_tick earlier(nm_tick a, nm_tick b)
{
    return a < b ? a : b;
}

/** The next tick at which something must happen even if no card traps; NM_NEVER: none. */
static nm_tick next_date(const struct prog *p)
{
    nm_tick next = timers_date(p);
    const struct thread *t;

    DL_FOREACH(p->threads, t)
    if (t->waiting)
        next = earlier(next, t->deadline);
    return next;
}

/** Threads whose deadline is at or before `now`: counts them and, if `wake`, queues their turns. */
static unsigned due(struct prog *p, nm_tick now, bool wake)
{
    unsigned n = 0;
    struct thread *t;

    DL_FOREACH(p->threads, t)
    {
        if (!t->waiting || t->deadline > now)
            continue;
        n++;
        if (wake)
            thread_wake(t, WAKE_TIMEOUT);
    }
    return n;
}

/** Gives every woken thread its turn; they may wake others. */
static void run_woken(struct prog *p)
{
    while (p->woken && !p->over) {
        struct thread *t = p->woken;
        DL_DELETE2(p->woken, t, w_prev, w_next);
        p->vm.toucher = t->card;
        actor_grant(t->actor);
    }
}

/** Brings the threads' clock to the machine's and lets what is due happen. */
static void catch_up(struct prog *p)
{
    nm_tick now = prog_now(p);

    actors_advance(p->actors, now, due(p, now, false));
    due(p, now, true);
    timers_ring(p);
    run_woken(p);
}

/* ---- what stops the machine ------------------------------------------------------------------ */

/** Copies what the handler needs off the card. The LL link goes, as with the R4400's ERET. */
static void take_trap(struct thread *t, const struct nm_trap *trap)
{
    const struct pc_cpu *cpu = pc_cpu_at(t->p->m, trap->card);

    t->trap = *trap;
    t->exc = cpu->exc;
    t->badvaddr = cpu->badvaddr;
    t->trap_code = cpu->trap_code;
    t->call_pc = r4400_const_of(cpu)->call_pc;
    t->call_npc = r4400_const_of(cpu)->call_npc;
    t->absent = cpu->absent;
    t->unmapped = cpu->unmapped;
    t->protected = cpu->protected;
    pc_take(t->p->m, trap->card, &t->regs);
    t->ran += trap->at > t->since ? trap->at - t->since : 0;
    t->state = TH_OS;
    watch_trap(t);
}

static void handle_trap(struct prog *p, const struct nm_trap *trap)
{
    struct thread *t = p->cards[trap->card].running;

    if (!t) {
        prog_finish(p, PROG_BROKEN, 0, "card %u trapped with no thread on it", trap->card);
        return;
    }
    take_trap(t, trap);
    p->vm.toucher = trap->card;
    actor_grant(t->actor);
    run_woken(p);
}

static void report_deadlock(struct prog *p)
{
    char *threads = watch_threads(p);

    prog_finish(p, PROG_DEADLOCK, 0, "deadlock: every thread waits\n%s", threads);
    free(threads);
}

uint64_t prog_ns(const struct prog *p, nm_tick t)
{
    return (uint64_t)((unsigned __int128)t * 1000000000 / p->par->cpu_clock);
}

nm_tick prog_ticks(const struct prog *p, uint64_t ns)
{
    return (nm_tick)(((unsigned __int128)ns * p->par->cpu_clock + 999999999) / 1000000000);
}

static void machine_failed(struct prog *p, enum nm_run r)
{
    const char *error = nm_machine_error(p->m);

    if (r == NM_RUN_STUCK)
        prog_finish(p, PROG_STUCK, 0, "%s",
                    *error ? error : "a processor waited too long for one access");
    else
        prog_finish(p, PROG_BROKEN, 0, "%s", error);
}

static int64_t host_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static uint64_t instructions(const struct prog *p)
{
    uint64_t n = 0;

    for (unsigned c = 0; c < nm_machine_cards(p->m); c++)
        n += pc_cpu_at(p->m, c)->instructions;
    return n;
}

static void say_threads(struct prog *p)
{
    char *threads = watch_threads(p);

    watch_say(p, threads);
    free(threads);
}

void prog_tell(struct prog *p)
{
    const int64_t now = host_ns();

    if (now - p->told_ns < PROGRESS_NS)
        return;
    p->told_ns = now;
    watch_host(p, now);
    if (p->hooks && p->hooks->asked && p->hooks->asked(p->hooks->ctx))
        say_threads(p);
    if (!p->hooks || !p->hooks->progress)
        return;
    if (!p->hooks->progress(p->hooks->ctx, prog_now(p), instructions(p)))
        prog_finish(p, PROG_INTERRUPTED, 0, "interrupted");
}

/* ---- the loop -------------------------------------------------------------------------------- */

/** True if a thread has a card or could have one. */
static bool anyone_runs(const struct prog *p)
{
    const struct thread *t;

    DL_FOREACH(p->threads, t)
    if (t->state != TH_BLOCKED)
        return true;
    return false;
}

/** Lets the hook look if its date has come. */
static void moment(struct prog *p)
{
    const nm_tick now = prog_now(p);

    if (now >= p->moment_at)
        p->moment_at = p->hooks->moment(p->hooks->ctx, now);
}

static void step(struct prog *p)
{
    bool running = anyone_runs(p) || p->commands || mapped_awaited(p);
    nm_tick until = earlier(next_date(p), earlier(p->moment_at, p->spec->limit));
    struct nm_trap trap;
    enum nm_run r;

    if (!running && next_date(p) == NM_NEVER) {
        report_deadlock(p);
        return;
    }
    /* Whoever waits for the host's clock need not wait for a sleeping machine. */
    if (running)
        until = earlier(until, (prog_now(p) | (CHUNK_TICKS - 1)) + 1);
    r = nm_machine_run(p->m, until, &trap);
    catch_up(p);
    if (p->over)
        return;
    if (r == NM_RUN_TRAP)
        handle_trap(p, &trap);
    else if (r == NM_RUN_INTERRUPT) {
        if (trap.cause == NM_INTERRUPT_SPECIAL)
            device_interrupt(p, trap.card);
        else
            mapped_interrupt(p, trap.card);
        run_woken(p);
    } else if (r == NM_RUN_STUCK || r == NM_RUN_BROKEN)
        machine_failed(p, r);
    if (p->vm.full)
        prog_finish(p, PROG_NOMEM, 0,
                    "the machine's memory is full: the program needs more than memory.size");
    if (p->vm.unreadable)
        prog_finish(p, PROG_IO, 0, "a file mapped by the program cannot be read: %s",
                    strerror(p->vm.unreadable));
    if (!p->over && prog_now(p) >= p->spec->limit)
        prog_finish(p, PROG_LIMIT, 0, "stopped at the limit of %" PRIu64 " PCycles",
                    p->spec->limit);
    if (!p->over)
        watch_look(p, next_date(p) == NM_NEVER && !p->commands && !mapped_awaited(p));
    if (r == NM_RUN_UNTIL) {
        moment(p);
        prog_tell(p);
    }
}

/** All cards stop at one tick: run to it, and leave alone whatever traps on the way. */
static void run_out(struct prog *p)
{
    struct nm_trap trap;
    enum nm_run r = NM_RUN_TRAP;

    while ((r == NM_RUN_TRAP || r == NM_RUN_INTERRUPT) && prog_now(p) < p->over_at)
        r = nm_machine_run(p->m, p->over_at, &trap);
}

/** Whether the run ended before the program, so that one asks where its threads were. A deadlock's
 *  are in its message, unless they are too many. */
static bool wants_threads(const struct prog_outcome *out)
{
    if (out->end == PROG_DEADLOCK)
        return strlen(out->message) == sizeof out->message - 1;
    return out->end == PROG_LIMIT || out->end == PROG_INTERRUPTED || out->end == PROG_STUCK ||
           out->end == PROG_LIVELOCK;
}

static void hardware(struct actors *as, void *ctx)
{
    struct prog *p = ctx;

    p->actors = as;
    p->told_ns = host_ns();
    if (p->spec->confine)
        confine(p->view, p->spec->path, p->spec->off);
    thread_start(p->threads);
    while (!p->over)
        step(p);
    if (p->out->end == PROG_EXITED || p->out->end == PROG_SIGNALED)
        run_out(p);
    else if (wants_threads(p->out))
        say_threads(p);
    watch_refused(p);
}

/** Body of a thread's actor: one turn per trap. */
void thread_main(void *arg)
{
    struct thread *t = arg;

    for (;;) {
        if (t->trap.preempted)
            signal_deliver(t);
        else if (t->exc == PC_EXC_SYS)
            syscall_trap(t);
        else
            fault_trap(t);
        if (t->state == TH_DEAD)
            return;
        sched_return(t);
        actor_wait(t->actor, NM_NEVER);
    }
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static void prog_init(struct prog *p, struct nm_machine *m, const struct prog_spec *spec,
                      const struct prog_hooks *hooks, struct prog_outcome *out)
{
    unsigned cards = nm_machine_cards(m);

    memset(out, 0, sizeof *out);
    p->m = m;
    p->par = nm_machine_params(m);
    p->spec = spec;
    p->hooks = hooks;
    p->out = out;
    p->next_tid = FIRST_TID;
    p->umask = 022;
    p->cwd.fd = -1;
    p->elf_fd = -1;
    p->watch_at = 1;
    p->uid = p->gid = 1000;
    p->prctl.dumpable = 1;
    limits_init(p);
    p->moment_at = hooks && hooks->moment ? spec->moment : NM_NEVER;
    p->processors = spec->processors && spec->processors < cards ? spec->processors : cards;
    p->hash = XXH64_createState();
    if (!p->hash)
        nm_no_memory();
    XXH64_reset(p->hash, 0);
}

static void free_threads(struct prog *p)
{
    struct thread *t, *tmp;

    DL_FOREACH_SAFE(p->threads, t, tmp)
    {
        signal_clear_thread(t);
        free(t->note);
        free(t->held);
        free(t);
    }
    LL_FOREACH_SAFE(p->graves, t, tmp)
    {
        signal_clear_thread(t);
        free(t->note);
        free(t->held);
        free(t);
    }
}

static void prog_free(struct prog *p)
{
    device_free(p);
    files_free(p); /* first: closing a pipe looks for threads that wait for it */
    free_threads(p);
    signal_free(p);
    mqueues_free(p);
    sysv_free(p);
    timers_free(p);
    vm_free(&p->vm);
    inodes_free(p);
    view_free(p->view);
    XXH64_freeState(p->hash);
    if (p->elf_fd >= 0)
        close(p->elf_fd);
    free(p);
}

/** Opens and checks the executable; false with the reason in out->message. */
static bool open_image(struct prog *p)
{
    char why[512];

    p->elf_fd = open(p->spec->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (p->elf_fd < 0)
        prog_finish(p, PROG_UNLOADABLE, 0, "%s: %s", p->spec->path, strerror(errno));
    else if (!elf_read(p->elf_fd, &p->image, why, sizeof why))
        prog_finish(p, PROG_UNLOADABLE, 0, "%s: %s", p->spec->path, why);
    return !p->over;
}

/** A mapped file's bytes went back to the host: it is as new as that. */
static void wrote_back(void *ctx, uint64_t dev, uint64_t ino)
{
    inode_wrote(ctx, inode_at(ctx, (dev_t)dev, (ino_t)ino));
}

/** As many files as the host lets us have: the guest's own limit is FD_MAX everywhere. */
static void raise_file_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/** Decides which files of the host the guest can name. */
static bool open_view(struct prog *p)
{
    const struct view_spec spec = {
        .program = p->spec->beside, .allow = p->spec->allow, .off = p->spec->off};
    char why[512];

    raise_file_limit();
    p->view = view_new(&spec, why, sizeof why);
    if (p->view)
        view_home(p->view, &p->cwd);
    else
        prog_finish(p, PROG_UNLOADABLE, 0, "%s", why);
    return p->view;
}

static bool load(struct prog *p)
{
    struct pc_regs regs = {.fr = p->image.fr, .addr64 = p->image.n64};
    int err;

    p->n64 = p->image.n64;
    nm_machine_place(p->m, p->spec->ranges, p->spec->range_count);
    vm_init(&p->vm, p->m, p->n64);
    p->vm.wrote = wrote_back;
    p->vm.wrote_ctx = p;
    p->vm.paged = p->hooks ? p->hooks->paged : NULL;
    p->vm.paged_ctx = p->hooks ? p->hooks->ctx : NULL;
    files_init(p);
    err = prog_load(p, thread_new(p, &regs));
    if (p->vm.unreadable)
        prog_finish(p, PROG_IO, 0, "%s: %s", p->spec->path, strerror(p->vm.unreadable));
    else if (p->vm.full)
        prog_finish(p, PROG_NOMEM, 0, "%s: the machine's memory is too small to load it",
                    p->spec->path);
    else if (err == -E2BIG)
        prog_finish(p, PROG_UNLOADABLE, 0, "%s: arguments and environment are too long",
                    p->spec->path);
    else if (err == -EINVAL)
        prog_finish(p, PROG_UNLOADABLE, 0,
                    "%s: two segments share a page of %" PRIu64
                    " bytes; use a smaller memory.page_size",
                    p->spec->path, p->vm.page);
    else if (err < 0)
        prog_finish(p, PROG_UNLOADABLE, 0, "%s: %s", p->spec->path, strerror(-err));
    return !p->over;
}

void prog_run(struct nm_machine *m, const struct prog_spec *spec, const struct prog_hooks *hooks,
              struct prog_outcome *out)
{
    struct prog *p = nm_alloc(1, sizeof *p);
    /* A reader of the guest's output that goes away is the guest's affair. */
    void (*on_pipe)(int) = signal(SIGPIPE, SIG_IGN);
    int err = 0;

    prog_init(p, m, spec, hooks, out);
    if (open_image(p) && open_view(p) && load(p))
        err = actors_run(p->par, hardware, p);
    if (err < 0)
        prog_finish(p, PROG_UNLOADABLE, 0, "cannot start the simulation: %s", strerror(-err));
    if (!p->over)
        prog_finish(p, PROG_BROKEN, 0, "the simulation ended before the program");
    out->ticks = prog_now(p);
    out->instructions = instructions(p);
    out->stdout_hash = XXH64_digest(p->hash);
    prog_free(p);
    signal(SIGPIPE, on_pipe);
}

/** What somebody may have wanted who names such a file as a program. */
static const char *hint_for(const char *path)
{
    static const struct {
        const char *suffix, *hint;
    } hints[] = {
        {".yaml", "; numachine run runs experiments"},
        {".yml", "; numachine run runs experiments"},
        {".c", "; compile it with mips-linux-gnu-gcc -static, or name it as program.source"},
        {".o", "; link it with mips-linux-gnu-gcc -static"},
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < sizeof hints / sizeof *hints; i++)
        if (!strcmp(dot, hints[i].suffix))
            return hints[i].hint;
    return "";
}

bool prog_check(const char *path, char *why, size_t size)
{
    struct elf_image image;
    char reason[512];
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a pipe has perhaps no writer */
    bool ok;

    if (fd < 0) {
        snprintf(why, size, "%s: %s", path, strerror(errno));
        return false;
    }
    ok = elf_read(fd, &image, reason, sizeof reason);
    if (!ok)
        snprintf(why, size, "%s: %s%s", path, reason, hint_for(path));
    close(fd);
    return ok;
}

static const char *next_name(void *ctx, size_t i)
{
    char **names = ctx;
    return names[i];
}

/* Why a symbol is not to be had: there is none, or there are several, or it has no size. */
static void explain_symbol(int fd, const char *name, unsigned found, char *why, size_t size)
{
    char **names = elf_names(fd);
    const char *near = found ? NULL : nm_nearest(name, next_name, names);
    if (found > 1)
        snprintf(why, size, "there are %u symbols '%.100s'; give the addresses of one", found,
                 name);
    else if (found)
        snprintf(why, size, "the symbol '%.100s' has no size; give its addresses", name);
    else if (near)
        snprintf(why, size, "the program has no symbol '%.100s'; did you mean '%.64s'?", name,
                 near);
    else
        snprintf(why, size, "the program has no symbol '%.100s'", name);
    for (size_t i = 0; names[i]; i++)
        free(names[i]);
    free(names);
}

bool prog_symbol(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
                 size_t size)
{
    struct elf_image image;
    uint64_t length = 0;
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool good = fd >= 0 && elf_read(fd, &image, why, size);
    const unsigned found = good ? elf_find(fd, &image, name, from, &length) : 0;
    *to = *from + length;
    if (fd < 0)
        snprintf(why, size, "cannot read '%.100s': %s", path, strerror(errno));
    if (good && (found != 1 || !length))
        explain_symbol(fd, name, found, why, size);
    if (fd >= 0)
        close(fd);
    return found == 1 && length;
}
