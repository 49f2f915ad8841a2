/*
 * The mask's address given as a part of the program: a symbol or a range of virtual addresses. The
 * card compares physical addresses, so the pattern follows the pages as they get memory.
 *
 * The hard idea: a page gets its memory when it is first touched, and before that no packet can be
 * about it. So the mask need not be known before the run; it only has to grow with every page, in
 * the moment in which the page gets its memory.
 */
#include "documents/grid.h"
#include "input/tables.h"
#include "input/workload.h"
#include "run/observer.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct mask {
    struct run_live *live;
    uint64_t from, to;          /* virtual */
    struct mon_pattern pattern; /* physical, of what has memory */
    uint64_t lines;             /* of the range, that have memory */
};

static bool mask_wanted(const struct run_live *live)
{
    const struct in_experiment *x = live->experiment;
    return x->mask_symbol || x->mask_from < x->mask_to;
}

/* Finds the range that the experiment names. */
static bool mask_prepare(void *self, const struct run_live *live)
{
    const struct in_experiment *x = live->experiment;
    struct mask *mask = self;
    char why[256];
    *mask = (struct mask){.from = x->mask_from, .to = x->mask_to, .pattern = mon_pattern_none()};
    if (!x->mask_symbol ||
        in_symbol(live->path, x->mask_symbol, &mask->from, &mask->to, why, sizeof why))
        return true;
    const char *origin = x->origins[IN_KEY_mask_address].text;
    if (strchr(origin, ':')) /* a file and a line */
        fprintf(stderr, "%s: error: 'monitor.mask.address': %s\n", origin, why);
    else
        fprintf(stderr, "numachine: error: %s monitor.mask.address: %s\n", origin, why);
    return false;
}

static enum run_begun mask_begin(void *self, struct run_live *live, char *why, size_t size)
{
    (void)why, (void)size;
    ((struct mask *)self)->live = live;
    return RUN_BEGUN;
}

/* Every card's unit is told, as it was when the mask was first asked for. */
static void mask_tell(const struct mask *mask)
{
    struct nm_machine *m = mask->live->machine;
    struct mon_wish wish = mask->live->experiment->wish;
    struct mon_write write[MON_WRITES_MAX];
    wish.address = mask->pattern;
    const int n = nm_card_unit(m, 0)->ops->program(&wish, MON_PART_MASK, write);
    for (unsigned c = 0; c < nm_machine_cards(m); c++)
        for (int i = 0; i < n; i++)
            if (write[i].key == MON_KEY_ADDRESS)
                nm_card_register_write(m, c, write[i].offset, write[i].value);
}

/* A page of the program has got memory: the cards' masks hold what it has of the range, before
 * anybody can have asked for it. */
static void mask_paged(void *self, uint64_t va, uint64_t pa)
{
    struct mask *mask = self;
    const struct nm_params *p = mask->live->experiment->machine.params;
    const unsigned line = (unsigned)nm_value_l2_line(p);
    const uint64_t end = va + nm_value_page_size(p);
    const uint64_t from = mask->from > va ? mask->from : va, to = mask->to < end ? mask->to : end;
    if (from >= to)
        return;
    const uint64_t first = pa + (from - va), last = pa + (to - va) - 1;
    mon_pattern_widen(&mask->pattern, first, last + 1, line);
    mask->lines += last / line - first / line + 1;
    mask_tell(mask);
}

/* Says what the mask has become. */
static void mask_finish(void *self, sim_tick at)
{
    const struct mask *mask = self;
    struct doc_run *run = &mask->live->run;
    const unsigned line = (unsigned)nm_value_l2_line(run->experiment->machine.params);
    char what[160], pattern[64], own[32], more[32];
    (void)at;
    snprintf(what, sizeof what, "the mask's address %.60s%s0x%" PRIx64 "-0x%" PRIx64,
             run->experiment->mask_symbol ? run->experiment->mask_symbol : "",
             run->experiment->mask_symbol ? ", " : "", mask->from, mask->to);
    if (!mask->lines) {
        doc_remark(run, "%s was never touched, so the mask let nothing pass", what);
        return;
    }
    const uint64_t others = mon_pattern_lines(&mask->pattern, line) - mask->lines;
    mon_pattern_write(&mask->pattern, pattern, sizeof pattern);
    if (others)
        doc_remark(run,
                   "%s became the physical %s: its %s lines and %s others, which were counted as "
                   "well if anybody asked for them; a power of two of bytes, aligned to its size "
                   "within a page, has no others",
                   what, pattern, doc_grouped(mask->lines, own), doc_grouped(others, more));
    else
        doc_remark(run, "%s became the physical %s, its %s lines and no others", what, pattern,
                   doc_grouped(mask->lines, own));
}

const struct run_observer run_mask = {
    .size = sizeof(struct mask),
    .wants = mask_wanted,
    .prepare = mask_prepare,
    .begin = mask_begin,
    .paged = mask_paged,
    .finish = mask_finish,
};
