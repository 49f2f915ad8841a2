/*
 * A coherence protocol for people, printed from the tables that run.
 *
 * One table per agent: states down, events across, in the cell the next state and what is done. An
 * empty cell cannot happen; the exhaustive checker has shown that (docs/coherence.md).
 */
#include "show/protocol.h"

static const char *const titles[NM_AGENTS] = {
    "Processor card: the line in its secondary cache, and its request",
    "Home memory: directory entry of a line",
    "Network cache: what another station knows of a line",
};

static const char *const choices_title = "What sources say, and what is a choice of ours (design)";

/** The words of a cell's actions, in the order of actions.def. */
static void print_actions(FILE *out, enum nm_agent agent, uint64_t actions, const char *between)
{
    const char *gap = "", *name;
    for (unsigned bit = 0; (name = nm_action_name(agent, bit)); bit++)
        if (actions >> bit & 1) {
            fprintf(out, "%s%s", gap, name);
            gap = between;
        }
}

/* A state that nothing leads out of is there for other protocols. */
static bool protocol_used(const struct nm_table *t, unsigned state)
{
    for (unsigned e = 0; e < t->events; e++)
        if (nm_cell(t, state, e)->exists)
            return true;
    return false;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void md_words(FILE *out, const struct nm_table *t)
{
    fputs("| state | meaning |\n|---|---|\n", out);
    for (unsigned s = 0; s < t->states; s++)
        if (protocol_used(t, s))
            fprintf(out, "| %s | %s |\n", t->state[s].name, t->state[s].sentence);
    fputs("\n| event | meaning |\n|---|---|\n", out);
    for (unsigned e = 0; e < t->events; e++)
        fprintf(out, "| %s | %s |\n", t->event[e].name, t->event[e].sentence);
    putc('\n', out);
}

static void md_row(FILE *out, enum nm_agent agent, const struct nm_table *t, unsigned s)
{
    fprintf(out, "| **%s** |", t->state[s].name);
    for (unsigned e = 0; e < t->events; e++) {
        const struct nm_cell *cell = nm_cell(t, s, e);
        if (cell->exists) {
            fprintf(out, " **%s**<br>", t->state[cell->next].name);
            print_actions(out, agent, cell->actions, "<br>");
        }
        fputs(" |", out);
    }
    putc('\n', out);
}

static void md_choices(FILE *out)
{
    size_t count;
    const struct nm_choice_row *rows = nm_choices(&count);
    fprintf(out, "## %s\n\n| choice | source | what is done |\n|---|---|---|\n", choices_title);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "| %s | %s | %s |\n", rows[i].name, rows[i].source, rows[i].sentence);
}

static void md_table(FILE *out, enum nm_agent agent, const struct nm_table *t)
{
    fprintf(out, "## %s\n\n", titles[agent]);
    md_words(out, t);
    fputs("| state |", out);
    for (unsigned e = 0; e < t->events; e++)
        fprintf(out, " %s |", t->event[e].name);
    fputs("\n|---|", out);
    for (unsigned e = 0; e < t->events; e++)
        fputs("---|", out);
    putc('\n', out);
    for (unsigned s = 0; s < t->states; s++)
        if (protocol_used(t, s))
            md_row(out, agent, t, s);
    putc('\n', out);
}

void show_protocol_md(const struct nm_protocol *protocol, FILE *out)
{
    fprintf(out, "# The coherence protocol %s\n\n%s\n\n", protocol->name, protocol->sentence);
    for (unsigned agent = 0; agent < NM_AGENTS; agent++)
        md_table(out, agent, protocol->agent[agent]);
    md_choices(out);
}

/* ---- HTML ------------------------------------------------------------------------------------ */

/** The sentences of the table hold none of the characters HTML reserves but these. */
static void html_text(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '"')
            fputs("&quot;", out);
        else if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            putc(*text, out);
}

static void html_head(FILE *out, const char *name, const char *sentence)
{
    fputs("<th title=\"", out);
    html_text(out, sentence);
    fprintf(out, "\">%s</th>", name);
}

