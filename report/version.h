/*
 * What a run's manifest says of the simulator.
 */
#ifndef REPORT_VERSION_H
#define REPORT_VERSION_H

/** The source that the program was built from, as git describes it. Its main() says which; other
 *  programs of the library are "unknown". */
extern const char *rep_git;

#endif
