/*
 * Queues of tasks, with stealing. A task sorts a piece of an array (quicksort): it divides the
 * piece, puts one part into its thread's queue, and goes on with the other. The array consists of
 * lists, most short and some long, which are dealt out at the beginning; who has nothing to do
 * takes the oldest task of somebody else.
 *
 * Who finds nothing anywhere waits for news: a word that every new task moves on.
 */
#include "share.h"

enum {
    SHORT = 16, /* elements that are sorted by insertion */
    SMALL = 256 /* ... that are no task of their own */
};

struct task {
    uint32_t from, to;
};

/** A queue: tasks [first, last) of its room, under the lock. */
struct queue {
    kn_lock lock;
    kn_word length; /* the same without the lock, for those who look where tasks are */
    uint32_t first, last;
    char apart[KN_APART - 24];
};

struct tasks {
    uint32_t count, lists, seed;
    uint32_t room; /* tasks that a queue may ever have had */
    kn_barrier *barrier;
    uint32_t *key;
    uint32_t *list; /* [lists + 1] where it begins */
    struct queue *queue;
    struct task *task;    /* [thread][room] */
    kn_word *news, *done; /* changes when there are new tasks; elements that are in their place */
};

_Static_assert(sizeof(struct queue) == KN_APART, "queues do not share lines");

/** Lists' lengths are to each other as the fourth powers of random numbers. */
static void make_lists(struct tasks *w)
{
    double sum = 0, part = 0;
    for (unsigned pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < w->lists; i++) {
            const double f = fraction_of(w->seed + 1, i) + 0.1, weight = f * f * f * f;
            *(pass ? &part : &sum) += weight;
            w->list[i + 1] = (uint32_t)(part / sum * w->count);
        }
    w->list[w->lists] = w->count;
}

static void *setup(kn_program *p)
{
    struct tasks *w = kn_alloc(p, sizeof *w);
    w->count = (uint32_t)kn_number(p, "n", 131072, 1, 1 << 26);
    w->lists = (uint32_t)kn_number(p, "lists", 128, 1, 65536);
    w->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    w->room = w->lists + w->count / SMALL + 1;
    w->barrier = kn_alloc(p, sizeof *w->barrier);
    w->key = kn_alloc(p, w->count * sizeof *w->key);
    w->list = kn_alloc(p, (w->lists + 1) * sizeof *w->list);
    w->queue = kn_alloc(p, sizeof *w->queue * kn_threads(p));
    w->task = kn_alloc(p, sizeof *w->task * w->room * kn_threads(p));
    w->news = kn_alloc(p, sizeof *w->news);
    w->done = kn_alloc(p, sizeof *w->done);
    make_lists(w);
    return w;
}

/* ---- queues ---------------------------------------------------------------------------------- */

static void push(kn_thread *t, const struct tasks *w, struct task task)
{
    struct queue *q = &w->queue[kn_self(t)];
    uint32_t first, last;
    kn_acquire(t, &q->lock);
    first = KN_LOAD(t, q->first);
    last = KN_LOAD(t, q->last);
    KN_STORE(t, w->task[(size_t)kn_self(t) * w->room + last].from, task.from);
    KN_STORE(t, w->task[(size_t)kn_self(t) * w->room + last].to, task.to);
    KN_STORE(t, q->last, last + 1);
    kn_set(t, &q->length, last + 1 - first);
    kn_release(t, &q->lock);
    kn_add(t, w->news, 1);
}

/** A task of thread `of`: the newest of one's own, the oldest of another's. @return 0: none */
static int take(kn_thread *t, const struct tasks *w, unsigned of, struct task *out)
{
    struct queue *q = &w->queue[of];
    uint32_t first, last;
    if (!kn_get(t, &q->length))
        return 0;
    kn_acquire(t, &q->lock);
    first = KN_LOAD(t, q->first);
    last = KN_LOAD(t, q->last);
    if (first != last) {
        const uint32_t which = of == kn_self(t) ? last - 1 : first;
        out->from = KN_LOAD(t, w->task[(size_t)of * w->room + which].from);
        out->to = KN_LOAD(t, w->task[(size_t)of * w->room + which].to);
        if (of == kn_self(t))
            KN_STORE(t, q->last, last - 1);
        else
            KN_STORE(t, q->first, first + 1);
        kn_set(t, &q->length, last - 1 - first);
    }
    kn_release(t, &q->lock);
    return first != last;
}

