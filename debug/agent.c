/*
 * A stack machine. The hard idea: its code comes from somebody else, so that every byte of it is
 * checked, and what has run too long is given up.
 */
#include "debug/agent.h"

#include "debug/target.h"

enum { STACK = 64, STEPS = 4096 };

enum agent_op {
#define OP(name, code, operands) AGENT_##name = (code),
#include "debug/agent.def"
};

struct agent {
    struct dbg *d;
    const uint8_t *code;
    size_t count, at;
    const void *regs;
    uint64_t stack[STACK];
    unsigned top; /* values */
    bool bad;
};

static const uint8_t operands[256] = {
#define OP(name, code, operands) [code] = (operands) + 1,
#include "debug/agent.def"
};

static uint64_t agent_operand(const struct agent *a, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v = v << 8 | a->code[a->at + 1 + i];
    return v;
}

static void agent_push(struct agent *a, uint64_t v)
{
    if (a->top == STACK)
        a->bad = true;
    else
        a->stack[a->top++] = v;
}

static uint64_t agent_pop(struct agent *a)
{
    if (!a->top)
        a->bad = true;
    return a->top ? a->stack[--a->top] : 0;
}

static void agent_refer(struct agent *a, unsigned size)
{
    uint8_t bytes[8] = {0};
    const uint64_t va = agent_pop(a);
    if (a->d->inspect->read(a->d->run->self, va, bytes, size) != size)
        a->bad = true;
    agent_push(a, dbg_value_of(&a->d->binary, bytes, size));
}

static uint64_t agent_extend(uint64_t v, uint64_t bits, bool sign)
{
    if (!bits || bits >= 64)
        return v;
    v &= (UINT64_C(1) << bits) - 1;
    return sign && v >> (bits - 1) ? v | ~UINT64_C(0) << bits : v;
}

static uint64_t agent_divide(struct agent *a, uint64_t x, uint64_t y, enum agent_op op)
{
    const int64_t sx = (int64_t)x, sy = (int64_t)y;
    if (!y || (sx == INT64_MIN && sy == -1)) {
        a->bad = true;
        return 0;
    }
    return op == AGENT_DIV_SIGNED     ? (uint64_t)(sx / sy)
           : op == AGENT_DIV_UNSIGNED ? x / y
           : op == AGENT_REM_SIGNED   ? (uint64_t)(sx % sy)
                                      : x % y;
}

static uint64_t agent_of_two(struct agent *a, enum agent_op op, uint64_t x, uint64_t y)
{
    switch (op) {
    case AGENT_ADD:
        return x + y;
    case AGENT_SUB:
        return x - y;
    case AGENT_MUL:
        return x * y;
    case AGENT_LSH:
        return y < 64 ? x << y : 0;
    case AGENT_RSH_SIGNED:
        return (uint64_t)((int64_t)x >> (y < 64 ? y : 63));
    case AGENT_RSH_UNSIGNED:
        return y < 64 ? x >> y : 0;
    case AGENT_BIT_AND:
        return x & y;
    case AGENT_BIT_OR:
        return x | y;
    case AGENT_BIT_XOR:
        return x ^ y;
    case AGENT_EQUAL:
        return x == y;
    case AGENT_LESS_SIGNED:
        return (int64_t)x < (int64_t)y;
    case AGENT_LESS_UNSIGNED:
        return x < y;
    default:
        return agent_divide(a, x, y, op);
    }
}

static void agent_register(struct agent *a, uint64_t number)
{
    if (number >= dbg_register_count(&a->d->binary))
        a->bad = true;
    else
        agent_push(a, dbg_register_get(&a->d->binary, a->regs, (unsigned)number));
}

static void agent_pick(struct agent *a, uint64_t depth)
{
    if (depth >= a->top)
        a->bad = true;
    else
        agent_push(a, a->stack[a->top - 1 - depth]);
}

static void agent_swap(struct agent *a)
{
    const uint64_t x = agent_pop(a), y = agent_pop(a);
    agent_push(a, x);
    agent_push(a, y);
}

/* What neither refers to memory nor takes two. */
static void agent_other(struct agent *a, enum agent_op op, uint64_t operand)
{
    switch (op) {
    case AGENT_LOG_NOT:
        agent_push(a, !agent_pop(a));
        break;
    case AGENT_BIT_NOT:
        agent_push(a, ~agent_pop(a));
        break;
    case AGENT_EXT:
    case AGENT_ZERO_EXT:
        agent_push(a, agent_extend(agent_pop(a), operand, op == AGENT_EXT));
        break;
    case AGENT_CONST8:
    case AGENT_CONST16:
    case AGENT_CONST32:
    case AGENT_CONST64:
        agent_push(a, operand);
        break;
    case AGENT_REG:
        agent_register(a, operand);
        break;
    case AGENT_DUP:
        agent_pick(a, 0);
        break;
    case AGENT_PICK:
        agent_pick(a, operand);
        break;
    case AGENT_POP:
        agent_pop(a);
        break;
    case AGENT_SWAP:
        agent_swap(a);
        break;
    default:
        a->bad = true;
    }
}

/* @return it goes on */
static bool agent_step(struct agent *a)
{
    if (a->at >= a->count || !operands[a->code[a->at]] ||
        a->at + operands[a->code[a->at]] > a->count) {
        a->bad = true;
        return false;
    }
    const enum agent_op op = (enum agent_op)a->code[a->at];
    const unsigned n = operands[op] - 1u;
    const uint64_t operand = agent_operand(a, n);
    a->at += 1 + n;
    if (op == AGENT_END)
        return false;
    if (op == AGENT_GOTO || (op == AGENT_IF_GOTO && agent_pop(a)))
        a->at = operand;
    else if (op >= AGENT_REF8 && op <= AGENT_REF64)
        agent_refer(a, 1u << (op - AGENT_REF8));
    else if (op == AGENT_IF_GOTO)
        ;
    else if ((op >= AGENT_ADD && op <= AGENT_RSH_UNSIGNED) ||
             (op >= AGENT_BIT_AND && op <= AGENT_BIT_XOR) ||
             (op >= AGENT_EQUAL && op <= AGENT_LESS_UNSIGNED)) {
        const uint64_t y = agent_pop(a), x = agent_pop(a);
        agent_push(a, agent_of_two(a, op, x, y));
    } else
        agent_other(a, op, operand);
    return !a->bad;
}

/* @return whether it is not 0, or not known */
static bool agent_runs(struct agent *a)
{
    unsigned steps = 0;
    while (steps < STEPS && agent_step(a))
        steps++;
    return a->bad || steps == STEPS || !a->top || a->stack[a->top - 1];
}

bool dbg_agent_any(struct dbg *d, const uint8_t *code, size_t count, const void *regs)
{
    bool any = false;
    for (size_t at = 0; !any && at + 2 <= count;) {
        const size_t size = (size_t)code[at] << 8 | code[at + 1];
        struct agent a = {.d = d,
                          .code = code + at + 2,
                          .count = size < count - at - 2 ? size : count - at - 2,
                          .regs = regs};
        any = agent_runs(&a);
        at += 2 + size;
    }
    return any;
}
