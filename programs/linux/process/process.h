/*
 * The Linux personality from inside: one program, its threads, its files, its signals.
 *
 * Its rooms, each knowing those before it (tests/rooms.py):
 *   binary     executables; binary interfaces: words, order of bytes, numbers (kind.h)
 *   names      what an executable's addresses and variables are called
 *   processor  registers on and off a card, code
 *   memory     the program's address space; structures in it (abi.h)
 *   process    this file: the program and its threads; what a call is (call.h), what is done with
 *              registers (isa.h), signals' numbers (signo.h), limits, what is reckoned with
 *   threads    threads on cards, futexes, the clock interrupt, the watchdog
 *   time       clocks and timers
 *   signals    sending, taking and acting on them; timers that are due
 *   isa        isa.h for each instruction set: frames, faults, accesses
 *   view       what the program can name, made-up files with their texts, the host's walls
 *   files      inodes, open files, pipes, devices, IRIX's event counters (over programs/irix/)
 *   ipc        message queues, System V's objects
 *   (the top)  the workload as the run loop sees it (personality.c), from trap to handler
 *              (syscall.c), execve (load.c), calls about the process and its memory
 * Upwards lead tables alone: of calls (syscalls.def), of instruction sets (struct lx_isa), of what
 * a thread's steps mean to others (struct lx_steps).
 *
 * Everything hangs off one struct lx_prog; there are no globals. Unless said otherwise functions
 * return 0 or a count, or a negative host errno; the guest's own numbers appear only at the edge
 * (abi.c).
 */
#ifndef LX_PROCESS_H
#define LX_PROCESS_H

#include "programs/actors.h"
#include "programs/irix/hwperf.h"
#include "programs/linux/binary/elf.h"
#include "programs/linux/memory/vm.h"
#include "programs/linux/names/symbols.h"
#include "programs/workload.h"

#include <xxhash.h>

enum {
    CARDS_MAX = 1024,
    FD_MAX = 1024, /**< open files of a program (RLIMIT_NOFILE) */
    THREADS_MAX = 4096,
    SIGNALS = 128,    /**< signal numbers are 1 .. 128 at most (lx_kind.signals) */
    FIRST_TID = 1000, /**< the program's pid and its first thread's tid */
    PARENT = 1,       /**< the other process there is; nothing can be done to it */
    SYS_ARGS = 6,
    STACK_BYTES = 8 << 20,
    AUXV_MAX = 40, /**< words of the auxiliary vector */
};

/** Internal results beside errno: the call was cut short by a signal. Values as in Linux. */
enum { ERESTART_SYS = 512, ERESTART_NOINTR = 513, ERESTART_NOHAND = 514 };

/** What the system calls itself. */
#define LX_RELEASE "6.1.0"
#define LX_VERSION "#1 SMP"

/** Guest seconds between 1970 and tick 0: 1996-01-01 00:00:00 UTC, when the machine was young. */
#define LX_EPOCH INT64_C(820454400)

struct lx_file;
struct lx_inode;
struct lx_prog;
struct lx_thread;
struct lx_place;
struct lx_synthetic;
struct lx_view;

/* ---- signals --------------------------------------------------------------------------------- */

/** Set of signals; bit s-1 of the 128 is signal s. */
struct lx_sigs {
    uint64_t w[2];
};

struct lx_action {
    uint64_t handler;  /**< 0: default, 1: ignore */
    uint64_t restorer; /**< what it returns to, if the kind has that and flags say so */
    uint32_t flags;
    struct lx_sigs mask;
};

/** What the guest finds in its siginfo. */
struct lx_siginfo {
    int signo, code;
    bool forced;       /**< by the thread itself: its instruction is at fault */
    uint64_t addr;     /**< faults */
    uint32_t pid, uid; /**< kill, tgkill, sigqueue */
    uint32_t sender;   /**< the thread that sent it by a call; 0: none did */
    uint64_t value;
};

struct lx_pending {
    struct lx_pending *prev, *next;
    struct lx_siginfo info;
    sim_tick at; /**< [ticks] it was sent */
};

/** Signals sent to a thread or to the process and not yet taken. */
struct lx_sigqueue {
    struct lx_sigs set;                /**< those with at least one waiting */
    struct lx_pending *first[SIGNALS]; /**< of signal s at s-1, in the order they were sent */
};

