/* The kernel's helpers at the top of the address space: what they promise, and what they may
 * change. */
#include "guest.h"

#include <pthread.h>

typedef int cmpxchg_fn(int old, int new, volatile int *at);
typedef int cmpxchg64_fn(const int64_t *old, const int64_t *new, volatile int64_t *at);
typedef void barrier_fn(void);
typedef void *get_tls_fn(void);

#define CMPXCHG   ((cmpxchg_fn *)0xffff0fc0)
#define CMPXCHG64 ((cmpxchg64_fn *)0xffff0f60)
#define BARRIER   ((barrier_fn *)0xffff0fa0)
#define GET_TLS   ((get_tls_fn *)0xffff0fe0)
#define VERSION   (*(volatile int *)0xffff0ffc)

enum { THREADS = 4, TURNS = 300 };

static volatile int word;
static volatile int64_t wide __attribute__((aligned(8)));

static void *worker(void *arg)
{
    CHECK(GET_TLS() == __builtin_thread_pointer());
    for (int i = 0; i < TURNS; i++) {
        int old;
        int64_t was, is;
        do
            old = word;
        while (CMPXCHG(old, old + 1, &word));
        do {
            was = wide;
            is = was + 0x100000001;
        } while (CMPXCHG64(&was, &is, &wide));
    }
    return arg;
}

/* Calls a helper in assembly: every register that it must leave alone, and the carry. */
static int carry(int old, int new)
{
    register int r0 __asm__("r0") = old;
    register int r1 __asm__("r1") = new;
    register volatile int *r2 __asm__("r2") = &word;
    int flags, same = 1;

    __asm__ volatile(
        "mov r4, #4\n\tmov r5, #5\n\tmov r6, #6\n\tmov r8, #8\n\tmov r9, #9\n\t"
        "mov r3, #0xffff0fff\n\tmov lr, pc\n\tsub pc, r3, #0x3f\n\t"
        "mrs %1, cpsr\n\t"
        "cmp r4, #4\n\tcmpeq r5, #5\n\tcmpeq r6, #6\n\tcmpeq r8, #8\n\tcmpeq r9, #9\n\t"
        "movne %2, #0"
        : "+r"(r0), "=&r"(flags), "+&r"(same), "+r"(r1), "+r"(r2)
        :
        : "r3", "r4", "r5", "r6", "r8", "r9", "ip", "lr", "cc", "memory");
    CHECK(same);
    CHECK((r0 == 0) == (flags >> 29 & 1));
    CHECK(r1 == new);
    return r0 == 0;
}

int main(void)
{
    pthread_t thread[THREADS];
    const int64_t zero = 0, one = 1;

    CHECK(VERSION >= 5);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("%d %llx\n", word, (unsigned long long)wide);
    printf("stored %d, refused %d, refused %d\n", carry(word, 5), carry(4, 9), carry(6, 9));
    printf("%d\n", word);
    BARRIER();
    CHECK(CMPXCHG64(&zero, &one, &wide) != 0);
    wide = 0;
    CHECK(CMPXCHG64(&zero, &one, &wide) == 0 && wide == 1);
    CHECK(__sync_val_compare_and_swap(&wide, 1, 0x500000000) == 1 && wide == 0x500000000);
    return guest_result();
}
