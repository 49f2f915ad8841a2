/* A program whose addresses have names of every kind; names.py compiles it in several ways. */
#include <stdio.h>

int in_assembler(int), without_size(int), without_type(int), behind(int), other_name(int);

static inline __attribute__((always_inline)) int inlined(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i * n;
    return sum;
}

static __attribute__((noinline)) int local(int n)
{
    return inlined(n) + inlined(n + 1);
}

int _three_names(int n);
int _three_names(int n)
{
    return n < 2 ? n : _three_names(n - 1) + _three_names(n - 2);
}
int three_names(int) __attribute__((alias("_three_names")));
int __three_names(int) __attribute__((weak, alias("_three_names")));
int three_names_hidden(int) __attribute__((visibility("hidden"), alias("_three_names")));

/* Another file's lines within a function, and lines that come from none. */
int from_elsewhere(int n);
int from_elsewhere(int n)
{
    n += local(n);
#line 100 "elsewhere.y"
    n *= three_names(n);
#line 7 "names_guest.c"
    return n;
}

int main(void)
{
    printf("%d\n", from_elsewhere(4) + in_assembler(1) + without_size(2) + without_type(3) +
                       behind(4) + other_name(5));
    return 0;
}
