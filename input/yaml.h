/*
 * YAML texts and places in them; private to input/.
 *
 * A reading keeps every text it has opened until its end, so that any later complaint can show the
 * line it is about.
 */
#ifndef IN_YAML_H
#define IN_YAML_H

#include "base/alloc.h"
#include "input/diag.h"

#include <sys/stat.h>
#include <yaml.h>

enum {
    IN_TEXT_MAX = 64 * 1024,     /**< [bytes] larger files are refused */
    IN_DEPTH_MAX = 64,           /**< lists and mappings inside each other */
    IN_ANCHORS_MAX = 256,        /**< libyaml searches them one by one */
    IN_ITEMS_MAX = 4096,         /**< entries of one list or mapping */
    IN_STRINGS_MAX = 128 * 1024, /**< [bytes] all texts of one list: aliases repeat a long one */
};

/** One YAML text. */
struct in_doc {
    struct in_doc *next;
    char
        *path; /**< to open it, and to find files named in it; NULL: command line, stdin, default */
    char *shown;             /**< as complaints name it; "--set a.b=c" for an assignment */
    char *text;              /**< NUL-terminated */
    size_t size;             /**< [bytes] without the NUL */
    bool inline_text;        /**< no file: complaints name `shown` and no line */
    struct in_doc *swept_in; /**< the file whose sweep: has this value; NULL: none has */
    unsigned line, column;   /**< where, in that file */
    bool parsed;
    yaml_document_t yaml; /**< valid when parsed */
};

/** A place in a text; doc NULL: nowhere. */
struct in_place {
    struct in_doc *doc;
    unsigned line, column; /**< from 1; 0: the file as a whole */
};

/** One assignment of a sweep's point, as --set would have it. */
struct in_swept {
    char *set;             /**< "a.b=c" */
    unsigned line, column; /**< of its value in the experiment's file */
};

/** Everything open during one reading. */
struct in_reading {
    struct in_diag *diag;
    struct in_doc *docs;
    struct in_doc *file;          /**< the experiment's; NULL: none */
    const struct in_swept *swept; /**< assignments that are of its sweep ... */
    size_t swept_count;           /**< ... so many */
};

/** Complains about a place, or without one when `at` is NULL or nowhere. */
void in_complain(struct in_reading *r, const struct in_place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** Why a file of this kind is not read: a file that is not regular may have no end, or no writer.
 * NULL: it is regular. */
const char *in_unreadable_kind(mode_t mode);

/**
 * Opens and parses a file ("-": standard input); complains and returns NULL on any failure,
 * also when the text is empty, not UTF-8 YAML, or more than one document.
 * @param shown  name for people
 * @param asked  the place that names the file, or NULL for the user
 * @return a document of the reading, with a root node
 */
struct in_doc *in_open(struct in_reading *r, const char *path, const char *shown,
                       const struct in_place *asked);

/** The same for a text in memory, for example the value of an assignment. */
struct in_doc *in_open_text(struct in_reading *r, const char *text, const char *shown);

/** The same for the value of a sweep: complaints show its place in r->file, and paths in it are
 * seen from there. */
struct in_doc *in_open_swept(struct in_reading *r, const char *text, const struct in_swept *swept);

/** Releases every document of the reading. */
void in_close(struct in_reading *r);

yaml_node_t *in_root(struct in_doc *doc);
yaml_node_t *in_node(struct in_doc *doc, int index);
struct in_place in_at(struct in_doc *doc, const yaml_node_t *node);

/** Text of a scalar; NULL when the node is none, is tagged, or holds a NUL. */
const char *in_scalar(const yaml_node_t *node);

/** A plain scalar that YAML reads as null: nothing, ~ or null. */
bool in_is_null(const yaml_node_t *node);

/** "a list", "a mapping", "text": what a node is, for complaints. */
const char *in_kind(const yaml_node_t *node);

/** `name` as seen from the directory of `beside` (NULL: the current one). Allocated. */
char *in_path_beside(const char *beside, const char *name);

/** strdup that ends the program when memory is exhausted. */
char *in_strdup(const char *s);

/** Appends a copy of `s` to a NULL-terminated list (or NULL, the empty one). */
void in_push(char ***list, const char *s);
void in_free_list(char **list);

/** Item `i` of such a list, for sim_nearest. @param list  a char ** */
const char *in_next_item(void *list, size_t i);

#endif
