/*
 * IRIX's event counters: from the guest's ioctl or syssgi to programs/irix/, and from what happens
 * to threads and cards.
 *
 * The hard idea is what a process is. There is one Linux process; but IRIX's own parallel programs
 * are share groups of processes, which sproc makes and each of which has a number in /proc. So are
 * threads here: a thread's number names its own counters, its child is what clone makes, and its
 * parent waits for it if it sleeps in pthread_join, on the word that tells of the child's end.
 *
 * All that can be wrong with an argument is found here before anything is asked for; a command
 * itself is a function of programs/irix/.
 */
#include "programs/linux/files/irix.h"
#include "machine/values.h"
#include "programs/linux/process/isa.h"

#include "base/alloc.h"
#include "experiments/include/irix/sys/hwperfctl.h"
#include "experiments/include/irix/sys/hwperfmacros.h"
#include "programs/linux/files/object.h"
#include "programs/linux/signals/signal.h"
#include "programs/linux/threads/threads.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

_Static_assert(HWPERF_EVENTMAX == IRIX_EVENTS && HWPERF_CNT1BASE == IRIX_PER_COUNTER &&
                   HWPERF_CNTEN_E == IRIX_MODE_EXL && HWPERF_CNTEN_K == IRIX_MODE_KERNEL &&
                   HWPERF_CNTEN_S == IRIX_MODE_SUPERVISOR && HWPERF_CNTEN_U == IRIX_MODE_USER,
               "the guest's header says something else");

enum {
    SETUP_BYTES = 2 * IRIX_EVENTS + 4 * IRIX_EVENTS + 4, /* hwperf_profevctrarg_t */
    REGIONS_MAX = 64,                                    /* of a profile */
    SCALE_ONE = 0x10000,                                 /* pr_scale: a bucket for 2 bytes */
    SCALE_REST = 2, /* pr_scale: the region takes what no other has */
    BUCKET = 2      /* [bytes] */
};

/** A struct prof: where the program counters of a part of the program are counted. */
struct region {
    uint64_t base, size, offset, scale;
};

struct lx_profile {
    unsigned count;
    struct region region[];
};

struct lx_irix {
    struct irix irix;
    struct irix_process outside; /* process 1, which never runs here */
    bool undefined;              /* processors count differently: nobody gets counters */
    sim_tick turned[];           /* [cards] the last clock interrupt that was heeded */
};

static bool is_root(const struct lx_prog *p)
{
    return p->uid == 0;
}

static struct lx_thread *irix_thread_of(struct irix_process *process)
{
    return (struct lx_thread *)((char *)process - offsetof(struct lx_thread, counts));
}

/* ---- profiles of program counters ------------------------------------------------------------ */

static size_t profile_bytes(unsigned regions)
{
    return sizeof(struct lx_profile) + regions * sizeof(struct region);
}

static void drop_profile(struct lx_thread *t)
{
    if (t->profile)
        lx_give_back(t->p, profile_bytes(t->profile->count));
    free(t->profile);
    t->profile = NULL;
}

/** The bucket of a program counter in a region; 0: it has none. */
static uint64_t irix_bucket(const struct region *r, uint64_t pc)
{
    uint64_t at;

    if (pc < r->offset)
        return 0;
    at = (uint64_t)(((unsigned __int128)(pc - r->offset) / BUCKET * r->scale) / SCALE_ONE) * BUCKET;
    return at < r->size && r->size - at >= BUCKET ? r->base + at : 0;
}

static bool takes_rest(const struct region *r)
{
    return r->offset == 0 && r->scale == SCALE_REST;
}

/** The bucket that counts a program counter; 0: none does. */
static uint64_t find_bucket(const struct lx_profile *profile, uint64_t pc)
{
    uint64_t rest = 0;

    for (unsigned i = 0; i < profile->count; i++) {
        const struct region *r = &profile->region[i];
        const uint64_t at = takes_rest(r) ? 0 : irix_bucket(r, pc);
        if (at)
            return at;
        if (takes_rest(r) && r->size >= BUCKET)
            rest = r->base;
    }
    return rest;
}

/** One more in the bucket of the thread's program counter. A full bucket stays full; one that is no
 *  longer mapped is left alone. */
