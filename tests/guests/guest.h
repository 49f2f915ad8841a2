/*
 * What every guest program shares. A guest prints what it found, the same bytes on every correct
 * machine, and exits with the number of its own checks that failed (at most 99).
 */
#ifndef GUEST_H
#define GUEST_H

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int guest_failures;

/** Complains, once per place and time it is reached, when `ok` is false. */
#define CHECK(ok) guest_check((ok), #ok, __LINE__)

static inline void guest_check(int ok, const char *what, int line)
{
    if (ok)
        return;
    guest_failures++;
    printf("line %d: not true: %s\n", line, what);
}

/** Prints a call's result and, if it failed, why. */
#define SHOW(call) guest_show(#call, (long)(call))

static inline void guest_show(const char *what, long result)
{
    if (result < 0)
        printf("%s: %s\n", what, strerror(errno));
    else
        printf("%s: %ld\n", what, result);
    errno = 0;
}

/** The exit status of main. */
static inline int guest_result(void)
{
    return guest_failures > 99 ? 99 : guest_failures;
}

/** Keeps the compiler from knowing the value of an expression. */
#define OPAQUE(x)                             \
    ({                                        \
        __auto_type opaque_ = (x);            \
        __asm__ volatile("" : "+m"(opaque_)); \
        opaque_;                              \
    })

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#endif
