/*
 * Sleepers without SimGrid, so that a process can run programs one after another, as often as it
 * likes (programs/sleepers.h; a test's own object wins over the library's). A sleeper is nobody:
 * the threads' turns do not hang on it.
 */
#include "programs/sleepers.h"

struct prog_sleepers {
    char nothing;
};

struct prog_sleeper {
    char nothing;
};

const char *prog_sleepers_library(void)
{
    return "none";
}

bool prog_sleepers_started(void)
{
    return false;
}

void prog_sleepers_directory(char *path)
{
    *path = '\0';
}

struct prog_sleepers *prog_sleepers_new(const struct nm_params *p, int *err)
{
    static struct prog_sleepers all;

    (void)p;
    *err = 0;
    return &all;
}

void prog_sleepers_free(struct prog_sleepers *ss)
{
    (void)ss;
}

void prog_sleepers_advance(struct prog_sleepers *ss, sim_tick to)
{
    (void)ss, (void)to;
}

struct prog_sleeper *prog_sleeper_new(struct prog_sleepers *ss, const char *name, unsigned card)
{
    static struct prog_sleeper anybody;

    (void)ss, (void)name, (void)card;
    return &anybody;
}

void prog_sleeper_free(struct prog_sleeper *s)
{
    (void)s;
}

void prog_sleeper_move(struct prog_sleeper *s, unsigned card)
{
    (void)s, (void)card;
}

void prog_sleeper_sleep(struct prog_sleeper *s, sim_tick date)
{
    (void)s, (void)date;
}

void prog_sleeper_wake(struct prog_sleeper *s)
{
    (void)s;
}
