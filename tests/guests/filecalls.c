/*
 * File calls beside the common ones, in the directory named by the first argument: what they do,
 * and what each says of wrong arguments.
 */
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utime.h>

static int make(const char *name, const char *text)
{
    const int fd = open(name, O_RDWR | O_CREAT | O_TRUNC, 0644);

    CHECK(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    return fd;
}

static void content(const char *name)
{
    char text[200];
    const int fd = open(name, O_RDONLY);
    const ssize_t n = read(fd, text, sizeof text);

    printf("%s:", name);
    for (ssize_t i = 0; i < n; i++)
        printf(text[i] >= ' ' ? "%c" : "\\%d", text[i]);
    printf(" (%ld)\n", (long)n);
    close(fd);
}

static void vectors(void)
{
    char one[4] = "", two[8] = "";
    const struct iovec out[2] = {{"abc", 3}, {"defgh", 5}}, in[2] = {{one, 3}, {two, 5}};
    int fd = make("v", "0123456789"), ends[2];

    CHECK(pipe(ends) == 0);
    SHOW(pwritev(fd, out, 2, 1));
    SHOW(lseek(fd, 0, SEEK_CUR));
    SHOW(preadv(fd, in, 2, 2));
    printf("%s %s\n", one, two);
    SHOW(preadv(fd, in, 2, -1));
    SHOW(preadv(fd, in, OPAQUE(2000), 0));
    SHOW(preadv(fd, in, 2, 100));
    SHOW(preadv(ends[0], in, 2, 0));
    SHOW(pwritev(ends[1], out, 2, 0));
    SHOW(readv(fd, in, OPAQUE(-1)));
    SHOW(pread(fd, one, 2, -1));
    SHOW(pwrite(ends[1], "x", 1, 0));
    close(fd);
    SHOW(preadv(fd, in, 2, 0));
    fd = open("v", O_WRONLY | O_APPEND);
    SHOW(preadv(fd, in, 2, 0));
    SHOW(pwrite(fd, "end", 3, 0));
    SHOW(lseek(fd, 0, SEEK_CUR));
    SHOW(write(fd, "!", 1));
    SHOW(lseek(fd, 0, SEEK_CUR));
    SHOW(fcntl(fd, F_SETFL, 0));
    SHOW(pwrite(fd, "BEGIN", 5, 0));
    SHOW(fcntl(fd, F_SETFL, O_APPEND));
    SHOW(write(fd, "?", 1));
    content("v");
    close(fd), close(ends[0]), close(ends[1]);
}

/** A vector and a pipe: who has some bytes does not wait for more, and what is small is written
 * whole or not at all. */
static void pieces(void)
{
    static char most[65536 - 96];
    char one[5], two[5], three[50], four[150];
    const struct iovec in[2] = {{one, 5}, {two, 5}}, large[2] = {{three, 50}, {four, 150}};
    const struct iovec small[2] = {{three, 50}, {four, 46}}, none[1] = {{one, 0}};
    int ends[2], counter = eventfd(1, EFD_NONBLOCK), full = open("/dev/full", O_WRONLY);

    CHECK(pipe(ends) == 0);
    SHOW(readv(counter, none, 1));
    SHOW(writev(full, none, 1));
    SHOW(write(ends[1], "12345", 5));
    SHOW(readv(ends[0], in, 2));
    SHOW(write(ends[1], "1234567", 7));
    SHOW(readv(ends[0], in, 2));
    SHOW(writev(ends[1], in, 2));
    SHOW(readv(ends[0], in, 2));
    SHOW(writev(ends[0], none, 1));
    SHOW(readv(ends[1], none, 1));
    CHECK(fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
    SHOW(write(ends[1], most, sizeof most));
    SHOW(writev(ends[1], large, 2));
    SHOW(writev(ends[1], small, 2));
    close(ends[0]), close(ends[1]), close(counter), close(full);
}

static void sizes(void)
{
    struct stat st;
    int fd = make("s", "0123456789"), ends[2];

    CHECK(pipe(ends) == 0);
    SHOW(fallocate(fd, 0, 5, 20));
    fstat(fd, &st);
    printf("size %ld\n", (long)st.st_size);
    SHOW(fallocate(fd, 0, -1, 20));
    SHOW(fallocate(fd, 0, 0, 0));
    SHOW(fallocate(ends[1], 0, 0, 1));
    SHOW(ftruncate(fd, -1));
    SHOW(ftruncate(ends[0], 0));
    SHOW(truncate("s", -1));
    SHOW(truncate("gone", 0));
    SHOW(truncate(".", 0));
    SHOW(truncate("s", 4));
    content("s");
    SHOW(lseek(fd, 0, SEEK_DATA));
    SHOW(lseek(fd, 0, SEEK_HOLE));
    SHOW(lseek(fd, 4, SEEK_DATA));
    SHOW(lseek(fd, -1, SEEK_SET));
    SHOW(lseek(fd, 0, 99));
    SHOW(lseek(ends[0], 0, SEEK_SET));
    close(fd);
    fd = open("s", O_RDONLY);
    SHOW(ftruncate(fd, 0));
    SHOW(fallocate(fd, 0, 0, 10));
    SHOW(write(fd, "x", 1));
    SHOW(posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL));
    SHOW(posix_fadvise(fd, 0, 0, 77));
    SHOW(posix_fadvise(ends[0], 0, 0, POSIX_FADV_NORMAL));
    SHOW(readahead(fd, 0, 10));
    SHOW(sync_file_range(fd, 0, 10, SYNC_FILE_RANGE_WRITE));
    SHOW(syncfs(fd));
    SHOW(fsync(fd));
    SHOW(fsync(ends[0]));
    SHOW(syncfs(-1));
    close(fd), close(ends[0]), close(ends[1]);
    SHOW(open("s", O_RDONLY | O_CREAT | O_EXCL, 0600));
    SHOW(open("s/", O_RDONLY));
    SHOW(open("s", O_RDONLY | O_DIRECTORY));
    SHOW(open("new/", O_RDWR | O_CREAT, 0600));
    SHOW(open(".", O_RDWR));
    SHOW(open("", O_RDONLY));
    SHOW(open(".", O_RDWR | O_CREAT, 0600));
}

static void between_files(void)
{
    const int from = make("from", "one two three four"), to = make("to", "");
    int ends[2];
    char text[32] = "";
    off_t at = 4;
    loff_t in = 4, out = 2;

    CHECK(pipe(ends) == 0);
    SHOW(sendfile(to, from, &at, 3));
    printf("at %ld\n", (long)at);
    SHOW(lseek(from, 8, SEEK_SET));
    SHOW(sendfile(ends[1], from, NULL, 100));
    SHOW(read(ends[0], text, sizeof text));
    printf("%s\n", text);
    SHOW(sendfile(to, ends[0], NULL, 1));
    SHOW(sendfile(to, -1, NULL, 1));
    SHOW(sendfile(-1, from, NULL, 1));
    SHOW(copy_file_range(from, &in, to, &out, 9, 0));
    printf("in %ld out %ld\n", (long)in, (long)out);
    SHOW(copy_file_range(from, NULL, to, NULL, 9, 1));
    SHOW(copy_file_range(ends[0], NULL, to, NULL, 9, 0));
    SHOW(copy_file_range(-1, NULL, to, NULL, 9, 0));
    content("to");
    close(from), close(to), close(ends[0]), close(ends[1]);
}

static void names(void)
{
    struct stat st;
    char text[64];

    umask(0);
    SHOW(mkdir("all", 0777));
    stat("all", &st);
    printf("mode %o\n", st.st_mode & 07777);
    close(open("open", O_RDWR | O_CREAT, 0666));
    stat("open", &st);
    printf("mode %o\n", st.st_mode & 07777);
    umask(027);
    SHOW(mknod("node", S_IFREG | 0666, 0));
    SHOW(mkfifo("fifo", 0666));
    stat("fifo", &st);
    printf("mode %o\n", st.st_mode & 07777);
    SHOW(mkfifo("fifo", 0666));
    SHOW(mknod("bad", S_IFDIR | 0600, 0));
    SHOW(mkdir("all", 0777));
    SHOW(mkdir("all/", 0777));
    SHOW(mkdir("gone/new", 0777));
    SHOW(rmdir("."));
    SHOW(rmdir("all/."));
    SHOW(rmdir("all/.."));
    SHOW(rmdir("node"));
    SHOW(unlink("all"));
    SHOW(unlink("gone"));
    SHOW(unlink("node/"));
    SHOW(rename("node", "all"));
    SHOW(rename("all", "node"));
    SHOW(rename("all", "all/in"));
    SHOW(rename("node", "other/"));
    SHOW(rename(".", "other"));
    SHOW(rename("gone", "other"));
    SHOW(link("all", "other"));
    SHOW(link("gone", "other"));
    SHOW(link("node", "all"));
    SHOW(link("node", "second"));
    stat("node", &st);
    printf("links %d\n", (int)st.st_nlink);
    SHOW(symlink("", "empty"));
    SHOW(symlink("node", "node"));
    SHOW(symlink("node", "sym"));
    SHOW(readlink("node", text, sizeof text));
    SHOW(readlink("sym", text, 2));
    SHOW(readlink("sym", text, 0));
    SHOW(open("sym", O_RDONLY | O_NOFOLLOW));
    SHOW(lstat("sym/", &st));
    SHOW(access("sym", 9));
    SHOW(access("gone", F_OK));
    SHOW(faccessat(AT_FDCWD, "node", R_OK, 0));
    SHOW(chdir("node"));
    SHOW(openat(99, "x", O_RDONLY));
    SHOW(openat(99, "/gone", O_RDONLY));
    SHOW(unlinkat(AT_FDCWD, "all", AT_REMOVEDIR));
    SHOW(unlinkat(AT_FDCWD, "all", 77));
    SHOW(renameat2(AT_FDCWD, "node", AT_FDCWD, "second", RENAME_NOREPLACE));
    SHOW(renameat2(AT_FDCWD, "node", AT_FDCWD, "sym", RENAME_EXCHANGE));
    lstat("node", &st);
    printf("exchanged %d\n", S_ISLNK(st.st_mode));
    SHOW(chmod("second", 04755));
    stat("second", &st);
    printf("mode %o\n", st.st_mode & 07777);
}

static void *opens(void *arg)
{
    const int fd = open("fifo", O_WRONLY);

    CHECK(fd >= 0 && write(fd, "by name", 7) == 7);
    close(fd);
    return arg;
}

static void *waits(void *arg)
{
    *(int *)arg = open("fifo", O_RDONLY);
    return NULL;
}

/** Who waits in open has its descriptor already: the partner gets the next one. */
static void promised(void)
{
    pthread_t thread;
    int fd = -1, other;

    pthread_create(&thread, NULL, waits, &fd);
    do
        usleep(1000);
    while ((other = open("fifo", O_WRONLY | O_NONBLOCK)) < 0);
    pthread_join(thread, NULL);
    CHECK(fd >= 0 && other == fd + 1);
    close(fd), close(other);
}

static void fifos(void)
{
    pthread_t thread;
    char text[32] = "";
    int fd, other;

    SHOW(open("fifo", O_WRONLY | O_NONBLOCK));
    fd = open("fifo", O_RDONLY | O_NONBLOCK);
    CHECK(fd >= 0);
    SHOW(read(fd, text, sizeof text));
    other = open("fifo", O_WRONLY | O_NONBLOCK);
    CHECK(other >= 0);
    SHOW(read(fd, text, sizeof text));
    close(fd), close(other);
    pthread_create(&thread, NULL, opens, NULL);
    fd = open("fifo", O_RDONLY);
    SHOW(read(fd, text, sizeof text));
    SHOW(read(fd, text + 10, sizeof text - 10));
    printf("%s\n", text);
    pthread_join(thread, NULL);
    close(fd);
    fd = open("fifo", O_RDWR);
    SHOW(write(fd, "self", 4));
    SHOW(read(fd, text, sizeof text));
    SHOW(lseek(fd, 0, SEEK_SET));
    close(fd);
    fd = open("fifo", O_RDONLY | O_NONBLOCK);
    close(open("fifo", O_WRONLY));
    other = open("fifo", O_RDONLY | O_NONBLOCK); /* no writer of its has gone */
    SHOW(poll(&(struct pollfd){fd, POLLIN, 0}, 1, 0));
    SHOW(poll(&(struct pollfd){other, POLLIN, 0}, 1, 0));
    close(open("fifo", O_WRONLY));
    SHOW(poll(&(struct pollfd){other, POLLIN, 0}, 1, 0));
    close(fd), close(other);
    promised();
}

static void dates(void)
{
    const struct timespec both[2] = {{1000, 5}, {2000, 6}}, one[2] = {{0, UTIME_OMIT}, {3000, 7}};
    const struct timespec wrong[2] = {{0, 1000000000}, {0, 0}};
    const struct timeval micro[2] = {{10, 20}, {30, 40}}, bad[2] = {{0, 1000000}, {0, 0}};
    struct stat st, now;
    int fd = make("dated", "x");

    SHOW(utimensat(AT_FDCWD, "dated", both, 0));
    stat("dated", &st);
    printf("%ld.%ld %ld.%ld\n", (long)st.st_atim.tv_sec, st.st_atim.tv_nsec,
           (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    SHOW(futimens(fd, one));
    stat("dated", &st);
    printf("%ld %ld.%ld\n", (long)st.st_atim.tv_sec, (long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
    SHOW(utimensat(AT_FDCWD, "dated", wrong, 0));
    SHOW(utimensat(AT_FDCWD, "gone", both, 0));
    SHOW(utimes("dated", micro));
    stat("dated", &st);
    printf("%ld %ld\n", (long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec);
    SHOW(utimes("dated", bad));
    SHOW(write(fd, "y", 1));
    fstat(fd, &now);
    CHECK(now.st_mtim.tv_sec > 30 && now.st_mtim.tv_sec >= now.st_atim.tv_sec);
    st = now;
    usleep(20000);
    SHOW(write(fd, "y", 1));
    fstat(fd, &now);
    CHECK(now.st_mtim.tv_sec > st.st_mtim.tv_sec || now.st_mtim.tv_nsec > st.st_mtim.tv_nsec);
    close(fd);
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
    int a = make("locked", "0123456789"), b = open("locked", O_RDWR), r = open("locked", O_RDONLY);

    lock("own", a, F_SETLK, F_WRLCK, 0, 4);
    lock("own again", b, F_SETLK, F_WRLCK, 2, 4);
    lock("ask own", b, F_GETLK, F_WRLCK, 0, 10);
    lock("read only", r, F_SETLK, F_WRLCK, 0, 1);
    lock("wrong", a, F_SETLK, 9, 0, 1);
    SHOW(flock(a, LOCK_EX));
    SHOW(flock(b, LOCK_SH | LOCK_NB));
    SHOW(flock(a, LOCK_SH));
    SHOW(flock(b, LOCK_SH | LOCK_NB));
    SHOW(flock(a, LOCK_EX | LOCK_NB));
    SHOW(flock(b, LOCK_UN));
    SHOW(flock(a, LOCK_EX | LOCK_NB));
    SHOW(flock(a, 0));
    SHOW(flock(a, LOCK_SH));
    SHOW(flock(b, LOCK_SH));
    SHOW(flock(a, LOCK_EX | LOCK_NB)); /* it no longer has what it had */
    SHOW(flock(b, LOCK_EX | LOCK_NB));
    SHOW(flock(a, LOCK_SH | LOCK_NB));
    close(a), close(b), close(r);
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0)
        return 100;
    umask(022);
    vectors();
    pieces();
    sizes();
    between_files();
    names();
    fifos();
    dates();
    locks();
    return guest_result();
}
