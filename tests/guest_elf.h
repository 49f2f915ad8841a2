/* The smallest executable the machine accepts, byte by byte, for tests that damage it. */
#ifndef TESTS_GUEST_ELF_H
#define TESTS_GUEST_ELF_H

#include <elf.h>
#include <stdint.h>
#include <string.h>

enum {
    GUEST_ELF_CODE = 0x200, /**< offset of the code in the file */
    GUEST_ELF_SIZE = 0x240,
    GUEST_ELF_BASE = 0x400000
};

static inline void put16(uint8_t *p, uint16_t v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

static inline void put32(uint8_t *p, uint32_t v)
{
    put16(p, (uint16_t)(v >> 16));
    put16(p + 2, (uint16_t)v);
}

/** A segment's program header: code of the whole file, or zeroed data behind it. */
static inline void put_segment(uint8_t *p, uint32_t va, uint32_t filesz, uint32_t memsz,
                               uint32_t flags)
{
    const uint32_t words[] = {PT_LOAD, 0, va, va, filesz, memsz, flags, 0x1000};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        put32(p + 4 * i, words[i]);
}

/** Static o32 big-endian MIPS I executable: exit(0). */
static inline void guest_elf(uint8_t elf[GUEST_ELF_SIZE])
{
    static const uint32_t code[] = {0x24040000, 0x24020fa1, 0x0000000c, 0};
    memset(elf, 0, GUEST_ELF_SIZE);
    memcpy(elf, "\177ELF\1\2\1", 7); /* 32 bits, big-endian */
    put16(elf + 16, ET_EXEC);
    put16(elf + 18, EM_MIPS);
    put32(elf + 20, EV_CURRENT);
    put32(elf + 24, GUEST_ELF_BASE + GUEST_ELF_CODE);
    put32(elf + 28, sizeof(Elf32_Ehdr)); /* program headers behind the header */
    put32(elf + 36, 0x1000);             /* o32 */
    put16(elf + 40, sizeof(Elf32_Ehdr));
    put16(elf + 42, sizeof(Elf32_Phdr));
    put16(elf + 44, 2);
    put16(elf + 46, sizeof(Elf32_Shdr));
    put_segment(elf + 52, GUEST_ELF_BASE, GUEST_ELF_SIZE, GUEST_ELF_SIZE, PF_R | PF_X);
    put_segment(elf + 84, GUEST_ELF_BASE + 0x10000, 0, 0x1000, PF_R | PF_W);
    for (size_t i = 0; i < sizeof code / sizeof code[0]; i++)
        put32(elf + GUEST_ELF_CODE + 4 * i, code[i]);
}

#endif
