/*
 * Two people type in one document, each at a cursor of his own. Between bursts of typing, each
 * one's machine lays out its own part of the text, which takes longer.
 */
#include "shown.h"
#include <string.h>

enum { TEXT = 1024, BURSTS = 6, KEYS = 150, COLUMN = 40, LAYOUTS = 2 };

struct cursor {
    APART unsigned at, column;
    unsigned typed;
};

struct document {
    char *text[2];
    struct cursor cursor[2];
};

static OWN_LINE unsigned breaks[2][LINE / sizeof(unsigned)];
static OWN_LINE struct document *document;

static ALONE struct document *document_open(void)
{
    struct document *d = (struct document *)GET(sizeof *d);
    memset(d, 0, sizeof *d);
    for (int i = 0; i < 2; i++) {
        d->text[i] = (char *)aligned_alloc(LINE, TEXT);
        memset(d->text[i], ' ', TEXT);
    }
    return d;
}

static ALONE void type(char *text, struct cursor *c, char key)
{
    text[c->at] = key;
    c->at = (c->at + 1) % TEXT;           /* shares: document_open() */
    c->column = (c->column + 1) % COLUMN; /* shares: document_open() */
    c->typed++;                           /* shares: document_open() */
    if (key == ' ' && c->column > COLUMN - 8)
        c->column = 0; /* shares: document_open() */
}

/* Lines are broken at the last space that fits; the number of lines comes back. */
static unsigned lay_out(const char *text)
{
    unsigned lines = 0, column = 0, space = 0;
    for (unsigned i = 0; i < TEXT; i++) {
        if (text[i] == ' ')
            space = i;
        if (++column == COLUMN) {
            lines++;
            column = i - space < COLUMN ? i - space : 0;
        }
    }
    return lines;
}

static void *work(void *argument)
{
    int me = number(argument);
    char *text = document->text[me];
    for (unsigned b = 0; b < BURSTS; b++) {
        for (unsigned k = 0; k < KEYS; k++) {
            unsigned h = (b * KEYS + k) * 2654435761u >> 24;
            type(text, &document->cursor[me], h % 6 ? (char)('a' + h % 26) : ' ');
        }
        for (int l = 0; l < LAYOUTS; l++)
            breaks[me][0] += lay_out(text);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int wrong = 0;
    if (threads_asked(argc, argv, 2) != 2)
        return 2;
    document = document_open();
    shown("document_open()", document, sizeof *document);
    crew(2, work);
    for (int i = 0; i < 2; i++)
        wrong += document->cursor[i].typed != BURSTS * KEYS;
    wrong += memcmp(document->text[0], document->text[1], TEXT) != 0;
    wrong += breaks[0][0] != breaks[1][0] || breaks[0][0] < BURSTS * TEXT / COLUMN;
    printf("%u keys, %d wrong\n", document->cursor[0].typed, wrong);
    return wrong;
}
