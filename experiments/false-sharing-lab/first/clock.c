/*
 * One word that a thread advances and all others read: true sharing with one writer.
 */
#include "lab.h"

enum { TICKS = 150 };

static struct {
    LAB_ALIGNED volatile unsigned now;
} ticks;

static struct {
    LAB_ALIGNED volatile unsigned looks;
} readers[LAB_THREADS_MAX];

static void work(unsigned me, unsigned threads)
{
    (void)threads;
    if (me == 0) {
        while (ticks.now < TICKS) {
            ticks.now++;
            lab_think(1500);
        }
    } else {
        while (ticks.now < TICKS) {
            readers[me].looks++;
            lab_think(200);
        }
    }
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 12);
    lab_run(threads, work);
    LAB_SHOW(ticks);
    LAB_SHOW(readers);
    return lab_end(ticks.now == TICKS);
}
