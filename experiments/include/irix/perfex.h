/*
 * libperfex: a program counts two events of its own (docs/irix.md).
 *
 *     long long misses, loads;
 *     start_counters(25, 0);
 *     ...
 *     read_counters(25, &misses, 0, &cycles);
 *     print_counters(25, misses, 0, cycles);
 *
 * Compile perfex.c with the program. Events are IRIX's numbers, 0 to 15 of counter 0 and 16 to 31
 * of counter 1: one of each, in any order. T5_EVENT0 and T5_EVENT1 in the environment win over the
 * arguments. Counted is user mode, of the calling thread. What goes wrong is said on standard
 * error, where the reports go, too.
 *
 * In Fortran: the same names as functions, with INTEGER events and INTEGER*8 counts.
 */
#ifndef IRIX_PERFEX_H
#define IRIX_PERFEX_H

#ifdef __cplusplus
extern "C" {
#endif

/** Counts from zero on. @return the generation number, or -1 */
int start_counters(int e0, int e1);
/** Reads, and stops counting. @return the generation number; -1: not started, or lost */
int read_counters(int e0, long long *c0, int e1, long long *c1);
/** Prints the counts by name. @return 0 or -1 */
int print_counters(int e0, long long c0, int e1, long long c1);
/** Reads what events cost, for print_costs: lines "EVENT TYPICAL MINIMUM MAXIMUM clks" or "nsec",
 *  and comments from # on. @return 0 or -1; a file with a bad line changes nothing */
int load_costs(const char *file);
/** Prints what the counts cost in time: typical, minimum, maximum. There is no table of costs but
 *  one that has been loaded. @return 0 or -1 */
int print_costs(int e0, long long c0, int e1, long long c1);

#ifdef __cplusplus
}
#endif

#endif
