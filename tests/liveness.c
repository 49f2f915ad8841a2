/*
 * Programs that get nowhere, and programs that only might: one of each, by name.
 *
 *     liveness MODE [NUMBER ...]
 */
#include "guests/futex.h"

#include <fcntl.h>
#include <numachine.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 128, THREADS_MAX = 1024 };

static struct {
    volatile unsigned word, beside;
    volatile unsigned other __attribute__((aligned(LINE)));
} shared __attribute__((aligned(LINE)));

static volatile unsigned stop __attribute__((aligned(LINE))), turns;
static unsigned arg[4];

static void on_card(unsigned card)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(card, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void busy(unsigned turns_)
{
    for (volatile unsigned i = 0; i < turns_; i++)
        ;
}

static pthread_t start(void *(*body)(void *), unsigned number)
{
    pthread_t t;

    if (pthread_create(&t, NULL, body, (void *)(size_t)number) != 0)
        exit(9);
    return t;
}

/* ---- these never end ------------------------------------------------------------------------- */

/** LL here, SC there: it fails, always. */
static void *cross(void *unused)
{
    unsigned done;

    (void)unused;
    do {
#ifdef __arm__
        __asm__ volatile("ldrex %0, [%1]\n"
                         "strex %0, %2, [%2]\n"
                         "eor %0, %0, #1\n"
                         : "=&r"(done)
                         : "r"(&shared.word), "r"(&shared.other)
                         : "memory");
#else
        __asm__ volatile("1: ll %0, %1\n"
                         "li %0, 1\n"
                         "sc %0, %2\n"
                         : "=&r"(done), "+m"(shared.word), "+m"(shared.other)
                         :
                         : "memory");
#endif
    } while (!done);
    return NULL;
}

static void crossed(void)
{
    pthread_join(start(cross, 0), NULL);
}

/** Nobody sets what everybody waits for. */
static void *wait_for(void *unused)
{
    (void)unused;
    while (!shared.word)
        ;
    return NULL;
}

static void waiting(void)
{
    start(wait_for, 0);
    start(wait_for, 1);
    puts("all wait");
    fflush(stdout);
    wait_for(NULL);
}

/** Waits for its own lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *take(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    return NULL;
}

static void locked(void)
{
    take(NULL);
    start(take, 0);
    wait_for(NULL);
}

/* ---- these end where luck is not always against the same thread -------------------------------
 */

static void *add(void *unused)
{
    (void)unused;
    on_card(arg[0]);
    for (unsigned i = 0; i < 10; i++)
        __sync_fetch_and_add(&shared.word, 1);
    stop = 1;
    return NULL;
}

/** One card stores to the line in a loop; another, arg[0], wants to add to another word of it. */
static void hog(void)
{
    pthread_t t = start(add, 0);

    on_card(0);
    for (unsigned i = 0; !stop; i++)
        shared.beside = i;
    pthread_join(t, NULL);
}

/** A waiter on a condition, and a poller that takes the lock again right behind its release: it
 *  yields the processor, or with arg[0] is busy so long instead, and holds the lock for arg[1]. */
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;
static int is_ready, seen;

static void *wait_ready(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    turns = 1;
    while (!is_ready)
        pthread_cond_wait(&ready, &lock);
    seen = 1;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void poller(void)
{
    pthread_t t = start(wait_ready, 0);
    unsigned rounds = 0, over = 0;

    while (!turns)
        sched_yield();
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    for (; !over; rounds++) {
        pthread_mutex_lock(&lock);
        busy(arg[1]);
        over = seen;
        pthread_mutex_unlock(&lock);
        if (arg[0])
            busy(arg[0]);
        else
            sched_yield();
    }
    pthread_join(t, NULL);
    printf("%u\n", rounds);
}

/* ---- a convoy: arg[0] threads take a lock 40 times each and hold it for arg[1]
 * -------------------
 */

static pthread_barrier_t all;

static void *ride(void *unused)
{
    (void)unused;
    pthread_barrier_wait(&all);
    for (unsigned i = 0; i < 40; i++) {
        pthread_mutex_lock(&lock);
        busy(arg[1]);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void convoy(void)
{
    pthread_t riders[64];

    pthread_barrier_init(&all, NULL, arg[0]);
    for (unsigned i = 0; i < arg[0]; i++)
        riders[i] = start(ride, i);
    for (unsigned i = 0; i < arg[0]; i++)
        pthread_join(riders[i], NULL);
}

/* ---- a crowd: hogs take a lock and give it back until everybody else has had it so often --------
 */

static struct {
    volatile unsigned ticket, serving, readers, writer, count;
} locks __attribute__((aligned(LINE)));
static pthread_spinlock_t spinlock;
static volatile unsigned left __attribute__((aligned(LINE)));

static void through_mutex(void)
{
    pthread_mutex_lock(&lock);
    locks.count++;
    pthread_mutex_unlock(&lock);
}

static void through_spinlock(void)
{
    pthread_spin_lock(&spinlock);
    locks.count++;
    pthread_spin_unlock(&spinlock);
}

static void through_tickets(void)
{
    const unsigned mine = __sync_fetch_and_add(&locks.ticket, 1);

    while (locks.serving != mine)
        ;
    locks.count++;
    __sync_synchronize();
    locks.serving = mine + 1;
}

/** A reader-writer lock whose lock and counter share a line. */
static void take_writer(void)
{
    while (__sync_lock_test_and_set(&locks.writer, 1))
        ;
}

static void through_readers(void)
{
    take_writer();
    locks.readers++;
    __sync_lock_release(&locks.writer);
    take_writer();
    locks.readers--;
    __sync_lock_release(&locks.writer);
}

static void through_addition(void)
{
    __sync_fetch_and_add(&locks.count, 1);
}

static void through_stores(void)
{
    locks.serving = locks.serving + 1;
}

static const struct shape {
    const char *name;
    void (*hog)(void), (*other)(void);
} shapes[] = {
    {"mutex", through_mutex, through_mutex},
    {"spinlock", through_spinlock, through_spinlock},
    {"tickets", through_tickets, through_tickets},
    {"readers", through_readers, through_readers},
    {"addition", through_addition, through_addition},
    {"stores", through_stores, through_addition},
};

static void *hog_lock(void *shape)
{
    while (left)
        shapes[(size_t)shape].hog();
    return NULL;
}

static void *want_lock(void *shape)
{
    for (unsigned i = 0; i < arg[3]; i++)
        shapes[(size_t)shape].other();
    __sync_fetch_and_sub(&left, 1);
    return NULL;
}

/** Shape, threads, hogs among them, and how often the others want it. */
static void crowd(void)
{
    static pthread_t thread[THREADS_MAX];
    const unsigned threads = arg[1] < THREADS_MAX ? arg[1] : THREADS_MAX;

    pthread_spin_init(&spinlock, 0);
    left = threads - arg[2];
    for (unsigned i = 0; i < threads; i++)
        thread[i] = start(i < arg[2] ? hog_lock : want_lock, arg[0]);
    for (unsigned i = 0; i < threads; i++)
        pthread_join(thread[i], NULL);
    printf("%s\n", shapes[arg[0]].name);
}

/* ---- what a simulation by turns must not get into step with -------------------------------------
 */

/** Two instructions for each. */
static inline void turn(unsigned times)
{
#ifdef __arm__
    __asm__ volatile("1: subs %0, %0, #1\n"
                     "bpl 1b\n"
                     : "+r"(times)
                     :
                     : "cc");
#else
    __asm__ volatile(".set noreorder\n"
                     "1: bnez %0, 1b\n"
                     "addiu %0, %0, -1\n"
                     ".set reorder\n"
                     : "+r"(times));
#endif
}

static void *take_and_hold(void *unused)
{
    (void)unused;
    while (!stop) {
        turns = 1;
        take_writer();
        turn(arg[0]);
        __sync_lock_release(&locks.writer);
        turn(arg[1]);
    }
    return NULL;
}

/** Two threads and a lock that one holds most of the time, in a loop of some length. */
static void period(void)
{
    start(take_and_hold, 0);
    while (!turns)
        ;
    for (unsigned i = 0; i < 10; i++) {
        take_writer();
        __sync_lock_release(&locks.writer);
    }
}

static void *call(void *number)
{
    __sync_fetch_and_add(&turns, 1);
    while (!stop) {
        syscall(SYS_getppid);
        turn((unsigned)(size_t)number);
    }
    return NULL;
}

/** The longest constrained loop, while arg[0] others call the operating system all the time. */
static void linked(void)
{
    unsigned v;

    for (unsigned i = 0; i < arg[0]; i++)
        start(call, i);
    on_card(arg[0] + 1); /* behind them */
    while (turns < arg[0])
        ;
    for (unsigned i = 0; i < 10; i++)
#ifdef __arm__
        __asm__ volatile("1: ldrex %0, [%1]\n"
                         ".rept 13\n"
                         "add %0, %0, #1\n"
                         ".endr\n"
                         "strex r3, %0, [%1]\n"
                         "cmp r3, #0\n"
                         "bne 1b\n"
                         : "=&r"(v)
                         : "r"(&shared.word)
                         : "r3", "cc", "memory");
#else
        __asm__ volatile(".set noreorder\n"
                         "1: ll %0, %1\n"
                         ".rept 13\n"
                         "addiu %0, %0, 1\n"
                         ".endr\n"
                         "sc %0, %1\n"
                         "beqz %0, 1b\n"
                         "nop\n"
                         ".set reorder\n"
                         : "=&r"(v), "+m"(shared.word)
                         :
                         : "memory");
#endif
    printf("%u\n", shared.word);
}

/* ---- these sleep for longer than the watchdog waits -------------------------------------------
 */

/* Of the watchdog that liveness.py sets; 175 ms. */
enum { LONG_NS = 175000000, LONG_TICKS = 25000000 };
static const struct timespec long_time = {0, LONG_NS};

static void on_alarm(int number)
{
    (void)number;
    shared.word = 1;
}

static void by_nanosleep(void)
{
    nanosleep(&long_time, NULL);
    shared.word = 1;
}

static void by_futex(void)
{
    unsigned word = 0;

    syscall(GUEST_FUTEX, &word, 0 /* FUTEX_WAIT */, 0, &long_time);
    shared.word = 1;
}

static void by_select(void)
{
    pselect(0, NULL, NULL, NULL, &long_time, NULL);
    shared.word = 1;
}

static void by_timerfd(void)
{
    const int fd = timerfd_create(CLOCK_MONOTONIC, 0);
    uint64_t passed;

    timerfd_settime(fd, 0, &(struct itimerspec){.it_value = long_time}, NULL);
    if (read(fd, &passed, sizeof passed) == sizeof passed)
        shared.word = 1;
}

/** Its own thread spins meanwhile. */
static void by_timer(void)
{
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {0, LONG_NS / 1000}}, NULL);
    wait_for(NULL);
}

static void by_processor_time(void)
{
    signal(SIGPROF, on_alarm);
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {0, LONG_NS / 1000}}, NULL);
    wait_for(NULL);
}

