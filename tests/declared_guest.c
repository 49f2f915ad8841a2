/*
 * What is declared in many ways, for tests/declared.py: each line of output is an address and a
 * word. The line that declares what is there has that word in a comment: "declares bare".
 */
#include "declared.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void says(const volatile void *at, const char *what)
{
    printf("%lx %s\n", (unsigned long)at, what);
}

struct twice { /* declares twice-of-file */
    int n;
};

typedef struct { /* declares nameless */
    int n;
} nameless_t;

union both { /* declares both */
    int n;
    char c[4];
};

extern int outside[4]; /* no definition */
int outside[4];        /* declares outside */

DECLARE(volatile int, expanded); /* declares expanded */
static struct bare whole;        /* declares whole */
static struct twice *volatile outer;
static nameless_t *volatile nameless;
static struct bare *volatile bare;
static union both *volatile both;
static int *volatile numbers; /* declares numbers */
static int **volatile rows;   /* declares rows */
static struct {               /* its type */
    int n, more;
} around,                   /* declares around */
    behind;                 /* declares behind */
static __thread int own[2]; /* declares own */

void declared_other(void (*say)(const volatile void *, const char *));

static void *turns(void *word)
{
    for (int i = 0; i < 4000; i++)
        ++*(volatile int *)word;
    return NULL;
}

/* All of it is there to the end of the program. */
__attribute__((noinline, noclone)) static void of_function(int *volatile given /* declares given */)
{
    static int calls;                   /* declares calls */
    int *volatile mine = calloc(16, 4); /* declares mine */
    volatile int on_stack[4] = {0};     /* declares on_stack */
    pthread_t thread;
    struct twice { /* declares twice-of-function */
        int n, more;
    } *volatile inner = calloc(1, sizeof *inner);
    calls++;
    inner->n = on_stack[1];
    says(&mine[3], "mine");
    says(&on_stack[1], "on_stack");
#ifndef __OPTIMIZE__ /* that keeps it where nobody finds it */
    says(&given[1], "given");
#endif
    says(&inner->more, "twice-of-function");
    says(&calls, "calls");
    fflush(stdout);
    pthread_create(&thread, NULL, turns, (void *)&on_stack[1]);
    turns((void *)&on_stack[1]);
    pthread_join(thread, NULL);
    _exit(given[1] + mine[3] + inner->more > 0);
}

int main(void)
{
    struct bare **volatile pool = malloc(4 * sizeof *pool); /* declares pool */
    outer = malloc(sizeof *outer);
    nameless = malloc(3 * sizeof *nameless);
    bare = malloc(2 * sizeof *bare);
    both = malloc(sizeof *both);
    numbers = malloc(100);
    rows = malloc(4 * sizeof *rows);
    rows[0] = rows[1] = rows[3] = NULL;
    rows[2] = malloc(40);
    pool[0] = pool[1] = pool[2] = pool[3] = bare;
    says(&outer->n, "twice-of-file");
    says(&nameless[2].n, "nameless");
    says(&bare[1].m[3], "bare");
    says(both, "both");
    says(&numbers[3], "numbers");
    says(&rows[1], "rows");
    says(&rows[2][5], "rows");
    says(&pool[1], "pool");
    says(&outside[2], "outside");
    says(&expanded[3], "expanded");
    says(&whole.m[2], "whole");
    says(&around, "around");
    says(&behind, "behind");
    says(&own[1], "own");
    declared_other(says);
    of_function(calloc(6, sizeof(int)));
    return pool[0] == NULL;
}
