/*
 * Loops of atomic operations, none of which waits for anybody, and loops that search; for
 * tests/locks.py. They are compiled at each level of optimisation, and for ARM in Thumb, too.
 *
 *     atomics_guest THREADS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

enum { TURNS = 60, FOUND = 40 };

struct wide {
    uint64_t low, high;
};

static _Atomic unsigned total, flags, most;
static _Atomic unsigned char byte;
static _Atomic unsigned short half;
static _Atomic uint64_t both;
static _Atomic unsigned *_Atomic next;
static atomic_flag taken;
static unsigned old_total, old_flags;
static struct wide wide;
static unsigned list[FOUND + 1];
static char text[FOUND + 1];
static pthread_barrier_t go;

#define LEVEL O0
#pragma GCC push_options
#pragma GCC optimize("O0")
#include "atomics_forms.def"
#pragma GCC pop_options
#undef LEVEL
#define LEVEL O1
#pragma GCC push_options
#pragma GCC optimize("O1")
#include "atomics_forms.def"
#pragma GCC pop_options
#undef LEVEL
#define LEVEL O2
#pragma GCC push_options
#pragma GCC optimize("O2")
#include "atomics_forms.def"
#pragma GCC pop_options
#undef LEVEL
#define LEVEL O3
#pragma GCC push_options
#pragma GCC optimize("O3")
#include "atomics_forms.def"
#pragma GCC pop_options
#undef LEVEL
#ifdef __arm__
#define LEVEL thumb
#pragma GCC push_options
#pragma GCC optimize("O2")
#pragma GCC target("thumb")
#include "atomics_forms.def"
#pragma GCC pop_options
#undef LEVEL
#endif

static void *all(void *arg)
{
    pthread_barrier_wait(&go);
    forms_O0();
    forms_O1();
    forms_O2();
    forms_O3();
#ifdef __arm__
    forms_thumb();
#endif
    return arg;
}

int main(int argc, char **argv)
{
    enum { MOST = 8 };
    const int threads = argc > 1 ? atoi(argv[1]) : 1;
    pthread_t thread[MOST];
    list[FOUND] = 5;
    for (int i = 0; i < FOUND; i++) {
        list[i] = 4;
        text[i] = 'a';
    }
    pthread_barrier_init(&go, NULL, (unsigned)threads);
    for (int i = 0; i < threads && i < MOST; i++)
        pthread_create(&thread[i], NULL, all, NULL);
    for (int i = 0; i < threads && i < MOST; i++)
        pthread_join(thread[i], NULL);
    return 0;
}
