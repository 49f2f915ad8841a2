/* What the checking mode says of planted faults, word for word: the fault, then the line's history.
 */
#include "machine/check.h"

#include "machine/values.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, CARDS = 8, OTHER = 0x40, AT = 0x80, KEPT = 1 << 16, SHOWN = 40 };

static uint8_t image[4 * LINE];

static struct nm_check *new_check(bool on)
{
    struct nm_params p;
    nm_params_default(&p);
    p.check = on;
    p.l2_line = LINE;
    p.processors = 4;
    memset(image, 7, sizeof image);
    return nm_check_new(&p, image, sizeof image, CARDS);
}

static struct nm_packet packet(enum nm_message message, uint64_t line, uint64_t route)
{
    return (struct nm_packet){.message = (uint8_t)message,
                              .line = line,
                              .route = route,
                              .source = NM_MODULE_MEMORY,
                              .targets = 3,
                              .requester = 1,
                              .station = 2};
}

static void saw(struct nm_check *c, sim_tick now, enum nm_message message, uint64_t line,
                uint64_t route)
{
    const struct nm_packet p = packet(message, line, route);
    nm_check_saw(c, now, (unsigned)(now % 3), &p);
}

/* The card gets a line as memory has it, which is as the image is. */
static void give(struct nm_check *c, unsigned card, uint64_t line)
{
    nm_check_os_wrote(c, 0, sizeof image);
    const int32_t slot = nm_check_from(c, NM_CHECK_MEMORY, line);
    nm_check_to(c, card, line, slot);
    nm_check_release(c, slot);
}

static void load(struct nm_check *c, unsigned card, uint64_t pa, unsigned size, sim_tick now)
{
    nm_check_load(c, card, pa, size, image + pa, now);
}

#define STALE   "tick 90, line 0x80: card 5: load of 4 bytes at 0x84 reads a stale copy"
#define HISTORY "\n  last %u messages of the line but requests and NACKs:"

static void expect_said(struct nm_check *c, const char *text)
{
    cr_expect_str_eq(nm_check_error(c), text);
    cr_expect_eq(*nm_check_failed(c), *text != '\0');
    nm_check_free(c);
}

/* Each fault that the mode itself finds. */
Test(check, faults)
{
    struct nm_check *c = new_check(true);
    give(c, 5, AT);
    load(c, 5, AT + 4, 4, 90);
    image[AT + 3] = 8;
    image[AT + 8] = 8;
    load(c, 5, AT + 4, 4, 90); /* bytes beside it do not matter */
    cr_expect_str_eq(nm_check_error(c), "");
    image[AT + 7] = 8;
    load(c, 5, AT + 4, 4, 90);
    load(c, 6, AT, 4, 91); /* the first one stays */
    expect_said(c, STALE "\n  last 0 messages of the line but requests and NACKs:");

    c = new_check(true);
    load(c, 6, AT + 8, 4, 91);
    expect_said(c, "tick 91, line 0x80: card 6: load of 0x88 hits, but no data ever came"
                   "\n  last 0 messages of the line but requests and NACKs:");

    c = new_check(true);
    nm_check_store(c, 7, AT + LINE - 1, 1, 92);
    expect_said(c, "tick 92, line 0x80: card 7: store to 0xbf hits, but no data ever came"
                   "\n  last 0 messages of the line but requests and NACKs:");

    c = new_check(true);
    give(c, 5, AT);
    nm_check_drop(c, 5, AT);
    load(c, 5, AT, 4, 93);
    expect_said(c, "tick 93, line 0x80: card 5: load of 0x80 hits, but no data ever came"
                   "\n  last 0 messages of the line but requests and NACKs:");
}

/* What a card stored is its copy's with the next thing that it does, and nobody else's. */
Test(check, stores)
{
    for (unsigned size = 1; size <= 8; size *= 2) {
        struct nm_check *c = new_check(true);
        give(c, 5, AT);
        give(c, 6, AT);
        nm_check_store(c, 5, AT + 8, size, 1);
        memset(image + AT + 8, 9, size);
        load(c, 5, AT + 8, size, 2);
        cr_expect_str_eq(nm_check_error(c), "");
        const int32_t slot = nm_check_from(c, 5, AT);
        nm_check_share(c, slot);
        nm_check_to(c, NM_CHECK_MEMORY, AT, slot);
        nm_check_release(c, slot);
        nm_check_release(c, slot);
        nm_check_to(c, 7, AT, nm_check_from(c, NM_CHECK_MEMORY, AT));
        load(c, 7, AT + 8, size, 3);
        cr_expect_str_eq(nm_check_error(c), "");
        load(c, 6, AT + 8, size, 4);
        cr_expect(strstr(nm_check_error(c), "card 6: load"), "%s", nm_check_error(c));
        nm_check_free(c);
    }
}

