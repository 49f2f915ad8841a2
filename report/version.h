/*
 * What a run's manifest says of the simulator.
 */
#ifndef REPORT_VERSION_H
#define REPORT_VERSION_H

/** The source that the program was built from, as git describes it: the library's is weak and
 *  "unknown", and numachine has one of its own, so that nothing else changes with each commit. */
const char *rep_git(void);

#endif
