/* Processes that a sweep starts: points of it, and programs that take it elsewhere. */
#ifndef SWP_PROCESS_H
#define SWP_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** A process whose standard input and output are /dev/null. */
struct swp_process {
    const char *program;
    char *const *words;
    int death;    /**< the signal it gets when we die */
    bool group;   /**< it has a process group of its own */
    int log;      /**< its standard error; -1: ours */
    int lock;     /**< a descriptor that it has, too; -1: none */
    int orphaned; /**< its status if we have died before it began ... */
    int failed;   /**< ... or if the program cannot be run */
};

/** @return -1: errno */
pid_t swp_process_start(const struct swp_process *process);

/** Blocks SIGCHLD, so that swp_process_pause sees it. */
void swp_process_watch(void);
/** Waits until a process has ended, and a second at most. */
void swp_process_pause(void);

/** Runs a command to its end; what it says goes to stderr, but for its first `size` bytes on
 * stdout. A wish to stop goes on to it. @return its status, 128 and more of a signal; -1: there is
 * none (errno) */
int swp_process_ask(char *const *words, const char *(*stop)(void), char *said, size_t size);

#endif