static void irix_bump(struct lx_thread *t)
{
    struct lx_prog *p = t->p;
    const uint64_t pc = lx_pc_now(t);
    const uint64_t at = t->profile ? find_bucket(t->profile, pc) : 0;
    uint64_t count;

    if (at && lx_vm_read_word(&p->vm, at, BUCKET, &count) == 0 && count < UINT16_MAX)
        lx_vm_write_word(&p->vm, at, BUCKET, count + 1);
}

/** Reads an array of struct prof. @return 0, -EFAULT, -EINVAL, -ENOMEM */
static int64_t read_profile(struct lx_call *c, uint64_t va, int64_t count, struct lx_profile **out)
{
    const unsigned word = c->p->kind->word;
    struct lx_profile *profile;
    int err = 0;

    if (count <= 0 || count > REGIONS_MAX)
        return -EINVAL;
    profile = sim_alloc(1, profile_bytes((unsigned)count));
    profile->count = (unsigned)count;
    for (unsigned i = 0; !err && i < profile->count; i++) {
        struct region *r = &profile->region[i];
        struct lx_in in;
        err = lx_in_read(&in, &c->p->vm, va + (uint64_t)i * 4 * word, (size_t)4 * word);
        if (err)
            break;
        *r = (struct region){lx_in_long(&in), lx_in_long(&in), lx_in_long(&in), lx_in_long(&in)};
        if (r->base % BUCKET || r->scale > SCALE_ONE || r->size < BUCKET)
            err = -EINVAL;
        else if (r->base + r->size < r->base || lx_vm_mapped(&c->p->vm, r->base, r->size) < 0)
            err = -EFAULT;
    }
    if (!err && !lx_keep(c->p, profile_bytes(profile->count)))
        err = -ENOMEM;
    if (err) {
        free(profile);
        return err;
    }
    *out = profile;
    return 0;
}

/* ---- what the counters say ------------------------------------------------------------------- */

/** Tells of a thread that is interrupted for prog_spec.counted, unless the program has had other
 *  things counted since. */
static void irix_tell(const struct lx_thread *t)
{
    const struct prog_hooks *hooks = t->p->run->hooks;

    if (t->counted == t->counts.generation && hooks && hooks->overflowed)
        hooks->overflowed(hooks->ctx, &(struct prog_overflow){
                                          .card = t->card, .thread = t->tid, .pc = lx_pc_now(t)});
}

/** A threshold has been reached by what the thread did, or by the system whose events it counts. */
static void irix_reached(void *ctx, struct irix_process *process, unsigned cpu, int signal)
{
    struct lx_prog *p = ctx;
    const struct lx_siginfo info = {.signo = signal, .code = SI_KERNEL_};
    struct lx_thread *t;

    (void)cpu;
    if (!process || process == &p->irix->outside)
        return;
    t = irix_thread_of(process);
    if (t->state == TH_DEAD)
        return;
    if (process->profiles) {
        irix_bump(t);
        irix_tell(t);
    }
    if (signal)
        lx_signal_post(p, t, &info);
    else if (process->profiles)
        lx_thread_notify(t); /* the interrupt takes its time */
}

static enum r10k_chip chip_of(const struct lx_prog *p, unsigned cpu)
{
    return pc_counters_of(nm_card_params(p->m, cpu));
}

/** Whether those processors that count count the same events: what counters are in a machine of
 *  R10000s and R12000s is undefined. */
static bool count_alike(const struct lx_prog *p)
{
    enum r10k_chip chip = R10K_CHIPS;

    for (unsigned cpu = 0; cpu < p->processors; cpu++) {
        const enum r10k_chip its = chip_of(p, cpu);
        if (its < R10K_CHIPS && chip < R10K_CHIPS && its != chip)
            return false;
        chip = its < R10K_CHIPS ? its : chip;
    }
    return true;
}

static unsigned irix_counters(void *ctx, unsigned cpu)
{
    const struct lx_prog *p = ctx;

    return p->irix->undefined ? 0 : pc_counters(p->m, cpu);
}

static unsigned irix_number(void *ctx, unsigned cpu, unsigned event)
{
    return r10k_irix_number(chip_of(ctx, cpu), event);
}

static void set_control(void *ctx, unsigned cpu, unsigned k, uint32_t control)
{
    pc_counter_set_control(((struct lx_prog *)ctx)->m, cpu, k, control);
}

static uint32_t irix_value(void *ctx, unsigned cpu, unsigned k)
{
    return pc_counter(((struct lx_prog *)ctx)->m, cpu, k);
}

