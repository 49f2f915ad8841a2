/*
 * The walker: a step is a record of addresses, so that an operand may be a constant beside it or
 * the result of another step.
 *
 * Words of a record: routine, address of the number, addresses of six arguments, stack pointer,
 * next record after a result of 0, next record, result, number, six constants.
 */
#include "tests/fuzz/guest.h"

#include "programs/linux/syscalls.h"
#include "tests/isa_assembler.h"

#include <elf.h>
#include <stdarg.h>

enum {
    W_ROUTINE,
    W_NUMBER,
    W_ARG,
    W_SP = W_ARG + GUEST_ARGS,
    W_ON_ZERO,
    W_NEXT,
    W_RESULT,
    W_NUMBER_IS,
    W_CONSTANT,
    W_RECORD = W_CONSTANT + GUEST_ARGS
};
enum {
    WALKER_ROOM = 0x800,  /* [bytes] of the walker */
    STACK = 0x1000,       /* [bytes] of a list's, at the arena's end; half of it is behind sp */
    CODE_OFFSET = 0x1000, /* in the file */
    CALLS = 1000,         /* numbers below belong to the ABI */
    O32_BASE = 4000,
    N64_BASE = 5000
};

/* ---- the walker ------------------------------------------------------------------------------ */

static const char *const mnemonic[GUEST_DOES] = {
    [GUEST_LB] = "lb",   [GUEST_LBU] = "lbu", [GUEST_LH] = "lh",   [GUEST_LHU] = "lhu",
    [GUEST_LW] = "lw",   [GUEST_LWL] = "lwl", [GUEST_LWR] = "lwr", [GUEST_LL] = "ll",
    [GUEST_SB] = "sb",   [GUEST_SH] = "sh",   [GUEST_SW] = "sw",   [GUEST_SWL] = "swl",
    [GUEST_SWR] = "swr", [GUEST_SC] = "sc",   [GUEST_LD] = "ld",   [GUEST_SD] = "sd",
    [GUEST_LLD] = "lld", [GUEST_SCD] = "scd"};

/** Its code and where the parts begin, in words. */
struct walker {
    unsigned words, routine[GUEST_DOES], handler[2];
    uint32_t word[WALKER_ROOM / 4];
};

