/* Stale copies: which card reads which value while invalidations are under way. */
#include "machine/stale.h"
#include "actors.h"
#include "machine/statistics.h"
#include "machine/values.h"
#include "test_machine.h"

#include <criterion/criterion.h>
#include <string.h>

enum { PROCESSORS = 2, STATIONS = 4, LINE = 64, AT = 2 * LINE };

static uint8_t image[4 * LINE];
static unsigned hidden; /* bit per card */

static void note(void *ctx, unsigned card, uint64_t line)
{
    (void)ctx;
    cr_assert_eq(line, AT);
    hidden |= 1u << card;
}

/* A machine of four stations on one ring, and its stale copies. */
struct world {
    struct nm_params p;
    struct ring_shape shape;
    struct nm_stale *stale;
};

static void make(struct world *w)
{
    test_machine(&w->p);
    w->p.processors = PROCESSORS;
    w->p.ring_stations = STATIONS;
    w->p.ring_locals = w->p.ring_groups = 1;
    w->p.l2_line = LINE;
    w->shape = nm_ring_shape(&w->p);
    memset(image, 1, sizeof image);
    hidden = 0;
    w->stale = nm_stale_new(&w->p, &w->shape, image, note, NULL);
}

static struct nm_place place(const struct world *w, unsigned station)
{
    return (struct nm_place){.rings = &w->shape, .station = (uint16_t)station, .cards = PROCESSORS};
}

static void send(struct world *w, unsigned from, uint64_t route, unsigned cards, unsigned requester)
{
    struct nm_place here = place(w, from);
    struct nm_packet p = {.message = NM_MSG_INVALIDATE,
                          .line = AT,
                          .route = route,
                          .targets = (uint8_t)cards,
                          .requester = (uint8_t)requester};
    nm_stale_sent(w->stale, &here, &p);
    nm_stale_spread(w->stale);
}

static void handle(struct world *w, unsigned station)
{
    nm_stale_handled(w->stale, station, AT);
}

static uint64_t to(const struct world *w, unsigned a, unsigned b)
{
    return ring_mask_station(&w->shape, a) | ring_mask_station(&w->shape, b);
}

/* What a card reads; 0: what the image holds. */
static unsigned reads(const struct world *w, unsigned card)
{
    const uint8_t *bytes = nm_stale_bytes(w->stale, card, AT);
    return bytes ? bytes[0] : 0;
}

Test(stale, a_copy_is_old_until_its_own_invalidation_is_applied)
{
    struct world w;
    make(&w);
    send(&w, 0, to(&w, 1, 2), 0, NM_NO_CARD);
    cr_expect_eq(hidden, 0x3cu, "all cards of both stations are told: %#x", hidden);
    image[AT] = 2;
    for (unsigned card = 0; card < PROCESSORS * STATIONS; card++)
        cr_expect_eq(reads(&w, card), card / 2 == 1 || card / 2 == 2 ? 1 : 0, "card %u", card);
    cr_expect_null(nm_stale_bytes(w.stale, 2, 0), "another line");
    send(&w, 1, 0, 3, NM_NO_CARD); /* passed on to both cards of station 1 */
    handle(&w, 1);
    nm_stale_applied(w.stale, 2, AT);
    cr_expect_eq(reads(&w, 2), 0);
    cr_expect_eq(reads(&w, 3), 1, "still in its queue");
    handle(&w, 2);
    cr_expect_eq(reads(&w, 4), 0, "no card of the station had it");
    cr_assert_not_null(nm_stale_line(w.stale));
    cr_expect_eq(*nm_stale_line(w.stale), AT);
    nm_stale_applied(w.stale, 3, AT);
    cr_expect_null(nm_stale_line(w.stale));
    nm_stale_free(w.stale);
}

