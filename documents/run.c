/* Small questions to a run, and its remarks. */
#include "documents/run.h"

#include "documents/memory.h"

#include <stdarg.h>

const struct doc_region *doc_region_measured(const struct doc_region *region)
{
    return region->measured ? region->measured : region;
}

void doc_remark(struct doc_run *run, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    doc_append(&run->remark, &run->remarks, format, args);
    va_end(args);
}

const char *doc_end_word(enum prog_end end)
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
