/* LDREX and STREX in assembly, of words, doublewords, halfwords and bytes, contended by threads,
 * and the cases that fail. */
#include "guest.h"

#include <pthread.h>

enum { THREADS = 4, TURNS = 500 };

static uint32_t word, other;
static uint64_t wide __attribute__((aligned(8)));
static uint8_t byte;
static uint16_t half;

#define ADD(suffix, type, at, n)                                                            \
    do {                                                                                    \
        type old_, failed_;                                                                 \
        __asm__ volatile(".arch armv6k\n1:\tldrex" suffix " %0, [%2]\n\tadd %0, %0, %3\n\t" \
                         "strex" suffix " %1, %0, [%2]\n\tcmp %1, #0\n\tbne 1b"             \
                         : "=&r"(old_), "=&r"(failed_)                                      \
                         : "r"(at), "r"(n)                                                  \
                         : "cc", "memory");                                                 \
    } while (0)

static void add_wide(uint64_t *at)
{
    __asm__ volatile(
        ".arch armv6k\n1:\tldrexd r4, r5, [%0]\n\tadds r4, r4, #1\n\tadc r5, r5, #3\n\t"
        "strexd r6, r4, r5, [%0]\n\tcmp r6, #0\n\tbne 1b"
        :
        : "r"(at)
        : "r4", "r5", "r6", "cc", "memory");
}

static void *worker(void *arg)
{
    for (int i = 0; i < TURNS; i++) {
        ADD("", uint32_t, &word, 1);
        ADD("b", uint32_t, &byte, 1);
        ADD("h", uint32_t, &half, 3);
        add_wide(&wide);
    }
    return arg;
}

/* A store-conditional without its load, after a CLREX, and to another place. */
static int failing(int kind)
{
    uint32_t failed = 9, seen;

    if (kind == 0)
        __asm__ volatile(
            ".arch armv6k\n\tldrex %1, [%2]\n\tstrex %0, %1, [%2]\n\tstrex %0, %1, [%2]"
            : "=&r"(failed), "=&r"(seen)
            : "r"(&word)
            : "memory");
    else
        __asm__ volatile(".arch armv6k\n\tldrex %1, [%2]\n\tclrex\n\tstrex %0, %1, [%2]"
                         : "=&r"(failed), "=&r"(seen)
                         : "r"(&word)
                         : "memory");
    return (int)failed;
}

int main(void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, worker, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    printf("%u %u %u %llx\n", word, byte, half, (unsigned long long)wide);
    printf("second store %d, after clrex %d\n", failing(0), failing(1));
    ADD("", uint32_t, &other, 7);
    printf("%u\n", other);
    return guest_result();
}
