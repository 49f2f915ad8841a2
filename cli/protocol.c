/*
 * numachine protocol: the coherence protocol for people, printed from the tables that run.
 *
 * One table per agent: states down, events across, in the cell the next state and what is done. An
 * empty cell cannot happen; the exhaustive checker has shown that (docs/coherence.md).
 */
#include "machine/protocol.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/** How a format writes a protocol. */
struct format {
    const char *name;
    void (*run)(const struct nm_protocol *protocol);
};

static const char *const titles[NM_AGENTS] = {
    "Processor card: the line in its secondary cache, and its request",
    "Home memory: directory entry of a line",
    "Network cache: what another station knows of a line",
};

static const char *const choices_title = "What sources say, and what is a choice of ours (design)";

/** The words of a cell's actions, in the order of actions.def. */
static void print_actions(enum nm_agent agent, uint64_t actions, const char *between)
{
    const char *gap = "", *name;
    for (unsigned bit = 0; (name = nm_action_name(agent, bit)); bit++)
        if (actions >> bit & 1) {
            printf("%s%s", gap, name);
            gap = between;
        }
}

/* A state that nothing leads out of is there for other protocols. */
static bool used(const struct nm_table *t, unsigned state)
{
    for (unsigned e = 0; e < t->events; e++)
        if (nm_cell(t, state, e)->exists)
            return true;
    return false;
}

/* ---- Markdown -------------------------------------------------------------------------------- */

static void md_words(const struct nm_table *t)
{
    puts("| state | meaning |\n|---|---|");
    for (unsigned s = 0; s < t->states; s++)
        if (used(t, s))
            printf("| %s | %s |\n", t->state[s].name, t->state[s].sentence);
    puts("\n| event | meaning |\n|---|---|");
    for (unsigned e = 0; e < t->events; e++)
        printf("| %s | %s |\n", t->event[e].name, t->event[e].sentence);
    putchar('\n');
}

static void md_row(enum nm_agent agent, const struct nm_table *t, unsigned s)
{
    printf("| **%s** |", t->state[s].name);
    for (unsigned e = 0; e < t->events; e++) {
        const struct nm_cell *cell = nm_cell(t, s, e);
        if (cell->exists) {
            printf(" **%s**<br>", t->state[cell->next].name);
            print_actions(agent, cell->actions, "<br>");
        }
        fputs(" |", stdout);
    }
    putchar('\n');
}

static void md_choices(void)
{
    size_t count;
    const struct nm_choice_row *rows = nm_choices(&count);
    printf("## %s\n\n| choice | source | what is done |\n|---|---|---|\n", choices_title);
    for (size_t i = 0; i < count; i++)
        printf("| %s | %s | %s |\n", rows[i].name, rows[i].source, rows[i].sentence);
}

static void md_table(enum nm_agent agent, const struct nm_table *t)
{
    printf("## %s\n\n", titles[agent]);
    md_words(t);
    fputs("| state |", stdout);
    for (unsigned e = 0; e < t->events; e++)
        printf(" %s |", t->event[e].name);
    fputs("\n|---|", stdout);
    for (unsigned e = 0; e < t->events; e++)
        fputs("---|", stdout);
    putchar('\n');
    for (unsigned s = 0; s < t->states; s++)
        if (used(t, s))
            md_row(agent, t, s);
    putchar('\n');
}

static void md(const struct nm_protocol *protocol)
{
    printf("# The coherence protocol %s\n\n%s\n\n", protocol->name, protocol->sentence);
    for (unsigned agent = 0; agent < NM_AGENTS; agent++)
        md_table(agent, protocol->agent[agent]);
    md_choices();
}

/* ---- HTML ------------------------------------------------------------------------------------ */

/** The sentences of the table hold none of the characters HTML reserves but these. */
static void html_text(const char *text)
{
    for (; *text; text++)
        if (*text == '"')
            fputs("&quot;", stdout);
        else if (*text == '<')
            fputs("&lt;", stdout);
        else if (*text == '&')
            fputs("&amp;", stdout);
        else
            putchar(*text);
}

static void html_head(const char *name, const char *sentence)
{
    fputs("<th title=\"", stdout);
    html_text(sentence);
    printf("\">%s</th>", name);
}