/* A byte may be where a store to more of its doubleword begins, and to no more than that. */
Test(check, unaligned_stores)
{
    for (unsigned byte = 0; byte < 8; byte++)
        for (unsigned far = 0; far < 2; far++) {
            struct nm_check *c = new_check(true);
            give(c, 5, AT);
            nm_check_store(c, 5, AT + 8 + byte, 1, 1);
            memset(image + AT + 8, 9, 8);
            image[AT + 7] = image[AT + 16] = 9;
            load(c, 5, AT + 8, 8, 2);
            cr_expect_str_eq(nm_check_error(c), "");
            load(c, 5, far ? AT + 16 : AT + 7, 1, 3);
            cr_expect(*nm_check_error(c));
            nm_check_free(c);
        }
}

/* Which messages the history has, and how each is shown. */
Test(check, history)
{
    struct nm_check *c = new_check(true);
    saw(c, 10, NM_MSG_RD, AT, 0);
    saw(c, 11, NM_MSG_RDEXCL, AT, 0);
    saw(c, 12, NM_MSG_NACK, AT, 0);
    saw(c, 13, NM_MSG_DATA_S, OTHER, 0);
    saw(c, 14, NM_MSG_DATA_S, AT, 0);
    saw(c, 15, NM_MSG_INVALIDATE, AT, 0x12);
    give(c, 5, AT);
    image[AT + 4]++;
    load(c, 5, AT + 4, 4, 90);
    expect_said(
        c, STALE
        "\n  last 2 messages of the line but requests and NACKs:"
        "\n            14  station 2: DATA_S     from module 4 to 0x3, for card 1 of station 2"
        "\n            15  station 0: INVALIDATE from module 4 to 0x3, for card 1 of station 2, "
        "leaving to 0x12");

    c = new_check(false); /* without the mode there is none */
    saw(c, 14, NM_MSG_DATA_S, AT, 0);
    nm_check_fail(c, 90, AT, "%s %d", "fault", 3);
    expect_said(c, "tick 90, line 0x80: fault 3");
}

/* The last forty of the line, of the last 65,536 messages. */
Test(check, history_that_is_full)
{
    static const struct {
        unsigned before, of_line, behind, shown;
    } rows[] = {
        {0, SHOWN - 1, 0, SHOWN - 1}, {0, SHOWN, 0, SHOWN}, {0, SHOWN + 1, 0, SHOWN},
        {1, 3 * SHOWN, 5, SHOWN},     {0, 5, KEPT - 5, 5},  {0, 5, KEPT - 4, 4},
        {0, 5, KEPT - 1, 1},          {0, 5, KEPT, 0},      {KEPT - 3, 5, 0, 5},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nm_check *c = new_check(true);
        char *text, one[200];
        size_t size;
        FILE *expected = open_memstream(&text, &size);
        sim_tick now = 0;
        fprintf(expected, "tick 0, line 0x80: fault" HISTORY, rows[i].shown);
        for (unsigned n = 0; n < rows[i].before; n++)
            saw(c, now++, NM_MSG_DATA_X, OTHER, 0);
        for (unsigned n = 0; n < rows[i].of_line; n++, now++) {
            saw(c, now, NM_MSG_WB, AT, 0);
            snprintf(
                one, sizeof one,
                "\n  %12lu  station %u: WB         from module 4 to 0x3, for card 1 of station 2",
                (unsigned long)now, (unsigned)(now % 3));
            const unsigned gone = rows[i].of_line + rows[i].behind > KEPT
                                      ? rows[i].of_line + rows[i].behind - KEPT
                                      : 0;
            if (n >= gone && n + SHOWN >= rows[i].of_line)
                fputs(one, expected);
        }
        for (unsigned n = 0; n < rows[i].behind; n++)
            saw(c, now++, NM_MSG_DATA_X, OTHER, 0);
        nm_check_fail(c, 0, AT, "fault");
        fclose(expected);
        cr_expect_str_eq(nm_check_error(c), text, "row %u", i);
        free(text);
        nm_check_free(c);
    }
}
