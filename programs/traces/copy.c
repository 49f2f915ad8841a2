#include "programs/traces/copy.h"

#include "base/alloc.h"

#include <stdio.h>

static void tell_names(struct tr_copy *c)
{
    const struct tr_writer *w = c->format->writer;
    for (; w->thread && c->named < tr_threads(c->source); c->named++)
        w->thread(c->sink, c->named, tr_thread_name(c->source, c->named),
                  tr_thread_card(c->source, c->named));
    const struct tr_page *page;
    for (const size_t pages = tr_pages(c->source, &page); w->page && c->pages < pages; c->pages++)
        w->page(c->sink, &page[c->pages]);
    for (; w->region && tr_region(c->source, c->regions); c->regions++)
        w->region(c->sink, c->regions, tr_region(c->source, c->regions));
}

static bool copy_put(struct tr_copy *c, const struct tr_batch *batch)
{
    if (!batch->count)
        return true;
    if (!c->format->writer->threads && c->thread >= 0 && c->thread != batch->thread) {
        snprintf(c->why, sizeof c->why,
                 "%.400s has threads %ld and %u, and %s knows no threads; take one: numachine "
                 "trace cut IN OUT --threads=%ld",
                 c->name, (long)c->thread, batch->thread, c->format->name, (long)c->thread);
        return false;
    }
    c->thread = batch->thread;
    if (!c->begun[batch->thread] && c->format->writer->thread)
        c->format->writer->thread(c->sink, batch->thread, tr_thread_name(c->source, batch->thread),
                                  batch->card);
    c->begun[batch->thread] = true;
    c->format->writer->put(c->sink, batch->thread, batch->op, batch->count);
    return true;
}

static void copy_all(struct tr_copy *c)
{
    struct tr_batch batch, part;
    enum tr_more more = TR_MORE;
    bool good = true;
    while (good && !c->stop() && (more = tr_next(c->source, &batch)) == TR_MORE) {
        tell_names(c);
        if (c->cutting)
            tr_cut_batch(c->cutting, &batch, &part);
        good = copy_put(c, c->cutting ? &part : &batch);
    }
    if (c->stop())
        snprintf(c->why, sizeof c->why, "%s", c->stop());
    else if (good && more == TR_BAD)
        snprintf(c->why, sizeof c->why, "%s", tr_why(c->source));
    else if (good && c->cutting && !tr_cut_found(c->cutting))
        snprintf(c->why, sizeof c->why,
                 "%.400s has no region '%.60s'; numachine trace info names them", c->name,
                 c->cut->region);
    else if (good && c->cutting && c->thread < 0)
        snprintf(c->why, sizeof c->why,
                 "%.400s: nothing is left of it; numachine trace info says how many references and "
                 "threads there are",
                 c->name);
}

bool tr_copy_write(void *ctx, FILE *out)
{
    struct tr_copy *c = ctx;
    struct tr_about about = *tr_about(c->source);
    c->thread = -1;
    c->begun = sim_alloc(TR_THREADS_MAX, sizeof *c->begun);
    c->cutting = c->cut ? tr_cut_begin(c->cut, c->source) : NULL;
    about.part |= c->cutting != NULL;
    const struct tr_came came = tr_came(c->source);
    c->sink = c->format->writer->open(out, &about);
    if (c->format->writer->came)
        c->format->writer->came(c->sink, &came);
    tell_names(c);
    copy_all(c);
    c->format->writer->close(c->sink);
    if (c->cutting)
        tr_cut_end(c->cutting);
    free(c->begun);
    return !*c->why;
}
