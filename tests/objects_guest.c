/*
 * Objects of every kind, for tests/objects.py: the program says what lies where in its memory, a
 * line for each, "ADDRESS NAME". What depends on the compiler (sizes, offsets) is left to it.
 *
 *     objects_guest [churn TIMES]   so many blocks of the heap, 64 at a time
 *     objects_guest allocators      each function of run/allocators.def, called once
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static void says(const volatile void *at, const char *name)
{
    printf("%lx %s\n", (unsigned long)(uintptr_t)at, name);
}

/* The address of a member, which is also its name. */
#define SAY(member) says(&(member), #member)

/* ---- variables ------------------------------------------------------------------------------- */

enum colour { RED };
typedef struct {
    int n;
    char letter;
    double d;
} tally;

struct empty {
};

/* Whatever can be in a struct. */
struct zoo {
    char first;
    tally inner[3];
    struct {
        short nameless;
        volatile long second;
    };
    union {
        int as_int;
        float as_float;
    };
    struct empty nothing;
    int grid[2][3][4];
    struct zoo *next;
    void (*function)(int);
    enum colour colour;
    _Complex double complex;
    pthread_mutex_t lock;
    unsigned low : 3, high : 20;
    unsigned far : 30;
    struct {
        struct {
            struct {
                char deep[5];
            } c;
        } b;
    } a;
    int none[0];
    char last;
};

tally tallies[10];
static struct zoo zoo;
struct zoo zoos[2];
const char text[] = "text";
int plain;
static int hidden;
long long aligned __attribute__((aligned(128)));
tally *pointer = tallies;
int grid[4][5];
__attribute__((vector_size(16))) int vector;

static struct {
    int length;
    struct {
        short x, y;
    } point[];
} flexible = {2, {{1, 2}, {3, 4}, {5, 6}}};

__thread int mine;
static __thread tally own[3];
__thread char late[40];

APART static int *counter(void)
{
    static int count;
    return &count;
}

APART static int *other_counter(void)
{
    static int count;
    return &count;
}

static void say_variables(void)
{
    SAY(plain);
    SAY(hidden);
    SAY(aligned);
    SAY(pointer);
    SAY(tallies[0].n);
    SAY(tallies[3].n);
    SAY(tallies[9].letter);
    SAY(tallies[9].d);
    says(&tallies[4].letter + 1, "tallies[4] (padding)");
    says((char *)&tallies[2].d + 5, "tallies[2].d");
    SAY(text[4]);
    SAY(grid[0][0]);
    SAY(grid[3][4]);
    SAY(zoo.first);
    says(&zoo.first + 1, "zoo (padding)");
    SAY(zoo.inner[2].d);
    SAY(zoo.nameless);
    SAY(zoo.second);
    says(&zoo.as_int, "zoo.as_int|as_float");
    says((char *)&zoo.as_float + 2, "zoo.as_int|as_float");
    SAY(zoo.grid[1][2][3]);
    SAY(zoo.next);
    SAY(zoo.function);
    SAY(zoo.colour);
    SAY(zoo.complex);
    SAY(zoo.lock);
    says((char *)&zoo.lock + 8, "zoo.lock +0x8");
    says((char *)(&zoo.lock + 1), "zoo.low|high");
    says((char *)(&zoo.lock + 1) + 4, "zoo.far");
    SAY(zoo.a.b.c.deep[4]);
    SAY(zoo.last);
    SAY(zoos[1].first);
    SAY(zoos[1].a.b.c.deep[0]);
    SAY(flexible.length);
    SAY(flexible.point[0].x);
    SAY(flexible.point[2].y);
    says(counter(), "counter::count");
    says(other_counter(), "other_counter::count");
    says((char *)&vector, "vector[0]");
    says((char *)&vector + 4, "vector[1]");
}