static void set_value(void *ctx, unsigned cpu, unsigned k, uint32_t v)
{
    pc_counter_set(((struct lx_prog *)ctx)->m, cpu, k, v);
}

static const struct irix_hardware cards = {.counters = irix_counters,
                                           .number = irix_number,
                                           .set_control = set_control,
                                           .value = irix_value,
                                           .set_value = set_value,
                                           .reached = irix_reached};

/* ---- arguments and results ------------------------------------------------------------------- */

/** Reads a hwperf_profevctrarg_t. @return 0 or -EFAULT */
static int64_t read_setup(struct lx_call *c, uint64_t va, struct irix_setup *setup)
{
    struct lx_in in;

    if (lx_in_read(&in, &c->p->vm, va, SETUP_BYTES) < 0)
        return -EFAULT;
    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        setup->event[e] = (uint16_t)lx_in_int(&in, 2);
    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        setup->threshold[e] = (int32_t)lx_in_int(&in, 4);
    setup->signal = (int32_t)lx_in_int(&in, 4);
    return 0;
}

static void out_counts(struct lx_out *o, const uint64_t count[IRIX_EVENTS])
{
    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        lx_out_int(o, 8, count[e]);
}

/** Writes a hwperf_cntr_t if the command went well. @return its result, or -EFAULT */
static int64_t put_counts(struct lx_call *c, uint64_t va, const uint64_t count[IRIX_EVENTS],
                          int64_t result)
{
    struct lx_out o;

    if (result <= 0)
        return result;
    lx_out_start(&o, c->p->kind);
    out_counts(&o, count);
    return lx_out_write(&o, &c->p->vm, va) < 0 ? -EFAULT : result;
}

/** The same of a hwperf_eventctrl_t. */
static int64_t put_control(struct lx_call *c, uint64_t va, const uint16_t event[IRIX_EVENTS],
                           int64_t result)
{
    struct lx_out o;

    if (result <= 0)
        return result;
    lx_out_start(&o, c->p->kind);
    for (unsigned e = 0; e < IRIX_EVENTS; e++)
        lx_out_int(&o, 2, event[e]);
    return lx_out_write(&o, &c->p->vm, va) < 0 ? -EFAULT : result;
}

static void out_time(struct lx_out *o, const struct lx_prog *p, sim_tick t, uint64_t epoch)
{
    const uint64_t ns = lx_ns(p, t);

    lx_out_long(o, epoch + ns / 1000000000);
    lx_out_long(o, ns % 1000000000);
}

/** [pages] All that is mapped. */
static uint64_t image_pages(const struct lx_vm *vm)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < vm->count; i++)
        bytes += vm->areas[i].end - vm->areas[i].start;
    return bytes / vm->page;
}

/** A hwperf_prusage_t. What the simulator does not know of a thread is 0 (docs/irix.md). */
static void out_usage(struct lx_out *o, const struct lx_prog *p, const struct lx_thread *t)
{
    static const struct lx_usage nothing;
    const struct lx_usage *u = t ? &t->usage : &nothing;
    const sim_tick running =
        t && t->state == TH_RUNNING && lx_now(p) > t->since ? lx_now(p) - t->since : 0;
    const uint64_t gigabyte = UINT64_C(1) << 30;
    const uint64_t rest[] = {u->faults,
                             0, /* nothing comes from a disk */
                             0,
                             0,
                             u->bytes_read / gigabyte,
                             u->bytes_read % gigabyte,
                             u->bytes_wrote / gigabyte,
                             u->bytes_wrote % gigabyte,
                             u->signals,
                             u->slept,
                             u->displaced,
                             u->calls,
                             u->reads,
                             u->writes,
                             u->polls,
                             u->ioctls};
    enum { GRAPHICS = 17, AFTER_SIZE = 3 /* rss, in- and outblock */ };

    out_time(o, p, lx_now(p), (uint64_t)LX_EPOCH);
    out_time(o, p, u->born, (uint64_t)LX_EPOCH);
    out_time(o, p, t ? t->ran + running : 0, 0);
    out_time(o, p, u->calls * p->par->os_syscall + u->faults * p->par->os_fault, 0);
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        lx_out_int(o, 8, rest[i]);
    lx_out_skip(o, o->len + (size_t)8 * GRAPHICS);
    lx_out_int(o, 8, t ? image_pages(&p->vm) : 0);
    lx_out_skip(o, o->len + (size_t)8 * AFTER_SIZE);
    lx_out_int(o, 8, u->faults);
    lx_out_int(o, 8, 0);
}

