/*
 * The interpreter: decoded blocks, with the pipeline's time. exec_untimed.c is the same source
 * without time; of both there is one more that is observed (profile.c): it puts its books down
 * behind each instruction.
 *
 * The hard idea: an instruction issues at the first tick at which all it reads is ready, which is
 * the greatest of a few numbers; so the pipeline costs the host no more than a handful of
 * instructions, and blocks need not know in what state they are entered. Everything that is no hit
 * in a line which the caches show (struct pc_line) is a call.
 */
#include "procard/arm/arithmetic.h"
#include "procard/arm11/profile.h"

#include <string.h>

#ifdef ARM11_OBSERVED
#define OBSERVED    1
#define NAMED(name) name##_observed
#else
#define OBSERVED    0
#define NAMED(name) name
#endif
#ifndef ARM11_UNTIMED
#define TIMED 1
#define RUN   NAMED(arm11_run)
#else
#define TIMED 0
#define RUN   NAMED(arm11_run_untimed)
#endif

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* ---- conditions ------------------------------------------------------------------------------ */

static inline bool holds(const struct arm_regs *r, unsigned cond)
{
    bool is;
    switch (cond >> 1) {
    case 0:
        is = !r->z;
        break;
    case 1:
        is = r->c;
        break;
    case 2:
        is = r->n >> 31;
        break;
    case 3:
        is = r->v >> 31;
        break;
    case 4:
        is = r->c && r->z;
        break;
    case 5:
        is = !((r->n ^ r->v) >> 31);
        break;
    case 6:
        is = r->z && !((r->n ^ r->v) >> 31);
        break;
    default:
        return true;
    }
    return is != (cond & 1);
}

/* ---- status registers ------------------------------------------------------------------------ */

/* What a user may write: flags and Q, GE. */
static void write_status(struct arm_regs *r, uint32_t v, unsigned fields)
{
    enum { FLAGS = 8, STATUS = 4 };
    const uint32_t mask =
        (fields & FLAGS ? UINT32_C(0xf8000000) : 0) | (fields & STATUS ? ARM_CPSR_GE : 0);
    const bool t = r->t, e = r->e;
    arm_set_cpsr(r, (arm_cpsr(r) & ~mask) | (v & mask));
    r->t = t;
    r->e = e;
}

static uint32_t rotated_immediate(uint32_t word)
{
    return arm_rotated(word & 255, word >> 7 & 30);
}

/* ---- multiple transfers ---------------------------------------------------------------------- */

struct multiple {
    uint32_t va, base; /* the lowest address; the base written back */
    unsigned n;
    uint8_t reg[ARM11_PARTS];
};

static inline void multiple(const struct arm11_op *op, uint32_t base, struct multiple *m)
{
    const uint32_t bytes = (uint32_t)__builtin_popcount(op->a.imm) * 4;
    const bool up = op->a.aux & ARM_UP, pre = op->a.aux & ARM_PRE;
    m->n = 0;
    m->va = up ? base + (pre ? 4 : 0) : base - bytes + (pre ? 0 : 4);
    m->base = up ? base + bytes : base - bytes;
    for (uint32_t left = op->a.imm; left; left &= left - 1)
        m->reg[m->n++] = (uint8_t)__builtin_ctz(left);
}

/* The offset of a transfer that is neither simple nor immediate. */
static inline uint32_t offset_of(const struct arm11_op *op, const struct arm_regs *r)
{
    uint32_t carry = r->c;
    if (!(op->a.aux & ARM_REGISTER))
        return op->a.imm;
    const uint32_t v = arm_shifted(r->r[op->a.m], op->a.imm, &carry);
    return op->a.aux & ARM_UP ? v : -v;
}

/* ---- the books ------------------------------------------------------------------------------- */

/* What is kept in the interpreter's own variables while it runs. Of branches only those that take a
 * PCycle: a folded one has none to be put down. */
struct tally {
    uint64_t insns, slips, touches, loads, stores, swaps, branches, taken;
    sim_tick began;
};

static uint64_t all_states(const struct pc_cpu *cpu)
{
    uint64_t sum = 0;
    for (unsigned s = 0; s < PC_ST__COUNT; s++)
        sum += cpu->states[s];
    return sum;
}

/* All of the clock that nobody has put down to anything is instructions' own: the first PCycle of a
 * load, store or branch is of its kind, the others are integer ones. So the books of a run are the
 * sum of those of its instructions. */
static void put_down(struct arm11 *c, const struct tally *t)
{
    struct pc_cpu *cpu = &c->base;
    cpu->instructions += t->insns;
    arm11_books(c, PC_ST_SLIP_INT, t->slips);
    c->loads += t->loads;
    c->stores += t->stores;
    arm11_signal(c, ARM11_SIGNAL_INSTRUCTIONS, t->insns);
    arm11_signal(c, ARM11_SIGNAL_DEPENDENCY, t->slips);
    arm11_signal(c, ARM11_SIGNAL_D_ACCESS, t->touches);
    arm11_signal(c, ARM11_SIGNAL_D_CACHEABLE, t->touches);
    arm11_signal(c, ARM11_SIGNAL_CYCLES, cpu->now - t->began);
    const uint64_t rest = cpu->now - all_states(cpu);
    if (OBSERVED)
        arm11_completes(c, t->insns, rest);
    arm11_books(c, PC_ST_LOAD, t->loads);
    arm11_books(c, PC_ST_STORE, t->stores - t->swaps);
    arm11_books(c, PC_ST_BR_TAKEN, t->taken);
    arm11_books(c, PC_ST_BR_UNTAKEN, t->branches - t->taken);
    arm11_books(c, PC_ST_INT, rest - t->loads - (t->stores - t->swaps) - t->branches);
}

/* ---- where to go on -------------------------------------------------------------------------- */

static struct arm11_block *find_block(struct arm11 *c, uint32_t pc)
{
    struct arm11_block **hot = &c->hot[(pc >> 1 ^ pc >> 9) & 255];
    if (!*hot || (*hot)->key.pc != pc || (*hot)->key.thumb != c->r.t) {
        struct arm11_block *b = arm11_block_get(c->code, pc, c->r.t);
        if (c->generation != c->code->generation) {
            memset(c->hot, 0, sizeof c->hot);
            c->generation = c->code->generation;
        }
        *hot = b;
    }
    return *hot;
}

static bool no_instruction(struct arm11 *c, uint32_t pc)
{
    struct pc_look look = {.page = NM_XLATE_OK};
    pc_find(&c->base, pc, NM_FETCH, &look);
    c->r.r[ARM_PC] = pc;
    return arm11_fault(c, pc, NM_FETCH, (enum nm_xlate)look.page);
}

