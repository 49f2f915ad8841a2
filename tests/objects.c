/*
 * What addresses of a run are called, for objects.py: questions on standard input, a line for each
 * on standard output.
 *
 *     objects RUN_DIR
 *
 * A question is an address in hexadecimal: "KEY#NAME#FROM#SIZE#OFFSET". With two ticks behind it,
 * it is about that time. With "parts DEPTH" behind it, the answer is a line for each part of the
 * variable there, "NAME#OFFSET#SIZE", and an empty one. Exit status 2, with the reason on standard
 * error: a file is refused.
 */
#include "report/object_at.h"

#include "base/alloc.h"

#include <inttypes.h>

static int refuse(const char *why)
{
    fprintf(stderr, "%s\n", why);
    return 2;
}

static void print_parts(struct prog_names *names, const struct rep_object *object, unsigned depth)
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

static void answer(struct rep_finder *finder, struct prog_names *names, const char *line)
{
    uint64_t va = 0, from = 0, to = SIM_NEVER;
    unsigned depth;
    struct rep_object object;
    sscanf(line, "%" SCNx64 " %" SCNu64 " %" SCNu64, &va, &from, &to);
    rep_object_at(finder, va, from, to, &object);
    if (sscanf(line, "%*x parts %u", &depth) == 1)
        print_parts(names, &object, depth);
    else
        printf("%s#%s#%" PRIx64 "#%" PRIu64 "#%" PRIu64 "\n", object.key, object.name, object.from,
               object.size, object.offset);
}

int main(int argc, char **argv)
{
    char why[8192], line[128];
    struct rep_profile profile;
    struct rep_objects objects;
    struct rep_code code;
    if (argc != 2)
        return refuse("objects RUN_DIR");
    char *paths[] = {sim_format("%s/" REP_PROFILE, argv[1]),
                     sim_format("%s/" REP_OBJECTS, argv[1])};
    if (!rep_profile_read(paths[0], &profile, why, sizeof why))
        return refuse(why);
    if (!rep_objects_read(paths[1], profile.paths, &objects, why, sizeof why))
        return refuse(why);
    if (!rep_code_open(&code, argv[1], why, sizeof why))
        return refuse(why);
    struct rep_finder *finder = rep_finder_new(&objects, &profile, &code);
    while (fgets(line, sizeof line, stdin))
        answer(finder, code.names, line);
    rep_finder_free(finder);
    rep_code_close(&code);
    rep_objects_free(&objects);
    rep_profile_free(&profile);
    free(paths[0]);
    free(paths[1]);
    return 0;
}
