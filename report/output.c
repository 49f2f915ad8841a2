/* The program's standard output and standard error, as far as they are kept. */
#include "report/output.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static size_t kept(const struct rep_output *output)
{
    return output->total < REP_OUTPUT_MAX ? (size_t)output->total : REP_OUTPUT_MAX;
}

void rep_output_add(struct rep_output *output, const void *bytes, size_t count)
{
    const size_t before = kept(output);
    output->total += count;
    const size_t after = kept(output);
    if (after > output->room) {
        output->room = 2 * after < REP_OUTPUT_MAX ? 2 * after : REP_OUTPUT_MAX;
        output->bytes = sim_grow(output->bytes, output->room, 1);
    }
    if (after > before)
        memcpy(output->bytes + before, bytes, after - before);
}

void rep_output_free(struct rep_output *output)
{
    free(output->bytes);
    *output = (struct rep_output){0};
}

void rep_output_remark(const struct rep_output *output, const char *name, struct rep_run *run)
{
    if (output->total > REP_OUTPUT_MAX)
        rep_remark(run, "%s has the first %d of %llu bytes that the program wrote", name,
                   REP_OUTPUT_MAX, (unsigned long long)output->total);
}

void rep_output_write(void *ctx, FILE *out)
{
    const struct rep_output *output = ctx;
    if (output->total)
        fwrite(output->bytes, 1, kept(output), out);
}
