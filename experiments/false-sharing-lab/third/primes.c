/* Primes are counted by trial division, in chunks that the threads take from each other; a
 * reduction adds. */
#include "shown.h"
#include <omp.h>

enum { UP_TO = 2600, CHUNK = 25, SMALL = 64 };

struct primes {
    unsigned known;
    unsigned short small[SMALL];
};

static OWN_LINE struct primes primes;
static OWN_LINE unsigned long biggest;

static void primes_find(struct primes *p)
{
    for (unsigned n = 2; p->known < 20; n++) {
        int prime = 1;
        for (unsigned i = 0; i < p->known; i++)
            prime &= n % p->small[i] != 0;
        if (prime)
            p->small[p->known++] = (unsigned short)n;
    }
}

static int is_prime(const struct primes *p, unsigned n)
{
    if (n < 2)
        return 0;
    for (unsigned i = 0; i < p->known; i++) {
        unsigned d = p->small[i];
        if (d * d > n)
            return 1;
        if (n % d == 0)
            return 0;
    }
    return 1;
}

static void note(unsigned n)
{
#pragma omp critical(biggest)
    if (n > biggest)
        biggest = n;
}

static unsigned count(unsigned to)
{
    unsigned found = 0;
#pragma omp parallel for schedule(dynamic, CHUNK) reduction(+ : found)
    for (unsigned n = 0; n < to; n++) {
        int prime = is_prime(&primes, n);
        found += (unsigned)prime;
        if (prime && n % 10 == 7)
            note(n);
    }
    return found;
}

int main(int argc, char **argv)
{
    omp_set_num_threads(threads_asked(argc, argv, 4));
    unsigned all = 0, right = 0, last = 0;
    primes_find(&primes);
    shown("biggest", &biggest, sizeof biggest);
    for (unsigned to = UP_TO / 4; to <= UP_TO; to += UP_TO / 4)
        all += count(to);
    for (unsigned n = 0; n < UP_TO; n++) {
        int prime = is_prime(&primes, n);
        for (unsigned to = UP_TO / 4; to <= UP_TO; to += UP_TO / 4)
            right += (unsigned)(prime && n < to);
        if (prime && n % 10 == 7)
            last = n;
    }
    printf("%u primes, last %lu\n", all, biggest);
    return all != right || biggest != last;
}
