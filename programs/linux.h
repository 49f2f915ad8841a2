/*
 * The Linux personality from inside: one program, its threads, its files, its signals.
 *
 * Files by topic: run.c (the run's main loop), sched.c (which thread on which card), syscall.c
 * (from trap to handler), linux_*.c (the handlers), futex.c, signal.c, fault.c. Everything hangs
 * off one struct prog; there are no globals. Unless said otherwise functions return 0 or a count,
 * or a negative host errno; the guest's own numbers appear only at the edge (abi.c).
 */
#ifndef PROG_LINUX_H
#define PROG_LINUX_H

#include "programs/actors.h"
#include "programs/elf.h"
#include "programs/program.h"
#include "programs/view.h"
#include "programs/vm.h"

#include <xxhash.h>

enum {
    CARDS_MAX = 1024,
    FD_MAX = 1024,    /**< open files of a program (RLIMIT_NOFILE) */
    SIGNALS = 128,    /**< MIPS Linux signal numbers are 1 .. 128 */
    FIRST_TID = 1000, /**< the program's pid and its first thread's tid */
    PARENT = 1,       /**< the other process there is; nothing can be done to it */
    SYS_ARGS = 6,
    STACK_BYTES = 8 << 20,
};

/** Internal results beside errno: the call was cut short by a signal. Values as in Linux. */
enum { ERESTART_SYS = 512, ERESTART_NOINTR = 513, ERESTART_NOHAND = 514 };

/** Guest seconds between 1970 and tick 0: 1996-01-01 00:00:00 UTC, when the machine was young. */
#define PROG_EPOCH INT64_C(820454400)

struct prog;
struct thread;
struct inode;
struct synthetic;

/* ---- signals --------------------------------------------------------------------------------- */

/** Set of signals; bit s-1 of the 128 is signal s. */
struct sigs {
    uint64_t w[2];
};

struct action {
    uint64_t handler; /**< 0: default, 1: ignore */
    uint32_t flags;
    struct sigs mask;
};

/** What the guest finds in its siginfo. */
struct siginfo {
    int signo, code;
    uint64_t addr;     /**< faults */
    uint32_t pid, uid; /**< kill, tgkill, sigqueue */
    uint64_t value;
    uint32_t sender; /**< the thread whose call sent it, or 0 */
};

struct pending {
    struct pending *prev, *next;
    struct siginfo info;
};

/** Signals sent to a thread or to the process and not yet taken. */
struct sigqueue {
    struct sigs set;                /**< those with at least one waiting */
    struct pending *first[SIGNALS]; /**< of signal s at s-1, in the order they were sent */
};

struct altstack {
    uint64_t sp, size; /**< size 0: none */
    uint32_t flags;    /**< SS_AUTODISARM or 0 */
};

/* ---- threads --------------------------------------------------------------------------------- */

enum thread_state {
    TH_READY,   /**< has no card, could run */
    TH_RUNNING, /**< on its card */
    TH_OS,      /**< trapped; holds its card, its system call is being handled */
    TH_BLOCKED, /**< waits in a system call, without a card */
    TH_DEAD,
};

/** Why a blocked thread goes on. */
enum wake { WAKE_EVENT, WAKE_TIMEOUT, WAKE_SIGNAL };

/** What a thread on the futex list waits for. */
enum futex_kind {
    FUTEX_WORD,      /**< a wake-up */
    FUTEX_LOCK,      /**< to become owner of a lock (futex_pi.c) */
    FUTEX_CONDITION, /**< to be moved to such a lock */
};

enum { WATCHED_STATES = 32 };

