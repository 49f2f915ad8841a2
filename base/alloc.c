/*
 * The end without memory, in one place.
 */
#include "base/alloc.h"

#include <unistd.h>

void sim_no_memory(void)
{
    fputs("numachine: error: out of memory; the machine or the program is too large here\n",
          stderr);
    fflush(stderr);
    _exit(SIM_EXIT_MEMORY);
}
