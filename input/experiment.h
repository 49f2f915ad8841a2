/*
 * One experiment, read and checked: a machine, a program, what to count and for how long. Made from
 * a YAML file (`numachine run`) or from a command line (`numachine stat`).
 */
#ifndef IN_EXPERIMENT_H
#define IN_EXPERIMENT_H

#include "base/time.h"
#include "input/diag.h"
#include "input/expect.h"
#include "input/group.h"
#include "machine/card.h"
#include "machine/machine.h"
#include "monitor/own.h"
#include "programs/program.h"

#include <stdbool.h>
#include <stddef.h>

struct in_swept;
struct patterns_phase;

/** Where a value came from: "default", "file.yaml:12", "--set" or "sweep". */
struct in_origin {
    char *text;
};

/** Number of states of the R4400's Status pins (monitor/status.def), in the order of the taps. */
enum {
#define STATE(name, code, group, sentence) +1
    IN_STATUS_STATES = 0
#include "monitor/status.def"
#undef STATE
};

/** A state's name: that of the event which counts it alone. Static. Precondition: below
 * IN_STATUS_STATES
 */
const char *in_state_name(unsigned state);
/** The state called `name`, or -1. */
int in_state_find(const char *name);

struct in_machine {
    char *name;                      /**< machine file's name without directory and suffix */
    struct nm_params *params;        /**< its own */
    const struct nm_card_kind *card; /**< the kind of its processor cards ... */
    struct nm_mix mix;               /**< ... but of these; its own */
    uint8_t codes[IN_STATUS_STATES]; /**< of the states on the Status pins, 4 bits; each another */
    struct in_origin *origins;       /**< [rows] */
    char **inputs;                   /**< NULL-terminated paths of the files read; NULL: none */
};

/** Parameters of one of its cards. */
const struct nm_params *in_card_params(const struct in_machine *mc, unsigned card);

/** Which processors of the machine count by themselves; MON_PROCESSORS: none do, or not all that do
 *  count the same. */
enum mon_processor in_processor(const struct in_machine *mc);

/** The shipped machine that is used when none is named. */
#define IN_DEFAULT_MACHINE "numachine-64"

/** A number that is not given. */
#define IN_ABSENT UINT64_MAX

struct in_experiment {
    char *name;  /**< file name without directory and suffix; "stat" from the command line */
    char *about; /**< free text for people, or NULL */
    struct in_machine machine;

    struct patterns_phase *pattern; /**< [pattern_count] instead of a program ... */
    size_t pattern_count;           /**< ... 0: there is a program */
    uint64_t rate;                  /**< [10^-6] program.rate; IN_ABSENT: not given */

    char *program;    /**< executable on the host, or NULL when `source` or `pattern` is given */
    char *source;     /**< C source to be built with the cross compiler, or NULL */
    char *abi;        /**< "o32", "n64", "armel" or "host": compiler used for `source` */
    char **cflags;    /**< NULL-terminated extra compiler flags */
    char *called;     /**< argv[0] */
    char **argv;      /**< NULL-terminated, argv[0] included */
    char **envp;      /**< NULL-terminated, exactly the guest's environment */
    char *stdin_path; /**< file behind the guest's stdin; NULL: empty (run) or ours (stat) */

    char **files; /**< NULL-terminated "PATH[:ro|:rw]": what the program may use beside its view */

    char **placement;        /**< NULL-terminated "FROM-TO=STATION" */
    struct nm_range *ranges; /**< the same, read; range_count of them */
    unsigned range_count;

    char **apart;                      /**< NULL-terminated "FROM-TO[=GROUP]" */
    struct nm_apart_range *kept_apart; /**< the same, read; apart_count of them */
    size_t apart_count;

    uint64_t seed;             /**< default 1 */
    sim_tick limit;            /**< [ticks] SIM_NEVER: until the program ends */
    unsigned root;             /**< 1: the program is root to its operating system */
    unsigned processors;       /**< cards 0 .. n-1 may run threads; 0: all */
    char *from, *to;           /**< as written; NULL: not given ... */
    char *from_name, *to_name; /**< ... the region's or function's in it, NULL: it has none ... */
    struct prog_approach approach; /**< ... and as read; marks are those names. The pc of a function
                                        is 0 until the program has been looked into */
    char *warm;                    /**< word */
    sim_tick sample_every, sample_length, sample_lead; /**< [ticks] SIM_NEVER: none */
    unsigned profile;                                  /**< 1: it is profiled */
    unsigned truth;       /**< 1: so it is, and why misses had to be is found out */
    unsigned truth_sizes; /**< 1: with that, also of lines of other sizes */

