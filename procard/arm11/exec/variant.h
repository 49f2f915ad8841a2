/*
 * Private to the interpreter, whose source is compiled four times: with time or without, observed
 * (profile.h) or not. Which of them this is.
 */
#ifndef ARM11_EXEC_VARIANT_H
#define ARM11_EXEC_VARIANT_H

#ifdef ARM11_OBSERVED
#define OBSERVED    1
#define NAMED(name) name##_observed
#else
#define OBSERVED    0
#define NAMED(name) name
#endif
#ifndef ARM11_UNTIMED
#define TIMED 1
#define RUN   NAMED(arm11_run)
#else
#define TIMED 0
#define RUN   NAMED(arm11_run_untimed)
#endif

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#endif
