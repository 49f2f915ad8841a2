/*
 * Kernels as guest programs: what numachine_kernel.h is where the compiler makes a program of the
 * kernel. Only that header includes this one. It makes main(), whose arguments are those of the
 * kernel and `threads=N`; without, there is one for each processor.
 */
#ifndef NUMACHINE_KERNEL_GUEST_H
#define NUMACHINE_KERNEL_GUEST_H

#ifndef _GNU_SOURCE
#error "numachine_kernel.h comes before headers of the C library, or compile with -D_GNU_SOURCE"
#endif

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "numachine.h"

struct kn_program {
    unsigned threads;
    char **argument;
    int arguments;
};

struct kn_thread {
    kn_program *program;
    void (*work)(kn_thread *t, void *data);
    void *data;
    unsigned number;
};

#define KN_HERE_(t, name) ((void)(t))
#define KN_PRINT_(p, ...) ((void)(p), (void)printf(__VA_ARGS__))

/* As the host's: each is one reference, also where the compiler knows the value. */
#define KN_LOAD(t, x)     ((void)(t), *(volatile __typeof__(x) *)&(x))
#define KN_STORE(t, x, v) ((void)(t), (void)(*(volatile __typeof__(x) *)&(x) = (v)))
#define KN_COMPUTE(t, n)  ((void)(t), (void)(n))

static inline unsigned kn_threads(const kn_program *p)
{
    return p->threads;
}

static inline uint64_t kn_number(kn_program *p, const char *name, uint64_t standard, uint64_t least,
                                 uint64_t most)
{
    const size_t length = strlen(name);
    uint64_t value = standard;
    for (int i = 0; i < p->arguments; i++)
        if (!strncmp(p->argument[i], name, length) && p->argument[i][length] == '=')
            value = strtoull(p->argument[i] + length + 1, NULL, 0);
    if (value < least || value > most) {
        fprintf(stderr, "%s must be from %llu to %llu\n", name, (unsigned long long)least,
                (unsigned long long)most);
        exit(2);
    }
    return value;
}

static inline void *kn_alloc(kn_program *p, size_t bytes)
{
    void *at = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    (void)p;
    if (at == MAP_FAILED) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        exit(2);
    }
    return at;
}

static inline unsigned kn_self(const kn_thread *t)
{
    return t->number;
}

static inline kn_program *kn_program_of(const kn_thread *t)
{
    return t->program;
}

static inline uint32_t kn_get_(kn_thread *t, kn_word *w)
{
    (void)t;
    return __atomic_load_n(&w->word, __ATOMIC_SEQ_CST);
}

static inline void kn_set_(kn_thread *t, kn_word *w, uint32_t value)
{
    (void)t;
    __atomic_store_n(&w->word, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t kn_add_(kn_thread *t, kn_word *w, uint32_t value)
{
    (void)t;
    return __atomic_fetch_add(&w->word, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t kn_swap_(kn_thread *t, kn_word *w, uint32_t value)
{
    (void)t;
    return __atomic_exchange_n(&w->word, value, __ATOMIC_SEQ_CST);
}

static inline uint32_t kn_compare_(kn_thread *t, kn_word *w, uint32_t expected, uint32_t value)
{
    uint32_t found = expected;
    (void)t;
    __atomic_compare_exchange_n(&w->word, &found, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return found;
}

static inline int kn_holds_(uint32_t found, enum kn_relation relation, uint32_t value)
{
    return relation == KN_IS       ? found == value
           : relation == KN_IS_NOT ? found != value
                                   : (int32_t)(found - value) >= 0;
}

static inline void kn_wait_(kn_thread *t, kn_word *w, enum kn_relation relation, uint32_t value)
{
    while (!kn_holds_(kn_get_(t, w), relation, value))
        ;
}

static inline void kn_begin_(kn_thread *t, const char *name)
{
    char text[64];
    (void)t;
    numachine_mark(text, (unsigned long)snprintf(text, sizeof text, "+%s", name));
}

static inline void kn_end_(kn_thread *t, const char *name)
{
    char text[64];
    (void)t;
    numachine_mark(text, (unsigned long)snprintf(text, sizeof text, "-%s", name));
}

static inline void kn_phase_(kn_thread *t, unsigned id)
{
    static __thread volatile unsigned *card;
    if (!card)
        card = numachine_card((int)t->number);
    if (card)
        card[NUMACHINE_REG_PHASE / 4] = id;
}

static inline void kn_place_(unsigned processor)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}

static inline void *kn_thread_(void *argument)
{
    kn_thread *t = (kn_thread *)argument;
    kn_place_(t->number);
    t->work(t, t->data);
    return NULL;
}

static inline int kn_main_(int argc, char **argv, void *(*setup)(kn_program *),
                           void (*work)(kn_thread *, void *), int (*check)(kn_program *, void *))
{
    kn_program p = {(unsigned)sysconf(_SC_NPROCESSORS_ONLN), argv + 1, argc - 1};
    p.threads = (unsigned)kn_number(&p, "threads", p.threads, 1, 1024);
    void *const data = setup(&p);
    kn_thread *const t = (kn_thread *)calloc(p.threads, sizeof *t);
    pthread_t *const id = (pthread_t *)calloc(p.threads, sizeof *id);
    int status;
    if (!t || !id)
        return 2;
    for (unsigned i = 0; i < p.threads; i++)
        t[i] = (kn_thread){&p, work, data, i};
    for (unsigned i = 1; i < p.threads; i++)
        if (pthread_create(&id[i], NULL, kn_thread_, &t[i])) {
            fprintf(stderr, "no thread %u\n", i);
            exit(2);
        }
    kn_thread_(&t[0]);
    for (unsigned i = 1; i < p.threads; i++)
        pthread_join(id[i], NULL);
    status = check(&p, data);
    free(t);
    free(id);
    return status;
}

#define KN_KERNEL(setup, work, check)                          \
    int main(int argc, char **argv)                            \
    {                                                          \
        return kn_main_(argc, argv, (setup), (work), (check)); \
    }

#endif
