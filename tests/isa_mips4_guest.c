/*
 * A program of MIPS IV and nothing later, without a library (the stock ones are of MIPS32 and
 * MIPS64 release 2): what the compiler makes of -march=mips4, and what it does not make by name.
 * With LATER it ends in an instruction of MIPS32.
 */
#include <stddef.h>

#if _MIPS_SIM == _ABIO32
enum { EXIT = 4001, WRITE = 4004 };
#else
enum { WRITE = 5001, EXIT = 5058 };
#endif
enum { COUNT = 16 };

static void call(long number, long a, const void *b, size_t c)
{
    register long v0 __asm__("$2") = number, a0 __asm__("$4") = a;
    register const void *a1 __asm__("$5") = b;
    register size_t a2 __asm__("$6") = c;

    __asm__ volatile("syscall"
                     : "+r"(v0)
                     : "r"(a0), "r"(a1), "r"(a2)
                     : "$1", "$3", "$7", "$8", "$9", "$10", "$11", "$12", "$13", "$14", "$15",
                       "$24", "$25", "memory");
}

/** A line of the form "name 0123456789abcdef". */
static void say(const char *name, double x)
{
    union {
        double real;
        unsigned long long bits;
    } u = {x};
    char line[64];
    size_t n = 0;

    while (name[n]) {
        line[n] = name[n];
        n++;
    }
    line[n++] = ' ';
    for (int digit = 60; digit >= 0; digit -= 4)
        line[n++] = "0123456789abcdef"[u.bits >> digit & 15];
    line[n++] = '\n';
    call(WRITE, 1, line, n);
}

static volatile double half = 0.5, third = 1 / 3.0, zero;
static volatile int counts[2] = {COUNT, 5};
static double a[COUNT], b[COUNT];

static double product(int n)
{
    double sum = zero;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void by_name(void)
{
    double x = third, y = half, r, s = zero;
    int i;

    __asm__("nmsub.d %0, %1, %2, %2" : "=f"(r) : "f"(y), "f"(x));
    say("nmsub", r);
    __asm__("recip.d %0, %1" : "=f"(r) : "f"(x));
    say("recip", r);
    __asm__("rsqrt.d %0, %1" : "=f"(r) : "f"(y));
    say("rsqrt", r);
    __asm__("c.lt.d $fcc6, %2, %1\n\tmovt.d %0, %1, $fcc6" : "+f"(s) : "f"(y), "f"(x));
    say("movt", s);
    __asm__("c.lt.d $fcc3, %2, %1\n\tli %0, 1\n\tbc1t $fcc3, 1f\n\tli %0, 2\n1:"
            : "=&r"(i)
            : "f"(y), "f"(x));
    say("bc1t", i);
    __asm__("pref 1, 8(%1)\n\tprefx 0, %2(%1)\n\tldxc1 %0, %2(%1)"
            : "=f"(r)
            : "r"(a), "r"((size_t)(3 * sizeof a[0])), "m"(a));
    say("ldxc1", r);
    __asm__("move %0, $0\n\tli $8, 7\n\tmovn %0, $8, %1\n\tmovz %0, $8, $0"
            : "=&r"(i)
            : "r"(counts[1])
            : "$8");
    say("movn", i);
}

#ifdef LATER
static __attribute__((noinline)) void later(void)
{
    __asm__ volatile(".set push\n.set mips32\nmul $8, $8, $8\n.set pop" : : : "$8");
}
#endif

void __start(void)
{
    for (int i = 0; i < COUNT; i++) {
        a[i] = i * third;
        b[i] = i + half;
    }
    say("product", product(counts[0]));
    say("shorter", product(half > third ? counts[1] : counts[0]));
    by_name();
#ifdef LATER
    later();
#endif
    call(EXIT, 0, NULL, 0);
}
