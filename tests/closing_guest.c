/*
 * A guest that closes descriptors of this machine's own devices while another thread waits for
 * them: the wait goes on with what it began with.
 */
#include "numachine.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES = 2 << 20 };

static char table[BYTES] __attribute__((aligned(4096)));
static int fd, ends[2];
static volatile int waiting, handled;

static void on_signal(int number)
{
    (void)number;
    handled = 1;
}

static void settle(void)
{
    while (!waiting)
        ;
    usleep(200);
}

/** Who waits for any file looks again. */
static void wake(void)
{
    if (write(ends[1], "x", 1) != 1)
        puts("FAILED: pipe");
}

static void *waits_for_memory(void *arg)
{
    struct numachine_command c = {NUMACHINE_WRITE_BACK, 0, (unsigned long)table, BYTES};
    struct numachine_report r = {0, 0};

    if (write(fd, &c, sizeof c) != sizeof c)
        puts("FAILED: write");
    waiting = 1;
    if (read(fd, &r, sizeof r) != sizeof r)
        puts("FAILED: read");
    printf("memory: %llu command, %llu lines\n", r.commands, r.lines);
    return arg;
}

static void *waits_for_card(void *arg)
{
    unsigned count = 0;
    ssize_t n;

    waiting = 1;
    n = read(fd, &count, sizeof count);
    printf("card: %d, %s\n", (int)n, n < 0 ? strerror(errno) : "");
    return arg;
}

static void close_under(const char *device, void *(*waits)(void *), int interrupt)
{
    const struct sigaction action = {.sa_handler = on_signal};
    pthread_t thread;

    fd = open(device, O_RDWR);
    waiting = 0;
    sigaction(SIGUSR1, &action, NULL);
    pthread_create(&thread, NULL, waits, NULL);
    settle();
    close(fd);
    wake();
    usleep(200);
    if (interrupt)
        pthread_kill(thread, SIGUSR1);
    pthread_join(thread, NULL);
}

int main(void)
{
    if (pipe(ends) != 0)
        return 1;
    for (unsigned i = 0; i < BYTES; i += 64)
        table[i] = (char)i;
    close_under("/dev/numachine/memory", waits_for_memory, 0);
    close_under("/dev/numachine/card", waits_for_card, 1);
    printf("handled %d\n", handled);
    return 0;
}
