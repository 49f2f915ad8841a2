/*
 * A core that makes the references a source hands it, one after the other: no instructions, no
 * registers. Kernels, patterns and traces are sources; so is a test's scenario.
 *
 * A source gives the processor's next references, and is told their results. References of one core
 * complete in their order. Each takes one PCycle (state load or store) beside what the card makes
 * it wait for, and may have other work behind it, which is PCycles of integer instructions.
 */
#ifndef PC_DRIVER_H
#define PC_DRIVER_H

#include "procard/procard.h"

#pragma GCC visibility push(default)

/** What a source may have the core do. */
enum pc_reference_kind {
    PC_REFERENCE_END,     /**< there is nothing more to do: the card traps, with PC_EXC_SYS */
    PC_REFERENCE_COMPUTE, /**< instructions without references */
    PC_REFERENCE_LOAD,
    PC_REFERENCE_STORE,
    PC_REFERENCE_LOAD_LINKED,
    PC_REFERENCE_STORE_CONDITIONAL,
    PC_REFERENCE_FETCH, /**< of the instruction line at the address */
    PC_REFERENCE_SYNC,  /**< waits until the last uncached store is acknowledged */
    PC_REFERENCE_LINE, /**< the same, of instructions that are said elsewhere: it takes no PCycle of
                            its own */
    PC_REFERENCE_WAIT, /**< loads, again and again, until it loads the value that is waited for */
};

/** What a PC_REFERENCE_WAIT waits for: that the word ... the value. Of 32-bit and 64-bit words. */
enum pc_relation {
    PC_IS,       /**< is */
    PC_IS_NOT,   /**< is not */
    PC_AT_LEAST, /**< has come to, or passed, counting up: their difference is not negative */
};

/** How far a reference is made. */
enum pc_extent {
    PC_WHOLE,
    PC_AS_FAR_AS_ASKED,  /**< until its line is there, if it must ask for it */
    PC_AS_FAR_AS_MAPPED, /**< until its page is in the TLB, if it must be brought there */
};

/** One thing to do. What a page is (coherent, uncached, not coherent) is a matter of the address.
 */
struct pc_reference {
    enum pc_reference_kind kind;
    unsigned size;    /**< [bytes] 1, 2, 4 or 8 */
    uint64_t address; /**< virtual, a multiple of `size` */
    uint64_t value;   /**< to be stored: the low `size` bytes, big-endian in memory; of a WAIT: to
                           be compared with */
    sim_tick at;      /**< not before this tick; until then the processor idles in PC_ST_INT, which
                          counts as no instructions. 0: at once */
    uint64_t ticks;   /**< [PCycles] COMPUTE: how long it takes; others: from when they are done to
                           the next reference. 0 means 1, but of a LINE none. END: how many the trap
                           kills, at once */
    enum pc_status state; /**< COMPUTE only: what these PCycles are, PC_ST_INT for most */
    bool interrupted;     /**< END: it is an interrupt's, before which nothing more is kept for a
                               store-conditional */
    enum pc_relation relation; /**< WAIT only; its `ticks` pass between two looks, too */
    enum pc_extent extent; /**< LOAD to FETCH: else than whole, it takes no PCycle of its own, and
                                what it loads, or whether it fails, means nothing */
};

/** A load, a store, a COMPUTE (in PC_ST_INT) or a LINE in 16 bytes, of which the source is not
 * told, but for loads and stores with PC_TOLD.
 */
struct pc_packed {
    uint64_t what;  /**< address, size and kind (pc_pack), and perhaps PC_TOLD */
    uint32_t ticks; /**< [PCycles] as in struct pc_reference */
    uint32_t value; /**< to be stored: of 8 bytes the low half */
};

/** [bits] of a packed address: those of the flat space, all of a program's. */
enum { PC_PACKED_BITS = 48 };

/** In a packed reference: the source is told (pc_driver_source). */
#define PC_TOLD (UINT64_C(1) << 63)

/** The first word of a packed reference. @param address  below 1 << PC_PACKED_BITS
 *  @param shift  of its size: 0 to 3 */
static inline uint64_t pc_pack(enum pc_reference_kind kind, unsigned shift, uint64_t address)
{
    return address | (uint64_t)shift << PC_PACKED_BITS | (uint64_t)kind << (PC_PACKED_BITS + 8);
}

static inline enum pc_reference_kind pc_packed_kind(const struct pc_packed *packed)
{
    return (enum pc_reference_kind)((packed->what & ~PC_TOLD) >> (PC_PACKED_BITS + 8));
}

/** What came of it. */
struct pc_result {
    uint64_t value; /**< loaded, or stored */
    bool failed;    /**< a store-conditional had lost its link; nothing is stored */
    sim_tick began; /**< when it was first tried */
    sim_tick done;  /**< when its wait was over; its own PCycle follows */
};

/**
 * What hands references to a core. Both are called while the machine runs, from events of the
 * card's station: they may read the machine's memory image, and call nothing of the machine. What
 * they do must depend on simulated things only, or runs differ.
 */
struct pc_driver_source {
    /** The next reference, at tick `now`, when the last one is over. `out` is zeroed: one that is
     *  left alone is PC_REFERENCE_END. After that, the next call comes when the card is resumed. */
    void (*next)(void *self, unsigned card, sim_tick now, struct pc_reference *out);

    /** A reference is done; not called for END and COMPUTE. NULL: no call. */
    void (*done)(void *self, unsigned card, const struct pc_reference *reference,
                 const struct pc_result *result);

    /** Many at once, to be asked for before `next` is: what they do is what they would if `next`
     *  had handed them over one by one. They are the source's and stay as they are until the next
     *  call of `more` or `next`. NULL: there are never any.
     *  @return how many; 0: `next` shall be asked */
    size_t (*more)(void *self, unsigned card, sim_tick now, const struct pc_packed **first);

    /** A packed reference with PC_TOLD is done; only of a source that is `near`.
     *  @param waited  [ticks] from when it was first tried
     *  @return whether those that follow it do; false: the work behind it is not done, those that
     *  follow are forgotten, and what comes next is asked for */
    bool (*told)(void *self, unsigned card, const struct pc_packed *packed, sim_tick waited);

    /** What `next` says hangs on how far other cards have come: nothing is foreseen beyond the next
     *  reference, so that cards run as far ahead of each other with `more` as without. */
    bool near;

    /** Of a source that is `near`: all that `more` hands out but a LINE takes at least one PCycle,
     *  and a PC_REFERENCE_END is behind. */
    bool ended;
};

/** Cards whose core is this, for nm_machine_new. The calls below are for machines of them. */
extern const struct nm_card_kind pc_driver;

/** Bits of a virtual address in the flat space: its page is uncached, or cached but not coherent.
 * The bits below are the physical address; the cards' registers are always uncached. */
#define PC_FLAT_UNCACHED    (UINT64_C(1) << 42)
#define PC_FLAT_NONCOHERENT (UINT64_C(1) << 43)

/** Virtual addresses that say which physical ones they are, for nm_machine_set_space. */
extern const struct nm_space pc_flat_space;

/** Has a card take its references from `source` from tick `at` on (nm_card_resume). A reference
 *  that was not done, because it failed with an exception, is forgotten. `source` and `self` are
 *  the caller's and outlive the card's run. */
void pc_drive(struct nm_machine *m, unsigned card, const struct pc_driver_source *source,
              void *self, sim_tick at);

/** How many of the packed references that `more` has handed out last are not done. */
size_t pc_drive_left(struct nm_machine *m, unsigned card);

#pragma GCC visibility pop

#endif
