/*
 * bank: clerks move money between the accounts of a small bank. The sum of all accounts
 * is the same at the end as it was at the beginning.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 64, CLERKS = 8, TRANSFERS = 2500, OPENING_BALANCE = 1000 };

typedef struct {
    long balance;
    unsigned transactions;
} account_t;

typedef struct {
    pthread_mutex_t lock;
    account_t *accounts;
    int count;
    unsigned refused;
} bank_t;

typedef struct {
    bank_t *bank;
    unsigned seed;
    pthread_t thread;
} clerk_t;

static bank_t *bank_open(int count)
{
    bank_t *bank = malloc(sizeof *bank);
    pthread_mutex_init(&bank->lock, NULL);
    bank->accounts = malloc(count * sizeof *bank->accounts);
    bank->count = count;
    bank->refused = 0;
    for (int i = 0; i < count; i++) {
        bank->accounts[i].balance = OPENING_BALANCE;
        bank->accounts[i].transactions = 0;
    }
    return bank;
}

static void bank_close(bank_t *bank)
{
    pthread_mutex_destroy(&bank->lock);
    free(bank->accounts);
    free(bank);
}

static int bank_transfer(bank_t *bank, int from, int to, long amount)
{
    int done = 0;

    pthread_mutex_lock(&bank->lock);
    if (bank->accounts[from].balance >= amount) {
        bank->accounts[from].balance -= amount;
        bank->accounts[to].balance += amount;
        bank->accounts[from].transactions++;
        bank->accounts[to].transactions++;
        done = 1;
    } else {
        bank->refused++;
    }
    pthread_mutex_unlock(&bank->lock);
    return done;
}

static unsigned next_random(unsigned *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    *seed ^= *seed << 5;
    return *seed;
}

static void *clerk_work(void *arg)
{
    clerk_t *clerk = arg;
    unsigned seed = clerk->seed;

    for (int i = 0; i < TRANSFERS; i++) {
        int from = next_random(&seed) % clerk->bank->count;
        int to = next_random(&seed) % clerk->bank->count;
        long amount = next_random(&seed) % 100;
        bank_transfer(clerk->bank, from, to, amount);
    }
    return NULL;
}

int main(void)
{
    bank_t *bank = bank_open(ACCOUNTS);
    clerk_t clerks[CLERKS];
    long sum = 0;

    for (int i = 0; i < CLERKS; i++) {
        clerks[i].bank = bank;
        clerks[i].seed = 2463534242u + 7919u * i;
        pthread_create(&clerks[i].thread, NULL, clerk_work, &clerks[i]);
    }
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i].thread, NULL);
    for (int i = 0; i < bank->count; i++)
        sum += bank->accounts[i].balance;
    assert(sum == (long)ACCOUNTS * OPENING_BALANCE);
    printf("sum %ld\n", sum);
    bank_close(bank);
    return 0;
}
