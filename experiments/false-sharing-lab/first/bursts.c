/*
 * Long private phases, and between them bursts in which all threads write neighbouring elements.
 */
#include "lab.h"

enum { PHASES = 5, BURST = 150, PRIVATE = 400 };

static struct {
    LAB_APART volatile unsigned long long value;
} moments[LAB_THREADS_MAX] LAB_ALIGNED;

static void work(unsigned me, unsigned threads)
{
    volatile unsigned own[32] = {0};
    (void)threads;
    for (unsigned phase = 0; phase < PHASES; phase++) {
        for (unsigned i = 0; i < PRIVATE; i++)
            own[i % 32] += i;
        lab_meet();
        for (unsigned i = 0; i < BURST; i++)
            moments[me].value += own[i % 32]; /* shares: moments */
        lab_meet();
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 8);
    bool good = true;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= moments[t].value == moments[0].value && moments[t].value != 0;
    LAB_SHOW(moments);
    return lab_end(good);
}