/** What keeps a thread from its own work: handlers that end and find the next signal waiting. */
struct lx_storm {
    unsigned returns; /**< of such handlers, in a row */
    sim_tick until;   /**< [ticks] what was sent later waits; SIM_NEVER: there are not too many */
    unsigned spared;  /**< [instructions] a handler returns: so many before the next interrupt */
};

struct lx_altstack {
    uint64_t sp, size; /**< size 0: none */
    uint32_t flags;    /**< SS_AUTODISARM or 0 */
};

/* ---- threads --------------------------------------------------------------------------------- */

enum lx_thread_state {
    TH_READY,   /**< has no card, could run */
    TH_RUNNING, /**< on its card */
    TH_OS,      /**< trapped; holds its card, its system call is being handled */
    TH_BLOCKED, /**< waits in a system call, without a card */
    TH_DEAD,
};

/** Why a blocked thread goes on. */
enum lx_wake { WAKE_EVENT, WAKE_TIMEOUT, WAKE_SIGNAL };

/** What a thread on the futex list waits for. */
enum lx_futex_kind {
    FUTEX_WORD,      /**< a wake-up */
    FUTEX_LOCK,      /**< to become owner of a lock (futex_pi.c) */
    FUTEX_CONDITION, /**< to be moved to such a lock */
};

/** A futex's word. Private ones are known by their address; shared ones in shared memory of a file
 * by their place there, and elsewhere by their address. */
struct lx_futex {
    uint64_t addr; /**< as it was called: for people */
    bool shared;
    uint64_t dev, ino; /**< of the file; 0: none */
    uint64_t at;       /**< address, or place in the file */
};

/** What a thread has done: for PIOCGETPREVCTRS. */
struct lx_usage {
    sim_tick born;                    /**< [ticks] */
    uint64_t faults;                  /**< pages that got memory */
    uint64_t slept, displaced;        /**< times it gave its card away, and had it taken */
    uint64_t signals;                 /**< it acted on */
    uint64_t calls;                   /**< system calls; among them these: */
    uint64_t reads, writes;           /**< read, write; */
    uint64_t polls, ioctls;           /**< poll and select, ioctl */
    uint64_t bytes_read, bytes_wrote; /**< [bytes] by those */
};

struct lx_profile;

enum { WATCHED_STATES = 32 };

/** What tells whether a thread gets on (watch.c). */
struct lx_watched {
    struct pc_tries tries; /**< while it has no card; otherwise nm_card_tries */
    uint64_t calls;        /**< traps of its own making */
    sim_tick called_at;    /**< the last of them */
    uint64_t from, since;  /**< [instructions] of its card when it got that; since its last call */
    sim_tick free_at;      /**< [ticks] when the lock it sleeps for was last given back */
    uint64_t slept;        /**< `calls` when it last went to sleep on a futex ... */
    uint64_t futex;        /**< ... at this address ... */
    uint32_t expected;     /**< ... with this value */
    uint64_t failed;       /**< of its SCs, until that call */
    uint64_t vain;         /**< how often it found that one taken again, in a row */
    uint64_t
        states[WATCHED_STATES]; /**< hashes of its registers at the last looks of a standstill */
    unsigned state_count;       /**< looks of that, ever */
    uint64_t done;              /**< [instructions] since its last call, at the last of them */
    bool repeats;               /**< one came twice */
    uint64_t tries_said, vain_said; /**< the length of a row when it was last spoken of */
};

