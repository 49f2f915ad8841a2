/*
 * What a debugger asks of a workload that runs programs: its threads, their registers, its memory.
 *
 * All calls come while the machine stands. Unless it says otherwise a call only reads: it gives no
 * page memory, and changes nothing that is simulated. Bytes are as the program has them.
 */
#ifndef PROG_INSPECT_H
#define PROG_INSPECT_H

#include "programs/workload.h"

struct pc_points;

/** Instruction sets whose registers are known by their struct. */
enum prog_isa {
    PROG_ISA_MIPS, /**< struct mips_regs */
    PROG_ISA_ARM,  /**< struct arm_regs */
};

enum {
    PROG_REGISTERS = 1024, /**< [bytes] that registers of any instruction set take at most */
    PROG_DOING = 256,      /**< [bytes] of a text */
};

/** Room for a thread's registers, of any instruction set. */
typedef uint64_t prog_registers[PROG_REGISTERS / sizeof(uint64_t)];

/** A thread, as it is now. */
struct prog_inspected {
    uint32_t number; /**< the operating system's */
    unsigned card;   /**< where it is, or would run */
    bool on_card;    /**< its registers are the processor's */
    bool called;     /**< it is in a system call, or has been stopped in another way */
    char name[32];
    char doing[PROG_DOING]; /**< "runs at pc ...", "in futex ..., for the lock ..., held by ..." */
};

/** A program. */
struct prog_binary {
    enum prog_isa isa;
    const char *abi; /**< "o32" */
    unsigned word;   /**< [bytes] of a register and of an address: 4 or 8 */
    bool little;
    const char *path;     /**< of the executable, on the host */
    uint32_t process;     /**< number of the process */
    const uint64_t *auxv; /**< [auxv_count] words of the auxiliary vector */
    unsigned auxv_count;
};

struct prog_inspect {
    void (*binary)(void *self, struct prog_binary *out);

    /** The living thread with the next number. @param after  0: the first
     *  @return false: there is none */
    bool (*next)(void *self, uint32_t after, struct prog_inspected *out);
    /** @return false: there is no such thread */
    bool (*thread)(void *self, uint32_t number, struct prog_inspected *out);

    /** The thread's registers, as if nothing of it were under way. Of a processor that lets
     *  accesses come to their end behind instructions this ends them at once: only a process that
     *  will not simulate any further may ask (`settles`). @return false: there is no such thread */
    bool (*registers)(void *self, uint32_t number, void *regs);
    /** Whether `registers` changes what is simulated. */
    bool (*settles)(void *self, uint32_t number);
    /** Changes them: the program goes on with these. @return false: there is no such thread */
    bool (*set_registers)(void *self, uint32_t number, const void *regs);

    /** What is there now; a card's copy may still be older. @return [bytes] read before one that is
     *  not mapped */
    size_t (*read)(void *self, uint64_t va, void *bytes, size_t count);
    /** Changes memory, whatever its rights. @return [bytes] written */
    size_t (*write)(void *self, unsigned card, uint64_t va, const void *bytes, size_t count);
    /** Where it lies. @return false: the page has no memory, or is none */
    bool (*physical)(void *self, uint64_t va, uint64_t *pa);

    /** Executions of these are told (pc_program_ops.code_points). NULL: none. */
    void (*points)(void *self, const struct pc_points *points);
};

/** [ticks] Before it nothing happens to the machine but what its cards do: the workload's next
 *  date, the next step of an approach, the limit. */
sim_tick prog_next_date(const struct prog_run *run);

#endif
