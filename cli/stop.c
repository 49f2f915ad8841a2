/*
 * Signals that end a run early.
 *
 * The one hard idea: the second signal. Some programs send a signal twice, milliseconds apart; that
 * must not cut the results short. A person who sends it again later is tired of waiting, and must
 * be obeyed. Only the time between the two signals tells one from the other.
 */
#include "cli/stop.h"

#include "cli/exit.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* The only variables of the program that belong to nobody: a signal handler has no context. */
static volatile sig_atomic_t stop_asked, look_asked, threads_asked;
/* Written by the handler alone, which does not interrupt itself. */
static struct timespec stop_asked_at;

static const struct {
    int number;
    const char *cause, *reason;
} stopping[] = {
    {SIGINT, "SIGINT", "interrupted by SIGINT"},
    {SIGTERM, "SIGTERM", "interrupted by SIGTERM"},
    {SIGHUP, "SIGHUP", "interrupted by SIGHUP"},
    {SIGXCPU, "CPU limit",
     "interrupted: the host's limit on CPU time (ulimit -t) is reached or near"},
};
enum { STOPPING = sizeof stopping / sizeof *stopping };

static void on_look(int number)
{
    (void)number;
    look_asked = threads_asked = 1;
}

static void on_stop(int number)
{
    static const char last_words[] =
        "numachine: asked again: ended without the rest of the results\n";
    const int error = errno;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (!stop_asked) {
        stop_asked_at = now;
        stop_asked = number;
    } else if (number != SIGXCPU && now.tv_sec - stop_asked_at.tv_sec > CLI_STOP_GRACE) {
        (void)!write(STDERR_FILENO, last_words, sizeof last_words - 1);
        _exit(CLI_EXIT_INTERRUPTED);
    }
    errno = error;
}

static void listen_with(int flags)
{
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = flags}, old;
    for (int i = 0; i < STOPPING; i++)
        sigaddset(&action.sa_mask, stopping[i].number);
    for (int i = 0; i < STOPPING; i++) {
        const int number = stopping[i].number;
        const bool ignored =
            number == SIGHUP && !sigaction(SIGHUP, NULL, &old) && old.sa_handler == SIG_IGN;
        if (!ignored)
            sigaction(number, &action, NULL);
    }
    action.sa_handler = on_look;
    sigaction(SIGUSR1, &action, NULL);
}

/* Where the limit on CPU time is also the hard one, its signal cannot be caught: ours comes
 * before, with a tenth of the time left to write results in, and half a second at least. */
static void watch_cpu_time(void)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU};
    struct rlimit limit;
    timer_t timer;
    if (getrlimit(RLIMIT_CPU, &limit) || limit.rlim_cur == RLIM_INFINITY ||
        timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer))
        return;
    const long seconds = limit.rlim_cur > INT32_MAX ? INT32_MAX : (long)limit.rlim_cur;
    const long margin = seconds > 5 ? seconds * 100 : 500; /* [ms] */
    const long at = seconds * 1000 > margin ? seconds * 1000 - margin : 500;
    const struct itimerspec when = {.it_value = {at / 1000, at % 1000 * 1000000}};
    timer_settime(timer, TIMER_ABSTIME, &when, NULL);
}

void cli_stop_listen(void)
{
    stop_asked = look_asked = threads_asked = 0;
    listen_with(0);
    watch_cpu_time();
}

void cli_stop_finish(void)
{
    listen_with(SA_RESTART);
}

bool cli_stop_asked(void)
{
    return stop_asked;
}

const char *cli_stop_cause(void)
{
    for (int i = 0; i < STOPPING; i++)
        if (stopping[i].number == stop_asked)
            return stopping[i].cause;
    return NULL;
}

const char *cli_stop_reason(void)
{
    for (int i = 0; i < STOPPING; i++)
        if (stopping[i].number == stop_asked)
            return stopping[i].reason;
    return NULL;
}

/* Takes the question. */
static bool asked(volatile sig_atomic_t *question)
{
    const bool was = *question;
    if (was)
        *question = 0;
    return was;
}

bool cli_look_asked(void)
{
    return asked(&look_asked);
}

bool cli_threads_asked(void)
{
    return asked(&threads_asked);
}
