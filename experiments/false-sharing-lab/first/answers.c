/*
 * Threads write their answers into an array on the stack of the thread that started them.
 */
#include "lab.h"

enum { ROUNDS = 1500 };

struct answer {
    LAB_APART volatile int value;
};

static struct answer *answers;

static void work(unsigned me, unsigned threads)
{
    for (unsigned i = me; i < ROUNDS * threads; i += threads)
        answers[me].value += (int)(i % 7) - 3; /* shares: main() */
}

static int expected(unsigned me, unsigned threads)
{
    int value = 0;
    for (unsigned i = me; i < ROUNDS * threads; i += threads)
        value += (int)(i % 7) - 3;
    return value;
}

int main(int argc, char **argv)
{
    const unsigned threads = lab_threads(argc, argv, 4);
    struct answer here[LAB_THREADS_MAX] LAB_ALIGNED = {{0}};
    bool good = true;
    answers = here;
    lab_run(threads, work);
    for (unsigned t = 0; t < threads; t++)
        good &= here[t].value == expected(t, threads);
    lab_show("main()", here, sizeof here);
    return lab_end(good);
}
