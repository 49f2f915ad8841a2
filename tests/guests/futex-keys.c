/*
 * What a futex word is known by. With FUTEX_PRIVATE_FLAG that is its address; without, in memory of
 * a file or of no process alone, its place there. A waiter and a call that know the word in two
 * ways do not meet. The kernel's own calls, when a thread ends, are without the flag.
 *
 * A row for every command, every memory and every pair of flags: whether the call reached the
 * waiter. (The rows of the kernel's calls, and those of locks with an owner, wait with a time-out.)
 */
#include "futex.h"
#include "guest.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef PAUSE
#define PAUSE 2000000 /* [ns] simulated: a thread falls asleep in less, on any machine */
#endif

enum { BYTES = 65536, STACK = 65536, PRIVATE = FUTEX_PRIVATE_FLAG };

static const char *const flag_names[] = {"shared", "private"};

static long futex(int *word, int op, int value, void *time, int *word2, int value3)
{
    const long r = syscall(GUEST_FUTEX, word, op, value, time, word2, value3);

    return r < 0 ? -errno : r;
}

static void pause_for(long ns)
{
    nanosleep(&(struct timespec){0, ns}, NULL);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/** Where a word lies for who waits, and for who calls. */
struct place {
    const char *name;
    int *waits, *calls;
};

static int *map(int flags, int fd)
{
    void *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, fd, 0);

    CHECK(at != MAP_FAILED);
    return at;
}

/** Words [0] and [1], in each kind of memory. */
static int make_places(struct place places[])
{
    const int fd = (int)syscall(SYS_memfd_create, "words", 0);
    int *own = map(MAP_PRIVATE | MAP_ANONYMOUS, -1), *all = map(MAP_SHARED | MAP_ANONYMOUS, -1);
    int *const parts =
        mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int *const part = parts + BYTES / sizeof *parts;
    int *first, *second;

    CHECK(parts != MAP_FAILED && mprotect(parts, BYTES, PROT_READ) == 0); /* splits it */
    CHECK(ftruncate(fd, BYTES) == 0);
    first = map(MAP_SHARED, fd);
    second = map(MAP_SHARED, fd);
    places[0] = (struct place){"own memory", own, own};
    places[1] = (struct place){"shared memory", all, all};
    places[2] = (struct place){"a file", first, first};
    places[3] = (struct place){"a file mapped twice", first, second};
    places[4] = (struct place){"a part mapped twice", part, mremap(part, 0, BYTES, MREMAP_MAYMOVE)};
    return 5;
}

/* ---- a waiter -------------------------------------------------------------------------------- */

struct waiter {
    int *word, *lock;
    int op;
    long got;
    struct timespec until; /* nanoseconds -1: for ever */
};

static void *waits(void *arg)
{
    struct waiter *w = arg;
    const int command = w->op & FUTEX_CMD_MASK;
    const int bits = command == FUTEX_WAIT_BITSET ? 4 : 0;

    w->got = futex(w->word, w->op, 0, w->until.tv_nsec >= 0 ? &w->until : NULL, w->lock, bits);
    if (w->got == 0 && command == FUTEX_LOCK_PI)
        futex(w->word, FUTEX_UNLOCK_PI | (w->op & PRIVATE), 0, NULL, NULL, 0);
    if (w->got == 0 && command == FUTEX_WAIT_REQUEUE_PI)
        futex(w->lock, FUTEX_UNLOCK_PI | (w->op & PRIVATE), 0, NULL, NULL, 0);
    return NULL;
}

/** Starts one, and lets it fall asleep. @param limit  [ns] it gives up then; 0: never */
static pthread_t begin(struct waiter *w, long limit)
{
    pthread_t t;

    w->until = (struct timespec){0, -1};
    if (limit) {
        clock_gettime((w->op & FUTEX_CMD_MASK) == FUTEX_LOCK_PI ? CLOCK_REALTIME : CLOCK_MONOTONIC,
                      &w->until);
        w->until.tv_nsec += limit;
        w->until.tv_sec += w->until.tv_nsec / 1000000000;
        w->until.tv_nsec %= 1000000000;
    }
    pthread_create(&t, NULL, waits, w);
    pause_for(PAUSE);
    return t;
}

