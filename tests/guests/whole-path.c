/* The path that the link to the program says, /proc/self/exe, leads to the program, too. */
#include "guest.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void)
{
    struct stat link, by_link, by_path;
    char path[4096] = "", text[64], of_file[4096];
    int fd;

    path[readlink("/proc/self/exe", path, sizeof path - 1)] = '\0';
    CHECK(path[0] == '/' && access(path, R_OK | X_OK) == 0 && access(path, W_OK) < 0);
    CHECK(lstat("/proc/self/exe", &link) == 0 && S_ISLNK(link.st_mode));
    CHECK(stat("/proc/self/exe", &by_link) == 0 && lstat(path, &by_path) == 0);
    CHECK(S_ISREG(by_path.st_mode) && by_path.st_mode == by_link.st_mode);
    CHECK(by_path.st_dev == by_link.st_dev && by_path.st_ino == by_link.st_ino);
    CHECK(by_path.st_ino != link.st_ino && readlink(path, text, sizeof text) < 0);
    fd = open(path, O_RDONLY);
    CHECK(fd >= 0 && read(fd, text, 4) == 4 && !memcmp(text, "\177ELF", 4));
    CHECK(fstat(fd, &by_link) == 0 && by_path.st_ino == by_link.st_ino);
    snprintf(text, sizeof text, "/proc/self/fd/%d", fd);
    CHECK(readlink(text, of_file, sizeof of_file) == (ssize_t)strlen(path) &&
          !memcmp(of_file, path, strlen(path)));
    close(fd);
    CHECK(open("/proc/self/exe", O_RDONLY | O_NOFOLLOW) < 0 && errno == ELOOP);
    CHECK(open(path, O_RDONLY | O_DIRECTORY) < 0 && errno == ENOTDIR);
    CHECK(open(path, O_RDWR) < 0 && errno == ETXTBSY);
    puts("the program can be found");
    return guest_result();
}
