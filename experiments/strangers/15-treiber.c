/*
 * A stack without locks (R. K. Treiber's): tokens are pushed and popped by all threads with
 * compare-and-swap. Tokens are numbers of slots; a version beside the top's number keeps a slow
 * thread from mistaking a new top for an old one.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS    64
#define NTHREADS 6
#define TURNS    1500
#define NOTHING  0xffu

struct slot {
    uint8_t next;
    uint8_t padding[63];
} __attribute__((aligned(64)));

struct stack {
    uint32_t top; /* version << 8 | slot */
    struct slot *slots;
};

static struct stack *stack;

static void push(struct stack *s, uint8_t slot)
{
    uint32_t old = __atomic_load_n(&s->top, __ATOMIC_RELAXED), new;

    do {
        __atomic_store_n(&s->slots[slot].next, (uint8_t)(old & 0xff), __ATOMIC_RELAXED);
        new = ((old & ~0xffu) + 0x100u) | slot;
    } while (!__atomic_compare_exchange_n(&s->top, &old, new, 1, __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

static uint8_t pop(struct stack *s)
{
    uint32_t old = __atomic_load_n(&s->top, __ATOMIC_ACQUIRE), new;

    do {
        if ((old & 0xff) == NOTHING)
            return NOTHING;
        new = ((old & ~0xffu) + 0x100u) |
              __atomic_load_n(&s->slots[old & 0xff].next, __ATOMIC_RELAXED);
    } while (!__atomic_compare_exchange_n(&s->top, &old, new, 1, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE));
    return (uint8_t)(old & 0xff);
}

static void *juggle(void *arg)
{
    size_t empty = 0;

    (void)arg;
    for (int i = 0; i < TURNS; i++) {
        uint8_t a = pop(stack), b = pop(stack);

        if (a != NOTHING)
            push(stack, a);
        else
            empty++;
        if (b != NOTHING)
            push(stack, b);
        else
            empty++;
    }
    return (void *)empty;
}

int main(void)
{
    pthread_t threads[NTHREADS];
    size_t empty = 0;
    int left = 0;

    stack = aligned_alloc(64, 64);
    stack->top = NOTHING;
    stack->slots = aligned_alloc(64, SLOTS * sizeof *stack->slots);
    for (int i = 0; i < SLOTS; i++)
        push(stack, (uint8_t)i);
    for (size_t t = 0; t < NTHREADS; t++)
        pthread_create(&threads[t], NULL, juggle, (void *)t);
    for (int t = 0; t < NTHREADS; t++) {
        void *result;
        pthread_join(threads[t], &result);
        empty += (size_t)result;
    }
    while (pop(stack) != NOTHING)
        left++;
    printf("%d left, %zu times empty\n", left, empty);
    return left != SLOTS;
}
