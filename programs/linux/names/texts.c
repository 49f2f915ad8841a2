/* Names that debugging information has. It may be damaged anywhere: a name may be any bytes. */
#include "programs/linux/names/texts.h"

#include "base/alloc.h"

#include <uthash.h>

void lx_file_name(Dwarf_Files *files, const char *file, char name[LX_FILE_LONGEST + 1])
{
    const char *const *directories;
    const char *in = NULL;
    size_t n;

    *name = '\0';
    if (!file)
        return;
    if (*file != '/' && files && dwarf_getsrcdirs(files, &directories, &n) == 0 && n > 0)
        in = directories[0];
    if (in && *in && (strncmp(file, in, strlen(in)) != 0 || file[strlen(in)] != '/'))
        snprintf(name, LX_FILE_LONGEST + 1, "%s/%s", in, file);
    else
        snprintf(name, LX_FILE_LONGEST + 1, "%s", file);
}

struct lx_text {
    UT_hash_handle hh;
    char text[];
};

bool lx_texts_printable(const char *text)
{
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            return false;
    return *text;
}

const char *lx_texts_keep(struct lx_texts *texts, const char *text)
{
    struct lx_text *t;

    if (!lx_texts_printable(text))
        return NULL;
    HASH_FIND_STR(texts->first, text, t);
    if (!t) {
        t = sim_alloc(1, sizeof *t + strlen(text) + 1);
        memcpy(t->text, text, strlen(text) + 1);
        HASH_ADD_STR(texts->first, text, t);
    }
    return t->text;
}

void lx_texts_free(struct lx_texts *texts)
{
    struct lx_text *t = texts->first, *next;

    HASH_CLEAR(hh, texts->first);
    for (; t; t = next) {
        next = t->hh.next;
        free(t);
    }
}