/** arg[0] threads spin until one that sleeps in way arg[1] says so. */
static void sleeper(void)
{
    static void (*const ways[])(void) = {by_nanosleep, by_futex, by_select,
                                         by_timerfd,   by_timer, by_processor_time};
    pthread_t t[4];

    for (unsigned i = 0; i < arg[0]; i++)
        t[i] = start(wait_for, i);
    ways[arg[1]]();
    for (unsigned i = 0; i < arg[0]; i++)
        pthread_join(t[i], NULL);
}

static void *say(void *unused)
{
    shared.word = 1;
    return unused;
}

/** On one card, before the thread that would end it has had a turn. */
static void behind(void)
{
    pthread_t t;

    on_card(0);
    t = start(say, 0);
    wait_for(NULL);
    pthread_join(t, NULL);
}

/* ---- these get on, though they store nothing and call nobody for longer than the watchdog waits
 * --
 */

/** Everybody sleeps, or with arg[0] a thread spins meanwhile, until the counter of its card
 *  overflows. */
static void by_card(void)
{
    volatile unsigned *card = numachine_card(-1);
    struct pollfd heard = {open("/dev/numachine/card", O_RDWR), POLLIN, 0};
    unsigned count;
    pthread_t t = 0;

    if (arg[0])
        t = start(wait_for, 0);
    NUMACHINE_COUNT(card, 0, TIME);
    NUMACHINE_CONTROL(card, 0, NUMACHINE_EV_TIME | 1u << NUMACHINE_BIT_CONTROL_INTERRUPT);
    NUMACHINE_LOAD(card, 0, 0xffff0000u - LONG_TICKS / 3);
    poll(&heard, 1, -1);
    if (read(heard.fd, &count, sizeof count) != sizeof count)
        exit(9);
    shared.word = 1;
    if (arg[0])
        pthread_join(t, NULL);
}