/** What tells whether a thread gets on (watch.c). */
struct watched {
    struct pc_tries tries; /**< while it has no card; otherwise nm_card_tries */
    uint64_t calls;        /**< traps of its own making */
    nm_tick called_at;     /**< the last of them */
    uint64_t from, since;  /**< [instructions] of its card when it got that; since its last call */
    nm_tick free_at;       /**< [ticks] when the lock it sleeps for was last given back */
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

struct thread {
    struct prog *p;
    struct thread *prev, *next;     /**< all threads, by creation */
    struct thread *q_prev, *q_next; /**< run queue of its card */
    struct thread *w_prev, *w_next; /**< woken, waiting for a turn */
    struct actor *actor;
    uint32_t tid;
    enum thread_state state;
    unsigned card;
    uint64_t affinity[CARDS_MAX / 64];
    struct pc_regs regs;
    nm_tick ready_at; /**< [ticks] not before this on a card */
    nm_tick late_to;  /**< [ticks] by chance it sleeps on until then after a wake-up */
    nm_tick since;    /**< [ticks] on its card since then */
    nm_tick ran;      /**< [ticks] on a card before that */
    struct watched watched;
    nm_tick slice_end; /**< [ticks] others may have the card then */
    bool yield;        /**< gave up the rest of its slice */
    bool migrate;      /**< its card is no longer allowed */

    /* the trap being handled */
    struct nm_trap trap;
    enum pc_exc exc;
    uint64_t badvaddr;
    uint32_t trap_code;
    bool absent, unmapped, protected;

    /* blocking */
    enum wake wake;
    uint32_t policy; /**< SCHED_ number, with SCHED_RESET_ON_FORK; changes nothing */
    int nice;        /**< -20 .. 19; changes nothing */
    uint64_t slack;  /**< [ns] PR_SET_TIMERSLACK; 0: never set; changes nothing */
    bool interruptible;
    bool waiting;         /**< its actor waits in thread_block */
    nm_tick deadline;     /**< valid while waiting; NM_NEVER: none */
    const char *waits_in; /**< system call, for people */
    const void *channel;  /**< what it waits for; see thread_wake_all */
    uint64_t futex;       /**< address waited on; valid while on the futex list */
    uint32_t futex_bits;
    enum futex_kind futex_kind;
    uint32_t lock_owner;  /**< FUTEX_LOCK: the thread that has it */
    uint64_t lock_wanted; /**< FUTEX_CONDITION: address of the lock to be had afterwards */
    struct thread *f_prev, *f_next;
    bool on_futex;

    struct file **held; /**< files the call under way uses: closing them must wait */
    unsigned held_count, held_room;

    uint64_t clear_tid, robust_list; /**< guest addresses, 0: none */

