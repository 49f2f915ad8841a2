/*
 * A stack is memory and a place to go on at; the C library changes from one to another.
 *
 * The hard idea: swapcontext() also changes the mask of signals, which is the same everywhere here
 * and takes the host longer than all the rest. So a stack is begun with a context, and gone on with
 * by a jump. Sanitizers keep books of each stack: they are told of each change, and of the frames
 * that are left for ever when a function is ended in the middle.
 */
#undef _FORTIFY_SOURCE /* takes a jump to another stack for a mistake, and ends the process */

#include "programs/stack.h"
#include "base/alloc.h"
#include "base/sanitized.h"

#include <setjmp.h>
#include <stdbool.h>
#include <ucontext.h>
#include <unistd.h>

#if SIM_ADDRESSES_WATCHED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define ADDRESSES(call) call
#else
#define ADDRESSES(call)
#endif
#if SIM_THREADS_WATCHED
#include <sanitizer/tsan_interface.h>
#define THREADS(call) call
#else
#define THREADS(call)
#endif

enum { STACK = 8 << 20 };

/** One side of a change. */
struct side {
    ucontext_t context;
    jmp_buf place; /**< to go on at, once it has stopped */
    bool stopped;  /**< has stopped before */
    const void *bottom;
    size_t size;
    void *frames; /**< the sanitizer's, while another side runs */
    void *fiber;  /**< the sanitizer's name of it */
};

struct prog_stack {
    struct side inside, outside;
    void *memory;
    void (*body)(void *arg);
    void *arg;
};

/** @param last  `from` never goes on */
static void stack_change(struct side *from, struct side *to, bool last)
{
    (void)last;
    ADDRESSES(__sanitizer_start_switch_fiber(last ? NULL : &from->frames, to->bottom, to->size));
    THREADS(from->fiber = __tsan_get_current_fiber());
    THREADS(__tsan_switch_to_fiber(to->fiber, 0));
    if (_setjmp(from->place) == 0) {
        from->stopped = true;
        if (to->stopped)
            _longjmp(to->place, 1);
        setcontext(&to->context);
    }
    ADDRESSES(__sanitizer_finish_switch_fiber(from->frames, &to->bottom, &to->size));
}

/** makecontext passes ints only.
 *  @param high  upper half of a struct prog_stack *
 *  @param low   lower half */
static void stack_begin(unsigned high, unsigned low)
{
    struct prog_stack *s = (struct prog_stack *)(uintptr_t)((uint64_t)high << 32 | low);

    ADDRESSES(__sanitizer_finish_switch_fiber(NULL, &s->outside.bottom, &s->outside.size));
    s->body(s->arg);
    stack_change(&s->inside, &s->outside, true);
}

struct prog_stack *prog_stack_new(void (*body)(void *arg), void *arg)
{
    const size_t guard = (size_t)sysconf(_SC_PAGESIZE);
    struct prog_stack *s = sim_alloc(1, sizeof *s);
    const uint64_t address = (uintptr_t)s;

    s->body = body;
    s->arg = arg;
    s->memory = sim_reserve(guard + STACK);
    if (mprotect(s->memory, guard, PROT_NONE))
        sim_no_memory();
    s->inside.bottom = (char *)s->memory + guard;
    s->inside.size = STACK;
    THREADS(s->inside.fiber = __tsan_create_fiber(0));
    getcontext(&s->inside.context);
    s->inside.context.uc_stack =
        (stack_t){.ss_sp = (void *)s->inside.bottom, .ss_size = s->inside.size};
    makecontext(&s->inside.context, (void (*)(void))stack_begin, 2, (unsigned)(address >> 32),
                (unsigned)address);
    return s;
}

void prog_stack_free(struct prog_stack *s)
{
    ADDRESSES(__asan_unpoison_memory_region(s->inside.bottom, s->inside.size));
    THREADS(__tsan_destroy_fiber(s->inside.fiber));
    munmap(s->memory, (size_t)((const char *)s->inside.bottom - (char *)s->memory) + STACK);
    free(s);
}

void prog_stack_enter(struct prog_stack *s)
{
    stack_change(&s->outside, &s->inside, false);
}

void prog_stack_leave(struct prog_stack *s)
{
    stack_change(&s->inside, &s->outside, false);
}
