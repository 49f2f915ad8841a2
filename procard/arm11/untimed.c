/*
 * Loads and stores without time, through the card's own slow paths. What is not aligned goes byte
 * by byte; of a store all its bytes are found before any is written.
 */
#include "procard/arm11/profile.h"
#include "procard/loop.h"

#include <string.h>

unsigned arm11_size(enum arm11_kind kind)
{
    static const uint8_t sizes[ARM11_KINDS] = {4, 1, 2, 1, 2};
    return sizes[kind];
}

uint32_t arm11_value(const uint8_t *p, enum arm11_kind kind, bool big)
{
    const unsigned size = arm11_size(kind);
    uint32_t v = 0;
    for (unsigned i = 0; i < size; i++)
        v |= (uint32_t)p[big ? size - 1 - i : i] << 8 * i;
    return kind == ARM11_SIGNED_BYTE   ? (uint32_t)(int8_t)v
           : kind == ARM11_SIGNED_HALF ? (uint32_t)(int16_t)v
                                       : v;
}

void arm11_bytes(uint8_t *p, uint32_t v, unsigned size, bool big)
{
    for (unsigned i = 0; i < size; i++)
        p[big ? size - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

/* Bytes at any address. */
static bool load_bytes(struct arm11 *c, uint32_t va, unsigned size, uint8_t *bytes)
{
    struct pc_cpu *cpu = &c->base;
    const unsigned step = va & (size - 1) ? 1 : size;
    for (unsigned i = 0; i < size; i += step) {
        const uint8_t *p = pc_load(cpu, (uint32_t)(va + i), step, cpu->now, &c->why);
        if (!p)
            return false;
        memcpy(bytes + i, p, step);
    }
    return true;
}

bool arm11_untimed_load(struct arm11 *c, uint32_t va, enum arm11_kind kind, unsigned reg)
{
    uint8_t bytes[4];
    if (!load_bytes(c, va, arm11_size(kind), bytes))
        return false;
    c->r.r[reg] = arm11_value(bytes, kind, c->r.e);
    arm11_told(c, PC_RECORDED_LOAD, va, arm11_size(kind));
    return true;
}

bool arm11_untimed_load_words(struct arm11 *c, uint32_t va, const uint8_t *regs, unsigned n)
{
    uint32_t value[ARM11_PARTS];
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *p = pc_load(&c->base, (uint32_t)(va + 4 * i), 4, c->base.now, &c->why);
        if (!p)
            return false;
        value[i] = arm11_value(p, ARM11_WORD, c->r.e);
    }
    arm11_told(c, PC_RECORDED_LOAD, va, 4 * n);
    for (unsigned i = 0; i < n; i++)
        c->r.r[regs[i]] = value[i];
    return true;
}

bool arm11_untimed_store(struct arm11 *c, uint32_t va, const uint32_t *words, unsigned n,
                         unsigned size)
{
    const unsigned step = n == 1 && va & (size - 1) ? 1 : size;
    uint8_t bytes[4 * ARM11_PARTS], *p[4 * ARM11_PARTS];
    for (unsigned i = 0; i < n; i++)
        arm11_bytes(bytes + i * size, words[i], size, c->r.e);
    for (unsigned i = 0; i < n * size; i += step) {
        p[i] = pc_store(&c->base, (uint32_t)(va + i), step, c->base.now, &c->why);
        if (!p[i])
            return false;
    }
    for (unsigned i = 0; i < n * size; i += step)
        memcpy(p[i], bytes + i, step);
    arm11_told(c, PC_RECORDED_STORE, va, n * size);
    return true;
}

bool arm11_untimed_linked(struct arm11 *c, uint32_t va, unsigned size, unsigned d, unsigned e)
{
    static const uint8_t kinds[] = {
        [1] = ARM11_BYTE, [2] = ARM11_HALF, [4] = ARM11_WORD, [8] = ARM11_WORD};
    const uint8_t *p = pc_load_linked(&c->base, va, size, c->base.now, &c->why);
    if (!p)
        return false;
    c->r.r[d] = arm11_value(p, (enum arm11_kind)kinds[size], c->r.e);
    if (size == 8)
        c->r.r[e] = arm11_value(p + 4, ARM11_WORD, c->r.e);
    arm11_told(c, PC_RECORDED_LL, va, size);
    return true;
}

bool arm11_untimed_conditional(struct arm11 *c, uint32_t va, unsigned size, uint32_t low,
                               uint32_t high, unsigned d)
{
    bool failed = false;
    uint8_t data[8];
    uint8_t *p = pc_store_conditional(&c->base, va, size, c->base.now, &c->why, &failed);
    if (!p && !failed)
        return false;
    if (p) {
        arm11_bytes(data, low, size < 4 ? size : 4, c->r.e);
        if (size == 8)
            arm11_bytes(data + 4, high, 4, c->r.e);
        if (c->base.cursor)
            pc_cursor_tried(c->base.cursor, memcmp(p, data, size) != 0, true);
        memcpy(p, data, size);
    }
    arm11_tried(c, c->r.r[ARM_PC], va, size, failed);
    c->r.r[d] = failed;
    return true;
}

bool arm11_untimed_swap(struct arm11 *c, uint32_t va, unsigned size, uint32_t datum, unsigned d)
{
    const enum arm11_kind kind = size == 1 ? ARM11_BYTE : ARM11_WORD;
    uint8_t *p = pc_store(&c->base, va, size, c->base.now, &c->why);
    if (!p)
        return false;
    const uint32_t old = arm11_value(p, kind, c->r.e);
    arm11_bytes(p, datum, size, c->r.e);
    c->r.r[d] = old;
    arm11_told(c, PC_RECORDED_LOAD, va, size);
    arm11_told(c, PC_RECORDED_STORE, va, size);
    return true;
}
