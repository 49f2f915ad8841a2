/*
 * A kernel of one's own (docs/kernels.md): the threads fill an array, and add it up.
 */
#include <numachine_kernel.h>

struct sum {
    kn_barrier barrier;
    char apart[KN_APART - sizeof(kn_barrier)]; /* lines of their own */
    kn_lock lock;
    uint64_t sum; /* with its lock */
    char behind[KN_APART - sizeof(kn_lock) - sizeof(uint64_t)];
    uint64_t n;
    uint32_t *number;
};

static void *setup(kn_program *p)
{
    struct sum *s = (struct sum *)kn_alloc(p, sizeof *s);
    s->n = kn_number(p, "n", 10000, 1, 1 << 24);
    s->number = (uint32_t *)kn_alloc(p, s->n * sizeof *s->number);
    return s;
}

static void work(kn_thread *t, void *data)
{
    struct sum *s = (struct sum *)data;
    const uint64_t all = kn_threads(kn_program_of(t)), me = kn_self(t);
    const uint64_t from = s->n * me / all, to = s->n * (me + 1) / all;
    uint64_t sum = 0;
    for (uint64_t i = from; i < to; i++) {
        KN_STORE(t, s->number[i], (uint32_t)i);
        KN_COMPUTE(t, 2); /* the loop: add and branch */
    }
    kn_meet(t, &s->barrier);
    if (me == 0)
        kn_begin(t, "sum");
    for (uint64_t i = from; i < to; i++) {
        sum += KN_LOAD(t, s->number[i]);
        KN_COMPUTE(t, 3);
    }
    kn_acquire(t, &s->lock);
    KN_STORE(t, s->sum, KN_LOAD(t, s->sum) + sum);
    kn_release(t, &s->lock);
    kn_meet(t, &s->barrier);
    if (me == 0)
        kn_end(t, "sum");
}

static int check(kn_program *p, void *data)
{
    const struct sum *s = (const struct sum *)data;
    kn_print(p, "%llu\n", (unsigned long long)s->sum);
    return kn_differs(p, s->sum, s->n * (s->n - 1) / 2);
}

KN_KERNEL(setup, work, check)
