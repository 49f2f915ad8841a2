/*
 * A small runtime that gives its threads stacks out of one block of memory. In front of the stacks
 * the block has a header with a row for each thread, in which the thread keeps its run-time
 * statistics. The threads compute Ackermann's function, which needs stack.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST       16
#define STACK_SIZE (256u * 1024u)
#define PAGE       4096u

struct fiber {
    unsigned calls;
    unsigned depth;
    unsigned deepest;
};

struct runtime {
    int count;
    struct fiber fibers[MOST];
};

static struct runtime *runtime;

static unsigned ackermann(struct fiber *self, unsigned m, unsigned n)
{
    unsigned result;

    self->calls++;
    if (++self->depth > self->deepest)
        self->deepest = self->depth;
    if (m == 0)
        result = n + 1;
    else if (n == 0)
        result = ackermann(self, m - 1, 1);
    else
        result = ackermann(self, m - 1, ackermann(self, m, n - 1));
    self->depth--;
    return result;
}

static void *fiber_main(void *arg)
{
    struct fiber *self = arg;

    for (int i = 0; i < 11; i++)
        if (ackermann(self, 2, 18) != 39)
            abort();
    return NULL;
}

static char *stack_of(struct runtime *r, int number)
{
    return (char *)r + PAGE + (size_t)number * STACK_SIZE;
}

static int fiber_start(struct runtime *r, int number, pthread_t *thread)
{
    pthread_attr_t attr;
    int error;

    pthread_attr_init(&attr);
    error = pthread_attr_setstack(&attr, stack_of(r, number), STACK_SIZE);
    if (!error)
        error = pthread_create(thread, &attr, fiber_main, &r->fibers[number]);
    pthread_attr_destroy(&attr);
    return error;
}

int main(void)
{
    enum { COUNT = 7 };
    size_t size = PAGE + COUNT * STACK_SIZE;
    char *memory = malloc(size + PAGE);
    pthread_t threads[COUNT];
    unsigned calls = 0, deepest = 0;

    if (!memory)
        return 1;
    runtime = (struct runtime *)(((uintptr_t)memory + PAGE - 1) & ~(uintptr_t)(PAGE - 1));
    memset(runtime, 0, sizeof *runtime);
    runtime->count = COUNT;
    for (int i = 0; i < COUNT; i++)
        if (fiber_start(runtime, i, &threads[i]))
            return 1;
    for (int i = 0; i < COUNT; i++) {
        pthread_join(threads[i], NULL);
        calls += runtime->fibers[i].calls;
        if (runtime->fibers[i].deepest > deepest)
            deepest = runtime->fibers[i].deepest;
    }
    printf("%u calls, %u deep\n", calls, deepest);
    free(memory);
    return 0;
}
