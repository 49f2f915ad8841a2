/*
 * What a program reads of itself and of its machine in /proc: simulated, like all that it is told.
 * Sizes are its areas and pages, times its threads' on their cards, and there is nothing else in
 * the machine: no load but its own, no swap, no cache of files.
 */
#include "programs/linux/view/proc.h"

#include "programs/linux/process/call.h"
#include "programs/linux/process/most.h"
#include "programs/linux/threads/threads.h"
#include "programs/linux/time/timer.h"
#include "programs/linux/view/view.h"

#include <inttypes.h>
#include <string.h>
#include <utlist.h>

enum { JIFFIES = 100 /* a second: CLK_TCK */, KB = 1024, NS = 1000000000 };

/** The thread that reads. */
static const struct lx_thread *proc_reader(const struct lx_prog *p)
{
    return p->cards[p->vm.toucher].running ? p->cards[p->vm.toucher].running : p->threads;
}

static struct lx_vm_usage proc_usage(struct lx_prog *p)
{
    struct lx_vm_usage u;

    lx_vm_usage_of(&p->vm, 0, UINT64_MAX, &u);
    return u;
}

static uint64_t proc_jiffies(const struct lx_prog *p, sim_tick t)
{
    return lx_ns(p, t) / (NS / JIFFIES);
}

/* ---- the program ----------------------------------------------------------------------------- */

static void print_strings(FILE *f, char *const *strings)
{
    for (; strings && *strings; strings++)
        fwrite(*strings, 1, strlen(*strings) + 1, f);
}

void lx_proc_cmdline(struct lx_prog *p, FILE *f)
{
    print_strings(f, p->program->argv);
}

void lx_proc_environ(struct lx_prog *p, FILE *f)
{
    print_strings(f, p->program->envp);
}

/** A thread by its number, or the one that reads. NULL: there is none. */
static const struct lx_thread *proc_thread(struct lx_prog *p, unsigned tid)
{
    return tid == PROC_READER ? proc_reader(p) : lx_thread_named(p, tid);
}

bool lx_proc_name(struct lx_prog *p, unsigned tid, FILE *f)
{
    const struct lx_thread *t = proc_thread(p, tid);

    return t && (!f || fprintf(f, "%.15s\n", t->name) > 0);
}

void lx_proc_auxv(struct lx_prog *p, FILE *f)
{
    struct lx_out o;

    lx_out_start(&o, p->kind);
    for (unsigned i = 0; i < p->auxv_count; i++)
        lx_out_long(&o, p->auxv[i]);
    fwrite(o.buf, 1, o.len, f);
}

void lx_proc_limits(struct lx_prog *p, FILE *f)
{
    lx_limits_print(p, f);
}

void lx_proc_statm(struct lx_prog *p, FILE *f)
{
    const struct lx_vm_usage u = proc_usage(p);
    const uint64_t page = p->vm.page;

    fprintf(f, "%" PRIu64 " %" PRIu64 " 0 %" PRIu64 " 0 %" PRIu64 " 0\n", u.all / page,
            u.resident / page, u.code / page, (u.data + u.stack) / page);
}

/** What a thread does: a letter, and what it stands for. */
static const char *proc_state(const struct lx_thread *t)
{
    return t->state == TH_DEAD      ? "Z (zombie)"
           : t->state == TH_BLOCKED ? "S (sleeping)"
                                    : "R (running)";
}

/** The threads that have a number: a first one that has ended keeps its. */
static unsigned proc_threads(const struct lx_prog *p)
{
    return p->alive + (p->leader->state == TH_DEAD);
}

/** Fields 1 to 52 of proc(5); what Linux hides, or this machine has not, is 0.
 *  @param t  the first one stands for the process
 *  @param ran  [ticks] on a card */
static void print_stat(struct lx_prog *p, FILE *f, const struct lx_thread *t, sim_tick ran)
{
    const struct lx_vm_usage u = proc_usage(p);
    const uint64_t rss = p->limits[LIMIT_RSS].soft;

    fprintf(f, "%u (%.15s) %c %d %u %u 0 -1 0 %" PRIu64 " 0 0 0 ", t->tid, t->name, *proc_state(t),
            PARENT, FIRST_TID, FIRST_TID, u.resident / p->vm.page);
    fprintf(f, "%" PRIu64 " 0 0 0 %d %d %u 0 0 ", proc_jiffies(p, ran), 20 + t->nice, t->nice,
            proc_threads(p));
    fprintf(f, "%" PRIu64 " %" PRIu64 " %" PRIu64 " ", u.all, u.resident / p->vm.page,
            p->n64 || rss < UINT32_MAX ? rss : UINT32_MAX);
    fprintf(f, "0 0 %" PRIu64 " 0 0 0 0 0 0 0 0 0 17 %u 0 0 0 0 0 ", p->leader->first_sp, t->card);
    fprintf(f, "0 0 %" PRIu64 " 0 0 0 0 0\n", p->vm.brk_start);
}

