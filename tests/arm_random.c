/*
 * The semantics against another implementation: random sequences of all rows of the instruction
 * set, ARM and Thumb, run here and by qemu-arm if it is installed, must leave the same registers
 * and memory. Here they are run three times: without time, with it, and with it in short runs and
 * lines that must be asked for.
 *
 * A program: for each sequence registers are loaded from a block of random words, some instructions
 * follow, and the registers and flags are put behind what is there already. r11 points into the
 * middle of memory that the sequences share, r10 is a small offset, r13 where results go.
 */
#include "tests/arm_rig.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef SEQUENCES
#define SEQUENCES 400
#endif

enum {
    BASE = 0x10000,
    SIZE = 0x100000,
    RESULTS = BASE + 0x80000, /* and shared memory behind them */
    RESULT = 15 * 4,
    EACH = 200, /* sequences in a program */
    SHARED = 4096,
    LENGTH = 20,
    HEADERS = 0x1000,
    TRIES = 64
};

struct writer {
    struct arm_rig *rig;
    uint32_t at;
    uint64_t seed;
};

static uint32_t draw(struct writer *w, uint32_t below)
{
    return (uint32_t)(arm_rig_random(&w->seed) >> 16) % below;
}

static uint32_t word(struct writer *w)
{
    static const uint32_t special[] = {0,          1,      0x7fffffff, 0x80000000,
                                       0xffffffff, 0x8000, 0x7fff,     0xffff8000};
    return draw(w, 4) ? (uint32_t)arm_rig_random(&w->seed)
                      : special[draw(w, sizeof special / sizeof *special)];
}

static void put(struct writer *w, uint32_t insn)
{
    arm_rig_put(w->rig, w->at, insn);
    w->at += 4;
}

static void put_half(struct writer *w, uint32_t half)
{
    arm_rig_put_half(w->rig, w->at, (uint16_t)half);
    w->at += 2;
}

/* ---- ARM ------------------------------------------------------------------------------------- */

static bool is_special(unsigned row)
{
    return (row >= ARM_ROW_B && row != ARM_ROW_MRS && row != ARM_ROW_MSR && row != ARM_ROW_MSR_I &&
            row != ARM_ROW_SETEND);
}

static uint32_t set_field(uint32_t insn, unsigned low, uint32_t v)
{
    return (insn & ~(UINT32_C(15) << low)) | v << low;
}

/* Results go to r0 to r9 and r12, r14. */
static uint32_t result(struct writer *w)
{
    static const uint8_t may[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 14};
    return may[draw(w, sizeof may)];
}

static bool is_transfer(unsigned row)
{
    return row >= ARM_ROW_STR_I && row <= ARM_ROW_STREXH;
}

/* Addresses: r11 as the base, offsets that stay in shared memory. */
static uint32_t address(unsigned row, uint32_t insn)
{
    enum { OFFSET = 10, BASE_REGISTER = 11 };
    insn = set_field(insn, 16, BASE_REGISTER);
    if (row == ARM_ROW_LDM || row == ARM_ROW_STM) {
        insn &= ~UINT32_C(0x0040ac00); /* no ^, no r10, r11, r13, pc */
        if (row == ARM_ROW_LDM)
            insn &= ~UINT32_C(0x0000);
        return insn & 0xffff ? insn : insn | 1;
    }
    if (row >= ARM_ROW_SWP)
        return insn;
    if (row == ARM_ROW_PLD_I || row == ARM_ROW_PLD_R)
        return set_field(insn, 0, OFFSET);
    if (!(insn >> 24 & 1))
        insn &= ~UINT32_C(0x00200000); /* no ldrt */
    const bool wide = row <= ARM_ROW_LDRB_R;
    const bool immediate = wide ? !(insn >> 25 & 1) : insn >> 22 & 1;
    if (immediate)
        return wide ? insn & ~UINT32_C(0xf80) : insn & ~UINT32_C(0xf00);
    insn = set_field(insn, 0, OFFSET);
    if (wide && (insn >> 5 & 3) == ARM_LSL) /* shifted to the left by 3 at most */
        insn &= ~UINT32_C(0xe00);
    if (wide && (insn >> 5 & 3) == ARM_ROR)
        insn &= ~UINT32_C(0x060);
    if (wide && (insn >> 5 & 3) == ARM_LSL)
        insn &= ~UINT32_C(0xe00);
    return insn;
}

