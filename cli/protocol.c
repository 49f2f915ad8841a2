/*
 * numachine protocol: the coherence protocol for people, printed from the table that runs.
 *
 * One table per agent: states down, events across, in the cell the next state and what is done. An
 * empty cell cannot happen; the exhaustive checker has shown that (docs/coherence.md).
 */
#include "machine/protocol.h"
#include "cli/cli.h"

#include <stdio.h>
#include <string.h>

/** How a format writes the parts; the walk over the table is the same for all tables. */
struct format {
    const char *name;
    void (*run)(void);
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

/* ---- Markdown -------------------------------------------------------------------------------- */

static void md_words(enum nm_agent agent)
{
    puts("| state | meaning |\n|---|---|");
    for (unsigned s = 0; s < NM_STATES; s++)
        if (nm_state_agent(s) == agent)
            printf("| %s | %s |\n", nm_state_name(s), nm_state_sentence(s));
    puts("\n| event | meaning |\n|---|---|");
    for (unsigned e = 0; e < NM_EVENTS; e++)
        if (nm_event_agent(e) == agent)
            printf("| %s | %s |\n", nm_event_name(e), nm_event_sentence(e));
    putchar('\n');
}

static void md_row(enum nm_agent agent, unsigned s)
{
    printf("| **%s** |", nm_state_name(s));
    for (unsigned e = 0; e < NM_EVENTS; e++) {
        if (nm_event_agent(e) != agent)
            continue;
        const struct nm_cell *cell = nm_cell(s, e);
        if (cell->exists) {
            printf(" **%s**<br>", nm_state_name(cell->next));
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

static void md(void)
{
    puts("# The coherence protocol\n");
    for (unsigned agent = 0; agent < NM_AGENTS; agent++) {
        printf("## %s\n\n", titles[agent]);
        md_words(agent);
        fputs("| state |", stdout);
        for (unsigned e = 0; e < NM_EVENTS; e++)
            if (nm_event_agent(e) == agent)
                printf(" %s |", nm_event_name(e));
        fputs("\n|---|", stdout);
        for (unsigned e = 0; e < NM_EVENTS; e++)
            if (nm_event_agent(e) == agent)
                fputs("---|", stdout);
        putchar('\n');
        for (unsigned s = 0; s < NM_STATES; s++)
            if (nm_state_agent(s) == agent)
                md_row(agent, s);
        putchar('\n');
    }
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

static void html_row(enum nm_agent agent, unsigned s)
{
    fputs("<tr>", stdout);
    html_head(nm_state_name(s), nm_state_sentence(s));
    for (unsigned e = 0; e < NM_EVENTS; e++) {
        if (nm_event_agent(e) != agent)
            continue;
        const struct nm_cell *cell = nm_cell(s, e);
        if (!cell->exists) {
            fputs("<td class=\"no\"></td>", stdout);
            continue;
        }
        printf("<td><b>%s</b><br>", nm_state_name(cell->next));
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

static void html(void)
{
    puts("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<title>The coherence protocol</title>\n<style>"
         "body{font:13px sans-serif}table{border-collapse:collapse}"
         "th,td{border:1px solid #999;padding:2px 4px;vertical-align:top;font-size:11px}"
         "th{background:#eee;position:sticky;left:0;top:0}td.no{background:#f6f6f6}"
         "</style></head><body>\n<h1>The coherence protocol</h1>\n"
         "<p>States down, events across; hold the pointer over a name to read what it means.</p>");
    for (unsigned agent = 0; agent < NM_AGENTS; agent++) {
        printf("<h2>%s</h2>\n<table>\n<tr><th></th>", titles[agent]);
        for (unsigned e = 0; e < NM_EVENTS; e++)
            if (nm_event_agent(e) == agent)
                html_head(nm_event_name(e), nm_event_sentence(e));
        puts("</tr>");
        for (unsigned s = 0; s < NM_STATES; s++)
            if (nm_state_agent(s) == agent)
                html_row(agent, s);
        puts("</table>");
    }
    html_choices();
    puts("</body></html>");
}

/* ---- Graphviz -------------------------------------------------------------------------------- */

/** All events that lead from one state to another, on one arrow. Loops would hide the rest. */
static void dot_edge(unsigned from, unsigned to)
{
    const char *gap = "";
    for (unsigned e = 0; e < NM_EVENTS; e++) {
        const struct nm_cell *cell = nm_cell(from, e);
        if (from == to || !cell->exists || cell->next != to)
            continue;
        if (!*gap)
            printf("    s%u -> s%u [label=\"", from, to);
        printf("%s%s", gap, nm_event_name(e));
        gap = "\\n";
    }
    if (*gap)
        puts("\"];");
}

static void dot(void)
{
    puts("digraph protocol {\n  node [shape=box, fontname=\"sans-serif\"];\n"
         "  edge [fontname=\"sans-serif\", fontsize=9];");
    for (unsigned agent = 0; agent < NM_AGENTS; agent++) {
        printf("  subgraph cluster_%s {\n    label=\"%s\";\n", nm_agent_name(agent), titles[agent]);
        for (unsigned s = 0; s < NM_STATES; s++)
            if (nm_state_agent(s) == agent)
                printf("    s%u [label=\"%s\"];\n", s, nm_state_name(s));
        for (unsigned s = 0; s < NM_STATES; s++)
            for (unsigned to = 0; to < NM_STATES && nm_state_agent(s) == agent; to++)
                dot_edge(s, to);
        puts("  }");
    }
    puts("}");
}

/* ---- the command ----------------------------------------------------------------------------- */

static const struct format formats[] = {{"md", md}, {"html", html}, {"dot", dot}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const struct format **chosen = state->input;
    if (key == ARGP_KEY_ARG)
        argp_error(state, "nothing to say about '%.60s': the protocol is one", arg);
    if (key != 'f')
        return ARGP_ERR_UNKNOWN;
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (!strcmp(arg, formats[i].name)) {
            *chosen = &formats[i];
            return 0;
        }
    argp_error(state, "no format '%.60s'; there are md, html and dot", arg);
    return ARGP_ERR_UNKNOWN;
}

int cli_protocol(int argc, char **argv)
{
    static const struct argp_option options[] = {
        {"format", 'f', "FORMAT", 0, "md (default), html or dot", 0}, {0}};
    static const struct argp argp = {
        .options = options,
        .parser = parse,
        .doc = "Prints the coherence protocol from the table that runs: for each agent, states "
               "down, events across, and in the cell the next state and what is done."};
    const struct format *format = &formats[0];
    cli_parse(&argp, argc, argv, 0, &format);
    format->run();
    return CLI_EXIT_OK;
}
