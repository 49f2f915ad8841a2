/*
 * The Linux personality from inside: one program, its threads, its files, its signals.
 *
 * From below, each storey knowing those before it:
 *   elf, symbols, lines       executables; the names of their addresses
 *   types, dwarf              what their variables are called and consist of
 *   names, image, synthetic   what can be asked of one; the rows of made-up files
 *   kind                      binary interfaces: words, order of bytes, numbers
 *   processor                 registers on and off a card, code
 *   vm, vm_file, abi, view    the program's memory; numbers and structures; what it can name
 *   linux.h                   this file: the program and its threads
 *   isa, mips, arm            what is done with registers (isa.h), for each instruction set
 *   syscall, inode, watch     from trap to handler; what is known of a file; the watchdog
 *   file, signal, futex, timer, ipc, lock, device, mapped, time
 *                             what the handlers of a topic share
 *   object, path, sysv        and of those that build on files
 *   attribute ... transfer, sys_*    the handlers, by topic
 *   irix                      event counters as IRIX has them, over programs/irix/
 *   sched, tick, fault, load, limit  threads on cards, the clock, exceptions, execve
 *   confine, personality      the host's walls; the workload as the run loop sees it
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
#include "programs/linux/view/view.h"
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

struct lx_prog;
struct lx_thread;
struct lx_inode;
struct lx_synthetic;

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
    bool forced;       /**< by what the thread itself did: its instruction is at fault */
    uint64_t addr;     /**< faults */
    uint32_t pid, uid; /**< kill, tgkill, sigqueue */
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

    /* blocking */
    enum lx_wake wake;
    uint32_t policy; /**< SCHED_ number, with SCHED_RESET_ON_FORK; changes nothing */
    int nice;        /**< -20 .. 19; changes nothing */
    uint64_t slack;  /**< [ns] PR_SET_TIMERSLACK; 0: never set; changes nothing */
    bool interruptible;
    bool waiting;          /**< its actor waits in lx_thread_block */
    sim_tick deadline;     /**< valid while waiting; SIM_NEVER: none */
    const char *waits_in;  /**< system call, for people */
    const void *channel;   /**< what it waits for; see lx_thread_wake_all */
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
    struct lx_call_site call;
    struct lx_storm storm;
    bool restore_mask;     /**< saved_mask comes back after the handler's frame is made */
    struct lx_sigs wanted; /**< sigtimedwait */
    struct lx_sigqueue pending;
    struct lx_altstack alt;
    struct lx_note *note; /**< the message it waits to send (ipc.h) */
    char name[16];
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

enum lx_file_kind {
    FILE_HOST,   /**< a regular file, or a standard stream */
    FILE_FOLDER, /**< a directory */
    FILE_PATH,   /**< opened with O_PATH: a name, not its bytes */
    FILE_NULL,
    FILE_ZERO,
    FILE_FULL, /**< reads as zeros, and has no room */
    FILE_PIPE_IN,
    FILE_PIPE_OUT,
    FILE_PIPE_BOTH, /**< a FIFO opened for both */
    FILE_MARK,
    FILE_RANDOM,
    FILE_DEVICE,
    FILE_OBJECT,      /**< a timer, a counter, a queue ... (object.h) */
    FILE_UNCACHED,    /**< to be mapped (mapped.h) */
    FILE_NONCOHERENT, /**< to be mapped */
    FILE_CARD         /**< a card's registers, to be mapped, and its interrupts */
};

enum { PIPE_BYTES = 65536 };

struct lx_pipe {
    unsigned readers, writers;
    unsigned opened[2];     /**< how often for reading and for writing, ever */
    struct lx_inode *inode; /**< its FIFO, or NULL */
    size_t head, count;
    uint64_t moved; /**< reads and writes */
    uint8_t data[PIPE_BYTES];
};