/* ---- /proc/PID ------------------------------------------------------------------------------- */

/** A command on a process; `t` is its thread, NULL of process 1. */
struct command {
    struct lx_call *c;
    struct irix *irix;
    struct irix_process *process;
    struct lx_thread *t;
    uint64_t va;
    bool root;
};

static int64_t files_irix_enable(const struct command *d)
{
    struct irix_setup setup;
    int64_t r = read_setup(d->c, d->va, &setup);

    if (!r)
        r = irix_enable(d->irix, d->process, d->root, &setup);
    if (r > 0 && d->t)
        drop_profile(d->t);
    return r;
}

static int64_t files_irix_modify(const struct command *d)
{
    struct irix_setup setup;
    const int64_t err = read_setup(d->c, d->va, &setup);

    return err ? err : irix_modify(d->irix, d->process, d->root, &setup);
}

static int64_t get_counts(const struct command *d)
{
    uint64_t count[IRIX_EVENTS];
    const int64_t r = irix_read(d->irix, d->process, count);

    return put_counts(d->c, d->va, count, r);
}

static int64_t get_usage(const struct command *d)
{
    uint64_t count[IRIX_EVENTS];
    const int64_t r = irix_read(d->irix, d->process, count);
    struct lx_out o;

    if (r <= 0)
        return r;
    lx_out_start(&o, d->c->p->kind);
    out_usage(&o, d->c->p, d->t);
    out_counts(&o, count);
    return lx_out_write(&o, &d->c->p->vm, d->va) < 0 ? -EFAULT : r;
}

static int64_t get_control(const struct command *d)
{
    uint16_t event[IRIX_EVENTS];
    const int64_t r = irix_control(d->irix, d->process, event);

    return put_control(d->c, d->va, event, r);
}

static int64_t files_irix_release(const struct command *d)
{
    const int64_t r = irix_release(d->irix, d->process);

    if (r == 0 && d->t)
        drop_profile(d->t);
    return r;
}

static int64_t files_irix_save(const struct command *d)
{
    return irix_save(d->irix, d->process);
}

static const struct {
    uint64_t number;
    int64_t (*does)(const struct command *d);
} counter_commands[] = {{PIOCENEVCTRS, files_irix_enable},  {PIOCGETEVCTRS, get_counts},
                        {PIOCGETPREVCTRS, get_usage},       {PIOCGETEVCTRL, get_control},
                        {PIOCSETEVCTRL, files_irix_modify}, {PIOCRELEVCTRS, files_irix_release},
                        {PIOCSAVECCNTRS, files_irix_save}};

bool lx_irix_there(const struct lx_prog *p, unsigned number)
{
    const struct lx_thread *t;

    DL_FOREACH(p->threads, t)
        if (t->tid == number)
            return true;
    return number == PARENT;
}

static int64_t files_irix_control(struct lx_call *c, struct lx_file *f)
{
    const uint32_t number = (uint32_t)(uintptr_t)f->object;
    struct lx_prog *p = c->p;
    struct lx_thread *t = lx_thread_find(p, number);
    const struct command d = {.c = c,
                              .irix = &p->irix->irix,
                              .process = t ? &t->counts : &p->irix->outside,
                              .t = t,
                              .va = c->a[2],
                              .root = is_root(p)};

    for (size_t i = 0; i < sizeof counter_commands / sizeof *counter_commands; i++)
        if (counter_commands[i].number == c->a[1])
            return lx_irix_there(p, number) ? counter_commands[i].does(&d) : -ENOENT;
    return -ENOTTY;
}

static unsigned always_ready(struct lx_thread *t, const struct lx_file *f)
{
    (void)t, (void)f;
    return POLL_READS | POLL_WRITES;
}

static void irix_let_go(struct lx_prog *p, struct lx_file *f)
{
    (void)p, (void)f;
}

int64_t lx_irix_open(struct lx_prog *p, const struct lx_synthetic *row, unsigned number,
                     uint32_t flags)
{
    static const struct lx_file_ops ops = {
        .ready = always_ready, .control = files_irix_control, .release = irix_let_go};
    struct lx_file *f;

    if (!lx_irix_there(p, number))
        return -ENOENT;
    if (number == PARENT && !is_root(p)) /* the one that is not of the program's group */
        return -EACCES;
    f = lx_file_new(p, FILE_OBJECT, -1, flags);
    f->synth = row;
    f->ops = &ops;
    f->object = (void *)(uintptr_t)number;
    return lx_file_install(p, f, 0, flags & G_O_CLOEXEC);
}

