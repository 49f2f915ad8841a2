/* Small questions to a run, and its remarks. */
#include "results/run.h"

#include "results/memory.h"

#include <stdarg.h>

const struct res_region *res_region_measured(const struct res_region *region)
{
    return region->measured ? region->measured : region;
}

void res_remark(struct res_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    res_append(&run->remark, &run->remarks, format, args);
    va_end(args);
}

const char *res_end_word(enum prog_end end)
{
    static const char *const words[] = {
        [PROG_EXITED] = "exited",         [PROG_SIGNALED] = "signaled",
        [PROG_LIMIT] = "limit",           [PROG_DEADLOCK] = "deadlock",
        [PROG_STUCK] = "stuck",           [PROG_LIVELOCK] = "livelock",
        [PROG_BROKEN] = "broken",         [PROG_INTERRUPTED] = "interrupted",
        [PROG_UNLOADABLE] = "unloadable", [PROG_NOMEM] = "out of memory",
        [PROG_IO] = "unreadable",
    };
    return words[end];
}