/** An open file; descriptors made by dup share it. */
struct lx_file {
    enum lx_file_kind kind;
    int host;      /**< host descriptor, or -1 */
    bool standard; /**< behind the guest's first 0, 1, 2: the host's closes it */
    int stream;    /**< the guest's first 1 or 2, or 0 */
    unsigned refs; /**< descriptors, commands and calls under way */
    struct lx_file *prev, *next;
    uint32_t flags;                   /**< guest's O_ flags */
    uint64_t at;                      /**< position in a regular file */
    uint64_t moved;                   /**< reads and writes of an object */
    struct lx_inode *inode;           /**< of a file of the host; not owned */
    bool writable;                    /**< the view lets it be changed ... */
    bool guarded;                     /**< ... but for rights to execute it (guard.h) */
    const struct lx_synthetic *synth; /**< what it is a made-up form of, or NULL */
    struct lx_place place;            /**< FILE_FOLDER */
    struct lx_pipe *pipe;
    const struct lx_file_ops *ops; /**< FILE_OBJECT: what it does (object.h) */
    void *object;                  /**< FILE_OBJECT: what it is */
    struct lx_device *device;      /**< FILE_DEVICE: its commands (device.h) */
    unsigned card;                 /**< FILE_CARD */
    uint32_t interrupts;           /**< FILE_CARD: of the card, when last read */
    int32_t owner;                 /**< F_SETOWN: the thread or process told of them; 0: nobody */
    uint8_t owner_kind;            /**< F_SETOWN_EX's type; changes nothing */
    uint8_t signal;                /**< F_SETSIG; 0: SIGIO */
    struct directory *directory;   /**< listing being read, or NULL */
    uint64_t kept;                 /**< [bytes] put aside for that, or for its text */
};

struct lx_descriptor {
    struct lx_file *file;
    bool cloexec;
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
    struct lx_vm vm;
    const struct lx_kind *kind; /**< of the program */
    bool n64;                   /**< its longs have 64 bits */
    uint64_t auxv[AUXV_MAX];    /**< what the program found on its stack */
    unsigned auxv_count;        /**< [words] */

    struct lx_thread *threads; /**< living ones */
    struct lx_thread *timed;   /**< those of them that wait with a deadline, by creation */
    unsigned alive;
    sim_tick ran; /**< [ticks] of ended threads on their cards */
    uint32_t next_tid;
    struct lx_thread *woken;   /**< their actors get the turn next, in this order */
    struct lx_thread *futexes; /**< waiting on a futex, first come first */

    struct lx_card cards[CARDS_MAX];
    unsigned processors; /**< cards 0 .. processors-1 may run threads */

