/*
 * numachine init: an experiment to start from, and the guest program it runs. Both are the shipped
 * experiments/template.*, with the new name in place of theirs.
 */
#include "base/alloc.h"
#include "cli/cli.h"
#include "documents/whole.h"
#include "input/home.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char shipped_name[] = "template";
static const char shipped_schema[] = "../configs/schema.json";

static const char *init_file_of(const struct cli_given *g)
{
    const char *file = g->count ? g->words[0] : "experiment.yaml";
    const size_t n = strlen(file);
    if (n <= 5 || strcmp(file + n - 5, ".yaml") != 0 || file[n - 6] == '/')
        cli_refuse(g, "'%s' must end in .yaml", file);
    return file;
}

/** A shipped file on its way to a new one. */
struct copy {
    FILE *in;
    const char *name, *schema; /**< in place of the template's */
    int error;                 /**< of reading */
};

/** Replaces the template's own words in a line. */
static void copy_line(FILE *out, const char *line, const struct copy *c)
{
    while (*line) {
        if (!strncmp(line, shipped_schema, sizeof shipped_schema - 1)) {
            fputs(c->schema, out);
            line += sizeof shipped_schema - 1;
        } else if (!strncmp(line, shipped_name, sizeof shipped_name - 1) &&
                   line[sizeof shipped_name - 1] == '.') {
            fputs(c->name, out);
            line += sizeof shipped_name - 1;
        } else {
            fputc(*line++, out);
        }
    }
}

static void write_copy(void *ctx, FILE *out)
{
    struct copy *c = ctx;
    char *line = NULL;
    size_t size = 0;
    errno = 0;
    while (getline(&line, &size, c->in) >= 0)
        copy_line(out, line, c);
    c->error = feof(c->in) ? 0 : errno;
    free(line);
}

/** Copies a shipped file. @return an exit status, after a complaint if not 0 */
static int init_copy(const char *suffix, const char *stem, const char *name)
{
    char *from = in_home_path("experiments/%s%s", shipped_name, suffix), why[PATH_MAX + 100];
    char *to = sim_format("%s%s", stem, suffix), *schema = in_home_path("configs/schema.json");
    struct copy c = {.in = fopen(from, "re"), .name = name, .schema = schema};
    if (!c.in)
        c.error = errno;
    bool good = c.in && doc_whole_write(to, true, write_copy, &c, NULL, why, sizeof why);
    if (good && c.error) {
        unlink(to);
        good = false;
    }
    if (c.error)
        fprintf(stderr, "numachine: error: cannot read %s: %s\n", from, strerror(c.error));
    else if (!good)
        fprintf(stderr, "numachine: error: %s\n", why);
    if (c.in)
        fclose(c.in);
    free(from);
    free(to);
    free(schema);
    return good ? CLI_EXIT_OK : CLI_EXIT_IO;
}

/** Refuses before anything is written. */
static bool exists(const char *stem, const char *suffix)
{
    char *path = sim_format("%s%s", stem, suffix);
    struct stat st;
    const bool there = !lstat(path, &st); /* a link that leads nowhere, too */
    if (there)
        fprintf(stderr, "numachine: error: %s exists and is not overwritten\n", path);
    free(path);
    return there;
}

int cli_init(struct cli_given *g)
{
    const char *file = init_file_of(g);
    char *stem = sim_format("%.*s", (int)strlen(file) - 5, file);
    char *name = in_base_name(file);
    int status = CLI_EXIT_USAGE;
    if (!exists(stem, ".yaml") && !exists(stem, ".c")) {
        status = init_copy(".c", stem, name);
        if (status == CLI_EXIT_OK)
            status = init_copy(".yaml", stem, name);
        if (status == CLI_EXIT_OK)
            printf("wrote %s.c and %s; next: numachine run %s\n", stem, file, file);
    }
    free(name);
    free(stem);
    return status;
}
