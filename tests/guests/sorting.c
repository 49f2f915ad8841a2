/* Sorting, searching and the string functions. */
#include "guest.h"

#include <ctype.h>
#include <string.h>

enum { N = 1000 };

static int compare(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return (x > y) - (x < y);
}

static void numbers(void)
{
    static unsigned values[N];
    unsigned state = 7, key, hash = 0;

    for (int i = 0; i < N; i++)
        values[i] = (state = state * 1103515245 + 12345) >> 16;
    key = values[N / 3];
    qsort(values, N, sizeof values[0], compare);
    for (int i = 0; i < N; i++) {
        hash = hash * 33 + values[i];
        CHECK(i == 0 || values[i - 1] <= values[i]);
    }
    CHECK(bsearch(&key, values, N, sizeof values[0], compare) != NULL);
    printf("%u %u %u %08x\n", values[0], values[N / 2], values[N - 1], hash);
}

static void strings(void)
{
    char text[128] = "the quick brown fox jumps over the lazy dog", copy[128];
    char *word, *rest = copy;

    strcpy(copy, text);
    while ((word = strsep(&rest, " ")) != NULL)
        printf("%zu%c ", strlen(word), toupper(word[0]));
    printf("\n%td %td %zu %zu %d %d\n", strstr(text, "fox") - text, strrchr(text, 'o') - text,
           strspn(text, "the "), strcspn(text, "q"), strcmp("abc", "abd") < 0,
           strcasecmp("ABC", "abc"));
    strcat(text, "!");
    memmove(text + 4, text, 20);
    printf("%s %d\n", text, memchr(text, '!', sizeof text) != NULL);
    for (size_t n = 0; n < 40; n++) {
        memset(copy, 'a', sizeof copy);
        copy[n] = '\0';
        CHECK(strlen(copy) == n && strnlen(copy, 20) == (n < 20 ? n : 20));
        CHECK(memcmp(copy, copy + n + 1, n) == 0);
    }
}

int main(void)
{
    numbers();
    strings();
    return guest_result();
}
