/*
 * Decoded blocks: straight code up to a branch, with what each instruction waits for and takes.
 *
 * The hard idea: all of the timing tables is folded into an operation when it is decoded; what is
 * left for the interpreter is to look at `ready` of at most five registers.
 */
#include "procard/arm11/pipeline.h"

#include "machine/values.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_INSNS = 64, OPS_EACH = 4 };

#define BLOCKS_LIMIT (UINT64_C(256) << 20) /* [bytes]: then all are forgotten */

/* ---- timing ---------------------------------------------------------------------------------- */

enum time_id {
#define TIME(name, ...) TIME_##name,
#include "procard/arm11/timing.def"
#undef TIME
};

struct time {
    uint8_t cycles, latency, second;
    const char *early, *late;
};

static const struct time times[] = {
#define TIME(name, cycles, latency, second, early, late, source) \
    [TIME_##name] = {cycles, latency, second, early, late},
#include "procard/arm11/timing.def"
#undef TIME
};

static const uint8_t time_of_row[ARM_ROWS] = {
#define LOGIC(id, ...)                                                  \
    [ARM_ROW_##id##_I] = TIME_ALU, [ARM_ROW_##id##_H] = TIME_ALU_SHIFT, \
    [ARM_ROW_##id##_V] = TIME_ALU_REGISTER,
#define INSN(id, mask, value, name, operands, time, ...) [ARM_ROW_##id] = TIME_##time,
#include "procard/arm/isa.def"
};

static bool code_is_memory(const struct arm_op *a)
{
    return a->row >= ARM_ROW_STR_I && a->row < ARM_ROW_CLREX;
}

static bool code_is_transfer(const struct arm_op *a)
{
    return a->row >= ARM_ROW_STR_I && a->row < ARM_ROW_STM;
}

/* A register shifted by nothing is as an immediate. */
static enum time_id code_time_of(const struct arm_op *a)
{
    const bool plain = a->row < ARM_ROW_MUL && a->aux == 0 && arm_rows[a->row].mask & 0x10 &&
                       !(arm_rows[a->row].value & 0x10);
    return plain ? TIME_ALU : (enum time_id)time_of_row[a->row];
}

static void code_waits_for(struct arm11_op *op, unsigned *n, char letter, unsigned reg,
                           const struct time *t)
{
    if (reg == ARM_SINK)
        return;
    op->source[*n] = (uint8_t)reg;
    op->adjust[*n] = strchr(t->early, letter) ? 1 : strchr(t->late, letter) ? -1 : 0;
    ++*n;
}

static void code_sources(struct arm11_op *op, const struct time *t)
{
    const struct arm_op *a = &op->a;
    unsigned n = 0;
    memset(op->source, ARM_SINK, sizeof op->source);
    if (code_is_memory(a))
        op->source[n++] = ARM11_LSU;
    code_waits_for(op, &n, 'a', a->a, t);
    if (arm_rows[a->row].operands[0] == 't' &&
        (a->row == ARM_ROW_STRD_I || a->row == ARM_ROW_STRD_R))
        code_waits_for(op, &n, 'a', (a->a + 1u) & 15, t);
    code_waits_for(op, &n, 'n', a->n, t);
    code_waits_for(op, &n, 'm', a->m, t);
    code_waits_for(op, &n, 's', a->s, t);
    if (strchr(arm_rows[a->row].operands, 'l')) {
        code_waits_for(op, &n, 'l', a->d, t);
        code_waits_for(op, &n, 'h', a->e, t);
    }
}

/* [M] 16-6, 16-16: subtracted or otherwise shifted offsets pass the shifter first. */
static void hard_address(struct arm11_op *op)
{
    op->cycles++;
    op->memory++;
    op->latency++;
    if (op->second)
        op->second++;
    for (unsigned i = 0; i < sizeof op->source; i++)
        if (op->source[i] == op->a.n && op->a.n != op->a.m && op->adjust[i] > 0)
            op->adjust[i] = 0;
}

static bool is_narrow_load(unsigned row)
{
    return row == ARM_ROW_LDRB_I || row == ARM_ROW_LDRB_R || row == ARM_ROW_LDRH_I ||
           row == ARM_ROW_LDRH_R || row == ARM_ROW_LDRSB_I || row == ARM_ROW_LDRSB_R ||
           row == ARM_ROW_LDRSH_I || row == ARM_ROW_LDRSH_R;
}

static void code_timing(const struct arm11_code *code, struct arm11_op *op)
{
    enum { FLAGS_ONLY = 8, MSR_OTHER = 4 };
    const struct arm_op *a = &op->a;
    const struct time *t = &times[code_time_of(a)];
    op->cycles = t->cycles;
    op->latency = is_narrow_load(a->row) ? (uint8_t)code->byte_load : t->latency;
    op->second = t->second;
    op->memory = a->row == ARM_ROW_SWP || a->row == ARM_ROW_SWPB ? 2 : code_is_memory(a);
    code_sources(op, t);
    if (code_is_transfer(a) && !(a->aux & ARM_EASY))
        hard_address(op);
    if ((a->row == ARM_ROW_MSR || a->row == ARM_ROW_MSR_I) && (a->imm >> 16 & 15) & ~FLAGS_ONLY)
        op->cycles = MSR_OTHER;
}

/* ---- branches -------------------------------------------------------------------------------- */

enum { WRONG_MOST = 7, WRONG_LEAST = 5 };
#define BRANCH_TIME(name, cycles, source, sentence) enum { CHECK_##name = (cycles) };
#include "procard/arm11/branches.def"
#undef BRANCH_TIME
_Static_assert(WRONG_MOST == (int)CHECK_WRONG_MOST && WRONG_LEAST == (int)CHECK_WRONG_LEAST,
               "the rows of branches.def");

static bool is_return(const struct arm11_code *code, const struct arm_op *a)
{
    return (a->code == ARM_OP_BX && a->m == ARM_LR) ||
           (a->code == ARM_OP_MOV_R && a->m == ARM_LR && code->mov_returns) ||
           (a->code == ARM_OP_LDM && a->n == ARM_SP && a->aux & ARM_WRITES_BACK) ||
           (a->code == ARM_OP_LDR_X && a->n == ARM_SP);
}

/* Whether a branch may be folded into another: what comes then comes at its own tick, behind it.
 * @param before  instructions of its block before it */
static bool code_folds(const struct arm_op *a, unsigned before)
{
    return a->code == ARM_OP_B && before > 0;
}

/* @param apart  instructions since the last that set flags */
static void code_branch(const struct arm11_code *code, struct arm11_op *op, unsigned apart,
                        unsigned before)
{
    const struct arm_op *a = &op->a;
    const unsigned wrong = a->cond == ARM_ALWAYS || apart > WRONG_MOST - WRONG_LEAST
                               ? WRONG_LEAST
                               : WRONG_MOST - apart;
    op->wrong = (uint8_t)wrong;
    op->folds = code_folds(a, before);
    op->pops = a->flags & ARM_WRITES_PC || a->code == ARM_OP_BX ? is_return(code, a) : 0;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

void *arm11_code_new(pc_fetch_fn *fetch, void *ctx, const struct nm_params *card)
{
    struct arm11_code *code = sim_alloc(1, sizeof *code);
    code->fetch = fetch;
    code->ctx = ctx;
    code->byte_load = (uint32_t)card->arm11_byte_load;
    code->mov_returns = card->arm11_mov_returns;
    code->generation = code->alike = 1;
    code->low = UINT64_MAX;
    return code;
}

void arm11_code_drop(struct arm11_code *code)
{
    struct arm11_block *b, *next;
    HASH_ITER(hh, code->blocks, b, next) {
        HASH_DEL(code->blocks, b);
        free(b);
    }
    code->alike = ++code->generation;
    code->bytes = 0;
    code->low = UINT64_MAX;
    code->high = 0;
}

void arm11_code_free(void *code)
{
    arm11_code_drop(code);
    free(code);
}

void arm11_code_flush(void *its, uint64_t va, uint64_t len)
{
    struct arm11_code *code = its;
    if (va < code->high && va + len > code->low)
        arm11_code_drop(code);
}

bool arm11_code_await(void *its, uint64_t va, uint64_t more)
{
    struct arm11_code *code = its;
    const uint64_t awaited = va ? (va & ~UINT64_C(1)) + 1 : 0;
    if (code->awaited != awaited) {
        arm11_code_drop(code);
        code->came = code->due = 0;
    }
    code->awaited = awaited;
    code->due = more > UINT64_MAX - code->due ? UINT64_MAX : code->due + more;
    return va && code->came >= code->due;
}

void arm11_code_points(void *its, const struct pc_points *points)
{
    struct arm11_code *code = its;
    const uint64_t alike = code->alike;
    arm11_code_drop(code);
    code->alike = alike;
    code->points = points;
}

static int32_t code_halfword(const struct arm11_code *code, uint32_t va)
{
    const uint8_t *p = code->fetch(code->ctx, va & ~UINT32_C(3));
    if (!p)
        return -1;
    p += va & 2;
    return p[0] | p[1] << 8;
}

bool arm11_decode(const struct arm11_code *code, uint32_t pc, bool thumb, struct arm_op *op)
{
    const int32_t low = code_halfword(code, pc);
    if (low < 0)
        return false;
    const int32_t high = code_halfword(code, pc + 2);
    if (thumb)
        arm_decode_thumb((uint16_t)low, high, pc, op);
    else
        arm_decode((uint32_t)low | (uint32_t)high << 16, pc, op);
    return true;
}

struct making {
    struct arm11_op op[BLOCK_INSNS * OPS_EACH + 1];
    unsigned count;
    unsigned apart;    /* instructions since flags were set */
    unsigned returned; /* register that the last transfer has written back; ARM_SINK: none */
};

static struct arm11_op *code_add(struct making *m, unsigned code, uint32_t at)
{
    struct arm11_op *op = &m->op[m->count++];
    *op = (struct arm11_op){.a = {.code = (uint16_t)code, .cond = ARM_ALWAYS}, .at = (uint16_t)at};
    return op;
}

/* [M] DDI 0211 16.10: a base that was written back may be used by the next load or store at once.
 */
static void forward_base(struct making *m, struct arm11_op *op)
{
    const struct arm_op *a = &op->a;
    if (code_is_memory(a)) {
        for (unsigned i = 0; i < sizeof op->source; i++)
            if (m->returned != ARM_SINK && op->source[i] == m->returned && op->source[i] == a->n &&
                op->adjust[i] > 0)
                op->adjust[i]--;
        m->returned = a->aux & ARM_WRITES_BACK && a->row < ARM_ROW_PLD_I ? a->n : ARM_SINK;
    } else if (a->d == m->returned || a->e == m->returned) {
        m->returned = ARM_SINK;
    }
}

static void add_instruction(const struct arm11_code *code, struct making *m,
                            const struct arm11_block *b, uint32_t pc, const struct arm_op *a)
{
    const uint32_t at = (pc - b->key.pc) / 2;
    if (code->awaited == (uint64_t)pc + 1 || pc_points_have(code->points, pc) ||
        (code->points && code_folds(a, b->count)))
        code_add(m, ARM11_OP_POINT, at);
    if (b->count && pc % ARM11_LINE == 0)
        code_add(m, ARM11_OP_LINE, at);
    if (a->flags & ARM_READS_PC) {
        const uint32_t value = pc + (b->key.thumb ? 4 : 8);
        code_add(m, ARM11_OP_PC, at)->a.imm = a->flags & ARM_ALIGNS ? value & ~UINT32_C(3) : value;
    }
    struct arm11_op *op = code_add(m, a->code, at);
    op->a = *a;
    op->real = a->code;
    if (a->row < ARM_ROWS) {
        code_timing(code, op);
        forward_base(m, op);
        code_branch(code, op, m->apart, b->count);
    } else {
        memset(op->source, ARM_SINK, sizeof op->source);
        op->cycles = op->latency = 1;
    }
    if (a->cond != ARM_ALWAYS)
        op->a.code =
            (uint16_t)((a->code == ARM_OP_B ? ARM11_OP_BRANCH : ARM11_OP_CONDITION) + a->cond);
    m->apart = a->flags & ARM_SETS ? 0 : m->apart + 1;
}

static bool code_ends(const struct arm_op *a)
{
    return a->flags & (ARM_ENDS | ARM_WRITES_PC);
}

/* @return behind the last instruction */
static uint32_t code_make(const struct arm11_code *code, struct making *m, struct arm11_block *b)
{
    uint32_t pc = b->key.pc;
    struct arm_op a;
    m->count = 0;
    m->apart = WRONG_MOST;
    m->returned = ARM_SINK;
    while (b->count < BLOCK_INSNS && arm11_decode(code, pc, b->key.thumb, &a)) {
        add_instruction(code, m, b, pc, &a);
        b->count++;
        pc += a.size;
        if (a.flags & ARM_ENDS && a.m == ARM_SINK)
            b->edge[ARM11_TAKEN].pc = a.imm;
        if (code_ends(&a) || pc == 0)
            break;
    }
    const bool jumps = b->count && a.flags & ARM_WRITES_PC;
    code_add(m, jumps ? ARM11_OP_END_PC : ARM11_OP_END, (pc - b->key.pc) / 2);
    return pc;
}

struct arm11_block *arm11_block_get(struct arm11_code *code, uint32_t pc, bool thumb)
{
    const struct arm11_key key = {pc, thumb};
    struct arm11_block head = {.key = key}, *b;
    struct making m;
    HASH_FIND(hh, code->blocks, &key, sizeof key, b);
    if (b)
        return b;
    if (code->bytes > BLOCKS_LIMIT)
        arm11_code_drop(code);
    head.edge[ARM11_FALL].pc = code_make(code, &m, &head);
    if (!head.count)
        return NULL;
    const size_t bytes = sizeof head + m.count * sizeof *m.op;
    b = sim_alloc(1, bytes);
    *b = head;
    memcpy(b->op, m.op, m.count * sizeof *m.op);
    code->bytes += bytes;
    code->low = pc < code->low ? pc : code->low;
    code->high = head.edge[ARM11_FALL].pc > code->high ? head.edge[ARM11_FALL].pc : code->high;
    HASH_ADD(hh, code->blocks, key, sizeof key, b);
    return b;
}
