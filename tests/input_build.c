/*
 * Guest programs from source: the same bytes wherever they are built, in every language, and
 * failures in words; and what the cache takes for the same.
 */
#include "input_text.h"
#include "programs/build.h"
#include "programs/key.h"
#include "programs/stamp.h"
#include "programs/whole.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

#ifndef EVERY_TARGET
#define EVERY_TARGET 0
#endif

TestSuite(input_build, .fini = leave_scratch);

static const char source[] =
    "#include <stdio.h>\n#include <assert.h>\n"
    "int main(int argc, char **argv)\n"
    "{ (void)argv; assert(argc > 0); puts(__FILE__ __DATE__); return 0; }\n";

static enum prog_built build(const char *file, const char *abi, char *const *cflags,
                             const char *directory, char **path, char **why)
{
    const struct prog_build what = {file, abi, cflags, NULL, directory, NULL};
    return prog_build_program(&what, path, why);
}

static bool same(const char *a, const char *b)
{
    char *command;
    cr_assert(asprintf(&command, "cmp -s '%s' '%s'", a, b) > 0);
    const bool equal = system(command) == 0;
    free(command);
    return equal;
}

/** Builds the same source in two places, debug information included. */
static void build_twice(const char *abi)
{
    char *const cflags[] = {"-O2", "-g", NULL};
    char *path[2] = {0}, *why[2] = {0};
    enter_scratch();
    cr_assert(!mkdir("one", 0777) && !mkdir("another", 0777) && !mkdir("another/out", 0777));
    write_file("one/p.c", source, sizeof source - 1);
    write_file("another/p.c", source, sizeof source - 1);
    const enum prog_built first = build("one/p.c", abi, cflags, "one", &path[0], &why[0]);
    if (first != PROG_BUILD_MISSING) {
        cr_assert(!chdir("another"));
        const enum prog_built second = build("p.c", abi, cflags, "out", &path[1], &why[1]);
        cr_assert(!chdir(".."));
        cr_assert_eq(first, PROG_BUILT, "%s", why[0]);
        cr_assert_eq(second, PROG_BUILT, "%s", why[1]);
        cr_expect(strstr(path[0], "/one/p"));
        cr_expect_str_eq(why[0], "");
        cr_expect(same("one/p", "another/out/p"));
    }
    for (size_t i = 0; i < 2; i++) {
        free(path[i]);
        free(why[i]);
    }
}

Test(input_build, same_bytes_o32)
{
    build_twice("o32");
}

#if EVERY_TARGET
Test(input_build, same_bytes_n64)
{
    build_twice("n64");
}
#endif

Test(input_build, failures)
{
    char *path, *why;
    enter_scratch();
    write_file("bad.c", "int main(void) { return x; }\n", 29);
    enum prog_built built = build("bad.c", "o32", NULL, ".", &path, &why);
    if (built != PROG_BUILD_MISSING) {
        cr_expect_eq(built, PROG_BUILD_FAILED);
        cr_expect(strstr(why, "bad.c:1:25: error:"), "%s", why);
    }
    cr_expect_null(path);
    free(why);
    built = build("bad.c", "o32", NULL, "no/such/directory", &path, &why);
    cr_expect_eq(built, PROG_BUILD_IO, "%s", why);
    free(why);
    built = build("bad.c", "x32", NULL, ".", &path, &why);
    cr_expect_eq(built, PROG_BUILD_FAILED);
    cr_expect(strstr(why, "o32, n64, armel or host"));
    free(why);
}

/** A program of each language that ends with status 0. */
static const struct {
    const char *file, *text, *package;
} languages[] = {
    {"p.c", "int main(void) { return 0; }\n", "gcc-"},
    {"p.S", ".globl main\nmain:\n\tjr $31\n", "gcc-"},
    {"p.cc", "#include <vector>\nint main() { return std::vector<int>(7).empty(); }\n", "g++-"},
    {"p.cpp", "int main() { try { throw 0; } catch (int x) { return x; } }\n", "g++-"},
    {"p.cxx", "bool no;\nint main() { return no; }\n", "g++-"},
    {"p.f", "      program p\n      print *, 1\n      end\n", "gfortran-"},
    {"p.f90", "module m\nend module\nprogram p\n  use m\n  print *, 1\nend program\n", "gfortran-"},
};

