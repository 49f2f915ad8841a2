/* The references of a run, recorded to be replayed (programs/traces/recording.h). */
#include "programs/traces/recording.h"
#include "run/observer.h"

#include <errno.h>

struct references {
    struct tr_recording *recording;
};

/* What is recorded goes into the directory; without one, nothing is. */
static bool references_wanted(const struct run_live *live)
{
    return live->experiment->record_references && live->kept;
}

static enum run_begun references_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct references *r = self;
    const int name = snprintf(why, size, "record.references: ");
    r->recording =
        tr_recording_begin(live->machine, live->experiment->name, why + name, size - (size_t)name);
    return r->recording ? RUN_BEGUN : errno == ENOTSUP ? RUN_REFUSED : RUN_FAILED;
}

static void references_mark(void *self, const char *name, bool begin, sim_tick at)
{
    (void)at;
    tr_recording_mark(((struct references *)self)->recording, name, begin);
}

static void references_paged(void *self, uint64_t va, uint64_t pa)
{
    tr_recording_paged(((struct references *)self)->recording, va, pa);
}

static void references_turn(void *self, const struct prog_turn *turn)
{
    tr_recording_turn(((struct references *)self)->recording, turn);
}

static void references_finish(void *self, sim_tick at)
{
    (void)at;
    tr_recording_end(((struct references *)self)->recording);
}

static void references_write(void *self, FILE *out)
{
    tr_recording_write(((struct references *)self)->recording, out);
}

static void references_release(void *self)
{
    tr_recording_free(((struct references *)self)->recording);
}

static const struct run_file references_files[] = {
    {.name = "references.ntr", .write = references_write}, {0}};

const struct run_observer trc_references = {
    .size = sizeof(struct references),
    .wants = references_wanted,
    .begin = references_begin,
    .mark = references_mark,
    .paged = references_paged,
    .turn = references_turn,
    .finish = references_finish,
    .file = references_files,
    .release = references_release,
};
