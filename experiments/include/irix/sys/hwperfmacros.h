/*
 * IRIX's event counters: constants (docs/irix.md). Names and meanings are those of IRIX's document
 * r10k_counters(5); the values of commands are this simulator's own, as IRIX's are numbers of
 * another system. For programs on the simulated machine and for the simulator itself.
 */
#ifndef IRIX_SYS_HWPERFMACROS_H
#define IRIX_SYS_HWPERFMACROS_H

#define HWPERF_EVENTMAX    32 /* virtual counters */
#define HWPERF_CNTEVENTMAX 16 /* events of hardware counter 0 are 0 .. 15, */
#define HWPERF_CNT1BASE    16 /* those of hardware counter 1 are 16 .. 31 */
#define HWPERF_MAXEVENT    15 /* the highest event of either */

/* hwp_mode: when an event is counted; any of them together. */
#define HWPERF_CNTEN_E 1 /* at exception level */
#define HWPERF_CNTEN_K 2 /* in kernel mode; root only */
#define HWPERF_CNTEN_S 4 /* in supervisor mode; not supported */
#define HWPERF_CNTEN_U 8 /* in user mode */

/* Second argument of syssgi(SGI_EVENTCTR, ...). */
#define HWPERF_PROFENABLE    1
#define HWPERF_ENSYSCNTRS    2
#define HWPERF_GET_SYSCNTRS  3
#define HWPERF_GET_CPUCNTRS  4
#define HWPERF_GET_SYSEVCTRL 5
#define HWPERF_SET_SYSEVCTRL 6
#define HWPERF_RELSYSCNTRS   7

#endif