    char **events;          /**< NULL-terminated event names of its unit */
    char **groups;          /**< NULL-terminated groups as named ... */
    struct in_group *group; /**< ... and as read, group_count of them */
    unsigned group_count;
    struct mon_wish wish;                /**< what the keys below come to */
    char *mask_address, *mask_phase;     /**< as written; NULL: not given */
    char *mask_symbol;                   /**< of the address, NULL: none ... */
    uint64_t mask_from, mask_to;         /**< ... or virtual; equal: none */
    char *mask_direction, *mask_command; /**< "any" or a word */
    uint64_t mask_fifo;                  /**< [packets] IN_ABSENT: not given */
    char **registers;                    /**< NULL-terminated "NAME=number" */
    char *histogram, *scale;             /**< words */
    unsigned histogram_interrupt;        /**< overflow of a word interrupts the processor */
    sim_tick interval;                   /**< [ticks] SIM_NEVER: no samples */
    char **phases;                       /**< NULL-terminated "NAME=PhaseID" */
    struct mon_write *write;             /**< the registers all of this comes to, in order, */
    unsigned write_count;                /**< written on every card before the first cycle */
    unsigned record_waves, record_trace, record_paje; /**< 1: that file is written */
    unsigned record_references;                       /**< likewise, of the whole run */
    char **record_signals;                            /**< NULL-terminated words ... */
    bool record_bus, record_rings, record_status,
        record_counters;             /**< ... and as read: these ... */
    struct mon_choice record_events; /**< ... and these events */
    char **record_cards;             /**< NULL-terminated numbers of cards ... */
    unsigned *record_card;           /**< ... and as read, record_count of them; 0: all */
    unsigned record_count;
    sim_tick record_from, record_to; /**< [ticks] in [from, to); SIM_NEVER: from the begin, to an
                                          end of the recorder's */
    unsigned sweep;  /**< 1: the file has a sweep:, this is what its points have in common */
    char *point;     /**< id of the sweep's point that this is; NULL: it is none ... */
    char **assigned; /**< ... and its NULL-terminated assignments "a.b=c" */
    char **show;     /**< NULL-terminated "REGION/STAT", what a sweep's table has ... */
    struct in_measured *shown; /**< ... and as read, shown_count of them */
    size_t shown_count;
    unsigned expect_status;   /**< exit status the guest is expected to have; default 0 */
    struct in_expect *expect; /**< [expects] what is expected of its statistics */
    size_t expects;

    struct in_origin *origins; /**< [rows of experiment.def] */
    char **inputs;             /**< NULL-terminated paths of every file read or to be read, for the
                                    manifest; standard input is not among them */
};

/** The kind of counter unit whose words the file uses. */
const struct mon_unit_ops *in_unit(const struct in_experiment *x);

/** When the recording begins. */
static inline sim_tick in_record_begin(const struct in_experiment *x)
{
    return x->record_from == SIM_NEVER ? 0 : x->record_from;
}

/** Whether anything is recorded. */
static inline bool in_records(const struct in_experiment *x)
{
    return x->record_waves || x->record_trace || x->record_paje;
}

/** Fills in every default (experiment.def); machine is left empty but for its kind of card.
 *  Caller owns *x. */
void in_experiment_default(struct in_experiment *x);

/**
 * Reads an experiment file ("-": standard input; a name alone, if there is no such file: a shipped
 * one).
 * @param sets  NULL-terminated "a.b=c" assignments, applied last; machine parameters and, with the
 *              prefixes program., run., monitor., the experiment's own keys
 * @return true and *x owned by the caller (in_experiment_free); false after reporting every error
 *         found to `diag`, *x then holds nothing
 */
bool in_experiment_load(struct in_experiment *x, const char *path, char *const *sets,
                        struct in_diag *diag);
void in_experiment_free(struct in_experiment *x);

/** The same of one point of the file's sweep, whose assignments come after `sets`. Complaints about
 *  them show where in the file they are. */
bool in_experiment_load_point(struct in_experiment *x, const char *path, char *const *sets,
                              const char *id, const struct in_swept *swept, size_t count,
                              struct in_diag *diag);

/**
 * An experiment without a file: every default, on `machine` (as in_machine_load), and assignments
 * as above. The program is the caller's to fill in. Ownership and errors as above.
 */
bool in_experiment_make(struct in_experiment *x, const char *machine, char *const *sets,
                        struct in_diag *diag);

/**
 * Replaces what is counted, as a command line does: with either list the experiment's own events
 * and groups are gone. Both are NULL-terminated; NULL: not given.
 * @return false after complaints
 */
bool in_experiment_count(struct in_experiment *x, char *const *events, char *const *groups,
                         struct in_diag *diag);

/** Names the program and its arguments as a command line does; NULL-terminated. The program finds
 *  its file's name only as its own, as from an experiment's file: a path on its stack would move
 *  what lies there, and so the cycles. @return false after a complaint: an assignment has named it,
 * too */
bool in_experiment_command(struct in_experiment *x, char *const *words, struct in_diag *diag);

/** Lets the program use more of the host's files; `grants` as x->files, NULL: none.
 *  @return false after complaints */
bool in_experiment_allow(struct in_experiment *x, char *const *grants, struct in_diag *diag);

/** What a file turned out to be. */
enum in_file_kind { IN_FILE_UNREADABLE, IN_FILE_MACHINE, IN_FILE_EXPERIMENT };

/** Reads a file of either kind ("-": standard input; a name alone, if there is no such file: a
 *  shipped machine or experiment): one with a program, monitor or expect is an
 *  experiment. Of a machine only x->machine is filled. Ownership and errors as above. */
enum in_file_kind in_any_load(struct in_experiment *x, const char *path, char *const *sets,
                              struct in_diag *diag);

/** The about: text of a file; NULL when it has none, or, after a complaint, when it cannot be read.
 *  Allocated. */
char *in_about(const char *path, struct in_diag *diag);

/** Reads a machine: the name of a shipped file ("numachine-64"), a path, or "-"; NULL: the default
 *  machine. Ownership and errors as above. */
bool in_machine_load(struct in_machine *mc, const char *name, char *const *sets,
                     struct in_diag *diag);
void in_machine_free(struct in_machine *mc);

#endif