enum { LANGUAGES = sizeof languages / sizeof *languages };

static const struct {
    const char *abi, *target;
} targets[] = {{"o32", "mips-linux-gnu"}, {"n64", "mips64-linux-gnuabi64"}};

/** Targets take turns: a language has one, and in the long suite all. */
Test(input_build, languages)
{
    enter_scratch();
    cr_assert(!mkdir("out", 0777));
    for (size_t i = 0; i < 2 * LANGUAGES; i++) {
        if (!EVERY_TARGET && i % 2 != i / 2 % 2)
            continue;
        char *path, *why;
        const char *file = languages[i / 2].file, *text = languages[i / 2].text;
        write_file(file, text, strlen(text));
        const enum prog_built built = build(file, targets[i % 2].abi, NULL, "out", &path, &why);
        cr_expect(built == PROG_BUILT || built == PROG_BUILD_MISSING, "%s: %s", file, why);
        cr_expect((built == PROG_BUILT) == (path && !access(path, X_OK)), "%s", file);
        cr_expect_neq(access("m.mod", F_OK), 0, "a module's file lies beside the source");
        free(path);
        free(why);
    }
}

Test(input_build, missing_compiler)
{
    enter_scratch();
    setenv("PATH", "/nonexistent", 1);
    for (size_t i = 0; i < 2 * LANGUAGES; i++) {
        char *path, *why, *words;
        const char *file = languages[i / 2].file;
        write_file(file, languages[i / 2].text, strlen(languages[i / 2].text));
        cr_expect_eq(build(file, targets[i % 2].abi, NULL, ".", &path, &why), PROG_BUILD_MISSING);
        cr_assert(asprintf(&words, "Debian package %s%s", languages[i / 2].package,
                           targets[i % 2].target) > 0);
        cr_expect(strstr(why, words), "%s: %s", file, why);
        free(words);
        free(why);
    }
    setenv("PATH", "/usr/bin:/bin", 1);
}

/* ---- the cache ------------------------------------------------------------------------------- */

enum { ROOM = 64 << 20, MOST_ENTRIES = 16 };

/** The source of one case. */
static const char cached[] = "#include \"h.h\"\n#include \"g.h\"\n"
                             "int main(void) { int unused; return H + G; }\n";

/** Builds p.c, or takes it. @return whether the compiler was needed */
static bool built_with(char *const *cflags, uint64_t most, char **why)
{
    const struct prog_cache cache = {"kept/here", most};
    const struct prog_build what = {"p.c", "o32", cflags, "include", "out", &cache};
    char *path;
    unlink("out/build.inputs"); /* the linker's, when it runs */
    unlink("out/build.log");
    const enum prog_built built = prog_build_program(&what, &path, why);
    cr_assert_eq(built, PROG_BUILT, "%s", *why);
    free(path);
    return access("out/build.log", F_OK) == 0;
}

/** Names of the cache's files. @return how many */
static size_t entries(char name[MOST_ENTRIES][PATH_MAX])
{
    size_t n = 0;
    DIR *d = opendir("kept/here");
    for (const struct dirent *e; d && (e = readdir(d));)
        if (*e->d_name != '.' && n < MOST_ENTRIES)
            snprintf(name[n++], PATH_MAX, "kept/here/%s", e->d_name);
    if (d)
        closedir(d);
    return n;
}

/* What is done before each build. */
static void nothing(void)
{
}

static void another_header(void)
{
    write_file("h.h", "#define H 2\n", 12);
}

static void the_first_header(void)
{
    write_file("h.h", "#define H 1\n", 12);
}

/* In front of include/g.h, which has been read until now. */
static void header_in_front(void)
{
    write_file("g.h", "#define G 5\n", 12);
}

static void entry_cut_off(void)
{
    char name[MOST_ENTRIES][PATH_MAX];
    for (size_t i = entries(name); i-- > 0;)
        cr_assert(!truncate(name[i], 50000));
}

