/*
 * A compiler's back end with three troubles of different weight: the threads' counts of
 * instructions are the worst, their spills come next, and their warnings are rare.
 */
#include "shown.h"

enum { FUNCTIONS = 60, INSTRUCTIONS = 40 };

struct totals {
    APART unsigned instructions;
};

struct spills {
    APART unsigned stores, loads;
};

struct warning {
    APART unsigned char raised;
};

static OWN_LINE struct totals totals[MOST];
static OWN_LINE struct warning warnings[MOST];
static OWN_LINE struct spills *spills;
static OWN_LINE unsigned registers[MOST][32];

static ALONE void spills_make(int n)
{
    spills = (struct spills *)GET((size_t)n * sizeof *spills);
    for (int i = 0; i < n; i++)
        spills[i].stores = spills[i].loads = 0;
}

static ALONE int choose_register(unsigned *file, unsigned value)
{
    unsigned at = value * 2654435761u >> 27, free = 0;
    for (unsigned i = 0; i < 8; i++)
        free += file[(at + i) & 31] != value;
    file[at] = value;
    return free > 6 && (value & 7) == 0;
}

static ALONE void emit(int me, unsigned value)
{
    totals[me].instructions++; /* shares: totals */
    if (choose_register(registers[me], value)) {
        spills[me].stores++;           /* shares: spills_make() */
        spills[me].loads += value % 3; /* shares: spills_make() */
    }
    if (value % 53 == 0)
        warnings[me].raised++; /* shares: warnings */
}

static void *work(void *argument)
{
    int me = number(argument);
    for (unsigned f = 0; f < FUNCTIONS; f++)
        for (unsigned i = 0; i < INSTRUCTIONS; i++)
            emit(me, f * INSTRUCTIONS + i + (unsigned)me);
    return NULL;
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 8), wrong = 0;
    spills_make(n);
    shown("totals", totals, sizeof totals);
    shown("spills_make()", spills, (size_t)n * sizeof *spills);
    shown("warnings", warnings, sizeof warnings);
    crew(n, work);
    for (int i = 0; i < n; i++) {
        wrong += totals[i].instructions != FUNCTIONS * INSTRUCTIONS;
        wrong += spills[i].stores == 0 || warnings[i].raised < 40;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
