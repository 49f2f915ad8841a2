/*
 * What a person would say of a run first, of all that its views have found: sharing, locks, pages.
 */
#ifndef LOOK_TROUBLE_TROUBLE_H
#define LOOK_TROUBLE_TROUBLE_H

#include "look/locks/view.h"
#include "look/placement/pages.h"
#include "look/sharing/sharing.h"

/** What is known of a run; it only reads it. NULL: that part is not known. */
struct look_trouble {
    struct look_code *code;
    struct look_finder *finder;
    const struct look_sharing *sharing;
    const struct look_locks_view *locks; /**< of all locks */
    const struct look_pages *pages;
};

/** One to three sentences, the dearest first; "": nothing is wrong. @return the caller's */
char *look_trouble_sentence(const struct look_trouble *trouble);

/** The parts of it that a run has kept, and can be made; they are released together. */
struct look_troubles {
    struct look_trouble of;
    struct look_locks_view locks;
};

/** @param locks  NULL: there are none @param x  the experiment that ran; NULL: pages are not looked
 *  at. Sharing, code and finder are the caller's; without sharing there are no pages. */
void look_troubles_open(struct look_troubles *all, const struct look_trouble *of,
                        const struct doc_locks *locks, const struct in_experiment *x);
void look_troubles_close(struct look_troubles *all);

#endif
