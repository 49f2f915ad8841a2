/*
 * A guest program on the machine: a static MIPS Linux executable, loaded, run by the Linux
 * personality inside SimGrid actors (simgrid.c is the only file that calls SimGrid), and its end.
 */
#ifndef PROG_PROGRAM_H
#define PROG_PROGRAM_H

#include "machine/machine.h"
#include "procard/r4400/r4400.h"

#include <stddef.h>

/** [bytes] larger files are no programs. */
#define PROG_FILE_MAX (UINT64_C(1) << 30)

/** What to run. All pointers belong to the caller and must outlive prog_run. */
struct prog_spec {
    const char *path;                   /**< executable on the host */
    char *const *argv;                  /**< NULL-terminated; argv[0] as the guest shall see it */
    char *const *envp;                  /**< NULL-terminated; the guest's whole environment */
    int stdin_fd, stdout_fd, stderr_fd; /**< host descriptors behind the guest's 0, 1, 2 */
    uint64_t seed;                      /**< getrandom, AT_RANDOM */
    nm_tick limit;                      /**< stop at this tick (NM_NEVER: none) */
    nm_tick moment;                /**< [ticks] of the first call of `moment`; NM_NEVER: none */
    unsigned processors;           /**< threads may run on cards 0 .. processors-1; 0: all */
    const char *beside;            /**< the guest may read this file's directory; NULL: no */
    char *const *allow;            /**< NULL-terminated "PATH[:ro|:rw]": more that the guest may
                                        name; NULL: nothing */
    const char *const *off;        /**< NULL-terminated directories the guest may not change;
                                        NULL: none */
    bool confine;                  /**< the host's kernel shall confine the process too, for
                                        good: it may write to `off`, but not much else */
    const struct nm_range *ranges; /**< pages with a station of their own; they win over the
                                        machine's rule */
    unsigned range_count;
};

/** Calls out of a run; any may be NULL. They come from the run loop and from guest threads that
 *  wait for the host. */
struct prog_hooks {
    void *ctx;
    /** The guest (or the end of the run) named a moment; the machine stands exactly at `at`. */
    void (*mark)(void *ctx, const char *name, bool begin, nm_tick at);
    /** Soon after spec->moment, and after each that it returns, NM_NEVER for no more; the machine
     *  stands exactly at `at`. */
    nm_tick (*moment)(void *ctx, nm_tick at);
    /** The guest wrote so many bytes to its standard output (1) or standard error (2). */
    void (*wrote)(void *ctx, int stream, const void *bytes, size_t count);
    /** A page of the program gets memory; registers of cards may be written, nothing else. */
    void (*paged)(void *ctx, uint64_t va, uint64_t pa);
    /** About ten times a second of host time; return false to stop the run (PROG_INTERRUPTED). */
    bool (*progress)(void *ctx, nm_tick now, uint64_t instructions);
    /** As often: whether somebody wants to see all threads; they are said. */
    bool (*asked)(void *ctx);
    /** Whole lines for people: what the watchdog finds, and all threads when asked, or when the run
     *  ends before the program. NULL: standard error. */
    void (*say)(void *ctx, const char *text);
};

enum prog_end {
    PROG_EXITED,      /**< exit_group: `status` */
    PROG_SIGNALED,    /**< killed by signal `status` (message says pc, symbol, address) */
    PROG_LIMIT,       /**< tick limit reached first */
    PROG_DEADLOCK,    /**< every thread waits for another; message says who for whom */
    PROG_STUCK,       /**< hardware watchdog */
    PROG_LIVELOCK,    /**< run.livelock: a thread gets nowhere; message says which and where */
    PROG_BROKEN,      /**< coherence or internal invariant violated */
    PROG_INTERRUPTED, /**< progress hook said stop */
    PROG_UNLOADABLE,  /**< not an executable this machine can run; message is one line */
    PROG_NOMEM,       /**< the machine's memory is full */
    PROG_IO,          /**< the host could not read a file that is mapped */
};

struct prog_outcome {
    enum prog_end end;
    int status;
    nm_tick ticks;         /**< tick at which the run ended */
    uint64_t instructions; /**< simulated instructions, all processors */
    uint64_t threads;      /**< threads created, the first included */
    uint64_t stdout_hash;  /**< XXH64 of all bytes the guest wrote to 1 */
    char message[1024];    /**< "" or what a person should read */
};

/**
 * Loads and runs a program to its end on a fresh machine.
 * At the end the machine stands at outcome->ticks and can be read (taps, truth).
 * May be called once per process: SimGrid has one engine.
 */
void prog_run(struct nm_machine *m, const struct prog_spec *spec, const struct prog_hooks *hooks,
              struct prog_outcome *out);

/** Checks that `path` is a program the machine can run without running it.
 *  @return true, or false with one line in `why`. */
bool prog_check(const char *path, char *why, size_t size);

/** Where the object or function `name` of an executable lies: [*from, *to), virtual.
 *  @return false with one line in `why`: there is none, or several, or it has no size */
bool prog_symbol(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
                 size_t size);

#endif
