/*
 * The table of workloads. What makes a file this or that workload's is the workload's own check;
 * the first that takes it has it, and where none does, the first says why that knows the file's
 * kind, or else the first of all.
 */
#include "input/workload.h"

#include <stdio.h>

#define WORKLOAD(ops) extern const struct prog_workload ops;
#include "input/workloads.def"
#undef WORKLOAD

static const struct prog_workload *const workloads[] = {
#define WORKLOAD(ops) &ops,
#include "input/workloads.def"
#undef WORKLOAD
};

const struct prog_workload *in_workload(size_t i)
{
    return i < sizeof workloads / sizeof *workloads ? workloads[i] : NULL;
}

const struct prog_workload *in_workload_for(const char *path, char *why, size_t size)
{
    const struct prog_workload *w;
    char other[512];

    *why = '\0';
    for (size_t i = 0; (w = in_workload(i)); i++) {
        if (w->check && w->check(path, other, sizeof other))
            return w;
        if (w->check && *other)
            snprintf(why, size, "%s", other);
    }
    return NULL;
}

const struct prog_workload *in_workload_described(void)
{
    size_t i = 0;

    while (!workloads[i]->described)
        i++;
    return workloads[i];
}

bool in_symbol(const char *path, const char *name, uint64_t *from, uint64_t *to, char *why,
               size_t size)
{
    const struct prog_workload *w;

    for (size_t i = 0; (w = in_workload(i)); i++)
        if (w->symbol && w->symbol(path, name, from, to, why, size))
            return true;
    return false;
}

bool in_entry(const char *path, const char *name, uint64_t *at, char *why, size_t size)
{
    const struct prog_workload *w = in_workload_for(path, why, size);

    if (w && w->entry)
        return w->entry(path, name, at, why, size);
    if (w)
        snprintf(why, size,
                 "the program has no addresses, since this machine does not execute its "
                 "instructions; name a region (region NAME)");
    return false;
}