struct lx_thread {
    struct lx_prog *p;
    struct lx_thread *prev, *next;     /**< all threads, by creation */
    struct lx_thread *q_prev, *q_next; /**< run queue of its card */
    struct lx_thread *w_prev, *w_next; /**< woken, waiting for a turn */
    struct lx_thread *d_prev, *d_next; /**< waiting with a deadline, by creation */
    struct lx_thread *c_prev, *c_next; /**< waiting on a channel, by turn */
    struct prog_actor *actor;
    uint32_t tid;
    enum lx_thread_state state;
    unsigned card;
    uint64_t affinity[CARDS_MAX / 64];
    union lx_regs regs;
    uint64_t first_sp; /**< the stack pointer it began with */
    sim_tick ready_at; /**< [ticks] not before this on a card */
    sim_tick late_to;  /**< [ticks] by chance it sleeps on until then after a wake-up */
    sim_tick since;    /**< [ticks] on its card since then */
    sim_tick ran;      /**< [ticks] on a card before that */
    struct lx_watched watched;
    struct lx_usage usage;
    struct irix_process counts; /**< IRIX's event counters (irix.h): a thread is a process there, */
    uint32_t counted;           /**< their generation if they are prog_spec.counted's; else 0 */
    uint32_t parent;            /**< made by this one; 0: by nobody here */
    struct lx_profile *profile; /**< its profile of program counters, or NULL */
    sim_tick slice_end;         /**< [ticks] others may have the card then */
    bool yield;                 /**< gave up the rest of its slice */
    bool migrate;               /**< its card is no longer allowed */
    bool away;                  /**< it has not had a card since it was born or slept */

    /* the trap being handled */
    struct nm_trap trap;
    enum pc_exc exc;
    uint64_t badvaddr;
    uint32_t trap_code;
    bool absent, unmapped, protected;
    uint64_t given; /**< pages that the system call gave memory, before anybody touched them */

    /* blocking */
    enum lx_wake wake;
    uint32_t policy;     /**< SCHED_ number, with SCHED_RESET_ON_FORK; changes nothing */
    int nice;            /**< -20 .. 19; changes nothing */
    uint64_t slack;      /**< [ns] PR_SET_TIMERSLACK; 0: never set; changes nothing */
    uint64_t slack_born; /**< the creator's at that time: what 0 sets */
    bool interruptible;
    bool waiting;          /**< its actor waits in lx_thread_block */
    sim_tick deadline;     /**< valid while waiting; SIM_NEVER: none */
    const char *waits_in;  /**< system call, for people */
    const void *channel;   /**< what it waits for; see lx_thread_wake_all */
    uint64_t turn;         /**< among those who wait on channels, by when it first did so in its
                                call; 0: it has not */
    struct lx_futex futex; /**< waited on; valid while on the futex list */
    uint32_t futex_bits;
    enum lx_futex_kind futex_kind;
    uint32_t lock_owner;         /**< FUTEX_LOCK: the thread that has it */
    struct lx_futex lock_wanted; /**< FUTEX_CONDITION: the lock to be had afterwards */
    struct lx_thread *f_prev, *f_next;
    bool on_futex;

    struct lx_file **held; /**< files the call under way uses: closing them must wait */
    unsigned held_count, held_room;

    uint64_t clear_tid, robust_list; /**< guest addresses, 0: none */

    struct lx_sigs mask, saved_mask;
    int restart;       /**< ERESTART_ result of the interrupted call, or 0 */
    uint64_t again[2]; /**< registers that the call would be made with again (isa.h) */
    struct pc_call_site call;
    struct lx_storm storm;
    bool restore_mask;     /**< saved_mask comes back after the handler's frame is made */
    struct lx_sigs wanted; /**< sigtimedwait */
    bool told; /**< it is to take those of the process's signals that it does not block */
    struct lx_sigqueue pending;
    struct lx_altstack alt;
    struct lx_note *note; /**< the message it waits to send (ipc.h) */
    char name[16];
};

/** What the steps of threads mean to the rooms above the scheduler, which knows none of them. All
 * are functions: there is one such struct (personality.c). */
struct lx_steps {
    void (*body)(void *thread); /**< of its actor */
    void (*born)(struct lx_thread *t, struct lx_thread *by);
    void (*gone)(struct lx_thread *t); /**< it has ended, and still has its card */
    /** It has its card again, and its registers are not there yet: signals sent meanwhile come
     *  first, and may end the run. */
    void (*back)(struct lx_thread *t);
    void (*runs)(struct lx_thread *t);  /**< it is about to go on there */
    void (*stops)(struct lx_thread *t); /**< its card is somebody else's */
    /** A timer or, for &p->watchers, a signal has come, which its descriptors tell of. */
    void (*told)(struct lx_prog *p, const void *queue);
};

/* ---- scheduling ------------------------------------------------------------------------------ */

