/*
 * What pointers of C lead to, for tests/leads.py: each line of output is an address and what the
 * program calls it. With an argument, several threads ask for variables on each other's stacks.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 4, TURNS = 4000, FEW = 7 };

static void says(const volatile void *at, const char *name)
{
    printf("%lx %s\n", (unsigned long)at, name);
}

struct item {
    int key;
    struct item *next;
    double weight;
};
struct bucket {
    struct item *head;
    int count;
};
struct table {
    unsigned size;
    struct bucket *buckets;
    struct item *spare[4];
};
struct queue {
    int head, tail;
    int *slots;
    struct {
        int a, b;
    } pair[THREADS];
};
struct flex {
    int n;
    struct {
        int x, y;
    } p[];
};
struct tree {
    struct tree *left, *right;
    int key;
};
struct opaque;
struct job {
    struct queue *queue;
    int id;
    pthread_t thread;
};

static struct table *table;
static int **rows;
static double *values;
static void *raw;
static char *text;
static struct flex *flex;
static struct tree *root;
static struct opaque *hidden;
static struct item *elsewhere; /* into the midst of a block */
static union {
    struct item *item;
    double number;
} either;
__thread struct queue *mine;
static struct bucket *in_front, *grove[2], *behind; /* wherever they lie, the pointers are nearer */

static struct tree *planted(int depth)
{
    struct tree *t = calloc(1, sizeof *t);
    t->key = depth;
    if (depth > 1) {
        t->left = planted(depth - 1);
        t->right = planted(depth - 1);
    }
    return t;
}

static void *in_thread(void *arg)
{
    mine = malloc(sizeof *mine);
    says(&mine->tail, "mine->tail (of thread 1001)");
    return arg;
}

static void make(void)
{
    struct item *many = malloc(6 * sizeof *many + 8);
    table = malloc(sizeof *table);
    table->size = 8;
    table->buckets = calloc(table->size, sizeof *table->buckets);
    for (unsigned i = 0; i < 20; i++) {
        struct item *item = malloc(sizeof *item);
        item->next = table->buckets[i % 8].head;
        table->buckets[i % 8].head = item;
    }
    for (int i = 0; i < 4; i++)
        table->spare[i] = calloc(1, sizeof(struct item));
    rows = malloc(5 * sizeof *rows);
    for (int i = 0; i < 5; i++)
        rows[i] = malloc(10 * sizeof **rows);
    values = malloc(100 * sizeof *values);
    raw = malloc(77);
    text = malloc(33);
    flex = malloc(sizeof *flex + 10 * sizeof flex->p[0]);
    root = planted(4);
    hidden = malloc(40);
    elsewhere = &many[3];
    elsewhere->next = NULL;
    either.item = calloc(1, 3 * sizeof(struct item));
    in_front = grove[0] = malloc(sizeof **grove);
    behind = grove[1] = malloc(sizeof **grove);
}

/* Though it is inlined, what it calls the block is not what its caller does. */
static inline __attribute__((always_inline)) int meanwhile(struct queue *given)
{
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    return given->tail;
}

static void say_globals(void)
{
    says(&table->size, "table->size");
    says(&table->buckets[3].count, "table->buckets[3].count");
    says(&table->buckets[3].head->weight, "table->buckets[3].head->weight");
    says(&table->buckets[3].head->next->key, "table->buckets[3].head->...->key");
    says(&table->spare[2]->key, "table->spare[2]->key");
    says(&rows[3], "rows[3]");
    says(&rows[3][7], "rows[3][7]");
    says(&values[55], "values[55]");
    says(&text[7], "text[7]");
    says(&flex->n, "flex->n");
    says(&flex->p[4].y, "flex->p[4].y");
    says(&root->key, "root->key");
    says(&root->left->key, "root->...->key");
    says(&root->right->left->key, "root->...->key");
    says(&elsewhere->key, "elsewhere->key");
    says((char *)raw + 5, "heap 77 bytes by * at leads_guest.c:* +0x5");
    says((char *)hidden + 8, "heap 40 bytes by * at leads_guest.c:* +0x8");
    says(&either.item->weight, "heap * bytes by * at leads_guest.c:* +0x*");
    says(&in_front->count, "in_front->count");
    says(&behind->count, "behind->count");
}

