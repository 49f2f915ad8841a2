/* Where the links of /proc lead (link.c). */
#ifndef LX_LINK_H
#define LX_LINK_H

#include "programs/linux/files/file.h"

/** What readlink says of a made-up file: a path, or what stands for a file that has none. @return
 *  allocated; NULL: it is no link, or nothing has that number */
char *lx_link_text(struct lx_prog *p, const struct lx_synthetic *row, unsigned number);
/** The view's question: where such a link is followed to by its text. @param ctx  a struct lx_prog
 *  @return allocated; NULL: not by its text */
char *lx_link_followed(void *ctx, const struct lx_synthetic *row, unsigned number);

/** Remembers by which path a file was opened. @param f  has none yet, or keeps the one it has */
void lx_link_opened(struct lx_file *f, const struct lx_spot *s);

#endif
