/*
 * What a workload must be: a struct of operations that the run loop (run.c) calls.
 *
 * Two clocks move together. The loop runs the machine to the workload's next date, or until a card
 * traps; then all of the machine stands at one tick, and the workload does what is to be done at
 * that tick. docs/extending.md has a walk through the smallest one, tests/extending/workload.c.
 *
 * All operations get `self`: `size` bytes, zeroed, the run's. They are called one at a time, and
 * while the machine stands: they may read and change it, start and stop cards (nm_card_resume,
 * nm_card_preempt), and call prog_finish, prog_say and prog_tell; they must not run it
 * (nm_machine_run). What they do must depend on simulated things only, or runs differ.
 *
 * Order of calls: prepare; if that was good, start; then rounds of runs, date, [the machine], due,
 * perhaps trap or interrupt, stepped; over; end. `describe` may come at any time between start and
 * over. Once the run's end is decided (run->over), there is no further round.
 */
#ifndef PROG_WORKLOAD_H
#define PROG_WORKLOAD_H

#include "programs/program.h"

#include <stdio.h>

#pragma GCC visibility push(default)

struct pc_profile_frame;
struct prog_actors;
struct prog_inspect;
struct prog_stages;

/** A run under way. A workload reads it; it changes `out->threads` and `out->stdout_hash`. */
struct prog_run {
    struct nm_machine *m;
    const struct nm_params *par; /**< the machine's */
    const struct prog_spec *spec;
    const struct prog_hooks *hooks; /**< NULL: none */
    struct prog_outcome *out;
    struct prog_actors *actors; /**< of a workload of actors, from `start` on */
    bool over;                  /**< the end is decided: */
    sim_tick over_at;           /**< [ticks] the machine still runs to here */

    /* the loop's own */
    void *self;
    struct prog_stages *stages; /**< NULL: the run has no approach */
    sim_tick moment_at;         /**< next call of the moment hook; SIM_NEVER: none */
    int64_t told_ns;            /**< [host ns] when the progress hook was last called */
    sim_tick moved_at;          /**< simulated time at ... */
    int64_t moved_ns;           /**< [host ns] ... this moment, from which on it stood */
    bool stood;                 /**< that has been said */
    sim_tick dated_at;          /**< the last round's tick, and */
    unsigned dates;             /**< rounds there in a row in which nothing but a date came */
};

enum { PROG_ABIS_MAX = 4 };

/** A system call, for lists. */
struct prog_call {
    const char *name, *sentence;
    const char *differs;       /**< how it falls short of its model; "": in nothing */
    int number[PROG_ABIS_MAX]; /**< in each of the workload's ABIs; -1: there is none */
};

/** What lies at an address of an executable. Strings are the names' own. */
struct prog_place {
    const char *function; /**< as people write it, also of C++; NULL: no symbol covers it */
    uint64_t from, to;    /**< of the function: its first address, and the one after its last */
    const char *file;     /**< of the source, as the compiler was told; NULL: not known */
    unsigned line;        /**< in it; 0: not known */
};

enum { PROG_FRAMES_MAX = 256 };

/** A function that an instruction is of: what has its code, or what was inlined there. Strings are
 *  the names' own. */
struct prog_frame {
    const char *function; /**< as people write it; NULL: not known */
    const char *file;     /**< where in it: of the innermost one the line, of the others the call */
    unsigned line;        /**< NULL, 0: not known */
    uint64_t from;        /**< its first instruction there */
    uint32_t call; /**< the names' number of the inlined call; 0: the function has its code */
    bool made;     /**< inlined, and the compiler made it: its line is that of its class, or so */
};

/** A variable of an executable: static, or thread-local. Strings are the names' own. */
struct prog_object {
    const char *name;  /**< with the namespaces and the function around it: "worker::count" */
    uint64_t from, to; /**< of a thread-local one: from the beginning of a thread's */
    bool local;        /**< thread-local */
    uint32_t type;     /**< the names' own; 0: nothing is known of its parts */
};

enum { PROG_MEMBER_NAME = 256 };