static bool aligned_only(unsigned row)
{
    return row == ARM_ROW_LDRD_I || row == ARM_ROW_LDRD_R || row == ARM_ROW_STRD_I ||
           row == ARM_ROW_STRD_R || row == ARM_ROW_LDM || row == ARM_ROW_STM || row >= ARM_ROW_SWP;
}

/* Before an access that must be aligned the base is, and the offset. */
static void align(struct writer *w, unsigned row)
{
    if (!is_transfer(row) || !aligned_only(row))
        return;
    put(w, 0xe3cbb007); /* bic r11, r11, #7 */
    put(w, 0xe3caa007);
}

/* Bits 1 and 0 of the offset of an LDRD or STRD are 0. */
static uint32_t align_offset(unsigned row, uint32_t insn)
{
    if (row == ARM_ROW_LDRD_I || row == ARM_ROW_STRD_I)
        return insn & ~UINT32_C(7);
    return insn;
}

static bool pair(unsigned row)
{
    return row == ARM_ROW_LDRD_I || row == ARM_ROW_LDRD_R || row == ARM_ROW_STRD_I ||
           row == ARM_ROW_STRD_R || row == ARM_ROW_LDREXD || row == ARM_ROW_STREXD;
}

/* Registers of an instruction, by the letters of its row. */
static uint32_t registers(struct writer *w, unsigned row, uint32_t insn)
{
    static const char dp[] = "dnms";
    const bool processing = row < ARM_ROW_MUL;
    const char *letters = processing ? dp : arm_rows[row].operands;
    for (const char *o = letters; *o; o++) {
        const unsigned low = strchr("dLat", *o) ? 12 : strchr("DHn", *o) ? 16 : *o == 's' ? 8 : 0;
        if (processing && (arm_rows[row].mask >> low & 15) == 15)
            continue;
        if (processing && *o == 's' && !(arm_rows[row].mask >> 7 & 1))
            continue;
        if (processing && *o == 'm' && !(arm_rows[row].mask >> 4 & 1))
            continue;
        insn = set_field(insn, low, strchr("dLDH", *o) ? result(w) : draw(w, 13));
        if (pair(row) && low == 12)
            insn = set_field(insn, 12, draw(w, 4) * 2);
    }
    return insn;
}

static bool unpredictable(unsigned row, uint32_t insn)
{
    const uint32_t d = insn >> 12 & 15, n = insn >> 16 & 15, m = insn & 15;
    if (strchr(arm_rows[row].operands, 'L'))
        return d == n;
    if (row >= ARM_ROW_SWP && row <= ARM_ROW_STREXH)
        return d == n || d == m || n == m || m == 11 || m == 10;
    if (row == ARM_ROW_STREXD)
        return true;
    return false;
}

static uint32_t arm_insn(struct writer *w, unsigned row)
{
    for (unsigned i = 0; i < TRIES; i++) {
        uint32_t insn =
            ((uint32_t)arm_rig_random(&w->seed) & ~arm_rows[row].mask) | arm_rows[row].value;
        insn = registers(w, row, insn);
        if (is_transfer(row))
            insn = align_offset(row, address(row, insn));
        if (row == ARM_ROW_STREXD)
            insn = set_field(set_field(insn, 0, 2 * draw(w, 3)), 12, 8);
        if (row == ARM_ROW_LDREXD)
            insn = set_field(insn, 12, 2 * draw(w, 4));
        if (!(arm_rows[row].mask >> 28))
            insn = (insn & 0x0fffffff) | (draw(w, 3) ? 14 : draw(w, 14)) << 28;
        if (row == ARM_ROW_MSR || row == ARM_ROW_MSR_I)
            insn = (insn & ~UINT32_C(0x000f0000)) | 8u << 16 | draw(w, 2) << 18;
        struct arm_op op;
        arm_decode(insn, w->at, &op);
        if (op.row == row && op.code != ARM_OP_UNDEFINED && !unpredictable(row, insn))
            return insn;
    }
    return 0xe1a00000;
}

/* A store-conditional mostly has its load: whether one of another address would do is not defined.
 */
static void exclusive(struct writer *w, unsigned row, uint32_t insn)
{
    const bool conditional = row == ARM_ROW_STREX || row == ARM_ROW_STREXB ||
                             row == ARM_ROW_STREXH || row == ARM_ROW_STREXD;
    if (conditional && draw(w, 4))
        put(w, (insn & 0xf0600000) | 0x01900f9f | 11u << 16 | (insn >> 12 & 14) << 12);
}

