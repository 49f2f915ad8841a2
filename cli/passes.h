/*
 * Runs of detectors, each in a process of its own, and what was heard in those of passes.
 */
#ifndef CLI_PASSES_H
#define CLI_PASSES_H

#include "cli/exit.h"
#include "input/detector.h"
#include "input/experiment.h"

struct run_observer;

/** The program to be looked at, and where. Everything belongs to the caller. */
struct cli_looked {
    const char *machine; /**< as in_experiment_make */
    char *const *sets;   /**< the user's; NULL: none */
    char *const *allow;  /**< as in_experiment_allow */
    char *const *words;  /**< the program and its arguments, NULL-terminated */
    bool charge;         /**< models delay processors */
};

/** A page of the program: virtual and physical address. */
struct cli_page {
    uint64_t va, pa;
};

/** What a handler of an interrupt noted. Bytes of a line are 64 bits: of longer lines each stands
 *  for several. */
struct cli_note {
    uint64_t line;          /**< virtual, of an access, 0: of none; physical, of the comparator */
    uint64_t request;       /**< physical line of the card's last request */
    uint64_t bytes;         /**< accessed by the instruction */
    uint64_t reads, writes; /**< by it and its block */
    uint64_t later_reads, later_writes; /**< maybe, behind branches */
    uint64_t pc;                        /**< of the instruction */
    uint32_t number;                    /**< of the note, in order of time */
    uint32_t waited;                    /**< [PCycles] that the sample stands for */
    uint16_t card;
    bool store; /**< the instruction is one */
};

/** What the SRAMs of all cards have in a word. */
struct cli_word {
    uint32_t sum, most;
    uint16_t cards;
    bool block;      /**< it stands for a block of the secondary cache, ... */
    uint64_t offset; /**< ... at this byte of its half */
};

enum {
    CLI_CARDS_MAX = 1024, /**< of a machine (nm_params_check) */
    CLI_PAGES_MAX = 1 << 18,
    CLI_NOTES_MAX = 1 << 19,
    CLI_WORDS_MAX = 1 << 16,
};

/** What was heard in one run. Of pages and notes beyond the room there is only the number. */
struct cli_heard {
    sim_tick ticks;                  /**< [PCycles] the run took */
    uint64_t hash;                   /**< of its result */
    uint64_t events;                 /**< counted by counters and SRAMs of all cards */
    uint64_t interrupts;             /**< that a handler took */
    uint64_t half;                   /**< [bytes] of the secondary cache, or of its half for data */
    uint64_t counted[CLI_CARDS_MAX]; /**< by counter 0 of each card */
    uint64_t pages, notes;
    unsigned cards;
    struct cli_page page[CLI_PAGES_MAX];
    struct cli_note note[CLI_NOTES_MAX];
    struct cli_word word[CLI_WORDS_MAX];
};

/** Room for one run's, shared with its process; zeroed. To be released by cli_heard_free. */
struct cli_heard *cli_heard_new(void);
void cli_heard_free(struct cli_heard *heard);

/** Runs a pass once, with `more` assignments (NULL-terminated; NULL: none) after the pass's own.
 *  What the program writes is thrown away.
 *  @param again  a run of the program has ended well before: there is nothing new on standard error
 *  @param[out] heard  what was there before is gone
 *  @return CLI_EXIT_OK, also of a run that came to a limit which `more` has set */
enum cli_exit cli_pass_run(const struct cli_looked *what, const struct in_pass *pass,
                           char *const *more, bool again, struct cli_heard *heard);

/** Runs an experiment in a process of its own, with a listener there (cli_session.observer).
 *  @param again  as cli_pass_run
 *  @return CLI_EXIT_OK, also of a run that came to the experiment's limit */
enum cli_exit cli_listen(const struct in_experiment *x, const struct run_observer *observer,
                         void *self, bool again);

/** Makes the experiment of a pass, to see whether all is well with it. @return false after
 *  complaints; else the caller's (in_experiment_free) */
bool cli_pass_experiment(const struct cli_looked *what, const struct in_pass *pass,
                         char *const *more, struct in_experiment *x);

#endif