/* ---- threads --------------------------------------------------------------------------------- */

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void say_own(void)
{
    const long number = syscall(SYS_gettid);
    int here = 0;
    char name[100];
    const struct {
        const volatile void *at;
        const char *name;
    } all[] = {{&mine, "mine"},
               {&own[2].letter, "own[2].letter"},
               {&late[39], "late[39]"},
               {&errno, "errno"}};
    pthread_mutex_lock(&turn);
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) {
        snprintf(name, sizeof name, "TLS of thread %ld: %s", number, all[i].name);
        says(all[i].at, name);
    }
    snprintf(name, sizeof name, "stack of thread %ld +*", number);
    says(&here, name);
    pthread_mutex_unlock(&turn);
}

static pthread_barrier_t all_there;

static void *worker(void *arg)
{
    say_own();
    pthread_barrier_wait(&all_there); /* a stack is used again after this only */
    return arg;
}

static void say_threads(void)
{
    enum { THREADS = 3 };
    pthread_t thread[THREADS];
    say_own();
    pthread_barrier_init(&all_there, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
}

/* ---- the heap -------------------------------------------------------------------------------- */

static void say_block(const void *block, size_t offset, size_t size, const char *by, int line,
                      const char *more)
{
    char name[200];
    snprintf(name, sizeof name, "%s %zu bytes by %s at objects_guest.c:%d%s",
             strstr(by, "map") ? "mmap" : "heap", size, by, line, more);
    says((const char *)block + offset, name);
}

static void *volatile kept; /* nothing is optimised away */

static int line; /* of the last call below */

APART static void *by_malloc(size_t size)
{
    line = __LINE__ + 1;
    kept = malloc(size);
    return kept;
}

/* Its size is still on its way from memory when malloc is entered. */
APART static void *by_distant(const volatile size_t *size)
{
    line = __LINE__ + 1;
    kept = malloc(*size);
    return kept;
}

APART static void *by_each(size_t size)
{
    line = __LINE__ + 1;
    kept = malloc(size);
    return kept;
}

APART static void *by_calloc(void)
{
    line = __LINE__ + 1;
    kept = calloc(10, 40);
    return kept;
}

APART static void *by_realloc(void *old)
{
    line = __LINE__ + 1;
    kept = realloc(old, 3000);
    return kept;
}

APART static void *by_aligned(void)
{
    line = __LINE__ + 1;
    kept = aligned_alloc(256, 512);
    return kept;
}

APART static void *by_posix(void)
{
    void *block;
    line = __LINE__ + 1;
    if (posix_memalign(&block, 128, 300))
        abort();
    kept = block;
    return kept;
}

APART static void *by_strdup(void)
{
    line = __LINE__ + 1;
    kept = strdup("of the library");
    return kept;
}

APART static void *by_mmap(void)
{
    line = __LINE__ + 1;
    kept = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return kept;
}

/* Lines that nobody has read. */
static void say_distant(void)
{
    enum { APART_BY = 64, SIZES = 4 };
    static volatile size_t sizes[SIZES * APART_BY] = {1000, [APART_BY] = 1001,
                                                      [2 * APART_BY] = 1002, [3 * APART_BY] = 1003};
    for (unsigned i = 0; i < SIZES; i++) {
        char more[20];
        void *block = by_distant(&sizes[i * APART_BY]);
        snprintf(more, sizeof more, " [%u]", i);
        say_block(block, 0, 1000 + i, "by_distant", line, more);
    }
}

static void say_heap(void)
{
    void *block = by_malloc(100);
    say_block(block, 0, 100, "by_malloc", line, "");
    say_block(block, 99, 100, "by_malloc", line, " +0x63");
    for (int i = 0; i < 3; i++) {
        char more[20];
        void *each = by_each(40);
        snprintf(more, sizeof more, " [%d]", i);
        say_block(each, 0, 40, "by_each", line, more);
    }
    block = by_calloc();
    say_block(block, 64, 400, "by_calloc", line, " +0x40");
    block = by_realloc(by_each(40));
    say_block(block, 0, 3000, "by_realloc", line, "");
    block = by_aligned();
    say_block(block, 511, 512, "by_aligned", line, " +0x1ff");
    block = by_posix();
    say_block(block, 299, 300, "by_posix", line, " +0x12b");
    block = by_strdup();
    say_block(block, 0, sizeof "of the library", "by_strdup", line, "");
    block = by_mmap();
    say_block(block, 0, 1 << 16, "by_mmap", line, "");
    say_distant();
}

/* Blocks that come and go. */
static int churn(long times)
{
    void *held[64] = {NULL};
    for (long i = 0; i < times; i++) {
        free(held[i % 64]);
        held[i % 64] = malloc((size_t)(16 + i * 7 % 500));
    }
    return 0;
}

/* ---- every function that gives memory or takes it back ----------------------------------------
 */

/* What newer libraries do not have any more. */
void cfree(void *block);

void cfree(void *block)
{
    free(block);
    kept = NULL; /* no jump to free, which would be a call from elsewhere */
}

APART static void *aligned_block(size_t size)
{
    void *block = NULL;
    return posix_memalign(&block, 64, size) ? NULL : block;
}

APART static void *mapped(size_t size)
{
    return mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

APART static void *mapped64(size_t size)
{
    return mmap64(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* One call of the function: a block of `size` bytes, or `old` given back. */
APART static void *called(const char *name, void *old, size_t old_size, size_t size)
{
#define CALL(function, result)       \
    if (strcmp(name, function) == 0) \
    return result
    CALL("malloc", malloc(size));
    CALL("calloc", calloc(size / 4, 4));
    CALL("realloc", realloc(old, size));
    CALL("reallocarray", reallocarray(old, size / 4, 4));
    CALL("aligned_alloc", aligned_alloc(64, size));
    CALL("memalign", memalign(64, size));
    CALL("posix_memalign", aligned_block(size));
    CALL("valloc", valloc(size));
    CALL("pvalloc", pvalloc(size));
    CALL("_mid_memalign", aligned_block(size));
    CALL("_mid_memalign.constprop.0", aligned_block(size));
    CALL("_mid_memalign.isra.0", aligned_block(size));
    CALL("free", (free(old), NULL));
    CALL("cfree", (cfree(old), NULL));
    CALL("mmap", mapped(size));
    CALL("mmap64", mapped64(size));
    CALL("mremap", mremap(old, old_size, size, MREMAP_MAYMOVE));
    CALL("munmap", (munmap(old, old_size), NULL));
    CALL("sbrk", sbrk((intptr_t)size));
#undef CALL
    printf("nobody calls %s here\n", name);
    exit(1);
}

/* Of several names for one function the first one counts. */
static bool is_other_name(const char *name)
{
    return strcmp(name, "memalign") == 0 && (void *)memalign == (void *)aligned_alloc;
}

/* Says for each row: what it does, the block it got and its size, and the one that it gave back. */
static int call_allocators(void)
{
    static const struct {
        const char *name, *kind, *does;
    } rows[] = {
#define ALLOCATOR(name, kind, does, size, times) {name, kind, #does},
#include "../run/allocators.def"
#undef ALLOCATOR
    };
    enum { PAGE = 1 << 16 };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *does = rows[i].does;
        const bool maps = strstr(does, "MAP") != NULL;
        const size_t had = maps ? PAGE : 400, size = maps ? 2 * PAGE : 4096 + 64 * i;
        void *old = NULL;
        if (strcmp(does, "REMAPS") == 0 || strcmp(does, "UNMAPS") == 0)
            old = mapped(had);
        else if (strcmp(does, "RETAKES") == 0 || strcmp(does, "GIVES") == 0)
            old = by_malloc(had);
        void *got = called(rows[i].name, old, had, size);
        printf("%s %s %s %lx %zu %lx %zu\n", rows[i].name,
               is_other_name(rows[i].name) ? "aligned_alloc" : rows[i].kind, does,
               (unsigned long)got, got ? size : 0, (unsigned long)old, old ? had : 0);
    }
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        return call_allocators();
    if (argc == 3)
        return churn(atol(argv[2]));
    say_variables();
    say_threads();
    say_heap();
    zoo.low = zoo.high = zoo.far = 1;
    plain = hidden = *counter() + *other_counter();
    zoos[0] = zoo;
    return flexible.point[2].y != 6 || plain || grid[0][0] || vector[0] != 0;
}
