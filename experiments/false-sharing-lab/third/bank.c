/*
 * Accounts of a bank, each with its lock, four in a line. A thread books on every n-th account, so
 * that no lock is ever waited for, but for a transfer now and then.
 */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { ACCOUNTS = 24, BOOKINGS = 1200, EVERY = 100 };

struct account {
    APART atomic_flag lock;
    int balance;
    unsigned bookings;
    int lowest;
};

static struct account *accounts;
static OWN_LINE int threads;

static ALONE struct account *bank_open(int n)
{
    struct account *a = (struct account *)GET((size_t)n * sizeof *a);
    for (int i = 0; i < n; i++) {
        atomic_flag_clear(&a[i].lock);
        a[i].balance = a[i].lowest = 1000;
        a[i].bookings = 0;
    }
    return a;
}

static void lock(struct account *a)
{
    while (
        atomic_flag_test_and_set_explicit(&a->lock, memory_order_acquire)) /* shares: bank_open() */
        sched_yield();
}

static void unlock(struct account *a)
{
    atomic_flag_clear_explicit(&a->lock, memory_order_release); /* shares: bank_open() */
}

static void book(struct account *a, int amount)
{
    lock(a);
    a->balance += amount; /* shares: bank_open() */
    a->bookings++;        /* shares: bank_open() */
    if (a->balance < a->lowest)
        a->lowest = a->balance; /* shares: bank_open() */
    unlock(a);
}

static void *work(void *argument)
{
    int me = number(argument), mine = ACCOUNTS / threads;
    unsigned x = (unsigned)me + 1;
    for (int i = 0; i < BOOKINGS; i++) {
        x = x * 1103515245u + 12345u;
        int at = me + (int)(x >> 16) % mine * threads;
        int amount = (int)(x >> 20) % 90;
        book(&accounts[at], -amount);
        if (i % EVERY == 0)
            at = (at + 1) % ACCOUNTS;
        book(&accounts[at], amount);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    long sum = 0, bookings = 0;
    threads = threads_asked(argc, argv, 4);
    if (threads > ACCOUNTS)
        return 2;
    accounts = bank_open(ACCOUNTS);
    shown("bank_open()", accounts, ACCOUNTS * sizeof *accounts);
    crew(threads, work);
    for (int i = 0; i < ACCOUNTS; i++) {
        sum += accounts[i].balance;
        bookings += (long)accounts[i].bookings;
    }
    printf("sum %ld, bookings %ld\n", sum, bookings);
    return sum != 1000L * ACCOUNTS || bookings != 2L * threads * BOOKINGS;
}
