/*
 * Tables of virtual functions, in the file.
 *
 * The hard idea is where in a table an object's first word points to: behind as many numbers as the
 * class needs, which nothing says. But right in front of there is the address of the class's
 * description (typeinfo), which has a symbol of the same name.
 */
#include "programs/linux/names/vtables.h"

#include "base/alloc.h"
#include "programs/linux/names/demangle.h"

#include <string.h>
#include <unistd.h>
#include <uthash.h>

enum { TABLES_MAX = 1 << 12, PREFIX_WORDS_MAX = 4096 /* in front of a table's first function */ };

static const char TABLE[] = "_ZTV", DESCRIPTION[] = "_ZTI", SAYS[] = "vtable for ";

struct vtable {
    char *name;  /* of the class, as people write it */
    uint64_t at; /* where objects point to; guest virtual */
    UT_hash_handle hh;
};

struct lx_vtables {
    int fd;
    const struct lx_elf_image *image;
    struct vtable *by_name;
};

static bool word_in_file(const struct lx_vtables *t, uint64_t va, uint64_t *out)
{
    const struct lx_kind *kind = t->image->kind;
    uint8_t bytes[8];

    for (unsigned i = 0; i < t->image->segments; i++) {
        const struct lx_elf_segment *s = &t->image->segment[i];
        if (va < s->va || va - s->va >= s->filesz || s->filesz - (va - s->va) < kind->word)
            continue;
        if (pread(t->fd, bytes, kind->word, (off_t)(s->offset + (va - s->va))) != kind->word)
            return false;
        *out = lx_kind_get(kind, bytes, kind->word);
        return true;
    }
    return false;
}

static void add_table(struct lx_vtables *t, const struct lx_symbols *objects,
                      const struct lx_symbol *symbol)
{
    char *name = lx_demangle(symbol->name);
    char *description = sim_format("%s%s", DESCRIPTION, symbol->name + sizeof TABLE - 1);
    const struct lx_symbol *described = lx_symbols_named(objects, description);
    const unsigned word = t->image->kind->word;
    struct vtable *table;
    uint64_t va = symbol->from, value = 0;

    for (unsigned i = 0;
         described && value != described->from && va < symbol->to && i < PREFIX_WORDS_MAX;
         i++, va += word)
        if (!word_in_file(t, va, &value))
            value = 0;
    if (name && described && value == described->from && !strncmp(name, SAYS, sizeof SAYS - 1)) {
        HASH_FIND_STR(t->by_name, name + sizeof SAYS - 1, table);
        if (!table) {
            table = sim_alloc(1, sizeof *table);
            table->name = sim_strdup(name + sizeof SAYS - 1);
            table->at = va;
            HASH_ADD_KEYPTR(hh, t->by_name, table->name, strlen(table->name), table);
        }
    }
    free(description);
    free(name);
}

struct lx_vtables *lx_vtables_new(int fd, const struct lx_elf_image *image,
                                  const struct lx_symbols *objects)
{
    struct lx_vtables *t = sim_alloc(1, sizeof *t);
    const size_t count = lx_symbols_count(objects);

    *t = (struct lx_vtables){.fd = fd, .image = image};
    for (size_t i = 0; i < count && HASH_COUNT(t->by_name) < TABLES_MAX; i++) {
        const struct lx_symbol *symbol = lx_symbols_get(objects, i);
        if (!strncmp(symbol->name, TABLE, sizeof TABLE - 1))
            add_table(t, objects, symbol);
    }
    return t;
}

void lx_vtables_free(struct lx_vtables *vtables)
{
    struct vtable *table, *next;

    if (!vtables)
        return;
    HASH_ITER(hh, vtables->by_name, table, next) {
        HASH_DEL(vtables->by_name, table);
        free(table->name);
        free(table);
    }
    free(vtables);
}

bool lx_vtables_base(const struct lx_vtables *t, const char *class_name, uint64_t behind,
                     uint64_t *out)
{
    const struct vtable *table;

    HASH_FIND_STR(t->by_name, class_name, table);
    return table && word_in_file(t, table->at - behind, out);
}
