/*
 * What the programs of this folder have in common: how many threads they have, which objects they
 * show.
 *
 * A program prints a line `object NAME 0xADDRESS LENGTH` for each object that programs.def names.
 * With -DPADDED what is marked APART begins a line of its own: that is the mended twin.
 */
#ifndef SHOWN_H
#define SHOWN_H

#include <stdio.h>
#include <stdlib.h>

#define LINE_ALIGNED __attribute__((aligned(64)))

#ifdef PADDED
#define APART LINE_ALIGNED
#else
#define APART
#endif

#define SHOW(object) show_object(#object, &(object), sizeof(object))

static inline void show_object(const char *name, const volatile void *at, size_t bytes)
{
    printf("object %s %p %zu\n", name, (void *)at, bytes);
}

static inline int thread_count(int argc, char **argv, int otherwise)
{
    const int asked = argc > 1 ? atoi(argv[1]) : 0;
    return asked >= 1 && asked <= 64 ? asked : otherwise;
}

#endif
