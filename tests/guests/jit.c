/* Code made at run time: written, flushed, called, changed, called again, on two threads. */
#include "guest.h"

#include <pthread.h>
#include <string.h>
#include <sys/cachectl.h>
#include <sys/mman.h>

typedef int function(int);

static uint32_t *code;

/* addiu $2, $4, n; jr $31; nop */
static function *make(int n)
{
    const uint32_t body[] = {0x24820000u | (uint16_t)n, 0x03e00008, 0};
    memcpy(code, body, sizeof body);
    cacheflush((char *)code, sizeof body, BCACHE);
    return (function *)code;
}

static void *call(void *arg)
{
    return (void *)(size_t)((function *)code)((int)(size_t)arg);
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
