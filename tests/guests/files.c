/*
 * Files in the directory named by the first argument: create, write, seek, stat, rename, list.
 * (qemu-user cannot list a directory of a 64-bit host for an o32 program, hence files.expect.)
 */
#include "guest.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static void descriptors(void)
{
    char text[32] = "";
    struct stat st;
    int fd = open("a", O_RDWR | O_CREAT | O_EXCL, 0644);

    CHECK(fd >= 0);
    CHECK(write(fd, "hello, file\n", 12) == 12);
    CHECK(lseek(fd, 7, SEEK_SET) == 7);
    CHECK(read(fd, text, sizeof text) == 5);
    CHECK(strcmp(text, "file\n") == 0);
    CHECK(pwrite(fd, "J", 1, 0) == 1 && pread(fd, text, 5, 0) == 5);
    printf("%.5s\n", text);
    CHECK(lseek(fd, 0, SEEK_CUR) == 12);
    CHECK(lseek(fd, 100, SEEK_END) == 112);
    CHECK(write(fd, "!", 1) == 1);
    CHECK(fstat(fd, &st) == 0);
    printf("size %lld regular %d mode %o links %d\n", (long long)st.st_size, S_ISREG(st.st_mode),
           st.st_mode & 0777, (int)st.st_nlink);
    CHECK(ftruncate(fd, 3) == 0 && fstat(fd, &st) == 0 && st.st_size == 3);
    CHECK(close(fd) == 0);
    errno = 0;
    CHECK(close(fd) == -1 && errno == EBADF);
    CHECK(open("a", O_RDWR | O_CREAT | O_EXCL, 0644) == -1 && errno == EEXIST);
    CHECK(open("none", O_RDONLY) == -1 && errno == ENOENT);
}

static void vectors(void)
{
    char one[4] = "", two[8] = "";
    struct iovec out[2] = {{"abc", 3}, {"defgh", 5}}, in[2] = {{one, 3}, {two, 5}};
    int fd = open("v", O_RDWR | O_CREAT | O_TRUNC, 0600), copy;

    CHECK(writev(fd, out, 2) == 8);
    copy = dup(fd);
    CHECK(lseek(copy, 0, SEEK_SET) == 0);
    CHECK(readv(fd, in, 2) == 8);
    printf("%s %s, append %d\n", one, two, (fcntl(fd, F_GETFL) & O_APPEND) != 0);
    close(copy);
    close(fd);
}

static void streams(void)
{
    char line[64];
    FILE *f = fopen("b", "w+");

    for (int i = 0; i < 1000; i++)
        fprintf(f, "line %d\n", i);
    CHECK(ftell(f) == 8890);
    CHECK(fseek(f, -9, SEEK_END) == 0);
    CHECK(fgets(line, sizeof line, f) != NULL);
    printf("%s", line);
    rewind(f);
    CHECK(fscanf(f, "line %*d line %15s", line) == 1);
    printf("%s\n", line);
    fclose(f);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void directories(void)
{
    struct dirent **names;
    struct stat st;
    char here[512];

    CHECK(mkdir("sub", 0755) == 0);
    CHECK(rename("a", "sub/c") == 0);
    CHECK(access("a", F_OK) == -1 && access("sub/c", R_OK) == 0);
    CHECK(symlink("b", "link") == 0 && lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
    CHECK(readlink("link", here, sizeof here) == 1 && here[0] == 'b');
    CHECK(stat("sub", &st) == 0 && S_ISDIR(st.st_mode));
    int n = scandir(".", &names, NULL, by_name);
    for (int i = 0; i < n; i++)
        printf("%s\n", names[i]->d_name);
    CHECK(rmdir("sub") == -1 && errno == ENOTEMPTY);
    CHECK(unlink("sub/c") == 0 && rmdir("sub") == 0);
    CHECK(unlink("b") == 0 && unlink("v") == 0 && unlink("link") == 0);
    CHECK(getcwd(here, sizeof here) != NULL);
}

int main(int argc, char **argv)
{
    if (argc < 2 || chdir(argv[1]) != 0) {
        fprintf(stderr, "usage: files EMPTY-DIRECTORY\n");
        return 100;
    }
    umask(022);
    descriptors();
    vectors();
    streams();
    directories();
    return guest_result();
}
