/*
 * The semantics against another implementation: random programs, run here and by qemu-user if it is
 * installed, must leave the same registers and memory.
 */
#include "tests/isa_random.h"

#include <criterion/criterion.h>
#include <criterion/logging.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LIMIT = 100000000, HEADERS = 0x1000, ABIFLAGS = 0x200 };

static uint8_t *put_big(uint8_t *p, uint64_t v, unsigned size)
{
    for (unsigned n = 0; n < size; n++)
        p[n] = (uint8_t)(v >> 8 * (size - 1 - n));
    return p + size;
}

/** The smallest executable: two headers, then memory. */
static void put_headers(uint8_t *h, bool n64)
{
    const unsigned word = n64 ? 8 : 4, ehsize = n64 ? 64 : 52, phsize = n64 ? 56 : 32;
    uint8_t *p = h + 16;

    memset(h, 0, HEADERS);
    memcpy(h, "\177ELF\0\2\1", 7);
    h[4] = n64 ? 2 : 1;
    p = put_big(p, 2, 2);                             /* ET_EXEC */
    p = put_big(p, 8, 2);                             /* EM_MIPS */
    p = put_big(p, 1, 4);                             /* version */
    p = put_big(p, RANDOM_BASE, word);                /* entry */
    p = put_big(p, ehsize, word);                     /* program headers */
    p = put_big(p, 0, word);                          /* sections */
    p = put_big(p, n64 ? 0x80000000 : 0x70001000, 4); /* mips64r2; mips32r2 o32 */
    p = put_big(p, ehsize, 2);
    p = put_big(p, phsize, 2);
    put_big(p, n64 ? 1 : 2, 2);
    p = h + ehsize;
    p = put_big(p, 1, 4); /* PT_LOAD */
    if (n64)
        p = put_big(p, 7, 4);
    p = put_big(p, HEADERS, word);
    p = put_big(p, RANDOM_BASE, word);
    p = put_big(p, RANDOM_BASE, word);
    p = put_big(p, RANDOM_SIZE, word);
    p = put_big(p, RANDOM_SIZE, word);
    if (!n64)
        p = put_big(p, 7, 4);
    p = put_big(p, HEADERS, word);
    if (!n64) { /* PT_MIPS_ABIFLAGS: 32 single registers, in pairs */
        p = put_big(p, 0x70000003, 4);
        p = put_big(p, ABIFLAGS, 4);
        p = put_big(p, 0, 8);
        p = put_big(p, 24, 4);
        p = put_big(p, 24, 4);
        p = put_big(p, 4, 4);
        put_big(p, 8, 4);
        p = h + ABIFLAGS;
        p = put_big(p, 0x00002002, 4); /* version, ISA 32r2 */
        put_big(p, 0x01010001, 4);     /* register sizes; double-float */
    }
}

/** What qemu's run of the rig's memory writes; false when there is no qemu. */
static bool run_qemu(const struct rig *rig, bool n64, uint8_t *out, size_t size)
{
    const char *qemu = n64 ? "qemu-mips64" : "qemu-mips";
    /* not the default 5KEf: qemu 7.2 forgot to make its FCSR writable */
    const char *cpu = n64 ? "MIPS64R2-generic" : "24Kf";
    char path[] = "/tmp/isa_qemu.XXXXXX", command[128];
    uint8_t headers[HEADERS];
    int fd = mkstemp(path);
    size_t got = 0;
    FILE *f;

    cr_assert(fd >= 0);
    put_headers(headers, n64);
    cr_assert_eq(write(fd, headers, HEADERS), HEADERS);
    cr_assert_eq(write(fd, rig->bytes, RANDOM_SIZE), RANDOM_SIZE);
    fchmod(fd, 0700);
    close(fd);
    snprintf(command, sizeof command, "command -v %s >/dev/null && %s -cpu %s %s", qemu, qemu, cpu,
             path);
    f = popen(command, "r");
    if (f) {
        got = fread(out, 1, size, f);
        pclose(f);
    }
    unlink(path);
    return got == size;
}

static void explain(const struct random_program *program, const uint8_t *here, const uint8_t *there)
{
    for (unsigned n = 0; n < program->sequences * RANDOM_BLOCK; n += 4) {
        if (memcmp(here + n, there + n, 4) == 0)
            continue;
        cr_log_error("seed %lu sequence %u offset %u (gpr 0, fpr 256, hi 512, lo 520, fcsr 528): "
                     "here %02x%02x%02x%02x qemu %02x%02x%02x%02x",
                     (unsigned long)program->seed, n / RANDOM_BLOCK, n % RANDOM_BLOCK, here[n],
                     here[n + 1], here[n + 2], here[n + 3], there[n], there[n + 1], there[n + 2],
                     there[n + 3]);
    }
}

static void compare(const struct random_program *program)
{
    uint8_t *there = malloc(RANDOM_SIZE);
    struct rig rig;
    unsigned bytes;
    const uint8_t *here;

    rig_init(&rig, RANDOM_BASE, RANDOM_SIZE, program->n64, program->isa);
    bytes = random_write(&rig, program);
    here = rig.bytes + (RANDOM_DATA - RANDOM_BASE);
    if (!run_qemu(&rig, program->n64, there, bytes))
        cr_skip_test("no qemu for user programs here");
    cr_assert(rig_run(&rig, LIMIT, 0, 0));
    cr_assert_eq(rig.cpu.base.exc, PC_EXC_SYS, "exc %d at %lx", rig.cpu.base.exc,
                 (unsigned long)rig.cpu.r.pc);
    if (memcmp(here, there, bytes) != 0)
        explain(program, here, there);
    cr_assert_eq(memcmp(here, there, bytes), 0, "registers or memory differ");
    rig_free(&rig);
    free(there);
}

/** ISA_QEMU_ROUNDS in the environment asks for more programs than the quick suite runs. */
static unsigned rounds(void)
{
    const char *text = getenv("ISA_QEMU_ROUNDS");

    return text ? (unsigned)strtoul(text, NULL, 10) : 4;
}

/* qemu runs the programs of a smaller set on the same processor: its MIPS IV one, VR5432, has no
 * COP1X instructions in user mode. */
static void compare_rounds(uint64_t seed, bool n64, enum nm_isa isa)
{
    for (unsigned n = 0; n < rounds(); n++)
        compare(&(struct random_program){
            .sequences = 1000, .length = 30, .seed = seed + n, .n64 = n64, .isa = isa});
}

Test(isa, random_o32_programs_end_as_in_qemu)
{
    compare_rounds(5200, false, NM_ISA_MIPS64R2);
}

Test(isa, random_n64_programs_end_as_in_qemu)
{
    compare_rounds(5210, true, NM_ISA_MIPS64R2);
}

Test(isa, random_o32_programs_of_mips_iv_end_as_in_qemu)
{
    compare_rounds(5220, false, NM_ISA_MIPS4);
}

Test(isa, random_n64_programs_of_mips_iv_end_as_in_qemu)
{
    compare_rounds(5230, true, NM_ISA_MIPS4);
}
