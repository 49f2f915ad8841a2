/*
 * File calls that qemu-user does not have or does otherwise, in the directory named by the first
 * argument. Expected is what Linux says to a user (filerest.expect).
 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

static void streams(void)
{
    struct stat st;

    SHOW(ftruncate(1, 0));
    SHOW(ftruncate(0, 0));
    SHOW(fchmod(1, 0600));
    SHOW(fchmod(2, 0666));
    SHOW(fchown(1, 1000, 1000));
    SHOW(futimens(1, NULL));
    SHOW(lseek(1, 0, SEEK_CUR));
    SHOW(fstat(1, &st));
    printf("a pipe: %d\n", S_ISFIFO(st.st_mode));
    SHOW(fallocate(1, 0, 0, 1));
    SHOW(posix_fadvise(1, 0, 0, 0));
    SHOW(write(open("/dev/stderr", O_WRONLY), "", 0));
    SHOW(open("/dev/stdout", O_RDONLY));
}

static void lock(const char *what, int fd, int command, int type, long start, long len)
{
    struct flock l = {.l_type = (short)type, .l_whence = SEEK_SET, .l_start = start, .l_len = len};
    const int r = fcntl(fd, command, &l);

    printf("%s: %s, %d", what, r < 0 ? strerror(errno) : "0", l.l_type);
    if (r == 0 && l.l_type != F_UNLCK && (command == F_GETLK || command == F_OFD_GETLK))
        printf(" %ld %ld %s", (long)l.l_start, (long)l.l_len, l.l_pid == -1 ? "file" : "process");
    printf("\n");
}

static void locks(void)
{
    const int a = open("locked", O_RDWR | O_CREAT, 0600), b = open("locked", O_RDWR);
    const int c = open("locked", O_RDWR);

    lock("file's", a, F_OFD_SETLK, F_WRLCK, 0, 4);
    lock("another file's", b, F_OFD_SETLK, F_WRLCK, 2, 4);
    lock("who", b, F_OFD_GETLK, F_WRLCK, 2, 4);
    lock("the process", b, F_SETLK, F_RDLCK, 2, 1);
    lock("who", b, F_GETLK, F_RDLCK, 2, 1);
    lock("beside", b, F_OFD_SETLK, F_WRLCK, 4, 4);
    lock("a hole", a, F_OFD_SETLK, F_UNLCK, 1, 2);
    lock("in it", b, F_OFD_SETLK, F_WRLCK, 1, 2);
    lock("who", c, F_OFD_GETLK, F_WRLCK, 0, 0);
    lock("process", b, F_SETLK, F_WRLCK, 100, 0);
    lock("who", c, F_OFD_GETLK, F_RDLCK, 99, 0);
    close(dup(c)); /* takes the process's locks along */
    lock("who", c, F_OFD_GETLK, F_RDLCK, 99, 0);
    close(b);
    lock("after its end", c, F_OFD_SETLK, F_WRLCK, 4, 4);
    close(a), close(c);
}

static void without_a_name(void)
{
    struct stat st;
    const int fd = memfd_create("memory", MFD_CLOEXEC), name = open(".", O_PATH);
    const int unnamed = open(".", O_RDWR | O_TMPFILE, 0640);
    char *p, text[8] = "";

    CHECK(fd >= 0 && name >= 0 && unnamed >= 0);
    SHOW(memfd_create("x", 0x100));
    SHOW(fcntl(fd, F_GETFD));
    SHOW(ftruncate(fd, 65536));
    p = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    strcpy(p + 5, "memory");
    SHOW(pread(fd, text, 6, 5));
    printf("%s\n", text);
    fstat(unnamed, &st);
    printf("unnamed: mode %o\n", st.st_mode & 07777);
    SHOW(write(unnamed, "text", 4));
    SHOW(open(".", O_RDONLY | O_TMPFILE, 0600));
    SHOW(read(name, text, 1));
    SHOW(fchmod(name, 0700));
    SHOW(fsync(name));
    SHOW(openat(name, "gone", O_RDONLY));
    SHOW(fstat(name, &st));
    SHOW(syscall(SYS_close_range, 500, 400, 0));
    SHOW(syscall(SYS_close_range, 400, 500, 8));
    SHOW(syscall(SYS_close_range, fd, ~0u, 4));
    SHOW(fcntl(name, F_GETFD));
    SHOW(syscall(SYS_close_range, 3, ~0u, 0));
    SHOW(close(fd));
    SHOW(close(name));
}

