/*
 * What the R4400 does: executes decoded blocks, one jump per instruction.
 *
 * The hard idea is how little happens per instruction. Time and status states are added when a
 * block is left, by the edge it is left through. Nobody looks at the clock inside a block: when the
 * horizon falls there, the first operation to start at or after it is replaced by a stop, as a
 * debugger does, until the run has come there. Blocks are shared by all processors, but only one
 * runs at a time.
 *
 * What comes out - registers, clock, states, order and ticks of accesses - does not depend on where
 * horizons fall: an instruction is looked up in the primary instruction cache exactly when it is
 * the first of a line or the target of a transfer, whichever way the run was cut.
 */
#include "procard/cursor.h"
#include "procard/mips/arithmetic.h"
#include "procard/mips/hardware.h"
#include "procard/r4400/code.h"
#include "procard/record.h"

#include <assert.h>

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum {
    ARENA_LIMIT = 256 << 20, /**< [bytes] of decoded code before starting afresh */
};

/* ---- in a profile (exec_profiled.c), noting bytes (exec_touching.c), and telling of references
 */

/*
 * COUNT   a block is left through edge `which`
 * MOVE    ... and goes on at `target`
 * HERE    the instruction at `pc` asks the card
 * CHARGED the instruction at which it stands was charged
 * LINKS   a load-linked has brought its register so many bytes
 * TRIES   a store-conditional of so many has been made
 * TOUCHED an access of a place's line is made
 *
 * ... and in exec_recording.c:
 * RECORDED a reference has been made by the instruction that starts at tick `at`
 * TRIED   an access is tried for which the card is asked
 */
#ifdef R4400_PROFILED
#define COUNT(which) (++*pc_node_counter(cpu->base.cursor->node, 2 * b->id + (unsigned)(which)))
#define MOVE(target)                                     \
    do {                                                 \
        if (edge->moves)                                 \
            r4400_profile_moves(cpu, b, edge, (target)); \
    } while (0)
#define HERE(pc)           pc_cursor_at(cpu->base.cursor, (pc))
#define CHARGED(column, n) pc_cursor_add(cpu->base.cursor, (enum pc_profile_column)(column), (n))
#define LINKS(size)        (cpu->base.cursor->linked = r4400_link_of((size), D))
#define TRIES(size, stored)                                                                 \
    pc_cursor_tried(cpu->base.cursor, r4400_link_of((size), T) != cpu->base.cursor->linked, \
                    (stored))
