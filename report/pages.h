/*
 * Where a program's pages should be: which stations asked for the lines of each page, how many of
 * these requests were local, and the ranges of an experiment's `placement` that would make most of
 * them so.
 *
 * A request is a miss or an upgrade that left its card. It is local if the page's home is the
 * card's station.
 */
#ifndef REP_PAGES_H
#define REP_PAGES_H

#include "input/experiment.h"
#include "report/object_at.h"
#include "report/truth.h"

/** What a station has asked of a page while that had one home. */
struct rep_page_part {
    uint64_t page; /**< virtual address */
    uint32_t home, station;
    int64_t requests, time; /**< time: [PCycles] from asking to having it */
};

/** What becomes of a page. */
enum rep_page_fate {
    REP_PAGE_left,  /**< in no range: it matters little, or is where it belongs */
    REP_PAGE_stays, /**< in a range of its home's, because without one it would go elsewhere */
    REP_PAGE_moves
};
extern const char *const rep_page_fate_name[];

struct rep_page {
    uint64_t va;
    size_t part, parts;
    size_t object;           /**< that most of the requests were for */
    uint32_t home;           /**< where most of them went; it has several if it was mapped anew */
    uint32_t best;           /**< the station that asked most often */
    int64_t requests, local; /**< local: as it was */
    int64_t of_best, time;
    enum rep_page_fate fate;
};

/** An object whose lines were asked for; blocks of one site are one. */
struct rep_paged_object {
    char *name;
    int64_t requests, local, time;
    int64_t placed; /**< [requests] that are local with the ranges */
    size_t pages;
    size_t found; /**< its own */
};

/** A card, and how many more of its requests are local than were. */
struct rep_page_change {
    uint32_t card;
    int64_t requests;
};

/** Made by rep_pages_new. */
struct rep_pages {
    const struct rep_code *code;
    uint64_t page_size;
    uint32_t stations;
    const char *rule; /**< where pages went that were in no range: of memory.placement; static */
    bool pins;        /**< what is not in a range may go to another home than it had */
    int64_t requests, local, time;
    int64_t placed;             /**< [requests] that are local with the ranges */
    struct rep_page_part *part; /**< [parts] by page, home and station */
    size_t parts;
    struct rep_page *page; /**< [pages] by address */
    size_t pages;
    struct rep_paged_object *object; /**< [objects] the one with most remote requests first */
    size_t objects;
    struct rep_page_change gains, loses; /**< the cards that the ranges do most for, and against */
    bool hurts;             /**< one card would lose more than any gains: there are no ranges */
    struct nm_range *range; /**< [ranges] ascending; none: nothing is to be gained */
    size_t ranges;
};

/**
 * @param x     the experiment that ran
 * @param code  outlives it
 * @return the caller's; NULL with one sentence in `why`: the truth is another machine's
 */
struct rep_pages *rep_pages_new(const struct rep_truth *truth, const struct in_experiment *x,
                                struct rep_finder *finder, const struct rep_code *code, char *why,
                                size_t size);
void rep_pages_free(struct rep_pages *pages);

/** Writes why there are no ranges, as one sentence without an end of line. */
void rep_pages_nothing(const struct rep_pages *pages, FILE *out);

/** All requests of a truth. */
struct rep_asked {
    int64_t requests, local, time;
};
struct rep_asked rep_pages_asked(const struct rep_truth *truth);

/** How they can be written (pages_formats.def). */
enum rep_pages_as {
#define FORMAT(name, write, sentence) REP_PAGES_AS_##name,
#include "report/pages_formats.def"
#undef FORMAT
    REP_PAGES_AS__COUNT
};

struct rep_pages_format {
    const char *name, *sentence; /**< static */
    void (*write)(const struct rep_pages *pages, FILE *out);
};
extern const struct rep_pages_format rep_pages_formats[REP_PAGES_AS__COUNT];

void rep_pages_text(const struct rep_pages *pages, FILE *out);
void rep_pages_json(const struct rep_pages *pages, FILE *out);
void rep_pages_csv(const struct rep_pages *pages, FILE *out);
void rep_pages_yaml(const struct rep_pages *pages, FILE *out);

#endif
