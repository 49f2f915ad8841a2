/*
 * A guest program made of an input: lists of steps, each a system call or one load or store, whose
 * operands are constants or results of other steps; one list for each thread.
 *
 * The program that walks the lists is a few instructions, the same every time; the lists are its
 * data. It can overwrite them, and then does whatever comes of it.
 */
#ifndef TESTS_FUZZ_GUEST_H
#define TESTS_FUZZ_GUEST_H

#include "programs/program.h"
#include "tests/fuzz/fuzz.h"

#include <stdbool.h>

enum {
    GUEST_LISTS = 3,
    GUEST_STEPS = 40, /**< of a list */
    GUEST_ARGS = 6,
    GUEST_ARENA = 0x8000, /**< [bytes] for buffers */
    GUEST_ELF_MAX = 0x20000,
    GUEST_CODE = 0x400000, /**< guest virtual addresses */
    GUEST_DATA = 0x500000,
    GUEST_BUFFERS = GUEST_DATA + 0x10000,
    GUEST_END = GUEST_BUFFERS + GUEST_ARENA
};

/** What a step does: the system call, or an access of this kind to address arg[0]; a store takes
 *  its value from arg[1]. GUEST_GO jumps to arg[0] with registers full of buffers' addresses. */
enum guest_do {
    GUEST_CALL,
    GUEST_GO,
    GUEST_LB,
    GUEST_LBU,
    GUEST_LH,
    GUEST_LHU,
    GUEST_LW,
    GUEST_LWL,
    GUEST_LWR,
    GUEST_LL,
    GUEST_SB,
    GUEST_SH,
    GUEST_SW,
    GUEST_SWL,
    GUEST_SWR,
    GUEST_SC,
    GUEST_LD,
    GUEST_SD,
    GUEST_LLD,
    GUEST_SCD,
    GUEST_DOES
};
enum { GUEST_DOES_O32 = GUEST_LD /**< the accesses from here on are n64's */ };

struct guest_step {
    enum guest_do what;
    uint64_t number; /**< of the call, without the ABI's base: 0 .. 999; or any greater one */
    uint64_t arg[GUEST_ARGS];
    uint64_t from; /**< bit i: arg[i] is the result of the list's step arg[i] */
    int child;     /**< list to go on with where the result is 0 (clone's child); 0: none */
};

struct guest {
    bool n64;
    unsigned steps[GUEST_LISTS];
    struct guest_step step[GUEST_LISTS][GUEST_STEPS];
    uint8_t arena[GUEST_ARENA];
    size_t code_size; /**< [bytes] of code behind the walker, at guest_code() */
    uint8_t code[4096];
};

/** Appends a step unless the list is full. @return its number */
unsigned guest_add(struct guest *g, unsigned list, const struct guest_step *step);

/** A system call with up to six constants. */
unsigned guest_call(struct guest *g, unsigned list, unsigned number, uint64_t a, uint64_t b,
                    uint64_t c, uint64_t d);

/** Ends every list: the first with exit_group, the others with exit. */
void guest_finish(struct guest *g);

/** Where g->code lies, and a signal handler that skips the instruction, or only returns. */
uint64_t guest_code(void);
uint64_t guest_handler(bool skips);

/** Where a list's stack begins. */
uint64_t guest_stack(unsigned list);

/** Puts a number of the ABI's word size at an offset of the arena. */
void guest_put(struct guest *g, unsigned offset, unsigned width, uint64_t v);

/** Number of a system call by name in the guest's ABI; 999 when there is none. */
unsigned guest_number(const struct guest *g, const char *name);

/** Handlers that skip for SIGILL, SIGTRAP, SIGFPE, SIGBUS, SIGSEGV: the list's next steps.
 *  @param at  64 bytes of the arena */
void guest_handle(struct guest *g, unsigned at);

/** Writes the executable. @return its size */
size_t guest_write(const struct guest *g, uint8_t *elf, size_t room);

/* ---- running one ----------------------------------------------------------------------------- */

/** A small machine; bits of `how` choose rings, checking, functional mode, small caches, a short
 *  quantum. */
void fuzz_machine(struct nm_params *p, unsigned how);

/** Runs the file "guest" on it, with R10000s on every second card or on all (the next two bits of
 * `how`), and looks at the end: nothing may be broken or stuck. @return the end */
enum prog_end fuzz_run(const struct nm_params *p, unsigned how, sim_tick limit,
                       struct prog_outcome *out);

/** The same with a guest made; `twice`: and again, with the same outcome. */
void fuzz_guest(struct guest *g, unsigned how, sim_tick limit, bool twice);

#endif
