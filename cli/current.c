/*
 * Whether what `./numachine` has built is still what it would build. The command asks before each
 * run, so this is a program of its own with nothing to load.
 *
 * Times of status changes tell: nobody can set them back, and a folder has one when its entries
 * change.
 *
 *     current ROOT FILE-BEGAN FILE-ENDED
 *
 * All names are from ROOT on. FILE-BEGAN, made before set-up looked at anything, names what the
 * build reads and what was built, each name with a 0 behind it: folders, and files beside them.
 * FILE-ENDED was made after everything had been written. What lies in FILE-BEGAN's own folder was
 * built. Status 0: nothing that the build reads has changed since it began, nor what was built
 * since it ended.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

static bool current_look(int folder, const char *name, const struct timespec *since);

/** @param fd  a folder's; closed at the end */
static bool current_look_into(int fd, const struct timespec *since)
{
    DIR *folder = fdopendir(fd);
    const struct dirent *entry;
    bool same = folder != NULL;

    if (!folder)
        close(fd);
    while (same && (entry = readdir(folder)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            same = current_look(fd, entry->d_name, since);
    if (folder)
        closedir(folder);
    return same;
}

/** @return whether it is there, and it and all that is in it have not changed since then */
static bool current_look(int folder, const char *name, const struct timespec *since)
{
    struct stat st;
    int fd;

    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || later(&st.st_ctim, since))
        return false;
    if (!S_ISDIR(st.st_mode))
        return true;
    fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 && current_look_into(fd, since);
}

/** The whole file with a 0 behind it; malloc'd. NULL: it cannot be read, or is empty. */
static char *current_read_all(const char *path, size_t *size)
{
    FILE *in = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    ssize_t length = in ? getdelim(&text, &room, EOF, in) : -1;

    if (in)
        fclose(in);
    *size = length > 0 ? (size_t)length : 0;
    if (length > 0)
        return text;
    free(text);
    return NULL;
}

int main(int argc, char **argv)
{
    struct stat began, ended;
    size_t size, folder;
    bool same;
    char *names;

    if (argc != 4 || chdir(argv[1]) != 0 || stat(argv[2], &began) != 0 ||
        stat(argv[3], &ended) != 0)
        return EXIT_FAILURE;
    names = current_read_all(argv[2], &size);
    folder = strrchr(argv[2], '/') ? (size_t)(strrchr(argv[2], '/') + 1 - argv[2]) : 0;
    same = names != NULL;
    for (const char *name = names; same && name < names + size; name += strlen(name) + 1) {
        const bool built = folder && strncmp(name, argv[2], folder) == 0;
        same = current_look(AT_FDCWD, name, built ? &ended.st_ctim : &began.st_ctim);
    }
    free(names);
    return same ? EXIT_SUCCESS : EXIT_FAILURE;
}
