/*
 * The guest's names for the monitoring card's registers and events are those of the card's tables.
 *
 *   guest_header        prints the header
 *   guest_header FILE   compares: exit status 1 when the file is another
 */
#include "monitor/board.h"
#include "monitor/monitor.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "/*\n"
    " * Registers and events of the monitoring card, for guest programs; see numachine.h. Made "
    "from\n"
    " * the card's tables, like `numachine list events`:\n"
    " *\n"
    " *     build/tests/guest_header > experiments/include/numachine_card.h\n"
    " */\n"
    "#ifndef NUMACHINE_CARD_H\n#define NUMACHINE_CARD_H\n";

static void print_upper(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

static void print_registers(FILE *out)
{
    size_t count;
    const struct mon_register_row *row = mon_registers(&count);
    fputs("\n/* Offsets in bytes; every register is a 32-bit word. */\nenum numachine_register {\n",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "    NUMACHINE_REG_%s = 0x%03x,\n", row[i].name, row[i].offset);
    fprintf(out, "    NUMACHINE_REG_SRAM = 0x%x, /* the first of %d words */\n", MON_SRAM_WINDOW,
            MON_SRAM_WORDS);
    fprintf(out, "    NUMACHINE_REGISTERS = 0x%x /* bytes to be mapped */\n};\n", MON_SPACE);
}

/* A field's value goes to its low bit; of the four counters' alike registers the first is enough.
 */
static void print_fields(FILE *out)
{
    size_t count;
    const struct mon_field_row *row = mon_fields(&count);
    fputs("\n/* Lowest bit of each part of a register. */\nenum numachine_field {\n", out);
    for (size_t i = 0; i < count; i++) {
        const bool counter = !strncmp(row[i].reg, "CONTROL", 7);
        if (counter && strcmp(row[i].reg, "CONTROL0"))
            continue;
        fprintf(out, "    NUMACHINE_BIT_%s_%s = %u,\n", counter ? "CONTROL" : row[i].reg,
                row[i].name, row[i].low);
    }
    fputs("    NUMACHINE_BIT__END\n};\n", out);
}

static void print_events(FILE *out)
{
    const struct mon_event *row = mon_events();
    fputs("\n/* What a counter may count. */\nenum numachine_event {\n", out);
    for (size_t i = 0; i < MON_EV__COUNT; i++) {
        fputs("    NUMACHINE_EV_", out);
        print_upper(out, row[i].name);
        fprintf(out, " = %zu%s\n", i, i + 1 < MON_EV__COUNT ? "," : "");
    }
    fputs("};\n\n#endif\n", out);
}

static char *header(void)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(head, out);
    print_registers(out);
    print_fields(out);
    print_events(out);
    fclose(out);
    return text;
}

static bool same(const char *path, const char *text)
{
    const size_t length = strlen(text);
    char *found = malloc(length + 2);
    FILE *file = fopen(path, "r");
    const size_t got = file ? fread(found, 1, length + 1, file) : 0;
    if (file)
        fclose(file);
    const bool equal = got == length && !memcmp(found, text, length);
    free(found);
    return equal;
}

int main(int argc, char **argv)
{
    char *text = header();
    bool fine = true;
    if (argc < 2)
        fputs(text, stdout);
    else if (!(fine = same(argv[1], text)))
        fprintf(stderr, "%s is not what the tables say; its first lines say how to make it\n",
                argv[1]);
    free(text);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