Test(stale, the_oldest_decides_and_the_requester_is_not_concerned)
{
    struct world w;
    make(&w);
    send(&w, 0, 0, 3, 0); /* card 0 upgrades: card 1 loses its copy */
    cr_expect_eq(hidden, 2u);
    image[AT] = 2;
    send(&w, 3, to(&w, 0, 1), 0, NM_NO_CARD);
    image[AT] = 3;
    cr_expect_eq(reads(&w, 0), 2);
    cr_expect_eq(reads(&w, 1), 1);
    nm_stale_applied(w.stale, 1, AT);
    cr_expect_eq(reads(&w, 1), 2, "its copy could only be a newer one");
    nm_stale_applied(w.stale, 1, AT);
    cr_expect_eq(reads(&w, 1), 2, "none on its bus: that of the rings stays");
    handle(&w, 0);
    cr_expect_eq(reads(&w, 0) + reads(&w, 1), 0);
    nm_stale_free(w.stale);
}

Test(stale, what_the_operating_system_writes_is_in_every_copy)
{
    struct world w;
    make(&w);
    send(&w, 0, 0, 2, 0);
    memset(image + AT, 2, LINE);
    image[AT + 8] = 9;
    nm_stale_os_wrote(w.stale, AT + 8, 1);
    const uint8_t *bytes = nm_stale_bytes(w.stale, 1, AT);
    cr_expect_eq(bytes[8], 9);
    cr_expect_eq(bytes[7], 1);
    cr_expect_eq(bytes[9], 1);
    nm_stale_os_wrote(w.stale, 0, AT);
    nm_stale_os_wrote(w.stale, AT + LINE, LINE);
    cr_expect_eq(bytes[0] + bytes[LINE - 1], 2, "not its neighbours' bytes");
    nm_stale_free(w.stale);
}

/* ---- on a machine ---------------------------------------------------------------------------- */

enum { LINES = 4, WINDOW = 100, LOOKS = 3000, ENOUGH = 20 };

/* Stores and loads of a few lines, for as long as one likes. */
static void any_line(void *self, unsigned card, sim_tick now, struct pc_reference *out)
{
    uint64_t *random = (uint64_t *)self + card;
    const bool store = actors_draw(random, 4) == 0;
    (void)now;
    *out = actors_reference(store ? PC_REFERENCE_STORE : PC_REFERENCE_LOAD,
                            actors_draw(random, LINES) * LINE);
}

/* The operating system writes a byte of a line that a card still reads an older copy of. */
static unsigned write_behind(struct nm_machine *m, uint64_t line)
{
    unsigned told = 0;
    for (unsigned c = 0; c < nm_machine_cards(m); c++) {
        const struct nm_stale *stale = pc_cpu_at(m, c)->card->old;
        const uint8_t *bytes = nm_stale_bytes(stale, c, line);
        if (!bytes)
            continue;
        nm_machine_image(m)[line + LINE - 1] ^= 1;
        nm_machine_os_wrote(m, line + LINE - 1, 1);
        cr_expect_eq(bytes[LINE - 1], nm_machine_image(m)[line + LINE - 1], "card %u", c);
        told++;
    }
    return told;
}

Test(stale, a_machine_is_told_what_the_operating_system_writes)
{
    static const struct pc_driver_source source = {.next = any_line};
    uint64_t random[PROCESSORS * STATIONS];
    struct nm_params p;
    struct nm_trap trap;
    unsigned told = 0;
    actors_params(&p, PROCESSORS, STATIONS, 1, 1);
    p.l2_line = LINE;
    struct nm_machine *m = actors_machine(&p);
    for (unsigned c = 0; c < nm_machine_cards(m); c++) {
        random[c] = c;
        pc_drive(m, c, &source, random, nm_machine_now(m));
    }
    for (unsigned i = 0; i < LOOKS && told < ENOUGH; i++) {
        cr_assert_eq(nm_machine_run(m, nm_machine_now(m) + WINDOW, &trap), NM_RUN_UNTIL);
        for (uint64_t line = 0; line < LINES * LINE; line += LINE)
            told += write_behind(m, line);
    }
    cr_expect_geq(told, ENOUGH);
    nm_machine_free(m);
}
