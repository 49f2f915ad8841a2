/*
 * The Linux personality as a workload: what the run loop asks of it, and one program's
 * beginning and end.
 *
 * The hard idea: the actors' clock is moved to the machine's tick, and then the threads concerned
 * get their turns, one after another, in an order that depends on nothing but the simulation.
 */
#include "programs/linux/personality.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "programs/host.h"
#include "programs/linux/files/device.h"
#include "programs/linux/files/file.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/irix.h"
#include "programs/linux/files/link.h"
#include "programs/linux/files/mapped.h"
#include "programs/linux/inspect.h"
#include "programs/linux/ipc/ipc.h"
#include "programs/linux/isa/access.h"
#include "programs/linux/isa/fault.h"
#include "programs/linux/load.h"
#include "programs/linux/names/image.h"
#include "programs/linux/names/names.h"
#include "programs/linux/process/isa.h"
#include "programs/linux/signals/signal.h"
#include "programs/linux/syscalls.h"
#include "programs/linux/threads/threads.h"
#include "programs/linux/threads/watch.h"
#include "programs/linux/time/timer.h"
#include "programs/linux/view/confine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utlist.h>

/* ---- dates ----------------------------------------------------------------------------------- */

/** The next tick at which something happens to a thread without any card's doing; SIM_NEVER: none.
 */
static sim_tick next_wakeup(const struct lx_prog *p)
{
    sim_tick next = lx_timers_date(p);
    const struct lx_thread *t;

    DL_FOREACH2(p->timed, t, d_next)
        next = sim_earlier(next, t->deadline);
    return next;
}

/** The next tick at which something must happen even if no card traps; SIM_NEVER: none. */
static sim_tick next_date(const void *self)
{
    const struct lx_prog *p = self;

    return sim_earlier(next_wakeup(p), lx_irix_date(p));
}

/** Queues the turns of threads whose deadline is at or before `now`. */
static void wake_due(struct lx_prog *p, sim_tick now)
{
    struct lx_thread *t, *rest;

    DL_FOREACH_SAFE2(p->timed, t, rest, d_next)
        if (t->deadline <= now)
            lx_thread_wake(t, WAKE_TIMEOUT);
}

/** Frees what a thread has in other rooms. */
static void clear_thread(struct lx_thread *t)
{
    lx_signal_clear_thread(t);
    lx_files_let_go(t);
    lx_note_free(t->p, t->note);
    t->note = NULL;
}

/** Gives a thread its turn, which may be its last. */
static void personality_grant(struct lx_prog *p, struct lx_thread *t)
{
    p->vm.toucher = t->card;
    prog_actor_grant(t->actor);
    if (t->state != TH_DEAD)
        return;
    prog_actor_free(p->run->actors, t->actor);
    clear_thread(t);
    if (t != p->leader)
        lx_thread_free(t);
}

/** Gives every woken thread its turn; they may wake others. */
static void run_woken(struct lx_prog *p)
{
    while (p->woken && !p->run->over) {
        struct lx_thread *t = p->woken;
        DL_DELETE2(p->woken, t, w_prev, w_next);
        personality_grant(p, t);
    }
}

/** Brings the threads' clock to the machine's and lets what is due happen. */
static void personality_catch_up(void *self, sim_tick now)
{
    struct lx_prog *p = self;

    prog_actors_advance(p->run->actors, now);
    wake_due(p, now);
    lx_timers_ring(p);
    lx_irix_ring(p);
    run_woken(p);
}

/* ---- what stops the machine ------------------------------------------------------------------ */

