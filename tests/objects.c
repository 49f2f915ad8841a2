/*
 * What addresses of a run are called, for objects.py: questions on standard input, a line for each
 * on standard output.
 *
 *     objects RUN_DIR
 *
 * A question is an address in hexadecimal: "KEY#NAME#FROM#SIZE#OFFSET#MEMORY"; MEMORY is what a
 * block or stack is called whose part the program has a name for, else KEY. With two ticks behind
 * it, it is about that time. With "parts DEPTH" behind it, the answer is a line for each part of
 * the variable there, "NAME#OFFSET#SIZE", and an empty one; with "declared" the path and line that
 * declare it, "PATH#LINE", or "none". "name NAME" is answered by "FROM#SIZE"
 * of the variable or function of that name, or "none". Exit status 2, with the reason on standard
 * error: a file is refused.
 */
#include "look/object_at.h"

#include "base/alloc.h"

#include <inttypes.h>

static void print_parts(struct prog_names *names, const struct look_object *object, unsigned depth)
{
    struct prog_member m;
    for (uint64_t at = 0; at < object->size; at = m.offset + m.size) {
        names->member(names, &object->variable, at, depth, &m);
        printf("%s%s#%" PRIu64 "#%" PRIu64 "\n", m.name, m.padding ? " (padding)" : "", m.offset,
               m.size);
        if (m.offset > at || m.offset + m.size <= at || m.offset + m.size > object->size)
            abort();
    }
    putchar('\n');
}

static void print_declared(const struct look_finder *finder, const struct look_object *object)
{
    struct prog_line line;
    if (look_object_declared(finder, object, &line))
        printf("%s#%u\n", line.file, line.line);
    else
        puts("none");
}

static void answer(struct look_finder *finder, struct prog_names *names, const char *line)
{
    uint64_t va = 0, from = 0, to = SIM_NEVER;
    unsigned depth;
    char name[100];
    struct look_object object;
    if (sscanf(line, "name %99s", name) == 1) {
        if (names->find(names, name, &from, &to))
            printf("%" PRIx64 "#%" PRIu64 "\n", from, to - from);
        else
            puts("none");
        return;
    }
    sscanf(line, "%" SCNx64 " %" SCNu64 " %" SCNu64, &va, &from, &to);
    look_object_at(finder, va, from, to, &object);
    if (strstr(line, " declared"))
        print_declared(finder, &object);
    else if (sscanf(line, "%*x parts %u", &depth) == 1)
        print_parts(names, &object, depth);
    else
        printf("%s#%s#%" PRIx64 "#%" PRIu64 "#%" PRIu64 "#%s\n", object.key, object.name,
               object.from, object.size, object.offset,
               *object.memory ? object.memory : object.key);
}

static void answer_all(const struct doc_profile *profile, const struct doc_objects *objects,
                       struct look_code *code)
{
    struct look_finder *finder = look_finder_new(objects, profile, code);
    char line[128];
    while (fgets(line, sizeof line, stdin))
        answer(finder, code->names, line);
    look_finder_free(finder);
}

int main(int argc, char **argv)
{
    char why[8192] = "objects RUN_DIR";
    struct doc_profile profile = {0};
    struct doc_objects objects = {0};
    struct look_code code = {0};
    char *rows = sim_format("%s/" DOC_PROFILE, argc == 2 ? argv[1] : "");
    char *blocks = sim_format("%s/" DOC_OBJECTS, argc == 2 ? argv[1] : "");
    const bool good = argc == 2 && doc_profile_read(rows, &profile, why, sizeof why) &&
                      doc_objects_read(blocks, profile.paths, &objects, why, sizeof why) &&
                      look_code_open(&code, argv[1], NULL, why, sizeof why);
    if (good)
        answer_all(&profile, &objects, &code);
    else
        fprintf(stderr, "%s\n", why);
    look_code_close(&code);
    doc_objects_free(&objects);
    doc_profile_free(&profile);
    free(blocks);
    free(rows);
    return good ? 0 : 2;
}