/* The end of a run that traps: what has been begun is done first. */
static sim_tick traps(struct arm11 *c)
{
    struct pc_cpu *cpu = &c->base;
    if (cpu->exc != PC_EXC_POINT)
        c->r.passed = 0;
    if (cpu->exc == PC_EXC_SYS)
        c->r.r[ARM_PC] = c->call_npc;
    c->op = NULL;
    return pc_stopped(cpu, PC_STOP_TRAP);
}

/* ---- rows of timing.def as constants of the handlers ----------------------------------------- */

#define TIME(name, cycles, latency, second, early, late, source)                             \
    enum { CYCLES_##name = (cycles), LATENCY_##name = (latency), SECOND_##name = (second) }; \
    static inline int adjust_##name(char letter)                                             \
    {                                                                                        \
        return strchr(early, letter) ? 1 : strchr(late, letter) ? -1 : 0;                    \
    }
#include "procard/arm11/timing.def"
#undef TIME

/* ---- handlers -------------------------------------------------------------------------------- */

#define REG(i)  (c->r.r[i])
#define D       REG(op->a.d)
#define N       REG(op->a.n)
#define M       REG(op->a.m)
#define S       REG(op->a.s)
#define A       REG(op->a.a)
#define LO      REG(op->a.d)
#define HI      REG(op->a.e)
#define GE      (c->r.ge)
#define Q       (c->r.q)
#define CARRY   (c->r.c)
#define WORD    (op->a.imm)
#define PC_HERE (b->key.pc + 2u * op->at)

#define BITS(high, low)   (WORD >> (low) & ((UINT32_C(1) << ((high) - (low) + 1)) - 1))
#define HALF(v, bit)      ((int16_t)((bit) >= 0 && WORD >> ((bit)&31) & 1 ? (v) >> 16 : (v)))
#define DUAL_LOW          ((int16_t)(WORD >> 5 & 1 ? S >> 16 : S))
#define DUAL_HIGH         ((int16_t)(WORD >> 5 & 1 ? S : S >> 16))
#define DUAL(v)           dual((v), &Q)
#define ROTATED           arm_rotated(M, BITS(11, 10) * 8)
#define SATURATED(v)      arm_saturate((v), 32, false, &Q)
#define SATURATED16(m, u) arm_saturate16((m), WORD, (u), &Q)
#define ACCUMULATED(v)    D = dual((v) + (int32_t)A, &Q)
#define NZ(v)             (c->r.n = c->r.z = (v))
#define NZ64(lo, hi)      (c->r.n = (hi), c->r.z = (lo) | (hi))
#define LONG(v)                      \
    do {                             \
        const uint64_t both = (v);   \
        LO = (uint32_t)both;         \
        HI = (uint32_t)(both >> 32); \
    } while (0)

/* Sets Q if a sum does not fit 32 bits, and keeps these. */
static inline uint32_t dual(int64_t v, uint8_t *q)
{
    if (v != (int32_t)v)
        *q = 1;
    return (uint32_t)v;
}

#if OBSERVED
/** What has been done is put down to the instruction that did it; the next one stands there now. */
#define BOOKS()                                                                                   \
    do {                                                                                          \
        base->now = now;                                                                          \
        put_down(c, &(struct tally){insns, slips, touches, loads, stores, swaps, branches, taken, \
                                    began});                                                      \
        insns = slips = touches = loads = stores = swaps = branches = taken = 0;                  \
        began = now;                                                                              \
    } while (0)
#define STANDS() arm11_stands(c, b, op)
/** The block is left for `to`. */
#define LEAVES(how, to)                     \
    do {                                    \
        BOOKS();                            \
        arm11_moves(c, b, op, (how), (to)); \
    } while (0)
#define REFERS(kind, va, size)                    \
    do {                                          \
        base->now = now;                          \
        arm11_refers_to(c, (kind), (va), (size)); \
    } while (0)
#define SLIPS(n)             \
    do {                     \
        slips += (n);        \
        arm11_slips(c, (n)); \
    } while (0)
#else
#define SLIPS(n)               (slips += (n))
#define BOOKS()                ((void)0)
#define STANDS()               ((void)0)
#define LEAVES(how, to)        ((void)0)
#define REFERS(kind, va, size) ((void)0)
#endif
#define DISPATCH()               \
    do {                         \
        BOOKS();                 \
        STANDS();                \
        goto *label[op->a.code]; \
    } while (0)
#define NEXT()      \
    do {            \
        insns++;    \
        op++;       \
        DISPATCH(); \
    } while (0)
#define NEXT_FREE() \
    do {            \
        op++;       \
        DISPATCH(); \
    } while (0)

#if TIMED
#define LATER(i)                                                                           \
    do {                                                                                   \
        const sim_tick other = c->ready[op->source[i]] + (sim_tick)(int64_t)op->adjust[i]; \
        at = (int64_t)other > (int64_t)at ? other : at;                                    \
    } while (0)
/** The same of a register, if it is known how much later it may be read. */
#define AFTER(reg, adjust)                                                  \
    do {                                                                    \
        const sim_tick other = c->ready[reg] + (sim_tick)(int64_t)(adjust); \
        at = (int64_t)other > (int64_t)at ? other : at;                     \
    } while (0)
/** The same of an operand, if the row has it. */
#define WANTS(operands, time, letter, reg)     \
    do {                                       \
        if (strchr(operands, letter))          \
            AFTER(reg, adjust_##time(letter)); \
    } while (0)
#define WRITABLE(reg)                                      \
    do {                                                   \
        if (unlikely(c->locked > at) && c->lock[reg] > at) \
            at = c->lock[reg];                             \
    } while (0)
/** The run ends: the instruction waits until a tick. */
#define WAITS(where, tick) \
    do {                   \
        wants = (tick);    \
        goto where;        \
    } while (0)
/** The instruction issues now, or the run ends. */
#define ISSUED()                     \
    do {                             \
        if (unlikely(at >= horizon)) \
            WAITS(waits, at);        \
        SLIPS(at - now);             \
        now = at;                    \
    } while (0)
#define ISSUE1()       \
    sim_tick at = now; \
    LATER(0);          \
    WRITABLE(op->a.d); \
    ISSUED()
#define ISSUE2()       \
    sim_tick at = now; \
    LATER(0);          \
    LATER(1);          \
    WRITABLE(op->a.d); \
    ISSUED()
/* Of loads and stores the pipe is the first source. A wait for it is none for a register; meanwhile
 * all places for misses may be taken, too. */
#define PIPED() sim_tick at = c->ready[ARM11_LSU] > now ? c->ready[ARM11_LSU] : now, free = at
#define ENTERS()                              \
    do {                                      \
        if (unlikely(at >= horizon))          \
            WAITS(waits, at);                 \
        if (unlikely(free > now))             \
            not_for_registers(c, free - now); \
        if (unlikely(c->full > now))          \
            also_full(c, now, at);            \
        SLIPS(at - now);                      \
        now = at;                             \
    } while (0)
#define ENTER2()                   \
    PIPED();                       \
    AFTER(op->a.n, op->adjust[1]); \
    WRITABLE(op->a.d);             \
    ENTERS()
#define ENTER3()       \
    PIPED();           \
    LATER(1);          \
    LATER(2);          \
    WRITABLE(op->a.d); \
    ENTERS()
#define ENTER5()       \
    PIPED();           \
    LATER(1);          \
    LATER(2);          \
    LATER(3);          \
    LATER(4);          \
    WRITABLE(op->a.d); \
    WRITABLE(op->a.e); \
    ENTERS()
/** An instruction that is none of memory, and whose row and time are constants. */
#define ISSUE_ROW(operands, time) ISSUE_ROW_(operands, time)
#define ISSUE_ROW_(operands, time)       \
    sim_tick at = now;                   \
    WANTS(operands, time, 'a', op->a.a); \
    WANTS(operands, time, 'n', op->a.n); \
    WANTS(operands, time, 'm', op->a.m); \
    WANTS(operands, time, 's', op->a.s); \
    WANTS(operands, time, 'l', op->a.d); \
    WANTS(operands, time, 'h', op->a.e); \
    WRITABLE(op->a.d);                   \
    if (SECOND_##time)                   \
        WRITABLE(op->a.e);               \
    ISSUED()
#define DONE_ROW(time) DONE_ROW_(time)
#define DONE_ROW_(time)                              \
    do {                                             \
        c->ready[op->a.d] = now + LATENCY_##time;    \
        if (SECOND_##time)                           \
            c->ready[op->a.e] = now + SECOND_##time; \
        now += CYCLES_##time;                        \
    } while (0)
#define RESULT()        (c->ready[op->a.d] = now + op->latency)
#define TAKES()         (now += op->cycles)
#define OCCUPIES(more)  (c->ready[ARM11_LSU] = now + op->memory + (more))
#define LATENCY         , op->latency
#define CALL(f)         arm11_##f
#define VIEW(va)        (&c->view[(va) >> ARM11_LINE_SHIFT & c->view_mask])
#define TAG(va, size)   ((va) & (~UINT32_C(31) | ((size)-1)))
#define WROTE(line, va) ((line)->touched |= 1u << ((va) >> 4 & 1))
#else
#define ISSUE()                       \
    do {                              \
        if (unlikely(now >= horizon)) \
            goto waits;               \
    } while (0)
#define ISSUE1()       ISSUE()
#define ISSUE2()       ISSUE()
#define ISSUE_ROW(...) ISSUE()
#define DONE_ROW(...)  (now++)
#define ENTER2()       ISSUE()
#define ENTER3()       ISSUE()
#define ENTER5()       ISSUE()
#define RESULT()       ((void)0)
#define TAKES()        (now++)
#define OCCUPIES(more) ((void)0)
#define LATENCY
#define CALL(f)         arm11_untimed_##f
#define VIEW(va)        (&view[(va) >> c->base.dshift & view_mask])
#define TAG(va, size)   ((va) & (untimed_line | ((size)-1)))
#define WROTE(line, va) ((void)0)
#endif

/* Other functions see the clock and the place, and may move the clock. */
#define OUT()                  \
    do {                       \
        c->base.now = now;     \
        REG(ARM_PC) = PC_HERE; \
    } while (0)
#define IN()                       \
    do {                           \
        now = c->base.now;         \
        horizon = c->base.horizon; \
    } while (0)
/** What the predictors say that an instruction takes that issues now, in `cycles`; fetch may have
 *  asked for lines. */
#define PREDICTED(cycles, call)  \
    do {                         \
        base->now = now;         \
        (cycles) = (call);       \
        horizon = base->horizon; \
    } while (0)
/** What has been done so far is in the books: the instruction reads them, or what listens to them.
 */
#define PUT_DOWN()                                                                                \
    do {                                                                                          \
        OUT();                                                                                    \
        put_down(c, &(struct tally){insns, slips, touches, loads, stores, swaps, branches, taken, \
                                    began});                                                      \
        insns = slips = touches = loads = stores = swaps = branches = taken = 0;                  \
        began = now;                                                                              \
    } while (0)
/** A call that may say that the instruction cannot be done yet. */
#define SLOWLY(call)             \
    do {                         \
        OUT();                   \
        const bool did = (call); \
        IN();                    \
        if (!did)                \
            goto stopped;        \
    } while (0)

/* -- data processing: x, y, and the shifter's carry -- */
#define OPERAND_I                 \
    const uint32_t y = op->a.imm; \
    const uint32_t shifter = op->a.aux == 2 ? c->r.c : op->a.aux;
#define OPERAND_R         \
    const uint32_t y = M; \
    const uint32_t shifter = c->r.c;
#define OPERAND_L                      \
    const uint32_t y = M << op->a.aux; \
    const uint32_t shifter = M >> (32 - op->a.aux) & 1;
#define OPERAND_H              \
    uint32_t shifter = c->r.c; \
    const uint32_t y = arm_shifted(M, op->a.aux, &shifter);
#define OPERAND_V              \
    uint32_t shifter = c->r.c; \
    const uint32_t y = arm_shifted_by(M, op->a.aux, S, &shifter);
#define TIME_I  ALU
#define TIME_R  ALU
#define TIME_L  ALU_SHIFT
#define TIME_H  ALU_SHIFT
#define TIME_V  ALU_REGISTER
#define READS_I "n"
#define READS_R "nm"
#define READS_L "nm"
#define READS_H "nm"
#define READS_V "nms"

#define PROCESS(id, form, s, ...)             \
    do_##id##_##form##s:                      \
    {                                         \
        ISSUE_ROW(READS_##form, TIME_##form); \
        const uint32_t x = N;                 \
        OPERAND_##form;                       \
        (void)x, (void)shifter;               \
        __VA_ARGS__;                          \
        DONE_ROW(TIME_##form);                \
        NEXT();                               \
    }
#define FORMS(id, s, ...)          \
    PROCESS(id, I, s, __VA_ARGS__) \
    PROCESS(id, R, s, __VA_ARGS__) \
    PROCESS(id, L, s, __VA_ARGS__) \
    PROCESS(id, H, s, __VA_ARGS__) \
    PROCESS(id, V, s, __VA_ARGS__)
#define LOGICAL(result, to)          \
    const uint32_t value = (result); \
    to;                              \
    NZ(value);                       \
    c->r.c = shifter
#define SUM(first, other, carry, to)                \
    const uint32_t p = (first), q = (other);        \
    const uint64_t sum = (uint64_t)p + q + (carry); \
    const uint32_t value = (uint32_t)sum;           \
    to;                                             \
    NZ(value);                                      \
    c->r.c = (uint32_t)(sum >> 32);                 \
    c->r.v = (p ^ value) & (q ^ value)

/* -- memory -- */
#define LOADS(id, form, issue, bytes, kind, convert, before, address, after) \
    do_##id##_##form:                                                        \
    {                                                                        \
        issue();                                                             \
        before;                                                              \
        const uint32_t va = (address);                                       \
        const struct pc_line *line = VIEW(va);                               \
        if (likely(line->rtag == TAG(va, bytes))) {                          \
            const uint8_t *p = (const uint8_t *)(line->host + va);           \
            after;                                                           \
            D = convert;                                                     \
            RESULT();                                                        \
            REFERS(PC_RECORDED_LOAD, va, bytes);                             \
            touches++;                                                       \
        } else {                                                             \
            SLOWLY(CALL(load)(c, va, kind, op->a.d LATENCY));                \
            if (op->a.n != op->a.d) {                                        \
                after;                                                       \
            }                                                                \
        }                                                                    \
        OCCUPIES(va &((bytes)-1) ? 1 : 0);                                   \
        TAKES();                                                             \
        loads++;                                                             \
        NEXT();                                                              \
    }
#define STORES(id, form, issue, bytes, write, before, address, after) \
    do_##id##_##form:                                                 \
    {                                                                 \
        issue();                                                      \
        before;                                                       \
        const uint32_t va = (address), datum = A;                     \
        struct pc_line *line = VIEW(va);                              \
        if (likely(line->wtag == TAG(va, bytes))) {                   \
            uint8_t *p = (uint8_t *)(line->host + va);                \
            write;                                                    \
            WROTE(line, va);                                          \
            REFERS(PC_RECORDED_STORE, va, bytes);                     \
            touches++;                                                \
        } else {                                                      \
            SLOWLY(CALL(store)(c, va, &datum, 1, bytes));             \
        }                                                             \
        after;                                                        \
        OCCUPIES(va &((bytes)-1) ? 1 : 0);                            \
        TAKES();                                                      \
        stores++;                                                     \
        NEXT();                                                       \
    }
#if TIMED
#define WRITTEN_BACK() (c->ready[op->a.n] = now + 1)
#else
#define WRITTEN_BACK() ((void)0)
#endif
#define WRITE_BACK                     \
    if (op->a.aux & ARM_WRITES_BACK) { \
        N = based;                     \
        WRITTEN_BACK();                \
    }
#define INDEXED         const uint32_t base_va = N, based = base_va + offset_of(op, &c->r)
#define INDEXED_ADDRESS (op->a.aux & ARM_PRE ? based : base_va)

#define LOAD_ALL(id, bytes, kind, convert)                               \
    LOADS(id, I, ENTER2, bytes, kind, convert, , N + op->a.imm, )        \
    LOADS(id, R, ENTER3, bytes, kind, convert, , N + (M << op->a.imm), ) \
    LOADS(id, X, ENTER3, bytes, kind, convert, INDEXED, INDEXED_ADDRESS, WRITE_BACK)
#define STORE_ALL(id, bytes, write)                               \
    STORES(id, I, ENTER3, bytes, write, , N + op->a.imm, )        \
    STORES(id, R, ENTER5, bytes, write, , N + (M << op->a.imm), ) \
    STORES(id, X, ENTER5, bytes, write, INDEXED, INDEXED_ADDRESS, WRITE_BACK)

/* Pairs are two words. */
#define PAIR(form, before, address, after)                                \
    do_LDRD_##form:                                                       \
    {                                                                     \
        ENTER5();                                                         \
        before;                                                           \
        const uint32_t va = (address);                                    \
        const uint8_t regs[2] = {op->a.d, op->a.e};                       \
        if (!transfer_words(c, op, now, va, regs, 2, false, &lines))      \
            SLOWLY(CALL(load_words)(c, va, regs, 2 LATENCY));             \
        touches += lines;                                                 \
        if (op->a.n != op->a.d && op->a.n != op->a.e) {                   \
            after;                                                        \
        }                                                                 \
        PAIR_TIME(READY_AFTER);                                           \
        TAKES();                                                          \
        loads++;                                                          \
        NEXT();                                                           \
    }                                                                     \
    do_STRD_##form:                                                       \
    {                                                                     \
        ENTER5();                                                         \
        before;                                                           \
        const uint32_t va = (address);                                    \
        const uint8_t regs[2] = {op->a.a, (uint8_t)((op->a.a + 1) & 15)}; \
        const uint32_t words[2] = {REG(regs[0]), REG(regs[1])};           \
        if (!transfer_words(c, op, now, va, regs, 2, true, &lines))       \
            SLOWLY(CALL(store)(c, va, words, 2, 4));                      \
        touches += lines;                                                 \
        after;                                                            \
        PAIR_TIME(LOCKED_UNTIL);                                          \
        TAKES();                                                          \
        stores++;                                                         \
        NEXT();                                                           \
    }
#if TIMED
#define PAIR_TIME(what)                                 \
    do {                                                \
        const unsigned apart = va % 8 != 0;             \
        c->ready[ARM11_LSU] = now + op->memory + apart; \
        what;                                           \
    } while (0)
#define READY_AFTER ((void)0)
#define LOCKED_UNTIL                     \
    c->lock[regs[0]] = now + op->memory; \
    c->lock[regs[1]] = c->locked = now + op->memory + 1
#else
#define PAIR_TIME(what) ((void)0)
#endif

/* Words in lines that are shown go straight to or from registers. [PCycles] what each takes.
 * @return false: they are not; *lines is 0 then */
static inline bool transfer_words(struct arm11 *c, const struct arm11_op *op, sim_tick now,
                                  uint32_t va, const uint8_t *regs, unsigned n, bool store,
                                  unsigned *lines)
{
#if TIMED
    const uint32_t last = va + 4 * n - 4;
    const bool odd = va >> 2 & 1;
    *lines = 0;
    if (va & 3)
        return false;
    for (uint32_t at = va & ~UINT32_C(31); at - (va & ~UINT32_C(31)) <= last - (va & ~UINT32_C(31));
         at += 32) {
        const struct pc_line *line = VIEW(at);
        if ((store ? line->wtag : line->rtag) != at) {
            *lines = 0;
            return false;
        }
        ++*lines;
    }
    if (OBSERVED)
        c->base.now = now;
    for (unsigned i = 0; i < n; i++, va += 4) {
        if (OBSERVED)
            arm11_refers_to(c, store ? PC_RECORDED_STORE : PC_RECORDED_LOAD, va, 4);
        uint8_t *p = (uint8_t *)(VIEW(va)->host + va);
        if (store) {
            memcpy(p, &c->r.r[regs[i]], 4);
            WROTE(VIEW(va), va);
        } else {
            memcpy(&c->r.r[regs[i]], p, 4);
            c->ready[regs[i]] = now + op->latency + (i + odd) / 2;
        }
    }
    return true;
#else
    (void)c, (void)op, (void)now, (void)va, (void)regs, (void)n, (void)store;
    *lines = 0;
    return false;
#endif
}

/* A store-multiple waits for all its data, and then holds them. */
static inline sim_tick data_ready(const struct arm11 *c, uint32_t list, sim_tick at)
{
    for (; list; list &= list - 1) {
        const sim_tick other = c->ready[__builtin_ctz(list)];
        at = other > at ? other : at;
    }
    return at;
}

static inline void hold(struct arm11 *c, const struct multiple *m, sim_tick now)
{
    for (unsigned i = 0; i < m->n; i++)
        c->lock[m->reg[i]] = now + 1 + (i + 1) / 2;
    c->locked = now + 1 + (m->n + 1) / 2;
}

static inline uint32_t word_at(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return v;
}

static inline uint16_t half_at(const uint8_t *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* Where it stands when it begins again; what has been passed in front of the instruction stays so.
 */
static void stand(struct arm11 *c, struct arm11_block *b, struct arm11_op *op)
{
    const struct arm11_op *before = op;
    c->block = b;
    while (before > b->op &&
           (before[-1].a.code == ARM11_OP_PC || before[-1].a.code == ARM11_OP_LINE))
        before--;
    c->op = op > b->op && op[-1].a.code == ARM11_OP_PC ? op - 1 : op;
    c->r.r[ARM_PC] = b->key.pc + 2u * op->at;
    c->r.passed = before > b->op && before[-1].a.code == ARM11_OP_POINT ? c->r.r[ARM_PC] + 1 : 0;
}

#if TIMED
/* [S] One cycle may be in several events: while a load or store waits for a register (0x2), all
 * places for misses may be taken (0x11). */
static void also_full(struct arm11 *c, sim_tick from, sim_tick to)
{
    if (c->full > from)
        arm11_signal(c, ARM11_SIGNAL_LSU_FULL, (c->full < to ? c->full : to) - from);
}

/* Slips that will be put down to registers are the load/store pipe's. */
static inline void not_for_registers(struct arm11 *c, sim_tick n)
{
    arm11_signal(c, ARM11_SIGNAL_DEPENDENCY, -n);
}

/* A load or store waits in [from, to). */
static void enters_late(struct arm11 *c, sim_tick from, sim_tick to)
{
    const sim_tick free = c->ready[ARM11_LSU];
    also_full(c, from, to);
    if (free > from)
        not_for_registers(c, (free < to ? free : to) - from);
}

/* Whether that is the tick of a register that a load still waits for. So a wait is put down to the
 * same, wherever the horizon cuts it. */
static bool is_pending(sim_tick wants)
{
    enum { ADJUSTED = 64 }; /* by latencies */
    return wants >= ARM11_PENDING - ADJUSTED;
}

/* An instruction that cannot issue before `wants` waits up to the horizon. */
static void wait_until(struct arm11 *c, sim_tick *now, sim_tick horizon, sim_tick wants,
                       uint64_t *slips)
{
    const sim_tick n = horizon > *now ? horizon - *now : 0;
    *now += n;
    if (is_pending(wants)) {
        arm11_signal(c, ARM11_SIGNAL_DEPENDENCY, n);
        arm11_books(c, PC_ST_STALL_L2, n);
        return;
    }
    *slips += n;
    if (OBSERVED)
        arm11_slips(c, n);
}
#endif

#define BARRIER() (!TIMED || arm11_barrier(c, false))

sim_tick RUN(struct pc_cpu *base, sim_tick horizon)
{
    struct arm11 *const c = arm11_of(base);
    static const void *const label[ARM11_OP__COUNT] = {
        [ARM_OP_UNDEFINED] = &&do_UNDEFINED,
#define DP_LABELS(id, S, s)                                                           \
    [ARM_OP_##id##_I##S] = &&do_##id##_I##s, [ARM_OP_##id##_R##S] = &&do_##id##_R##s, \
    [ARM_OP_##id##_L##S] = &&do_##id##_L##s, [ARM_OP_##id##_H##S] = &&do_##id##_H##s, \
    [ARM_OP_##id##_V##S] = &&do_##id##_V##s,
#define LOGIC(id, ...) DP_LABELS(id, , ) DP_LABELS(id, S, s)
#define MOVES          LOGIC
#define ARITH          LOGIC
#define TESTS(id, ...) DP_LABELS(id, S, s)
#define COMPARES       TESTS
#define INSN(id, ...)  [ARM_OP_##id] = &&do_##id,
#include "procard/arm/isa.def"
#undef LOGIC
#undef MOVES
#undef ARITH
#undef TESTS
#undef COMPARES
#undef INSN
#define X(id) [ARM_OP_##id##_X] = &&do_##id##_X,
        ARM_TRANSFERS(X)
#undef X
            [ARM_OP_NOP] = &&do_CPS,
        [ARM_OP_BL_SUFFIX] = &&do_BL_SUFFIX,
        [ARM_OP_BLX_SUFFIX] = &&do_BLX_SUFFIX,
        [ARM11_OP_CONDITION] = &&do_CONDITION,
        [ARM11_OP_PC] = &&do_PC,
        [ARM11_OP_LINE] = &&do_LINE,
        [ARM11_OP_POINT] = &&do_POINT,
        [ARM11_OP_END] = &&do_END,
        [ARM11_OP_END_PC] = &&do_END_PC,
    };
    sim_tick now = base->now;
    uint64_t insns = 0, slips = 0, touches = 0, loads = 0, stores = 0, swaps = 0;
    uint64_t branches = 0, taken = 0;
    struct arm11_block *b;
    struct arm11_op *op;
    uint32_t to;
    unsigned which, lines;
#if !TIMED
    struct pc_line *view;
    uint32_t view_mask;
    const uint32_t untimed_line = ~((UINT32_C(1) << base->dshift) - 1);
#endif

    if (now >= horizon)
        return now;
    base->horizon = horizon;
    c->asked = false;
    sim_tick began = now, wants = now;
    if (TIMED) {
        arm11_ask_again(c);
        horizon = base->horizon;
    }
#if TIMED
    c->view = c->r.e ? c->blind : c->views;
    c->view_mask = c->r.e ? 0 : ARM11_VIEWS - 1;
#else
    view = c->r.e ? c->blind : base->d;
    view_mask = c->r.e ? 0 : base->dmask;
#endif
    if (c->generation != c->code->generation) {
        memset(c->hot, 0, sizeof c->hot);
        c->generation = c->code->generation;
        c->op = NULL;
    }
    if (c->op) {
        b = c->block;
        op = c->op;
        if (op > b->op)
            c->r.passed = 0;
        DISPATCH();
    }
    to = REG(ARM_PC);

at_address:
    b = find_block(c, to);
    if (unlikely(!b))
        goto nowhere;
enter:
    op = b->op;
#if TIMED
    if (unlikely(c->iviews[b->key.pc >> ARM11_LINE_SHIFT & (ARM11_VIEWS - 1)].rtag !=
                 (b->key.pc & ~UINT32_C(31))))
        goto fetches;
#endif
    DISPATCH();

#if TIMED
fetches:
    BOOKS();
    STANDS();
    base->now = now;
    REG(ARM_PC) = b->key.pc;
    if (!arm11_fetch(c, b->key.pc)) {
        IN();
        goto stopped_before;
    }
    IN();
    DISPATCH();
#endif

do_LINE:
#if TIMED
    if (unlikely(c->iviews[PC_HERE >> ARM11_LINE_SHIFT & (ARM11_VIEWS - 1)].rtag != PC_HERE))
        SLOWLY(arm11_fetch(c, PC_HERE));
#endif
    NEXT_FREE();

do_PC:
    REG(ARM_PC) = op->a.imm;
    NEXT_FREE();

do_POINT:
    if (c->r.passed != PC_HERE + 1) {
        if (c->code->came + 1 == c->code->due && !BARRIER())
            goto stopped;
        if (++c->code->came == c->code->due) {
            OUT();
            base->exc = PC_EXC_POINT;
            c->r.passed = PC_HERE + 1;
            goto trapped;
        }
    }
    c->r.passed = 0;
    NEXT_FREE();

    /* one whose condition may fail */
do_CONDITION:
    if (holds(&c->r, op->a.cond))
        goto *label[op->real];
    if (unlikely(now >= horizon))
        goto waits;
    insns++;
    if (op->a.flags & ARM_ENDS) {
        branches++;
        arm11_signal(c, ARM11_SIGNAL_BRANCHES, 1);
#if TIMED
        unsigned cycles = 1;
        if (op->a.m == ARM_SINK)
            PREDICTED(cycles, arm11_branch(c, op, PC_HERE, false));
        now += cycles;
#else
        now++;
#endif
        which = ARM11_FALL;
        goto leave;
    }
    TAKES();
    if (op->a.flags & ARM_WRITES_PC) {
        which = ARM11_FALL;
        goto leave;
    }
    NEXT_FREE();

    /* -- data processing -- */
#define LOGIC(id, opcode, name, result) \
    FORMS(id, , D = (result))           \
    FORMS(id, s, LOGICAL(result, D = value))
#define MOVES                           LOGIC
#define TESTS(id, opcode, name, result) FORMS(id, s, LOGICAL(result, (void)value))
#define ARITH(id, opcode, name, a, b, carry) \
    FORMS(id, , D = (a) + (b) + (carry))     \
    FORMS(id, s, SUM(a, b, carry, D = value))
#define COMPARES(id, opcode, name, a, b, carry) FORMS(id, s, SUM(a, b, carry, (void)value))
    /* -- and all others of one statement -- */
#define INSN(id, mask, value, name, operands, time, ...) \
    KIND_##time(id, operands, time, __VA_ARGS__)
#define PLAIN(id, operands, time, ...) \
    do_##id:                           \
    {                                  \
        ISSUE_ROW(operands, time);     \
        __VA_ARGS__;                   \
        DONE_ROW(time);                \
        NEXT();                        \
    }
#define NONE(...)
#define KIND_ALU       PLAIN
#define KIND_QADD      PLAIN
#define KIND_QDADD     PLAIN
#define KIND_PARALLEL  PLAIN
#define KIND_EXTEND    PLAIN
#define KIND_SAT       PLAIN
#define KIND_USAD8     PLAIN
#define KIND_USADA8    PLAIN
#define KIND_MUL       PLAIN
#define KIND_MLA       PLAIN
#define KIND_MULS      PLAIN
#define KIND_MLAS      PLAIN
#define KIND_MULL      PLAIN
#define KIND_MLAL      PLAIN
#define KIND_MULLS     PLAIN
#define KIND_MLALS     PLAIN
#define KIND_UMAAL     PLAIN
#define KIND_SMULxy    PLAIN
#define KIND_SMLAxy    PLAIN
#define KIND_SMLALxy   PLAIN
#define KIND_SMMUL     PLAIN
#define KIND_SMMLA     PLAIN
#define KIND_LOAD      NONE
#define KIND_LOAD2     NONE
#define KIND_STORE     NONE
#define KIND_STORE2    NONE
#define KIND_LDM       NONE
#define KIND_STM       NONE
#define KIND_PLD       NONE
#define KIND_SWP       NONE
#define KIND_EXCLUSIVE NONE
#define KIND_BRANCH    NONE
#define KIND_MRS       NONE
#define KIND_MSR       NONE
#define KIND_MCR       NONE
#define KIND_MRC       NONE
#define KIND_NOP       NONE
#define KIND_TRAP      NONE
#include "procard/arm/isa.def"
#undef LOGIC
#undef MOVES
#undef TESTS
#undef ARITH
#undef COMPARES
#undef INSN

    /* -- memory -- */
    LOAD_ALL(LDR, 4, ARM11_WORD, word_at(p))
    LOAD_ALL(LDRB, 1, ARM11_BYTE, *p)
    LOAD_ALL(LDRH, 2, ARM11_HALF, half_at(p))
    LOAD_ALL(LDRSB, 1, ARM11_SIGNED_BYTE, (uint32_t)(int8_t)*p)
    LOAD_ALL(LDRSH, 2, ARM11_SIGNED_HALF, (uint32_t)(int16_t)half_at(p))
    STORE_ALL(STR, 4, memcpy(p, &datum, 4))
    STORE_ALL(STRB, 1, *p = (uint8_t)datum)
    STORE_ALL(STRH, 2, memcpy(p, &datum, 2))
    PAIR(I, , N + op->a.imm, )
    PAIR(R, , N + (M << op->a.imm), )
    PAIR(X, INDEXED, INDEXED_ADDRESS, WRITE_BACK)

do_LDM : {
    struct multiple m;
    ENTER2();
    multiple(op, N, &m);
    if (!transfer_words(c, op, now, m.va, m.reg, m.n, false, &lines))
        SLOWLY(CALL(load_words)(c, m.va, m.reg, m.n LATENCY));
    touches += lines;
    if (op->a.aux & ARM_WRITES_BACK && !(op->a.imm >> op->a.n & 1)) {
        N = m.base;
        WRITTEN_BACK();
    }
#if TIMED
    c->ready[ARM11_LSU] =
        now + (m.va >> 2 & 1 ? m.n / 2 + 1 : (m.n + 1) / 2) + (op->a.imm >> ARM_PC & 1);
    if (op->a.imm >> ARM_PC & 1) /* [M] 16-22: the pc is fetched first */
        for (unsigned i = 0; i + 1 < m.n; i++)
            c->ready[m.reg[i]] += c->ready[m.reg[i]] != ARM11_PENDING;
#endif
    TAKES();
    loads++;
    NEXT();
}
do_STM : {
    struct multiple m;
#if TIMED
    PIPED();
    at = data_ready(c, op->a.imm & 0x7fff, at);
    LATER(1);
    ENTERS();
#else
    ISSUE();
#endif
    uint32_t words[ARM11_PARTS];
    multiple(op, N, &m);
    for (unsigned i = 0; i < m.n; i++)
        words[i] = REG(m.reg[i]);
    if (!transfer_words(c, op, now, m.va, m.reg, m.n, true, &lines))
        SLOWLY(CALL(store)(c, m.va, words, m.n, 4));
    touches += lines;
#if TIMED
    hold(c, &m, now);
    c->ready[ARM11_LSU] = now + (m.va >> 2 & 1 ? m.n / 2 + 1 : (m.n + 1) / 2);
#endif
    if (op->a.aux & ARM_WRITES_BACK) {
        N = m.base;
        WRITTEN_BACK();
    }
    TAKES();
    stores++;
    NEXT();
}
do_PLD_I:
do_PLD_R : {
    ENTER3();
#if TIMED
    const uint32_t carry_in = N;
    uint32_t carry = c->r.c;
    OUT();
    arm11_preload(c, op->a.row == ARM_ROW_PLD_I ? carry_in + op->a.imm
                                                : carry_in + arm_shifted(M, op->a.aux, &carry));
    IN();
#endif
    OCCUPIES(0);
    TAKES();
    NEXT();
}
#define SWAP(id, size)                                           \
    do_##id:                                                     \
    {                                                            \
        ENTER3();                                                \
        const uint32_t va = N, datum = M;                        \
        SLOWLY(CALL(swap)(c, va, size, datum, op->a.d LATENCY)); \
        OCCUPIES(0);                                             \
        TAKES();                                                 \
        loads++;                                                 \
        stores++;                                                \
        swaps++;                                                 \
        NEXT();                                                  \
    }
    SWAP(SWP, 4)
    SWAP(SWPB, 1)
#define EXCLUSIVES(suffix, size)                                                             \
    do_LDREX##suffix:                                                                        \
    {                                                                                        \
        ENTER5();                                                                            \
        const uint32_t va = N;                                                               \
        SLOWLY(CALL(linked)(c, va, size, op->a.d, op->a.e LATENCY));                         \
        OCCUPIES(0);                                                                         \
        TAKES();                                                                             \
        loads++;                                                                             \
        NEXT();                                                                              \
    }                                                                                        \
    do_STREX##suffix:                                                                        \
    {                                                                                        \
        ENTER5();                                                                            \
        const uint32_t va = N;                                                               \
        SLOWLY(CALL(conditional)(c, va, size, M, REG((op->a.m + 1) & 15), op->a.d LATENCY)); \
        OCCUPIES(0);                                                                         \
        TAKES();                                                                             \
        stores++;                                                                            \
        NEXT();                                                                              \
    }
    EXCLUSIVES(, 4)
    EXCLUSIVES(B, 1)
    EXCLUSIVES(H, 2)
    EXCLUSIVES(D, 8)
do_CLREX:
    if (unlikely(now >= horizon))
        goto waits;
#if TIMED /* a load that links, or a store that looks, may be under way */
    SLOWLY(arm11_barrier(c, false));
#endif
    base->link = false;
    TAKES();
    NEXT();

    /* -- control -- */
do_B : {
    const uint32_t pc = PC_HERE;
    which = holds(&c->r, op->a.cond);
    if (unlikely(now >= horizon))
        goto waits;
    insns++;
#if TIMED
    struct arm11_target *known = &c->btac[pc >> 1 & (c->p->arm11_btac - 1)];
    unsigned cycles = !(op->folds & c->p->arm11_folding);
    if (likely(known->tag == pc + 1 && known->counter >> 1 == which))
        known->counter = which ? 3 : 0;
    else
        PREDICTED(cycles, arm11_branch(c, op, pc, which));
#else
    const unsigned cycles = 1;
    (void)pc;
#endif
    now += cycles;
    branches += cycles != 0;
    taken += which & (cycles != 0);
    arm11_signal(c, ARM11_SIGNAL_BRANCHES, 1);
    arm11_signal(c, ARM11_SIGNAL_PC_CHANGE, which);
    goto leave;
}
do_BLX_I:
do_BL : {
    const uint32_t pc = PC_HERE;
    if (unlikely(now >= horizon))
        goto waits;
    insns += 1 + (c->r.t != 0);
    branches++;
    taken++;
#if TIMED
    unsigned cycles;
    PREDICTED(cycles, arm11_branch(c, op, pc, true));
    now += cycles + (c->r.t != 0);
    c->ready[ARM_LR] = now;
    arm11_calls(c, (pc + op->a.size) | c->r.t);
#else
    now += 1 + (c->r.t != 0);
#endif
    REG(ARM_LR) = (pc + op->a.size) | c->r.t;
    c->r.t ^= op->a.code == ARM_OP_BLX_I || op->real == ARM_OP_BLX_I;
    arm11_signal(c, ARM11_SIGNAL_BRANCHES, 1);
    arm11_signal(c, ARM11_SIGNAL_PC_CHANGE, 1);
    which = ARM11_TAKEN;
    goto leave;
}
do_BX:
do_BXJ:
do_BLX:
do_BL_SUFFIX:
do_BLX_SUFFIX : {
    const uint32_t pc = PC_HERE;
    const bool links = op->real != ARM_OP_BX && op->real != ARM_OP_BXJ;
    ISSUE1();
    to = M;
    if (op->real == ARM_OP_BL_SUFFIX || op->real == ARM_OP_BLX_SUFFIX)
        to = (to + op->a.imm) | (op->real == ARM_OP_BL_SUFFIX);
#if TIMED
    unsigned cycles;
    PREDICTED(cycles, arm11_jump(c, op, pc, to));
    now += cycles;
    if (links)
        arm11_calls(c, (pc + op->a.size) | c->r.t);
#else
    now++;
#endif
    if (links)
        REG(ARM_LR) = (pc + op->a.size) | c->r.t;
    insns++;
    branches++;
    taken++;
    c->r.t = to & 1;
    to &= c->r.t ? ~UINT32_C(1) : ~UINT32_C(3);
    arm11_signal(c, ARM11_SIGNAL_BRANCHES, 1);
    arm11_signal(c, ARM11_SIGNAL_PC_CHANGE, 1);
    LEAVES(ARM11_JUMPED, to);
    goto at_address;
}

    /* -- system -- */
do_MRS : {
    ISSUE1();
    D = arm_cpsr(&c->r);
    RESULT();
    TAKES();
    NEXT();
}
do_MSR : {
    ISSUE2();
    write_status(&c->r, M, BITS(19, 16));
    TAKES();
    NEXT();
}
do_MSR_I : {
    ISSUE1();
    write_status(&c->r, rotated_immediate(WORD), BITS(19, 16));
    TAKES();
    NEXT();
}
do_SETEND:
    if (unlikely(now >= horizon))
        goto waits;
    c->r.e = WORD >> 9 & 1;
#if TIMED
    c->view = c->r.e ? c->blind : c->views;
    c->view_mask = c->r.e ? 0 : ARM11_VIEWS - 1;
#else
    view = c->r.e ? c->blind : base->d;
    view_mask = c->r.e ? 0 : base->dmask;
#endif
    TAKES();
    NEXT();
do_CPS:
    if (unlikely(now >= horizon))
        goto waits;
    TAKES();
    NEXT();
do_MCR : {
    const struct arm11_cp15 *reg = arm11_cp15_find(c, WORD);
    ISSUE2();
    if (!reg || !reg->write)
        goto do_UNDEFINED;
    const uint32_t datum = A;
    PUT_DOWN();
    SLOWLY(reg->write(c, datum));
    TAKES();
    NEXT();
}
do_MRC : {
    const struct arm11_cp15 *reg = arm11_cp15_find(c, WORD);
    uint32_t value;
    ISSUE2();
    if (!reg || !reg->read)
        goto do_UNDEFINED;
    PUT_DOWN();
    SLOWLY(reg->read(c, &value));
    if (op->a.d == ARM_PC) {
        write_status(&c->r, (value & 0xf0000000) | (arm_cpsr(&c->r) & ARM_CPSR_Q), 8);
    } else {
        D = value;
        RESULT();
    }
    TAKES();
    NEXT();
}
do_SVC:
    if (unlikely(now >= horizon))
        goto waits;
    OUT();
    if (!BARRIER()) {
        IN();
        goto stopped;
    }
    IN();
    insns++;
    c->call_pc = PC_HERE;
    c->call_npc = PC_HERE + op->a.size;
    base->exc = PC_EXC_SYS;
    base->trap_code = WORD & 0xffffff;
    now++;
    base->now = now;
    goto trapped;
do_BKPT:
    base->exc = PC_EXC_BP;
    base->trap_code = (WORD >> 4 & 0xfff0) | (WORD & 15);
    goto raises;
do_UDF:
do_MRS_SPSR:
do_MCRR:
do_UNDEFINED:
    base->exc = PC_EXC_RI;
    base->trap_code = op->a.imm;
raises:
    if (unlikely(now >= horizon))
        goto waits;
    OUT();
    if (!BARRIER()) {
        IN();
        goto stopped;
    }
    IN();
    base->now = now;
    goto trapped;

    /* -- ways out of a block -- */
do_END:
    which = ARM11_FALL;
leave:
    to = b->edge[which].pc;
    LEAVES(which, to);
    if (likely(b->edge[which].to != NULL)) {
        b = b->edge[which].to;
        goto enter;
    }
    {
        struct arm11_block *from = b;
        const uint64_t generation = c->generation;
        b = find_block(c, to);
        if (unlikely(!b))
            goto nowhere;
        if (c->generation == generation)
            from->edge[which].to = b;
        goto enter;
    }
do_END_PC : {
    to = REG(ARM_PC);
#if TIMED
    const struct arm11_op *did = op - 1;
    const sim_tick known = c->ready[ARM_PC] - did->latency;
    const sim_tick at = (int64_t)known > (int64_t)now ? known : now;
    if (unlikely(at >= horizon)) /* what has been fetched behind it is asked for now */
        WAITS(waits_for_pc, at);
    SLIPS(at - now);
    now = at;
    c->ready[ARM_PC] = 0;
#endif
    if (!(op->a.flags & ARM_INTERWORKS))
        to = c->r.t ? to | 1 : to & ~UINT32_C(1);
#if TIMED
    unsigned cycles;
    PREDICTED(cycles, arm11_jump(c, did, b->key.pc + 2u * did->at, to));
    now += cycles;
    now -= did->cycles;
#endif
    c->r.t = to & 1;
    to &= c->r.t ? ~UINT32_C(1) : ~UINT32_C(3);
    arm11_signal(c, ARM11_SIGNAL_PC_CHANGE, 1);
    LEAVES(ARM11_JUMPED, to);
    goto at_address;
}

/* -- ways out of the run -- */
#if TIMED
waits_for_pc:
    wait_until(c, &now, horizon, wants, &slips);
    base->now = now;
    c->block = b;
    c->op = op;
    c->why = PC_STOP_HORIZON;
    goto over;
#endif
waits:
#if TIMED
    if (horizon > now && op->source[0] == ARM11_LSU)
        enters_late(c, now, horizon);
    wait_until(c, &now, horizon, wants, &slips);
#else
    (void)wants;
#endif
    base->now = now;
    c->why = PC_STOP_HORIZON;
    stand(c, b, op);
    goto over;
nowhere: /* no instruction there, or not yet */
    base->now = now;
    REG(ARM_PC) = to;
    c->op = NULL;
    if (!BARRIER())
        goto over;
    no_instruction(c, to);
    goto trapped;
#if TIMED
stopped_before:
    if (c->why == PC_STOP_HORIZON && now < horizon)
        goto enter;
    c->op = NULL;
    REG(ARM_PC) = b->key.pc;
    if (c->why == PC_STOP_TRAP && BARRIER())
        goto trapped;
    goto over;
#endif
stopped:
    stand(c, b, op);
    if (c->why == PC_STOP_HORIZON && now < horizon) { /* some time has passed */
        op = c->op;
        DISPATCH();
    }
    if (c->why != PC_STOP_TRAP)
        goto over;
    if (!BARRIER()) /* it faults again when all is done that was begun */
        goto over;
trapped:
    now = base->now;
    put_down(c,
             &(struct tally){insns, slips, touches, loads, stores, swaps, branches, taken, began});
    if (TIMED && base->exc != PC_EXC_POINT) {
        arm11_books(c, PC_ST_KILL_EXC, PC_KILLED_BY_EXCEPTION);
        base->now += PC_KILLED_BY_EXCEPTION;
    }
    return traps(c);
over:
    put_down(c,
             &(struct tally){insns, slips, touches, loads, stores, swaps, branches, taken, began});
    if (c->why == PC_STOP_HORIZON && c->asked)
        return pc_stopped(base, PC_STOP_ASKED);
    return pc_stopped(base, c->why);
}