/** Until its card's counter says so: a few of its bits, so that all registers are as before. */
static void by_counter(void)
{
    volatile unsigned *card = numachine_card(-1);

    NUMACHINE_COUNT(card, 0, TIME);
    NUMACHINE_LOAD(card, 0, 0);
    while (!(NUMACHINE_COUNTER(card, 0) >> 23))
        ;
}

static unsigned processor_clock(void)
{
    unsigned now;

#ifdef __arm__
    __asm__ volatile("mrc p15, 0, %0, c15, c12, 1" : "=r"(now));
#else
    __asm__ volatile(".set push\n.set mips32r2\nrdhwr %0, $2\n.set pop" : "=r"(now));
#endif
    return now;
}

static void start_clock(void)
{
#ifdef __arm__
    __asm__ volatile("mcr p15, 0, %0, c15, c12, 0" ::"r"(1));
#endif
}

/** So, too; it advances every second PCycle, an ARM11's every PCycle. */
static void by_clock(void)
{
    start_clock();
    const unsigned begun = processor_clock();

    while (!((processor_clock() - begun) >> 24))
        ;
}

static void by_computing(void)
{
    unsigned x = 1;

    for (unsigned i = 0; i < LONG_TICKS / 2; i++)
        __asm__ volatile("" : "+r"(x), "+r"(i));
}