static void emit(struct walker *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void emit(struct walker *w, const char *format, ...)
{
    char text[200];
    va_list ap;

    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    const unsigned n = assemble(text, w->word + w->words, WALKER_ROOM / 4 - w->words);
    FUZZ_CHECK(n > 0, "cannot assemble %s", text);
    w->words += n;
}

/** Loads register `to` from the address in word `field` of the record. */
static void emit_operand(struct walker *w, const char *load, unsigned width, const char *to,
                         unsigned field)
{
    emit(w, "%s t0,%u(s0); nop; %s %s,0(t0)", load, field * width, load, to);
}

/** Keeps the result (in v0) and goes on. */
static void emit_next(struct walker *w, const char *load, unsigned width)
{
    emit(w, "%s v0,%u(s0); bne v0,zero,3; %s t0,%u(s0); %s t0,%u(s0)", width == 8 ? "sd" : "sw",
         W_RESULT * width, load, W_NEXT * width, load, W_ON_ZERO * width);
    emit(w, "nop; or s0,t0,zero; jr s1; nop");
}

static void emit_call(struct walker *w, const char *load, unsigned width)
{
    static const char *const to[] = {"a0", "a1", "a2", "a3", "t1", "t2"};
    static const char *const to64[] = {"a0", "a1", "a2", "a3", "t0", "t1"};

    w->routine[GUEST_CALL] = w->words;
    emit(w, "%s sp,%u(s0)", load, W_SP * width);
    emit_operand(w, load, width, "v0", W_NUMBER);
    for (unsigned i = GUEST_ARGS; i-- > 0;) /* n64's a4 is t0, which so comes behind t1 */
        emit_operand(w, load, width, width == 8 ? to64[i] : to[i], W_ARG + i);
    if (width == 8)
        emit_operand(w, load, width, "t0", W_ARG + 4);
    else
        emit(w, "sw t1,16(sp); sw t2,20(sp)");
    emit(w, "syscall");
    emit_next(w, load, width);
}

static void emit_access(struct walker *w, const char *load, unsigned width, unsigned what)
{
    w->routine[what] = w->words;
    emit_operand(w, load, width, "t1", W_ARG);
    emit_operand(w, load, width, "v0", W_ARG + 1);
    emit(w, "%s v0,0(t1)", mnemonic[what]);
    emit_next(w, load, width);
}

/** Registers full of addresses, then off; who comes back by ra is at the next step. */
static void emit_go(struct walker *w, const char *load, unsigned width)
{
    w->routine[GUEST_GO] = w->words;
    emit_operand(w, load, width, "t9", W_ARG);
    emit(w, "%s sp,%u(s0)", load, W_SP * width);
    for (unsigned r = 2; r < 8; r++)
        emit(w, "lui s%u,%u; ori s%u,s%u,%u", r, GUEST_BUFFERS >> 16, r, r, r * 64);
    emit(w, "lui t8,%u; ori v0,zero,7; jr t9; lui gp,%u", GUEST_CODE >> 16, GUEST_BUFFERS >> 16);
}

/** Handlers: with the context's address in a2, the program counter's low half lies there. */
static void emit_handlers(struct walker *w, bool n64)
{
    const unsigned pc = n64 ? 40 + 576 + 4 : 24 + 12;

    w->handler[0] = w->words;
    emit(w, "jr ra; nop");
    w->handler[1] = w->words;
    emit(w, "lw t0,%u(a2); nop; addiu t0,t0,4; jr ra; sw t0,%u(a2)", pc, pc);
}

static const struct walker *walker(bool n64)
{
    static struct walker both[2];
    struct walker *w = &both[n64];
    const char *load = n64 ? "ld" : "lw";
    const unsigned width = n64 ? 8 : 4;

    if (w->words > 0)
        return w;
    emit(w, "lui s0,%u; ori s0,s0,0; lui s1,%u; ori s1,s1,20; nop", GUEST_DATA >> 16,
         GUEST_CODE >> 16);
    emit(w, "%s t9,0(s0); nop; jr t9; nop", load); /* at 20: the loop */
    emit_call(w, load, width);
    emit_handlers(w, n64);
    emit_go(w, load, width);
    for (unsigned what = GUEST_LB; what < (n64 ? GUEST_DOES : GUEST_DOES_O32); what++)
        emit_access(w, load, width, what);
    return w;
}

uint64_t guest_code(void)
{
    return GUEST_CODE + WALKER_ROOM;
}

uint64_t guest_handler(bool skips)
{
    return GUEST_CODE + 4 * walker(false)->handler[skips];
}

/* ---- lists ----------------------------------------------------------------------------------- */

unsigned guest_add(struct guest *g, unsigned list, const struct guest_step *step)
{
    if (g->steps[list] + 1 < GUEST_STEPS) /* the last is the end's */
        g->step[list][g->steps[list]++] = *step;
    return g->steps[list] - 1;
}

unsigned guest_call(struct guest *g, unsigned list, unsigned number, uint64_t a, uint64_t b,
                    uint64_t c, uint64_t d)
{
    const struct guest_step s = {.what = GUEST_CALL, .number = number, .arg = {a, b, c, d}};

    return guest_add(g, list, &s);
}

unsigned guest_number(const struct guest *g, const char *name)
{
    size_t count;
    const struct lx_sys_row *rows = lx_sys_rows(&count);

    for (size_t i = 0; i < count; i++)
        if (!strcmp(rows[i].name, name) && rows[i].number[g->n64] >= 0)
            return (unsigned)rows[i].number[g->n64];
    return CALLS - 1;
}

void guest_finish(struct guest *g)
{
    for (unsigned l = 0; l < GUEST_LISTS; l++) {
        struct guest_step *last = &g->step[l][g->steps[l]++];
        *last = (struct guest_step){.number = guest_number(g, l ? "exit" : "exit_group")};
    }
}

uint64_t guest_stack(unsigned list)
{
    return GUEST_END - list * STACK - STACK / 2;
}

void guest_put(struct guest *g, unsigned offset, unsigned width, uint64_t v)
{
    for (unsigned i = width; i-- > 0; v >>= 8)
        if (offset + i < GUEST_ARENA)
            g->arena[offset + i] = (uint8_t)v;
}

void guest_handle(struct guest *g, unsigned at)
{
    static const int signals[] = {4, 5, 8, 10, 11}; /* ILL, TRAP, FPE, BUS, SEGV of MIPS */
    const unsigned width = g->n64 ? 8 : 4;

    guest_put(g, at, 4, 8 /* SA_SIGINFO */ | 0x40000000 /* SA_NODEFER */);
    guest_put(g, at + width, width, GUEST_CODE + 4 * walker(g->n64)->handler[1]);
    for (unsigned i = 0; i < sizeof signals / sizeof *signals; i++)
        guest_call(g, 0, guest_number(g, "rt_sigaction"), (uint64_t)signals[i], GUEST_BUFFERS + at,
                   0, 16);
}

/* ---- the file -------------------------------------------------------------------------------- */

static void put(uint8_t *to, unsigned width, uint64_t v)
{
    for (unsigned i = width; i-- > 0; v >>= 8)
        to[i] = (uint8_t)v;
}

static uint64_t record_at(const struct guest *g, unsigned list, unsigned step)
{
    const unsigned width = g->n64 ? 8 : 4;

    return GUEST_DATA + (uint64_t)(list * GUEST_STEPS + step) * W_RECORD * width;
}

static void write_record(const struct guest *g, unsigned list, unsigned step, uint8_t *to)
{
    const struct guest_step *s = &g->step[list][step];
    const unsigned width = g->n64 ? 8 : 4, next = step + 1 < g->steps[list] ? step + 1 : step;
    const uint64_t at = record_at(g, list, step);
    const unsigned what = s->what < (g->n64 ? GUEST_DOES : GUEST_DOES_O32) ? s->what : GUEST_CALL;
    uint64_t w[W_RECORD] = {0};

    w[W_ROUTINE] = GUEST_CODE + 4 * walker(g->n64)->routine[what];
    w[W_NUMBER] = at + W_NUMBER_IS * width;
    w[W_NUMBER_IS] = s->number < CALLS ? s->number + (g->n64 ? N64_BASE : O32_BASE) : s->number;
    for (unsigned i = 0; i < GUEST_ARGS; i++) {
        w[W_ARG + i] = s->from >> i & 1
                           ? record_at(g, list, s->arg[i] % GUEST_STEPS) + W_RESULT * width
                           : at + (W_CONSTANT + i) * width;
        w[W_CONSTANT + i] = s->arg[i];
    }
    w[W_SP] = guest_stack(list);
    w[W_NEXT] = record_at(g, list, next);
    w[W_ON_ZERO] = s->child ? record_at(g, (unsigned)s->child, 0) : w[W_NEXT];
    for (unsigned i = 0; i < W_RECORD; i++)
        put(to + i * width, width, w[i]);
}

/** A program header. */
static void write_segment(const struct guest *g, uint8_t *p, uint64_t offset, uint64_t va,
                          uint64_t size, uint32_t flags)
{
    if (g->n64) {
        const uint64_t words[] = {
            (uint64_t)PT_LOAD << 32 | flags, offset, va, va, size, size, 4096};
        for (unsigned i = 0; i < 7; i++)
            put(p + 8 * i, 8, words[i]);
    } else {
        const uint64_t words[] = {PT_LOAD, offset, va, va, size, size, flags, 4096};
        for (unsigned i = 0; i < 8; i++)
            put(p + 4 * i, 4, words[i]);
    }
}

static void write_header(const struct guest *g, uint8_t *e)
{
    const unsigned w = g->n64 ? 8 : 4, rest = 24 + 3 * w;

    memcpy(e, g->n64 ? "\177ELF\2\2\1" : "\177ELF\1\2\1", 7);
    put(e + 16, 2, ET_EXEC);
    put(e + 18, 2, EM_MIPS);
    put(e + 20, 4, EV_CURRENT);
    put(e + 24, w, GUEST_CODE);
    put(e + 24 + w, w, rest + 16);
    put(e + rest, 4, g->n64 ? 0x60000000 : 0x1000);
    put(e + rest + 4, 2, rest + 16);
    put(e + rest + 6, 2, g->n64 ? sizeof(Elf64_Phdr) : sizeof(Elf32_Phdr));
    put(e + rest + 8, 2, 2);
    put(e + rest + 10, 2, g->n64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr));
}

