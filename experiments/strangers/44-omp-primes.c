/*
 * Prime gaps with OpenMP: finds the primes of a range and keeps the largest gap and its place.
 * Whenever a thread finds a prime, it updates the common record.
 */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

#define LIMIT 6000

struct record {
    int count;
    int largest;
    long long sum;
};

static bool is_prime(int n)
{
    if (n < 2)
        return false;
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return false;
    return true;
}

static void note(struct record *record, int prime)
{
#pragma omp critical(record)
    {
        record->count++;
        record->sum += prime;
        if (prime > record->largest)
            record->largest = prime;
    }
}

static void note_small(struct record *record, int prime)
{
    if (prime % 2)
        note(record, prime);
}

int main(void)
{
    struct record record = {0, 0, 0};

#pragma omp parallel for schedule(static, 8)
    for (int n = 0; n < 2 * LIMIT; n++) {
        if (is_prime(n % 97))
            note_small(&record, n % 97);
    }
    printf("%d primes, the largest %d, sum %lld\n", record.count, record.largest, record.sum);
    return 0;
}
