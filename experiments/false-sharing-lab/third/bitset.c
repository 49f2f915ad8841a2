/* Two threads mark members of their own classes in a bit set: even words are one's, odd words the
 * other's. */
#include "shown.h"
#include <string.h>

enum { WORDS = 16, PASSES = 12 };

struct word {
    APART uint32_t bits;
};

struct set {
    unsigned members;
    struct word *word;
};

static OWN_LINE struct set *marked;

static ALONE struct set *set_make(unsigned words)
{
    struct set *s = (struct set *)aligned_alloc(LINE, LINE);
    s->members = words * 32;
    s->word = (struct word *)GET(words * sizeof *s->word);
    memset(s->word, 0, words * sizeof *s->word);
    return s;
}

static ALONE void set_flip(struct set *s, unsigned member)
{
    s->word[member / 32].bits ^= 1u << member % 32; /* shares: set_make() */
}

static unsigned set_size(const struct set *s)
{
    unsigned n = 0;
    for (unsigned i = 0; i < s->members; i++)
        n += s->word[i / 32].bits >> i % 32 & 1;
    return n;
}

static int wanted(unsigned member, unsigned pass)
{
    unsigned h = member * 0x9e3779b1u + pass;
    h ^= h >> 15;
    return (h * 0x85ebca6bu >> 28) != 5;
}

static void *work(void *argument)
{
    unsigned me = (unsigned)number(argument);
    for (unsigned pass = 0; pass < PASSES; pass++)
        for (unsigned w = me; w < WORDS; w += 2)
            for (unsigned b = 0; b < 32; b++)
                if (wanted(w * 32 + b, pass))
                    set_flip(marked, w * 32 + b);
    return NULL;
}

static unsigned expected(void)
{
    unsigned n = 0;
    for (unsigned m = 0; m < WORDS * 32; m++) {
        unsigned bit = 0;
        for (unsigned pass = 0; pass < PASSES; pass++)
            bit ^= (unsigned)wanted(m, pass);
        n += bit;
    }
    return n;
}

int main(int argc, char **argv)
{
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    marked = set_make(WORDS);
    shown("set_make()", marked->word, WORDS * sizeof *marked->word);
    crew(2, work);
    printf("%u members\n", set_size(marked));
    return set_size(marked) != expected();
}
