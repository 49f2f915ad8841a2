/*
 * State that must hold between windows, looked at by builds with -Dinvariants=true; in others the
 * compiler leaves it out. Each room has its own: ring/invariants.c, procard/invariants.c,
 * machine/invariants.c.
 */
#ifndef BASE_INVARIANT_H
#define BASE_INVARIANT_H

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef SIM_INVARIANTS
enum { SIM_LOOKS_AT_INVARIANTS = 1 };
#else
enum { SIM_LOOKS_AT_INVARIANTS = 0 };
#endif

/** Ends the process with the place, the condition and where in the machine it does not hold.
 *  @param ...  format and values of that */
#define SIM_MUST(condition, ...)                                                    \
    do {                                                                            \
        if (__builtin_expect(!(condition), 0)) {                                    \
            fprintf(stderr, "%s:%d: %s: not so: ", __FILE__, __LINE__, #condition); \
            fprintf(stderr, __VA_ARGS__);                                           \
            fputc('\n', stderr);                                                    \
            abort();                                                                \
        }                                                                           \
    } while (0)

/** What is owed to a function that runs for every event, packet or slot: looked at in those builds
 *  alone. */
#define SIM_OWED(condition) (SIM_LOOKS_AT_INVARIANTS ? assert(condition) : (void)0)

#endif
