/*
 * Markers for programs that run on the simulated NUMAchine: name the part you want counted.
 *
 *     NUMACHINE_BEGIN("sort");
 *     ...
 *     NUMACHINE_END("sort");
 *
 * Each marker is one write to /dev/numachine/mark ("+sort", "-sort"); it costs one system call. All
 * cards' counters are read at the same cycle, shortly after the marker. Names are literals of at
 * most 60 characters. Anywhere else the device does not exist and the markers do nothing; built
 * with -DNUMACHINE_OFF they leave no trace in the program.
 */
#ifndef NUMACHINE_H
#define NUMACHINE_H

#ifdef NUMACHINE_OFF

#define NUMACHINE_BEGIN(name) ((void)0)
#define NUMACHINE_END(name)   ((void)0)

#else

#include <fcntl.h>
#include <unistd.h>

/** Writes one marker. The device is opened at the first; two threads that both find it closed open
 * it twice, which does no harm. */
static inline void numachine_mark(const char *text, unsigned long length)
{
    static int device = -2; /* not tried yet; -1: not on the simulator */

    if (device == -2)
        device = open("/dev/numachine/mark", O_WRONLY);
    if (device >= 0 && write(device, text, length) < 0)
        device = -1;
}

#define NUMACHINE_BEGIN(name) numachine_mark("+" name, sizeof("+" name) - 1)
#define NUMACHINE_END(name)   numachine_mark("-" name, sizeof("-" name) - 1)

#endif
#endif
