/*
 * Floating point: IEEE 754 arithmetic with MIPS's own ideas about NaNs and flags.
 *
 * The host's unit does the arithmetic in the guest's rounding mode and its flags become the
 * guest's. Two things differ and are done here: NaNs (MIPS of that time marks a *signalling* NaN
 * with the bit that elsewhere marks a quiet one, and every NaN that comes out of an operation is
 * the same fixed quiet one), and the FS bit, which replaces a result too small to be normal by
 * zero.
 *
 * Every operation writes the cause field; if a cause is enabled the result is withheld and the
 * processor takes an exception, else the sticky flags collect it. (Manual chapter 6.)
 */
#include "procard/mips/isa.h"

#include <math.h>
#include <string.h>

#define unlikely(x) __builtin_expect(!!(x), 0)

/* FCSR: bits of flags, enables and cause, each in the order below. */
enum {
    INEXACT = 1,
    UNDERFLOW_ = 2,
    OVERFLOW_ = 4,
    DIVIDE_BY_ZERO = 8,
    INVALID = 16,
    UNIMPLEMENTED = 32, /**< cause only, always enabled */
};
enum { FLAGS_SHIFT = 2, ENABLES_SHIFT = 7, CAUSE_SHIFT = 12 };
#define CAUSE_MASK (0x3fu << CAUSE_SHIFT)
#define FCSR_FS    (1u << 24)
#define FCSR_CODES (0x7fu << 25) /* condition codes 1 to 7, which came with MIPS IV */

enum rounding { NEAREST, TO_ZERO, UP, DOWN }; /* as in FCSR(1:0) */

/* ---- the host's unit ------------------------------------------------------------------------- */

#if defined(__SSE2_MATH__)
#include <xmmintrin.h>

enum { MXCSR_MASKED = 0x1f80, MXCSR_ROUNDING_SHIFT = 13 };

/** Makes the host compute with the flags clear. */
static inline void host_begin(enum rounding mode)
{
    _mm_setcsr(MXCSR_MASKED | ((4 - mode) & 3) << MXCSR_ROUNDING_SHIFT);
}

/** The exceptions since host_begin; the host rounds to nearest again. */
static inline unsigned host_end(enum rounding mode)
{
    const unsigned f = _mm_getcsr();

    if (mode != NEAREST)
        _mm_setcsr(MXCSR_MASKED);
    return (f & 1) << 4 | (f & 4) << 1 | (f >> 1 & 4) | (f >> 3 & 2) | (f >> 5 & 1);
}

/** Keeps the compiler from computing `x` before or after this place. */
#define PIN(x)         __asm__ volatile("" : "+x"(x))
#define PIN_INTEGER(x) __asm__ volatile("" : "+r"(x))
#else
#include <fenv.h>

static inline void host_begin(enum rounding mode)
{
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_UPWARD, FE_DOWNWARD};

    feclearexcept(FE_ALL_EXCEPT);
    fesetround(modes[mode]);
}

static inline unsigned host_end(enum rounding mode)
{
    const int f = fetestexcept(FE_ALL_EXCEPT);

    if (mode != NEAREST)
        fesetround(FE_TONEAREST);
    return (f & FE_INEXACT ? INEXACT : 0u) | (f & FE_UNDERFLOW ? UNDERFLOW_ : 0u) |
           (f & FE_OVERFLOW ? OVERFLOW_ : 0u) | (f & FE_DIVBYZERO ? DIVIDE_BY_ZERO : 0u) |
           (f & FE_INVALID ? INVALID : 0u);
}

#define PIN(x)         __asm__ volatile("" : "+m"(x))
#define PIN_INTEGER(x) __asm__ volatile("" : "+m"(x))
#endif

/* ---- control registers ----------------------------------------------------------------------- */

/** R4400 (implementation 5) with single, double, word and long formats. */
enum { FIR = 0x00700000 | 0x00030000 | 0x0500 };

