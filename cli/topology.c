/*
 * numachine topology: how a machine hangs together.
 */
#include "show/topology.h"

#include "cli/cli.h"

#include <string.h>

static const struct topology_format {
    const char *name;
    void (*write)(const struct show_topology *t, FILE *out);
} topology_formats[] = {{"text", show_topology_text},
                        {"dot", show_topology_dot},
                        {"svg", show_topology_svg},
                        {"simgrid", show_topology_simgrid}};

/* A file may have any name; a picture or a graph shows it without what would end a string there. */
static void harmless(char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || strchr("<>&\"\\\177", *name))
            *name = '_';
}

int cli_topology(struct cli_given *g)
{
    struct in_machine machine;
    int status = CLI_EXIT_USAGE;
    if (cli_machine_load(g, &machine)) {
        const struct show_topology t = show_topology_of(&machine, machine.name);
        harmless(machine.name);
        topology_formats[CLI_NAMED(g, "no format", g->format, topology_formats)].write(&t, stdout);
        in_machine_free(&machine);
        status = CLI_EXIT_OK;
    }
    return status;
}
