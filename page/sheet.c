#include "page/sheet.h"

#include "base/alloc.h"
#include "documents/intact.h"
#include "documents/whole.h"
#include "input/home.h"
#include "page/fill.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Where Debian's package libjs-dygraphs has its files. */
#define CHARTS "/usr/share/javascript/dygraphs/dygraph.min"

/* By what a page is known: its first line, and the end of its title (FRAME). */
#define PAGE_HEAD "<!DOCTYPE html>\n"
#define PAGE_MARK " NUMAchine "

/* The shipped template of all pages. */
#define FRAME "frame.html"

enum { FILE_BYTES = 4u << 20 };

char *page_text(const char *path, char *why, size_t size)
{
    const char *wrong;
    FILE *in = doc_ordinary_open(path, &wrong);
    struct stat st;
    char *text = NULL;
    if (!in || fstat(fileno(in), &st))
        snprintf(why, size, "%s: %s", path, in ? strerror(errno) : wrong);
    else if (st.st_size > FILE_BYTES)
        snprintf(why, size, "%s: longer than 4 MB", path);
    else {
        text = sim_alloc((size_t)st.st_size + 1, 1);
        text[fread(text, 1, (size_t)st.st_size, in)] = '\0';
    }
    if (in)
        fclose(in);
    return text;
}

bool page_is_own(const char *path, const char *directory, const char *name, char *why, size_t size)
{
    struct stat page, file;
    char *own = sim_format("%s/%s", directory, name);
    const bool is = !stat(path, &page) && !stat(own, &file) && page.st_dev == file.st_dev &&
                    page.st_ino == file.st_ino;
    if (is)
        snprintf(why, size, "--output: %s is what the page is made of; name another file", own);
    free(own);
    return is;
}

/* Whether a file begins and is named as pages are, of whatever version. One that was being written
 * when its writer was killed may be shorter, and empty. */
static bool is_page(const char *path, bool unfinished)
{
    char head[4096];
    const char *wrong;
    FILE *in = doc_ordinary_open(path, &wrong);
    const size_t n = in ? fread(head, 1, sizeof head - 1, in) : 0;
    head[n] = '\0';
    if (in)
        fclose(in);
    const char *title = strstr(head, "<title>"), *mark = title ? strstr(title, PAGE_MARK) : NULL;
    const bool begins = !strncmp(head, PAGE_HEAD, strlen(PAGE_HEAD));
    return in && ((begins && mark) || (unfinished && !n));
}

/* @param unfinished  it is only the name that a page has while it is written */
static bool may_replace(const char *path, bool unfinished, char *why, size_t size)
{
    struct stat st;
    if (lstat(path, &st))
        return true; /* what else is wrong shows when it is written */
    if (!S_ISREG(st.st_mode))
        snprintf(why, size, "--output: %s is there and not a regular file; name another file",
                 path);
    else if (!is_page(path, unfinished))
        snprintf(why, size,
                 "--output: %s is there and no page that report has written; name another file, or "
                 "remove it",
                 path);
    else
        return true;
    return false;
}

bool page_may_be(const char *path, char *why, size_t size)
{
    char *unfinished = sim_format("%s" DOC_UNFINISHED, path);
    const bool may =
        may_replace(path, false, why, size) && may_replace(unfinished, true, why, size);
    free(unfinished);
    return may;
}

/* The parts of a page. All of them the page's own. */
struct parts {
    char *frame, *style, *own_style, *shared, *script; /* shipped; `own_style` may be NULL */
    char *charts, *charts_style; /* the package's; NULL: it is not installed */
    char *data, *title;
};

static char *sheet_shipped(const char *name, char *why, size_t size)
{
    char *path = in_home_path("page/%s", name), *text = page_text(path, why, size);
    free(path);
    return text;
}

static bool read_parts(struct parts *p, const struct page_sheet *sheet, char *why, size_t size)
{
    char absent[64];
    p->charts = page_text(CHARTS ".js", absent, sizeof absent);
    p->charts_style = page_text(CHARTS ".css", absent, sizeof absent);
    return (p->frame = sheet_shipped(FRAME, why, size)) &&
           (p->style = sheet_shipped("report.css", why, size)) &&
           (!sheet->style || (p->own_style = sheet_shipped(sheet->style, why, size))) &&
           (p->shared = sheet_shipped("parts.js", why, size)) &&
           (p->script = sheet_shipped(sheet->script, why, size));
}

typedef void put_fn(const char *text, FILE *out);

static char *sheet_put(put_fn *how, const char *text)
{
    char *made;
    size_t size;
    FILE *out = sim_text_open(&made, &size);
    how(text, out);
    sim_text_close(out, &made);
    return made;
}

/* The document and the title, as the page has them. */
static void add_data(struct parts *p, const struct page_sheet *sheet)
{
    char *json = json_dumps(sheet->data, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (!json)
        sim_no_memory();
    p->data = sheet_put(page_embed, json);
    p->title = sheet_put(page_escape, sheet->title);
    free(json);
}

static void free_parts(struct parts *p)
{
    free(p->frame);
    free(p->style);
    free(p->own_style);
    free(p->shared);
    free(p->script);
    free(p->charts);
    free(p->charts_style);
    free(p->data);
    free(p->title);
}

struct writing {
    const struct page_sheet *sheet;
    const struct parts *parts;
    char *unknown; /* a slot of the template that there is nothing for */
};

static void write_page(void *ctx, FILE *out)
{
    struct writing *w = ctx;
    const struct parts *p = w->parts;
    const struct page_slot slots[] = {
        {"title", p->title},  {"kind", w->sheet->kind},       {"command", w->sheet->command},
        {"style", p->style},  {"own-style", p->own_style},    {"charts-style", p->charts_style},
        {"data", p->data},    {"machine", w->sheet->drawing}, {"charts", p->charts},
        {"parts", p->shared}, {"script", p->script},
    };
    w->unknown = page_fill(p->frame, slots, sizeof slots / sizeof *slots, out);
}

static bool write_parts(const struct page_sheet *sheet, const struct parts *parts, const char *path,
                        char *why, size_t size)
{
    struct writing w = {.sheet = sheet, .parts = parts};
    bool good = doc_whole_write(path, false, write_page, &w, NULL, why, size);
    if (good && w.unknown) {
        snprintf(why, size, "page/" FRAME ": no slot is called '%.60s'", w.unknown);
        good = false;
    }
    free(w.unknown);
    return good;
}

bool page_sheet_write(const struct page_sheet *sheet, const char *path, const char **charts,
                      char *why, size_t size)
{
    struct parts parts = {0};
    add_data(&parts, sheet);
    const bool good =
        read_parts(&parts, sheet, why, size) && write_parts(sheet, &parts, path, why, size);
    *charts = parts.charts ? NULL
                           : "charts are drawn without zoom: for that, install libjs-dygraphs "
                             "(apt-get install libjs-dygraphs) and write the report again";
    free_parts(&parts);
    return good;
}
