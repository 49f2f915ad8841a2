/*
 * Mapped memory at its edges, with files in the directory named by the first argument: one file is
 * one memory, ends of files, kinds of mappings, advice, and what is said of wrong arguments.
 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

enum { PAGE = 65536, RW = PROT_READ | PROT_WRITE };

static sigjmp_buf back;

/** Whether mmap gives memory, or why not. */
static long mapped(int prot, int flags, int fd, long offset)
{
    void *p = mmap(NULL, PAGE, prot, flags, fd, offset);

    if (p == MAP_FAILED)
        return -1;
    munmap(p, PAGE);
    return 0;
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)context;
    siglongjmp(back, number * 100 + info->si_code);
}

/** 0, or signal and code of touching it. */
static int touch(volatile char *p, int store)
{
    const int fault = sigsetjmp(back, 1);

    if (fault)
        return fault;
    if (store)
        *p = 1;
    else
        (void)*p;
    return 0;
}

static void one_memory(void)
{
    char text[32] = "";
    const int fd = open("one", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *a, *b, *c;

    CHECK(ftruncate(fd, 3 * PAGE) == 0);
    a = mmap(NULL, 3 * PAGE, RW, MAP_SHARED, fd, 0);
    b = mmap(NULL, PAGE, RW, MAP_SHARED, fd, PAGE);
    close(fd);
    const int again = open("one", O_RDWR);
    c = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, again, PAGE);
    CHECK(a != MAP_FAILED && b != MAP_FAILED && c != MAP_FAILED);
    strcpy(a + PAGE, "from one");
    printf("other mapping: %s, third: %s\n", b, c);
    CHECK(pread(again, text, 8, PAGE) == 8);
    printf("read: %s\n", text);
    CHECK(pwrite(again, "by write", 8, PAGE) == 8);
    printf("mappings: %s %s %s\n", a + PAGE, b, c);
    SHOW(madvise(b, PAGE, MADV_DONTNEED));
    strcpy(b + 100, "kept");
    SHOW(madvise(a, 3 * PAGE, MADV_DONTNEED));
    printf("after advice: %s %s\n", b, a + PAGE + 100);
    CHECK(munmap(a, 3 * PAGE) == 0);
    printf("after munmap: %s\n", c + 100);
    CHECK(munmap(b, PAGE) == 0 && munmap(c, PAGE) == 0);
    CHECK(pread(again, text, 5, PAGE + 100) == 5);
    printf("in the file: %s\n", text);
    close(again);
    b = mmap(NULL, PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    strcpy(b, "shared anonymous");
    SHOW(madvise(b, PAGE, MADV_DONTNEED));
    printf("%s\n", b);
    a = mmap(NULL, PAGE, RW, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    strcpy(a, "private");
    SHOW(madvise(a, PAGE, MADV_DONTNEED));
    printf("private: \"%s\"\n", a);
}

static void ends_of_files(void)
{
    const int fd = open("end", O_RDWR | O_CREAT | O_TRUNC, 0600);
    char *p, *q;

    CHECK(write(fd, "0123456789", 10) == 10);
    p = mmap(NULL, 3 * PAGE, RW, MAP_SHARED, fd, 0);
    q = mmap(NULL, 3 * PAGE, RW, MAP_PRIVATE, fd, 0);
    printf("first page: %d %d, beyond: %d %d, private %d\n", touch(p + 100, 0), touch(p + 101, 1),
           touch(p + 2 * PAGE, 0), touch(p + 2 * PAGE, 1), touch(q + 2 * PAGE, 0));
    SHOW(write(fd, p + 2 * PAGE, 1));
    SHOW(pread(fd, p + 2 * PAGE, 1, 0));
    CHECK(ftruncate(fd, 3 * PAGE) == 0);
    printf("grown: %d %d\n", touch(p + 2 * PAGE, 1), touch(q + 2 * PAGE, 0));
    p[2 * PAGE + 5] = 'x';
    CHECK(ftruncate(fd, 10) == 0);
    printf("cut: %d %d %d\n", touch(p + 2 * PAGE, 0), touch(q + 2 * PAGE, 0), touch(p, 0));
    CHECK(ftruncate(fd, 3 * PAGE) == 0);
    printf("grown again: %d, %d\n", touch(p + 2 * PAGE, 0), p[2 * PAGE + 5]);
    close(fd);
    SHOW(munmap(p, 3 * PAGE));
    SHOW(munmap(q, 3 * PAGE));
}

/** Shared memory without a file: its parts stay one memory, however they are split and mapped. */
static void parts_of_one(void)
{
    char *const all = mmap(NULL, 4 * PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char *other, *more;

    CHECK(all != MAP_FAILED);
    strcpy(all + PAGE, "second");
    SHOW(mprotect(all + PAGE, PAGE, PROT_READ)); /* splits it */
    SHOW(munmap(all + 2 * PAGE, PAGE));
    other = mremap(all, 0, 4 * PAGE, MREMAP_MAYMOVE);
    CHECK(other != MAP_FAILED);
    strcpy(other, "first");
    strcpy(other + 2 * PAGE, "third"); /* unmapped where it came from */
    strcpy(all + 3 * PAGE, "fourth");
    printf("parts: %s %s %s %s\n", all, other + PAGE, other + 2 * PAGE, other + 3 * PAGE);
    more = mremap(all + 3 * PAGE, 0, 2 * PAGE, MREMAP_MAYMOVE);
    CHECK(more != MAP_FAILED);
    printf("a part: %s, behind the end: %d %d\n", more, touch(more + PAGE, 0),
           touch(more + PAGE, 1));
    CHECK(munmap(all, 4 * PAGE) == 0 && munmap(other, 4 * PAGE) == 0);
    printf("left: %s\n", more);
    SHOW(munmap(more, 2 * PAGE));
    other = mmap(NULL, PAGE, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    more = mremap(other, PAGE, 3 * PAGE, MREMAP_MAYMOVE);
    printf("grown: %d %d\n", touch(more, 1), touch(more + 2 * PAGE, 0));
    SHOW(munmap(more, 3 * PAGE));
}

static void kinds(void)
{
    const int rw = open("one", O_RDWR), ro = open("one", O_RDONLY), wo = open("one", O_WRONLY);
    const int name = open("one", O_PATH), zero = open("/dev/zero", O_RDWR);
    int ends[2];
    void *p;

    CHECK(pipe(ends) == 0);
    SHOW(mapped(RW, 0, rw, 0));
    SHOW(mapped(RW, MAP_ANONYMOUS, -1, 0));
    SHOW(mapped(RW, MAP_SHARED, rw, 0));
    SHOW(mapped(RW, MAP_PRIVATE, ro, 0));
    SHOW(mapped(RW, MAP_SHARED, ro, 0));
    SHOW(mapped(PROT_READ, MAP_SHARED, ro, 0));
    SHOW(mapped(PROT_READ, MAP_SHARED, wo, 0));
    SHOW(mapped(PROT_READ, MAP_PRIVATE, wo, 0));
    SHOW(mapped(RW, MAP_PRIVATE, -1, 0));
    SHOW(mapped(RW, MAP_PRIVATE, name, 0));
    SHOW(mapped(RW, MAP_PRIVATE, ends[0], 0));
    SHOW(mapped(RW, MAP_PRIVATE, rw, 1));
    SHOW(mapped(RW, MAP_PRIVATE, zero, 0));
    SHOW(munmap((void *)1, PAGE));
    SHOW(munmap((void *)PAGE, 0));
    p = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, ro, 0);
    SHOW(mprotect(p, PAGE, RW));
    SHOW(mprotect(p, PAGE, PROT_NONE));
    SHOW(mprotect(p, PAGE, PROT_READ));
    SHOW(msync(p, PAGE, MS_SYNC));
    SHOW(msync(p, PAGE, MS_SYNC | MS_ASYNC));
    SHOW(msync(p, PAGE, 99));
    SHOW(msync((char *)p + 1, PAGE, MS_SYNC));
    SHOW(madvise(p, PAGE, 5));
    SHOW(madvise((char *)p + 1, PAGE, MADV_NORMAL));
    SHOW(munmap(p, PAGE));
    SHOW(msync(p, PAGE, MS_SYNC));
    SHOW(mlock(p, PAGE));
    SHOW(munlock(p, PAGE));
    close(rw), close(ro), close(wo), close(name), close(zero), close(ends[0]), close(ends[1]);
}

static void many(void)
{
    static char *p[3000];
    int mapped_count = 0, right = 0;

    for (unsigned i = 0; i < COUNT(p); i++) { /* each mapping outlives its descriptor */
        const int fd = open("many", O_RDWR | O_CREAT, 0600);
        if (i == 0)
            CHECK(write(fd, "many", 4) == 4);
        p[i] = mmap(NULL, 4, PROT_READ, i & 1 ? MAP_SHARED : MAP_PRIVATE, fd, 0);
        mapped_count += p[i] != MAP_FAILED;
        close(fd);
    }
    for (unsigned i = 0; i < COUNT(p); i += 100)
        right += memcmp(p[i], "many", 4) == 0;
    printf("mapped %d, right %d\n", mapped_count, right);
}

static void heap(void)
{
    char *const before = sbrk(0);

    SHOW(syscall(SYS_brk, -1) == (long)before);
    SHOW(syscall(SYS_brk, 1) == (long)before);
    CHECK(sbrk(0) == before);
    char *p = malloc(100);
    strcpy(p, "still here");
    printf("%s\n", p);
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

    if (argc < 2 || chdir(argv[1]) != 0)
        return 100;
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    one_memory();
    ends_of_files();
    parts_of_one();
    kinds();
    many();
    heap();
    return guest_result();
}
