/* getrandom: presence, size, and that bytes differ; rand() as the C library defines it. */
#include "guest.h"

#include <string.h>
#include <sys/auxv.h>
#include <sys/random.h>
#include <unistd.h>

int main(void)
{
    uint8_t a[64] = {0}, b[64] = {0};

    CHECK(getrandom(a, sizeof a, 0) == (ssize_t)sizeof a);
    CHECK(getrandom(b, sizeof b, 0) == (ssize_t)sizeof b);
    CHECK(memcmp(a, b, sizeof a) != 0);
    CHECK(getentropy(b, 16) == 0);
    CHECK(getauxval(AT_RANDOM) != 0);
    CHECK(getauxval(AT_PAGESZ) == (unsigned long)sysconf(_SC_PAGESIZE));
    srand(1);
    printf("%d %d\n", rand(), rand());
    srandom(42);
    printf("%ld %ld\n", random(), random());
    return guest_result();
}
