/* A lot of output under each buffering, and output by write, in the order of the program. */
#include "guest.h"

#include <string.h>
#include <unistd.h>

static char buffer[333];

static void block(char c, size_t n)
{
    char text[1000];

    memset(text, c, sizeof text);
    text[n - 1] = '\n';
    fwrite(text, 1, n, stdout);
}

int main(void)
{
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    for (size_t i = 1; i <= 100; i++)
        block((char)('a' + i % 26), i * 10);
    fflush(stdout);
    CHECK(write(1, "written\n", 8) == 8);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (int i = 0; i < 100; i++)
        printf("line-buffered %d\n", i);
    CHECK(write(1, "written\n", 8) == 8);
    setvbuf(stdout, NULL, _IONBF, 0);
    fputs("unbuffered\n", stdout);
    CHECK(write(1, "written\n", 8) == 8);
    for (size_t n = 0; n <= 8; n++) /* none, one, and so on */
        CHECK(write(1, "written\n" + 8 - n, n) == (ssize_t)n);
    CHECK(putchar('\0') == 0 && putchar('\xff') == 0xff);
    puts("no newline follows");
    fputs("end", stdout);
    return guest_result();
}
