/*
 * A view of the truth of a run: the lines and objects that were shared, truly or falsely, the cost,
 * the instructions that paid, and the mend.
 */
#ifndef LOOK_SHARING_SHARING_H
#define LOOK_SHARING_SHARING_H

#include "documents/rows/truth.h"
#include "look/object_at.h"
#include "procard/copies.h"

enum { LOOK_WORD = 4 /**< [bytes] as the maps of lines have them */ };

/** What sharing a line or an object was, by what it cost. */
enum look_verdict {
    LOOK_VERDICT_none,  /**< neither cost a hundredth of the time of threads that did not sleep */
    LOOK_VERDICT_false, /**< at least three quarters of the cost are false sharing's */
    LOOK_VERDICT_true,  /**< at most a quarter is */
    LOOK_VERDICT_mixed
};

/** Of misses that sharing made, and of upgrades. [PCycles] */
struct look_lost {
    int64_t falsely, truly;
};

/** The cost of sharing among columns. */
struct look_lost look_lost_of(const int64_t *v);
/** One cost and another, or without the other. */
struct look_lost look_lost_plus(struct look_lost lost, struct look_lost other);
struct look_lost look_lost_less(struct look_lost lost, struct look_lost other);

/** A class of misses or upgrades: each request is of one (procard/misses.def). */
struct look_request_class {
    const char *heading;
    unsigned count; /**< its column, by enum pc_miss_column; its time is the one behind it */
};
extern const struct look_request_class look_request_class[];
extern const unsigned look_request_classes;

/** An instruction that asked for lines. */
struct look_asker {
    uint64_t pc;
    uint64_t call; /**< of a library's instruction, which has no line of the program's own: the call
                      in the program that led there; PC_PROFILE_NOWHERE: none */
    struct look_lost lost;
    int64_t v[DOC_COLUMNS_MOST];
};

/** The address whose source line is shown for it: one of the program's own, if there is one. */
uint64_t look_asker_shown(const struct look_asker *asker);

/** A line of the secondary caches that more than one card has touched. */
struct look_shared_line {
    size_t copy, copies; /**< in the truth: the first, and how many */
    size_t row, rows;    /**< the same of its rows */
    struct look_lost lost;
    int64_t v[DOC_COLUMNS_MOST];
    struct look_asker *asker; /**< [askers] the one that lost most first */
    size_t askers;
};

/** An object whose lines are shared; blocks of one site are one. */
struct look_shared_object {
    char *name;  /**< of a heap block without its number */
    char *place; /**< of blocks and their headers: what got them (look_object_place); else "" */
    bool header; /**< headers of blocks */
    size_t row;  /**< in the truth: one that asked for it */
    struct look_lost lost;
    struct look_lost weight; /**< the same, with that of what is only read in lines in which of this
                                  most is written */
    int64_t v[DOC_COLUMNS_MOST];
    size_t lines;
    struct look_asker *asker; /**< [askers] the one that lost most first */
    size_t askers;
    /** Blocks and headers of one place are mended together: they begin lines, or do not. So where
     * headers are shared, the first object of the place stands for all of them: its number here,
     * the object's own if there are no such headers. */
    size_t lead;
    struct look_lost all, all_weight; /**< of a lead: `lost` and `weight` of all that it stands for;
                                           else nothing */
};

/** Made by look_sharing_new; it only reads what it was made of. */
struct look_sharing {
    const struct doc_truth *truth;
    const struct doc_profile *profile;
    struct look_finder *finder;
    struct look_code *code;
    int64_t time; /**< [PCycles] of threads that did not sleep */
    int64_t rest; /**< [PCycles] of it that no class of requests has */
    /** Of each request's time the part that counts: 1, or less where requests go side by side, as
     * an R10000's do. All costs are such parts; those of `truth` too. */
    double part;
    struct doc_truth *less; /**< `truth`, if it has parts; NULL: it is the one that was given */
    int64_t v[DOC_COLUMNS_MOST];   /**< of all lines; by enum pc_miss_column */
    struct look_lost lost;         /**< all of it: objects have all, shared lines may not */
    struct look_shared_line *line; /**< [lines] the one that lost most first */
    size_t lines;
    struct look_shared_object *object; /**< [objects] the one that weighs most first */
    size_t objects;
};

struct look_sharing *look_sharing_new(const struct doc_truth *truth,
                                      const struct doc_profile *profile, struct look_finder *finder,
                                      struct look_code *code);
void look_sharing_free(struct look_sharing *sharing);

enum look_verdict look_verdict_of(const struct look_sharing *sharing, const struct look_lost *lost);
/** The same of a cost that is looked at by itself: `none` is of no cost only. */
enum look_verdict look_kind_of(const struct look_lost *lost);
extern const char *const look_verdict_name[];

