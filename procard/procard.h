/*
 * The R4400 card for the rooms above: what they may do with it beyond what a machine may (the
 * interpreter's own calls: r4400.h).
 *
 * All calls come between two calls of nm_machine_run, on machines whose cards are `pc_r4400`.
 */
#ifndef PC_PROCARD_H
#define PC_PROCARD_H

#include "machine/card.h"
#include "monitor/unit.h"
#include "procard/pins.h"
#include "procard/r4400.h"

/** The kind of card, for nm_machine_new. */
extern const struct nm_card_ops pc_r4400;

/** A card's processor, settled (pc_settle). Its registers may be read and changed while it is
 *  trapped or idle, between a trap and nm_card_resume. */
struct pc_cpu *pc_cpu_at(struct nm_machine *m, unsigned card);

/** The register of a card at an offset in its register space, or NULL. */
const struct mon_register_row *pc_register_at(struct nm_machine *m, unsigned card, uint32_t offset);

/** Puts a thread's registers on a card, which goes on from tick `at` on (nm_card_resume). */
void pc_resume(struct nm_machine *m, unsigned card, const struct pc_regs *regs, nm_tick at);

/** Takes the thread off a card that has trapped (nm_card_take). @param[out] regs  its registers */
void pc_take(struct nm_machine *m, unsigned card, struct pc_regs *regs);

/** Until the thread on the card, from here on, has completed so many instructions, nm_card_preempt
 *  does not stop it. 0: no longer. Its next trap ends it, too. */
void pc_spare(struct nm_machine *m, unsigned card, uint64_t instructions);

/** The store-conditionals of the thread on the card: for the operating system to read, and to
 *  change with the thread. */
struct pc_tries *pc_tries_at(struct nm_machine *m, unsigned card);

/** The first store to a register that a card's processor was refused; valid when
 *  truth.refused_writes is not 0. */
const struct pc_refused *pc_refused_at(struct nm_machine *m, unsigned card);

/** All processors execute `code`, which outlives the machine's run. Call it before
 *  nm_machine_set_space. */
void pc_set_code(struct nm_machine *m, struct pc_code *code);

/**
 * Follows the Status pins of a card's processor from now on (pins.h): `edge` is called for every
 * MasterClock, with its first PCycle and the pins. Slows the run and changes nothing in it.
 * @param pins  must outlive the machine; NULL: no longer follow
 */
void pc_follow_pins(struct nm_machine *m, unsigned card, struct pc_pins *pins, pc_pins_fn *edge,
                    void *ctx);

#endif
