/*
 * The log of a pipeline. A core tells of each instruction by its place in its list, where one is
 * followed by another; so a place knows the instruction that has it now.
 */
#include "watch/pipeline.h"

#include "base/alloc.h"
#include <inttypes.h>

enum { PLACES = 64 };

struct watch_pipeline {
    struct pc_steps steps;
    struct watch_instruction *instruction;
    size_t count, room;
    size_t at[PLACES]; /* the instruction's number and 1; 0: none */
};

/* ---- what is told ---------------------------------------------------------------------------- */

static struct watch_instruction *pipeline_at(struct watch_pipeline *p, unsigned place)
{
    return p->at[place] ? &p->instruction[p->at[place] - 1] : NULL;
}

static void pipeline_begin(struct watch_pipeline *p, const struct pc_step *step, bool in_order)
{
    p->at[step->place] = 0;
    if (p->count >= WATCH_INSTRUCTIONS_MOST)
        return;
    SIM_ROOM(p->instruction, p->count, p->room, 256);
    p->instruction[p->count++] = (struct watch_instruction){.pc = step->pc,
                                                            .name = step->name,
                                                            .in_order = in_order,
                                                            .fetched = step->at,
                                                            .decoded = SIM_NEVER,
                                                            .issued = SIM_NEVER,
                                                            .done = SIM_NEVER,
                                                            .left = SIM_NEVER};
    p->at[step->place] = p->count;
}

/* In order: the next one stands where the last one did. One instruction may be several operations,
 * which take no time but for one. */
static void pipeline_stands(struct watch_pipeline *p, const struct pc_step *step)
{
    struct watch_instruction *last = pipeline_at(p, step->place);
    if (last && last->pc == step->pc && last->issued == step->at)
        return;
    if (last)
        last->left = step->at;
    pipeline_begin(p, step, true);
    last = pipeline_at(p, step->place);
    if (last)
        last->issued = step->at;
}

static void pipeline_ends(struct watch_pipeline *p, const struct pc_step *step, bool squashed)
{
    struct watch_instruction *i = pipeline_at(p, step->place);
    if (!i)
        return;
    i->left = step->at;
    i->done = squashed ? i->done : step->done;
    i->squashed = squashed;
    p->at[step->place] = 0;
}

static void pipeline_told(void *ctx, const struct pc_step *step)
{
    struct watch_pipeline *p = ctx;
    struct watch_instruction *i = pipeline_at(p, step->place);
    switch (step->kind) {
    case PC_STEP_FETCHED:
        pipeline_begin(p, step, false);
        break;
    case PC_STEP_STANDS:
        pipeline_stands(p, step);
        break;
    case PC_STEP_DECODED:
        if (i)
            i->decoded = step->at;
        break;
    case PC_STEP_ISSUED:
        if (i)
            i->issued = step->at;
        break;
    case PC_STEP_WAITS:
        if (i)
            i->issued += step->done;
        break;
    default:
        pipeline_ends(p, step, step->kind == PC_STEP_SQUASHED);
    }
}

struct watch_pipeline *watch_pipeline_new(void)
{
    struct watch_pipeline *p = sim_alloc(1, sizeof *p);
    p->steps = (struct pc_steps){.told = pipeline_told, .ctx = p};
    return p;
}

const struct pc_steps *watch_pipeline_steps(const struct watch_pipeline *p)
{
    return &p->steps;
}

const struct watch_instruction *watch_instructions(const struct watch_pipeline *p, size_t *count)
{
    *count = p->count;
    return p->instruction;
}

void watch_pipeline_clear(struct watch_pipeline *p)
{
    p->count = 0;
    memset(p->at, 0, sizeof p->at);
}

void watch_pipeline_free(struct watch_pipeline *p)
{
    if (!p)
        return;
    free(p->instruction);
    free(p);
}

/* ---- the log --------------------------------------------------------------------------------- */

/* Something that a line of the log says. */
struct event {
    sim_tick at;
    size_t instruction;
    enum event_kind { BEGINS, STAGE, RETIRES } kind;
    const char *stage;
};

struct log {
    struct event *event;
    size_t count, room;
};

static void log_add(struct log *log, sim_tick at, size_t instruction, enum event_kind kind,
                    const char *stage)
{
    SIM_ROOM(log->event, log->count, log->room, 1024);
    log->event[log->count++] = (struct event){at, instruction, kind, stage};
}

static void log_in_order(struct log *log, const struct watch_instruction *i, size_t number)
{
    if (i->issued > i->fetched)
        log_add(log, i->fetched, number, STAGE, "Wt");
    log_add(log, i->issued, number, STAGE, "Is");
    if (i->left != SIM_NEVER)
        log_add(log, i->left > i->issued ? i->left : i->issued + 1, number, RETIRES, NULL);
}

/* Fetch, decode, queue, execution, waiting for its turn, graduation. */
static void log_out_of_order(struct log *log, const struct watch_instruction *i, size_t number)
{
    log_add(log, i->fetched, number, STAGE, "F");
    if (i->decoded == SIM_NEVER)
        return;
    log_add(log, i->decoded, number, STAGE, "D");
    const sim_tick queued = i->decoded + 1;
    const bool issued = i->issued != SIM_NEVER;
    if (queued < (issued ? i->issued : i->left) && (issued || !i->squashed))
        log_add(log, queued, number, STAGE, issued ? "Q" : "W");
    if (issued)
        log_add(log, i->issued, number, STAGE, "X");
    if (issued && i->done < i->left)
        log_add(log, i->done, number, STAGE, "W");
    if (i->left == SIM_NEVER)
        return;
    if (!i->squashed)
        log_add(log, i->left, number, STAGE, "G");
    log_add(log, i->left + !i->squashed, number, RETIRES, NULL);
}

static int by_event(const void *a, const void *b)
{
    const struct event *x = a, *y = b;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->instruction != y->instruction)
        return x->instruction < y->instruction ? -1 : 1;
    return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static void log_write(const struct event *e, const struct watch_instruction *i, unsigned card,
                      size_t *retired, FILE *out)
{
    switch (e->kind) {
    case BEGINS:
        fprintf(out, "I\t%zu\t%zu\t%u\n", e->instruction, e->instruction, card);
        fprintf(out, "L\t%zu\t0\t0x%" PRIx64 "%s%s\n", e->instruction, i->pc, i->name ? ": " : "",
                i->name ? i->name : "");
        break;
    case STAGE:
        fprintf(out, "S\t%zu\t0\t%s\n", e->instruction, e->stage);
        break;
    case RETIRES:
        fprintf(out, "R\t%zu\t%zu\t%d\n", e->instruction, i->squashed ? 0 : (*retired)++,
                i->squashed);
    }
}

void watch_konata(const struct watch_instruction *instruction, size_t count, unsigned card,
                  FILE *out)
{
    struct log log = {0};
    size_t retired = 0;
    for (size_t k = 0; k < count; k++) {
        log_add(&log, instruction[k].fetched, k, BEGINS, NULL);
        (instruction[k].in_order ? log_in_order : log_out_of_order)(&log, &instruction[k], k);
    }
    if (log.count)
        qsort(log.event, log.count, sizeof *log.event, by_event);
    fprintf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", log.count ? log.event[0].at : 0);
    for (size_t e = 0; e < log.count; e++) {
        if (e && log.event[e].at > log.event[e - 1].at)
            fprintf(out, "C\t%" PRIu64 "\n", log.event[e].at - log.event[e - 1].at);
        log_write(&log.event[e], &instruction[log.event[e].instruction], card, &retired, out);
    }
    free(log.event);
}
