/* Parallel prefix sums: totals of blocks grow in one array, and then each thread works on its own
 * block. */
#include "shown.h"

enum { EACH = 1400 };

struct total {
    APART uint64_t sum;
};

static OWN_LINE struct total totals[MOST];
static OWN_LINE pthread_barrier_t summed;
static OWN_LINE uint32_t *values;
static OWN_LINE int threads;

static ALONE uint32_t *values_make(unsigned n)
{
    uint32_t *v = (uint32_t *)aligned_alloc(LINE, (n * sizeof *v + LINE - 1) / LINE * LINE);
    for (unsigned i = 0; i < n; i++)
        v[i] = i * 2654435761u >> 20;
    return v;
}

static ALONE void add(struct total *t, uint32_t value)
{
    t->sum += value; /* shares: totals */
}

static uint64_t before(int me)
{
    uint64_t sum = 0;
    for (int i = 0; i < me; i++)
        sum += totals[i].sum;
    return sum;
}

static void scan(uint32_t *v, unsigned n, uint32_t sum)
{
    for (int pass = 0; pass < 3; pass++) {
        uint32_t running = pass == 0 ? sum : 0;
        for (unsigned i = 0; i < n; i++) {
            running += v[i];
            if (pass == 0)
                v[i] = running;
        }
    }
}

static void *work(void *argument)
{
    int me = number(argument);
    uint32_t *mine = values + me * EACH;
    for (int i = 0; i < EACH; i++)
        add(&totals[me], mine[i]);
    pthread_barrier_wait(&summed);
    scan(mine, EACH, (uint32_t)before(me));
    return NULL;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    uint32_t sum = 0;
    threads = threads_asked(argc, argv, 8);
    unsigned n = (unsigned)threads * EACH;
    pthread_barrier_init(&summed, NULL, (unsigned)threads);
    values = values_make(n);
    shown("totals", totals, sizeof totals);
    crew(threads, work);
    for (unsigned i = 0; i < n; i++) {
        sum += i * 2654435761u >> 20;
        wrong += values[i] != sum;
    }
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
