/* A coherence protocol for people. */
#ifndef SHOW_PROTOCOL_H
#define SHOW_PROTOCOL_H

#include "machine/protocol.h"

#include <stdio.h>

/** As tables in Markdown and in HTML, and as a graph for Graphviz. */
void show_protocol_md(const struct nm_protocol *protocol, FILE *out);
void show_protocol_html(const struct nm_protocol *protocol, FILE *out);
void show_protocol_dot(const struct nm_protocol *protocol, FILE *out);

#endif
