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
#define END(end, word, status, exit) [PROG_##end] = word,
#include "documents/ends.def"
#undef END
    };
    return words[end];
}
