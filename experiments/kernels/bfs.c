/*
 * Distances from some vertices of a graph, level by level. The graph has few vertices with very
 * many edges: an edge of a new vertex goes where the end of an earlier edge is.
 *
 * A level's vertices are dealt out anew, whoever found them. A vertex that was settled in an
 * earlier level is seen by a load; for one that was not, threads compete with compare-and-swap, and
 * who wins puts it into its own queue of the next level.
 */
#include "share.h"

enum { UNSEEN = 0 /* a distance; else one more than it is */, LEVELS = 64 };

struct slot {
    uint32_t count;
    char apart[KN_APART - sizeof(uint32_t)];
};

struct bfs {
    uint32_t vertices, degree, seed, searches;
    kn_barrier *barrier;
    uint32_t *made_start, *made_to; /* the graph as it was made */
    uint32_t *start;                /* [vertices + 1] of a vertex's neighbours */
    uint32_t *to;                   /* [2 * vertices * degree] */
    uint32_t *distance;             /* settled, one more than it is */
    kn_word *claimed;               /* the search that has found it */
    uint32_t *queue[2];             /* [thread][vertices] */
    struct slot *found[2];          /* [thread] how many are in its queue */
    struct slot *reached;           /* [search * LEVELS + level] vertices, by thread 0 */
};

/** Where an edge ends: half of them at the beginning of an earlier edge, half at its end. */
static uint32_t end_of(const struct bfs *b, uint32_t edge)
{
    while (edge >= b->degree) {
        const uint32_t earlier = edge / b->degree * b->degree;
        const uint32_t r = (uint32_t)(fraction_of(b->seed, edge) * (2 * earlier));
        if (r % 2 == 0)
            return r / 2 / b->degree;
        edge = r / 2;
    }
    return 0;
}

/** The graph, both ends of each edge, in memory that no thread refers to. */
static void make(struct bfs *b)
{
    const uint32_t edges = b->vertices * b->degree;
    uint32_t *start = b->made_start;
    for (uint32_t e = 0; e < edges; e++) {
        start[end_of(b, e) + 1]++;
        start[e / b->degree + 1]++;
    }
    for (uint32_t v = 0; v < b->vertices; v++)
        start[v + 1] += start[v];
    for (uint32_t e = edges; e--;) { /* from the back: starts of the next become one's own */
        const uint32_t from = e / b->degree, to = end_of(b, e);
        b->made_to[--start[from + 1]] = to;
        b->made_to[--start[to + 1]] = from;
    }
    for (uint32_t v = 0; v < b->vertices; v++)
        start[v] = start[v + 1];
    start[b->vertices] = 2 * edges;
}

static void *setup(kn_program *p)
{
    struct bfs *b = kn_alloc(p, sizeof *b);
    const unsigned threads = kn_threads(p);
    b->vertices = (uint32_t)kn_number(p, "n", 8192, 2, 1 << 22);
    b->degree = (uint32_t)kn_number(p, "degree", 8, 1, 64);
    b->searches = (uint32_t)kn_number(p, "searches", 4, 1, 64);
    b->seed = (uint32_t)kn_number(p, "seed", 1, 0, UINT32_MAX);
    b->made_start = kn_alloc(p, (b->vertices + 1) * sizeof *b->made_start);
    b->made_to = kn_alloc(p, sizeof *b->made_to * 2 * b->vertices * b->degree);
    make(b);
    b->barrier = kn_alloc(p, sizeof *b->barrier);
    b->start = kn_alloc(p, (b->vertices + 1) * sizeof *b->start);
    b->to = kn_alloc(p, sizeof *b->to * 2 * b->vertices * b->degree);
    b->distance = kn_alloc(p, b->vertices * sizeof *b->distance);
    b->claimed = kn_alloc(p, b->vertices * sizeof *b->claimed);
    for (unsigned i = 0; i < 2; i++) {
        b->queue[i] = kn_alloc(p, sizeof *b->queue[i] * threads * b->vertices);
        b->found[i] = kn_alloc(p, sizeof *b->found[i] * threads);
    }
    b->reached = kn_alloc(p, sizeof *b->reached * b->searches * LEVELS);
    return b;
}

static struct part vertices_of(const kn_thread *t, const struct bfs *b)
{
    return part_of(t, b->vertices, KN_APART / sizeof *b->distance);
}

static uint32_t root_of(const struct bfs *b, uint32_t search)
{
    return number_of(b->seed + 1, search) % b->vertices;
}

static void fill(kn_thread *t, const struct bfs *b)
{
    const struct part part = vertices_of(t, b);
    for (uint32_t v = part.from; v < part.to; v++) {
        KN_STORE(t, b->start[v + 1], b->made_start[v + 1]);
        for (uint32_t i = b->made_start[v]; i < b->made_start[v + 1]; i++)
            KN_STORE(t, b->to[i], b->made_to[i]);
    }
    if (!kn_self(t))
        KN_STORE(t, b->start[0], 0);
}

/** A search begins: nothing is known but its root, which thread 0 has found. */
static void begin_search(kn_thread *t, const struct bfs *b, uint32_t search)
{
    const struct part part = vertices_of(t, b);
    for (uint32_t v = part.from; v < part.to; v++) {
        KN_STORE(t, b->distance[v], UNSEEN);
        KN_COMPUTE(t, 3); /* address, count, branch */
    }
    KN_STORE(t, b->found[0][kn_self(t)].count, kn_self(t) == 0);
    if (!kn_self(t)) {
        KN_STORE(t, b->queue[0][0], root_of(b, search));
        kn_set(t, &b->claimed[root_of(b, search)], search + 1);
    }
}

