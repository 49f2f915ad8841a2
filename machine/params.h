/* The machine's parameters: the rows of params.def, and what all rooms ask of their values. */
#ifndef NM_PARAMS_H
#define NM_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)

/** What a parameter's value is, and how it is written. */
enum nm_param_type {
    NM_PARAM_INT,    /**< whole number, no unit */
    NM_PARAM_BOOL,   /**< true / false */
    NM_PARAM_CYCLES, /**< "12cy", of the clock named by the row's unit */
    NM_PARAM_BYTES,  /**< "64B", "16KB", "1MB", "2GB" (powers of 1024) */
    NM_PARAM_FREQ,   /**< "150MHz", "50MHz", "1GHz", "1000Hz" */
    NM_PARAM_ENUM,   /**< one of the words in the row's unit column; stored as its index */
};

enum { NM_LINE_MAX = 128 /**< [bytes] longest l2.line */ };
/** Values of the parameters that are words, in the order of their rows' unit columns. */
enum nm_isa { NM_ISA_MIPS64R2, NM_ISA_MIPS3, NM_ISA_MIPS4, NM_ISA__COUNT };
enum nm_core {
#define CORE(id, ...) NM_CORE_##id,
#include "procard/cores.def"
    NM_CORES
};
/** Their names as the words of a parameter, separated by blanks (params.def). Static. */
#define NM_CORE_WORDS (nm_core_words + 1)
extern const char nm_core_words[]; /**< a blank before each */
enum { NM_R10000_REVISION2, NM_R10000_REVISION3 };
enum { NM_L2C_NONE, NM_L2C_210, NM_L2C_220 };
/** How a machine runs: run.mode. */
enum nm_mode { NM_MODE_TIMED, NM_MODE_FUNCTIONAL, NM_MODE_WARM };
enum { NM_TICK_STAGGERED, NM_TICK_TOGETHER };
enum { NM_LIVELOCK_SAY, NM_LIVELOCK_END };
enum { NM_FAILED_READ, NM_FAILED_BUS_ERROR };
enum { NM_PLACE_ROUND_ROBIN, NM_PLACE_FIRST_TOUCH, NM_PLACE_LOCAL };

/** A machine's parameters, one value for each row of params.def: machine/values.h, which only files
 * include that need more than the functions below. */
struct nm_params;

/** The values that many ask for (asked.def). */
#define ASKED(function, field) uint64_t function(const struct nm_params *p);
#include "machine/asked.def"
#undef ASKED

/** One row of the table. Strings are static. */
struct nm_param_row {
    const char *key;
    enum nm_param_type type;
    const char *unit;
    uint64_t min, max, def;
    const char *source, *sentence;
    size_t offset; /**< of the value in struct nm_params */
};

/** The rows, in table order; *count receives their number. */
const struct nm_param_row *nm_param_rows(size_t *count);

/** Fills in every default: the prototype, numachine-64. */
void nm_params_default(struct nm_params *p);

/** Another set of the same values; the caller's, for free(). */
struct nm_params *nm_params_copy(const struct nm_params *p);

/** [bytes] of a set of values, which has no gaps. */
size_t nm_params_size(void);

/** Stations of the machine: the product of the rings' fan-outs. */
uint64_t nm_params_stations(const struct nm_params *p);

/** Pages are placed by this rule from now on: a value of memory.placement. */
void nm_params_place(struct nm_params *p, uint64_t rule);

/** Processor cards of the machine. */
uint64_t nm_params_cards(const struct nm_params *p);

/** [PCycles] No access that is not refused takes longer where no other access is in its way: to the
 * home, to the owner and back, with the wait before a retry. */
uint64_t nm_params_slowest(const struct nm_params *p);

/** [PCycles] No access waits longer where everybody wants one line: the slowest one, eight times
 * for each card, and once for each refusal of directory.patience. */
uint64_t nm_params_wait(const struct nm_params *p);

/** [PCycles] And no longer than this for a claim of a page's lines (special.def): each is fetched
 * from its owner, and created. */
uint64_t nm_params_claim(const struct nm_params *p);

/**
 * Checks every row's range, then what no single row can say (rules.def): powers of two, whole clock
 * ratios, lines that fit into caches and pages. Reports the first complaint only.
 * @param[out] key   row key the complaint is about (static string), when false
 * @param[out] why   one sentence with the mend, when false; NULL with `size` 0: not wanted
 */
bool nm_params_check(const struct nm_params *p, const char **key, char *why, size_t size);

/** A rule that ties rows together (rules.def). Strings are static. */
struct nm_param_rule {
    const char *key, *with; /**< rows concerned; `with` is "" when there is only one */
    const char *sentence;   /**< what must hold, and how to mend it */
};

enum { NM_PARAM_RULES_MAX = 64 };

/**
 * Finds the rules that do not hold; every row must be within its range.
 * @param[out] broken  up to NM_PARAM_RULES_MAX rules, in table order
 * @return their number
 */
size_t nm_param_rules_broken(const struct nm_params *p,
                             const struct nm_param_rule *broken[NM_PARAM_RULES_MAX]);

/** A row's default on a machine with those clocks: in cycles, what is meant in times a second. */
uint64_t nm_param_default(const struct nm_params *p, const struct nm_param_row *row);

/** Whether a row may differ from card to card (of_cards.def). */
bool nm_param_is_cards(const struct nm_param_row *row);

/** Whether such rows are all in which two sets of parameters differ. */
bool nm_params_same_machine(const struct nm_params *a, const struct nm_params *b);

/** Value of a row. */
static inline uint64_t nm_param_get(const struct nm_params *p, const struct nm_param_row *row)
{
    return *(const uint64_t *)((const char *)p + row->offset);
}

static inline void nm_param_set(struct nm_params *p, const struct nm_param_row *row, uint64_t v)
{
    *(uint64_t *)((char *)p + row->offset) = v;
}

#pragma GCC visibility pop

#endif
