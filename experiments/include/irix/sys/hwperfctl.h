/*
 * Numbers by which programs reach IRIX's event counters on this simulator (docs/irix.md). Guests
 * are Linux programs, so IRIX's own numbers mean nothing here. For programs and for the simulator.
 */
#ifndef IRIX_SYS_HWPERFCTL_H
#define IRIX_SYS_HWPERFCTL_H

/* Commands of ioctl on a descriptor of /proc/PID: 'q' as System V has it, from 0x60 on. */
#define PIOCENEVCTRS    0x7160 /* hwperf_profevctrarg_t *: start counting */
#define PIOCGETEVCTRS   0x7161 /* hwperf_cntr_t *: read */
#define PIOCGETPREVCTRS 0x7162 /* hwperf_prusage_t *: read, and what the process has used */
#define PIOCGETEVCTRL   0x7163 /* hwperf_eventctrl_t *: what is counted */
#define PIOCSETEVCTRL   0x7164 /* hwperf_profevctrarg_t *: count something else */
#define PIOCRELEVCTRS   0x7165 /* stop counting */
#define PIOCSAVECCNTRS  0x7166 /* when it ends, its parent gets its counts */

/* The system call behind syssgi(): no Linux has this number. */
#define IRIX_NR_SYSSGI 900 /* + 4000 (o32), + 5000 (n64) */
#define SGI_EVENTCTR   1   /* first argument: the event counters */

#endif