static void arm_sequence(struct writer *w)
{
    const unsigned length = 1 + draw(w, LENGTH);
    for (unsigned i = 0; i < length; i++) {
        const unsigned row = draw(w, ARM_ROWS);
        if (is_special(row))
            continue;
        if (!draw(w, 8)) { /* over the next two, if a condition holds */
            put(w, 0x0a000001 | draw(w, 15) << 28);
            put(w, 0xe2800001 | draw(w, 10) << 12);
            put(w, 0xe2811003 | draw(w, 10) << 16);
        }
        align(w, row);
        if (row == ARM_ROW_SETEND) { /* and back soon */
            put(w, 0xf1010200);
            put(w, arm_insn(w, ARM_ROW_STR_I));
            put(w, arm_insn(w, ARM_ROW_LDRH_I));
            put(w, 0xf1010000);
            continue;
        }
        const uint32_t insn = arm_insn(w, row);
        exclusive(w, row, insn);
        put(w, insn);
        if (row >= ARM_ROW_LDREX && row <= ARM_ROW_STREXH)
            put(w, 0xf57ff01f); /* clrex */
        if (row == ARM_ROW_LDM || (is_transfer(row) && draw(w, 2)))
            put(w, 0xe2811000 | draw(w, 10) << 16); /* a use of what was loaded */
    }
}

/* ---- Thumb ----------------------------------------------------------------------------------- */

static bool thumb_may(uint16_t half)
{
    const uint32_t arm = arm_of_thumb(half);
    struct arm_op op;
    if (!arm)
        return false;
    arm_decode(arm, 0, &op);
    if (is_special(op.row) || op.row == ARM_ROW_SETEND || op.d == ARM_PC || op.d == ARM_SP ||
        (op.d >= 10 && op.d <= 11))
        return false;
    if (op.n == ARM_PC || op.m == ARM_PC)
        return (half & 0xf000) == 0xa000 && op.d < 6;
    if (is_transfer(op.row)) /* the base is r7, which points to shared memory */
        return op.n == 7 && op.row != ARM_ROW_LDM && op.row != ARM_ROW_STM &&
               (op.m == ARM_SINK || op.m == 6) && op.d != 7 && op.d != 6;
    return op.d != 7 && op.d != 6;
}

static void thumb_sequence(struct writer *w)
{
    const unsigned length = 1 + draw(w, LENGTH);
    put(w, 0xe3cb7003); /* bic r7, r11, #3 */
    put(w, 0xe1a0600a); /* mov r6, r10 */
    put(w, 0xe28fc001); /* add r12, pc, #1 */
    put(w, 0xe12fff1c); /* bx r12 */
    for (unsigned i = 0; i < length; i++) {
        uint16_t half;
        do
            half = (uint16_t)arm_rig_random(&w->seed);
        while (!thumb_may(half));
        if (!draw(w, 6)) {
            put_half(w, 0xd000 | draw(w, 14) << 8); /* over the next */
            put_half(w, 0x3001 | draw(w, 6) << 8);
        }
        if (!draw(w, 12)) { /* a call of what is behind it */
            put_half(w, 0xf000);
            put_half(w, 0xf800);
        }
        if (!draw(w, 12)) { /* push r0 to r3, lr; pop others, through a stack in shared memory */
            put_half(w, 0x46ea | 0); /* mov r10, sp */
            put_half(w, 0x46bd);     /* mov sp, r7 */
            put_half(w, 0xb50f);     /* push {r0-r3, lr} */
            put_half(w, 0xbc1f);     /* pop {r0-r4} */
            put_half(w, 0x46d5);     /* mov sp, r10 */
            put_half(w, 0x46b2);     /* mov r10, r6 */
        }
        put_half(w, half);
    }
    if (w->at & 2)
        put_half(w, 0x46c0);
    put_half(w, 0x4778); /* bx pc */
    put_half(w, 0x46c0);
}

/* ---- programs -------------------------------------------------------------------------------- */

static void load(struct writer *w, unsigned reg, uint32_t value)
{
    put(w, 0xe59f0000 | reg << 12);
    put(w, 0xea000000);
    put(w, value);
}