/* ---- calls that wake ------------------------------------------------------------------------- */

static long by_wake(int *w, int flag)
{
    return futex(w, FUTEX_WAKE | flag, 9, NULL, NULL, 0);
}

static long by_bits(int *w, int flag)
{
    return futex(w, FUTEX_WAKE_BITSET | flag, 9, NULL, NULL, 4);
}

static long by_op_first(int *w, int flag)
{
    return futex(w, FUTEX_WAKE_OP | flag, 9, (void *)9L, w + 2,
                 FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 1));
}

static long by_op_second(int *w, int flag)
{
    return futex(w + 2, FUTEX_WAKE_OP | flag, 9, (void *)9L, w,
                 FUTEX_OP(FUTEX_OP_SET, 0, FUTEX_OP_CMP_EQ, 0));
}

static long by_requeue_waking(int *w, int flag)
{
    return futex(w, FUTEX_CMP_REQUEUE | flag, 9, (void *)9L, w + 2, 0);
}

/** Moved to the other word: the waiter is known there in the mover's way. */
static long by_requeue_moving(int *w, int flag)
{
    const long moved = futex(w, FUTEX_REQUEUE | flag, 0, (void *)9L, w + 2, 0);
    const long other = by_wake(w + 2, flag ^ PRIVATE), same = by_wake(w + 2, flag);

    CHECK(other == 0 && same == moved);
    return moved;
}

/** Moved to where it is: it counts. */
static long by_requeue_staying(int *w, int flag)
{
    const long moved = futex(w, FUTEX_REQUEUE | flag, 0, (void *)9L, w, 0);

    CHECK(by_wake(w, flag) == moved);
    return moved;
}

static const struct {
    const char *name;
    long (*call)(int *word, int flag);
} ways[] = {
    {"wake", by_wake},
    {"wake, bits", by_bits},
    {"wake and change, first word", by_op_first},
    {"wake and change, second word", by_op_second},
    {"requeue, waking", by_requeue_waking},
    {"requeue, moving", by_requeue_moving},
    {"requeue to itself", by_requeue_staying},
};

static void try(const struct place *p, size_t way)
{
    for (int pair = 0; pair < 4; pair++) {
        const int waiting = pair & 1 ? PRIVATE : 0, calling = pair & 2 ? PRIVATE : 0;
        struct waiter w = {.word = p->waits,
                           .op = (way & 1 ? FUTEX_WAIT_BITSET : FUTEX_WAIT) | waiting};
        const pthread_t t = begin(&w, 0);
        const long n = ways[way].call(p->calls, calling);
        CHECK(by_wake(p->waits, waiting) == 1 - n);
        pthread_join(t, NULL);
        CHECK(w.got == 0);
        printf("%s, %s wait, %s call: %s: %ld\n", p->name, flag_names[pair & 1],
               flag_names[pair >> 1], ways[way].name, n);
    }
}

/* ---- locks with an owner --------------------------------------------------------------------- */

static void print_pi(const struct place *p, int pair, const char *what, long n, long got)
{
    printf("%s, %s wait, %s call: %s: %ld, then %s\n", p->name, flag_names[pair & 1],
           flag_names[pair >> 1], what, n,
           got == 0            ? "owner"
           : got == -ETIMEDOUT ? "timed out"
                               : strerror((int)-got));
}

static void try_pi(const struct place *p, int pair)
{
    const int waiting = pair & 1 ? PRIVATE : 0, calling = pair & 2 ? PRIVATE : 0;
    struct waiter w = {.word = p->waits, .op = FUTEX_LOCK_PI | waiting};
    pthread_t t;
    long n;

    *p->waits = 0;
    CHECK(futex(p->calls, FUTEX_LOCK_PI | calling, 0, NULL, NULL, 0) == 0);
    t = begin(&w, 4 * PAUSE);
    n = futex(p->calls, FUTEX_UNLOCK_PI | calling, 0, NULL, NULL, 0);
    pthread_join(t, NULL);
    print_pi(p, pair, "unlock", n, w.got);
    *p->waits = 0;
}

