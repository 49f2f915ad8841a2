/* malloc, realloc, calloc and free under a random load; brk and mmap behind them. */
#include "guest.h"

#include <string.h>

enum { SLOTS = 64, TURNS = 2000 };

static struct {
    uint8_t *at;
    size_t size;
    uint8_t fill;
} slots[SLOTS];

static uint32_t state = 12345;

static uint32_t draw(void)
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static void verify(int i)
{
    size_t size = slots[i].size;
    if (size == 0)
        return;
    CHECK(slots[i].at[0] == slots[i].fill && slots[i].at[size - 1] == slots[i].fill &&
          slots[i].at[size / 2] == slots[i].fill);
}

static void turn(void)
{
    int i = (int)(draw() % SLOTS);
    size_t size = draw() % 50 == 0 ? draw() % 40000 : draw() % 300;

    verify(i);
    if (draw() % 3 == 0) {
        free(slots[i].at);
        slots[i].at = NULL;
        slots[i].size = 0;
        return;
    }
    slots[i].at = realloc(slots[i].at, size + 1);
    slots[i].size = size + 1;
    slots[i].fill = (uint8_t)draw();
    memset(slots[i].at, slots[i].fill, size + 1);
}

int main(void)
{
    uint64_t total = 0;

    for (int i = 0; i < TURNS; i++)
        turn();
    for (int i = 0; i < SLOTS; i++) {
        verify(i);
        total = total * 31 + slots[i].size;
        free(slots[i].at);
    }
    printf("sizes %llu\n", (unsigned long long)total);
    uint8_t *big = calloc(1, 3 << 20);
    CHECK(big != NULL && big[0] == 0 && big[(3 << 20) - 1] == 0);
    big[12345] = 7;
    big = realloc(big, 5 << 20);
    CHECK(big[12345] == 7);
    free(big);
    void *aligned = NULL;
    CHECK(posix_memalign(&aligned, 4096, 100) == 0 && (uintptr_t)aligned % 4096 == 0);
    free(aligned);
    CHECK(malloc(SIZE_MAX / 2) == NULL);
    return guest_result();
}