/** A part of an object: of an array an element, of a struct a member, of both a part of theirs.
 *  Members that share bytes (of an anonymous union; bit fields) are one, and a union is not taken
 *  apart: the member that is meant is not known. */
struct prog_member {
    uint64_t offset, size;       /**< [bytes] in the object */
    bool padding;                /**< nothing lies there: `name` is that of the member around it */
    char name[PROG_MEMBER_NAME]; /**< what follows the object's: "[3].n", ".lock", ".a|b"; "": it
                                    has no parts */
};

/** Where an executable's debugging information may be, beside the usual places. */
struct prog_search {
    const char *program;      /**< what that is called of which the executable is a copy; NULL: it
                                   is none */
    char *const *directories; /**< NULL-terminated; NULL: none */
};

/** A line of a source. Strings are the names' own. */
struct prog_line {
    const char *file; /**< as the compiler was told, behind the directory it was in */
    unsigned line;
};

enum { PROG_PATH = 200 };

/** What a program's memory holds at a moment. All of it only reads. */
struct prog_memory {
    void *ctx;
    /** @return false: not all of it is there */
    bool (*read)(void *ctx, uint64_t va, void *bytes, size_t count);
    /** The block that holds an address. @return false: none does */
    bool (*block)(void *ctx, uint64_t va, uint64_t *from, uint64_t *to);
    const struct pc_profile_frame
        *frame; /**< [frames] in the order in which they are asked for names */
    size_t frames;
    bool near;              /**< only from them, and not far */
    const uint64_t *tls;    /**< [threads] where each thread's variables begin, */
    const uint32_t *thread; /**< and its number */
    size_t threads;
};

/** A part of a block that a pointer leads to, or a variable on a stack. Texts hold during a call.
 */
struct prog_part {
    uint64_t from, to; /**< guest virtual */
    uint64_t each;     /**< [bytes] of an element of the array that it is; 0: it is one thing */
    const char *path;  /**< what the program calls the pointer: "pool", "queue.slot[3]"; a variable
                          on a stack: itself. Without blanks, up to PROG_PATH bytes */
    uint32_t type;     /**< of it, or of an element: as prog_object has it; 0: nothing is known */
    const char *shape; /**< of an array of Fortran's: "1:10,0:5"; NULL: of others */
    const char *function; /**< whose variable `path` begins with; NULL: no function's */
    uint32_t thread;      /**< of the function, or of a thread-local variable; else 0 */
    uint32_t depth;       /**< the less, the farther out its function is */
};

typedef void prog_found_fn(void *ctx, const struct prog_part *part);

enum { PROG_SHAPE = 160 };

/** "(3,5)" of an element's number, in an array with a shape. @return buf, of PROG_SHAPE bytes */
const char *prog_shape_index(const char *shape, uint64_t index, char buf[PROG_SHAPE]);

/** The names of an executable's addresses. */
struct prog_names {
    bool symbols, lines; /**< whether it has any: a stripped one has neither, one without -g no
                              lines */
    bool declares;       /**< it is the beginning of a struct prog_declarations */
    const char *missing; /**< what debugging information is apart and not there, and what would
                              bring it, as one sentence; NULL: nothing */
    bool (*at)(struct prog_names *names, uint64_t va, struct prog_place *out);
    /**< @return false: nothing is known of the address, `out` is zeroed */

    /** The functions that an instruction is of: the innermost one that was inlined there first, the
     *  one that has the code last, as addr2line -i has them. Of more than `most` the innermost ones
     *  are left out. NULL: no function was inlined anywhere.
     *  @return how many; 0: nothing is known of the address */
    unsigned (*chain)(struct prog_names *names, uint64_t va, struct prog_frame *out, unsigned most);

    /** The static variable at an address. @return false: there is none, `out` is zeroed */
    bool (*object)(struct prog_names *names, uint64_t va, struct prog_object *out);

    /** The thread-local variable so many bytes behind the beginning of a thread's. */
    bool (*local)(struct prog_names *names, uint64_t offset, struct prog_object *out);

    /** The function or variable of that name: of a symbol, or as a prog_object has it; of several,
     *  one. @return false: there is none */
    bool (*find)(struct prog_names *names, const char *name, uint64_t *from, uint64_t *to);

