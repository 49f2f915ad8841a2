/*
 * The operating system's actors without SimGrid, so that a process can run programs one after
 * another, as often as it likes (programs/actors.h; a test's own object wins over the library's).
 *
 * The hard idea: an actor is a stack and a place to go on at. Turns are switches between two of
 * them, and because only one works at a time, the clock is a number.
 */
#include "programs/actors.h"
#include "base/alloc.h"

#include <string.h>
#include <ucontext.h>
#include <utlist.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif
#ifdef SANITIZED
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

enum { STACK = 512 << 10 };

struct prog_actor {
    struct prog_actors *as;
    struct prog_actor *next;
    ucontext_t context;
    void *bottom; /* of its stack; the hardware's: where the process's own begins */
    size_t size;
    void *fake; /* the sanitizer's */
    void (*body)(void *arg);
    void *arg;
    sim_tick deadline;
};

struct prog_actors {
    struct prog_actor *all;
    struct prog_actor hardware;
    sim_tick clock;
};

/** Goes on with `to`. @param last  `from` never goes on */
static void change(struct prog_actor *from, struct prog_actor *to, bool last)
{
    (void)last;
#ifdef SANITIZED
    __sanitizer_start_switch_fiber(last ? NULL : &from->fake, to->bottom, to->size);
#endif
    swapcontext(&from->context, &to->context);
#ifdef SANITIZED
    __sanitizer_finish_switch_fiber(from->fake, NULL, NULL);
#endif
}

/** @param high  upper half of a struct prog_actor *: makecontext passes ints only
 *  @param low   lower half */
static void begin(unsigned high, unsigned low)
{
    struct prog_actor *a = (struct prog_actor *)(uintptr_t)((uint64_t)high << 32 | low);
    struct prog_actor *hardware = &a->as->hardware;

#ifdef SANITIZED
    const void *bottom;
    __sanitizer_finish_switch_fiber(NULL, &bottom, &hardware->size);
    hardware->bottom = (void *)(uintptr_t)bottom;
#endif
    a->body(a->arg);
    change(a, hardware, true);
}

void prog_actor_free(struct prog_actors *as, struct prog_actor *a)
{
    LL_DELETE(as->all, a);
#ifdef SANITIZED
    __asan_unpoison_memory_region(a->bottom, a->size); /* frames that never ended */
#endif
    munmap(a->bottom, a->size);
    free(a);
}

int prog_actors_run(const struct nm_params *p, void (*hardware)(struct prog_actors *as, void *ctx),
                    void *ctx)
{
    struct prog_actors as = {0};
    struct prog_actor *a, *next;

    (void)p;
    hardware(&as, ctx);
    LL_FOREACH_SAFE(as.all, a, next)
        prog_actor_free(&as, a);
    return 0;
}

struct prog_actor *prog_actor_new(struct prog_actors *as, const char *name, unsigned card,
                                  void (*body)(void *arg), void *arg)
{
    struct prog_actor *a = sim_alloc(1, sizeof *a);
    const uint64_t address = (uintptr_t)a;

    (void)name, (void)card;
    a->as = as;
    a->body = body;
    a->arg = arg;
    a->size = STACK;
    a->bottom = sim_reserve(STACK);
    LL_PREPEND(as->all, a);
    getcontext(&a->context);
    a->context.uc_stack = (stack_t){.ss_sp = a->bottom, .ss_size = a->size};
    makecontext(&a->context, (void (*)(void))begin, 2, (unsigned)(address >> 32),
                (unsigned)address);
    return a;
}

void prog_actor_move(struct prog_actor *a, unsigned card)
{
    (void)a, (void)card;
}

void prog_actors_advance(struct prog_actors *as, sim_tick to, unsigned due)
{
    (void)due; /* they notice when they get the turn */
    as->clock = to > as->clock ? to : as->clock;
}

void prog_actor_grant(struct prog_actor *a)
{
    change(&a->as->hardware, a, false);
}

bool prog_actor_wait(struct prog_actor *a, sim_tick deadline)
{
    a->deadline = deadline;
    change(a, &a->as->hardware, false);
    return a->deadline > a->as->clock;
}
