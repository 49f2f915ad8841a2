/*
 * A file of commands instead of gdb.
 */
#include "debug/verbs.h"

#include "base/alloc.h"
#include "debug/past.h"
#include "debug/target.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool batch_complains(const struct dbg_command *c, const char *what)
{
    fprintf(c->out, "%s\n", what);
    return false;
}

static bool batch_number(const struct dbg_command *c, unsigned i, uint64_t *value)
{
    return i >= c->words || dbg_number(c, c->word[i], value);
}

/* The thread that a command names, or the one that the run has stopped for. */
static bool batch_thread(const struct dbg_command *c, uint32_t *thread)
{
    struct prog_inspected t;
    uint64_t number = dbg_thread(c->d);
    if (!batch_number(c, 0, &number))
        return false;
    *thread = (uint32_t)number;
    return (number <= UINT32_MAX && c->d->inspect->thread(c->d->run->self, *thread, &t)) ||
           batch_complains(c, "there is no such thread");
}

/* ---- where to stop --------------------------------------------------------------------------- */

bool dbg_verb_break(struct dbg_command *c)
{
    uint64_t va;
    if (!c->words)
        return batch_complains(c, "break at which ADDRESS?");
    return dbg_address(c, c->word[0], &va) &&
           (dbg_break_add(&c->d->session->conditions, va, NULL, 0) ||
            batch_complains(c, "there are too many breakpoints"));
}

static bool batch_watches(struct dbg_command *c, bool reads, bool writes)
{
    uint64_t va, size = c->d->binary.word;
    if (!c->words)
        return batch_complains(c, "watch which ADDRESS?");
    if (!dbg_address(c, c->word[0], &va) || !batch_number(c, 1, &size))
        return false;
    const struct dbg_watch watch = {va, va + size, reads, writes};
    return dbg_watch_add(&c->d->session->conditions, &watch) ||
           batch_complains(c, "there are no such bytes, or too many watched");
}

bool dbg_verb_watch(struct dbg_command *c)
{
    return batch_watches(c, false, true);
}

bool dbg_verb_rwatch(struct dbg_command *c)
{
    return batch_watches(c, true, false);
}

bool dbg_verb_awatch(struct dbg_command *c)
{
    return batch_watches(c, true, true);
}

bool dbg_verb_delete(struct dbg_command *c)
{
    struct dbg_conditions *all = &c->d->session->conditions;
    all->breaks = all->watches = all->lines = 0;
    return true;
}

/* ---- going ----------------------------------------------------------------------------------- */

bool dbg_verb_continue(struct dbg_command *c)
{
    dbg_go(c->d, NULL);
    return true;
}

static bool batch_step(struct dbg_command *c, struct dbg_step *step)
{
    uint32_t thread;
    if (!batch_thread(c, &thread))
        return false;
    *step = (struct dbg_step){.thread = thread, .done = dbg_done(c->d, thread)};
    return true;
}

bool dbg_verb_step(struct dbg_command *c)
{
    struct dbg_step step;
    if (!batch_step(c, &step))
        return false;
    dbg_go(c->d, &step);
    return true;
}

bool dbg_verb_back(struct dbg_command *c)
{
    return (c->d->past && dbg_back(c->d, NULL)) || batch_complains(c, "there is no way back");
}

bool dbg_verb_back_step(struct dbg_command *c)
{
    struct dbg_step step;
    return batch_step(c, &step) &&
           ((c->d->past && dbg_back(c->d, &step)) || batch_complains(c, "there is no way back"));
}

bool dbg_verb_quit(struct dbg_command *c)
{
    c->d->session->going = DBG_KILLED;
    return true;
}

/* ---- looking --------------------------------------------------------------------------------- */

static void print_register(struct dbg_command *c, const void *regs, unsigned number)
{
    fprintf(c->out, "%-8s 0x%0*" PRIx64 "\n", dbg_register_name(&c->d->binary, number),
            2 * (int)dbg_register_size(&c->d->binary, number),
            dbg_register_get(&c->d->binary, regs, number) &
                (dbg_register_size(&c->d->binary, number) == 4 ? UINT32_MAX : UINT64_MAX));
}

static void print_memory(struct dbg_command *c, uint64_t va, uint64_t size)
{
    const unsigned word = size <= 8 && !(size & (size - 1)) ? (unsigned)size : 1;
    uint8_t bytes[8];
    for (uint64_t at = 0; at < size; at += word) {
        if (at % 16 == 0)
            fprintf(c->out, "%s0x%" PRIx64 ":", at ? "\n" : "", va + at);
        if (dbg_read(c->d, dbg_thread(c->d), va + at, bytes, word) == word)
            fprintf(c->out, " 0x%0*" PRIx64, 2 * (int)word,
                    dbg_value_of(&c->d->binary, bytes, word));
        else
            fputs(" -", c->out);
    }
    fputc('\n', c->out);
}

bool dbg_verb_print(struct dbg_command *c)
{
    enum { MOST = 4096 };
    prog_registers regs;
    uint64_t va, size = c->d->binary.word;
    if (!c->words)
        return batch_complains(c, "print what?");
    if (*c->word[0] == '$' && c->words == 1) {
        const unsigned number = dbg_register_named(&c->d->binary, c->word[0]);
        if (number == dbg_register_count(&c->d->binary) ||
            !dbg_registers(c->d, dbg_thread(c->d), regs))
            return batch_complains(c, "there is no such register; `registers` names them");
        print_register(c, regs, number);
        return true;
    }
    if (!dbg_address(c, c->word[0], &va) || !batch_number(c, 1, &size))
        return false;
    print_memory(c, va, size < MOST ? size : MOST);
    return true;
}

bool dbg_verb_registers(struct dbg_command *c)
{
    prog_registers regs;
    uint32_t thread;
    if (!batch_thread(c, &thread) || !dbg_registers(c->d, thread, regs))
        return false;
    for (unsigned i = 0; i < dbg_register_count(&c->d->binary); i++)
        print_register(c, regs, i);
    return true;
}

/* ---- the front ------------------------------------------------------------------------------- */

/* Of a command that cannot be carried out it is said where it stands. */
static void batch_does(struct dbg *d, const char *line, size_t count)
{
    struct dbg_session *x = d->session;
    const struct dbg_commands *from = d->front_self;
    char *said = NULL;
    size_t size;
    FILE *out = sim_text_open(&said, &size);
    x->lines++;
    const bool good = dbg_verb(d, line, count, DBG_VERB_BATCH, out);
    sim_text_close(out, &said);
    if (!good)
        printf("%s:%u: ", from->name, x->lines);
    fputs(said, stdout);
    x->failed |= !good;
    free(said);
}

/* What is said of the beginning is nothing; behind the last line the run goes on alone. */
static void batch_serve(struct dbg *d)
{
    struct dbg_session *x = d->session;
    const struct dbg_commands *from = d->front_self;
    char *line = NULL;
    ssize_t count;
    size_t room = 0;
    if (x->why != DBG_STOP_FIRST) {
        dbg_say_why(d, stdout);
        putchar('\n');
    }
    while (x->going == DBG_STANDS && (count = getline(&line, &room, from->in)) >= 0)
        batch_does(d, line, (size_t)count);
    if (x->going == DBG_STANDS && ferror(from->in)) {
        printf("%s: %s\n", from->name, strerror(errno));
        x->failed = true;
    }
    if (x->going == DBG_STANDS)
        x->going = DBG_DETACHED;
    fflush(stdout);
    free(line);
}

const struct dbg_front dbg_batch = {.serve = batch_serve};