static void entry_changed(void)
{
    char name[MOST_ENTRIES][PATH_MAX];
    for (size_t i = entries(name); i-- > 0;) {
        FILE *f = fopen(name[i], "r+");
        cr_assert(f && !fseek(f, -1000, SEEK_END));
        fputc('#', f);
        cr_assert(!fclose(f));
    }
}

static void entry_empty(void)
{
    char name[MOST_ENTRIES][PATH_MAX];
    for (size_t i = entries(name); i-- > 0;)
        cr_assert(!truncate(name[i], 0));
}

/** A header whose assembler text reads a file, which then changes. */
static void data_included(void)
{
    static const char text[] = "#define G 5\n__asm__(\".data\\n.incbin \\\"data\\\"\\n.text\");\n";
    write_file("g.h", text, sizeof text - 1);
    write_file("data", "some", 4);
}

static void data_changed(void)
{
    write_file("data", "more", 4);
}

static const struct {
    void (*before)(void);
    const char *flags[3];
    bool builds;
    size_t kept;
} steps[] = {
    {nothing, {"-Wall"}, true, 1},
    {nothing, {"-Wall"}, false, 1},
    {another_header, {"-Wall"}, true, 2},
    {the_first_header, {"-Wall"}, false, 2},
    {nothing, {"-Wall", "-DX"}, true, 3},
    {nothing, {"-Wall", "-DX"}, false, 3},
    {header_in_front, {"-Wall"}, true, 4},
    {nothing, {"-Wall"}, false, 4},
    {entry_cut_off, {"-Wall"}, true, 4},
    {nothing, {"-Wall"}, false, 4},
    {entry_changed, {"-Wall"}, true, 4},
    {nothing, {"-Wall"}, false, 4},
    {entry_empty, {"-Wall"}, true, 4},
    {nothing, {"-Wall"}, false, 4},
    {nothing, {"-Wall", "-Wl,-z,now"}, true, 4}, /* flags that are not known */
    {nothing, {"-Wall", "-Wl,-z,now"}, true, 4},
    {data_included, {"-Wall"}, true, 4},
    {data_changed, {"-Wall"}, true, 4},
};

/** A kernel of the host's is kept, too; its assembler and linker are found along the path. */
Test(input_build, cache_host)
{
    static const char *const flags[][2] = {{"-O2", NULL}, {"-march=native", NULL}};
    const struct prog_cache cache = {"kept/here", ROOM};
    enter_scratch();
    cr_assert(!mkdir("out", 0777));
    write_file("k.c", "int kernel;\n", 12);
    for (unsigned i = 0; i < 4; i++) {
        char *path, *why;
        const struct prog_build what = {"k.c", "host", (char *const *)flags[i / 2],
                                        NULL,  "out",  &cache};
        unlink("out/build.log");
        cr_assert_eq(prog_build_program(&what, &path, &why), PROG_BUILT, "%s", why);
        cr_expect_eq(access("out/build.log", F_OK) == 0, i != 1, "build %u", i);
        free(path);
        free(why);
    }
}

/** What the linker has read must be as it was. */
Test(input_build, cache_linked)
{
    const struct prog_cache cache = {"kept/here", ROOM};
    const struct prog_key key = {"0123456789abcdef0123456789abcdef"};
    char *const files[] = {"a.a", "b.a", NULL}, *log;
    enter_scratch();
    write_file("a.a", "library", 7);
    write_file("b.a", "another", 7);
    write_file("program", "bytes", 5);
    prog_cache_put(&cache, &key, "program", "words\n", files);
    cr_expect(prog_cache_take(&cache, &key, "taken", &log));
    cr_expect_str_eq(log, "words\n");
    cr_expect(same("program", "taken"));
    free(log);
    write_file("b.a", "Another", 7);
    cr_expect(!prog_cache_take(&cache, &key, "taken", &log));
    cr_expect_null(log);
    unlink("b.a");
    cr_expect(!prog_cache_take(&cache, &key, "taken", &log));
}

/** An entry's text in which `length` bytes at `at` are others, under the hash of what it is then.
 */
