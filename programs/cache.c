/*
 * Executables kept.
 *
 * The one hard idea: nobody is trusted to have finished, neither another process nor a disk. An
 * entry is written beside its place and then renamed, so who opens it has all of one or all of
 * another; and it begins with the hash of its other bytes, so what was cut off or changed is no
 * entry, and the source is built as if there were none.
 *
 *     numachine guest 1 HASH-OF-ALL-BELOW
 *     LENGTH-OF-LOG NUMBER-OF-FILES
 *     HASH-OF-FILE PATH                      as many lines as files
 *     the log, then the executable
 */
#include "programs/cache.h"

#include "base/alloc.h"
#include "programs/whole.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "numachine guest 1 ";

enum { DIGITS = sizeof((struct prog_key *)0)->text - 1 };

static char *entry_path(const struct prog_cache *cache, const struct prog_key *key)
{
    return sim_format("%s/%s", cache->directory, key->text);
}

/* ---- taking ---------------------------------------------------------------------------------- */

/** An entry being read. The line at `at` is cut off with a 0. */
struct reader {
    char *at;
    const char *end;
};

/** @return the next line, without its newline; NULL: there is none */
static char *next_line(struct reader *r)
{
    char *line = r->at, *newline = memchr(line, '\n', (size_t)(r->end - line));
    if (!newline)
        return NULL;
    *newline = '\0';
    r->at = newline + 1;
    return line;
}

/** Whether the entry begins as it should, and its hash is that of its bytes. */
static bool whole_entry(struct reader *r)
{
    struct prog_key found;
    const char *line = next_line(r);
    const size_t length = sizeof magic - 1;
    if (!line || strlen(line) != length + DIGITS || memcmp(line, magic, length) != 0)
        return false;
    prog_key_of_bytes(r->at, (size_t)(r->end - r->at), &found);
    return !strcmp(line + length, found.text);
}

/** Whether a file is as a line says. */
static bool unchanged(const char *line)
{
    struct prog_key now;
    return line && strlen(line) > DIGITS + 1 && prog_key_of_file(line + DIGITS + 1, &now) &&
           !memcmp(line, now.text, DIGITS);
}

/** Goes to the log. @return its length; a negative number: the entry is of no use */
static long to_log(struct reader *r)
{
    unsigned long log, files;
    bool good = whole_entry(r);
    const char *line = good ? next_line(r) : NULL;
    good = line && sscanf(line, "%lu %lu", &log, &files) == 2;
    for (unsigned long i = 0; good && i < files; i++)
        good = unchanged(next_line(r));
    return good && log <= (unsigned long)(r->end - r->at) ? (long)log : -1;
}

/** Writes all of it. @return false when that failed */
static bool write_all(int fd, const char *bytes, size_t count)
{
    for (ssize_t n; count; bytes += n, count -= (size_t)n) {
        n = write(fd, bytes, count);
        if (n < 0 && errno == EINTR)
            n = 0;
        else if (n <= 0)
            return false;
    }
    return true;
}

/** A file that can be executed. */
static bool write_program(const char *path, const char *bytes, size_t count)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0777);
    bool good = fd >= 0 && write_all(fd, bytes, count);
    if (fd >= 0)
        good &= close(fd) == 0;
    return good;
}

bool prog_cache_take(const struct prog_cache *cache, const struct prog_key *key, const char *to,
                     char **log)
{
    struct prog_whole whole;
    char *path = entry_path(cache, key);
    *log = NULL;
    if (prog_whole_read(path, &whole)) {
        struct reader r = {whole.bytes, whole.bytes + whole.count};
        const long length = to_log(&r);
        if (length >= 0 && write_program(to, r.at + length, (size_t)(r.end - r.at - length))) {
            *log = sim_strndup(r.at, (size_t)length);
            utimensat(AT_FDCWD, path, NULL, 0); /* used now */
        }
        free(whole.bytes);
    }
    free(path);
    return *log;
}

/* ---- putting --------------------------------------------------------------------------------- */

/** Makes a directory and those above it. */
static void make_directory(const char *path)
{
    char *above = sim_strdup(path);
    for (char *slash = above; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        mkdir(above, 0700);
        *slash = '/';
    }
    mkdir(above, 0700);
    free(above);
}

/** An entry without its first line; NULL: a file cannot be read. Allocated. */
static char *entry_of(const struct prog_whole *program, const char *log, char *const *files,
                      size_t *count)
{
    char *bytes = NULL;
    FILE *out = open_memstream(&bytes, count);
    size_t n = 0;
    bool good = out;
    if (!out)
        sim_no_memory();
    while (files[n])
        n++;
    fprintf(out, "%zu %zu\n", strlen(log), n);
    for (size_t i = 0; good && i < n; i++) {
        struct prog_key key;
        good = !strchr(files[i], '\n') && prog_key_of_file(files[i], &key);
        if (good)
            fprintf(out, "%s %s\n", key.text, files[i]);
    }
    fputs(log, out);
    fwrite(program->bytes, 1, program->count, out);
    good = !fclose(out) && good;
    if (!good) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

/** Writes an entry beside its place, and puts it there. */
static void write_entry(const char *path, const char *bytes, size_t count)
{
    struct prog_key hash;
    char *beside = sim_format("%s.XXXXXX", path);
    const int fd = mkostemp(beside, O_CLOEXEC);
    if (fd >= 0) {
        prog_key_of_bytes(bytes, count, &hash);
        char *first = sim_format("%s%s\n", magic, hash.text);
        bool good = write_all(fd, first, strlen(first)) && write_all(fd, bytes, count);
        good &= close(fd) == 0;
        if (!good || rename(beside, path) != 0)
            unlink(beside);
        free(first);
    }
    free(beside);
}

/** The file that was used longest ago, and what all of them take. */
struct oldest {
    char *path; /**< allocated; NULL: there is none */
    struct timespec used;
    uint64_t bytes, total;
};

static bool before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void look(struct oldest *oldest, const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    oldest->total += (uint64_t)st.st_size;
    if (oldest->path && !before(&st.st_mtim, &oldest->used))
        return;
    free(oldest->path);
    oldest->path = sim_strdup(path);
    oldest->used = st.st_mtim;
    oldest->bytes = (uint64_t)st.st_size;
}

static struct oldest find_oldest(const char *directory)
{
    struct oldest oldest = {0};
    DIR *d = opendir(directory);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char *path = sim_format("%s/%s", directory, e->d_name);
        look(&oldest, path);
        free(path);
    }
    if (d)
        closedir(d);
    return oldest;
}

/** Removes what was not used for longest, until the rest is not too much. What a process that was
 *  killed has left half written goes so, too. */
static void trim(const struct prog_cache *cache)
{
    for (bool more = true; more;) {
        struct oldest oldest = find_oldest(cache->directory);
        more = oldest.path && oldest.total > cache->most;
        /* Another process may have been faster; one that may not be removed ends it. */
        if (more && unlink(oldest.path) != 0 && errno != ENOENT)
            more = false;
        free(oldest.path);
    }
}

void prog_cache_put(const struct prog_cache *cache, const struct prog_key *key, const char *from,
                    const char *log, char *const *files)
{
    struct prog_whole program;
    size_t count;
    if (!prog_whole_read(from, &program))
        return;
    char *bytes = entry_of(&program, log, files, &count);
    if (bytes) {
        char *path = entry_path(cache, key);
        make_directory(cache->directory);
        write_entry(path, bytes, count);
        trim(cache);
        free(path);
    }
    free(bytes);
    free(program.bytes);
}