    /** The part of an object at an offset in it. All parts, one by one: from 0, on to where the
     * last one has ended, until the object has.
     *  @param depth  so many steps from the object, at most: 1 for elements of an array or members
     *                of a struct; UINT_MAX for those that have no parts; 0: the object, whose
     *                `name` is that of its struct or union, or of its elements' */
    void (*member)(struct prog_names *names, const struct prog_object *object, uint64_t offset,
                   unsigned depth, struct prog_member *out);

    /** Follows all pointers from the program's variables on, and tells of each part of a block that
     *  one leads to: of several ways to it the one from a variable that is not a function's, then
     *  the shortest. NULL: it cannot.
     *  @return [words] looked at: what it has cost */
    size_t (*reach)(struct prog_names *names, const struct prog_memory *memory,
                    prog_found_fn *found, void *ctx);
    /** The variable of one of the frames that has a byte of a stack. NULL: none is ever known.
     *  @return false: none is known */
    bool (*on_stack)(struct prog_names *names, const struct prog_memory *memory, uint64_t va,
                     struct prog_part *out);

    bool (*function)(struct prog_names *names, const char *name, uint64_t *from);
    /**< Where the function of a name begins; NULL: none is known. @return false: there is none */
    void (*free)(struct prog_names *names);
};

/** Names that know where the source declares what they are names of, too. */
struct prog_declarations {
    struct prog_names names; /**< with `declares` */

    /** The variable that a name begins with.
     *  @param object    as `object` and `local` have it; or its name is a path ("pool->slot[3]"),
     *                   as prog_part has it
     *  @param function  as prog_part has it; NULL: it is no function's
     *  @return false: that is not known, `out` is zeroed */
    bool (*variable)(struct prog_names *names, const struct prog_object *object,
                     const char *function, struct prog_line *out);

    /** The struct or union of an object, or that of its elements: by prog_object.type.
     *  @return false: it has none, or that is not known; `out` is zeroed */
    bool (*type)(struct prog_names *names, uint32_t type, struct prog_line *out);
};

/** A kind of workload. */
struct prog_workload {
    const char *name, *sentence; /**< for lists */
    size_t size;                 /**< [bytes] of `self` */

    /** Its threads are actors (actors.h): from `start` to `over` they exist. */
    bool actors;

    /** It runs what an experiment describes (prog_program.described), and no file. */
    bool described;

    /** A run of it may be fast-forwarded (prog_spec.approach). */
    bool forwards;

    /** What it measures by itself, and tells by prog_hooks.figures before its run is over. */
    const struct prog_figure *figure;
    size_t figures;

    /** The kind of processor cards it needs; NULL: any that its programs are for. */
    const struct nm_card_kind *cards;

    /** Takes run->spec->what; loads, maps and places what is needed. No card runs yet. `run`
     *  outlives all calls. @return false: not possible; prog_finish has been called */
    bool (*prepare)(void *self, struct prog_run *run);

    /** Tick 0: has the first cards start (nm_card_resume, at this tick or later). */
    void (*start)(void *self);

    /** Whether a thread has a card or could have one, or the machine does something that may wake
     *  one. If not, and there is no date either, the run ends as a deadlock. */
    bool (*runs)(const void *self);

    /** [ticks] The next tick at which something must happen even if no card traps, not before the
     *  present one, and once `due` has done it another one; SIM_NEVER: none. The machine never runs
     *  past it. One that stays where the machine stands, or behind it, ends the run (PROG_BROKEN).
     *  NULL: never. */
    sim_tick (*date)(const void *self);

    /** The machine stands, at `now`: what was due by now happens. NULL: nothing. */
    void (*due)(void *self, sim_tick now);

    /** A card has trapped (NM_RUN_TRAP), and stands. Afterwards it has been resumed, or the
     *  workload will resume it, or it stays idle. */
    void (*trap)(void *self, const struct nm_trap *trap);

    /** A card's unit raised its interrupt, or a special function is done (NM_RUN_INTERRUPT). NULL:
     *  nobody listens. */
    void (*interrupt)(void *self, const struct nm_trap *trap);