void lx_proc_stat(struct lx_prog *p, FILE *f)
{
    print_stat(p, f, p->leader, lx_process_ran(p));
}

bool lx_proc_thread_stat(struct lx_prog *p, unsigned tid, FILE *f)
{
    const struct lx_thread *t = proc_thread(p, tid);

    if (t && f)
        print_stat(p, f, t, lx_thread_ran(t));
    return t;
}

static void print_signals(const struct lx_prog *p, FILE *f, const char *name,
                          const struct lx_sigs *s)
{
    fprintf(f, "%s:\t", name);
    if (p->kind->signals > 64)
        fprintf(f, "%016" PRIx64, s->w[1]);
    fprintf(f, "%016" PRIx64 "\n", s->w[0]);
}

/** Signals that are ignored, or have a handler. */
static struct lx_sigs with_action(const struct lx_prog *p, bool ignored)
{
    struct lx_sigs set = {{0}};

    for (unsigned s = 1; s <= p->kind->signals; s++)
        if (ignored ? p->actions[s].handler == 1 : p->actions[s].handler > 1)
            set.w[(s - 1) / 64] |= UINT64_C(1) << (s - 1) % 64;
    return set;
}

static void print_size(FILE *f, const char *name, uint64_t bytes)
{
    fprintf(f, "%s:\t%8" PRIu64 " kB\n", name, bytes / KB);
}

static void print_memory(struct lx_prog *p, FILE *f)
{
    const struct lx_vm_usage u = proc_usage(p);

    print_size(f, "VmPeak", u.all_peak);
    print_size(f, "VmSize", u.all);
    print_size(f, "VmLck", u.locked);
    print_size(f, "VmHWM", p->vm.resident_peak);
    print_size(f, "VmRSS", u.resident);
    print_size(f, "VmData", u.data);
    print_size(f, "VmStk", u.stack);
    print_size(f, "VmExe", u.code);
    print_size(f, "VmLib", 0);
    print_size(f, "VmSwap", 0);
}

/** The cards as a mask, in groups of 32. */
static void print_cards(const struct lx_prog *p, FILE *f, const struct lx_thread *t)
{
    fprintf(f, "Cpus_allowed:\t");
    for (unsigned group = (p->processors + 31) / 32; group-- > 0;)
        fprintf(f, "%08" PRIx32 "%s", (uint32_t)(t->affinity[group / 2] >> 32 * (group % 2)),
                group ? "," : "\n");
}

/** @param t  the first one stands for the process */
static void print_status(struct lx_prog *p, FILE *f, const struct lx_thread *t)
{
    const struct lx_sigs ignored = with_action(p, true), caught = with_action(p, false);

    fprintf(f, "Name:\t%.15s\nUmask:\t%04o\nState:\t%s\n", t->name, p->umask, proc_state(t));
    fprintf(f, "Tgid:\t%u\nNgid:\t0\nPid:\t%u\nPPid:\t%u\nTracerPid:\t0\n", FIRST_TID, t->tid,
            PARENT);
    fprintf(f, "Uid:\t%u\t%u\t%u\t%u\n", p->uid, p->uid, p->uid, p->uid);
    fprintf(f, "Gid:\t%u\t%u\t%u\t%u\n", p->gid, p->gid, p->gid, p->gid);
    fprintf(f, "FDSize:\t%u\nGroups:\t%u \n", FD_MAX, p->gid);
    print_memory(p, f);
    fprintf(f, "Threads:\t%u\nSigQ:\t%u/%" PRIu64 "\n", proc_threads(p), p->pending_count,
            p->limits[LIMIT_SIGPENDING].soft);
    print_signals(p, f, "SigPnd", &t->pending.set);
    print_signals(p, f, "ShdPnd", &p->pending.set);
    print_signals(p, f, "SigBlk", &t->mask);
    print_signals(p, f, "SigIgn", &ignored);
    print_signals(p, f, "SigCgt", &caught);
    fprintf(f, "NoNewPrivs:\t%u\nSeccomp:\t0\n", p->prctl.no_new_privs);
    print_cards(p, f, t);
    fprintf(f, "voluntary_ctxt_switches:\t%" PRIu64 "\nnonvoluntary_ctxt_switches:\t%" PRIu64 "\n",
            t->usage.slept, t->usage.displaced);
}

