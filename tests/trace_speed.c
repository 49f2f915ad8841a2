/*
 * How fast a trace is read on this host, and what it takes a reference. Not a test of anything.
 * Usage: trace_speed FILE
 */
#include "programs/traces/trace.h"

#include <time.h>

static double clock_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    char why[1024] = "which FILE?";
    struct tr_source *source = argc == 2 ? tr_open(argv[1], why, sizeof why) : NULL;
    struct tr_batch batch;
    uint64_t references = 0;
    enum tr_more more = TR_BAD;
    const double begin = clock_seconds();

    while (source && (more = tr_next(source, &batch)) == TR_MORE)
        for (size_t i = 0; i < batch.count; i++)
            references += tr_op_is_reference(&batch.op[i]);
    const double seconds = clock_seconds() - begin;
    if (more == TR_END)
        printf("%lu references in %.3f s: %.1f M a second\n", (unsigned long)references, seconds,
               (double)references / seconds / 1e6);
    else
        fprintf(stderr, "trace_speed: %s\n", source ? tr_why(source) : why);
    if (source)
        tr_close(source);
    return more != TR_END;
}
