/*
 * A template with slots, filled in: "<!-- slot NAME -->" in a line of its own becomes what NAME
 * stands for.
 */
#ifndef PAGE_FILL_H
#define PAGE_FILL_H

#include <stdbool.h>
#include <stdio.h>

/** What a slot gets. */
struct page_slot {
    const char *name;
    const char *text; /**< as it is; NULL: nothing */
};

/** Writes `template` with each of its slots filled.
 *  @return NULL, or the name of the first slot that none of `slots` has: the caller's */
char *page_fill(const char *template, const struct page_slot *slots, unsigned count, FILE *out);

/** Writes text as HTML shows it, in elements and in quoted attributes. */
void page_escape(const char *text, FILE *out);

/** Writes JSON so that no browser takes a part of it for the end of the <script> around it. */
void page_embed(const char *json, FILE *out);

#endif
