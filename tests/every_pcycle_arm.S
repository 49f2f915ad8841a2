/*
 * Every form of instruction that has more than one operation, in ARM and in Thumb state, and every
 * way between the two: uint32_t every_pcycle(unsigned rounds, uint32_t data[64]), aligned to lines.
 * What all of them have done is in its result and in the data: no register that has been lost, or
 * moved twice, goes unnoticed. With BARE it is a program that writes both (every_pcycle.c).
 */
	.syntax unified
	.arch armv6k
	.text
	.arm

/* r10 collects. */
.macro mix reg
	add	r10, \reg, r10, ror #29
.endm
.macro mix_low		/* in Thumb state */
	add	r0, r10
	mov	r10, r0
.endm

	.global every_pcycle
	.type	every_pcycle, %function
every_pcycle:
	stmdb	sp!, {r4-r12, lr}
	mov	r9, r0
	mov	r11, r1
	mov	r10, #0
round:
	/* several registers, across the ends of lines; each way of addressing */
	add	r12, r11, #20
	ldmia	r12!, {r1-r8}
	mix	r1
	mix	r8
	mix	r12
	stmia	r12!, {r1, r3, r5, r7}
	stmdb	sp!, {r1-r8, lr}
	ldmdb	r12, {r0-r3}
	mix	r2
	stmib	r12, {r0, r2, r4}
	ldmib	r12, {r5-r7}
	mix	r7
	ldmia	sp!, {r1-r8, lr}
	mix	r6
	subs	r0, r9, #1
	ldmne	r11, {r1, r2}
	ldmeq	r11, {r2, r3}
	mix	r2
	ldmia	r12, {r4, r12}		/* the base among them */
	mix	r12
	/* pairs */
	add	r12, r11, #24
	ldrd	r2, r3, [r12, #8]!
	strd	r2, r3, [r12], #16
	ldrd	r4, r5, [r12, #-4]
	mix	r3
	mix	r5
	/* across the end of a line, and not aligned */
	ldr	r0, [r11, #30]
	add	r0, r0, #3
	str	r0, [r11, #94]
	ldrh	r1, [r11, #31]
	strh	r1, [r11, #95]
	mix	r0
	mix	r1
	/* swaps and exclusive accesses */
	add	r12, r11, #128
	swp	r0, r10, [r12]
	mix	r0
	swpb	r0, r10, [r12]
	mix	r0
1:	ldrex	r0, [r12]
	add	r0, r0, #1
	strex	r1, r0, [r12]
	cmp	r1, #0
	bne	1b
	mix	r0
1:	ldrexd	r2, r3, [r12]
	adds	r2, r2, r10
	adc	r3, r3, r10
	strexd	r1, r2, r3, [r12]
	cmp	r1, #0
	bne	1b
	mix	r3
1:	ldrexb	r0, [r12]
	add	r0, r0, #1
	strexb	r1, r0, [r12]
	cmp	r1, #0
	bne	1b
	/* long results, flags, status registers, byte order, a barrier */
	umull	r2, r3, r10, r0
	smlal	r2, r3, r10, r10
	umaal	r2, r3, r10, r0
	mix	r2
	mix	r3
	muls	r0, r10, r2
	mrs	r1, cpsr
	adcs	r0, r0, r10
	msr	cpsr_f, r1
	adc	r0, r0, #1
	mix	r0
	mix	r1
	setend	be
	ldmia	r11, {r0, r1}
	ldr	r2, [r11, #30]
	stmia	r12, {r0, r1}
	setend	le
	mix	r1
	mix	r2
	mcr	p15, 0, r0, c7, c10, 4
	/* ARM: calls, and returns by each instruction that writes the pc */
	bl	by_bx
	bl	by_mov
	bl	by_pop
	bl	by_ldr
	ldr	r3, =by_pop
	blx	r3
	mov	lr, pc
	bx	r3
	mov	lr, pc
	mov	pc, r3
	mov	lr, pc
	ldr	pc, =by_pop
	mov	r0, #1
	add	pc, pc, r0, lsl #2
	mov	r0, #77
	add	r0, r0, #5		/* never here from the first */
	mix	r0
	/* into Thumb state, and back */
	blx	thumb_bx
	bl	thumb_pop_veneer
	ldr	r3, =thumb_pop
	blx	r3
	mov	lr, pc
	bx	r3
	ldr	r3, =thumb_word
	mov	lr, pc
	ldr	pc, [r3]
	adr	lr, 1f
	stmdb	sp!, {r3, lr}
	ldr	r3, [r3]
	str	r3, [sp, #-4]!
	ldmia	sp!, {pc}		/* Thumb by ldm */
1:	ldmia	sp!, {r3, lr}
	ldr	r0, =from_thumb
	bx	r0
	.ltorg

by_bx:	mix	lr
	bx	lr
by_mov:	mix	r9
	mov	pc, lr
by_pop:	stmdb	sp!, {r4-r7, lr}
	mov	r4, r10
	mix	r4
	ldmia	sp!, {r4-r7, pc}
by_ldr:	str	lr, [sp, #-4]!
	mix	lr
	ldr	pc, [sp], #4
thumb_pop_veneer:
	stmdb	sp!, {r4, lr}
	adr	lr, 1f
	ldr	r4, =thumb_pop
	bx	r4
1:	ldmia	sp!, {r4, pc}

	.thumb
	.thumb_func
thumb_bx:
	mov	r0, lr
	mix_low
	bx	lr
	.thumb_func
thumb_pop:
	push	{r4-r7, lr}
	movs	r4, #9
	add	r4, r10
	mov	r10, r4
	pop	{r4-r7, pc}
	.thumb_func
thumb_mov:
	mov	r0, r9
	mix_low
	mov	pc, lr

	.balign	4
	.thumb_func
from_thumb:
	/* several registers */
	mov	r7, r11
	adds	r7, #24
	ldmia	r7!, {r0-r4}
	stmia	r7!, {r1-r3}
	push	{r0-r6, lr}
	pop	{r0-r6}
	pop	{r2}
	mov	r0, r4
	mix_low
	mov	r0, r7
	mix_low
	ldmia	r7, {r0, r7}
	mix_low
	ldr	r0, =12345
	mix_low
	/* calls: both halves together, apart, and across the end of a line */
	bl	thumb_bx
	bl	thumb_pop
	bl	thumb_mov
	ldr	r3, =thumb_pop
	blx	r3
	ldr	r3, =thumb_bx
	blx	r3
	b	1f
	.balign	32
	.skip	26
1:	nop
	nop
	bl	thumb_pop		/* its second half is in the next line */
	/* ARM from Thumb state: each returns here */
	blx	by_bx
	blx	by_pop
	blx	by_ldr
	ldr	r3, =by_pop
	blx	r3
	ldr	r3, =by_bx
	blx	r3
	bl	to_arm
	/* out of it: bx pc, and by what was pushed */
	.balign	4
	bx	pc
	nop
	.arm
	mix	pc
	adr	r0, 1f + 1
	bx	r0
	.thumb
	.balign	4
1:	adr	r0, again		/* ARM */
	push	{r0}
	pop	{pc}
	.thumb_func
to_arm:	push	{r4, lr}
	blx	by_pop
	pop	{r4, pc}
	.ltorg

	.arm
	.balign	4
again:	subs	r9, r9, #1
	bne	round
	mov	r0, r10
	ldmia	sp!, {r4-r12, pc}
thumb_word:
	.word	thumb_pop

#ifdef BARE
	.global _start
_start:
	ldr	sp, =stack_end
	mov	r0, #2			/* the second time round the caches have it */
	ldr	r1, =data
	bl	every_pcycle
	ldr	r1, =results
	str	r0, [r1]
	mov	r0, #1
	mov	r2, #320
	mov	r7, #4			/* write */
	svc	#0
	mov	r0, #0
	mov	r7, #248		/* exit_group */
	svc	#0
	.ltorg

	.bss
	.balign	64
	.skip	512
stack_end:
	.data
	.balign	64
results:
	.skip	64
data:
	.set	datum, 1
	.rept	64
	.word	datum
	.set	datum, (datum * 69069 + 0x3039) & 0xffffffff
	.endr
#endif
	.section .note.GNU-stack, "", %progbits