    struct sigs mask, saved_mask;
    int restart; /**< ERESTART_ result of the interrupted call, or 0 */
    uint64_t restart_v0, restart_a3;
    uint64_t call_pc, call_npc; /**< the last SYSCALL instruction, and what follows it */
    bool spared;                /**< a handler is done: no other before some instructions */
    bool restore_mask;          /**< saved_mask comes back after the handler's frame is made */
    struct sigs wanted;         /**< sigtimedwait */
    struct sigqueue pending;
    struct altstack alt;
    struct note *note; /**< the message it waits to send (ipc.h) */
    char name[16];
};

/* ---- scheduling ------------------------------------------------------------------------------ */

struct card {
    struct thread *running; /**< TH_RUNNING or TH_OS; NULL: idle */
    struct thread *queue;   /**< TH_READY, first in first out */
    unsigned load;          /**< threads placed here */
    nm_tick tick_at;        /**< clock interrupt of the running thread */
    uint32_t interrupts;    /**< of its monitoring card, ever */
};

/* ---- files ----------------------------------------------------------------------------------- */

enum file_kind {
    FILE_HOST,   /**< a regular file, or a standard stream */
    FILE_FOLDER, /**< a directory */
    FILE_PATH,   /**< opened with O_PATH: a name, not its bytes */
    FILE_NULL,
    FILE_ZERO,
    FILE_PIPE_IN,
    FILE_PIPE_OUT,
    FILE_PIPE_BOTH, /**< a FIFO opened for both */
    FILE_MARK,
    FILE_RANDOM,
    FILE_DEVICE,
    FILE_OBJECT,      /**< a timer, a counter, a queue ... (linux_object.h) */
    FILE_UNCACHED,    /**< to be mapped (mapped.h) */
    FILE_NONCOHERENT, /**< to be mapped */
    FILE_CARD         /**< a card's registers, to be mapped, and its interrupts */
};

enum { PIPE_BYTES = 65536 };

struct pipe {
    unsigned readers, writers;
    unsigned opened[2];  /**< how often for reading and for writing, ever */
    struct inode *inode; /**< its FIFO, or NULL */
    size_t head, count;
    uint64_t moved; /**< reads and writes */
    uint8_t data[PIPE_BYTES];
};

/** An open file; descriptors made by dup share it. */
struct file {
    enum file_kind kind;
    int host;      /**< host descriptor, or -1 */
    bool standard; /**< behind the guest's first 0, 1, 2: the host's closes it */
    int stream;    /**< the guest's first 1 or 2, or 0 */
    unsigned refs; /**< descriptors, commands and calls under way */
    struct file *prev, *next;
    uint32_t flags;                /**< guest's O_ flags */
    uint64_t at;                   /**< position in a regular file */
    uint64_t moved;                /**< reads and writes of an object */
    struct inode *inode;           /**< of a file of the host; not owned */
    bool writable;                 /**< the view lets it be changed */
    const struct synthetic *synth; /**< what it is a made-up form of, or NULL */
    struct place place;            /**< FILE_FOLDER */
    struct pipe *pipe;
    const struct file_ops *ops;  /**< FILE_OBJECT: what it does (linux_object.h) */
    void *object;                /**< FILE_OBJECT: what it is */
    struct device *device;       /**< FILE_DEVICE: its commands (device.h) */
    unsigned card;               /**< FILE_CARD */
    uint32_t interrupts;         /**< FILE_CARD: of the card, when last read */
    int32_t owner;               /**< F_SETOWN: the thread or process told of them; 0: nobody */
    uint8_t owner_kind;          /**< F_SETOWN_EX's type; changes nothing */
    uint8_t signal;              /**< F_SETSIG; 0: SIGIO */
    struct directory *directory; /**< listing being read, or NULL */
};

struct descriptor {
    struct file *file;
    bool cloexec;
};

/* ---- limits ---------------------------------------------------------------------------------- */

/** MIPS Linux numbers of those limits that mean something here. */
enum {
    LIMIT_STACK = 3,
    LIMIT_NOFILE = 5,
    LIMIT_SIGPENDING = 11,
    LIMIT_MSGQUEUE = 12,
    LIMIT_NICE = 13,
    LIMIT_RTPRIO = 14,
    LIMITS = 16,
};

struct limit {
    uint64_t soft, hard; /**< UINT64_MAX: none */
};

/** What prctl keeps for the process; none of it changes anything. */
struct prctl {
    uint32_t death_signal, dumpable, keep_caps, timing, subreaper, no_new_privs, thp_disable;
};

/* ---- the program ----------------------------------------------------------------------------- */

struct prog {
    struct nm_machine *m;
    const struct nm_params *par;
    const struct prog_spec *spec;
    const struct prog_hooks *hooks;
    struct prog_outcome *out;

    int elf_fd;
    struct elf_image image;
    struct vm vm;
    bool n64;

    struct actors *actors;
    struct thread *threads; /**< living ones */
    unsigned alive;
    nm_tick ran; /**< [ticks] of ended threads on their cards */
    uint32_t next_tid;
    struct thread *woken;   /**< their actors get the turn next, in this order */
    struct thread *futexes; /**< waiting on a futex, first come first */
    struct thread *graves;  /**< ended threads, freed with the program */

    struct card cards[CARDS_MAX];
    unsigned processors; /**< cards 0 .. processors-1 may run threads */

    struct descriptor fds[FD_MAX];
    struct file *files; /**< all, by time of opening */
    struct view *view;
    struct place cwd;
    unsigned umask;
    struct inode *inodes; /**< files the guest has seen (inode.h) */
    uint64_t inode_count;
    XXH64_state_t *hash;