#else
#define LINKS(size)         ((void)0)
#define TRIES(size, stored) ((void)0)
#define COUNT(which)        ((void)0)
#define MOVE(target)        ((void)0)
#define HERE(pc)            ((void)0)
#define CHARGED(column, n)  ((void)0)
#endif
#ifdef R4400_RECORDING
#define RECORDED(kind, pc, va, size, at) \
    pc_record_reference(&cpu->base, PC_RECORDED_##kind, (pc), exec_wrap(cpu, (va)), (size), (at))
#define TRIED(at) (cpu->base.record->tried = (at))
#else
#define RECORDED(kind, pc, va, size, at) ((void)0)
#define TRIED(at)                        ((void)0)
#endif
#ifdef R4400_TOUCHING
#define TOUCHED(where, id, va, size, shift)                                            \
    do {                                                                               \
        const uint64_t touched = r4400_touched(MIPS_OP_##id, (va), (size)) << (shift); \
        *(where) |= touched;                                                           \
        if (unlikely(cpu->base.seen))                                                  \
            pc_misses_see(&cpu->base, (where), touched, NOW);                          \
    } while (0)
#else
#define TOUCHED(where, id, va, size, shift) ((void)0)
#endif

/* ---- starting and stopping ------------------------------------------------------------------- */

static inline void exec_spend(union r4400_spent *to, const union r4400_spent *more)
{
    to->half[0] += more->half[0];
    to->half[1] += more->half[1];
}

/** The operation at which a run will have come to its horizon, and what stands there otherwise. */
struct stop_sign {
    struct mips_op *at; /**< NULL: not in this block */
    uint16_t code;
};

static inline void put_up(struct stop_sign *sign, struct mips_op *at)
{
    sign->at = at;
    sign->code = at->code;
    at->code = R4400_OP_STOP;
}

static inline void take_down(struct stop_sign *sign)
{
    if (sign->at)
        sign->at->code = sign->code;
    sign->at = NULL;
}

static inline struct mips_op *stop_in(struct r4400_block *b, sim_tick room)
{
    return (struct mips_op *)((char *)b + b->stop[room]);
}

/** Puts it up in a block where none is up.
 *  @param room  [PCycles] from its start to the horizon, which is after the operation that comes
 *               next */
static inline void exec_pace(struct stop_sign *sign, struct r4400_block *b, sim_tick room)
{
    if (room < b->span)
        put_up(sign, stop_in(b, room));
    else
        sign->at = NULL;
}

/** Moves it after a slow path that may have let time pass. @param op  comes next */
static __attribute__((noinline)) void pace_again(const struct r4400 *cpu, struct stop_sign *sign,
                                                 struct r4400_block *b, const struct mips_op *op,
                                                 sim_tick horizon)
{
    const sim_tick room = horizon > cpu->base.now ? horizon - cpu->base.now : 0;
    struct mips_op *next = &b->ops[op - b->ops];

    take_down(sign);
    if (room < b->span && op->code < R4400_OP_END_FALL)
        put_up(sign, stop_in(b, room) > next ? stop_in(b, room) : next);
}

/** The block that goes on from the registers; NULL when its instruction is not in memory. */
static struct r4400_block *exec_resume(struct r4400 *cpu)
{
    unsigned flags = (cpu->r.fr ? MIPS_FR : 0) | (cpu->r.addr64 ? MIPS_W64 : 0);
    struct r4400_pipe *pipe = &cpu->pipe;
    const uint64_t pc = cpu->r.pc;
    const bool same = pipe->pc == pc && pipe->context;
    const bool slot = cpu->r.npc != pc + 4 || (same && pipe->slot);

    if (slot)
        flags |= R4400_BLOCK_SLOT;
    return r4400_block_get(cpu->code, pc, same ? pipe->context : cpu->code->idle, flags);
}

/** The PCycles before this one, of a run that last left a block through `edge`. */
static void leave_tail(struct r4400 *cpu, const struct r4400_edge *edge)
{
    cpu->base.tail.held = 0;
    if (edge)
        cpu->base.tail = (struct pc_tail){
            .did = 1, .done = edge->done, .killed = edge->spent.state[PC_ST_KILL_BRANCH]};
}

/** Stops before the first instruction of a block.
 *  @param edge  through which the run left the last one; NULL: it has left none, and the tail of
 *               the run before still holds */
static void stop_before(struct r4400 *cpu, struct r4400_block *b, const struct r4400_edge *edge,
                        bool fetched)
{
    cpu->pipe.op = fetched ? &r4400_enter : &r4400_look;
    cpu->pipe.block = b;
    leave_tail(cpu, edge);
}

/** Stops at an operation inside a block. */
static inline void stop_at(struct r4400 *cpu, struct r4400_block *b, const struct mips_op *op)
{
    cpu->base.now += op->cycle;
    cpu->pipe.op = op;
    cpu->pipe.block = b;
}

/** A stop that needs the operating system: the pipeline is empty afterwards, but for that at the
 *  awaited instruction, of which the program knows nothing. */
static void exec_trap(struct r4400 *cpu)
{
    struct pc_tail *tail = &cpu->base.tail;

    r4400_leave(&cpu->base);
    if (cpu->base.exc == PC_EXC_POINT)
        return;
    tail->holds = cpu->base.untimed ? PC_ST_INT : PC_ST_KILL_EXC;
    tail->held = cpu->base.untimed ? cpu->base.exc == PC_EXC_SYS : PC_KILLED_BY_EXCEPTION;
    pc_charge(&cpu->base, tail->holds, tail->held);
    HERE(cpu->r.pc);
    CHARGED(tail->holds, tail->held);
    if (cpu->base.exc == PC_EXC_SYS) {
        cpu->base.instructions++;
        CHARGED(PC_PROFILE_INSTRUCTIONS, 1);
        cpu->call_pc = cpu->r.pc;
        cpu->call_npc = cpu->r.npc;
        cpu->r.pc = cpu->r.npc;
        cpu->r.npc = cpu->r.pc + 4;
        cpu->pipe.slot = false;
    }
    cpu->pipe.pc = cpu->r.pc;
    cpu->pipe.context = cpu->code->idle;
    cpu->fetched_pc = R4400_NOWHERE;
}

/** The instruction at pc cannot be fetched: lets the card say why. False: stopped. */
static bool fetch_missing(struct r4400 *cpu, uint64_t pc, enum pc_stop *why)
{
    if (cpu->base.now >= cpu->base.horizon) {
        *why = PC_STOP_HORIZON;
        return false;
    }
    if (!(pc & 3)) {
        HERE(pc);
        if (!pc_fetch(&cpu->base, pc, cpu->base.now, why))
            return false;
        if (cpu->code->fetch(cpu->code->ctx, pc))
            return true;
    }
    cpu->base.exc = pc & 3 ? PC_EXC_ADEL : PC_EXC_IBE;
    cpu->base.badvaddr = pc;
    cpu->base.trap_code = 0;
    cpu->base.absent = false;
    cpu->base.unmapped = false;
    cpu->base.protected = false;
    *why = PC_STOP_TRAP;
    return false;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/** Effective addresses of 32-bit programs wrap within 32 bits. */
static uint64_t exec_wrap(const struct r4400 *cpu, uint64_t va)
{
    return cpu->r.addr64 ? va : (uint64_t)(int64_t)(int32_t)va;
}

static __attribute__((noinline)) uint8_t *load_slowly(struct r4400 *cpu, uint64_t va, unsigned size,
                                                      sim_tick at, enum pc_stop *why)
{
    TRIED(at); /* what is at hand the card does not note */
    return pc_load(&cpu->base, exec_wrap(cpu, va), size, at, why);
}

static __attribute__((noinline)) uint8_t *
store_slowly(struct r4400 *cpu, uint64_t va, unsigned size, sim_tick at, enum pc_stop *why)
{
    TRIED(at);
    return pc_store(&cpu->base, exec_wrap(cpu, va), size, at, why);
}

#ifdef R4400_TOUCHING
/** The bytes of an access, by the low five bits of their addresses. Unaligned pairs reach from the
 *  addressed byte to the end of its word ("left") or to its beginning ("right"). */
static inline uint64_t r4400_touched(enum mips_opcode code, uint64_t va, unsigned size)
{
    uint64_t first = va & 31, bytes = size;

    switch (code) {
    case MIPS_OP_LWL:
    case MIPS_OP_SWL:
        bytes = 4 - (va & 3);
        break;
    case MIPS_OP_LDL:
    case MIPS_OP_SDL:
        bytes = 8 - (va & 7);
        break;
    case MIPS_OP_LWR:
    case MIPS_OP_SWR:
        first &= ~UINT64_C(3);
        bytes = (va & 3) + 1;
        break;
    case MIPS_OP_LDR:
    case MIPS_OP_SDR:
        first &= ~UINT64_C(7);
        bytes = (va & 7) + 1;
        break;
    default:
        break;
    }
    return ((UINT64_C(1) << bytes) - 1) << first;
}
#endif

#ifdef R4400_PROFILED
/** What a word that has been loaded or is to be stored by LL and SC is told from others by. */
static inline uint64_t r4400_link_of(unsigned size, uint64_t value)
{
    return size == 4 ? (uint32_t)value : value;
}
#endif

static __attribute__((noinline)) void failed_try(struct r4400 *cpu, uint64_t pc, uint64_t va)
{
    struct pc_tries *tries = &cpu->base.tries;
    cpu->base.scs_failed++;
    CHARGED(PC_PROFILE_SCS_FAILED, 1);
    tries->row = tries->row && tries->pc == pc ? tries->row + 1 : 1;
    tries->failed++;
    tries->pc = pc;
    tries->va = va;
}

/* ---- hardware registers -----------------------------------------------------------------------
 */

/* ---- the instructions ------------------------------------------------------------------------ */

#define REGS           (&cpu->r)
#define HI             (cpu->r.hi)
#define LO             (cpu->r.lo)
#define LEVEL          (cpu->code->level)
#define REG(offset)    (*(uint64_t *)((char *)REGS + (offset)))
#define SINGLE(offset) (*(mips_single *)((char *)REGS + (offset)))
#define D              REG(op->d)
#define S              REG(op->s)
#define T              REG(op->t)
#define IMM            ((uint64_t)(int64_t)op->imm)
#define FCC            (cpu->r.fcsr >> op->t & 1)
#define TAKEN          (cpu->pipe.taken)
#define TARGET         (cpu->pipe.target)
#define NOW            (cpu->base.now + op->cycle)
#define PC             (b->key.pc + 4 * (uint64_t)op->at)

#define DISPATCH() goto *label[op->code]
#define NEXT()      \
    do {            \
        op++;       \
        DISPATCH(); \
    } while (0)

/** An instruction without side effects but those of `statement`. */
#define DO(id, statement) \
    do_##id:              \
    {                     \
        statement;        \
        NEXT();           \
    }

#define RAISE(code, detail)                       \
    do {                                          \
        cpu->base.exc = (code);                   \
        cpu->base.trap_code = (uint32_t)(detail); \
        goto trapped;                             \
    } while (0)

#define RESERVED(id)       do_##id : RAISE(PC_EXC_RI, 0);
#define UNUSABLE(id, unit) do_##id : RAISE(PC_EXC_CPU, unit);
#define TRAP_IF(id, condition, code) \
    do_##id:                         \
    {                                \
        if (condition)               \
            RAISE(PC_EXC_TR, code);  \
        NEXT();                      \
    }

/** x + y or x - y is stored, as `keep` leaves it, unless it `overflows`. */
#define CHECKED(id, calculation, overflows, b, keep)          \
    do_##id:                                                  \
    {                                                         \
        const uint64_t x = S, y = (b), z = keep(calculation); \
        if (overflows(x, y, z))                               \
            RAISE(PC_EXC_OV, 0);                              \
        D = z;                                                \
        NEXT();                                               \
    }
#define KEEP64(v) (v)

/** The data-cache line `va` would be in. */
#define LINE(va)                              \
    ((struct pc_line *)((char *)cpu->base.d + \
                        (mips_rotate64((va), (unsigned)cpu->pipe.turn) & cpu->pipe.places)))

/** After a slow path that may have let time pass. */
#define PACE_AGAIN() pace_again(cpu, &sign, b, op + 1, horizon)

/** Binds `p` to the bytes at `address` and executes `statement`. One compare when they are cached:
 *  misalignment leaves low bits in the tag. */
#define ACCESS(id, allows, shift, slow, kind, size, address, statement)           \
    do_##id:                                                                      \
    {                                                                             \
        const uint64_t va = (address);                                            \
        struct pc_line *line = LINE(va);                                          \
        uint8_t *p;                                                               \
        if (likely(allows(line, va, cpu->pipe.outside | ((size)-1)))) {           \
            p = (uint8_t *)(line->host + va);                                     \
            TOUCHED(&cpu->base.touches[line - cpu->base.d], id, va, size, shift); \
        } else {                                                                  \
            HERE(PC);                                                             \
            p = slow(cpu, va, size, NOW, &why);                                   \
            if (unlikely(!p))                                                     \
                goto stopped;                                                     \
            PACE_AGAIN();                                                         \
            TOUCHED(cpu->base.touched, id, va, size, shift);                      \
        }                                                                         \
        RECORDED(kind, PC, va, size, NOW);                                        \
        statement;                                                                \
        NEXT();                                                                   \
    }
#define LOAD(id, size, address, statement) \
    ACCESS(id, pc_line_reads, 0, load_slowly, LOAD, size, address, statement)
#define STORE(id, size, address, statement) \
    ACCESS(id, pc_line_writes, 32, store_slowly, STORE, size, address, statement)

#define LINKED(id, size, statement)                                                              \
    do_##id:                                                                                     \
    {                                                                                            \
        HERE(PC);                                                                                \
        const uint8_t *p = pc_load_linked(&cpu->base, exec_wrap(cpu, S + IMM), size, NOW, &why); \
        if (!p)                                                                                  \
            goto stopped;                                                                        \
        PACE_AGAIN();                                                                            \
        TOUCHED(cpu->base.touched, id, exec_wrap(cpu, S + IMM), size, 0);                        \
        RECORDED(LL, PC, S + IMM, size, NOW);                                                    \
        statement;                                                                               \
        LINKS(size);                                                                             \
        NEXT();                                                                                  \
    }

#define CONDITIONAL(id, size, statement)                                             \
    do_##id:                                                                         \
    {                                                                                \
        bool failed = false;                                                         \
        const uint64_t va = exec_wrap(cpu, S + IMM);                                 \
        HERE(PC);                                                                    \
        uint8_t *p = pc_store_conditional(&cpu->base, va, size, NOW, &why, &failed); \
        if (!p && !failed)                                                           \
            goto stopped;                                                            \
        PACE_AGAIN();                                                                \
        if (p) {                                                                     \
            TOUCHED(cpu->base.touched, id, va, size, 32);                            \
            RECORDED(SC, PC, va, size, NOW);                                         \
            statement;                                                               \
            cpu->base.tries.row = 0;                                                 \
        } else {                                                                     \
            RECORDED(SC_FAILED, PC, va, size, NOW);                                  \
            failed_try(cpu, PC, va);                                                 \
        }                                                                            \
        TRIES(size, !failed);                                                        \
        D = !failed;                                                                 \
        NEXT();                                                                      \
    }

#define LINK() (cpu->r.gpr[31] = PC + 8)

#define BRANCH(id, condition) \
    do_##id:                  \
    {                         \
        TAKEN = (condition);  \
        NEXT();               \
    }
#define BRANCH_LINK(id, condition) \
    do_##id:                       \
    {                              \
        TAKEN = (condition);       \
        LINK();                    \
        NEXT();                    \
    }
/** Untaken, it nullifies its delay slot: straight to the edge. */
#define LIKELY(id, condition, link) \
    do_##id:                        \
    {                               \
        TAKEN = (condition);        \
        link;                       \
        if (!TAKEN) {               \
            take_down(&sign);       \
            goto end_fall;          \
        }                           \
        NEXT();                     \
    }

/** Leaves the block through edge `which`. */
#define LEAVE(which)                     \
    do {                                 \
        edge = &b->edge[which];          \
        cpu->base.now += edge->cycles;   \
        exec_spend(spent, &edge->spent); \
        COUNT(which);                    \
    } while (0)

/** Goes on behind `edge`. Its line is looked up if the edge says so. */
#define FOLLOW()             \
    do {                     \
        check = edge->check; \
        b = edge->to;        \
        ENTER();             \
    } while (0)

/** The block's first instruction has been looked up, if `check` says so. */
#define LOOKED(pc)                                     \
    do {                                               \
        if (check)                                     \
            RECORDED(FETCH, pc, pc, 0, cpu->base.now); \
    } while (0)

#define IN_CACHE(block) \
    (((const struct pc_line *)((const char *)cpu->base.i + (block)->place))->tag == (block)->line)

#define ENTER()                                          \
    do {                                                 \
        if (unlikely(cpu->base.now + b->span > horizon)) \
            goto brink;                                  \
        if (check && unlikely(!IN_CACHE(b)))             \
            goto miss;                                   \
        LOOKED(b->key.pc);                               \
        op = b->ops;                                     \
        DISPATCH();                                      \
    } while (0)

/** Goes beyond what `spent` can hold. */
static __attribute__((noinline)) sim_tick run_far(struct r4400 *cpu, sim_tick horizon)
{
    sim_tick at;

    do {
        r4400_settle(&cpu->base);
        at = r4400_run(&cpu->base, sim_earlier(horizon, cpu->pipe.full));
    } while (at && at < horizon);
    return at;
}

sim_tick r4400_run(struct pc_cpu *base, sim_tick horizon)
{
    struct r4400 *const cpu = r4400_of(base);
    static const void *const label[R4400_OP__COUNT] = {
        [MIPS_OP_RI] = &&do_RI,
#define INSN(id, ...) [MIPS_OP_##id] = &&do_##id,
#define FPOP(id, ...) [MIPS_OP_##id] = &&do_fpu,
#include "procard/mips/isa.def"
#undef INSN
#undef FPOP
        [MIPS_OP_NOP] = &&do_NOP,
        [MIPS_OP_MOVE] = &&do_MOVE,
        [R4400_OP_LINE] = &&do_LINE,
        [R4400_OP_POINT] = &&do_POINT,
        [R4400_OP_STOP] = &&do_STOP,
        [R4400_OP_ENTER] = &&do_ENTER,
        [R4400_OP_LOOK] = &&do_LOOK,
        [R4400_OP_BEHIND] = &&do_BEHIND,
        [R4400_OP_END_FALL] = &&end_fall,
        [R4400_OP_END_COND] = &&end_cond,
        [R4400_OP_END_JUMP] = &&end_jump,
        [R4400_OP_END_REG] = &&end_reg,
        [R4400_OP_END_SPLIT] = &&end_split,
        [R4400_OP_END_SYNCI] = &&end_synci,
    };
    union r4400_spent *const spent = &cpu->pipe.spent;
    const struct mips_op *op = cpu->pipe.op;
    struct r4400_edge *edge = NULL, dropped;
    struct stop_sign sign;
    struct r4400_block *b;
    enum pc_stop why;
    bool check;

    if (unlikely(horizon > cpu->pipe.full))
        return run_far(cpu, horizon);
    if (unlikely(cpu->base.now >= horizon))
        return cpu->base.now;
    cpu->base.horizon = horizon;
    if (likely(op)) {
        b = cpu->pipe.block;
        cpu->base.now -= op->cycle;
        cpu->pipe.op = NULL;
        exec_pace(&sign, b, horizon - cpu->base.now);
        DISPATCH();
    }
    r4400_leave(&cpu->base);
    if (cpu->pipe.code != cpu->code)
        r4400_attach(cpu);
    TARGET = cpu->r.npc;
    if (cpu->r.passed != cpu->r.pc)
        cpu->r.passed = 0;
    check = cpu->fetched_pc != cpu->r.pc;
    while (!(b = exec_resume(cpu))) {
        if (!fetch_missing(cpu, cpu->r.pc, &why))
            goto done;
        RECORDED(FETCH, cpu->r.pc, cpu->r.pc, 0, cpu->base.now);
        check = false;
        cpu->fetched_pc = cpu->r.pc;
    }

brink: /* the horizon may fall inside the block */
    if (unlikely(b == &r4400_unlinked))
        goto unlinked;
    if (cpu->base.now >= horizon) {
        why = PC_STOP_HORIZON;
        goto stopped_before;
    }
    if (check && !IN_CACHE(b))
        goto miss;
    LOOKED(b->key.pc);
    exec_pace(&sign, b, horizon - cpu->base.now);
do_ENTER:
    op = b->ops;
    DISPATCH();

do_LOOK:
    if (IN_CACHE(b)) {
        RECORDED(FETCH, b->key.pc, b->key.pc, 0, cpu->base.now);
        goto do_ENTER;
    }
    take_down(&sign);
miss:
    HERE(b->key.pc);
    if (!pc_fetch(&cpu->base, b->key.pc, cpu->base.now, &why)) {
        check = true;
        goto stopped_before;
    }
    RECORDED(FETCH, b->key.pc, b->key.pc, 0, cpu->base.now);
    check = false;
    goto brink;

    /* the block enters another line */
do_LINE : {
    const uint64_t va = PC;

    if (unlikely(((const struct pc_line *)((const char *)cpu->base.i + op->imm))->tag != va)) {
        HERE(va);
        if (!pc_fetch(&cpu->base, va, NOW, &why))
            goto stopped;
        RECORDED(FETCH, va, va, 0, NOW);
        if (NOW >= horizon)
            goto stopped_behind_line;
        PACE_AGAIN();
    } else {
        RECORDED(FETCH, va, va, 0, NOW);
    }
    NEXT();
}

    /* one that begins again has been counted (stopped.c) */
do_POINT:
    op++;
    if (cpu->r.passed != PC) {
        pc_record_point(&cpu->base, PC, NOW, 0, NULL);
        if (PC == cpu->code->awaited && ++cpu->code->came == cpu->code->due)
            RAISE(PC_EXC_POINT, 0);
    }
    cpu->r.passed = 0;
    DISPATCH();

do_BEHIND:
    op = cpu->pipe.line;
    cpu->base.now -= op->cycle;
    PACE_AGAIN();
    NEXT();

do_STOP:
    assert(sign.at);
    sign.at->code = sign.code;
    stop_at(cpu, b, op);
    return cpu->base.now;

#include "procard/mips/semantics.def"
    DO(fpu, if (unlikely(!mips_fpu[op->code](REGS, op))) RAISE(PC_EXC_FPE, 0))
    DO(RDHWR, uint64_t value;
       if (!mips_hardware_read(&cpu->base, REGS, op->imm, NOW, &value)) RAISE(PC_EXC_RI, 0);
       D = value)
do_SYNC:
    if (unlikely(cpu->base.posted)) {
        HERE(PC);
        if (!pc_sync(&cpu->base, NOW, &why))
            goto stopped;
        PACE_AGAIN();
    }
    NEXT();
do_SYSCALL:
    RAISE(PC_EXC_SYS, op->imm);
do_BREAK:
    RAISE(PC_EXC_BP, op->imm);

    /* -- ways out of a block -- */
end_fall:
    LEAVE(R4400_EDGE_FALL);
    MOVE(edge->pc);
    FOLLOW();
end_cond:
    LEAVE(TAKEN);
    MOVE(edge->pc);
    FOLLOW();
end_jump:
    LEAVE(R4400_EDGE_TAKEN);
    MOVE(edge->pc);
    FOLLOW();
end_split: /* the delay slot's block leaves through end_reg: tell it the target */
    LEAVE(TAKEN);
    MOVE(edge->pc);
    if (TAKEN && mips_rows[op[-1].code].klass != MIPS_CLASS_JUMPR)
        TARGET = edge->pc - 4 + (uint64_t)(int64_t)op[-1].imm;
    FOLLOW();
end_reg : {
    const uint64_t next = TARGET;

    LEAVE(R4400_EDGE_TAKEN);
    MOVE(next);
    check = true;
    if (edge->to->key.pc == next) {
        b = edge->to;
    } else {
        struct r4400_block **hot = &cpu->hot[next >> 2 & 255];

        if (!*hot || (*hot)->key.pc != next || (*hot)->key.context != edge->context->id ||
            (*hot)->key.flags != edge->flags)
            *hot = r4400_block_get(cpu->code, next, edge->context, edge->flags);
        if (!*hot) {
            cpu->r.pc = next;
            goto off_the_map;
        }
        b = edge->to = *hot;
    }
    ENTER();
}
end_synci:
    LEAVE(R4400_EDGE_FALL);
afresh : /* all decoded code is dropped */
{
    dropped = *edge; /* who looks back at it finds it here */
    edge = &dropped;
    r4400_code_drop(cpu->code);
    check = edge->check;
    cpu->r.pc = edge->pc;
    b = r4400_block_get(cpu->code, edge->pc, edge->context, edge->flags);
    if (!b)
        goto off_the_map;
    goto brink;
}

unlinked: /* an edge taken for the first time */
    if (unlikely(cpu->code->arena_bytes > ARENA_LIMIT))
        goto afresh;
    b = r4400_block_get(cpu->code, edge->pc, edge->context, edge->flags);
    if (b) {
        edge->to = b;
        goto brink;
    }
    cpu->r.pc = edge->pc;

off_the_map: /* no instruction there, or not yet */
    leave_tail(cpu, edge);
    cpu->pipe.slot = edge->flags & R4400_BLOCK_SLOT;
    cpu->r.npc = cpu->pipe.slot ? TARGET : cpu->r.pc + 4;
    cpu->pipe.pc = cpu->r.pc;
    cpu->pipe.context = edge->context;
    cpu->fetched_pc = R4400_NOWHERE;
    if (!fetch_missing(cpu, cpu->r.pc, &why))
        goto done;
    RECORDED(FETCH, cpu->r.pc, cpu->r.pc, 0, cpu->base.now);
    b = exec_resume(cpu);
    check = false;
    goto brink;

stopped_behind_line:
    take_down(&sign);
    stop_at(cpu, b, op);
    cpu->pipe.line = op;
    cpu->pipe.op = &r4400_behind_line;
    return cpu->base.now;
trapped:
    why = PC_STOP_TRAP;
stopped:
    take_down(&sign);
    stop_at(cpu, b, op);
    goto done;
stopped_before:
    stop_before(cpu, b, edge, !check);
done:
    if (why == PC_STOP_TRAP)
        exec_trap(cpu);
    else if (why == PC_STOP_MISS)
        r4400_show(cpu);
    return pc_stopped(&cpu->base, why);
}
