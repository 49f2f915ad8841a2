/*
 * Line tables, read by libdw in a process of its own (dwarf.c). What comes from there is checked:
 * it may be anything.
 */
#include "programs/linux/names/lines.h"

#include "base/alloc.h"
#include "programs/linux/names/dwarf.h"
#include "programs/linux/names/symbols.h"
#include "programs/linux/names/texts.h"

#define LINES_BYTES_MAX (UINT64_C(512) << 20) /* that it may send */

/** How a line is sent. */
struct line_sent {
    uint64_t from, to; /**< the file's own addresses */
    uint32_t line;
    uint32_t name; /**< [bytes] of the file's name that follows; 0: the one before holds */
};

/* ---- the process that reads ------------------------------------------------------------------ */

struct reader {
    FILE *out;
    Dwarf_Files *files; /**< of the table */
    const char *file;   /**< sent last, as libdw has it */
};

/** Sends a line, and the name of its file if that is another. */
static void lines_send(struct reader *r, struct line_sent *s, const char *file)
{
    char name[LX_FILE_LONGEST + 1] = "";

    if (file != r->file)
        lx_file_name(r->files, file, name);
    r->file = file;
    s->name = (uint32_t)strlen(name);
    if (fwrite(s, sizeof *s, 1, r->out) != 1 || fwrite(name, 1, s->name, r->out) != s->name)
        lx_dwarf_stop();
}

static void send_line(struct reader *r, Dwarf_Line *from, Dwarf_Line *to)
{
    struct line_sent s = {0};
    const char *file = dwarf_linesrc(from, NULL, NULL);
    Dwarf_Addr at;
    int line;

    if (!file || !*file || dwarf_lineno(from, &line) || line < 0 || dwarf_lineaddr(from, &at))
        return;
    s.from = at;
    s.line = (uint32_t)line;
    if (dwarf_lineaddr(to, &at) || at <= s.from)
        return;
    s.to = at;
    lines_send(r, &s, file);
}

/** A table has its rows by address; of those with one address the last holds. */
static void send_table(struct reader *r, Dwarf_Files *files, Dwarf_Lines *lines, size_t count)
{
    r->file = NULL;
    r->files = files;
    for (size_t i = 0; i + 1 < count; i++) {
        Dwarf_Line *from = dwarf_onesrcline(lines, i), *to = dwarf_onesrcline(lines, i + 1);
        bool end = true;
        if (from && to && dwarf_lineendsequence(from, &end) == 0 && !end)
            send_line(r, from, to);
    }
}

/** A damaged table is left out; behind one whose length is wrong there is nothing to be found. */
static void send_tables(Dwarf *dwarf, FILE *out)
{
    enum { LENGTH = 12 }; /* of the word that says it, at most */
    Dwarf_Off at = 0, next;
    Dwarf_CU *unit = NULL;
    struct reader r = {.out = out};
    int end;

    do {
        Dwarf_Lines *lines = NULL;
        Dwarf_Files *files = NULL;
        size_t count = 0;
        next = at;
        end = dwarf_next_lines(dwarf, at, &next, &unit, &files, NULL, &lines, &count);
        if (end == 0)
            send_table(&r, files, lines, count);
        if (end > 0 || next <= at + LENGTH)
            return;
        at = next;
    } while (true);
}

/* ---- what comes back ------------------------------------------------------------------------- */

struct lx_lines {
    struct lx_line *line;
    size_t count;
    struct lx_texts files;
};

/** The name of the next line's file. @return NULL: that is none, or none has come */
static const char *take_source(struct lx_lines *l, const struct line_sent *s, FILE *in)
{
    char name[LX_FILE_LONGEST + 1];

    if (s->name > LX_FILE_LONGEST || fread(name, 1, s->name, in) != s->name)
        return NULL;
    name[s->name] = '\0';
    return s->name < LX_FILE_LONGEST ? lx_texts_keep(&l->files, name) : NULL;
}

static void take_lines(struct lx_lines *l, const struct lx_elf_image *image, FILE *in)
{
    struct line_sent s;
    const char *file = NULL;

    for (uint64_t bytes = 0; bytes < LINES_BYTES_MAX && fread(&s, sizeof s, 1, in) == 1;
         bytes += sizeof s + s.name) {
        if (s.name)
            file = take_source(l, &s, in);
        s.from += image->bias;
        s.to += image->bias;
        if (!file || !lx_elf_holds_code(image, s.from, s.to))
            continue;
        if ((l->count & (l->count - 1)) == 0)
            l->line = sim_grow(l->line, l->count ? 2 * l->count : 1, sizeof *l->line);
        l->line[l->count++] = (struct lx_line){s.from, s.to, file, s.line};
    }
}

/** By address, and in each by what they say, so that the order does not depend on the sort. */
static int compare_lines(const void *pa, const void *pb)
{
    const struct lx_line *a = pa, *b = pb;

    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to < b->to ? -1 : 1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return strcmp(a->file, b->file);
}

/** Sorts them; each ends where the next one starts. */
static void sort_lines(struct lx_lines *l)
{
    qsort(l->line, l->count, sizeof *l->line, compare_lines);
    for (size_t i = 0; i + 1 < l->count; i++)
        if (l->line[i].to > l->line[i + 1].from)
            l->line[i].to = l->line[i + 1].from;
}

struct lx_lines *lx_lines_new(const struct lx_dwarf_files *files, const struct lx_elf_image *image)
{
    struct lx_lines *l = sim_alloc(1, sizeof *l);
    pid_t child;
    FILE *in = lx_dwarf_begin(files, send_tables, &child);

    if (in)
        take_lines(l, image, in);
    lx_dwarf_end(in, child);
    if (l->count)
        sort_lines(l);
    return l;
}

void lx_lines_free(struct lx_lines *l)
{
    if (!l)
        return;
    lx_texts_free(&l->files);
    free(l->line);
    free(l);
}

size_t lx_lines_count(const struct lx_lines *l)
{
    return l->count;
}

const struct lx_line *lx_lines_at(const struct lx_lines *l, uint64_t va)
{
    size_t low = 0, high = l->count;

    while (low < high) { /* the first line that starts behind `va` */
        const size_t middle = low + (high - low) / 2;
        if (l->line[middle].from <= va)
            low = middle + 1;
        else
            high = middle;
    }
    return low && va < l->line[low - 1].to ? &l->line[low - 1] : NULL;
}
