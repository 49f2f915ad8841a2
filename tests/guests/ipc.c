/*
 * Threads that wait for each other through System V semaphores, message queues and shared memory,
 * and through POSIX message queues. Those who wait are served in the order they came.
 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, ROUNDS = 20 };

union semun {
    int val;
    struct semid_ds *buf;
    unsigned short *array;
};

static int sem, msg;
static mqd_t mq;

static void op(int number, int change)
{
    struct sembuf b = {(unsigned short)number, (short)change, 0};

    CHECK(semop(sem, &b, 1) == 0);
}

/** Waits until `n` threads wait for a semaphore. */
static void until_waiting(int number, int n)
{
    while (semctl(sem, number, GETNCNT) < n)
        usleep(100);
}

static int order[THREADS], arrived;

static void *waits(void *which)
{
    op(0, -1);
    order[arrived++] = (int)(intptr_t)which;
    op(1, 1);
    return NULL;
}

/** They are let through one by one, first come, first served. */
static void line(void)
{
    pthread_t t[THREADS];

    for (int i = 0; i < THREADS; i++) {
        pthread_create(&t[i], NULL, waits, (void *)(intptr_t)i);
        until_waiting(0, i + 1);
    }
    for (int i = 0; i < THREADS; i++) {
        op(0, 1);
        op(1, -1);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("semaphore: ");
    for (int i = 0; i < THREADS; i++)
        printf("%d ", order[i]);
    printf("\n");
}

static void *pong(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        struct sembuf both[2] = {{0, -1, 0}, {1, 1, SEM_UNDO}}; /* at once */
        CHECK(semop(sem, both, 2) == 0);
    }
    return unused;
}

static void ping(void)
{
    pthread_t t;
    struct sembuf zero = {0, 0, 0};

    pthread_create(&t, NULL, pong, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        op(0, 1);
        op(1, -1);
    }
    CHECK(semop(sem, &zero, 1) == 0);
    pthread_join(t, NULL);
    printf("ping, pong: %d %d\n", semctl(sem, 0, GETVAL), semctl(sem, 1, GETVAL));
}

static void *refused(void *errors)
{
    struct sembuf b = {2, -1, 0};

    *(int *)errors = semop(sem, &b, 1) < 0 ? errno : 0;
    return NULL;
}

static void removed(void)
{
    struct sembuf b = {2, -1, 0};
    struct timespec soon = {0, 1000000};
    int error = 0;
    pthread_t t;

    CHECK(semtimedop(sem, &b, 1, &soon) < 0 && errno == EAGAIN);
    pthread_create(&t, NULL, refused, &error);
    until_waiting(2, 1);
    semctl(sem, 0, IPC_RMID);
    pthread_join(t, NULL);
    printf("removed: %s\n", strerrorname_np(error));
}

struct message {
    long type;
    char text[24];
};

static void *receives(void *type)
{
    struct message m;
    ssize_t n = msgrcv(msg, &m, sizeof m.text, (long)(intptr_t)type, 0);

    CHECK(n == 6 && m.type == (long)(intptr_t)type && strncmp(m.text, "type", 4) == 0);
    return NULL;
}