    /** What the instruction accesses at which the thread on a card stands, and behind it those that
     *  follow in its block with the same base register, and then those that may come later with it
     *  (of MIPS). NULL: never known
     *  @return how many, at most PROG_ACCESSES_MAX; 0: the instruction accesses nothing, or there
     * is none */
    unsigned (*accesses)(void *self, unsigned card, struct prog_access out[PROG_ACCESSES_MAX]);

    /** All of this tick has happened. The place to look whether threads get on. NULL: no look. */
    void (*stepped)(void *self);

    /** The workload calls prog_come once, when a thread is about to execute the instruction at `va`
     *  for the so-manieth time, by all threads together, from now on; where `va` is awaited
     * already, from the last prog_come on. 0: no more. The machine stands. NULL: its threads
     * execute none.
     *  @return false; true: they have done so meanwhile, and it does not call */
    bool (*await)(void *self, uint64_t va, uint64_t times);

    /** Where every thread is, for people: a line each, "  thread ...". They follow a deadlock, an
     *  interrupted run and a machine that is stuck. It only reads. */
    void (*describe)(void *self, FILE *out);

    /** What a debugger asks (programs/inspect.h). NULL: it runs no programs. */
    const struct prog_inspect *inspect;

    /** The run is over, and the machine stands at its end: last words. NULL: none. */
    void (*over)(void *self);

    /** Gives back all that `self` holds, even after a `prepare` that failed. NULL: nothing. */
    void (*end)(void *self);

    /* ---- of those that run a struct prog_program; NULL: others ---- */

    /** Whether `path` is a program it can run. @return true, or false with one line in `why`: what
     *  keeps it from it, or "" if it is no such program at all, and others should say */
    bool (*check)(const char *path, char *why, size_t size);

    /** Where the object or function `name` of an executable lies: [*from, *to), virtual.
     *  @return false with one line in `why`: there is none, or several, or it has no size */
    bool (*symbol)(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
                   size_t size);

    /** Where the function `name` of an executable begins: that of a symbol, or as people write it,
     *  with or without arguments ("lab::Counter::bump"). @param name  NULL: *at has been given, and
     *  must be the address of an instruction
     *  @return false with one line in `why`: there is none, or there are several */
    bool (*entry)(const char *path, const char *name, uint64_t *at, char *why, size_t size);

    /** Reads an executable's symbols and debugging information. A mistake in the latter is no
     *  error: fewer names are known. @param search  NULL: in the usual places @return the caller's,
     * or NULL with one line in `why`: it cannot be read, or is no executable */
    struct prog_names *(*names)(const char *path, const struct prog_search *search, char *why,
                                size_t size);

    const char *abis[PROG_ABIS_MAX]; /**< names, NULL after the last */

    /** Its i-th system call. @return false after the last */
    bool (*call)(size_t i, struct prog_call *out);
};

/** Decides the end of the run; the first to do so wins. PROG_EXITED and PROG_SIGNALED come into
 *  force when what is under way in other cards' present step is done. `format` may be NULL. */
void prog_finish(struct prog_run *run, enum prog_end end, int status, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/** Calls the progress hook if it is time; code that waits for the host must do so about as often.
 *  The hook may decide the end (run->over). */
void prog_tell(struct prog_run *run);

/** A region begins or ends; the machine stands. Tells the hook (prog_hooks.mark). */
void prog_mark(struct prog_run *run, const char *name, bool begin);

/** What is timed is measured from here on, or no more; the machine stands. Tells the hook
 *  (prog_hooks.measure). */
void prog_measure(struct prog_run *run, bool on);

/** A thread is about to execute the instruction at `va` (prog_workload.await); the machine stands.
 */
void prog_come(struct prog_run *run, uint64_t va);

/** The program writes to its standard output: the listener hears it, and the host gets it at `fd`.
 * If the host does not take it, the run ends (PROG_IO). */
void prog_put_out(struct prog_run *run, int fd, const char *text, size_t size);

/** Says text of whole lines (prog_hooks.say). */
void prog_say(struct prog_run *run, const char *text);

#pragma GCC visibility pop

#endif