uint32_t mips_fpu_control_read(const struct mips_regs *regs, unsigned reg)
{
    const uint32_t fcsr = regs->fcsr;

    switch (reg) {
    case 0:
        return FIR;
    case 25: /* condition bits */
        return (fcsr >> 24 & 0xfe) | (fcsr >> 23 & 1);
    case 26: /* causes and flags */
        return fcsr & 0x0003f07c;
    case 28: /* enables, rounding mode, FS */
        return (fcsr & 0x00000f83) | (fcsr >> 22 & 4);
    default:
        return fcsr;
    }
}

bool mips_fpu_control_write(struct mips_regs *regs, unsigned reg, uint32_t value, unsigned level)
{
    uint32_t *fcsr = &regs->fcsr;

    switch (reg) {
    case 25:
        if (value & 0xffffff00)
            return true;
        *fcsr = (*fcsr & 0x017fffff) | (value & 0xfe) << 24 | (value & 1) << 23;
        break;
    case 26:
        if (value & 0x007c0000)
            return true;
        *fcsr = (*fcsr & 0xfffc0f83) | (value & 0x0003f07c);
        break;
    case 28:
        if (value & 0x007c0000)
            return true;
        *fcsr = (*fcsr & 0xfefff07c) | (value & 0x00000f83) | (value & 4) << 22;
        break;
    case 31:
        *fcsr = value & 0xff83ffff;
        break;
    default:
        return true;
    }
    if (level < 4)
        *fcsr &= ~FCSR_CODES;
    return !((*fcsr >> ENABLES_SHIFT & 0x1f) & (*fcsr >> CAUSE_SHIFT)) &&
           !(*fcsr >> CAUSE_SHIFT & UNIMPLEMENTED);
}

/* ---- an operation's surroundings ------------------------------------------------------------- */

struct fp {
    enum rounding mode;
    bool flush;      /**< FS */
    unsigned raised; /**< so far in this instruction */
};

static inline struct fp fpu_begin(const struct mips_regs *regs)
{
    return (struct fp){.mode = regs->fcsr & 3, .flush = regs->fcsr & FCSR_FS};
}

/** Reports the exceptions; false: the result must not be written. */
static inline bool fpu_end(struct mips_regs *regs, unsigned raised)
{
    regs->fcsr = (regs->fcsr & ~CAUSE_MASK) | raised << CAUSE_SHIFT;
    if (unlikely(regs->fcsr >> ENABLES_SHIFT & raised))
        return false;
    regs->fcsr |= raised << FLAGS_SHIFT;
    return true;
}

/* ---- the two formats ------------------------------------------------------------------------- */

typedef uint32_t __attribute__((may_alias)) bits_S;
typedef uint64_t __attribute__((may_alias)) bits_D;
typedef float real_S;
typedef double real_D;

#define INFINITY_S     UINT32_C(0x7f800000)
#define INFINITY_D     UINT64_C(0x7ff0000000000000)
#define QUIET_S        UINT32_C(0x7fbfffff) /* what an invalid operation answers */
#define QUIET_D        UINT64_C(0x7ff7ffffffffffff)
#define SIGNALLING_S   UINT32_C(0x00400000)
#define SIGNALLING_D   UINT64_C(0x0008000000000000)
#define SIGN_S         UINT32_C(0x80000000)
#define SIGN_D         UINT64_C(0x8000000000000000)
#define LEAST_NORMAL_S UINT32_C(0x00800000)
#define LEAST_NORMAL_D UINT64_C(0x0010000000000000)

#define AT(f, offset) (*(bits_##f *)((char *)regs + (offset)))

