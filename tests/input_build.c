/* Guest programs from source: the same bytes wherever they are built, and failures in words. */
#include "input_text.h"
#include "programs/build.h"

#include <sys/stat.h>

TestSuite(input_build, .fini = leave_scratch);

static const char source[] =
    "#include <stdio.h>\n#include <assert.h>\n"
    "int main(int argc, char **argv)\n"
    "{ (void)argv; assert(argc > 0); puts(__FILE__ __DATE__); return 0; }\n";

static enum prog_built build(const char *file, const char *abi, char *const *cflags,
                             const char *directory, char **path, char **why)
{
    const struct prog_build what = {file, abi, cflags, NULL, directory};
    return prog_build(&what, path, why);
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

Test(input_build, same_bytes_n64)
{
    build_twice("n64");
}

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
    cr_expect(strstr(why, "o32 or n64"));
    free(why);
}

Test(input_build, missing_compiler)
{
    char *path, *why;
    enter_scratch();
    write_file("p.c", source, sizeof source - 1);
    setenv("PATH", "/nonexistent", 1);
    cr_expect_eq(build("p.c", "o32", NULL, ".", &path, &why), PROG_BUILD_MISSING);
    setenv("PATH", "/usr/bin:/bin", 1);
    cr_expect(strstr(why, "Debian package gcc-mips-linux-gnu"), "%s", why);
    free(why);
}