/* ---- syssgi ---------------------------------------------------------------------------------- */

static int64_t files_irix_profile(struct lx_call *c, struct irix *irix)
{
    struct lx_thread *t = c->t;
    struct lx_profile *regions = NULL;
    struct irix_setup setup;
    int64_t r = read_setup(c, c->a[2], &setup);

    if (!r)
        r = read_profile(c, c->a[3], lx_abi_signed(c->a[4], 4), &regions);
    if (!r)
        r = irix_profile(irix, &t->counts, is_root(c->p), &setup);
    if (r > 0) {
        drop_profile(t);
        t->profile = regions;
    } else if (regions) {
        lx_give_back(c->p, profile_bytes(regions->count));
        free(regions);
    }
    return r;
}

static int64_t system_enable(struct lx_call *c, struct irix *irix)
{
    struct irix_setup setup;
    const int64_t err = read_setup(c, c->a[2], &setup);

    return err ? err : irix_system_enable(irix, &c->t->counts, is_root(c->p), &setup);
}

static int64_t system_modify(struct lx_call *c, struct irix *irix)
{
    struct irix_setup setup;
    const int64_t err = read_setup(c, c->a[2], &setup);

    return err ? err : irix_system_modify(irix, is_root(c->p), &setup);
}

static int64_t system_counts(struct lx_call *c, struct irix *irix)
{
    uint64_t count[IRIX_EVENTS];
    const int64_t r = irix_system_read(irix, count);

    return put_counts(c, c->a[2], count, r);
}

static int64_t cpu_counts(struct lx_call *c, struct irix *irix)
{
    uint64_t count[IRIX_EVENTS];
    const int64_t r = irix_cpu_read(irix, c->a[2], count);

    return put_counts(c, c->a[3], count, r);
}

static int64_t system_control(struct lx_call *c, struct irix *irix)
{
    uint16_t event[IRIX_EVENTS];
    const int64_t r = irix_system_control(irix, event);

    return put_control(c, c->a[2], event, r);
}

static int64_t system_release(struct lx_call *c, struct irix *irix)
{
    return irix_system_release(irix, is_root(c->p));
}

int64_t lx_sys_syssgi(struct lx_call *c)
{
    static int64_t (*const does[])(struct lx_call *, struct irix *) = {
        [HWPERF_PROFENABLE] = files_irix_profile, [HWPERF_ENSYSCNTRS] = system_enable,
        [HWPERF_GET_SYSCNTRS] = system_counts,    [HWPERF_GET_CPUCNTRS] = cpu_counts,
        [HWPERF_GET_SYSEVCTRL] = system_control,  [HWPERF_SET_SYSEVCTRL] = system_modify,
        [HWPERF_RELSYSCNTRS] = system_release};

    if (c->a[0] != SGI_EVENTCTR || c->a[1] >= sizeof does / sizeof *does || !does[c->a[1]])
        return -EINVAL;
    return does[c->a[1]](c, &c->p->irix->irix);
}

/* ---- what happens to threads and cards ------------------------------------------------------- */

void lx_irix_init(struct lx_prog *p)
{
    p->irix = sim_alloc(1, sizeof *p->irix + p->processors * sizeof *p->irix->turned);
    p->irix->undefined = !count_alike(p);
    irix_init(&p->irix->irix, &cards, p, p->processors);
    irix_process_init(&p->irix->outside);
}

void lx_irix_free(struct lx_prog *p)
{
    if (p->irix)
        irix_end(&p->irix->irix);
    free(p->irix);
}

void lx_irix_born(struct lx_thread *child, struct lx_thread *t)
{
    child->parent = t->tid;
    child->usage.born = lx_now(t->p);
    irix_born(&child->counts, &t->counts);
    child->counted = t->counted;
    if (!t->profile || !lx_keep(t->p, profile_bytes(t->profile->count)))
        return;
    child->profile = sim_alloc(1, profile_bytes(t->profile->count));
    memcpy(child->profile, t->profile, profile_bytes(t->profile->count));
}

