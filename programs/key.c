/*
 * The key of an executable in the cache.
 *
 * The one hard idea: a key is right only if it has everything the compiler would read now, and not
 * what it has read when somebody built last: a header put in front of another one in the search
 * path changes nothing that was read then. So the compiler is asked each time which files these
 * are (-M, a small part of a compilation), and in the same run for its version and paths (-v). What
 * -M does not see, the files of the linker, the cache's entry has.
 */
#include "programs/key.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "programs/whole.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <xxhash.h>

/* ---- hashes ---------------------------------------------------------------------------------- */

static void write_key(struct prog_key *key, XXH128_hash_t hash)
{
    snprintf(key->text, sizeof key->text, "%016llx%016llx", (unsigned long long)hash.high64,
             (unsigned long long)hash.low64);
}

void prog_key_of_bytes(const void *bytes, size_t count, struct prog_key *key)
{
    write_key(key, XXH3_128bits(bytes, count));
}

bool prog_key_of_file(const char *path, struct prog_key *key)
{
    struct prog_whole whole;
    if (!prog_whole_read(path, &whole))
        return false;
    prog_key_of_bytes(whole.bytes, whole.count, key);
    free(whole.bytes);
    return true;
}

/** A text with its end, so that two of them are not one. */
static void hash_text(XXH3_state_t *state, const char *text)
{
    XXH3_128bits_update(state, text, strlen(text) + 1);
}

/** What the compiler says of itself. Its commands, in lines that begin with a space, have names of
 *  temporary files; other lines may name a directory of this run. The next has others. */
static void hash_version(XXH3_state_t *state, char *text, const char *directory)
{
    char *rest = text;
    for (char *line; (line = strtok_r(rest, "\n", &rest));) {
        for (const char *at; *line != ' ' && (at = strstr(line, directory));) {
            XXH3_128bits_update(state, line, (size_t)(at - line));
            line += at - line + (long)strlen(directory);
        }
        if (*line != ' ')
            hash_text(state, line);
    }
}

/* ---- flags ----------------------------------------------------------------------------------- */

/** By their beginnings; the first that fits decides. What is not here is not known: plug-ins,
 *  specs, profiles, further sources and objects, the processor this is; directories of libraries,
 * where one might come to lie in front of another; what leaves files of its own. */
static const struct {
    const char *beginning;
    bool known;
} flags[] = {
    {"-fplugin", false},
    {"-fprofile", false},
    {"-fauto-profile", false},
    {"-fbranch-probabilities", false},
    {"-fdump", false},
    {"-fcallgraph", false},
    {"-fstack-usage", false},
    {"-fsave-", false},
    {"-ftest-coverage", false},
    {"-fmodule", false},
    {"-foffload", false},
    {"-fintrinsic-modules-path", false},
    {"-gsplit", false},
    {"-march=native", false},
    {"-mtune=native", false},
    {"-mcpu=native", false},
    {"-Wl,--no-warnings", true},
    {"-Wl,", false},
    {"-Wa,", false},
    {"-Wp,", false},
    {"-D", true},
    {"-U", true},
    {"-I", true},
    {"-O", true},
    {"-W", true},
    {"-f", true},
    {"-g", true},
    {"-m", true},
    {"-std=", true},
    {"-l", true},
    {"-pthread", true},
    {"-static", true},
    {"-pedantic", true},
    {"-w", true},
};

bool prog_key_knows(const char *flag)
{
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (!strncmp(flag, flags[i].beginning, strlen(flags[i].beginning)))
            /* A letter alone takes the next argument, which might be any. */
            return flags[i].known && (flag[2] || !strchr("DUIl", flag[1]));
    return false;
}

/* ---- rules for make -------------------------------------------------------------------------- */

/** Takes the path at *at, without the rule's escapes, and goes behind it. Allocated; NULL: the rule
 *  has ended. */
static char *key_next_path(const char **at)
{
    const char *from = *at;
    while (*from == ' ' || (from[0] == '\\' && from[1] == '\n'))
        from += *from == ' ' ? 1 : 2;
    char *path = sim_alloc(strlen(from) + 1, 1), *to = path;
    for (; *from && *from != '\n' && *from != ' '; from++) {
        if (from[0] == '\\' && from[1] == '\n')
            break;
        if ((from[0] == '\\' && from[1] && strchr(" #\\:", from[1])) ||
            (from[0] == '$' && from[1] == '$'))
            from++;
        *to++ = *from;
    }
    *at = from;
    if (to > path)
        return path;
    free(path);
    return NULL;
}

