/*
 * Where a program's pages should be: which stations asked for the lines of each page, how many of
 * these requests were local, and the ranges of an experiment's `placement` that would make most of
 * them so.
 *
 * A request is a miss or an upgrade that left its card. It is local if the page's home is the
 * card's station.
 */
#ifndef LOOK_PLACEMENT_PAGES_H
#define LOOK_PLACEMENT_PAGES_H

#include "documents/rows/truth.h"
#include "input/experiment.h"
#include "look/object_at.h"

/** What a station has asked of a page while that had one home. */
struct look_page_part {
    uint64_t page; /**< virtual address */
    uint32_t home, station;
    int64_t requests, time; /**< time: [PCycles] from asking to having it */
};

/** What becomes of a page. */
enum look_page_fate {
    LOOK_PAGE_left,  /**< in no range: it matters little, or has nothing to lose elsewhere */
    LOOK_PAGE_stays, /**< in a range of its home's, because without one it would go elsewhere */
    LOOK_PAGE_moves
};
extern const char *const look_page_fate_name[];

struct look_page {
    uint64_t va;
    size_t part, parts;
    size_t object;           /**< that most of the requests were for */
    uint32_t home;           /**< where most of them went; it has several if it was mapped anew */
    uint32_t best;           /**< the station that asked most often */
    int64_t requests, local; /**< local: as it was */
    int64_t of_best, of_home, time; /**< of_: [requests] of that station's cards */
    enum look_page_fate fate;
};

/** An object whose lines were asked for; blocks of one site are one. */
struct look_paged_object {
    char *name;
    int64_t requests, local, time;
    int64_t placed; /**< [requests] that are local with the ranges */
    size_t pages;
    size_t found; /**< its own */
};

/** A card, and how many more of its requests are local than were. */
struct look_page_change {
    uint32_t card;
    int64_t requests;
};

/** Made by look_pages_new. */
struct look_pages {
    const struct look_code *code;
    uint64_t page_size;
    uint32_t stations;
    const char *rule; /**< where pages went that were in no range: of memory.placement; static */
    bool pins;        /**< what is not in a range may go to another home than it had */
    int64_t requests, local, time;
    int64_t placed;              /**< [requests] that are local with the ranges */
    struct look_page_part *part; /**< [parts] by page, home and station */
    size_t parts;
    struct look_page *page; /**< [pages] by address */
    size_t pages;
    struct look_paged_object *object; /**< [objects] the one with most remote requests first */
    size_t objects;
    struct look_page_change gains, loses; /**< the cards that the ranges do most for, and against */
    bool hurts;             /**< one card would lose more than any gains: there are no ranges */
    struct nm_range *range; /**< [ranges] ascending; none: nothing is to be gained */
    size_t ranges;
};

/**
 * @param x     the experiment that ran
 * @param code  outlives it
 * @return the caller's; NULL with one sentence in `why`: the truth is another machine's
 */
struct look_pages *look_pages_new(const struct doc_truth *truth, const struct in_experiment *x,
                                  struct look_finder *finder, const struct look_code *code,
                                  char *why, size_t size);
void look_pages_free(struct look_pages *pages);

/** Writes why there are no ranges, as one sentence without an end of line. */
void look_pages_nothing(const struct look_pages *pages, FILE *out);

/** The pages that should move, those first of which most requests become local.
 *  @param[out] count  how many @return [*count] the caller's (free) */
const struct look_page **look_pages_moving(const struct look_pages *pages, size_t *count);

/** All requests of a truth. */
struct look_asked {
    int64_t requests, local, time;
};
struct look_asked look_pages_asked(const struct doc_truth *truth);

/** How they can be written: tables for people, an object with lists of objects, of pages by station
 *  and of ranges, a line for each page and station that asked for it, the ranges alone as an
 *  experiment has them. Strings are static. */
extern const struct look_pages_format {
    const char *name;
    void (*write)(const struct look_pages *pages, FILE *out);
} look_pages_formats[4];

void look_pages_text(const struct look_pages *pages, FILE *out);
void look_pages_json(const struct look_pages *pages, FILE *out);
void look_pages_csv(const struct look_pages *pages, FILE *out);
void look_pages_yaml(const struct look_pages *pages, FILE *out);

#endif
