/* Clocks by their Linux numbers. */
#ifndef LX_TIME_H
#define LX_TIME_H

#include "programs/linux/process/call.h"

enum {
    CLK_REALTIME = 0,
    CLK_MONOTONIC = 1,
    CLK_PROCESS = 2,
    CLK_THREAD = 3,
    CLK_MONOTONIC_RAW = 4,
    CLK_REALTIME_COARSE = 5,
    CLK_MONOTONIC_COARSE = 6,
    CLK_BOOTTIME = 7,
    CLK_TAI = 11,
    CLK_PERTHREAD_BIT = 4, /**< of a negative number: a thread's, not a process's */
};

enum { LX_SECOND_NS = 1000000000 /**< [ns] */ };

/** [ns] reading of a clock. Negative numbers name a process's or thread's processor time.
 *  @return 0, or -EINVAL: no such clock */
int lx_clock_read(struct lx_call *c, int32_t id, uint64_t *ns);

/** Whether the clock's times count from 1970. */
bool lx_clock_is_realtime(int32_t id);

#endif