static void html_row(FILE *out, enum nm_agent agent, const struct nm_table *t, unsigned s)
{
    fputs("<tr>", out);
    html_head(out, t->state[s].name, t->state[s].sentence);
    for (unsigned e = 0; e < t->events; e++) {
        const struct nm_cell *cell = nm_cell(t, s, e);
        if (!cell->exists) {
            fputs("<td class=\"no\"></td>", out);
            continue;
        }
        fprintf(out, "<td><b>%s</b><br>", t->state[cell->next].name);
        print_actions(out, agent, cell->actions, "<br>");
        fputs("</td>", out);
    }
    fputs("</tr>\n", out);
}

static void html_choices(FILE *out)
{
    size_t count;
    const struct nm_choice_row *rows = nm_choices(&count);
    fprintf(out, "<h2>%s</h2>\n<table>\n", choices_title);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "<tr><th>%s</th><td>%s</td><td>", rows[i].name, rows[i].source);
        html_text(out, rows[i].sentence);
        fputs("</td></tr>\n", out);
    }
    fputs("</table>\n", out);
}

static void html_table(FILE *out, enum nm_agent agent, const struct nm_table *t)
{
    fprintf(out, "<h2>%s</h2>\n<table>\n<tr><th></th>", titles[agent]);
    for (unsigned e = 0; e < t->events; e++)
        html_head(out, t->event[e].name, t->event[e].sentence);
    fputs("</tr>\n", out);
    for (unsigned s = 0; s < t->states; s++)
        if (protocol_used(t, s))
            html_row(out, agent, t, s);
    fputs("</table>\n", out);
}

void show_protocol_html(const struct nm_protocol *protocol, FILE *out)
{
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<title>The coherence protocol</title>\n<style>"
          "body{font:13px sans-serif}table{border-collapse:collapse}"
          "th,td{border:1px solid #999;padding:2px 4px;vertical-align:top;font-size:11px}"
          "th{background:#eee;position:sticky;left:0;top:0}td.no{background:#f6f6f6}"
          "</style></head><body>\n",
          out);
    fprintf(out, "<h1>The coherence protocol %s</h1>\n<p>", protocol->name);
    html_text(out, protocol->sentence);
    fputs(
        ".</p>\n"
        "<p>States down, events across; hold the pointer over a name to read what it means.</p>\n",
        out);
    for (unsigned agent = 0; agent < NM_AGENTS; agent++)
        html_table(out, agent, protocol->agent[agent]);
    html_choices(out);
    fputs("</body></html>\n", out);
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

/** All events that lead from one state to another, on one arrow. Loops would hide the rest. */
static void dot_edge(FILE *out, const char *agent, const struct nm_table *t, unsigned from,
                     unsigned to)
{
    const char *gap = "";
    for (unsigned e = 0; e < t->events; e++) {
        const struct nm_cell *cell = nm_cell(t, from, e);
        if (from == to || !cell->exists || cell->next != to)
            continue;
        if (!*gap)
            fprintf(out, "    %s_%s -> %s_%s [label=\"", agent, t->state[from].name, agent,
                    t->state[to].name);
        fprintf(out, "%s%s", gap, t->event[e].name);
        gap = "\\n";
    }
    if (*gap)
        fputs("\"];\n", out);
}

static void dot_table(FILE *out, enum nm_agent agent, const struct nm_table *t)
{
    const char *name = nm_agent_name(agent);
    fprintf(out, "  subgraph cluster_%s {\n    label=\"%s\";\n", name, titles[agent]);
    for (unsigned s = 0; s < t->states; s++)
        if (protocol_used(t, s))
            fprintf(out, "    %s_%s [label=\"%s\"];\n", name, t->state[s].name, t->state[s].name);
    for (unsigned s = 0; s < t->states; s++)
        for (unsigned to = 0; to < t->states; to++)
            dot_edge(out, name, t, s, to);
    fputs("  }\n", out);
}

void show_protocol_dot(const struct nm_protocol *protocol, FILE *out)
{
    fputs("digraph protocol {\n  node [shape=box, fontname=\"sans-serif\"];\n"
          "  edge [fontname=\"sans-serif\", fontsize=9];\n",
          out);
    for (unsigned agent = 0; agent < NM_AGENTS; agent++)
        dot_table(out, agent, protocol->agent[agent]);
    fputs("}\n", out);
}