static void try_pi_requeue(const struct place *p, int pair)
{
    const int waiting = pair & 1 ? PRIVATE : 0, calling = pair & 2 ? PRIVATE : 0;
    struct waiter w = {
        .word = p->waits, .lock = p->waits + 2, .op = FUTEX_WAIT_REQUEUE_PI | waiting};
    pthread_t t;
    long n;

    p->waits[0] = p->waits[2] = 0;
    t = begin(&w, 4 * PAUSE);
    n = futex(p->calls, FUTEX_CMP_REQUEUE_PI | calling, 1, (void *)9L, p->calls + 2, 0);
    pthread_join(t, NULL);
    print_pi(p, pair, "requeue to the lock", n, w.got);
    p->waits[2] = 0;
}

/* ---- the kernel's calls ---------------------------------------------------------------------- */

static int tid;

static int ends(void *unused)
{
    (void)unused;
    pause_for(2 * PAUSE);
    syscall(SYS_exit, 0);
    return 0;
}

/** Who waits for the word that is cleared when a thread ends. */
static void try_clear(int flag)
{
    char *stack = malloc(STACK);
    long r;

    tid = 1;
    clone(ends, stack + STACK,
          CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM |
              CLONE_CHILD_CLEARTID,
          NULL, NULL, NULL, &tid);
    r = futex(&tid, FUTEX_WAIT | flag, 1, &(struct timespec){0, 6 * PAUSE}, NULL, 0);
    printf("%s wait for a thread's end: %s, word %d\n", flag_names[flag != 0],
           r == 0 ? "woken" : strerror((int)-r), tid);
}

static struct robust_list_head head;
static struct {
    struct robust_list list;
    int word;
} robust;

/** Ends with a lock in its list. */
static void *leaves(void *op)
{
    head = (struct robust_list_head){.list = {&robust.list},
                                     .futex_offset = (long)offsetof(typeof(robust), word)};
    robust.list.next = &head.list;
    if (op)
        CHECK(futex(&robust.word, FUTEX_LOCK_PI | PRIVATE, 0, NULL, NULL, 0) == 0);
    else
        robust.word = gettid();
    if (!op)
        syscall(SYS_set_robust_list, &head, sizeof head);
    pause_for(3 * PAUSE);
    return NULL;
}

static void *sleeps_on_robust(void *arg)
{
    struct waiter *w = arg;
    const int value = robust.word | (int)FUTEX_WAITERS;

    robust.word = value;
    w->got =
        futex(&robust.word, FUTEX_WAIT | w->op, value, &(struct timespec){0, 8 * PAUSE}, NULL, 0);
    return NULL;
}

static void try_robust(int flag)
{
    struct waiter w = {.op = flag};
    pthread_t owner, other;

    pthread_create(&owner, NULL, leaves, NULL);
    pause_for(PAUSE);
    pthread_create(&other, NULL, sleeps_on_robust, &w);
    pthread_join(owner, NULL);
    pthread_join(other, NULL);
    printf("%s wait for a lock whose owner ends: %s, word %x\n", flag_names[flag != 0],
           w.got == 0 ? "woken" : strerror((int)-w.got), robust.word & ~FUTEX_TID_MASK);
}

/** The owner of a lock ends: it goes on to who waits, in whatever way. */
static void try_owner_ends(int flag)
{
    struct waiter w = {.word = &robust.word, .op = FUTEX_LOCK_PI | flag};
    pthread_t owner, other;

    robust.word = 0;
    pthread_create(&owner, NULL, leaves, &w);
    pause_for(PAUSE);
    other = begin(&w, 8 * PAUSE);
    pthread_join(owner, NULL);
    pthread_join(other, NULL);
    printf("%s wait to own a lock whose owner ends: %s\n", flag_names[flag != 0],
           w.got == 0 ? "owner" : strerror((int)-w.got));
}

int main(void)
{
    struct place places[5];
    const int count = make_places(places);

    for (int i = 0; i < count; i++)
        for (size_t way = 0; way < COUNT(ways); way++)
            try(&places[i], way);
    for (int i = 0; i < count; i++)
        for (int pair = 0; pair < 4; pair++) {
            try_pi(&places[i], pair);
            try_pi_requeue(&places[i], pair);
        }
    for (int flag = 0; flag <= PRIVATE; flag += PRIVATE) {
        try_clear(flag);
        try_robust(flag);
        try_owner_ends(flag);
    }
    return guest_result();
}