/** Copies what the handler needs off the card. The LL link goes, as with the R4400's ERET. */
static void take_trap(struct lx_thread *t, const struct nm_trap *trap)
{
    const struct pc_cpu *cpu = pc_cpu_at(t->p->m, trap->card);

    t->trap = *trap;
    t->exc = cpu->exc;
    t->badvaddr = cpu->badvaddr;
    t->trap_code = cpu->trap_code;
    t->absent = cpu->absent;
    t->given = 0;
    t->unmapped = cpu->unmapped;
    t->protected = cpu->protected;
    pc_thread_take(t->p->m, trap->card, &t->regs, &t->call);
    t->ran += trap->at > t->since ? trap->at - t->since : 0;
    t->state = TH_OS;
    lx_irix_trap(t);
    lx_watch_trap(t);
}

/** The thread stands before the awaited instruction: the run is told, and it goes on as soon as
 *  anybody can (nm_machine_ahead).
 *  @return false: another trap */
static bool comes_to_point(struct lx_prog *p, const struct nm_trap *trap)
{
    const struct pc_cpu *cpu = pc_cpu_at(p->m, trap->card);

    if (trap->preempted || cpu->exc != PC_EXC_POINT)
        return false;
    if (lx_processors_came(p->vm.cpus, trap->card))
        prog_come(p->run, p->kind->isa->pc(pc_thread_registers(p->m, trap->card)));
    if (!p->run->over)
        nm_card_resume(p->m, trap->card, lx_now(p));
    return true;
}

static void handle_trap(void *self, const struct nm_trap *trap)
{
    struct lx_prog *p = self;
    struct lx_thread *t = p->cards[trap->card].running;

    if (!t) {
        prog_finish(p->run, PROG_BROKEN, 0, "card %u trapped with no thread on it", trap->card);
        return;
    }
    if (comes_to_point(p, trap))
        return;
    take_trap(t, trap);
    personality_grant(p, t);
    run_woken(p);
}

static void handle_interrupt(void *self, const struct nm_trap *trap)
{
    struct lx_prog *p = self;

    if (trap->cause == NM_INTERRUPT_SPECIAL)
        lx_device_interrupt(p, trap->card);
    else if (trap->cause == NM_INTERRUPT_COUNTERS && pc_counters(p->m, trap->card))
        lx_irix_interrupt(p, trap->card);
    else
        lx_mapped_interrupt(p, trap->card);
    run_woken(p);
}

/** Whether a device may still wake somebody. */
static bool device_works(const struct lx_prog *p)
{
    return p->commands || lx_mapped_awaited(p);
}

/** True if a thread has a card or could have one, or could be woken by the machine. */
static bool anyone_runs(const void *self)
{
    const struct lx_prog *p = self;
    const struct lx_thread *t;

    DL_FOREACH(p->threads, t)
        if (t->state != TH_BLOCKED)
            return true;
    return device_works(p);
}

/** The program may have found no memory, or a thread may get nowhere. */
static void personality_stepped(void *self)
{
    struct lx_prog *p = self;

    if (p->vm.full)
        prog_finish(p->run, PROG_NOMEM, 0,
                    "the machine's memory is full: the program needs more than memory.size");
    if (p->vm.unreadable)
        prog_finish(p->run, PROG_IO, 0, "a file mapped by the program cannot be read: %s",
                    strerror(p->vm.unreadable));
    if (!p->run->over && lx_now(p) < p->run->spec->limit)
        lx_watch_look(p, next_wakeup(p) == SIM_NEVER && !device_works(p));
}

static void personality_describe(void *self, FILE *out)
{
    lx_watch_threads(self, out);
}

static void last_words(void *self)
{
    lx_watch_refused(self);
}

/** Body of a thread's actor: one turn per trap. */
static void thread_body(void *arg)
{
    struct lx_thread *t = arg;

    for (;;) {
        if (t->trap.preempted)
            lx_signal_deliver(t);
        else if (t->exc == PC_EXC_SYS)
            lx_syscall_trap(t);
        else
            lx_fault_trap(t);
        if (t->state == TH_DEAD)
            return;
        lx_sched_return(t);
        prog_actor_wait(t->actor);
    }
}

static void thread_gone(struct lx_thread *t)
{
    lx_irix_gone(t);
    lx_signal_gone(t);
}

