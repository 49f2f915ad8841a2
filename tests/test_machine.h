/* The machine of tests that do not care which it is. */
#ifndef TEST_MACHINE_H
#define TEST_MACHINE_H

#include "machine/params.h"

/** Parameters of the machine that TEST_MACHINE in the environment names, a shipped one or a file;
 *  without it the defaults. */
void test_machine(struct nm_params *p);

#endif