char **prog_key_paths(const char *rule, const char *home)
{
    struct prog_whole whole;
    if (!prog_whole_read(rule, &whole))
        return NULL;
    char **paths = sim_alloc(1, sizeof *paths), *path;
    size_t count = 0;
    const char *at = strstr(whole.bytes, ": ");
    for (at = at ? at + 2 : ""; (path = key_next_path(&at));) {
        paths = sim_grow(paths, count + 2, sizeof *paths);
        paths[count++] = *path == '/' ? path : sim_format("%s/%s", home, path);
        paths[count] = NULL;
        if (*path != '/')
            free(path);
    }
    free(whole.bytes);
    return paths;
}

void prog_key_free(char **paths)
{
    for (size_t i = 0; paths && paths[i]; i++)
        free(paths[i]);
    free(paths);
}

/* ---- a source -------------------------------------------------------------------------------- */

/** Asks the compiler what it is and what it would read. */
static bool key_ask(const struct prog_args *args, const struct prog_language *language,
                    const char *home, const char *name, const char *directory, const char *reads,
                    const char *version)
{
    struct prog_args *a = prog_args_more(args);
    int status;
    prog_args_add(a, "-v");
    prog_args_add(a, "-M");
    if (*language->reads)
        prog_args_add(a, language->reads);
    if (!strcmp(language->tool, "gfortran"))
        prog_args_own(a, sim_format("-J%s", directory));
    else /* the shortest name of each header takes a thousand calls of the host's */
        prog_args_add(a, "-fno-canonical-system-headers");
    prog_args_add(a, name);
    const bool good = prog_compiler_run(a, home, reads, version, &status) == 0 &&
                      WIFEXITED(status) && WEXITSTATUS(status) == 0;
    prog_args_free(a);
    return good;
}

/** Whether the source itself has made this module. */
static bool own_module(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    const char *dot = strrchr(path, '.');
    return !strncmp(path, directory, length) && path[length] == '/' && dot && !strcmp(dot, ".mod");
}

/** Adds a file's path and contents. @return false: it cannot be read, or its assembler text may
 * read others, which nobody names */
static bool hash_file(XXH3_state_t *state, const char *path)
{
    struct prog_whole whole;
    struct prog_key content;
    if (!prog_whole_read(path, &whole))
        return false;
    const bool more = strstr(whole.bytes, ".incbin") || strstr(whole.bytes, ".include");
    prog_key_of_bytes(whole.bytes, whole.count, &content);
    hash_text(state, path);
    hash_text(state, content.text);
    free(whole.bytes);
    return !more;
}

/** Adds the files' paths and contents. */
static bool hash_files(XXH3_state_t *state, char *const *paths, const char *directory)
{
    bool good = paths && paths[0];
    for (size_t i = 0; good && paths[i]; i++)
        good = own_module(paths[i], directory) || hash_file(state, paths[i]);
    return good;
}

bool prog_key_of(struct prog_key *key, const struct prog_args *args,
                 const struct prog_language *language, const char *home, const char *name,
                 const char *directory)
{
    if (!language->reads)
        return false;
    char *reads = sim_format("%s/build.reads", directory),
         *version = sim_format("%s/build.version", directory);
    struct prog_whole said = {0};
    char **paths = NULL;
    bool good = key_ask(args, language, home, name, directory, reads, version) &&
                prog_whole_read(version, &said);
    if (good) {
        XXH3_state_t *state = sim_hash_128_new();
        for (size_t i = 0; i < args->count; i++)
            hash_text(state, args->arg[i]);
        hash_version(state, said.bytes, directory);
        paths = prog_key_paths(reads, home);
        good = hash_files(state, paths, directory);
        write_key(key, XXH3_128bits_digest(state));
        XXH3_freeState(state);
    }
    prog_key_free(paths);
    free(said.bytes);
    free(reads);
    free(version);
    return good;
}
