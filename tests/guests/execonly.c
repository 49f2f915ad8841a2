/* Code in pages that may be executed but not asked to be read: first touched by a fetch. */
#include "guest.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    static const uint32_t code[] = {0x2402002a /* li v0, 42 */, 0x03e00008 /* jr ra */,
                                    0 /* nop */};
    char name[4096];
    int fd;
    void *page;

    CHECK(argc == 2);
    snprintf(name, sizeof name, "%s/code", argv[1]);
    fd = open(name, O_RDWR | O_CREAT, 0600);
    CHECK(write(fd, code, sizeof code) == sizeof code);
    page = mmap(NULL, 65536, PROT_EXEC, MAP_PRIVATE, fd, 0);
    CHECK(page != MAP_FAILED);
    printf("%d\n", ((int (*)(void))page)());
    return guest_result();
}