void lx_irix_begin(struct lx_thread *t)
{
    const struct prog_counted *asked = &t->p->run->spec->counted;
    const unsigned e = asked->event;
    struct irix_setup setup = {0};

    if (!asked->every)
        return;
    setup.event[e] =
        (uint16_t)(e % IRIX_PER_COUNTER << IRIX_EVENT_SHIFT | IRIX_INTERRUPT | IRIX_MODE_USER);
    setup.threshold[e] = (int32_t)asked->every;
    if (irix_profile(&t->p->irix->irix, &t->counts, false, &setup) > 0)
        t->counted = t->counts.generation;
}

void lx_irix_gone(struct lx_thread *t)
{
    struct lx_thread *parent = t->parent ? lx_thread_find(t->p, t->parent) : NULL;
    const bool waits =
        parent && t->clear_tid && parent->on_futex && parent->futex.addr == t->clear_tid;

    irix_gone(&t->p->irix->irix, &t->counts, parent ? &parent->counts : NULL, waits);
    drop_profile(t);
}

void lx_irix_runs(struct lx_thread *t)
{
    irix_runs(&t->p->irix->irix, &t->counts, t->card);
}

void lx_irix_stops(struct lx_thread *t)
{
    irix_stops(&t->p->irix->irix, &t->counts);
}

void lx_irix_trap(struct lx_thread *t)
{
    irix_settle(&t->p->irix->irix, t->card);
    t->usage.faults += t->absent;
}

void lx_irix_interrupt(struct lx_prog *p, unsigned card)
{
    if (card < p->processors)
        irix_settle(&p->irix->irix, card);
}

void lx_irix_called(struct lx_call *c, int64_t result)
{
    static const struct {
        sys_fn *fn;
        size_t calls, bytes; /* members of struct lx_usage; 0: none */
    } kinds[] = {
#define CALLS(fn, calls) {fn, offsetof(struct lx_usage, calls), 0}
#define BYTES(fn, calls, bytes)                                                \
    {                                                                          \
        fn, offsetof(struct lx_usage, calls), offsetof(struct lx_usage, bytes) \
    }
        BYTES(lx_sys_read, reads, bytes_read),
        BYTES(lx_sys_write, writes, bytes_wrote),
        CALLS(lx_sys_poll, polls),
        CALLS(lx_sys_select, polls),
        CALLS(lx_sys_ioctl, ioctls),
#undef BYTES
#undef CALLS
    };
    struct lx_usage *u = &c->t->usage;

    u->calls++;
    for (size_t i = 0; c->row && i < sizeof kinds / sizeof *kinds; i++) {
        if (kinds[i].fn != c->row->fn)
            continue;
        ++*(uint64_t *)((char *)u + kinds[i].calls);
        if (kinds[i].bytes && result > 0)
            *(uint64_t *)((char *)u + kinds[i].bytes) += (uint64_t)result;
    }
}

/* ---- turns ----------------------------------------------------------------------------------- */

static bool anyone_runs(const struct lx_prog *p)
{
    const struct lx_thread *t;

    DL_FOREACH(p->threads, t)
        if (t->state != TH_BLOCKED)
            return true;
    return false;
}

/** [ticks] The card's next clock interrupt that has not been heeded. */
static sim_tick next_turn(const struct lx_prog *p, unsigned card)
{
    const sim_tick now = lx_now(p);
    const sim_tick next = lx_tick_after(p, card, now ? now - 1 : 0);

    return next == now && p->irix->turned[card] == now ? lx_tick_after(p, card, now) : next;
}

sim_tick lx_irix_date(const struct lx_prog *p)
{
    sim_tick date = SIM_NEVER;

    if (!irix_counts(&p->irix->irix)) /* nearly always */
        return SIM_NEVER;
    for (unsigned card = 0; card < p->processors; card++)
        if (irix_multiplexed(&p->irix->irix, card))
            date = sim_earlier(date, next_turn(p, card));
    return date != SIM_NEVER && anyone_runs(p) ? date : SIM_NEVER;
}

void lx_irix_ring(struct lx_prog *p)
{
    if (!irix_counts(&p->irix->irix))
        return;
    for (unsigned card = 0; card < p->processors; card++)
        if (irix_multiplexed(&p->irix->irix, card) && next_turn(p, card) == lx_now(p)) {
            p->irix->turned[card] = lx_now(p);
            irix_tick(&p->irix->irix, card);
        }
}