static void kept_in_memory(void)
{
    unsigned char seen[4] = "";
    char *p = mmap(NULL, 2 * 65536, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    munmap(p + 65536, 65536);
    SHOW(mlock(p, 65536));
    SHOW(mlock(p, 2 * 65536));
    SHOW(mlock2(p, 65536, 0));
    SHOW(mlock2(p, 65536, 7));
    SHOW(mlockall(0));
    SHOW(mlockall(MCL_CURRENT));
    SHOW(mlockall(99));
    SHOW(munlockall());
    SHOW(mincore(p, getpagesize(), seen));
    printf("%d\n", seen[0]);
    SHOW(mincore(p + 1, getpagesize(), seen));
    SHOW(mincore(p + 65536, getpagesize(), seen));
}

static void file_systems(void)
{
    static const char *const names[] = {".", "/tmp", "/dev/shm", "/proc", "/proc/cpuinfo", "/gone"};
    struct statfs fs;

    for (size_t i = 0; i < COUNT(names); i++) {
        const int r = statfs(names[i], &fs);
        printf("%s: %s", names[i], r ? strerror(errno) : "");
        if (r == 0)
            printf("type %lx, %ld blocks of %ld, names of %ld", (long)fs.f_type, (long)fs.f_blocks,
                   (long)fs.f_bsize, (long)fs.f_namelen);
        printf("\n");
    }
    SHOW(fstatfs(1, &fs));
    SHOW(fstatfs(99, &fs));
}

/** Everybody is a user here, whoever started the simulator. */
static void rights(void)
{
    struct stat st, old;
    int fd = open("closed", O_RDWR | O_CREAT, 0000);

    SHOW(write(fd, "x", 1));
    close(fd);
    SHOW(open("closed", O_RDONLY));
    SHOW(access("closed", R_OK));
    SHOW(access("closed", F_OK));
    SHOW(truncate("closed", 0));
    stat("closed", &st);
    printf("%d:%d %o\n", (int)st.st_uid, (int)st.st_gid, st.st_mode & 07777);
    SHOW(mkdir("shut", 0500));
    SHOW(open("shut/new", O_RDWR | O_CREAT, 0600));
    SHOW(chmod("shut", 0300));
    SHOW(open("shut", O_RDONLY));
    SHOW(open("shut/new", O_RDWR | O_CREAT, 0600) >= 0);
    SHOW(chmod("shut", 0600));
    SHOW(open("shut/new", O_RDONLY));
    SHOW(chown("closed", 0, 0));
    SHOW(chmod("shut", 0700));
    /* What was there before has the machine's first date. */
    stat(".", &old);
    stat("/home", &st);
    printf("date %ld\n", (long)st.st_mtim.tv_sec);
    CHECK(old.st_mtim.tv_sec >= st.st_mtim.tv_sec && old.st_mtim.tv_sec < st.st_mtim.tv_sec + 10);
}

/** Memory that ends within what is read and written: as much as there is. */
static void edges(void)
{
    const long page = sysconf(_SC_PAGESIZE);
    char *at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int fd = open("edge", O_RDWR | O_CREAT | O_TRUNC, 0600);

    CHECK(at != MAP_FAILED && munmap(at + page, page) == 0);
    SHOW(ftruncate(fd, 200));
    SHOW(pread(fd, at + page - 96, 200, 0));
    SHOW(pwrite(fd, at + page - 96, 200, 0));
    SHOW(pread(fd, at + page, 200, 0));
    SHOW(pwrite(fd, at + page, 200, 0));
    close(fd);
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0)
        return 100;
    umask(022);
    streams();
    locks();
    without_a_name();
    kept_in_memory();
    file_systems();
    rights();
    edges();
    return guest_result();
}
