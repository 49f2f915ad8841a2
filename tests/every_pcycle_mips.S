/*
 * Every form of instruction that has more than one operation, or belongs to its neighbour, for
 * every_pcycle.c and every_pcycle.py: delay slots, likely branches, LL to SC, pairs for what is not
 * aligned, HI and LO, floating point. What all of them have done is in `results` at the end.
 */
	.set	noreorder
	.set	noat
	.set	nomacro
	.text

/* $16 collects. */
.macro mix reg
	dsll	$1, $16, 1
	dsrl	$16, $16, 63
	or	$16, $16, $1
	daddu	$16, $16, \reg
.endm
.macro address reg, symbol
	lui	\reg, %hi(\symbol)
	addiu	\reg, \reg, %lo(\symbol)
.endm

	.globl	__start
__start:
	address	$29, stack_end
	address	$17, data
	move	$16, $0
	li	$18, 2			/* the second time round the caches have it */
round:
	/* branches, taken and not, with each kind of instruction behind them */
	li	$2, 5
	beq	$2, $2, 1f
	addiu	$2, $2, 1
	addiu	$2, $2, 100
1:	mix	$2
	bne	$2, $2, 1f
	lw	$3, 4($17)
	addiu	$3, $3, 1
1:	mix	$3
	bgtz	$2, 1f
	ld	$3, 8($17)
	li	$3, 0
1:	mix	$3
	blez	$2, 1f
	sd	$3, 16($17)
1:	ld	$3, 16($17)
	mix	$3
	bltz	$2, 1f
	dmult	$2, $3
1:	mflo	$4
	mfhi	$5
	mix	$4
	mix	$5
	/* likely: the slot is nothing when the branch is not taken */
	beql	$2, $2, 1f
	addiu	$2, $2, 3
	addiu	$2, $2, 100
1:	bnel	$2, $2, 1f
	addiu	$2, $2, 7
1:	mix	$2
	bgezl	$0, 1f
	lw	$3, 24($17)
1:	bltzl	$0, 1f
	sw	$0, 24($17)
1:	mix	$3
	li	$4, 3
2:	addiu	$4, $4, -1
	bgtzl	$4, 2b
	addiu	$2, $2, 11
	mix	$2
	/* calls and returns */
	jal	function
	li	$4, 17
	address	$5, function
	jalr	$5
	li	$4, 19
	jalr	$6, $5
	daddiu	$31, $6, 0
	bgezal	$0, function
	li	$4, 23
	bgezall	$0, function
	li	$4, 29
	bltzal	$0, function
	li	$4, 31
	mix	$31
	address	$5, 1f
	jr	$5
	ld	$4, 0($17)
	move	$4, $0
1:	mix	$4
	j	1f
	move	$5, $16
	move	$16, $0
1:	mix	$5
	/* not aligned */
	lwl	$3, 1($17)
	lwr	$3, 4($17)
	mix	$3
	swl	$3, 33($17)
	swr	$3, 36($17)
	ldl	$3, 27($17)
	ldr	$3, 34($17)
	mix	$3
	sdl	$3, 45($17)
	sdr	$3, 52($17)
	/* LL to SC */
1:	ll	$2, 128($17)
	addiu	$2, $2, 1
	sc	$2, 128($17)
	beqz	$2, 1b
	nop
	lw	$2, 128($17)
	mix	$2
1:	lld	$2, 136($17)
	daddu	$2, $2, $16
	scd	$2, 136($17)
	beqzl	$2, 1b
	nop
	ld	$2, 136($17)
	mix	$2
	sync
	/* HI and LO */
	mult	$16, $3
	mflo	$2
	mix	$2
	ori	$3, $3, 1
	ddivu	$0, $16, $3
	mfhi	$2
	mflo	$4
	mix	$2
	mix	$4
	mthi	$16
	mtlo	$4
	multu	$2, $4
	mfhi	$5
	mix	$5
	/* floating point */
	ldc1	$f2, 160($17)
	ldc1	$f4, 168($17)
	mul.d	$f6, $f2, $f4
	div.d	$f8, $f2, $f4
	add.d	$f6, $f6, $f8
	c.lt.d	$f4, $f2
	bc1t	1f
	add.d	$f6, $f6, $f2
	sub.d	$f6, $f6, $f4
1:	c.eq.d	$f4, $f2
	bc1tl	1f
	add.d	$f6, $f6, $f4
1:	bc1fl	1f
	sqrt.d	$f10, $f6
1:	dmfc1	$2, $f6
	mix	$2
	dmfc1	$2, $f10
	mix	$2
	cvt.l.d	$f10, $f6
	sdc1	$f10, 56($17)
	cfc1	$2, $31
	ctc1	$2, $31
	mix	$2
	dmtc1	$16, $f12
	cvt.d.l	$f12, $f12
	dmfc1	$2, $f12
	mix	$2
#if __mips == 4
	madd.d	$f12, $f6, $f2, $f4
	dmfc1	$2, $f12
	mix	$2
	recip.d	$f12, $f2
	movt	$3, $2, $fcc0
	movz.d	$f12, $f4, $18
	movn	$4, $2, $18
	li	$5, 8
	c.lt.d	$fcc3, $f4, $f2
	bc1t	$fcc3, 1f
	ldxc1	$f6, $5($17)
1:	pref	0, 64($17)
	dmfc1	$2, $f6
	mix	$2
	mix	$3
	mix	$4
#endif
	addiu	$18, $18, -1
	bgtz	$18, round
	mix	$18

	address	$4, results
	sd	$16, 0($4)
	sd	$29, 8($4)
	sd	$31, 16($4)
	li	$2, 5001		/* write */
	move	$5, $4
	li	$4, 1
	li	$6, results_end - results
	syscall
	li	$2, 5205		/* exit_group */
	move	$4, $0
	syscall

function:
	daddiu	$29, $29, -16
	sd	$31, 0($29)
	sd	$4, 8($29)
	mix	$4
	ld	$4, 8($29)
	ld	$31, 0($29)
	jr	$31
	daddiu	$29, $29, 16

	.bss
	.balign	128
	.skip	512
stack_end:
	.data
	.balign	128
results:
	.skip	128
data:
	.irpc	n, 1234567890123456789012345678901234567890
	.word	0x9e3779b1 * (\n + 1) & 0xfffffff7
	.endr
	.double	3.25, 1.7
results_end:
