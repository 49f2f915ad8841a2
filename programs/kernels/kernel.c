/*
 * Kernels as a workload: each thread's function runs natively as a SimGrid actor on the host of its
 * card, and is asked for references whenever the card has made the last ones.
 *
 * The hard idea is when a thread computes: in the middle of the run of the machine, from the event
 * in which its core has nothing more to do. Its turn lasts until the batch is full or it has to
 * know something, and takes no simulated time. What a thread computes ahead nobody can see but
 * through a word, and words are simulated.
 *
 * A kernel that crashes is stopped where it stands: its signal ends the run, as a guest's would.
 * What it has done to the simulator's memory before nobody knows. One that does not come back is
 * stopped in the same way, some time after the user has asked for the run's end.
 *
 * Memory of kn_alloc has an address of the host and a simulated one, which differ by a constant, so
 * where the host has put it is no part of any result.
 */
#include "programs/actors.h"
#include "programs/driven/team.h"
#include "programs/kernels/plugin.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <dlfcn.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <xxhash.h>

enum {
    BATCH = 2048,            /**< references of a thread at once */
    VA = 0x10000000,         /**< simulated address of the first byte of kn_alloc */
    ASKED = 64,              /**< arguments that are known */
    ASKED_NAME = 32,         /**< [bytes] of a name of theirs, with its end */
    NAME_MAX_ = 60,          /**< of a region */
    LINE_MAX_ = 4096,        /**< [bytes] of one kn_print */
    NOT_AT_ALL = 1 << 16,    /**< addresses below are those of no object */
    PATIENCE_NS = 500000000, /**< [host ns] from a signal that asks for the end to the end of who
                                  does not come back */
};

_Static_assert(sizeof(struct kn_packed) == sizeof(struct pc_packed) &&
                   offsetof(struct kn_packed, ticks) == offsetof(struct pc_packed, ticks) &&
                   offsetof(struct kn_packed, value) == offsetof(struct pc_packed, value) &&
                   (int)KN_KIND_COMPUTE_ == PC_REFERENCE_COMPUTE &&
                   (int)KN_KIND_LOAD_ == PC_REFERENCE_LOAD &&
                   (int)KN_KIND_STORE_ == PC_REFERENCE_STORE && PC_PACKED_BITS == 48 &&
                   (int)KN_IS == PC_IS && (int)KN_IS_NOT == PC_IS_NOT &&
                   (int)KN_AT_LEAST == PC_AT_LEAST,
               "what kernels see is what the core takes");

/** A thread of a kernel. */
struct member {
    struct kn_thread thread;
    struct kernels *of;
    struct prog_actor *actor;
    struct driven_batch out; /**< handed over */
    struct driven_result result;
    sigjmp_buf crashed;            /**< where it goes on that has */
    struct kn_packed batch[BATCH]; /**< the first is work before the first reference */
};

/** Signals of code that crashes. */
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
/** Signals by which people ask for the run's end. */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
enum {
    CRASHES = sizeof crashes / sizeof *crashes,
    ENDS = sizeof ends / sizeof *ends,
    CRASH_STACK = 64 << 10
};

/** What a signal handler saw of the kernel's own code. */
struct crash {
    const void *address, *pc; /**< of what it accessed, and of the instruction; NULL: not known */
    bool bad;                 /**< the address is known */
};

struct kernels {
    struct driven_team team;
    struct kn_program program;
    const struct prog_program *what;
    const struct kn_kernel *kernel;
    void *object;                 /**< it was loaded from */
    void *data;                   /**< the kernel's own */
    struct member *member;        /**< [threads] */
    struct member *turn;          /**< who computes; NULL: `setup` or `check` */
    sigjmp_buf refused;           /**< where those go on that cannot */
    sigjmp_buf *own;              /**< the kernel's own code runs: where it goes on if it crashes */
    pthread_t runner;             /**< the host's thread that runs it */
    uint64_t turns;               /**< so often it has begun to, and ... */
    uint64_t late;                /**< ... had, when it was last given time to come back */
    volatile sig_atomic_t ending; /**< somebody has asked for the end */
    timer_t patience;             /**< ends who does not come back, if ... */
    bool ends_caught;
    struct crash crash; /**< the last one */
    const char *called; /**< what `setup` or `check` called last; NULL: nothing */
    struct sigaction before[CRASHES], before_end[ENDS]; /**< what the signals did without us */
    stack_t stack_before;
    uint8_t *stack;  /**< of the handler: a kernel's may be full */
    uint8_t *memory; /**< `room` bytes of host memory, `used` of them given */
    size_t room, used;
    char asked[ASKED][ASKED_NAME]; /**< names of the arguments that it knows */
    unsigned asks;
    XXH64_state_t *hash; /**< of what has been printed */
};