/* [instructions] that a thread completes between two interrupts. A miss, a refill of the TLB or the
 * handler of a virtual coherency exception may take longer than a slice or the period of the clock,
 * and what it brought may be gone when the thread comes back: taken by another card, or replaced by
 * the next thread. An LL and its SC must fit, too. Whose handler returns gets on by as many before
 * a signal that comes meanwhile. */
enum { SPARED = 64 };

struct lx_card {
    struct lx_thread *running; /**< TH_RUNNING or TH_OS; NULL: idle */
    struct lx_thread *queue;   /**< TH_READY, first in first out */
    unsigned load;             /**< threads placed here */
    sim_tick tick_at;          /**< clock interrupt of the running thread */
    uint32_t interrupts;       /**< of its monitoring card, ever */
};

/* ---- files ----------------------------------------------------------------------------------- */

struct lx_descriptor {
    struct lx_file *file;
    bool cloexec;
    bool promised; /**< to an open that waits: it is not free */
};

/* ---- limits ---------------------------------------------------------------------------------- */

/** Limits by MIPS Linux's numbers. */
enum {
    LIMIT_CPU = 0,
    LIMIT_FSIZE = 1,
    LIMIT_DATA = 2,
    LIMIT_STACK = 3,
    LIMIT_CORE = 4,
    LIMIT_NOFILE = 5,
    LIMIT_AS = 6,
    LIMIT_RSS = 7,
    LIMIT_NPROC = 8,
    LIMIT_MEMLOCK = 9,
    LIMIT_LOCKS = 10,
    LIMIT_SIGPENDING = 11,
    LIMIT_MSGQUEUE = 12,
    LIMIT_NICE = 13,
    LIMIT_RTPRIO = 14,
    LIMIT_RTTIME = 15,
    LIMITS = 16,
};

struct lx_limit {
    uint64_t soft, hard; /**< UINT64_MAX: none */
};

/** What prctl keeps for the process; none of it changes anything. */
struct lx_prctl {
    uint32_t death_signal, dumpable, keep_caps, timing, subreaper, no_new_privs, thp_disable;
};

/* ---- the program ----------------------------------------------------------------------------- */

struct lx_prog {
    struct prog_run *run;
    struct nm_machine *m;        /**< the run's, */
    const struct nm_params *par; /**< and its */
    const struct prog_program *program;

    int elf_fd;
    struct lx_elf_image image;
    struct lx_symbols_told told; /**< the image's */
    struct lx_vm vm;
    const struct lx_kind *kind; /**< of the program */
    bool n64;                   /**< its longs have 64 bits */
    uint64_t auxv[AUXV_MAX];    /**< what the program found on its stack */
    unsigned auxv_count;        /**< [words] */

    const struct lx_steps *steps; /**< what threads' steps mean to others */
    struct lx_thread *threads;    /**< living ones */
    struct lx_thread *leader;     /**< the first: remembered when it has ended */
    struct lx_thread *timed;      /**< those of them that wait with a deadline, by creation */
    unsigned alive;
    sim_tick ran; /**< [ticks] of ended threads on their cards */
    uint32_t next_tid;
    struct lx_thread *channeled; /**< waiting on a channel, first come first */
    uint64_t turns;              /**< given to them so far */
    struct lx_thread *woken;     /**< their actors get the turn next, in this order */
    struct lx_thread *futexes;   /**< waiting on a futex, first come first */

    struct lx_card cards[CARDS_MAX];
    unsigned processors; /**< cards 0 .. processors-1 may run threads */

    struct lx_descriptor fds[FD_MAX];
    struct lx_file *files; /**< all, by time of opening */
    struct lx_view *view;
    struct lx_place *cwd; /**< its own */
    unsigned umask;
    struct lx_inode *inodes; /**< files the guest has seen (inode.h) */
    uint64_t inode_count;
    XXH64_state_t *hash;

