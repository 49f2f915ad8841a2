/*
 * Pages for people: what was local, objects, what should move; the ranges as an experiment has
 * them; and all pages by station as a table.
 */
#include "documents/cells.h"
#include "look/placement/pages.h"

#include "base/alloc.h"
#include "documents/statistics/stats.h"
#include "look/cost.h"

#include <inttypes.h>
#include <stdlib.h>

enum { OBJECTS = 10, PAGES = 20 }; /* in the tables */

const struct look_pages_format look_pages_formats[] = {{"text", look_pages_text},
                                                       {"json", look_pages_json},
                                                       {"csv", look_pages_csv},
                                                       {"yaml", look_pages_yaml}};

static void placement_text_put_head(const struct look_pages *p, FILE *out)
{
    look_code_put(p->code, out);
    fprintf(out, "# requests that left a card: %" PRId64 ", in %" PRId64 " PCycles\n", p->requests,
            p->time);
    fprintf(out, "# pages in no range went by memory.placement: %s\n", p->rule);
    fprintf(out, "# to the memory of the card's station: %" PRId64 ", %.2f %%\n", p->local,
            look_percent(p->local, p->requests));
}

void look_pages_nothing(const struct look_pages *p, FILE *out)
{
    if (p->hurts)
        fprintf(out,
                "nothing is to be gained by ranges: card %" PRIu32 " would lose %" PRId64
                " local requests, and no card gains more than %" PRId64
                "; numachine mend measures other rules than memory.placement %s",
                p->loses.card, -p->loses.requests, p->gains.requests, p->rule);
    else
        fputs("nothing is to be gained: ranges would make no more than a hundredth of the "
              "requests local",
              out);
}

static void put_objects(const struct look_pages *p, FILE *out)
{
    fprintf(out, "\n# objects, by requests to other stations\n# %10s %9s %9s %14s %6s  object\n",
            "requests", "local", p->ranges ? "placed" : "", "PCycles", "pages");
    for (size_t i = 0; i < p->objects && i < OBJECTS; i++) {
        const struct look_paged_object *o = &p->object[i];
        fprintf(out, "  %10" PRId64 " %7.2f %%", o->requests, look_percent(o->local, o->requests));
        if (p->ranges)
            fprintf(out, " %7.2f %%", look_percent(o->placed, o->requests));
        else
            fprintf(out, " %9s", "");
        fprintf(out, " %14" PRId64 " %6zu  %s\n", o->time, o->pages, o->name);
    }
    if (p->objects > OBJECTS)
        fprintf(out, "# %zu more\n", p->objects - OBJECTS);
}

static void put_page(const struct look_pages *p, const struct look_page *page, FILE *out)
{
    fprintf(
        out, "  0x%010" PRIx64 " %5" PRIu32 " %5" PRIu32 " %10" PRId64 " %7.2f %% %7.2f %%  %s\n",
        page->va, page->home, page->best, page->requests, look_percent(page->local, page->requests),
        look_percent(page->of_best, page->requests), p->object[page->object].name);
}

static void put_pages(const struct look_pages *p, FILE *out)
{
    size_t moving, staying = 0;
    const struct look_page **list = look_pages_moving(p, &moving);
    for (size_t i = 0; i < p->pages; i++)
        staying += p->page[i].fate == LOOK_PAGE_stays;
    fprintf(out,
            "\n# pages that should move, by the requests that become local\n"
            "# %-12s %5s %5s %10s %9s %9s  mostly\n",
            "page", "from", "to", "requests", "local", "placed");
    for (size_t i = 0; i < moving && i < PAGES; i++)
        put_page(p, list[i], out);
    if (moving > PAGES)
        fprintf(out, "# %zu more\n", moving - PAGES);
    if (staying)
        fprintf(out, "# pages that stay where they are, and need ranges for that: %zu\n", staying);
    free(list);
}

void look_pages_text(const struct look_pages *p, FILE *out)
{
    placement_text_put_head(p, out);
    if (p->ranges) {
        fprintf(out, "# with the ranges below: %" PRId64 ", %.2f %%\n", p->placed,
                look_percent(p->placed, p->requests));
    } else {
        fputs("# ", out);
        look_pages_nothing(p, out);
        putc('\n', out);
    }
    put_objects(p, out);
    if (!p->ranges)
        return;
    put_pages(p, out);
    fprintf(out, "\n# For the experiment's file. More local requests need not be less time%s.\n",
            p->code->ended ? ": --measure says it" : "");
    look_pages_yaml(p, out);
}

void look_pages_yaml(const struct look_pages *p, FILE *out)
{
    fprintf(out, "placement:%s\n", p->ranges ? "" : " {}");
    for (size_t i = 0; i < p->ranges; i++)
        fprintf(out, "  0x%" PRIx64 "-0x%" PRIx64 ": %u\n", p->range[i].from, p->range[i].to,
                p->range[i].station);
}

void look_pages_csv(const struct look_pages *p, FILE *out)
{
    fputs("page,home,station,requests,pcycles,best,fate,object\r\n", out);
    for (size_t i = 0; i < p->pages; i++) {
        const struct look_page *page = &p->page[i];
        for (size_t k = page->part; k < page->part + page->parts; k++) {
            const struct look_page_part *part = &p->part[k];
            const struct doc_cell cell[] = {doc_cell_address(part->page, UINT64_MAX),
                                            doc_cell_integer(part->home),
                                            doc_cell_integer(part->station),
                                            doc_cell_integer(part->requests),
                                            doc_cell_integer(part->time),
                                            doc_cell_integer(page->best),
                                            doc_cell_text(look_page_fate_name[page->fate]),
                                            doc_cell_text(p->object[page->object].name)};
            doc_cells_csv(out, cell, sizeof cell / sizeof *cell);
        }
    }
}
