/*
 * A field of over a thousand lines. Two threads relax sites of their own colour, odd and even, now
 * and then at random places: no line is touched often, but there are many of them.
 */
#include "shown.h"

enum { SITES = 24576, MOVES = 9000, THINK = 6 };

#ifdef PADDED
enum { COLOURS_APART = SITES / 2 };
#endif

static OWN_LINE int field[SITES];
static OWN_LINE long gained[2][LINE / sizeof(long)];

/* Site i of this colour: side by side with the other colour's, or all of one colour in one half. */
static int *site(unsigned colour, unsigned i)
{
#ifdef PADDED
    return &field[colour * COLOURS_APART + i];
#else
    return &field[2 * i + colour];
#endif
}

static unsigned choose(unsigned *state)
{
    unsigned x = *state;
    for (int i = 0; i < THINK; i++)
        x = x * 1664525u + 1013904223u;
    *state = x;
    return x >> 12;
}

static int energy(int spin, unsigned place)
{
    return (spin * 3 + (int)(place & 7)) % 5 - 2;
}

static void relax(unsigned colour, unsigned place)
{
    int *s = site(colour, place);
    int change = energy(*s, place);
    gained[colour][0] += change;
    *s += change + 1; /* shares: field */
}

static void *work(void *argument)
{
    unsigned me = (unsigned)number(argument), state = me + 99;
    for (int i = 0; i < MOVES; i++)
        relax(me, choose(&state) % (SITES / 2));
    return NULL;
}

static long sum_of(unsigned colour)
{
    long sum = 0;
    for (unsigned i = 0; i < SITES / 2; i++)
        sum += *site(colour, i);
    return sum;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    shown("field", field, sizeof field);
    crew(2, work);
    for (unsigned c = 0; c < 2; c++) {
        printf("colour %u: %ld\n", c, sum_of(c));
        wrong += sum_of(c) != gained[c][0] + MOVES;
    }
    return wrong;
}