static const struct lx_steps steps = {
    .body = thread_body,
    .born = lx_irix_born,
    .gone = thread_gone,
    .back = lx_signal_deliver,
    .runs = lx_irix_runs,
    .stops = lx_irix_stops,
    .told = lx_epoll_came,
};

/* ---- beginning and end ----------------------------------------------------------------------- */

static void personality_init(struct lx_prog *p, struct prog_run *run)
{
    const unsigned cards = nm_machine_cards(run->m), asked = run->spec->processors;

    p->run = run;
    p->m = run->m;
    p->par = run->par;
    p->program = run->spec->what;
    p->next_tid = FIRST_TID;
    p->umask = 022;
    p->steps = &steps;
    p->cwd = sim_alloc(1, sizeof *p->cwd);
    p->cwd->fd = -1;
    p->elf_fd = -1;
    p->watch_at = 1;
    p->uid = p->gid = p->program->root ? 0 : 1000;
    p->prctl.dumpable = 1;
    lx_limits_init(p);
    p->processors = asked && asked < cards ? asked : cards;
    lx_irix_init(p);
    p->hash = sim_hash_new(0);
    /* A reader of the guest's output that goes away is the guest's affair. */
    p->on_pipe = signal(SIGPIPE, SIG_IGN);
}

static void free_threads(struct lx_prog *p)
{
    struct lx_thread *t, *tmp;

    DL_FOREACH_SAFE(p->threads, t, tmp) {
        clear_thread(t);
        if (t != p->leader)
            lx_thread_free(t);
    }
    if (p->leader)
        lx_thread_free(p->leader);
}

static void personality_end(void *self)
{
    struct lx_prog *p = self;

    p->run->out->stdout_hash = XXH64_digest(p->hash);
    lx_device_free(p);
    lx_files_free(p); /* first: closing a pipe looks for threads that wait for it */
    free_threads(p);
    lx_signal_free(p);
    lx_mqueues_free(p);
    lx_sysv_free(p);
    lx_timers_free(p);
    lx_vm_free(&p->vm);
    lx_inodes_free(p);
    lx_irix_free(p);
    lx_view_free(p->view);
    free(p->cwd);
    XXH64_freeState(p->hash);
    lx_symbols_told_free(&p->told);
    prog_host_close(p->elf_fd);
    signal(SIGPIPE, p->on_pipe);
}

/** The instruction set of a card's programs. */
static const struct lx_isa *isa_of_card(const struct nm_params *card)
{
    const char *name = pc_core_of(card)->isa;
    const struct lx_kind *kind = lx_kinds;

    while (strcmp(kind->isa->name, name) != 0)
        kind++;
    return kind->isa;
}

/** One program has one instruction set, and the processors have theirs. */
static void check_processor(struct lx_prog *p)
{
    const struct lx_kind *fits = lx_kinds, *is = p->image.kind;
    const struct lx_isa *has = is->isa;
    unsigned cards = 0; /* that execute it, before the first that does not */

    while (cards < p->processors && (has = isa_of_card(nm_card_params(p->m, cards))) == is->isa)
        cards++;
    while (fits->isa != has)
        fits++;
    if (is->isa != has && cards)
        prog_finish(p->run, PROG_UNLOADABLE, 0,
                    "%s: %s instructions (%s), and card %u of this machine (cards) executes %s "
                    "ones: one program has one instruction set; run it on the cards before it "
                    "(program.processors: %u), or choose another machine",
                    p->program->path, is->isa->name, is->name, cards, has->name, cards);
    else if (is->isa != has)
        prog_finish(
            p->run, PROG_UNLOADABLE, 0,
            "%s: %s instructions (%s), and this machine's processors (processor.core) execute "
            "%s ones: one program has one instruction set; compile it with %s (program.abi: "
            "%s), or choose another machine",
            p->program->path, is->isa->name, is->name, has->name, fits->compiler, fits->name);
}

