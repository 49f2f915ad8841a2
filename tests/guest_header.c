/*
 * The guest's names for what is in a card's registers are those of the card's tables.
 *
 *   guest_header        prints the header
 *   guest_header FILE   compares: exit status 1 when the file is another
 */
#include "machine/packet.h"
#include "monitor/board/board.h"
#include "monitor/l2c/monitor.h"
#include "procard/l2c.h"
#include "procard/sync.h"
#include "rows.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head[] =
    "/*\n"
    " * Registers of a processor's monitoring card, and of the processor card itself, and every "
    "number\n"
    " * they may hold, for guest programs; see numachine.h. Made from the tables, like\n"
    " * `numachine list events`:\n"
    " *\n"
    " *     build/tests/guest_header > experiments/include/numachine_card.h\n"
    " */\n"
    "#ifndef NUMACHINE_CARD_H\n#define NUMACHINE_CARD_H\n";

static void print_upper(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(toupper((unsigned char)*text), out);
}

/* @param whose  register or source */
static void print_part(FILE *out, const char *whose, const char *name, unsigned low, unsigned bits)
{
    static const char *const prefix[] = {"BIT", "MAX"};
    const unsigned value[] = {low, (unsigned)((UINT64_C(1) << bits) - 1)};
    for (int i = 0; i < 2; i++) {
        fprintf(out, "    NUMACHINE_%s_", prefix[i]);
        print_upper(out, whose);
        fprintf(out, i ? "_%s = 0x%x,\n" : "_%s = %u,\n", name, value[i]);
    }
}

static void print_registers(FILE *out)
{
    size_t count;
    const struct mon_register_row *row = mon_board_registers;
    count = ROWS(row);
    fputs("\n/* Offsets in bytes; every register is a 32-bit word. */\nenum numachine_register {\n",
          out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "    NUMACHINE_REG_%s = 0x%03x,\n", row[i].name, row[i].offset);
    fprintf(out, "    NUMACHINE_REG_SRAM = 0x%x, /* the first of %d words */\n", MON_SRAM_WINDOW,
            MON_SRAM_WORDS);
    row = pc_sync_registers(&count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "    NUMACHINE_REG_%s = 0x%03x,\n", row[i].name, row[i].offset);
    fprintf(out, "    NUMACHINE_WINDOW = 0x%x, /* the first of %d */\n", PC_WINDOW, PC_WINDOWS);
    fprintf(out, "    NUMACHINE_WINDOW_SPAN = 0x%x,\n", PC_WINDOW_SPAN);
    fprintf(out, "    NUMACHINE_REGISTERS = 0x%x /* bytes to be mapped */\n};\n", MON_SPACE);
}

/* Of the four counters' alike registers the first is enough. */
static void print_fields(FILE *out)
{
    size_t count;
    const struct mon_field_row *row = mon_board_fields;
    count = ROWS(row);
    fputs("\n/* The parts of registers: lowest bit and greatest value. */\n"
          "enum numachine_field {\n",
          out);
    for (size_t i = 0; i < count; i++) {
        const bool counter = !strncmp(row[i].reg, "CONTROL", 7);
        if (counter && strcmp(row[i].reg, "CONTROL0"))
            continue;
        print_part(out, counter ? "CONTROL" : row[i].reg, row[i].name, row[i].low, row[i].bits);
    }
    row = pc_sync_fields(&count);
    for (size_t i = 0; i < count; i++)
        print_part(out, row[i].reg, row[i].name, row[i].low, row[i].bits);
    fputs("    NUMACHINE_BIT__END\n};\n", out);
}

static void print_parts(FILE *out)
{
    size_t count;
    const struct mon_field_row *row = mon_board_parts;
    count = ROWS(row);
    fputs("\n/* The number of a word of the SRAM, by source: lowest bit and greatest value. */\n"
          "enum numachine_part {\n",
          out);
    for (size_t i = 0; i < count; i++)
        print_part(out, row[i].reg, row[i].name, row[i].low, row[i].bits);
    fputs("    NUMACHINE_BIT__PARTS\n};\n", out);
}

/* A table of names with numbers. @param kind  of the enum, prefix and sentence */
struct named {
    const char *kind, *prefix, *sentence;
    size_t count;
    const char *(*name)(size_t i);
};

static const char *event_name(size_t i)
{
    return mon_board_events[i].name;
}

