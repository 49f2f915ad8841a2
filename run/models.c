/*
 * A run that models of detectors look at: hands them what happens, and writes down what they
 * answer.
 */
#include "run/models.h"

#include "base/alloc.h"
#include "documents/host.h"

#include <uthash.h>

/** A page of the program; the last to get an address has it. */
struct run_models_page {
    uint64_t from, to; /* address, and what is there */
    UT_hash_handle hh;
};

/* ---- pages ----------------------------------------------------------------------------------- */

static void models_put_page(struct run_models_page **pages, uint64_t from, uint64_t to)
{
    struct run_models_page *page;
    HASH_FIND(hh, *pages, &from, sizeof from, page);
    if (!page) {
        page = sim_alloc(1, sizeof *page);
        page->from = from;
        HASH_ADD(hh, *pages, from, sizeof page->from, page);
    }
    page->to = to;
}

/** @return false: no page has it */
static bool models_find(const struct run_models *m, struct run_models_page *pages, uint64_t at,
                        uint64_t *to)
{
    struct run_models_page *page;
    const uint64_t from = at - at % m->machine.page;
    HASH_FIND(hh, pages, &from, sizeof from, page);
    if (page)
        *to = page->to + at % m->machine.page;
    return page;
}

static void models_free_pages(struct run_models_page **pages)
{
    struct run_models_page *page, *next;
    HASH_ITER(hh, *pages, page, next) {
        HASH_DEL(*pages, page);
        free(page);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

static enum run_begun models_begin(void *self, struct run_live *live, char *why, size_t size)
{
    struct run_models *m = self;
    char tables[200];
    m->live = live;
    if (!det_desk_fits(&m->machine, m->choice, m->models, doc_host_memory(), tables,
                       sizeof tables)) {
        snprintf(why, size, "detect: %s", tables);
        return RUN_REFUSED;
    }
    m->desk = det_desk_new(&m->machine, m->choice, m->models);
    m->eyes = pc_eyes_open(live->machine, m->desk);
    if (m->eyes && m->charge && !pc_eyes_charge(m->eyes)) {
        snprintf(why, size,
                 "detect: --charge: handlers' time is simulated on processors that wait for each "
                 "request only (processor.core: r4400)");
        return RUN_REFUSED;
    }
    if (m->eyes)
        return RUN_BEGUN;
    snprintf(why, size, "detect: the processors of this machine cannot tell of their accesses");
    return RUN_REFUSED;
}

static void models_paged(void *self, uint64_t va, uint64_t pa)
{
    struct run_models *m = self;
    const struct det_event event = {
        .at = nm_machine_now(m->live->machine), .va = va, .pa = pa, .bytes = m->machine.page};
    models_put_page(&m->virtual, va, pa);
    models_put_page(&m->physical, pa, va);
    det_desk_tell(m->desk, DET_EVENT_paged, &event);
}

static void models_thread(void *self, const struct prog_thread *thread)
{
    struct run_models *m = self;
    const struct det_event event = {.at = thread->at,
                                    .thread = thread->number,
                                    .va = thread->stack,
                                    .bytes = thread->stack_to - thread->stack};
    if (!thread->ended)
        det_desk_tell(m->desk, DET_EVENT_thread, &event);
}

/* ---- what they answer ------------------------------------------------------------------------ */

/** The line of an address that a model names. */
static struct run_models_line models_line_at(const struct run_models *m,
                                             const struct det_named *named, uint64_t at)
{
    struct run_models_line line = {
        .score = named->score, .count = named->count, .when = named->when};
    at -= at % m->machine.line;
    if (named->virtual) {
        line.va = at;
        line.placed = models_find(m, m->virtual, at, &line.pa);
    } else {
        line.pa = at;
        line.placed = models_find(m, m->physical, at, &line.va);
    }
    return line;
}

static uint64_t models_put_lines(const struct run_models *m, const struct det_answer *answer,
                                 FILE *out)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < answer->names; i++) {
        const struct det_named *named = &answer->named[i];
        const uint64_t end = named->at + (named->bytes ? named->bytes : 1);
        for (uint64_t at = named->at - named->at % m->machine.line; at < end;
             at += m->machine.line, lines++) {
            const struct run_models_line line = models_line_at(m, named, at);
            if (out)
                fwrite(&line, sizeof line, 1, out);
        }
    }
    return lines;
}

static void models_concluded(void *self)
{
    struct run_models *m = self;
    const struct run_models_came run = {m->live->run.outcome.ticks, m->live->run.hash.result};
    det_desk_end(m->desk);
    fwrite(&run, sizeof run, 1, m->answers);
    for (size_t i = 0; i < m->models; i++) {
        const struct det_answer *answer = det_desk_answer(m->desk, i);
        const struct run_models_said said = {.lines = models_put_lines(m, answer, NULL),
                                             .bits = answer->bits,
                                             .events = answer->events,
                                             .interrupts = answer->interrupts,
                                             .lost = answer->lost,
                                             .pcycles = answer->pcycles};
        fwrite(&said, sizeof said, 1, m->answers);
        models_put_lines(m, answer, m->answers);
    }
}

static void models_release(void *self)
{
    struct run_models *m = self;
    pc_eyes_close(m->eyes);
    det_desk_free(m->desk);
    models_free_pages(&m->virtual);
    models_free_pages(&m->physical);
}

const struct run_observer run_models = {
    .begin = models_begin,
    .thread = models_thread,
    .paged = models_paged,
    .concluded = models_concluded,
    .release = models_release,
};
