/*
 * A run of a workload on the machine: what is asked for, what is heard meanwhile, how it ended.
 *
 * A workload keeps the cards busy: an operating system with a program on it (programs/linux/),
 * sources of references (programs/driven/). This header is for code that runs a workload,
 * workload.h for code that is one.
 */
#ifndef PROG_PROGRAM_H
#define PROG_PROGRAM_H

#include "machine/machine.h"

#include <stddef.h>

#pragma GCC visibility push(default)

/** [bytes] larger files are no programs. */
#define PROG_FILE_MAX (UINT64_C(1) << 30)

struct prog_workload;

/** An executable file and its surroundings: what a workload runs that is an operating system. All
 *  pointers belong to the caller and must outlive prog_run. */
struct prog_program {
    const char *path;                   /**< executable on the host */
    const void *described;              /**< instead of one: what an experiment describes, as the
                                             workload's header says; NULL: nothing */
    char *const *argv;                  /**< NULL-terminated; argv[0] as the guest shall see it */
    char *const *envp;                  /**< NULL-terminated; the guest's whole environment */
    int stdin_fd, stdout_fd, stderr_fd; /**< host descriptors behind the guest's 0, 1, 2 */
    const char *beside;                 /**< what the user calls it, which the guest may read;
                                             NULL: nothing */
    char *const *allow;      /**< NULL-terminated "PATH[:ro|:rw]": more that the guest may
                                  name; NULL: nothing */
    bool root;               /**< the guest is root to its operating system: to IRIX's counters. It
                                  may use no other file for that */
    const char *const *off;  /**< NULL-terminated directories the guest may not change;
                                  NULL: none */
    const char *const *tool; /**< NULL-terminated directories of the simulator itself, which the
                                guest may change only if `allow` has them; NULL: none */
    bool confine;            /**< the host's kernel shall confine the process too, for
                                  good: it may write to `off`, but not much else */
    bool copies;             /**< but it may make copies of itself (past.h) */
    bool doubles;            /**< the run has been before: what the guest may change is copied, and
                                  it changes the copy */
};

/** A point of a run. */
struct prog_point {
    enum { PROG_AT_NONE, PROG_AT_MARK, PROG_AT_INSTRUCTIONS, PROG_AT_PC } kind;
    const char *mark;      /**< a region of this name begins, or (of the second point) ends */
    uint64_t instructions; /**< so many have been completed, of all processors; noticed up to 1,024
                                PCycles later */
    uint64_t pc;           /**< any processor is about to execute the instruction at this virtual
                                address: a multiple of 4, not 0 */
    uint64_t times;        /**< of MARK and PC: the so-manieth time, of the second point since the
                                first; 0 is 1 */
};

/** The timed samples of the measured part; between them the machine is warmed. */
struct prog_sampling {
    sim_tick
        every;     /**< [ticks] from the begin of one sample to that of the next; 0: all is timed */
    sim_tick lead; /**< [ticks] timed ahead of each, until queues are as full as they are */
    sim_tick length; /**< [ticks] of a sample, > 0; with the lead less than `every` */
};

/** How a run comes to the measured part. Zero: all of it is timed from the begin. Needs a machine
 *  whose mode is timed, and whose cards can change it (nm_machine_set_mode); a point at an address
 *  needs a workload with `await`. */
struct prog_approach {
    struct prog_point from; /**< not timed up to here; NONE: the begin */
    struct prog_point to;   /**< functional from here on; NONE: the end */
    bool warms;             /**< caches and directories learn of the time before `from` */
    struct prog_sampling sampling;
};

/** What all processors got done. A thread that waits by looking again and again completes
 * instructions, and stores nothing. */
struct prog_done {
    uint64_t instructions;
    uint64_t stores; /**< without failed store-conditionals */
};

/** Where threads are, asked for by their processors' event counters: whenever a thread has had so
 *  many events of a kind in user mode, its operating system interrupts it. Of a workload whose
 *  processors have such counters. */
struct prog_counted {
    unsigned event; /**< IRIX's number */
    uint32_t every; /**< [events] up to INT32_MAX; 0: threads are not interrupted */
};

/** Such an interrupt. The pc is where the thread stands, which is behind what was counted. */
struct prog_overflow {
    unsigned card;
    uint32_t thread;
    uint64_t pc; /**< virtual */
};

/** One sample of a run. [ticks] */
struct prog_sample {
    sim_tick from, to;
    sim_tick lead, rest; /**< timed before and after it; in the latter processors stand still */
    sim_tick paged;      /**< timed before its lead, because several processors took pages */
    sim_tick warmed;     /**< the machine was, before that; 0: it is the first, or it was not */
    struct prog_done done, early, between; /**< in it; in its first half; while it was warmed */
    uint64_t requests;                     /**< for lines: */
    sim_tick refused;                      /**< what those took together that were refused, ... */
    sim_tick took;                         /**< ... what the others did, ... */
    sim_tick expected;   /**< ... and what the samples before would have said that these take */
    unsigned processors; /**< that completed instructions */
};

