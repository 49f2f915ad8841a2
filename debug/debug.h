/*
 * A run that is debugged: an observer of it (run/observer.h), which stands still while somebody
 * asks.
 *
 * What must outlive a change of process (past.h) is the session's, one piece of memory that all
 * copies share. All else in struct dbg is each process's own.
 */
#ifndef DBG_DEBUG_H
#define DBG_DEBUG_H

#include "debug/conditions.h"
#include "procard/record.h"
#include "run/observer.h"

#include <sys/types.h>

struct dbg_past;

enum {
    DBG_PACKET = 1 << 17, /**< [bytes] of a packet at most */
    DBG_CARDS = 1024,
    DBG_AHEAD = 16,
    DBG_CALLS = 512,   /**< system calls that are caught at most */
    DBG_SIGNALS = 129, /**< those of MIPS Linux, from 1 on */
};

/** Why the run stands, for who asks. */
enum dbg_stopped {
    DBG_STOP_FIRST,     /**< at the beginning */
    DBG_STOP_ASKED,     /**< somebody said so while it went */
    DBG_STOP_HIT,       /**< session.hit says what */
    DBG_STOP_SIGNAL,    /**< a thread is about to act on one */
    DBG_STOP_CALL,      /**< it makes a system call */
    DBG_STOP_CALLED,    /**< it has its result */
    DBG_STOP_ARRIVED,   /**< at the tick that was asked for */
    DBG_STOP_BEGINNING, /**< of what can be gone back to */
    DBG_STOP_EDGE,      /**< behind it the run has not been */
    DBG_STOP_OVER,      /**< the run has ended; run->out says how */
};

/** What the run is told to do. RETURNS: it stands, in the process that has been where it stands
 *  now: others were asked meanwhile. */
enum dbg_going { DBG_STANDS, DBG_RETURNS, DBG_GOES, DBG_DETACHED, DBG_KILLED };

/** Where a process that takes over goes, and why it stops there. */
struct dbg_target {
    bool on;
    struct dbg_point point;
    enum dbg_stopped why;
    struct dbg_hit hit;
};

struct dbg_session {
    struct dbg_conditions conditions;
    struct dbg_target target;

    enum dbg_going going;
    enum dbg_stopped why;
    struct dbg_hit hit;              /**< DBG_STOP_HIT; of a run that goes, what it will come to */
    bool comes;                      /**< that is so, at hit.point.at */
    struct dbg_hit ahead[DBG_AHEAD]; /**< threads that are shown as they will be at those points,
                                          while the machine stands before them: who steps alone
                                          does so while others stand. One of a card, at most */
    unsigned aheads;
    uint32_t thread;          /**< the run has stopped for this one; 0: for none */
    int signal;               /**< DBG_STOP_SIGNAL: by MIPS Linux's numbers */
    uint64_t call;            /**< DBG_STOP_CALL, _CALLED: the guest's number */
    bool throws;              /**< the signal is thrown away */
    uint64_t told[DBG_CARDS]; /**< [instructions] and 1 that a card had completed when a hit of its
                                   instruction was told; 0: none was */
    bool met[DBG_CARDS];      /**< ... and that was its access */
    sim_tick until;           /**< goes there, whatever is on the way. SIM_NEVER: nowhere */
    bool steps; /**< one thread steps, or goes alone, as gdb lets it to step off a breakpoint.
                     That comes first: `until` and conditions.lines are kept for who goes on
                     afterwards */

    /* what gdb has asked for */
    bool no_ack, catches, catches_all;
    uint64_t caught[DBG_CALLS];
    unsigned catching;
    bool passes[DBG_SIGNALS]; /**< by MIPS Linux's numbers: none of the debugger's business */
    uint32_t general, resume; /**< threads of "Hg" and "Hc"; 0: any */
    bool failed;              /**< a command of a file could not be carried out */
    unsigned lines;           /**< of that file that have been read */
    bool greeted;             /**< gdb has been told that the run stands at its beginning */

    /* the connection */
    int fd; /**< -1: there is none (any more) */
    int to; /**< where answers go: the same, or another */
    size_t got;
    uint8_t in[DBG_PACKET];
    int log; /**< every packet goes there; -1: nowhere */
};