static void forge(const char *path, size_t at, const char *bytes, size_t length)
{
    struct prog_whole whole;
    struct prog_key hash;
    cr_assert(prog_whole_read(path, &whole));
    char *rest = strchr(whole.bytes, '\n') + 1;
    memcpy(rest + at, bytes, length);
    prog_key_of_bytes(rest, whole.count - (size_t)(rest - whole.bytes), &hash);
    memcpy(rest - 1 - strlen(hash.text), hash.text, strlen(hash.text));
    write_file(path, whole.bytes, whole.count);
    free(whole.bytes);
}

/** A file that has its stamp is not read; one that has another is, and then the entry has that one.
 */
Test(input_build, cache_stamps)
{
    const struct prog_cache cache = {"kept/here", ROOM};
    const struct prog_key key = {"0123456789abcdef0123456789abcdef"};
    const char *const entry = "kept/here/0123456789abcdef0123456789abcdef";
    const size_t content = strlen("6 1\n"), stamp = content + strlen(key.text) + 1;
    char *const files[] = {"/bin/sh", NULL}, *log;
    enter_scratch();
    write_file("program", "bytes", 5);
    prog_cache_put(&cache, &key, "program", "words\n", files);
    cr_assert(prog_cache_take(&cache, &key, "taken", &log));
    free(log);
    struct prog_whole before, after;
    cr_assert(prog_whole_read(entry, &before));
    forge(entry, stamp, "z", 1);
    cr_expect(prog_cache_take(&cache, &key, "taken", &log), "the file is read");
    free(log);
    cr_assert(prog_whole_read(entry, &after));
    cr_expect(before.count == after.count && !memcmp(before.bytes, after.bytes, after.count),
              "the entry has the stamp of now");
    forge(entry, content, "?", 1);
    cr_expect(prog_cache_take(&cache, &key, "taken", &log), "the file is not read");
    free(log);
    forge(entry, stamp, "z", 1);
    cr_expect(!prog_cache_take(&cache, &key, "taken", &log), "the file is read");
    free(before.bytes);
    free(after.bytes);
}

/** What may change once more without another time has no stamp. */
Test(input_build, stamps)
{
    struct prog_stamp of_new, of_old, again, of_none;
    enter_scratch();
    write_file("new", "", 0);
    prog_stamp_of("new", &of_new);
    prog_stamp_of("/bin/sh", &of_old);
    prog_stamp_of("/bin/sh", &again);
    prog_stamp_of("none", &of_none);
    cr_expect_str_eq(of_new.text, "-");
    cr_expect_str_eq(of_none.text, "-");
    cr_expect(prog_stamp_holds(&of_old, &again));
    cr_expect(!prog_stamp_holds(&of_new, &of_none), "of two that are not known none is the other");
}

/** A source, two headers, and whether there is a compiler. */
static bool prepare(void)
{
    char *path, *why;
    enter_scratch();
    cr_assert(!mkdir("out", 0777) && !mkdir("include", 0777));
    write_file("p.c", cached, sizeof cached - 1);
    write_file("include/g.h", "#define G 4\n", 12);
    the_first_header();
    const struct prog_build what = {"p.c", "o32", NULL, "include", "out", NULL};
    const enum prog_built built = prog_build_program(&what, &path, &why);
    free(path);
    free(why);
    return built != PROG_BUILD_MISSING;
}

/** With and without a cache the bytes and the compiler's words are the same. */
static void check_same(char *const *cflags, const char *said)
{
    char *path, *why;
    const struct prog_build plain = {"p.c", "o32", cflags, "include", "plain", NULL};
    cr_assert_eq(prog_build_program(&plain, &path, &why), PROG_BUILT, "%s", why);
    cr_expect(same("out/p", "plain/p"));
    cr_expect_str_eq(why, said);
    cr_expect(strstr(why, "unused variable"), "%s", why);
    free(path);
    free(why);
}

