/*
 * Files of source text by name. A name is as the compiler was told: it may be relative, and the
 * file may be elsewhere now.
 */
#include "look/files.h"

#include "base/alloc.h"

#include <string.h>

static const struct system_row {
    const char *path;
    bool system;
} rows[] = {
#define SYSTEM(path, sentence) {path, true},
#define OWN(path, sentence)    {path, false},
#include "look/system.def"
#undef SYSTEM
#undef OWN
};
/* What --system-path has instead of folders: in front of all, or alone. */
static const char BESIDE[] = "+", NONE[] = "none";

enum { ROWS = sizeof rows / sizeof *rows };

/* [bytes] of a folder's name without a slash at its end. */
static size_t files_length(const char *folder)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    return length;
}

static bool is_below(const char *file, const char *folder, size_t length)
{
    return !strncmp(file, folder, length) &&
           (file[length] == '/' || !file[length] || (length == 1 && *folder == '/'));
}

/* Whether a file lies in a folder of that name; one without / in front may lie anywhere. */
static bool files_holds(const char *folder, const char *file)
{
    const size_t length = files_length(folder);
    if (*folder == '/' || *folder == '.')
        return is_below(file, folder, length);
    for (const char *at = file; at; at = strchr(at, '/')) {
        at += *at == '/';
        if (is_below(at, folder, length))
            return true;
    }
    return false;
}

static bool is_usual(const char *file)
{
    for (size_t i = 0; i < ROWS; i++)
        if (files_holds(rows[i].path, file))
            return rows[i].system;
    return false;
}

bool look_files_system(const struct look_files *files, const char *file)
{
    char *const *said = files ? files->system : NULL;
    if (!file || (said && !strcmp(*said, NONE)))
        return false;
    if (!said || !strcmp(*said, BESIDE)) {
        if (is_usual(file))
            return true;
        said += said != NULL;
    }
    for (; said && *said; said++)
        if (files_holds(*said, file))
            return true;
    return false;
}

char *look_files_moved(const struct look_files *files, const char *file)
{
    for (char *const *moved = files ? files->moved : NULL; moved && *moved; moved++) {
        const char *to = strchr(*moved, '=');
        const size_t from = to ? (size_t)(to - *moved) : 0;
        char *folder = sim_format("%.*s", (int)from, *moved);
        const size_t length = files_length(folder);
        const bool moves = from && is_below(file, folder, length);
        free(folder);
        if (moves)
            return sim_format("%.*s%s%s", (int)files_length(to + 1), to + 1,
                              file[length] == '/' || !file[length] ? "" : "/", file + length);
    }
    return NULL;
}

bool look_files_check(const struct look_files *files, char *why, size_t size)
{
    for (char *const *moved = files->moved; moved && *moved; moved++) {
        const char *to = strchr(*moved, '=');
        if (!to || to == *moved || !to[1]) {
            snprintf(why, size, "--source-path: '%.200s' is not FROM=TO, two folders", *moved);
            return false;
        }
    }
    for (char *const *said = files->system; said && *said; said++) {
        const bool first = said == files->system;
        if (!strcmp(*said, BESIDE) ? !first : !strcmp(*said, NONE) && (!first || said[1])) {
            snprintf(why, size, "--system-path: '%s' stands %s", *said,
                     strcmp(*said, NONE) ? "in front of all others" : "alone");
            return false;
        }
    }
    return true;
}