    struct action actions[SIGNALS + 1];
    struct sigqueue pending;     /**< for the process */
    unsigned pending_count;      /**< waiting signals, of all queues (RLIMIT_SIGPENDING) */
    struct epoll *epolls;        /**< open ones */
    uint64_t epoll_round;        /**< looks through epolls, and */
    bool epoll_inside;           /**< whether one is under way */
    struct mqueue *mqueues;      /**< with a name or a descriptor */
    struct sysv *sysv[3];        /**< System V objects by kind (linux_sysv.h) */
    uint32_t next_sysv[3];       /**< number of the next of a kind */
    unsigned watchers;           /**< open signal descriptors */
    struct timer *timers;        /**< of all kinds (timer.h), by creation */
    uint32_t next_timer;         /**< number of the next POSIX timer */
    struct limit limits[LIMITS]; /**< by MIPS number; most change nothing */
    struct prctl prctl;
    bool membarrier;   /**< the process has said that it will use private barriers */
    uint32_t uid, gid; /**< only ever what they were */
    nm_tick moment_at; /**< next call of the moment hook; NM_NEVER: none */

    struct device_command *commands; /**< special functions asked for, in order (device.c) */

    uint64_t random_drawn;    /**< getrandom bytes given */
    uint64_t device_drawn;    /**< /dev/urandom bytes given */
    bool hinted;              /**< at files outside the view */
    unsigned char named[768]; /**< unknown calls already named, one bit each */

    nm_tick watch_at;        /**< the watchdog's next look */
    nm_tick changed_at;      /**< a look before which a thread might see something new ... */
    uint64_t changes, calls; /**< ... how much had been done for that by then; calls so far */
    uint64_t changed_said;   /**< [ticks] since then when it was last spoken of */
    nm_tick moved_at;        /**< simulated time at ... */
    int64_t moved_ns;        /**< [host ns] ... this moment, from which on it stood */
    bool stood;              /**< that has been said */