/* Functions every format has: F is S or D. */
#define FORMAT(F)                                                                           \
    static inline real_##F to_real_##F(bits_##F b)                                          \
    {                                                                                       \
        real_##F r;                                                                         \
        memcpy(&r, &b, sizeof r);                                                           \
        return r;                                                                           \
    }                                                                                       \
    static inline bits_##F to_bits_##F(real_##F r)                                          \
    {                                                                                       \
        bits_##F b;                                                                         \
        memcpy(&b, &r, sizeof b);                                                           \
        return b;                                                                           \
    }                                                                                       \
    static inline bool is_nan_##F(bits_##F b)                                               \
    {                                                                                       \
        return (b & ~SIGN_##F) > INFINITY_##F;                                              \
    }                                                                                       \
    static inline bool is_signalling_##F(bits_##F b)                                        \
    {                                                                                       \
        return is_nan_##F(b) && b & SIGNALLING_##F;                                         \
    }                                                                                       \
    /* The result of an operation on at least one NaN. */                                   \
    static bits_##F propagate_##F(struct fp *fp, bits_##F a, bits_##F b)                    \
    {                                                                                       \
        if (is_signalling_##F(a) || is_signalling_##F(b))                                   \
            fp->raised |= INVALID;                                                          \
        return QUIET_##F;                                                                   \
    }                                                                                       \
    /* Is a result, rounded to zero, of something too small to be normal (and not zero)? */ \
    static inline bool is_tiny_##F(bits_##F b, unsigned raised)                             \
    {                                                                                       \
        b &= ~SIGN_##F;                                                                     \
        return b < LEAST_NORMAL_##F && (b != 0 || raised & INEXACT);                        \
    }
FORMAT(S)
FORMAT(D)

/**
 * Computes `expression` of the real numbers a and b in the guest's mode; the result goes to `bits`.
 * With FS, first towards zero to see whether the exact result is tiny: then it is a zero of its
 * sign and nothing is raised.
 */
#define COMPUTE(F, fp, a, b, expression, bits)                                    \
    do {                                                                          \
        if (unlikely((fp)->flush)) {                                              \
            unsigned tiny_raised;                                                 \
            host_begin(TO_ZERO);                                                  \
            PIN(a);                                                               \
            PIN(b);                                                               \
            real_##F towards_zero = (expression);                                 \
            PIN(towards_zero);                                                    \
            tiny_raised = host_end(TO_ZERO);                                      \
            bits = to_bits_##F(towards_zero);                                     \
            if (is_tiny_##F(bits, tiny_raised)) {                                 \
                bits &= SIGN_##F;                                                 \
                break;                                                            \
            }                                                                     \
        }                                                                         \
        host_begin((fp)->mode);                                                   \
        PIN(a);                                                                   \
        PIN(b);                                                                   \
        real_##F rounded = (expression);                                          \
        PIN(rounded);                                                             \
        const unsigned now_raised = host_end((fp)->mode);                         \
        (fp)->raised |= now_raised;                                               \
        bits = unlikely(now_raised & INVALID) ? QUIET_##F : to_bits_##F(rounded); \
    } while (0)

#define BINARY(name, F, expression)                                          \
    static inline bits_##F name##_##F(struct fp *fp, bits_##F x, bits_##F y) \
    {                                                                        \
        real_##F a = to_real_##F(x), b = to_real_##F(y);                     \
        bits_##F bits;                                                       \
        if (unlikely(is_nan_##F(x) || is_nan_##F(y)))                        \
            return propagate_##F(fp, x, y);                                  \
        COMPUTE(F, fp, a, b, expression, bits);                              \
        return bits;                                                         \
    }
#define ARITHMETIC(F, root)                                    \
    BINARY(add, F, a + b)                                      \
    BINARY(sub, F, a - b)                                      \
    BINARY(mul, F, a *b)                                       \
    BINARY(div, F, a / b)                                      \
    static inline bits_##F sqrt_##F(struct fp *fp, bits_##F x) \
    {                                                          \
        real_##F a = to_real_##F(x), b = 0;                    \
        bits_##F bits;                                         \
        if (unlikely(is_nan_##F(x)))                           \
            return propagate_##F(fp, x, x);                    \
        if (unlikely(x > SIGN_##F)) {                          \
            fp->raised |= INVALID;                             \
            return QUIET_##F;                                  \
        }                                                      \
        COMPUTE(F, fp, a, b, root(a), bits);                   \
        return bits;                                           \
    }
ARITHMETIC(S, sqrtf)
ARITHMETIC(D, sqrt)

/* ---- conversions between formats ------------------------------------------------------------- */

static bits_S fpu_narrow(struct fp *fp, bits_D x)
{
    double a = to_real_D(x), b = 0;
    bits_S bits;

    if (unlikely(is_nan_D(x))) {
        propagate_D(fp, x, x);
        return QUIET_S;
    }
    COMPUTE(S, fp, a, b, (float)a, bits);
    return bits;
}

static bits_D fpu_widen(struct fp *fp, bits_S x)
{
    if (unlikely(is_nan_S(x))) {
        propagate_S(fp, x, x);
        return QUIET_D;
    }
    return to_bits_D((double)to_real_S(x)); /* exact */
}

/** Rounds to a whole number of 64 bits; what does not fit is invalid and becomes the largest. */
static int64_t to_long(struct fp *fp, double a, enum rounding mode)
{
    long long n;
    unsigned raised;

    host_begin(mode);
    PIN(a);
    n = llrint(a);
    PIN_INTEGER(n);
    raised = host_end(mode);
    fp->raised |= raised;
    return raised & INVALID ? INT64_MAX : n;
}

static int32_t to_word(struct fp *fp, double a, enum rounding mode)
{
    const int64_t n = to_long(fp, a, mode);

    if (n == (int32_t)n)
        return (int32_t)n;
    fp->raised = INVALID;
    return INT32_MAX;
}

/* ---- the instructions ------------------------------------------------------------------------ */

#define FPU(id) static bool fpu_##id(struct mips_regs *regs, const struct mips_op *op)

/** One result of format F; `expression` uses fp and the operands. */
#define RESULT(id, F, expression)             \
    FPU(id)                                   \
    {                                         \
        struct fp fp = fpu_begin(regs);       \
        const bits_##F result = (expression); \
        if (!fpu_end(regs, fp.raised))        \
            return false;                     \
        AT(F, op->d) = result;                \
        return true;                          \
    }

#define ONE_S UINT32_C(0x3f800000)
#define ONE_D UINT64_C(0x3ff0000000000000)

#define OPERATIONS(F)                                                                           \
    RESULT(ADD_##F, F, add_##F(&fp, AT(F, op->s), AT(F, op->t)))                                \
    RESULT(SUB_##F, F, sub_##F(&fp, AT(F, op->s), AT(F, op->t)))                                \
    RESULT(MUL_##F, F, mul_##F(&fp, AT(F, op->s), AT(F, op->t)))                                \
    RESULT(DIV_##F, F, div_##F(&fp, AT(F, op->s), AT(F, op->t)))                                \
    RESULT(SQRT_##F, F, sqrt_##F(&fp, AT(F, op->s)))                                            \
    RESULT(RECIP_##F, F, div_##F(&fp, ONE_##F, AT(F, op->s)))                                   \
    RESULT(RSQRT_##F, F, div_##F(&fp, ONE_##F, sqrt_##F(&fp, AT(F, op->s))))                    \
    /* Product and sum are rounded one after the other, as the MIPS IV machines did. */         \
    RESULT(MADD_##F, F, add_##F(&fp, mul_##F(&fp, AT(F, op->s), AT(F, op->t)), AT(F, op->imm))) \
    RESULT(MSUB_##F, F, sub_##F(&fp, mul_##F(&fp, AT(F, op->s), AT(F, op->t)), AT(F, op->imm))) \
    RESULT(NMADD_##F, F,                                                                        \
           SIGN_##F ^ add_##F(&fp, mul_##F(&fp, AT(F, op->s), AT(F, op->t)), AT(F, op->imm)))   \
    RESULT(NMSUB_##F, F,                                                                        \
           SIGN_##F ^ sub_##F(&fp, mul_##F(&fp, AT(F, op->s), AT(F, op->t)), AT(F, op->imm)))
OPERATIONS(S)
OPERATIONS(D)

/** Conversion of format F to whole numbers in a given rounding mode. */
#define TO_WHOLE(name, F, mode)                                         \
    static int64_t name##_long_##F(struct fp *fp, bits_##F x)           \
    {                                                                   \
        if (unlikely(is_nan_##F(x))) {                                  \
            fp->raised |= INVALID;                                      \
            return INT64_MAX;                                           \
        }                                                               \
        return to_long(fp, (double)to_real_##F(x), mode);               \
    }                                                                   \
    static int32_t name##_word_##F(struct fp *fp, bits_##F x)           \
    {                                                                   \
        if (unlikely(is_nan_##F(x))) {                                  \
            fp->raised |= INVALID;                                      \
            return INT32_MAX;                                           \
        }                                                               \
        return to_word(fp, (double)to_real_##F(x), mode);               \
    }                                                                   \
    RESULT(name##_W_##F, S, (bits_S)name##_word_##F(&fp, AT(F, op->s))) \
    RESULT(name##_L_##F, D, (bits_D)name##_long_##F(&fp, AT(F, op->s)))
#define TO_WHOLES(F)            \
    TO_WHOLE(ROUND, F, NEAREST) \
    TO_WHOLE(TRUNC, F, TO_ZERO) \
    TO_WHOLE(CEIL, F, UP)       \
    TO_WHOLE(FLOOR, F, DOWN)    \
    TO_WHOLE(CVT, F, fp->mode)
TO_WHOLES(S)
TO_WHOLES(D)

RESULT(CVT_S_D, S, fpu_narrow(&fp, AT(D, op->s)))
RESULT(CVT_D_S, D, fpu_widen(&fp, AT(S, op->s)))

/** From a whole number: never invalid, never tiny. */
#define FROM_WHOLE(id, F, type, source)            \
    FPU(id)                                        \
    {                                              \
        const enum rounding mode = regs->fcsr & 3; \
        type n = (type)(source);                   \
        real_##F r;                                \
        host_begin(mode);                          \
        PIN_INTEGER(n);                            \
        r = (real_##F)n;                           \
        PIN(r);                                    \
        if (!fpu_end(regs, host_end(mode)))        \
            return false;                          \
        AT(F, op->d) = to_bits_##F(r);             \
        return true;                               \
    }
FROM_WHOLE(CVT_S_W, S, int32_t, AT(S, op->s))
FROM_WHOLE(CVT_D_W, D, int32_t, AT(S, op->s))
FROM_WHOLE(CVT_S_L, S, int64_t, AT(D, op->s))
FROM_WHOLE(CVT_D_L, D, int64_t, AT(D, op->s))

/** c.cond.fmt: bits of cond are 8: quiet NaNs are invalid too, 4: less, 2: equal, 1: unordered. */
#define COMPARE(id, F, cond)                                                       \
    FPU(id)                                                                        \
    {                                                                              \
        const bits_##F x = AT(F, op->s), y = AT(F, op->t);                         \
        const real_##F a = to_real_##F(x), b = to_real_##F(y);                     \
        unsigned raised = 0;                                                       \
        bool holds;                                                                \
        if (unlikely(is_nan_##F(x) || is_nan_##F(y))) {                            \
            holds = (cond)&1;                                                      \
            if ((cond)&8 || is_signalling_##F(x) || is_signalling_##F(y))          \
                raised = INVALID;                                                  \
        } else {                                                                   \
            holds = ((cond)&4 && a < b) || ((cond)&2 && a == b);                   \
        }                                                                          \
        if (!fpu_end(regs, raised))                                                \
            return false;                                                          \
        regs->fcsr = (regs->fcsr & ~(1u << op->imm)) | (uint32_t)holds << op->imm; \
        return true;                                                               \
    }
#define COMPARES(F)           \
    COMPARE(C_F_##F, F, 0)    \
    COMPARE(C_UN_##F, F, 1)   \
    COMPARE(C_EQ_##F, F, 2)   \
    COMPARE(C_UEQ_##F, F, 3)  \
    COMPARE(C_OLT_##F, F, 4)  \
    COMPARE(C_ULT_##F, F, 5)  \
    COMPARE(C_OLE_##F, F, 6)  \
    COMPARE(C_ULE_##F, F, 7)  \
    COMPARE(C_SF_##F, F, 8)   \
    COMPARE(C_NGLE_##F, F, 9) \
    COMPARE(C_SEQ_##F, F, 10) \
    COMPARE(C_NGL_##F, F, 11) \
    COMPARE(C_LT_##F, F, 12)  \
    COMPARE(C_NGE_##F, F, 13) \
    COMPARE(C_LE_##F, F, 14)  \
    COMPARE(C_NGT_##F, F, 15)
COMPARES(S)
COMPARES(D)

mips_fpu_fn *const mips_fpu[MIPS_OP_ROWS_END] = {
#define INSN(id, ...)
#define FPOP(id, ...) [MIPS_OP_##id] = fpu_##id,
#include "procard/mips/isa.def"
#undef INSN
#undef FPOP
};
