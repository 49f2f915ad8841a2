/*
 * The log of the host (programs/host.h): a copy of the process gets the same answers once more, and
 * nothing happens to the host.
 *
 * `deed` makes every call of host.def at least once, also ones that fail, and sums up what it
 * hears. The log's ring is much shorter than all of it.
 */
#include "programs/host.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xxhash.h>

enum { ROOM = 8192, AT_END = 7, DIFFERS = EXIT_FAILURE };

struct heard {
    uint64_t sum;
};

static void hear(struct heard *h, const void *bytes, size_t count)
{
    h->sum = XXH3_64bits_withSeed(bytes, count, h->sum ^ (uint64_t)errno);
}

/** @return r */
static int64_t result(struct heard *h, int64_t r)
{
    if (r >= 0)
        errno = 0;
    hear(h, &r, sizeof r);
    return r;
}

static void deed_files(struct heard *h, int dir)
{
    struct timespec ts[2] = {{.tv_sec = 5}, {.tv_sec = 6}};
    char bytes[64] = "", text[PATH_MAX] = "";
    struct stat st = {0};
    struct statfs fs = {0};
    const int fd = (int)result(h, prog_host_openat(dir, "a", O_RDWR | O_CREAT, 0600));

    result(h, prog_host_openat(dir, "none", O_RDONLY, 0));
    result(h, prog_host_pwrite(fd, "one two", 7, 0));
    result(h, prog_host_write(fd, "O", 1));
    result(h, prog_host_read(fd, bytes, 2));
    hear(h, bytes, sizeof bytes);
    result(h, prog_host_pread(fd, bytes, sizeof bytes, 1));
    hear(h, bytes, sizeof bytes);
    result(h, prog_host_ftruncate(fd, 3));
    result(h, prog_host_fchmod(fd, 0644));
    result(h, prog_host_fstat(fd, &st));
    hear(h, &st, sizeof st);
    result(h, prog_host_fstatfs(fd, &fs));
    hear(h, &fs.f_type, sizeof fs.f_type);
    result(h, prog_host_utimensat(dir, "a", ts, 0));
    result(h, prog_host_fstatat(dir, "a", &st, 0));
    hear(h, &st, sizeof st);
    result(h, prog_host_fstat(-1, &st));
    prog_host_close((int)result(h, prog_host_copy(fd)));
    prog_host_close(fd);
    prog_host_close((int)result(h, prog_host_memfd_create("m", 0)));
    prog_host_close((int)result(h, prog_host_step(dir, "a")));
    result(h, prog_host_step(dir, "none"));
    result(h, prog_host_sees("/..", text));
    hear(h, text, sizeof text);
    result(h, prog_host_sees("/none", text));
    prog_host_close((int)result(h, prog_host_open("/dev/null", O_RDONLY, 0)));
}

static void deed_names(struct heard *h, int dir, const char *path)
{
    char text[64] = "", *name;
    struct dirent **list = NULL;

    result(h, prog_host_mkdirat(dir, "d", 0700));
    result(h, prog_host_symlinkat("a", dir, "l"));
    result(h, prog_host_readlinkat(dir, "l", text, sizeof text));
    hear(h, text, sizeof text);
    result(h, prog_host_mkfifoat(dir, "f", 0600));
    result(h, prog_host_linkat(dir, "a", dir, "b", 0));
    result(h, prog_host_renameat2(dir, "b", dir, "c", 0));
    result(h, prog_host_faccessat(dir, "c", F_OK, 0));
    result(h, prog_host_faccessat(dir, "b", F_OK, 0));
    const int count = (int)result(h, prog_host_list(dir, &list));
    for (int i = 0; i < count; i++) {
        hear(h, list[i]->d_name, strlen(list[i]->d_name));
        hear(h, &list[i]->d_ino, sizeof list[i]->d_ino);
        free(list[i]);
    }
    free(list);
    result(h, prog_host_list(-1, &list));
    result(h, prog_host_unlinkat(dir, "d", AT_REMOVEDIR));
    result(h, prog_host_unlinkat(dir, "l", 0));
    result(h, prog_host_unlinkat(dir, "f", 0));
    cr_assert(asprintf(&name, "%s/c", path) > 0);
    result(h, prog_host_chmod(name, 0640));
    result(h, prog_host_unlink(name));
    result(h, prog_host_unlink(name));
    free(name);
}

static uint64_t deed(int dir, const char *path)
{
    struct heard h = {0};

    deed_files(&h, dir);
    deed_names(&h, dir, path);
    return h.sum;
}

static void at_end(void *ctx)
{
    (void)ctx;
    _exit(AT_END);
}

/** Replays in a copy that waits at `gate` first. @return its number */
static pid_t copy(int gate[2], int dir, const char *path, const uint64_t *expected, bool other)
{
    char byte;
    const pid_t child = fork();

    if (child)
        return child;
    close(gate[1]);
    if (read(gate[0], &byte, 1) != 0)
        _exit(2);
    prog_host_log_replay(at_end, NULL);
    if (!prog_host_past())
        _exit(3);
    if (other)
        prog_host_unlinkat(dir, "a", 0);
    else if (deed(dir, path) != *expected)
        _exit(4);
    prog_host_unlinkat(dir, "a", 0); /* which nobody has done yet */
    _exit(5);
}

static int status_of(pid_t child)
{
    int status = 0;

    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool is_there(int dir, const char *name)
{
    return faccessat(dir, name, F_OK, 0) == 0;
}

Test(host_log, copies_hear_the_same_and_do_nothing)
{
    char path[] = "/tmp/numachine-host-XXXXXX";
    uint64_t *expected =
        mmap(NULL, sizeof *expected, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int gate[2];

    cr_assert(mkdtemp(path) && pipe(gate) == 0);
    const int dir = open(path, O_RDONLY | O_DIRECTORY);
    cr_expect_eq(prog_host_log_at(), 0);
    prog_host_log_begin(ROOM);
    prog_host_close((int)prog_host_openat(dir, "before", O_RDWR | O_CREAT, 0600));
    const uint64_t begun = prog_host_log_at();
    const pid_t same = copy(gate, dir, path, expected, false),
                other = copy(gate, dir, path, expected, true);
    *expected = deed(dir, path);
    const uint64_t end = prog_host_log_at();
    cr_expect_gt(end, begun);
    cr_expect_eq(prog_host_log_forgotten(), 0);
    close(gate[1]);
    cr_expect_eq(status_of(same), AT_END);
    cr_expect_eq(status_of(other), DIFFERS);
    cr_expect_eq(prog_host_log_at(), end);
    cr_expect(is_there(dir, "a") && is_there(dir, "before") && !is_there(dir, "c"));
    cr_assert_eq(pipe(gate), 0);
    const pid_t late = copy(gate, dir, path, expected, false);
    while (prog_host_log_forgotten() <= end)
        deed(dir, path);
    close(gate[1]);
    cr_expect_eq(status_of(late), DIFFERS, "what it needs is forgotten");
    prog_host_log_end();
    cr_expect_eq(prog_host_log_at(), 0);
    unlinkat(dir, "a", 0);
    unlinkat(dir, "before", 0);
    close(dir);
    rmdir(path);
}