static int find(kn_thread *t, const struct tasks *w, struct task *out)
{
    const unsigned threads = kn_threads(kn_program_of(t));
    for (unsigned i = 0; i < threads; i++)
        if (take(t, w, (kn_self(t) + i) % threads, out))
            return 1;
    return 0;
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static void insertion_sort(kn_thread *t, uint32_t *key, struct task task)
{
    for (uint32_t i = task.from + 1; i < task.to; i++) {
        const uint32_t k = KN_LOAD(t, key[i]);
        uint32_t j = i;
        for (; j > task.from; j--) {
            const uint32_t before = KN_LOAD(t, key[j - 1]);
            KN_COMPUTE(t, 11); /* load waited for, 2 comparisons, 2 branches, count */
            if (before <= k)
                break;
            KN_STORE(t, key[j], before);
        }
        KN_STORE(t, key[j], k);
        KN_COMPUTE(t, 4); /* address, count, branch */
    }
}

/** @return from `at` on, upwards, the first key that is not less */
static uint32_t upwards(kn_thread *t, uint32_t *key, uint32_t at, uint32_t pivot)
{
    while (KN_LOAD(t, key[at]) < pivot) {
        at++;
        KN_COMPUTE(t, 9); /* load waited for, comparison, branch, count */
    }
    KN_COMPUTE(t, 9);
    return at;
}

/** @return below `at`, downwards, the first key that is not greater */
static uint32_t downwards(kn_thread *t, uint32_t *key, uint32_t at, uint32_t pivot)
{
    do {
        at--;
        KN_COMPUTE(t, 9); /* load waited for, comparison, branch, count */
    } while (KN_LOAD(t, key[at]) > pivot);
    return at;
}

/** Small keys come before great ones. @return where the great ones begin: not at an end */
static uint32_t divide(kn_thread *t, uint32_t *key, struct task task)
{
    const uint32_t pivot = KN_LOAD(t, key[task.from + (task.to - task.from - 1) / 2]);
    uint32_t low = task.from, high = task.to;
    for (;; low++) {
        low = upwards(t, key, low, pivot);
        high = downwards(t, key, high, pivot);
        if (low >= high)
            return high + 1;
        const uint32_t a = KN_LOAD(t, key[low]), b = KN_LOAD(t, key[high]);
        KN_STORE(t, key[low], b);
        KN_STORE(t, key[high], a);
        KN_COMPUTE(t, 5); /* addresses, comparison, branch */
    }
}

/** Sorts all of a piece that is small. */
static void sort_small(kn_thread *t, uint32_t *key, struct task task)
{
    while (task.to - task.from > SHORT) {
        const uint32_t middle = divide(t, key, task);
        sort_small(t, key, (struct task){task.from, middle});
        task.from = middle;
    }
    insertion_sort(t, key, task);
}

static void sort(kn_thread *t, const struct tasks *w, struct task task)
{
    uint32_t done;
    while (task.to - task.from > SMALL) {
        const uint32_t middle = divide(t, w->key, task);
        struct task other = {task.from, middle};
        if (middle - task.from > task.to - middle) { /* the shorter one is one's own */
            other = (struct task){middle, task.to};
            task.to = middle;
        } else {
            task.from = middle;
        }
        push(t, w, task);
        task = other;
    }
    sort_small(t, w->key, task);
    done = kn_add(t, w->done, task.to - task.from) + task.to - task.from;
    if (done == w->count)
        kn_add(t, w->news, 1);
}

static void fill(kn_thread *t, const struct tasks *w)
{
    const struct part part = part_of(t, w->count, KN_APART / sizeof *w->key);
    for (uint32_t i = part.from; i < part.to; i++)
        KN_STORE(t, w->key[i], number_of(w->seed, i));
    for (uint32_t i = kn_self(t); i < w->lists; i += kn_threads(kn_program_of(t)))
        push(t, w, (struct task){w->list[i], w->list[i + 1]});
}

static void work(kn_thread *t, void *data)
{
    const struct tasks *w = data;
    uint32_t news = 0;
    struct task task;
    fill(t, w);
    begin_together(t, w->barrier, "tasks");
    while (kn_get(t, w->done) != w->count) {
        news = kn_get(t, w->news);
        while (find(t, w, &task)) {
            kn_phase(t, 1);
            sort(t, w, task);
            kn_phase(t, 0);
        }
        if (kn_get(t, w->done) != w->count)
            kn_wait(t, w->news, KN_IS_NOT, news);
    }
    end_together(t, w->barrier, "tasks");
}

/** Every list is in order, and has the keys that were made for it. */
static int check(kn_program *p, void *data)
{
    const struct tasks *w = data;
    uint32_t wrong = 0, mixed = 0, longest = 0;
    for (uint32_t l = 0; l < w->lists; l++) {
        const uint32_t length = w->list[l + 1] - w->list[l];
        uint32_t sum = 0, squares = 0;
        longest = length > longest ? length : longest;
        for (uint32_t i = w->list[l]; i < w->list[l + 1]; i++) {
            const uint32_t made = number_of(w->seed, i), is = w->key[i];
            sum += made - is;
            squares += made * made - is * is;
            wrong += i > w->list[l] && w->key[i - 1] > is;
        }
        mixed += sum || squares;
    }
    kn_print(p, "tasks: %u keys in %u lists, the longest %u, %u out of order, %u lists mixed\n",
             w->count, w->lists, longest, wrong, mixed);
    return wrong || mixed;
}

KN_KERNEL(setup, work, check)
