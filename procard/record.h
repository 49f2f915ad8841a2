/*
 * What the cores of a machine refer to, reference by reference, for traces.
 *
 * A core that can tell (pc_core_ops.recording) says of each reference that has been made where it
 * was and when, and of each instruction that is looked up in the primary instruction cache. When is
 * said in PCycles of the core's own: without those for which the card or the operating system let
 * it wait. Nothing simulated changes.
 */
#ifndef PC_RECORD_H
#define PC_RECORD_H

#include "procard/core.h"

/** What is told of. */
enum pc_recorded_kind {
    PC_RECORDED_LOAD,
    PC_RECORDED_STORE,
    PC_RECORDED_FETCH, /**< an instruction is looked up; the size is 0 */
    PC_RECORDED_LL,
    PC_RECORDED_SC,
    PC_RECORDED_SC_FAILED,
    PC_RECORDED_BEGUN, /**< an access that an interrupt came before: it had begun, and is made
                            again when its thread goes on; `version` says which it is */
};

/** How far an access had come that was only begun. */
enum pc_begun {
    PC_BEGUN_MAPPED,
    /**< its page is in the TLB, */ PC_BEGUN_ASKED /**< and its line was asked for */
};

/** What `version` is of an access that was only begun. */
static inline uint64_t pc_begun_code(enum pc_recorded_kind kind, enum pc_begun far)
{
    return (uint64_t)kind << 1 | far;
}

/** A reference that has been made. */
struct pc_recorded {
    uint64_t va;
    uint64_t own;     /**< [PCycles] of the core's own before its instruction */
    uint64_t version; /**< as `ordered` says */
    uint8_t kind;     /**< enum pc_recorded_kind */
    uint8_t size;     /**< [bytes] */
    bool ordered;     /**< `ordered` says that threads synchronise there */
};

/** Is told of each load and store at once, of an LL and an SC of those that succeed.
 *  @param pc  virtual address of the instruction
 *  @param at  as in pc_record_listener.ordered */
typedef void pc_each_fn(void *ctx, struct pc_cpu *cpu, enum pc_recorded_kind kind, uint64_t pc,
                        uint64_t va, unsigned size, sim_tick at);

/**
 * Is told that an instruction is about to be executed which code_points has chosen, or of a core
 * that lets several instructions complete in one PCycle of each instruction.
 *  @param at     [ticks] of its card's clock: when it begins
 *  @param order  instructions that the card completes at that tick before it
 *  @param before  registers of the thread in front of it, of its instruction set; NULL: those that
 *                 the core has when all that begins before `at` has been done
 */
typedef void pc_point_fn(void *ctx, struct pc_cpu *cpu, uint64_t pc, sim_tick at, unsigned order,
                         const void *before);

/** A listener. It only reads what is simulated. */
struct pc_record_listener {
    void *ctx;

    /** References of a card, in their order, some time after they were made.
     *  @param thread  the operating system's number of it (struct pc_tries) */
    void (*made)(void *ctx, unsigned card, uint32_t thread, const struct pc_recorded *reference,
                 size_t count);

    /** At once, of different cards out of order by no more than nm_machine_notice: a load, a store,
     *  an LL or an SC that stored. @param at  [ticks] of its card's clock
     *  @return whether threads synchronise there; then *version is how many have stored before */
    bool (*ordered)(void *ctx, unsigned card, enum pc_recorded_kind kind, uint64_t va, sim_tick at,
                    uint64_t *version);

    /** Pages are mapped otherwise from now on, for all cards. */
    void (*unmapped)(void *ctx, uint64_t va, uint64_t len);

    /** A thread goes on that stood on a card, or is put there. `made` has been called for all
     *  before. @param own  as in struct pc_recorded, when it stopped
     *  @param from, to  [ticks] of the card's clock: when it stopped, and when it goes on */
    void (*goes_on)(void *ctx, unsigned card, uint32_t thread, uint64_t own, sim_tick from,
                    sim_tick to);

    /** NULL; else it is called instead of the first two, but for what it leaves. */
    pc_each_fn *each;
    bool leaves_loads;
    uint64_t repeats; /**< [bytes] a card's load in the piece of so many that it has loaded from
                           last is not told, nor such a store; 0: all are */

    /** NULL: nobody listens. Set by pc_record_points. */
    pc_point_fn *point;
};

struct pc_records;

/** Has the cards of a machine of processor cards tell, from now on; before its first run.
 *  @param listener  the caller's, outlives the recording
 *  @return the caller's, to be ended behind the machine's last run and before its end; NULL: the
 *          cards' core cannot tell, or is told otherwise already (a profile) */
struct pc_records *pc_record_begin(struct nm_machine *m, const struct pc_record_listener *listener);
void pc_record_end(struct pc_records *records);

/** The same, for a listener that wants to hear of accesses only, and of changes of pages.
 *  @param listener  with `each`, and if it likes `unmapped` */
