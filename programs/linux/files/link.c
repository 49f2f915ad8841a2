/*
 * Links that exist only in the view: /proc/self, its directories, and its open files.
 *
 * A file that is open is found by its number, whatever its text says: of a pipe it names no file.
 * Only those of directories are followed by the text.
 */
#include "programs/linux/files/link.h"

#include "base/alloc.h"
#include "programs/linux/files/inode.h"
#include "programs/linux/files/object.h"
#include "programs/linux/files/path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/** By which path a file can be found, or what else tells it from others. Allocated. */
static char *link_of_file(const struct lx_file *f)
{
    const bool gone = f->inode && !f->synth && (f->inode->nameless || f->inode->memory);

    if (f->standard) /* as pipes that were there before all others */
        return sim_format("pipe:[%d]", f->stream + 1);
    if (f->pipe && !f->pipe->inode)
        return sim_format("pipe:[%" PRIu64 "]", f->pipe->number);
    if (f->ops && f->ops->name)
        return sim_strdup(f->ops->name);
    return sim_format("%s%s", f->place.path ? f->place.path : "/", gone ? " (deleted)" : "");
}

static char *link_written(struct lx_prog *p, const struct lx_synthetic *row)
{
    size_t size;
    char *text;
    FILE *const out = sim_text_open(&text, &size);

    row->write(p, out);
    sim_text_close(out, &text);
    return text;
}

char *lx_link_text(struct lx_prog *p, const struct lx_synthetic *row, unsigned number)
{
    const struct lx_file *f = row->kind == SYN_FD ? lx_file_get(p, number) : NULL;

    if (f)
        return link_of_file(f);
    if (row->kind == SYN_EXE)
        return lx_path_program(p);
    return row->kind == SYN_LINK || row->kind == SYN_SELF ? link_written(p, row) : NULL;
}

char *lx_link_followed(void *ctx, const struct lx_synthetic *row, unsigned number)
{
    struct lx_prog *p = ctx;
    const struct lx_file *f = row->kind == SYN_FD ? lx_file_get(p, number) : NULL;

    if (f && f->kind == FILE_FOLDER)
        return sim_strdup(f->place.path);
    return row->kind == SYN_LINK ? link_written(p, row) : NULL;
}

void lx_link_opened(struct lx_file *f, const struct lx_spot *s)
{
    if (f->place.path || f->standard || f->ops || (s->synth && s->synth->kind == SYN_FD))
        return;
    f->place.path = sim_format("%s%s%s", strcmp(s->in.path, "/") == 0 ? "" : s->in.path,
                               *s->name ? "/" : "", s->name);
}
