/* The signals of an R10000 or R12000: what its counters listen to; see signals.def. */
#ifndef MON_R10000_SIGNALS_H
#define MON_R10000_SIGNALS_H

#include <stdint.h>

enum r10k_signal {
#define SIGNAL(name, delay, most, sentence) R10K_SIGNAL_##name,
#include "monitor/r10000/signals.def"
#undef SIGNAL
    R10K_SIGNALS
};

/** What the processor is in, as the control registers of the counters tell it apart: user,
 *  supervisor and kernel mode, and exception level. The operating system's time is kernel mode;
 *  that of short exceptions (TLB refill) exception level. */
enum r10k_mode { R10K_USER, R10K_SUPERVISOR, R10K_KERNEL, R10K_EXCEPTION, R10K_MODES };

/** Running totals since the processor's first cycle. */
struct r10k_signals {
    uint64_t total[R10K_SIGNALS][R10K_MODES];
};

#endif
