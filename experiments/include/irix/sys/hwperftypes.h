/*
 * IRIX's event counters: structures (docs/irix.md). Members are those of IRIX's document
 * r10k_counters(5), which calls this file /usr/include/sys/hwperftypes.h.
 */
#ifndef IRIX_SYS_HWPERFTYPES_H
#define IRIX_SYS_HWPERFTYPES_H

#include "hwperfmacros.h"

#include <sys/types.h>
#include <time.h>

typedef unsigned short ushort_t;
/* A long each, however long the C library's time_t is. */
typedef struct {
    long tv_sec, tv_nsec;
} timespec_t;

/** An event to be counted: the lower half of a control register of the processor. */
struct hwperf_ctrlreg {
    ushort_t hwp_ev : 11, /* event counted */
        hwp_ie : 1,       /* overflow interrupt enable */
        hwp_mode : 4;     /* user, kernel, exception level: HWPERF_CNTEN_ */
};

typedef union {
    short hwperf_spec;
    struct hwperf_ctrlreg hwperf_creg;
} hwperf_ctrl_t;

/** Events by number; those that are not wanted are zero. */
typedef struct {
    hwperf_ctrl_t hwp_evctrl[HWPERF_EVENTMAX];
} hwperf_eventctrl_t;

typedef struct hwperf_profevctrarg {
    hwperf_eventctrl_t hwp_evctrargs;
    int hwp_ovflw_freq[HWPERF_EVENTMAX]; /* [events] threshold of each; 0: none */
    int hwp_ovflw_sig;                   /* 1 .. 32, sent when one is reached; 0: none */
} hwperf_profevctrarg_t;

typedef struct {
    __uint64_t hwp_evctr[HWPERF_EVENTMAX];
} hwperf_cntr_t;

/** The document names this type and does not show it. It holds the counters, as PIOCGETPREVCTRS
 *  has no other place for them. */
typedef struct {
    hwperf_cntr_t cm_cntrs;
} cpu_mon_t;

typedef struct hwperf_prusage {
    timespec_t pu_tstamp;        /* time stamp */
    timespec_t pu_starttime;     /* time process was started */
    timespec_t pu_utime;         /* user CPU time */
    timespec_t pu_stime;         /* system CPU time */
    __uint64_t pu_minf;          /* minor (mapping) page faults */
    __uint64_t pu_majf;          /* major (disk) page faults */
    __uint64_t pu_utlb;          /* user TLB misses */
    __uint64_t pu_nswap;         /* swaps (process only) */
    __uint64_t pu_gbread;        /* gigabytes ... */
    __uint64_t pu_bread;         /* and bytes read */
    __uint64_t pu_gbwrit;        /* gigabytes ... */
    __uint64_t pu_bwrit;         /* and bytes written */
    __uint64_t pu_sigs;          /* signals received */
    __uint64_t pu_vctx;          /* voluntary context switches */
    __uint64_t pu_ictx;          /* involuntary context switches */
    __uint64_t pu_sysc;          /* system calls */
    __uint64_t pu_syscr;         /* read() system calls */
    __uint64_t pu_syscw;         /* write() system calls */
    __uint64_t pu_syscps;        /* poll() or select() system calls */
    __uint64_t pu_sysci;         /* ioctl() system calls */
    __uint64_t pu_graphfifo;     /* graphics pipeline stalls */
    __uint64_t pu_graph_req[8];  /* graphics resource requests */
    __uint64_t pu_graph_wait[8]; /* graphics resource waits */
    __uint64_t pu_size;          /* size of swappable image in pages */
    __uint64_t pu_rss;           /* resident set size */
    __uint64_t pu_inblock;       /* block input operations */
    __uint64_t pu_oublock;       /* block output operations */
    __uint64_t pu_vfault;        /* total number of vfaults */
    __uint64_t pu_ktlb;          /* kernel TLB misses */
    cpu_mon_t pu_cpu_mon;        /* cpu monitoring stats */
} hwperf_prusage_t;

#endif
