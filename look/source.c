/*
 * Files of source text, each read once. They are today's, and the program's lines are those of the
 * day when it was compiled: a file that was changed after the run may show other lines than ran.
 */
#include "look/source.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { SOURCE_MAX = 1 << 26 /**< [bytes] of a file of source text */ };

static void source_split(struct look_source *source, char *text)
{
    for (char *line; (line = strsep(&text, "\n"));) {
        source->line = sim_grow(source->line, source->lines + 1, sizeof(char *));
        source->line[source->lines++] = line;
    }
}

static bool is_after(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* @return NULL, or why it cannot be read */
static const char *read_source(struct look_source *source, const struct timespec *ran)
{
    struct stat st;
    if (stat(source->path, &st))
        return strerror(errno);
    if (!S_ISREG(st.st_mode) || st.st_size > SOURCE_MAX)
        return "not a file of source text";
    FILE *in = fopen(source->path, "re");
    if (!in)
        return strerror(errno);
    source->text = sim_alloc((size_t)st.st_size + 1, 1);
    const size_t n = fread(source->text, 1, (size_t)st.st_size, in);
    source->text[n] = '\0';
    fclose(in);
    source->newer = is_after(&st.st_mtim, ran);
    source_split(source, source->text);
    return NULL;
}

struct look_source *look_source_get(struct look_sources *sources, const char *path)
{
    for (size_t i = 0; i < sources->files; i++)
        if (!strcmp(sources->file[i]->path, path))
            return sources->file[i];
    struct look_source *source = sim_alloc(1, sizeof *source);
    sources->file = sim_grow(sources->file, sources->files + 1, sizeof *sources->file);
    sources->file[sources->files++] = source;
    source->path = path;
    source->why = read_source(source, &sources->ran);
    return source;
}

const char *look_source_line(const struct look_source *source, unsigned line)
{
    return line && line <= source->lines ? source->line[line - 1] : NULL;
}

void look_sources_free(struct look_sources *sources)
{
    for (size_t i = 0; i < sources->files; i++) {
        free((void *)sources->file[i]->line);
        free(sources->file[i]->text);
        free(sources->file[i]);
    }
    free((void *)sources->file);
}
