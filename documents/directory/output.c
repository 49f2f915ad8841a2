/* The program's standard output and standard error, as far as they are kept. */
#include "documents/directory/output.h"

#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static size_t output_kept(const struct doc_output *output)
{
    return output->total < DOC_OUTPUT_MAX ? (size_t)output->total : DOC_OUTPUT_MAX;
}

void doc_output_add(struct doc_output *output, const void *bytes, size_t count)
{
    const size_t before = output_kept(output);
    output->total += count;
    const size_t after = output_kept(output);
    if (after > output->room) {
        output->room = 2 * after < DOC_OUTPUT_MAX ? 2 * after : DOC_OUTPUT_MAX;
        output->bytes = sim_grow(output->bytes, output->room, 1);
    }
    if (after > before)
        memcpy(output->bytes + before, bytes, after - before);
}

void doc_output_free(struct doc_output *output)
{
    free(output->bytes);
    *output = (struct doc_output){0};
}

void doc_output_remark(const struct doc_output *output, const char *name, struct doc_run *run)
{
    if (output->total > DOC_OUTPUT_MAX)
        doc_remark(run, "%s has the first %d of %llu bytes that the program wrote", name,
                   DOC_OUTPUT_MAX, (unsigned long long)output->total);
}

void doc_output_write(void *ctx, FILE *out)
{
    const struct doc_output *output = ctx;
    if (output->total)
        fwrite(output->bytes, 1, output_kept(output), out);
}