/** What the thread has found gets its distance. */
static void settle(kn_thread *t, const struct bfs *b, uint32_t level)
{
    const uint32_t *count = &b->found[level & 1][kn_self(t)].count;
    uint32_t *queue = b->queue[level & 1] + (size_t)kn_self(t) * b->vertices;
    for (uint32_t i = 0, n = KN_LOAD(t, *count); i < n; i++) {
        KN_STORE(t, b->distance[KN_LOAD(t, queue[i])], level + 1);
        KN_COMPUTE(t, 5); /* load waited for, 2 addresses, branch */
    }
}

/** Vertices in the queues of threads before `thread`. */
static uint32_t found_before(kn_thread *t, const struct bfs *b, uint32_t level, unsigned thread)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < thread; i++) {
        sum += KN_LOAD(t, b->found[level & 1][i].count);
        KN_COMPUTE(t, 4); /* addition, address, branch */
    }
    return sum;
}

/** The neighbours of a vertex that nobody has found. @return how many are in the queue now */
static uint32_t expand(kn_thread *t, const struct bfs *b, uint32_t search, uint32_t v,
                       uint32_t *queue, uint32_t n)
{
    const uint32_t end = KN_LOAD(t, b->start[v + 1]);
    for (uint32_t i = KN_LOAD(t, b->start[v]); i < end; i++) {
        const uint32_t to = KN_LOAD(t, b->to[i]);
        KN_COMPUTE(t, 26); /* loads waited for, 2 addresses, 2 branches */
        if (KN_LOAD(t, b->distance[to]) != UNSEEN || kn_get(t, &b->claimed[to]) == search + 1 ||
            kn_compare(t, &b->claimed[to], search, search + 1) != search)
            continue;
        KN_STORE(t, queue[n], to);
        n++;
    }
    return n;
}

/** The thread's share of a level's vertices, wherever they are. @return vertices of the level */
static uint32_t advance(kn_thread *t, const struct bfs *b, uint32_t search, uint32_t level)
{
    const unsigned threads = kn_threads(kn_program_of(t));
    const uint32_t all = found_before(t, b, level, threads);
    const struct part part = part_of(t, all, 1);
    uint32_t *next = b->queue[~level & 1] + (size_t)kn_self(t) * b->vertices;
    uint32_t found = 0, before = 0;
    for (unsigned i = 0; i < threads && before < part.to; i++) {
        const uint32_t n = KN_LOAD(t, b->found[level & 1][i].count);
        uint32_t *queue = b->queue[level & 1] + (size_t)i * b->vertices;
        for (uint32_t k = part.from > before ? part.from - before : 0;
             k < n && before + k < part.to; k++)
            found = expand(t, b, search, KN_LOAD(t, queue[k]), next, found);
        before += n;
        KN_COMPUTE(t, 10); /* minimum, maximum, addresses, branches */
    }
    KN_STORE(t, b->found[~level & 1][kn_self(t)].count, found);
    return all;
}

static void search_from(kn_thread *t, const struct bfs *b, uint32_t search)
{
    uint32_t level = 0, all = 1;
    begin_search(t, b, search);
    for (; all && level < LEVELS; level++) {
        kn_meet(t, b->barrier);
        kn_phase(t, 1);
        settle(t, b, level);
        kn_meet(t, b->barrier);
        kn_phase(t, 2);
        all = advance(t, b, search, level);
        if (!kn_self(t))
            KN_STORE(t, b->reached[search * LEVELS + level].count, all);
    }
    kn_meet(t, b->barrier);
    kn_phase(t, 0);
}

static void work(kn_thread *t, void *data)
{
    const struct bfs *b = data;
    fill(t, b);
    begin_together(t, b->barrier, "bfs");
    for (uint32_t search = 0; search < b->searches; search++)
        search_from(t, b, search);
    end_together(t, b->barrier, "bfs");
}

/** The last search again, by one thread. @return vertices whose distance differs */
static uint32_t again(kn_program *p, const struct bfs *b, uint32_t root)
{
    uint32_t *distance = kn_alloc(p, b->vertices * sizeof *distance);
    uint32_t *queue = kn_alloc(p, b->vertices * sizeof *queue), n = 0, differ = 0;
    distance[root] = 1;
    queue[n++] = root;
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t i = b->made_start[queue[k]]; i < b->made_start[queue[k] + 1]; i++)
            if (!distance[b->made_to[i]]) {
                distance[b->made_to[i]] = distance[queue[k]] + 1;
                queue[n++] = b->made_to[i];
            }
    for (uint32_t v = 0; v < b->vertices; v++)
        differ += distance[v] != b->distance[v];
    return differ;
}

static int check(kn_program *p, void *data)
{
    const struct bfs *b = data;
    const uint32_t differ = again(p, b, root_of(b, b->searches - 1));
    uint32_t most = 0, sum = 0, reached = 0;
    for (uint32_t v = 0; v < b->vertices; v++) {
        const uint32_t edges = b->made_start[v + 1] - b->made_start[v];
        most = edges > most ? edges : most;
    }
    for (uint32_t i = 0; i < b->searches * LEVELS; i++) {
        reached += b->reached[i].count;
        sum += b->reached[i].count * (i % LEVELS);
    }
    kn_print(p, "bfs: %u vertices, at most %u edges, %u reached, distances %u, %u differ\n",
             b->vertices, most, reached, sum, differ);
    return differ || reached != b->searches * b->vertices;
}

KN_KERNEL(setup, work, check)
