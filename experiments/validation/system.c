/*
 * What the operating system takes, as published tables of the time have it: the shortest call, a
 * signal and its handler, a token through two pipes and back, and a change of the thread on a
 * processor. Here threads are what processes are there.
 */
#include "numachine.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { TURNS = 200 };

static int there[2], back[2];
static volatile int handled;

static void *answers(void *unused)
{
    char token;

    while (read(there[0], &token, 1) == 1)
        if (write(back[1], &token, 1) != 1)
            break;
    return unused;
}

static void on_signal(int number)
{
    (void)number;
    handled++;
}

static void passes(int turns)
{
    char token = 0;

    for (int i = 0; i < turns; i++)
        if (write(there[1], &token, 1) != 1 || read(back[0], &token, 1) != 1)
            break;
}

int main(void)
{
    const long process = getpid(), thread = syscall(SYS_gettid);
    pthread_t other;

    signal(SIGUSR1, on_signal);
    if (pipe(there) < 0 || pipe(back) < 0)
        return 1;
    pthread_create(&other, NULL, answers, NULL);
    passes(2);

    NUMACHINE_BEGIN("call");
    for (int i = 0; i < TURNS; i++)
        syscall(SYS_getppid);
    NUMACHINE_END("call");
    NUMACHINE_BEGIN("signal");
    for (int i = 0; i < TURNS; i++)
        syscall(SYS_tgkill, process, thread, SIGUSR1);
    NUMACHINE_END("signal");
    NUMACHINE_BEGIN("pipe"); /* with one processor, a change of threads each way */
    passes(TURNS);
    NUMACHINE_END("pipe");
    close(there[1]);
    pthread_join(other, NULL);
    printf("%d handled\n", handled);
    return 0;
}