static void sequence(struct writer *w, bool thumb)
{
    for (unsigned r = 0; r < 10; r++)
        load(w, r, word(w));
    load(w, 14, word(w));
    load(w, 10, draw(w, 64));
    load(w, 12, word(w));
    load(w, 11, RESULTS + EACH * RESULT + SHARED / 2 + draw(w, 512));
    put(w, 0xe128f00c); /* msr cpsr_f, r12 */
    if (thumb)
        thumb_sequence(w);
    else
        arm_sequence(w);
    put(w, 0xe8ad1fff); /* stmia r13!, {r0-r12} */
    put(w, 0xe10f0000); /* mrs r0, cpsr */
    put(w, 0xe48de004); /* str r14, [r13], #4 */
    put(w, 0xe48d0004); /* str r0, [r13], #4 */
}

static void program(struct arm_rig *rig, uint64_t seed, unsigned sequences)
{
    struct writer w = {.rig = rig, .at = BASE, .seed = seed};
    for (uint32_t i = 0; i < SHARED; i += 4)
        arm_rig_put(rig, RESULTS + EACH * RESULT + i, word(&w));
    load(&w, ARM_SP, RESULTS);
    for (unsigned i = 0; i < sequences; i++)
        sequence(&w, i % 3 == 2);
    load(&w, 0, 1);
    load(&w, 1, RESULTS);
    load(&w, 2, EACH * RESULT + SHARED);
    load(&w, 7, 4); /* write */
    put(&w, 0xef000000);
    load(&w, 0, 0);
    load(&w, 7, 248);
    put(&w, 0xef000000);
    cr_assert(w.at < RESULTS);
}

static uint8_t *put_little(uint8_t *p, uint32_t v, unsigned size)
{
    for (unsigned n = 0; n < size; n++)
        p[n] = (uint8_t)(v >> 8 * n);
    return p + size;
}

/* The smallest executable: two headers, then memory. */
static void put_headers(uint8_t *h)
{
    uint8_t *p = h + 16;
    memset(h, 0, HEADERS);
    memcpy(h, "\177ELF\1\1\1", 7);
    p = put_little(p, 2, 2);  /* ET_EXEC */
    p = put_little(p, 40, 2); /* EM_ARM */
    p = put_little(p, 1, 4);
    p = put_little(p, BASE, 4);
    p = put_little(p, 52, 4);
    p = put_little(p, 0, 4);
    p = put_little(p, 0x05000200, 4); /* EABI 5, soft float */
    p = put_little(p, 52, 2);
    p = put_little(p, 32, 2);
    put_little(p, 1, 2);
    p = h + 52;
    p = put_little(p, 1, 4); /* PT_LOAD */
    p = put_little(p, HEADERS, 4);
    p = put_little(p, BASE, 4);
    p = put_little(p, BASE, 4);
    p = put_little(p, SIZE, 4);
    p = put_little(p, SIZE, 4);
    p = put_little(p, 7, 4);
    put_little(p, HEADERS, 4);
}

static bool run_qemu(const struct arm_rig *rig, uint8_t *out, size_t size)
{
    char path[] = "/tmp/arm_random.XXXXXX", command[160];
    uint8_t headers[HEADERS];
    const int fd = mkstemp(path);
    size_t got = 0;
    cr_assert(fd >= 0);
    put_headers(headers);
    cr_assert_eq(write(fd, headers, HEADERS), HEADERS);
    cr_assert_eq(write(fd, rig->bytes, SIZE), SIZE);
    fchmod(fd, 0700);
    close(fd);
    snprintf(command, sizeof command, "command -v qemu-arm >/dev/null && qemu-arm -cpu arm1176 %s",
             path);
    FILE *f = popen(command, "r");
    if (f) {
        got = fread(out, 1, size, f);
        pclose(f);
    }
    if (getenv("ARM_RANDOM_KEEP"))
        cr_log_warn("kept %s", path);
    else
        unlink(path);
    return got == size;
}

static bool same(uint64_t seed, const char *how, const uint8_t *here, const uint8_t *there)
{
    unsigned shown = 0;
    for (unsigned n = 0; n < EACH * RESULT + SHARED && shown < 6; n += 4)
        if (memcmp(here + n, there + n, 4) != 0) {
            shown++;
            cr_log_error("%s, seed %llu, sequence %u word %u (r0-r12, r14, cpsr): here "
                         "%02x%02x%02x%02x qemu %02x%02x%02x%02x",
                         how, (unsigned long long)seed, n / RESULT, n % RESULT / 4, here[n + 3],
                         here[n + 2], here[n + 1], here[n], there[n + 3], there[n + 2],
                         there[n + 1], there[n]);
        }
    return !shown;
}

