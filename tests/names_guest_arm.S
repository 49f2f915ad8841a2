/* As names_guest_assembler.S, in ARM and Thumb state, and functions whose names are nearly those of
 * mapping symbols ($a, $t, $d, and these with a dot and more), which are no names. */
    .syntax unified
    .text
    .macro function name, size=1
    .globl \name
    .type \name, %function
\name:
    adds r0, r0, #1
    bx lr
    .if \size
    .size \name, . - \name
    .endif
    .endm

    .arm
    .globl in_assembler
    .type in_assembler, %function
in_assembler:
    nop
    .globl a_label
a_label:
    nop
    .globl an_entry
    .type an_entry, %function
an_entry:
    nop
    add r0, r0, #1
    .size an_entry, 8
    bx lr
    .size in_assembler, . - in_assembler
    function without_size, 0
    .globl without_type
without_type:
    nop
    add r0, r0, #1
    bx lr
    function $b
    function $arm
    function a
    function t
    function at.1

    .thumb
    .globl behind
    .type behind, %function
    .globl other_name
    .type other_name, %function
behind:
other_name:
    adds r0, r0, #1
    bx lr
    .size other_name, . - other_name
    function $thumb
    function $t5
    function d
    function _d
    function da.t
    function $
    .section .note.GNU-stack, "", %progbits