static struct kernels *of_program(const struct kn_program *p)
{
    return (struct kernels *)((const char *)p - offsetof(struct kernels, program));
}

static struct member *of_thread(struct kn_thread *t)
{
    return (struct member *)((char *)t - offsetof(struct member, thread));
}

/* ---- crashes --------------------------------------------------------------------------------- */

/** Whose kernel runs: a handler of signals is told nothing else. */
static struct kernels *under_way;

/** The end has been asked for: the kernel's own code has some time to come back. */
static void grow_impatient(struct kernels *k)
{
    static const struct itimerspec soon = {.it_value = {.tv_nsec = PATIENCE_NS}};

    k->late = k->turns;
    timer_settime(k->patience, 0, &soon, NULL);
}

/** The kernel's own code begins to run: also after its end has been asked for, up to where the
 * machine looks at that. */
static void kernel_enter(struct kernels *k, sigjmp_buf *own)
{
    k->turns++;
    k->runner = pthread_self();
    k->own = own;
    if (k->ending)
        grow_impatient(k);
}

/** The instruction that a signal came at. */
static const void *kernel_pc_of(const void *context)
{
#if defined(__x86_64__)
    return (const void *)((const ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (const void *)((const ucontext_t *)context)->uc_mcontext.pc;
#else
    (void)context;
    return NULL;
#endif
}

/** Of the kernel's own code: it goes on where it was left last. Of others: as it would without us;
 * what has crashed does so again when the handler returns. */
static void on_crash(int number, siginfo_t *info, void *context)
{
    struct kernels *k = under_way;
    sigjmp_buf *own = k->own;
    unsigned i = 0;

    k->own = NULL;
    k->crash = (struct crash){.address = info->si_addr,
                              .pc = kernel_pc_of(context),
                              .bad = (number == SIGSEGV || number == SIGBUS) && info->si_code > 0 &&
                                     info->si_code != SI_KERNEL};
    if (own)
        siglongjmp(*own, number);
    while (crashes[i] != number)
        i++;
    sigaction(number, &k->before[i], NULL);
    if (k->before[i].sa_handler != SIG_DFL && k->before[i].sa_handler != SIG_IGN)
        k->before[i].sa_handler(number);
}

/** Somebody asks for the run's end: who listens is told. */
static void on_end(int number)
{
    struct kernels *k = under_way;
    unsigned i = 0;

    while (ends[i] != number)
        i++;
    k->before_end[i].sa_handler(number);
    k->ending = 1;
    if (k->own)
        grow_impatient(k);
}

/** That time is over. Only the host's thread that runs the kernel's code can leave it. */
static void on_late(int number, siginfo_t *info, void *context)
{
    struct kernels *k = under_way;
    sigjmp_buf *own = k->own;

    (void)info;
    if (!own || k->late != k->turns)
        return;
    if (!pthread_equal(pthread_self(), k->runner)) {
        pthread_kill(k->runner, number);
        return;
    }
    k->own = NULL;
    k->crash = (struct crash){.pc = kernel_pc_of(context)};
    siglongjmp(*own, number);
}

/** Whether the end was asked for before anybody here could hear it. */
static bool end_was_asked(const struct prog_run *run)
{
    const struct prog_hooks *hooks = run->hooks;

    return hooks && hooks->progress && !hooks->progress(hooks->ctx, 0, 0);
}

static void catch_ends(struct kernels *k)
{
    const struct sigaction action = {.sa_handler = on_end},
                           late = {.sa_sigaction = on_late,
                                   .sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};

    if (timer_create(CLOCK_MONOTONIC, &event, &k->patience))
        return;
    sigaction(SIGRTMIN, &late, NULL);
    for (unsigned i = 0; i < ENDS; i++) {
        sigaction(ends[i], NULL, &k->before_end[i]);
        if (k->before_end[i].sa_handler != SIG_DFL && k->before_end[i].sa_handler != SIG_IGN)
            sigaction(ends[i], &action, NULL);
    }
    k->ends_caught = true;
    if (end_was_asked(k->team.run))
        k->ending = 1;
}

static void let_end(struct kernels *k)
{
    if (!k->ends_caught)
        return;
    for (unsigned i = 0; i < ENDS; i++)
        sigaction(ends[i], &k->before_end[i], NULL);
    timer_delete(k->patience);
    signal(SIGRTMIN, SIG_IGN); /* one may be under way */
}

static void catch_crashes(struct kernels *k)
{
    const struct sigaction action = {.sa_sigaction = on_crash,
                                     .sa_flags = SA_ONSTACK | SA_NODEFER | SA_SIGINFO};
    stack_t stack = {.ss_size = CRASH_STACK};

    under_way = k;
    k->stack = sim_alloc(1, CRASH_STACK);
    stack.ss_sp = k->stack;
    sigaltstack(&stack, &k->stack_before);
    for (unsigned i = 0; i < CRASHES; i++)
        sigaction(crashes[i], &action, &k->before[i]);
    catch_ends(k);
}

static void let_crash(struct kernels *k)
{
    if (!under_way)
        return;
    let_end(k);
    for (unsigned i = 0; i < CRASHES; i++)
        sigaction(crashes[i], &k->before[i], NULL);
    sigaltstack(&k->stack_before, NULL);
    free(k->stack);
    under_way = NULL;
}

/* ---- what is said of them -------------------------------------------------------------------- */

/** What it accessed. Where the host has put something is nobody's business, and another place each
 *  time. */
static void put_address(const struct kernels *k, FILE *out)
{
    const uintptr_t at = (uintptr_t)k->crash.address, memory = (uintptr_t)k->memory;

    if (!k->crash.bad)
        return;
    if (at < NOT_AT_ALL)
        fprintf(out, " at address 0x%" PRIxPTR, at);
    else if (at - memory < k->room)
        fprintf(out, " at simulated address 0x%" PRIx64, (uint64_t)(at - memory + VA));
    else
        fputs(" at an address that is not kn_alloc's", out);
}

/** Where the instruction is in the kernel's file, as addr2line takes it. */
static void put_pc(const struct kernels *k, FILE *out)
{
    Dl_info of, own;
    const char *slash;

    if (!k->crash.pc || !dladdr(k->crash.pc, &of) || !dladdr(k->kernel, &own) ||
        of.dli_fbase != own.dli_fbase)
        return;
    slash = strrchr(of.dli_fname, '/');
    fprintf(out, ", in %s+0x%tx", slash ? slash + 1 : of.dli_fname,
            (const char *)k->crash.pc - (const char *)of.dli_fbase);
}

/** Ends the run, of which the kernel's code has been left by a signal.
 *  @param who     "thread 2", "the kernel's setup"
 *  @param called  what it called last, and where; what may be NULL, and file */
static void say_left(struct kernels *k, int number, enum prog_end end, const char *who,
                     const struct driven_place *called)
{
    const bool late = number == SIGRTMIN;
    char *text;
    size_t size;
    FILE *out = sim_text_open(&text, &size);

    fprintf(out,
            late ? "%s does not come back: it computes, and asks for nothing"
                 : "%s has crashed (SIG%s)",
            who, late ? "" : sigabbrev_np(number));
    put_address(k, out);
    if (called->what)
        fprintf(out, ", after %s", called->what);
    if (called->what && called->file)
        fprintf(out, " at %s:%u", called->file, called->line);
    put_pc(k, out);
    sim_text_close(out, &text);
    prog_finish(k->team.run, late ? PROG_INTERRUPTED : end, number, "%s", text);
    free(text);
}

static void say_thread_left(struct member *m, int number)
{
    const struct kn_thread *t = &m->thread;
    char who[32];

    snprintf(who, sizeof who, "thread %u", t->number);
    say_left(m->of, number, PROG_SIGNALED, who, &(struct driven_place){t->what, t->file, t->line});
}

/* ---- turns ----------------------------------------------------------------------------------- */

/** The batch becomes a part of `out`: with the work before its first reference, if there is any. */
static void put_batch(struct member *m)
{
    const struct kn_packed *first = m->batch[0].ticks ? m->batch : m->batch + 1;

    m->out.reference = (const struct pc_packed *)first;
    m->out.count = (size_t)(m->thread.last + 1 - first);
}

/** Hands over the batch and `out`; comes back when both have been done. */
static void hand_over(struct member *m)
{
    put_batch(m);
    m->out.place = (struct driven_place){m->thread.what, m->thread.file, m->thread.line};
    m->of->own = NULL;
    prog_actor_wait(m->actor);
    kernel_enter(m->of, &m->crashed);
    m->thread.last = m->batch;
    m->batch[0] = (struct kn_packed){.what = pc_pack(PC_REFERENCE_COMPUTE, 0, 0), .ticks = 0};
    m->out = (struct driven_batch){.act = DRIVEN_MORE};
}

static void kernel_refill(void *self, unsigned thread, sim_tick now,
                          const struct driven_result *result, struct driven_batch *out)
{
    struct kernels *k = self;
    struct member *m = &k->member[thread];

    (void)now;
    m->result = *result;
    k->turn = m;
    if (!k->team.run->over)
        prog_actor_grant(m->actor);
    else
        m->out = (struct driven_batch){.act = DRIVEN_UNTIL, .value = INT64_MAX};
    k->turn = NULL;
    *out = m->out;
}

/** Who computes cannot go on; the run's end is decided. */
static __attribute__((noreturn)) void kernel_stop(struct kernels *k)
{
    k->own = NULL;
    if (!k->turn)
        siglongjmp(k->refused, -1);
    for (;;) {
        k->turn->out = (struct driven_batch){.act = DRIVEN_UNTIL, .value = INT64_MAX};
        hand_over(k->turn);
    }
}

/* ---- what kernels call ----------------------------------------------------------------------- */

static void kernel_flush(struct kn_thread *t)
{
    of_thread(t)->out = (struct driven_batch){.act = DRIVEN_MORE};
    hand_over(of_thread(t));
}

/** A region's name as others have it: a literal of so many printable characters. */
static void kernel_check_name(struct kernels *k, const char *name)
{
    size_t n = 0;

    while (n <= NAME_MAX_ && name[n] > ' ' && name[n] < 0x7f)
        n++;
    if (n && n <= NAME_MAX_ && !name[n])
        return;
    prog_finish(k->team.run, PROG_UNLOADABLE, 0,
                "a region's name is 1 to %d characters without spaces: '%.*s'", NAME_MAX_,
                NAME_MAX_, name);
    kernel_stop(k);
}

static uint32_t kernel_act(struct kn_thread *t, enum kn_act act, const volatile void *word,
                           uint32_t value, uint32_t expected, const char *name)
{
    static const enum driven_act acts[] = {
        [KN_GET_] = DRIVEN_LOAD,        [KN_ADD_] = DRIVEN_ADD,   [KN_SWAP_] = DRIVEN_SWAP,
        [KN_COMPARE_] = DRIVEN_COMPARE, [KN_WAIT_] = DRIVEN_WAIT, [KN_BEGIN_] = DRIVEN_BEGIN,
        [KN_END_] = DRIVEN_FINISH};
    struct member *m = of_thread(t);

    if (name)
        kernel_check_name(m->of, name);
    m->out = (struct driven_batch){.act = acts[act],
                                   .size = sizeof value,
                                   .address = kn_address_(t, word),
                                   .value = value,
                                   .expected = expected,
                                   .relation = (enum pc_relation)t->relation,
                                   .name = name};
    hand_over(m);
    return (uint32_t)m->result.value;
}

static unsigned kernel_threads(const struct kn_program *p)
{
    return of_program(p)->team.threads;
}

/** The argument NAME=...; NULL: there is none. The last one counts. */
static const char *kernel_argument(const struct kernels *k, const char *name)
{
    const size_t length = strlen(name);
    const char *value = NULL;

    for (char *const *a = k->what->argv + 1; *a; a++)
        if (!strncmp(*a, name, length) && (*a)[length] == '=')
            value = *a + length + 1;
    return value;
}

/** Notes the name of an argument that is asked for. */
static void kernel_note(struct kernels *k, const char *name)
{
    if (k->asks < ASKED && strlen(name) < ASKED_NAME)
        strcpy(k->asked[k->asks++], name);
}

static bool is_asked(const struct kernels *k, const char *argument)
{
    for (unsigned i = 0; i < k->asks; i++) {
        const size_t length = strlen(k->asked[i]);
        if (!strncmp(argument, k->asked[i], length) && argument[length] == '=')
            return true;
    }
    return k->asks == ASKED; /* there may be more */
}

/** Whether `setup` has asked for all arguments that are given; says which it has not. */
static bool all_asked(struct kernels *k)
{
    char known[512] = "";

    for (unsigned i = 0; i < k->asks; i++)
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s=", i ? ", " : "",
                 k->asked[i]);
    for (char *const *a = k->what->argv + 1; *a; a++)
        if (!is_asked(k, *a)) {
            prog_finish(k->team.run, PROG_UNLOADABLE, 0,
                        "argument '%s' is none of the kernel's, which are: %s", *a,
                        *known ? known : "none");
            return false;
        }
    return true;
}

static uint64_t kernel_number(struct kn_program *p, const char *name, uint64_t standard,
                              uint64_t least, uint64_t most)
{
    struct kernels *k = of_program(p);
    const char *text = kernel_argument(k, name);
    char *end = NULL;
    uint64_t value = standard;

    k->called = "kn_number";
    kernel_note(k, name);
    errno = 0;
    if (text)
        value = strtoull(text, &end, 0);
    if (!text ||
        (end != text && !*end && !errno && *text != '-' && value >= least && value <= most))
        return value;
    prog_finish(k->team.run, PROG_UNLOADABLE, 0,
                "argument '%s=%s': a whole number from %" PRIu64 " to %" PRIu64, name, text, least,
                most);
    kernel_stop(k);
}

static void *kernel_alloc(struct kn_program *p, size_t bytes)
{
    struct kernels *k = of_program(p);
    const size_t from = (k->used + KN_APART - 1) / KN_APART * KN_APART;

    k->called = "kn_alloc";
    if (bytes <= k->room && from <= k->room - bytes) {
        k->used = from + bytes;
        return k->memory + from;
    }
    prog_finish(
        k->team.run, PROG_NOMEM, 0,
        "kn_alloc: the machine's memory is full: %zu bytes are asked for, and of the %zu that "
        "all its stations have together %zu are taken. Take a smaller problem, more "
        "stations, or a larger memory.size",
        bytes, k->room, k->used);
    kernel_stop(k);
}

/** Says it to the listeners, and to the program's standard output. */
static void put_out(struct kernels *k, const char *text, size_t size)
{
    XXH64_update(k->hash, text, size);
    prog_put_out(k->team.run, k->what->stdout_fd, text, size);
}

static void kernel_print(struct kn_program *p, const char *format, ...)
{
    char text[LINE_MAX_];
    va_list ap;
    int n;

    of_program(p)->called = "kn_print";
    va_start(ap, format);
    n = vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    if (n > 0)
        put_out(of_program(p), text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1);
}

static const struct kn_calls calls = {.flush = kernel_flush,
                                      .act = kernel_act,
                                      .threads = kernel_threads,
                                      .number = kernel_number,
                                      .alloc = kernel_alloc,
                                      .print = kernel_print};

/* ---- the workload ---------------------------------------------------------------------------- */

static bool kernel_owns(void *self, uint64_t va)
{
    const struct kernels *k = self;

    return va >= VA && va - VA < k->used;
}

/** Words have their values in simulated memory, where they are all that is not 0: what KN_STORE
 * stores is the host's. `check` finds them in the host's, too. */
static void bring_words(struct kernels *k)
{
    const uint64_t page = nm_value_page_size(k->team.run->par);
    const uint8_t *image = nm_machine_image(k->team.run->m);
    uint64_t pa;

    for (uint64_t from = 0; from < k->used; from += page)
        for (uint64_t i = 0; driven_team_at(&k->team, VA + from, &pa) && i < page; i += 4) {
            uint32_t value;
            memcpy(&value, image + pa + i, sizeof value);
            if (value)
                *(uint32_t *)(void *)(k->memory + from + i) = be32toh(value);
        }
}

/** All threads have ended: the kernel looks at its result. */
static void kernel_ended(void *self)
{
    struct kernels *k = self;
    const int number = sigsetjmp(k->refused, 0);
    int wrong;

    if (number > 0)
        say_left(k, number, PROG_SIGNALED, "the kernel's check",
                 &(struct driven_place){.what = k->called});
    if (number)
        return;
    k->called = NULL;
    bring_words(k);
    kernel_enter(k, &k->refused);
    wrong = k->kernel->check(&k->program, k->data);
    k->own = NULL;
    prog_finish(k->team.run, PROG_EXITED, wrong >= 0 && wrong <= UINT8_MAX ? wrong : 1, NULL);
}

static const struct driven_producer producer = {
    .refill = kernel_refill, .owns = kernel_owns, .ended = kernel_ended};

/** Host memory for what kn_alloc may give: all of the machine's, less a page for each card, as long
 *  as nobody touches it, it is nothing. @return false: the host has no room */
static bool kernel_reserve(struct kernels *k)
{
    const struct nm_params *p = k->team.run->par;

    k->room = nm_params_stations(p) * nm_value_memory_size(p);
    k->memory = mmap(NULL, k->room, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (k->memory != MAP_FAILED)
        return true;
    k->memory = NULL;
    prog_finish(k->team.run, PROG_UNLOADABLE, 0, "no host memory for a kernel's %zu bytes: %s",
                k->room, strerror(errno));
    return false;
}

static void make_member(struct kernels *k, unsigned i)
{
    struct member *m = &k->member[i];

    m->of = k;
    m->thread = (struct kn_thread){
        .last = m->batch,
        .end = m->batch + BATCH,
        .base = (uintptr_t)k->memory - VA,
        .program = &k->program,
        .number = i,
        .phase = driven_team_phase(&k->team, i),
        .relation = KN_IS,
    };
    m->batch[0] = (struct kn_packed){.what = pc_pack(PC_REFERENCE_COMPUTE, 0, 0)};
}

static bool kernel_set_up(struct kernels *k)
{
    const int number = sigsetjmp(k->refused, 0);

    if (number > 0)
        say_left(k, number, PROG_UNLOADABLE, "the kernel's setup",
                 &(struct driven_place){.what = k->called});
    if (number)
        return false;
    kernel_enter(k, &k->refused);
    k->data = k->kernel->setup(&k->program);
    k->own = NULL;
    return all_asked(k);
}

static bool kernel_prepare(void *self, struct prog_run *run)
{
    struct kernels *k = self;
    char why[512];

    k->what = run->spec->what;
    k->hash = sim_hash_new(0);
    k->program.calls = &calls;
    if (!driven_team_prepare(&k->team, run, &producer, 0) || !kernel_reserve(k))
        return false;
    k->kernel = kernels_load(k->what->path, k->what->beside ? k->what->beside : k->what->path,
                             &k->object, why, sizeof why);
    if (!k->kernel) {
        prog_finish(run, PROG_UNLOADABLE, 0, "%s", why);
        return false;
    }
    k->member = sim_alloc(k->team.threads, sizeof *k->member);
    for (unsigned i = 0; i < k->team.threads; i++)
        make_member(k, i);
    catch_crashes(k);
    return kernel_set_up(k);
}

/** A thread's whole life, in its actor. */
static void kernel_live(void *arg)
{
    struct member *m = arg;
    const int number = sigsetjmp(m->crashed, 0);

    if (number) {
        say_thread_left(m, number);
        kernel_stop(m->of);
    }
    kernel_enter(m->of, &m->crashed);
    m->of->kernel->work(&m->thread, m->of->data);
    m->of->own = NULL;
    m->out = (struct driven_batch){.act = DRIVEN_OVER};
    put_batch(m);
}

static void kernel_start(void *self)
{
    struct kernels *k = self;

    for (unsigned i = 0; i < k->team.threads; i++) {
        char name[32];
        snprintf(name, sizeof name, "thread-%u", i);
        k->member[i].actor =
            prog_actor_new(k->team.run->actors, name, i, kernel_live, &k->member[i]);
    }
    driven_team_start(self);
}

static void kernel_end(void *self)
{
    struct kernels *k = self;

    k->team.run->out->stdout_hash = XXH64_digest(k->hash);
    XXH64_freeState(k->hash);
    driven_team_end(&k->team);
    let_crash(k);
    kernels_unload(k->object);
    free(k->member);
    if (k->memory)
        munmap(k->memory, k->room);
}

const struct prog_workload kernels_workload = {
    .name = "kernel",
    .sentence = "a parallel function of the host's, whose references driver cores make",
    .size = sizeof(struct kernels),
    .actors = true,
    .forwards = true,
    .prepare = kernel_prepare,
    DRIVEN_TEAM_OPS,
    .start = kernel_start,
    .end = kernel_end,
    .check = kernels_check,
};
