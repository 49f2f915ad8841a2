/*
 * The processor card for the rooms above: their calls beside those of a machine, for any core.
 * Calls for one core are in the core's own header.
 *
 * All calls come between two calls of nm_machine_run, on machines whose cards are processor cards.
 */
#ifndef PC_PROCARD_H
#define PC_PROCARD_H

#include "machine/machine.h"
#include "monitor/own.h"
#include "monitor/r10000/counters.h"
#include "monitor/unit.h"
#include "procard/core.h"
#include "procard/exported.h"
#include "procard/pins.h"

#pragma GCC visibility push(default)

/** The first refused store to a register that a card knows of: one of its own processor, to
 *  its own card or to another, or one that came to it through a window, whose processor does not
 *  hear of it. */
struct pc_refused {
    sim_tick at;     /**< when the card heard of it */
    uint64_t pc;     /**< of the store; not through a window */
    uint32_t thread; /**< struct pc_tries.thread; not through a window */
    unsigned card;   /**< the register's */
    unsigned writer; /**< the card that stored */
    bool window;     /**< through a window of the writer's card */
    uint32_t offset; /**< in the card's register space */
    unsigned reason; /**< as mon_unit_ops.write gave it */
};

/** What every processor card does; with a core (struct pc_core_ops) it is a kind of card. */
extern const struct nm_card_ops pc_card_ops;

/** A kind of core: a row of cores.def. Static. */
struct pc_core_row {
    const char *title; /**< for people */
    const char *isa;   /**< name of the instruction set of its programs */
    const struct nm_card_kind *card;
};

/** That of a card with these parameters. */
const struct pc_core_row *pc_core_of(const struct nm_params *card);

/** The register of a card at an offset in its register space, or NULL. */
const struct mon_register_row *pc_register_at(struct nm_machine *m, unsigned card, uint32_t offset);

/** A card's processor, settled: what it shares with its card. */
struct pc_cpu *pc_cpu_at(struct nm_machine *m, unsigned card);

/** Virtual address of the instruction at which a card's processor stands: for people. 0: its core
 *  does not say, or it has not had a thread. */
uint64_t pc_stands_at(struct nm_machine *m, unsigned card);

/** Reads what the program has at a virtual address, and changes nothing.
 *  @return false: not all of it is there */
bool pc_peek(struct nm_machine *m, uint64_t va, void *bytes, size_t count);

/** What a card's core does for programs; NULL: it executes none, and the calls below are not for
 * it.
 */
const struct pc_program_ops *pc_programs_at(struct nm_machine *m, unsigned card);

/** Takes the thread off a card that has trapped (nm_card_take).
 *  @param[out] regs  its registers, of its instruction set
 *  @param[out] call  its last system call */
void pc_thread_take(struct nm_machine *m, unsigned card, void *regs, struct pc_call_site *call);
/** Puts a thread's registers on a card, which goes on from tick `at` on (nm_card_resume). */
void pc_thread_resume(struct nm_machine *m, unsigned card, const void *regs, sim_tick at);
/** Registers of the thread on a card, settled: its own (pc_program_ops.registers). */
void *pc_thread_registers(struct nm_machine *m, unsigned card);
/** Whether taking a running thread's registers ends what is under way (pc_core_ops.interrupted). */
bool pc_thread_settles(struct nm_machine *m, unsigned card);
/** Its registers as if it had been interrupted. What was under way is done: simulated time no
 *  longer passes as it would have. */
void pc_thread_look(struct nm_machine *m, unsigned card, void *regs);
/** The thread on a card, wherever it is, goes on with these registers. */
void pc_thread_change(struct nm_machine *m, unsigned card, const void *regs);
/** A card's processor executes `code`, which its core has made. Before nm_machine_set_space. */
void pc_code_give(struct nm_machine *m, unsigned card, void *code);
/** What a card's processor executes has changed in [va, va + len): pc_core_heeds.code_changed. */
void pc_code_changed(struct nm_machine *m, unsigned card, uint64_t va, uint64_t len);

/** [PCycles] that a return from an exception takes: a thread whose card has slept goes on no
 * earlier than so long after it is called. */
enum { PC_RETURN = 4 };

/** Until the thread on the card, from here on, has completed so many instructions, nm_card_preempt
 *  does not stop it. 0: no longer. Its next trap ends it, too. */
void pc_spare(struct nm_machine *m, unsigned card, uint64_t instructions);

/** The store-conditionals of the thread on the card: for the operating system to read, and to
 *  change with the thread. */
struct pc_tries *pc_tries_at(struct nm_machine *m, unsigned card);

/** The first refused store to a register that the card counted; valid when truth.refused_writes is
 *  not 0. */
const struct pc_refused *pc_refused_at(struct nm_machine *m, unsigned card);

/** A request of a card's secondary cache for a line that is over. */
struct pc_served {
    unsigned card;
    uint64_t line;         /**< physical address */
    const char *message;   /**< as it was issued last: "RDEXCL". Static */
    sim_tick issued, over; /**< [ticks] */
    unsigned nacks;        /**< it was refused so often */
    bool remote;           /**< its home is another station */
    bool given_up;         /**< it has not been served */
};

