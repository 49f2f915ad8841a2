/* The signals of an L210 or L220: what its event monitor listens to; see signals.def. */
#ifndef MON_L2C_SIGNALS_H
#define MON_L2C_SIGNALS_H

#include <stdint.h>

#pragma GCC visibility push(default)

enum l2c_signal {
#define SIGNAL(name, most, sentence) L2C_SIGNAL_##name,
#include "monitor/l2c/signals.def"
#undef SIGNAL
    L2C_SIGNALS
};

/** Running totals since the controller's first cycle. */
struct l2c_signals {
    uint64_t total[L2C_SIGNALS];
};

#pragma GCC visibility pop

#endif