    int64_t told_ns; /**< [host ns] when the progress hook was last called */
    bool over;       /**< the end is decided: */
    nm_tick over_at; /**< [ticks] the machine still runs to here */
};

/** Tick of the moment being handled. */
static inline nm_tick prog_now(const struct prog *p)
{
    return nm_machine_now(p->m);
}

/** Decides the end of the run; the first to do so wins. `message` may be NULL. */
void prog_finish(struct prog *p, enum prog_end end, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Calls the progress hook if it is time; whoever waits for the host must do so about as often.
 *  The hook may decide the end (p->over). */
void prog_tell(struct prog *p);

/** Loads the executable and builds the first thread's stack (load.c). @return 0 or -errno */
int prog_load(struct prog *p, struct thread *first);

/** [ns] simulated time since tick 0, and back (rounded up). */
uint64_t prog_ns(const struct prog *p, nm_tick t);
nm_tick prog_ticks(const struct prog *p, uint64_t ns);

/** Fills buf from the seed's stream number `stream`, starting at byte `from`. */
void prog_random(const struct prog *p, uint64_t stream, uint64_t from, void *buf, size_t len);

/* ---- sched.c --------------------------------------------------------------------------------- */

/** A new thread with the registers given, ready to be placed. */
struct thread *thread_new(struct prog *p, const struct pc_regs *regs);
/** Chooses a card and makes the thread ready at now + the time a wake-up takes. */
void thread_start(struct thread *t);
/** The thread is gone: its card goes on without it. */
void thread_end(struct thread *t);

/** After its handler: back to its card, or into a queue. */
void sched_return(struct thread *t);

/** Another thread's allowed cards changed. */
void sched_affinity(struct thread *t);

/**
 * The calling thread waits: its card goes to another thread meanwhile.
 * @param deadline  [ticks] NM_NEVER: none
 * @param interruptible  a signal ends the wait
 * @param channel   what thread_wake_all must name, or NULL
 */
enum wake thread_block(struct thread *t, nm_tick deadline, bool interruptible, const void *channel);
/** The calling thread waits until `at`, if that is to come, and keeps its card. */
void thread_hold(struct thread *t, nm_tick at);
/** Ends a wait; no effect on a thread that does not wait. */
void thread_wake(struct thread *t, enum wake why);
void thread_wake_all(struct prog *p, const void *channel);
/** Makes the thread look at its signals: ends its wait or stops its card. */
void thread_notify(struct thread *t);

struct thread *thread_find(struct prog *p, uint32_t tid);

/* ---- tick.c ---------------------------------------------------------------------------------- */

/** [ticks] The card's first clock interrupt after `at`; NM_NEVER: there is none. */
nm_tick tick_after(const struct prog *p, unsigned card, nm_tick at);
/** [ticks] What its clock interrupt at `at` takes. */
nm_tick tick_cost(const struct prog *p, unsigned card, nm_tick at);

/* ---- traps ----------------------------------------------------------------------------------- */

/** Body of a thread's actor. */
void thread_main(void *thread);
/** Handles t->trap's system call (syscall.c). */
void syscall_trap(struct thread *t);
/** Handles any other exception (fault.c). */
void fault_trap(struct thread *t);
/** The name of a system call for people, or "syscall 4123". */
void syscall_name(const struct prog *p, uint64_t number, char *buf, size_t size);

/* ---- signal.c -------------------------------------------------------------------------------- */

static inline bool sigs_has(const struct sigs *s, int sig)
{
    return s->w[(sig - 1) >> 6] >> ((sig - 1) & 63) & 1;
}

/** Queues a signal for one thread (t) or, with t NULL, for the process.
 *  @return 0, or -EAGAIN when a real-time signal with a value finds too many waiting */
int signal_post(struct prog *p, struct thread *t, const struct siginfo *info);
/** Whether a signal to thread `t`, or with t NULL to the process, would be thrown away. */
bool signal_dropped(const struct prog *p, const struct thread *t, int signo);
/** The signal's action has changed: if that is to ignore it, those waiting are thrown away. */
void signal_settle(struct prog *p, int signo);
/** A fault of this thread: cannot be ignored or blocked. */
void signal_force(struct thread *t, int signo, int code, uint64_t addr);
/** True if a signal waits that the thread must act on. */
bool signal_waiting(const struct thread *t);
/** The thread's handler is done: what others sent it meanwhile waits for some instructions. What it
 *  sent itself does not, as on Linux. */
void signal_spare(struct thread *t);
/** Acts on the thread's signals before it goes on, unless it is spared; restarts or ends an
 * interrupted call. */
void signal_deliver(struct thread *t);
/** Takes a waiting signal of `set` off the queues. */
bool signal_take(struct thread *t, const struct sigs *set, struct siginfo *info);
void signal_free(struct prog *p);
/** The thread is gone: so is what was sent to it alone. */
void signal_clear_thread(struct thread *t);
/** Writes the trampolines; part of loading. */
int signal_trampolines(struct prog *p);

/* ---- timer.c --------------------------------------------------------------------------------- */

/** The next tick at which a timer may come due; NM_NEVER: none in sight. */
nm_tick timers_date(const struct prog *p);
/** Lets those due now fire. */
void timers_ring(struct prog *p);
/** A signal has been taken off its queue: a timer that sent it goes on; fills in the overrun. */
void timer_taken(struct prog *p, struct siginfo *info);
/** Signals of that number were thrown away. */
void timers_dropped(struct prog *p, int signo);
void timers_free(struct prog *p);

/* ---- futex.c --------------------------------------------------------------------------------- */

unsigned futex_wake(struct prog *p, uint64_t addr, unsigned count, uint32_t bits);
/** Robust list of a thread that ends: mark its locks "owner died" and wake a waiter. */
void futex_thread_exit(struct thread *t);

/* ---- linux_limit.c --------------------------------------------------------------------------- */

void limits_init(struct prog *p);

/* ---- linux_file.c ---------------------------------------------------------------------------- */

void files_init(struct prog *p);
void files_free(struct prog *p);
struct file *file_get(struct prog *p, int64_t fd);
/** Keeps a file until the thread's call ends, whoever closes it meanwhile. */
void file_hold(struct thread *t, struct file *f);
/** The call has ended. */
void files_let_go(struct thread *t);

#endif