/** What to run, and until when. All pointers belong to the caller and must outlive prog_run. */
struct prog_spec {
    const struct prog_workload *workload;
    const void *what;    /**< what the workload runs, as its header says: of an operating system, a
                              struct prog_program */
    uint64_t seed;       /**< of all that the workload draws by lot */
    sim_tick limit;      /**< stop at this tick (SIM_NEVER: none) */
    sim_tick moment;     /**< [ticks] of the first call of `moment`; SIM_NEVER: none */
    unsigned processors; /**< threads may run on cards 0 .. processors-1, which there are; 0: all */
    const struct nm_range *ranges; /**< pages with a station of their own; they win over the
                                        machine's rule */
    unsigned range_count;
    const struct nm_apart_range *apart; /**< bytes with lines of their own (machine/apart.h) */
    size_t apart_count;
    struct prog_approach approach;
    struct prog_counted counted;
};

/** A thread of the program, and where what it alone has lies. */
struct prog_thread {
    uint32_t number;
    bool ended;
    sim_tick at;              /**< [ticks] now */
    uint64_t sp;              /**< guest virtual: its first stack pointer */
    uint64_t stack, stack_to; /**< where its stack may be: from the beginning of what is mapped
                                   there, up to `sp`; a program's first thread has what the
                                   operating system put above, too. Equal: not known */
    uint64_t tls, tls_to;     /**< its thread-local variables; equal: it has none yet */
};

/** A step on a thread's way through sleep, of a workload with threads. */
enum prog_step {
    PROG_BORN,    /**< `by` has made it; 0: the first */
    PROG_SLEEPS,  /**< it gives its card away until it is called, or a date or a signal comes */
    PROG_CALLED,  /**< `by` ended its sleep; 0: a date or a signal did */
    PROG_GOES_ON, /**< it has a card, for the first time since it was born or slept */
    PROG_LEAVES,  /**< it goes to another card, where it will go on */
    PROG_ENDS,    /**< it is gone */
    PROG_EXITS,   /**< it ends the program */
};

struct prog_turn {
    enum prog_step step;
    unsigned card;       /**< the thread's; of LEAVES the one that it goes to */
    uint32_t thread, by; /**< the operating system's numbers of them */
    uint64_t word;       /**< virtual address that it sleeps on (futex), or of ENDS where its end is
                              told; 0: none */
    sim_tick at;         /**< [ticks] GOES_ON: may be to come; else it is now */
    sim_tick since; /**< [ticks] SLEEPS, LEAVES, ENDS: the card is free from here on; GOES_ON: the
                         system has it from here on, */
    sim_tick rests; /**< ... and from here until then it sleeps on, if that is earlier */
};

/** An access to memory that a program makes. */
struct prog_access {
    uint64_t pc, va; /**< of the instruction, and of the bytes that it reads or writes: virtual */
    unsigned size;   /**< [bytes] at most */
    bool store;      /**< it writes */
    bool later;      /**< behind a branch: it may come, and need not */
};

enum { PROG_ACCESSES_MAX = 48 /**< that are told of one interrupt */ };

/** A statistic that a workload measures by itself, for lists. Strings are static. */
struct prog_figure {
    const char *name, *unit, *sentence; /**< name: a path below "machine" */
    bool count; /**< it is `above` alone, a whole number; else above / below */
};

/** What a figure comes to. Both parts add up over visits of a region, and over regions. */
struct prog_quotient {
    double above, below; /**< 0 / 0: nothing was measured */
};

struct prog_run;

/** Calls out of a run; any may be NULL. They come from the run loop and from threads that wait for
 *  the host. */