    struct lx_action actions[SIGNALS + 1];
    struct lx_sigqueue pending;     /**< for the process */
    unsigned pending_count;         /**< waiting signals, of all queues (RLIMIT_SIGPENDING) */
    struct epoll *epolls;           /**< open ones */
    uint64_t epoll_round;           /**< looks through epolls, and */
    bool epoll_inside;              /**< whether one is under way */
    struct mqueue *mqueues;         /**< with a name or a descriptor */
    struct lx_sysv *sysv[3];        /**< System V objects by kind (sysv.h) */
    uint32_t next_sysv[3];          /**< number of the next of a kind */
    unsigned watchers;              /**< open signal descriptors */
    struct lx_timer *timers;        /**< of all kinds (timer.h), by creation */
    uint32_t next_timer;            /**< number of the next POSIX timer */
    struct lx_limit limits[LIMITS]; /**< by MIPS number */
    struct lx_prctl prctl;
    bool membarrier;   /**< the process has said that it will use private barriers */
    uint32_t uid, gid; /**< only ever what they were */

    uint64_t kept; /**< [bytes] put aside: lx_keep */

    struct lx_device_command *commands; /**< special functions asked for, in order (device.c) */

    struct lx_irix *irix; /**< event counters (irix.h) */

    uint64_t random_drawn;    /**< getrandom bytes given */
    uint64_t device_drawn;    /**< /dev/urandom bytes given */
    bool hinted;              /**< at files outside the view */
    unsigned guards_said;     /**< a bit of each enum lx_guard that was met */
    bool lost_said;           /**< that what it makes where it starts is not kept */
    bool stack_said;          /**< that there is no room for another thread's stack */
    unsigned char named[768]; /**< unknown calls already named, one bit each */

    sim_tick watch_at;       /**< the watchdog's next look */
    sim_tick changed_at;     /**< a look before which a thread might see something new ... */
    uint64_t changes, calls; /**< ... how much had been done for that by then; calls so far */
    uint64_t changed_said;   /**< [ticks] since then when it was last spoken of */
    void (*on_pipe)(int);    /**< what SIGPIPE did before the run */
};

/** Tick of the moment being handled. */
static inline sim_tick lx_now(const struct lx_prog *p)
{
    return nm_machine_now(p->m);
}

/* ---- account.c ------------------------------------------------------------------------------- */

/** [ns] simulated time since tick 0, and back (rounded up). */
uint64_t lx_ns(const struct lx_prog *p, sim_tick t);
sim_tick lx_ticks(const struct lx_prog *p, uint64_t ns);

/** Fills buf from the seed's stream number `stream`, starting at byte `from`. */
void lx_random(const struct lx_prog *p, uint64_t stream, uint64_t from, void *buf, size_t len);

/** [bytes] What the machine has. */
uint64_t lx_memory(const struct lx_prog *p);

/** Puts `bytes` of the host's memory aside for what the guest keeps beside its pages: files in
 * memory and their names, System V objects, messages, locks, watched descriptors, listings and
 * texts that are open, special functions. All that is at most as much as the machine has memory.
 *  @return false: there is no room; nothing happened */
bool lx_keep(struct lx_prog *p, uint64_t bytes);
void lx_give_back(struct lx_prog *p, uint64_t bytes);
/** Whether there are monitoring cards all the time: not in functional mode, nor while the run is
 *  fast-forwarded. */
bool lx_has_cards(const struct lx_prog *p);
/** [bytes] What still can be put aside. */
uint64_t lx_room(const struct lx_prog *p);

/* ---- limits.c -------------------------------------------------------------------------------- */

void lx_limits_init(struct lx_prog *p);
/** /proc/self/limits */
void lx_limits_print(const struct lx_prog *p, FILE *f);
/** The program's descriptors are below this. */
static inline uint64_t lx_limit_files(const struct lx_prog *p)
{
    return p->limits[LIMIT_NOFILE].soft < FD_MAX ? p->limits[LIMIT_NOFILE].soft : FD_MAX;
}

/* ---- signals --------------------------------------------------------------------------------- */

static inline bool lx_sigs_has(const struct lx_sigs *s, int sig)
{
    return s->w[(sig - 1) >> 6] >> ((sig - 1) & 63) & 1;
}

/** True if a signal waits that the thread must act on. Of the process's signals those are another
 *  thread's affair that this one was not told of. */
static inline bool lx_signal_waiting(const struct lx_thread *t)
{
    for (int i = 0; i < 2; i++)
        if ((t->pending.set.w[i] | (t->told ? t->p->pending.set.w[i] : 0)) &
            (~t->mask.w[i] | t->wanted.w[i]))
            return true;
    return false;
}

#endif
