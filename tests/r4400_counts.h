/* "NAME n NAME n ...": PCycles by state, as tests write them. n may be '*': some. */
#ifndef R4400_COUNTS_H
#define R4400_COUNTS_H

#include "procard/r4400/r4400.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[PC_ST__COUNT] = {
#define STATE(name, code, group, sentence) #name,
#include "monitor/status.def"
#undef STATE
};

#define SOME UINT64_MAX

static inline unsigned state_named(const char *text, size_t length)
{
    for (unsigned s = 0; s < PC_ST__COUNT; s++) {
        if (strlen(state_names[s]) == length && strncmp(state_names[s], text, length) == 0)
            return s;
    }
    cr_assert_fail("no state at '%s'", text);
    return 0;
}

static inline void read_counts(const char *text, uint64_t counts[PC_ST__COUNT])
{
    memset(counts, 0, PC_ST__COUNT * sizeof *counts);
    while (*text) {
        const size_t length = strcspn(text, " ");
        const unsigned state = state_named(text, length);
        char *end = (char *)text + length + 2;

        counts[state] = text[length + 1] == '*' ? SOME : strtoul(text + length, &end, 10);
        text = end + strspn(end, " ");
    }
}

static inline bool same_count(uint64_t expected, uint64_t got)
{
    return expected == SOME ? got > 0 : got == expected;
}

#endif
