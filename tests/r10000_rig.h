/*
 * A station of two R10000s or R12000s on plain memory, for counts by hand (r10000_cycles.def,
 * r10000_microbenchmarks.def): short sequences, one after the other, each up to the SYSCALL that is
 * put behind it.
 */
#ifndef R10000_RIG_H
#define R10000_RIG_H

#include "procard/r10000/r10000.h"

#include "machine/params.h"
#include "machine/values.h"
#include "monitor/r10000/counters.h"

enum { RIG_CARDS = 2, RIG_DATA = 0x402000 };

struct rig {
    struct nm_params p;
    struct nm_machine *m;
    struct r10k_code *code;
    uint64_t place;  /**< address of the next step's code */
    unsigned slice;  /**< [ticks] runs are cut every so often; 0: they are not */
    sim_tick begun;  /**< [ticks] of the last step, when its first fetch may be */
    uint64_t cycles; /**< [PCycles] of the last step, from its first fetch to its exception */
};

/**
 * Both cards have the machine of configs/r10000.yaml but for what `options` says: pairs "key=value"
 * of numachine list params, values as whole numbers of the row's unit (words: their index). There
 * is no TLB and memory has 64 MB.
 */
void rig_init(struct rig *rig, const char *options);
/** The same with cards of another kind, whose core is an R10000 with something wrong. It outlives
 * the rig. */
void rig_init_of(struct rig *rig, const char *options, const struct nm_card_kind *kind);
void rig_free(struct rig *rig);

/**
 * Executes steps, separated by '|', one after the other: "1: " in front of one is for the second
 * card. Each is instructions (isa_assembler.h). Registers are 0 but for a0: RIG_DATA, the beginning
 * of a line of every cache; each step's code begins a line of the primary cache. The same text
 * after rig_again is at the same addresses: so caches and predictors know it.
 */
void rig_steps(struct rig *rig, const char *steps);
/** One step of the first card, in machine words. */
void rig_words(struct rig *rig, const uint32_t *words, unsigned count);
/** Both cards at once, each its code; the second begins `distance` ticks behind the first, or
 * before it. */
void rig_together(struct rig *rig, const char *const code[RIG_CARDS], int distance);
/** A step of the first card, during which `does` is called once, the machine standing, `after`
 * ticks behind its beginning: what the operating system does for another thread. If the step has
 * ended by then it is not called.
 * @param does  is told the address of the step's code @return whether it was called */
bool rig_interrupted(struct rig *rig, const char *step, sim_tick after,
                     void (*does)(struct rig *rig, uint64_t code));
/** The operating system writes a word. */
void rig_writes(const struct rig *rig, uint64_t at, uint32_t word);
/** The next step's code is at the first place again. */
void rig_again(struct rig *rig);

/** Counter k of the first card counts an event from 0 on.
 *  @param event  of its control register
 *  @param modes  of it */
void rig_program(struct rig *rig, unsigned k, unsigned event, unsigned modes);
/** What it has counted. */
uint64_t rig_counter(const struct rig *rig, unsigned k);

#endif
