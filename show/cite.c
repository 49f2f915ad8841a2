/*
 * numachine --cite: the rows of citation.def as BibTeX, or as the file CITATION.cff.
 *
 * Both forms want authors, but BibTeX in one line and the other one by one, persons and others
 * apart.
 */
#include "show/cite.h"

#include "base/version.h"

#include <ctype.h>
#include <string.h>

struct cited {
    const char *tag, *bibtex, *cff, *authors, *title, *year, *where, *number, *pages, *doi, *url,
        *note;
};

static const struct cited cited[] = {
#define CITE(tag, bibtex, cff, authors, title, year, where, number, pages, doi, url, note) \
    {#tag, #bibtex, cff, authors, title, year, where, number, pages, doi, url, note},
#include "show/citation.def"
};

static const struct {
    const char *title, *authors, *released, *abstract;
} simulator = {
#define SIMULATOR(title, authors, released, abstract) title, authors, released, abstract
#include "show/citation.def"
};

enum { CITED = sizeof cited / sizeof *cited };

/* ---- BibTeX ---------------------------------------------------------------------------------- */

static void cite_field(FILE *out, const char *name, const char *value)
{
    if (*value)
        fprintf(out, ",\n  %s = {%s}", name, value);
}

/* What the field is called that says where something has appeared. */
static const char *where_field(const char *bibtex)
{
    static const struct {
        const char *bibtex, *field;
    } names[] = {{"techreport", "institution"},
                 {"inproceedings", "booktitle"},
                 {"phdthesis", "school"},
                 {"manual", "organization"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i].bibtex, bibtex))
            return names[i].field;
    return "howpublished";
}

static void print_bibtex(FILE *out)
{
    fprintf(out, "@software{numachine,\n  title = {%s}", simulator.title);
    cite_field(out, "author", simulator.authors);
    cite_field(out, "version", SIM_VERSION);
    fprintf(out, ",\n  year = {%.4s}\n}\n", simulator.released);
    for (const struct cited *c = cited; c < cited + CITED; c++) {
        fprintf(out, "\n@%s{numachine-", c->bibtex);
        for (const char *letter = c->tag; *letter; letter++)
            fputc(tolower((unsigned char)*letter), out);
        fprintf(out, ",\n  title = {%s}", c->title);
        cite_field(out, "author", c->authors);
        cite_field(out, where_field(c->bibtex), c->where);
        cite_field(out, "number", c->number);
        cite_field(out, "year", c->year);
        cite_field(out, "pages", c->pages);
        cite_field(out, "doi", c->doi);
        cite_field(out, "url", c->url);
        cite_field(out, "note", c->note);
        fputs("\n}\n", out);
    }
}

/* ---- CITATION.cff ---------------------------------------------------------------------------- */

/* A text as YAML has it whatever is in it. */
static void cite_quote(FILE *out, int length, const char *text)
{
    fputc('"', out);
    for (int i = 0; i < length; i++) {
        if (text[i] == '"' || text[i] == '\\')
            fputc('\\', out);
        fputc(text[i], out);
    }
    fputs("\"\n", out);
}

static void cite_entry(FILE *out, const char *indent, const char *name, const char *value)
{
    if (!*value)
        return;
    fprintf(out, "%s%s: ", indent, name);
    cite_quote(out, (int)strlen(value), value);
}

/* "Grindley, R." is a person, "{University of Toronto}" is none, and neither are "others". */
static void print_author(FILE *out, const char *indent, const char *author, int length)
{
    const char *comma = memchr(author, ',', (size_t)length);
    if (*author != '{' && comma) {
        fprintf(out, "%s  - family-names: ", indent);
        cite_quote(out, (int)(comma - author), author);
        fprintf(out, "%s    given-names: ", indent);
        cite_quote(out, length - (int)(comma - author) - 2, comma + 2);
        return;
    }
    const int brace = *author == '{';
    fprintf(out, "%s  - name: ", indent);
    cite_quote(out, length - 2 * brace, author + brace);
}

static void print_authors(FILE *out, const char *indent, const char *authors)
{
    static const char between[] = " and ";
    fprintf(out, "%sauthors:\n", indent);
    while (authors) {
        const char *next = strstr(authors, between);
        print_author(out, indent, authors, (int)(next ? next - authors : (long)strlen(authors)));
        authors = next ? next + strlen(between) : NULL;
    }
}

static void print_pages(FILE *out, const char *pages)
{
    const char *last = strstr(pages, "--");
    if (last)
        fprintf(out, "    start: %.*s\n    end: %s\n", (int)(last - pages), pages, last + 2);
}

static void print_reference(FILE *out, const struct cited *c)
{
    static const char indent[] = "    ";
    fprintf(out, "  - type: %s\n", c->cff);
    cite_entry(out, indent, "title", c->title);
    print_authors(out, indent, c->authors);
    if (*c->year)
        fprintf(out, "    year: %s\n", c->year);
    if (!strcmp(c->cff, "conference-paper")) {
        cite_entry(out, indent, "collection-title", c->where);
    } else if (*c->where) {
        fprintf(out, "%sinstitution:\n", indent);
        cite_entry(out, "      ", "name", c->where);
    }
    cite_entry(out, indent, "number", c->number);
    print_pages(out, c->pages);
    cite_entry(out, indent, "doi", c->doi);
    cite_entry(out, indent, "url", c->url);
    cite_entry(out, indent, "notes", c->note);
}

static void print_cff(FILE *out)
{
    fputs("# Written by: numachine --cite=cff\n"
          "cff-version: 1.2.0\n"
          "message: If you use this software in published work, please cite it.\n"
          "type: software\n"
          "license: MIT\n",
          out);
    cite_entry(out, "", "title", simulator.title);
    cite_entry(out, "", "abstract", simulator.abstract);
    print_authors(out, "", simulator.authors);
    fprintf(out, "version: %s\ndate-released: %s\nreferences:\n", SIM_VERSION, simulator.released);
    for (const struct cited *c = cited; c < cited + CITED; c++)
        print_reference(out, c);
}

const struct show_cite_form show_cite_forms[] = {{"bibtex", print_bibtex}, {"cff", print_cff}};
const unsigned show_cite_form_count = sizeof show_cite_forms / sizeof *show_cite_forms;