static const char *command_name(size_t i)
{
    return nm_message_row((enum nm_message)i)->name;
}

static const char *source_name(size_t i)
{
    return mon_board_sources[i].name;
}

static const char *reason_name(size_t i)
{
    static const char *const names[] = {
#define REASON(name, number, sentence) [number] = #name,
#include "monitor/board/reasons.def"
#undef REASON
    };
    return i < sizeof names / sizeof *names ? names[i] : NULL;
}

static void print_named(FILE *out, const struct named *table)
{
    fprintf(out, "\n/* %s */\nenum numachine_%s {\n", table->sentence, table->kind);
    for (size_t i = 0; i < table->count && table->name(i); i++) {
        fprintf(out, "%s    NUMACHINE_%s_", i ? ",\n" : "", table->prefix);
        print_upper(out, table->name(i));
        fprintf(out, " = %zu", i);
    }
    fputs("\n};\n", out);
}

/* ---- an ARM11 board's L210 or L220 ------------------------------------------------------------
 */

/* Its own registers, and those of the event monitors, from the beginning of the card's. */
static void print_l2c_registers(FILE *out)
{
    static const char *const kind[L2C_KINDS] = {[L2C_210] = "L210", [L2C_220] = "L220"};
    static const unsigned from[L2C_KINDS] = {
        [L2C_210] = PC_L2C_EVENTS, [L2C_220] = PC_L2C_CONTROLLER};
    fputs("\n/* Registers of an ARM11 board's L210 or L220, and of its event monitor. */\n"
          "enum numachine_l2c {\n",
          out);
#define L2C_REGISTER(name, offset, access, sentence) \
    fprintf(out, "    NUMACHINE_L2C_%s = 0x%x,\n", #name, PC_L2C_CONTROLLER + (offset));
#include "procard/l2c.def"
#undef L2C_REGISTER
    for (unsigned k = 0; k < L2C_KINDS; k++)
        for (const struct mon_register_row *r = l2c_registers((enum l2c_kind)k); r->name; r++)
            fprintf(out, "    NUMACHINE_%s_%s = 0x%x,\n", kind[k], r->name, from[k] + r->offset);
    for (unsigned k = 0; k < L2C_KINDS; k++)
        for (const struct mon_field_row *f = l2c_fields((enum l2c_kind)k); f->name; f++)
            print_part(out, f->reg, f->name, f->low, f->bits);
    fprintf(out, "    NUMACHINE_L2C_END = 0x%x\n};\n", PC_L2C_END);
}

/* What their counters may count; the names begin with "l2c_". */
static void print_l2c_sources(FILE *out)
{
    unsigned count;
    const struct l2c_event *event = l2c_events(&count);
    fputs("\n/* What their counters may count. */\nenum numachine_l2c_source {\n", out);
    for (unsigned k = 0; k < L2C_KINDS; k++)
        for (unsigned i = 0; i < count; i++)
            if (event[i].name && event[i].number[k] != L2C_NO_EVENT) {
                fprintf(out, "    NUMACHINE_%s_SRC_", k == L2C_210 ? "L210" : "L220");
                print_upper(out, event[i].name + strlen("l2c_"));
                fprintf(out, " = %u,\n", event[i].number[k]);
            }
    fputs("    NUMACHINE_L2C_SRC_NONE = 0\n};\n", out);
}

static char *header(void)
{
    static const struct named tables[] = {
        {"event", "EV", "What a counter may count: CONTROLk.EVENT.", MON_EV__COUNT, event_name},
        {"packet", "CMD", "Commands of packets: COMMAND.", NM_MSG__COUNT, command_name},
        {"source", "SRC", "Where the SRAM's address comes from: SRAM_CONTROL.SOURCE.", MON_SOURCES,
         source_name},
        {"reason", "WHY", "Why a write was refused: ERROR.REASON.", SIZE_MAX, reason_name},
    };
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    fputs(head, out);
    print_registers(out);
    print_fields(out);
    print_parts(out);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        print_named(out, &tables[i]);
    print_l2c_registers(out);
    print_l2c_sources(out);
    fputs("\n#endif\n", out);
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
        fprintf(stderr, "%s is not what the tables say; 'build/tests/guest_header > %s' makes it\n",
                argv[1], argv[1]);
    free(text);
    return fine ? EXIT_SUCCESS : EXIT_FAILURE;
}
