/* Two threads and two boxes: one sends letters, the other reads them and sends answers back. */
#include "shown.h"
#include <sched.h>
#include <stdatomic.h>

enum { LETTERS = 400, WORDS = 12 };

struct box {
    OWN_LINE atomic_uint full;
    unsigned from;
    unsigned word[WORDS];
};

static OWN_LINE struct box boxes[2];
static OWN_LINE unsigned good[2][LINE / sizeof(unsigned)];

static void compose(unsigned *word, unsigned letter)
{
    unsigned x = letter;
    for (int i = 0; i < WORDS; i++) {
        for (int k = 0; k < 8; k++)
            x = x * 1664525u + 1013904223u;
        word[i] = x;
    }
}

static void send(struct box *b, unsigned from, const unsigned *word)
{
    while (atomic_load_explicit(&b->full, memory_order_acquire))
        sched_yield();
    b->from = from;
    for (int i = 0; i < WORDS; i++)
        b->word[i] = word[i];
    atomic_store_explicit(&b->full, 1, memory_order_release);
}

static unsigned receive(struct box *b, unsigned *word)
{
    while (!atomic_load_explicit(&b->full, memory_order_acquire))
        sched_yield();
    for (int i = 0; i < WORDS; i++)
        word[i] = b->word[i];
    unsigned from = b->from;
    atomic_store_explicit(&b->full, 0, memory_order_release);
    return from;
}

static void *work(void *argument)
{
    unsigned me = (unsigned)number(argument);
    unsigned text[WORDS], got[WORDS];
    for (unsigned i = 0; i < LETTERS; i++) {
        compose(text, i);
        if (me == 0)
            send(&boxes[0], me, text);
        unsigned from = receive(&boxes[me == 0], got);
        int same = from == 1 - me;
        for (int k = 0; k < WORDS; k++)
            same &= got[k] == text[k];
        good[me][0] += (unsigned)same;
        if (me == 1)
            send(&boxes[1], me, got);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    shown("boxes", boxes, sizeof boxes);
    crew(2, work);
    printf("%u and %u letters\n", good[0][0], good[1][0]);
    return good[0][0] != LETTERS || good[1][0] != LETTERS;
}
