/*
 * Packets through SimGrid's own model of this machine's network, for peers.py: one actor on each
 * station's first card sends PACKETS messages of a line and its header to stations at random, and
 * another takes those for it.
 *
 *     peers PLATFORM.xml STATIONS CARDS PACKETS
 *
 * Prints the simulated seconds.
 */
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/mailbox.h>
#include <stdio.h>
#include <stdlib.h>

enum { BYTES = 72 };

static unsigned stations, packets;

static void send(int argc, char *argv[])
{
    unsigned random = (unsigned)atoi(argv[1]);
    (void)argc;
    for (unsigned i = 0; i < packets; i++) {
        char name[16];
        random = random * 1664525 + 1013904223;
        snprintf(name, sizeof name, "%u", (random >> 8) % stations);
        sg_mailbox_put(sg_mailbox_by_name(name), argv[0], BYTES);
    }
}

static void take(int argc, char *argv[])
{
    (void)argc;
    for (;;)
        sg_mailbox_get(sg_mailbox_by_name(argv[0]));
}

int main(int argc, char *argv[])
{
    simgrid_init(&argc, argv);
    if (argc != 5)
        return 2;
    stations = (unsigned)atoi(argv[2]);
    packets = (unsigned)atoi(argv[4]);
    simgrid_load_platform(argv[1]);
    for (unsigned s = 0; s < stations; s++) {
        char host[32], number[16];
        snprintf(host, sizeof host, "card-%u", s * (unsigned)atoi(argv[3]));
        snprintf(number, sizeof number, "%u", s);
        char *arguments[] = {number, number};
        sg_actor_t taker = sg_actor_init("take", sg_host_by_name(host));
        sg_actor_daemonize(taker);
        sg_actor_start(taker, take, 1, arguments);
        sg_actor_start(sg_actor_init("send", sg_host_by_name(host)), send, 2, arguments);
    }
    simgrid_run();
    printf("%.9f\n", simgrid_get_clock());
    return 0;
}
