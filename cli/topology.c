/*
 * numachine topology: how a machine hangs together.
 */
#include "show/topology.h"

#include "base/alloc.h"
#include "cli/cli.h"
#include "documents/cells.h"

#include <stdlib.h>
#include <string.h>

static const struct topology_format {
    const char *name;
    void (*write)(const struct show_topology *t, FILE *out);
} topology_formats[] = {{"text", show_topology_text},
                        {"dot", show_topology_dot},
                        {"svg", show_topology_svg},
                        {"simgrid", show_topology_simgrid}};

/* A file may have any name; a picture or a graph shows it without what would end a string there. */
static json_t *harmless(const char *name)
{
    json_t *text = doc_json_text(name);
    char *plain = sim_strdup(json_string_value(text));
    for (char *p = plain; *p; p++)
        if ((unsigned char)*p < ' ' || strchr("<>&\"\\\177", *p))
            *p = '_';
    json_string_set(text, plain);
    free(plain);
    return text;
}

int cli_topology(struct cli_given *g)
{
    struct in_machine machine;
    int status = CLI_EXIT_USAGE;
    if (cli_machine_load(g, &machine)) {
        json_t *name = harmless(machine.name);
        const struct show_topology t = show_topology_of(&machine, json_string_value(name));
        topology_formats[CLI_NAMED(g, "no format", g->format, topology_formats)].write(&t, stdout);
        json_decref(name);
        in_machine_free(&machine);
        status = CLI_EXIT_OK;
    }
    return status;
}