/** Opens and checks the executable; false with the reason in out->message. */
static bool open_image(struct lx_prog *p)
{
    char why[512];

    p->elf_fd = prog_host_open(p->program->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC, 0);
    if (p->elf_fd < 0)
        prog_finish(p->run, PROG_UNLOADABLE, 0, "%s: %s", p->program->path, strerror(errno));
    else if (!lx_elf_read(p->elf_fd, &p->image, why, sizeof why))
        prog_finish(p->run, PROG_UNLOADABLE, 0, "%s: %s", p->program->path, why);
    else
        check_processor(p);
    return !p->run->over;
}

/** A mapped file's bytes went back to the host: it is as new as that. */
static void wrote_back(void *ctx, uint64_t dev, uint64_t ino)
{
    struct lx_inode *n = lx_inode_known(ctx, (dev_t)dev, (ino_t)ino);

    if (n) /* not of a System V segment */
        lx_inode_wrote(ctx, n);
}

static void personality_unmapped(void *ctx, uint64_t dev, uint64_t ino)
{
    struct lx_inode *n = lx_inode_known(ctx, (dev_t)dev, (ino_t)ino);

    if (n)
        lx_inode_left(ctx, n);
    else
        lx_shm_left(ctx, dev, ino);
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

/** Says what is too large to be copied. */
static void say_undoubled(struct lx_prog *p)
{
    const char *directory;

    for (size_t i = 0; (directory = lx_view_undoubled(p->view, i)); i++) {
        char *line = sim_format("numachine: note: %s is too large to be copied: the program can "
                                "change nothing there now\n",
                                directory);
        prog_say(p->run, line);
        free(line);
    }
}

/** Decides which files of the host the guest can name. */
static bool open_view(struct lx_prog *p)
{
    const struct lx_view_spec spec = {.program = p->program->beside,
                                      .allow = p->program->allow,
                                      .off = p->program->off,
                                      .tool = p->program->tool,
                                      .doubles = p->program->doubles};
    char why[512];

    raise_file_limit();
    p->view = lx_view_new(&spec, why, sizeof why);
    if (p->view)
        say_undoubled(p);
    if (p->view) {
        lx_view_links(p->view, lx_link_followed, p);
        lx_view_home(p->view, p->cwd);
    } else
        prog_finish(p->run, PROG_UNLOADABLE, 0, "%s", why);
    return p->view;
}

/** Where processors execute different instructions, a program must be one for all of them that it
 *  may use: threads move. (Where they do not, what is reserved is found when it is executed.) */
static bool is_for_all(struct lx_prog *p)
{
    static const char *const archs[] = {"MIPS I",  "MIPS II",          "MIPS III",
                                        "MIPS IV", "MIPS V",           "MIPS32",
                                        "MIPS64",  "MIPS32 release 2", "MIPS64 release 2"};
    static const struct {
        const char *name;
        unsigned arch; /* the last that it has all of */
    } isas[NM_ISA__COUNT] = {[NM_ISA_MIPS64R2] = {"mips64r2", 8},
                             [NM_ISA_MIPS3] = {"mips3", 2},
                             [NM_ISA_MIPS4] = {"mips4", 3}};
    const uint64_t first = nm_value_isa(nm_card_params(p->m, 0));
    unsigned least = 0;
    bool differ = false;

    for (unsigned c = 1; c < p->processors; c++) {
        const uint64_t isa = nm_value_isa(nm_card_params(p->m, c));
        differ |= isa != first;
        if (isas[isa].arch < isas[nm_value_isa(nm_card_params(p->m, least))].arch)
            least = c;
    }
    const uint64_t isa = nm_value_isa(nm_card_params(p->m, least));
    if (!differ || p->image.arch <= isas[isa].arch)
        return true;
    prog_finish(p->run, PROG_UNLOADABLE, 0,
                "%s: a program for %s, and the processor of card %u executes %s (processor.isa, "
                "cards); threads may move there. Compile it for that, or leave the card out "
                "(program.processors)",
                p->program->path, archs[p->image.arch], least, isas[isa].name);
    return false;
}

static bool personality_load(struct lx_prog *p)
{
    union lx_regs regs;
    int err;

    if (!is_for_all(p))
        return false;
    p->kind = p->image.kind;
    p->n64 = p->kind->word == 8;
    p->kind->isa->begin(&p->image, &regs);
    lx_vm_init(&p->vm, p->m, p->kind);
    p->vm.wrote = wrote_back;
    p->vm.left = personality_unmapped;
    p->vm.wrote_ctx = p;
    p->vm.paged = p->run->hooks ? p->run->hooks->paged : NULL;
    p->vm.paged_ctx = p->run->hooks ? p->run->hooks->ctx : NULL;
    lx_files_init(p);
    err = lx_load(p, lx_thread_new(p, &regs));
    if (p->vm.unreadable)
        prog_finish(p->run, PROG_IO, 0, "%s: %s", p->program->path, strerror(p->vm.unreadable));
    else if (p->vm.full)
        prog_finish(p->run, PROG_NOMEM, 0, "%s: the machine's memory is too small to load it",
                    p->program->path);
    else if (err == -E2BIG)
        prog_finish(p->run, PROG_UNLOADABLE, 0, "%s: arguments and environment are too long",
                    p->program->path);
    else if (err == -EINVAL)
        prog_finish(p->run, PROG_UNLOADABLE, 0,
                    "%s: two segments share a page of %" PRIu64
                    " bytes; use a smaller memory.page_size",
                    p->program->path, p->vm.page);
    else if (err < 0)
        prog_finish(p->run, PROG_UNLOADABLE, 0, "%s: %s", p->program->path, strerror(-err));
    return !p->run->over;
}

static bool personality_prepare(void *self, struct prog_run *run)
{
    personality_init(self, run);
    return open_image(self) && open_view(self) && personality_load(self);
}

static void personality_start(void *self)
{
    struct lx_prog *p = self;

    if (p->program->confine)
        lx_confine(p->view, p->program->path, p->program->off, p->program->copies);
    lx_irix_begin(p->threads);
    lx_thread_start(p->threads);
}

static bool personality_await(void *self, uint64_t va, uint64_t times)
{
    struct lx_prog *p = self;

    return lx_processors_await(p->vm.cpus, va, times);
}

static bool call_row(size_t i, struct prog_call *out)
{
    size_t count;
    const struct lx_sys_row *rows = lx_sys_rows(&count);

    if (i >= count)
        return false;
    *out = (struct prog_call){
        .name = rows[i].name, .sentence = rows[i].sentence, .differs = lx_sys_differs(&rows[i])};
    for (unsigned k = 0; k < LX_KINDS; k++)
        out->number[k] = rows[i].number[k] < 0 ? -1 : (int)lx_kinds[k].base + rows[i].number[k];
    return true;
}

const struct prog_workload lx_workload = {
    .name = "linux",
    .sentence = "a static MIPS (big-endian) or ARM executable on a personality of Linux",
    .size = sizeof(struct lx_prog),
    .actors = true,
    .forwards = true,
    .prepare = personality_prepare,
    .start = personality_start,
    .runs = anyone_runs,
    .date = next_date,
    .due = personality_catch_up,
    .trap = handle_trap,
    .interrupt = handle_interrupt,
    .accesses = lx_accesses,
    .await = personality_await,
    .stepped = personality_stepped,
    .describe = personality_describe,
    .inspect = &lx_inspect,
    .over = last_words,
    .end = personality_end,
    .check = lx_check,
    .symbol = lx_symbol,
    .entry = lx_entry,
    .names = lx_names,
    .abis = {"o32", "n64", "armel"},
    .call = call_row,
};