/* The name of `queue` is that of the function in which it is. */
static void *asks(void *arg)
{
    const struct job *job = arg;
    volatile int *count = &job->queue->pair[job->id].b;
    for (int i = 0; i < TURNS; i++)
        ++*count;
    return arg;
}

/* Frees `dear`, having called itself: no pointer is left to what that call has made, but where it
 * was on the stack. */
static __attribute__((noinline, noclone)) void *holds(void *dear)
{
    struct item *kept[2] = {malloc(sizeof *kept[0])};
    void *was = dear ? holds(NULL) : kept[0];
    __asm__ volatile("" ::"r"(kept) : "memory");
    if (dear)
        __atomic_fetch_add((int *)dear, 1, __ATOMIC_SEQ_CST);
    free(dear);
    return was;
}

static volatile uintptr_t marked; /* a pointer that no pointer is: with a bit of its own */
static pthread_barrier_t all_here;

static __attribute__((noinline)) void counts(struct queue *counted)
{
    volatile int *const tail = &counted->tail;
    ++*tail;
}

/* Only the function that asks knows what it asks for, and it asks a few times. */
static void *asks_marked(void *arg)
{
    pthread_barrier_wait(&all_here);
    for (int i = 0; i < FEW; i++)
        counts((struct queue *)(marked - 1));
    return arg;
}

static int on_marked(void)
{
    pthread_t thread[THREADS];
    pthread_barrier_init(&all_here, NULL, THREADS);
    marked = (uintptr_t)malloc(sizeof(struct queue)) + 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, asks_marked, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    says(&((struct queue *)(marked - 1))->tail, "counted->tail (local of counts, thread *)");
    return 0;
}

static char *region; /* structs are carved from it, to which nothing leads but who uses them */

static __attribute__((noinline)) void carve(size_t offset)
{
    struct bucket *carved = (struct bucket *)(region + offset);
    volatile int *const count = &carved->count;
    for (int i = 0; i < TURNS; i++)
        ++*count;
}

static void *carves(void *arg)
{
    pthread_barrier_wait(&all_here);
    carve((size_t)arg);
    return arg;
}

/* Each of them has a name, though a look that one of their threads is the reason for finds one. */
static int on_carved(void)
{
    pthread_t thread[THREADS];
    region = malloc(512);
    for (size_t i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, carves, (void *)(256 + i * sizeof(struct bucket)));
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    for (size_t i = 0; i < THREADS; i++)
        says(&((struct bucket *)(region + 256))[i].count,
             "carved->count (local of carve, thread *)");
    return 0;
}

static int on_stacks(void)
{
    struct queue queue = {.tail = 1};
    struct queue *const dear = calloc(1, sizeof *dear);
    struct job jobs[2 * THREADS];
    for (int i = 0; i < 2 * THREADS; i++) {
        jobs[i] = (struct job){i < THREADS ? &queue : dear, i % THREADS, 0};
        pthread_create(&jobs[i].thread, NULL, asks, &jobs[i]);
    }
    for (int i = 0; i < 2 * THREADS; i++)
        pthread_join(jobs[i].thread, NULL);
    for (volatile int i = 0; i < 20 * TURNS; i++) /* a look is not taken right after another */
        ;
    says(holds(dear), "heap * bytes by holds at leads_guest.c:*");
    says(&queue.pair[1].b, "queue.pair[1].b (local of on_stacks)");
    says(&queue.tail, "queue.tail (local of on_stacks)");
    return queue.pair[1].b == TURNS ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct queue queue = {0};
    struct queue *heap = calloc(1, sizeof *heap);
    int tail;
    (void)argv;
    if (argc > 1)
        return on_stacks() || on_marked() || on_carved();
    make();
    queue.slots = malloc(12 * sizeof *queue.slots);
    heap->slots = malloc(16 * sizeof *heap->slots);
    say_globals();
    says(&queue, "stack of thread 1000 +0x*");
    says(&queue.slots[5], "queue.slots[5] (local of main)");
    says(&heap->tail, "heap->tail (local of main)");
    says(&heap->slots[2], "heap->slots[2] (local of main)");
    tail = meanwhile(heap);
    fflush(stdout);
    _exit(tail + heap->tail + queue.head); /* while what is main's is there */
}
