/*
 * Loops of LL and SC, by one thread, at every place of a secondary line and over words in every
 * line of a small secondary cache: whatever the loop's own instructions put out, each comes to an
 * end.
 *
 * links_guest SPAN STEP     [bytes] of the cache, of a line
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Takes an address and a bound, returns how many tries an increment has taken; so many instructions
 * are between the two halves. It runs wherever it is copied to. */
#ifdef __mips__
#define LOOP(name, between)                                                                  \
    __asm__(".text\n.set push\n.set noreorder\n.set noat\n.balign 8\n" #name ":\n"           \
            "    move $2, $0\n1:  addiu $2, $2, 1\n    ll $8, 0($4)\n"                       \
            ".rept " #between "\n    addu $9, $9, $8\n.endr\n"                               \
            "    addiu $8, $8, 1\n    sc $8, 0($4)\n    bnez $8, 2f\n    nop\n"              \
            "    bne $2, $5, 1b\n    nop\n2:  jr $31\n    nop\n" #name "_end:\n.set pop\n"); \
    extern const char name[], name##_end[]
#else
#define LOOP(name, between)                                                             \
    __asm__(".text\n.arm\n.balign 8\n" #name ":\n"                                      \
            "    mov r2, #0\n1:  add r2, r2, #1\n    ldrex r3, [r0]\n"                  \
            ".rept " #between "\n    add r12, r12, r3\n.endr\n"                         \
            "    add r3, r3, #1\n    strex ip, r3, [r0]\n    cmp ip, #0\n    beq 2f\n"  \
            "    cmp r2, r1\n    bne 1b\n2:  mov r0, r2\n    bx lr\n" #name "_end:\n"); \
    extern const char name[], name##_end[]
#endif

LOOP(short_loop, 0);
LOOP(longer_loop, 4);
LOOP(longest_loop, 12);

static const struct {
    const char *begin, *end;
    int apart; /* [bytes] between the places tried */
} loops[] = {{short_loop, short_loop_end, 4},
             {longer_loop, longer_loop_end, 8},
             {longest_loop, longest_loop_end, 12}};

enum { TRIES = 100, PAGE = 65536 };

static char *pages(void)
{
    return mmap(NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(int argc, char **argv)
{
    const int span = argc > 2 ? atoi(argv[1]) : 256, step = argc > 2 ? atoi(argv[2]) : 64;
    char *code = pages(), *data = pages();
    int endless = 0;

    for (unsigned l = 0; l < sizeof loops / sizeof *loops; l++)
        for (int at = 0; at < span; at += loops[l].apart) {
            int (*loop)(volatile int *, int) = (int (*)(volatile int *, int))(code + at);
            memcpy(code + at, loops[l].begin, (size_t)(loops[l].end - loops[l].begin));
            __builtin___clear_cache(code, code + PAGE);
            for (int i = 0; i < 2 * span / step; i++) {
                volatile int *word = (volatile int *)(data + i / 2 * step);
                if (i & 1)
                    *word = 0; /* now the line is dirty */
                endless += loop(word, TRIES) == TRIES;
            }
        }
    printf("%d loops have no end\n", endless);
    return endless != 0;
}
