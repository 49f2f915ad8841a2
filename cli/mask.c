/*
 * The mask on a part of the program.
 *
 * The hard idea: a page gets its memory when it is first touched, and before that no packet can be
 * about it. So the mask need not be known before the run; it only has to grow with every page, in
 * the moment in which the page gets its memory.
 */
#include "cli/mask.h"

#include "documents/grid.h"
#include "input/tables.h"
#include "input/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool cli_mask_find(struct cli_mask *mask, const struct in_experiment *x, const char *path)
{
    char why[256];
    *mask = (struct cli_mask){
        .wish = &x->wish, .from = x->mask_from, .to = x->mask_to, .pattern = mon_pattern_none()};
    if (!x->mask_symbol || in_symbol(path, x->mask_symbol, &mask->from, &mask->to, why, sizeof why))
        return true;
    const char *origin = x->origins[IN_KEY_mask_address].text;
    if (strchr(origin, ':')) /* a file and a line */
        fprintf(stderr, "%s: error: 'monitor.mask.address': %s\n", origin, why);
    else
        fprintf(stderr, "numachine: error: %s monitor.mask.address: %s\n", origin, why);
    return false;
}

/* Every card's unit is told, as it was when the mask was first asked for. */
static void tell(const struct cli_mask *mask, struct nm_machine *m)
{
    struct mon_wish wish = *mask->wish;
    struct mon_write write[MON_WRITES_MAX];
    wish.address = mask->pattern;
    const int n = nm_card_unit(m, 0)->ops->program(&wish, MON_PART_MASK, write);
    for (unsigned c = 0; c < nm_machine_cards(m); c++)
        for (int i = 0; i < n; i++)
            if (write[i].key == MON_KEY_ADDRESS)
                nm_card_register_write(m, c, write[i].offset, write[i].value);
}

void cli_mask_page(struct cli_mask *mask, struct nm_machine *m, const struct nm_params *p,
                   uint64_t va, uint64_t pa)
{
    const unsigned line = (unsigned)nm_value_l2_line(p);
    const uint64_t end = va + nm_value_page_size(p);
    const uint64_t from = mask->from > va ? mask->from : va, to = mask->to < end ? mask->to : end;
    if (from >= to)
        return;
    const uint64_t first = pa + (from - va), last = pa + (to - va) - 1;
    mon_pattern_widen(&mask->pattern, first, last + 1, line);
    mask->lines += last / line - first / line + 1;
    tell(mask, m);
}

void cli_mask_remark(const struct cli_mask *mask, struct doc_run *run)
{
    const unsigned line = (unsigned)nm_value_l2_line(run->experiment->machine.params);
    char what[160], pattern[64], own[32], more[32];
    if (mask->from == mask->to)
        return;
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