static void messages(void)
{
    struct message m = {.type = 1};
    pthread_t t[THREADS];
    struct msqid_ds state;
    int sent = 0;

    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, receives, (void *)(i + 1));
    for (int i = THREADS; i > 0; i--) {
        m.type = i;
        snprintf(m.text, sizeof m.text, "type %d", i);
        CHECK(msgsnd(msg, &m, 6, 0) == 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    msgctl(msg, IPC_STAT, &state);
    CHECK(state.msg_qnum == 0);
    for (int i = 0; i < 3; i++) {
        m.type = 3 - i;
        msgsnd(msg, &m, (size_t)i + 1, 0);
    }
    CHECK(msgrcv(msg, &m, sizeof m.text, -2, 0) == 3 && m.type == 1); /* the lowest */
    CHECK(msgrcv(msg, &m, sizeof m.text, 3, MSG_EXCEPT) == 2);
    CHECK(msgrcv(msg, &m, sizeof m.text, 0, 0) == 1);
    m.type = 9;
    while (msgsnd(msg, &m, sizeof m.text, IPC_NOWAIT) == 0)
        sent++;
    printf("messages: full after %d: %s\n", sent, strerrorname_np(errno));
    msgctl(msg, IPC_RMID, NULL);
}

static struct {
    long type;
    char text[8000];
} large;

static void *sends_large(void *queue)
{
    large.type = 1;
    CHECK(msgsnd((int)(intptr_t)queue, &large, sizeof large.text, 0) == 0);
    return NULL;
}

/** A queue has no room for a third large message, but for a small one: that does not wait behind
 *  who waits. */
static void passing(void)
{
    const int queue = msgget(IPC_PRIVATE, 0600);
    struct message m = {.type = 2};
    pthread_t t[3];
    struct msqid_ds state;

    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, sends_large, (void *)(intptr_t)queue);
    do
        msgctl(queue, IPC_STAT, &state);
    while (state.msg_qnum < 2);
    usleep(2000); /* the third has fallen asleep */
    CHECK(msgsnd(queue, &m, 10, IPC_NOWAIT) == 0);
    CHECK(msgrcv(queue, &m, sizeof m.text, 2, IPC_NOWAIT) == 10);
    for (int i = 0; i < 3; i++)
        CHECK(msgrcv(queue, &large, sizeof large.text, 1, 0) == sizeof large.text);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    msgctl(queue, IPC_RMID, NULL);
}

static void *consumes(void *sum)
{
    char text[64];
    unsigned priority;

    for (int i = 0; i < ROUNDS; i++) {
        CHECK(mq_receive(mq, text, sizeof text, &priority) > 0);
        *(long *)sum += atoi(text);
    }
    return NULL;
}

static volatile sig_atomic_t notified;

static void on_message(int signal)
{
    (void)signal;
    notified++;
}

static void queues(void)
{
    struct mq_attr attr = {.mq_maxmsg = 3, .mq_msgsize = 64};
    char name[32], text[64];
    long sums[THREADS] = {0}, sum = 0;
    pthread_t t[THREADS];
    unsigned priority;

    snprintf(name, sizeof name, "/numachine-%d", getpid());
    mq = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
    CHECK(mq != (mqd_t)-1);
    mq_send(mq, "low", 4, 1);
    mq_send(mq, "high", 5, 9);
    mq_send(mq, "low too", 8, 1);
    for (int i = 0; i < 3; i++) {
        CHECK(mq_receive(mq, text, sizeof text, &priority) > 0);
        printf("%s %u%s", text, priority, i < 2 ? ", " : "\n");
    }
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, consumes, &sums[i]);
    for (int i = 0; i < THREADS * ROUNDS; i++) {
        snprintf(text, sizeof text, "%d", i);
        CHECK(mq_send(mq, text, strlen(text) + 1, 0) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(t[i], NULL);
        sum += sums[i];
    }
    printf("queue: %ld\n", sum);
    mq_unlink(name);
    CHECK(mq_open(name, O_RDWR) == (mqd_t)-1 && errno == ENOENT);
    signal(SIGUSR1, on_message);
    mq_close(mq);
}

static void memory(void)
{
    int shm = shmget(IPC_PRIVATE, 100000, 0600);
    volatile int *a = shmat(shm, NULL, 0), *b = shmat(shm, NULL, SHM_RDONLY);
    struct shmid_ds state;

    CHECK((intptr_t)a != -1 && (intptr_t)b != -1 && a != b);
    CHECK(a[0] == 0 && a[20000] == 0);
    a[20000] = 17;
    CHECK(b[20000] == 17); /* one memory */
    CHECK(shmdt((void *)b) == 0);
    CHECK(shmdt((void *)a) == 0);
    a = shmat(shm, NULL, 0);
    shmctl(shm, IPC_STAT, &state);
    printf("segment: %d, %d attached\n", a[20000], (int)state.shm_nattch);
    shmctl(shm, IPC_RMID, NULL);
    CHECK(a[20000] == 17); /* until it is detached */
    shmdt((void *)a);
    CHECK(shmat(shm, NULL, 0) == (void *)-1);
}

int main(void)
{
    unsigned short zeros[3] = {0};

    sem = semget(IPC_PRIVATE, 3, 0600);
    msg = msgget(IPC_PRIVATE, 0600);
    semctl(sem, 0, SETALL, (union semun){.array = zeros});
    line();
    ping();
    removed();
    messages();
    passing();
    queues();
    memory();
    return guest_result();
}
