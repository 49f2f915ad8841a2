/*
 * A page as a file: the template, the style and the scripts among the shipped files, with a
 * document in it that the scripts draw.
 */
#ifndef PAGE_SHEET_H
#define PAGE_SHEET_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/** What a page is made of. */
struct page_sheet {
    const char *title;
    const char *kind;    /**< of what it is the page: "run", "sweep" */
    const char *command; /**< that makes it: "report" */
    const char *script;  /**< the shipped file that draws it: "report.js" */
    const char *style;   /**< a shipped file of its own besides "report.css"; NULL: none */
    const char *drawing; /**< an SVG for the script; NULL: none */
    json_t *data;        /**< the document */
};

/**
 * Writes a page. Equal sheets give equal bytes.
 * @param path  it is replaced at once, or not at all
 * @param[out] charts  what is worth saying about its charts. Static; NULL: nothing
 * @return false with one line in `why`
 */
bool page_sheet_write(const struct page_sheet *sheet, const char *path, const char **charts,
                      char *why, size_t size);

/** Whether `path` is the file `name` of a directory: a page is not written over what it is made of.
 *  @return true with one line in `why` */
bool page_is_own(const char *path, const char *directory, const char *name, char *why, size_t size);

/** Whether a page may be written to `path`: there is nothing, or a page, which it replaces. The
 *  target of a link is not ours.
 *  @return false with one line in `why` */
bool page_may_be(const char *path, char *why, size_t size);

/** The text of a regular file of at most 4 MB. @return the caller's; NULL with one line in `why` */
char *page_text(const char *path, char *why, size_t size);

#endif