struct pc_records *pc_record_follow(struct nm_machine *m,
                                    const struct pc_record_listener *listener);

/** Has `point` called with the context of the listener, from now on; NULL: no more. The machine
 *  stands. */
void pc_record_points(struct pc_records *records, pc_point_fn *point);

/** Has `made` called for all that a card's core has made. The machine stands.
 *  @return [PCycles] of the core's own, up to now */
uint64_t pc_record_flush(struct pc_records *records, unsigned card);

/** The run is over: accesses that were begun will not be made. */
void pc_record_stop(struct pc_records *records);

/** Whether a card stands: it has trapped, or has no thread. */
bool pc_record_stands(const struct pc_records *records, unsigned card);

/** Whether it is an interrupt that has stopped the thread that stands on a card. */
bool pc_record_is_interrupted(const struct pc_records *records, unsigned card);

enum {
    PC_RECORD_ROOM = 1 << 12,
    PC_BEGINS = 8 /**< as often an access that is made in the end may be begun */
};

/** A card's share: references that have not been told yet. The room's own. */
struct pc_record {
    const struct pc_record_listener *listener;
    uint64_t last[2]; /**< where the last load was, and the last store, if repeats are left */
    unsigned card;
    uint32_t thread;
    uint64_t waited;  /**< [PCycles] for which the core was let wait */
    sim_tick tried;   /**< when the last access was made that asked the card (data_access) */
    bool again;       /**< the next look-up is one more of an instruction that waits */
    bool interrupted; /**< the thread stands because of an interrupt */
    struct pc_recorded begun[PC_BEGINS]; /**< an access that was begun so often, */
    unsigned begins;                     /**< and is not made yet; 0: there is none */
    size_t count;
    struct pc_recorded made[PC_RECORD_ROOM];
};

/** An instruction is about to be executed. @param at  as pc_point_fn has it; so are the others */
static inline void pc_record_point(struct pc_cpu *cpu, uint64_t pc, sim_tick at, unsigned order,
                                   const void *before)
{
    const struct pc_record *record = cpu->record;
    if (record && record->listener->point)
        record->listener->point(record->listener->ctx, cpu, pc, at, order, before);
}

/** An access has been begun and stops, to be made later. */
void pc_record_begun(struct pc_cpu *cpu, enum nm_access access, uint64_t va, unsigned size,
                     enum pc_stop why);

/** An interrupt stops the thread. An access that was begun is not made any more. */
void pc_record_interrupted(struct pc_cpu *cpu);

/** Tells the references that have not been told. */
void pc_record_tell(struct pc_record *record);

/** A thread goes on: pc_record.waited has what it waited. */
void pc_record_goes_on(struct pc_cpu *cpu, sim_tick from);

/** Pages are mapped otherwise: told once for all cards. */
void pc_record_unmapped(struct pc_record *record, uint64_t va, uint64_t len);

/** All is forgotten that a card knows of virtual addresses. An instruction that waits is looked up
 *  again when it is tried again: that is no reference of its own. */
void pc_record_forgets(struct pc_card *card);

/** Whether an access is one that the listener leaves. */
static inline bool pc_record_leaves(struct pc_record *record, bool store, uint64_t va)
{
    const struct pc_record_listener *listener = record->listener;
    if (!store && listener->leaves_loads)
        return true;
    const uint64_t before = record->last[store];
    record->last[store] = va;
    return (before ^ va) < listener->repeats;
}

/** A core has made a reference.
 *  @param pc  of the instruction
 *  @param at  [ticks] of its clock: of the instruction, behind what it was let wait for */
static inline void pc_record_reference(struct pc_cpu *cpu, enum pc_recorded_kind kind, uint64_t pc,
                                       uint64_t va, unsigned size, sim_tick at)
{
    struct pc_record *record = cpu->record;
    if (record->listener->each) {
        const bool store = kind == PC_RECORDED_STORE || kind == PC_RECORDED_SC;
        if (kind != PC_RECORDED_FETCH && kind != PC_RECORDED_SC_FAILED &&
            !pc_record_leaves(record, store, va))
            record->listener->each(record->listener->ctx, cpu, kind, pc, va, size, at);
        return;
    }
    const bool again = record->again;
    record->again = false;
    if (again && kind == PC_RECORDED_FETCH)
        return;
    record->begins = 0;
    struct pc_recorded *made = &record->made[record->count++];
    made->va = va;
    made->own = at - record->waited;
    made->kind = (uint8_t)kind;
    made->size = (uint8_t)size;
    made->ordered = kind != PC_RECORDED_FETCH && kind != PC_RECORDED_SC_FAILED &&
                    record->listener->ordered(record->listener->ctx, record->card, kind, va, at,
                                              &made->version);
    if (record->count == PC_RECORD_ROOM)
        pc_record_tell(record);
}

#endif
