/*
 * Address space for the parts of something that come and go together.
 *
 * The one hard idea: nobody says beforehand how much there will be. Each stretch is twice as long
 * as the one before, so that there are few, and at most half of the address space, which costs
 * nothing, is for nobody. The first has the size of a large page: the cards of 64 processors are
 * six hundred small ones, each an exception of the host's, and these cost more than to clear one
 * large page for a single card.
 */
#include "base/room.h"

#include "base/alloc.h"

enum {
    STRETCHES = 64,
    FIRST = SIM_LARGE_PAGE /**< design: a small machine has one */,
    ALIGNED = 64
};

struct sim_room {
    enum sim_room_use use;
    struct {
        char *at;
        size_t bytes; /**< without what aligns it to a large page */
    } stretch[STRETCHES];
    unsigned stretches;
    char *at;    /**< what is free in the last one */
    size_t left; /**< [bytes] */
};

struct sim_room *sim_room_new(enum sim_room_use use)
{
    struct sim_room *room = sim_alloc(1, sizeof *room);

    room->use = use;
    return room;
}

/** [bytes] to reserve for a stretch, so that it can begin with a large page. */
static size_t reserved(const struct sim_room *room, size_t bytes)
{
    return room->use == SIM_ROOM_DENSE ? bytes + SIM_LARGE_PAGE : bytes;
}

static void add_stretch(struct sim_room *room, size_t least)
{
    const unsigned n = room->stretches++;
    size_t bytes = n ? 2 * room->stretch[n - 1].bytes : FIRST;
    if (bytes < least)
        bytes = least;
    room->stretch[n].bytes = room->left = bytes;
    room->stretch[n].at = room->at = sim_reserve(reserved(room, bytes));
    if (reserved(room, bytes) == bytes)
        return;
    room->at += -(uintptr_t)room->at % SIM_LARGE_PAGE;
    sim_expect_full(room->at, bytes);
}

void *sim_room_take(struct sim_room *room, size_t bytes)
{
    if (bytes > SIZE_MAX / 4)
        sim_no_memory();
    bytes = (bytes + !bytes + ALIGNED - 1) / ALIGNED * ALIGNED;
    if (bytes > room->left)
        add_stretch(room, bytes);
    void *taken = room->at;
    room->at += bytes;
    room->left -= bytes;
    return taken;
}

void sim_room_expect_full(struct sim_room *room)
{
    for (unsigned i = 0; i < room->stretches; i++)
        sim_expect_full(room->stretch[i].at, room->stretch[i].bytes);
}

void sim_room_free(struct sim_room *room)
{
    for (unsigned i = 0; i < room->stretches; i++)
        munmap(room->stretch[i].at, reserved(room, room->stretch[i].bytes));
    free(room);
}
