/*
 * numachine protocol: the coherence protocol for people.
 */
#include "show/protocol.h"
#include "cli/cli.h"

static const struct protocol_format {
    const char *name;
    void (*write)(const struct nm_protocol *protocol, FILE *out);
} protocol_formats[] = {
    {"md", show_protocol_md}, {"html", show_protocol_html}, {"dot", show_protocol_dot}};

int cli_protocol(struct cli_given *g)
{
    const char *name = g->count ? g->words[0] : "numachine";
    const struct nm_protocol *protocol = &nm_protocols[cli_named(
        g, "no protocol", name, nm_protocols, sizeof *nm_protocols, NM_PROTOCOLS)];
    protocol_formats[CLI_NAMED(g, "no format", g->format, protocol_formats)].write(protocol,
                                                                                   stdout);
    return CLI_EXIT_OK;
}
