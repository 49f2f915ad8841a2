/* What the program writes to its standard streams, of a run that a directory keeps. */
#include "documents/directory/output.h"

#include "run/observer.h"

struct streams {
    struct run_live *live;
    struct doc_output output, errors;
};

static bool streams_wanted(const struct run_live *live)
{
    return live->kept;
}

static enum run_begun streams_begin(void *self, struct run_live *live, char *why, size_t size)
{
    (void)why, (void)size;
    ((struct streams *)self)->live = live;
    return RUN_BEGUN;
}

static void streams_wrote(void *self, int stream, const void *bytes, size_t count)
{
    struct streams *s = self;
    doc_output_add(stream == 1 ? &s->output : &s->errors, bytes, count);
}

static void streams_finish(void *self, sim_tick at)
{
    const struct streams *s = self;
    (void)at;
    doc_output_remark(&s->output, DOC_STDOUT, &s->live->run);
    doc_output_remark(&s->errors, DOC_STDERR, &s->live->run);
}

static void streams_write_output(void *self, FILE *out)
{
    doc_output_write(&((struct streams *)self)->output, out);
}

static void streams_write_errors(void *self, FILE *out)
{
    doc_output_write(&((struct streams *)self)->errors, out);
}

static void streams_release(void *self)
{
    struct streams *s = self;
    doc_output_free(&s->output);
    doc_output_free(&s->errors);
}

static const struct run_file streams_files[] = {{.name = DOC_STDOUT, .write = streams_write_output},
                                                {.name = DOC_STDERR, .write = streams_write_errors},
                                                {0}};

const struct run_observer run_output = {
    .size = sizeof(struct streams),
    .wants = streams_wanted,
    .begin = streams_begin,
    .wrote = streams_wrote,
    .finish = streams_finish,
    .file = streams_files,
    .release = streams_release,
};
