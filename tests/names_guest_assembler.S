/* Functions in assembler: one as compilers write them, one without a size, one that is only a label,
 * a label within a function, an entry within a function, and two names for one address. */
    .text
    .set noreorder
    .macro addiu_function
    jr $31
    addiu $2, $4, 1
    .endm

    .globl in_assembler
    .type in_assembler, @function
in_assembler:
    nop
    .globl a_label
a_label:
    nop
    .globl an_entry
    .type an_entry, @function
an_entry:
    nop
    addiu_function
    .size an_entry, 8
    .size in_assembler, . - in_assembler

    .globl without_size
    .type without_size, @function
without_size:
    addiu_function

    .globl without_type
without_type:
    nop
    addiu_function

    .globl behind
    .type behind, @function
    .globl other_name
    .type other_name, @function
behind:
other_name:
    addiu_function
    .size other_name, . - other_name
