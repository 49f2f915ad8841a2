/* Nouns behind numbers. */
#ifndef BASE_PLURAL_H
#define BASE_PLURAL_H

#include <stdint.h>

/** The end of a noun of so many things: "1 card", "2 cards". */
static inline const char *sim_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

#endif