static void html_row(enum nm_agent agent, const struct nm_table *t, unsigned s)
{
    fputs("<tr>", stdout);
    html_head(t->state[s].name, t->state[s].sentence);
    for (unsigned e = 0; e < t->events; e++) {
        const struct nm_cell *cell = nm_cell(t, s, e);
        if (!cell->exists) {
            fputs("<td class=\"no\"></td>", stdout);
            continue;
        }
        printf("<td><b>%s</b><br>", t->state[cell->next].name);
        print_actions(agent, cell->actions, "<br>");
        fputs("</td>", stdout);
    }
    puts("</tr>");
}

static void html_choices(void)
{
    size_t count;
    const struct nm_choice_row *rows = nm_choices(&count);
    printf("<h2>%s</h2>\n<table>\n", choices_title);
    for (size_t i = 0; i < count; i++) {
        printf("<tr><th>%s</th><td>%s</td><td>", rows[i].name, rows[i].source);
        html_text(rows[i].sentence);
        puts("</td></tr>");
    }
    puts("</table>");
}

static void html_table(enum nm_agent agent, const struct nm_table *t)
{
    printf("<h2>%s</h2>\n<table>\n<tr><th></th>", titles[agent]);
    for (unsigned e = 0; e < t->events; e++)
        html_head(t->event[e].name, t->event[e].sentence);
    puts("</tr>");
    for (unsigned s = 0; s < t->states; s++)
        if (used(t, s))
            html_row(agent, t, s);
    puts("</table>");
}

static void html(const struct nm_protocol *protocol)
{
    puts("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<title>The coherence protocol</title>\n<style>"
         "body{font:13px sans-serif}table{border-collapse:collapse}"
         "th,td{border:1px solid #999;padding:2px 4px;vertical-align:top;font-size:11px}"
         "th{background:#eee;position:sticky;left:0;top:0}td.no{background:#f6f6f6}"
         "</style></head><body>");
    printf("<h1>The coherence protocol %s</h1>\n<p>", protocol->name);
    html_text(protocol->sentence);
    puts(".</p>\n"
         "<p>States down, events across; hold the pointer over a name to read what it means.</p>");
    for (unsigned agent = 0; agent < NM_AGENTS; agent++)
        html_table(agent, protocol->agent[agent]);
    html_choices();
    puts("</body></html>");
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

/** All events that lead from one state to another, on one arrow. Loops would hide the rest. */
static void dot_edge(const char *agent, const struct nm_table *t, unsigned from, unsigned to)
{
    const char *gap = "";
    for (unsigned e = 0; e < t->events; e++) {
        const struct nm_cell *cell = nm_cell(t, from, e);
        if (from == to || !cell->exists || cell->next != to)
            continue;
        if (!*gap)
            printf("    %s_%s -> %s_%s [label=\"", agent, t->state[from].name, agent,
                   t->state[to].name);
        printf("%s%s", gap, t->event[e].name);
        gap = "\\n";
    }
    if (*gap)
        puts("\"];");
}

static void dot_table(enum nm_agent agent, const struct nm_table *t)
{
    const char *name = nm_agent_name(agent);
    printf("  subgraph cluster_%s {\n    label=\"%s\";\n", name, titles[agent]);
    for (unsigned s = 0; s < t->states; s++)
        if (used(t, s))
            printf("    %s_%s [label=\"%s\"];\n", name, t->state[s].name, t->state[s].name);
    for (unsigned s = 0; s < t->states; s++)
        for (unsigned to = 0; to < t->states; to++)
            dot_edge(name, t, s, to);
    puts("  }");
}

static void dot(const struct nm_protocol *protocol)
{
    puts("digraph protocol {\n  node [shape=box, fontname=\"sans-serif\"];\n"
         "  edge [fontname=\"sans-serif\", fontsize=9];");
    for (unsigned agent = 0; agent < NM_AGENTS; agent++)
        dot_table(agent, protocol->agent[agent]);
    puts("}");
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct format formats[] = {{"md", md}, {"html", html}, {"dot", dot}};

int cli_protocol(struct cli_given *g)
{
    const char *name = g->count ? g->words[0] : "numachine";
    const struct nm_protocol *protocol = &nm_protocols[cli_named(
        g, "no protocol", name, nm_protocols, sizeof *nm_protocols, NM_PROTOCOLS)];
    formats[CLI_NAMED(g, "no format", g->format, formats)].run(protocol);
    return CLI_EXIT_OK;
}