Test(input_build, cache)
{
    char name[MOST_ENTRIES][PATH_MAX];
    if (!prepare())
        return;
    cr_assert(!mkdir("plain", 0777));
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        char *flags[] = {(char *)steps[i].flags[0], (char *)steps[i].flags[1], NULL}, *why;
        steps[i].before();
        cr_expect_eq(built_with(flags, ROOM, &why), steps[i].builds, "step %zu", i);
        cr_expect_eq(entries(name), steps[i].kept, "step %zu: %zu entries", i, entries(name));
        if (!steps[i].builds)
            check_same(flags, why);
        free(why);
    }
}

/** Who was not used for longest goes first. */
Test(input_build, cache_bounded)
{
    char name[MOST_ENTRIES][PATH_MAX];
    struct stat st;
    if (!prepare())
        return;
    static const struct {
        const char *flag;
        bool builds;
    } uses[] = {{"-DA", true}, {"-DB", true},  {"-DA", false}, {"-DC", true},
                {"-DB", true}, {"-DC", false}, {"-DA", true}};
    uint64_t most = ROOM;
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        char *flags[] = {(char *)uses[i].flag, NULL}, *why;
        usleep(20000); /* a file system's clock may be that coarse */
        cr_expect_eq(built_with(flags, most, &why), uses[i].builds, "use %zu", i);
        free(why);
        cr_assert(entries(name) > 0 && !stat(name[0], &st));
        most = (uint64_t)st.st_size * 5 / 2; /* two of them */
        cr_expect(entries(name) <= 2);
    }
    for (unsigned i = 0; i < 2; i++) {
        char *why;
        cr_expect(built_with(NULL, 1, &why));
        cr_expect_eq(entries(name), 0);
        free(why);
    }
}

/** Several processes at once: each has its executable, and one entry stays. */
Test(input_build, cache_shared)
{
    enum { PROCESSES = 6 };
    char name[MOST_ENTRIES][PATH_MAX], *why;
    int status, good = 0;
    if (!prepare())
        return;
    for (unsigned i = 0; i < PROCESSES; i++)
        if (fork() == 0) {
            const struct prog_cache cache = {"kept/here", ROOM};
            char out[16], *path;
            snprintf(out, sizeof out, "out%u", i);
            const struct prog_build what = {"p.c", "o32", NULL, "include", out, &cache};
            _exit(mkdir(out, 0777) || prog_build_program(&what, &path, &why) != PROG_BUILT);
        }
    for (unsigned i = 0; i < PROCESSES; i++)
        good += wait(&status) > 0 && status == 0;
    cr_expect_eq(good, PROCESSES);
    cr_expect_eq(entries(name), 1);
    for (unsigned i = 0; i < PROCESSES; i++) {
        char out[16];
        snprintf(out, sizeof out, "out%u/p", i);
        cr_expect(same(out, "out/p"), "%s", out);
    }
    cr_expect(!built_with(NULL, ROOM, &why));
    free(why);
}

/** A directory that cannot be made, or written, is no cache; the program is built all the same. */
Test(input_build, cache_nowhere)
{
    char *why;
    if (!prepare())
        return;
    write_file("kept", "", 0);
    cr_expect(built_with(NULL, ROOM, &why));
    free(why);
}

/** Fortran's own ways to read files: include, and modules. */
Test(input_build, cache_fortran)
{
    static const char text[] = "program p\n  include 'n.inc'\n  print *, n\nend program\n";
    const struct prog_cache cache = {"kept/here", ROOM};
    const struct prog_build what = {"p.f90", "o32", NULL, NULL, ".", &cache};
    static const struct {
        const char *text;
        bool builds;
    } rows[] = {{"integer :: n = 1\n", true},
                {"integer :: n = 1\n", false},
                {"integer :: n = 2\n", true},
                {"integer :: n = 1\n", false}};
    char *path, *why;
    enter_scratch();
    write_file("p.f90", text, sizeof text - 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        write_file("n.inc", rows[i].text, strlen(rows[i].text));
        unlink("build.log");
        const enum prog_built built = prog_build_program(&what, &path, &why);
        cr_expect(built == PROG_BUILT || built == PROG_BUILD_MISSING, "%s", why);
        if (built == PROG_BUILT)
            cr_expect_eq(access("build.log", F_OK) == 0, rows[i].builds, "row %zu", i);
        free(path);
        free(why);
    }
}
