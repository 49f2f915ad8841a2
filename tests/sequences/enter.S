/*
 * enter(state): from C into a random sequence and back.
 *
 * Saves what the ABI says a function must keep, loads every register from the state (floating-point
 * control last), calls the code, and stores everything back. $28 and $30 point into the state
 * while the sequence runs; $26, $27, $29 and $31 are not the sequence's to touch.
 */
#include <regdef.h>

#ifdef __LP64__
#define LOAD  ld
#define STORE sd
#define SIZE  8
#define ADDI  daddiu
#else
#define LOAD  lw
#define STORE sw
#define SIZE  4
#define ADDI  addiu
#endif
#define HI      (32 * SIZE)
#define LO      (33 * SIZE)
#define FPR(n)  (34 * SIZE + 8 * (n))
#define FCSR    (34 * SIZE + 8 * 32)
#define CODE    (35 * SIZE + 8 * 32)
#define SCRATCH ((36 * SIZE + 8 * 32 + 15) & ~15)
#define FRAME   320

    .set noreorder
    .set noat
    .text
    .globl enter
    .ent enter
enter:
    ADDI $29, $29, -FRAME
    .irp n,16,17,18,19,20,21,22,23,28,30,31
    STORE $\n, \n * SIZE - 16 * SIZE($29)
    .endr
    .irp n,20,22,24,26,28,30
    sdc1 $f\n, 160 + 8 * (\n - 20)($29)
    .endr
#ifdef __LP64__
    .irp n,25,27,29,31
    sdc1 $f\n, 160 + 8 * (\n - 20)($29)
    .endr
#endif
    move $30, $4
    .irp n,0,2,4,6,8,10,12,14
    lwc1 $f\n, FPR(\n)($30)
    .endr
    .irp n,16,18,20,22,24,26,28,30
    ldc1 $f\n, FPR(\n)($30)
    .endr
#ifdef __LP64__
    .irp n,1,3,5,7,9,11,13,15
    lwc1 $f\n, FPR(\n)($30)
    .endr
    .irp n,17,19,21,23,25,27,29,31
    ldc1 $f\n, FPR(\n)($30)
    .endr
#endif
    LOAD $2, HI($30)
    LOAD $3, LO($30)
    mthi $2
    mtlo $3
    LOAD $2, FCSR($30)
    ctc1 $2, $31
    .irp n,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25
    LOAD $\n, \n * SIZE($30)
    .endr
    LOAD $28, CODE($30)
    jalr $28
    ADDI $28, $30, SCRATCH + 128

    .irp n,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25
    STORE $\n, \n * SIZE($30)
    .endr
    mfhi $2
    mflo $3
    STORE $2, HI($30)
    STORE $3, LO($30)
    cfc1 $2, $31
    STORE $2, FCSR($30)
    ctc1 $0, $31
    .irp n,0,2,4,6,8,10,12,14
    swc1 $f\n, FPR(\n)($30)
    .endr
    .irp n,16,18,20,22,24,26,28,30
    sdc1 $f\n, FPR(\n)($30)
    .endr
#ifdef __LP64__
    .irp n,1,3,5,7,9,11,13,15
    swc1 $f\n, FPR(\n)($30)
    .endr
    .irp n,17,19,21,23,25,27,29,31
    sdc1 $f\n, FPR(\n)($30)
    .endr
    .irp n,25,27,29,31
    ldc1 $f\n, 160 + 8 * (\n - 20)($29)
    .endr
#endif
    .irp n,20,22,24,26,28,30
    ldc1 $f\n, 160 + 8 * (\n - 20)($29)
    .endr
    .irp n,16,17,18,19,20,21,22,23,28,30,31
    LOAD $\n, \n * SIZE - 16 * SIZE($29)
    .endr
    jr $31
    ADDI $29, $29, FRAME
    .end enter
    .section .note.GNU-stack,"",@progbits