size_t guest_write(const struct guest *g, uint8_t *elf, size_t room)
{
    const struct walker *w = walker(g->n64);
    const size_t code = WALKER_ROOM + sizeof g->code, data = GUEST_END - GUEST_DATA;
    const size_t headers = g->n64 ? 64 : 52, one = g->n64 ? 56 : 32;
    uint8_t *at = elf + CODE_OFFSET;
    const size_t data_offset = CODE_OFFSET + ((code + 0xfff) & ~(size_t)0xfff);

    FUZZ_CHECK(data_offset + data <= room, "%zu bytes", data_offset + data);
    memset(elf, 0, data_offset + data);
    write_header(g, elf);
    write_segment(g, elf + headers, CODE_OFFSET, GUEST_CODE, code, PF_R | PF_W | PF_X);
    write_segment(g, elf + headers + one, data_offset, GUEST_DATA, data, PF_R | PF_W);
    for (unsigned i = 0; i < w->words; i++)
        put(at + 4 * i, 4, w->word[i]);
    memcpy(at + WALKER_ROOM, g->code, g->code_size);
    at = elf + data_offset;
    for (unsigned l = 0; l < GUEST_LISTS; l++)
        for (unsigned s = 0; s < g->steps[l]; s++)
            write_record(g, l, s, at + record_at(g, l, s) - GUEST_DATA);
    memcpy(at + GUEST_BUFFERS - GUEST_DATA, g->arena, sizeof g->arena);
    return data_offset + data;
}