    struct lx_descriptor fds[FD_MAX];
    struct lx_file *files; /**< all, by time of opening */
    struct lx_view *view;
    struct lx_place cwd;
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

/** Loads the executable and builds the first thread's stack (load.c). @return 0 or -errno */
int lx_load(struct lx_prog *p, struct lx_thread *first);

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

/* ---- sched.c --------------------------------------------------------------------------------- */

/** Tells of it whoever wants to know (prog_hooks.thread): it begins, has ended, or its thread
 *  pointer has changed. */
void lx_thread_tell(const struct lx_thread *t);
/** A new thread with the registers given, ready to be placed. */
struct lx_thread *lx_thread_new(struct lx_prog *p, const union lx_regs *regs);
/** Chooses a card and makes the thread ready at now + the time a wake-up takes. */
void lx_thread_start(struct lx_thread *t);
/** The thread is gone: its card goes on without it. Its actor may only return then. */
void lx_thread_end(struct lx_thread *t);
/** The thread ends the program: who listens to the run is told (prog_hooks.turn). */
void lx_thread_exits(const struct lx_thread *t);
/** Frees one that has ended and whose actor has returned, or any at the end of the run. */
void lx_thread_free(struct lx_thread *t);

/** After its handler: back to its card, or into a queue. */
void lx_sched_return(struct lx_thread *t);

/** Another thread's allowed cards changed. */
void lx_sched_affinity(struct lx_thread *t);

/**
 * The calling thread waits: its card goes to another thread meanwhile.
 * @param deadline  [ticks] SIM_NEVER: none
 * @param interruptible  a signal ends the wait
 * @param channel   what lx_thread_wake_all must name, or NULL
 */
enum lx_wake lx_thread_block(struct lx_thread *t, sim_tick deadline, bool interruptible,
                             const void *channel);
/** The calling thread waits until `at`, if that is to come, and keeps its card. */
void lx_thread_hold(struct lx_thread *t, sim_tick at);
/** Ends a wait; no effect on a thread that does not wait. */
void lx_thread_wake(struct lx_thread *t, enum lx_wake why);
void lx_thread_wake_all(struct lx_prog *p, const void *channel);
/** Makes the thread look at its signals: ends its wait or stops its card. */
void lx_thread_notify(struct lx_thread *t);

struct lx_thread *lx_thread_find(struct lx_prog *p, uint32_t tid);

/* ---- tick.c ---------------------------------------------------------------------------------- */

/** [ticks] The card's first clock interrupt after `at`; SIM_NEVER: there is none. */
sim_tick lx_tick_after(const struct lx_prog *p, unsigned card, sim_tick at);
/** [ticks] What its clock interrupt at `at` takes. */
sim_tick lx_tick_cost(const struct lx_prog *p, unsigned card, sim_tick at);

/* ---- traps ----------------------------------------------------------------------------------- */

/** Body of a thread's actor. @param arg  a struct lx_thread */
void lx_thread_main(void *arg);
/** Handles t->trap's system call (syscall.c). */
void lx_syscall_trap(struct lx_thread *t);
/** Handles any other exception (fault.c). */
void lx_fault_trap(struct lx_thread *t);
/** The name of a system call for people, or "syscall 4123". */
void lx_syscall_name(const struct lx_prog *p, uint64_t number, char *buf, size_t size);

/* ---- signal.c -------------------------------------------------------------------------------- */

static inline bool lx_sigs_has(const struct lx_sigs *s, int sig)
{
    return s->w[(sig - 1) >> 6] >> ((sig - 1) & 63) & 1;
}

/** Queues a signal for one thread (t) or, with t NULL, for the process.
 *  @return 0, or -EAGAIN when a real-time signal with a value finds too many waiting */
int lx_signal_post(struct lx_prog *p, struct lx_thread *t, const struct lx_siginfo *info);
/** Whether a signal to thread `t`, or with t NULL to the process, would be thrown away. */
bool lx_signal_dropped(const struct lx_prog *p, const struct lx_thread *t, int signo);
/** The signal's action has changed: if that is to ignore it, those waiting are thrown away. */
void lx_signal_settle(struct lx_prog *p, int signo);
/** A fault of this thread: cannot be ignored or blocked. @param name  SIG_ (signal.h) */
void lx_signal_force(struct lx_thread *t, int name, int code, uint64_t addr);
/** True if a signal waits that the thread must act on. */
bool lx_signal_waiting(const struct lx_thread *t);
/** The thread's handler is done. What was sent to it before that comes first, as on Linux; what is
 *  sent while it returns waits for some instructions. Where that is without end (a storm), what is
 *  sent later waits for more. */
void lx_signal_returned(struct lx_thread *t);
/** Acts on the thread's signals before it goes on; restarts or ends an interrupted call. */
void lx_signal_deliver(struct lx_thread *t);
/** Takes a waiting signal of `set` off the queues. */
bool lx_signal_take(struct lx_thread *t, const struct lx_sigs *set, struct lx_siginfo *info);
void lx_signal_free(struct lx_prog *p);
/** The thread is gone: so is what was sent to it alone. */
void lx_signal_clear_thread(struct lx_thread *t);

/* ---- timer.c --------------------------------------------------------------------------------- */

/** The next tick at which a timer may come due; SIM_NEVER: none in sight. */
sim_tick lx_timers_date(const struct lx_prog *p);
/** Lets those due now fire. */
void lx_timers_ring(struct lx_prog *p);
/** A signal has been taken off its queue: a timer that sent it goes on; fills in the overrun. */
void lx_timer_taken(struct lx_prog *p, struct lx_siginfo *info);
/** Signals of that number were thrown away. */
void lx_timers_dropped(struct lx_prog *p, int signo);
void lx_timers_free(struct lx_prog *p);

/* ---- futex.c --------------------------------------------------------------------------------- */

/** The operating system's own call: wakes one who waits for the word at `addr` as a shared one. */
void lx_futex_call(struct lx_prog *p, uint64_t addr);
/** Robust list of a thread that ends: mark its locks "owner died" and wake a waiter. */
void lx_futex_thread_exit(struct lx_thread *t);

/* ---- limit.c --------------------------------------------------------------------------- */

void lx_limits_init(struct lx_prog *p);
/** /proc/self/limits */
void lx_limits_print(const struct lx_prog *p, FILE *f);
/** The program's descriptors are below this. */
static inline uint64_t lx_limit_files(const struct lx_prog *p)
{
    return p->limits[LIMIT_NOFILE].soft < FD_MAX ? p->limits[LIMIT_NOFILE].soft : FD_MAX;
}

/* ---- file.c ---------------------------------------------------------------------------- */

void lx_files_init(struct lx_prog *p);
void lx_files_free(struct lx_prog *p);
struct lx_file *lx_file_get(struct lx_prog *p, int64_t fd);
/** Keeps a file until the thread's call ends, whoever closes it meanwhile. */
void lx_file_hold(struct lx_thread *t, struct lx_file *f);
/** The call has ended. */
void lx_files_let_go(struct lx_thread *t);

#endif
