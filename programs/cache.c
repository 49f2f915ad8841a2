/*
 * Executables kept.
 *
 * The one hard idea: nobody is trusted to have finished, neither another process nor a disk. An
 * entry is written beside its place and then renamed, so who opens it has all of one or all of
 * another; and it begins with the hash of its other bytes, so what was cut off or changed is no
 * entry, and the source is built as if there were none.
 *
 *     numachine guest 2 HASH-OF-ALL-BELOW
 *     LENGTH-OF-LOG NUMBER-OF-FILES
 *     HASH-OF-FILE STAMP PATH                as many lines as files
 *     the log, then the executable
 *
 * The files are a compiler's, 10 MB of them. One that has its stamp is not read. One that has
 * another is, and if it is what it was, the entry is written again with the stamps of now.
 */
#include "programs/cache.h"

#include "base/alloc.h"
#include "programs/stamp.h"
#include "programs/whole.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char magic[] = "numachine guest 2 ";

enum { DIGITS = sizeof((struct prog_key *)0)->text - 1 };

static char *entry_path(const struct prog_cache *cache, const struct prog_key *key)
{
    return sim_format("%s/%s", cache->directory, key->text);
}

/* ---- an entry -------------------------------------------------------------------------------- */

/** A file that the linker has read. */
struct file {
    struct prog_key content;
    struct prog_stamp stamp;
    char *path; /**< allocated */
};

/** What an entry says. */
struct entry {
    struct file *file; /**< allocated */
    size_t files;
    const char *log;
    size_t log_length;
    const char *program;
    size_t program_length;
};

static void add_file(struct entry *e, const struct file *file)
{
    e->file = sim_grow(e->file, e->files + 1, sizeof *e->file);
    e->file[e->files++] = *file;
}

static void free_files(struct entry *e)
{
    for (size_t i = 0; i < e->files; i++)
        free(e->file[i].path);
    free(e->file);
}

/** Reads a file. @return false: it cannot be read */
static bool cache_look_into(struct file *file)
{
    struct prog_stamp after;
    prog_stamp_of(file->path, &file->stamp);
    const bool good = prog_key_of_file(file->path, &file->content);
    prog_stamp_of(file->path, &after);
    if (!prog_stamp_holds(&file->stamp, &after))
        file->stamp = (struct prog_stamp){"-"};
    return good;
}

/** An entry without its first line. Allocated. */
static char *cache_text_of(const struct entry *e, size_t *count)
{
    char *bytes = NULL;
    FILE *out = sim_text_open(&bytes, count);
    fprintf(out, "%zu %zu\n", e->log_length, e->files);
    for (size_t i = 0; i < e->files; i++)
        fprintf(out, "%s %s %s\n", e->file[i].content.text, e->file[i].stamp.text, e->file[i].path);
    fwrite(e->log, 1, e->log_length, out);
    fwrite(e->program, 1, e->program_length, out);
    sim_text_close(out, &bytes);
    return bytes;
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

/** Writes an entry beside its place, and puts it there. */
static void write_entry(const char *path, const struct entry *e)
{
    struct prog_key hash;
    size_t count;
    char *bytes = cache_text_of(e, &count);
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
    free(bytes);
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

/** Whether a file is as a line says. It is read only if it may have changed since.
 *  @param[out] stale  set when the entry should have another stamp */
static bool cache_unchanged(char *line, struct entry *e, bool *stale)
{
    struct prog_stamp now;
    int content, stamp, path = 0;
    if (!line || sscanf(line, "%*s%n %*s%n %n", &content, &stamp, &path) < 0 || !path ||
        content != DIGITS || stamp - content > (int)sizeof now.text)
        return false;
    line[content] = line[stamp] = '\0';
    struct file file = {.path = sim_strdup(line + path)}, was = file;
    memcpy(was.content.text, line, DIGITS);
    snprintf(was.stamp.text, sizeof was.stamp.text, "%s", line + content + 1);
    prog_stamp_of(file.path, &now);
    if (prog_stamp_holds(&was.stamp, &now))
        file = was;
    else if (cache_look_into(&file) && !strcmp(file.content.text, was.content.text))
        *stale |= prog_stamp_holds(&file.stamp, &file.stamp);
    add_file(e, &file);
    return !strcmp(file.content.text, was.content.text);
}

/** Reads an entry. @return false: it is of no use */
static bool read_entry(struct reader *r, struct entry *e, bool *stale)
{
    unsigned long log, files;
    const char *line = whole_entry(r) ? next_line(r) : NULL;
    bool good = line && sscanf(line, "%lu %lu", &log, &files) == 2;
    for (unsigned long i = 0; good && i < files; i++)
        good = cache_unchanged(next_line(r), e, stale);
    if (!good || log > (size_t)(r->end - r->at))
        return false;
    e->log = r->at;
    e->log_length = log;
    e->program = r->at + log;
    e->program_length = (size_t)(r->end - e->program);
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
    struct entry e = {0};
    bool stale = false;
    char *path = entry_path(cache, key);
    *log = NULL;
    if (prog_whole_read(path, &whole)) {
        struct reader r = {whole.bytes, whole.bytes + whole.count};
        if (read_entry(&r, &e, &stale) && write_program(to, e.program, e.program_length)) {
            *log = sim_strndup(e.log, e.log_length);
            if (stale)
                write_entry(path, &e);
            utimensat(AT_FDCWD, path, NULL, 0); /* used now */
        }
        free(whole.bytes);
    }
    free_files(&e);
    free(path);
    return *log;
}

/* ---- putting --------------------------------------------------------------------------------- */

/** Makes a directory and those above it. */
static void cache_make_directory(const char *path)
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

/** The file that was used longest ago, and what all of them take. */
struct oldest {
    char *path; /**< allocated; NULL: there is none */
    struct timespec used;
    uint64_t bytes, total;
};

static bool cache_before(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static void cache_look(struct oldest *oldest, const char *path)
{
    struct stat st;
    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return;
    oldest->total += (uint64_t)st.st_size;
    if (oldest->path && !cache_before(&st.st_mtim, &oldest->used))
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
        cache_look(&oldest, path);
        free(path);
    }
    if (d)
        closedir(d);
    return oldest;
}

/** Removes what was not used for longest, until the rest is not too much. What a process that was
 *  killed has left half written goes so, too. */
static void cache_trim(const struct prog_cache *cache)
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
    struct entry e = {.log = log, .log_length = strlen(log)};
    bool good = true;
    if (!prog_whole_read(from, &program))
        return;
    e.program = program.bytes;
    e.program_length = program.count;
    for (size_t i = 0; good && files[i]; i++) {
        struct file file = {.path = sim_strdup(files[i])};
        good = !strchr(files[i], '\n') && cache_look_into(&file);
        add_file(&e, &file);
    }
    if (good) {
        char *path = entry_path(cache, key);
        cache_make_directory(cache->directory);
        write_entry(path, &e);
        cache_trim(cache);
        free(path);
    }
    free_files(&e);
    free(program.bytes);
}