/* ---- storms: arg[0] threads interrupt the first all the time ------------------------------------
 */

enum { STORM_WORK = 2000 };

static volatile unsigned *stormed; /* the registers of its card */

static void on_storm(int number)
{
    (void)number;
    if (stormed)
        NUMACHINE_WRITE(stormed, IRQ, ~0u);
}

static void *storm_signals(void *unused)
{
    (void)unused;
    while (!stop)
        syscall(SYS_tgkill, getpid(), getpid(), SIGUSR2);
    return NULL;
}

/** Of such signals none is lost: they wait by thousands. */
static void *storm_queue(void *unused)
{
    const union sigval none = {0};

    (void)unused;
    while (!stop)
        sigqueue(getpid(), SIGRTMIN, none);
    return NULL;
}

static void *storm_interrupts(void *unused)
{
    volatile unsigned *card = numachine_card(0);

    (void)unused;
    for (unsigned i = 0; !stop; i++)
        NUMACHINE_WRITE(card, IRQ_SET, 1u << (i & 31));
    return NULL;
}

/** It gets on between two of them. */
static void storm(void *(*body)(void *))
{
    sigset_t both, before;
    pthread_t t[64];

    signal(SIGUSR2, on_storm);
    signal(SIGRTMIN, on_storm);
    sigemptyset(&both);
    sigaddset(&both, SIGUSR2);
    sigaddset(&both, SIGRTMIN);
    sigaddset(&both, SIGIO);
    pthread_sigmask(SIG_BLOCK, &both, &before);
    for (unsigned i = 0; i < arg[0]; i++)
        t[i] = start(body, i);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    busy(STORM_WORK);
    pthread_sigmask(SIG_BLOCK, &both, NULL);
    stop = 1;
    for (unsigned i = 0; i < arg[0]; i++)
        pthread_join(t[i], NULL);
}

static void signalled(void)
{
    storm(storm_signals);
}

static void queued(void)
{
    storm(storm_queue);
}

static void interrupted(void)
{
    int fd;

    on_card(0);
    fd = open("/dev/numachine/card0", O_RDWR);
    stormed = numachine_card(0);
    signal(SIGIO, on_storm);
    fcntl(fd, F_SETOWN, getpid());
    fcntl(fd, F_SETFL, O_RDWR | O_ASYNC);
    NUMACHINE_WRITE(stormed, IRQ_ENABLE, ~0u);
    storm(storm_interrupts);
}

static const struct {
    const char *name;
    void (*run)(void);
} modes[] = {
    {"crossed", crossed},
    {"waiting", waiting},
    {"locked", locked},
    {"hog", hog},
    {"poll", poller},
    {"crowd", crowd},
    {"period", period},
    {"linked", linked},
    {"convoy", convoy},
    {"sleeper", sleeper},
    {"behind", behind},
    {"card", by_card},
    {"counter", by_counter},
    {"clock", by_clock},
    {"computing", by_computing},
    {"signalled", signalled},
    {"queued", queued},
    {"interrupted", interrupted},
};

int main(int argc, char **argv)
{
    for (int i = 2; i < argc && i < 6; i++)
        arg[i - 2] = (unsigned)atoi(argv[i]);
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
        if (strcmp(argv[1], modes[i].name) == 0) {
            modes[i].run();
            return 0;
        }
    return 2;
}
