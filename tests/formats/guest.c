/*
 * The program of the kept results: two threads that count in one line, and a lock. It needs no C
 * library, so that it is small enough to be kept with what it left (tests/formats.py).
 */
#include <asm/unistd.h>

enum {
    TIMES = 40,
    THREAD = 0x10f00 | 0x1000000, /* CLONE_VM, FS, FILES, SIGHAND, THREAD, ..., CHILD_SETTID */
    CLEAR = 0x200000,             /* CLONE_CHILD_CLEARTID */
    WAIT = 0,
    WAKE = 1,
};

long start_thread(long flags, void *stack, int *cleared);
void *malloc(unsigned size);

static struct count {
    volatile int adjacent;
} count[2];
static volatile int lock;
static volatile int alive = 1;
static char stack[4096] __attribute__((aligned(16)));
static char heap[512] __attribute__((aligned(64)));
static volatile int *shared;

static long call(long number, long a, long b, long c, long d)
{
    register long v0 __asm__("$2") = number, a0 __asm__("$4") = a, a1 __asm__("$5") = b;
    register long a2 __asm__("$6") = c, a3 __asm__("$7") = d;
    __asm__ volatile("syscall"
                     : "+r"(v0), "+r"(a3)
                     : "r"(a0), "r"(a1), "r"(a2)
                     : "$1", "$3", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15", "$24",
                       "$25", "hi", "lo", "memory");
    return v0;
}

__attribute__((noinline)) void *malloc(unsigned size)
{
    static unsigned used;
    void *block = heap + used;
    used += size;
    return block;
}

__attribute__((noinline)) int pthread_mutex_lock(volatile int *m)
{
    while (__sync_lock_test_and_set(m, 2))
        call(__NR_futex, (long)m, WAIT, 2, 0);
    return 0;
}

__attribute__((noinline)) int pthread_mutex_unlock(volatile int *m)
{
    __sync_lock_release(m);
    call(__NR_futex, (long)m, WAKE, 1, 0);
    return 0;
}

__attribute__((noinline)) static void work(unsigned me)
{
    for (int i = 0; i < TIMES; i++) {
        count[me].adjacent++;
        pthread_mutex_lock(&lock);
        (*shared)++;
        pthread_mutex_unlock(&lock);
    }
}

void second(void)
{
    work(1);
    call(__NR_exit, 0, 0, 0, 0);
}

/* clone(flags, stack, -, -, cleared): the fifth argument is on the stack. */
__asm__(".text\n.set noreorder\n.globl start_thread\n.ent start_thread\nstart_thread:\n"
        "addiu $29, $29, -32\nsw $6, 16($29)\nmove $6, $0\nmove $7, $0\nli $2, 4120\nsyscall\n"
        "beq $2, $0, 1f\nnop\njr $31\naddiu $29, $29, 32\n"
        "1: la $25, second\njalr $25\nnop\n.end start_thread\n"
        ".globl __start\n.ent __start\n__start:\nla $25, first\njalr $25\naddiu $29, $29, -32\n"
        ".end __start\n.set reorder\n");

void first(void)
{
    shared = malloc(sizeof *shared);
    start_thread(THREAD | CLEAR, stack + sizeof stack - 64, (int *)&alive);
    work(0);
    for (int id; (id = alive);)
        call(__NR_futex, (long)&alive, WAIT, id, 0);
    call(__NR_write, 1, (long)"done\n", 5, 0);
    call(__NR_exit_group, *shared != 2 * TIMES, 0, 0, 0);
}
