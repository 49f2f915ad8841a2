/*
 * Words as the decoder sees them: what an instruction reads and writes, which queue and unit it
 * goes to, and what is special about it. Everything follows from the rows of mips/isa.def and
 * timing.def.
 */
#include "base/alloc.h"
#include "procard/mips/hardware.h"
#include "procard/r10000/pipeline.h"

#include <stdlib.h>
#include <string.h>

struct time {
    uint8_t unit, latency, high, repeat;
};

const struct r10k_word r10k_no_word = {.queue = R10K_QUEUE_NONE,
                                       .klass = MIPS_CLASS_INT,
                                       .file = {R10K_FILES},
                                       .counts = UINT64_C(1) << 8 * R10K_COUNT_PLACES};

static const struct time times[MIPS_OP__COUNT] = {
#define TIME(id, unit, latency, high, repeat) \
    [MIPS_OP_##id] = {R10K_UNIT_##unit, latency, high, repeat},
#include "procard/r10000/timing.def"
#undef TIME
};

/* By class, of rows that timing.def does not have. */
static const struct time usual[] = {[MIPS_CLASS_LOAD] = {R10K_UNIT_LSU, 2, 0, 1},
                                    [MIPS_CLASS_STORE] = {R10K_UNIT_LSU, 2, 0, 1},
                                    [MIPS_CLASS_BRANCH] = {R10K_UNIT_ALU1, 1, 0, 1},
                                    [MIPS_CLASS_LIKELY] = {R10K_UNIT_ALU1, 1, 0, 1},
                                    [MIPS_CLASS_JUMP] = {R10K_UNIT_NONE, 1, 0, 1},
                                    [MIPS_CLASS_JUMPR] = {R10K_UNIT_NONE, 1, 0, 1},
                                    [MIPS_CLASS_INT] = {R10K_UNIT_ALU, 1, 0, 1},
                                    [MIPS_CLASS_FP] = {R10K_UNIT_ADD, 2, 0, 1}};

static bool words_has(const struct mips_row *row, const char *letters)
{
    return row && strpbrk(row->operands, letters);
}

static void words_reads(struct r10k_word *w, unsigned logical)
{
    if (logical != R10K_LOGICAL_GPR)
        w->source[w->sources++] = (uint8_t)logical;
}

static void words_writes(struct r10k_word *w, unsigned logical)
{
    w->result[w->results++] = (uint8_t)logical;
}

static unsigned logical_of(unsigned resource)
{
    return resource < MIPS_RES_FPR ? resource : R10K_LOGICAL_FPR + resource - MIPS_RES_FPR;
}

/* Condition code of a bit of FCSR. */
static unsigned code_of(unsigned bit)
{
    return bit == 23 ? 0 : bit - 24;
}

static void words_accumulator(struct r10k_word *w)
{
    switch (w->op.code) {
    case MIPS_OP_MFHI:
        words_reads(w, R10K_LOGICAL_HI);
        break;
    case MIPS_OP_MFLO:
        words_reads(w, R10K_LOGICAL_LO);
        break;
    case MIPS_OP_MTHI:
        words_writes(w, R10K_LOGICAL_HI);
        break;
    case MIPS_OP_MTLO:
        words_writes(w, R10K_LOGICAL_LO);
        break;
    case MIPS_OP_MADD:
    case MIPS_OP_MADDU:
    case MIPS_OP_MSUB:
    case MIPS_OP_MSUBU:
        words_reads(w, R10K_LOGICAL_HI);
        words_reads(w, R10K_LOGICAL_LO);
        break;
    }
    if (w->high) {
        words_writes(w, R10K_LOGICAL_LO);
        words_writes(w, R10K_LOGICAL_HI);
        w->traits |= R10K_TWO;
    }
}

/* Registers from what the decoder of words has found, and halves of them from the letters. */
static void words_registers(struct r10k_word *w, const struct mips_use *use,
                            const struct mips_row *row)
{
    const bool pairs = !(w->flags & MIPS_FR), half = words_has(row, "FWVfH");
    for (unsigned i = 0; i < use->nreads; i++) {
        if (use->reads[i] != MIPS_RES_FCC)
            words_reads(w, logical_of(use->reads[i]));
        else if (words_has(row, "C"))
            words_reads(w, R10K_LOGICAL_FCC + code_of(w->op.t));
    }
    for (unsigned i = 0; i < use->nwrites; i++) {
        if (use->writes[i] != MIPS_RES_FCC)
            words_writes(w, logical_of(use->writes[i]));
        else if (words_has(row, "Q"))
            words_writes(w, R10K_LOGICAL_FCC + code_of((unsigned)w->op.imm));
    }
    if (half && w->results && (pairs || words_has(row, "H"))) { /* the other half stays */
        if (!words_has(row, "f"))
            words_reads(w, w->result[0]);
        w->traits |= R10K_WHOLE;
    } else if (half) {
        w->traits |= R10K_HALF;
    }
    if (words_has(row, "nmzyPBgh"))
        w->traits |= R10K_WHOLE;
    words_accumulator(w);
}

/* Which source is a datum: what a store writes, and what an unaligned load joins its bytes to. */
static void find_data(struct r10k_word *w, const struct mips_row *row)
{
    unsigned n = 0;
    w->data = 0xff;
    if (!(w->traits & (R10K_LOAD | R10K_STORE)))
        return;
    for (const char *o = row->operands; *o; o++) {
        const bool datum =
            strchr(w->traits & R10K_STORE && !words_has(row, "xy") ? "twBX" : "xyX", *o);
        if (!strchr("stbYXvwrxfnmzygPBhC", *o))
            continue;
        const unsigned shift = *o == 'b' || *o == 's' ? 21 : *o == 'x' || *o == 'y' ? 11 : 16;
        if (strchr("stbYX", *o) && !(w->word >> shift & 31))
            continue; /* r0 is no source */
        if (datum)
            w->data = (uint8_t)n;
        n++;
    }
    if (w->data == 0xff && w->sources > n)
        w->data = (uint8_t)n; /* the half that stays */
}

static uint8_t words_around(unsigned code, unsigned size)
{
    switch (code) {
    case MIPS_OP_LWL:
    case MIPS_OP_LWR:
    case MIPS_OP_SWL:
    case MIPS_OP_SWR:
        return 4;
    case MIPS_OP_LDL:
    case MIPS_OP_LDR:
    case MIPS_OP_SDL:
    case MIPS_OP_SDR:
        return 8;
    default:
        return (uint8_t)size;
    }
}

static uint32_t traits_by_class(unsigned klass)
{
    switch (klass) {
    case MIPS_CLASS_LOAD:
        return R10K_LOAD;
    case MIPS_CLASS_STORE:
        return R10K_STORE;
    case MIPS_CLASS_BRANCH:
        return R10K_BRANCH;
    case MIPS_CLASS_LIKELY:
        return R10K_BRANCH | R10K_LIKELY;
    case MIPS_CLASS_JUMP:
        return R10K_JUMP;
    case MIPS_CLASS_JUMPR:
        return R10K_REGISTER;
    default:
        return 0;
    }
}

static uint32_t traits_by_code(const struct r10k_word *w)
{
    switch (w->op.code) {
    case MIPS_OP_LL:
    case MIPS_OP_LLD:
        return R10K_LINKED | R10K_ALONE;
    case MIPS_OP_SC:
    case MIPS_OP_SCD:
        return R10K_CONDITIONAL | R10K_ALONE;
    case MIPS_OP_PREF:
    case MIPS_OP_PREFX:
        return R10K_PREFETCH;
    case MIPS_OP_SYNC:
        return R10K_SYNC | R10K_ALONE;
    case MIPS_OP_SYNCI:
        return R10K_CACHE | R10K_ALONE | R10K_FLUSHES;
    case MIPS_OP_CTC1:
        return R10K_ALONE | R10K_FLUSHES;
    case MIPS_OP_CFC1:
        return R10K_ALONE;
    case MIPS_OP_MFPS:
    case MIPS_OP_MFPC:
        return R10K_ALONE | R10K_SERIAL;
    case MIPS_OP_MTPS:
    case MIPS_OP_MTPC:
        return R10K_ALONE | R10K_SERIAL | R10K_FLUSHES;
    case MIPS_OP_RDHWR:
        return w->op.imm == MIPS_HARDWARE_USER_LOCAL ? R10K_NOW : R10K_ALONE;
    case MIPS_OP_BC1F:
    case MIPS_OP_BC1T:
    case MIPS_OP_BC1FL:
    case MIPS_OP_BC1TL:
        return R10K_FP_BRANCH;
    case MIPS_OP_RI:
    case MIPS_OP_NOP:
    case MIPS_OP_SYSCALL:
    case MIPS_OP_BREAK:
    case MIPS_OP_CACHE:
    case MIPS_OP_COP0:
    case MIPS_OP_COP2:
    case MIPS_OP_LWC2:
    case MIPS_OP_LDC2:
    case MIPS_OP_SWC2:
    case MIPS_OP_SDC2:
        return R10K_NOW;
    default:
        return 0;
    }
}

static enum r10k_queue words_queue_of(const struct r10k_word *w)
{
    switch (w->unit) {
    case R10K_UNIT_NONE:
        return R10K_QUEUE_NONE;
    case R10K_UNIT_ALU:
    case R10K_UNIT_ALU1:
    case R10K_UNIT_ALU2:
        return R10K_QUEUE_INT;
    case R10K_UNIT_LSU:
        return R10K_QUEUE_ADDRESS;
    default:
        return R10K_QUEUE_FP;
    }
}

/* Signs are arithmetic to MIPS IV: of an operand that is no number they set V. Here they leave the
 * flags alone, as qemu does, but the counters see what they are. */
static bool changes_sign(unsigned code)
{
    return code == MIPS_OP_ABS_S || code == MIPS_OP_ABS_D || code == MIPS_OP_NEG_S ||
           code == MIPS_OP_NEG_D;
}

/* Where registers are, for those that copy them. */
static void words_places(struct r10k_word *w)
{
    for (unsigned i = 0; i < w->sources; i++) {
        w->from[i] = (uint16_t)r10k_location(w->source[i]);
        w->traits |= r10k_file_of(w->source[i]) == R10K_FILE_CODES ? R10K_CODES : 0;
    }
    w->file[0] = R10K_FILES;
    for (unsigned i = 0; i < w->results; i++) {
        w->into[i] = (uint16_t)r10k_location(w->result[i]);
        w->file[i] = (uint8_t)r10k_file_of(w->result[i]);
        w->traits |= w->file[i] == R10K_FILE_CODES ? R10K_CODES : 0;
    }
}

static uint64_t words_counts(const struct r10k_word *w)
{
    const uint32_t traits = w->traits;
    const uint64_t two = (traits & R10K_TWO) != 0;
    const uint64_t load = traits & R10K_MEMORY && !(traits & R10K_STORE);
    return (1 + two) << 8 * R10K_COUNT_PLACES | two << 8 * R10K_COUNT_TWOS |
           load << 8 * R10K_COUNT_LOADS |
           (uint64_t)((traits & R10K_STORE) != 0) << 8 * R10K_COUNT_STORES |
           (uint64_t)((traits & R10K_CONDITIONAL) != 0) << 8 * R10K_COUNT_CONDITIONALS |
           (uint64_t)((traits & R10K_FP) != 0) << 8 * R10K_COUNT_FP |
           (uint64_t)((traits & R10K_LOAD) != 0) << 8 * R10K_COUNT_READS |
           (uint64_t)(w->queue == R10K_QUEUE_NONE) << 8 * R10K_COUNT_WITHOUT_UNIT;
}

static enum r10k_own words_own(unsigned unit)
{
    return unit == R10K_UNIT_ALU1 || unit == R10K_UNIT_ADD ? R10K_OWN_FIRST
           : unit == R10K_UNIT_ALU2                        ? R10K_OWN_SECOND
                                                           : R10K_OWN_ANY;
}

static void words_describe(struct r10k_word *w, const struct mips_use *use)
{
    const struct mips_row *row =
        w->op.code < MIPS_OP_ROWS_END ? &mips_rows[mips_row_find(w->word)] : NULL;
    const unsigned code = w->op.code;
    const struct time *time = times[code].latency ? &times[code] : &usual[mips_class_of(code)];
    w->klass = (uint8_t)mips_class_of(code);
    w->latency = time->latency;
    w->high = time->high;
    w->repeat = time->repeat;
    w->unit = time->unit;
    w->traits = traits_by_class(w->klass) | traits_by_code(w);
    if (w->traits & R10K_NOW)
        w->unit = R10K_UNIT_NONE;
    if (w->traits & R10K_LOAD && w->latency == 3)
        w->traits |= R10K_FP_LOAD;
    if (code < MIPS_OP_ROWS_END && mips_fpu[code])
        w->traits |= R10K_FLAGS | R10K_FP;
    if (changes_sign(code))
        w->traits |= R10K_FP;
    if (words_has(row, "Z") || code == MIPS_OP_JALR)
        w->traits |= R10K_LINKS;
    words_registers(w, use, row);
    words_places(w);
    w->own = (uint8_t)words_own(w->unit);
    w->queue = (uint8_t)words_queue_of(w);
    w->counts = words_counts(w);
    w->places = w->queue == R10K_QUEUE_INT  ? R10K_PLACES_INT
                : w->queue == R10K_QUEUE_FP ? R10K_PLACES_FP
                                            : 0;
    w->size = (uint8_t)r10k_access_size(code);
    w->around = words_around(code, w->size);
    w->addend = w->unit == R10K_UNIT_MADD ? 0 : 0xff;
    find_data(w, row);
}

static struct r10k_word *words_make(const struct r10k_code *code, uint32_t word, unsigned flags)
{
    struct r10k_word *w = sim_alloc(1, sizeof *w);
    struct mips_use use;
    w->word = word;
    w->flags = (uint8_t)flags;
    mips_translate(word, flags, code->level, &w->op, &use);
    words_describe(w, &use);
    return w;
}

static void words_grow(struct r10k_code *code)
{
    const unsigned bits = code->bits ? code->bits + 1 : 10;
    struct r10k_word **words = sim_alloc((size_t)1 << bits, sizeof *words);
    for (unsigned i = 0; code->bits && i < 1u << code->bits; i++)
        for (struct r10k_word *w = code->words[i], *next; w; w = next) {
            const uint32_t place = (w->word * 2654435761u + w->flags) >> (32 - bits);
            next = w->next;
            w->next = words[place];
            words[place] = w;
        }
    free(code->words);
    code->words = words;
    code->bits = bits;
}

const struct r10k_word *r10k_word_get(struct r10k_code *code, uint32_t word, unsigned flags)
{
    if (code->count >> code->bits || !code->bits)
        words_grow(code);
    struct r10k_word **at = &code->words[(word * 2654435761u + flags) >> (32 - code->bits)];
    for (const struct r10k_word *w = *at; w; w = w->next)
        if (w->word == word && w->flags == flags)
            return w;
    struct r10k_word *w = words_make(code, word, flags);
    w->next = *at;
    *at = w;
    code->count++;
    return w;
}

void *r10k_code_new(pc_fetch_fn *fetch, void *ctx, const struct nm_params *card)
{
    struct r10k_code *code = sim_alloc(1, sizeof *code);
    *code = (struct r10k_code){
        .fetch = fetch, .ctx = ctx, .level = mips_level((enum nm_isa)nm_value_isa(card))};
    return code;
}

void r10k_code_free(void *its)
{
    struct r10k_code *code = its;
    if (!code)
        return;
    for (unsigned i = 0; code->bits && i < 1u << code->bits; i++)
        for (struct r10k_word *w = code->words[i], *next; w; w = next) {
            next = w->next;
            free(w);
        }
    free(code->words);
    free(code);
}

bool r10k_code_await(void *its, uint64_t va, uint64_t times_more)
{
    struct r10k_code *code = its;
    if (code->awaited != va)
        code->came = code->due = 0;
    code->awaited = va;
    code->due = times_more > UINT64_MAX - code->due ? UINT64_MAX : code->due + times_more;
    return va && code->came >= code->due;
}

/* All that graduate are told of (r10k_record_graduates), whichever are asked for. */
void r10k_code_points(void *its, const struct pc_points *points)
{
    (void)its, (void)points;
}
