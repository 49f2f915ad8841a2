/* Events of the R10000 for the calling thread, in the way of IRIX's document (docs/irix.md). */
#ifndef CONTENTION_H
#define CONTENTION_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/hwperftypes.h>
#include <sys/ioctl.h>
#include <sys/procfs.h>
#include <sys/syscall.h>
#include <unistd.h>

/** A thread's /proc. */
static int counters_open(void)
{
    char name[32];
    sprintf(name, "/proc/%05d", (int)syscall(SYS_gettid));
    return open(name, O_RDWR);
}

/** Counts two events from zero on, or one: those below 16 and those from 16 on have a counter each.
 */
static void counters_start(int fd, const int event[2])
{
    hwperf_profevctrarg_t args = {0};
    for (int i = 0; i < 2; i++) {
        args.hwp_evctrargs.hwp_evctrl[event[i]].hwperf_creg.hwp_mode = HWPERF_CNTEN_U;
        args.hwp_evctrargs.hwp_evctrl[event[i]].hwperf_creg.hwp_ev = event[i] % HWPERF_CNT1BASE;
    }
    if (ioctl(fd, PIOCENEVCTRS, &args) < 0) {
        perror("PIOCENEVCTRS");
        exit(2);
    }
}

static void counters_read(int fd, const int event[2], unsigned long long counted[2])
{
    hwperf_cntr_t counts;
    if (ioctl(fd, PIOCGETEVCTRS, &counts) < 0) {
        perror("PIOCGETEVCTRS");
        exit(2);
    }
    for (int i = 0; i < 2; i++)
        counted[i] = counts.hwp_evctr[event[i]];
}

#endif
