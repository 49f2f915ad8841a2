/* Code made at run time: written, flushed, called, changed, called again, on two threads; in ARM
 * and Thumb state. */
#include "guest.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

typedef int function(int);

static uint32_t *code;
static function *made;

/* add r0, r0, #n; bx lr, or adds r0, #n; bx lr in Thumb */
static function *make(int n)
{
    const uint32_t body[] = {0xe2800000u | (uint8_t)n, 0xe12fff1e};
    const uint16_t short_body[] = {(uint16_t)(0x3000u | (uint8_t)n), 0x4770};

    if (n & 1)
        memcpy(code, short_body, sizeof short_body);
    else
        memcpy(code, body, sizeof body);
    __builtin___clear_cache((char *)code, (char *)code + sizeof body);
    made = (function *)((size_t)code | (n & 1));
    return made;
}

static void *call(void *arg)
{
    return (void *)(size_t)made((int)(size_t)arg);
}

int main(void)
{
    pthread_t thread;
    void *result;
    int sum = 0;

    code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(code != MAP_FAILED);
    for (int i = 0; i < 20; i++) {
        sum += make(i)(100);
        pthread_create(&thread, NULL, call, (void *)1000);
        pthread_join(thread, &result);
        sum += (int)(size_t)result;
    }
    printf("%d\n", sum);
    CHECK(sum == 20 * 1100 + 2 * 190);
    return guest_result();
}