/** The windows of a line: what sharing made of it, in time (procard/windows.h).
 *  @param[out] count  how many */
const struct pc_missed_window *look_sharing_windows(const struct look_sharing *sharing,
                                                    const struct look_shared_line *line,
                                                    size_t *count);
/** Writes them as rows, if they are of different kinds; or nothing. */
void look_sharing_put_windows(const struct look_sharing *sharing,
                              const struct look_shared_line *line, FILE *out);

/** Writes what sharing would be at other line sizes and offsets, or nothing if the run has not been
 *  asked. */
void look_sharing_put_sizes(const struct look_sharing *sharing, FILE *out);

/** What lies at an address of a line while it was asked for; of several, the one that lost most. */
void look_sharing_object(const struct look_sharing *sharing, const struct look_shared_line *line,
                         uint64_t va, struct look_object *out);

/** What a card has read and written of a line, ever. */
pc_bytes look_copy_read(const struct pc_missed_copy *copy);
pc_bytes look_copy_written(const struct pc_missed_copy *copy);

/** The bytes of a line that are written while cards take it from each other: by those from which it
 *  was taken again and again. Others may have been written before. */
pc_bytes look_sharing_written(const struct look_sharing *sharing,
                              const struct look_shared_line *line);

/** An object that lies in a line. */
struct look_held {
    struct look_object at; /**< at the word whose requests lost most, of those that are written
                                (look_sharing_written) if any is; or the first that is touched */
    pc_bytes bytes;        /**< of the line: its words that are touched */
    struct look_lost lost; /**< by requests for it, in this line */
    int64_t most;          /**< [PCycles] that those for `at` lost */
    bool written;          /**< and whether it is written */
};

/** The objects of a line that anybody touched, the one that lost most first.
 *  @param[out] count  how many @return [*count] the caller's (free) */
struct look_held *look_sharing_parts(const struct look_sharing *sharing,
                                     const struct look_shared_line *line, size_t *count);

/** What a name means. */
struct look_named {
    struct look_object at; /**< the object; of a site, one of its blocks */
    bool site;             /**< all blocks of the heap, or their headers, that are called so but for
                                their numbers */
    uint64_t from, to;     /**< [bytes] virtual: what is meant of the object, the end excluded */
    unsigned depth;        /**< how many steps lead from the object to that: 2 for "tallies[3].n" */
};

/** Finds what is called so: what c2c prints as a name (an object, a block with its number, a place
 *  in one), a variable, or a part of a variable. @return false: nothing is */
bool look_sharing_find(const struct look_sharing *sharing, const char *name,
                       struct look_named *out);

/** The shared object of that name; NULL: none. */
const struct look_shared_object *look_sharing_shared(const struct look_sharing *sharing,
                                                     const char *name);

/** The lead of the objects of a place; NULL: none was shared there. */
const struct look_shared_object *look_sharing_at_place(const struct look_sharing *sharing,
                                                       const char *place);

/** Whether headers of a place's blocks were shared. */
bool look_sharing_has_headers(const struct look_sharing *sharing, const char *place);

/** What memory a shared object is, if the program has another name for it: "heap 8 bytes by make at
 *  lab.c:33", of one of its blocks, without a number; else "". @return buf */
const char *look_sharing_memory(const struct look_sharing *sharing,
                                const struct look_shared_object *object, char *buf, size_t size);

/** The names of the objects that lost most, or of the one: "'a', 'b'". @return buf */
const char *look_sharing_costly(const struct look_sharing *sharing, char *buf, size_t size);

/** What to ask for in place of a name that means nothing: "did you mean 'tallies'?" @return buf */
const char *look_sharing_suggest(const struct look_sharing *sharing, const char *name, char *buf,
                                 size_t size);

/** How elements get lines of their own, as compilers take it. An element of a size that is none of
 *  the alignment's cannot be aligned itself; a number, a pointer, an array or what a library
 * declares has no type of the program's, so a struct around it is aligned.
 *  @param object   a variable, in which an element is at `offset`, `depth` steps further
 *  @return the caller's */
char *look_sharing_aligned(const struct look_sharing *sharing, const struct look_object *object,
                           uint64_t offset, unsigned depth);

enum { LOOK_ADVICE = 4096 /**< [bytes] room for one */ };

/** What a programmer could do about a line that is shared, which no run has tried: a sentence; ""
 * of verdict none.
 *  @return buf */
const char *look_sharing_advice(const struct look_sharing *sharing,
                                const struct look_shared_line *line, char *buf, size_t size);

/** Writes it for people. @param most  lines in full; 0: all */
void look_sharing_text(const struct look_sharing *sharing, size_t most, FILE *out);
/** The same for programs. @param sentence  that a person would say first; "": none */
void look_sharing_json(const struct look_sharing *sharing, const char *sentence, FILE *out);

#endif