void lx_proc_status(struct lx_prog *p, FILE *f)
{
    print_status(p, f, p->leader);
}

bool lx_proc_thread_status(struct lx_prog *p, unsigned tid, FILE *f)
{
    const struct lx_thread *t = proc_thread(p, tid);

    if (t && f)
        print_status(p, f, t);
    return t;
}

/* ---- links ----------------------------------------------------------------------------------- */

void lx_proc_self(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "%u", FIRST_TID);
}

void lx_proc_thread_self(struct lx_prog *p, FILE *f)
{
    fprintf(f, "%u/task/%u", FIRST_TID, proc_reader(p)->tid);
}

void lx_proc_cwd(struct lx_prog *p, FILE *f)
{
    fprintf(f, "%s", p->cwd->path);
}

void lx_proc_root(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "/");
}

/* ---- the machine ----------------------------------------------------------------------------- */

uint64_t lx_memory_free(struct lx_prog *p)
{
    return lx_memory(p) - proc_usage(p).resident;
}

static void print_total(FILE *f, const char *name, uint64_t bytes)
{
    fprintf(f, "%s:%*s%8" PRIu64 " kB\n", name, (int)(16 - strlen(name)), "", bytes / KB);
}

void lx_proc_meminfo(struct lx_prog *p, FILE *f)
{
    const uint64_t free = lx_memory_free(p);
    static const char *const none[] = {"Buffers",  "Cached", "SwapCached", "SwapTotal",
                                       "SwapFree", "Dirty",  "Shmem",      "Slab"};

    print_total(f, "MemTotal", lx_memory(p));
    print_total(f, "MemFree", free);
    print_total(f, "MemAvailable", free);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        print_total(f, none[i], 0);
    print_total(f, "AnonPages", proc_usage(p).resident);
    fprintf(f, "HugePages_Total:       0\nHugePages_Free:        0\n");
}

void lx_proc_uptime(struct lx_prog *p, FILE *f)
{
    const uint64_t up = proc_jiffies(p, lx_now(p));
    const uint64_t idle = proc_jiffies(p, lx_now(p) * p->processors - lx_process_ran(p));

    fprintf(f, "%" PRIu64 ".%02u %" PRIu64 ".%02u\n", up / JIFFIES, (unsigned)(up % JIFFIES),
            idle / JIFFIES, (unsigned)(idle % JIFFIES));
}

/** No averages; the threads that could go on, and all. */
void lx_proc_loadavg(struct lx_prog *p, FILE *f)
{
    const struct lx_thread *t;
    unsigned running = 0;

    DL_FOREACH(p->threads, t)
        running += t->state != TH_BLOCKED;
    fprintf(f, "0.00 0.00 0.00 %u/%u %u\n", running, p->alive, p->next_tid - 1);
}

void lx_proc_version(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "Linux version %s (numachine) %s\n", LX_RELEASE, LX_VERSION);
}

/** As statfs has them. */
void lx_proc_filesystems(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "nodev\tsysfs\nnodev\ttmpfs\nnodev\tproc\nnodev\tpipefs\nnodev\tmqueue\n\text4\n");
}

void lx_proc_mounts(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(
        f, "/dev/root / ext4 rw,nosuid,nodev 0 0\nproc /proc proc rw 0 0\nsysfs /sys sysfs ro 0 0\n"
           "tmpfs /dev tmpfs rw,nosuid 0 0\ntmpfs /dev/shm tmpfs rw,nosuid,nodev 0 0\n"
           "tmpfs /tmp tmpfs rw,nosuid,nodev 0 0\n");
}

void lx_proc_build(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "%s\n", LX_VERSION);
}

void lx_proc_ostype(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "Linux\n");
}

/** In a set, in all sets, at once; sets. */
void lx_proc_sem(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "%u\t%u\t%u\t%u\n", LX_SEM_OF_SET, LX_SEM_OF_SET * LX_SEM_SETS, LX_SEM_OPERATIONS,
            LX_SEM_SETS);
}

/** Only what the machine has: the largest number that Linux has for no limit. */
void lx_proc_shmall(struct lx_prog *p, FILE *f)
{
    const uint64_t all = p->n64 ? UINT64_MAX : UINT32_MAX;

    fprintf(f, "%" PRIu64 "\n", all - (1 << 24));
}

void lx_proc_release(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "%s\n", LX_RELEASE);
}

void lx_proc_pid_max(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "4194304\n");
}

void lx_proc_threads_max(struct lx_prog *p, FILE *f)
{
    (void)p;
    fprintf(f, "%u\n", THREADS_MAX);
}