/* One program, in each way of running it. */
static bool compare(uint64_t seed, unsigned sequences)
{
    static const char *const ways[] = {"without time", "timed", "in pieces"};
    enum { LIMIT = 100000000, SYS_WRITE_ARGUMENTS = 1 };
    const size_t size = EACH * RESULT + SHARED;
    uint8_t *there = malloc(size);
    bool all = true;
    for (unsigned way = 0; way < 3; way++) {
        struct arm_rig rig;
        arm_rig_init(&rig, BASE, SIZE, NM_CORE_ARM1176);
        rig.remote = way == 2;
        arm_rig_begin(&rig);
        rig.cpu.base.untimed = way == 0;
        program(&rig, seed, sequences);
        if (!way && !run_qemu(&rig, there, size)) {
            cr_log_warn("no qemu-arm, or its run has failed: seed %llu", (unsigned long long)seed);
            arm_rig_free(&rig);
            all = system("command -v qemu-arm >/dev/null") != 0;
            break;
        }
        const bool ended = arm_rig_run(&rig, LIMIT, way == 2 ? 50 : 0, seed);
        if (!ended || rig.cpu.base.exc != PC_EXC_SYS) {
            char text[80];
            const uint32_t pc = rig.cpu.r.r[ARM_PC];
            uint32_t insn = 0;
            if (pc >= BASE && pc < BASE + SIZE - 4)
                memcpy(&insn, rig.bytes + pc - BASE, 4);
            arm_disassemble(insn, rig.cpu.r.t, pc, text, sizeof text);
            cr_log_error("%s, seed %llu: ends with exception %d at 0x%x: %08x %s", ways[way],
                         (unsigned long long)seed, ended ? (int)rig.cpu.base.exc : -1, pc, insn,
                         text);
            all = false;
        } else {
            all &= same(seed, ways[way], rig.bytes + (RESULTS - BASE), there);
        }
        arm_rig_free(&rig);
    }
    free(there);
    return all;
}

Test(arm_random, sequences_equal_qemu)
{
    unsigned failed = 0;
    const char *first = getenv("ARM_RANDOM_SEED");
    const uint64_t from = first ? strtoull(first, NULL, 0) : 1;
    for (unsigned done = 0; done < SEQUENCES && failed < 3; done += EACH)
        failed += !compare(from + done / EACH, EACH);
    cr_assert_eq(failed, 0);
}

/* ---- where runs end -------------------------------------------------------------------------- */

static void run_cut(struct arm_rig *rig, uint64_t seed, unsigned slice)
{
    enum { LIMIT = 100000000 };
    arm_rig_init(rig, BASE, SIZE, seed % 2 ? NM_CORE_ARM1176 : NM_CORE_ARM1136);
    rig->remote = seed % 4 < 2;
    arm_rig_begin(rig);
    program(rig, seed, EACH);
    cr_assert(arm_rig_run(rig, LIMIT, slice, seed), "seed %llu", (unsigned long long)seed);
}

/* Runs that end at every PCycle take as long, and leave the same registers, states and totals of
 * every signal, as one that is not cut. */
Test(arm_random, stepping_changes_nothing)
{
    for (unsigned done = 0; done < SEQUENCES; done += EACH) {
        const uint64_t seed = 1 + done / EACH;
        struct arm_rig whole, steps;
        run_cut(&whole, seed, 0);
        run_cut(&steps, seed, 1);
        const struct pc_cpu *x = &whole.cpu.base, *y = &steps.cpu.base;
        cr_expect_eq(x->now, y->now, "seed %llu: %llu PCycles, by steps %llu",
                     (unsigned long long)seed, (unsigned long long)x->now,
                     (unsigned long long)y->now);
        cr_expect(x->instructions == y->instructions &&
                      !memcmp(x->states, y->states, sizeof x->states) &&
                      !memcmp(&whole.cpu.signals, &steps.cpu.signals, sizeof whole.cpu.signals) &&
                      !memcmp(whole.cpu.r.r, steps.cpu.r.r, sizeof whole.cpu.r.r) &&
                      !memcmp(whole.bytes, steps.bytes, SIZE),
                  "seed %llu", (unsigned long long)seed);
        arm_rig_free(&whole);
        arm_rig_free(&steps);
    }
}