struct dbg;

/** The run has come to its end (dbg_to_end), as dbg_say_why says. */
typedef void dbg_arrive_fn(void *ctx, struct dbg *d);

/** Who is asked while the run stands: gdb's packets, or a file of commands. */
struct dbg_front {
    /** Serves until session.going is no longer DBG_STANDS. */
    void (*serve)(struct dbg *d);
    /** Whether somebody wants the run that goes to stop. */
    bool (*asks)(struct dbg *d);
};

struct dbg {
    struct dbg_session *session;
    const struct dbg_front *front;
    struct dbg_past *past; /**< NULL: only forwards */
    void *front_self;
    const char *(*connect)(void *ctx, struct dbg *d);
    void *connect_ctx;
    dbg_arrive_fn *arrives; /**< NULL: it is asked all the time, or has been to its end */
    void *arrives_ctx;

    struct run_live *live;
    struct prog_run *run; /**< NULL: not begun, or over and gone */
    const struct prog_inspect *inspect;
    struct prog_binary binary;
    struct pc_records *records;
    sim_tick now;
    bool changed;           /**< the run, from outside, since it stands */
    struct scout *scouting; /**< in a process that only looks ahead */

    /* registers of the threads, as they were asked for since the run stands */
    struct dbg_kept *kept;
    size_t kept_count;
};

/** The observer: `self` is a struct dbg, which dbg_new has made. */
extern const struct run_observer dbg_observer;

/** Connects the front, before the run begins. @return NULL; else one sentence: it cannot */
typedef const char *dbg_connect_fn(void *ctx, struct dbg *d);

/** @param front  who is asked @return the caller's, to be given to dbg_free */
struct dbg *dbg_new(const struct dbg_front *front, dbg_connect_fn *connect, void *ctx);
void dbg_free(struct dbg *d);

/** Before it begins: the run goes to its end, whatever is on the way, and nobody is asked before.
 *  @param arrives  is called there, once, before somebody is asked */
void dbg_to_end(struct dbg *d, dbg_arrive_fn *arrives, void *ctx);

/* ---- what a front asks ----------------------------------------------------------------------- */

/** The thread that the run has stopped for; if it is none, the first. 0: there is none. */
uint32_t dbg_thread(struct dbg *d);

/** A thread's registers. @return false: no such thread */
bool dbg_registers(struct dbg *d, uint32_t thread, prog_registers regs);
/** Memory as a thread would read it. @return [bytes] read before one that is not mapped */
size_t dbg_read(struct dbg *d, uint32_t thread, uint64_t va, void *bytes, size_t count);
/** All of it or nothing. @param card  whose thread writes @return false: not all is mapped, or
 *  the machine has still to make a store to it behind which a thread is shown, or this is the past,
 *  which cannot be changed */
bool dbg_write(struct dbg *d, unsigned card, uint64_t va, const void *bytes, size_t count);
/** @return false: no such thread, or it stands within a cycle: a step brings it out */
bool dbg_set_registers(struct dbg *d, uint32_t thread, const prog_registers regs);

/** Whether the run may be changed from outside: it is going to be. */
bool dbg_may_change(struct dbg *d);

/** The run goes on. @param step  a thread's step, or NULL */
void dbg_go(struct dbg *d, const struct dbg_step *step);

/** The run has been told to go on, and is on its way to session.until. */
bool dbg_goes_to_tick(const struct dbg_session *x);

/** Another process takes over, where the last hit of the conditions was, or the last step. Returns
 *  in the process that has been at the edge, when it has come to it again: session.going is not
 *  DBG_STANDS then.
 *  @param step  NULL: conditions @return false: there is no way back */
bool dbg_back(struct dbg *d, const struct dbg_step *step);

/** Another process takes over at a tick that is over. Likewise. */
bool dbg_back_to(struct dbg *d, sim_tick at);

/** What the thread's card has completed. UINT64_MAX: it has none. */
uint64_t dbg_done(struct dbg *d, uint32_t thread);

/** What was kept of a machine that stood is no longer so. */
void dbg_forget(struct dbg *d);

/** Why the run stands, as a sentence for people. */
void dbg_say_why(struct dbg *d, FILE *out);

#endif