struct prog_hooks {
    void *ctx;
    /** A thread begins, has a new place for its variables, or has ended. It only reads. */
    void (*thread)(void *ctx, const struct prog_thread *thread);
    /** The guest (or the end of the run) named a moment; the machine stands exactly at `at`. */
    void (*mark)(void *ctx, const char *name, bool begin, sim_tick at);
    /** Of a run with an approach: what is timed is measured from here on, or no more. Samples are
     *  measured without what is ahead of them and behind; the run's end ends what is measured,
     *  too, without a call. The machine stands exactly at `at`. */
    void (*measure)(void *ctx, bool on, sim_tick at);
    /** What the workload's own figures came to in a region, of all its visits or of some: they add
     *  up. @param figure  [prog_workload.figures] */
    void (*figures)(void *ctx, const char *region, const struct prog_quotient *figure);
    /** Soon after spec->moment, and after each that it returns, SIM_NEVER for no more; the machine
     *  stands exactly at `at`. */
    sim_tick (*moment)(void *ctx, sim_tick at);
    /** The guest wrote so many bytes to its standard output (1) or standard error (2). */
    void (*wrote)(void *ctx, int stream, const void *bytes, size_t count);
    /** A page of the program gets memory; registers of cards may be written, nothing else. */
    void (*paged)(void *ctx, uint64_t va, uint64_t pa);
    /** A card's counter unit interrupts its processor, which stands where the program is
     *  interrupted; registers of cards may be read and written, nothing else.
     *  @param access  [count] as prog_workload.accesses gives them */
    void (*interrupted)(void *ctx, unsigned card, const struct prog_access *access, unsigned count);
    /** A thread is interrupted because of prog_spec.counted. It only reads. */
    void (*overflowed)(void *ctx, const struct prog_overflow *overflow);
    /** A thread took that step; the machine stands. */
    void (*turn)(void *ctx, const struct prog_turn *turn);
    /** The run is about to begin: its first round comes next. It may be kept until `ended`. */
    void (*begun)(void *ctx, struct prog_run *run);
    /** A thread is about to act on a signal: its handler, or the end of the program. The machine
     *  stands. @param called  by MIPS Linux's numbers, whatever the guest's
     *  @return false: the signal is thrown away */
    bool (*signalled)(void *ctx, uint32_t thread, int called);
    /** A thread makes a system call, or has its result. The machine stands.
     *  @param number  the guest's */
    void (*called)(void *ctx, uint32_t thread, uint64_t number, bool over);
    /** The run is over (run->over), and its workload and machine are as they were at its end. */
    void (*ended)(void *ctx);
    /** About ten times a second of host time; return false to stop the run (PROG_INTERRUPTED). */
    bool (*progress)(void *ctx, sim_tick now, uint64_t instructions);
    /** As often: whether all threads are to be said. */
    bool (*asked)(void *ctx);
    /** Whole lines for people: what the watchdog finds, and all threads when asked, or when the run
     *  ends before the program. NULL: standard error. */
    void (*say)(void *ctx, const char *text);
};

/** How a run ended. */
enum prog_end {
    PROG_EXITED,      /**< the workload is done, with `status` (0: well) */
    PROG_SIGNALED,    /**< killed by signal `status` (message says pc, symbol, address) */
    PROG_LIMIT,       /**< tick limit reached first */
    PROG_DEADLOCK,    /**< every thread waits for another; message says which for which */
    PROG_STUCK,       /**< hardware watchdog */
    PROG_LIVELOCK,    /**< run.livelock: a thread gets nowhere; message says which and where */
    PROG_BROKEN,      /**< coherence, an internal invariant or a workload's contract violated */
    PROG_INTERRUPTED, /**< progress hook said stop */
    PROG_UNLOADABLE,  /**< not an executable this machine can run, or SimGrid did not start; message
                           is one line */
    PROG_NOMEM,       /**< the machine's memory is full */
    PROG_IO,          /**< the host could not read a file that is mapped */
};

/** What a replay of a recorded trace says of itself. */
struct prog_replayed {
    bool is;       /**< the run was one */
    bool known;    /**< what the recorded run came to is, and */
    bool same;     /**< ... this machine is the one on which it did */
    double longer; /**< share by which the replay took longer than the recorded run, */
    double misses; /**< by which it has more secondary misses, */
    double nacks;  /**< and NACKs */
    double held;   /**< share of its processors' time in which they were held back until it was
                        their turn as in the recording */
};

/** What is left of a run beside the machine. */
struct prog_outcome {
    enum prog_end end;
    int status;
    sim_tick ticks;        /**< tick at which the run ended */
    uint64_t instructions; /**< simulated instructions, all processors */
    uint64_t threads;      /**< threads created, the first included */
    uint64_t stdout_hash;  /**< XXH64 of all bytes the guest wrote to 1 */
    bool reached;          /**< approach.from, or there was none */
    bool passed;           /**< approach.to */
    uint64_t page_turns; /**< so often, before approach.from with warm caches, a page was taken for
                              another processor than the one before, or a thread began */
    sim_tick sampled_from, sampled_to; /**< [ticks] the part that was sampled */
    sim_tick stood; /**< [ticks] of it, in which processors stood still for the machine to come to
                         rest: not the program's */
    struct prog_sample *sample; /**< [samples] the caller's to free; NULL: all was timed */
    size_t samples;
    uint64_t sleeps; /**< of threads: in the sampled part, in a replay */
    struct prog_replayed replayed;
    bool references; /**< it was a trace: what counts as an instruction is a PCycle of its own, with
                          a reference or without */
    char message[1024]; /**< "" or what a person should read */
};

/**
 * Runs a workload to its end on a fresh machine (an assertion sees to that there is one).
 * At the end the machine stands at outcome->ticks and can be read (taps, truth).
 * SimGrid, in which threads sleep, starts once in a process: after a run in which one has slept,
 * the next workload of actors ends with PROG_UNLOADABLE at tick 0.
 */
void prog_run(struct nm_machine *m, const struct prog_spec *spec, const struct prog_hooks *hooks,
              struct prog_outcome *out);

#pragma GCC visibility pop

#endif
