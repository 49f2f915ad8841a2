/*
 * numachine list: the tables, for people and as JSON. What can be listed is itself a table.
 */
#include "cli/cli.h"
#include "input/write.h"
#include "show/tables.h"

static int list_show(const struct cli_given *g)
{
    const struct show_table *table =
        &show_tables[cli_named(g, "nothing to list called", g->words[0], show_tables,
                               sizeof *show_tables, show_table_count)];
    const char *const pattern = g->words[1];
    const bool json = cli_is_format(g, "json");
    json_t *rows = show_table_rows(table);
    if (!rows)
        return CLI_EXIT_USAGE;
    if (pattern && json_is_array(rows))
        rows = show_rows_matching(rows, pattern);
    const bool none = json_is_array(rows) && json_array_size(rows) == 0;
    if (json || !table->columns)
        in_write_json(stdout, rows);
    else if (cli_is_format(g, "markdown"))
        show_rows_markdown(rows, stdout);
    else
        show_rows_text(rows, table->columns, stdout);
    json_decref(rows);
    if (none && pattern && !json) {
        fprintf(stderr, "numachine: error: nothing matches '%.60s' (numachine list %s)\n", pattern,
                table->name);
        return CLI_EXIT_USAGE;
    }
    return CLI_EXIT_OK;
}

int cli_list(struct cli_given *g)
{
    if (g->count)
        return list_show(g);
    for (unsigned i = 0; i < show_table_count; i++)
        printf("%-16s %s\n", show_tables[i].name, show_tables[i].sentence);
    return CLI_EXIT_OK;
}
