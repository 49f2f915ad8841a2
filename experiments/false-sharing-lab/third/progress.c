/* Workers count what they have done; a display reads the counts now and then and draws a bar from
 * them. */
#include "shown.h"
#include <stdatomic.h>
#include <unistd.h>

enum { ITEMS = 1800, WIDTH = 50 };

struct count {
    APART atomic_uint done;
};

struct job {
    OWN_LINE int workers;
    struct count count[MOST];
};

static OWN_LINE struct job job;
static OWN_LINE atomic_int working;
static OWN_LINE unsigned widest;

static unsigned refine(unsigned x)
{
    for (int i = 0; i < 20; i++)
        x = x * 1664525u + 1013904223u;
    return x;
}

static void *work(void *argument)
{
    int me = number(argument);
    unsigned x = (unsigned)me;
    for (unsigned i = 1; i <= ITEMS; i++) {
        x = refine(x);
        atomic_store_explicit(&job.count[me].done, i, memory_order_relaxed); /* shares: job */
    }
    atomic_fetch_sub(&working, 1);
    return (void *)(uintptr_t)(x & 1);
}

static unsigned job_done(struct job *j)
{
    unsigned done = 0;
    for (int i = 0; i < j->workers; i++)
        done += atomic_load_explicit(&j->count[i].done, memory_order_relaxed);
    return done;
}

static void draw(const struct job *j, unsigned done)
{
    unsigned bar = done * WIDTH / ((unsigned)j->workers * ITEMS);
    if (bar > widest)
        widest = bar;
}

static void *display(void *argument)
{
    (void)argument;
    while (atomic_load(&working) > 0) {
        draw(&job, job_done(&job));
        usleep(400);
    }
    draw(&job, job_done(&job));
    return NULL;
}

static void *work_or_display(void *argument)
{
    return number(argument) < job.workers ? work(argument) : display(argument);
}

int main(int argc, char **argv)
{
    int n = threads_asked(argc, argv, 4);
    if (n < 2)
        return 2;
    job.workers = n - 1;
    atomic_init(&working, n - 1);
    shown("job", &job, sizeof job);
    crew(n, work_or_display);
    printf("%u of %d\n", widest, WIDTH);
    return widest != WIDTH || job_done(&job) != (unsigned)(n - 1) * ITEMS;
}
