/* A guest with many ends: its argument chooses how it stops. os_ends.py knows what must be said. */
#include "numachine.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *second_first(void *arg)
{
    pthread_mutex_lock(&b);
    usleep(100);
    pthread_mutex_lock(&a);
    return arg;
}

static void *spin(void *arg)
{
    for (volatile int i = 0;; i++)
        continue;
    return arg;
}

static void deadlock(void)
{
    pthread_t t;

    pthread_mutex_lock(&a);
    pthread_create(&t, NULL, second_first, NULL);
    usleep(200);
    pthread_mutex_lock(&b);
}

static unsigned word;

static void *again(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&a);
    return unused;
}

static void *at_word(void *unused)
{
    syscall(SYS_futex, &word, 0 /* FUTEX_WAIT */, 0, NULL);
    return unused;
}

static void *at_b(void *unused)
{
    usleep(200);
    pthread_mutex_lock(&b);
    return unused;
}

static void *leaves(void *unused)
{
    pthread_mutex_lock(&b);
    return unused;
}

/** For a thread, its own lock, nobody, and a lock whose owner has ended. */
static void itself(void)
{
    static void *(*const kinds[])(void *) = {again, at_word, at_b, leaves};
    pthread_t t[4];

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        pthread_create(&t[i], NULL, kinds[i], NULL);
    pthread_join(t[0], NULL);
}

/* ---- one thread in each kind of call that waits for another ---- */

static pthread_mutex_t owned;

static void *in_semop(void *unused)
{
    semop(semget(IPC_PRIVATE, 1, 0600), &(struct sembuf){0, -1, 0}, 1);
    return unused;
}

static void *in_msgrcv(void *unused)
{
    char text[64];

    msgrcv(msgget(IPC_PRIVATE, 0600), text, 8, 0, 0);
    return unused;
}

static void *in_queue(void *unused)
{
    char text[8192];

    mq_receive(mq_open("/ends", O_RDWR | O_CREAT, 0600, NULL), text, sizeof text, NULL);
    return unused;
}

static void *in_epoll(void *unused)
{
    struct epoll_event e;

    epoll_wait(epoll_create1(0), &e, 1, -1);
    return unused;
}

static void *in_lock(void *unused)
{
    pthread_mutex_lock(&owned);
    return unused;
}

static void *in_processor_time(void *unused)
{
    clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &(struct timespec){1, 0}, NULL);
    return unused;
}

static void waits(void)
{
    static void *(*const kinds[])(void *) = {in_semop, in_msgrcv, in_queue,
                                             in_epoll, in_lock,   in_processor_time};
    pthread_mutexattr_t inherits;
    pthread_t t;

    pthread_mutexattr_init(&inherits);
    pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&owned, &inherits);
    pthread_mutex_lock(&owned);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        pthread_create(&t, NULL, kinds[i], NULL);
    pthread_join(t, NULL);
}

static void others_spin(void)
{
    pthread_t t;

    for (int i = 0; i < 3; i++)
        pthread_create(&t, NULL, spin, NULL);
    usleep(100);
    exit(5);
}

static void null(void)
{
    *(volatile int *)8 = 3;
}

/* As where a function is called that the linker did not find. */
static void nowhere(void)
{
    void (*volatile call)(void) = NULL;

    call();
    puts("it has returned"); /* so it is a call, and no jump */
}

static void text(void)
{
    *(volatile int *)null = 3;
}

/** A file that is empty has been mapped. */
static void behind(void)
{
    const int file = memfd_create("empty", 0);
    volatile int *const at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);

    *at = 1;
}

static void divide(void)
{
    volatile int zero = 0;

    exit(3 / zero);
}

static void spin_here(void)
{
    spin(NULL);
}

static void child(void)
{
    exit(fork() < 0 ? 7 : 8);
}

static void alarm_kills(void)
{
    alarm(1);
    pause();
}

static void aborts(void)
{
    abort();
}

/* Sent, not made by an instruction, as a counter's may be. */
static void ill(void)
{
    kill(getpid(), SIGILL);
}

static void fill(void)
{
    for (;;) {
        char *p = malloc(1 << 20);
        if (p)
            memset(p, 1, 1 << 20);
    }
}

static int deeper(int n)
{
    volatile char big[1 << 16];

    big[n & 0xffff] = (char)n;
    return deeper(n + 1) + big[n & 0xffff];
}

static void recurse(void)
{
    exit(deeper(0));
}

static void marks(void)
{
    int fd = open("/dev/numachine/mark", O_WRONLY);

    if (write(fd, "+part", 5) != 5 || write(fd, "-part\n", 6) != 6 || write(fd, "x", 1) >= 0)
        exit(1);
}

/* What only a machine can answer: 19 (ENODEV) when there is none, and no waiting for it. */
static void looks(void)
{
    struct numachine_line line = {.where = NUMACHINE_MEMORY, .address = (unsigned long)&a};
    int card = open("/dev/numachine/card", O_RDWR), memory = open("/dev/numachine/memory", O_RDWR);

    if (card < 0 && errno == ENODEV && ioctl(memory, NUMACHINE_LOOK, &line) < 0)
        exit(errno);
    exit(card >= 0 && ioctl(memory, NUMACHINE_LOOK, &line) == 0 ? 0 : 1);
}

static void drain(void)
{
    while (getchar() != EOF)
        continue;
}

/* More than is kept of a stream, and less. */
static void loud(void)
{
    for (int i = 0; i < 200000; i++)
        printf("line %d\n", i);
    fprintf(stderr, "and that was that\n");
}

/* A file beside the directory that the program sees, twice, and one that a C library may want. */
static void outside(void)
{
    exit(open("/etc/no such file", O_RDONLY) >= 0 || open("../missing", O_RDONLY) >= 0 ||
         open("../missing", O_WRONLY | O_CREAT, 0666) >= 0);
}

static void flood(void)
{
    static char block[40000];

    for (;;)
        if (write(1, block, sizeof block) < 0)
            exit(9);
}

static pthread_barrier_t barrier;

static void *meets(void *unused)
{
    pthread_barrier_wait(&barrier);
    return unused;
}

/** More threads than have room for their stacks: those there are wait for ever. */
static void crowd(void)
{
    enum { THREADS = 12, STACK = 256 << 20 };
    pthread_attr_t attr;
    pthread_t t;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, STACK);
    pthread_barrier_init(&barrier, NULL, THREADS + 2);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t, &attr, meets, NULL);
    pthread_barrier_wait(&barrier);
}

static void tells(int signal)
{
    (void)signal;
    write(2, "a second\n", 9);
}

/** Processor time has a limit: told at the soft one and each second after it, killed at the hard.
 */
static void seconds(void)
{
    setrlimit(RLIMIT_CPU, &(struct rlimit){1, 3});
    signal(SIGXCPU, tells);
    spin(NULL);
}

static const struct {
    const char *name;
    void (*end)(void);
} ends[] = {
    {"deadlock", deadlock}, {"others-spin", others_spin},
    {"null", null},         {"text", text},
    {"nowhere", nowhere},   {"divide", divide},
    {"spin", spin_here},    {"child", child},
    {"alarm", alarm_kills}, {"abort", aborts},
    {"fill", fill},         {"marks", marks},
    {"recurse", recurse},   {"drain", drain},
    {"flood", flood},       {"looks", looks},
    {"waits", waits},       {"loud", loud},
    {"outside", outside},   {"itself", itself},
    {"crowd", crowd},       {"seconds", seconds},
    {"ill", ill},           {"behind", behind},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(ends[i].name, argv[1]) == 0)
            ends[i].end();
    return 0;
}
