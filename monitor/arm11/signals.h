/* The signals of an ARM11: what its performance monitoring unit listens to; see signals.def. */
#ifndef MON_ARM11_SIGNALS_H
#define MON_ARM11_SIGNALS_H

#include <stdint.h>

#pragma GCC visibility push(default)

enum arm11_signal {
#define SIGNAL(name, most, sentence) ARM11_SIGNAL_##name,
#include "monitor/arm11/signals.def"
    ARM11_SIGNALS
};

/** Bit: enum arm11_signal, of those that the core tells of when they grow. */
enum {
    ARM11_RARE = 0
#define SIGNAL(...)
#define RARE(name, most, sentence) | 1 << ARM11_SIGNAL_##name
#include "monitor/arm11/signals.def"
};

/** Running totals since the processor's first cycle. */
struct arm11_signals {
    uint64_t total[ARM11_SIGNALS];
};

#pragma GCC visibility pop

#endif