/** Is told of it: reads it, and changes nothing that can be simulated. */
typedef void pc_served_fn(void *ctx, const struct pc_served *served);

/** Has `told` called when a request that has been issued is over, from now on; NULL: no longer. */
void pc_watch_requests(struct nm_machine *m, unsigned card, pc_served_fn *told, void *ctx);

struct nm_ear; /* machine/hear.h */

/** Has all cards tell `ear` of rows of their protocol's table, from now on; NULL: no longer. One
 *  that begins or ends an access is told at the card's own tick, ahead of the machine's. */
void pc_hear(struct nm_machine *m, const struct nm_ear *ear);

/** Requests of a card that were timed and watched. [ticks] from the access to its end. */
struct pc_waited {
    uint64_t requests;
    sim_tick
        refused; /**< those took that had been refused, those under way included; the others ... */
    sim_tick took;     /**< ... took this ... */
    sim_tick expected; /**< ... and would have been said to take this, had they been warmed
                            (NM_MODE_WARM) instead of timed */
};

/** Requests that end from now on are watched, or no longer: warming takes what they took for what
 *  its own take. */
void pc_watch_waits(struct nm_machine *m, bool watches);

/** All that a card has waited since the beginning. */
struct pc_waited pc_waited_at(struct nm_machine *m, unsigned card);

/*
 * The processor's own counters (of an R10000 or R12000: monitor/r10000/), exact at nm_machine_now.
 *
 * A counter overflows when its bit 31 becomes 1. While bit 31 and its control register's bit 4 are
 * set, the counter asserts IP7, which is a level, shared by both counters: pc_counters_pending.
 * When a counter begins to do so, nm_machine_run comes back with NM_RUN_INTERRUPT and the cause
 * NM_INTERRUPT_COUNTERS; trap.at is the tick of the overflow. It does so once for each counter,
 * until that has stopped: by a write of the counter or of its control register, or by wrapping to
 * 0. Two that overflow at one tick are told together. A workload gets it by prog_workload's
 * `interrupt`, as all interrupts but the monitoring card's.
 */

/** Which events the processors of such a machine count (monitor/r10000/counters.h). R10K_CHIPS:
 * they have no such counters. */
enum r10k_chip pc_counters_of(const struct nm_params *card);

/** Likewise, of a processor. */
enum r10k_chip pc_chip_of(enum mon_processor processor);

/** How many a card's processor has; 0: none, and the rest reads 0 and is not written. */
unsigned pc_counters(const struct nm_machine *m, unsigned card);
/** Control register k as coprocessor 0 has it: event from bit 5 on, interrupt enable 16, modes user
 *  8, supervisor 4, kernel 2, exception level 1. Other bits are reserved, and stay 0. */
uint32_t pc_counter_control(const struct nm_machine *m, unsigned card, unsigned k);
void pc_counter_set_control(struct nm_machine *m, unsigned card, unsigned k, uint32_t control);
/** Counter k. */
uint32_t pc_counter(const struct nm_machine *m, unsigned card, unsigned k);
void pc_counter_set(struct nm_machine *m, unsigned card, unsigned k, uint32_t value);
/** Counters that assert IP7: bit k. */
unsigned pc_counters_pending(const struct nm_machine *m, unsigned card);
/** The totals that they count, in each mode; all 0 if there are none. */
void pc_signals(const struct nm_machine *m, unsigned card, struct r10k_signals *out);

/* What processors count by themselves, whichever they are (monitor/own.h). */

/** Which processor a card has whose core is the one of its parameters; MON_PROCESSORS: one that
 * does not count. */
enum mon_processor pc_processor_of(const struct nm_params *card);

/** Whether a card's processor counts. */
bool pc_own_counts(const struct nm_machine *m, unsigned card);
/** The first event number chosen for them that the card's processor does not have; NULL: none. */
const struct pc_unknown_event *pc_unknown_event_at(struct nm_machine *m, unsigned card);
/** The totals it counts, at nm_machine_now; all 0 if it does not. */
void pc_own_signals(const struct nm_machine *m, unsigned card, union mon_own_signals *out);

/**
 * Follows the Status pins of a card's processor from now on (pins.h): `edge` is called for every
 * MasterClock, with its first PCycle and the pins. Slows the run and changes nothing in it.
 * @param pins  must outlive the machine; NULL: no longer follow
 */
void pc_follow_pins(struct nm_machine *m, unsigned card, struct pc_pins *pins, pc_pins_fn *edge,
                    void *ctx);

/** Whether a card's processor exports what its counters hear (procard/exported.h). */
bool pc_exports(struct nm_machine *m, unsigned card);

/** Has what it exports told from now on: one that does. The machine stands.
 *  @param exported  the caller's, outlives the recording; NULL: no more, all up to here is told */
void pc_follow_exported(struct nm_machine *m, unsigned card, struct pc_exported *exported,
                        pc_exported_fn *changed, void *ctx);

#pragma GCC visibility pop

#endif
