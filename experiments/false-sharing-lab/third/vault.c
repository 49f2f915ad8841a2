/* Two threads put coins into a vault and take them out; a lock guards it, and both want all of it.
 */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { COINS = 10, VISITS = 600 };

struct vault {
    OWN_LINE atomic_flag lock;
    OWN_LINE unsigned visits;
    int worth;
    int coins[COINS];
};

static OWN_LINE struct vault *vault;
static OWN_LINE int brought[2][LINE / sizeof(int)];

static ALONE struct vault *vault_make(void)
{
    struct vault *v = (struct vault *)aligned_alloc(LINE, sizeof *v);
    atomic_flag_clear(&v->lock);
    v->visits = 0;
    v->worth = 0;
    for (int i = 0; i < COINS; i++)
        v->coins[i] = 0;
    return v;
}

static void vault_enter(struct vault *v)
{
    while (atomic_flag_test_and_set_explicit(&v->lock, memory_order_acquire))
        sched_yield();
}

static void vault_leave(struct vault *v)
{
    v->visits++;
    atomic_flag_clear_explicit(&v->lock, memory_order_release);
}

static int visit(struct vault *v, int coin, int number_of)
{
    int worth = 0;
    vault_enter(v);
    v->coins[coin] += number_of;
    for (int i = 0; i < COINS; i++)
        worth += v->coins[i] * (1 + i);
    v->worth = worth;
    vault_leave(v);
    return number_of * (1 + coin);
}

static unsigned wander(unsigned x)
{
    for (int i = 0; i < 60; i++)
        x = x * 1103515245u + 12345u;
    return x;
}

static void *work(void *argument)
{
    int me = number(argument);
    unsigned x = (unsigned)me + 5;
    for (int i = 0; i < VISITS; i++) {
        x = wander(x);
        brought[me][0] += visit(vault, (int)(x >> 16) % COINS, (int)(x >> 28) - 7);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    vault = vault_make();
    shown("vault_make()", vault, sizeof *vault);
    crew(2, work);
    printf("%u visits, worth %d\n", vault->visits, vault->worth);
    return vault->visits != 2 * VISITS || vault->worth != brought[0][0] + brought[1][0];
}
